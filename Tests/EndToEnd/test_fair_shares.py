"""What one holds, announces or wishes for keeps nobody else out: room, places for uploads, guests' spaces, pictures."""

import json
import socket
import struct
import zlib

import pytest
from client import OTHER_PASSWORD, Browser, code_of, wait_until
from network import DEVICES

MIB = 1 << 20
TUS = {"Tus-Resumable": "1.0.0"}
LENGTHS = [1024 * MIB >> shift for shift in range(13)]


def announce(browser, byte_count):
    """An upload of which nothing is sent."""
    return browser.request("POST", "/api/uploads", headers={**TUS, "Upload-Length": str(byte_count)})


def visit(daemon):
    """What a visitor's photo is answered."""
    return Browser(daemon).begin_guest().try_put("visit.jpg", b"\xff\xd8\xff" + b"x" * 2_000_000).status_code


# -- room


def test_what_guests_announce_and_do_not_send_takes_nothing_from_others(daemon):
    for _ in range(3):
        guest = Browser(daemon).begin_guest()
        assert announce(guest, LENGTHS[0]).status_code == 201
        for length in LENGTHS[1:]:
            announce(guest, length)
    assert visit(daemon) == 201
    assert guest.try_put("own.jpg", b"a" * 100_000).status_code == 201
    daemon.kill9()
    daemon.start()
    assert visit(daemon) == 201


def test_what_a_vault_announces_takes_nothing_of_its_share_nor_of_the_disk(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_LIMITS_VAULT_SHARE": "1"})
    greedy, modest = Browser(daemon).create(), Browser(daemon).create(OTHER_PASSWORD)
    accepted = 0
    # As much as is taken at once, again and again: by halves, so that nothing would be left.
    for length in [(16 << 30) >> shift for shift in range(19)]:
        for _ in range(8):
            answer = announce(greedy, length)
            accepted += length if answer.status_code == 201 else 0
    assert accepted > 0
    for browser in (greedy, modest):
        browser.put("photo.jpg", b"a" * 2_000_000)
    daemon.restart()
    greedy.open().put("later.jpg", b"b" * 2_000_000)


def test_an_announced_upload_of_a_guest_still_goes_on_over_a_crash_once_bytes_have_come(daemon, seeded):
    guest, content = Browser(daemon).begin_guest(), seeded.randbytes(300_000)
    address = announce(guest, len(content)).headers["Location"]
    bytes_of = {**TUS, "Content-Type": "application/offset+octet-stream"}
    first = guest.request("PATCH", address, headers={**bytes_of, "Upload-Offset": "0"}, data=content[:100_000])
    assert (first.status_code, first.headers["Upload-Offset"]) == (204, "100000")
    empty = announce(guest, 5000).headers["Location"]
    daemon.kill9()
    daemon.start()
    assert guest.request("HEAD", address, headers=TUS).headers["Upload-Offset"] == "100000"
    assert guest.request("HEAD", empty, headers=TUS).status_code == 404
    last = guest.request("PATCH", address, headers={**bytes_of, "Upload-Offset": "100000"}, data=content[100_000:])
    assert last.status_code == 204
    assert guest.content(guest.photos()[0]) == content


# -- places for uploads


def trickling(daemon, browser, count):
    """Connections on which so many uploads have begun and nothing more comes."""
    held = []
    cookies = "; ".join(f"{name}={value}" for name, value in browser.http.cookies.items())
    for number in range(count):
        connection = socket.create_connection(("127.0.0.1", daemon.port), 30)
        connection.sendall(
            f"PUT /api/photos/{number}.jpg HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nCookie: {cookies}\r\n"
            f"Sec-Fetch-Site: same-origin\r\nContent-Length: 1000000\r\n\r\n".encode()
            + b"\0" * 20_000
        )
        held.append(connection)
    return held


def running(daemon):
    return json.loads(daemon.run("status", "--data", str(daemon.data), "--json").stdout)["uploadsInFlight"]


def test_uploads_that_trickle_keep_no_vault_out(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_LIMITS_UPLOADS": "16"})
    family = Browser(daemon).create()
    guests = [Browser(daemon).begin_guest() for _ in range(4)]
    for who, senders, count, least in (("guests", guests, 8, 8), ("another vault", [Browser(daemon).create(OTHER_PASSWORD)], 24, 16)):
        held = [connection for sender in senders for connection in trickling(daemon, sender, count)]
        wait_until(lambda: running(daemon) >= least)  # noqa: B023
        for number in range(20):
            family.put(f"{who} {number}.jpg", f"family {who}".encode() * 1000 + bytes([number]))
        for connection in held:
            connection.close()
        wait_until(lambda: running(daemon) == 0)
    assert len(family.photos()) == 40


# -- guests' spaces


def test_a_device_that_begins_many_spaces_leaves_some_for_others(start_on_network, network):
    daemon = start_on_network()
    greedy = [network.device.browser(daemon).request("POST", "/api/guest").status_code for _ in range(24)]
    assert greedy[0] == 201 and greedy[-1] == 429
    assert network.device.browser(daemon, DEVICES[1]).request("POST", "/api/guest").status_code == 201


def test_an_empty_space_gives_way_to_a_visitor_and_one_with_a_photo_does_not(start_on_network, network):
    daemon = start_on_network(environment={"SAFELIGHT_LIMITS_NEWGUESTS": "4"})
    filled = network.device.browser(daemon).begin_guest()
    filled.put("a.jpg", b"a" * 1000)
    empty = [network.device.browser(daemon).begin_guest() for _ in range(3)]
    visitor = network.device.browser(daemon, DEVICES[1]).begin_guest()
    assert [guest.session()["kind"] for guest in empty] == ["none", "guest", "guest"]
    visitor.put("b.jpg", b"b" * 1000)
    assert filled.names() == ["a.jpg"]
    for guest in empty[1:]:
        guest.put("c.jpg", b"c" * 1000)
    answer = network.device.browser(daemon, DEVICES[2]).request("POST", "/api/guest")
    assert (answer.status_code, code_of(answer)) == (429, "too-many-attempts")


# -- pictures


def png(width, height):
    """Of black, which packs to next to nothing and unpacks to as much as any other."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    packer, row = zlib.compressobj(6), b"\0" * (1 + 3 * width)
    packed = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def is_made(browser, photo):
    return browser.request("GET", f"/api/photos/{photo['id']}/thumbnail").status_code == 200


def is_pending(browser):
    return any(photo["picture"] == "pending" for photo in browser.photos())


@pytest.mark.nightly("sizes")
def test_a_vault_does_not_wait_for_the_heavy_pictures_of_guests(daemon):
    """Whose turn it is decides `SlotQueueTests`; what this finds depends on how long a picture takes."""
    family, heavy = Browser(daemon).create(), png(7000, 7000)
    guests = [Browser(daemon).begin_guest() for _ in range(4)]
    for number, guest in enumerate(guests):
        photo = guest.put("heavy.png", heavy + bytes([number]))
        guest.request("GET", f"/api/photos/{photo['id']}/thumbnail")
    photo = family.put("small.png", png(300, 200))
    wait_until(lambda: is_made(family, photo))
    assert sum(map(is_pending, guests)) >= 2, "the family's picture came after those of the guests"
    # And what gave way is looked into all the same.
    wait_until(lambda: not any(map(is_pending, guests)), seconds=300)
