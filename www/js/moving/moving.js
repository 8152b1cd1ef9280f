// Importing: archives and folders of elsewhere. What is found in them before anything is sent, what became of all at the end, and
// the command for the host itself.
import * as api from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { describe, format, t } from "../base/i18n.js";
import { openSheet, wrongText } from "../elements/dialog.js";

/** @typedef {object} Found
 * @property {File[]} wanted
 * @property {Set<string>} folders of photos, by their paths
 * @property {number} told files that speak of photos
 * @property {{path: string, code: string}[]} left
 * @property {{name: string, code: string}[]} broken archives of which nothing can be read
 * @property {number} archives
 * @property {number} files */

/** Names of what is left are shown so far. */
const mostNamed = 20;
/**
 * What reads files, and the paths of what the device cannot read.
 * @typedef {{sending: Pick<Parts["sending"], "entriesOf" | "verdictsOn">, drop: typeof import("../files/drop.js"), unread: string[]}} Ways
 */
let nextArchive = 1;
/** What a browser would say of them, where the queue goes by that: photos first, videos last. */
const types = Object.entries({ jpeg: /\.jpe?g?$/i, png: /\.png$/i, webp: /\.webp$/i, gif: /\.gif$/i, bmp: /\.bmp$/i });

/** As a file for the queue: its bytes come out of the archive when they are sent.
 * @param {File} archive @param {ArchiveEntry} entry @param {string} key @returns {File} */
function fileIn(archive, entry, key) {
    const { path, size, modifiedAt } = entry;
    const [kind] = types.find(([, ending]) => ending.test(path)) ?? [];
    const type = kind ? `image/${kind}` : "";
    const file = { archive, entry: { ...entry, key }, name: path.slice(path.lastIndexOf("/") + 1), size, type, lastModified: modifiedAt,
        webkitRelativePath: `${archive.name}/${path}`, slice: () => archive.slice(0, 1) };
    return /** @type {any} */ (file);
}

/** What moves in together, counted as it comes; it knows no names, and outlasts a lock. */
export class Move {
    counts = { files: 0, archives: 0, stored: 0, known: 0, again: 0, told: 0, left: 0 };
    isBroken = false;
    /** Contents that came, by size and checksum. */
    seen = new Set();
    /** Each counts once, also where it is sent once more.
     * @type {WeakSet<Item>} */
    noted = new WeakSet();

    /** @param {Found} found */
    add({ files, archives, left, broken }) {
        this.counts.files += files;
        this.counts.archives += archives;
        this.counts.left += left.filter(({ code }) => code === "left").length;
        this.isBroken ||= broken.length > 0;
    }

    /** The host has it.
     * @param {Item} item @param {Outcome} outcome */
    note(item, { photo, isDuplicate, wasThere, isKnown, sidecar }) {
        const { file } = item;
        if (this.noted.has(item)) return;
        this.noted.add(item);
        if (!photo && sidecar) {
            this.counts[sidecar === "none" ? "left" : "told"] += 1;
            return;
        }
        const content = file?.entry?.crc ? `${file.size} ${file.entry.crc}` : null;
        const isHere = isDuplicate || wasThere || isKnown;
        this.counts[!isHere ? "stored" : this.seen.has(content) ? "again" : "known"] += 1;
        if (content) this.seen.add(content);
    }

    /** What is not accounted for otherwise was not read, not saved, or left out by hand.
     * @param {boolean} isChecked @returns {ImportProof} */
    proof(isChecked) {
        const { files, stored, known, again, told, left } = this.counts;
        const failed = files - stored - known - again - told - left;
        return { ...this.counts, failed, isProven: isChecked && failed === 0 && !this.isBroken };
    }
}

/** Shows what is in them, and asks. Gives what was found where it shall move in, `"files"` where all shall be kept as it
 * is, or null.
 * @param {File[]} files @param {Ways} ways @returns {Promise<Found | "files" | null>} */
export async function offer(files, ways) {
    const words = el("p", { class: "note", role: "status" });
    const content = el("div", {}, words, el("progress", { "aria-label": t("moving.title") }));
    const sheet = openSheet({ title: t("moving.title"), content: [content] });
    let isOpen = true;
    sheet.closed.then(() => { isOpen = false; });
    const found = await lookInto(files, ways, (name) => {
        setText(words, t("moving.looking", { name }));
        return isOpen;
    });
    if (!isOpen) return null;
    const go = el("button", { class: "button is-main", type: "button", onclick: () => sheet.close(found) }, t("moving.begin"));
    const keep = el("button", { class: "link", type: "button", onclick: () => sheet.close("files") }, t("moving.asFiles"));
    const isEmpty = found.wanted.length === 0;
    content.replaceChildren(findings(found), isEmpty ? "" : el("p", { class: "note" }, t("moving.parts")),
        el("div", { class: "ends" }, keep, isEmpty ? null : go));
    announce(wordsOf(content));
    if (!isEmpty) go.focus();
    return await sheet.closed ?? null;
}

