// Devices of a vault see each other: this one tells how far it is with sending, and shows how far others are.
import * as api from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** Milliseconds between what is told; the host forgets it after some more. */
const pause = 2500;

/**
 * Tells the host how far `uploads` is, from its first file to its last.
 * @param {Uploads} uploads
 * @param {{signal: AbortSignal}} options
 */
export function tellSending(uploads, { signal }) {
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */
    let timer = null;
    let isTold = false;
    const tell = () => {
        timer = null;
        const { queue } = uploads;
        const total = queue.total - queue.failed;
        const isOver = queue.unsent === 0 || total === 0;
        if (signal.aborted || isOver && !isTold) return;
        isTold = !isOver;
        const done = isOver ? total : Math.min(queue.saved, total);
        // Nobody misses it: what has come is seen, and the next one tells more.
        api.tellSending({ device: deviceKind(), done, total }).catch(() => {});
        if (!isOver) timer = setTimeout(tell, pause);
    };
    uploads.addEventListener("change", () => {
        if (!isTold && uploads.queue.unsent > 0) timer ??= setTimeout(tell, 0);
    }, { signal });
    uploads.addEventListener("finished", () => {
        clearTimeout(timer);
        tell();
    }, { signal });
    signal.addEventListener("abort", () => clearTimeout(timer));
}

/**
 * What people call this device. An iPad calls itself a Mac, but no Mac has a touch screen.
 * @param {{userAgent: string, maxTouchPoints?: number}} browser
 * @returns {Sending["device"]}
 */
export function deviceKind({ userAgent, maxTouchPoints = 0 } = navigator) {
    if (/iPhone|iPod|Android.*Mobile/.test(userAgent)) return "phone";
    return /iPad|Android/.test(userAgent) || /Macintosh/.test(userAgent) && maxTouchPoints > 1 ? "tablet" : "computer";
}

/** A line over the page while another device sends; it takes no place from the photos. */
export class SendingNews {
    constructor() {
        this.words = el("p", { class: "figures" });
        this.element = el("aside", { class: "toast is-sending" }, icon("save", "is-small"), this.words);
    }

    /**
     * `sending` is what the host says of others, `{device, done, total}` each; absent or empty where nobody sends.
     * @param {Sending[]} [sending]
     */
    show(sending = []) {
        if (sending.length === 0) {
            this.element.remove();
            return;
        }
        const [{ device, done, total }] = sending;
        setText(this.words, sending.length > 1 ? t("sending.several", { n: sending.length })
            : t(`sending.${device}`, { done, n: total }));
        if (this.element.isConnected) return;
        document.getElementById("notes").append(this.element);
        // How it gets on is for the eye.
        announce(this.words.textContent ?? "");
    }

    dispose() { this.element.remove(); }
}
