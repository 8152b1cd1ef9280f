import { test } from "node:test";
import assert from "node:assert/strict";
import { describe } from "../../www/js/base/problems.js";
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
