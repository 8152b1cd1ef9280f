import assert from "node:assert/strict";
import { test } from "node:test";
import english from "../../www/i18n/inside/en.js";
import simplified from "../../www/i18n/inside/zh-Hans.js";
import traditional from "../../www/i18n/inside/zh-Hant.js";
import { Problem } from "../../www/js/base/api.js";
import { afterFailure, verdict } from "../../www/js/uploads/upload-carrying.js";
import { stops } from "../../www/js/uploads/upload.js";

const least = () => 0;
const most = () => 1;

function refused(status, code, retryAfter = 0, failures = 0, random = least) {
    return verdict({ status, problem: new Problem({ status, code, retryAfter }) }, failures, random);
}

test("it is saved once the host names its photo, or had its content", () => {
    assert.deepEqual(verdict({ status: 204, photo: "a" }, 0), { kind: "saved" });
    assert.deepEqual(verdict({ isKnown: true }, 0), { kind: "saved" });
});

test("what was broken off here begins again at once", () => {
    assert.deepEqual(verdict({ failure: "aborted" }, 6), { kind: "again", delay: 0 });
});

test("what this device cannot read, or what arrives damaged, needs attention", () => {
    for (const failure of ["unreadable", "corrupt"]) {
        assert.deepEqual(verdict({ failure }, 0), { kind: "failed", reason: failure });
    }
});

test("without an answer somebody asks first whether the host is there", () => {
    for (const failure of ["silent", "network", "asleep"]) assert.deepEqual(verdict({ failure }, 0), { kind: "silent" });
});

test("a session that has ended locks, whatever the host calls it", () => {
    assert.deepEqual(refused(401, "session-ended"), { kind: "locked" });
});

test("a refusal that meets every file alike stops the queue", () => {
    for (const reason of stops) assert.deepEqual(refused(507, reason), { kind: "stopped", reason });
    assert.deepEqual(refused(503, "read-only", 9), { kind: "stopped", reason: "read-only" });
    assert.deepEqual(refused(507, "whatever"), { kind: "stopped", reason: "disk-full" });
});

test("each reason to stop has its words in every language", () => {
    for (const words of [english, simplified, traditional]) {
        // The page of a door says of itself that there is no room, or leads to the encrypted one.
        for (const reason of stops.filter((one) => !one.startsWith("door-") && one !== "tls-required")) {
            for (const key of [`up.stopped.${reason}`, `up.held.${reason}`]) assert.ok(words[key], key);
        }
    }
});

test("a host that asks for patience gets it, and not from all files at once", () => {
    for (const status of [423, 429, 503]) {
        assert.deepEqual(refused(status, "busy", 4), { kind: "again", delay: 4000 });
        assert.deepEqual(refused(status, "busy", 4, 0, most), { kind: "again", delay: 5200 });
        // No sooner than after a second.
        assert.deepEqual(refused(status, "busy"), { kind: "again", delay: 1000 });
    }
});

test("a batch that nobody knows is a question of the place", () => {
    assert.deepEqual(refused(404, "no-such-batch"), { kind: "astray" });
});

test("what cannot get better by itself is not tried again", () => {
    for (const [status, code] of [[400, "name-invalid"], [409, "conflict"], [413, "file-too-large"], [403, "forbidden"]]) {
        assert.deepEqual(refused(status, code), { kind: "failed", reason: code });
    }
});

test("an error of the host is tried again later and later, and in the end somebody has to look", () => {
    const delays = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];
    for (const [failures, delay] of delays.entries()) {
        assert.deepEqual(refused(500, "internal-failure", 0, failures, () => 0.5), { kind: "later", delay });
    }
    assert.deepEqual(refused(500, "internal-failure", 0, delays.length), { kind: "failed", reason: "internal-failure" });
    assert.deepEqual(afterFailure("network", delays.length), { kind: "failed", reason: "network" });
    // Not all at once when the host is back.
    assert.deepEqual([least, most].map((random) => Math.round(afterFailure("network", 1, random).delay)), [700, 1300]);
});

test("an answer without a problem is read as the host wrote it", () => {
    const text = JSON.stringify({ code: "vault-full" });
    assert.deepEqual(verdict({ status: 507, text }, 0), { kind: "stopped", reason: "vault-full" });
    assert.deepEqual(verdict({ status: 503, text: "", retryAfter: "7" }, 0, least), { kind: "again", delay: 7000 });
    // From something in between.
    assert.equal(verdict({ status: 502, text: "<html>" }, 0).kind, "later");
});
