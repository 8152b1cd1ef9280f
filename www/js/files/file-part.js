// Parts of files, for the page and its worker.

/**
 * The bytes from `begin` up to, but not with, `end`. For each part that is made the browser asks a process of its own.
 * @template {{size: number, slice: (begin?: number, end?: number) => any}} F
 * @param {F} file
 * @param {number} begin
 * @param {number} end
 * @returns {F extends Blob ? Blob : any}
 */
export const part = (file, begin, end) => (begin === 0 && end === file.size ? file : file.slice(begin, end));

/**
 * What a file is, with all of its bytes at hand.
 * @param {File} file
 * @param {ArrayBuffer} buffer
 * @returns {FileLike}
 */
export const inMemory = ({ name, type, lastModified }, buffer) => ({ name, type, lastModified, size: buffer.byteLength,
    slice: (begin = 0, end = undefined) => ({ arrayBuffer: async () => buffer.slice(begin, end) }) });
