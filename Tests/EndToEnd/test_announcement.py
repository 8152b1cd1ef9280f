"""What a person sees when the daemon has started: in a terminal with a phone at hand, and later in a log."""

import shutil
import socket

import pytest
import requests
from client import wait_until
from feed import make_certificate
from network import DEVICES, HOST, HOST6
from terminal import DARK, LIGHT, TerminalDaemon, photograph, read_codes


def with_runtime_files(*commands):
    """A wrapper: /run holds nothing but what these commands put there, and there is no ufw."""
    hide = "mount -t tmpfs none /run && if [ -d /etc/ufw ]; then mount -t tmpfs none /etc/ufw; fi"
    script = " && ".join([hide, *commands, 'exec "$@"'])
    return ["unshare", "--mount", "--", "sh", "-c", script, "sh"]


AVAHI = ["mkdir /run/avahi-daemon", "touch /run/avahi-daemon/socket"]
FIREWALLD = ["mkdir -p /run/systemd/units", "ln -s 0a1b /run/systemd/units/invocation:firewalld.service"]


@pytest.fixture(scope="module")
def network(network_of_module):
    """One for all: nothing is left there by a daemon that has ended."""
    return network_of_module


@pytest.fixture(scope="module")
def announce(tmp_path_factory, network):
    """announce(runtime=…, **options) → a daemon that has announced itself in a terminal, and has ended."""
    ended = []

    def run(runtime=(), **options):
        options = {"address": HOST, "listen": "[::]", **options}
        wrapper = [*network.host.wrapper, *with_runtime_files(*runtime)]
        daemon = TerminalDaemon(tmp_path_factory.mktemp("announced"), wrapper=wrapper, **options)
        ended.append(daemon)
        daemon.start().stop()
        return daemon

    yield run
    for daemon in ended:
        shutil.rmtree(daemon.folder)


@pytest.fixture(scope="module")
def usual(announce):
    """As most people start it: without a firewall, without Avahi, in colours."""
    return announce()


@pytest.fixture(scope="module")
def known(announce):
    """Beside Avahi, behind a firewall."""
    return announce([*AVAHI, *FIREWALLD])


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_a_camera_reads_the_address_and_the_setup_code(usual, tmp_path, theme):
    assert read_codes(photograph(usual.screen, theme), tmp_path) == [f"{usual.url}/#code={usual.setup_code}"]


def test_a_camera_reads_it_from_a_dark_terminal_without_colours(announce, tmp_path):
    daemon = announce(environment={"NO_COLOR": "1"})
    assert "\x1b" not in daemon.log
    assert read_codes(photograph(daemon.screen, DARK), tmp_path) == [f"{daemon.url}/#code={daemon.setup_code}"]


def test_no_code_is_handed_out_where_none_is_asked_for(announce, tmp_path):
    daemon = announce(environment={"SAFELIGHT_REGISTRATION": "open"})
    assert read_codes(photograph(daemon.screen, LIGHT), tmp_path) == [daemon.url + "/"]
    assert not any("setup code" in line for line in daemon.words)


def test_an_owners_certificate_leads_straight_to_https_under_its_names(announce, tmp_path):
    own, key = make_certificate(tmp_path, "DNS:photos.example", "photos.example", days=30)
    files = {"SAFELIGHT_TLS_CERTIFICATE": str(own), "SAFELIGHT_TLS_KEY": str(key)}
    daemon = announce(environment={**files, "SAFELIGHT_HOSTS": "photos.example"})
    name = f"https://photos.example:{daemon.port}/"
    assert [line.strip() for line in daemon.words if line.startswith("    http")][0] == name
    assert read_codes(photograph(daemon.screen, DARK), tmp_path) == [f"{name}#code={daemon.setup_code}"]


def test_the_name_of_multicast_dns_leads_where_avahi_answers_it(known, tmp_path):
    name = f"http://{socket.gethostname().split('.')[0].lower()}.local:{known.port}/"
    addresses = [line.strip() for line in known.words if line.startswith("    http")]
    assert addresses == [name, f"{known.url}/", f"http://[{HOST6}]:{known.port}/"]
    assert read_codes(photograph(known.screen, LIGHT), tmp_path) == [f"{name}#code={known.setup_code}"]


def test_a_terminal_that_is_too_narrow_shows_the_addresses_alone(announce):
    daemon = announce(columns=30)
    assert "█" not in daemon.log
    assert f"    {daemon.url}/" in daemon.words


def test_a_firewall_that_is_on_is_named_with_the_command_that_opens_the_port(known):
    assert any(f"--add-port={known.port}/tcp" in line for line in known.words), known.words


def test_no_firewall_is_suspected_without_a_sign_of_one(usual):
    assert not any("irewall" in line for line in usual.words)


def test_the_text_fits_80_columns(usual):
    assert [line for line in usual.words if len(line) > 80] == []


def test_loopback_alone_is_said_to_be_for_this_computer_with_the_fingerprint_that_the_page_and_the_command_tell(tmp_path):
    daemon = TerminalDaemon(tmp_path).start()
    page = requests.get(f"{daemon.url}/api/certificate").json()
    command = daemon.run("certificate", "--data", str(daemon.data)).stdout.decode()
    daemon.stop()
    assert daemon.words[0] == f"Safelight is ready: {daemon.url}/"
    assert any("Only this computer" in line for line in daemon.words)
    assert "█" not in daemon.log
    screen = "\n".join(daemon.words)
    for text in (" ".join(page["words"]), page["fingerprint"][:47], page["fingerprint"][48:]):
        assert f"    {text}\n" in screen
        assert f"    {text}\n" in command
    assert len(page["words"]) == 8


def test_a_log_gets_every_address_and_the_fingerprint_and_no_picture(start_on_network):
    daemon = start_on_network(wrapper=with_runtime_files())
    fingerprint = daemon.run("certificate", "--data", str(daemon.data)).stdout.decode().split()
    daemon.stop()
    lines = daemon.log.splitlines()
    assert f"Safelight is ready: http://127.0.0.1:{daemon.port}/" in lines
    for address in (HOST, f"[{HOST6}]"):
        assert f"                and: http://{address}:{daemon.port}/" in lines
    way = f"safelight code --data {daemon.data}"
    assert f"To create a vault from another device, its setup code is told here by: {way}" in lines
    assert daemon.setup_code not in daemon.log
    assert any(word in line for line in lines for word in fingerprint if len(word) == 47)
    assert "█" not in daemon.log and "\x1b" not in daemon.log and "#code" not in daemon.log


def test_the_page_hears_of_the_first_device(start_on_network, network):
    daemon = start_on_network(environment={"SAFELIGHT_REGISTRATION": "open"})
    ask = ["curl", "--silent", "--noproxy", "*", f"http://127.0.0.1:{daemon.port}/api/addresses"]
    assert b'"reached":false' in network.host.run(*ask).stdout
    network.device.connect(daemon, DEVICES[3]).close()
    wait_until(lambda: b'"reached":true' in network.host.run(*ask).stdout, "nobody heard of it")
