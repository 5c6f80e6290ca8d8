/* keys.h: new access keys, and the key from which those of tasks' roles are derived. Works on the store's files directly, also while a
 * server runs on them. */
#ifndef BERTH_SERVER_KEYS_H
#define BERTH_SERVER_KEYS_H

#include "store/store.h"

enum { KEY_ID_LEN = 20, KEY_SECRET_LEN = 40 };
struct key_pair { char id[KEY_ID_LEN + 1], secret[KEY_SECRET_LEN + 1]; };

/* AKIA and 16 characters of base 32, and 40 of base 64, from the operating system's randomness: the forms of IAM. */
void keys_generate(struct key_pair *pair);

/* Makes the key from which those of tasks' roles are derived (api/tell/role_credentials.h), or another one: keys that were given out before are no
 * longer valid. A running server looks for it each second. */
MUST_USE bool keys_make_role_key(struct store *store, struct err *err);

/* The key that a server is started with, an admin's. Nothing is written when the store has it: most starts change nothing. ERR_INVALID_PARAMETER: half of it is
 * missing, or its id is too long. */
MUST_USE bool keys_put_root(struct store *store, struct str id, struct str secret, struct arena *arena, struct err *err);

/* Every change of a key begins with the first and ends with the second. */
MUST_USE bool keys_check_clock(struct err *err);
MUST_USE bool keys_commit(struct store_txn *txn, struct err *err);

#endif
