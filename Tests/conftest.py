"""Fixtures for the end-to-end tests and the tests of the page: a real daemon, photos."""

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "EndToEnd"))

from client import ANSWER_CHECKS, OTHER_PASSWORD, PASSWORD, Browser  # noqa: E402
from contract import check_answer  # noqa: E402
from daemon import Daemon  # noqa: E402
from dav import Dav  # noqa: E402
from network import HOST, network_or_skip  # noqa: E402

# Every answer is compared with docs/openapi.yaml.
ANSWER_CHECKS.append(check_answer)

PHOTOS = HERE / "Photos"
REAL_PHOTOS = HERE.parent.parent / "shared" / "photos"
FAILED = pytest.StashKey()
NUMBERS = itertools.count()
# Of a store: what is kept in reserve, slots, the ledger.
LARGE_FILE = 256 * 1024
# A test belongs to one ring, and a nightly one to one part; a ring does not run what another one proves, but soak runs all.
RINGS = ("test", "nightly", "soak")
PARTS = ("stores", "disks", "programs", "systems", "engines", "sizes")


def pytest_addoption(parser):
    parser.addoption("--ring", choices=RINGS, default="test", help="which tests run; in `soak` all of them, with long counts")
    parser.addoption("--part", choices=PARTS, help="of the nightly ring, one part alone")
    parser.addoption("--shuffle", metavar="SEED", help="another order of files, and of tests within each, for each seed")
    parser.addoption("--slowdown", type=int, default=1, help="how many times slower Chromium runs than it could")


def pytest_collection_modifyitems(config, items):
    """What another ring proves is not collected, so that nothing is counted as skipped that was never meant to run."""
    ring, part = config.getoption("--ring"), config.getoption("--part")
    wanted = [item for item in items if ring == "soak" or (ring == ring_of(item) and part in (None, part_of(item)))]
    if len(wanted) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in set(wanted)])
        items[:] = wanted
    if seed := config.getoption("--shuffle"):
        items[:] = shuffled(items, random.Random(seed))


def shuffled(items, random):
    """Tests of one file stay together: what they share is begun once."""
    files = [list(tests) for _, tests in itertools.groupby(items, lambda item: item.path)]
    random.shuffle(files)
    for tests in files:
        random.shuffle(tests)
    return [item for tests in files for item in tests]


def ring_of(item):
    """`make test` runs what has no mark of another ring."""
    return next((ring for ring in reversed(RINGS) if item.get_closest_marker(ring)), "test")


def part_of(item):
    """The part of the nightly ring that a test belongs to. A name that is no part ends the run."""
    marker = item.get_closest_marker("nightly")
    if marker is None:
        return None
    (part,) = marker.args
    assert part in PARTS, f"{item.nodeid}: {part} is no part of the nightly ring"
    return part


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


def pytest_terminal_summary(terminalreporter, config):
    """What Swift's tests have skipped, where they ran before (`make test`). Tests are listed while those still run."""
    logs = os.environ.get("SWIFT_TEST_LOGS", "").split()
    if logs and not config.option.collectonly:
        command = [HERE.parent / "scripts" / "list-skipped-tests", *logs]
        terminalreporter.write(subprocess.run(command, cwd=HERE.parent, check=True, capture_output=True, text=True).stdout)


@pytest.fixture(scope="session")
def is_soak(request):
    return request.config.getoption("--ring") == "soak"


@pytest.fixture(scope="session")
def counted(is_soak):
    """counted(in_test, in_soak): how often a thing is done, by the ring that runs."""
    return lambda in_test, in_soak: in_soak if is_soak else in_test


@pytest.fixture
def has_failed(request):
    """has_failed() → whether this test has; for what it leaves to be looked at."""
    return lambda: request.node.stash.get(FAILED, False)


@pytest.fixture(scope="session")
def left_by_passed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("passed")
    yield folder
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.fixture
def tmp_path(tmp_path, has_failed, left_by_passed):
    """Of a test that passed, large files go at once, but the hundreds of folders of its stores at the end of all tests: a
    file system without a journal passes by each inode that was freed lately whenever it makes a new one, and that was a
    fifth of what a start of the daemon cost."""
    yield tmp_path
    if not has_failed():
        remove_large_files(tmp_path)
        tmp_path.rename(left_by_passed / str(next(NUMBERS)))


