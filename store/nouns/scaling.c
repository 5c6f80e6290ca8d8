/* scaling.c: scalable targets, by the number of their service. */
#include "store/store_internal.h"

bool scaling_is_sound(const void *record)
{
    const struct kept_scaling *target = record;
    bool sound = target->service > 0 && target->suspended != NULL && target->min >= 0 && target->max >= target->min;
    for (size_t p = 0; p < target->policies.count; p++) {
        const struct kept_policy *policy = &target->policies.items[p];
        sound = sound && (policy->type == SCALING_TRACKING ? policy->tracking != NULL : policy->type == SCALING_STEP && policy->step != NULL);
    }
    for (size_t a = 0; a < target->actions.count; a++) { sound = sound && target->actions.items[a].change != NULL; }
    return sound;
}

static struct key scaling_key(int64_t service)
{
    struct key key;
    bool made = key_make(&key, TABLE_SCALING, &(struct key_parts){ .number = service });
    ASSERT(made);
    return key;
}

const struct kept_scaling *store_scaling(struct store_txn *txn, int64_t service, struct arena *arena)
{
    struct key key = scaling_key(service);
    struct kept_scaling *found = ARENA_NEW(arena, struct kept_scaling, 1);
    return record_get(txn, TABLE_SCALING, &key, &kept_scaling_record, found, arena) ? found : NULL;
}

void store_put_scaling(struct store_txn *txn, const struct kept_scaling *target)
{
    ASSERT(scaling_is_sound(target));
    arena_reset(&txn->scratch);
    struct key key = scaling_key(target->service);
    record_put(txn, TABLE_SCALING, &key, &kept_scaling_record, target, PUT_ANYWHERE);
}

void store_drop_scaling(struct store_txn *txn, int64_t service)
{
    struct key key = scaling_key(service);
    struct str value;
    if (txn_get(txn, TABLE_SCALING, &key, &value)) { txn_delete(txn, TABLE_SCALING, &key); }
}

size_t store_list_scaling(struct store_txn *txn, int64_t after, int64_t *services, size_t limit)
{
    struct key from = scaling_key(after + 1);
    size_t count = 0;
    struct walk walk = walk_begin(txn, TABLE_SCALING);
    for (bool found = walk_to(&walk, key_str(&from)); found && count < limit; found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts = { 0 };
        if (!key_read(TABLE_SCALING, walk.key, &parts)) {
            txn_damaged(txn);
            break;
        }
        services[count++] = parts.number;
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}
