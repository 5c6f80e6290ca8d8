/* txn.c: the life of the store and of its transactions, and the only calls that read or write by the engine.
 *
 * Poison: the first failure of a transaction is kept as a text for a person; from then on reads find nothing and writes do
 * nothing, and the end of the transaction says so. */
#include "store/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPARE_MAX = 64 };
static const size_t map_size_usual = (size_t)64 << 30;   /* address space, not disk */

static const char restore_told[] = "Restore a copy: docs/scale.md, \"Keep a copy\".";

/* ---- failures ---- */

void txn_poison(struct store_txn *txn, const char *problem)
{
    if (!txn_is_sound(txn)) { return; }
    (void)snprintf(txn->problem, sizeof txn->problem, "%s", problem);
    ASSERT(!txn_is_sound(txn));                          /* a problem has words */
}

void txn_damaged(struct store_txn *txn) { txn_poison(txn, engine_problem(ENGINE_DAMAGED)); }

static bool txn_did(struct store_txn *txn, int code)
{
    if (code == ENGINE_OK) { return true; }
    if (engine_ends_all(code)) { atomic_store(&txn->store->over, code); }
    txn_poison(txn, engine_problem(code));
    return false;
}

bool store_is_over(struct store *store, struct err *err)
{
    int code = atomic_load(&store->over);
    if (code == ENGINE_OK) { return false; }
    bool damaged = engine_is_damage(code);
    (void)err_set(err, damaged ? ERR_STORE_DAMAGED : ERR_SERVER, "The store in %s can't go on: %s (%s). What was acknowledged is safe. %s",
                  engine_dir(store->engine), engine_problem(code), engine_detail(code), damaged ? restore_told : "Start again once the disk is well.");
    return true;
}

/* ---- reading transactions that have ended ---- */

static struct store_txn *take_spare(struct store *store)
{
    lock_take(&store->spare_lock);
    struct store_txn *txn = store->spare;
    if (txn != NULL) {
        ASSERT(store->spare_count > 0);
        store->spare = txn->next_spare;
        store->spare_count--;
    }
    lock_drop(&store->spare_lock);
    return txn;
}

static bool keep_spare(struct store *store, struct store_txn *txn)
{
    lock_take(&store->spare_lock);
    bool keeps = store->spare_count < SPARE_MAX;
    if (keeps) {
        txn->next_spare = store->spare;
        store->spare = txn;
        store->spare_count++;
    }
    lock_drop(&store->spare_lock);
    return keeps;
}

static void read_forget(struct store_txn *txn)
{
    ASSERT(!txn->writing);
    engine_cursor_close(&txn->at_task);
    engine_abort(&txn->engine);
    free(txn);
}

/* ---- the sink: the writes of a transaction, kept until its commit ---- */

static void sink_init(struct sink *sink, const struct store_config *config)
{
    *sink = (struct sink){ .take = config->sink, .context = config->sink_context };
    arena_init(&sink->bytes, SIZE_MAX / 8);              /* its bound is the transaction's: the map's size */
}

static void sink_finish(struct sink *sink)
{
    free(sink->writes);
    arena_finish(&sink->bytes);
}

static void sink_forget(struct sink *sink)
{
    if (sink->count > 0) { arena_reset(&sink->bytes); }
    sink->count = 0;
}

/* `write` with `count` values of one size in place of one. The bytes are copied: the caller's end with the call. */
static void sink_keep(struct sink *sink, const struct store_write *write, size_t count)
{
    ASSERT(sink->take != NULL && count > 0 && write->value.len % count == 0);
    sink->writes = array_grow(sink->writes, &sink->capacity, sink->count + count, sizeof *sink->writes);
    struct str key = arena_str(&sink->bytes, write->key), values = arena_str(&sink->bytes, write->value);
    size_t size = values.len / count;
    for (size_t v = 0; v < count; v++) {
        struct str value = str_is_set(values) ? (struct str){ values.ptr + v * size, size } : values;
        sink->writes[sink->count++] = (struct store_write){ write->table, write->deletes, key, value };
    }
}

