"""Hosts and stores that are killed under load: what was acknowledged is there, once."""

import random
import time

import bucket as stores
import pytest
from bucket import Bucket
from ceph import Ceph, missing_programs
from client import Browser, wait_until
from tier import Senders, compare, compare_on_another_host, listed_here, opened, take_over, take_over_at_last


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
    compare_on_another_host(one, host("other"), senders.acknowledged)


@pytest.mark.nightly("stores")
def test_kills_and_take_overs_on_a_bad_line_to_a_bucket_that_loses_objects_lose_nothing(host, bucket, proxy, seeded, counted):
    serving, other = host("one"), host("two")
    browsers = {serving: Browser(serving.start()).create()}
    bad = proxy.rule(stores.bad_days(seeded, 0.05))
    senders = Senders([serving, other], browsers, counted(0.6, 0.2))
    lost_count = take_over_count = 0
    try:
        for number in range(counted(4, 300)):
            senders.wait_for(4)
            browsers.clear()
            serving.kill9()
            lost = None
            # Behind a take-over a disk may have none yet.
            if number % 3 == 0 and (here := listed_here(serving)):
                lost = seeded.choice(here)
                bucket.delete(lost)
                lost_count += 1
            elif number % 3 == 1:
                take_over_at_last(other)
                serving, other = other, serving
                take_over_count += 1
            serving.start()
            browsers[serving] = opened(serving)
            # Before the one disk that has it is left alone.
            wait_until(lambda lost=lost: lost is None or bucket.has(lost), f"{lost} was not put again", pause=0.5)
            print(f"{number + 1} kills, {take_over_count} take-overs, {lost_count} lost, {len(senders.acknowledged)} acknowledged")
        senders.wait_for(4)
    finally:
        senders.end()
    assert bad.met and {code for _, code in senders.codes} <= {"bucket-unreachable", "no-session", "taken-over"}, senders.codes
    bad.left = 0
    compare(opened(serving), senders.acknowledged)
    compare_on_another_host(serving, host("last"), senders.acknowledged)


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
