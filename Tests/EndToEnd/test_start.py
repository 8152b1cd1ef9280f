"""Starting, refusing to start, stopping."""

import hashlib
import os
import resource
import signal
import subprocess
import time
from contextlib import contextmanager, suppress

import pytest
import requests
from client import Browser, code_of, wait_until
from daemon import Daemon, binary
from faults import needs_root, run_failing, tmpfs

UNUSABLE = 78
# It may go well another time.
TEMPORARY = 75
HEADER_COPY = 4096


def tree(folder):
    """Names, modes and contents below a folder; equal only when not a byte has changed."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mode,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None,
        )
        for path in [folder, *folder.rglob("*")]
    }


def second_on(daemon, tmp_path):
    """Another daemon for the data folder of `daemon`, not yet launched."""
    folder = tmp_path / f"second-{time.monotonic_ns()}"
    folder.mkdir()
    return Daemon(folder, data=daemon.data)


def test_a_system_that_lets_no_thread_begin_is_told_of(tmp_path):
    """As old container programs do to a newer C library, and a limit of processes."""
    for error, status in (("EPERM", UNUSABLE), ("EAGAIN", TEMPORARY)):
        done = run_failing(Daemon(tmp_path), f"clone3:error={error}", "version")
        assert done.returncode == status and b"no thread can begin here" in done.stderr, done


def test_a_second_daemon_on_the_same_folder_gives_up_and_names_the_first(standing_daemon, vault, tmp_path):
    second = second_on(standing_daemon, tmp_path)
    second.launch()
    assert second.wait() == UNUSABLE, second.log
    assert str(standing_daemon.pid) in second.log, second.log
    vault().put("a.jpg", b"a")


def test_a_start_beside_a_command_waits_until_that_has_ended(restartable_vault, tmp_path):
    browser = restartable_vault()
    browser.put("a.jpg", b"a")
    daemon = browser.daemon
    daemon.stop()
    with working_on(daemon) as reclaim:
        daemon.launch()
        wait_until(lambda: "waiting to start" in daemon.log and answers(daemon) == (503, "in-use"))
        assert f"in use by process {reclaim.pid}" in daemon.log
        health = requests.get(f"{daemon.url}/health", timeout=300)
        assert health.status_code == 503 and health.json()["checks"]["store"][0]["output"].startswith("in-use: ")
        page = requests.get(daemon.url, headers={"Accept": "text/html"}, timeout=300)
        assert page.status_code == 503 and "zh-Hant" in page.text
        reclaim.stdin.close()
    daemon.wait_until_ready()
    assert Browser(daemon).open(browser.password).names() == ["a.jpg"]


def test_a_start_that_waits_ends_when_it_is_told_to(restartable):
    daemon = restartable
    daemon.stop()
    with working_on(daemon) as reclaim:
        daemon.launch()
        wait_until(lambda: answers(daemon) == (503, "in-use"))
        daemon.stop()
        reclaim.stdin.close()
    daemon.start()


def waited_for(daemon):
    """What health says, and that the page says something in a family's words."""
    health = requests.get(f"{daemon.url}/health", timeout=300)
    page = requests.get(daemon.url, headers={"Accept": "text/html"}, timeout=300)
    assert health.status_code == page.status_code == 503 and "zh-Hant" in page.text
    return health.json()["checks"]["store"][0]["output"]


@needs_root
def test_a_start_without_room_waits_until_there_is_some(tmp_path):
    with tmpfs(tmp_path / "small", 8) as disk:
        daemon = Daemon(tmp_path, data=disk / "data")
        daemon.launch()
        wait_until(lambda: answers(daemon) == (503, "disk-full"))
        assert waited_for(daemon).startswith("disk-full: The disk is full") and "waiting to start. The disk is full" in daemon.log
        subprocess.run(["mount", "-o", "remount,size=300m", str(disk)], check=True)
        daemon.wait_until_ready()
        Browser(daemon).create().put("a.jpg", b"a")
        daemon.stop()


def test_a_start_with_too_few_descriptors_waits_until_there_are_more(restartable_vault):
    """Also one that waited for something else before."""
    browser = restartable_vault()
    browser.put("a.jpg", b"a")
    daemon = browser.daemon
    daemon.stop()
    with working_on(daemon) as reclaim:
        daemon.launch()
        wait_until(lambda: answers(daemon) == (503, "in-use"))
        few = max(int(name) for name in os.listdir(f"/proc/{daemon.pid}/fd")) + 3
        _, most = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (few, most))
        reclaim.stdin.close()
        wait_until(lambda: answers(daemon) == (503, "degraded"))
    assert waited_for(daemon).startswith("degraded: ") and "failed: Too many open files" in daemon.log
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (most, most))
    daemon.wait_until_ready()
    assert Browser(daemon).open(browser.password).names() == ["a.jpg"]


