"""The real units in a really booted systemd. Needs root, namespaces and time."""

import json
import os
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from booted import CHEAP, a_picture, booted, new_vault, wait_for_thumbnail
from bucket import KEYS
from client import sha256, wait_until
from daemon import CHECKOUT, binary
from exports import picture
from faults import needs_root
from feed import make_certificate
from giving import make_door
from network import DEVICES

pytestmark = [pytest.mark.nightly("systems"), needs_root]

SCRIPTS = CHECKOUT / "scripts"


def install_over(upper):
    subprocess.run([SCRIPTS / "install-files", binary().parent, upper, "/usr"], check=True, stdin=subprocess.DEVNULL)


@pytest.fixture
def host(network, tmp_path):
    """This very system as another host, with an installation over it."""
    with booted(network, "/", tmp_path / "host", install_over) as host:
        host.run("systemd-sysusers")
        # The test's own system may have vaults, too.
        host.run("rm", "-rf", "/var/lib/safelight", "/etc/credstore")
        host.run("systemd-tmpfiles", "--create", "safelight.conf")
        for unit in ("safelight.service", "safelight-activated.service"):
            host.put(f"/etc/systemd/system/{unit}.d/cheap.conf", CHEAP)
        host.systemctl("daemon-reload")
        yield host


@pytest.fixture(params=["safelight.service", "safelight-activated.service"])
def unit(request, host):
    """Each of the two ways to run it, running."""
    name = request.param
    if name == "safelight-activated.service":
        host.systemctl("start", "safelight-activated.socket")
        assert host.property("ActiveState", name) == "inactive"
        host.run("curl", "--silent", "http://127.0.0.1:8080/health/live")
    else:
        host.systemctl("start", name)
    host.wait_until("ActiveState", "active", name)
    return name


def test_the_daemon_starts_and_serves_and_makes_pictures(host, unit, photos):
    assert host.property("StatusText", unit) == "Serving; all is well."
    health = host.network.device.curl("--insecure", f"{host.secure_url}/health")
    assert health[0] == 200, health
    browser = new_vault(host)
    content = a_picture(photos).read_bytes()
    browser.put("a.jpg", content)
    assert browser.digests() == {"a.jpg": sha256(content)}
    assert wait_for_thumbnail(browser, "a.jpg").headers["Content-Type"].startswith("image/")
    assert "thread priority" not in host.journal(unit)
    assert host.run("stat", "--format=%U %a", "/var/lib/safelight") == "safelight 700"


def test_a_reload_ends_and_keeps_what_is_open(host, unit):
    browser = new_vault(host)
    before = host.property("MainPID", unit)
    host.systemctl("reload", unit)
    host.wait_until("ActiveState", "active", unit)
    assert host.property("MainPID", unit) == before
    browser.put("a.jpg", b"a")


def test_a_daemon_that_hangs_is_killed_and_started_again(host, unit):
    host.put(f"/etc/systemd/system/{unit}.d/soon.conf", "[Service]\nWatchdogSec=5\n")
    host.systemctl("daemon-reload")
    host.systemctl("restart", unit)
    new_vault(host).put("a.jpg", b"a")
    # Signs of life come.
    for _ in range(3):
        last = host.property("WatchdogTimestampMonotonic", unit)
        wait_until(lambda: host.property("WatchdogTimestampMonotonic", unit) != last)  # noqa: B023
    assert host.property("NRestarts", unit) == "0"
    host.run("kill", "-STOP", host.property("MainPID", unit))
    host.wait_until("NRestarts", "1", unit)
    host.wait_until("ActiveState", "active", unit)
    assert "atchdog timeout" in host.journal(unit)
    assert host.browser().open().names() == ["a.jpg"]


