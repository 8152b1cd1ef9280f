// Clicks open or pick; a long press on a touch screen begins to pick, and a mouse that is drawn over photos picks them.

const longPress = 500;
const slack = 10;

export function handlePointer(gallery, { signal }) {
    const state = { timer: null, start: null, painting: null, swallow: false };
    const on = (name, run) => gallery.sections.addEventListener(name, run, { signal });
    on("pointerdown", (event) => press(gallery, state, event));
    on("pointermove", (event) => moved(gallery, state, event));
    for (const name of ["pointerup", "pointercancel"]) on(name, (event) => release(gallery, state, event));
    on("contextmenu", (event) => { if (state.swallow) event.preventDefault(); });
    on("dragstart", (event) => event.preventDefault());
    on("click", (event) => click(gallery, state, event));
}

/** The place of the cell under an event or at a point; -1 where there is none. */
function placeAt(gallery, target) {
    const id = target?.closest?.("[data-id]")?.dataset.id;
    return id === undefined ? -1 : gallery.list.placeOf(id);
}

function press(gallery, state, event) {
    state.swallow = false;
    const place = placeAt(gallery, event.target);
    if (place < 0 || event.button !== 0) return;
    state.start = { x: event.clientX, y: event.clientY, place };
    if (event.pointerType !== "touch" || gallery.selection.isOn) return;
    state.timer = setTimeout(() => {
        state.swallow = true;
        gallery.selection.begin(place);
    }, longPress);
}

function moved(gallery, state, event) {
    if (!state.start) return;
    const isFar = Math.hypot(event.clientX - state.start.x, event.clientY - state.start.y) > slack;
    if (isFar) clearTimeout(state.timer);
    if (event.pointerType !== "mouse" || !(state.painting || isFar)) return;
    if (!state.painting) beginPainting(gallery, state, event);
    const place = placeAt(gallery, document.elementFromPoint(event.clientX, event.clientY));
    if (place >= 0) gallery.selection.paint(state.painting.before, state.start.place, place);
    scrollAtEdge(event.clientY);
}

function beginPainting(gallery, state, event) {
    const { selection } = gallery;
    if (!selection.isOn) selection.begin();
    state.painting = { before: new Map(selection.picked) };
    gallery.sections.setPointerCapture(event.pointerId);
}

function scrollAtEdge(y) {
    const edge = 64;
    if (y > innerHeight - edge) window.scrollBy(0, y - innerHeight + edge);
    else if (y < 2 * edge) window.scrollBy(0, y - 2 * edge);
}

function release(gallery, state, event) {
    clearTimeout(state.timer);
    if (state.painting) {
        state.swallow = event.type === "pointerup";
        gallery.selection.anchor = { id: gallery.list.at(state.start.place)?.id, place: state.start.place };
    }
    state.painting = null;
    state.start = null;
}

function click(gallery, state, event) {
    if (state.swallow) {
        state.swallow = false;
        return;
    }
    const place = placeAt(gallery, event.target);
    if (place < 0) {
        gallery.useSoon(event.target);
        return;
    }
    const extend = event.shiftKey;
    const picks = extend || event.ctrlKey || event.metaKey || event.target.closest(".mark");
    if (picks && !gallery.selection.isOn) gallery.selection.begin();
    gallery.use(place, { extend });
}
