#include "hpke.h"

#include <CNIOBoringSSL_err.h>
#include <CNIOBoringSSL_hpke.h>

// What the library frees it overwrites: keys and contexts are made by its `new` and freed here.

static EVP_HPKE_KEY *key_of(const uint8_t *seed) {
    EVP_HPKE_KEY *key = EVP_HPKE_KEY_new();
    if (key && EVP_HPKE_KEY_init(key, EVP_hpke_xwing(), seed, SAFELIGHT_HPKE_SEED_SIZE)) return key;
    EVP_HPKE_KEY_free(key);
    return NULL;
}

// The library's queue of errors belongs to the thread: left there, it would be found by a connection's code.
static int done(int result) {
    if (result != 1) ERR_clear_error();
    return result;
}

int safelight_hpke_public_key(const uint8_t *seed, uint8_t *public_key) {
    EVP_HPKE_KEY *key = key_of(seed);
    size_t count = 0;
    int result = key && EVP_HPKE_KEY_public_key(key, public_key, &count, SAFELIGHT_HPKE_PUBLIC_KEY_SIZE) &&
                 count == SAFELIGHT_HPKE_PUBLIC_KEY_SIZE;
    EVP_HPKE_KEY_free(key);
    return done(result);
}

int safelight_hpke_seal(struct safelight_hpke_bytes plaintext, const uint8_t *public_key,
                        struct safelight_hpke_bytes info, struct safelight_hpke_bytes context, uint8_t *message) {
    EVP_HPKE_CTX *sender = EVP_HPKE_CTX_new();
    size_t key_count = 0, sealed_count = 0;
    int result = sender &&
                 EVP_HPKE_CTX_setup_sender(sender, message, &key_count, SAFELIGHT_HPKE_ENCAPSULATED_KEY_SIZE,
                                           EVP_hpke_xwing(), EVP_hpke_hkdf_sha256(), EVP_hpke_aes_256_gcm(), public_key,
                                           SAFELIGHT_HPKE_PUBLIC_KEY_SIZE, info.start, info.count) &&
                 key_count == SAFELIGHT_HPKE_ENCAPSULATED_KEY_SIZE &&
                 EVP_HPKE_CTX_seal(sender, message + key_count, &sealed_count,
                                   plaintext.count + SAFELIGHT_HPKE_TAG_SIZE, plaintext.start, plaintext.count,
                                   context.start, context.count) &&
                 sealed_count == plaintext.count + SAFELIGHT_HPKE_TAG_SIZE;
    EVP_HPKE_CTX_free(sender);
    return done(result);
}

int safelight_hpke_open(struct safelight_hpke_bytes message, const uint8_t *seed, struct safelight_hpke_bytes info,
                        struct safelight_hpke_bytes context, uint8_t *plaintext) {
    size_t overhead = SAFELIGHT_HPKE_ENCAPSULATED_KEY_SIZE + SAFELIGHT_HPKE_TAG_SIZE;
    if (message.count < overhead) return 0;
    EVP_HPKE_KEY *key = key_of(seed);
    EVP_HPKE_CTX *recipient = EVP_HPKE_CTX_new();
    int result = -1;
    if (key && recipient) {
        const uint8_t *sealed = message.start + SAFELIGHT_HPKE_ENCAPSULATED_KEY_SIZE;
        size_t count = 0, room = message.count - overhead;
        result = EVP_HPKE_CTX_setup_recipient(recipient, key, EVP_hpke_hkdf_sha256(), EVP_hpke_aes_256_gcm(),
                                              message.start, SAFELIGHT_HPKE_ENCAPSULATED_KEY_SIZE, info.start,
                                              info.count) &&
                 EVP_HPKE_CTX_open(recipient, plaintext, &count, room, sealed,
                                   message.count - SAFELIGHT_HPKE_ENCAPSULATED_KEY_SIZE, context.start,
                                   context.count) &&
                 count == room;
    }
    EVP_HPKE_CTX_free(recipient);
    EVP_HPKE_KEY_free(key);
    return done(result);
}
