import { test } from "node:test";
import assert from "node:assert/strict";
import { addressOf, askBelow, base64URL, meansSessionEnd, originalPath, pathOf, problemFrom, qrPath } from "../../www/js/base/api.js";

test("a problem has what the host said of it", () => {
    const body = { code: "name-taken", detail: "There is one.", album: "A1", door: "Party" };
    const problem = problemFrom(409, JSON.stringify(body), "7");
    const { status, code, detail, album, door, retryAfter } = problem;
    assert.deepEqual({ status, code, detail, album, door, retryAfter }, { status: 409, ...body, retryAfter: 7 });
    assert.equal(problem.message, "name-taken");
});

test("an answer that is none of the host's is a problem all the same", () => {
    for (const text of ["", "<h1>Bad gateway</h1>", "null", "[]", "\"text\"", "12", "{\"code\": 3, \"detail\": {}}"]) {
        const { code, detail, retryAfter } = problemFrom(502, text, null);
        assert.deepEqual({ code, detail, retryAfter }, { code: "status-502", detail: "", retryAfter: 0 }, text);
    }
});

test("how long to wait is a number of seconds, or nothing", () => {
    const waits = ["12", "0", "-3", "soon", "Fri, 28 Nov 2026 10:00:00 GMT", null];
    assert.deepEqual(waits.map((text) => problemFrom(429, "{}", text).retryAfter), [12, 0, 0, 0, 0, 0]);
});

test("a wrong password says nothing about the session that asks", () => {
    assert.ok(meansSessionEnd(problemFrom(401, '{"code": "not-signed-in"}', null)));
    assert.ok(!meansSessionEnd(problemFrom(401, '{"code": "no-such-vault"}', null)));
    assert.ok(!meansSessionEnd(problemFrom(403, '{"code": "not-signed-in"}', null)));
});

test("names become paths that hold nothing else, and bytes are written as the host writes them", () => {
    assert.equal(originalPath({ id: "a/b?c" }), "/api/photos/a%2Fb%3Fc/original");
    assert.equal(originalPath({ id: "a", isMotion: true }), "/api/photos/a/motion");
    assert.equal(qrPath("http://[::1]:8080/#x"), "/api/qr.svg?address=http%3A%2F%2F%5B%3A%3A1%5D%3A8080%2F%23x");
    assert.equal(base64URL(Uint8Array.of(0xfb, 0xff, 0xfe, 0)), "-__-AA");
});

test("a page with an interface of its own asks below it, but for what every page asks", () => {
    askBelow("/give/api/");
    assert.equal(addressOf("/api/photos/one.jpg"), "/give/api/photos/one.jpg");
    assert.equal(addressOf("/api/hello"), "/api/hello");
    assert.equal(addressOf("/api/certificate"), "/api/certificate");
    assert.equal(addressOf("/world.json"), "/world.json");
    assert.equal(pathOf("/give/api/uploads/AAAA"), "/api/uploads/AAAA");
    assert.equal(pathOf("/elsewhere"), "/elsewhere");
    assert.equal(pathOf(null), null);
    askBelow("/api/");
});
