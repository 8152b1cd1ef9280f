"""The unit file: understood by systemd without a warning, and as closed as it claims. The files beside it agree with it."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as XML

import pytest
from daemon import CHECKOUT, binary

UNIT = CHECKOUT / "systemd" / "safelight.service"
# Tenths: 1.0 of 10.
WORST_EXPOSURE = 10

pytestmark = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True)


def test_systemd_understands_the_unit(tmp_path):
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/bin/safelight", str(binary())))
    done = analyze("verify", "--man=no", str(unit))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_unit_is_closed(tmp_path):
    done = analyze("security", "--offline=yes", f"--threshold={WORST_EXPOSURE}", "--no-pager", str(UNIT))
    assert done.returncode == 0, done.stdout[-300:]


def test_the_unit_says_what_keeps_keys_in_memory():
    lines = UNIT.read_text().splitlines()
    for line in ("LimitCORE=0", "LimitMEMLOCK=64M", "MemorySwapMax=0", "Environment=SWIFT_BACKTRACE=enable=no"):
        assert line in lines


def test_a_reload_is_a_hangup():
    assert "ExecReload=/bin/kill -HUP $MAINPID" in UNIT.read_text().splitlines()


def test_avahi_is_told_the_port_that_the_unit_listens_on():
    service = XML.parse(UNIT.parent / "avahi" / "safelight.service").getroot().find("service")
    listen = re.search(r"--listen \S+:(\d+)", UNIT.read_text())
    assert (service.findtext("type"), service.findtext("port")) == ("_https._tcp", listen[1])
