"""What stands for a picture until its thumbnail is there is drawn by the page as the host means it."""

import json
from pathlib import Path

from seeding import PLACEHOLDER

VECTORS = json.loads((Path(__file__).parent / "placeholders.json").read_text())

DRAW = """
    async (bytes) => {
        const { drawPlaceholder } = await import("/sources/js/photos/placeholder.js");
        const canvas = document.createElement("canvas");
        const isDrawn = drawPlaceholder(canvas, Uint8Array.from(bytes));
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return { isDrawn, width: canvas.width, height: canvas.height, pixels: Array.from(pixels) };
    }
"""
# A tile whose picture comes when `answer` is called, and what it shows of it.
TILE = """async (placeholder) => {
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


def test_the_page_draws_what_the_host_means(visit):
    page = visit().with_sources().page
    for vector in VECTORS:
        drawn = page.evaluate(DRAW, vector["bytes"])
        assert drawn["isDrawn"]
        assert (drawn["width"], drawn["height"]) == (vector["width"], vector["height"])
        for index, *colours in vector["pixels"]:
            pixel = drawn["pixels"][index * 4 : index * 4 + 4]
            assert pixel[3] == 255
            assert all(abs(one - other) <= 1 for one, other in zip(pixel, colours))


def test_other_bytes_are_no_placeholder(visit):
    assert not visit().with_sources().page.evaluate(DRAW, [1, 2, 3])["isDrawn"]


def test_it_is_drawn_only_where_the_picture_is_late(visit):
    page = visit().with_sources().page
    page.clock.install()
    page.evaluate(TILE, PLACEHOLDER)
    page.evaluate("() => { showPhoto('quick'); answer(true); }")
    page.clock.run_for(1000)
    assert page.evaluate("look()") == {"isDrawn": False, "classes": "is-here"}
    assert page.evaluate("() => { showPhoto('late'); return look(); }") == {"isDrawn": False, "classes": ""}
    page.clock.run_for(1000)
    assert page.evaluate("look()") == {"isDrawn": True, "classes": ""}
    # It stays below the picture that fades in, and goes with the photo.
    page.evaluate("answer(true)")
    assert page.evaluate("look()") == {"isDrawn": True, "classes": "is-here is-coming"}
    assert page.evaluate("() => { showPhoto('next'); return look(); }") == {"isDrawn": False, "classes": ""}
    page.clock.run_for(1000)
    page.evaluate("answer(false)")
    assert page.evaluate("look()") == {"isDrawn": False, "classes": ""}
