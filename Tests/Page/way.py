"""Somebody on their way to something, on a phone: every tap that they do, and every word in front of them before it."""

from playwright.sync_api import expect

ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "user_agent": ANDROID}
# Of the browser's own warning; of the device's own picker: a photo, and "Add".
WARNING, PICKER = 2, 2
# Words that somebody has to scroll to, above or below the window.
OUT_OF_SIGHT = r"""(place) => {
    const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let count = 0;
    while (texts.nextNode()) {
        const text = texts.currentNode;
        if (!text.parentElement.checkVisibility({ visibilityProperty: true })) continue;
        for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            const { top, bottom, width } = range.getBoundingClientRect();
            if (width > 0 && (top < 0 || bottom > innerHeight)) count += 1;
        }
    }
    return count;
}"""


class Way:
    def __init__(self, page):
        self.page = page
        self.taps = 0
        self.words = 0
        # Of these, what is seen without scrolling.
        self.in_sight = 0

    def read(self, place="main"):
        """What is folded, and below every screen the language and the connection, is not read."""
        words = len(self.page.locator(place).inner_text().split())
        self.words += words
        self.in_sight += words - self.page.locator(place).evaluate(OUT_OF_SIGHT)

    def tap(self, name, role="button", place="main"):
        button = self.page.locator(place).get_by_role(role, name=name)
        expect(button).to_be_visible()
        self.read(place)
        box = button.bounding_box()
        assert box["height"] >= 44 and box["width"] >= 44, (name, box)
        self.taps += 1
        button.tap()

    def pick(self, *arguments, files, **options):
        with self.page.expect_file_chooser() as chooser:
            self.tap(*arguments, **options)
        self.taps += PICKER
        chooser.value.set_files(files)
