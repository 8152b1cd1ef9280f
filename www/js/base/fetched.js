// What comes later than the page itself: a host that is away for a while is waited for.
import { hello, Unreachable, whenReachable } from "./api.js";

/** Milliseconds for an answer, and between two questions where nothing tells that the host is back. */
const patience = 10_000;
const pause = 2000;
/** What the host does not give although it answers will not come by asking on. */
const mostRefusals = 3;
let count = 0;
/** @type {Promise<boolean> | null} */ let answering = null;

/** Gives what `load(mark)` gives. `mark` goes behind the address: empty at first, then different each time, since Firefox
 * remembers of an address that its module did not come, for as long as the page lives.
 * @template T @param {(mark: string) => Promise<T>} load @returns {Promise<T>} */
export async function fetched(load) {
    let mark = "";
    for (let refusals = 0; ;) {
        try {
            return await load(mark);
        } catch (error) {
            refusals = await isThere() ? refusals + 1 : 0;
            if (refusals === mostRefusals) throw error;
        }
        count += 1;
        mark = `?again=${count}`;
    }
}

/** Resolves when the host answers: to true where it did so at once. Everything that waits asks together.
 * @returns {Promise<boolean>} */
function isThere() {
    answering ??= answer().finally(() => { answering = null; });
    return answering;
}

/** @returns {Promise<boolean>} */
async function answer() {
    for (let isFirst = true; ; isFirst = false) {
        try {
            await hello(patience);
            return isFirst;
        } catch (error) {
            if (!(error instanceof Unreachable)) return isFirst;
        }
        await Promise.race([whenReachable(), new Promise((resolve) => { setTimeout(resolve, pause); })]);
    }
}

// A page that was open while the host was upgraded: the parts that it knows by name are gone.

/** Loads the page again where its parts are gone; then this does not resolve. */
export async function leaveIfOutdated() {
    if (!await isOutdated()) return;
    location.reload();
    await new Promise(() => {});
}

/** Whether the host has been upgraded while this page was open: the parts that it knows are gone then. */
async function isOutdated() {
    const { pathname } = new URL(/** @type {HTMLScriptElement} */ (document.querySelector('script[type="module"]')).src);
    const page = await fetch("./", { cache: "no-store" });
    return page.ok && !(await page.text()).includes(`"${pathname}"`);
}
