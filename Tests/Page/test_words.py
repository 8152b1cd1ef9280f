"""Text that the host has read in pictures: copied, heard, read in the details, looked for, and how many pictures are left."""

import base64
import re

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from visitor import file, settings

# As large as the screen of a phone. What has no text is a sky above hills.
DRAW = """({ lines }) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [1170, 2532];
    const pen = canvas.getContext("2d");
    if (lines.length > 0) {
        pen.fillStyle = "white";
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.fillStyle = "black";
        pen.font = "48px sans-serif";
        lines.forEach((line, index) => pen.fillText(line, 80, 200 + index * 90));
    } else {
        const sky = pen.createLinearGradient(0, 0, 0, canvas.height);
        for (const [place, colour] of [[0, "#3a6ea5"], [0.6, "#d8e4ee"], [0.61, "#4d6b3c"], [1, "#25391c"]]) sky.addColorStop(place, colour);
        pen.fillStyle = sky;
        pen.fillRect(0, 0, canvas.width, canvas.height);
    }
    return canvas.toDataURL("image/png").split(",")[1];
}"""
TICKET = ["Railway ticket", "Passenger Margaret Holloway", "From Edinburgh to Inverness", "Departure Tuesday morning",
          "Carriage seven beside the window", "Please keep this ticket until", "you have left the last station"]  # fmt: skip
# More than is heard of it.
LETTER = [f"A long letter about garden number {number}" for number in range(20, 44)]
NO_CLIPBOARD = "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })"
REFUSING = "Clipboard.prototype.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))"


@pytest.fixture(scope="module")
def pictures(chromium):
    """name → a picture for `put`: a ticket, a long letter, and a landscape."""
    page = chromium.new_page()
    drawn = {"ticket.png": TICKET, "letter.png": LETTER, "hills.png": []}
    made = {name: base64.b64decode(page.evaluate(DRAW, {"lines": lines})) for name, lines in drawn.items()}
    page.context.close()
    return {name: file(name, content, "image/png") for name, content in made.items()}


@pytest.fixture
def read(visit, pictures):
    """read(*names, **context options) → a vault with these pictures, in which the host has looked for text, and its page."""

    def make(*names, scripts=(), **options):
        visitor = visit(**options)
        for script in scripts:
            visitor.context.add_init_script(script)
        visitor.create().put(*(pictures[name] for name in names))
        visitor.wait_until_looked_into()
        visitor.wait_until_read()
        visitor.reload()
        expect(visitor.cells()).to_have_count(len(names))
        return visitor

    return make


def words_of(visitor, name):
    """What the host says that it has read in a picture."""
    request = visitor.context.request
    [found] = [one for one in request.get(f"{visitor.url}/api/photos").json()["photos"] if one["name"] == name]
    assert found.get("hasWords") is True
    return request.get(f"{visitor.url}/api/photos/{found['id']}").json()["words"]


def open_photo(visitor, name):
    visitor.cell(name).click()
    expect(visitor.page.locator("figure[data-shown]")).to_be_visible()


def choices(visitor):
    visitor.dialog().get_by_role("button", name="More").click()
    expect(visitor.dialog().get_by_role("button", name="Slideshow")).to_be_visible()
    return visitor.dialog().last.get_by_role("button", name="Copy text")


def details(visitor):
    visitor.dialog().get_by_role("button", name="Info").click()
    expect(visitor.page.locator("[data-key='info.sha256']")).to_be_visible()
    return visitor.page.locator("[data-key='info.words']")


def picture(visitor):
    return visitor.page.locator(".frame img")


def test_text_is_copied_from_a_picture_that_has_some(read):
    visitor = read("ticket.png", "hills.png", permissions=["clipboard-read", "clipboard-write"])
    page = visitor.page
    open_photo(visitor, "ticket.png")
    choices(visitor).click()
    expect(page.locator(".toast")).to_have_text("Text copied")
    words = words_of(visitor, "ticket.png")
    assert "Margaret Holloway" in words and "\n" in words
    assert page.evaluate("navigator.clipboard.readText()") == words
    visitor.close_viewer()
    open_photo(visitor, "hills.png")
    expect(choices(visitor)).to_have_count(0)


def test_where_the_browser_refuses_to_copy_the_details_have_the_text(read):
    visitor = read("ticket.png", scripts=[REFUSING])
    open_photo(visitor, "ticket.png")
    choices(visitor).click()
    toast = visitor.page.locator(".toast")
    expect(toast).to_contain_text("The browser didn’t allow copying.")
    toast.get_by_role("button", name="Details").click()
    expect(visitor.page.get_by_role("group", name="Text in the picture")).to_contain_text("Margaret Holloway")


