/* capacity.c: capacity providers, pools, and machines with their indexes by pool and by the time when each is looked at again. */
#include "store/store_internal.h"

static bool is_name(struct str name) { return name.len > 0 && name.len <= KEY_TEXT_MAX; }

bool capacity_provider_is_sound(const void *record)
{
    const struct kept_provider *provider = record;
    return is_name(provider->name) && (provider->group != NULL) != (provider->managed != NULL) && provider->settles_ms >= 0;
}

bool capacity_pool_is_sound(const void *record)
{
    const struct kept_pool *pool = record;
    return is_name(pool->name) && pool->kind != POOL_KIND_UNSET && pool->min >= 0 && pool->desired >= 0;
}

bool capacity_machine_is_sound(const void *record)
{
    const struct kept_machine *machine = record;
    return is_name(machine->pool) && machine->state != MACHINE_STATE_UNSET && machine->next_ms >= 0;
}

/* The API has limited the names. */
static struct key named_key(enum table table, const struct key_parts *parts)
{
    struct key key;
    bool made = key_make(&key, table, parts);
    ASSERT(made);
    return key;
}

/* A text that no record can have as its name finds none. */
static bool get_named(struct store_txn *txn, enum table table, struct str name, const struct schema *schema, void *record, struct arena *arena)
{
    struct key key;
    return key_make(&key, table, &(struct key_parts){ .text = name }) && record_get(txn, table, &key, schema, record, arena);
}

static void put_named(struct store_txn *txn, enum table table, struct str name, const struct schema *schema, const void *record)
{
    struct key key = named_key(table, &(struct key_parts){ .text = name });
    record_put(txn, table, &key, schema, record, PUT_ANYWHERE);
}

static void drop_named(struct store_txn *txn, enum table table, struct str name)
{
    struct key key = named_key(table, &(struct key_parts){ .text = name });
    txn_delete(txn, table, &key);
}

static size_t list_named(struct store_txn *txn, enum table table, const struct schema *schema, void **items, struct arena *arena)
{
    struct key all = { .len = 0 };
    return records_list(txn, table, &all, schema, items, arena);
}

/* ---- providers ---- */

const struct kept_provider *store_provider(struct store_txn *txn, struct str name, struct arena *arena)
{
    struct kept_provider *found = ARENA_NEW(arena, struct kept_provider, 1);
    return get_named(txn, TABLE_PROVIDERS, name, &kept_provider_record, found, arena) ? found : NULL;
}

void store_put_provider(struct store_txn *txn, const struct kept_provider *provider)
{
    ASSERT(capacity_provider_is_sound(provider));
    put_named(txn, TABLE_PROVIDERS, provider->name, &kept_provider_record, provider);
}

void store_drop_provider(struct store_txn *txn, struct str name) { drop_named(txn, TABLE_PROVIDERS, name); }

size_t store_list_providers(struct store_txn *txn, struct kept_provider **providers, struct arena *arena)
{
    void *items = NULL;
    size_t count = list_named(txn, TABLE_PROVIDERS, &kept_provider_record, &items, arena);
    *providers = items;
    return count;
}

/* ---- pools ---- */

const struct kept_pool *store_pool(struct store_txn *txn, struct str name, struct arena *arena)
{
    struct kept_pool *found = ARENA_NEW(arena, struct kept_pool, 1);
    return get_named(txn, TABLE_POOLS, name, &kept_pool_record, found, arena) ? found : NULL;
}

void store_put_pool(struct store_txn *txn, const struct kept_pool *pool)
{
    ASSERT(capacity_pool_is_sound(pool));
    put_named(txn, TABLE_POOLS, pool->name, &kept_pool_record, pool);
}

void store_drop_pool(struct store_txn *txn, struct str name) { drop_named(txn, TABLE_POOLS, name); }

size_t store_list_pools(struct store_txn *txn, struct kept_pool **pools, struct arena *arena)
{
    void *items = NULL;
    size_t count = list_named(txn, TABLE_POOLS, &kept_pool_record, &items, arena);
    *pools = items;
    return count;
}

/* ---- machines ---- */

struct key machine_pool_key(const struct kept_machine *machine)
{
    return named_key(TABLE_POOL_MACHINES, &(struct key_parts){ .text = machine->pool, .id = machine->id });
}

struct key machine_time_key(const struct kept_machine *machine)
{
    return named_key(TABLE_MACHINE_TIMES, &(struct key_parts){ .number = machine->next_ms, .id = machine->id });
}

