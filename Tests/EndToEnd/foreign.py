"""Names and origins that are not this host's, in every disguise."""

import itertools


def wrong_hosts(address, port):
    """Values of Host that must not be answered on a connection to 127.0.0.1; None leaves the field out."""
    number = "".join(f"{int(part):02x}" for part in address.split("."))
    names = [
        "evil.example", f"{address}.evil.example", "localhost.evil.example", "evil.localhost", "xlocalhost", "localhostx",
        "localhost..", ".localhost", "local host", "127.0.0.2", "0.0.0.0", "255.255.255.255", "192.168.1.1", "10.0.0.1",
        "169.254.169.254", str(int(number, 16)), f"0x{number}", f"{int(number, 16):#o}", "127.1", "127.0.1", "0x7f.0.0.1", "0177.0.0.1",
        "127.00.0.1", "127.0.0.01", "127.0.0.1.", "127.0.0.1..", "127.0.0.256", "127.0.0.1.1", "127.0.0", "１２７.0.0.1", "127。0。0。1",
        "[::1]", "[::]", "[::ffff:127.0.0.2]", "[fe80::1%25lo]", "[::1%lo]", "[127.0.0.1]", "[localhost]", "::1", "::ffff:127.0.0.1",
        "[", "]", "[]", "[::1", "::1]", "[::ffff:127.0.0.1", f"evil@{address}", f"{address}@evil.example", f"{address}#evil", f"{address}/",
        f"{address}?", f"{address}\\evil", f"{address}%00", f"{address}%2eevil.example", "localhost%20", "%6c%6f%63%61%6c%68%6f%73%74",
        "loсalhost", "ⓛocalhost", "xn--localhost", "*", "*.local", "_", "-", "a" * 300, "local", ".local", "",
    ]  # fmt: skip
    ports = [f"{address}:80:80", "localhost:x", f"{address}:-1", f"{address}:99999", f"{address}: 80", ":80", f":{port}", f"{address}:+{port}"]
    return [*dict.fromkeys(names), *(f"{name}:{port}" for name in names[:8]), *ports, None]


def right_hosts(address, port):
    bare = [address, "localhost", "LOCALHOST", "LocalHost", "localhost."]
    return [*bare, *(f"{name}:{port}" for name in bare), f"{address}:", f"{address}:1"]


def wrong_origins(scheme, address, port):
    """Values of Origin that do not match Host `address:port` on a connection of this scheme."""
    other = "http" if scheme == "https" else "https"
    right = f"{scheme}://{address}:{port}"
    return [
        f"{other}://{address}:{port}", f"{scheme}://{address}", f"{scheme}://{address}:{port + 1}", f"{scheme}://{address}:0{port}",
        f"{scheme}://evil.example:{port}", f"{scheme}://evil.example", f"{scheme}://localhost:{port}", f"{scheme}://127.0.0.2:{port}",
        f"{scheme}://127.1:{port}", f"{scheme}://2130706433:{port}", f"{scheme}://[::ffff:127.0.0.1]:{port}", f"{scheme}://[::1]:{port}",
        f"{right}.evil.example", f"{right}@evil.example", f"{right}/", f"{right}/evil", f"{right}#", f"{right}?", f"{right} ; x", f"{right}\\@evil",
        f"{right}, {scheme}://evil.example", f"{scheme}://evil.example, {right}", f"{right} {scheme}://evil.example", f"{right},{right}",
        f"{scheme}://evil.example/{right}", f"{scheme}://x@{address}:{port}", f"ws://{address}:{port}", f"{scheme}s://{address}:{port}",
        f"{scheme}:{address}:{port}", f"//{address}:{port}", f"{address}:{port}", f"{scheme}:///{address}:{port}", f"x{right}", "null", "",
        "NULL", "*", "file://", "about:blank", "data:", "chrome-extension://abcdef", "moz-extension://abcdef", f"{scheme}://", "://", "\xff",
    ]  # fmt: skip


WRONG_SITES = ["cross-site", "same-site", "", "same-origin, cross-site", "cross-site, same-origin", "unknown", "*", "same_origin", "none x"]


def foreign_fields(scheme, address, port):
    """Fields of a request that carries a cookie and comes from elsewhere, or from who knows where."""
    right = f"{scheme}://{address}:{port}"
    wrong = wrong_origins(scheme, address, port)
    yield {}
    yield from ({"Origin": origin} for origin in wrong)
    yield from ({"Sec-Fetch-Site": site} for site in WRONG_SITES)
    yield from ({"Sec-Fetch-Site": site, "Origin": right} for site in WRONG_SITES)
    yield from (
        {"Sec-Fetch-Site": site, "Origin": origin} for site, origin in itertools.product(WRONG_SITES, ["https://evil.example", "null"])
    )