static const struct store_write mark_entry = { "meta", false, STR_INIT("sink.mark"), { NULL, 0 } };

void store_mark(struct store_txn *txn, uint8_t mark[STORE_MARK_SIZE])
{
    struct str kept;
    memset(mark, 0, STORE_MARK_SIZE);
    if (!txn_is_sound(txn)) { return; }
    int code = engine_get(&txn->engine, TABLE_META, mark_entry.key, &kept);
    if (code == ENGINE_NONE || !txn_did(txn, code)) { return; }
    if (kept.len == STORE_MARK_SIZE) { memcpy(mark, kept.ptr, STORE_MARK_SIZE); } else { txn_damaged(txn); }
}

/* Not by the sink: the mark depends on what the sink was given. */
static void put_mark(struct store_txn *txn, const uint8_t mark[STORE_MARK_SIZE])
{
    struct str kept = { (const char *)mark, STORE_MARK_SIZE };
    if (txn_is_sound(txn)) { (void)txn_did(txn, engine_put(&txn->engine, TABLE_META, mark_entry.key, kept, PUT_ANYWHERE)); }
}

static void offer_to_sink(struct store_txn *txn, int64_t revision)
{
    uint8_t mark[STORE_MARK_SIZE];
    const struct sink *sink = &txn->store->sink;
    if (sink->take == NULL || !txn_is_sound(txn)) { return; }
    ASSERT(sink->count > 0);                             /* a commit has at least its row in the change feed */
    store_mark(txn, mark);
    if (!sink->take(sink->context, revision, sink->writes, sink->count, mark)) { txn_poison(txn, "the commit was refused where its writes are sent"); }
    put_mark(txn, mark);
}

/* ---- life ---- */

int64_t store_bytes(const struct store *store) { return (int64_t)engine_pages(store->engine) * sysconf(_SC_PAGESIZE); }

bool store_copy(struct store *store, int fd, struct err *err)
{
    int code = engine_copy(store->engine, fd);
    return code == ENGINE_OK || err_set(err, ERR_SERVER, "The store can't be copied: %s", engine_problem(code));
}

void store_forget_dead_readers(struct store *store)
{
    int code = engine_clear_dead_readers(store->engine);
    if (code != ENGINE_OK) { log_line(LOG_WARN, "store", "readers that are gone can't be cleared: %s", engine_problem(code)); }
}

static bool open_store(struct store *store, const struct store_config *config, struct err *err)
{
    if (mkdir(config->dir, 0700) != 0 && errno != EEXIST) {
        return err_set(err, ERR_SERVER, "The data directory %s can not be made: %s", config->dir, engine_problem(errno));
    }
    if (!engine_file_is_whole(config->dir)) {
        return err_set(err, ERR_STORE_DAMAGED, "The store in %s is damaged: its file is shorter than it says. %s", config->dir, restore_told);
    }
    const struct engine_config engine = {
        .dir = config->dir, .map_size = config->map_size == 0 ? map_size_usual : config->map_size, .tables = TABLE_COUNT, .sync = config->sync,
    };
    int code = engine_open(&engine, &store->engine);
    if (code == ENGINE_OK) { code = engine_clear_dead_readers(store->engine); }
    if (code != ENGINE_OK) {
        bool damaged = engine_is_damage(code);
        return err_set(err, damaged ? ERR_STORE_DAMAGED : ERR_SERVER, "The store in %s can not be opened: %s%s%s", config->dir, engine_problem(code),
                       damaged ? ". " : "", damaged ? restore_told : "");
    }
    store->live = live_create();
    store->places = places_create();
    return migrate_open_tables(store, err) && (config->recall_later || store_recall(store, err));
}

bool store_recall(struct store *store, struct err *err)
{
    struct store_txn *txn = store_read_begin(store);
    bool read = live_rebuild(store->live, txn);
    if (!read) {
        const char *problem = store_txn_problem(txn);
        (void)err_set(err, ERR_STORE_DAMAGED, "The store in %s can not be read: %s. %s", engine_dir(store->engine), problem == NULL ? "damaged" : problem,
                      restore_told);
    }
    return store_read_end(txn) && read;
}

