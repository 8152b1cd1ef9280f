"""What stands for a picture until its thumbnail is there is drawn by the page as the host means it."""

import json
from pathlib import Path

VECTORS = json.loads((Path(__file__).parent / "placeholders.json").read_text())

DRAW = """
    async (bytes) => {
        const { drawPlaceholder } = await import("/sources/js/placeholder.js");
        const canvas = document.createElement("canvas");
        const isDrawn = drawPlaceholder(canvas, Uint8Array.from(bytes));
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return { isDrawn, width: canvas.width, height: canvas.height, pixels: Array.from(pixels) };
    }
"""


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
