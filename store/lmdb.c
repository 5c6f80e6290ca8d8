/* lmdb.c: the engine of engine.h is LMDB. A handle is LMDB's own transaction or cursor, and a table's number leads to LMDB's handle of it. */
#include "store/engine.h"

#include <errno.h>
#include <lmdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READERS_MAX = 4096 };
static const size_t map_size_least = (size_t)64 << 20;   /* below this a smaller map is no way out */

struct engine { MDB_env *env; MDB_dbi dbi[ENGINE_TABLES_MAX]; };

/* ---- failures ---- */

static int code_of(int code) { return code == MDB_NOTFOUND ? ENGINE_NONE : code; }

const char *engine_problem(int code)
{
    switch (code) {
    case MDB_MAP_FULL:     return "the store's map is full";
    case ENOSPC:           return "no space left on device";
    case EIO:              return "the disk reports an error";
    case MDB_READERS_FULL: return "too many readers of the store at once";
    case ENGINE_DAMAGED:
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH: return "the store's file is damaged";
    case MDB_PANIC:        return "the disk failed in the middle of a commit";
    default:               return engine_detail(code);   /* LMDB's numbers are no enum */
    }
}

const char *engine_detail(int code)
{
    if (code == ENGINE_NONE) { return mdb_strerror(MDB_NOTFOUND); }
    return mdb_strerror(code == ENGINE_DAMAGED ? MDB_CORRUPTED : code);
}

bool engine_ends_all(int code) { return code == MDB_PANIC || code == MDB_CORRUPTED || code == MDB_PAGE_NOTFOUND; }

bool engine_is_damage(int code)
{
    return code == ENGINE_DAMAGED || code == MDB_CORRUPTED || code == MDB_PAGE_NOTFOUND || code == MDB_INVALID || code == MDB_VERSION_MISMATCH;
}

/* ---- the file ---- */

static int open_env(MDB_env **env, const struct engine_config *config, size_t map_size)
{
    unsigned flags = MDB_NOTLS | (config->sync ? 0u : (unsigned)MDB_NOSYNC);
    int code = mdb_env_create(env);
    if (code != MDB_SUCCESS) { return code; }
    if ((code = mdb_env_set_maxdbs(*env, (MDB_dbi)config->tables)) == MDB_SUCCESS
        && (code = mdb_env_set_maxreaders(*env, READERS_MAX)) == MDB_SUCCESS
        && (code = mdb_env_set_mapsize(*env, map_size)) == MDB_SUCCESS
        && (code = mdb_env_open(*env, config->dir, flags, 0600)) == MDB_SUCCESS) {
        return code;
    }
    mdb_env_close(*env);
    *env = NULL;
    return code;
}

/* Where address space is short (containers, sanitizers; Valgrind calls it EINVAL), a smaller map is better than no store. */
int engine_open(const struct engine_config *config, struct engine **engine)
{
    ASSERT(config->tables > 0 && config->tables <= ENGINE_TABLES_MAX);
    size_t map_size = config->map_size;
    struct engine *opened = calloc(1, sizeof *opened);
    ASSERT(opened != NULL);
    int code = open_env(&opened->env, config, map_size);
    while ((code == ENOMEM || code == EINVAL) && map_size / 2 >= map_size_least) {
        map_size /= 2;
        code = open_env(&opened->env, config, map_size);
    }
    if (code != MDB_SUCCESS) {
        free(opened);
        return code;
    }
    ASSERT(mdb_env_get_maxkeysize(opened->env) >= ENGINE_KEY_MAX);
    *engine = opened;
    return ENGINE_OK;
}

void engine_close(struct engine *engine)
{
    if (engine == NULL) { return; }
    mdb_env_close(engine->env);
    free(engine);
}

const char *engine_dir(const struct engine *engine)
{
    const char *dir = "";
    (void)mdb_env_get_path(engine->env, &dir);
    return dir;
}

size_t engine_pages(const struct engine *engine)
{
    MDB_envinfo info;
    return mdb_env_info(engine->env, &info) == MDB_SUCCESS ? info.me_last_pgno + 1 : 0;
}

int engine_copy(struct engine *engine, int fd) { return mdb_env_copyfd2(engine->env, fd, MDB_CP_COMPACT); }

int engine_clear_dead_readers(struct engine *engine)
{
    int dead = 0;
    return mdb_reader_check(engine->env, &dead);
}

/* ---- is the file whole? LMDB reads by memory: a page behind the end is no error then, but the end of the process. Pages at the end that
 * nobody uses were not always written, so a file that is too short is whole if all that it lacks is in LMDB's list of free pages. That list
 * may lie behind the end too: only a child process looks at it, which may die. ---- */

struct extent { size_t pages, missing; size_t txn; };    /* in the file; behind its end; of which commit */

static bool open_to_look(MDB_env **env, const char *dir)
{
    if (mdb_env_create(env) != MDB_SUCCESS) { return false; }
    if (mdb_env_open(*env, dir, MDB_RDONLY | MDB_NOLOCK, 0600) == MDB_SUCCESS) { return true; }
    mdb_env_close(*env);                                 /* engine_open will say why */
    return false;
}

