"""Ways to write `../` in front of a file, and the routes that could fall for them."""

import itertools

DOTS = [
    "..", "%2e%2e", "%252e%252e", ".%2e", "%2e.", "%2E%2E", "..;", "%c0%ae%c0%ae", "%e0%80%ae%e0%80%ae", "....", "...", "%2e%2e%00",
    "..%00", "..%20", "..%09", "..%0d%0a", "．．", "%uff0e%uff0e", "%25252e%25252e", "..%5c..", "%%32%65%%32%65", ".%00.", "..#", "..?",
]  # fmt: skip
SLASHES = [
    "/", "%2f", "%2F", "%252f", "\\", "%5c", "%255c", "//", "/./", "%c0%af", "%e0%80%af", "/;/", "%2f%2f", "∕", "%u2215", "/%2e/", "\\/",
]  # fmt: skip
FILES = [
    "etc/passwd", "proc/self/environ", "proc/self/fd/3", "Package.swift", "data/store.header", "store.header", "ledger.sqlite",
    "etc/hostname", "tls/authority.key", "dev/zero", "objects", "index.html",
]  # fmt: skip
# What an escape may stand behind: the static route, and every place of the interface that takes a name or an id.
ROUTES = [
    "/", "/css/", "/js/", "//", "/api/", "/api/photos/", "/api/archive/", "/api/photos?cursor=", "/api/uploads/", "/api/batches/",
    "/api/timeline/", "/safelight-authority.crt/", "/connect.html/", "/api/qr.svg?address=",
]  # fmt: skip
# Ways to name a file without climbing.
DIRECT = [
    "/etc/passwd", "//etc/passwd", "///etc/passwd", "/%2fetc/passwd", "/%00/etc/passwd", "/file:///etc/passwd", "/C:/Windows/win.ini",
    "/.git/config", "/.env", "/.htaccess", "/index.html/", "/index.html%00.jpg", "/index.html/..", "/css", "/css/", "/js/.", "/~root/",
    "/\\\\evil\\share", "/@fs/etc/passwd", "/static/../etc/passwd", "/WEB-INF/web.xml", "/..", "/.", "/%2e", "/...", "/;/../..",
]  # fmt: skip


def targets():
    """Every request target, each once; far more than a test can ask for."""
    climbs = (
        route + (dot + slash) * depth + file.replace("/", slash)
        for depth in (1, 3, 9)
        for file, dot, slash, route in itertools.product(FILES, DOTS, SLASHES, ROUTES)
    )
    yield from dict.fromkeys(itertools.chain(DIRECT, climbs))


def chosen(seeded, count):
    """All of `DIRECT` and a choice of the others, the same in every run."""
    everything = list(targets())
    return everything[: len(DIRECT)] + seeded.sample(everything[len(DIRECT) :], count - len(DIRECT))