bool store_open(const struct store_config *config, struct store **store, struct err *err)
{
    struct store *opened = calloc(1, sizeof *opened);
    ASSERT(opened != NULL);
    arena_init(&opened->write.scratch, SCRATCH_MAX);
    lock_init(&opened->spare_lock);
    sink_init(&opened->sink, config);
    if (!open_store(opened, config, err)) {
        store_close(opened);
        return false;
    }
    *store = opened;
    return true;
}

void store_close(struct store *store)
{
    if (store == NULL) { return; }
    ASSERT(!store->write_open);
    arena_finish(&store->write.scratch);
    free(store->write.changes);
    live_notes_finish(&store->write.notes);
    task_index_finish(store);
    live_destroy(store->live);
    places_destroy(store->places);
    for (struct store_txn *spare; (spare = take_spare(store)) != NULL;) { read_forget(spare); }
    ASSERT(store->spare_count == 0);
    lock_finish(&store->spare_lock);
    sink_finish(&store->sink);
    engine_close(store->engine);
    free(store);
}

/* ---- transactions ---- */

/* A spare transaction keeps its place among the engine's readers, but no pages. It begins again without new memory and without a lock of the engine. */
struct store_txn *store_read_begin(struct store *store)
{
    struct store_txn *txn = take_spare(store);
    if (txn == NULL) {
        txn = calloc(1, sizeof *txn);
        ASSERT(txn != NULL);
        txn->store = store;
    }
    txn->revision = -1;
    txn->touched = 0;
    txn->task_sought = false;
    ASSERT(txn->store == store && !txn->writing && txn_is_sound(txn));
    (void)txn_did(txn, engine_read_begin(store->engine, &txn->engine));
    return txn;
}

bool store_read_end(struct store_txn *txn)
{
    ASSERT(!txn->writing);
    bool sound = txn_is_sound(txn);
    if (sound) { engine_read_end(&txn->engine); }
    if (!sound || !keep_spare(txn->store, txn)) { read_forget(txn); }
    return sound;
}

struct store_txn *store_write_begin(struct store *store)
{
    ASSERT(!store->write_open);
    store->write_open = true;
    struct store_txn *txn = &store->write;
    txn->store = store;
    txn->writing = true;
    txn->problem[0] = '\0';
    txn->writes = txn->writes_at_job = txn->touched = 0;
    txn->in_job = false;
    txn->revision = -1;
    txn->newest_task_known = false;
    txn->newest_history_known = false;
    txn->change_count = 0;
    ASSERT(txn->notes.task_count == 0 && store->index_queue.count == 0 && store->sink.count == 0);     /* write_close has emptied them */
    (void)txn_did(txn, engine_write_begin(store->engine, &txn->engine));
    return txn;
}

void store_job_begin(struct store_txn *txn)
{
    ASSERT(txn->writing);
    ASSERT(!txn->in_job);
    txn->in_job = true;
    txn->writes_at_job = txn->writes;
}

bool store_job_end(struct store_txn *txn, bool keep)
{
    ASSERT(txn->in_job);
    ASSERT(keep || txn->writes == txn->writes_at_job || !txn_is_sound(txn));   /* a job decides everything before its first write */
    txn->in_job = false;
    ASSERT(txn->writes >= txn->writes_at_job);
    return txn_is_sound(txn);
}

static void write_close(struct store_txn *txn)
{
    live_notes_clear(&txn->notes);
    task_index_forget(txn->store);
    sink_forget(&txn->store->sink);
    arena_reset(&txn->scratch);
    ASSERT(txn->engine.handle == NULL && txn->store->write_open);
    txn->store->write_open = false;
}

void store_write_abort(struct store_txn *txn)
{
    ASSERT(txn->writing);
    engine_abort(&txn->engine);
    write_close(txn);
}

