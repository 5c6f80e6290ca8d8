/* follow.c: what other members have appended goes from the log into this member's store. */
#include "ha/member_internal.h"

#include "base/log.h"
#include "ha/entry.h"

enum { ENTRIES = 16, ENTRY_BYTES = 4 << 20 };    /* applied in one commit */

static void stop_for_good(struct member *member, const struct err *err)
{
    log_line(LOG_ERROR, "ha", "this member stops: %s", err->message);
    lock_take(&member->lock);
    member->role = MEMBER_STOPPED;
    member->over = *err;
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

static bool differs_at(int64_t n, struct err *err)
{
    return err_set(err, ERR_SERVER, "Entry %lld of the log does not follow what this server's store has: they have different histories. "
                   "Begin from a copy: move its data folder away, and start it again.", (long long)n);
}

/* Is it the entry behind the store's last commit? `mark`: of that commit, and then of this entry's. */
static bool check_entry(const struct ha_entry *item, const struct entry *entry, uint8_t mark[STORE_MARK_SIZE], struct err *err)
{
    if (entry->revision != item->n || memcmp(entry->before, mark, STORE_MARK_SIZE) != 0) { return differs_at(item->n, err); }
    entry_mark(item->bytes, mark);
    return true;
}

/* All of them in one commit. HA_REFUSED and *err: one of them can't be applied here; HA_UNKNOWN: the disk did not take them. */
static enum ha_end apply(struct member *member, const struct ha_entry *items, size_t count, struct err *err)
{
    uint8_t mark[STORE_MARK_SIZE];
    int64_t revision = 0;
    bool good = true;
    struct store_txn *txn = store_write_begin(member->store);
    store_mark(txn, mark);
    for (size_t i = 0; i < count && good; i++) {
        struct entry entry;
        struct str plain;
        good = entry_open(&member->key, items[i].n, items[i].bytes, &plain, &member->arena, err)
            && entry_unpack(plain, &entry, &member->arena, err) && check_entry(&items[i], &entry, mark, err);
        if (good) { store_apply(txn, entry.revision, entry.writes, entry.count); }
    }
    const char *problem = store_txn_problem(txn);
    if (good && problem != NULL) { good = err_set(err, ERR_SERVER, "Entries from %lld of the log on can't be applied: %s", (long long)items[0].n, problem); }
    if (!good) { store_write_abort(txn); return HA_REFUSED; }
    bool kept = store_apply_commit(txn, mark, &revision);
    if (!kept && !member->stuck) {
        problem = store_txn_problem(txn);
        log_line(LOG_ERROR, "ha", "entry %lld of the log can't be kept, and is tried again: %s", (long long)items[0].n, problem == NULL ? "the disk" : problem);
    }
    if (kept && member->stuck) { log_line(LOG_INFO, "ha", "the store takes entries again"); }
    if ((member->stuck = !kept)) { return HA_UNKNOWN; }
    member_note_revision(member, revision);
    member->config.applied(member->config.context, revision);
    return HA_DONE;
}

/* False: the member has stopped. */
bool member_check_place(struct member *member, const struct ha_head *head)
{
    struct err err = { 0 };
    int64_t revision = member_revision(member);
    if (head->last == 0 || (revision <= head->last && revision + 1 >= head->first)) { return true; }
    if (revision > head->last) {
        (void)err_set(&err, ERR_SERVER, "This server's store has commit %lld, and the log ends with %lld: the log was set back, or is another cluster's.",
                      (long long)revision, (long long)head->last);
    } else {
        (void)err_set(&err, ERR_SERVER, "This server's store ends with commit %lld, and the log begins with %lld: start again, and it begins from a copy.",
                      (long long)revision, (long long)head->first);
    }
    stop_for_good(member, &err);
    return false;
}

/* Reads and applies up to the head. HA_REFUSED: the member has stopped. */
enum ha_end member_follow_up_to(struct member *member, int64_t last)
{
    struct ha_engine *engine = member->config.engine;
    struct err err = { 0 };
    for (int64_t revision = member_revision(member); revision < last; revision = member_revision(member)) {
        struct ha_entry *items;
        size_t count = 0;
        arena_reset(&member->arena);
        enum ha_end end = engine->ops->read(engine, revision + 1, ENTRIES, ENTRY_BYTES, &items, &count, &member->arena, member_now(member) + CALL_MS);
        if (end != HA_DONE || count == 0) { return HA_UNKNOWN; }     /* none: trimmed meanwhile, the next head says so */
        end = apply(member, items, count, &err);
        if (end == HA_REFUSED) { stop_for_good(member, &err); }
        if (end != HA_DONE) { return end; }
    }
    return HA_DONE;
}

bool member_check_last(struct member *member, int64_t last, struct err *err)
{
    struct ha_engine *engine = member->config.engine;
    struct ha_entry *entries;
    struct str plain;
    uint8_t mark[STORE_MARK_SIZE], kept[STORE_MARK_SIZE];
    size_t count = 0;
    arena_reset(&member->arena);
    if (engine->ops->read(engine, last, 1, 1, &entries, &count, &member->arena, member_now(member) + CALL_MS) != HA_DONE || count == 0) { return true; }
    struct store_txn *txn = store_read_begin(member->store);
    store_mark(txn, kept);
    bool same = store_revision(txn) == last;
    if (!store_read_end(txn) || !same) { return true; }
    entry_mark(entries[0].bytes, mark);
    return entry_open(&member->key, last, entries[0].bytes, &plain, &member->arena, err) && (memcmp(mark, kept, sizeof mark) == 0 || differs_at(last, err));
}
