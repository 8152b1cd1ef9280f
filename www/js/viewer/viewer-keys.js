// What keys do while one photo is shown.
import { preference } from "../base/preferences.js";
import { clipOf } from "../photos/photo-words.js";

/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {(() => unknown) | null | undefined} Run */

/**
 * What a key means, and nothing where somebody writes.
 * @param {Viewer} viewer
 * @param {KeyboardEvent} event
 * @returns {Run}
 */
export function meant(viewer, event) {
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return null;
    if (event.ctrlKey || event.metaKey || event.altKey) return null;
    return steps(viewer, event) ?? letters(viewer, event);
}

/**
 * @param {Viewer} viewer
 * @param {KeyboardEvent} event
 * @returns {Run}
 */
function steps(viewer, event) {
    // A video has these keys itself.
    if (event.target instanceof HTMLVideoElement) return null;
    const isButton = event.target instanceof HTMLButtonElement;
    if (event.key === "Escape" && viewer.slideshow.isOn) return () => viewer.slideshow.end();
    return { ArrowLeft: () => viewer.step(-1), ArrowRight: () => viewer.step(1), Home: () => viewer.go(0),
        End: () => viewer.go(viewer.list.count - 1), "+": () => viewer.stage.zoom(1), "=": () => viewer.stage.zoom(1),
        "-": () => viewer.stage.zoom(-1), 0: () => viewer.stage.zoom(0), "?": () => viewer.onHelp(),
        Delete: () => viewer.leave(viewer.kind === "photos" ? viewer.onDelete : viewer.onErase),
        ...(isButton ? {} : { " ": () => space(viewer) }) }[event.key];
}

/**
 * Somebody who speaks to the computer may say them by mistake: they can be switched off (WCAG 2.1.4).
 * @param {Viewer} viewer
 * @param {KeyboardEvent} event
 * @returns {Run}
 */
function letters(viewer, event) {
    if (preference("letters", "on") !== "on") return null;
    return { f: () => (event.shiftKey ? viewer.toggleFull() : viewer.toggleHeart()), s: () => viewer.slideshow.toggle(),
        r: () => viewer.rotate(event.shiftKey ? -90 : 90), i: () => viewer.toggleInfo(),
        d: () => { if (viewer.kind === "photos") viewer.download(); } }[event.key.toLowerCase()];
}

/**
 * What can play plays; everything else is shown one after another.
 * @param {Viewer} viewer
 */
function space(viewer) {
    const { video } = viewer.stage;
    const canPlay = video ?? (viewer.photo && clipOf(viewer.photo));
    if (!canPlay || viewer.slideshow.isOn) viewer.slideshow.toggle();
    else if (!video) viewer.playLive(true);
    else if (video.paused) video.play().catch(() => {});
    else video.pause();
}
