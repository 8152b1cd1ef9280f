#ifndef SAFELIGHT_HPKE_H
#define SAFELIGHT_HPKE_H

#include <stddef.h>
#include <stdint.h>

// HPKE (RFC 9180), base mode, with X-Wing (ML-KEM-768 and X25519), HKDF-SHA-256 and AES-256-GCM; one message for each
// encapsulated key. By the BoringSSL that serves TLS: libcrypto of Debian 12 has no ML-KEM. Its headers name the same
// functions as those of OpenSSL, so no source may see both; hence these three, which show none of either.

#define SAFELIGHT_HPKE_SEED_SIZE 32
#define SAFELIGHT_HPKE_PUBLIC_KEY_SIZE 1216
#define SAFELIGHT_HPKE_ENCAPSULATED_KEY_SIZE 1120
#define SAFELIGHT_HPKE_TAG_SIZE 16

// Bytes that both sides know.
struct safelight_hpke_bytes {
    const uint8_t *start;
    size_t count;
};

// Returns 1, or 0 where the library fails.
int safelight_hpke_public_key(const uint8_t *seed, uint8_t *public_key);

// Writes encapsulated key, sealed bytes and tag. Returns 1, or 0 for a key that is none and where the library fails.
int safelight_hpke_seal(struct safelight_hpke_bytes plaintext, const uint8_t *public_key,
                        struct safelight_hpke_bytes info, struct safelight_hpke_bytes context, uint8_t *message);

// `plaintext` has room for the message without encapsulated key and tag. Returns 1; 0 for a message to another key or
// together with something else, and for one that was changed; -1 where the library fails.
int safelight_hpke_open(struct safelight_hpke_bytes message, const uint8_t *seed, struct safelight_hpke_bytes info,
                        struct safelight_hpke_bytes context, uint8_t *plaintext);

#endif
