// What was saved and read back, to keep beside the photos: a file of lines that spreadsheets open.
import { keepText } from "../base/download.js";
import { t } from "../base/i18n.js";

/**
 * Saves the host's receipt of a batch, a list of `{name, size, sha256}`. Gives what forgets it.
 * @param {ReceiptLine[]} entries
 * @returns {() => void}
 */
export function keepReceipt(entries) {
    const day = new Date().toLocaleDateString("sv");
    // The mark at the beginning tells spreadsheets that it is UTF-8.
    return keepText(`\uFEFF${receiptOf(entries)}`, "text/csv", `safelight-${day}.csv`);
}

/**
 * Lines of values separated by commas, as RFC 4180 has them; the first names the columns.
 * @param {ReceiptLine[]} entries
 * @returns {string}
 */
export function receiptOf(entries) {
    const heads = [t("receipt.name"), t("receipt.size"), "SHA-256"];
    const lines = [heads, ...entries.map(({ name, size, sha256 }) => [harmless(name), size, sha256])];
    return lines.map((values) => `${values.map(quoted).join(",")}\r\n`).join("");
}

/**
 * A spreadsheet would take such a name for a formula and reckon with it.
 * @param {string} name
 */
function harmless(name) {
    return /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
}

/** @param {string | number} value */
function quoted(value) {
    return `"${String(value).replaceAll('"', '""')}"`;
}
