import { test } from "node:test";
import assert from "node:assert/strict";
import { platformOf, platforms, warningOf } from "../../www/js/base/browser.js";

const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15";

test("each platform is told by what its browsers call themselves", () => {
    const agents = {
        ios: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1",
        android: "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36",
        windows: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
        macos: mac,
        firefox: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
        linux: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
    };
    assert.deepEqual(Object.keys(agents), platforms);
    for (const [platform, userAgent] of Object.entries(agents)) assert.equal(platformOf({ userAgent }), platform);
});

test("Firefox on Android takes certificates from the system, as every browser on iOS does", () => {
    assert.equal(platformOf({ userAgent: "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0" }), "android");
    assert.equal(platformOf({ userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) FxiOS/140.0 Mobile" }), "ios");
});

test("an iPad is no Mac", () => {
    assert.equal(platformOf({ userAgent: mac, maxTouchPoints: 5 }), "ios");
    assert.equal(platformOf({ userAgent: mac, maxTouchPoints: 0 }), "macos");
});

test("the warning about a certificate is that of the engine's maker", () => {
    const safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0";
    const chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
    const kinds = { safari: [`${safari} Mobile/15E148 Safari/604.1`], chrome: [chrome, `${safari} CriOS/140.0 Mobile/15E148 Safari/604.1`],
        edge: [`${chrome} Edg/140.0.0.0`, `${chrome} EdgA/140.0.0.0`], firefox: ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", `${safari} FxiOS/140.0 Mobile/15E148`] };
    for (const [kind, userAgents] of Object.entries(kinds)) {
        for (const userAgent of userAgents) assert.equal(warningOf({ userAgent }), kind, userAgent);
    }
});