const struct kept_machine *store_machine(struct store_txn *txn, struct id id, struct arena *arena)
{
    struct kept_machine *found = ARENA_NEW(arena, struct kept_machine, 1);
    struct key key = named_key(TABLE_MACHINES, &(struct key_parts){ .id = id });
    return record_get(txn, TABLE_MACHINES, &key, &kept_machine_record, found, arena) ? found : NULL;
}

static void drop_entries(struct store_txn *txn, struct id id)
{
    arena_reset(&txn->scratch);
    const struct kept_machine *old = store_machine(txn, id, &txn->scratch);
    if (old == NULL) { return; }
    struct key key = machine_pool_key(old);
    txn_delete(txn, TABLE_POOL_MACHINES, &key);
    if (old->next_ms == 0) { return; }
    key = machine_time_key(old);
    txn_delete(txn, TABLE_MACHINE_TIMES, &key);
}

void store_put_machine(struct store_txn *txn, const struct kept_machine *machine)
{
    ASSERT(capacity_machine_is_sound(machine) && !id_is_zero(machine->id));
    drop_entries(txn, machine->id);
    struct key key = named_key(TABLE_MACHINES, &(struct key_parts){ .id = machine->id });
    record_put(txn, TABLE_MACHINES, &key, &kept_machine_record, machine, PUT_ANYWHERE);
    key = machine_pool_key(machine);
    txn_put(txn, TABLE_POOL_MACHINES, &key, STR(""), PUT_ANYWHERE);
    if (machine->next_ms == 0) { return; }
    key = machine_time_key(machine);
    txn_put(txn, TABLE_MACHINE_TIMES, &key, STR(""), PUT_ANYWHERE);
}

void store_drop_machine(struct store_txn *txn, struct id id)
{
    drop_entries(txn, id);
    struct key key = named_key(TABLE_MACHINES, &(struct key_parts){ .id = id });
    txn_delete(txn, TABLE_MACHINES, &key);
}

/* The ids of index entries under the prefix, whose number is not above `until`. */
static size_t list_ids(struct store_txn *txn, enum table table, const struct key *prefix, int64_t until, struct id *ids, size_t limit)
{
    size_t count = 0;
    struct walk walk = walk_begin(txn, table);
    for (bool found = walk_to(&walk, key_str(prefix)); found && count < limit && walk_is_under(&walk, prefix); found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts;
        if (!key_read(table, walk.key, &parts)) {
            txn_damaged(txn);
            break;
        }
        if (parts.number > until) { break; }
        ids[count++] = parts.id;
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

size_t store_list_machines(struct store_txn *txn, struct str pool, struct kept_machine **machines, struct arena *arena)
{
    struct key prefix;
    *machines = NULL;
    if (!key_make_prefix(&prefix, TABLE_POOL_MACHINES, &(struct key_parts){ .text = pool }, 1)) { return 0; }
    struct id *ids = ARENA_NEW(arena, struct id, MACHINES_OF_POOL_MAX);
    size_t count = list_ids(txn, TABLE_POOL_MACHINES, &prefix, INT64_MAX, ids, MACHINES_OF_POOL_MAX), read = 0;
    *machines = ARENA_NEW(arena, struct kept_machine, count + 1);
    for (size_t m = 0; m < count; m++) {
        const struct kept_machine *machine = store_machine(txn, ids[m], arena);
        if (machine == NULL) { break; }
        (*machines)[read++] = *machine;
    }
    if (read < count && txn_is_sound(txn)) { txn_damaged(txn); }
    return txn_is_sound(txn) ? count : 0;
}

size_t store_list_due_machines(struct store_txn *txn, int64_t now_ms, struct id *ids, size_t limit)
{
    struct key all = { .len = 0 };
    return list_ids(txn, TABLE_MACHINE_TIMES, &all, now_ms, ids, limit);
}

int64_t store_next_machine_ms(struct store_txn *txn)
{
    struct key_parts parts = { .number = 0 };
    struct walk walk = walk_begin(txn, TABLE_MACHINE_TIMES);
    bool found = walk_to(&walk, (struct str){ NULL, 0 });
    if (found && !key_read(TABLE_MACHINE_TIMES, walk.key, &parts)) { txn_damaged(txn); }
    walk_end(&walk);
    return found && txn_is_sound(txn) ? parts.number : 0;
}