/* The file is looked at last: a server that runs makes it longer before it says so. */
static bool measure(MDB_env *env, struct extent *extent)
{
    MDB_envinfo info;
    MDB_stat stat;
    mdb_filehandle_t fd;
    struct stat facts;
    bool told = mdb_env_info(env, &info) == MDB_SUCCESS && mdb_env_stat(env, &stat) == MDB_SUCCESS && mdb_env_get_fd(env, &fd) == MDB_SUCCESS
        && fstat(fd, &facts) == 0 && stat.ms_psize > 0;
    if (!told) { return false; }
    size_t pages = (size_t)facts.st_size / stat.ms_psize, said = info.me_last_pgno + 1;
    *extent = (struct extent){ pages, said > pages ? said - pages : 0, info.me_last_txnid };
    return true;
}

/* LMDB's own table: each value is a number and that number of pages. Each page is there once. */
static size_t count_free_behind(MDB_txn *txn, size_t end)
{
    enum { FREE_LIST = 0 };
    MDB_cursor *cursor;
    MDB_val key, value;
    size_t count = 0;
    if (mdb_cursor_open(txn, FREE_LIST, &cursor) != MDB_SUCCESS) { return 0; }
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS) {
        size_t numbers = value.mv_size / sizeof(size_t);
        for (size_t n = 1; n < numbers; n++) {
            size_t page;
            memcpy(&page, (const char *)value.mv_data + n * sizeof page, sizeof page);
            count += page >= end;
        }
    }
    mdb_cursor_close(cursor);
    return count;
}

static bool only_free_is_missing(const char *dir)
{
    MDB_env *env;
    MDB_txn *txn;
    struct extent extent;
    if (!open_to_look(&env, dir)) { return false; }
    bool good = measure(env, &extent) && mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) == MDB_SUCCESS
        && count_free_behind(txn, extent.pages) >= extent.missing;
    return good;                                         /* the process ends now */
}

