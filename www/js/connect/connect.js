// The way to a secure connection: the first screen of everybody who comes over plain HTTP, the help page elsewhere. Nothing is
// typed here.
import * as api from "../base/api.js";
import { el, icon, loadIcons, nameIn } from "../base/dom.js";
import { has, preferredLanguage, t, use } from "../base/i18n.js";
import { isEncrypted, isReadableByOthers, platformOf, platforms, secureAddress, warningOf } from "../base/browser.js";
import { doorFrame, hexParagraph } from "../elements/pieces.js";

// What to do about the browser's warning: past it, by the buttons that this browser shows, or never again.

/** Behind `#`: the code of a door or a window, and its name in base64url. The host has neither from here. */
const withCode = /^#[0-9A-Za-z-]{28,40}(?:\/([\w-]*))?(?:&\w+)?$/;

/** The name of what the code has led here; empty for one without a name, null where there is none.
 * @param {string} hash @returns {string | null} */
function nameBehind(hash) {
    const found = withCode.exec(hash);
    return found && /\/(give|see)\/$/.test(location.pathname) ? nameIn(found[1] ?? "") : null;
}

/** What this browser shows where it does not know a certificate: the two places to tap, drawn as they look. */
function drawing() {
    const kind = warningOf(navigator);
    const steps = [1, 2].map((number) => el("li", {}, el("span", {}, t(`warn.${kind}.${number}`, { host: location.hostname }))));
    return el("figure", { class: `warns is-${kind}` }, el("figcaption", { class: "note" }, t("landing.choose")),
        el("div", { class: "warns-page" }, el("div", { class: "warns-words", "aria-hidden": "true" }, icon("warning"), el("i"), el("i")),
            el("ol", {}, ...steps)));
}

/** The steps of the visitor's platform `own`; `goesOn` where the page leaves by itself once the certificate is trusted. On
 * the host itself those of all devices, each folded.
 * @param {import("../base/browser.js").Platform} own @param {Certificate} certificate @param {{goesOn: boolean}} options */
function installing(own, { name, broad }, { goesOn }) {
    const words = [paragraph(goesOn ? "install.then.landing" : "install.then.open"), paragraph(broad ? "install.broad" : "install.limits")];
    if (goesOn || isEncrypted()) return [paragraph("install.note"), ...guide(own, name), ...words];
    return [paragraph("install.note"), ...words, el("div", {}, ...platforms.map((platform) => fold(t(`name.${platform}`), ...guide(platform, name))))];
}

/** The fingerprint and what comparing it is good for.
 * @param {Certificate} certificate */
function comparing({ kind, name, words, fingerprint }) {
    return [paragraph("compare.why"), paragraph("compare.how"),
        el("ol", { class: "words", "aria-label": t("compare.words") },
            ...words.map((word) => el("li", { lang: "en" }, word))),
        fold(t("compare.hex"), hexParagraph(fingerprint)),
        paragraph("compare.differ"), paragraph(`compare.same.${kind}`, { name })];
}

/** iOS takes certificates as configuration profiles; a certificate file it may save as something else.
 * @param {import("../base/browser.js").Platform} platform @param {string} name */
function guide(platform, name) {
    const file = platform === "ios" ? "/safelight-authority.mobileconfig" : "/safelight-authority.crt";
    return [
        el("a", { class: "button is-wide", href: file }, icon("download", "is-small"), t("install.download")),
        el("ol", { class: "steps" },
            ...steps(platform).map((key) => el("li", {}, el("span", {}, ...rich(t(key, { name })))))),
    ];
}

/** @param {string} platform */
function steps(platform) {
    // Firefox on a phone has a store of its own, with one step more.
    const isMore = platform !== "android" || navigator.userAgent.includes("Firefox/");
    return [1, 2, 3, 4, ...(isMore ? [5] : [])].map((number) => `step.${platform}.${number}`).filter((key) => has(key));
}

/** @param {string} key @param {...Node} content */
function part(key, ...content) {
    return el("section", { class: "part", "aria-labelledby": `part-${key}` },
        el("h2", { id: `part-${key}` }, t(`${key}.title`)), ...content);
}

/** @param {string} key @param {Record<string, string>} [values] */
function paragraph(key, values) {
    return el("p", { class: "note" }, ...rich(t(key, values)));
}

/** @param {string} title @param {...Node} content */
function fold(title, ...content) {
    return el("details", { class: "fold" }, el("summary", {}, icon("right", "is-small"), title),
        el("div", { class: "part" }, ...content));
}

/** A text in which `*…*` are words on a screen and `` `…` `` is something to type.
 * @param {string} text @returns {(Node | string)[]} */
function rich(text) {
    return text.split(/(\*[^*]+\*|`[^`]+`)/).filter(Boolean).map((piece) => {
        if (piece.startsWith("*")) return el("strong", {}, piece.slice(1, -1));
        return piece.startsWith("`") ? code(piece.slice(1, -1)) : piece;
    });
}

