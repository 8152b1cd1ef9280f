"""One daemon for many tests of the page, each of which finds it as a new one."""

import shutil
from urllib.parse import urlsplit

from client import Browser
from daemon import Daemon

# What outlives the vault that a test made: guests, and what became of a password.
LASTING = {"/api/guest", "/api/vault/password"}


class SharedHost:
    """Vaults that a test made are erased behind it. Where that cannot be done, or more than vaults would be left, the next
    test has a new daemon: to start one takes half of the processor's time that a short test needs."""

    def __init__(self, make_folder):
        self.make_folder = make_folder
        self.daemon = None
        self.passwords = set()
        self.is_as_new = True

    def lend(self):
        if self.daemon is None:
            self.daemon = Daemon(self.make_folder()).start()
        return self.daemon

    def watch(self, context):
        """Learns from the requests of a browser what it will have to take back."""
        context.on("request", self._note_request)
        context.on("response", self._note_response)

    def note_begun(self, url, password):
        """A vault was made there, or by nobody's password a guest's space; no browser told of it."""
        if self._is_at(url):
            self.passwords.add(password)

    def _is_at(self, url):
        """Under whatever name of this machine."""
        return self.daemon is not None and urlsplit(url).port == self.daemon.port

    def _note_request(self, request):
        if request.method == "GET" or not self._is_at(request.url):
            return
        path = urlsplit(request.url).path
        if (request.method, path) == ("POST", "/api/vaults"):
            # Firefox does not always tell what it sent.
            sent = request.post_data_json or {}
            self.passwords.add(sent.get("password"))
        if path in LASTING:
            self.is_as_new = False

    def _note_response(self, response):
        """A wrong password makes the next ones wait, and a host that failed may do so again."""
        if response.request.method != "GET" and (response.status >= 500 or response.status in (401, 403, 429)):
            self.is_as_new = False

    def take_back(self, has_failed):
        if self.daemon is None:
            return
        if has_failed:
            # Its folder is left to be looked at.
            self.daemon.kill9()
            self.daemon = None
        elif not (self.is_as_new and self.daemon.running and all(map(self._erase, self.passwords))):
            self.end()
        self.passwords, self.is_as_new = set(), True

    def _erase(self, password):
        browser = Browser(self.daemon)
        with browser.http:
            if password is None or browser.try_open(password).status_code != 200:
                return False
            answer = browser.request("DELETE", "/api/vault", json={"password": password})
            # Its photos go afterwards, and the password opens nothing from here on.
            assert answer.status_code == 202, (answer.status_code, answer.text)
            return True

    def end(self):
        if self.daemon is not None:
            self.daemon.kill9()
            shutil.rmtree(self.daemon.folder)
            self.daemon = None
