import { test } from "node:test";
import assert from "node:assert/strict";
import { AlbumPlaces, isAlbum } from "../../www/js/albums/album-requests.js";
import { favourites, nameOf } from "../../www/js/albums/album-dialogs.js";
import { albumNameOf, foldersOf } from "../../www/js/albums/album-part.js";
import { isMarked } from "../../www/js/albums/album-actions.js";
import { speakEnglish } from "./english.js";

speakEnglish();

test("an album is called as its folder as far as a name may be long", () => {
    const names = { "Holiday 2024/Rome": "Holiday 2024 / Rome", " Rome //Old ": "Rome / Old", "Cafe\u0301": "Café",
        [`${"x".repeat(120)}/${"y".repeat(120)}`]: "y".repeat(120), ["照".repeat(100)]: "照".repeat(66), "": "" };
    assert.deepEqual(Object.fromEntries(Object.keys(names).map((folder) => [folder, albumNameOf(folder)])), names);
});

test("albums are offered once, for what lies in folders and has no album yet", () => {
    const item = (folder, album = null) => ({ file: { folder }, album });
    const items = [item("Rome"), item(""), item("Rome", "Oslo"), { file: null, album: null }];
    const offer = () => [...foldersOf(items, ({ folder }) => folder)].map(([one, name]) => [items.indexOf(one), name]);
    assert.deepEqual(offer(), [[0, "Rome"]]);
    assert.deepEqual(offer(), []);
});

test("the album of hearts is called in the reader's language", () => {
    assert.deepEqual([nameOf({ id: favourites }), nameOf({ id: "1", name: "Rome" }), nameOf({ id: "1" })], ["Favourites", "Rome", ""]);
});

test("the address of an album tells neither its name nor its id, and leads to it on this page alone", () => {
    const places = new AlbumPlaces();
    const album = { id: "aGVhcnRz", name: "Rome" };
    const address = places.address(album);
    assert.ok(isAlbum(address) && !address.includes(album.id) && !address.includes("Rome"));
    assert.ok(places.at(address) === album && places.address(album) === address);
    assert.notEqual(places.address({ id: "other" }), address);
    assert.equal(new AlbumPlaces().at(address), null);
    assert.equal(places.at("#/albums"), null);
    places.clear();
    assert.equal(places.at(address), null);
    assert.notEqual(places.address(album), address);
});

test("photos have a heart when all of them do, and none has none", () => {
    assert.deepEqual([[], [true], [true, false], [true, undefined], [true, true]]
        .map((hearts) => isMarked(hearts.map((favourite) => ({ favourite })), "favourite")), [false, true, false, false, true]);
});
