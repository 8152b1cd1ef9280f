// Errors in the reader's words: what happened, whether anything is lost, what to do.
import { Problem, Unreachable } from "./api.js";
import { t, has } from "./i18n.js";

/**
 * The text for an error; a code without words of its own falls back to what the host said.
 * @param {unknown} error
 * @returns {string}
 */
export function describe(error) {
    if (error instanceof Unreachable) return t("error.unreachable");
    if (!(error instanceof Problem)) return t("error.page");
    if (error.limit && has(`limit.${error.limit}`)) return t(`limit.${error.limit}`, { wait: waitWords(error.retryAfter || 1) });
    if (has(`error.${error.code}`)) return t(`error.${error.code}`);
    if (has(`error.${error.status}`)) return t(`error.${error.status}`);
    return error.detail || t("error.unknown", { code: error.code });
}

/**
 * When another try makes sense.
 * @param {number} seconds
 */
export function waitWords(seconds) {
    if (seconds < 120) return t("wait.seconds", { n: seconds });
    const minutes = Math.ceil(seconds / 60);
    return minutes < 120 ? t("wait.minutes", { n: minutes }) : t("wait.hours", { n: Math.ceil(seconds / 3600) });
}
