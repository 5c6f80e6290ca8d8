/* schedules.c: schedules by kind and name, and the index of the times at which one of them is due. */
#include "store/store_internal.h"

bool schedule_is_sound(const void *record)
{
    const struct kept_schedule *schedule = record;
    return schedule->name.len > 0 && schedule->name.len <= KEY_TEXT_MAX && schedule->due_ms >= 0;
}

static bool make_key(struct key *key, bool rule, struct str name)
{
    return key_make(key, TABLE_SCHEDULES, &(struct key_parts){ .index = rule, .text = name });
}

struct key schedule_time_key(const struct kept_schedule *schedule)
{
    struct key key;
    struct key_parts parts = { .number = schedule->due_ms, .index = schedule->rule == OPT_TRUE, .text = schedule->name };
    bool made = key_make(&key, TABLE_SCHEDULE_TIMES, &parts);
    ASSERT(made);                                        /* the API has limited names */
    return key;
}

/* A text that no schedule can have as its name finds none. */
const struct kept_schedule *store_schedule(struct store_txn *txn, bool rule, struct str name, struct arena *arena)
{
    struct key key;
    struct kept_schedule *found = ARENA_NEW(arena, struct kept_schedule, 1);
    return make_key(&key, rule, name) && record_get(txn, TABLE_SCHEDULES, &key, &kept_schedule_record, found, arena) ? found : NULL;
}

static void drop_time(struct store_txn *txn, const struct kept_schedule *schedule)
{
    if (schedule == NULL || schedule->due_ms == 0) { return; }
    struct key key = schedule_time_key(schedule);
    txn_delete(txn, TABLE_SCHEDULE_TIMES, &key);
}

void store_put_schedule(struct store_txn *txn, const struct kept_schedule *schedule)
{
    struct key key;
    bool rule = schedule->rule == OPT_TRUE, made = make_key(&key, rule, schedule->name);
    ASSERT(made && schedule->name.len > 0 && schedule->due_ms >= 0);
    arena_reset(&txn->scratch);
    drop_time(txn, store_schedule(txn, rule, schedule->name, &txn->scratch));
    record_put(txn, TABLE_SCHEDULES, &key, &kept_schedule_record, schedule, PUT_ANYWHERE);
    if (schedule->due_ms == 0) { return; }
    key = schedule_time_key(schedule);
    txn_put(txn, TABLE_SCHEDULE_TIMES, &key, STR(""), PUT_ANYWHERE);
}

void store_drop_schedule(struct store_txn *txn, bool rule, struct str name)
{
    struct key key;
    bool made = make_key(&key, rule, name);
    ASSERT(made);
    arena_reset(&txn->scratch);
    drop_time(txn, store_schedule(txn, rule, name, &txn->scratch));
    txn_delete(txn, TABLE_SCHEDULES, &key);
}

size_t store_list_schedules(struct store_txn *txn, bool rule, struct str prefix, struct str after, struct kept_schedule *schedules, size_t limit,
                            struct arena *arena)
{
    struct key under, from;
    size_t count = 0;
    if (!make_key(&under, rule, prefix) || !make_key(&from, rule, after)) { return 0; }
    struct walk walk = walk_begin(txn, TABLE_SCHEDULES);
    bool found = walk_to(&walk, key_str(str_cmp(after, prefix) < 0 ? &under : &from));
    for (; found && count < limit && walk_is_under(&walk, &under); found = walk_step(&walk, MOVE_NEXT)) {
        struct kept_schedule *schedule = &schedules[count];
        if (!record_read_at(&walk, &kept_schedule_record, arena_str(arena, walk.value), schedule, arena)) { break; }
        count += !str_eq(schedule->name, after);
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

const struct kept_schedule *store_first_schedule(struct store_txn *txn, struct arena *arena)
{
    struct key_parts parts = { 0 };
    struct walk walk = walk_begin(txn, TABLE_SCHEDULE_TIMES);
    bool found = walk_to(&walk, (struct str){ NULL, 0 });
    if (found && !key_read(TABLE_SCHEDULE_TIMES, walk.key, &parts)) {
        txn_damaged(txn);
        found = false;
    }
    if (found) { parts.text = arena_str(arena, parts.text); }
    walk_end(&walk);
    const struct kept_schedule *schedule = found ? store_schedule(txn, parts.index == 1, parts.text, arena) : NULL;
    if (found && schedule == NULL && txn_is_sound(txn)) { txn_damaged(txn); }
    return schedule;
}
