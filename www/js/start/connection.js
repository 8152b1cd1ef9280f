// Whether the host answers, and the banner while it does not.
import * as api from "../base/api.js";
import { el, icon, setText, announce } from "../base/dom.js";
import { t } from "../base/i18n.js";

const waits = [2, 4, 8, 10];
/** After so long a while it is hardly the host that has just been started again. */
const helpAfter = 60_000;
/** Milliseconds for an answer, on a link that may be dead. */
const patience = 10_000;
/** @type {HTMLElement | null} */ let banner = null;
/** @type {HTMLElement | null} */ let words = null;
let attempt = 0;
let remaining = 0;
/** @type {ReturnType<typeof setInterval> | null} */ let ticking = null;
let since = 0;

/** One thin banner while the host does not answer; it asks again by itself, in 2 to 10 seconds. */
export function watchConnection() {
    api.onReachability((reachable) => (reachable ? hide() : show()));
    window.addEventListener("online", () => { if (banner) probe(); });
}

/** Where the page itself says that the host is away, the banner says only when it asks again. */
function waitWords() {
    return t(document.querySelector(".plain") ? "offline.again" : "offline.wait", { n: remaining });
}

function show() {
    if (banner) return;
    since = performance.now();
    words = el("p");
    banner = el("aside", { class: "offline" }, icon("offline"), words,
        el("button", { class: "link", type: "button", onclick: probe }, t("offline.now")));
    document.getElementById("notes").append(banner);
    announce(t("offline.said"));
    attempt = 0;
    wait();
}

function hide() {
    clearInterval(ticking);
    if (!banner) return;
    banner.remove();
    banner = null;
    // Whoever heard that it is away hears that it is back.
    announce(t("offline.back"));
}

function wait() {
    clearInterval(ticking);
    remaining = waits[Math.min(attempt, waits.length - 1)];
    attempt += 1;
    if (performance.now() - since >= helpAfter) help();
    setText(/** @type {Element} */ (words), waitWords());
    ticking = setInterval(() => {
        remaining -= 1;
        if (remaining <= 0) probe();
        else setText(/** @type {Element} */ (words), waitWords());
    }, 1000);
}

/** What people can look after, in the order in which it helps most. */
function help() {
    if (!banner || banner.querySelector("details")) return;
    banner.classList.add("has-help");
    banner.append(el("details", { open: true }, el("summary", {}, t("offline.long")),
        el("ul", {}, ...["network", "host", "vpn", "android"].map((name) => el("li", {}, t(`offline.${name}`))))));
    announce(t("offline.long"));
}

async function probe() {
    clearInterval(ticking);
    const key = document.querySelector(".plain") ? "offline.asking" : "offline.trying";
    if (banner) setText(/** @type {Element} */ (words), t(key));
    try {
        await api.hello(patience);
    } catch (error) {
        if (error instanceof api.Unreachable && banner) wait();
    }
}
