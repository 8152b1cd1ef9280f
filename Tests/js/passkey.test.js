import { test } from "node:test";
import assert from "node:assert/strict";
import { isName } from "../../www/js/door/passkey.js";

test("only under a name can a device open a vault", () => {
    for (const name of ["localhost", "attic.local", "photos.example.org", "10.example"]) assert.ok(isName(name), name);
    for (const address of ["127.0.0.1", "10.77.0.1", "[fd77::1]", "[::1]"]) assert.ok(!isName(address), address);
});