@pytest.mark.parametrize("name", ["safelight.service", "safelight-activated.service"])
def test_a_disk_that_is_not_mounted_is_awaited(host, name):
    """`/var/disk` stands for the disk: bound to its place, it can be taken away and brought back."""
    for folder in ("/var/disk", "/srv/photos"):
        host.run("install", "-d", "-o", "safelight", "-g", "safelight", "-m", "700", folder)
    host.put("/etc/safelight/safelight.yaml", 'data: /srv/photos\nlisten: ["[::]:8080"]\n')
    host.put(f"/etc/systemd/system/{name}.d/disk.conf", "[Service]\nReadWritePaths=/srv/photos\n")
    host.systemctl("daemon-reload")
    host.run("mount", "--bind", "/var/disk", "/srv/photos")
    start = "safelight-activated.socket" if "activated" in name else name

    def health():
        return host.run("curl", "--silent", "http://127.0.0.1:8080/health")

    host.systemctl("start", start)
    assert '"pass"' in health()
    host.systemctl("stop", start, name)
    host.run("umount", "/srv/photos")
    host.systemctl("start", start)
    assert "not-mounted" in health()
    assert host.property("StatusText", name).startswith("Waiting: A data directory was at /srv/photos")
    assert host.run("ls", "-A", "/srv/photos") == ""
    process = host.property("MainPID", name)
    host.run("mount", "--bind", "/var/disk", "/srv/photos")
    host.wait_until("StatusText", "Serving; all is well.", name)
    assert "not-mounted" not in health()
    assert host.property("MainPID", name) == process
    assert "NEW, EMPTY" not in host.journal(name).split("waiting for the disk")[1]


def fall_silent(host, browser):
    """A connection with an upload that was begun and does not go on, as that of a phone in a lift."""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.http.cookies)
    head = [
        "PUT /api/photos/lift.jpg HTTP/1.1", f"Host: {host.address}:{host.port}", f"Origin: {browser.origin}",
        f"Cookie: {cookies}", "Content-Length: 1000000", "Expect: 100-continue",
    ]  # fmt: skip
    trusting = ssl.create_default_context(cafile=str(host.authority))
    connection = host.network.device.connect_tls(host, context=trusting)
    connection.sendall("".join(line + "\r\n" for line in [*head, ""]).encode())
    assert b" 100 " in connection.recv(1000)
    connection.sendall(bytes(300_000))
    return connection


def test_a_daemon_under_load_stops_within_30_seconds(host, unit):
    browser = new_vault(host)
    browser.put("before.jpg", b"before")
    stopping = threading.Event()
    saved = {}

    def load(number, sender):
        count = 0
        while not stopping.is_set():
            name, content = f"{number}-{count}.bin", os.urandom(1 << 18)
            try:
                if sender.try_put(name, content).status_code == 201:
                    saved[name] = sha256(content)
            except requests.exceptions.RequestException:
                return
            count += 1

    senders = [host.browser().open() for _ in range(16)]
    threads = [threading.Thread(target=load, args=each) for each in enumerate(senders)]
    silent = fall_silent(host, browser)
    for thread in threads:
        thread.start()
    while len(saved) < 32:
        time.sleep(0.05)
    # A client that tries again would wake the daemon behind its socket: they end together.
    socket = ["safelight-activated.socket"] if unit == "safelight-activated.service" else []
    host.systemctl("stop", *socket, unit)
    stopping.set()
    for thread in threads:
        thread.join()
    silent.close()
    # Else systemd would have ended it, and called that a timeout.
    assert (host.property("Result", unit), host.property("ExecMainStatus", unit)) == ("success", "0")
    host.systemctl("start", unit)
    host.wait_until("ActiveState", "active", unit)
    found = host.browser().open().digests()
    assert {name: found.get(name) for name in saved} == saved


PATIENT = 10


@pytest.mark.parametrize("unit", ["safelight-activated.service"], indirect=True)
def test_programs_that_make_pictures_give_way_to_everybody(host, unit, photos):
    """The other unit has no permission to give to them, within what it may be open."""
    browser = new_vault(host)
    for path in photos:
        browser.put(path.name, path.read_bytes())
    end = time.monotonic() + 120
    while PATIENT not in [niceness(process) for process in picture_programs(host)]:
        assert time.monotonic() < end, "no program gives way"
        time.sleep(0.01)


