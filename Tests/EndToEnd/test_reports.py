"""scripts/check-reports: every package that is built in or loaded is asked about, and what is not known is named."""

import json
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from daemon import CHECKOUT, binary

SCRIPT = CHECKOUT / "scripts" / "check-reports"


@contextmanager
def service(answer):
    """Stands for osv.dev: `answer(question)` gives what it says of one package."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):  # noqa: N802
            queries = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
            asked.extend(queries)
            body = json.dumps({"results": [answer(query) for query in queries]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


def check(url):
    return subprocess.run([str(SCRIPT), "--service", url, str(binary())], capture_output=True, text=True, timeout=600)


def test_all_that_is_built_in_or_loaded_is_asked_about():
    with service(lambda _: {}) as (url, asked):
        done = check(url)
    assert done.returncode == 0, done.stdout + done.stderr
    versions = {(query["package"]["ecosystem"].split(":")[0], query["package"]["name"]): query["version"] for query in asked}
    pins = json.loads((CHECKOUT / "Package.resolved").read_text())["pins"]
    for pin in pins:
        name = pin["location"].removeprefix("https://").removesuffix(".git")
        assert versions["SwiftURL", name] == pin["state"]["version"], name
    for name in ("sqlite3", "openssl", "glibc", "zlib"):
        assert ("Debian", name) in versions, name


def test_a_report_that_nobody_looked_at_is_named_on_whichever_page_it_stands():
    def answer(query):
        if query["package"]["name"] != "sqlite3":
            return {}
        return {"vulns": [{"id": "TEST-2"}]} if query.get("page_token") else {"vulns": [{"id": "TEST-1"}], "next_page_token": "more"}

    with service(answer) as (url, _):
        done = check(url)
    assert done.returncode == 1
    assert "TEST-1: sqlite3 " in done.stdout and "TEST-2: sqlite3 " in done.stdout and "2 of them to be looked at" in done.stdout


def test_a_service_that_does_not_answer_is_no_clean_bill():
    with service(lambda _: {}) as (url, _):
        pass
    assert check(url).returncode == 69