def remove_large_files(folder):
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            if path.lstat().st_size >= LARGE_FILE:
                path.unlink()


@pytest.fixture
def start(request):
    """start(daemon) → that daemon, which a test has made of a folder of its own; it ends with the test."""

    def start(daemon):
        request.addfinalizer(lambda: daemon.kill9() if daemon.process else None)
        return daemon.start()

    return start


@pytest.fixture
def start_daemon(tmp_path):
    """A function that starts daemons, each in a folder of its own; all end with the test."""
    started = []

    def start(**options):
        folder = tmp_path / f"daemon-{len(started)}"
        folder.mkdir()
        daemon = Daemon(folder, **options)
        started.append(daemon)
        return daemon.start()

    yield start
    for daemon in started:
        if daemon.running:
            daemon.kill9()


@pytest.fixture
def daemon(start_daemon):
    return start_daemon()


@pytest.fixture(scope="session")
def standing_daemon(tmp_path_factory):
    """One for the cases of all tests that leave nothing there which another could meet: to start one takes half of the
    processor's time that a short test needs."""
    daemon = Daemon(tmp_path_factory.mktemp("standing")).start()
    yield daemon
    daemon.kill9()


@pytest.fixture
def standing_vault(standing_daemon):
    """standing_vault() → a browser in which a new vault is open, whose password no other test has."""
    return lambda: Browser(standing_daemon).create(f"{OTHER_PASSWORD} {next(NUMBERS)}")


@pytest.fixture
def network():
    """Two hosts and a cable, gone with the test. Needs root."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with network_or_skip(pytest.skip) as network:
        yield network


@pytest.fixture
def start_on_network(start_daemon, network):
    """Like `start_daemon`, on `network.host`: reached from `network.device` only, by IPv4 and IPv6."""

    def start(wrapper=(), **options):
        options = {"address": HOST, "listen": "[::]", **options}
        return start_daemon(wrapper=[*network.host.wrapper, *wrapper], **options)

    return start


@pytest.fixture
def is_shared(request, is_soak):
    """Whether a test that needs nothing of its host but a vault or a page has it of one that is shared."""
    return not ({"daemon", "start_daemon"} & set(request.fixturenames) or is_soak)


@pytest.fixture
def vault(request, is_shared):
    """vault(password) → a browser in which a new vault is open; without a password, for tests that do not ask for `daemon`."""
    if is_shared:
        return request.getfixturevalue("standing_vault")
    daemon = request.getfixturevalue("daemon")
    # A second vault of the same test needs a password of its own.
    passwords = itertools.chain([PASSWORD], (f"{OTHER_PASSWORD} {number}" for number in NUMBERS))
    return lambda password=None: Browser(daemon).create(password or next(passwords))


@pytest.fixture(scope="session")
def photos():
    """Paths of the photos that scripts/make-test-photos makes, broken ones too."""
    return files_in(PHOTOS)


def files_in(folder):
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    assert found, f"the photos are missing: {folder}"
    return found


@pytest.fixture(scope="session")
def real_photos():
    """Paths of real ones of the same names, where they lie beside the checkout."""
    if not REAL_PHOTOS.is_dir():
        pytest.skip("the real photos are not here: ../shared/photos")
    return files_in(REAL_PHOTOS)


@pytest.fixture
def seeded(request):
    """Random numbers that are the same in every run of this test; SAFELIGHT_SEED chooses others."""
    return random.Random(f"{request.node.name} {os.environ.get('SAFELIGHT_SEED', '1')}")


@pytest.fixture
def owner(request):
    """A browser in a vault of its own, on a host that is shared with other tests where this one does not ask for `daemon`."""
    return request.getfixturevalue("vault")()


@pytest.fixture
def dav(owner):
    """A WebDAV client in the vault of `owner`, by its password."""
    return Dav(owner.daemon, owner.password)