static bool commit_as(struct store_txn *txn, int64_t revision)
{
    ASSERT(revision > 0);
    if (txn_is_sound(txn)) { (void)txn_did(txn, engine_commit(&txn->engine)); }
    if (!txn_is_sound(txn)) {
        log_line(LOG_ERROR, "store", "a commit of %llu writes was refused: %s", (unsigned long long)txn->writes, txn->problem);
        store_write_abort(txn);
        return false;
    }
    ASSERT(txn->engine.handle == NULL);
    live_notes_apply(txn->store->live, &txn->notes, revision);
    write_close(txn);
    return true;
}

bool store_write_commit(struct store_txn *txn, int64_t *revision)
{
    ASSERT(txn->writing);
    ASSERT(!txn->in_job);
    *revision = store_revision(txn);
    if (txn->writes == 0) {                              /* nothing to keep: no sync, no new revision */
        bool sound = txn_is_sound(txn);
        store_write_abort(txn);
        return sound;
    }
    task_index_settle(txn);
    changes_write(txn, *revision + 1);
    ASSERT(txn->store->index_queue.count == 0);          /* no entry waits any more */
    offer_to_sink(txn, *revision + 1);
    *revision += 1;
    return commit_as(txn, *revision);
}

/* store_apply has taken the revision from one commit to the next. */
bool store_apply_commit(struct store_txn *txn, const uint8_t mark[STORE_MARK_SIZE], int64_t *revision)
{
    ASSERT(txn->writing && !txn->in_job && txn->change_count == 0);
    *revision = txn->revision;
    put_mark(txn, mark);
    return commit_as(txn, *revision);
}

const char *store_txn_problem(const struct store_txn *txn)
{
    return txn_is_sound(txn) ? NULL : txn->problem;
}

int64_t store_revision(struct store_txn *txn)
{
    if (txn->revision < 0) { txn->revision = changes_last_revision(txn); }
    return txn->revision;
}

uint64_t store_touched(const struct store_txn *txn) { return txn->touched; }

/* ---- entries ---- */

/* Before the index of tasks is read, the entries that wait are put into it. */
static void settle(struct store_txn *txn, enum table table)
{
    if (txn->writing && table == TABLE_TASK_INDEX) { task_index_settle(txn); }
}

/* Many tasks are read at a time, and often they are neighbours: the tasks of one call have the same millisecond, the first bytes of their ids.
 * For neighbours a cursor is faster: it looks at its own page before it begins at the root. For others that look is two more misses of the caches. */
static bool is_for_cursor(struct store_txn *txn, const struct key *key)
{
    bool begins = !txn->task_sought, near = memcmp(txn->last_sought, key->bytes, sizeof txn->last_sought) == 0;
    memcpy(txn->last_sought, key->bytes, sizeof txn->last_sought);
    return begins || near;
}

static int seek_task(struct store_txn *txn, const struct key *key, struct str *value)
{
    if (!txn->task_sought) {
        int code = engine_cursor_open(&txn->engine, TABLE_TASKS, &txn->at_task);
        if (code != ENGINE_OK) { return code; }
        txn->task_sought = true;
    }
    return engine_cursor_get(&txn->at_task, key_str(key), value);
}

bool txn_get(struct store_txn *txn, enum table table, const struct key *key, struct str *value)
{
    settle(txn, table);
    if (!txn_is_sound(txn)) { return false; }
    txn->touched++;
    bool seeks = table == TABLE_TASKS && !txn->writing && is_for_cursor(txn, key);
    int code = seeks ? seek_task(txn, key, value) : engine_get(&txn->engine, table, key_str(key), value);
    return code != ENGINE_NONE && txn_did(txn, code);
}

/* Every write of a transaction comes here before it goes to the engine. False: it must not. `values`: `count` of one size, side by side. */
static bool may_write(struct store_txn *txn, enum table table, bool deletes, const struct key *key, struct str values, size_t count)
{
    ASSERT(txn->writing && txn->store->write_open);
    ASSERT(key->len > 0 && key->len <= KEY_MAX);
    if (!txn_is_sound(txn)) { return false; }
    txn->writes++;
    struct sink *sink = &txn->store->sink;
    if (sink->take != NULL) { sink_keep(sink, &(struct store_write){ layouts[table].name, deletes, key_str(key), values }, count); }
    return true;
}

