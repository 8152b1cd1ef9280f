// The photos of a vault by month. How many there are is known at once; who they are, where somebody looks.
import * as api from "./api.js";

/** As many as the host gives at a time. */
const perPart = 500;
/** Parts that are kept; those that were looked at last. */
const mostParts = 24;
const requestsAtOnce = 3;
/** The host looks into new photos one after the other; where each belongs is asked for together. */
const pauseBeforeRefresh = 3000;

/**
 * Emits `change`. A place is a number from 0, the newest photo, to `count`. `sections` are
 * `{key: "2024-05", count, start}`, `start` being the place of their first photo. Ids are of this session and are never
 * stored.
 */
export class Timeline extends EventTarget {
    constructor() {
        super();
        this.sections = [];
        this.count = 0;
        this.isLoaded = false;
        this.error = null;
        this.parts = new Map();
        this.places = new Map();
        this.seen = [];
        this.stop = new AbortController();
    }

    get isLoading() { return !this.isLoaded && this.error === null; }

    dispose() {
        this.isDisposed = true;
        this.stop.abort();
        clearTimeout(this.timer);
        for (const part of this.parts.values()) part.stop.abort();
    }

    /** Asks for the months again, and for what is looked at; then shows both at once. One question at a time. */
    refresh() {
        if (this.isDisposed) return Promise.resolve();
        this.isStale = true;
        this.refreshing ??= this.refreshAll().finally(() => { this.refreshing = null; });
        return this.refreshing;
    }

    async refreshAll() {
        while (this.isStale && !this.isDisposed) {
            this.isStale = false;
            try {
                const sections = sectionsOf(await api.timeline());
                this.take(sections, await this.fetchSeen(sections));
                this.error = null;
            } catch (error) {
                this.error = error;
                this.changed();
                return;
            }
        }
    }

    /** The same, once nothing else has come for a while. */
    refreshSoon() {
        this.timer ??= setTimeout(() => {
            this.timer = null;
            this.refresh();
        }, pauseBeforeRefresh);
    }

    /** Goes on after an answer that was none. */
    retry() {
        if (!this.isLoaded) return this.refresh();
        this.error = null;
        this.pump();
        return Promise.resolve();
    }

    /** What is seen now is fetched before it is thrown away, so that nothing blinks. */
    async fetchSeen(sections) {
        const keys = new Set(this.seen.filter((key) => this.parts.get(key)?.photos));
        if (sections.length > 0 && this.seen.includes(keyOf(this.sections[0]?.key ?? "", 0))) {
            keys.add(keyOf(sections[0].key, 0));
        }
        const parts = new Map();
        for (const key of keys) {
            const { month, skip } = namesIn(key);
            if (skip >= (sections.find((section) => section.key === month)?.count ?? 0)) continue;
            parts.set(key, partOf(photosIn(await api.timelineMonth(month, skip, this.stop.signal))));
        }
        return parts;
    }

    take(sections, parts) {
        for (const [key, part] of this.parts) if (!parts.has(key)) part.stop.abort();
        this.parts = parts;
        this.isLoaded = true;
        this.number(sections);
        for (const key of parts.keys()) this.register(key);
        this.changed();
    }

    number(sections) {
        this.count = 0;
        this.places.clear();
        for (const section of sections) {
            section.start = this.count;
            this.count += section.count;
        }
        this.sections = sections;
        this.byKey = new Map(sections.map((section) => [section.key, section]));
    }

    /** Its photos can be found by their ids from now on. A month that is not what it was is asked for again. */
    register(key) {
        const { month, skip } = namesIn(key);
        const { photos } = this.parts.get(key);
        const { start, count } = this.byKey.get(month);
        photos.forEach((photo, index) => this.places.set(photo.id, start + skip + index));
        if (photos.length !== Math.min(perPart, count - skip)) this.refreshSoon();
    }

    // ---- reading

    /** The photo at a place; null where it is not here yet. */
    at(place) {
        const section = this.sectionAt(place);
        if (!section) return null;
        const index = place - section.start;
        const part = this.parts.get(keyOf(section.key, index - (index % perPart)));
        return part?.photos?.[index % perPart] ?? null;
    }

    /** The place of a photo; -1 where it is not here. */
    placeOf(id) { return this.places.get(id) ?? -1; }

