/* history.c: the tasks that have stopped, in the order of their ends. It outlives the tasks' records. A task has two entries: the
 * record under (time, id), which is appended, and the time under the id, so that one task is found without a walk. Ids sort
 * by creation, so the second lands on the last pages too. Nothing here changes a record: a task stops once, so a second
 * put of the same id has the same time. */
#include "store/store_internal.h"

static struct key history_key(struct history_place place)
{
    struct key key;
    bool made = key_make(&key, TABLE_HISTORY, &(struct key_parts){ .number = place.stopped_ms, .id = place.id });
    ASSERT(made);
    return key;
}

static struct key index_key(struct id id)
{
    struct key key;
    bool made = key_make(&key, TABLE_HISTORY_INDEX, &(struct key_parts){ .id = id });
    ASSERT(made);
    return key;
}

static int place_cmp(struct history_place a, struct history_place b)
{
    if (a.stopped_ms != b.stopped_ms) { return a.stopped_ms < b.stopped_ms ? -1 : 1; }
    return id_cmp(a.id, b.id);
}

static bool place_of(struct walk *walk, struct history_place *place)
{
    struct key_parts parts;
    if (!key_read(TABLE_HISTORY, walk->key, &parts)) {
        txn_damaged(walk->txn);
        return false;
    }
    *place = (struct history_place){ parts.number, parts.id };
    return true;
}

/* ---- writing ---- */

/* True when `place` is behind the newest; then it is the newest. False after a clock was set back, or when tasks end in the same
 * millisecond in another order than they began: then the engine looks for the right place. */
static bool is_newest(struct store_txn *txn, struct history_place place)
{
    if (!txn->newest_history_known) {
        txn->newest_history = (struct history_place){ 0 };
        struct walk walk = walk_begin(txn, TABLE_HISTORY);
        if (walk_step(&walk, MOVE_LAST)) { (void)place_of(&walk, &txn->newest_history); }
        walk_end(&walk);
        txn->newest_history_known = true;
    }
    if (place_cmp(place, txn->newest_history) <= 0) { return false; }
    txn->newest_history = place;
    return true;
}

void store_put_history(struct store_txn *txn, const struct history *history)
{
    ASSERT(!id_is_zero(history->id));
    ASSERT(history->stopped_ms > 0);
    ASSERT(history->cluster_number > 0 && history->cluster_number <= CLUSTERS_MAX);
    arena_reset(&txn->scratch);
    struct history_place place = { history->stopped_ms, history->id };
    struct key key = history_key(place), by_id = index_key(history->id);
    char time[8];
    for (size_t b = 0; b < sizeof time; b++) { time[b] = (char)((uint64_t)place.stopped_ms >> (8 * (sizeof time - 1 - b))); }
    int64_t read_back;
    ASSERT(history_index_read((struct str){ time, sizeof time }, &read_back) && read_back == place.stopped_ms);
    record_put(txn, TABLE_HISTORY, &key, &history_record, history, is_newest(txn, place) ? PUT_LAST : PUT_ANYWHERE);
    txn_put(txn, TABLE_HISTORY_INDEX, &by_id, (struct str){ time, sizeof time }, PUT_ANYWHERE);
}

size_t store_trim_history(struct store_txn *txn, int64_t before_ms, size_t limit)
{
    ASSERT(txn->writing);
    size_t count = 0;
    struct history_place place;
    struct walk walk = walk_begin(txn, TABLE_HISTORY);
    while (count < limit && walk_step(&walk, MOVE_FIRST) && place_of(&walk, &place) && place.stopped_ms < before_ms) {
        struct key key = history_key(place), by_id = index_key(place.id);
        txn_delete(txn, TABLE_HISTORY_INDEX, &by_id);
        txn_delete(txn, TABLE_HISTORY, &key);
        count++;
    }
    walk_end(&walk);
    ASSERT(count <= limit);
    txn->newest_history_known = false;                   /* it may have been among them */
    return txn_is_sound(txn) ? count : 0;
}

/* ---- reading ---- */

bool history_index_read(struct str value, int64_t *stopped_ms)
{
    uint64_t number = 0;
    if (value.len != sizeof number) { return false; }
    for (size_t b = 0; b < value.len; b++) { number = number << 8 | (unsigned char)value.ptr[b]; }
    *stopped_ms = (int64_t)number;
    return *stopped_ms > 0;
}

const struct history *store_history(struct store_txn *txn, struct id id, struct arena *arena)
{
    struct str value;
    struct history_place place = { .id = id };
    struct key by_id = index_key(id);
    if (!txn_get(txn, TABLE_HISTORY_INDEX, &by_id, &value)) { return NULL; }
    struct history *history = ARENA_NEW(arena, struct history, 1);
    struct key key = { 0 };
    bool found = history_index_read(value, &place.stopped_ms);
    if (found) {
        key = history_key(place);
        found = record_get(txn, TABLE_HISTORY, &key, &history_record, history, arena);
    }
    if (!found) {
        txn_poison(txn, "the store's indexes are damaged: an entry of the history is missing");
        return NULL;
    }
    history->id = id;
    history->stopped_ms = place.stopped_ms;
    return history;
}

/* Moves to the last entry below `before`. */
static bool seek_below(struct walk *walk, struct history_place before)
{
    struct key from = history_key(before);
    return walk_to(walk, key_str(&from)) ? walk_step(walk, MOVE_PREVIOUS) : walk_step(walk, MOVE_LAST);
}

size_t store_list_history(struct store_txn *txn, struct history_place before, struct history *entries, size_t limit, struct arena *arena)
{
    size_t count = 0;
    struct history_place place;
    struct walk walk = walk_begin(txn, TABLE_HISTORY);
    for (bool found = seek_below(&walk, before); found && count < limit; found = walk_step(&walk, MOVE_PREVIOUS)) {
        struct history *entry = &entries[count];
        if (!place_of(&walk, &place) || !record_read_at(&walk, &history_record, arena_str(arena, walk.value), entry, arena)) { break; }
        entry->id = place.id;
        entry->stopped_ms = place.stopped_ms;
        count++;
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}
