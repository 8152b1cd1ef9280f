"""What the viewer tells of a photo: where it was taken, on a map of our own, and that it was read back."""

import json
import re

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect

# Longitude and latitude.
LAND = {"Paris": (2.3, 48.9), "Beijing": (116.4, 39.9), "Alice Springs": (133.9, -23.7), "Brasília": (-47.9, -15.8),
        "Nairobi": (36.8, -1.3), "Denver": (-105, 39.7), "Taichung": (120.9, 24.1), "South Pole": (0, -89)}  # fmt: skip
SEA = {"Atlantic": (-40, 30), "Pacific": (-150, 0), "west of Sardinia": (6, 40), "Hudson Bay": (-85, 59),
       "Indian Ocean": (75, -30), "North Pole": (0, 89)}  # fmt: skip


@pytest.fixture
def taken_there(visit, start_daemon, packed_page, photos):
    """The page as it is installed, with the four photos of one camera, which knew where it was, and the details of the first."""

    def make(**options):
        visitor = visit(url=start_daemon(www=packed_page).url, **options).create()
        visitor.put(*[path for path in photos if "/gps/" in str(path)])
        visitor.wait_until_looked_into()
        visitor.wait_until_read_back()
        visitor.reload()
        visitor.cells().first.click()
        visitor.dialog().get_by_role("button", name="Info").click()
        return visitor

    return make


def world(visitor):
    return visitor.page.get_by_role("button", name=re.compile("^Map"))


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_map_of_our_own_shows_where_it_was_taken_and_all_of_the_world_and_is_hidden_with_the_place(request, taken_there, engine):
    visitor = taken_there(browser=request.getfixturevalue(engine))
    expect(world(visitor)).to_be_visible()
    expect(visitor.dialog().locator("[data-key='info.verified'] dd")).to_have_text(re.compile(r"\d{4}"))
    before = world(visitor).locator("svg").get_attribute("viewBox")
    # In the middle of what is seen.
    off = world(visitor).evaluate("""(map) => {
        const [box, dot] = [map, map.querySelector("circle")].map((one) => one.getBoundingClientRect());
        return [dot.x + dot.width / 2 - box.x - box.width / 2, dot.y + dot.height / 2 - box.y - box.height / 2];
    }""")
    assert off == pytest.approx([0, 0], abs=2)
    world(visitor).click()
    expect(world(visitor).locator("svg")).to_have_attribute("viewBox", "0 0 3600 1800")
    # Italy: 43.5° N, 11.9° E.
    assert float(world(visitor).locator("circle").get_attribute("cx")) == pytest.approx(1919, abs=3)
    assert float(world(visitor).locator("circle").get_attribute("cy")) == pytest.approx(465, abs=3)
    world(visitor).click()
    expect(world(visitor).locator("svg")).to_have_attribute("viewBox", before)
    visitor.dialog().get_by_role("button", name="Hide on this page", exact=True).click()
    expect(world(visitor)).to_have_count(0)
    visitor.dialog().get_by_role("button", name="Show", exact=True).click()
    expect(world(visitor)).to_be_visible()


def rings(path):
    """The outlines of a path of `M x y l dx dy … z` parts."""
    for part in path.split("M")[1:]:
        start, steps = (
            [int(number) for number in re.findall(r"-?\d+", numbers)] for numbers in part.removesuffix("z").split("l")
        )
        x, y = start
        ring = [(x, y)]
        for across, down in zip(steps[::2], steps[1::2]):
            x, y = x + across, y + down
            ring.append((x, y))
        yield ring


def is_within(ring, x, y):
    """Whether a line to the east crosses the ring an odd number of times."""
    pairs = zip(ring, [*ring[1:], ring[0]])
    crossed = [x < (to_x - at_x) * (y - at_y) / (to_y - at_y) + at_x for (at_x, at_y), (to_x, to_y) in pairs if (at_y > y) != (to_y > y)]
    return sum(crossed) % 2 == 1


def test_the_outline_is_that_of_the_world(packed_page):
    land = list(rings(json.loads((packed_page / "world.json").read_text())["d"]))

    def is_land(longitude, latitude):
        return sum(is_within(ring, (longitude + 180) * 10, (90 - latitude) * 10) for ring in land) % 2 == 1

    assert {name for name, place in LAND.items() if not is_land(*place)} == set()
    assert {name for name, place in SEA.items() if is_land(*place)} == set()
