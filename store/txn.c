/* txn.c: the life of the store and of its transactions, and the only calls that read or write LMDB.
 *
 * Poison: the first failure of a transaction is kept as a text for a person; from then on reads find nothing and writes do
 * nothing, and the end of the transaction says so. */
#include "store/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { READERS_MAX = 4096, SPARE_MAX = 64 };
static const size_t map_size_usual = (size_t)64 << 30;   /* address space, not disk */
static const size_t map_size_least = (size_t)64 << 20;   /* below this a smaller map is no way out */

static const char restore_told[] = "Restore a copy: docs/scale.md, \"Keep a copy\".";

/* ---- failures ---- */

const char *problem_of(int code)
{
    switch (code) {
    case MDB_MAP_FULL:     return "the store's map is full";
    case ENOSPC:           return "no space left on device";
    case EIO:              return "the disk reports an error";
    case MDB_READERS_FULL: return "too many readers of the store at once";
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH: return "the store's file is damaged";
    case MDB_PANIC:        return "the disk failed in the middle of a commit";
    default:               return mdb_strerror(code);    /* LMDB's numbers are no enum */
    }
}

void txn_poison(struct store_txn *txn, const char *problem)
{
    if (!txn_is_sound(txn)) { return; }
    (void)snprintf(txn->problem, sizeof txn->problem, "%s", problem);
}

/* After these no transaction of this process can be trusted. */
static bool ends_all(int code) { return code == MDB_PANIC || code == MDB_CORRUPTED || code == MDB_PAGE_NOTFOUND; }

static bool txn_did(struct store_txn *txn, int code)
{
    if (code == MDB_SUCCESS) { return true; }
    if (ends_all(code)) { atomic_store(&txn->store->over, code); }
    txn_poison(txn, problem_of(code));
    return false;
}

bool store_is_over(struct store *store, struct err *err)
{
    const char *dir = "";
    int code = atomic_load(&store->over);
    if (code == 0) { return false; }
    (void)mdb_env_get_path(store->env, &dir);
    bool damaged = code != MDB_PANIC;
    (void)err_set(err, ERR_SERVER, "The store in %s can't go on: %s (%s). What was acknowledged is safe. %s", dir, problem_of(code), mdb_strerror(code),
                  damaged ? restore_told : "Start again once the disk is well.");
    return true;
}

/* ---- reading transactions that have ended ---- */

