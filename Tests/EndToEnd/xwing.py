"""X-Wing (draft-connolly-cfrg-xwing-kem) and HPKE in base mode (RFC 9180), by other code than the program's: ML-KEM,
X25519 and AES of `cryptography`, the rest by Python's own hashes."""

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

LABEL = rb"\.//^" + b"\\"
CIPHERTEXT = 1088
# X-Wing, HKDF-SHA-256, AES-256-GCM.
SUITE = b"HPKE" + bytes.fromhex("647a00010002")


def decapsulate(seed, encapsulated):
    expanded = hashlib.shake_256(seed).digest(96)
    lattice, curve = MLKEM768PrivateKey.from_seed_bytes(expanded[:64]), X25519PrivateKey.from_private_bytes(expanded[64:])
    point = encapsulated[CIPHERTEXT:]
    secrets = lattice.decapsulate(encapsulated[:CIPHERTEXT]) + curve.exchange(X25519PublicKey.from_public_bytes(point))
    return hashlib.sha3_256(secrets + point + curve.public_key().public_bytes_raw() + LABEL).digest()


def extract(salt, label, material):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + SUITE + label + material, "sha256")


def expand(secret, label, context, count):
    info = count.to_bytes(2, "big") + b"HPKE-v1" + SUITE + label + context
    return hmac.digest(secret, info + b"\1", "sha256")[:count]


def opened(message, seed, info, associated):
    """What was sealed to the public key of this seed; raises where it was to another."""
    shared = decapsulate(seed, message[:1120])
    context = b"\0" + extract(b"", b"psk_id_hash", b"") + extract(b"", b"info_hash", info)
    secret = extract(shared, b"secret", b"")
    cipher = AESGCM(expand(secret, b"key", context, 32))
    return cipher.decrypt(expand(secret, b"base_nonce", context, 12), message[1120:], associated)
