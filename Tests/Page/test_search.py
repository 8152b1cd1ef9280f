"""What is looked for is found, understood in words that can be taken off, and is shown as all photos are."""

import re
import subprocess

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from screens import lines_of
from seeding import picture, video
from visitor import SAME_ORIGIN, Gate, file, hold_toast, until


@pytest.fixture
def mixed(visit, photos):
    """mixed(**context options) → a vault with the four photos of one camera, two pictures and a video, looked into."""

    def make(**options):
        visitor = visit(**options).create()
        visitor.put(file("receipt garden.png", picture(1), "image/png"), file("收据 五月.png", picture(2), "image/png"),
                    file("clip.webm", video(1), "video/webm"), *[file(path.name, path.read_bytes()) for path in photos if "/gps/" in str(path)])  # fmt: skip
        visitor.wait_until_looked_into()
        visitor.reload()
        expect(visitor.cells()).to_have_count(7)
        return visitor

    return make


def search(visitor, words):
    field = visitor.page.get_by_role("searchbox", name="Search photos")
    field.fill(words)
    field.press("Enter")


def found(visitor, count):
    expect(visitor.page.get_by_role("status").get_by_text(f"{count} found")).to_be_visible()
    expect(visitor.cells()).to_have_count(count)


def chips(visitor):
    return visitor.page.get_by_role("list", name="Understood as").get_by_role("button")


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_key_leads_to_the_field_and_words_to_photos_and_after_a_lock_nothing_of_them_is_left(request, mixed, engine):
    visitor = mixed(browser=request.getfixturevalue(engine))
    page = visitor.page
    page.keyboard.press("/")
    expect(page.get_by_role("heading", name="Search", level=1)).to_be_visible()
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("garden")
    found(visitor, 1)
    expect(visitor.cell("receipt garden.png")).to_be_visible()
    # Chinese has no spaces: a part of what stands there is enough.
    search(visitor, "收据")
    found(visitor, 1)
    search(visitor, "nothing of this kind")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    expect(page.get_by_text("Try fewer words")).to_be_visible()
    search(visitor, "Lisbon")
    expect(page.get_by_text("Try another word")).to_be_visible()
    # Names are only text in chips.
    search(visitor, "<b>x</b>")
    expect(chips(visitor).first).to_contain_text("x")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    assert page.locator(".chips b").count() == 0
    # Neither the address nor the title tells what was looked for: browsers write both down.
    assert page.evaluate("[location.hash, document.title]") == ["#/search", "Search · Safelight"]
    search(visitor, "garden")
    found(visitor, 1)
    visitor.lock()
    assert "garden" not in page.content()
    stored = page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])")
    assert "garden" not in stored


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_who_looks_for_something_anew_finds_an_empty_field_and_who_goes_back_the_results(request, mixed, engine):
    visitor = mixed(browser=request.getfixturevalue(engine))
    page = visitor.page
    page.get_by_role("link", name="Search").click()
    search(visitor, "garden")
    found(visitor, 1)
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(visitor.cells()).to_have_count(7)
    page.get_by_role("link", name="Search").click()
    field = page.get_by_role("searchbox")
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    expect(page.get_by_role("link", name="Near duplicates")).to_be_visible()
    page.keyboard.type("clip")
    found(visitor, 1)
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(visitor.cells()).to_have_count(7)
    page.go_back()
    expect(field).to_have_value("clip")
    found(visitor, 1)


