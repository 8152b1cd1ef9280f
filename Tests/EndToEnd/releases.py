"""A site as `scripts/make-release` lays it out, with keys of its own."""

import subprocess

from daemon import CHECKOUT
from feed import Signer


class Site:
    """A folder that is read under an https address, and the keys by which releases are signed there."""

    def __init__(self, folder, keyring, address="https://releases.example.org"):
        self.root = folder / "site"
        self.address = address
        self.signer = Signer(folder)
        keyring.chmod(0o700)
        self.keyring = {"GNUPGHOME": str(keyring), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        self.make_key("Releases <releases@example.org>")
        listed = self.gpg("--list-secret-keys", "--with-colons")
        self.fingerprint = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr"))

    def close(self):
        subprocess.run(["gpgconf", "--kill", "all"], env=self.keyring)

    def gpg(self, *words):
        return subprocess.run(["gpg", *words], env=self.keyring, capture_output=True, text=True, check=True).stdout

    def make_key(self, name):
        self.gpg("--batch", "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign")

    def release(self, files, **changes):
        keys = {"RELEASE_KEY": str(self.signer.key), "APT_KEY": self.fingerprint, **changes}
        words = [CHECKOUT / "scripts" / "make-release", files, self.root, self.address]
        return subprocess.run(words, env={**self.keyring, **keys}, capture_output=True, text=True)
