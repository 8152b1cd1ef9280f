"""A photo is stored once in a vault, whoever sends it again, and no vault ever hears of another's photos."""

import hashlib
import threading

import pytest
from client import OTHER_PASSWORD, Browser, code_of, sha256, wait_until
from tus import Tus

PIECE = 8 << 20
PARALLEL = 50


@pytest.fixture(scope="module")
def standing_daemon(start_standing):
    """Apart from other tests: what lies on its disk is counted."""
    return start_standing()


def check(browser, *questions):
    answer = browser.request("POST", "/api/uploads/check", json=list(questions))
    assert answer.status_code == 200, (answer.status_code, answer.text)
    return answer.json()


def question(content):
    return {"size": len(content), "sha256": sha256(content)}


def ends(content):
    pieces = [content[at : at + PIECE] for at in range(0, len(content), PIECE)]
    return {"size": len(content), "first": sha256(pieces[0]), "last": sha256(pieces[-1])}


def tree(content):
    pieces = [content[at : at + PIECE] for at in range(0, len(content), PIECE)]
    return {"size": len(content), "tree": sha256(b"".join(hashlib.sha256(piece).digest() for piece in pieces))}


def wait_until_verified(browser, content):
    wait_until(lambda: check(browser, question(content)) == ["known"])


def test_a_photo_that_was_read_back_is_known_and_kept_once(vault, seeded):
    browser = vault()
    before = len(browser.daemon.object_files())
    content = seeded.randbytes(300_000)
    first = browser.put("first.jpg", content)
    wait_until_verified(browser, content)
    again = browser.put("second.jpg", content)
    assert (again["id"], again["name"], again["duplicate"]) == (first["id"], "first.jpg", True)
    tus = Tus(browser)
    whole = tus.try_create(len(content), name="third.jpg", body=content).headers
    assert (whole["Safelight-Photo"], whole["Safelight-Duplicate"]) == (first["id"], "true")
    assert tus.head(whole["Location"]).headers["Safelight-Photo"] == first["id"]
    assert browser.names() == ["first.jpg"]
    wait_until(lambda: len(browser.daemon.object_files()) == before + 1)
    assert browser.photos()[0]["sha256"] == sha256(content)
    assert browser.photos()[0]["verifiedAt"]


def test_a_photo_that_came_in_pieces_is_found_out_when_it_is_read_back(vault, seeded):
    browser = vault()
    before = len(browser.daemon.object_files())
    content = seeded.randbytes(300_000)
    first = browser.put("first.jpg", content)
    wait_until_verified(browser, content)
    tus = Tus(browser)
    path = tus.create(len(content), name="second.jpg")
    tus.patch(path, 0, content[:100_000])
    answered = tus.patch(path, 100_000, content[100_000:]).headers["Safelight-Photo"]
    wait_until(lambda: browser.names() == ["first.jpg"])
    # The id that was answered leads to the photo that was kept; deleting the one that went deletes nothing.
    assert browser.request("GET", f"/api/photos/{answered}").json()["id"] == first["id"]
    assert browser.content({"id": answered}) == content
    browser.request("DELETE", f"/api/photos/{answered}")
    assert browser.names() == ["first.jpg"]
    assert tus.head(path).headers["Safelight-Photo"] == first["id"]
    assert tus.head(path).headers["Safelight-Duplicate"] == "true"
    assert browser.content(first) == content
    wait_until(lambda: len(browser.daemon.object_files()) == before + 1)


def test_the_same_size_and_beginning_are_no_duplicate(vault, seeded):
    browser = vault()
    content = seeded.randbytes(100_000)
    other = content[:-1] + bytes([content[-1] ^ 1])
    browser.put("a.jpg", content)
    wait_until_verified(browser, content)
    assert check(browser, question(other)) == ["new"]
    browser.put("b.jpg", other)
    assert browser.digests() == {"a.jpg": sha256(content), "b.jpg": sha256(other)}


