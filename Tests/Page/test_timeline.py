"""The list behind the gallery: who stands where, when Live Photos are two files of the host and one place."""

# A host with two months: 1,100 files, of which every third is the video of the photo before it, and four more.
RUN = """async (steps) => {
    const listed = [...Array(1100).keys()].map((number) => ({ id: `a${number}`, live: number % 3 === 0 ? `a${number + 1}` : null }));
    const months = { "2026-11": listed, "2026-10": [...Array(4).keys()].map((number) => ({ id: `b${number}`, live: null })) };
    const asked = [];
    const shown = [];
    let isAway = false;
    const lose = (gone) => { for (const files of Object.values(months)) for (const id of gone) {
        const index = files.findIndex((one) => one.id === id);
        if (index >= 0) files.splice(index, 1);
    } };
    window.fetch = async (path) => {
        if (isAway) throw new TypeError("away");
        const [, month, skip] = /timeline\\/([\\d-]+)(?:\\?skip=(\\d+))?$/.exec(path) ?? [];
        if (month) asked.push(`${month}|${skip ?? 0}`);
        const some = month ? months[month].slice(Number(skip ?? 0), Number(skip ?? 0) + 500) : [];
        const body = month ? { month, id: some.map(({ id }) => id), liveVideo: some.map(({ live }) => live) }
            : Object.entries(months).map(([key, files]) => [key, files.length]).filter(([, count]) => count > 0);
        return new Response(JSON.stringify(body));
    };
    const { Timeline } = await import("/sources/js/timeline.js");
    const list = new Timeline();
    list.addEventListener("change", () => shown.push([list.error === null, list.count]));
    await list.refresh();
    const ids = (photos) => photos.map(({ id }) => id);
    const does = {
        count: () => [list.count, ...list.sections.map(({ count }) => count)],
        at: (place) => list.at(place)?.id ?? null,
        place: (id) => list.placeOf(id),
        between: async (from, to) => ids(await list.between(from, to)),
        all: async () => ids(await list.all()).length,
        asked: () => asked.splice(0),
        remove: (...gone) => { lose(gone); list.remove(gone); },
        refresh: () => list.refresh(),
        loseAway: (...gone) => { lose(gone); isAway = true; },
        retry: () => { isAway = false; return list.retry(); },
        shown: () => shown.at(-1),
    };
    const results = [];
    for (const [name, ...values] of steps) results.push(await does[name](...values) ?? null);
    list.dispose();
    return results;
}"""


def run(visit, *steps):
    return visit().with_sources().page.evaluate(RUN, [list(step) for step in steps])


def test_before_its_photos_are_here_a_month_has_as_many_places_as_files(visit):
    assert run(visit, ["count"], ["at", 0]) == [[1104, 1100, 4], None]


def test_a_live_photo_has_one_place_for_both_files(visit):
    results = run(visit, ["between", 0, 3], ["at", 1], ["place", "a3"], ["place", "a4"], ["place", "a1"], ["count"], ["asked"])
    # Of the first 500 files 167 begin a pair, the last of them with file 498 and 499.
    assert results == [["a0", "a2", "a3"], "a2", 2, 2, 0, [1104 - 167, 1100 - 167, 4], ["2026-11|0"]]


def test_all_are_there_once_when_every_part_has_come(visit):
    results = run(visit, ["all"], ["count"], ["at", 0], ["place", "b0"], ["at", 1100 - 366], ["asked"])
    # The pair of 999 and 1000 lies in two parts, and stays two.
    assert results == [1104 - 366, [1104 - 366, 1100 - 366, 4], "a0", 1100 - 366, "b0", ["2026-11|0", "2026-11|500", "2026-11|1000", "2026-10|0"]]


def test_a_range_reaches_from_photo_to_photo_while_places_change(visit):
    # Both ends are here; what lies between them is not, and has fewer places than files.
    found = run(visit, ["between", 0, 1], ["place", "a498"], ["between", 933, 937], ["between", 332, 940])[3]
    assert found[0] == "a498" and found[-1] == "b3" and len(set(found)) == len(found) == 1104 - 366 - 332


def test_a_month_that_nobody_looks_at_keeps_its_places_while_others_lose_photos(visit):
    results = run(visit, ["all"], ["remove", "b1", "b2"], ["refresh"], ["count"], ["remove", "b0", "b3"], ["refresh"], ["count"])
    assert results[3] == [1104 - 366 - 2, 1100 - 366, 2]
    assert results[6] == [1100 - 366, 1100 - 366]


def test_what_was_asked_for_while_the_host_was_away_is_asked_for_again(visit):
    results = run(visit, ["all"], ["loseAway", "b0"], ["refresh"], ["shown"], ["retry"], ["shown"])
    assert results[3] == [False, 1104 - 366]
    assert results[5] == [True, 1104 - 366 - 1]
