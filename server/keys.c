/* keys.c: what access keys and the key of the roles are made of. */
#include "server/keys.h"

#include "api/tell/role_credentials.h"
#include "base/clock.h"
#include "base/rng.h"

enum { ROLE_KEY_ARENA_MAX = 4096, KEY_ID_MAX = 128 };

static void random_text(char *out, size_t len, const char *alphabet, size_t letters)
{
    uint8_t bytes[KEY_SECRET_LEN];
    ASSERT(len <= sizeof bytes && 256 % letters == 0);          /* ours */
    rng_secret(bytes, len);
    for (size_t c = 0; c < len; c++) {
        out[c] = alphabet[bytes[c] % letters];
    }
    out[len] = '\0';
}

void keys_generate(struct key_pair *pair)
{
    memcpy(pair->id, "AKIA", 4);
    random_text(pair->id + 4, KEY_ID_LEN - 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32);
    random_text(pair->secret, KEY_SECRET_LEN, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 64);
}

bool keys_check_clock(struct err *err)
{
    return clock_is_set(clock_now_ms()) || err_set(err, ERR_SERVER, "the clock of this machine is not set: it should be between 2020 and 9999.");
}

bool keys_commit(struct store_txn *txn, struct err *err)
{
    int64_t revision;
    const char *problem = store_txn_problem(txn);
    return store_write_commit(txn, &revision)
        || err_set(err, ERR_SERVER, "the key could not be stored: %s.", problem == NULL ? "the disk refused it" : problem);
}

bool keys_make_role_key(struct store *store, struct err *err)
{
    char made[2 * ROLE_KEY_LEN];
    struct arena arena = { .ceiling = ROLE_KEY_ARENA_MAX };
    rng_secret(made, sizeof made);
    struct store_txn *txn = store_write_begin(store);
    struct str known = store_meta(txn, role_key_name, &arena);
    if (role_key_is_good(known)) { memcpy(made, known.ptr, ROLE_KEY_LEN); }
    store_put_meta(txn, role_key_name, (struct str){ made, sizeof made });
    arena_finish(&arena);
    return keys_commit(txn, err);
}

bool keys_put_root(struct store *store, struct str id, struct str secret, struct arena *arena, struct err *err)
{
    if (id.len == 0 && secret.len == 0) { return true; }
    if (id.len == 0 || secret.len == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "A root key is an id and a secret: one of the two is missing.");
    }
    if (id.len > KEY_ID_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "A key's id has at most %d characters.", KEY_ID_MAX); }
    struct store_txn *txn = store_read_begin(store);
    const struct access_key *known = store_access_key(txn, id, arena);
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The access keys can't be read."); }
    if (known != NULL && str_eq(known->secret, secret) && known->revoked_ms == 0 && known->role == ACCESS_ADMIN) { return true; }
    const struct access_key key = {
        .id = id, .secret = secret, .user = STR("root"), .role = ACCESS_ADMIN, .created_ms = clock_now_ms(),
    };
    txn = store_write_begin(store);
    store_put_access_key(txn, &key);
    return keys_commit(txn, err);
}
