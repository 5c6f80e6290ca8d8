/* whole.c: is the store's file as long as it says? LMDB reads by memory: a page behind the end is no error then, but the end of the process. Pages at
 * the end that nobody uses were not always written, so that a file that is too short is whole if all that it lacks is in LMDB's list of free pages.
 * That list may lie behind the end too: only a child looks at it, which may die. */
#include "store/store_internal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct extent { size_t pages, missing; size_t txn; };    /* in the file; behind its end; of which commit */

static bool open_to_look(MDB_env **env, const char *dir)
{
    if (mdb_env_create(env) != MDB_SUCCESS) { return false; }
    if (mdb_env_open(*env, dir, MDB_RDONLY | MDB_NOLOCK, 0600) == MDB_SUCCESS) { return true; }
    mdb_env_close(*env);                                 /* the one who opens it for good will say why */
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

/* LMDB's own table: each value is a number and so many pages. Each page is there once. */
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
        (void)prctl(PR_SET_DUMPABLE, 0);                 /* no core file when it dies, and nobody's words */
        (void)signal(SIGBUS, SIG_DFL);
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

bool store_file_is_whole(const char *dir)
{
    struct extent before, after;
    if (!look(dir, &before) || before.missing == 0 || child_agrees(dir)) { return true; }
    return look(dir, &after) && after.txn != before.txn; /* a server that runs has written meanwhile: it knows its file */
}
