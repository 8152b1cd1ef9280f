"""Daemons that several tests share, and an object store for the tests of what copies or goes along there: a bucket of its
own for each, behind a proxy that does what bad days do."""

import itertools
import os
import shutil

import pytest
from bucket import KEYS, Bucket, FaultyStore, ObjectStore
from client import OTHER_PASSWORD, Browser
from daemon import Daemon
from network import HOST, network_or_skip
from strangers import stranger
from tier import Place

NUMBERS = itertools.count()


@pytest.fixture
def elsewhere():
    """elsewhere(daemon) → a browser at an address of this host that no other test has: whoever comes from there makes nobody
    else wait by wrong passwords."""
    return stranger


@pytest.fixture(scope="session")
def daemon_to_restart(tmp_path_factory):
    daemon = Daemon(tmp_path_factory.mktemp("restartable"))
    yield daemon
    if daemon.process:
        daemon.kill9()


@pytest.fixture
def restartable(daemon_to_restart):
    """A daemon that each test may stop, start and kill. Nobody harms or counts what lies on its disk, or types a wrong password:
    what a run of the daemon has booked for one address holds for all of them in the next."""
    return daemon_to_restart if daemon_to_restart.running else daemon_to_restart.start()


@pytest.fixture
def restartable_vault(restartable):
    """restartable_vault() → a browser in which a new vault of that daemon is open, whose password no other test has."""
    return lambda: Browser(restartable).create(f"{OTHER_PASSWORD} again {next(NUMBERS)}")


@pytest.fixture(scope="module")
def start_standing(tmp_path_factory):
    """start_standing(**options) → a daemon for those cases of a module that want the same configuration and leave it as they
    found it; to start one for each is what most of them would cost."""
    started = []

    def start(**options):
        daemon = Daemon(tmp_path_factory.mktemp("standing"), **options)
        started.append(daemon)
        return daemon.start()

    yield start
    for daemon in started:
        daemon.kill9()
        shutil.rmtree(daemon.folder)


@pytest.fixture(scope="session")
def object_store():
    store = ObjectStore()
    yield store
    store.stop()


@pytest.fixture
def bucket(object_store):
    return Bucket(object_store, f"photos-{os.getpid()}-{next(NUMBERS)}")


@pytest.fixture
def proxy(bucket):
    proxy = FaultyStore(bucket)
    yield proxy
    proxy.close()


@pytest.fixture
def make_host(tmp_path, request):
    """make_host(name, bucket, url): a daemon of its own that goes along to a bucket, not started; in a network of its own,
    where one is given."""

    def make(name, bucket, url, place=None):
        (tmp_path / name).mkdir()
        objects = {"SAFELIGHT_OBJECTS": f"s3://{bucket.name}/the house", "SAFELIGHT_OBJECTS_ENDPOINT": url}
        made = Daemon(tmp_path / name, environment={**KEYS, **objects}, wrapper=place.wrapper if place else ())
        made.place = place
        request.addfinalizer(lambda: made.kill9() if made.process else None)
        return made

    return make


@pytest.fixture
def host(bucket, proxy, make_host):
    """host(name, place): one that goes along to the bucket of this test."""
    return lambda name, place=None: make_host(name, bucket, place.way.url if place else proxy.url, place)


@pytest.fixture
def places(bucket):
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with network_or_skip(pytest.skip, lambda: Place(bucket)) as one, network_or_skip(pytest.skip, lambda: Place(bucket)) as two:
        yield one, two


@pytest.fixture(scope="module")
def network_of_module():
    """Two hosts and a cable, for those tests of a module that leave them as they were. Needs root."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with network_or_skip(pytest.skip) as network:
        yield network


@pytest.fixture(scope="module")
def start_on_network_of_module(start_standing, network_of_module):
    """Like `start_standing`, on the host of that network: reached from its device only, by IPv4 and IPv6."""

    def start(**options):
        return start_standing(wrapper=network_of_module.host.wrapper, address=HOST, listen="[::]", **options)

    return start
