/* secret_key.h: the key that seals the values of secrets. It is a file beside the store, so a copy of the store alone shows no value. Knows the file;
 * refuses to know the secrets. */
#ifndef BERTH_SERVER_SECRET_KEY_H
#define BERTH_SERVER_SECRET_KEY_H

#include "base/seal.h"
#include "store/store.h"

/* Reads DIR/secrets.key, or makes one where the store has no secrets yet. False and a sentence for a person: it is missing though
 * there are secrets, others may read it, it is no key, or it does not open what the store holds. */
bool secret_key_load(const char *dir, struct store *store, struct seal_key *key, struct err *err);

/* Reads it where there is one. False and a sentence: others may read it, or it is no key. */
bool secret_key_read(const char *dir, struct seal_key *key, bool *found, struct err *err);
/* Do all values of this secret open with the key? Each is opened and forgotten. */
bool secret_key_opens(const struct seal_key *key, const struct kept_secret *secret);

#endif
