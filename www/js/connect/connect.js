// The way to a secure connection: the landing page over plain HTTP, the help page elsewhere. Nothing is typed here.
import * as api from "../base/api.js";
import { comparing, ways } from "./connect-guide.js";
import { el, icon } from "../base/dom.js";
import { doorFrame } from "../elements/frame.js";
import { preferredLanguage, t, use } from "../base/i18n.js";
import { loadIcons } from "../base/icons.js";
import { platformOf } from "../base/platform.js";
import { isTrusted } from "./probe.js";
import { isEncrypted, isReadableByOthers, secureAddress } from "../base/transport.js";

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
