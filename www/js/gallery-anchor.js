// Keeps what the eye is on in its place while photos come and go above it, and when the window turns.

export class PlaceHolder {
    constructor(gallery) {
        this.gallery = gallery;
        this.place = 0;
        this.kept = null;
        this.header = 0;
        this.bar = 0;
    }

    /** Looks at the bars around: not in the midst of drawing, when it would cost a layout. */
    measure() {
        const style = getComputedStyle(document.documentElement);
        const bar = innerWidth < 600 ? parseFloat(style.getPropertyValue("--tabs")) * parseFloat(style.fontSize) : 0;
        this.header = document.querySelector(".top")?.getBoundingClientRect().height ?? 0;
        this.bar = (bar || 0) + 8;
    }

    /** How much of the window the header and the name of a month cover from above, and a bar from below. */
    room() {
        return { above: this.header + (this.gallery.shape?.head ?? 0), below: this.bar };
    }

    /** Remembers what is at the top; `top` is how far the gallery has gone beyond the window, `scrollY` the page. */
    note(top, scrollY) {
        const { gallery } = this;
        const { layout, list } = gallery;
        this.kept = null;
        if (!layout || layout.count === 0) return;
        // The first row of which more than half can be seen.
        const y = top + this.room().above + layout.rowHeight / 2;
        this.place = layout.placeAt(y);
        const cell = layout.cellOf(this.place);
        // At the very beginning what is new is what one wants to see.
        if (scrollY <= 200) return;
        this.kept = { id: list.at(this.place)?.id, key: cell.section.key, index: this.place - cell.section.start,
            below: cell.top - top };
    }

    /** Somebody may have scrolled since it was drawn: that is not to be undone. */
    follow(layout) {
        const top = -this.gallery.sections.getBoundingClientRect().top;
        if (this.kept && this.place < layout.count) this.kept.below = layout.cellOf(this.place).top - top;
    }

    /** Where what was at the top is now: the photo, else its place in its month; -1 where nothing is left of it. */
    find() {
        const { id, key, index } = this.kept;
        const place = this.gallery.list.placeOf(id);
        if (place >= 0) return place;
        const section = this.gallery.layout.sections.find((candidate) => candidate.key === key);
        return section ? section.start + Math.min(index, section.count - 1) : -1;
    }

    restore() {
        if (!this.kept || this.gallery.layout.count === 0) return;
        const place = this.find();
        if (place >= 0) this.moveTo(place, this.kept.below);
    }

    /** Scrolls so that a photo is `below` the top of the window. */
    moveTo(place, below) {
        const top = -this.gallery.sections.getBoundingClientRect().top;
        const by = this.gallery.layout.cellOf(place).top - below - top;
        if (Math.abs(by) > 1) window.scrollBy(0, by);
    }
}