/** @param {File[]} files @param {Ways} ways
 * @param {(name: string) => boolean} mayLook is asked before each archive
 * @returns {Promise<Found>} */
export async function lookInto(files, { sending, drop, unread }, mayLook) {
    const loose = files.filter((file) => !drop.isArchive(file));
    /** @type {Found} */
    const found = { wanted: [], folders: new Set(), told: 0, left: unread.map((path) => ({ path, code: "unreadable" })), broken: [],
        archives: 0, files: loose.length + unread.length };
    /** @type {Told} */ const told = { photos: new Set(), besides: new Set(), elsewhere: new Set(), texts: [] };
    /** @param {string} path @param {Pick<ArchiveEntry, "refusal" | "mentions" | "lists" | "adjusts">} verdict @param {() => File} file */
    const sort = (path, verdict, file) => {
        const [folder, name] = [path.slice(0, path.lastIndexOf("/") + 1), drop.nameKey(path.slice(path.lastIndexOf("/") + 1))];
        const { refusal, mentions } = verdict;
        const one = { path, code: refusal ?? "" };
        if (refusal) found.left.push(one);
        else found.wanted.push(file());
        if (mentions) told.texts.push({ one, folder, name, verdict });
        if (refusal === null && drop.isBeside(path)) found.told += 1;
        else if (refusal === null) {
            found.folders.add(folder);
            addPhoto(told, folder, name, drop.isTelling);
        }
    };
    for (const archive of files.filter(drop.isArchive)) {
        if (!mayLook(archive.name)) break;
        const { entries, fault } = await sending.entriesOf(archive).catch(() => ({ entries: null, fault: "unreadable" }));
        if (!entries) {
            found.broken.push({ name: archive.name, code: fault ?? "" });
            continue;
        }
        found.archives += 1;
        found.files += entries.length;
        const number = nextArchive;
        nextArchive += 1;
        for (const entry of entries) {
            sort(`${archive.name}/${entry.path}`, entry, () => fileIn(archive, entry, `${number} ${entry.ordinal}`));
        }
    }
    const paths = loose.map((file) => ({ file, path: `${drop.folderOf(file)}/${file.name}` }));
    const verdicts = loose.length > 0 ? await sending.verdictsOn(paths) : [];
    paths.forEach(({ file, path }, index) => sort(path, verdicts[index], () => file));
    nameUnread(told);
    return found;
}

/** Photos by what texts may call them, and by their paths with and without an ending; what is left and may speak of them.
 * @typedef {{photos: Set<string>, besides: Set<string>, elsewhere: Set<string>, texts: {one: {code: string}, folder: string, name: string, verdict: Pick<ArchiveEntry, "mentions" | "lists" | "adjusts">}[]}} Told */

/** @param {string} name */
const withoutEnding = (name) => name.replace(/(?<=.)\.[^.]*$/, "");

/** @param {string} folder */
const lastOf = (folder) => /[^/]*\/$/.exec(folder)?.[0] ?? "";

/** As `Sources/Import/Matching/UnreadFiles.swift` has it.
 * @param {Told} told @param {string} folder @param {string} name @param {(stem: string) => boolean} isTelling */
function addPhoto({ photos, besides, elsewhere }, folder, name, isTelling) {
    const stem = withoutEnding(name);
    photos.add(name);
    for (const [, behind = ""] of name.matchAll(/[-_](?=(.*))/g)) if (isTelling(withoutEnding(behind))) photos.add(behind);
    if (isTelling(stem)) photos.add(stem);
    for (const beside of [name, stem]) besides.add(folder + beside);
    // Programs keep what they note in folders of their own: `.comments/IMG_1.jpg.xml`, `sidecar/2020/05/IMG_1.yml`.
    elsewhere.add(name);
    if (isTelling(stem)) elsewhere.add(lastOf(folder) + stem);
    // One of several of a post, which has one text for all.
    const [, post = ""] = /^(.*)_\d*$/.exec(stem) ?? [];
    if (isTelling(post) || post.length > 8) besides.add(folder + post);
}

/** What names one of the photos, or is called after one, says something of it that was not read.
 * @param {Told} told */
