// How much of the window a keyboard leaves: a sheet at its lower edge would else lie under the keyboard.

/** Keeps `--shown` (height) and `--covered` (what is hidden below) up to date, where the browser tells. */
export function watchVisibleArea() {
    const { visualViewport: area } = window;
    if (!area) return;
    const update = () => {
        const { style } = document.documentElement;
        // Somebody who has zoomed in looks at a part, and nothing is covered.
        const isZoomed = area.scale > 1.01;
        const covered = Math.max(0, innerHeight - area.height - area.offsetTop);
        if (isZoomed || covered < 1) {
            style.removeProperty("--shown");
            style.removeProperty("--covered");
            return;
        }
        style.setProperty("--shown", `${area.height}px`);
        style.setProperty("--covered", `${covered}px`);
    };
    area.addEventListener("resize", update);
    area.addEventListener("scroll", update);
}
