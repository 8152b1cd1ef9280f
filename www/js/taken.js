// When a photo was taken, as the clock on the wall there showed it; when it came, where nobody knows.
import { format } from "./i18n.js";

/** With a zone, or without one, the time says itself what the clock showed; only an instant (`Z`) is told in ours. */
function clock(text) {
    const wall = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?!.*Z$)/.exec(text)?.[1];
    return wall ? { date: new Date(`${wall}Z`), timeZone: "UTC" } : { date: new Date(text), timeZone: undefined };
}

export function timeOf(photo) {
    return photo.takenAt ?? photo.receivedAt;
}

/** "3 May 2024" of an ISO 8601 text. */
export function dayOf(text) {
    const { date, timeZone } = clock(text);
    return format(date, { dateStyle: "long", timeZone });
}

/** "3 May 2024 at 14:02" of an ISO 8601 text. */
export function dayAndTimeOf(text) {
    const { date, timeZone } = clock(text);
    return format(date, { dateStyle: "long", timeStyle: "short", timeZone });
}

/** "14:02" of an ISO 8601 text. */
export function hourOf(text) {
    const { date, timeZone } = clock(text);
    return format(date, { timeStyle: "short", timeZone });
}

/** "0:31", "1:02:07" of a number of seconds. */
export function lengthOf(seconds) {
    const whole = Math.max(0, Math.round(seconds));
    const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    return (parts[0] > 0 ? parts : parts.slice(1))
        .map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