def test_large_content_is_asked_for_by_its_ends_and_then_by_its_pieces(vault, seeded):
    browser = vault()
    content = seeded.randbytes(PIECE + 500_000)
    middle = content[:PIECE // 2] + b"another" + content[PIECE // 2 + 7 :]
    longer = seeded.randbytes(PIECE) + content[PIECE:]
    browser.put("large.mov", content)
    wait_until_verified(browser, content)
    assert check(browser, ends(content), ends(longer), tree(content), tree(middle), question(middle)) == [
        "maybe", "new", "known", "new", "new",
    ]  # fmt: skip


def test_its_pieces_tell_large_content_from_other_of_the_same_size_and_the_same_ends(vault, seeded):
    browser = vault()
    content = seeded.randbytes(2 * PIECE + 1)
    other = content[:-2] + bytes([content[-2] ^ 1]) + content[-1:]
    assert check(browser, tree(content), ends(content)) == ["new", "new"]
    browser.put("large.mov", content)
    wait_until_verified(browser, content)
    assert check(browser, tree(content), tree(other), ends(other), question(other)) == ["known", "new", "maybe", "new"]
    # Neither the digest of the whole nor one of another size is that of the pieces.
    wrong = [{"size": len(content), "tree": sha256(content)}, {**tree(content), "size": len(content) + 1}]
    assert check(browser, *wrong) == ["new", "new"]
    browser.put("other.mov", other)
    wait_until_verified(browser, other)
    assert check(browser, tree(content), tree(other)) == ["known", "known"]
    assert browser.digests() == {"large.mov": sha256(content), "other.mov": sha256(other)}


def test_what_lies_in_the_trash_or_in_another_vault_is_new(vault, seeded):
    browser = vault()
    content = seeded.randbytes(50_000)
    photo = browser.put("a.jpg", content)
    wait_until_verified(browser, content)
    stranger = Browser(browser.daemon).create(f"{OTHER_PASSWORD} of a stranger")
    assert check(stranger, question(content), ends(content)) == ["new", "new"]
    assert not stranger.put("mine.jpg", content).get("duplicate")
    browser.delete([photo])
    assert check(browser, question(content), ends(content)) == ["new", "new"]
    assert browser.put("b.jpg", content)["id"] != photo["id"]
    assert browser.names() == ["b.jpg"]
    assert [photo["name"] for photo in browser.trash()] == ["a.jpg"]


def test_questions_that_cannot_be_read_are_refused(vault):
    browser = vault()
    digest = "0" * 64
    assert check(browser) == []
    assert check(browser, *[{"size": 1, "sha256": digest}] * 200) == ["new"] * 200
    for body in [
        {}, [{}], [{"size": 1}], [{"sha256": digest}], [{"size": -1, "sha256": digest}], [{"size": 1, "sha256": "0"}],
        [{"size": 1, "sha256": digest[1:] + "g"}], [{"size": 1, "first": digest}], [{"size": 1, "last": digest}],
        [{"size": 1, "sha256": digest, "tree": digest}], [{"size": 1, "sha256": digest}] * 201, ["x"], None,
    ]:  # fmt: skip
        answer = browser.request("POST", "/api/uploads/check", json=body)
        assert (answer.status_code, code_of(answer)) == (400, "malformed-json"), body
    assert Browser(browser.daemon).request("POST", "/api/uploads/check", json=[]).status_code == 401


def test_fifty_at_once_of_the_same_photo_are_one_in_the_end(vault, seeded, counted):
    browser = vault()
    daemon, before = browser.daemon, len(browser.daemon.object_files())
    contents = [seeded.randbytes(20_000) for _ in range(counted(1, 500))]
    answered = []
    for content in contents:
        photos = []
        threads = [threading.Thread(target=put_or_create, args=(browser, n, content, photos)) for n in range(PARALLEL)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(photos) == PARALLEL
        for photo in set(photos):
            assert browser.content({"id": photo}) == content
        answered.append((photos, content))
    wait_until(lambda: len(browser.photos()) == len(contents), seconds=600)
    for photos, content in answered:
        kept = {browser.request("GET", f"/api/photos/{photo}").json()["id"] for photo in photos}
        assert len(kept) == 1
        assert browser.content({"id": photos[0]}) == content
    listed = {photo["sha256"]: photo["id"] for photo in browser.photos()}
    for content in contents:
        again = browser.put("again.jpg", content)
        assert (again["id"], again["duplicate"]) == (listed[sha256(content)], True)
    wait_until(lambda: len(daemon.object_files()) == before + len(contents))
    wait_until(lambda: daemon.open_files() < 200, "descriptors are kept")


def put_or_create(browser, number, content, photos):
    own = Browser(browser.daemon)
    own.http.cookies = browser.http.cookies.copy()
    if number % 2:
        photos.append(own.put(f"{number}.jpg", content)["id"])
        return
    tus = Tus(own)
    path = tus.create(len(content))
    tus.patch(path, 0, content[: number * 100])
    photos.append(tus.patch(path, number * 100, content[number * 100 :]).headers["Safelight-Photo"])
