"""WebKitGTK by W3C WebDriver, as large as a phone: the nearest to Safari that Debian has. A person at the page in it."""

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from visitor import PASSWORD

SECONDS = 120
PHONE = (390, 844)
# The bar above the page is wider than a phone unless its buttons give up their margins.
NARROW = "* { min-width: 0; padding: 0; }"

# Runs before everything else of the page. What it notes outlives a reload.
WATCH = """{
    const note = (...words) => {
        sessionStorage.setItem("faults", `${sessionStorage.getItem("faults") ?? ""}${words.join(" ")}\\n`);
    };
    addEventListener("error", (event) => note(event.message, event.filename, event.lineno));
    addEventListener("unhandledrejection", (event) => note("unhandled:", event.reason));
    addEventListener("securitypolicyviolation", (event) => note(event.violatedDirective, event.blockedURI));
    console.error = note;
}
"""

# Where a person is: the topmost dialog, else the whole page.
HERE = "const here = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;"
NAMED = f"""{HERE}
    const [selector, name] = arguments;
    return [...here.querySelectorAll(selector)].find((one) => one.checkVisibility({{ visibilityProperty: true }})
        && !one.disabled && (one.getAttribute("aria-label") ?? one.textContent).trim().startsWith(name));"""
FETCHED = """const [done] = arguments;
    const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
    (async () => {
        const { photos } = await (await fetch("/api/photos")).json();
        const sums = {};
        for (const { id, name } of photos) {
            const bytes = await (await fetch(`/api/photos/${id}/original`)).arrayBuffer();
            sums[name] = hex(await crypto.subtle.digest("SHA-256", bytes));
        }
        return sums;
    })().then(done);"""

LOOKED_INTO = """const [done] = arguments;
    fetch("/api/photos").then((answer) => answer.json())
        .then(({ photos }) => done(photos.every(({ picture }) => picture === "made")));"""


@contextmanager
def screen():
    """A screen that nobody sees; yields its name."""
    reads, writes = os.pipe()
    command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", "800x1000x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writes], stderr=subprocess.DEVNULL)
    os.close(writes)
    try:
        with os.fdopen(reads) as number:
            yield f":{number.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def webkit(home):
    """A browser with nothing in it, whose window is a phone's; its settings lie in a home folder of its own."""
    settings = home / ".config" / "gtk-3.0" / "gtk.css"
    settings.parent.mkdir(parents=True)
    settings.write_text(NARROW)
    options = webdriver.WebKitGTKOptions()
    options.binary_location = str(max(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")))
    options.add_argument("--automation")
    with screen() as display:
        variables = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "DISPLAY": display}
        service = webdriver.WebKitGTKService("/usr/bin/WebKitWebDriver", env={**os.environ, **variables})
        driver = webdriver.WebKitGTK(options=options, service=service)
        try:
            bar = driver.execute_script("return outerHeight - innerHeight")
            driver.set_window_rect(0, 0, PHONE[0], PHONE[1] + bar)
            yield driver
        finally:
            driver.quit()


class Handset:
    """Like a `Visitor`, in WebKit."""

    def __init__(self, driver, url):
        self.driver = driver
        driver.get(url)
        self.until(lambda: self.first("h1"))
        self.until(lambda: self.run("return [innerWidth, innerHeight]") == list(PHONE))

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, seconds=SECONDS):
        """What the condition gives, once it is true."""
        wait = WebDriverWait(self.driver, seconds, poll_frequency=0.05)
        try:
            return wait.until(lambda _: condition())
        except TimeoutException as error:
            raise TimeoutException("the page shows: " + self.words()) from error

    # -- what is seen

    def words(self):
        return self.run(f"{HERE} return here.innerText")

    def see(self, words):
        self.until(lambda: words in self.words())

    def first(self, selector, name=""):
        return self.run(NAMED, selector, name)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def see_count(self, selector, count):
        self.until(lambda: self.count(selector) == count)

    def sums(self):
        """name → SHA-256 of everything that is listed, as the host gives it back."""
        return self.driver.execute_async_script(FETCHED)

    # -- what is done

    def press(self, name, selector="button, a"):
        def pressed():
            one = self.first(selector, name)
            if not one:
                return False
            # The driver takes the bar above the page for a part of it, and may not scroll to what lies just below the edge.
            self.run("arguments[0].scrollIntoView({ block: 'center' })", one)
            try:
                one.click()
            except StaleElementReferenceException:
                # The page has drawn it anew meanwhile.
                return False
            return True

        self.until(pressed)

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def type_in(self, label, words):
        field = self.until(lambda: self.first("label", label)).get_attribute("for")
        self.driver.find_element(By.ID, field).send_keys(words)

    def create(self, password=PASSWORD):
        self.press("Create a vault")
        self.type_in("Password again", password)
        self.type_in("Password", password)
        self.press("Make a recovery code", "label")
        self.press("I understand", "label")
        self.press("Create vault")

    def open(self, password=PASSWORD):
        self.type_in("Password", password)
        self.press("Open")

    def add(self, *paths):
        """Adds files and waits until the page says that all of them are saved."""
        # The door takes files, too, in a field of its own that goes with it.
        self.until(lambda: self.count("a[href='#/photos']") and self.count("#add-photos"))
        self.driver.find_element(By.ID, "add-photos").send_keys("\n".join(map(str, paths)))
        self.see(f"{len(paths)} saved")

    def reload_in_order(self):
        """Loads the page again when the host knows of every photo when it was taken; until then they change places."""
        self.until(lambda: self.driver.execute_async_script(LOOKED_INTO))
        self.driver.refresh()

    def see_pictures(self, count):
        self.see_count(".cell img.is-here", count)

    def shown(self):
        """What the viewer shows in full: its place among the others, once its picture is there."""
        self.until(lambda: self.run("return document.querySelector('figure[data-shown] .frame > img')?.naturalWidth > 0"))
        return self.run("return document.querySelector('.viewer h1 .small').textContent").split(" · ")[-1]
