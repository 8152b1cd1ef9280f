// How hard a password is to guess, roughly. The host decides what it takes; this only helps while typing.

/** 0 nothing, 1 too short or too plain, 2 fair, 3 strong. */
export function strength(password) {
    const characters = [...password.normalize("NFC")];
    if (characters.length === 0) return 0;
    if (characters.length < 8 || isPlain(characters)) return 1;
    const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}\s]/u, /\p{Lo}/u, /\s/u]
        .filter((kind) => kind.test(password)).length;
    const words = password.trim().split(/[\s\-_.]+/).filter((word) => [...word].length > 2).length;
    const weight = new Set(characters).size + 2 * kinds + 2 * Math.max(0, words - 1);
    return weight >= 18 && characters.length >= 12 ? 3 : 2;
}

/** Few different characters, or mostly a run such as 12345678 or abcdefgh. */
function isPlain(characters) {
    if (new Set(characters).size < 5) return true;
    const points = characters.map((character) => character.codePointAt(0));
    const steps = points.slice(1).map((point, index) => point - points[index]);
    return steps.filter((step) => Math.abs(step) <= 1).length > characters.length * 0.7;
}