function nameUnread({ photos, besides, elsewhere, texts }) {
    for (const { one, folder, name, verdict: { mentions = [], lists, adjusts } } of texts) {
        if (adjusts) {
            // `IMG_1234.AAE` and `IMG_O1234.AAE` say how `IMG_1234.HEIC` became `IMG_E1234.HEIC`.
            const [, start = "", number = ""] = /^([^_]*_)?o?(.*)$/.exec(withoutEnding(name)) ?? [];
            const isMade = start !== "" && besides.has(`${folder}${start}e${number}`);
            if (!isMade && besides.has(folder + start + number)) one.code = "unread";
            continue;
        }
        const short = withoutEnding(name);
        const cuts = [short, withoutEnding(short)];
        const isCalledAfter = [name, ...cuts].some((cut) => besides.has(folder + cut))
            || cuts.some((cut) => cut !== name && (elsewhere.has(cut) || elsewhere.has(lastOf(folder) + cut)));
        if (lists || isCalledAfter || mentions.some((said) => photos.has(said))) one.code = "unread";
    }
}

/** @param {HTMLElement} element */
export const wordsOf = (element) => [...element.querySelectorAll("strong, p, li")].map(({ textContent }) => textContent).join(" ");

/** @param {Found} found */
function findings({ wanted, folders, told, left, broken }) {
    const photos = wanted.length - told;
    const lines = [
        photos > 0 ? t("moving.photos", { n: photos, folders: t("moving.folders", { n: folders.size }) }) : null,
        told > 0 ? t("moving.describe", { n: told }) : null,
        photos === 0 && broken.length === 0 ? t("moving.nothing") : null,
    ];
    const others = left.filter(({ code }) => code === "left").map(({ path }) => path);
    const refused = left.filter(({ code }) => code !== "left");
    return el("div", { class: "found-in" },
        el("ul", { class: "figures" }, ...lines.filter(Boolean).map((line) => el("li", {}, line))),
        ...broken.map(({ name, code }) => el("div", { class: "notice" }, icon("warning"),
            el("p", {}, el("strong", {}, name), t("space"), t(`moving.why.${code}`)))),
        ...byCode(refused).map(([code, paths]) => named(`${t("moving.refused", { n: paths.length })}${t("space")}${t(`moving.why.${code}`)}`, paths)),
        others.length > 0 ? named(t("moving.rest", { n: others.length }), others) : null);
}

/** @param {{path: string, code: string}[]} refused */
function byCode(refused) {
    const codes = new Set(refused.map(({ code }) => code));
    return [...codes].map((code) => /** @type {[string, string[]]} */ (
        [code, refused.filter((one) => one.code === code).map(({ path }) => path)]));
}

/** @param {string} words @param {string[]} paths */
function named(words, paths) {
    const rest = paths.length - mostNamed;
    return el("details", {}, el("summary", {}, words), el("ul", { class: "small" },
        ...paths.slice(0, mostNamed).map((path) => el("li", { class: "hex" }, path)), rest > 0 ? el("li", {}, t("up.more", { n: rest })) : null));
}

/** What became of all that moved in, in the words of the command, once all of it was read back, and matched with what is said of it.
 * @param {Move} move @param {{uploads: Uploads, status: BatchStatus, signal: AbortSignal}} options
 * @returns {Promise<HTMLElement>} */
export async function told(move, { uploads, status, signal }) {
    await readBack(uploads, signal);
    const { isChecked, queue } = uploads;
    const deleted = [...queue.states.saved].filter(({ isDeleted }) => isDeleted).length;
    const { sidecars, trashed = 0, settled = true } = await settledFrom(status, signal);
    const more = [
        trashed > 0 ? t("moving.trashed", { n: trashed }) : null,
        deleted > 0 ? t("moving.deleted", { n: deleted }) : null,
        (sidecars?.waiting ?? 0) > 0 ? t("moving.waiting", { n: sidecars?.waiting ?? 0 }) : null,
        (sidecars?.partial ?? 0) > 0 ? t("moving.partial", { n: sidecars?.partial ?? 0 }) : null,
    ];
    const proof = move.proof(isChecked && settled);
    const close = el("button", { class: "round", type: "button", "aria-label": t("close") }, icon("close", "is-small"));
    const element = el("section", { class: "bar-line is-result is-move" }, icon(proof.isProven ? "done" : "warning", "is-small"),
        account(t("moving.done"), proof, more), close);
    close.addEventListener("click", () => element.remove());
    return element;
}

/** Milliseconds between two questions, and how often they are asked. */
const pause = 1000;
const mostQuestions = 600;

const wait = () => new Promise((resolve) => { setTimeout(resolve, pause); });

/** @param {BatchStatus} status @param {AbortSignal} signal @returns {Promise<BatchStatus>} */
async function settledFrom(status, signal) {
    let now = status;
    for (let round = 0; now.settled === false && round < mostQuestions && !signal.aborted; round += 1) {
        await wait();
        now = await api.batch(status.id).catch(() => now);
    }
    return now;
}

