"""Memory does not grow with the size of a file, and a guess costs one Argon2id, right or wrong."""

import os
import shutil
import subprocess
import threading

import pytest
from client import PASSWORD, Browser
from faults import cookie_header

MIB = 1 << 20


def curl_upload(browser, source, name):
    daemon = browser.daemon
    done = subprocess.run(
        ["curl", "--silent", "--noproxy", "*", "--output", os.devnull, "--write-out", "%{http_code}",
         "--header", f"Cookie: {cookie_header(browser)}", "--header", f"Origin: {daemon.url}",
         "--upload-file", str(source), f"{daemon.url}/api/photos/{name}"],
        capture_output=True, timeout=1200,
    )  # fmt: skip
    assert done.stdout == b"201", (done.stdout, done.stderr)


def pattern_file(path, byte_count, first=0):
    """A file whose every MiB differs, written without holding it in memory; another `first`, another content."""
    with path.open("wb") as file:
        for number in range(first, first + byte_count // MIB):
            file.write(number.to_bytes(8, "big") * (MIB // 8))
    return path


def check_pattern(browser, byte_count):
    photo = browser.photos()[0]
    with browser.original(photo, stream=True) as answer:
        assert int(answer.headers["Content-Length"]) == byte_count
        for number, piece in enumerate(answer.iter_content(MIB)):
            assert piece == number.to_bytes(8, "big") * (MIB // 8), number
    assert number == byte_count // MIB - 1


def check_constant_memory(daemon, browser, tmp_path, byte_count):
    """What a daemon that held the file would need is more than twice what is allowed."""
    browser.put("warm.jpg", b"x" * 100_000)
    source = pattern_file(tmp_path / "large.mov", byte_count)
    daemon.forget_peak()
    idle = daemon.status("VmRSS")
    curl_upload(browser, source, "large.mov")
    source.unlink()
    assert daemon.status("VmHWM") - idle < min(128 * MIB, byte_count // 2)
    daemon.forget_peak()
    check_pattern(browser, byte_count)
    assert daemon.status("VmHWM") - idle < min(128 * MIB, byte_count // 2)


@pytest.mark.soak
def test_an_idle_daemon_is_small(daemon):
    """Only a release is: of a debug build, pages of the program's file are most of it. How many arenas threads took at the
    start differs from start to start, by some MiB."""
    assert daemon.status("RssAnon") < 16 * MIB
    assert daemon.status("VmRSS") < 60 * MIB


def test_160_mib_pass_through_little_memory(daemon, vault, tmp_path):
    check_constant_memory(daemon, vault(), tmp_path, 160 * MIB)


@pytest.mark.nightly("sizes")
def test_512_mib_pass_through_little_memory(daemon, vault, tmp_path):
    check_constant_memory(daemon, vault(), tmp_path, 512 * MIB)


@pytest.mark.soak
def test_4_gib_pass_through_little_memory(daemon, vault, tmp_path):
    if shutil.disk_usage(tmp_path).free < 10 << 30:
        pytest.skip("needs 10 GiB of disk")
    check_constant_memory(daemon, vault(), tmp_path, 4096 * MIB)


@pytest.mark.nightly("sizes")
def test_16_large_uploads_at_once_share_little_memory(daemon, vault, tmp_path):
    browser = vault()
    sources = [pattern_file(tmp_path / f"{number}.mov", 16 * MIB, number * 16) for number in range(17)]
    curl_upload(browser, sources.pop(), "warm.mov")
    daemon.forget_peak()
    idle = daemon.status("VmRSS")
    threads = [threading.Thread(target=curl_upload, args=(browser, source, source.name)) for source in sources]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(browser.photos()) == 17
    assert daemon.status("VmHWM") - idle < 128 * MIB


def test_with_the_real_parameters_every_guess_takes_the_memory_of_one_kdf(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_UNSAFE_KDF_MEMORY": None, "SAFELIGHT_UNSAFE_KDF_ITERATIONS": None})
    Browser(daemon, timeout=300).create(PASSWORD)

    def cost(password):
        daemon.forget_peak()
        before = daemon.status("VmRSS")
        status = Browser(daemon, timeout=300).try_open(password).status_code
        return status, daemon.status("VmHWM") - before

    right, wrong = cost(PASSWORD), cost("some other words entirely")
    assert (right[0], wrong[0]) == (200, 401)
    assert min(right[1], wrong[1]) > 56 * MIB, (right, wrong)
    assert abs(right[1] - wrong[1]) < 32 * MIB, (right, wrong)