@contextmanager
def working_on(daemon):
    """A command that has the data folder, and waits for a password."""
    command = [binary(), "reclaim", "--data", str(daemon.data)]
    with subprocess.Popen(command, env=daemon.variables(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reclaim:
        wait_until(lambda: (daemon.data / "lock").read_text().split() == [str(reclaim.pid)])
        yield reclaim


def answers(daemon):
    """What a program is told; nothing while nobody listens."""
    try:
        answer = requests.get(f"{daemon.url}/api/photos", timeout=300)
    except requests.exceptions.ConnectionError:
        return None
    return answer.status_code, answer.json()["code"]


def test_the_lock_ends_with_its_holder(restartable_vault, tmp_path):
    browser = restartable_vault()
    browser.put("a.jpg", b"a")
    browser.daemon.kill9()
    second = second_on(browser.daemon, tmp_path).start()
    assert Browser(second).open(browser.password).names() == ["a.jpg"]
    second.stop()


def test_a_folder_that_others_may_read_is_refused(restartable):
    daemon = restartable
    daemon.stop()
    daemon.data.chmod(0o755)
    daemon.launch()
    assert daemon.wait() == UNUSABLE, daemon.log
    daemon.data.chmod(0o700)
    daemon.start()


def test_a_folder_with_other_things_in_it_is_refused_and_left_alone(tmp_path):
    daemon = Daemon(tmp_path)
    daemon.data.mkdir(mode=0o700)
    (daemon.data / "thesis.txt").write_text("three years of work")
    before = tree(daemon.data)
    daemon.launch()
    assert daemon.wait() == UNUSABLE, daemon.log
    assert tree(daemon.data) == before


def write_newer_header(daemon, copies):
    """The header of docs/format.md with a format version that does not exist yet."""
    path = daemon.data / "store.header"
    content = bytearray(path.read_bytes())
    for start in range(0, copies * HEADER_COPY, HEADER_COPY):
        content[start + 8 : start + 12] = (2).to_bytes(4, "big")
        digest = hashlib.sha256(content[start : start + HEADER_COPY - 32]).digest()
        content[start + HEADER_COPY - 32 : start + HEADER_COPY] = digest
    path.write_bytes(content)


def test_a_header_is_healed_by_one_good_copy_and_refused_where_it_is_newer(daemon, vault, seeded):
    vault().put("a.jpg", b"a")
    daemon.stop()
    path = daemon.data / "store.header"
    whole = path.read_bytes()
    for good in range(3):
        content = bytearray(seeded.randbytes(len(whole)))
        content[good * HEADER_COPY : (good + 1) * HEADER_COPY] = whole[good * HEADER_COPY : (good + 1) * HEADER_COPY]
        path.write_bytes(content)
        daemon.start()
        assert Browser(daemon).open().names() == ["a.jpg"], good
        assert path.read_bytes() == whole, good
        daemon.kill9()
    for copies in (1, 3):
        path.write_bytes(whole)
        write_newer_header(daemon, copies)
        before, said = tree(daemon.data), len(daemon.log)
        daemon.launch()
        assert daemon.wait() == UNUSABLE, daemon.log
        assert "format" in daemon.log[said:].lower() and "2" in daemon.log[said:]
        assert tree(daemon.data) == before, copies


def test_wrong_usage_ends_with_64(tmp_path):
    daemon = Daemon(tmp_path)
    for arguments in (["serve", "--no-such-option"], ["no-such-command"], ["serve", "--listen", "nowhere"]):
        assert daemon.run(*arguments).returncode in (64, UNUSABLE), arguments
        assert not daemon.data.exists()


def test_help_names_every_key(tmp_path):
    help = Daemon(tmp_path).run("serve", "--help").stdout.decode()
    for word in ("--data", "--listen", "--www", "--config", "registration", "tls.certificate", "transport.http", "unix:/"):
        assert word in help


def test_the_cheap_kdf_of_tests_is_called_unsafe_at_every_start(restartable):
    daemon = restartable
    assert "unsafe" in daemon.log.lower()
    before = len(daemon.log)
    daemon.restart()
    assert "unsafe" in daemon.log[before:].lower()


def test_an_idle_daemon_stops_with_0_by_sigterm_and_sigint(restartable):
    daemon = restartable
    daemon.stop()
    daemon.start()
    daemon.process.send_signal(signal.SIGINT)
    assert daemon.wait() == 0


def test_a_hangup_never_ends_the_daemon(restartable_vault):
    """Not while it runs, not while it stops, and not when a terminal that is closed sends it at the very start."""
    browser = restartable_vault()
    daemon = browser.daemon
    for _ in range(20):
        daemon.process.send_signal(signal.SIGHUP)
    browser.put("a.jpg", b"a")
    daemon.process.send_signal(signal.SIGTERM)
    for _ in range(20):
        daemon.process.send_signal(signal.SIGHUP)
    assert daemon.wait() == 0, daemon.log
    daemon.launch()
    while "store opened" not in (line := daemon.lines.get(timeout=300)):
        assert line is not None, daemon.log
        daemon.process.send_signal(signal.SIGHUP)
    while "Safelight is ready" not in (line := daemon.lines.get(timeout=300)):
        assert line is not None, daemon.log
        daemon.process.send_signal(signal.SIGHUP)
    assert browser.open().names() == ["a.jpg"]


def open_file_limit(daemon):
    with open(f"/proc/{daemon.pid}/limits") as lines:
        return next(int(line.split()[3]) for line in lines if line.startswith("Max open files"))


def test_the_limit_of_open_files_is_raised_to_what_the_system_allows(start_daemon):
    daemon = start_daemon(wrapper=["prlimit", "--nofile=256:8192", "--"])
    assert open_file_limit(daemon) == 8192
    assert "open files" not in daemon.log


def test_too_few_open_files_for_the_connections_are_called_so(start_daemon):
    daemon = start_daemon(wrapper=["prlimit", "--nofile=512:512", "--"])
    assert open_file_limit(daemon) == 512
    assert "LimitNOFILE" in daemon.log


# Which numbers are free while a daemon works, and when it tries its disk, is luck.
@pytest.mark.nightly("disks")
def test_want_of_open_files_is_told_as_that_and_not_as_a_failing_disk(start_daemon):
    daemon = start_daemon()
    browser = Browser(daemon).create()
    browser.put("before.jpg", b"before")
    limits = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)

    def leave_one():
        """The connection stands; whatever the daemon would open now gets no number, but for the one that it keeps back.
        It closes files meanwhile, whose numbers would be free."""
        numbers = {int(name) for name in os.listdir(f"/proc/{daemon.pid}/fd")}
        lowest_free = next(number for number in range(len(numbers) + 1) if number not in numbers)
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (lowest_free, limits[1]))

    def is_refused():
        leave_one()
        answer = browser.try_put("short.jpg", b"for want of files")
        assert answer.status_code == 201 or (answer.status_code, code_of(answer)) == (503, "busy"), answer.text
        return answer.status_code == 503

    wait_until(is_refused)

    said = set()

    def is_told():
        """An answer of a moment ago is given once more, and the disk is tried only behind something that was written; of
        connections that are new one at a time has a descriptor."""
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, limits)
        with suppress(requests.ConnectionError):
            browser.try_put("between.jpg", b"between")
        leave_one()
        with suppress(requests.ConnectionError):
            checks = browser.request("GET", "/health").json()["checks"]
            said.update(check["output"] for found in checks.values() for check in found if check["status"] != "pass")
        return said

    wait_until(is_told, "health says nothing")
    assert "open-files" in said and "degraded" not in said, said
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, limits)
    browser.put("after.jpg", b"after")
    assert {"after.jpg", "before.jpg"} <= set(browser.names())


