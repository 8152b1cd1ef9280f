import { test } from "node:test";
import assert from "node:assert/strict";
import { isRunning } from "../../www/js/base/browser.js";

test("a version runs once the host has it or a later one, by its numbers and not by its letters", () => {
    assert.ok(isRunning("0.10.0", "0.10.0") && isRunning("0.9.2", "0.10.0") && isRunning("0.10.0", "1.0.0"));
    assert.ok(!isRunning("0.10.0", "0.9.9") && !isRunning("0.10.1", "0.10.0"));
});

test("a host that does not say its version runs none", () => {
    assert.ok(!isRunning("0.1.0"));
});
