/* seal.h: encrypts a text with a key. Without the key the bytes reveal only its length, and changed bytes are detected:
 * AES-256-GCM with OpenSSL (one owner: seal.c). A text is sealed for a context and opens for no other. */
#ifndef BERTH_BASE_SEAL_H
#define BERTH_BASE_SEAL_H

#include "base/arena.h"

enum { SEAL_KEY_LEN = 32, SEAL_OVERHEAD = 28 };                  /* bytes; nonce and tag */
struct seal_key { uint8_t bytes[SEAL_KEY_LEN]; };

/* Nonce, text and tag, in `arena`. The nonce is random each time. */
struct str seal_close(const struct seal_key *key, struct str context, struct str text, struct arena *arena);
/* False: another key, another context, or bytes that were changed. The text lives in `arena`. */
MUST_USE bool seal_open(const struct seal_key *key, struct str context, struct str sealed, struct str *text, struct arena *arena);

#endif
