import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { estimateBy } from "../../www/js/door/common-passwords.js";
import { weakness } from "../../www/js/door/vault-forms.js";

const file = readFileSync(new URL("../../www/common-passwords.bin", import.meta.url));
const samples = JSON.parse(readFileSync(new URL("../passwords.json", import.meta.url), "utf8"));
const bits = estimateBy(file, samples.hostNames);

// `PasswordRulesTests` asks the host about the same.
for (const [kind, code] of [["short", "password-too-short"], ["common", "password-too-common"], ["accepted", null]]) {
    test(`passwords are judged as the host does: ${kind}`, () => {
        assert.deepEqual(samples[kind].filter((password) => weakness(password, bits) !== code), []);
    });
}

test("the host's own names are guessed first, and only there", () => {
    assert.equal(weakness("quastefix2024", estimateBy(file, ["quastefix.local"])), "password-too-common");
    assert.equal(weakness("quastefix2024", bits), null);
});

test("before the list has come only what is too short is known", () => {
    assert.equal(weakness("password123", null), null);
    assert.equal(weakness("password", null), "password-too-short");
});

test("a file may lie anywhere in what was read", () => {
    const moved = new Uint8Array(file.length + 3);
    moved.set(file, 3);
    assert.equal(estimateBy(moved.subarray(3), [])("minecraft2024"), estimateBy(file, [])("minecraft2024"));
});

test("what is no list of common passwords, such as a page of a proxy, is none", () => {
    for (const text of ["", "<!doctype html>", "SLCP\u0001 and more"]) {
        assert.throws(() => estimateBy(new TextEncoder().encode(text), []), /no common passwords/);
    }
});
