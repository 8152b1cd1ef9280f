"""A daemon at a terminal, and what an eye or a camera sees there."""

import fcntl
import os
import pty
import queue
import re
import struct
import subprocess
import termios
import threading

from daemon import Daemon

ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
# Which half of a cell is painted in the foreground's colour.
HALVES = {"█": (True, True), "▀": (True, False), "▄": (False, True)}
# Grey levels of (foreground, background).
DARK, LIGHT = (220, 20), (20, 240)
# Of the 256 colours, those that no theme changes and that a daemon may use here.
BLACK_AND_WHITE = {"16": 0, "231": 255}
PIXELS = 6


class TerminalDaemon(Daemon):
    """Its standard output is a terminal of `columns` columns; what it writes there is `screen` once it has ended."""

    def __init__(self, folder, columns=80, **options):
        super().__init__(folder, **options)
        self.columns = columns
        self.environment.setdefault("TERM", "xterm-256color")

    def launch(self):
        self.log_file = open(self.log_path, "ab")
        terminal, output = pty.openpty()
        fcntl.ioctl(output, termios.TIOCSWINSZ, struct.pack("HHHH", 24, self.columns, 0, 0))
        try:
            with open(self.folder / "errors.log", "ab") as errors:
                self.process = subprocess.Popen(
                    self.command(), stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=self.variables(),
                    cwd=self.folder,
                )  # fmt: skip
        finally:
            os.close(output)
        self.process.stdout = lines_of(terminal)
        self.lines = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, args=(self.process, self.log_file, self.lines), daemon=True)
        self.reader.start()

    @property
    def screen(self):
        """Lines without their ends, colours included."""
        return self.log.replace("\r", "").split("\n")

    @property
    def words(self):
        """The screen's text without colours and without the picture."""
        return [line for line in (ESCAPE.sub("", line) for line in self.screen) if not HALVES.keys() & set(line)]


def lines_of(terminal):
    with open(terminal, "rb") as file:
        try:
            yield from file
        except OSError:
            # The program has closed its end.
            return


def photograph(screen, theme):
    """The screen as a PGM picture: every cell two pixels' rows high, in the colours that a terminal of this theme shows."""
    rows = [row for line in screen for row in cells(line, theme)]
    width = max(map(len, rows))
    pixels = bytearray()
    for row in rows:
        row = row + [theme[1]] * (width - len(row))
        pixels += b"".join(bytes([level]) * PIXELS for level in row) * PIXELS
    return f"P5 {width * PIXELS} {len(rows) * PIXELS} 255\n".encode() + bytes(pixels)


def cells(line, theme):
    """The upper and the lower halves of a line's cells, as grey levels."""
    foreground, background = theme
    upper, lower = [], []
    for index, piece in enumerate(ESCAPE.split(line)):
        if index % 2:
            foreground, background = colours(piece, theme)
            continue
        for character in piece:
            top, bottom = HALVES.get(character, (False, False))
            upper.append(foreground if top else background)
            lower.append(foreground if bottom else background)
    return upper, lower


def colours(codes, theme):
    """Only what is expected is understood: anything else fails."""
    if codes in ("", "0"):
        return theme
    match = re.fullmatch(r"38;5;(\d+);48;5;(\d+)", codes)
    assert match, f"unexpected colours: {codes}"
    return BLACK_AND_WHITE[match[1]], BLACK_AND_WHITE[match[2]]


def read_codes(picture, folder):
    """The texts of the QR codes that a camera finds in a picture."""
    path = folder / "screen.pgm"
    path.write_bytes(picture)
    done = subprocess.run(
        ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", str(path)], capture_output=True, text=True
    )
    return done.stdout.splitlines()
