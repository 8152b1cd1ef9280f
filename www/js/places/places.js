// The wall of places: a map, trips that may become albums, and a cover for each town, those with most photos first.
import { request, Unreachable } from "../base/api.js";
import { el, icon, reconcile } from "../base/dom.js";
import { describe, formatRange, language, t } from "../base/i18n.js";
import { chooseAction, toast } from "../elements/dialog.js";
import { emptyLine } from "../elements/pieces.js";
import { PlaceMap } from "./place-map.js";

/** So many trips are shown before somebody asks for more. */
const mostTrips = 3;

/** "Rome, 4–9 July 2026"; the days alone where the place has no name.
 * @param {Pick<Trip, "name" | "from" | "to">} trip @returns {string} */
export function tripName({ name, from, to }) {
    const [first, last] = [from, to].map((day) => new Date(`${day}T12:00:00Z`));
    const days = formatRange(first, last, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
    return name ? t("trips.name", { place: name, days }) : days;
}

/** @typedef {{names: PlaceNames, albums: Parts["albums"], pictures: Pictures, isGuest: boolean,
 *     addressOf: (album: Shelved) => string}} PlaceWallOptions */

/** @typedef {import("../albums/album-requests.js").Shelved} Shelved */

export class PlaceWall {
    title = t("title.places");
    /** @type {Trip[]} */ trips = [];
    areAllTrips = false;
    /** What ends the pictures of trips.
     * @type {(() => void)[]} */
    stops = [];
    listeners = new AbortController();

    /** @param {PlaceWallOptions} options */
    constructor({ names, albums, pictures, isGuest, addressOf }) {
        this.names = names;
        this.albums = albums;
        this.pictures = pictures;
        this.isGuest = isGuest;
        this.addressOf = addressOf;
        this.map = new PlaceMap({ nameOf: (place) => this.nameOf(place), onPlace: (place) => this.go(place),
            onMany: (places) => chooseAction(t("title.places"), places.map((place) => ({ sign: "pin", label: this.nameOf(place),
                run: () => this.go(place) }))) });
        this.tripList = el("ul", { class: "trips" });
        this.moreTrips = el("button", { class: "link", type: "button", onclick: () => {
            this.areAllTrips = true;
            this.drawTrips();
        } }, t("duplicates.more"));
        this.tripPart = el("section", { class: "trip-part", hidden: true, "aria-labelledby": "trips-title" },
            el("h2", { id: "trips-title" }, t("trips.title")), this.tripList, this.moreTrips);
        this.covers = new albums.Covers(pictures);
        this.state = el("div");
        this.element = el("div", { class: "albums places" }, this.map.element, this.tripPart, this.covers.element, this.state,
            el("p", { class: "small place-source" }, t("places.source")));
        names.addEventListener("change", () => this.draw(), { signal: this.listeners.signal });
        this.draw();
        this.renew();
    }

    dispose() {
        this.listeners.abort();
        this.map.dispose();
        this.covers.dispose();
        this.stopTrips();
    }

    /** What is listed has changed at the host. */
    renew() {
        this.names.refresh();
        if (!this.isGuest) this.askTrips();
    }

    // ---- places

    /** @param {ListedPlace} place */
    nameOf({ id, name }) { return this.names.wordsOf({ id }) ?? name; }

    /** What stands on this wall, as an album of all photos of the place.
     * @param {ListedPlace} place @returns {Shelved} */
    albumOf(place) {
        return { id: `place ${place.id}`, placeID: place.id, name: this.nameOf(place), count: place.count, cover: place.cover, isCoverChosen: false };
    }

    /** @param {ListedPlace} place */
    go(place) { location.hash = this.addressOf(this.albumOf(place)); }

    draw() {
        const { onWall, isLoaded, error } = this.names;
        this.map.show(onWall);
        const count = this.covers.show(onWall.map((place) => {
            const album = this.albumOf(place);
            return { album, address: this.addressOf(album) };
        }));
        // The banner about the connection says that the host is away.
        const isRefused = error !== null && !(error instanceof Unreachable);
        this.state.replaceChildren(...isRefused ? [el("div", { class: "notice is-wide" }, icon("warning"), el("div", {}, el("p", {}, describe(error)),
            el("button", { class: "link", type: "button", onclick: () => this.renew() }, t("retry"))))]
            : isLoaded && count === 0 ? [el("div", { class: "empty" }, emptyLine(), el("h2", {}, t("places.none")),
                el("p", { class: "note" }, t("places.noneNote")))] : []);
    }

    // ---- trips

    /** A wall without them is as good: what went wrong is said of the places. */
    async askTrips() {
        const { signal } = this.listeners;
        /** @type {{trips: Trip[]} | null} */
        const answer = await request("GET", `/api/trips?lang=${language()}`, undefined, { signal }).catch(() => null);
        if (signal.aborted || !answer) return;
        this.trips = answer.trips.filter(({ album }) => album === undefined);
        this.drawTrips();
    }

    stopTrips() {
        for (const stop of this.stops.splice(0)) stop();
    }

    drawTrips() {
        this.stopTrips();
        const shown = this.areAllTrips ? this.trips : this.trips.slice(0, mostTrips);
        reconcile(this.tripList, shown.map((trip) => this.tripRow(trip)));
        this.tripPart.hidden = shown.length === 0;
        this.moreTrips.hidden = shown.length === this.trips.length;
    }

    /** @param {Trip} trip */
    tripRow(trip) {
        const name = tripName(trip);
        const face = el("span", { class: "album-face is-small" });
        this.stops.push(this.albums.showCover(face, { id: trip.from, name, count: trip.count, cover: trip.cover, isCoverChosen: false }, this.pictures));
        return el("li", {}, face, el("span", {}, el("strong", {}, name), el("span", { class: "small figures" }, t("count.items", { n: trip.count }))),
            el("button", { class: "button is-small", type: "button", "aria-label": `${t("trips.make")}: ${name}`,
                onclick: (event) => this.keep(trip, event.currentTarget) }, icon("add", "is-small"), t("album.tool")));
    }

    /** One tap makes the album, and leads into it.
     * @param {Trip} trip @param {HTMLButtonElement} button */
    async keep(trip, button) {
        button.disabled = true;
        try {
            /** @type {Album} */
            const album = await request("POST", `/api/trips/${trip.from}/album`, { name: tripName(trip) });
            await this.albums.goInto(this.addressOf(album));
            this.albums.sayMade(album, album.count, () => { location.hash = "#/places"; });
        } catch (error) {
            button.disabled = false;
            if (!(error instanceof Unreachable)) toast(describe(error));
        }
    }
}
