"""A person at the page: what they do, in their words."""

import base64
import re
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

from client import missed
from playwright.sync_api import Error, expect

SOURCES = Path(__file__).resolve().parents[2] / "www"
PASSWORD = "paper lantern over water"
# Answers from 400 on and requests that a test cuts; over plain HTTP, headers that count over TLS alone; under a certificate
# that nobody trusts, the worker that an installed page would have.
EXPECTED_IN_CONSOLE = re.compile(
    r"^Failed to load resource|origin was untrustworthy|ERR_|NetworkError|NS_ERROR|^An (SSL certificate|unknown) error occurred when fetching"
)
# What a browser sends of itself; requests beside the page have to say it.
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}

# Of those whose photo has come.
CELLS = "button.cell[data-id]"
GO_THROUGH = """async (count) => {
    const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
    const names = new Set();
    scrollTo(0, 0);
    for (;;) {
        for (let drawn = 0; drawn < 3; drawn += 1) await frame();
        // At speed there are only colours.
        while (document.querySelector(".strip")) await frame();
        for (const cell of document.querySelectorAll("button.cell[data-id]")) names.add(cell.dataset.id);
        if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) return names.size === count;
        scrollBy(0, innerHeight / 2);
    }
}"""


class Visitor:
    def __init__(self, context, url, on_begun=None):
        """`url` is what is opened, once something is done there; `self.url` is the host, without the path.

        `on_begun(url, password)` is told of a vault that is made before that, without the page, or of a guest's space, which
        has no password; where it is None, all that people do is done through the page."""
        self.context = context
        self.address = url
        self.on_begun = on_begun
        self.is_there = False
        address = urlsplit(url)
        self.url = f"{address.scheme}://{address.netloc}"
        self.home = (f"http://{address.netloc}", f"https://{address.netloc}", "blob:", "data:")
        self.errors = []
        self.foreign = []
        self._page = context.new_page()
        self._page.on("pageerror", self._note_error)
        self._page.on("console", self._note_console)
        self._page.on("request", self._note_request)
        self._is_here = self._page.get_by_role("heading", level=1)

    @property
    def page(self):
        if not self.is_there:
            self.is_there = True
            self._page.goto(self.address)
            expect(self._is_here).to_be_visible()
        return self._page

    def _note_error(self, error):
        """Who reloads or closes a page that is still loading cuts its modules off; that one is missing shows by itself."""
        if "dynamically imported module" not in str(error):
            self.errors.append(str(error))

    def _note_console(self, message):
        """What a browser complains about, violations of the policy too. A refusal of the host is no fault of the page."""
        if message.type == "error" and not EXPECTED_IN_CONSOLE.search(message.text):
            self.errors.append(message.text)

    def _note_request(self, request):
        if not request.url.startswith(self.home):
            self.foreign.append(request.url)

    def faults(self):
        """Script errors, requests to anywhere else, and violations of the content security policy."""
        is_seen = self.is_there and not self._page.is_closed()
        violations = self._page.evaluate("window.policyViolations ?? []") if is_seen else []
        return self.errors + self.foreign + violations

    def with_sources(self):
        """Modules under their own names, below /sources: the page may be served packed."""
        beginning = f"{self.url}/sources/"
        return self.route(
            f"{beginning}**", lambda route: route.fulfill(path=SOURCES / route.request.url.removeprefix(beginning))
        )

    def route(self, pattern, handler):
        """Answers in the host's place, be it before the page is opened."""
        self._page.route(pattern, handler)
        return self

    @contextmanager
    def choosing(self):
        """What is done within opens the picker of files, whose stand-in is the `value` of what is yielded."""
        with self.page.expect_file_chooser() as chooser:
            # The browser is told without a word back: a key that overtakes it would open a picker of the browser's own.
            self.page.evaluate("0")
            yield chooser

    def install_clock(self):
        """A clock that tests can move, on the page loaded anew. Where it is installed on a page that is there, it shows
        1970 for a moment; an answer of the host that meets that lets the vault seem unused since, and locks it."""
        address = self._page.url
        self._page.goto("about:blank")
        self._page.clock.install()
        if self.is_there:
            self._page.goto(address)

    # -- the door

    def begin_vault(self, password=PASSWORD, again=None):
        page = self.page
        # Whoever came with a setup code is there already.
        if "#code=" not in self.address:
            page.get_by_role("button", name="Create a vault", exact=True).click()
        # The form is fetched; until then the door's own field has the same name.
        expect(page.get_by_label("Password again")).to_be_visible()
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_label("Password again").fill(password if again is None else again)
        without_code(page)

    def create(self, password=PASSWORD):
        """A new vault, empty and open. Who has not come to the door yet makes it without the page, which is then opened
        there: that takes half of the processor's time."""
        if self.is_there or not self.on_begun:
            return self.create_through_the_page(password)
        return self._begin("/api/vaults", password, data={"password": password, "confirmation": password})

    def _begin(self, path, password=None, **options):
        self._ask("POST", path, **options)
        self.on_begun(self.url, password)
        self._is_here = self._page.get_by_text("No photos yet").or_(self._page.locator(CELLS)).first
        return self

    def put(self, *files):
        """Paths, or `{name, mimeType, buffer}`, lie in the vault when the page is opened, or are added and the page is
        loaded anew."""
        if self.is_there or not self.on_begun:
            self.add(*files)
            self.reload()
            return self
        for one in files:
            name, content = (one["name"], one["buffer"]) if isinstance(one, dict) else (one.name, one.read_bytes())
            self._ask("PUT", f"/api/photos/{quote(name, safe='')}", data=content)
        return self

    def reload(self):
        """The page as it is when it is loaded now, be it for the first time."""
        if self.is_there:
            self._page.reload()
        return self.page

    def _ask(self, method, path, **options):
        """What the page would ask the host for, while it is not open. Changes the session that it will have."""
        answer = self.context.request.fetch(f"{self.url}{path}", method=method, headers=SAME_ORIGIN, **options)
        assert answer.status == 201, (path, answer.status, answer.text())

    def create_through_the_page(self, password=PASSWORD):
        """A new vault, made as people do; it is empty and open."""
        self.begin_vault(password)
        self.page.get_by_role("checkbox", name="I understand").check()
        self.page.get_by_role("button", name="Create vault").click()
        expect(self.page.get_by_text("No photos yet")).to_be_visible()
        return self

    def try_password(self, password=PASSWORD):
        self.page.get_by_label("Password", exact=True).fill(password)
        self.page.keyboard.press("Enter")

    def open(self, password=PASSWORD):
        self.try_password(password)
        expect(self.page.get_by_role("navigation", name="Main")).to_be_visible()
        return self

    def lock(self):
        self.page.get_by_role("button", name="Lock", exact=True).click()
        expect(self.page.get_by_role("heading", name="You locked the vault")).to_be_visible()

    def start_without_password(self):
        """A guest's space, empty and open; begun like a vault that is made."""
        if not self.is_there and self.on_begun:
            return self._begin("/api/guest")
        self.page.get_by_role("button", name="Start without a password").click()
        expect(self.page.get_by_text("No photos yet")).to_be_visible()
        return self

    def to_vault(self):
        """The dialog that opens a vault over a guest's photos."""
        self.page.get_by_role("navigation", name="Main").get_by_role("button", name="Open", exact=True).click()
        return self.dialog()

    # -- inside

    def to_deleted(self):
        """Goes to what was deleted recently, the way that people go."""
        self.page.get_by_role("link", name="Settings").click()
        self.page.get_by_role("link", name="Show: Recently deleted").click()
        expect(self.page.get_by_role("heading", name="Recently deleted", level=1)).to_be_visible()

    def choose(self, *files):
        """Chooses paths, or `{name, mimeType, buffer}`, in the picker for photos and videos."""
        self.page.locator("#add-photos").set_input_files(list(files))

    def add(self, *files):
        """Adds files and waits until the page says that all of them are saved."""
        self.choose(*files)
        expect(self.title_of_upload()).to_have_text(f"{len(files)} saved", timeout=120_000)
        self.page.evaluate("scrollTo(0, 0)")

    def title_of_upload(self):
        return self.page.locator("#up-title")

    def result(self, words):
        """What the page says above the photos about what has just been done."""
        return self.page.locator(".results").get_by_text(words)

    def dialog(self):
        return self.page.get_by_role("dialog")

    def close_viewer(self):
        """And waits until the place that it took in the history is left, too: what is pressed next does not meet that."""
        self.page.keyboard.press("Escape")
        expect(self.dialog()).to_have_count(0)
        self.page.wait_for_function("() => !history.state?.viewer")

    def originals(self):
        """name → bytes of everything that is listed, as the host gives it back."""
        request = self.context.request
        photos = request.get(f"{self.url}/api/photos").json()["photos"]
        assert len({photo["name"] for photo in photos}) == len(photos)
        return {photo["name"]: request.get(f"{self.url}/api/photos/{photo['id']}/original").body() for photo in photos}

    def wait_until_read_back(self):
        """Only what was read back from disk is known to be there already."""
        until(self._page, lambda: all("verifiedAt" in photo for photo in self._listed()), pause=100)

    def wait_until_looked_into(self):
        """Only then does the host know when a photo was taken; until then photos change places."""
        until(self._page, self._is_looked_into)

    def _is_looked_into(self):
        pending = [photo["id"] for photo in self._listed() if photo["picture"] == "pending"]
        if pending:
            # What nobody waits for is made when the processor has nothing else to do.
            question = {"ids": pending[:128], "wait": 15}
            self.context.request.post(f"{self.url}/api/thumbnails", data=question, headers=SAME_ORIGIN)
        return not pending

    def wait_until_read(self):
        """Only then is the text in pictures known. The host reads when nobody sends anything or waits for a picture."""
        until(self._page, self._is_read, seconds=3600, pause=100)

    def _is_read(self):
        # Only what has a picture counts among those that are left.
        if not self._is_looked_into():
            return False
        told = self.context.request.get(f"{self.url}/api/storage").json()
        assert "wordsLeft" in told, "this host reads no text in pictures"
        return told["wordsLeft"] == 0

    def _listed(self):
        return self.context.request.get(f"{self.url}/api/photos").json()["photos"]

    def cells(self):
        """Those whose photo has come: a click before that opens nothing."""
        return self.page.locator(CELLS)

    def expect_photos(self, count):
        """The whole gallery has so many: it is gone through, since only what is near is drawn."""
        self.page.wait_for_function(GO_THROUGH, arg=count, polling=250)
        self.page.evaluate("scrollTo(0, 0)")

    def cell(self, name):
        return self.page.get_by_role("button", name=name)


