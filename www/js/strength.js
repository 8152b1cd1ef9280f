// How hard a password is to guess, roughly. The host decides what it takes; this only helps while typing.

/** 0 nothing, 1 too short, 2 too easy to guess, 3 fair, 4 strong. */
export function strength(password) {
    const characters = [...password.normalize("NFC")];
    if (characters.length === 0) return 0;
    if (characters.length < 8) return 1;
    if (isPlain(characters) || isKnown(password)) return 2;
    const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}\s]/u, /\p{Lo}/u, /\s/u]
        .filter((kind) => kind.test(password)).length;
    const words = password.trim().split(/[\s\-_.]+/).filter((word) => [...word].length > 2).length;
    const weight = new Set(characters).size + 2 * kinds + 2 * Math.max(0, words - 1);
    return weight >= 18 && characters.length >= 12 ? 4 : 3;
}

/** Few different characters, or mostly a run such as 12345678 or abcdefgh. */
function isPlain(characters) {
    if (new Set(characters).size < 5) return true;
    const points = characters.map((character) => character.codePointAt(0));
    const steps = points.slice(1).map((point, index) => point - points[index]);
    return steps.filter((step) => Math.abs(step) <= 1).length > characters.length * 0.7;
}

const words = ("password passwort passcode secret letmein welcome admin administrator login master default changeme test "
    + "hello iloveyou princess sunshine shadow monkey dragon football baseball superman batman pokemon starwars computer "
    + "internet samsung google apple iphone android windows facebook photo picture album gallery camera vault safelight "
    + "darkroom private family summer winter spring autumn january february march april june july august september october "
    + "november december monday tuesday wednesday thursday friday saturday sunday freedom whatever flower cookie chocolate "
    + "qwerty qwertz qwertyui azerty asdf asdfghjk zxcv zxcvbnm abc angel lucky money happy friend forever woaini mima "
    + "sesame").split(" ");
const likeLetters = { 0: "o", 1: "i", "!": "i", 3: "e", 4: "a", "@": "a", 5: "s", $: "s", 7: "t" };

/** One well-known word with digits and signs around it, perhaps with digits for letters: what guessing tries first. */
function isKnown(password) {
    const bare = password.toLowerCase().replace(/^[^a-z]+|[^a-z]+$/g, "");
    const read = bare.replace(/[013457!@$]/g, (sign) => likeLetters[sign]);
    return [bare, read].some((text) => words.includes(text) || words.includes(text.replace(/s$/, "")));
}