static bool child_agrees(const char *dir)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        (void)prctl(PR_SET_DUMPABLE, 0);                 /* it leaves no core file when it dies */
        (void)signal(SIGBUS, SIG_DFL);                   /* and prints nothing */
        (void)signal(SIGSEGV, SIG_DFL);
        _exit(only_free_is_missing(dir) ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool look(const char *dir, struct extent *extent)
{
    MDB_env *env;
    if (!open_to_look(&env, dir)) { return false; }
    bool measured = measure(env, extent);
    mdb_env_close(env);
    return measured;
}

bool engine_file_is_whole(const char *dir)
{
    struct extent before, after;
    if (!look(dir, &before) || before.missing == 0 || child_agrees(dir)) { return true; }
    return look(dir, &after) && after.txn != before.txn; /* a server that runs has written meanwhile: it knows its file */
}

/* ---- transactions ---- */

static int begin(struct engine *engine, struct engine_txn *txn, unsigned flags)
{
    MDB_txn *begun = NULL;
    int code = mdb_txn_begin(engine->env, NULL, flags, &begun);
    *txn = (struct engine_txn){ engine, code == MDB_SUCCESS ? begun : NULL };
    return code;
}

int engine_read_begin(struct engine *engine, struct engine_txn *txn)
{
    ASSERT(txn->handle == NULL || txn->engine == engine);
    return txn->handle == NULL ? begin(engine, txn, MDB_RDONLY) : mdb_txn_renew(txn->handle);
}

void engine_read_end(struct engine_txn *txn)
{
    ASSERT(txn->handle != NULL);
    mdb_txn_reset(txn->handle);
}

int engine_write_begin(struct engine *engine, struct engine_txn *txn)
{
    ASSERT(txn->handle == NULL);
    return begin(engine, txn, 0);
}

int engine_commit(struct engine_txn *txn)
{
    ASSERT(txn->handle != NULL);
    int code = mdb_txn_commit(txn->handle);
    txn->handle = NULL;
    return code;
}

void engine_abort(struct engine_txn *txn)
{
    if (txn->handle != NULL) { mdb_txn_abort(txn->handle); }
    txn->handle = NULL;
}

/* ---- tables ---- */

int engine_open_table(struct engine_txn *txn, size_t table, const char *name, bool many, bool make)
{
    ASSERT(table < ENGINE_TABLES_MAX);
    unsigned flags = (many ? (unsigned)(MDB_DUPSORT | MDB_DUPFIXED) : 0u) | (make ? (unsigned)MDB_CREATE : 0u);
    return code_of(mdb_dbi_open(txn->handle, name, flags, &txn->engine->dbi[table]));
}

/* A table's number was opened: LMDB's first two handles are its own. */
static MDB_dbi dbi_of(const struct engine_txn *txn, size_t table)
{
    enum { OWN_HANDLES = 2 };
    ASSERT(table < ENGINE_TABLES_MAX && txn->engine->dbi[table] >= OWN_HANDLES);
    return txn->engine->dbi[table];
}

int engine_size_of(const struct engine_txn *txn, size_t table, struct engine_size *size)
{
    MDB_stat stat;
    int code = mdb_stat(txn->handle, dbi_of(txn, table), &stat);
    *size = (struct engine_size){ 0 };
    if (code == MDB_SUCCESS) { *size = (struct engine_size){ stat.ms_entries, stat.ms_leaf_pages + stat.ms_overflow_pages }; }
    return code;
}

/* ---- entries ---- */

static MDB_val val_of(struct str bytes)
{
    const void *ptr = bytes.ptr;
    MDB_val val = { .mv_size = bytes.len };
    memcpy(&val.mv_data, &ptr, sizeof ptr);              /* LMDB's type lacks the const that its calls keep */
    return val;
}

static struct str str_of(MDB_val val) { return (struct str){ val.mv_data, val.mv_size }; }

int engine_get(const struct engine_txn *txn, size_t table, struct str key, struct str *value)
{
    MDB_val wanted = val_of(key), found;
    int code = mdb_get(txn->handle, dbi_of(txn, table), &wanted, &found);
    if (code == MDB_SUCCESS) { *value = str_of(found); }
    return code_of(code);
}

int engine_put(struct engine_txn *txn, size_t table, struct str key, struct str value, enum engine_place place)
{
    ASSERT(key.len > 0 && key.len <= ENGINE_KEY_MAX);
    MDB_val put_key = val_of(key), put = val_of(value);
    return mdb_put(txn->handle, dbi_of(txn, table), &put_key, &put, place == PUT_LAST ? MDB_APPEND : 0);
}

int engine_put_many(struct engine_txn *txn, size_t table, struct str key, struct str values, size_t count, enum engine_place place)
{
    ASSERT(key.len > 0 && key.len <= ENGINE_KEY_MAX);
    ASSERT(count > 0 && values.len % count == 0 && values.len / count <= ENGINE_KEY_MAX);
    MDB_cursor *cursor = NULL;
    MDB_val put_key = val_of(key);
    MDB_val put[2] = { val_of((struct str){ values.ptr, values.len / count }), { .mv_size = count } };
    int code = mdb_cursor_open(txn->handle, dbi_of(txn, table), &cursor);
    if (code != MDB_SUCCESS) { return code; }
    code = mdb_cursor_put(cursor, &put_key, put, (unsigned)MDB_MULTIPLE | (place == PUT_LAST ? (unsigned)MDB_APPENDDUP : 0u));
    mdb_cursor_close(cursor);
    return code;
}

int engine_delete(struct engine_txn *txn, size_t table, struct str key, struct str value)
{
    ASSERT(key.len > 0 && key.len <= ENGINE_KEY_MAX);
    MDB_val gone_key = val_of(key), gone = val_of(value);
    return code_of(mdb_del(txn->handle, dbi_of(txn, table), &gone_key, str_is_set(value) ? &gone : NULL));
}

/* ---- cursors ---- */

int engine_cursor_open(const struct engine_txn *txn, size_t table, struct engine_cursor *cursor)
{
    if (cursor->handle != NULL) { return mdb_cursor_renew(txn->handle, cursor->handle); }
    MDB_cursor *opened = NULL;
    int code = mdb_cursor_open(txn->handle, dbi_of(txn, table), &opened);
    cursor->handle = code == MDB_SUCCESS ? opened : NULL;
    return code;
}

int engine_cursor_move(struct engine_cursor *cursor, enum engine_move move, struct str *key, struct str *value)
{
    static const MDB_cursor_op ops[] = {
        [MOVE_FIRST] = MDB_FIRST, [MOVE_LAST] = MDB_LAST, [MOVE_NEXT] = MDB_NEXT, [MOVE_PREVIOUS] = MDB_PREV, [MOVE_NEXT_KEY] = MDB_NEXT_NODUP,
        [MOVE_NEXT_VALUE] = MDB_NEXT_DUP, [MOVE_FROM_KEY] = MDB_SET_RANGE, [MOVE_FROM_VALUE] = MDB_GET_BOTH_RANGE,
        [MOVE_PAGE] = MDB_GET_MULTIPLE, [MOVE_NEXT_PAGE] = MDB_NEXT_MULTIPLE,
    };
    ASSERT(cursor->handle != NULL && move < COUNT_OF(ops));
    MDB_val at = val_of(*key), found = { 0 };
    if (move >= MOVE_FROM_VALUE) { found = val_of(*value); }
    int code = mdb_cursor_get(cursor->handle, &at, &found, ops[move]);
    if (code != MDB_SUCCESS) { return code_of(code); }
    *key = str_of(at);
    *value = str_of(found);
    return ENGINE_OK;
}

int engine_cursor_get(struct engine_cursor *cursor, struct str key, struct str *value)
{
    ASSERT(cursor->handle != NULL);
    MDB_val wanted = val_of(key), found;
    int code = mdb_cursor_get(cursor->handle, &wanted, &found, MDB_SET);
    if (code == MDB_SUCCESS) { *value = str_of(found); }
    return code_of(code);
}

void engine_cursor_close(struct engine_cursor *cursor)
{
    if (cursor->handle != NULL) { mdb_cursor_close(cursor->handle); }
    cursor->handle = NULL;
}