def file(name, content, kind="image/jpeg"):
    return {"name": name, "mimeType": kind, "buffer": content}


def many(count=6):
    """More files than are downloaded one by one."""
    return [file(f"{number}.jpg", f"photo {number}".encode()) for number in range(count)]


def without_code(scope):
    """A new vault without a recovery code, which would be shown in between."""
    scope.get_by_role("checkbox", name="Make a recovery code").uncheck()


def open_in(dialog, password=PASSWORD):
    """Opens a vault in the dialog over a guest's photos."""
    dialog.get_by_label("Password", exact=True).fill(password)
    dialog.get_by_role("button", name="Open", exact=True).click()


def create_in(dialog, password=PASSWORD):
    """Makes a vault in the dialog over a guest's photos."""
    dialog.get_by_role("button", name="Create a vault").click()
    expect(dialog.get_by_label("Password again")).to_be_visible()
    dialog.get_by_label("Password", exact=True).fill(password)
    dialog.get_by_label("Password again").fill(password)
    without_code(dialog)
    dialog.get_by_role("checkbox", name="I understand").check()
    dialog.get_by_role("button", name="Create vault").click()


def settings(visitor):
    """Goes to the settings of a vault, and waits until they are known."""
    visitor.page.get_by_role("link", name="Settings").click()
    expect(visitor.page.get_by_role("heading", name="Ways to open this vault")).to_be_visible()
    return visitor.page