static struct store_txn *take_spare(struct store *store)
{
    lock_take(&store->spare_lock);
    struct store_txn *txn = store->spare;
    if (txn != NULL) {
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
    if (txn->at_task != NULL) { mdb_cursor_close(txn->at_task); }
    if (txn->mdb != NULL) { mdb_txn_abort(txn->mdb); }
    free(txn);
}

/* ---- life ---- */

static int open_env(MDB_env **env, const char *dir, size_t map_size, unsigned flags)
{
    int code = mdb_env_create(env);
    if (code != MDB_SUCCESS) { return code; }
    if ((code = mdb_env_set_maxdbs(*env, TABLE_COUNT)) == MDB_SUCCESS
        && (code = mdb_env_set_maxreaders(*env, READERS_MAX)) == MDB_SUCCESS
        && (code = mdb_env_set_mapsize(*env, map_size)) == MDB_SUCCESS
        && (code = mdb_env_open(*env, dir, flags, 0600)) == MDB_SUCCESS) {
        return code;
    }
    mdb_env_close(*env);
    *env = NULL;
    return code;
}

/* Where address space is short (containers, sanitizers; Valgrind calls it EINVAL), a smaller map is better than no store. */
static int open_env_that_fits(MDB_env **env, const struct store_config *config)
{
    size_t map_size = config->map_size == 0 ? map_size_usual : config->map_size;
    unsigned flags = MDB_NOTLS | (config->sync ? 0u : (unsigned)MDB_NOSYNC);
    int code = open_env(env, config->dir, map_size, flags);
    while ((code == ENOMEM || code == EINVAL) && map_size / 2 >= map_size_least) {
        map_size /= 2;
        code = open_env(env, config->dir, map_size, flags);
    }
    return code;
}

/* A reader that was killed would pin its pages for ever: its place in the table is cleared. */
static int forget_dead_readers(struct store *store)
{
    int dead = 0;
    return mdb_reader_check(store->env, &dead);
}

void store_forget_dead_readers(struct store *store)
{
    int code = forget_dead_readers(store);
    if (code != MDB_SUCCESS) { log_line(LOG_WARN, "store", "readers that are gone can't be cleared: %s", problem_of(code)); }
}

static bool open_store(struct store *store, const struct store_config *config, struct err *err)
{
    if (mkdir(config->dir, 0700) != 0 && errno != EEXIST) {
        return err_set(err, ERR_SERVER, "The data directory %s can not be made: %s", config->dir, problem_of(errno));
    }
    if (!store_file_is_whole(config->dir)) {
        return err_set(err, ERR_SERVER, "The store in %s is damaged: its file is shorter than it says. %s", config->dir, restore_told);
    }
    int code = open_env_that_fits(&store->env, config);
    if (code == MDB_SUCCESS) { code = forget_dead_readers(store); }
    if (code != MDB_SUCCESS) {
        bool damaged = code == MDB_INVALID || code == MDB_VERSION_MISMATCH || ends_all(code);
        return err_set(err, ERR_SERVER, "The store in %s can not be opened: %s%s%s", config->dir, problem_of(code), damaged ? ". " : "",
                       damaged ? restore_told : "");
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
        const char *problem = store_txn_problem(txn), *dir = "";
        (void)mdb_env_get_path(store->env, &dir);
        (void)err_set(err, ERR_SERVER, "The store in %s can not be read: %s. %s", dir, problem == NULL ? "damaged" : problem, restore_told);
    }
    return store_read_end(txn) && read;
}

bool store_open(const struct store_config *config, struct store **store, struct err *err)
{
    struct store *opened = calloc(1, sizeof *opened);
    ASSERT(opened != NULL);
    arena_init(&opened->write.scratch, SCRATCH_MAX);
    lock_init(&opened->spare_lock);
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
    lock_finish(&store->spare_lock);
    if (store->env != NULL) { mdb_env_close(store->env); }
    free(store);
}

/* ---- transactions ---- */

/* A spare one holds its place among LMDB's readers, but no pages: to renew it takes no memory and no lock of LMDB's. */
struct store_txn *store_read_begin(struct store *store)
{
    struct store_txn *txn = take_spare(store);
    bool is_new = txn == NULL;
    if (is_new) {
        txn = calloc(1, sizeof *txn);
        ASSERT(txn != NULL);
        txn->store = store;
    }
    txn->revision = -1;
    txn->touched = 0;
    txn->task_sought = false;
    (void)txn_did(txn, is_new ? mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn->mdb) : mdb_txn_renew(txn->mdb));
    return txn;
}

bool store_read_end(struct store_txn *txn)
{
    ASSERT(!txn->writing);
    bool sound = txn_is_sound(txn);
    if (sound) { mdb_txn_reset(txn->mdb); }
    if (!sound || !keep_spare(txn->store, txn)) { read_forget(txn); }
    return sound;
}

struct store_txn *store_write_begin(struct store *store)
{
    ASSERT(!store->write_open);
    store->write_open = true;
    struct store_txn *txn = &store->write;
    txn->store = store;
    txn->mdb = NULL;
    txn->writing = true;
    txn->problem[0] = '\0';
    txn->writes = txn->writes_at_job = txn->touched = 0;
    txn->in_job = false;
    txn->revision = -1;
    txn->newest_task_known = false;
    txn->newest_history_known = false;
    txn->change_count = 0;
    (void)txn_did(txn, mdb_txn_begin(store->env, NULL, 0, &txn->mdb));
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
    return txn_is_sound(txn);
}

