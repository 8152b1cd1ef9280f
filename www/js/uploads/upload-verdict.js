// What becomes of a file after its transfer has ended: decided here, carried out by the uploads.
import * as api from "../base/api.js";
import { stops } from "./upload.js";

const retryDelays = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];
const never = new Set([400, 403, 404, 405, 409, 410, 411, 412, 413, 415]);

/**
 * `failures` is how often in a row it failed before, without getting on. Gives `{kind}`: `saved`; `again`, with `delay` in
 * milliseconds; `later`, the same as a failure that counts; `failed` with `reason`; `stopped` with `reason`, one of
 * `stops`; `locked`; `astray`; `silent`.
 * @param {Outcome} outcome
 * @param {number} failures
 * @param {() => number} [random]
 * @returns {Verdict}
 */
export function verdict(outcome, failures, random = Math.random) {
    if (outcome.photo || outcome.isKnown) return { kind: "saved" };
    if (outcome.failure === "aborted") return { kind: "again", delay: 0 };
    if (outcome.failure === "unreadable" || outcome.failure === "corrupt") return failed(outcome.failure);
    if (outcome.failure) return { kind: "silent" };
    const { status = 0, text = "", retryAfter = null } = outcome;
    return afterProblem(outcome.problem ?? api.problemFrom(status, text, retryAfter), failures, random);
}

/**
 * @param {Problem} problem
 * @param {number} failures
 * @param {() => number} random
 * @returns {Verdict}
 */
function afterProblem(problem, failures, random) {
    const { status, code, retryAfter } = problem;
    if (status === 401) return { kind: "locked" };
    if (stops.includes(code) || status === 507) {
        return { kind: "stopped", reason: stops.find((stop) => stop === code) ?? "disk-full" };
    }
    if (status === 429 || status === 503 || status === 423) return { kind: "again", delay: wait(retryAfter, random) };
    if (code === "no-such-batch") return { kind: "astray" };
    if (never.has(status)) return failed(code);
    return afterFailure(code, failures, random);
}

/**
 * Later and later; in the end somebody has to look.
 * @param {string} reason
 * @param {number} failures
 * @param {() => number} [random]
 * @returns {Verdict}
 */
export function afterFailure(reason, failures, random = Math.random) {
    const delay = retryDelays[failures];
    return delay === undefined ? failed(reason) : { kind: "later", delay: delay * jitter(random) };
}

/**
 * Not all files at once when the time is over.
 * @param {number} seconds
 * @param {() => number} random
 */
const wait = (seconds, random) => 1000 * Math.max(1, seconds) * (1 + 0.3 * random());
/** @param {() => number} random */
const jitter = (random) => 0.7 + 0.6 * random();
/**
 * @param {string} reason
 * @returns {Verdict}
 */
const failed = (reason) => ({ kind: "failed", reason });
