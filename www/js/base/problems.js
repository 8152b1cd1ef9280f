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
    if (has(`error.${error.code}`)) return t(`error.${error.code}`);
    if (has(`error.${error.status}`)) return t(`error.${error.status}`);
    return error.detail || t("error.unknown", { code: error.code });
}