void txn_put(struct store_txn *txn, enum table table, const struct key *key, struct str value, enum engine_place place)
{
    ASSERT(!layouts[table].many);
    if (may_write(txn, table, false, key, value, 1)) { (void)txn_did(txn, engine_put(&txn->engine, table, key_str(key), value, place)); }
}

void txn_put_ids(struct store_txn *txn, enum table table, const struct key *key, const struct id *ids, size_t count, enum engine_place place)
{
    ASSERT(layouts[table].many && count > 0);
    struct str values = { (const char *)ids[0].bytes, count * sizeof *ids };
    if (may_write(txn, table, false, key, values, count)) { (void)txn_did(txn, engine_put_many(&txn->engine, table, key_str(key), values, count, place)); }
}

/* The entry must be there: an index that lacks an entry is damaged, and a deletion does not hide that. */
static void delete_entry(struct store_txn *txn, enum table table, const struct key *key, struct str value)
{
    ASSERT(layouts[table].many == str_is_set(value));
    if (!may_write(txn, table, true, key, value, 1)) { return; }
    int code = engine_delete(&txn->engine, table, key_str(key), value);
    if (code == ENGINE_NONE) { txn_poison(txn, "the store's indexes are damaged: an entry is missing"); }
    else { (void)txn_did(txn, code); }
}

void txn_delete(struct store_txn *txn, enum table table, const struct key *key) { delete_entry(txn, table, key, (struct str){ NULL, 0 }); }

void txn_delete_id(struct store_txn *txn, enum table table, const struct key *key, struct id id)
{
    delete_entry(txn, table, key, (struct str){ (const char *)id.bytes, sizeof id.bytes });
}

void txn_apply(struct store_txn *txn, enum table table, const struct store_write *write)
{
    ASSERT(txn->writing && txn->store->write_open);
    bool many = layouts[table].many;
    if (!txn_is_sound(txn)) { return; }
    txn->writes++;
    if (write->deletes) {
        int code = engine_delete(&txn->engine, table, write->key, write->value);
        if (code == ENGINE_NONE) { txn_poison(txn, "it differs from the store that it follows: an entry is missing"); } else { (void)txn_did(txn, code); }
    } else {
        (void)txn_did(txn, many ? engine_put_many(&txn->engine, table, write->key, write->value, 1, PUT_ANYWHERE)
                                : engine_put(&txn->engine, table, write->key, write->value, PUT_ANYWHERE));
    }
}

bool txn_size_of(struct store_txn *txn, enum table table, struct engine_size *size)
{
    *size = (struct engine_size){ 0 };
    return txn_is_sound(txn) && txn_did(txn, engine_size_of(&txn->engine, table, size));
}

/* ---- walks ---- */

struct walk walk_begin(struct store_txn *txn, enum table table)
{
    struct walk walk = { .txn = txn, .table = table };
    settle(txn, table);
    if (txn_is_sound(txn)) { (void)txn_did(txn, engine_cursor_open(&txn->engine, table, &walk.cursor)); }
    return walk;
}

bool walk_step(struct walk *walk, enum engine_move move)
{
    if (!txn_is_sound(walk->txn)) { return false; }
    walk->txn->touched++;
    int code = engine_cursor_move(&walk->cursor, move, &walk->key, &walk->value);
    return code != ENGINE_NONE && txn_did(walk->txn, code);
}

bool walk_to(struct walk *walk, struct str from)
{
    walk->key = from;
    return walk_step(walk, from.len == 0 ? MOVE_FIRST : MOVE_FROM_KEY);
}

bool walk_to_value(struct walk *walk, struct str key, struct str value_from)
{
    ASSERT(layouts[walk->table].many);
    walk->key = key;
    walk->value = value_from;
    return walk_step(walk, MOVE_FROM_VALUE);
}

void walk_end(struct walk *walk) { engine_cursor_close(&walk->cursor); }
