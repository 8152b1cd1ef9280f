// How places of photos are called. With a photo comes a number alone; the names are one list for all of them, in the reader's language.
import { request } from "../base/api.js";
import { el } from "../base/dom.js";
import { language, t } from "../base/i18n.js";
import { Listed } from "./album-requests.js";

/** Emits `change`. Nobody asks for it before the first name is wanted. */
export class PlaceNames extends Listed {
    /** Those with most photos first.
     * @type {ListedPlace[]} */
    places = [];
    /** @type {Map<number, ListedPlace>} */ byId = new Map();
    /** @type {Record<string, string>} */ countries = {};
    /** Whether the host knows names at all; so it seems until it says no. */
    hasTable = true;
    /** What it was asked for and does not know.
     * @type {Set<number>} */
    unknown = new Set();

    dispose() {
        super.dispose();
        this.forget();
    }

    /** They are asked for anew, as in another language. */
    forget() {
        this.places = [];
        this.byId.clear();
        this.unknown.clear();
        this.countries = {};
        this.isLoaded = false;
    }

    async ask() {
        /** @type {{table: boolean, places: ListedPlace[], countries: Record<string, string>}} */
        const { table, places, countries } = await request("GET", `/api/places?lang=${language()}`);
        return () => {
            this.hasTable = table;
            this.places = places;
            this.byId = new Map(places.map((place) => [place.id, place]));
            this.countries = countries;
            this.unknown.clear();
        };
    }

    /** What was listed before photos came, or went, is another now. */
    async renew() {
        if (this.isLoaded || this.error !== null) await this.refresh();
    }

    /** Resolves once the name is here, or cannot be had.
     * @param {number | undefined} [id] any of them for none */
    async learn(id) {
        if (this.isLoaded && (id === undefined || this.byId.has(id) || this.unknown.has(id) || !this.hasTable)) return;
        await (this.refreshing ?? this.refresh());
        if (id !== undefined && !this.byId.has(id)) this.unknown.add(id);
    }

    /** The city, or the town; null where it is not known, and then it is asked for, unless the host could not answer.
     * @param {number | undefined} id @returns {string | null} */
    townOf(id) {
        if (id === undefined) return null;
        const place = this.byId.get(id);
        if (!place && this.error === null) this.learn(id);
        return place ? (this.byId.get(place.within ?? -1) ?? place).name : null;
    }

    /** "Trastevere, Rome, Italy"; null where it has no name.
     * @param {Pick<Place, "id" | "near" | "border">} place @returns {string | null} */
    wordsOf({ id, near, border }) {
        const place = this.byId.get(id ?? -1);
        if (!place) return null;
        const city = this.byId.get(place.within ?? -1);
        const town = city ? t("places.within", { name: place.name, city: city.name }) : place.name;
        const name = near ? t("places.near", { name: town }) : town;
        const around = [place.region, this.countries[place.country]].filter(Boolean);
        if (border || place.kind === "country") return name;
        return around.reduce((/** @type {string} */ words, one) => t("places.within", { name: words, city: one ?? "" }), name);
    }

    /** What the details of a photo say of its place, of which `words` are the coordinates; null where nothing is to be said.
     * @param {(() => void) | null} onMove where somebody can say another one
     * @param {Place} [place] @param {string} [words] @returns {Node[] | null} */
    facts(onMove, place, words = t("info.undated")) {
        const name = place && this.wordsOf(place);
        const move = onMove && this.hasTable ? el("button", { class: "link", type: "button", onclick: onMove }, t("place.change")) : null;
        if (!place && !move) return null;
        const said = name && place.from ? `${name} (${t("info.from.person")})` : name;
        return [el("span", { class: "place-facts" }, said ? el("strong", {}, said) : null, el("span", {}, words), move)];
    }

    /** What can be done, of a list of choices: somebody says where photos were taken.
     * @param {() => unknown} run @returns {import("../elements/dialog.js").Choice[]} */
    choices(run) { return this.hasTable ? [{ sign: "pin", label: t("place.change"), run }] : []; }

    /** By what a search calls it: the number of a place, or the letters of a country.
     * @param {string} value @returns {string | null} */
    meantBy(value) { return this.countries[value] ?? this.byId.get(Number(value))?.name ?? null; }

    /** What stands on a wall: districts are in their city. */
    get onWall() { return this.places.filter(({ within }) => within === undefined); }
}
