"""Ceph on this computer: its own object store (radosgw) over one monitor and one disk, which is a file of the folder. Its
programs are killed as power cuts kill them, and come back with what they had said was written."""

import shutil
import subprocess
import time
import uuid
from contextlib import suppress

import requests
from bucket import KEYS, client_of
from daemon import free_port

PROGRAMS = ["ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "monmaptool", "ceph"]
# Nobody but this computer reaches it, and what it holds is made for a test.
CONFIGURATION = """
[global]
fsid = {cluster}
mon host = v1:127.0.0.1:{monitor}
public addr = 127.0.0.1
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = bluestore
osd memory target = 1G
bluestore block size = {disk_bytes}
rgw frontends = beast endpoint=127.0.0.1:{port} tcp_nodelay=1
run dir = {folder}
admin socket = {folder}/$name.$pid.asok
log file = {folder}/$name.log
crash dir = {folder}
mon data = {folder}/monitor
mon cluster log file = {folder}/cluster.log
osd data = {folder}/disk
rgw data = {folder}/gateway
"""


def missing_programs():
    return [program for program in PROGRAMS if not shutil.which(program)]


class Ceph:
    """A store that knows `KEYS`, at `port`."""

    def __init__(self, folder, disk_bytes=20 << 30):
        self.folder, self.port, self.processes = folder, free_port(), {}
        self.monitor, self.cluster, disk = free_port(), uuid.uuid4(), uuid.uuid4()
        for name in ("monitor", "disk", "gateway"):
            (folder / name).mkdir(parents=True)
        self.file = folder / "ceph.conf"
        self.file.write_text(CONFIGURATION.format(**vars(self), disk_bytes=disk_bytes))
        self.run("monmaptool", "--create", "--fsid", self.cluster, "--addv", "a", f"[v1:127.0.0.1:{self.monitor}]", folder / "map")
        self.run("ceph-mon", "--mkfs", "-i", "a", "--monmap", folder / "map")
        self.launch("ceph-mon", "-i", "a")
        self.run("ceph", "osd", "new", disk)
        self.run("ceph-osd", "--mkfs", "-i", "0", "--osd-uuid", disk)
        self.launch("ceph-osd", "-i", "0")
        self.wait_until(lambda: "1 up" in self.run("ceph", "osd", "stat"))
        self.run(
            "radosgw-admin", "user", "create", "--uid", "safelight", "--display-name", "Safelight",
            "--access-key", KEYS["AWS_ACCESS_KEY_ID"], "--secret-key", KEYS["AWS_SECRET_ACCESS_KEY"],
        )  # fmt: skip
        self.launch("radosgw", "-n", "client.gateway")
        self.wait()
        self.client = client_of(self.port)

    def run(self, program, *words):
        command = [program, "--conf", self.file, *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout

    def launch(self, program, *words):
        with open(self.folder / f"{program}.out", "ab") as log:
            self.processes[program] = (words, subprocess.Popen(
                [program, "--conf", str(self.file), "--foreground", *words],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
            ))  # fmt: skip

    def wait(self):
        """Until it answers."""

        def answers():
            with suppress(requests.exceptions.RequestException):
                return requests.get(f"http://127.0.0.1:{self.port}/", timeout=10).status_code in (200, 403)

        self.wait_until(answers)

    def wait_until(self, condition, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, [(self.folder / f"{name}.out").read_text()[-2000:] for name in self.processes]
            # A disk that speaks to a monitor before that has told it who it is ends; systemd would start it again.
            self.launch_ended()
            time.sleep(0.1)

    def kill9(self, *programs):
        """These at once; all of them, if none is named."""
        killed = [self.processes[program][1] for program in programs or self.processes]
        for process in killed:
            process.kill()
        for process in killed:
            process.wait()

    def start_again(self):
        self.launch_ended()
        self.wait()

    def launch_ended(self):
        for program, (words, process) in list(self.processes.items()):
            if process.poll() is not None:
                self.launch(program, *words)
