// One request of tus 1.0.0 (tus.io). XMLHttpRequest is the one way to see how far a body has come.

/** Without a byte moving for so long, the link is taken for dead. */
const silence = 30_000;
/** After the last byte the host writes, syncs and answers; a busy disk may take its time. */
const answerPatience = 120_000;

export class TusRequest {
    /** `body` is a Blob or null; `onProgress` gets the bytes of it that have left. */
    constructor(method, path, { headers = {}, body = null, onProgress = () => {} } = {}) {
        this.request = new XMLHttpRequest();
        this.request.open(method, path);
        const all = { "Tus-Resumable": "1.0.0", ...headers };
        if (body) all["Content-Type"] = "application/offset+octet-stream";
        for (const [name, value] of Object.entries(all)) this.request.setRequestHeader(name, value);
        this.body = body;
        this.onProgress = onProgress;
    }

    /**
     * Resolves with `{status, text, retryAfter, offset, location, photo, isDuplicate}`, or with `{failure}`: `silent`,
     * `network`, or what `end` was told.
     */
    send() {
        return new Promise((resolve) => {
            this.resolve = resolve;
            const { request } = this;
            request.upload.onprogress = ({ loaded }) => {
                this.alive(silence);
                this.onProgress(loaded);
            };
            request.upload.onload = () => this.alive(answerPatience);
            request.onload = () => this.settle(answer(request));
            request.onerror = () => this.settle({ failure: "network" });
            request.onabort = () => this.settle({ failure: "aborted" });
            this.alive(silence);
            request.send(this.body);
        });
    }

    /** Milliseconds since a byte moved. */
    get silentFor() { return Date.now() - this.lastAlive; }

    alive(patience) {
        this.lastAlive = Date.now();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.end("silent"), patience);
    }

    end(failure) {
        this.settle({ failure });
        this.request.abort();
    }

    settle(outcome) {
        clearTimeout(this.timer);
        this.resolve?.(outcome);
        this.resolve = null;
    }
}

function answer(request) {
    const field = (name) => request.getResponseHeader(name);
    const offset = field("Upload-Offset");
    return {
        status: request.status, text: request.responseText, retryAfter: field("Retry-After"),
        offset: offset === null ? null : Number(offset), location: field("Location"),
        photo: field("Safelight-Photo"), isDuplicate: field("Safelight-Duplicate") === "true",
    };
}

/** `Upload-Metadata`: keys with their values in Base64 of UTF-8; those that are null are left out. */
export function metadata(values) {
    return Object.entries(values).filter(([, value]) => value !== null)
        .map(([key, value]) => `${key} ${base64(new TextEncoder().encode(String(value)))}`).join(",");
}

export function checksum(sha256) {
    return `sha256 ${base64(sha256)}`;
}

function base64(bytes) {
    return btoa(String.fromCharCode(...bytes));
}
