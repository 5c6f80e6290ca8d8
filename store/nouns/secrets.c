/* secrets.c: secrets and parameters. Callers seal the values before they put them, and open them after they read them. */
#include "store/store_internal.h"

static bool secret_key(struct key *key, enum secret_kind kind, struct str name)
{
    return key_make(key, TABLE_SECRETS, &(struct key_parts){ .index = (int)kind, .text = name });
}

const struct kept_secret *store_secret(struct store_txn *txn, enum secret_kind kind, struct str name, struct arena *arena)
{
    struct key key;
    if (!secret_key(&key, kind, name)) { return NULL; }
    struct kept_secret *found = ARENA_NEW(arena, struct kept_secret, 1);
    if (!record_get(txn, TABLE_SECRETS, &key, &kept_secret_record, found, arena)) { return NULL; }
    found->kind = kind;
    found->name = arena_str(arena, name);
    return found;
}

void store_put_secret(struct store_txn *txn, const struct kept_secret *secret)
{
    struct key key;
    ASSERT(secret->kind != SECRET_KIND_UNSET);
    ASSERT(secret->name.len > 0 && secret->name.len <= SECRET_NAME_MAX);
    ASSERT(secret->versions.count <= SECRET_VERSIONS_MAX);
    bool made = secret_key(&key, secret->kind, secret->name);
    ASSERT(made);
    arena_reset(&txn->scratch);
    record_put(txn, TABLE_SECRETS, &key, &kept_secret_record, secret, PUT_ANYWHERE);
}

void store_drop_secret(struct store_txn *txn, enum secret_kind kind, struct str name)
{
    struct key key;
    ASSERT(kind != SECRET_KIND_UNSET && name.len > 0);
    bool made = secret_key(&key, kind, name);
    ASSERT(made);
    txn_delete(txn, TABLE_SECRETS, &key);
}

/* Only the head of a secret is copied, so that a list of a hundred does not copy all their values. */
static bool read_head(const struct walk *walk, struct kept_secret *secret, struct arena *arena)
{
    struct kept_secret borrowed;
    if (!record_read_at(walk, &secret_head_record, walk->value, &borrowed, arena)) { return false; }
    struct buf head = buf_in(arena);
    schema_pack(&secret_head_record, &borrowed, &head);
    bool good = schema_unpack(&secret_head_record, buf_str(&head), secret, arena);
    ASSERT(good);                                        /* the bytes were packed here, not read */
    return true;
}

size_t store_list_secrets(struct store_txn *txn, enum secret_kind kind, struct str after, struct kept_secret *secrets, size_t limit,
                          struct arena *arena)
{
    struct key prefix, from;
    struct key_parts parts = { .index = (int)kind };
    if (!key_make_prefix(&prefix, TABLE_SECRETS, &parts, 1) || !secret_key(&from, kind, after)) { return 0; }
    size_t count = 0;
    struct walk walk = walk_begin(txn, TABLE_SECRETS);
    bool found = walk_to(&walk, key_str(&from));
    if (found && str_eq(walk.key, key_str(&from))) { found = walk_step(&walk, MOVE_NEXT); }
    for (; found && count < limit && walk_is_under(&walk, &prefix); found = walk_step(&walk, MOVE_NEXT)) {
        struct kept_secret *secret = &secrets[count];
        if (!key_read(TABLE_SECRETS, walk.key, &parts)) { txn_damaged(txn); }
        if (!txn_is_sound(txn) || !read_head(&walk, secret, arena)) { break; }
        secret->kind = kind;
        secret->name = arena_str(arena, parts.text);
        count++;
    }
    walk_end(&walk);
    ASSERT(count <= limit);
    return txn_is_sound(txn) ? count : 0;
}
