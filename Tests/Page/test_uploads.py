"""Files on their way into a vault: progress, order, failures, locks in the middle."""

import csv
import hashlib
import io
from pathlib import Path

from playwright.sync_api import expect
from visitor import UPLOADS, Gate, answer, create_in, file, sent_name, until

WIDE = {"width": 1440, "height": 900}
SMALL = b"\xff\xd8\xff\xe0 not much of a photo"


def photo(name):
    """A small file whose bytes no other name has, so that it is nobody's duplicate."""
    return file(name, SMALL + name.encode())


def test_every_real_photo_arrives_byte_for_byte(visitor, photos):
    visitor.create()
    visitor.add(*photos)
    wanted = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in photos}
    request = visitor.context.request
    listed = request.get(f"{visitor.url}/api/photos").json()["photos"]
    stored = {photo["name"]: request.get(f"{visitor.url}/api/photos/{photo['id']}/original").body() for photo in listed}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in stored.items()} == wanted


def test_the_download_button_gives_the_file_under_its_name(visitor, photos):
    # Chromium takes at most ten downloads of a page in one burst.
    some = photos[::12]
    visitor.create().put(*some)
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(visitor.cells()).to_have_count(len(some))
    visitor.cells().first.click()
    viewer = visitor.page.get_by_role("dialog")
    received = {}
    for number in range(1, len(some) + 1):
        expect(viewer.get_by_text(f"{number} of {len(some)}")).to_be_visible()
        with visitor.page.expect_download() as download:
            viewer.get_by_role("button", name="Download").click()
        received[download.value.suggested_filename] = Path(download.value.path()).read_bytes()
        visitor.page.keyboard.press("ArrowRight")
    assert received == {path.name: path.read_bytes() for path in some}


def test_many_files_stay_a_few_elements_and_are_sent_once_each(visitor, counted):
    count = counted(200, 1000)
    sent = []
    visitor.page.on("request", lambda request: sent.append(sent_name(request)) if sent_name(request) else None)
    visitor.create()
    visitor.choose(*[photo(f"{index:04}.jpg") for index in range(count)])
    sizes = []

    def is_over():
        sizes.append(visitor.page.evaluate("document.querySelectorAll('*').length"))
        return visitor.title_of_upload().text_content() == f"{count:,} saved"

    # Each look at all elements takes as long as several files.
    until(visitor.page, is_over, seconds=600, pause=250)
    assert max(sizes) <= 1500
    assert len(sent) == len(set(sent)) == count


def test_a_receipt_of_all_that_was_read_back_can_be_kept(visitor):
    names = ["plain.jpg", 'with "quotes", and commas.jpg', "水.jpg"]
    visitor.create()
    # What is sent again goes with another batch; the receipt is of both.
    answer(visitor.page, UPLOADS, 409, "conflict", named="水")
    visitor.choose(*[photo(name) for name in names])
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    visitor.page.unroute(UPLOADS)
    visitor.page.locator(".up-open").click()
    visitor.page.get_by_role("button", name="Try again").click()
    # Until then there may be the receipt of the first two.
    expect(visitor.title_of_upload()).to_have_text("3 saved")
    with visitor.page.expect_download() as download:
        visitor.page.locator(".panel").get_by_role("button", name="Receipt").click()
    assert download.value.suggested_filename.endswith(".csv")
    text = Path(download.value.path()).read_bytes().decode("utf-8-sig")
    heads, *rows = csv.reader(io.StringIO(text, newline=""))
    assert heads == ["Name", "Size in bytes", "SHA-256"]
    digests = {name: hashlib.sha256(SMALL + name.encode()).hexdigest() for name in names}
    assert sorted(rows) == sorted([name, str(len(SMALL + name.encode())), digests[name]] for name in names)


def test_progress_is_seen_and_nothing_is_called_saved_before_the_host_has_answered(visit):
    visitor = visit(viewport=WIDE).create()
    gate = Gate(visitor.page, UPLOADS, named="IMG")
    name = "IMG_20250811_183015.heif"
    visitor.choose(file("first.jpg", SMALL), file(name, SMALL * 2))
    expect(visitor.title_of_upload()).to_have_text("1 of 2")
    expect(visitor.page.get_by_text("Uploading now")).to_be_visible()
    row = visitor.page.get_by_role("listitem").filter(has_text="183015")
    expect(row.get_by_role("progressbar")).to_be_visible()
    expect(row).not_to_contain_text("Saved")
    # Of a small file, a percentage would never move.
    expect(row).not_to_contain_text("%")
    expect(visitor.page.get_by_role("progressbar", name="Upload")).to_have_attribute("value", "33")
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    saved = visitor.page.locator(".up").filter(has_text="183015")
    expect(saved).to_contain_text("Saved")
    # Its name is read whole.
    assert saved.locator(".file-name").evaluate(
        "(name) => [...name.children].every((part) => part.scrollWidth <= part.clientWidth + 1)")


