import { afterEach, beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { PlaceNames } from "../../www/js/albums/place-names.js";
import { speakEnglish } from "./english.js";

speakEnglish();

const places = [
    { id: 1, name: "Rome", country: "IT", kind: "town", count: 9 },
    { id: 2, name: "Trastevere", country: "IT", kind: "town", within: 1, count: 3 },
    { id: 3, name: "Springfield", country: "US", region: "Illinois", kind: "town", count: 2 },
    { id: 4, name: "Mali", country: "ML", kind: "country", count: 1 },
];
const countries = { IT: "Italy", US: "United States", ML: "Mali" };
const realFetch = globalThis.fetch;
let asked, answers;

beforeEach(() => {
    asked = [];
    answers = { table: true, places, countries };
    globalThis.fetch = async (path) => {
        asked.push(path);
        if (answers === null) throw new TypeError("away");
        return new Response(JSON.stringify(answers), { headers: { "Content-Type": "application/json" } });
    };
});

afterEach(() => { globalThis.fetch = realFetch; });

async function known() {
    const names = new PlaceNames();
    await names.learn();
    return names;
}

test("a place is called by its town, its city and its country", async () => {
    const names = await known();
    assert.deepEqual(asked, ["/api/places?lang=en"]);
    assert.deepEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }].map((place) => names.wordsOf(place)),
        ["Rome, Italy", "Trastevere, Rome, Italy", "Springfield, Illinois, United States", "Mali"]);
    assert.equal(names.wordsOf({ id: 1, near: true }), "Near Rome, Italy");
    assert.equal(names.wordsOf({ id: 2, near: true }), "Near Trastevere, Rome, Italy");
    // Another country begins within a walk.
    assert.equal(names.wordsOf({ id: 1, border: true }), "Rome");
    assert.deepEqual([names.wordsOf({ id: 99 }), names.wordsOf({})], [null, null]);
});

test("a day is told by the city, and a wall has no districts", async () => {
    const names = await known();
    assert.deepEqual([1, 2, 4, undefined].map((id) => names.townOf(id)), ["Rome", "Rome", "Mali", null]);
    assert.deepEqual(names.onWall.map(({ name }) => name), ["Rome", "Springfield", "Mali"]);
});

test("a search calls a place by its number, and a country by its letters", async () => {
    const names = await known();
    assert.deepEqual(["1", "IT", "99", ""].map((value) => names.meantBy(value)), ["Rome", "Italy", null, null]);
});

test("nobody asks before a name is wanted, and once for many", async () => {
    const names = new PlaceNames();
    assert.deepEqual(asked, []);
    assert.deepEqual([names.townOf(1), names.townOf(2)], [null, null]);
    await Promise.all([names.learn(1), names.learn(3)]);
    assert.equal(asked.length, 1);
    await names.learn(1);
    assert.equal(asked.length, 1);
});

test("what the host does not know is asked for once, until something has changed there", async () => {
    const names = await known();
    await names.learn(7);
    await names.learn(7);
    assert.equal(names.townOf(7), null);
    assert.equal(asked.length, 2);
    answers = { table: true, places: [...places, { id: 7, name: "Oslo", country: "NO", kind: "town", count: 1 }], countries };
    await names.renew();
    assert.equal(names.townOf(7), "Oslo");
    assert.equal(asked.length, 3);
});

test("drawing asks a host that is away no second time", async () => {
    answers = null;
    const names = new PlaceNames();
    await names.learn(1);
    assert.notEqual(names.error, null);
    const before = asked.length;
    assert.equal(names.townOf(1), null);
    assert.equal(names.townOf(1), null);
    assert.equal(asked.length, before);
    // It is there again.
    answers = { table: true, places, countries };
    await names.renew();
    assert.equal(names.townOf(1), "Rome");
});

test("where the host knows no names, nobody is offered to say a place", async () => {
    answers = { table: false, places: [], countries: {} };
    const names = await known();
    assert.deepEqual(names.choices(() => {}), []);
    assert.equal(names.facts(() => {}), null);
    const asking = asked.length;
    await names.learn(1);
    assert.equal(asked.length, asking);
});

test("in another language all is asked for anew, and nothing is left after the vault is closed", async () => {
    const names = await known();
    names.forget();
    assert.equal(names.wordsOf({ id: 1 }), null);
    await names.learn(1);
    assert.equal(asked.length, 2);
    names.dispose();
    assert.deepEqual([names.places, [...names.byId], names.countries], [[], [], {}]);
});
