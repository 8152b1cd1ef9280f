// Leaving a place in the history that a dialog took, so that the phone's Back button closes it.

/** Milliseconds after which nobody waits for the browser any more. */
const patience = 1000;
let stepped = Promise.resolve();

/** Goes back by one. Browsers do that a moment later, and tell of it as of the Back button. */
export function stepBack() {
    stepped = Promise.race([
        new Promise((resolve) => { window.addEventListener("popstate", resolve, { once: true }); }),
        new Promise((resolve) => { setTimeout(resolve, patience); }),
    ]);
    history.back();
}

/** Resolves once that is done: what takes a place of its own before would be closed by it. */
export const steppedBack = () => stepped;
