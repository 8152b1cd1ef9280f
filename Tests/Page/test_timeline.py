"""The list behind the gallery: who stands where, when Live Photos are two files of the host and one place."""

# A host with two months: 1,100 files, of which every third is the video of the photo before it, and four more.
RUN = """async (steps) => {
    const listed = [...Array(1100).keys()].map((number) => ({ id: `a${number}`, live: number % 3 === 0 ? `a${number + 1}` : null }));
    const months = { "2026-11": listed, "2026-10": [...Array(4).keys()].map((number) => ({ id: `b${number}`, live: null })) };
    const asked = [];
    const shown = [];
    let isAway = false;
    let moving = 0;
    // The host has looked into some of the newest, and tells the page so.
    const move = () => {
        const moved = months["2026-11"].splice(0, moving);
        const older = months["2019-03"] ??= [];
        older.push(...moved);
        if (moved.length === 0) moving = 0;
        else list.refresh();
    };
    const lose = (gone) => { for (const files of Object.values(months)) for (const id of gone) {
        const index = files.findIndex((one) => one.id === id);
        if (index >= 0) files.splice(index, 1);
    } };
    window.fetch = async (path) => {
        if (isAway) throw new TypeError("away");
        const [, month, skip] = /timeline\\/([\\d-]+)(?:\\?skip=(\\d+))?$/.exec(path) ?? [];
        if (month) asked.push(`${month}|${skip ?? 0}`);
        if (month && moving > 0) move();
        const some = month ? months[month].slice(Number(skip ?? 0), Number(skip ?? 0) + 500) : [];
        const body = month ? { month, id: some.map(({ id }) => id), liveVideo: some.map(({ live }) => live) }
            : Object.entries(months).map(([key, files]) => [key, files.length]).filter(([, count]) => count > 0);
        return new Response(JSON.stringify(body));
    };
    const { Timeline } = await import("/sources/js/library/timeline.js");
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
        move: (count) => { moving = count; },
        need: (from, to) => list.need(from, to),
        pickAll: async () => {
            const { Selection } = await import("/sources/js/library/selection.js");
            const selection = new Selection(list);
            await selection.all();
            return selection.photos.length;
        },
        find: (id, receivedAt) => list.find({ id, receivedAt }),
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


def all_files(visit, count):
    """All of a host's files that are photos of their own, while it moves so many with each answer."""
    return run(visit, ["need", 0, 40], ["move", count], ["all"])[2]


def test_all_are_all_while_photos_go_from_month_to_month(visit):
    # A few with each answer, many, and all of them with the first one. Some pairs are torn on the way, none is lost.
    for count in (1, 7, 300, 1100):
        assert 1104 - 367 <= all_files(visit, count) <= 1104 - 365


def test_somebody_who_picks_all_gets_all_while_photos_go_from_month_to_month(visit):
    assert run(visit, ["need", 0, 40], ["move", 40], ["pickAll"])[2] >= 1104 - 367


def test_a_range_has_what_lay_between_its_ends_when_it_was_asked_for(visit):
    steps = run(visit, ["between", 0, 1], ["move", 50], ["between", 10, 20], ["between", 10, 20])
    # All of them are here: whatever moves, they are the ones.
    before = run(visit, ["between", 10, 20])[0]
    assert steps[2] == before and len(before) == 10


def test_a_photo_is_found_in_the_month_to_which_it_has_gone(visit):
    results = run(visit, ["between", 0, 1], ["move", 1100], ["refresh"], ["find", "b2", "2026-10-01T10:00:00Z"], ["place", "b2"])
    assert results[3] == results[4] >= 0


SAME_SECOND = """async (count) => {
    const { Timeline } = await import("/sources/js/library/timeline.js");
    const { WholeTimeline } = await import("/sources/js/library/whole-timeline.js");
    const takenAt = "2025-01-02T10:25:55", wall = Date.parse(takenAt + "Z");
    const host = [...Array(count).keys()].map((number) => ({ id: `h${number}`, name: `${number}.jpg`, size: 7, takenAt }));
    const saved = new Timeline({
        months: async () => [["2025-01", count]],
        month: async (month, skip) => Object.fromEntries(["id", "name", "size", "takenAt"]
            .map((key) => [key, host.slice(skip, skip + 500).map((one) => one[key])])),
    });
    await saved.refresh();
    await saved.between(0, count);
    let asked = 0;
    const at = saved.at.bind(saved);
    saved.at = (place) => { asked += 1; return at(place); };
    const arriving = Object.assign(new EventTarget(), { letGo: (gone) => { arriving.list = arriving.list.filter((one) => !gone.includes(one)); } });
    arriving.list = host.toReversed().map(({ name, size }, turn) => ({ item: { name, size }, wall, turn, month: "2025-01",
        photo: { id: `arriving-${name}`, savedAs: null, listedAs: null } }));
    arriving.list.push({ item: { name: "0.jpg", size: 8 }, wall, turn: count, month: "2025-01",
        photo: { id: "arriving-other", savedAs: null, listedAs: null } });
    const listed = [];
    const whole = new WholeTimeline(arriving, { saved, onListed: (photo, id) => listed.push([photo.id, id]) });
    return { asked, listed: listed.length, first: listed.at(-1), left: arriving.list.map(({ photo }) => photo.id), count: whole.count };
}"""


def test_photos_of_one_second_are_found_in_the_list_by_their_names(visit):
    """Thousands that were unpacked together have one time. Who looks for each among all of them keeps the page busy."""
    found = visit().with_sources().page.evaluate(SAME_SECOND, 1200)
    assert (found["listed"], found["first"]) == (1200, ["arriving-0.jpg", "h0"])
    assert (found["left"], found["count"]) == (["arriving-other"], 1201)
    assert found["asked"] < 50_000