def ways(page):
    """The ways into the vault that can be removed."""
    return page.get_by_role("button", name=re.compile("^Remove: "))


def offer(page, title, action):
    """The dialog behind `action` in the row `title` of the settings."""
    page.get_by_role("button", name=f"{action}: {title}", exact=True).click()
    return page.get_by_role("dialog")


def select_all(visitor, count):
    """All `count`: those that were just saved come to the gallery together, a moment later. In a low window only some of
    them are drawn."""
    page = visitor.page
    page.get_by_role("button", name="Select", exact=True).click()
    for _ in range(300):
        page.get_by_role("button", name="Select all").click()
        expect(page.locator(".picked")).not_to_have_text("Selecting…")
        if page.locator(".picked").text_content() == f"{count} selected":
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{page.locator('.picked').text_content()}, not {count}")


# Where uploads are created; those of one piece come with it.
UPLOADS = "**/api/uploads"


def sent_name(request):
    """The name of the file that a request creates an upload for; empty for any other."""
    pairs = dict(pair.split(" ") for pair in request.headers.get("upload-metadata", "").split(",") if " " in pair)
    return base64.b64decode(pairs.get("filename", "")).decode()


SLOW = [file(f"slow {index}.jpg", b"slow" + bytes([index])) for index in range(6)]