def picture_programs(host):
    """As seen from here: programs of this name that live in the host's world."""
    world = os.readlink(f"/proc/{host.init}/ns/pid")
    for comm in Path("/proc").glob("[0-9]*/comm"):
        try:
            if comm.read_text() == "safelight-imagi\n" and os.readlink(comm.parent / "ns/pid") == world:
                yield int(comm.parent.name)
        except OSError:
            pass  # It has ended.


def niceness(process):
    try:
        return os.getpriority(os.PRIO_PROCESS, process)
    except ProcessLookupError:
        return None


def test_a_backup_is_made_at_night_and_restored_on_another_day(host):
    host.systemctl("start", "safelight")
    browser = new_vault(host)
    content = os.urandom(3_000_000)
    browser.put("a.jpg", content)
    host.run("install", "-d", "-o", "safelight", "-g", "safelight", "-m", "700", "/mnt/other disk/safelight")
    name = "safelight-backup@" + host.run("systemd-escape", "--path", "/mnt/other disk/safelight")
    host.systemctl("enable", "--now", f"{name}.timer")
    assert host.property("NextElapseUSecRealtime", f"{name}.timer")
    assert host.property("ActiveState", f"{name}.service") == "inactive"
    host.systemctl("start", f"{name}.service")
    assert "1 object" in host.journal(f"{name}.service")
    host.systemctl("stop", "safelight")

    as_user = "runuser", "-u", "safelight", "--", "safelight"
    host.run("find", "/var/lib/safelight", "-mindepth", "1", "-delete")
    host.run(*as_user, "restore", "--from", "/mnt/other disk/safelight", "--to", "/var/lib/safelight")
    host.run(*as_user, "check")
    host.systemctl("start", "safelight")
    assert host.browser().open().digests() == {"a.jpg": sha256(content)}


def test_a_backup_to_a_disk_that_is_not_there_fails_and_makes_no_folder(host):
    host.systemctl("start", "safelight")
    unit = "safelight-backup@mnt-gone-safelight.service"
    host.systemctl("start", unit, check=False)
    assert host.property("ActiveState", unit) == "failed"
    assert not (host.root / "mnt/gone").exists()


