"""The unit files: understood by systemd without a warning, and as closed as they claim. The files beside them agree."""

import ipaddress
import re
import shutil
import subprocess
import xml.etree.ElementTree as XML

import pytest
from daemon import CHECKOUT, binary

FOLDER = CHECKOUT / "systemd"
UNITS = sorted(path.name for path in FOLDER.glob("safelight*"))
SERVICES = [name for name in UNITS if name.endswith(".service")]
# Tenths of 10.
DAEMONS = ["safelight.service", "safelight-activated.service"]
WORST_EXPOSURES = {
    "safelight.service": 10, "safelight-activated.service": 3, "safelight-backup@.service": 2,
    "safelight-inbox@.service": 2,
    "safelight-offsite@.service": 10, "safelight-rehearsal@.service": 10,
}  # fmt: skip

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True)


@needs_systemd
def test_systemd_understands_the_units(tmp_path):
    for name in UNITS:
        (tmp_path / name).write_text((FOLDER / name).read_text().replace("/usr/bin/safelight", str(binary())))
    done = analyze("verify", "--man=no", *(str(tmp_path / name) for name in UNITS))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_systemd
def test_the_units_are_closed():
    for name in SERVICES:
        threshold = f"--threshold={WORST_EXPOSURES[name]}"
        done = analyze("security", "--offline=yes", threshold, "--no-pager", str(FOLDER / name))
        assert done.returncode == 0, (name, done.stdout[-300:])


DECIDED = {
    "LimitCORE=0", "LimitMEMLOCK=64M", "MemorySwapMax=0", "MemoryHigh=60%", "MemoryMax=75%", "Environment=SWIFT_BACKTRACE=enable=no", "Type=notify",
    "WatchdogSec=60", "ExecReload=/bin/kill -HUP $MAINPID", "StateDirectory=safelight",
    "LoadCredential=safelight.pepper", "LoadCredential=safelight.tls-key",
}  # fmt: skip


def test_the_units_keep_what_was_decided():
    assert {name: DECIDED - set((FOLDER / name).read_text().splitlines()) for name in DAEMONS} == dict.fromkeys(DAEMONS, set())


@pytest.mark.parametrize("name", SERVICES)
def test_each_unit_leaves_memory_to_the_host(name):
    """Slower first, and then an end. Half of the memory is what the daemon plans with, and that has to be there."""
    shares = dict(re.findall(r"^Memory(High|Max)=(\d+)%$", (FOLDER / name).read_text(), re.MULTILINE))
    assert 0 < int(shares["High"]) < int(shares["Max"]) < 100
    assert name not in DAEMONS or int(shares["High"]) > 50


def test_what_reads_a_copy_back_is_closed_in_like_what_sends_it():
    """Each unit stands whole in its own file, for whoever reads it; they differ in what they do alone."""

    def lines(name):
        return [line for line in (FOLDER / name).read_text().splitlines() if not line.startswith(("#", "Description=", "ExecStart="))]

    assert lines("safelight-rehearsal@.service") == lines("safelight-offsite@.service")


@pytest.mark.parametrize("name", ["safelight-offsite@.service", "safelight-rehearsal@.service"])
def test_a_copy_reaches_every_store_and_no_address_of_the_link(name):
    words = [word for line in (FOLDER / name).read_text().splitlines() if line.startswith("IPAddressAllow=") for word in line.partition("=")[2].split()]
    networks = [ipaddress.ip_network(word) for word in words if word != "localhost"]

    def reaches(address):
        address = ipaddress.ip_address(address)
        return any(address in network for network in networks if network.version == address.version)

    for address in ("1.1.1.1", "10.0.0.7", "52.218.0.1", "159.69.1.1", "168.1.1.1", "169.50.1.1", "169.253.1.1", "169.255.0.1",
                    "172.16.0.1", "192.168.1.1", "223.255.255.254", "2600:1f60::1", "fd00::1", "64:ff9b::102:304"):  # fmt: skip
        assert reaches(address), address
    for address in ("169.254.169.254", "224.0.0.251", "255.255.255.255", "fe80::1", "ff02::fb"):
        assert not reaches(address), address
    assert sum(network.num_addresses for network in networks if network.version == 4) == 2**32 - 2**29 - 2**16


def test_the_activated_unit_has_no_network():
    lines = (FOLDER / "safelight-activated.service").read_text().splitlines()
    assert {"PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "IPAddressDeny=any"} <= set(lines)


def test_a_backup_has_no_network_and_writes_to_the_folder_of_its_name_only():
    lines = (FOLDER / "safelight-backup@.service").read_text().splitlines()
    assert {"PrivateNetwork=yes", "RestrictAddressFamilies=none", "IPAddressDeny=any", "ProtectSystem=strict"} <= set(lines)
    assert {"ExecStart=/usr/bin/safelight backup --to %f", "RequiresMountsFor=%f"} <= set(lines)
    assert [line for line in lines if line.startswith("ReadWritePaths=")] == ["ReadWritePaths=%f"]


def test_a_watched_folder_has_no_network_and_its_code_in_no_command_line():
    lines = (FOLDER / "safelight-inbox@.service").read_text().splitlines()
    assert {"PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "IPAddressDeny=any", "ProtectSystem=strict"} <= set(lines)
    assert {"ExecStart=/usr/bin/safelight import --door %d/safelight.door $TAKE %f", "Environment=TAKE="} <= set(lines)
    assert "LoadCredential=safelight.door:safelight.door.%i" in lines
    # A folder that keeps its files cannot be written to.
    assert not [line for line in lines if line.startswith("ReadWritePaths=")]


@pytest.mark.parametrize(
    ("name", "command"), [("offsite", "backup --to %I"), ("rehearsal", "rehearse --from %I --part 1%%")]
)
def test_an_offsite_copy_has_network_and_keys_by_credentials_only(name, command):
    lines = (FOLDER / f"safelight-{name}@.service").read_text().splitlines()
    assert {f"ExecStart=/usr/bin/safelight {command}", "ProtectSystem=strict", "After=network-online.target"} <= set(lines)
    assert {"LoadCredential=safelight.bucket-key-id", "LoadCredential=safelight.bucket-secret"} <= set(lines)
    assert not [line for line in lines if line.startswith(("ReadWritePaths=", "Environment=AWS"))]


def test_avahi_and_the_socket_have_the_port_of_the_configuration():
    service = XML.parse(FOLDER / "avahi" / "safelight.service").getroot().find("service")
    listen = re.search(r'^listen: \["\S+:(\d+)"\]', (CHECKOUT / "packaging/safelight.yaml").read_text(), re.MULTILINE)
    socket = re.search(r"^ListenStream=\S+:(\d+)", (FOLDER / "safelight-activated.socket").read_text(), re.MULTILINE)
    assert (service.findtext("type"), service.findtext("port")) == ("_https._tcp", listen[1])
    assert socket[1] == listen[1]
