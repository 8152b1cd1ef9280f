import { test } from "node:test";
import assert from "node:assert/strict";
import { around, ordered, ownNameOf, partsOf, shelved } from "../../www/js/albums/album-requests.js";

const album = (id, name, fields = {}) => ({ id, name, count: 1, isCoverChosen: false, cover: `cover of ${id}`, ...fields });
const favourites = { id: "favourites", count: 2, isCoverChosen: false };
/** As the host lists them: what was used last first. */
const all = [favourites, album("1", "Alps / Day 10"), album("2", "Rome"), album("3", "alps"), album("4", "Alps / Day 2"), album("5", "AC/DC"),
    album("6", "X / Y / Z")];
const names = (order, within = "") => shelved(all, { order, within }).map(({ id, name, albums }) => [name ?? id, albums]);

test("a name says in which albums one stands", () => {
    assert.deepEqual(partsOf("Alps / Day 1 / Morning"), ["Alps", "Day 1", "Morning"]);
    assert.deepEqual(["AC/DC", " / ", "a/ b", "a /b"].map((name) => partsOf(name).length), [1, 1, 1, 1]);
    assert.deepEqual([ownNameOf("Alps / Day 1"), around("Alps / Day 1 / Morning"), around("Rome")], ["Day 1", "Alps / Day 1", ""]);
});

test("a wall shows one level: whatever holds others is one cover with their number", () => {
    assert.deepEqual(names("newest"), [["favourites", undefined], ["Alps", 2], ["Rome", undefined], ["AC/DC", undefined], ["X", 1]]);
    assert.deepEqual(names("name", "alps"), [["alps", undefined], ["Alps / Day 2", undefined], ["Alps / Day 10", undefined]]);
    assert.deepEqual(names("name", "X"), [["X / Y", 1]]);
    assert.deepEqual(names("name", "X / Y"), [["X / Y / Z", undefined]]);
    assert.deepEqual(names("name", "Rome").map(([name]) => name), ["Rome"]);
    assert.equal(shelved(all, { order: "newest" })[1].cover, "cover of 1");
    // One that holds others and comes last of all is still no cover of its own.
    const holder = shelved([album("1", "A / B"), album("2", "A")], { order: "newest" });
    assert.deepEqual(holder.map(({ within, albums }) => [within, albums]), [["A", 1]]);
});

test("by name numbers count as numbers; by hand those without a place follow as they are listed", () => {
    const plain = (order, albums) => ordered(albums, order).map(({ id }) => id).join("");
    assert.equal(plain("name", [album("1", "Day 10"), album("2", "day 9"), album("3", "Äpfel"), album("4", "Zürich")]), "3214");
    const placed = [album("1", "a"), album("2", "b", { place: 7 }), album("3", "c"), album("4", "d", { place: 3 })];
    assert.deepEqual([plain("hand", placed), plain("newest", placed)], ["4213", "1234"]);
    assert.equal(plain("name", [album("1", "a"), { ...favourites, id: "0" }]), "01");
});