@contextmanager
def second_house(host, folder):
    """A store with a bucket `photos` on another computer; its keys, which nobody of this host has but systemd."""
    address = DEVICES[0]
    url = f"https://{address}:9000"
    certificate, key = make_certificate(folder, f"IP:{address}")
    host.put("/usr/local/share/ca-certificates/store.crt", certificate.read_bytes())
    host.run("update-ca-certificates")
    host.put("/etc/credstore/safelight.bucket-key-id", KEYS["AWS_ACCESS_KEY_ID"]).chmod(0o600)
    host.put("/etc/credstore/safelight.bucket-secret", KEYS["AWS_SECRET_ACCESS_KEY"]).chmod(0o600)
    words = ["-m", "moto.server", "--host", address, "--port", "9000", "--ssl-cert", certificate, "--ssl-key", key]
    server = subprocess.Popen(
        [*host.network.device.wrapper, sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        device = host.network.device
        wait_until(lambda: device.curl("--cacert", certificate, "--request", "PUT", f"{url}/photos")[0] == 200)
        yield url
    finally:
        server.kill()
        server.wait()


def test_a_copy_is_made_in_a_second_house_and_rehearsed(host, tmp_path):
    host.systemctl("start", "safelight")
    new_vault(host).put("a.jpg", os.urandom(3_000_000))
    instance = host.run("systemd-escape", "s3://photos/the house")
    with second_house(host, tmp_path) as store:
        host.put("/etc/safelight/offsite.env", f"AWS_ENDPOINT_URL_S3={store}\nAWS_REGION=us-east-1\n")
        for name in ("offsite", "rehearsal"):
            unit = f"safelight-{name}@{instance}"
            host.systemctl("enable", "--now", f"{unit}.timer")
            assert host.property("NextElapseUSecRealtime", f"{unit}.timer")
            host.systemctl("start", f"{unit}.service", check=False)
            assert host.property("Result", f"{unit}.service") == "success", host.journal(f"{unit}.service")
    checks = json.loads(host.run("curl", "--silent", "http://127.0.0.1:8080/health"))["checks"]
    assert [checks[name][0]["status"] for name in ("offsite:age", "offsite:rehearsal")] == ["pass", "pass"]


# As docs/operations.md says it; there it asks a terminal.
TAKE_OVER = [
    "systemd-run", "--quiet", "--pipe", "--wait", "--uid=safelight", "-p", "LoadCredential=safelight.bucket-key-id",
    "-p", "LoadCredential=safelight.bucket-secret", "safelight", "take-over",
]  # fmt: skip
STANDING_BY = "[Service]\nExecStart=\nExecStart=/usr/bin/safelight serve --stand-by\n"


def test_a_bucket_is_home_and_an_empty_host_goes_on(host, tmp_path):
    contents = {f"{number}.jpg": os.urandom(300_000) for number in range(3)}
    with second_house(host, tmp_path) as store:
        configuration = host.root / "etc/safelight/safelight.yaml"
        bucket = f"objects: s3://photos/the-house\nobjects.endpoint: {store}\nobjects.region: us-east-1\n"
        configuration.write_text(f"{configuration.read_text()}\n{bucket}")
        host.systemctl("start", "safelight")
        browser = new_vault(host)
        for name, content in contents.items():
            browser.put(name, content)
        found = {name: sha256(content) for name, content in contents.items()}

        def lose_everything():
            host.systemctl("stop", "safelight")
            assert (host.property("Result"), host.property("ExecMainStatus")) == ("success", "0")
            host.run("find", "/var/lib/safelight", "-mindepth", "1", "-delete")

        lose_everything()
        host.systemctl("start", "safelight", check=False)
        assert host.property("ExecMainStatus") == "78"
        assert "take-over" in host.journal()
        host.run(*TAKE_OVER)
        host.systemctl("reset-failed", "safelight")
        host.systemctl("start", "safelight")
        assert host.browser().open().digests() == found

        # By a unit that stands by.
        lose_everything()
        host.put("/etc/systemd/system/safelight.service.d/stand-by.conf", STANDING_BY)
        host.systemctl("daemon-reload")
        host.systemctl("start", "safelight")
        wait_until(lambda: "standing by" in host.journal())
        process = host.property("MainPID")
        host.run("runuser", "-u", "safelight", "--", "safelight", "take-over")
        wait_until(lambda: host.network.device.curl("--insecure", f"{host.secure_url}/health")[0] == 200)
        assert host.browser().open().digests() == found
        assert host.property("MainPID") == process


def test_a_pepper_lies_in_the_credential_store(host):
    pepper = host.put("/etc/credstore/safelight.pepper", os.urandom(32))
    host.systemctl("start", "safelight")
    new_vault(host).put("a.jpg", b"a")
    host.systemctl("stop", "safelight")
    pepper.unlink()
    host.systemctl("start", "safelight", check=False)
    assert host.property("ExecMainStatus") == "78"
    assert "needs its pepper file" in host.journal()


# As docs/operations.md says it; the second folder is one of a person's own.
TAKING = """\
[Service]
Environment=TAKE=--take
ReadWritePaths=-%f
"""
# So that nobody waits for a minute. An empty line ends all that was there.
SOON = """\
[Timer]
OnActiveSec=
OnActiveSec=1s
OnUnitInactiveSec=1s
AccuracySec=100ms
"""
TAKING_AT_HOME = """\
[Service]
Environment=TAKE=--take
ProtectHome=tmpfs
BindPaths=-%f
"""


def test_watched_folders_are_emptied_into_a_locked_vault(host, unit):
    owner = new_vault(host)
    door = make_door(owner)
    owner.lock()
    host.run("useradd", "--create-home", "--groups", "users", "anna")
    host.run("install", "-d", "-o", "safelight", "-g", "users", "-m", "2770", "/srv/scans")
    host.run("install", "-d", "-o", "anna", "-g", "safelight", "-m", "770", "/home/anna/Camera")
    host.run("install", "-d", "-o", "anna", "-g", "safelight", "-m", "750", "/srv/My Sync")
    places = {name: host.run("systemd-escape", "--path", name) for name in ("/srv/scans", "/home/anna/Camera", "/srv/My Sync")}
    for name, more in (("/srv/scans", TAKING), ("/home/anna/Camera", TAKING_AT_HOME), ("/srv/My Sync", "")):
        host.put(f"/etc/credstore/safelight.door.{places[name]}", door["code"]).chmod(0o600)
        host.put(f"/etc/systemd/system/safelight-inbox@{places[name]}.service.d/here.conf", more)
        host.put(f"/etc/systemd/system/safelight-inbox@{places[name]}.timer.d/soon.conf", SOON)
        still = "[Service]\nExecStart=\nExecStart=/usr/bin/safelight import --door %d/safelight.door --still 1 $TAKE %f\n"
        host.put(f"/etc/systemd/system/safelight-inbox@{places[name]}.service.d/still.conf", still)
    host.systemctl("daemon-reload")

    def put_as_anna(path, content, mask="022"):
        host.put("/tmp/come", content)
        host.run("runuser", "-u", "anna", "--", "sh", "-c", f"umask {mask}; cat < /tmp/come > '{path}'")

    def health():
        return json.loads(host.run("curl", "--silent", "http://127.0.0.1:8080/health"))["checks"].get("inbox", [{}])[0]

    put_as_anna("/srv/scans/a.jpg", picture("a"))
    put_as_anna("/home/anna/Camera/b.jpg", picture("b"))
    put_as_anna("/srv/My Sync/c.jpg", picture("c"))
    for place in places.values():
        host.systemctl("enable", "--now", f"safelight-inbox@{place}.timer")
    wait_until(lambda: not host.run("find", "/srv/scans", "/home/anna/Camera", "-type", "f"))
    put_as_anna("/home/anna/Camera/d.jpg", picture("d"), mask="077")
    wait_until(lambda: health().get("output") == "1 file cannot be read")
    failed = f"safelight-inbox@{places['/home/anna/Camera']}.service"
    host.wait_until("Result", "exit-code", failed)
    assert "/home/anna/Camera: 1 file cannot be read." in host.journal(failed)
    host.run("chmod", "644", "/home/anna/Camera/d.jpg")
    wait_until(lambda: not host.run("find", "/home/anna/Camera", "-type", "f"))
    host.run("rm", "-r", "/srv/scans")
    wait_until(lambda: health().get("output") == "the folder is not there")
    host.run("install", "-d", "-o", "safelight", "-g", "users", "-m", "2770", "/srv/scans")
    wait_until(lambda: health() == {"status": "pass"})
    owner = host.browser().open()
    wait_until(lambda: len(owner.photos()) == 4)
    assert owner.digests() == {f"{name}.jpg": sha256(picture(name)) for name in "abcd"}
    assert host.run("find", "/srv/My Sync", "-type", "f") == "/srv/My Sync/c.jpg"
    # What says nothing is not in the journal.
    quiet = f"safelight-inbox@{places['/srv/My Sync']}.service"
    assert host.journal(quiet).count("1 file of /srv/My Sync was sent.") == 1 and "Starting" not in host.journal(quiet)
    assert door["code"] not in host.journal("*") and door["code"] not in host.run("sh", "-c", "cat /proc/[0-9]*/cmdline")