    sectionAt(place) {
        if (place < 0 || place >= this.count) return null;
        let low = 0;
        let high = this.sections.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.sections[middle].start <= place) low = middle;
            else high = middle - 1;
        }
        return this.sections[low];
    }

    // ---- loading

    /** The keys of the parts that hold the places from `from` up to, but not with, `to`. */
    keysBetween(from, to) {
        const keys = [];
        for (const { key, start, count } of this.sections) {
            if (start >= to || start + count <= from) continue;
            const first = Math.max(0, from - start);
            for (let skip = first - (first % perPart); skip < Math.min(count, to - start); skip += perPart) {
                keys.push(keyOf(key, skip));
            }
        }
        return keys;
    }

    /** What is looked at: it is loaded first, then what is `around`; a request for anything else is given up. */
    need(from, to, around = 0) {
        this.seen = this.keysBetween(from, to);
        this.wanted = [...new Set([...this.seen, ...this.keysBetween(from - around, to + around)])];
        for (const [key, part] of this.parts) {
            if (part.photos || part.isHeld || this.wanted.includes(key)) continue;
            part.stop.abort();
            this.parts.delete(key);
        }
        this.pump();
    }

    pump() {
        if (this.error || this.isDisposed) return;
        for (const key of this.wanted ?? []) {
            const part = this.parts.get(key);
            if (part?.photos) this.touch(key, part);
            else if (!part && this.byKey.has(namesIn(key).month)) {
                if ([...this.parts.values()].filter(({ photos }) => !photos).length >= requestsAtOnce) return;
                this.load(key).catch((error) => this.failed(error));
            }
        }
        this.evict();
    }

    failed(error) {
        if (this.isDisposed) return;
        this.error = error;
        this.changed();
    }

    /** Fetches a part; `isHeld`: also when nobody looks at it any more. */
    load(key, isHeld = false) {
        const part = { photos: null, stop: new AbortController(), isHeld };
        this.parts.set(key, part);
        part.loading = this.fill(key, part);
        return part.loading;
    }

    async fill(key, part) {
        const { month, skip } = namesIn(key);
        try {
            const photos = photosIn(await api.timelineMonth(month, skip, part.stop.signal));
            if (this.parts.get(key) !== part) return photos;
            part.photos = photos;
            this.register(key);
            this.changed();
            this.pump();
            return photos;
        } catch (error) {
            if (this.parts.get(key) === part) this.parts.delete(key);
            if (part.stop.signal.aborted) return [];
            throw error;
        }
    }

    touch(key, part) {
        this.parts.delete(key);
        this.parts.set(key, part);
    }

    evict() {
        let excess = [...this.parts.values()].filter(({ photos }) => photos).length - mostParts;
        for (const [key, part] of this.parts) {
            if (excess <= 0) return;
            if (!part.photos || this.wanted?.includes(key)) continue;
            for (const { id } of part.photos) this.places.delete(id);
            this.parts.delete(key);
            excess -= 1;
        }
    }

    /** All photos between two places, also those that nobody has looked at. */
    async between(from, to) {
        const keys = this.keysBetween(from, to);
        const found = [];
        for (let start = 0; start < keys.length; start += requestsAtOnce) {
            const some = keys.slice(start, start + requestsAtOnce);
            const loaded = await Promise.all(some.map((key) => this.whole(key)));
            loaded.forEach((photos, index) => {
                const { month, skip } = namesIn(some[index]);
                const first = (this.byKey.get(month)?.start ?? from) + skip;
                found.push(...photos.slice(Math.max(0, from - first), to - first));
            });
        }
        return found;
    }

    whole(key) {
        const part = this.parts.get(key);
        return part?.photos ?? (part ? this.hold(part) : this.load(key, true));
    }

    hold(part) {
        part.isHeld = true;
        return part.loading;
    }

    all() { return this.between(0, this.count); }

    /** The place of a photo whose month nobody may have looked at; -1 where it is not listed. */
    async find(photo) {
        const section = this.byKey?.get((photo.takenAt ?? photo.receivedAt).slice(0, 7));
        if (!section) return -1;
        for (let from = 0; from < section.count && this.placeOf(photo.id) < 0; from += perPart) {
            await this.between(section.start + from, section.start + Math.min(section.count, from + perPart));
        }
        return this.placeOf(photo.id);
    }

    // ---- changing

    /** Takes photos out that the host has taken out. What is not here is asked for again. */
    remove(ids) {
        const gone = new Set(ids);
        const taken = new Map();
        for (const [key, part] of this.parts) {
            const { month } = namesIn(key);
            const kept = part.photos?.filter((photo) => !gone.has(photo.id));
            if (kept) taken.set(month, (taken.get(month) ?? 0) + part.photos.length - kept.length);
            // A part that is not the last one of its month lacks those that follow now.
            if (!kept || this.byKey.get(month).count > perPart) this.drop(key, part);
            else part.photos = kept;
        }
        this.number(this.sections.map((section) => ({ ...section, count: section.count - (taken.get(section.key) ?? 0) }))
            .filter(({ count }) => count > 0));
        for (const [key, part] of this.parts) {
            if (!part.photos || !this.byKey.has(namesIn(key).month)) this.drop(key, part);
            else this.register(key);
        }
        this.changed();
        this.refresh();
    }

    drop(key, part) {
        part.stop.abort();
        this.parts.delete(key);
    }

    changed() { if (!this.isDisposed) this.dispatchEvent(new Event("change")); }
}

const keyOf = (month, skip) => `${month}|${skip}`;

function namesIn(key) {
    const [month, skip] = key.split("|");
    return { month, skip: Number(skip) };
}

const partOf = (photos) => ({ photos, stop: new AbortController(), isHeld: false });

const sectionsOf = (months) => months.map(([key, count]) => ({ key, count, start: 0 }));

/** One object for each photo, out of lists that stand beside each other. */
function photosIn(columns) {
    const names = Object.keys(columns).filter((name) => Array.isArray(columns[name]));
    return columns.id.map((_, index) => {
        const photo = {};
        for (const name of names) if (columns[name][index] !== null) photo[name] = columns[name][index];
        return photo;
    });
}
