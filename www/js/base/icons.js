// The sprite is put into the page once, so that an icon needs no request of its own, also when the host is gone.

/** XMLHttpRequest parses the file itself: no text of ours becomes markup. */
export function loadIcons() {
    const request = new XMLHttpRequest();
    request.open("GET", "/icons.svg");
    request.responseType = "document";
    request.overrideMimeType("image/svg+xml");
    request.onload = () => {
        const sprite = request.responseXML?.documentElement;
        if (!sprite) return;
        sprite.setAttribute("class", "sprite");
        sprite.setAttribute("aria-hidden", "true");
        document.body.append(document.adoptNode(sprite));
    };
    request.send();
}
