// Places in the history that a dialog or a state took, so that the phone's Back button leaves that first.

/** Milliseconds after which nobody waits for the browser any more. */
const patience = 1000;
let stepped = Promise.resolve();
// What the history holds from before a reload is not taken for one of these.
let count = Date.now();

/**
 * Goes back. Browsers do that a moment later, and tell of it as of the Back button.
 * @param {number} [steps]
 */
export function stepBack(steps = 1) {
    stepped = Promise.race([
        new Promise((resolve) => { window.addEventListener("popstate", resolve, { once: true }); }),
        new Promise((resolve) => { setTimeout(resolve, patience); }),
    ]);
    history.go(-steps);
}

/** How many screens of this page lie before the one that is shown, in the history. */
let depth = -1;

/**
 * Notes in the history how deep a screen lies, once it is shown. True where somebody has come anew, false where they came
 * back to it, or on to it again.
 * @returns {boolean}
 */
export function noteScreen() {
    const known = history.state?.depth;
    const isNew = known === undefined;
    depth = isNew ? depth + 1 : known;
    if (isNew) history.replaceState({ ...history.state, depth }, "");
    return isNew;
}

/**
 * Goes back to the screen before this one, whichever that was; false where this page has shown none.
 * @returns {boolean}
 */
export function leaveScreen() {
    if (depth < 1) return false;
    steppedBack().then(() => history.back());
    return true;
}

/** Resolves once that is done: what takes a place of its own before would be closed by it. */
export const steppedBack = () => stepped;

/**
 * Takes a place on top of those that are taken: Back runs `onBack()`. Gives `leave()`, for what ends otherwise, alone or
 * with what is on top of it (`steps` in all), and `forget()`, for where somebody has gone on to another screen. `name` says in the history what it is.
 * @param {string} name
 * @param {() => void} onBack
 * @returns {{forget: () => void, leave: (steps?: number) => void}}
 */
export function takeBack(name, onBack) {
    const id = count += 1;
    const listeners = new AbortController();
    const isThere = () => history.state?.[name] === id;
    history.pushState({ ...history.state, [name]: id }, "", location.href);
    window.addEventListener("popstate", () => {
        // What lies above it was left.
        if (isThere()) return;
        listeners.abort();
        onBack();
    }, { signal: listeners.signal });
    return {
        forget: () => listeners.abort(),
        leave(steps = 1) {
            if (listeners.signal.aborted) return;
            listeners.abort();
            if (isThere()) stepBack(steps);
        },
    };
}