/** What was found from before a reload is of another batch, which may not have been read back yet.
 * @param {Uploads} uploads @param {AbortSignal} signal */
async function readBack(uploads, signal) {
    for (let round = 0; round < mostQuestions && !signal.aborted; round += 1) {
        const saved = [...uploads.queue.states.saved];
        const unread = saved.filter(({ account, isChecked, isLost }) => account && !isChecked && !isLost);
        const found = await uploads.sending.readBackOf(unread, saved.filter(({ isChecked }) => isChecked));
        for (const item of unread) item.isChecked = found.has(item);
        if (unread.every(({ isChecked }) => isChecked)) break;
        await wait();
    }
    uploads.changed();
}

/** @param {string} title @param {ImportProof} proof @param {(string | null)[]} [more] */
function account(title, proof, more = []) {
    const { files, stored, known, again, left, failed, isProven } = proof;
    const lines = [
        ["moving.stored", stored], ["moving.known", known], ["moving.again", again],
        ["moving.told", files - stored - known - again - left - failed], ["moving.left", left], ["moving.failed", failed],
    ];
    const counted = lines.filter(([, n]) => Number(n) > 0).map(([key, n]) => t(String(key), { n: Number(n) }));
    return el("div", {}, el("strong", {}, title), el("p", {}, t("moving.files", { n: files })),
        el("ul", { class: "figures" }, ...[...counted, ...more.filter(Boolean)].map((line) => el("li", {}, line))),
        el("p", {}, t(isProven ? "moving.proven" : "moving.unproven")));
}

// The way to import, of the settings: the ways to choose, and the command for the host itself, with what its last one proved.

/** From where, and what somebody names of it; the host's shell shall open none of it itself. */
const SOURCES = [
    ["moving.google", "~/Downloads/takeout-*.zip"], ["moving.apple", "~/Downloads/\"iCloud Photos Part \"*.zip"],
    ["moving.others", "~/Downloads/export.zip"], ["moving.folder", "--keep-folders ~/Pictures"],
];

/** Opens with the answer of the host, so that nothing moves once it is there. `onFiles` and `onFolder` open a picker.
 * @param {{onFiles: () => void, onFolder: (() => void) | null}} options */
export async function showMoveIn({ onFiles, onFolder }) {
    /** @type {Node[]} */ let content;
    try {
        /** @type {MovingIn} */
        const { command, last } = await api.request("GET", "/api/import");
        content = [
            ...(last ? [proven(last)] : []), el("p", {}, t("moving.how")),
            el("div", { class: "ends" },
                onFolder ? choose("moving.chooseFolder", "button only-wide", onFolder) : null,
                choose("moving.choose", "button is-main", onFiles)),
            el("p", { class: "note" }, t("moving.end")),
            el("details", {}, el("summary", {}, t("moving.onHost")), el("p", { class: "note" }, t("moving.byCommand")),
                el("ul", { class: "moving" }, ...SOURCES.map(([key, files]) => source(t(key), `${command} ${files}`)))),
        ];
    } catch (error) {
        content = [wrongText(describe(error))];
    }
    // A session that ended in the meantime has closed every sheet already; it must not be followed by one more.
    if (!document.querySelector(".shell")) return;
    const sheet = openSheet({ title: t("moving.title"), content });

    /** @param {string} key @param {string} classes @param {() => void} pick */
    function choose(key, classes, pick) {
        return el("button", { class: classes, type: "button", onclick: () => {
            sheet.close();
            pick();
        } }, t(key));
    }
}

/** What the last import by the command said at its end.
 * @param {NonNullable<MovingIn["last"]>} last */
function proven({ at, proof }) {
    const when = format(new Date(at), { dateStyle: "long", timeStyle: "short" });
    return el("div", { class: "notice" }, icon(proof.isProven ? "done" : "warning"), account(t("moving.last", { when }), proof));
}

/** One command. The clipboard exists in secure contexts alone.
 * @param {string} name @param {string} command */
function source(name, command) {
    const text = el("code", { class: "hex" }, command);
    const copy = navigator.clipboard ? el("button", { class: "link", type: "button", "aria-label": `${t("device.copy")}: ${name}` },
        t("device.copy")) : null;
    copy?.addEventListener("click", () => navigator.clipboard.writeText(command).then(() => {
        setText(copy, t("device.copied"));
        announce(t("device.copied"));
    }, () => getSelection()?.selectAllChildren(text)));
    return el("li", {}, el("div", {}, el("strong", {}, name), copy), text);
}
