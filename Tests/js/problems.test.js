import { test } from "node:test";
import assert from "node:assert/strict";
import { describe } from "../../www/js/base/i18n.js";
import { Problem, Unreachable } from "../../www/js/base/api.js";
import { speakEnglish } from "./english.js";

speakEnglish();
const said = (status, code, detail) => describe(new Problem({ status, code, detail }));

test("an error is told by its code, else by its status, else in the host's own words", () => {
    assert.match(said(404, "no-such-photo"), /^It is no longer here/);
    assert.match(said(503, "of-a-later-version"), /^Safelight is busy/);
    assert.equal(said(418, "of-a-later-version", "The pot is short."), "The pot is short.");
    assert.equal(said(418, "of-a-later-version"), "Safelight refused (of-a-later-version). Nothing has changed.");
});

test("no answer is no fault of the page, and what is neither is one", () => {
    assert.match(describe(new Unreachable()), /^Can’t reach Safelight/);
    assert.match(describe(new TypeError("undefined")), /^Something went wrong on this page/);
});

test("a limit is told with what there was too much of, how long it lasts, and how the host's keeper lifts it", () => {
    const told = (limit, retryAfter) => describe(new Problem({ status: 429, code: "too-many-attempts", limit, retryAfter }));
    assert.match(told("new-vaults", 345_600), /^Too many vaults .* Nothing has changed\. Try again in 96 hours\. .*safelight lift-limits$/);
    assert.match(told("ways", 86_400), /^The ways into this vault .* Try again in 24 hours\./);
    assert.match(told("guests", 3600), /^Too many guests .* Try again in 60 minutes\./);
    // Guesses are nobody's to lift.
    assert.match(told("", 30), /^Too many tries/);
});
