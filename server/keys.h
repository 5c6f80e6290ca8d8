/* keys.h: access keys at the shell, and the making of new ones. Works on the store's files directly, also while a server
 * runs on them. */
#ifndef BERTH_SERVER_KEYS_H
#define BERTH_SERVER_KEYS_H

#include "cli/settings/config.h"
#include "store/store.h"

enum { KEY_ID_LEN = 20, KEY_SECRET_LEN = 40 };
struct key_pair { char id[KEY_ID_LEN + 1], secret[KEY_SECRET_LEN + 1]; };

/* AKIA and 16 characters of base 32, and 40 of base 64, from the operating system's randomness: the forms of IAM. */
void keys_generate(struct key_pair *pair);

/* Another key to derive those of tasks' roles from (api/tell/role_credentials.h), or the first: keys that were given out before are worth nothing. A
 * running server looks for it each second. */
MUST_USE bool keys_make_role_key(struct store *store, struct err *err);

/* `berth keys create|list|revoke|rotate-roles`. The exit status; *err says what went wrong. */
int  keys_command(const struct config *config, struct arena *arena, struct err *err);

#endif
