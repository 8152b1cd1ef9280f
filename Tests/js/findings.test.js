import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import english from "../../www/i18n/inside/en.js";
import simplified from "../../www/i18n/inside/zh-Hans.js";
import traditional from "../../www/i18n/inside/zh-Hant.js";
import { platformOf } from "../../www/js/base/browser.js";
import { sniff } from "../../www/js/files/sniff.js";
import { Findings, kinds } from "../../www/js/uploads/upload-carrying.js";

const photo = (path) => sniff(readFileSync(new URL(`../Photos/${path}`, import.meta.url)));
const photos = { iphone: photo("phone/iphone_hdr_YES.jpg"), live: photo("phone/IMG_5195.HEIC"),
    indoors: photo("phone/IMG_iphone_13_pro_max.HEIC"), jolla: photo("phone/jolla.jpg"), nikon: photo("gps/DSCN0010.jpg") };
const movie = sniff(new TextEncoder().encode("\0\0\0\u0014ftypqt  \0\0\0\0"));
const screenshot = { format: "png", make: "Google", hasPlace: false, isLive: false, isScreenshot: true };

/** What is said of files by their names. */
function told(platform, facts) {
    const findings = new Findings(platform);
    for (const [id, [name, one]] of Object.entries(facts).entries()) {
        findings.note({ id, name }, one);
        // A file that is sent again is no second one.
        findings.note({ id, name }, one);
    }
    return findings.counts.map(({ kind, count }) => `${count} ${kind}`);
}

test("an iPhone's copies are told with numbers, and none of them twice", () => {
    const files = { "iphone.jpg": photos.iphone, "IMG_5195.HEIC": photos.live, "jolla.jpg": photos.jolla, "indoors.HEIC": photos.indoors };
    assert.deepEqual(told("ios", files), ["2 place", "1 jpeg", "1 live"]);
    assert.deepEqual(told("ios", { "a.mov": movie }), ["1 video"]);
});

test("a still with its video is no loss", () => {
    assert.deepEqual(told("ios", { "IMG_5195.HEIC": photos.live, "img_5195.MOV": movie }), ["1 video"]);
    assert.deepEqual(told("linux", { "IMG_5195.HEIC": photos.live, "IMG_5195.MOV": movie }), []);
    assert.deepEqual(told("linux", { "IMG_5195.HEIC": photos.live, "IMG_5196.MOV": movie }), ["1 live"]);
});

test("a computer hands out files as they are", () => {
    for (const platform of ["windows", "macos", "linux", "firefox"]) {
        assert.deepEqual(told(platform, { "a.jpg": photos.jolla, "b.jpg": photos.iphone, "c.mov": movie, "d.png": screenshot }), []);
    }
});

test("Android takes places away, and a screenshot has none to lose", () => {
    const files = { "a.jpg": photos.jolla, "b.jpg": photos.nikon, "IMG_0001.PNG": screenshot, "c.jpg": photos.iphone, "d.mov": movie };
    assert.deepEqual(told("android", files), ["1 place", "1 screenshot"]);
});

test("phones are told apart by what their browsers say of themselves", () => {
    const iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1";
    const android = "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36";
    const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.5 Safari/605.1.15";
    assert.equal(platformOf({ userAgent: iphone }), "ios");
    assert.equal(platformOf({ userAgent: android }), "android");
    assert.equal(platformOf({ userAgent: mac, maxTouchPoints: 5 }), "ios");
    assert.equal(platformOf({ userAgent: mac }), "macos");
});

test("each kind has its words and a way to do better in every language", () => {
    for (const words of [english, simplified, traditional]) {
        for (const kind of kinds) for (const key of [`found.${kind}`, `found.${kind}.way`]) assert.ok(words[key], key);
    }
    assert.match(english["found.place.ios"], /keep Location on/);
    assert.match(english["found.place.way"], /^Android leaves out where photos were taken/);
    assert.match(english["found.jpeg.way"], /choose Current/);
});
