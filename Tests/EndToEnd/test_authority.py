"""For whom the host's own authority can speak, on hosts that are called like a domain of the Internet."""

import socket
import subprocess

import pytest
import requests
from cases import first
from daemon import Daemon
from network import HOST
from terminal import TerminalDaemon

PRIVATE = "permitted;IP:192.168.0.0/255.255.0.0"


def called(name):
    """A wrapper: the host has this name."""
    return ["unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$0" "$@"']


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)


def constraint(daemon):
    text = openssl("x509", "-in", daemon.data / "tls/authority.pem", "-noout", "-ext", "nameConstraints").stdout
    return {line.strip().removeprefix("DNS:") for line in text.splitlines() if "DNS:" in line}


def is_believed(daemon, name, folder):
    """Whether OpenSSL takes a certificate that a thief of the authority's key signs for that name."""
    authority = daemon.data / "tls/authority.pem"
    request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
    request += ["-CA", authority, "-CAkey", authority, "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    request += ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth"]
    request += ["-keyout", folder / "leaf.key", "-out", folder / "leaf.pem"]
    done = openssl(*request)
    assert done.returncode == 0, done.stderr
    check = ["-purpose", "sslserver", "-verify_hostname", name, "-CAfile", authority, folder / "leaf.pem"]
    return openssl("verify", *check).returncode == 0


def old_authority(folder, name):
    """An authority as an earlier version made it on a host of that name."""
    (folder / "tls").mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3000"]
    request += ["-subj", f"/O=Safelight/CN=Safelight on {name} (00000000)"]
    request += ["-addext", f"nameConstraints=critical,permitted;DNS:{name},permitted;DNS:{name}.local,permitted;DNS:localhost,{PRIVATE}"]
    request += ["-addext", "basicConstraints=critical,CA:TRUE,pathlen:0", "-addext", "keyUsage=critical,keyCertSign,cRLSign"]
    request += ["-keyout", folder / "key.pem", "-out", folder / "certificate.pem"]
    done = openssl(*request)
    assert done.returncode == 0, done.stderr
    (folder / "tls/authority.pem").write_bytes((folder / "key.pem").read_bytes() + (folder / "certificate.pem").read_bytes())
    (folder / "tls/authority.pem").chmod(0o600)
    for name in ("key.pem", "certificate.pem"):
        (folder / name).unlink()


@pytest.mark.parametrize("name", first(2, ["photos", "nas.fritz.box", "cloud", "com"]))
def test_the_authority_speaks_for_no_domain_of_the_internet(tmp_path, name):
    daemon = Daemon(tmp_path, wrapper=called(name), environment={"SAFELIGHT_HOSTS": "co.uk,photos.example.org"}).start()
    daemon.stop()
    local = name.split(".")[0] + ".local"
    assert constraint(daemon) == {"localhost", local, "photos.example.org"}
    assert is_believed(daemon, local, tmp_path) and is_believed(daemon, "photos.example.org", tmp_path)
    for victim in (f"www.example.{name}", name, "www.example.org", "www.example.co.uk", "co.uk"):
        assert not is_believed(daemon, victim, tmp_path), victim
    assert "co.uk" in daemon.log and "photos.example.org:" not in daemon.log


def test_what_is_announced_is_in_the_certificate(tmp_path, network):
    names = {"SAFELIGHT_HOSTS": "photos,nas.example.org"}
    wrapper = [*network.host.wrapper, *called("photos")]
    daemon = TerminalDaemon(tmp_path, address=HOST, listen="[::]", wrapper=wrapper, environment=names).start()
    daemon.stop()
    announced = [line.strip() for line in daemon.words if line.startswith("    http")]
    assert f"http://nas.example.org:{daemon.port}/" in announced
    assert f"http://photos:{daemon.port}/" not in announced, announced


def test_an_authority_of_an_earlier_version_is_said_and_renewed(tmp_path):
    """While the daemon runs, and once more while it is stopped."""
    daemon = TerminalDaemon(tmp_path, wrapper=called("photos"))
    daemon.data.mkdir(mode=0o700)
    Daemon(tmp_path, data=daemon.data).start().stop()
    for is_running in (True, False):
        (daemon.data / "tls/authority.pem").unlink()
        (daemon.data / "tls/host.pem").unlink()
        (daemon.data / "tls").rmdir()
        old_authority(daemon.data, "photos")
        daemon.start()
        former = requests.get(f"{daemon.url}/api/certificate").json()
        assert former["broad"] and former["name"] == "Safelight on photos (00000000)"
        assert is_believed(daemon, "www.example.photos", tmp_path)
        if not is_running:
            daemon.stop()
        done = daemon.run("certificate", "--renew-authority", "--data", str(daemon.data), timeout=60)
        assert done.returncode == 0, done.stderr
        assert former["name"] in done.stdout.decode()
        if not is_running:
            daemon.start()
        renewed = requests.get(f"{daemon.url}/api/certificate").json()
        assert not renewed["broad"] and renewed["fingerprint"] != former["fingerprint"]
        assert renewed["fingerprint"][:47] in done.stdout.decode()
        with daemon.tls_context().wrap_socket(
            socket.create_connection((daemon.address, daemon.port)), server_hostname=daemon.address
        ) as secured:
            assert secured.getpeercert()
        daemon.stop()
        assert not is_believed(daemon, "www.example.photos", tmp_path)
        assert sorted(path.name for path in (daemon.data / "tls").iterdir()) == ["authority.pem", "host.pem"]
    assert any("--renew-authority" in line for line in daemon.words)
    assert "--renew-authority" in (tmp_path / "errors.log").read_text()
