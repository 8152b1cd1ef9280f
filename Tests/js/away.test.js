import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import vm from "node:vm";

const source = readFileSync(new URL("../../www/away.js", import.meta.url), "utf8");

/** What the worker answers to a navigation where the host is away; undefined where it leaves that to the browser. */
async function asked(url, { languages = ["en-GB"], mode = "navigate", method = "GET", fetched = () => Promise.reject(new TypeError()) } = {}) {
    const world = vm.createContext({ navigator: { languages }, URL, Response, fetch: fetched, onfetch: null });
    vm.runInContext(source, world);
    let answer;
    world.onfetch({ request: { url, mode, method }, respondWith: (promise) => { answer = promise; } });
    return answer;
}

test("away from home it says where Safelight is, in the reader's language, and nothing else", async () => {
    const expected = { "en-GB": "Safelight is at home.", "de-DE": "Safelight is at home.", "zh-CN": "Safelight 在家里。", zh: "Safelight 在家里。",
        "zh-TW": "Safelight 在家裡。", "zh-Hant-HK": "Safelight 在家裡。" };
    for (const [language, title] of Object.entries(expected)) {
        const answer = await asked("https://attic.local:8080/", { languages: [language] });
        const html = await answer.text();
        assert.ok(html.includes(`<h1>${title}</h1>`), `${language}: ${html}`);
        assert.ok(!/<script|undefined|http/.test(html));
        assert.equal(answer.status, 503);
        assert.match(answer.headers.get("Content-Security-Policy"), /^default-src 'none'/);
    }
});

test("at home every page is the host's own", async () => {
    const own = {};
    assert.equal(await asked("https://attic.local/#/albums", { fetched: () => Promise.resolve(own) }), own);
});

test("what is no page, is sent, downloaded or asked for directly is left to the browser", async () => {
    for (const [url, options] of [["https://attic.local/js/page.js", { mode: "no-cors" }], ["https://attic.local/share", { method: "POST" }],
        ["https://attic.local/api/photos/x/original?download", {}], ["https://attic.local/photos/?direct", {}]]) {
        assert.equal(await asked(url, options), undefined, url);
    }
});

test("it is small, and keeps nothing", () => {
    assert.ok(Buffer.byteLength(source) <= 2048);
    assert.ok(!/caches|indexedDB|localStorage|postMessage|clone/.test(source));
});
