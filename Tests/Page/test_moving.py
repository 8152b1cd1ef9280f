"""Moving in: the sheet that says how, with the command of this host, and what the last import proved."""

import zipfile

from playwright.sync_api import expect
from visitor import PASSWORD, offer, settings


def open_sheet(visitor):
    page = settings(visitor)
    expect(offer(page, "Move in", "How").locator(".moving")).to_be_visible()
    return page


def bring(daemon, *sources, password=PASSWORD):
    words = ["import", "--data", str(daemon.data), *map(str, sources)]
    done = daemon.run(*words, input=password.encode() + b"\n", timeout=120)
    return done.returncode


def test_the_ways_to_copy_stand_below_each_other_beside_their_names(visitor):
    page = open_sheet(visitor.create())
    for width in (390, 195):
        page.set_viewport_size({"width": width, "height": 844})
        edges = {round(box["x"] + box["width"]) for box in (one.bounding_box() for one in page.locator(".moving button").all())}
        assert len(edges) == 1
        for line in page.locator(".moving > li").all():
            assert line.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


def test_what_an_import_brings_appears_in_an_open_page_and_the_sheet_shows_its_proof(daemon, visitor, photos, tmp_path):
    page = open_sheet(visitor.create())
    commands = page.locator("dialog .moving code").all_inner_texts()
    assert len(commands) == 4 and all(f" import --data {daemon.data} " in command for command in commands)
    expect(page.locator("dialog .notice")).to_have_count(0)
    page.keyboard.press("Escape")
    page.goto(f"{visitor.url}/#/photos")
    archive = tmp_path / "takeout-1.zip"
    jpegs = [path for path in photos if path.suffix == ".jpg"][:5]
    with zipfile.ZipFile(archive, "w") as file:
        for path in jpegs:
            file.write(path, f"Takeout/Google Photos/Photos from 2019/{path.name}")
        file.writestr("Takeout/archive_browser.html", "<html>")
        file.writestr("Takeout/words.txt", "words")
    assert bring(daemon, archive) == 0
    # As from another device: nobody reloads.
    expect(page.locator(".cell")).to_have_count(len(jpegs))
    page = open_sheet(visitor)
    proof = page.locator("dialog .notice")
    expect(proof).to_contain_text("7 files, and what became of them:")
    expect(proof).to_contain_text("5 stored, read back, and the same")
    expect(proof).to_contain_text("1 describes photos")
    expect(proof).to_contain_text("1 isn’t a photo")
    expect(proof).to_contain_text("Every photo is in this vault.")


def test_an_import_that_proves_less_says_not_to_delete_and_other_vaults_see_nothing_of_it(daemon, visit, photos, tmp_path):
    visitor = visit().create()
    cut = tmp_path / "cut.zip"
    with zipfile.ZipFile(cut, "w") as file:
        file.write(photos[0], photos[0].name)
    cut.write_bytes(cut.read_bytes()[:-30])
    assert bring(daemon, cut) == 1
    page = open_sheet(visitor)
    expect(page.locator("dialog .notice")).to_contain_text("Don’t delete anything there yet")
    expect(open_sheet(visit().create("another tram eight")).locator("dialog .notice")).to_have_count(0)