def choose_slow(visitor):
    """Chooses the six files of `SLOW`. Gives the gate at which those that the page sends at once wait on their way."""
    gate = Gate(visitor.context, UPLOADS, named="slow")
    visitor.choose(*SLOW)
    until(visitor.page, lambda: len(gate.waiting) == 3)
    return gate


class Gate:
    """Requests of a page, or of a context, wait at it until it is opened; those that come later pass.

    `named`: only those of files whose names begin so."""

    def __init__(self, page, pattern, named=""):
        self.waiting = []
        self.named = named
        page.route(pattern, self._arrive)

    def _arrive(self, route):
        if self.waiting is None or not sent_name(route.request).startswith(self.named):
            route.continue_()
        else:
            self.waiting.append(route)

    def open(self, release=lambda route: route.continue_()):
        waiting, self.waiting = self.waiting, None
        for route in waiting:
            release(route)

    def break_off(self):
        """Those that waited are lost."""
        self.open(lambda route: route.abort())


def until(page, condition, seconds=120, pause=20):
    """Lets the page's requests and answers come until the condition is true."""
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, missed(condition)
        page.wait_for_timeout(pause)


def resize(page, width, height):
    """Another window, of which all that follows it has been drawn. Not where a clock stands: frames come by that."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("([width, height]) => innerWidth === width && innerHeight === height", arg=[width, height])
    page.evaluate("new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); })")


def stop_clock(page, clock=None):
    """From now on time goes by on the page only as its clock is told, which may be that of all pages of a context. It stops
    within a second: a leap over more would end what the page has just asked the host for."""
    while True:
        try:
            return (clock or page.clock).pause_at(page.evaluate("Date.now() / 1000") + 1)
        except Error as error:
            # The machine was so busy that the second was over by then.
            if "to the past" not in str(error):
                raise


def run_clock(page, condition):
    """Lets time go by, second by second, until the condition is true."""
    for _ in range(200):
        if condition():
            return
        page.clock.run_for(1000)
    raise AssertionError(missed(condition))


def hold_toast(page):
    """What is said of something that was done goes after some seconds, the way back with it, but not from under a pointer."""
    page.locator(".toast").hover()


def try_now(page):
    """Presses "Try now", unless the page has found the host again by itself meanwhile."""
    page.evaluate(
        "[...document.querySelectorAll('button')].find((one) => one.textContent.includes('Try now'))?.click()")


def held_back(page, pattern, method="POST"):
    """Requests that do not reach the host before somebody lets them go on."""
    held = []
    page.route(pattern, lambda route: held.append(route) if route.request.method == method else route.continue_())
    return held


def answer(page, pattern, status, code, method=None, headers=None, named=""):
    """Lets the host refuse: every request to `pattern` gets this problem until `page.unroute(pattern)`.

    `named`: only those of files whose names begin so."""

    def refuse(route):
        is_other = method is not None and route.request.method != method
        if is_other or not sent_name(route.request).startswith(named):
            route.continue_()
            return
        route.fulfill(
            status=status,
            content_type="application/problem+json",
            headers=headers or {},
            json={"type": "about:blank", "title": code, "status": status, "code": code, "detail": code},
        )

    page.route(pattern, refuse)