def test_where_there_is_no_clipboard_text_is_read_in_the_details_alone(read):
    visitor = read("ticket.png", scripts=[NO_CLIPBOARD])
    open_photo(visitor, "ticket.png")
    expect(choices(visitor)).to_have_count(0)
    visitor.dialog().last.get_by_role("button", name="Close").click()
    expect(details(visitor)).to_contain_text("Margaret Holloway")


def test_a_picture_is_heard_with_its_text_and_one_without_by_its_name(read):
    visitor = read("ticket.png", "letter.png", "hills.png")
    open_photo(visitor, "ticket.png")
    heard = {name: " ".join(words_of(visitor, name).split()) for name in ("ticket.png", "letter.png")}
    expect(picture(visitor)).to_have_attribute("alt", f"ticket.png. Text in the picture: {heard['ticket.png']}")
    visitor.close_viewer()
    # Until the host has said all that it knows of it.
    with visitor.page.expect_response(re.compile("/api/photos/[^/?]+$")):
        open_photo(visitor, "hills.png")
    expect(picture(visitor)).to_have_attribute("alt", "hills.png")
    visitor.close_viewer()
    open_photo(visitor, "letter.png")
    expect(picture(visitor)).to_have_attribute("alt", re.compile(r"^letter\.png\. Text in the picture: .+…$"))
    text = picture(visitor).get_attribute("alt").removeprefix("letter.png. Text in the picture: ").removesuffix("…")
    # Cut at a word, of which nothing is missing.
    assert heard["letter.png"].startswith(f"{text} ") and len(text) <= 300


def test_the_text_of_a_picture_that_is_looked_at_comes_by_itself(visit, pictures):
    visitor = visit().create().put(pictures["ticket.png"])
    open_photo(visitor, "ticket.png")
    expect(picture(visitor)).to_have_attribute(
        "alt", re.compile("Text in the picture: .*Margaret Holloway"), timeout=120_000
    )


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_the_details_keep_the_lines_of_a_text_and_scroll_a_long_one(request, read, engine):
    visitor = read("letter.png", "hills.png", browser=request.getfixturevalue(engine))
    open_photo(visitor, "letter.png")
    row = details(visitor)
    expect(row.get_by_role("term")).to_have_text("Text in the picture")
    box = row.get_by_role("group", name="Text in the picture")
    expect(box).to_have_text(words_of(visitor, "letter.png"), use_inner_text=True)
    assert box.evaluate("box => box.scrollHeight > box.clientHeight && box.clientHeight < 300")
    box.focus()
    visitor.page.keyboard.press("ArrowDown")
    visitor.page.wait_for_function("() => document.querySelector('.picture-words').scrollTop > 0")
    # Selected like any text.
    selected = box.evaluate("box => { getSelection().selectAllChildren(box); return getSelection().toString(); }")
    assert "garden number 20" in selected and "garden number 43" in selected
    visitor.close_viewer()
    open_photo(visitor, "hills.png")
    expect(details(visitor)).to_have_count(0)


def test_a_picture_is_found_by_a_word_in_it(read):
    visitor = read("ticket.png", "letter.png", "hills.png")
    page = visitor.page
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("holloway")
    page.keyboard.press("Enter")
    expect(visitor.cells()).to_have_count(1)
    expect(visitor.cell("ticket.png")).to_be_visible()


def test_settings_say_how_many_pictures_are_left_until_all_are_read(read):
    visitor = read("hills.png")
    page = settings(visitor)
    expect(page.get_by_text("item in this vault")).to_be_visible()
    expect(page.get_by_text("Reading text in pictures")).to_have_count(0)
    left = {"wordsLeft": 828}

    def answer(route):
        told = route.fetch()
        route.fulfill(
            response=told, json={**{key: value for key, value in told.json().items() if key != "wordsLeft"}, **left}
        )

    page.route("**/api/storage", answer)
    page.reload()
    expect(page.get_by_text("Reading text in pictures: 828 left")).to_be_visible()
    # A host that reads none says nothing of it.
    left.clear()
    page.reload()
    expect(page.get_by_text("item in this vault")).to_be_visible()
    expect(page.get_by_text("Reading text in pictures")).to_have_count(0)
    page.unroute_all(behavior="wait")
