import { test } from "node:test";
import assert from "node:assert/strict";
import { bytes, choose, decimal, format, has, lastDayBefore, month, percent, speak, t, timeLeft } from "../../www/js/base/i18n.js";
import english from "../../www/i18n/en.js";
import simplified from "../../www/i18n/zh-Hans.js";

const speakEnglish = (...wishes) => speak("en", english, wishes);

test("the first of the reader's languages that is ours is chosen, else the one to fall back to", () => {
    assert.equal(choose(["de-AT", "en-US", "zh-CN"]), "en");
    assert.equal(choose(["fr", "zh-CN"]), "zh-Hans");
    assert.equal(choose(["fr", "de"]), "en");
    assert.equal(choose([], null), null);
});

test("Chinese is written as in the place that the reader names", () => {
    for (const wish of ["zh", "zh-CN", "zh-SG", "zh-Hans", "zh-Hans-CN", "ZH-cn"]) assert.equal(choose([wish]), "zh-Hans", wish);
    for (const wish of ["zh-TW", "zh-HK", "zh-MO", "zh-Hant", "zh-Hant-TW", "zh-hant"]) assert.equal(choose([wish]), "zh-Hant", wish);
});

test("a counted text has the form of its number in its language, and the number as the reader writes it", () => {
    speakEnglish("en-GB");
    assert.equal(t("count.bytes", { n: 1 }), "1 byte");
    assert.equal(t("left.minutes", { n: 1200 }), "about 1,200 minutes left");
    speak("zh-Hans", simplified, ["zh-CN"]);
    assert.equal(t("count.bytes", { n: 1 }), simplified["count.bytes"].other.replace("{n}", "1"));
});

test("what a text leaves open is filled in as it is, and a name that looks like a placeholder stays one", () => {
    speak("en", { key: "{name} and {other}", plain: "x" });
    assert.equal(t("key", { name: "{other} $& $1", other: "two" }), "{other} $& $1 and two");
    assert.equal(t("key", { name: "one" }), "one and {other}");
    assert.ok(has("plain") && !has("absent"));
    assert.equal(t("absent"), "absent");
});

test("sizes are decimal, with one digit behind the point where that says something", () => {
    speakEnglish("en-GB");
    const sizes = [0, 999, 1000, 3_140_000, 99_900_000, 123_400_000, 5_000_000_000, 2e15];
    assert.deepEqual(sizes.map(bytes),
        ["0 bytes", "999 bytes", "1 kB", "3.1 MB", "99.9 MB", "123 MB", "5 GB", "2,000 TB"]);
});

test("numbers and dates are those of the reader's own variety of the language", () => {
    const date = new Date(2024, 4, 3, 12);
    speakEnglish("zh-CN", "en-US", "en-GB");
    assert.equal(format(date, { dateStyle: "long" }), "May 3, 2024");
    speakEnglish("en-GB");
    assert.equal(format(date, { dateStyle: "long" }), "3 May 2024");
    assert.deepEqual([month(date), month(date, true), percent(0.5), decimal(1.25, 1)], ["May 2024", "May 2024", "50%", "1.3"]);
    // The reader who asks for German gets English all the same, written as English is.
    speakEnglish("de-DE");
    assert.equal(decimal(1234.5, 1), "1,234.5");
});

test("what is kept until an instant has its last whole day before it", () => {
    process.env.TZ = "Asia/Shanghai";
    speakEnglish("en-GB");
    assert.equal(lastDayBefore("2026-12-22T10:00:00Z"), "21 December");
    assert.equal(lastDayBefore("2026-12-21T17:00:00Z"), "21 December");
});

test("a time that is left is told no finer than it is known", () => {
    speakEnglish("en-GB");
    assert.deepEqual([0, 59, 60, 89, 91, 5399, 5400, 7300].map(timeLeft), [
        "less than a minute left", "less than a minute left", "about 1 minute left", "about 1 minute left",
        "about 2 minutes left", "about 90 minutes left", "about 2 hours left", "about 2 hours left"]);
});
