// Which steps a visitor needs: those of their system, or of Firefox, which keeps certificates of its own on a computer.

/** @typedef {"ios" | "android" | "windows" | "macos" | "firefox" | "linux"} Platform */

/**
 * In the order in which they are offered; each has its steps in the language files.
 * @type {Platform[]}
 */
export const platforms = ["ios", "android", "windows", "macos", "firefox", "linux"];

/**
 * One of `platforms`, from what `navigator` tells. An iPad calls itself a Mac, but no Mac has a touch screen.
 * @param {{userAgent: string, maxTouchPoints?: number}} browser
 * @returns {Platform}
 */
export function platformOf({ userAgent, maxTouchPoints = 0 }) {
    /** @param {RegExp} pattern */
    const is = (pattern) => pattern.test(userAgent);
    if (is(/iPhone|iPad|iPod/) || (is(/Macintosh/) && maxTouchPoints > 1)) return "ios";
    if (is(/Android/)) return "android";
    if (is(/Firefox\//)) return "firefox";
    if (is(/Windows/)) return "windows";
    return is(/Macintosh/) ? "macos" : "linux";
}