static void write_close(struct store_txn *txn)
{
    live_notes_clear(&txn->notes);
    task_index_forget(txn->store);
    arena_reset(&txn->scratch);
    txn->mdb = NULL;
    txn->store->write_open = false;
}

void store_write_abort(struct store_txn *txn)
{
    ASSERT(txn->writing);
    if (txn->mdb != NULL) { mdb_txn_abort(txn->mdb); }
    write_close(txn);
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
    if (txn_is_sound(txn)) {
        int code = mdb_txn_commit(txn->mdb);
        txn->mdb = NULL;                                 /* gone, whether it worked or not */
        (void)txn_did(txn, code);
    }
    if (!txn_is_sound(txn)) {
        log_line(LOG_ERROR, "store", "a commit of %llu writes was refused: %s", (unsigned long long)txn->writes, txn->problem);
        store_write_abort(txn);
        return false;
    }
    *revision += 1;
    live_notes_apply(txn->store->live, &txn->notes, *revision);
    write_close(txn);
    return true;
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

static MDB_val val_of(struct str bytes)
{
    const void *ptr = bytes.ptr;
    MDB_val val = { .mv_size = bytes.len };
    memcpy(&val.mv_data, &ptr, sizeof ptr);              /* LMDB's type lacks the const that its calls keep */
    return val;
}

static struct str str_of(MDB_val val) { return (struct str){ val.mv_data, val.mv_size }; }

/* Whoever looks at the index of tasks, or changes it, finds there what was put before. */
static void settle(struct store_txn *txn, enum table table)
{
    if (txn->writing && table == TABLE_TASK_INDEX) { task_index_settle(txn); }
}

/* Tasks are asked for many at a time, often neighbours: those of one call have the millisecond in common, an id's first bytes. For these
 * a cursor looks at the page where it stands before it begins at the root; for others that look is two more misses of the caches. */
static bool is_for_cursor(struct store_txn *txn, const struct key *key)
{
    bool begins = !txn->task_sought, near = memcmp(txn->last_sought, key->bytes, sizeof txn->last_sought) == 0;
    memcpy(txn->last_sought, key->bytes, sizeof txn->last_sought);
    return begins || near;
}

static int seek_task(struct store_txn *txn, MDB_val *key, MDB_val *value)
{
    if (!txn->task_sought) {
        int code = txn->at_task != NULL ? mdb_cursor_renew(txn->mdb, txn->at_task)
                                        : mdb_cursor_open(txn->mdb, txn->store->dbi[TABLE_TASKS], &txn->at_task);
        if (code != MDB_SUCCESS) { return code; }
        txn->task_sought = true;
    }
    return mdb_cursor_get(txn->at_task, key, value, MDB_SET);
}

bool txn_get(struct store_txn *txn, enum table table, const struct key *key, struct str *value)
{
    settle(txn, table);
    if (!txn_is_sound(txn)) { return false; }
    txn->touched++;
    MDB_val found_key = val_of(key_str(key)), found;
    bool seeks = table == TABLE_TASKS && !txn->writing && is_for_cursor(txn, key);
    int code = seeks ? seek_task(txn, &found_key, &found) : mdb_get(txn->mdb, txn->store->dbi[table], &found_key, &found);
    if (code == MDB_NOTFOUND || !txn_did(txn, code)) { return false; }
    *value = str_of(found);
    return true;
}

void txn_put(struct store_txn *txn, enum table table, const struct key *key, struct str value, unsigned flags)
{
    ASSERT(txn->writing);
    settle(txn, table);
    if (!txn_is_sound(txn)) { return; }
    txn->writes++;
    MDB_val put_key = val_of(key_str(key)), put = val_of(value);
    (void)txn_did(txn, mdb_put(txn->mdb, txn->store->dbi[table], &put_key, &put, flags));
}

/* What is to be deleted must be there: an index that lacks an entry is damage, not a wish come true. */
static void delete_entry(struct store_txn *txn, enum table table, const struct key *key, const struct str *value)
{
    ASSERT(txn->writing);
    if (!txn_is_sound(txn)) { return; }
    txn->writes++;
    MDB_val put_key = val_of(key_str(key)), put = { 0, NULL };
    if (value != NULL) { put = val_of(*value); }
    int code = mdb_del(txn->mdb, txn->store->dbi[table], &put_key, value == NULL ? NULL : &put);
    if (code == MDB_NOTFOUND) { txn_poison(txn, "the store's indexes are damaged: an entry is missing"); }
    else { (void)txn_did(txn, code); }
}

void txn_delete(struct store_txn *txn, enum table table, const struct key *key, const struct str *value)
{
    settle(txn, table);
    delete_entry(txn, table, key, value);
}

void txn_delete_id(struct store_txn *txn, enum table table, const struct key *key, struct id id)
{
    delete_entry(txn, table, key, &(struct str){ (const char *)id.bytes, sizeof id.bytes });
}

void txn_put_ids(struct store_txn *txn, enum table table, const struct key *key, const struct id *ids, size_t count, unsigned flags)
{
    ASSERT(txn->writing && count > 0);
    if (!txn_is_sound(txn)) { return; }
    txn->writes++;
    MDB_cursor *cursor = NULL;
    MDB_val put_key = val_of(key_str(key));
    MDB_val put[2] = { val_of((struct str){ (const char *)ids[0].bytes, sizeof ids[0].bytes }), { .mv_size = count } };
    if (!txn_did(txn, mdb_cursor_open(txn->mdb, txn->store->dbi[table], &cursor))) { return; }
    (void)txn_did(txn, mdb_cursor_put(cursor, &put_key, put, (unsigned)MDB_MULTIPLE | flags));
    mdb_cursor_close(cursor);
}

/* ---- walks ---- */

struct walk walk_begin(struct store_txn *txn, enum table table)
{
    struct walk walk = { .txn = txn, .table = table };
    settle(txn, table);
    if (txn_is_sound(txn)) { (void)txn_did(txn, mdb_cursor_open(txn->mdb, txn->store->dbi[table], &walk.cursor)); }
    return walk;
}

static bool walk_move(struct walk *walk, MDB_val *key, MDB_val *value, MDB_cursor_op op)
{
    if (!txn_is_sound(walk->txn)) { return false; }
    walk->txn->touched++;
    int code = mdb_cursor_get(walk->cursor, key, value, op);
    if (code == MDB_NOTFOUND || !txn_did(walk->txn, code)) { return false; }
    walk->key = str_of(*key);
    walk->value = str_of(*value);
    return true;
}

bool walk_to(struct walk *walk, struct str from)
{
    MDB_val key = val_of(from), value = { 0, NULL };
    return walk_move(walk, &key, &value, from.len == 0 ? MDB_FIRST : MDB_SET_RANGE);
}

bool walk_to_value(struct walk *walk, struct str key, struct str value_from)
{
    MDB_val at = val_of(key), value = val_of(value_from);
    return walk_move(walk, &at, &value, MDB_GET_BOTH_RANGE);
}

bool walk_step(struct walk *walk, MDB_cursor_op op)
{
    MDB_val key = { 0, NULL }, value = { 0, NULL };
    return walk_move(walk, &key, &value, op);
}

/* LMDB leaves the value as it was when the key has no other. */
bool walk_page(struct walk *walk, MDB_cursor_op op)
{
    MDB_val key = val_of(walk->key), value = val_of(walk->value);
    return walk_move(walk, &key, &value, op);
}

void walk_end(struct walk *walk)
{
    if (walk->cursor != NULL) { mdb_cursor_close(walk->cursor); }
    walk->cursor = NULL;
}
