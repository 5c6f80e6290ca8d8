/* changes.c: the change feed, one entry per commit. A reader that follows the store finds here the nouns that each revision touched. The newest
 * entry is also the place of the revision's number, so it is never trimmed.
 *
 * An entry is a row of changes: kind (1 byte), cluster (4 bytes), and for instances and tasks the id (16 bytes). The feed
 * keeps its last REVISIONS_MAX revisions, or fewer when they are large (PAGES_MAX). A reader that missed
 * more reads all tables again. Each commit removes a few old entries, so no commit is slow because of it. */
#include "store/store_internal.h"

enum { REVISIONS_MAX = 100000, PAGES_MAX = 8192 /* of 4 KiB */, TRIM_STEP = 4, RECENT = 8, CHANGE_HEAD = 5 };

static bool has_id(enum change_kind kind) { return kind != CHANGE_CLUSTER && kind != CHANGE_TASKDEF; }

static bool is_kind(int kind) { return kind >= CHANGE_CLUSTER && kind <= CHANGE_SERVICE; }

/* Only the last few notes are searched for the same one: a record that is put twice is put twice within one job. */
void changes_note(struct store_txn *txn, enum change_kind kind, int64_t cluster, struct id id)
{
    ASSERT(txn->writing && is_kind((int)kind));
    ASSERT(cluster >= 0 && cluster <= UINT32_MAX);       /* an entry has 4 bytes for it */
    ASSERT(has_id(kind) == !id_is_zero(id));
    size_t first = txn->change_count > RECENT ? txn->change_count - RECENT : 0;
    for (size_t c = first; c < txn->change_count; c++) {
        const struct change_note *note = &txn->changes[c];
        if (note->kind == kind && note->cluster == cluster && id_eq(note->id, id)) { return; }
    }
    txn->changes = array_grow(txn->changes, &txn->change_capacity, txn->change_count + 1, sizeof *txn->changes);
    txn->changes[txn->change_count++] = (struct change_note){ kind, cluster, id };
}

/* The number of a service is in the first half of its id. */
void changes_note_service(struct store_txn *txn, int64_t cluster, int64_t service)
{
    struct id id = { { 0 } };
    ASSERT(service > 0);
    for (size_t b = 0; b < sizeof service; b++) { id.bytes[b] = (uint8_t)(service >> (8 * (sizeof service - 1 - b))); }
    changes_note(txn, CHANGE_SERVICE, cluster, id);
}

int64_t store_changed_service(const struct change *change)
{
    ASSERT(change->kind == CHANGE_SERVICE);
    uint64_t number = 0;
    for (size_t b = 0; b < sizeof number; b++) { number = number << 8 | change->id.bytes[b]; }
    return (int64_t)number;
}

static struct key change_key(int64_t revision)
{
    struct key key;
    bool made = key_make(&key, TABLE_CHANGES, &(struct key_parts){ .number = revision });
    ASSERT(made);
    return key;
}

int64_t changes_last_revision(struct store_txn *txn)
{
    struct key_parts parts = { 0 };
    struct walk walk = walk_begin(txn, TABLE_CHANGES);
    if (walk_step(&walk, MOVE_LAST) && !key_read(TABLE_CHANGES, walk.key, &parts)) { txn_damaged(txn); }
    walk_end(&walk);
    if (parts.number == INT64_MAX) { txn_damaged(txn); }     /* no revision could follow it */
    return txn_is_sound(txn) ? parts.number : 0;
}

static void trim(struct store_txn *txn)
{
    struct engine_size size;
    if (!txn_size_of(txn, TABLE_CHANGES, &size)) { return; }
    if (size.entries <= REVISIONS_MAX && size.pages <= PAGES_MAX) { return; }
    struct walk walk = walk_begin(txn, TABLE_CHANGES);
    for (size_t t = 0; t < TRIM_STEP && t + 1 < size.entries && walk_step(&walk, MOVE_FIRST); t++) {
        struct key_parts oldest;
        if (!key_read(TABLE_CHANGES, walk.key, &oldest)) {
            txn_damaged(txn);
            break;
        }
        struct key key = change_key(oldest.number);
        txn_delete(txn, TABLE_CHANGES, &key);
    }
    walk_end(&walk);
}

