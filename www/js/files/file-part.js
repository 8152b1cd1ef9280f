// Parts of files, for the page and its worker.

/** The bytes from `begin` up to, but not with, `end`. For each part that is made the browser asks a process of its own. */
export const part = (file, begin, end) => (begin === 0 && end === file.size ? file : file.slice(begin, end));

/** What a file is, with all of its bytes at hand. */
export const inMemory = ({ name, type, lastModified }, buffer) => ({ name, type, lastModified, size: buffer.byteLength,
    slice: (...ends) => ({ arrayBuffer: async () => buffer.slice(...ends) }) });
