"""What a tile shows until its picture is there, and whom it says that it shows; strips in place of tiles at speed."""

import pytest
from seeding import PLACEHOLDER

# A page of the host's own without anything of ours, into which a test imports what it looks at.
BARE = "<!doctype html><title>Bare</title><h1>Bare</h1>"
# A tile whose picture comes when `answer` is called, and what it shows of it.
LATE_TILE = """async (placeholder) => {
    const { Tile } = await import("/sources/js/gallery/tile.js");
    const pictures = { showAtOnce: () => false, cancel() {}, request: (image, photo, done) => { window.answer = done; } };
    const tile = new Tile({ pictures, asList: false });
    document.body.append(tile.element);
    window.showPhoto = (id) => {
        tile.show({ id, name: `${id}.jpg`, type: "image/jpeg", receivedAt: "2026-11-20T10:00:00Z", placeholder });
        tile.dress();
    };
    window.look = () => ({ isDrawn: tile.element.querySelector(".stand-in") !== null, classes: tile.image.className });
}"""
TILE = """async () => {
    const { Tile } = await import("/sources/js/gallery/tile.js");
    const { paired } = await import("/sources/js/photos/photo-words.js");
    const tile = new Tile({ pictures: { showAtOnce: () => true, refine() {}, cancel() {} }, asList: false });
    const file = (id, type, liveVideo) => ({ id, type, liveVideo, name: id, picture: "made", receivedAt: "2026-11-20T10:00:00Z" });
    const [photo, video] = [file("a.jpg", "image/jpeg", "a.mov"), file("a.mov", "video/quicktime")];
    return [[photo, video], [photo], [photo, video]].map((files) => {
        tile.show({ ...paired(files)[0] });
        tile.dress();
        return tile.element.querySelectorAll(".badge").length;
    });
}"""
STRIPS = """async () => {
    const { GalleryLayout } = await import("/sources/js/gallery/gallery-layout.js");
    const { GalleryStrips } = await import("/sources/js/gallery/gallery-rows.js");
    const shape = { columns: 3, rowHeight: 100, gap: 2, head: 50, foot: 20 };
    const layout = new GalleryLayout([{ key: "2024-05", start: 0, count: 7 }, { key: "2024-04", start: 7, count: 300 }], shape);
    const months = { "2024-05": document.createElement("div"), "2024-04": document.createElement("div") };
    const strips = new GalleryStrips({ parentOf: ({ key }) => months[key],
        colourAt: (place) => (place === 1 ? null : `rgb(0, 0, ${place})`) });
    const look = (from, to) => {
        strips.draw(layout, layout.rowsBetween(from, to));
        const colours = ({ backgroundImage }) => [...new Set(backgroundImage.match(/rgb\\([^)]*\\)/g))];
        return Object.values(months).flatMap(({ children }) => [...children]).map(({ style }) => [style.transform, colours(style)]);
    };
    return { first: look(0, 340), then: look(10_000, 10_300) };
}"""


@pytest.fixture
def bare(visit, lent_host):
    """A visitor of a page on which nothing is but what a test imports from the sources."""
    body = {"**/bare": lambda route: route.fulfill(body=BARE, content_type="text/html")}
    return visit(url=f"{lent_host.url}/bare", routes=body).with_sources()


def test_it_is_drawn_only_where_the_picture_is_late(bare):
    bare.install_clock()
    page = bare.page
    page.evaluate(LATE_TILE, PLACEHOLDER)
    page.evaluate("() => { showPhoto('quick'); answer(true); }")
    page.clock.run_for(1000)
    assert page.evaluate("look()") == {"isDrawn": False, "classes": "is-here"}
    assert page.evaluate("() => { showPhoto('late'); return look(); }") == {"isDrawn": False, "classes": ""}
    page.clock.run_for(1000)
    assert page.evaluate("look()") == {"isDrawn": True, "classes": ""}
    # It stays below the picture that fades in, and goes with the photo.
    assert page.evaluate("() => { answer(true); return look(); }") == {"isDrawn": True, "classes": "is-here is-coming"}
    assert page.evaluate("() => { showPhoto('next'); return look(); }") == {"isDrawn": False, "classes": ""}
    page.clock.run_for(1000)
    page.evaluate("answer(false)")
    assert page.evaluate("look()") == {"isDrawn": False, "classes": ""}


def test_a_tile_says_that_a_photo_moves_as_long_as_its_video_is_there(bare):
    assert bare.page.evaluate(TILE) == [1, 0, 1]


def test_strips_show_the_colours_of_rows_and_are_used_again(bare):
    seen = bare.page.evaluate(STRIPS)
    assert seen["first"] == [
        ["translateY(50px)", ["rgb(0, 0, 0)", "rgb(0, 0, 2)"]],
        ["translateY(150px)", ["rgb(0, 0, 3)", "rgb(0, 0, 4)", "rgb(0, 0, 5)"]],
        ["translateY(250px)", ["rgb(0, 0, 6)"]],
    ]
    assert len(seen["then"]) == 4
    assert {shift for shift, _ in seen["then"]} == {f"translateY({top}px)" for top in (9550, 9650, 9750, 9850)}
