// What becomes of the photos on the screen when somebody leaves the page: they are veiled, and perhaps locked.
import * as api from "../base/api.js";
import { preference } from "../base/preferences.js";
import { onTabs, tellTabs } from "../base/tabs.js";

/** `stay`, `minute` or `once`, as the settings say. */
const chosenWhenLeft = () => preference("left", "stay");

const minute = 60_000;
/** Milliseconds for another tab of this browser, to which somebody goes, to say that it is looked at. */
const patience = 400;

/**
 * Veils the page while it is hidden, so that the switcher of a phone shows no photo. `isVault`: it can be locked;
 * `isBusy()`: files are sent or wait, which a lock would keep from going on; `onLock()` locks.
 */
export class WhenLeft {
    /** @param {{signal: AbortSignal, isVault: boolean, isBusy: () => boolean, onLock: () => void}} options */
    constructor({ signal, isVault, isBusy, onLock }) {
        this.isVault = isVault;
        this.isBusy = isBusy;
        this.onLock = onLock;
        this.id = crypto.getRandomValues(new Uint32Array(2)).join();
        /** @type {number | null} */
        this.left = null;
        /**
         * The other tabs of this browser that are looked at.
         * @type {Set<string>}
         */
        this.others = new Set();
        document.addEventListener("visibilitychange", () => this.changed(), { signal });
        window.addEventListener("pagehide", () => this.closing(), { signal });
        // A picker for files may be as large as the screen: who chooses has not left.
        document.addEventListener("click", ({ target }) => this.note(target), { signal, capture: true });
        for (const name of ["change", "cancel"]) {
            document.addEventListener(name, () => { this.isChoosing = false; }, { signal, capture: true });
        }
        onTabs("seen", (told) => this.hear(told), { signal });
        signal.addEventListener("abort", () => this.end());
        this.tell(true);
    }

    end() {
        clearTimeout(this.timer);
        document.body.classList.remove("is-veiled");
        tellTabs("seen", { id: this.id, isSeen: false });
    }

    /** @param {EventTarget | null} target */
    note(target) {
        if (target instanceof HTMLInputElement && target.type === "file") this.isChoosing = true;
    }

    /** @param {boolean} [isQuestion] */
    tell(isQuestion = false) {
        tellTabs("seen", { id: this.id, isQuestion, isSeen: document.visibilityState === "visible" });
    }

    /** @param {{id: string, isSeen: boolean, isQuestion?: boolean}} told */
    hear({ id, isSeen, isQuestion }) {
        if (isSeen) this.others.add(id);
        else this.others.delete(id);
        if (isQuestion) this.tell();
    }

    changed() {
        const isHidden = document.visibilityState === "hidden";
        document.body.classList.toggle("is-veiled", isHidden);
        this.tell();
        clearTimeout(this.timer);
        if (!isHidden) {
            const away = this.left === null ? 0 : Date.now() - this.left;
            this.left = null;
            this.isChoosing = false;
            // A phone may have let the page sleep.
            if (chosenWhenLeft() === "minute" && away >= minute) this.lock();
            return;
        }
        this.left = this.isChoosing ? null : Date.now();
        /** @type {number | undefined} */
        const wait = { once: patience, minute }[chosenWhenLeft()];
        if (wait && this.left !== null) this.timer = setTimeout(() => this.lock(), wait);
    }

    get mayLock() {
        return this.isVault && !this.isChoosing && !this.isBusy() && this.others.size === 0;
    }

    lock() {
        if (this.mayLock) this.onLock();
    }

    /** No time is left for anything but the request itself. */
    closing() {
        if (chosenWhenLeft() === "once" && this.mayLock) api.lockWhileLeaving();
        tellTabs("seen", { id: this.id, isSeen: false });
    }
}
