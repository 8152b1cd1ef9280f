// Text that the host takes up to so many bytes.

/**
 * As much of it as fits into so many bytes of UTF-8, in whole characters.
 * @param {string} text
 * @param {number} most
 */
export function cutToBytes(text, most) {
    const characters = [...text];
    while (new TextEncoder().encode(characters.join("")).length > most) characters.pop();
    return characters.join("").trimEnd();
}
