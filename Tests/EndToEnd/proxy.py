"""A network that breaks: a TCP proxy in front of the daemon which drops connections at the byte it is told."""

import re
import socket
import threading
from contextlib import suppress

from faults import reset

RANGE = re.compile(rb"\r\nrange: *([^\r]+)", re.IGNORECASE)


class CuttingProxy:
    """Hands everything on. `cut(n)` drops the connection on which the n-th byte to come goes up; `flip(n)` changes one
    bit of that byte; `lose_answer()` lets the next request through and drops its connection when the answer begins.
    `hold(method)` lets only the beginnings of such requests through, of which there are `held`, until `let_go()`.

    `ranges` are those that were asked for."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.lock = threading.Lock()
        self.until_cut = None
        self.until_flip = None
        self.loses_answer = False
        self.cuts = 0
        self.ranges = []
        self.held_method = None
        self.held = 0
        self.gate = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.gate.set()
        self.listener.close()

    def cut(self, byte_count):
        with self.lock:
            self.until_cut = byte_count

    def flip(self, byte_count):
        with self.lock:
            self.until_flip = byte_count

    def lose_answer(self):
        with self.lock:
            self.loses_answer = True

    def hold(self, method):
        self.held_method = method.encode() + b" "

    def let_go(self):
        self.held_method = None
        self.gate.set()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                host = socket.create_connection((self.daemon.address, self.daemon.port))
            except OSError:
                # A daemon that is gone is gone for whoever asks through this, too.
                client.close()
                continue
            for pump in (self._up, self._down):
                threading.Thread(target=pump, args=(client, host), daemon=True).start()

    def _up(self, client, host):
        try:
            while piece := client.recv(65536):
                self.ranges += RANGE.findall(piece)
                allowed, is_cut = self._allow(self._spoil(piece))
                host.sendall(allowed)
                if is_cut:
                    drop(client, host)
                    return
                if self.held_method and piece.startswith(self.held_method):
                    self.held += 1
                    self.gate.wait()
            host.shutdown(socket.SHUT_WR)
        except OSError:
            drop(client, host)

    def _down(self, client, host):
        try:
            while piece := host.recv(65536):
                with self.lock:
                    is_lost, self.loses_answer = self.loses_answer, False
                    self.cuts += is_lost
                if is_lost:
                    drop(client, host)
                    return
                client.sendall(piece)
            client.shutdown(socket.SHUT_WR)
        except OSError:
            drop(client, host)

    def _spoil(self, piece):
        with self.lock:
            if self.until_flip is None or self.until_flip >= len(piece):
                if self.until_flip is not None:
                    self.until_flip -= len(piece)
                return piece
            at, self.until_flip = self.until_flip, None
            return piece[:at] + bytes([piece[at] ^ 1]) + piece[at + 1 :]

    def _allow(self, piece):
        with self.lock:
            if self.until_cut is None or self.until_cut >= len(piece):
                if self.until_cut is not None:
                    self.until_cut -= len(piece)
                return piece, False
            allowed, self.until_cut = piece[: self.until_cut], None
            self.cuts += 1
            return allowed, True


def drop(client, host):
    """The host sees an orderly end, as a proxy or a kernel would give it; the client a reset."""
    # A thread that still reads keeps its socket open: it is woken first.
    for end, direction in [(host, socket.SHUT_RDWR), (client, socket.SHUT_RD)]:
        with suppress(OSError):
            end.shutdown(direction)
    with suppress(OSError):
        reset(client)
