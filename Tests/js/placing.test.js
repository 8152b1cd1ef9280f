import { test } from "node:test";
import assert from "node:assert/strict";
import { optionWords, waysBack } from "../../www/js/changing/placing.js";
import { tripName } from "../../www/js/places/places.js";
import { speakEnglish } from "./english.js";

speakEnglish();

test("the way back says again what people had said, and of all others what their files say", () => {
    const rome = { latitude: 41.9, longitude: 12.5, id: 1, from: "person" };
    const back = waysBack(new Map([["a", rome], ["b", { latitude: 52.5, longitude: 13.4, id: 2 }], ["c", { ...rome, altitude: 20 }], ["d", undefined]]));
    assert.deepEqual(back, [{ place: { id: 1, latitude: 41.9, longitude: 12.5 }, ids: ["a", "c"] }, { place: null, ids: ["b", "d"] }]);
    assert.deepEqual(waysBack(new Map()), []);
});

test("towns of one name are told apart by what is around them, and by the name that was typed", () => {
    const place = { id: 1, name: "Rome", country: "IT", countryName: "Italy", latitude: 0, longitude: 0, count: 0 };
    assert.deepEqual(optionWords(place), { name: "Rome", around: "Italy" });
    assert.deepEqual(optionWords({ ...place, matched: "Rom" }), { name: "Rome (Rom)", around: "Italy" });
    assert.deepEqual(optionWords({ ...place, matched: "Rome", country: "US", region: "Georgia", countryName: "United States" }),
        { name: "Rome", around: "Georgia, United States" });
    assert.deepEqual(optionWords({ ...place, name: "Trastevere", within: "Rome" }).around, "Rome, Italy");
});

test("a trip is called by where and when it was", () => {
    const plain = (text) => text.replace(/[\u2009\u202f]/g, " ");
    const name = (from, to) => plain(tripName({ name: "Rome", from, to }));
    assert.match(name("2026-07-04", "2026-07-09"), /^Rome, .*4.*9.*2026/);
    assert.match(name("2025-12-30", "2026-01-06"), /^Rome, .*2025.*2026/);
    assert.match(plain(tripName({ from: "2026-07-04", to: "2026-07-09" })), /^(4|July 4).*2026$/);
    assert.match(name("2026-07-04", "2026-07-04"), /^Rome, (July 4,|4 July) 2026$/);
});
