"""An object store for the tests of what copies or goes along there: a bucket of its own for each, behind a proxy that does
what bad days do."""

import itertools
import os

import pytest
from bucket import Bucket, FaultyStore, ObjectStore

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
