// The viewer over photos of a vault: what is done with one beyond looking at it, and the text that the host has read in its picture.
// The page of a window has nothing of it.
import * as api from "../base/api.js";
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { toast } from "../elements/dialog.js";
import { Viewer } from "./viewer.js";

export { land } from "./viewer-facts.js";

/** @param {import("./viewer.js").ViewerOptions} options @returns {Viewer} */
export function openViewer(options) {
    return new VaultViewer(options);
}

/** Characters of text that are heard with a picture; all of it stands in the details. */
const mostHeard = 300;

/** A text in one line, cut at the end of a word where it is longer than `most` characters. Chinese has no spaces to cut at.
 * @param {string} text @param {number} most @returns {string} */
export function firstWords(text, most) {
    const line = text.split(/\s+/).filter(Boolean).join(" ");
    const characters = [...line];
    if (characters.length <= most) return line;
    // With the character behind it, so that a word that ends there is whole.
    const space = characters.slice(0, most + 1).lastIndexOf(" ");
    return t("words.cut", { text: characters.slice(0, space > most / 2 ? space : most).join("") });
}

/** What is heard in the place of the picture.
 * @param {Pick<Photo, "name" | "words">} photo @returns {string} */
export const alternativeOf = ({ name, words }) => (words ? t("words.heard", { name, text: firstWords(words, mostHeard) }) : name);

class VaultViewer extends Viewer {
    choices() {
        const { photo } = this;
        // A list that came before the host had read it knows less than the photo. The clipboard exists in secure contexts alone.
        const copy = photo && (photo.hasWords || photo.words) && navigator.clipboard ? [{ sign: "file", label: t("words.copy"), run: () => this.copyWords(photo) }] : [];
        if (this.kind !== "photos") return [...super.choices(), ...copy];
        const isPicture = photo?.type.startsWith("image/");
        return [...super.choices(), ...copy,
            ...(this.canCrop ? [{ sign: "crop", label: t("crop"), run: () => this.crop() }] : []),
            ...(photo?.edit ? [{ sign: "restore", label: t("crop.back"), run: () => this.saveEdit(null) },
                { sign: "download", label: t("crop.download"), run: () => this.downloadPart() }] : []),
            ...(isPicture ? [{ sign: "clockwise", label: t("turn.right"), run: () => this.rotate(90) },
                { sign: "anticlockwise", label: t("turn.left"), run: () => this.rotate(-90) }] : []),
            { sign: "clock", label: t("date.change"), run: this.changeDate },
            ...this.names?.choices(this.changePlace) ?? [],
            ...(photo && this.onArchive ? [this.archiveChoice(photo, this.onArchive(photo))] : []),
            ...(this.onSimilar ? [{ sign: "similar", label: t("title.similar"), run: () => this.showSimilar() }] : [])];
    }

    /** What has left the list by that gives way to its neighbour.
     * @param {Photo} photo @param {import("../elements/dialog.js").Choice} choice */
    archiveChoice(photo, { run, ...choice }) {
        return { ...choice, run: async () => {
            await run();
            this.goOnWithout(photo);
        } };
    }

    showSimilar() {
        const { photo } = this;
        if (!photo) return;
        this.leaveFor(() => this.onSimilar?.(photo));
    }

    // ---- the text in a picture

    /** What is known already is not asked for again: Safari lets a page write only right behind a tap.
     * @param {Photo} photo */
    async copyWords(photo) {
        await this.onAttempt(async () => {
            photo.words ??= (await api.photo(photo.id, this.listeners.signal)).words;
            if (!photo.words) {
                toast(t("words.none"));
                return;
            }
            await navigator.clipboard.writeText(photo.words).then(() => toast(t("words.copied")), () => this.sayRefused());
        });
    }

    /** The browser, or somebody whom it asked, said no. */
    sayRefused() {
        const isSeen = !this.facts.element.hidden;
        toast(t("words.refused"), isSeen ? {} : { action: t("info.title"), run: () => {
            if (this.facts.element.hidden) this.toggleInfo();
        } });
    }

    /** @param {Photo} photo @returns {import("./viewer-facts.js").Fact[]} */
    furtherFacts({ words }) {
        if (!words) return [];
        // Keys scroll it once it has the focus.
        return [["info.words", [el("div", { class: "picture-words", tabindex: "0", role: "group", dir: "auto", "aria-label": t("info.words") }, words)]]];
    }

    /** And what is heard in its place. */
    drawSeen() {
        super.drawSeen();
        const image = this.stage.frame.querySelector("img");
        if (image && this.photo) image.alt = alternativeOf(this.photo);
    }

    /** The host may have read it only now. */
    renew() {
        super.renew();
        const { photo } = this;
        if (!photo || photo.words || !this.list.at(this.list.placeOf(photo.id))?.hasWords) return;
        photo.hasWords = true;
        this.learn(photo);
    }
}
