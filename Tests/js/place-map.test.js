import { test } from "node:test";
import assert from "node:assert/strict";
import { closer, dotsOf, pointOf, reach, sizeOf, viewOf, world } from "../../www/js/places/place-map.js";

const phone = { width: 358, height: 179 };
const desktop = { width: 960, height: 480 };
const towns = { Rome: [41.9, 12.5], Tivoli: [41.96, 12.8], Berlin: [52.5, 13.4], Potsdam: [52.4, 13.06], "New York": [40.7, -74], Auckland: [-36.8, 174.8],
    Suva: [-18.1, 178.4], Apia: [-13.8, -171.8], Shanghai: [31.2, 121.5], Longyearbyen: [78.2, 15.6], "San Francisco": [37.8, -122.4], Tokyo: [35.7, 139.7] };

/** Those that are named first have most photos. */
const placed = (...names) => names.map((name, index) => ({ id: index, name, country: "", kind: "town", count: 100 - index,
    latitude: towns[name][0], longitude: towns[name][1] }));
const seen = (name, view, size) => pointOf({ latitude: towns[name][0], longitude: towns[name][1] }, view, size);
const isInside = ({ x, y }, { width, height }) => x >= reach / 2 - 1 && x <= width - reach / 2 + 1 && y >= reach / 2 - 1 && y <= height - reach / 2 + 1;

test("the middle of a view is in the middle of the map, and north is above", () => {
    const view = { latitude: 41.9, longitude: 12.5, height: 26 };
    assert.deepEqual(seen("Rome", view, phone), { x: 179, y: 89.5 });
    assert.ok(seen("Berlin", view, phone).y < 40);
    assert.ok(seen("Potsdam", view, phone).x < seen("Berlin", view, phone).x);
});

test("all of the world is drawn as its outline is: longitudes as wide as latitudes are high", () => {
    const { x, y } = seen("New York", world, { width: 360, height: 180 });
    assert.deepEqual([Math.round(x * 10) / 10, Math.round(y * 10) / 10], [106, 49.3]);
});

test("what is seen at first has every place, with room for a finger around it", () => {
    const sets = [["Rome"], ["Rome", "Berlin"], ["Rome", "Shanghai"], ["Suva", "Apia"], ["Auckland", "Suva", "Apia"], ["New York", "Rome", "Shanghai"],
        ["Longyearbyen"], ["New York", "Auckland", "Rome", "Shanghai"], ["San Francisco", "Tokyo", "Rome"]];
    for (const names of sets) {
        for (const size of [phone, desktop]) {
            const view = viewOf(placed(...names), size);
            for (const name of names) assert.ok(isInside(seen(name, view, size), size), `${name} of ${names}`);
        }
    }
});

test("a single town is seen with the lands around it, and nothing beyond a pole", () => {
    assert.equal(viewOf(placed("Rome"), phone).height, 26);
    const { latitude, height } = viewOf(placed("Longyearbyen"), phone);
    assert.ok(latitude + height / 2 <= 90);
});

test("places on both sides of the date line are near to each other", () => {
    const view = viewOf(placed("Suva", "Apia"), phone);
    assert.ok(view.height < 40, String(view.height));
    assert.ok(Math.abs(view.longitude) > 170, String(view.longitude));
});

test("without any place it is the world, and so it is for places everywhere, turned where one lies at its edge", () => {
    assert.equal(viewOf([], phone), world);
    assert.deepEqual(viewOf(placed("San Francisco", "Rome", "Tokyo"), phone), world);
    const { longitude, height } = viewOf(placed("New York", "Rome", "Auckland"), phone);
    assert.equal(height, 180);
    assert.notEqual(longitude, 0);
});

test("no two dots are nearer to each other than a finger is wide, and none of the places is lost", () => {
    const places = Array.from({ length: 400 }, (_, id) => ({ id, name: "", country: "", kind: "town", count: 1 + id % 7,
        latitude: 35 + (id * 7919 % 200) / 10, longitude: (id * 104_729 % 300) / 10 }));
    for (const size of [phone, desktop]) {
        const dots = dotsOf(places, viewOf(places, size), size);
        assert.equal(dots.flatMap((dot) => dot.places).length, 400);
        assert.equal(dots.reduce((sum, { count }) => sum + count, 0), places.reduce((sum, { count }) => sum + count, 0));
        for (const one of dots) {
            for (const other of dots) {
                if (one !== other) assert.ok(Math.abs(one.x - other.x) >= reach || Math.abs(one.y - other.y) >= reach);
            }
        }
        assert.ok(dots.length > 5, String(dots.length));
    }
});

test("a dot of several stands where most photos are, and has those of all of them", () => {
    const places = placed("Rome", "Berlin", "Tivoli");
    const [first, ...others] = dotsOf(places, viewOf(places, phone), phone);
    assert.deepEqual(first.places.map(({ name }) => name), ["Rome", "Tivoli"]);
    assert.equal(first.count, 198);
    assert.equal(others.length, 1);
});

test("what lies beyond the edge has no dot", () => {
    const dots = dotsOf(placed("Rome", "New York"), { latitude: 41.9, longitude: 12.5, height: 26 }, phone);
    assert.deepEqual(dots.map(({ places }) => places[0].name), ["Rome"]);
});

test("nearer, the places of a dot come apart; what lies in one town does not", () => {
    const places = placed("Rome", "Berlin", "Potsdam");
    const dot = dotsOf(places, viewOf(places, phone), phone).find(({ places: [{ name }] }) => name === "Berlin");
    const view = closer(dot, phone);
    assert.ok(view === null || dotsOf(dot.places, view, phone).length === 2);
    const [far] = dotsOf(placed("Rome", "Berlin"), world, phone);
    assert.equal(far.places.length, 2);
    assert.equal(dotsOf(far.places, closer(far, phone), phone).length, 2);
    const same = { places: [...placed("Rome"), ...placed("Rome")], x: 0, y: 0, count: 2 };
    assert.equal(closer(same, phone), null);
    assert.equal(closer({ places: placed("Rome"), x: 0, y: 0, count: 1 }, phone), null);
});

test("more photos are a larger dot, which a finger covers all the same", () => {
    assert.deepEqual([1, 10, 1000, 1_000_000].map(sizeOf), [12, 18, 30, 34]);
});
