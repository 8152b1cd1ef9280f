"""A browser never shows its own dialog for a password over the page: real browsers, by every kind of request."""

import re
import socket
import threading
from contextlib import suppress

import pytest
from client import wait_until
from playwright.sync_api import Error
from trust import firefox_with
from visitor import until
from webkit import webkit

NAME = f"{socket.gethostname()}.local"
HEAD = re.compile(rb"HTTP/1\.1 (\d+) .*?\r\n\r\n", re.DOTALL)

# Everything by which a page can ask; the form and the address bar come last, for they leave the page.
ASK = """async () => {
    const done = [];
    const wait = (element, ...events) => new Promise((resolve) => {
        for (const event of events) element.addEventListener(event, resolve, { once: true });
    });
    done.push((await fetch("/api/photos?by=fetch")).status);
    done.push((await fetch("/api/session?by=json", { method: "POST", body: JSON.stringify({ password: "a wrong one" }),
        headers: { "Content-Type": "application/json" } })).status);
    const request = new XMLHttpRequest();
    request.open("PATCH", "/api/uploads/AAAAAAAAAAAAAAAAAAAAAA?by=xhr");
    request.setRequestHeader("Tus-Resumable", "1.0.0");
    request.setRequestHeader("Upload-Offset", "0");
    request.setRequestHeader("Content-Type", "application/offset+octet-stream");
    const answered = wait(request, "loadend");
    request.send("abc");
    await answered;
    done.push(request.status);
    for (const kind of ["img", "video"]) {
        const element = document.createElement(kind);
        const failed = wait(element, "error");
        element.src = `/api/photos/AAAAAAAAAAAAAAAAAAAAAA/original?by=${kind}`;
        await failed;
    }
    return done;
}"""
FORM = """() => {
    const form = document.createElement("form");
    form.method = "post";
    form.action = "/api/photos?by=form";
    form.enctype = "multipart/form-data";
    const field = document.createElement("input");
    field.type = "hidden"; field.name = "photos"; field.value = "x";
    form.append(field);
    document.body.append(form);
    // Whoever called this has its answer before the page is left.
    setTimeout(() => form.submit());
}"""
KINDS = {"fetch", "json", "xhr", "img", "video", "form", "address"}


class Recorder:
    """Hands everything on to the daemon, one request a connection, and keeps how each kind of request was answered."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.answers = {}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with suppress(OSError):
            while True:
                threading.Thread(target=self.relay, args=self.listener.accept()[:1], daemon=True).start()

    def relay(self, client):
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self.daemon.port)) as host:
            request = b""
            while b"\r\n\r\n" not in request and (piece := client.recv(65536)):
                request += piece
            head, _, rest = request.partition(b"\r\n\r\n")
            host.sendall(re.sub(rb"\r\nConnection: [^\r]*", b"", head, flags=re.I) + b"\r\nConnection: close\r\n\r\n" + rest)
            threading.Thread(target=self.send_rest, args=(client, host), daemon=True).start()
            answer = b""
            while b"\r\n\r\n" not in answer and (piece := host.recv(65536)):
                answer += piece
            # Before the browser has it: what it shows is known here by then, and a host that hangs up early takes nothing away.
            if (kind := re.search(rb" /\S*[?&]by=(\w+)", head)) and (found := HEAD.match(answer)):
                self.answers[kind[1].decode()] = found[0].decode()
            client.sendall(answer)
            while piece := host.recv(65536):
                client.sendall(piece)

    @staticmethod
    def send_rest(client, host):
        with suppress(OSError):
            while piece := client.recv(65536):
                host.sendall(piece)


@pytest.fixture
def recorder(daemon):
    recorder = Recorder(daemon)
    yield recorder
    recorder.listener.close()


def ask_everything(page, url):
    page.goto(f"{url}/")
    statuses = page.evaluate(ASK)
    with page.expect_navigation():
        page.evaluate(FORM)
    # Firefox shows a page of its own for an answer that it cannot show.
    with suppress(Error):
        page.goto(f"{url}/api/photos?by=address")
    return statuses


def assert_never_challenged(answers):
    assert answers.keys() == KINDS
    for kind, head in answers.items():
        assert " 401 " in head.split("\r\n")[0], (kind, head)
        assert "www-authenticate" not in head.lower(), (kind, head)


def answers_over_tls(browser, daemon):
    """What came to every kind of request, by the browser's own record."""
    answers = {}

    def note(response):
        if kind := re.search(r"[?&]by=(\w+)", response.url):
            fields = "\r\n".join(f"{name}: {value}" for name, value in response.headers.items())
            answers[kind[1]] = f"HTTP/1.1 {response.status} \r\n{fields}"

    with browser.new_context(ignore_https_errors=True) as context:
        page = context.new_page()
        page.on("response", note)
        ask_everything(page, f"https://127.0.0.1:{daemon.port}")
        # Another process tells of them than that which has shown what came of them.
        until(page, lambda: answers.keys() == KINDS)
    return answers


def assert_never_asks(browser, recorder, *hosts):
    for host in hosts:
        recorder.answers.clear()
        with browser.new_context() as context:
            assert ask_everything(context.new_page(), f"http://{host}:{recorder.port}") == [401, 401, 401]
        assert_never_challenged(recorder.answers)
    assert_never_challenged(answers_over_tls(browser, recorder.daemon))


def test_chromium_never_asks(chromium, recorder):
    assert_never_asks(chromium, recorder, NAME, "127.0.0.1")


def test_firefox_never_asks(playwright, tmp_path, recorder):
    with firefox_with(playwright, tmp_path / "home", preferences={"network.dns.localDomains": NAME}) as firefox:
        assert_never_asks(firefox, recorder, NAME, "127.0.0.1")


@pytest.mark.nightly("engines")
def test_webkit_over_plain_http(tmp_path, recorder):
    url = f"http://127.0.0.1:{recorder.port}"
    with webkit(tmp_path / "home") as driver:
        driver.get(f"{url}/")
        asked = f"const [done] = arguments; ({ASK})().then(done);"
        assert driver.execute_async_script(asked) == [401, 401, 401]
        driver.execute_script(f"({FORM})()")
        wait_until(lambda: "form" in recorder.answers)
        driver.get(f"{url}/api/photos?by=address")
    assert_never_challenged(recorder.answers)