UNUSABLE_SETTINGS = {
    "a certificate without a key": {"SAFELIGHT_TLS_CERTIFICATE": "/etc/hostname"},
    "a key without a certificate": {"SAFELIGHT_TLS_KEY": "/etc/hostname"},
    "certificate files that are absent": {"SAFELIGHT_TLS_CERTIFICATE": "/none.pem", "SAFELIGHT_TLS_KEY": "/none.key"},
    "another way of plain HTTP": {"SAFELIGHT_TRANSPORT_HTTP": "sometimes"},
    "no connections": {"SAFELIGHT_LIMITS_CONNECTIONS": "0"},
    "a rate in words": {"SAFELIGHT_LIMITS_RATE": "slow"},
}


def test_unusable_settings_end_the_start_with_a_sentence(tmp_path):
    for what, environment in UNUSABLE_SETTINGS.items():
        daemon = Daemon(tmp_path, environment=environment)
        daemon.launch()
        assert daemon.wait() == UNUSABLE, (what, daemon.log)
        assert daemon.log.splitlines()[-1].startswith("safelight: "), (what, daemon.log)


def test_an_endpoint_that_is_none_is_refused(tmp_path):
    for listen in ("unix:relative", "unix:", "unix:/" + "a" * 107, "127.0.0.1", ":80", "127.0.0.1:70000"):
        done = Daemon(tmp_path).run("serve", "--data", str(tmp_path / "data"), "--listen", listen)
        assert done.returncode == UNUSABLE, (listen, done.stderr)
        assert not (tmp_path / "data").exists()


