import { test } from "node:test";
import assert from "node:assert/strict";
import { isLoopback } from "../../www/js/base/browser.js";

test("this computer is told by its own names and addresses alone", () => {
    for (const name of ["localhost", "photos.localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) assert.ok(isLoopback(name), name);
    for (const name of ["attic.local", "128.0.0.1", "127.0.0.1.example", "10.127.0.0.1", "localhost.example", "notlocalhost", "[fd77::1]"]) {
        assert.ok(!isLoopback(name), name);
    }
});
