"""Two months of a household, by a clock that the test turns: photos each day, copies each night, and what happens to computers
meanwhile. What the keeper is told each day is kept, from `health` and from commands that failed, and printed: it has to name
what happened, and nothing else, and what it says to do has to help."""

import datetime
import re
import shutil
import subprocess
import time

import bucket as stores
import pytest
from bucket import KEYS
from client import PASSWORD, Browser, sha256
from daemon import Daemon, binary
from faults import fill, flip_bit, needs_root, tmpfs
from test_tls import clock, faketime  # noqa: F401

DAYS = 62
FIRST_DAY = datetime.datetime(2027, 3, 1)
# Sets the variables that the library of the clock needs before the daemon begins, which finds its arguments behind them.
WRAPPER = ["env"]
# What commands note for health, with the time of the clock, which theirs is not: under that library they wait for ever.
NOTES = [f"{what}-{record}" for what in ("last", "failed") for record in ("backup", "offsite", "rehearsal", "backup-rehearsal")]
# A household's photos of a day, and where its copies go.
PHOTOS_A_DAY = 3
OFFSITE_EVERY = 7
REHEARSED_EVERY = 30


class Household:
    """`usb` is where its disk for backups is plugged in; `disk` is the one in the computer."""

    def __init__(self, folder, disk, stick, bucket, proxy):
        self.folder, self.disk, self.stick, self.bucket, self.proxy = folder, disk, stick, bucket, proxy
        self.usb = folder / "usb"
        self.usb.mkdir()
        self.place = f"s3://{bucket.name}/the house"
        self.day = 0
        self.told = {}
        self.acknowledged = {}
        self.computer = self.new_computer(disk / "data")
        self.plug_in()

    def plug_in(self):
        subprocess.run(["mount", "--bind", str(self.stick), str(self.usb)], check=True)

    def unplug(self):
        subprocess.run(["umount", str(self.usb)], check=True)

    def new_computer(self, data):
        folder = self.folder / f"computer-{self.day}"
        folder.mkdir()
        return Daemon(folder, data=data, environment=KEYS, wrapper=WRAPPER)

    def at(self, hour):
        """It is that hour of today for whatever starts from now on."""
        self.now = FIRST_DAY + datetime.timedelta(days=self.day, hours=hour)
        self.computer.environment.update(clock(f"@{self.now:%Y-%m-%d %H:%M:%S}"))

    # -- what the keeper is told

    def tell(self, source, text):
        """Only what was not told in the same words the day before."""
        today = self.told.setdefault(self.day, {})
        today[source] = text

    def news(self, day):
        before = self.told.get(day - 1, {})
        return {source: text for source, text in self.told.get(day, {}).items() if before.get(source) != text}

    def look_at_health(self):
        answer = Browser(self.computer).request("GET", "/health")
        body = answer.json()
        notes = {
            name: (check.get("observedValue"), check.get("output"))
            for name, checks in body["checks"].items() for check in checks if check["status"] != "pass"
        }  # fmt: skip
        if body["status"] != "pass":
            self.tell("health", f"{answer.status_code} {notes}")

    def command(self, *words):
        """As its timer runs it; what ends with 0 is mailed to nobody."""
        done = self.run(*words)
        if done.returncode != 0:
            kind = "bucket" if words[2].startswith("s3:") else "folder"
            self.tell(f"{words[0]} {kind}", f"{done.returncode} {self.plain(done.stdout + done.stderr)}")
        return done

    def run(self, *words):
        variables = {name: value for name, value in self.computer.variables().items() if "FAKE" not in name and name != "LD_PRELOAD"}
        done = subprocess.run([str(binary()), *words], capture_output=True, env=variables, cwd=self.computer.folder)
        for name in NOTES:
            note = self.computer.data / name
            # Their clock is behind the household's.
            if note.exists() and float(note.read_text()) <= time.time():
                note.write_text(f"{int(self.now.timestamp()):<31}\n")
        return done

    @staticmethod
    def plain(output):
        return " ".join(line.strip() for line in re.split(r"[\r\n]+", output.decode()) if line.strip())

    # -- a day

    def evening(self):
        """The computer is turned on, the family brings its photos, and somebody looks at health."""
        self.at(19)
        self.computer.start()
        browser = Browser(self.computer)
        (browser.open if self.acknowledged or self.day else browser.create)(PASSWORD)
        for number in range(PHOTOS_A_DAY):
            name, content = f"day {self.day} photo {number}.jpg", b"%d of %d " % (number, self.day) * 9_000
            answer = browser.try_put(name, content)
            if answer.status_code == 201:
                self.acknowledged[name] = sha256(content)
            else:
                self.tell("page", f"{answer.status_code} {answer.json()['detail']}")
        self.look_at_health()
        return browser

    def night(self):
        self.at(23)
        data = ["--data", str(self.computer.data)]
        self.command("backup", "--to", str(self.usb), *data)
        if self.day % OFFSITE_EVERY == 6:
            self.command("backup", "--to", self.place, "--endpoint", self.proxy.url, *data)
        if self.day % REHEARSED_EVERY == 29:
            self.command("rehearse", "--from", str(self.usb), "--part", "100%", *data)
            self.command("rehearse", "--from", self.place, "--endpoint", self.proxy.url, *data)

    def turn_off(self):
        self.computer.stop()
        self.day += 1

    def live(self, until):
        while self.day < until:
            self.evening()
            self.night()
            self.turn_off()

    def restore(self, place, data, *more):
        """As somebody does who has another disk or computer, and what was acknowledged."""
        self.computer = self.new_computer(data)
        self.at(18)
        done = self.run("restore", "--from", place, "--to", str(data), *more)
        assert done.returncode == 0 and "Sound." in done.stdout.decode(), done.stdout + done.stderr