def test_what_failed_is_one_message_for_each_cause_to_be_left_out_or_tried_again(visit):
    visitor = visit(viewport=WIDE).create()
    answer(visitor.page, UPLOADS, 413, "file-too-large", named="bad")
    visitor.choose(photo("good.jpg"), photo("bad 1.jpg"), photo("bad 2.jpg"))
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    expect(visitor.page.get_by_text("Larger than this Safelight allows.")).to_have_count(1)
    expect(visitor.page.get_by_role("button", name="again")).to_have_count(0)
    visitor.page.get_by_role("button", name="Skip 2").click()
    expect(visitor.page.get_by_role("heading", name="Needs attention")).to_have_count(0)
    visitor.page.unroute(UPLOADS)
    answer(visitor.page, UPLOADS, 409, "conflict", named="late")
    visitor.choose(photo("better.jpg"), photo("late 1.jpg"), photo("late 2.jpg"))
    retry = visitor.page.get_by_role("button", name="Try 2 again")
    expect(retry).to_be_visible()
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    visitor.page.unroute(UPLOADS)
    retry.click()
    expect(visitor.title_of_upload()).to_have_text("3 saved")


def test_an_error_is_tried_again_by_itself_and_a_refusal_of_every_file_stops_the_queue_with_one_message(visit):
    visitor = visit(viewport=WIDE).create()
    failed = []

    def fail_once(route):
        failed.append(route)
        route.fulfill(status=500, content_type="application/problem+json", json={"code": "internal-failure"})

    answer(visitor.page, UPLOADS, 507, "disk-full")
    visitor.page.route(UPLOADS, fail_once, times=1)
    visitor.choose(*[photo(f"{index}.jpg") for index in range(12)])
    expect(visitor.page.get_by_text("Safelight’s disk is full.")).to_have_count(1)
    expect(visitor.page.get_by_role("heading", name="Needs attention")).to_have_count(0)
    visitor.page.unroute(UPLOADS)
    visitor.page.get_by_role("button", name="Try again").click()
    expect(visitor.title_of_upload()).to_have_text("12 saved")
    assert len(failed) == 1


def test_whoever_tries_again_what_failed_starts_what_a_full_disk_had_stopped_too(visit):
    visitor = visit(viewport=WIDE).create()
    answer(visitor.page, UPLOADS, 409, "conflict")
    visitor.choose(photo("failed 1.jpg"), photo("failed 2.jpg"))
    retry = visitor.page.get_by_role("button", name="Try 2 again")
    expect(retry).to_be_visible()
    visitor.page.unroute(UPLOADS)
    answer(visitor.page, UPLOADS, 507, "disk-full")
    visitor.choose(photo("stopped.jpg"))
    expect(visitor.page.get_by_text("Safelight’s disk is full.")).to_have_count(1)
    visitor.page.unroute(UPLOADS)
    retry.click()
    expect(visitor.title_of_upload()).to_have_text("3 saved")


def test_files_wait_for_the_password_after_a_lock_in_the_middle_or_are_forgotten_at_the_door(visitor):
    visitor.create()
    answer(visitor.page, UPLOADS, 401, "session-ended")
    visitor.choose(*[photo(f"secret name {index}.jpg") for index in range(5)])
    expect(visitor.page.get_by_role("heading", name="The vault is locked")).to_be_visible()
    expect(visitor.page.get_by_text("5 files are waiting.")).to_be_visible()
    assert "secret name" not in visitor.page.content()
    visitor.page.unroute(UPLOADS)
    visitor.open()
    expect(visitor.title_of_upload()).to_have_text("5 saved")
    answer(visitor.page, UPLOADS, 401, "session-ended")
    visitor.choose(photo("one.jpg"))
    visitor.page.get_by_role("button", name="Discard these files").click()
    expect(visitor.page.get_by_text("1 file is waiting.")).to_have_count(0)
    visitor.page.unroute(UPLOADS)
    visitor.open()
    visitor.expect_photos(5)


def test_a_lost_network_is_said_once_and_the_upload_goes_on(visitor):
    visitor.create()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    visitor.context.set_offline(True)
    visitor.choose(*[photo(f"{index}.jpg") for index in range(4)])
    expect(visitor.page.get_by_text("Can’t reach Safelight.").first).to_be_visible()
    visitor.context.set_offline(False)
    expect(visitor.title_of_upload()).to_have_text("4 saved")
    expect(visitor.page.locator(".offline")).to_have_count(0)


