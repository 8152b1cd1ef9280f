"""Hosts and stores that are killed under load: what was acknowledged is there, once."""

import random
import time

import pytest
from bucket import Bucket
from ceph import Ceph, missing_programs
from client import Browser
from tier import Senders, compare, take_over


@pytest.mark.nightly("stores")
def test_a_host_that_is_killed_again_and_again_goes_on(host, counted):
    one = host("one")
    browsers = {one: Browser(one.start()).create()}
    senders = Senders([one], browsers, counted(0.6, 0.2))
    try:
        for number in range(counted(5, 200)):
            senders.wait_for(6)
            del browsers[one]
            one.kill9()
            browsers[one] = Browser(one.start()).open()
            print(f"{number + 1} kills, {len(senders.acknowledged)} acknowledged", flush=True)
        senders.wait_for(6)
    finally:
        senders.end()
    compare(Browser(one).open(), senders.acknowledged)
    # And another host finds the same.
    one.kill9()
    other = host("other")
    take_over(other)
    compare(Browser(other.start()).open(), senders.acknowledged)


@pytest.fixture
def ceph(tmp_path):
    if missing := missing_programs():
        pytest.skip(f"not installed: {', '.join(missing)}")
    store = Ceph(tmp_path / "ceph")
    yield store
    store.kill9()


@pytest.mark.soak
def test_a_store_that_is_killed_again_and_again_has_what_was_acknowledged(ceph, make_host):
    bucket, url = Bucket(ceph, "photos"), f"http://127.0.0.1:{ceph.port}"
    one = make_host("one", bucket, url)
    browsers = {one: Browser(one.start()).create()}
    senders = Senders([one], browsers, 0.2)
    # By turns the program that hosts speak to, and all programs of the store; each second time the host with those.
    try:
        for number in range(200):
            senders.wait_for(6)
            time.sleep(random.uniform(0, 0.5))
            if number % 2 == 0:
                ceph.kill9("radosgw")
            else:
                ceph.kill9()
            if is_with_host := number % 4 == 3:
                del browsers[one]
                one.kill9()
            ceph.start_again()
            if is_with_host:
                browsers[one] = Browser(one.start()).open()
            print(f"{number + 1} kills, {len(senders.acknowledged)} acknowledged", flush=True)
        senders.wait_for(6)
    finally:
        senders.end()
    assert {code for _, code in senders.codes} <= {"bucket-unreachable", "no-session"}
    compare(Browser(one).open(), senders.acknowledged)
    # And another host reads the same from the bucket.
    one.kill9()
    other = make_host("other", bucket, url)
    take_over(other)
    compare(Browser(other.start()).open(), senders.acknowledged)
