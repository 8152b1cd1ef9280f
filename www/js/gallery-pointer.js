// Clicks open or pick; a long press on a touch screen begins to pick.

const longPress = 500;
const slack = 10;

export function handleTouch(gallery) {
    let timer = null;
    let start = null;
    let swallow = false;
    const stop = () => clearTimeout(timer);
    const { element } = gallery;
    element.addEventListener("pointerdown", (event) => {
        swallow = false;
        const id = event.target.closest("[data-id]")?.dataset.id;
        if (!id || event.pointerType !== "touch" || gallery.selection.isOn) return;
        start = { x: event.clientX, y: event.clientY };
        timer = setTimeout(() => {
            swallow = true;
            gallery.selection.begin(id);
        }, longPress);
    });
    element.addEventListener("pointermove", (event) => {
        if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > slack) stop();
    });
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) element.addEventListener(name, stop);
    element.addEventListener("contextmenu", (event) => { if (swallow) event.preventDefault(); });
    element.addEventListener("click", (event) => {
        const id = event.target.closest("[data-id]")?.dataset.id;
        if (!id) return;
        if (swallow) {
            swallow = false;
            return;
        }
        const extend = event.shiftKey;
        if ((extend || event.ctrlKey || event.metaKey) && !gallery.selection.isOn) gallery.selection.begin();
        gallery.use(id, { extend });
    });
}