def test_a_pause_sends_nothing_new(visit):
    visitor = visit(viewport=WIDE).create()
    held = []
    visitor.page.route(UPLOADS, lambda route: held.append(route))
    visitor.choose(*[photo(f"{index}.jpg") for index in range(8)])
    until(visitor.page, lambda: len(held) == 3)
    visitor.page.get_by_role("button", name="Pause").click()
    for route in list(held):
        route.continue_()
    expect(visitor.title_of_upload()).to_have_text("3 of 8")
    assert len(held) == 3
    visitor.page.unroute(UPLOADS)
    visitor.page.get_by_role("button", name="Resume").click()
    expect(visitor.title_of_upload()).to_have_text("8 saved")


def test_cancelling_asks_first_keeps_what_is_saved_and_sends_no_more(visit):
    visitor = visit(viewport=WIDE).create()
    gate = Gate(visitor.page, UPLOADS, named="slow")
    visitor.choose(photo("quick.jpg"), *[file(f"slow {index}.jpg", SMALL * 2) for index in range(5)])
    expect(visitor.title_of_upload()).to_have_text("1 of 6")
    cancel = visitor.page.get_by_role("button", name="Cancel remaining")
    cancel.click()
    expect(visitor.dialog()).to_contain_text("Stop uploading? 5 files are not saved yet.")
    expect(visitor.dialog().get_by_role("button", name="Keep uploading")).to_be_focused()
    visitor.page.keyboard.press("Escape")
    expect(visitor.dialog()).to_have_count(0)
    until(visitor.page, lambda: len(gate.waiting) == 3)
    expect(visitor.title_of_upload()).to_have_text("1 of 6")
    cancel.click()
    visitor.dialog().get_by_role("button", name="Stop").click()
    expect(visitor.title_of_upload()).to_have_text("1 saved")


def test_what_the_vault_has_already_is_shown_once_and_in_its_old_place(visitor):
    visitor.create()
    request = visitor.context.request
    headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "image/jpeg"}
    sent = request.put(f"{visitor.url}/api/photos/elsewhere.jpg", data=SMALL, headers=headers)
    assert sent.status == 201, sent.text()
    # Only what was read back from disk is known to be there.
    visitor.wait_until_read_back()
    visitor.add(photo("mine.jpg"))
    expect(visitor.cell("mine.jpg")).to_be_visible()
    visitor.choose(file("copy of elsewhere.jpg", SMALL))
    expect(visitor.title_of_upload()).to_have_text("1 already here")
    visitor.page.get_by_role("button", name="Show as a list").click()
    expect(visitor.page.locator(".cell .file-name")).to_have_text(["mine.jpg", "elsewhere.jpg"])


def test_dropped_and_pasted_files_are_added(visitor):
    visitor.create()
    for kind, name in (("drop", "dropped.jpg"), ("paste", "pasted.jpg")):
        visitor.page.evaluate(
            """([kind, name]) => {
                const data = new DataTransfer();
                data.items.add(new File([name], name, { type: "image/jpeg" }));
                const options = { bubbles: true, cancelable: true };
                window.dispatchEvent(kind === "drop" ? new DragEvent("drop", { ...options, dataTransfer: data })
                    : new ClipboardEvent("paste", { ...options, clipboardData: data }));
            }""",
            [kind, name],
        )
        expect(visitor.cell(name)).to_be_visible()


def in_folder(folder, count):
    """Fills a folder with folders, one of them with so many files. Gives name → bytes."""
    names = ["top.jpg", "a/b/nested.jpg", *[f"a/many/{index:03}.jpg" for index in range(count)]]
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(SMALL + name.encode())
    (folder / "a/empty").mkdir()
    for name in (".DS_Store", "a/Thumbs.db"):
        (folder / name).write_bytes(b"of the system")
    return {Path(name).name: SMALL + name.encode() for name in names}


