"""Where photos were taken, by name: told, looked for, on a wall with a map, put right by hand, and of trips an album."""

import re
import subprocess

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from seeding import thumbnail
from visitor import hold_toast, until

DESKTOP = {"width": 1280, "height": 800}
BERLIN, VENICE, VERONA = (52.5200, 13.4050), (45.4375, 12.3358), (45.4386, 10.9928)


def taken(folder, name, when, place=None):
    """A photo of its own, as a camera writes it: the clock on the wall without a zone, and where it was, if it knew."""
    path = folder / name
    path.write_bytes(thumbnail())
    where = (
        [f"-GPSLatitude={place[0]}", "-GPSLatitudeRef=N", f"-GPSLongitude={place[1]}", "-GPSLongitudeRef=E"]
        if place
        else []
    )
    return path, [f"-DateTimeOriginal={when}", *where]


def written(photos):
    """One exiftool for all of them."""
    words = []
    for path, facts in photos:
        words += [*facts, path, "-execute"]
    subprocess.run(["exiftool", *words, "-common_args", "-q", "-overwrite_original"], check=True)
    return [path for path, _ in photos]


@pytest.fixture(scope="module")
def year(tmp_path_factory):
    """A summer at home in Berlin, with some days in Venice and one in Verona, and two photos that know no place."""
    folder = tmp_path_factory.mktemp("year")
    home = [taken(folder, f"home {day:02}.jpg", f"2026:06:{day:02} 12:00:00", BERLIN) for day in range(1, 21)]
    venice = [taken(folder, f"venice {day}.jpg", f"2026:07:0{day} 15:00:00", VENICE) for day in range(4, 10)]
    verona = [taken(folder, "verona.jpg", "2026:07:07 18:00:00", VERONA)]
    nowhere = [taken(folder, f"nowhere {number}.jpg", f"2026:08:0{number} 10:00:00") for number in (1, 2)]
    return written([*home, *venice, *verona, *nowhere])


@pytest.fixture(scope="module")
def full_day(tmp_path_factory):
    """A month of many photos: most of one day in Venice, and of the day before as many in Venice as in Berlin."""
    folder = tmp_path_factory.mktemp("day")
    photos = [
        taken(folder, f"{number:02}.jpg", f"2026:07:04 10:{number:02}:00", VENICE if number < 30 else BERLIN)
        for number in range(38)
    ]
    photos += [
        taken(folder, f"before {number}.jpg", f"2026:07:03 10:0{number}:00", place)
        for number, place in enumerate((VENICE, BERLIN) * 2)
    ]
    return written(photos)


@pytest.fixture
def travelled(visit, year):
    """travelled(**context options) → a vault with that year, looked into, and its page."""

    def make(*, files=year, **options):
        visitor = visit(**options).create()
        visitor.put(*files)
        visitor.wait_until_looked_into()
        visitor.reload()
        expect(visitor.cells().first).to_be_visible()
        return visitor

    return make


def heading(visitor):
    return visitor.page.get_by_role("dialog").get_by_role("heading", level=1)


def open_photo(visitor, name):
    visitor.cell(name).click()
    expect(visitor.page.locator("figure[data-shown]")).to_be_visible()


def details(visitor):
    visitor.dialog().get_by_role("button", name="Info").click()
    return visitor.page.locator("[data-key='info.place']")


def places(visitor):
    """name → count, as the wall has them, from above."""
    labels = visitor.page.locator(".places .album").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    return [re.sub(r" items?$", "", label).rsplit(", ", 1) for label in labels]


def to_places(visitor):
    visitor.page.get_by_role("link", name="Albums", exact=True).click()
    visitor.page.get_by_role("link", name=re.compile("^Places, ")).click()
    expect(visitor.page.get_by_role("heading", name="Places", level=1)).to_be_visible()
    expect(visitor.page.locator(".places .album").first).to_be_visible()