/** A line does not end within a word of it, unless the word is too long for a phone.
 * @param {string} text */
function code(text) {
    const words = text.split(" ").flatMap((word, index) => [
        index > 0 ? " " : null, word.length < 24 ? el("span", { class: "word" }, word) : word,
    ]);
    return el("code", {}, ...words);
}

// Whether this browser trusts the host's certificate already: then nobody needs to read about certificates.

/** A request over TLS succeeds only when the browser accepts the certificate without asking anybody.
 * @returns {Promise<boolean>} */
async function isTrusted() {
    try {
        await fetch(new URL("connect/secure", `https://${location.host}`), { mode: "no-cors", cache: "no-store", credentials: "omit" });
        return true;
    } catch {
        return false;
    }
}

const root = document.getElementById("app");
/** `undefined` until the host has answered, `null` while it has none.
 * @type {Certificate | null | undefined} */
let certificate;
let isReachable = true;
let isProbing = false;
let mayBeTrusted = false;

async function start() {
    loadIcons();
    goOnIfTrusted();
    // Who installed the certificate in the settings comes back to this page; so does the clock of the host.
    document.addEventListener("visibilitychange", () => { if (!document.hidden) lookAgain(); });
    window.addEventListener("pageshow", (event) => { if (event.persisted) lookAgain(); });
    await Promise.all([use(preferredLanguage(), { set: "connect/" }), ask()]);
    draw();
}

/** `replace`: with this page in the history, "Back" would lead here and at once forward again. */
async function goOnIfTrusted() {
    if (!isReadableByOthers()) return;
    // Who comes back while it is asked may have installed the certificate since.
    mayBeTrusted = true;
    if (isProbing) return;
    isProbing = true;
    while (mayBeTrusted) {
        mayBeTrusted = false;
        if (await isTrusted()) location.replace(secureAddress(location.hash));
    }
    isProbing = false;
}

async function ask() {
    try {
        certificate = await api.certificate();
        isReachable = true;
    } catch (error) {
        isReachable = error.code === "no-certificate";
        certificate = null;
    }
}

async function lookAgain() {
    goOnIfTrusted();
    if (certificate) return;
    await ask();
    draw();
}

/** @param {string} chosen */
async function changeLanguage(chosen) {
    await use(chosen, { store: true, set: "connect/" });
    draw();
}

function draw() {
    root.replaceChildren(doorFrame({ long: true, onLanguage: changeLanguage,
        content: certificate ? withCertificate(certificate) : without() }));
    document.title = `${root.querySelector("h1")?.textContent} · Safelight`;
}

/** @param {string} key */
function head(key) {
    return el("div", { class: "door-head" }, el("h1", {}, t(`${key}.title`)), el("p", { class: "note" }, t(`${key}.note`)));
}

function without() {
    const again = el("button", { class: "button is-main is-wide", type: "button", onclick: lookAgain }, t("again"));
    return [head(isReachable ? "none" : "gone"), again];
}

/** @param {Certificate} certificate */
function withCertificate(certificate) {
    const isOwn = certificate.kind === "own";
    const install = isOwn ? [] : installing(platformOf(navigator), certificate, { goesOn: isReadableByOthers() });
    if (isReadableByOthers()) {
        return [...landing(isOwn), el("div", {}, isOwn ? null : fold(t("install.title"), ...install),
            fold(t("compare.title"), ...comparing(certificate)))];
    }
    return [head(isEncrypted() ? "secure" : "here"), goOn(t("open"), `/${location.hash}`),
        isOwn ? el("p", { class: "note" }, t("own.note")) : part("install", ...install), part("compare", ...comparing(certificate))];
}

/** One screen: why there is a warning, and the one thing to do; on, over TLS, with what stands behind `#`.
 * @param {boolean} isOwn */
function landing(isOwn) {
    const name = nameBehind(location.hash);
    const isWindow = location.pathname.endsWith("/see/");
    const title = name ? t(isWindow ? "landing.window" : "landing.door", { door: name })
        : t(name === null ? isOwn ? "own.title" : "landing.title" : isWindow ? "landing.namelessWindow" : "landing.nameless");
    const note = isOwn ? "own.note" : name === null ? "landing.note" : "landing.doorNote";
    return [el("div", { class: "door-head" }, el("h1", {}, title), el("p", { class: "note" }, t(note))),
        isOwn ? null : drawing(), goOn(t("goOn"), secureAddress(location.hash))];
}

/** The one main thing to do.
 * @param {string} words @param {string} address */
function goOn(words, address) {
    return el("a", { class: "button is-main is-wide", href: address }, icon("lock", "is-small"), el("span", {}, words));
}

start();
