// What was taken on this day of earlier years: one line that leads there, and goes for good where somebody does not want it.
import * as api from "../base/api.js";
import { preference, remember } from "../base/browser.js";
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { toast } from "../elements/dialog.js";

/** So many years are named. */
const mostYears = 4;

export class ThisDay {
    /** @param {{addressOf: (album: Album) => string}} options */
    constructor({ addressOf }) {
        this.addressOf = addressOf;
        this.day = "";
        this.element = el("div", { class: "bar-line is-result is-day", hidden: true });
    }

    /** Asked once a day: what comes meanwhile is seen where the line leads. */
    async ask(now = new Date()) {
        const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
        const isWanted = preference("today", "on") === "on";
        if (!isWanted) this.element.hidden = true;
        if (this.day === day || !isWanted) return;
        this.day = day;
        /** @type {[string, number][]} */
        const months = await api.request("GET", `/api/albums/on-${day}/timeline`).catch(() => []);
        if (this.day === day) this.draw(months);
    }

    /** @param {[string, number][]} months */
    draw(months) {
        const count = months.reduce((sum, [, n]) => sum + n, 0);
        this.element.hidden = count === 0;
        if (count === 0) return;
        const years = [...new Set(months.map(([month]) => String(Number(month.slice(0, 4)))))];
        const words = [years.length > mostYears ? t("today.years", { from: years.at(-1) ?? "", to: years[0] }) : years.join(", "), t("count.items", { n: count })].join(" · ");
        const address = this.addressOf({ id: `on-${this.day}`, count, isCoverChosen: false });
        this.element.replaceChildren(icon("clock", "is-small"), el("a", { href: address }, el("strong", {}, t("today.title")),
            el("span", { class: "figures" }, words)), el("button", { class: "round", type: "button", "aria-label": t("today.off"),
            onclick: () => this.turnOff() }, icon("close", "is-small")));
    }

    turnOff() {
        remember("today", "off");
        this.element.hidden = true;
        toast(t("today.offDone"), { action: t("undo"), run: () => {
            remember("today", "on");
            this.element.hidden = false;
        } });
    }
}