def test_an_address_that_is_taken_is_said_to_be(standing_daemon, tmp_path):
    second = Daemon(tmp_path / "second")
    second.folder.mkdir()
    second.port = standing_daemon.port
    second.launch()
    assert second.wait() == TEMPORARY, second.log
    assert f"127.0.0.1:{second.port}" in second.log.splitlines()[-1]


def test_one_of_several_addresses_that_is_taken_ends_the_start(standing_daemon, tmp_path):
    """Also that of the figures: what was asked for is there, or is said not to be."""
    taken = f"127.0.0.1:{standing_daemon.port}"
    for number, options in enumerate([{"arguments": ["--listen", taken]}, {"environment": {"SAFELIGHT_METRICS_LISTEN": taken}}]):
        folder = tmp_path / str(number)
        folder.mkdir()
        second = Daemon(folder, **options)
        second.launch()
        assert second.wait() == TEMPORARY, second.log
        assert f"cannot listen on {taken}" in second.log
        assert "is ready" not in second.log


def test_a_configuration_file_sets_limits_side_by_side(tmp_path):
    """`limits.connections` is a value and `limits.connections.address` another one, which YAML nests under a dot."""
    daemon = Daemon(tmp_path)
    file = tmp_path / "safelight.yaml"
    file.write_text("limits:\n  connections: 100\n  connections.address: none\n")
    daemon.arguments += ["--config", str(file)]
    daemon.launch()
    assert daemon.wait() == UNUSABLE
    assert "limits.connections.address" in daemon.log
    file.write_text("limits:\n  connections: 100\n  connections.address: 7\n")
    daemon.start()
    daemon.stop()


def test_a_socket_file_is_served_beside_a_port(start_daemon, tmp_path):
    path = tmp_path / "safelight.sock"
    daemon = start_daemon(arguments=["--listen", f"unix:{path}"])
    words = ["curl", "--silent", "--unix-socket", str(path), "http://localhost/health/live"]
    assert subprocess.run([*words, "--write-out", "%{http_code}", "--output", "/dev/null"], capture_output=True).stdout == b"200"
    assert f"Safelight is ready: {daemon.url}/" in daemon.log.splitlines()
    daemon.stop()
    assert not path.exists()


def test_stopping_leaves_the_ledger_in_one_file(restartable_vault):
    browser = restartable_vault()
    browser.put("a.jpg", b"a")
    daemon = browser.daemon
    daemon.stop()
    assert not [path for path in daemon.data.glob("ledger.sqlite-wal") if path.stat().st_size]


def test_health(restartable):
    answer = Browser(restartable).request("GET", "/health")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("application/health+json")
    assert answer.json()["status"] == "pass", answer.text
    assert Browser(restartable).request("GET", "/health/live").status_code == 200


CONFIGURATIONS = [
    ("transport:\n  htpp: allow", 'key "transport.htpp" is not known; did you mean "transport.http"?'),
    ("tlz.certificte: a.crt", 'key "tlz.certificte" is not known; did you mean "tls.certificate"?'),
    ("theme: red", 'key "theme" is not known.'),
    ("registration: [open]", 'key "registration" is no list'),
    ('data: /nowhere\ncontact: "one\\ntwo"', 'key "contact" must be one line of 1 to 200 characters'),
]


def test_a_configuration_that_says_nothing_it_knows_is_refused(tmp_path):
    file = tmp_path / "safelight.yaml"
    daemon = Daemon(tmp_path)
    daemon.arguments += ["--config", str(file)]
    for text, said in CONFIGURATIONS:
        file.write_text(text + "\n")
        daemon.launch()
        assert daemon.wait() == UNUSABLE, daemon.log
        assert said in daemon.log, daemon.log


def test_addresses_are_a_list_or_one_text_with_commas(tmp_path):
    file = tmp_path / "safelight.yaml"
    for value in ('"127.0.0.1:0, nowhere"', '["127.0.0.1:0", nowhere]'):
        file.write_text(f"data: {tmp_path}/data\nlisten: {value}\n")
        done = subprocess.run([binary(), "serve", "--config", str(file)], capture_output=True, timeout=300)
        assert done.returncode == UNUSABLE, value
        assert b'key "listen" must be ADDRESS:PORT or unix:/PATH, not "nowhere"' in done.stderr, value


@needs_root
def test_an_address_that_is_not_there_yet_is_worth_another_start(tmp_path):
    alone = ["unshare", "--net", "--", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    daemon = Daemon(tmp_path, wrapper=alone, address="10.77.0.5")
    daemon.launch()
    assert daemon.wait() == TEMPORARY and "cannot listen on 10.77.0.5" in daemon.log, daemon.log