@pytest.mark.nightly("stores")
@needs_root
def test_a_keeper_is_told_what_to_do_and_nothing_else_in_two_months(faketime, bucket, proxy, tmp_path):  # noqa: F811
    with tmpfs(tmp_path / "disk", 700) as disk, tmpfs(tmp_path / "stick", 500) as stick:
        home = Household(tmp_path, disk, stick, bucket, proxy)
        try:
            expected = two_months(home)
        finally:
            home.unplug()
            told = "\n".join(f"day {day:2} {source}: {text}" for day in range(DAYS) for source, text in home.news(day).items())
            print(told)
    wrong = []
    for day in range(DAYS):
        news, meant = home.news(day), expected.get(day, {})
        if set(news) != set(meant):
            wrong.append((day, news, meant))
        wrong += [(day, news[source], word) for source in meant if source in news for word in meant[source] if word not in news[source]]
    assert wrong == []


def two_months(home):
    """What happens, and the words that the keeper has to be told for it: day → source → words."""
    expected = {}

    def expect(day, source, *words):
        expected.setdefault(day, {})[source] = words

    home.live(until=10)

    # The disk for backups is not plugged in again for nine nights: the nightly run says so, and the next day health.
    home.unplug()
    expect(10, "backup folder", "78", "Plug it in")
    expect(11, "health", "backup:age", "the last one failed")
    home.live(until=19)
    home.plug_in()
    home.live(until=20)

    # Something else fills the computer's disk; the next evening somebody makes room.
    fill(home.disk / "ballast", leaving=0)
    expect(20, "health", "disk-full")
    expect(20, "page", "507", "Make room")
    home.live(until=21)
    (home.disk / "ballast").unlink()
    home.live(until=27)

    # The store elsewhere answers with errors for two of its nights.
    rule = home.proxy.rule(stores.refuse(503), times=1 << 30)
    expect(27, "backup bucket", "74", "503")
    expect(28, "health", "offsite:age")
    home.live(until=28)
    rule.left = 0
    home.live(until=36)

    # The computer loses its power while photos come in. Nobody has to do anything.
    home.at(19)
    home.computer.start()
    home.computer.kill9()
    home.live(until=40)

    # Its disk dies. With a new one, and the backup of the night before, everything is there.
    shutil.rmtree(home.disk / "data")
    home.restore(str(home.usb), home.disk / "new")
    home.live(until=49)

    # A new computer, at another place: out of the bucket, behind a night of its copy.
    shutil.rmtree(home.disk / "new")
    home.restore(home.place, home.disk / "elsewhere", "--endpoint", home.proxy.url)
    home.live(until=52)

    # A byte of the backup changes where it lies. The trial of the month names it, and what that says to do mends it.
    flip_bit(sorted(path for path in (home.usb / "objects").rglob("*") if path.is_file())[0], 1_000)
    expect(59, "rehearse folder", "1", "backup --verify")
    expect(60, "health", "backup:rehearsal", "the last one failed")
    home.live(until=61)
    assert home.run("backup", "--verify", "--to", str(home.usb), "--data", str(home.computer.data)).returncode == 0
    assert home.run("rehearse", "--from", str(home.usb), "--part", "100%", "--data", str(home.computer.data)).returncode == 0
    browser = home.evening()
    assert browser.digests() == home.acknowledged
    home.computer.stop()
    return expected