def test_nothing_is_said_to_be_found_before_the_answer_is_here_and_a_part_of_what_was_understood_is_taken_off(mixed):
    visitor = mixed()
    page = visitor.page
    page.get_by_role("link", name="Search").click()
    expect(page.get_by_role("searchbox", name="Search photos")).to_be_focused()
    page.evaluate("""() => {
        window.said = [];
        const status = document.querySelector(".search [role=status]");
        new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true, characterData: true, subtree: true });
    }""")
    gate = Gate(page, "**/api/search/timeline?*")
    search(visitor, "garden")
    until(page, lambda: len(gate.waiting) == 1)
    expect(chips(visitor)).to_have_count(1)
    gate.open()
    found(visitor, 1)
    search(visitor, "clip")
    expect(visitor.cell(re.compile("clip.webm"))).to_be_visible()
    found(visitor, 1)
    assert [words for words in page.evaluate("window.said") if words] == ["1 found", "1 found"]
    search(visitor, "October 2008 video")
    expect(chips(visitor)).to_have_count(2)
    expect(chips(visitor).filter(has_text="October 2008")).to_be_visible()
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.get_by_role("button", name="Remove: Videos").click()
    expect(chips(visitor)).to_have_count(1)
    expect(page.get_by_role("searchbox")).to_have_value(re.compile("^October 2008$", re.IGNORECASE))
    expect(visitor.cells().first).to_be_visible()
    page.get_by_role("button", name="Remove: October 2008").click()
    # Without a question there is nothing to find, and it is said what could be asked.
    expect(page.get_by_role("button", name="last summer")).to_be_visible()
    page.get_by_role("button", name="video", exact=True).click()
    found(visitor, 1)


def test_results_are_opened_chosen_as_a_whole_and_deleted(mixed):
    visitor = mixed()
    page = visitor.page
    page.get_by_role("link", name="Search").click()
    search(visitor, "png")
    found(visitor, 2)
    visitor.cells().first.click()
    expect(visitor.dialog().get_by_text("1 of 2")).to_be_visible()
    visitor.close_viewer()
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    expect(page.locator(".picked")).to_have_text("2 selected")
    page.get_by_role("toolbar").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 2").click()
    hold_toast(page)
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    found(visitor, 2)
    # Who goes and comes back finds what was found.
    page.get_by_role("link", name="Settings").click()
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("png")
    found(visitor, 2)


def drawn(path, source, *filters):
    """A JPEG of 640 by 480 pixels that looks like no other of another source."""
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"{source}=size=640x480:rate=1", "-frames:v", "1"]
    subprocess.run([*command, *(["-vf", ",".join(filters)] if filters else []), "-q:v", "3", str(path)], check=True)
    return path


@pytest.fixture
def twins(visit, tmp_path):
    """A vault with one picture in two sizes, another in two, and one alone."""
    visitor = visit(viewport={"width": 1200, "height": 900}).create()
    visitor.put(drawn(tmp_path / "bars.jpg", "smptebars"), drawn(tmp_path / "bars small.jpg", "smptebars", "scale=320:240"),
                drawn(tmp_path / "test.jpg", "testsrc2"), drawn(tmp_path / "test small.jpg", "testsrc2", "scale=320:240"),
                drawn(tmp_path / "mandel.jpg", "mandelbrot"))  # fmt: skip
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(visitor.cells()).to_have_count(5)
    return visitor


def test_the_best_of_each_group_stays_nothing_goes_without_a_tap_and_what_is_different_is_not_shown_again(twins):
    page = twins.page
    page.get_by_role("link", name="Settings").click()
    page.locator(".set-row", has=page.get_by_text("Near duplicates")).get_by_role("link", name="Review").click()
    groups = page.get_by_role("list", name="Group of 2")
    expect(groups).to_have_count(2)
    # The larger one is the best, and is not picked; the smaller one is.
    for group in groups.all():
        best, other = group.get_by_role("button").all()
        expect(best).to_have_accessible_name(re.compile("Delete the best"))
        expect(best).to_have_attribute("aria-pressed", "false")
        expect(best).to_contain_text("640 × 480")
        expect(other).to_have_attribute("aria-pressed", "true")
        expect(other).to_contain_text("320 × 240")
    expect(page.get_by_text("2 selected")).to_be_visible()
    groups.first.get_by_role("button").nth(1).click()
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.get_by_role("button", name="Delete 1").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete 1").click()
    hold_toast(page)
    expect(groups).to_have_count(1)
    until(page, lambda: len(names(twins)) == 4)
    assert sum("small" in name for name in names(twins)) == 1
    page.get_by_role("button", name="Undo").click()
    expect(groups).to_have_count(2)
    until(page, lambda: len(names(twins)) == 5)
    page.get_by_role("button", name="Keep both").first.click()
    hold_toast(page)
    expect(groups).to_have_count(1)
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(groups).to_have_count(2)
    # What differs is marked, and one key keeps both.
    until(page, lambda: "320 × 240" in groups.first.locator("mark").all_inner_texts())
    page.keyboard.press("k")
    expect(groups).to_have_count(1)
    page.reload()
    expect(groups).to_have_count(1)
    assert len(names(twins)) == 5
    # A Chinese date below a picture ends a line between its parts.
    date = page.locator(".twin-facts > .small").nth(3)
    assert "凌晨12:37" in lines_of(date, "2026年11月28日 凌晨12:37")[-1]