def say_tokyo(visitor):
    """Types into the field, and takes what is offered by keys alone."""
    page = visitor.page
    field = page.get_by_role("combobox", name="Town")
    expect(field).to_be_focused()
    offered = page.get_by_role("listbox", name="Town").get_by_role("option")
    page.keyboard.type("toky")
    expect(offered.first).to_have_text("TokyoJapan")
    expect(offered.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Tokyo, Japan")
    expect(offered).to_have_count(0)
    page.keyboard.press("Enter")


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_photo_says_where_it_was_taken_until_somebody_hides_it(request, travelled, engine):
    visitor = travelled(browser=request.getfixturevalue(engine))
    page = visitor.page
    open_photo(visitor, "venice 5.jpg")
    expect(heading(visitor)).to_contain_text("Venice, Italy")
    place = details(visitor)
    expect(place).to_contain_text("Venice, Italy")
    expect(place).to_contain_text("45.4375° N, 12.3358° E")
    # The camera had told no zone.
    expect(page.locator("[data-key='info.taken']")).to_contain_text("5 July 2026 at 15:00")
    expect(page.locator("[data-key='info.taken']")).to_contain_text("time zone of the place")
    place.get_by_role("button", name="Hide on this page").click()
    expect(place).to_contain_text("Hidden")
    expect(visitor.dialog()).not_to_contain_text("Venice, Italy")


def test_a_day_of_a_month_of_many_says_where_most_of_it_was(travelled, full_day):
    # So high that both days are drawn.
    visitor = travelled(files=full_day, viewport={"width": 1280, "height": 2400})
    days = visitor.page.locator(".day")
    expect(days).to_have_text(["Sat 4 · Venice", "Fri 3"])
    open_photo(visitor, "37.jpg")
    details(visitor).get_by_role("button", name="Hide on this page").click()
    visitor.close_viewer()
    expect(days).to_have_text(["Sat 4", "Fri 3"])


@pytest.mark.parametrize(("locale", "typed", "chip"), [("en-GB", "venice", "Place: Venice"), ("zh-CN", "威尼斯", "地点：威尼斯"), ("zh-TW", "venedig", "地點：威尼斯")])  # fmt: skip
def test_a_town_is_found_in_three_languages_and_a_chip_says_so(travelled, locale, typed, chip):
    visitor = travelled(locale=locale)
    page = visitor.page
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill(typed)
    page.keyboard.press("Enter")
    expect(page.locator(".chip.is-place")).to_have_text(chip)
    expect(visitor.cells()).to_have_count(6)
    page.locator(".chip.is-place").click()
    expect(page.get_by_role("searchbox")).to_have_value("")


def test_the_wall_has_towns_by_their_photos_and_a_map_on_which_a_finger_meets_each(
    visit, start_daemon, packed_page, year
):
    visitor = visit(url=start_daemon(www=packed_page).url).create()
    visitor.put(*year)
    visitor.wait_until_looked_into()
    page = visitor.reload()
    to_places(visitor)
    assert places(visitor) == [["Berlin, Germany", "20"], ["Venice, Italy", "6"], ["Verona, Italy", "1"]]
    expect(page.get_by_text("Places: GeoNames")).to_be_visible()
    dots = page.get_by_role("group", name="Map of these places").get_by_role("button")
    expect(dots).to_have_count(2)
    assert all(min(dot.bounding_box()["width"], dot.bounding_box()["height"]) >= 44 for dot in dots.all())
    # Two towns that a finger could not tell apart: nearer, it can.
    page.get_by_role("button", name="Venice, Italy and 1 other place, 7 items").click()
    verona = page.get_by_role("button", name="Verona, Italy, 1 item")
    expect(verona).to_be_visible()
    # The keys stay on the map.
    expect(page.get_by_role("button", name="Venice, Italy, 6 items")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(verona).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Verona, Italy", level=1)).to_be_visible()
    expect(visitor.cells()).to_have_count(1)
    # What browsers write down names no place.
    assert "Verona" not in page.evaluate("document.title + location.href")
    page.go_back()
    page.get_by_role("link", name="Berlin, Germany, 20 items").click()
    expect(page.get_by_role("heading", name="Berlin, Germany", level=1)).to_be_visible()
    expect(visitor.cells()).to_have_count(20)
    visitor.lock()
    stored = page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])")
    assert "Berlin" not in page.content() + stored


def test_photos_of_a_selection_are_put_where_they_were_taken_and_it_can_be_undone(travelled):
    visitor = travelled(viewport=DESKTOP)
    page = visitor.page
    before = visitor.originals()
    page.get_by_role("button", name="Select", exact=True).click()
    for number in (1, 2):
        visitor.cell(f"nowhere {number}.jpg").click()
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    visitor.dialog().get_by_role("button", name="Change location").click()
    expect(visitor.dialog().get_by_role("heading", name="Where were these 2 taken?")).to_be_visible()
    # Nothing is said before something is chosen.
    visitor.dialog().get_by_role("button", name="Change", exact=True).click()
    expect(visitor.dialog().get_by_role("alert")).to_have_text("Choose a place from the list.")
    page.keyboard.type("no such place at all")
    expect(page.get_by_text("No place of this name")).to_be_visible()
    page.keyboard.press("Control+a")
    say_tokyo(visitor)
    expect(page.locator(".toast")).to_contain_text("Locations of 2 items changed")
    hold_toast(page)
    assert visitor.originals() == before
    page.locator(".toast").get_by_role("button", name="Undo").click()
    until(page, lambda: not any("place" in photo for photo in whole(visitor, "nowhere 1.jpg", "nowhere 2.jpg")))


def whole(visitor, *names):
    """What the host says of these photos alone."""
    request = visitor.context.request
    photos = request.get(f"{visitor.url}/api/photos").json()["photos"]
    return [request.get(f"{visitor.url}/api/photos/{photo['id']}").json() for photo in photos if photo["name"] in names]


def test_a_place_that_was_put_right_says_so_and_the_file_can_have_its_say_again(travelled):
    visitor = travelled()
    page = visitor.page
    open_photo(visitor, "venice 5.jpg")
    details(visitor).get_by_role("button", name="Change location").click()
    say_tokyo(visitor)
    place = page.locator("[data-key='info.place']")
    expect(place).to_contain_text("Tokyo, Japan (set by hand)")
    place.get_by_role("button", name="Change location").click()
    page.get_by_role("checkbox", name="Use the location in the file again").check()
    page.get_by_role("dialog").last.get_by_role("button", name="Change", exact=True).click()
    expect(place).to_contain_text("Venice, Italy")
    expect(place).not_to_contain_text("set by hand")


def test_a_trip_becomes_an_album_in_one_tap_and_can_be_undone(travelled):
    visitor = travelled()
    page = visitor.page
    to_places(visitor)
    trip = page.get_by_role("listitem").filter(has_text="7 items")
    expect(trip).to_contain_text(re.compile("Venice, 4.+9 July 2026"))
    trip.get_by_role("button").click()
    expect(page.get_by_role("heading", name=re.compile("Venice, 4.+9 July 2026"), level=1)).to_be_visible()
    expect(visitor.cells()).to_have_count(7)
    hold_toast(page)
    page.go_back()
    # What is an album is not offered any more.
    expect(page.get_by_role("heading", name="Trips")).to_have_count(0)
