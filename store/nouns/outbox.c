/* outbox.c: events for others, by their number. The last number that was given is kept beside them: it stays when all events are gone. */
#include "store/store_internal.h"

static const struct str last_name = STR_INIT("outbox/last");

bool outbox_is_sound(const void *record)
{
    const struct kept_event *event = record;
    return event->number > 0 && event->at_ms >= 0 && event->text.len > 0;
}

static struct key event_key(int64_t number)
{
    struct key key;
    bool made = key_make(&key, TABLE_OUTBOX, &(struct key_parts){ .number = number });
    ASSERT(made);
    return key;
}

int64_t store_last_event(struct store_txn *txn, struct arena *arena)
{
    int64_t last;
    return str_to_i64(store_meta(txn, last_name, arena), &last) && last > 0 ? last : 0;
}

int64_t store_add_event(struct store_txn *txn, const struct kept_event *given, struct arena *arena)
{
    struct kept_event event = *given;
    event.number = store_last_event(txn, arena) + 1;
    ASSERT(outbox_is_sound(&event));
    arena_reset(&txn->scratch);
    struct key key = event_key(event.number);
    record_put(txn, TABLE_OUTBOX, &key, &kept_event_record, &event, PUT_ANYWHERE);
    store_put_meta(txn, last_name, arena_printf(arena, "%lld", (long long)event.number));
    return event.number;
}

/* The numbers after this one, the least first, at most `limit`. */
static size_t list_numbers(struct store_txn *txn, int64_t after, int64_t *numbers, size_t limit)
{
    size_t count = 0;
    struct key from = event_key(after + 1);
    struct walk walk = walk_begin(txn, TABLE_OUTBOX);
    for (bool found = count < limit && walk_to(&walk, key_str(&from)); found && count < limit; found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts = { 0 };
        if (!key_read(TABLE_OUTBOX, walk.key, &parts)) {
            txn_damaged(txn);
            break;
        }
        numbers[count++] = parts.number;
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

static bool get_event(struct store_txn *txn, int64_t number, struct kept_event *event, struct arena *arena)
{
    struct key key = event_key(number);
    return record_get(txn, TABLE_OUTBOX, &key, &kept_event_record, event, arena);
}

size_t store_list_events(struct store_txn *txn, int64_t after, struct kept_event **events, size_t limit, struct arena *arena)
{
    int64_t *numbers = ARENA_NEW(arena, int64_t, limit + 1);
    size_t count = list_numbers(txn, after, numbers, limit), read = 0;
    *events = ARENA_NEW(arena, struct kept_event, count + 1);
    while (read < count && get_event(txn, numbers[read], &(*events)[read], arena)) { read++; }
    return read;
}

int64_t store_first_event(struct store_txn *txn)
{
    int64_t first;
    return list_numbers(txn, 0, &first, 1) > 0 ? first : 0;
}

size_t store_trim_events(struct store_txn *txn, int64_t before_ms, size_t most, size_t limit, struct arena *arena)
{
    int64_t *numbers = ARENA_NEW(arena, int64_t, limit + 1), last = store_last_event(txn, arena);
    size_t count = list_numbers(txn, 0, numbers, limit), dropped = 0;
    for (; dropped < count; dropped++) {
        struct kept_event event = { 0 };
        bool too_many = last - numbers[dropped] >= (int64_t)most;
        if (!too_many && (!get_event(txn, numbers[dropped], &event, arena) || event.at_ms >= before_ms)) { break; }
        struct key key = event_key(numbers[dropped]);
        txn_delete(txn, TABLE_OUTBOX, &key);
    }
    return dropped;
}
