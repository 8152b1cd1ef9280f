// The way to a secure connection: the landing page over plain HTTP, the help page elsewhere. Nothing is typed here.
import * as api from "../base/api.js";
import { el, icon, loadIcons } from "../base/dom.js";
import { has, preferredLanguage, t, use } from "../base/i18n.js";
import { isEncrypted, isReadableByOthers, platformOf, platforms, secureAddress } from "../base/browser.js";
import { doorFrame, hexParagraph } from "../elements/pieces.js";

// What to do about the browser's warning: two ways, the steps of each system, and the fingerprint to compare.

/**
 * Both ways: the steps of the visitor's platform `own` in sight, the others folded. `goesOn` where the page leaves by
 * itself once the certificate is trusted.
 * @param {import("../base/browser.js").Platform} own
 * @param {Certificate} certificate
 * @param {{goesOn: boolean}} options
 */
export function ways(own, { name, broad }, { goesOn }) {
    const others = platforms.filter((platform) => platform !== own);
    return [
        part("why", paragraph("why.note")),
        part("install", paragraph("install.note"), el("h3", {}, t(`name.${own}`)), ...guide(own, name),
            paragraph(goesOn ? "install.then.landing" : "install.then.open"), paragraph(broad ? "install.broad" : "install.limits"),
            el("div", {}, el("h3", {}, t("install.others")),
                ...others.map((platform) => fold(t(`name.${platform}`), ...guide(platform, name))))),
        part("past", paragraph("past.note"), paragraph(`past.${own}`)),
    ];
}

/**
 * The fingerprint and what comparing it is good for.
 * @param {Certificate} certificate
 */
export function comparing({ kind, name, words, fingerprint }) {
    return part("compare", paragraph("compare.why"), paragraph("compare.how"),
        el("ol", { class: "words", "aria-label": t("compare.words") },
            ...words.map((word) => el("li", { lang: "en" }, word))),
        fold(t("compare.hex"), hexParagraph(fingerprint)),
        paragraph("compare.differ"), paragraph(`compare.same.${kind}`, { name }));
}

/**
 * iOS takes certificates as configuration profiles; a certificate file it may save as something else.
 * @param {import("../base/browser.js").Platform} platform
 * @param {string} name
 */
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
    return [1, 2, 3, 4, 5].map((number) => `step.${platform}.${number}`).filter((key) => has(key));
}

/**
 * @param {string} key
 * @param {...Node} content
 */
function part(key, ...content) {
    return el("section", { class: "part", "aria-labelledby": `part-${key}` },
        el("h2", { id: `part-${key}` }, t(`${key}.title`)), ...content);
}

/**
 * @param {string} key
 * @param {Record<string, string>} [values]
 */
function paragraph(key, values) {
    return el("p", { class: "note" }, ...rich(t(key, values)));
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function fold(title, ...content) {
    return el("details", { class: "fold" }, el("summary", {}, icon("right", "is-small"), title),
        el("div", { class: "part" }, ...content));
}

/**
 * A text in which `*…*` are words on a screen and `` `…` `` is something to type.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function rich(text) {
    return text.split(/(\*[^*]+\*|`[^`]+`)/).filter(Boolean).map((piece) => {
        if (piece.startsWith("*")) return el("strong", {}, piece.slice(1, -1));
        return piece.startsWith("`") ? code(piece.slice(1, -1)) : piece;
    });
}

/**
 * A line does not end within a word of it, unless the word is too long for a phone.
 * @param {string} text
 */
function code(text) {
    const words = text.split(" ").flatMap((word, index) => [
        index > 0 ? " " : null, word.length < 24 ? el("span", { class: "word" }, word) : word,
    ]);
    return el("code", {}, ...words);
}

// Whether this browser trusts the host's certificate already: then nobody needs to read about certificates.

/**
 * A request over TLS succeeds only when the browser accepts the certificate without asking anybody.
 * @returns {Promise<boolean>}
 */
async function isTrusted() {
    try {
        await fetch(new URL("connect/secure", `https://${location.host}`), { mode: "no-cors", cache: "no-store", credentials: "omit" });
        return true;
    } catch {
        return false;
    }
}

const root = document.getElementById("app");
/**
 * `undefined` until the host has answered, `null` while it has none.
 * @type {Certificate | null | undefined}
 */
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
    const [title, ...content] = certificate ? withCertificate(certificate) : without();
    root.replaceChildren(doorFrame({ long: true, onLanguage: changeLanguage, content: [title, ...content] }));
    document.title = `${title?.querySelector("h1")?.textContent} · Safelight`;
}

/**
 * @param {string} key
 * @param {Record<string, string>} [values]
 */
function head(key, values) {
    return el("div", { class: "door-head" }, el("h1", {}, t(`${key}.title`)),
        el("p", { class: "note" }, t(`${key}.note`, values)));
}

function without() {
    const again = el("button", { class: "button is-main is-wide", type: "button", onclick: lookAgain }, t("again"));
    return [head(isReachable ? "none" : "gone"), again];
}

/** @param {Certificate} certificate */
function withCertificate(certificate) {
    const isOwn = certificate.kind === "own";
    const key = isReadableByOthers() ? "landing" : isEncrypted() ? "secure" : "here";
    return [
        head(key), goOn(),
        isOwn ? el("p", { class: "note" }, t("own.note")) : null,
        ...(isOwn ? [] : ways(platformOf(navigator), certificate, { goesOn: isReadableByOthers() })),
        comparing(certificate),
    ];
}

/** The one main thing to do: on, over TLS, with the setup code that may stand behind `#`. */
function goOn() {
    const words = isReadableByOthers() ? t("goOn", { address: `https://${location.host}` }) : t("open");
    const address = isReadableByOthers() ? secureAddress(location.hash) : `/${location.hash}`;
    return el("a", { class: "button is-main is-wide", href: address }, icon("lock", "is-small"), el("span", {}, words));
}

start();
