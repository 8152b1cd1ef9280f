"""A release feed on a TLS server of its own, which notes who asks for what."""

import base64
import http.server
import json
import ssl
import subprocess
import threading

NEWS = "9.8.7"


def make_certificate(folder, names="DNS:localhost", subject="localhost", days=2):
    """(chain, key): a host certificate for names and addresses that is its own authority, in files named after its
    subject."""
    chain, key = folder / f"{subject}.pem", folder / f"{subject}.key"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    words += ["-days", str(days), "-subj", f"/CN={subject}", "-addext", f"subjectAltName={names}"]
    subprocess.run([*words, "-keyout", str(key), "-out", str(chain)], check=True, capture_output=True)
    return chain, key


class Signer:
    """An Ed25519 key as openssl makes it."""

    def __init__(self, folder):
        self.key = folder / "release.key"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(self.key)], check=True)
        words = ["openssl", "pkey", "-in", str(self.key), "-pubout", "-outform", "DER"]
        self.public = base64.b64encode(subprocess.run(words, check=True, capture_output=True).stdout).decode()

    def sign(self, document):
        path = self.key.with_name("document")
        path.write_bytes(document)
        words = ["openssl", "pkeyutl", "-sign", "-inkey", str(self.key), "-rawin", "-in", str(path)]
        return base64.b64encode(subprocess.run(words, check=True, capture_output=True).stdout) + b"\n"


class Feed:
    """Answers what `answers` holds by path: bytes, or a function that is given the request's handler."""

    def __init__(self, folder):
        self.answers = {}
        self.requests = []
        self.asked = threading.Event()
        self.closing = threading.Event()
        chain, key = make_certificate(folder)
        self.authority = chain
        feed = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                feed.requests.append((self.path, dict(self.headers.items())))
                feed.asked.set()
                answer = feed.answers.get(self.path)
                if callable(answer):
                    answer(self)
                    return
                self.send_response(200 if answer is not None else 404)
                self.send_header("Content-Length", str(len(answer or b"")))
                self.send_header("Content-Type", "text/html" if (answer or b"").startswith(b"<") else "application/json")
                self.end_headers()
                self.wfile.write(answer or b"")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def origin(self):
        return f"https://localhost:{self.server.server_port}"

    @property
    def url(self):
        return f"{self.origin}/feed.json"

    @property
    def environment(self):
        return {"SAFELIGHT_UPGRADE_FEED": self.url, "SAFELIGHT_UPGRADE_AUTHORITY": str(self.authority)}

    def document(self, version=NEWS, **more):
        return json.dumps({"version": version, "page": f"{self.origin}/release", **more}).encode()

    def announce(self, version=NEWS, **more):
        self.answers["/feed.json"] = self.document(version, **more)

    @property
    def questions(self):
        """How often the feed itself was asked."""
        return sum(path == "/feed.json" for path, _ in self.requests)

    def close(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()
