"""A batch is done when every photo of it was read back from disk, and its receipt says what was found there."""

import pytest
from client import OTHER_PASSWORD, Browser, code_of, sha256, wait_until
from faults import flip_bit
from tus import Tus


class Batch:
    def __init__(self, browser):
        self.browser = browser
        answer = browser.request("POST", "/api/batches")
        assert answer.status_code == 201, answer.text
        self.id = answer.json()["id"]

    def status(self):
        answer = self.browser.request("GET", f"/api/batches/{self.id}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def finish(self):
        answer = self.browser.request("POST", f"/api/batches/{self.id}/finish")
        assert answer.status_code == 202, answer.text
        return answer.json()

    def wait_until_done(self):
        wait_until(lambda: self.status()["done"])
        return self.status()


@pytest.fixture
def batch(vault):
    return Batch(vault())


def counts(status):
    return {key: status[key] for key in ("total", "saved", "duplicates", "failed", "verified")}


def line(name, content):
    return {"name": name, "size": len(content), "sha256": sha256(content)}


def test_the_receipt_comes_when_every_photo_was_read_back(batch, seeded):
    contents = {f"{number}.jpg": seeded.randbytes(20_000 + number) for number in range(8)}
    tus = Tus(batch.browser)
    for name, content in contents.items():
        path = tus.create(len(content), name=name, batch=batch.id)
        tus.patch(path, 0, content)
    before = batch.status()
    assert (before["total"], before["finished"], before["done"], "receipt" in before) == (8, False, False, False)
    assert batch.finish()["finished"]
    done = batch.wait_until_done()
    assert counts(done) == {"total": 8, "saved": 8, "duplicates": 0, "failed": 0, "verified": 8}
    assert done["receipt"] == [line(name, content) for name, content in contents.items()]


def test_uploads_of_every_kind_can_name_their_batch(batch, seeded):
    browser, tus = batch.browser, Tus(batch.browser)
    contents = [seeded.randbytes(1000 + number) for number in range(4)]
    browser.put("put.jpg", contents[0], params={"batch": batch.id})
    assert browser.request("POST", "/api/photos", params={"batch": batch.id, "name": "raw.jpg"}, data=contents[1]).ok
    files = {"photos": ("form.jpg", contents[2])}
    assert browser.request("POST", "/api/photos", params={"batch": batch.id}, files=files).status_code == 201
    assert tus.request(
        "POST", f"/api/uploads?batch={batch.id}", {"Upload-Length": "1003", "Upload-Metadata": "filename dHVzLmpwZw=="}
    ).status_code == 201  # fmt: skip
    assert counts(batch.status())["total"] == 4
    batch.finish()
    done = batch.wait_until_done()
    # What is not there when the client says that nothing more comes has failed.
    assert counts(done) == {"total": 4, "saved": 3, "duplicates": 0, "failed": 1, "verified": 3}
    names = ["put.jpg", "raw.jpg", "form.jpg"]
    assert done["receipt"] == [line(name, content) for name, content in zip(names, contents)]


def test_duplicates_are_counted_as_such(batch, seeded):
    content = seeded.randbytes(50_000)
    batch.browser.put("known.jpg", content)
    first = Batch(batch.browser)
    first.finish()
    wait_until(lambda: batch.browser.photos()[0].get("sha256"))
    tus = Tus(batch.browser)
    tus.create(len(content), name="again.jpg", body=content, batch=batch.id)
    tus.create(10, name="new.jpg", body=b"0123456789", batch=batch.id)
    batch.finish()
    done = batch.wait_until_done()
    assert counts(done) == {"total": 2, "saved": 1, "duplicates": 1, "failed": 0, "verified": 2}
    assert first.wait_until_done()["receipt"] == []


def test_a_batch_goes_on_after_lock_and_restart(batch, daemon, seeded):
    contents = {f"{number}.jpg": seeded.randbytes(300_000) for number in range(4)}
    tus = Tus(batch.browser)
    for name, content in list(contents.items())[:2]:
        tus.create(len(content), name=name, body=content, batch=batch.id)
    daemon.restart()
    assert batch.browser.request("GET", f"/api/batches/{batch.id}").status_code == 401
    batch.browser.open()
    for name, content in list(contents.items())[2:]:
        tus.create(len(content), name=name, body=content, batch=batch.id)
    batch.finish()
    batch.browser.lock()
    daemon.kill9()
    daemon.start()
    batch.browser.open()
    done = batch.wait_until_done()
    assert counts(done) == {"total": 4, "saved": 4, "duplicates": 0, "failed": 0, "verified": 4}
    assert done["receipt"] == [line(name, content) for name, content in contents.items()]


def test_a_photo_that_changed_on_disk_is_named_and_never_on_a_receipt(batch, daemon, seeded):
    tus = Tus(batch.browser)
    content = seeded.randbytes(100_000)
    tus.create(len(content), name="whole.jpg", body=content, batch=batch.id)
    wait_until(lambda: batch.status()["verified"] == 1)
    before = set(daemon.object_files())
    path = tus.create(200_000, name="hurt.jpg", batch=batch.id)
    tus.patch(path, 0, content)
    # Unfinished, so nothing has read it yet.
    (hurt,) = set(daemon.object_files()) - before
    flip_bit(hurt, 50_000)
    tus.patch(path, 100_000, content)
    batch.finish()
    done = batch.wait_until_done()
    assert counts(done) == {"total": 2, "saved": 2, "duplicates": 0, "failed": 1, "verified": 1}
    assert done["receipt"] == [line("whole.jpg", content)]
    assert {photo["name"]: photo.get("damaged", False) for photo in batch.browser.photos()} == {
        "whole.jpg": False, "hurt.jpg": True,
    }  # fmt: skip
    assert "hurt.jpg" in batch.browser.request("GET", "/api/session").json()["damage"]["unreadable"]


def test_batches_of_nobody_and_of_another_vault_are_not_there(batch):
    daemon = batch.browser.daemon
    stranger = Browser(daemon).create(f"{OTHER_PASSWORD} without batches")
    for browser, name in [(stranger, batch.id), (batch.browser, "x"), (batch.browser, "A" * 22)]:
        for method, path in [("GET", f"/api/batches/{name}"), ("POST", f"/api/batches/{name}/finish")]:
            answer = browser.request(method, path)
            assert (answer.status_code, code_of(answer)) == (404, "no-such-batch")
        answer = Tus(browser).try_create(10, batch=name)
        assert (answer.status_code, code_of(answer)) == (404, "no-such-batch")
    assert Browser(daemon).request("POST", "/api/batches").status_code == 401
