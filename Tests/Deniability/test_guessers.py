"""The disk does not tell who guessed."""

import http.client
import json
import sqlite3
from pathlib import Path

GUESSER = "127.0.0.66"
# Budgets of all together have short names.
HASH_SIZE = 16


def guess_wrongly(daemon):
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, 60, source_address=(GUESSER, 0))
    connection.request(
        "POST", "/api/session", json.dumps({"password": "a wrong guess"}), {"Content-Type": "application/json"})
    assert connection.getresponse().status == 401
    connection.close()


def hashes_of_addresses(daemon):
    """Of a daemon that has stopped."""
    ledger = sqlite3.connect(f"file:{daemon.data}/ledger.sqlite?mode=ro&immutable=1", uri=True)
    hashes = {key for (key,) in ledger.execute("SELECT key FROM throttle") if len(key) >= HASH_SIZE}
    ledger.close()
    return hashes


def test_an_address_that_guesses_has_another_hash_in_each_run_of_the_computer(daemon):
    """Under a key of the disk everybody could compute them for all addresses of a home. It lies in memory alone."""
    guess_wrongly(daemon)
    daemon.stop()
    first = hashes_of_addresses(daemon)
    assert first
    salt = (daemon.data / "store.header").read_bytes()[24:40]
    Path("/dev/shm", f"safelight-guesses-{salt.hex()}").unlink()
    daemon.start()
    guess_wrongly(daemon)
    daemon.stop()
    second = hashes_of_addresses(daemon)
    assert second and not first & second
