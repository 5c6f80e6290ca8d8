/* scan: the least that a restart can be: reads every entry of a store's tables once, and prints how many and how long.
 *
 *   scan DIRECTORY */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void checked(int code, const char *what)
{
    if (code == MDB_SUCCESS) { return; }
    fprintf(stderr, "scan: %s: %s\n", what, mdb_strerror(code));
    exit(1);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct totals { size_t entries, bytes; unsigned sum; };

static void scan_table(MDB_txn *txn, MDB_dbi dbi, struct totals *totals)
{
    MDB_cursor *cursor;
    MDB_val key, value;
    checked(mdb_cursor_open(txn, dbi, &cursor), "cursor");
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS) {
        const unsigned char *bytes = value.mv_data;
        totals->entries++;
        totals->bytes += key.mv_size + value.mv_size;
        for (size_t b = 0; b < value.mv_size; b++) { totals->sum += bytes[b]; }
    }
    mdb_cursor_close(cursor);
}

int main(int argc, char **argv)
{
    enum { TABLES_MAX = 64, NAME_SIZE = 64 };
    if (argc != 2) {
        fprintf(stderr, "usage: scan DIRECTORY\n");
        return 2;
    }
    double began = now_s();
    struct totals totals = { 0 };
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi names;
    MDB_cursor *cursor;
    MDB_val key, value;
    checked(mdb_env_create(&env), "create");
    checked(mdb_env_set_maxdbs(env, TABLES_MAX), "tables");
    checked(mdb_env_open(env, argv[1], MDB_RDONLY, 0600), "open");
    checked(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), "begin");
    checked(mdb_dbi_open(txn, NULL, 0, &names), "main table");
    checked(mdb_cursor_open(txn, names, &cursor), "cursor");
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS) {
        char name[NAME_SIZE];
        MDB_dbi table;
        if (key.mv_size >= sizeof name) { continue; }
        memcpy(name, key.mv_data, key.mv_size);
        name[key.mv_size] = '\0';
        if (mdb_dbi_open(txn, name, 0, &table) == MDB_SUCCESS) { scan_table(txn, table, &totals); }
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
    MDB_envinfo info;
    MDB_stat stat;
    checked(mdb_env_info(env, &info), "info");
    checked(mdb_env_stat(env, &stat), "stat");
    printf("{\"entries\":%zu,\"bytes\":%zu,\"used_bytes\":%zu,\"seconds\":%.3f,\"sum\":%u}\n", totals.entries, totals.bytes,
           (info.me_last_pgno + 1) * stat.ms_psize, now_s() - began, totals.sum);
    mdb_env_close(env);
    return 0;
}
