// What an installed page shows away from home. It keeps nothing.
"use strict";

/** The last one leads past this worker: there a browser says what is wrong with a certificate. */
const words = {
    en: ["Safelight is at home.", "You are not on its Wi-Fi. Or its computer is off or asleep.", "Try again", "At home? Open it directly"],
    "zh-Hans": ["Safelight 在家里。", "你没有连上家里的 Wi-Fi。也可能是它的电脑关了或在休眠。", "重试", "在家？直接打开"],
    "zh-Hant": ["Safelight 在家裡。", "你沒有連上家裡的 Wi-Fi。也可能是它的電腦關了或在休眠。", "重試", "在家？直接開啟"],
};
const past = "?direct";

function page() {
    const wanted = navigator.languages.find((one) => /^(en|zh)\b/.test(one)) ?? "en";
    const lang = wanted.startsWith("en") ? "en" : /Hant|TW|HK|MO/i.test(wanted) ? "zh-Hant" : "zh-Hans";
    const [title, note, again, direct] = words[lang];
    return `<!doctype html><html lang="${lang}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Safelight</title><style>
body{margin:0;min-height:100vh;display:grid;place-content:center;padding:1rem;box-sizing:border-box;font:1rem/1.5 system-ui,sans-serif;background:#FAF9F7;color:#1C1A18}
a{display:block;padding:.65rem 0;color:#A43D04}@media(prefers-color-scheme:dark){body{background:#12100E;color:#F3EDE6}a{color:#FF9248}}
</style><main><h1>${title}</h1><p>${note}</p><a href="">${again}</a><a href="./${past}">${direct}</a></main></html>`;
}

onfetch = (event) => {
    const { mode, method, url } = event.request;
    const { pathname, search } = new URL(url);
    if (mode !== "navigate" || method !== "GET" || search === past || pathname.includes("/api/")) return;
    event.respondWith(fetch(event.request).catch(() => new Response(page(), { status: 503, headers: {
        "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'" } })));
};
