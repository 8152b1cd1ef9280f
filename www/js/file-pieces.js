// A file piece by piece, each read into memory and hashed: what was hashed is what is sent, whatever happens to the file.

/** Pieces in memory, of all files together: one on its way for each file, and one that is read ahead. */
const most = 4;

let held = 0;
const waiting = [];

async function takeRoom() {
    if (held >= most) await new Promise((resolve) => { waiting.push(resolve); });
    else held += 1;
}

function giveRoomBack() {
    const next = waiting.shift();
    if (next) next();
    else held -= 1;
}

/** Null over plain HTTP, where browsers offer no digest. */
export async function sha256(...parts) {
    if (!crypto.subtle) return null;
    return new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
}

/** The device cannot read the file any more, or it has changed. */
export class Unreadable extends Error {}

/** Bytes of a file that are held in memory until `release`. */
export class Piece {
    constructor(offset, buffer, digest) {
        this.offset = offset;
        this.buffer = buffer;
        /** SHA-256, or null. */
        this.digest = digest;
    }

    release() {
        if (!this.buffer) return;
        this.buffer = null;
        giveRoomBack();
    }
}

export class FilePieces {
    constructor(file, byteCount) {
        this.file = file;
        this.byteCount = byteCount;
        this.ahead = null;
    }

    /** Throws `Unreadable`. */
    async at(offset) {
        const { ahead } = this;
        this.ahead = null;
        if (ahead?.offset === offset) return ahead.piece;
        if (ahead) drop(ahead.piece);
        await takeRoom();
        return this.read(offset);
    }

    /** Begins to read what comes next, where there is room for it. */
    readAhead(offset) {
        if (offset >= this.file.size || held >= most) return;
        held += 1;
        this.ahead = { offset, piece: this.read(offset) };
        // Whoever asks for it hears of the error.
        this.ahead.piece.catch(() => {});
    }

    /** Nothing more is wanted. */
    close() {
        if (this.ahead) drop(this.ahead.piece);
        this.ahead = null;
    }

    /** Room was taken for it. */
    async read(offset) {
        try {
            const end = Math.min(offset + this.byteCount, this.file.size);
            const buffer = await this.file.slice(offset, end).arrayBuffer();
            if (buffer.byteLength !== end - offset) throw new Unreadable("cut short");
            const digest = crypto.subtle ? await crypto.subtle.digest("SHA-256", buffer) : null;
            return new Piece(offset, buffer, digest && new Uint8Array(digest));
        } catch (error) {
            giveRoomBack();
            throw error instanceof Unreadable ? error : new Unreadable(error?.message);
        }
    }
}

function drop(reading) {
    reading.then((piece) => piece.release(), () => {});
}
