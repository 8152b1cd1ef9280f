// What the files of a batch show of what a phone did to them, counted, with words only where there is a way to do better.
import { platformOf } from "../base/platform.js";

/** @typedef {FileFacts & {stem: string}} Noted */

/** Kinds of findings in the order in which they are told; each has its words, and some a way for each kind of phone. */
export const kinds = ["place", "jpeg", "live", "video", "screenshot"];

export class Findings {
    /** @param {import("../base/platform.js").Platform} [platform] */
    constructor(platform = platformOf(navigator)) {
        this.platform = platform;
        /** @type {Map<number, Noted>} */
        this.facts = new Map();
    }

    /**
     * `facts` are what `sniff` says of the item's file.
     * @param {Item} item
     * @param {FileFacts} facts
     */
    note(item, facts) {
        if (!this.facts.has(item.id)) this.facts.set(item.id, { ...facts, stem: stemOf(item.name) });
    }

    /**
     * `[{kind, count}]`, without those that did not happen.
     * @returns {{kind: string, count: number}[]}
     */
    get counts() {
        const counted = Object.fromEntries(kinds.map((kind) => [kind, 0]));
        const videos = new Set([...this.facts.values()].filter(isVideo).map(({ stem }) => stem));
        for (const facts of this.facts.values()) {
            for (const kind of this.kindsOf(facts, videos)) counted[kind] += 1;
        }
        return kinds.filter((kind) => counted[kind] > 0).map((kind) => ({ kind, count: counted[kind] }));
    }

    /**
     * A computer hands out files as they are; only a Live Photo may have been parted before.
     * @param {Noted} facts
     * @param {Set<string>} videos
     */
    *kindsOf(facts, videos) {
        const { format, make, hasPlace, isLive, isScreenshot, stem } = facts;
        if (isLive && !videos.has(stem)) yield "live";
        if (this.platform !== "ios" && this.platform !== "android") return;
        if (isScreenshot) yield "screenshot";
        else if (make !== "" && !hasPlace) yield "place";
        if (this.platform !== "ios") return;
        if (format === "jpeg" && make === "Apple" && !isScreenshot) yield "jpeg";
        if (isVideo(facts)) yield "video";
    }
}

/** @param {FileFacts} facts */
const isVideo = ({ format }) => format === "video";

/**
 * Both halves of a Live Photo have the same name before the ending.
 * @param {string} name
 */
const stemOf = (name) => name.replace(/\.[^.]*$/, "").toLowerCase();
