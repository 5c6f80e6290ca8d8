/* plain.c: plain records, by their kind and id. They are few, so lists are read whole. */
#include "store/store_internal.h"

bool plain_is_sound(const void *record)
{
    const struct kept_plain *plain = record;
    switch (plain->kind) {
    case PLAIN_KIND_LOG_GROUP:      return plain->id.len > 0 && plain->name.len > 0;
    case PLAIN_KIND_ROLE:
    case PLAIN_KIND_PROFILE:        return plain->id.len > 0;
    case PLAIN_KIND_SECURITY_GROUP: return plain->id.len > 0 && plain->group != NULL;
    case PLAIN_KIND_VPC:            return plain->id.len > 0 && plain->vpc != NULL;
    case PLAIN_KIND_SUBNET:         return plain->id.len > 0 && plain->subnet != NULL;
    case PLAIN_KIND_TEMPLATE:       return plain->id.len > 0 && plain->template != NULL;
    case PLAIN_KIND_TEMPLATE_VERSION: return plain->id.len > 0 && plain->version != NULL && plain->version->data != NULL;
    case PLAIN_KIND_UNSET: case PLAIN_KIND_COUNT: break;
    }
    return false;
}

static bool plain_key(struct key *key, enum plain_kind kind, struct str id)
{
    return key_make(key, TABLE_PLAIN, &(struct key_parts){ .index = (int)kind, .text = id });
}

const struct kept_plain *store_plain(struct store_txn *txn, enum plain_kind kind, struct str id, struct arena *arena)
{
    struct key key;
    struct kept_plain *found = ARENA_NEW(arena, struct kept_plain, 1);
    return plain_key(&key, kind, id) && record_get(txn, TABLE_PLAIN, &key, &kept_plain_record, found, arena) ? found : NULL;
}

void store_put_plain(struct store_txn *txn, const struct kept_plain *plain)
{
    struct key key;
    bool made = plain_key(&key, plain->kind, plain->id);
    ASSERT(made && plain_is_sound(plain));
    arena_reset(&txn->scratch);
    record_put(txn, TABLE_PLAIN, &key, &kept_plain_record, plain, PUT_ANYWHERE);
}

void store_drop_plain(struct store_txn *txn, const struct kept_plain *plain)
{
    struct key key;
    bool made = plain_key(&key, plain->kind, plain->id);
    ASSERT(made);
    txn_delete(txn, TABLE_PLAIN, &key);
}

void store_drop_plain_under(struct store_txn *txn, enum plain_kind kind, struct str under)
{
    struct key prefix, key = { 0 };
    if (!plain_key(&prefix, kind, under)) { return; }
    for (bool found = true; found;) {
        struct walk walk = walk_begin(txn, TABLE_PLAIN);
        struct key_parts parts;
        found = walk_to(&walk, key_str(&prefix)) && walk_is_under(&walk, &prefix) && key_read(TABLE_PLAIN, walk.key, &parts)
            && plain_key(&key, kind, parts.text);
        walk_end(&walk);
        if (found) { txn_delete(txn, TABLE_PLAIN, &key); }
        found = found && txn_is_sound(txn);
    }
}

size_t store_count_plain(struct store_txn *txn, enum plain_kind kind, struct str under)
{
    struct key prefix;
    size_t count = 0;
    if (!plain_key(&prefix, kind, under)) { return 0; }
    struct walk walk = walk_begin(txn, TABLE_PLAIN);
    for (bool found = walk_to(&walk, key_str(&prefix)); found && walk_is_under(&walk, &prefix); found = walk_step(&walk, MOVE_NEXT)) { count++; }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

size_t store_list_plain(struct store_txn *txn, enum plain_kind kind, struct str under, struct kept_plain **items, struct arena *arena)
{
    struct key prefix;
    void *records = NULL;
    size_t count = plain_key(&prefix, kind, under) ? records_list(txn, TABLE_PLAIN, &prefix, &kept_plain_record, &records, arena) : 0;
    *items = records;
    return count;
}
