// The sheet of a door, to be shown or printed: its code for cameras, its link, and the code for apps that send.
import { openSheet } from "../elements/dialog.js";
import { announce, el, setText } from "../base/dom.js";
import { day, t } from "../base/i18n.js";
import { codePicture } from "./door-requests.js";

/** Apps that send by themselves, each with its steps in the language files. */
const apps = ["iphone", "android"];
const steps = 4;

/** @param {Door} door */
export function showDoorSheet(door) {
    const { id, name, link, code, lastDay } = door;
    const picture = el("img", { class: "qr door-code", width: 260, height: 260, src: codePicture(id), alt: t("doors.codeOf", { name }) });
    const address = new URL(link);
    const sheet = openSheet({ title: name, content: [
        el("div", { class: "door-paper" }, el("p", { class: "door-lead" }, t("doors.lead")), picture,
            el("p", { class: "hex door-link" }, link),
            el("p", { class: "small" }, t("doors.until", { day: day(new Date(`${lastDay}T12:00:00`)) })),
            address.protocol === "https:" ? el("p", { class: "small" }, t("doors.warns")) : null),
        el("div", { class: "code-ways" }, way("code.print", () => window.print(), true),
            document.fullscreenEnabled ? way("doors.fill", () => picture.requestFullscreen().catch(() => {})) : null,
            navigator.clipboard ? copyWay("doors.copyLink", link) : null),
        el("details", { class: "door-apps" }, el("summary", {}, t("doors.apps")),
            el("p", { class: "note" }, t("doors.appsNote")),
            el("dl", { class: "door-access" }, ...entry("doors.server", `${address.origin}/dav/inbox/`),
                ...entry("doors.user", t("doors.anyUser")), ...entry("doors.password", code)),
            navigator.clipboard ? copyWay("doors.copyCode", code) : null,
            ...apps.map((app) => el("section", {}, el("h3", {}, t(`doors.${app}.title`)),
                el("ol", {}, ...Array.from({ length: steps }, (_, index) => el("li", {}, t(`doors.${app}.${index + 1}`)))))),
            el("p", { class: "small" }, t("doors.untried")))] });
    sheet.dialog.classList.add("is-paper", "is-door");
}

/**
 * @param {string} key
 * @param {string} value
 */
const entry = (key, value) => [el("dt", { class: "small" }, t(key)), el("dd", { class: "hex", translate: "no" }, value)];

/**
 * @param {string} key
 * @param {() => unknown} run
 * @param {boolean} [isFirst]
 */
const way = (key, run, isFirst = false) => el("button", { class: "button", type: "button", "data-first": isFirst, onclick: run }, t(key));

/**
 * The clipboard exists in secure contexts alone.
 * @param {string} key
 * @param {string} text
 */
function copyWay(key, text) {
    const button = way(key, () => navigator.clipboard.writeText(text).then(() => {
        setText(button, t("code.copied"));
        announce(t("code.copied"));
    }, () => {}));
    return button;
}
