"""An object store for the tests of what copies or goes along there: a bucket of its own for each, behind a proxy that does
what bad days do."""

import itertools
import os

import pytest
from bucket import KEYS, Bucket, FaultyStore, ObjectStore
from daemon import Daemon
from network import network_or_skip
from tier import Place

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
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