def test_where_pictures_that_look_alike_differ_is_marked_in_both(visit, tmp_path):
    visitor = visit(viewport={"width": 1200, "height": 900}).create()
    box = "drawbox=x=300:y=300:w=60:h=45:color=white:t=fill"
    visitor.put(drawn(tmp_path / "test.jpg", "testsrc2"), drawn(tmp_path / "box.jpg", "testsrc2", box),
                drawn(tmp_path / "bars.jpg", "smptebars"), drawn(tmp_path / "bars small.jpg", "smptebars", "scale=320:240"))  # fmt: skip
    visitor.wait_until_looked_into()
    page = visitor.page
    page.goto(f"{visitor.url}/#/duplicates")
    page.locator("img.is-large").last.scroll_into_view_if_needed()
    expect(page.locator("img.is-large.is-here")).to_have_count(4)
    faces = page.locator(".face", has=page.locator(".differs"))
    expect(faces).to_have_count(2)
    # The box lies in the middle, a little below.
    x, y = faces.first.evaluate("""(face) => {
        const [box, mark] = [face, face.querySelector(".differs")].map((one) => one.getBoundingClientRect());
        return [(mark.x - box.x) / box.width, (mark.y - box.y) / box.height];
    }""")
    assert 0.4 < x < 0.48 and 0.55 < y < 0.63


def names(visitor):
    return [photo["name"] for photo in visitor.context.request.get(f"{visitor.url}/api/photos").json()["photos"]]


def test_back_from_what_is_alike_leads_to_the_photo_and_from_near_duplicates_to_the_search(twins):
    page = twins.page
    photos = page.request.get(f"{twins.url}/api/photos").json()["photos"]
    ids = {photo["name"]: photo["id"] for photo in photos}
    page.request.post(f"{twins.url}/api/photos/favourite", data={"ids": [ids["bars small.jpg"]], "on": True}, headers=SAME_ORIGIN)
    page.get_by_role("link", name="Search").click()
    search(twins, "bars")
    found(twins, 2)
    twins.cell(re.compile("bars.jpg")).click()
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Similar photos").click()
    expect(page.get_by_role("heading", name="Similar photos", level=1)).to_be_visible()
    expect(twins.cell(re.compile("bars small.jpg"))).to_be_visible()
    expect(twins.cell(re.compile("mandel.jpg"))).to_have_count(0)
    page.get_by_role("link", name="Back", exact=True).click()
    expect(page.locator("dialog.viewer figure[data-shown] .frame > img")).to_have_attribute("alt", "bars.jpg")
    twins.close_viewer()
    found(twins, 2)
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("link", name="Near duplicates").click()
    expect(page.get_by_role("list", name="Group of 2")).to_have_count(2)
    # What has a heart is not proposed to go.
    expect(page.get_by_text("1 selected")).to_be_visible()
    expect(page.locator(".twin-tile", has=page.locator(".twin-heart"))).to_have_attribute("aria-pressed", "false")
    page.get_by_role("link", name="Back", exact=True).click()
    expect(page.get_by_role("heading", name="Search", level=1)).to_be_visible()


def test_without_duplicates_it_is_said_so_and_the_settings_tell_how_much_is_here_and_what_is_free(visit):
    visitor = visit().create().put(file("1.png", picture(1), "image/png"))
    page = visitor.page
    page.goto(f"{visitor.url}/#/duplicates")
    expect(page.get_by_role("heading", name="No near duplicates")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_text(re.compile(r"1 item in this vault, \d+ bytes"))).to_be_visible()
    expect(page.get_by_text(re.compile(r"[\d.]+ [GT]B free"))).to_be_visible()
