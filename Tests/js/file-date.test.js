import assert from "node:assert/strict";
import { test } from "node:test";
import { dateOf } from "../../www/js/files/file-date.js";
import { inMemory } from "../../www/js/files/file-reading.js";
import { box, joined, jpeg, number, png, text, tiff, written } from "./bytes.js";

const now = Date.UTC(2026, 0, 1);
const copied = Date.UTC(2024, 10, 24);
const [taken, digitized, changed] = [0x9003, 0x9004, 0x0132];
const lengths = { moment: 23, day: 10, month: 7, year: 4 };

/** The date that is told by the clock on the wall, "unknown", or null where it cannot be told here. */
async function read(bytes, name = "a.jpg", type = "") {
    const time = await dateOf(inMemory({ name, type, lastModified: copied }, bytes.buffer), now);
    if (time?.wall === undefined) return time && "unknown";
    return new Date(time.wall).toISOString().slice(0, lengths[time.precision]).replace(/\.000$/, "");
}

/** A moment by the clock of whatever machine this is. */
const here = (moment) => new Date(moment - new Date(moment).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

/** When a file says nothing, it was taken when it was copied. */
const whenCopied = here(copied);

const photo = (main, exif = [], gps = null, others = []) => jpeg(640, 480, { exif: tiff({ main, exif, gps }), others });
const packet = (...attributes) => [0xe1, `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><rdf:Description ${attributes.join(" ")}/></x:xmpmeta>`];

test("when the shutter opened comes first, then when it was made digital, last the change", async () => {
    const times = [written(taken, "2019:02:03 04:05:06"), written(digitized, "2020:02:03 04:05:06")];
    const change = [written(changed, "2021:02:03 04:05:06")];
    assert.equal(await read(photo(change, times)), "2019-02-03T04:05:06");
    assert.equal(await read(photo(change, times.slice(1))), "2020-02-03T04:05:06");
    assert.equal(await read(photo(change)), "2021-02-03T04:05:06");
    assert.equal(await read(photo([])), whenCopied);
});

test("an XMP packet tells it, too, by whatever prefix it declares", async () => {
    assert.equal(await read(photo([], [], null, [packet('photoshop:DateCreated="2019-02-03T04:05:06+01:00"')])), "2019-02-03T04:05:06");
    assert.equal(await read(photo([], [], null, [packet('xmlns:ps="http://ns.adobe.com/photoshop/1.0/"', 'ps:DateCreated="2019-02-03"')])), "2019-02-03");
    // What it means where it stands there twice is not decided here.
    assert.equal(await read(photo([], [], null, [packet('exif:DateTimeOriginal="2019-02-03"', 'other:DateTimeOriginal="2018-02-03"')])), null);
});

test("satellites tell the day, and the zone of a camera's clock", async () => {
    const rational = (value) => joined(number(value, 4), number(1, 4));
    const gps = [[7, 5, joined(rational(12), rational(0), rational(0))], written(0x1d, "2019:02:03")];
    assert.equal(await read(photo([], [written(taken, "2019:02:03 14:00:10")], gps)), "2019-02-03T14:00:10");
    assert.equal(await read(photo([], [], [written(0x1d, "2019:02:03")])), "2019-02-03");
    // Satellites counted 1024 weeks, and began again.
    const rolled = [gps[0], written(0x1d, "1999:12:25")];
    assert.equal(await read(photo([written(changed, "2019:08:10 14:00:00")], [], rolled)), "2019-08-10T14:00:00");
    // There were none for cameras before 2002, where the camera's own clock says something later.
    assert.equal(await read(photo([written(changed, "2019:01:10 14:00:00")], [], rolled)), "2019-01-10T14:00:00");
    // Another day than that of the last change: somebody edited it since.
    assert.equal(await read(photo([written(changed, "2019:03:10 14:00:00")], [], gps)), here(Date.UTC(2019, 1, 3, 12)));
});

test("blocks that are not read here may tell more, and then nothing is told", async () => {
    assert.equal(await read(photo([written(changed, "2020:02:03 04:05:06")], [], null, [[0xed, "Photoshop 3.0\0"]])), null);
    assert.equal(await read(joined(photo([]), "AXS!12345678")), null);
    // Unless the shutter has spoken.
    assert.equal(await read(photo([], [written(taken, "2019:02:03 04:05:06")], null, [[0xed, "Photoshop 3.0\0"]])), "2019-02-03T04:05:06");
    for (const name of ["a.webm", "a.mkv", "a.JXL", "a.cr3"]) assert.equal(await read(text("words"), name), null, name);
});

test("a PNG says when a program wrote it, which counts before it was copied", async () => {
    const time = (year) => ["tIME", joined(number(year, 2), [2, 3, 4, 5, 6])];
    assert.equal(await read(png(time(2019)), "a.png"), here(Date.UTC(2019, 1, 3, 4, 5, 6)));
    assert.equal(await read(png(time(2025)), "a.png"), whenCopied);
    assert.equal(await read(png(["eXIf", tiff({ exif: [written(taken, "2018:02:03 04:05:06")] })]), "a.png"), "2018-02-03T04:05:06");
    // Texts that may tell a time are not read here.
    assert.equal(await read(png(["tEXt", text("Creation Time\0 2017")]), "a.png"), null);
});

test("a video tells it by its own texts, else by the clock in its head, else by those of its tracks", async () => {
    const head = (type, seconds) => box(type, [0, 0, 0, 0], number(seconds + 2_082_844_800, 4), new Uint8Array(88));
    const seconds = Date.UTC(2023, 5, 30, 23, 30, 5) / 1000;
    const text8 = (words) => box("\u00a9day", number(words.length, 2), [0, 0], words);
    const movie = (...boxes) => joined(box("ftyp", "qt  ", [0, 0, 0, 0]), box("moov", ...boxes));
    assert.equal(await read(movie(head("mvhd", seconds)), "a.mov"), here(seconds * 1000));
    // Some cameras count from 1970, as no movie should.
    assert.equal(await read(movie(head("mvhd", seconds - 2_082_844_800)), "a.mov"), here(seconds * 1000));
    assert.equal(await read(movie(head("mvhd", seconds), box("udta", text8("2023-07-01T08:30:05+0900"))), "a.mov"), "2023-07-01T08:30:05");
    assert.equal(await read(movie(head("mvhd", -2_082_844_800), box("trak", head("tkhd", seconds))), "a.mov"), here(seconds * 1000));
    // Who numbers films by their years writes it without a clock.
    assert.equal(await read(movie(box("udta", text8("20180707"))), "a.mp4"), "2018-07-07");
    assert.equal(await read(movie(head("mvhd", seconds), box("udta", box("XMP_", "more"))), "a.mov"), null);
});

test("what is no picture and no video was taken when its name says so, or when it was changed", async () => {
    assert.equal(await read(text("words"), "IMG_20240131_123456.txt"), "2024-01-31T12:34:56");
    assert.equal(await read(text("words"), "a.txt"), whenCopied);
    // Some picture that is not known here may tell more.
    assert.equal(await read(text("words"), "a.xyz", "image/xyz"), null);
});

test("a panorama that was put together from others has the times of these", async () => {
    const namespace = 'xmlns:GPano="http://ns.google.com/photos/1.0/panorama/"';
    for (const name of ["FirstPhotoDate", "SourceImageCreateTime"]) {
        assert.equal(await read(photo([], [], null, [packet(namespace, `GPano:${name}="2012-11-07T21:03:13.465Z"`)])), here(Date.UTC(2012, 10, 7, 21, 3, 13)) + ".465");
    }
});

test("what the host reads and nothing here does is not told, so that no photo stands in a wrong month", async () => {
    // In words, or as a count of seconds; and a number, of which names beside it say whether it is a year.
    for (const words of ["Thu Aug 12 14:37:14 2003", "1060699034"]) {
        assert.equal(await read(photo([], [written(taken, words)])), null, words);
        assert.equal(await read(photo([], [], null, [packet(`exif:DateTimeOriginal="${words}"`)])), null, words);
    }
    for (const name of ["1964.jpg", "1964 (2).jpg"]) assert.equal(await read(photo([]), name), null, name);
    assert.equal(await read(photo([]), "1964-07.jpg"), "1964-07");
    assert.equal(await read(photo([], [written(taken, "2019:02:03 04:05:06")]), "1964.jpg"), "2019-02-03T04:05:06");
    // Blanks and zeros are no words.
    for (const none of ["0000:00:00 00:00:00", "    :  :     :  :  "]) assert.equal(await read(photo([], [written(taken, none)])), whenCopied, none);
});
