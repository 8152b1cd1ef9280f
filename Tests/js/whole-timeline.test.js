import { after, test } from "node:test";
import assert from "node:assert/strict";
import { Timeline } from "../../www/js/library/timeline.js";
import { WholeTimeline } from "../../www/js/library/whole-timeline.js";

const lists = [];
after(() => { for (const list of lists) list.dispose(); });

/** A list of a host that has these photos of one month, all of which are here. */
async function saved(month, photos) {
    const list = new Timeline({ months: async () => [[month, photos.length]],
        month: async (_, skip) => Object.fromEntries(["id", "name", "size", "takenAt"]
            .map((key) => [key, photos.slice(skip, skip + 500).map((one) => one[key])])) });
    lists.push(list);
    await list.refresh();
    await list.between(0, photos.length);
    return list;
}

/** What is on its way from here, the first of which was chosen first. */
function arriving(...list) {
    const made = Object.assign(new EventTarget(), { list: [], letGo: (gone) => { made.list = made.list.filter((one) => !gone.includes(one)); } });
    made.list = list.map(({ name, size = 7, takenAt = null, month }, turn) => ({ item: { name, size }, turn, month: month ?? takenAt.slice(0, 7),
        wall: takenAt && Date.parse(`${takenAt}Z`), photo: { id: `arriving-${name}`, savedAs: null, listedAs: null } }));
    return made;
}

const ids = (list) => Array.from({ length: list.count }, (_, place) => list.at(place).id);

test("what is on its way stands where it was taken, among what the host has", async () => {
    const host = await saved("2025-01", ["20", "15", "10"].map((day) => ({ id: day, name: day, size: 1, takenAt: `2025-01-${day}T12:00:00` })));
    const own = arriving({ name: "between", takenAt: "2025-01-17T12:00:00" }, { name: "newest", takenAt: "2025-01-31T12:00:00" },
        { name: "oldest", takenAt: "2025-01-01T12:00:00" }, { name: "other", takenAt: "2024-12-24T12:00:00" },
        { name: "now", month: "2025-01" });
    const whole = new WholeTimeline(own, { saved: host, onListed() {} });
    const wanted = ["arriving-now", "arriving-newest", "20", "arriving-between", "15", "10", "arriving-oldest", "arriving-other"];
    assert.deepEqual(ids(whole), wanted);
    // Each is found where it stands, and the host's own are counted as the host does.
    assert.deepEqual(wanted.map((id) => whole.placeOf(id)), wanted.map((_, place) => place));
    assert.deepEqual(wanted.map((_, place) => whole.placeInSaved(place)), [0, 0, 0, 1, 1, 2, 3, 3]);
    assert.deepEqual([0, 1, 2, -1].map((place) => whole.placeOfSaved(place)), [2, 4, 5, -1]);
    assert.deepEqual(whole.sections.map(({ key, count, start }) => [key, count, start]), [["2025-01", 7, 0], ["2024-12", 1, 7]]);
    // To look at what has no place at the host is to expect its month.
    whole.need(0, 8);
    assert.deepEqual(host.expected, ["2025-01", "2024-12"]);
});

test("of those of one moment the one that came last stands first", async () => {
    const own = arriving(...["a", "b", "c"].map((name) => ({ name, takenAt: "2025-01-02T10:00:00" })));
    const whole = new WholeTimeline(own, { saved: await saved("2025-01", []), onListed() {} });
    assert.deepEqual(ids(whole), ["arriving-c", "arriving-b", "arriving-a"]);
});

test("without anybody on the way the sections are the host's own", async () => {
    const host = await saved("2025-01", [{ id: "1", name: "1", size: 1, takenAt: "2025-01-02T10:00:00" }]);
    const whole = new WholeTimeline(arriving(), { saved: host, onListed() {} });
    assert.equal(whole.sections, host.sections);
    assert.deepEqual([whole.count, whole.placeOf("1"), whole.placeInSaved(0)], [1, 0, 0]);
});

test("what the host has saved is let go of once a later list is here, and not before", async () => {
    const host = await saved("2025-01", []);
    const own = arriving({ name: "a", takenAt: "2025-01-02T10:00:00" });
    const whole = new WholeTimeline(own, { saved: host, onListed() {} });
    own.list[0].photo.savedAs = "h1";
    own.dispatchEvent(Object.assign(new Event("saved"), { detail: own.list[0] }));
    own.dispatchEvent(new Event("change"));
    assert.deepEqual(ids(whole), ["arriving-a"]);
    await host.refresh();
    assert.deepEqual(own.list, []);
});

test("photos of one second are found in the list by their names, each without a look at all others", async () => {
    // Thousands that were unpacked together have one time.
    const count = 1200;
    const takenAt = "2025-01-02T10:25:55";
    const photos = Array.from({ length: count }, (_, number) => ({ id: `h${number}`, name: `${number}.jpg`, size: 7, takenAt }));
    const host = await saved("2025-01", photos);
    let asked = 0;
    const at = host.at.bind(host);
    host.at = (place) => { asked += 1; return at(place); };
    const own = arriving(...[...photos].reverse(), { name: "0.jpg", size: 8, takenAt });
    const listed = [];
    const whole = new WholeTimeline(own, { saved: host, onListed: (photo, id) => listed.push([photo.id, id]) });
    assert.deepEqual([listed.length, listed.at(-1)], [count, ["arriving-0.jpg", "h0"]]);
    // Another one of that name is larger.
    assert.deepEqual([own.list.map(({ item }) => item.size), whole.count], [[8], count + 1]);
    assert.ok(asked < 50_000, String(asked));
});