void changes_write(struct store_txn *txn, int64_t revision)
{
    ASSERT(revision > 0);
    struct key key = change_key(revision);
    arena_reset(&txn->scratch);
    struct buf row = buf_in(&txn->scratch);
    for (size_t c = 0; c < txn->change_count; c++) {
        const struct change_note *note = &txn->changes[c];
        buf_put_char(&row, (char)note->kind);
        for (int shift = 24; shift >= 0; shift -= 8) { buf_put_char(&row, (char)(note->cluster >> shift)); }
        if (has_id(note->kind)) { buf_put(&row, (struct str){ (const char *)note->id.bytes, sizeof note->id.bytes }); }
    }
    ASSERT(buf_str(&row).len >= txn->change_count * CHANGE_HEAD);
    txn_put(txn, TABLE_CHANGES, &key, buf_str(&row), PUT_LAST);
    trim(txn);
}

/* Takes the first change from a row. */
static bool take_change(struct str *row, struct change *change)
{
    if (row->len < CHANGE_HEAD || !is_kind(row->ptr[0])) { return false; }
    change->kind = (enum change_kind)row->ptr[0];
    change->cluster_number = 0;
    for (size_t b = 1; b < CHANGE_HEAD; b++) { change->cluster_number = change->cluster_number << 8 | (unsigned char)row->ptr[b]; }
    *row = str_slice(*row, CHANGE_HEAD, row->len);
    change->id = (struct id){ { 0 } };
    if (!has_id(change->kind)) { return true; }
    if (row->len < sizeof change->id.bytes) { return false; }
    memcpy(change->id.bytes, row->ptr, sizeof change->id.bytes);
    *row = str_slice(*row, sizeof change->id.bytes, row->len);
    return true;
}

bool changes_row_is_sound(struct str row)
{
    struct change change;
    while (row.len > 0) {
        if (!take_change(&row, &change)) { return false; }
    }
    return true;
}

/* Takes all changes of one row, or none when there is not enough room for all. */
static bool take_row(struct store_txn *txn, struct str row, int64_t revision, struct change *changes, size_t room, size_t *count)
{
    size_t taken = 0;
    while (row.len > 0) {
        struct change change = { .revision = revision };
        if (!take_change(&row, &change)) {
            txn_damaged(txn);
            return false;
        }
        if (taken == room) { return false; }
        changes[taken++] = change;
    }
    ASSERT(taken <= room);
    *count += taken;
    return true;
}

size_t store_changes(struct store_txn *txn, int64_t revision, struct change *changes, size_t limit, bool *complete)
{
    size_t count = 0;
    int64_t last = store_revision(txn);
    *complete = revision >= 0 && revision <= last;
    if (!*complete || revision == last) { return 0; }
    struct key key = change_key(revision + 1);
    struct walk walk = walk_begin(txn, TABLE_CHANGES);
    struct key_parts parts = { 0 };
    bool found = walk_to(&walk, key_str(&key)), fits = true;
    *complete = found && key_read(TABLE_CHANGES, walk.key, &parts) && parts.number == revision + 1;
    while (*complete && found && fits) {
        if (!key_read(TABLE_CHANGES, walk.key, &parts)) { txn_damaged(txn); }
        fits = take_row(txn, walk.value, parts.number, changes + count, limit - count, &count);
        found = fits && walk_step(&walk, MOVE_NEXT);
    }
    walk_end(&walk);
    ASSERT(count <= limit);
    if (!fits && count == 0) { *complete = false; }      /* one revision alone has more changes than `limit` */
    return txn_is_sound(txn) ? count : 0;
}
