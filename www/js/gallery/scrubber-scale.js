// Where the years of a gallery stand on the scale of its scrubber, and to which part a key leads.

/** @typedef {import("./gallery-layout.js").Placed} Placed */

/** Marks of years that lie nearer to each other than this share of the scale are left out. */
const least = 0.035;
/** Months of a year. */
const page = 12;

/**
 * The years, where they begin: `at` is a share of the scale.
 * @param {{sections: {key: string, top: number}[], height: number}} layout
 * @returns {{year: string, at: number}[]}
 */
export function yearMarks({ sections, height }) {
    /** @type {{year: string, at: number}[]} */
    const marks = [];
    for (const { key, top } of sections) {
        const year = /^(\d{4})-\d\d$/.exec(key)?.[1];
        const at = top / height;
        const last = marks.at(-1);
        if (!year || year === last?.year || last && at - last.at < least || at > 1 - least) continue;
        marks.push({ year, at });
    }
    return marks;
}

/**
 * The part to which a key leads from the one at `now`, -1 where it is not known; null when the key is none of ours.
 * @template {{top: number}} P
 * @param {P[]} sections
 * @param {number} now
 * @param {string} key
 * @returns {P | null}
 */
export function partAfter(sections, now, key) {
    const to = { ArrowUp: now - 1, ArrowLeft: now - 1, ArrowDown: now + 1, ArrowRight: now + 1, PageUp: now - page,
        PageDown: now + page, Home: 0, End: sections.length - 1 }[key];
    if (to === undefined) return null;
    let target = Math.min(sections.length - 1, Math.max(0, to));
    // Those beside each other are one place.
    const by = Math.sign(target - now);
    while (sections[target].top === sections[now]?.top && sections[target + by] && by !== 0) target += by;
    return sections[target];
}
