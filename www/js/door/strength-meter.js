// How strong a new password is, under its field: three strokes and a word. The host decides; this says it while one types.
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { part } from "../base/parts.js";

const leastLength = 10;
/** What takes fewer guesses than 2 to the power of the first is too common for the host; from the second on it is strong. */
const [leastBits, strongBits] = [38, 56];
/** A character may be a word, and counts as two. */
const wide = /[\u3400-\u9fff\uac00-\ud7a3\u{20000}-\u{3ffff}]/u;
/**
 * What knows common passwords; it comes when somebody chooses one.
 * @type {((password: string) => number) | null}
 */
let estimate = null;
/** @type {Promise<void> | null} */
let coming = null;

function prepare() {
    coming ??= part("newPassword").then(({ loadEstimate }) => loadEstimate()).then((loaded) => { estimate = loaded; });
    // Without it the host says what the page does not; the next character asks for it again.
    return coming.catch(() => { coming = null; });
}

/**
 * What the host would say against a new password, as a problem's code; null also where that is not known here.
 * @param {string} password
 * @param {((password: string) => number) | null} [bits]
 * @returns {"password-too-short" | "password-too-common" | null}
 */
export function weakness(password, bits = estimate) {
    const length = [...password.normalize("NFC")].reduce((sum, one) => sum + (wide.test(one) ? 2 : 1), 0);
    if (length < leastLength) return "password-too-short";
    return bits && bits(password) < leastBits ? "password-too-common" : null;
}

/**
 * The word, and how many strokes.
 * @param {string} password
 * @returns {[string, number]}
 */
function rate(password) {
    const weak = weakness(password);
    if (weak) return weak === "password-too-short" ? ["strength.short", 1] : ["strength.easy", 1];
    const bits = estimate?.(password) ?? 0;
    return bits < strongBits ? ["strength.fair", 2] : ["strength.strong", 3];
}

/**
 * @param {HTMLInputElement} input
 * @returns {HTMLElement}
 */
export function strengthMeter(input) {
    const strokes = [el("i"), el("i"), el("i")];
    const word = el("span");
    const element = el("div", { class: "strength", hidden: true }, ...strokes, word);
    const draw = () => {
        const isKnown = input.value !== "" && (estimate !== null || weakness(input.value) !== null);
        element.hidden = !isKnown;
        if (!isKnown) return;
        const [rating, count] = rate(input.value);
        strokes.forEach((stroke, index) => stroke.classList.toggle("is-on", index < count));
        word.textContent = t(rating);
    };
    input.addEventListener("focus", () => prepare().then(draw));
    input.addEventListener("input", () => {
        draw();
        if (!estimate) prepare().then(draw);
    });
    return element;
}
