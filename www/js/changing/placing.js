// Where photos were taken, as somebody says it: a field that completes the names of places, and the way back.
import { inParts, request } from "../base/api.js";
import { el, reconcile, setText } from "../base/dom.js";
import { describe, language, t } from "../base/i18n.js";
import { askForm } from "../elements/dialog.js";
import { filesOf } from "../photos/photo-words.js";
import { each, inTurn, offer, refusal, resetTick } from "./by-hand.js";

/** @typedef {{id?: number, latitude: number, longitude: number} | null} Said */

/** Where photos were said to be before: each place with the photos to which it belongs; null is what the file says.
 * @param {Map<string, Place | undefined>} before @returns {{place: Said, ids: string[]}[]} */
export function waysBack(before) {
    /** @type {Map<string, {place: Said, ids: string[]}>} */ const found = new Map();
    for (const [id, place] of before) {
        const said = place?.from === "person" ? { id: place.id, latitude: place.latitude, longitude: place.longitude } : null;
        const key = JSON.stringify(said);
        const way = found.get(key) ?? { place: said, ids: [] };
        way.ids.push(id);
        found.set(key, way);
    }
    return [...found.values()];
}

/** @param {string[]} ids @param {Said | {id: number}} place */
const put = (ids, place) => inParts("POST", "/api/photos/place", ids, { place });

/** The videos of Live Photos go with them.
 * @param {Photo[]} photos @param {{id: number} | null} place @param {() => void} onChange @returns {Promise<void>} */
function setPlace(photos, place, onChange) {
    const ids = filesOf(photos).map(({ id }) => id);
    /** @type {Map<string, Place | undefined>} */ const before = new Map();
    return inTurn(async () => {
        await each(ids, async (id) => {
            /** @type {Photo} */ const known = await request("GET", `/api/photos/${encodeURIComponent(id)}`);
            before.set(id, known.place);
        });
        try {
            await put(ids, place);
        } finally {
            onChange();
        }
        offer(t("place.done", { n: photos.length }), () => each(waysBack(before), (way) => put(way.ids, way.place)).finally(onChange));
    });
}

/** "Rom → Rome" is told by the name that somebody has typed; what is around it tells towns of one name apart.
 * @param {MeantPlace} place */
export function optionWords({ name, matched, within, region, countryName }) {
    return { name: matched && matched !== name ? `${name} (${matched})` : name, around: [within, region, countryName].filter(Boolean).join(", ") };
}

/** Places that begin so, in the reader's language or another one.
 * @param {string} asked @param {AbortSignal} signal @returns {Promise<MeantPlace[]>} */
const namesLike = async (asked, signal) =>
    (await request("GET", `/api/places/names?q=${encodeURIComponent(asked)}&lang=${language()}`, undefined, { signal })).places;

let count = 0;

/** A field that offers places as somebody types, and has the one that was chosen (ARIA 1.2, combobox with a list). */
class PlaceField {
    /** @type {MeantPlace[]} */ offered = [];
    /** @type {MeantPlace | null} */ chosen = null;
    active = -1;
    stop = new AbortController();

    constructor() {
        count += 1;
        const id = `place-${count}`;
        this.list = el("ul", { class: "place-options", role: "listbox", id: `${id}-list`, "aria-label": t("place.field"), hidden: true });
        this.note = el("p", { class: "small", role: "status" });
        this.input = el("input", { id, role: "combobox", autocomplete: "off", autocapitalize: "words", spellcheck: "false", maxlength: "100",
            "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${id}-list`, oninput: () => this.typed(),
            onkeydown: (event) => this.key(event) });
        this.element = el("div", { class: "field" }, el("label", { for: id }, t("place.field")), el("div", { class: "box" }, this.input),
            this.list, this.note);
    }

    /** Only what was typed last is waited for. */
    async typed() {
        this.chosen = null;
        this.stop.abort();
        this.stop = new AbortController();
        const { signal } = this.stop;
        const asked = this.input.value.trim();
        let note = "";
        /** @type {MeantPlace[]} */ let places = [];
        try {
            if (asked !== "") places = await namesLike(asked, signal);
            if (asked !== "" && places.length === 0) note = t("place.no");
        } catch (error) {
            note = describe(error);
        }
        if (signal.aborted) return;
        this.offer(places);
        setText(this.note, note);
    }

    /** @param {MeantPlace[]} places */
    offer(places) {
        this.offered = places;
        this.active = places.length > 0 ? 0 : -1;
        reconcile(this.list, places.map((place, index) => {
            const { name, around } = optionWords(place);
            return el("li", { role: "option", id: `${this.list.id}-${index}`, "aria-selected": "false",
                // The focus stays in the field.
                onpointerdown: (event) => event.preventDefault(), onclick: () => this.choose(place) },
            el("strong", {}, name), el("span", { class: "small" }, around));
        }));
        this.draw();
    }

    draw() {
        const isOpen = this.offered.length > 0;
        this.list.hidden = !isOpen;
        this.input.setAttribute("aria-expanded", String(isOpen));
        [...this.list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === this.active)));
        const option = this.list.children[this.active];
        if (option) this.input.setAttribute("aria-activedescendant", option.id);
        else this.input.removeAttribute("aria-activedescendant");
        option?.scrollIntoView({ block: "nearest" });
    }

    /** @param {MeantPlace} place */
    choose(place) {
        const { name, around } = optionWords(place);
        this.chosen = place;
        this.input.value = [name, around].filter(Boolean).join(", ");
        this.offer([]);
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const { active, offered } = this;
        if (offered.length === 0 || event.isComposing) return;
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (by !== undefined) this.active = (active + by + offered.length) % offered.length;
        else if (event.key === "Enter") this.choose(offered[active]);
        else if (event.key === "Escape") this.offer([]);
        else return;
        // Enter does not send the form yet, and Escape does not leave it.
        event.preventDefault();
        event.stopPropagation();
        this.draw();
    }
}

/** Asks for one place for all of them. `onChange()`: the lists are others now.
 * @param {Photo[]} photos @param {() => void} onChange @returns {Promise<boolean>} */
export async function changePlaces(photos, onChange) {
    const field = new PlaceField();
    // What lists say of several does not tell who has said it.
    const reset = resetTick(t("place.reset"), photos.length > 1 || photos.some(({ place }) => place?.from === "person"), () => {
        field.input.disabled = reset.input.checked;
        field.offer([]);
    });
    reset.element.hidden = !reset.isOffered;
    const submit = async () => {
        if (reset.input.checked) await setPlace(photos, null, onChange);
        else if (field.chosen) await setPlace(photos, { id: field.chosen.id }, onChange);
        else throw refusal("place.missing");
    };
    const form = el("div", { class: "dates" }, field.element, reset.element);
    return askForm({ title: t("place.title", { n: photos.length }), note: t("date.note"), action: t("date.action"),
        fields: [{ element: form, input: field.input }], submit });
}
