"""The two ways to reach one port: plain HTTP and HTTPS."""

from dataclasses import dataclass

from faults import connect


@dataclass(frozen=True)
class Place:
    scheme: str

    def __str__(self):
        return self.scheme

    def origin(self, daemon):
        return f"{self.scheme}://{daemon.address}:{daemon.port}"

    def connect(self, daemon, timeout=300):
        connection = connect(daemon, timeout)
        if self.scheme == "http":
            return connection
        try:
            return daemon.tls_context().wrap_socket(connection, server_hostname=daemon.address)
        except BaseException:
            connection.close()
            raise


PLAIN = Place("http")
TLS = Place("https")
PLACES = [PLAIN, TLS]