def drop(visitor, *paths):
    """Drags files and folders over the page, as a person does, and lets them fall."""
    devtools = visitor.context.new_cdp_session(visitor.page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver"):
        devtools.send("Input.dispatchDragEvent", {"type": kind, "x": 200, "y": 400, "data": data})
    expect(visitor.page.get_by_text("Drop to add to this vault")).to_be_visible()
    devtools.send("Input.dispatchDragEvent", {"type": "drop", "x": 200, "y": 400, "data": data})


# Nothing on disk is closed to root, which these tests may run as.
CLOSED = """() => {
    const error = new DOMException("closed", "NotReadableError");
    const { webkitGetAsEntry } = DataTransferItem.prototype;
    DataTransferItem.prototype.webkitGetAsEntry = function () {
        const entry = webkitGetAsEntry.call(this);
        if (entry.name === "closed.jpg") entry.file = (done, failed) => failed(error);
        if (entry.name === "closed") entry.createReader = () => ({ readEntries: (done, failed) => failed(error) });
        return entry;
    };
}"""


def test_folders_are_dropped_with_all_that_is_in_them_and_what_cannot_be_read_is_named(visitor, tmp_path):
    visitor.create().page.evaluate(CLOSED)
    # More than a browser hands out at once.
    files = in_folder(tmp_path / "holidays", 120)
    folder, closed, beside = (tmp_path / name for name in ("closed", "closed.jpg", "beside.jpg"))
    folder.mkdir()
    for path in (closed, beside):
        path.write_bytes(SMALL)
    drop(visitor, tmp_path / "holidays", folder, closed, beside)
    expect(visitor.title_of_upload()).to_have_text("123 saved")
    expect(visitor.result("2 files or folders couldn’t be read and weren’t added")).to_be_visible()
    expect(visitor.page.locator(".results .note").filter(has_text="closed")).to_have_text(["/closed", "/closed.jpg"])
    listed = visitor.context.request.get(f"{visitor.url}/api/photos").json()["photos"]
    assert sorted(photo["name"] for photo in listed) == sorted([*files, "beside.jpg"])


def test_a_chosen_folder_is_added_with_all_that_is_in_it(visitor, tmp_path):
    visitor.create()
    files = in_folder(tmp_path / "holidays", 6)
    visitor.page.locator("#add-folder").set_input_files(tmp_path / "holidays")
    expect(visitor.title_of_upload()).to_have_text("8 saved")
    assert visitor.originals() == files


def test_odd_names_come_back_as_they_were_and_are_only_text_and_an_empty_file_is_saved(visitor):
    names = {
        "<img src=x onerror=alert(1)>.jpg", "回忆 “二〇二六”.jpg", "..%2F..%2Fetc.jpg", "a?b#c&d=e.jpg", "\u202egpj.exe.jpg",
        "照" * 80 + ".jpg",
    }  # fmt: skip
    visitor.create()
    visitor.add(*map(photo, names), file("empty.jpg", b""))
    visitor.page.get_by_role("button", name="Show as a list").click()
    shown = visitor.page.locator(".cell .file-name")
    expect(shown).to_have_count(len(names) + 1)
    until(visitor.page, lambda: set(shown.all_text_contents()) == names | {"empty.jpg"})
    expect(visitor.page.locator("img[src=x]")).to_have_count(0)


def test_the_plain_form_puts_photos_into_the_vault(visit, lent_host, chromium):
    visitor = visit().create()
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(lent_host.url)
    page.locator("input[name=password]").fill("paper lantern over water")
    page.locator("input[name=photos]").set_input_files([photo("plain.jpg")])
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.locator("form button").click()
    context.close()
    expect(visitor.cell("plain.jpg")).to_be_visible()


def test_what_is_dropped_while_the_vault_is_being_locked_waits_at_the_door(visitor):
    visitor.create()
    visitor.page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["late"], "late.jpg", { type: "image/jpeg" }));
        window.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
        [...document.querySelectorAll("button")].find((one) => one.textContent === "Lock").click();
    }""")
    expect(visitor.page.get_by_role("heading", name="You locked the vault")).to_be_visible()
    expect(visitor.page.get_by_text("1 file is waiting.")).to_be_visible()
    visitor.open()
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert set(visitor.originals()) == {"late.jpg"}


def test_what_is_dropped_while_another_place_is_opened_goes_there_only_if_somebody_says_so(visitor):
    visitor.start_without_password()
    # It is read from the disk for as long as somebody opens a vault.
    visitor.page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["late"], "late.jpg", { type: "image/jpeg" }));
        const entry = { name: "late.jpg", isFile: true, fullPath: "/late.jpg",
            file: (resolve) => { window.finish = () => resolve(data.files[0]); } };
        const event = new DragEvent("drop", { bubbles: true, cancelable: true });
        Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], items: [{ webkitGetAsEntry: () => entry }] } });
        window.dispatchEvent(event);
    }""")
    create_in(visitor.to_vault())
    expect(visitor.page.get_by_role("button", name="Lock", exact=True)).to_be_visible()
    visitor.page.evaluate("window.finish()")
    expect(visitor.dialog().get_by_role("heading", name="1 file is waiting.")).to_be_visible()
    visitor.dialog().get_by_role("button", name="Add them").click()
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert set(visitor.originals()) == {"late.jpg"}
