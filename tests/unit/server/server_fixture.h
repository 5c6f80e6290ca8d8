/* server_fixture.h: its own directory, a store in it with three access keys, and signed requests. */
#ifndef BERTH_TESTS_SERVER_FIXTURE_H
#define BERTH_TESTS_SERVER_FIXTURE_H

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/core/api.h"
#include "base/clock.h"
#include "base/sigv4.h"
#include "tests/unit/check.h"

enum { FIXTURE_ARENA_BYTES = 64 << 20, FIXTURE_MAP_BYTES = 64 << 20, FIXTURE_PATH_MAX = 256 };

#define ADMIN_ID     "AKIAADMIN00000000001"
#define AGENT_ID     "AKIAAGENT00000000001"
#define VIEWER_ID    "AKIAVIEWER0000000001"
#define REVOKED_ID   "AKIAREVOKED000000001"
#define BOUND_ID     "AKIABOUND00000000001"
#define KEY_SECRET   "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

static inline int fixture_remove_one(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
    (void)stat;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline void fixture_make_dir(char dir[FIXTURE_PATH_MAX])
{
    const char *parent = getenv("TMPDIR");
    snprintf(dir, FIXTURE_PATH_MAX, "%s/berth-server-XXXXXX", parent == NULL ? "/tmp" : parent);
    ASSERT(mkdtemp(dir) != NULL);
}

static inline void fixture_remove_dir(const char *dir)
{
    (void)nftw(dir, fixture_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void fixture_put_keys(struct store *store)
{
    static const struct access_key keys[] = {
        { .id = STR_INIT(ADMIN_ID), .secret = STR_INIT(KEY_SECRET), .user = STR_INIT("admin"), .role = ACCESS_ADMIN, .created_ms = 1, .revoked_ms = 0 },
        { .id = STR_INIT(AGENT_ID), .secret = STR_INIT(KEY_SECRET), .user = STR_INIT("node"), .role = ACCESS_AGENT, .created_ms = 1, .revoked_ms = 0 },
        { .id = STR_INIT(VIEWER_ID), .secret = STR_INIT(KEY_SECRET), .user = STR_INIT("vera"), .role = ACCESS_VIEWER, .created_ms = 1, .revoked_ms = 0 },
        { .id = STR_INIT(BOUND_ID), .secret = STR_INIT(KEY_SECRET), .role = ACCESS_AGENT, .binding = { STR_INIT("prod"), STR_INIT("gpu-1") } },
        { .id = STR_INIT(REVOKED_ID), .secret = STR_INIT(KEY_SECRET), .user = STR_INIT("rob"), .role = ACCESS_ADMIN, .created_ms = 1, .revoked_ms = 2 },
    };
    int64_t revision;
    struct store_txn *txn = store_write_begin(store);
    store_job_begin(txn);
    for (size_t k = 0; k < COUNT_OF(keys); k++) { store_put_access_key(txn, &keys[k]); }
    ASSERT(store_job_end(txn, true));
    ASSERT(store_write_commit(txn, &revision));
}

static inline struct store *fixture_open_store(const char *dir, size_t map_size)
{
    struct err err = { 0 };
    struct store *store = NULL;
    struct store_config config = { .dir = dir, .map_size = map_size, .sync = false };
    if (!store_open(&config, &store, &err)) {
        fprintf(stderr, "store: %s\n", err.message);
        abort();
    }
    return store;
}

static inline void fixture_check_store(struct store *store)
{
    struct err err = { 0 };
    struct store_txn *txn = store_read_begin(store);
    bool sound = store_check(txn, &err);
    CHECK("the store can be read at the end", store_read_end(txn));
    CHECK("the store holds its invariants", sound);
    if (!sound) { fprintf(stderr, "store: %s\n", err.message); }
}

#endif
