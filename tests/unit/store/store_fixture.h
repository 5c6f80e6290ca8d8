/* store_fixture.h: a store in a directory of its own under /tmp, gone at the end, and builders of valid nouns. */
#ifndef BERTH_TESTS_STORE_FIXTURE_H
#define BERTH_TESTS_STORE_FIXTURE_H

#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "store/store.h"
#include "tests/unit/check.h"

struct store_fixture { char dir[64]; struct store *store; struct arena arena; size_t map_size; };

static inline bool fixture_open(struct store_fixture *f)
{
    struct err err = { 0 };
    struct store_config config = { .dir = f->dir, .map_size = f->map_size, .sync = false };
    bool opened = store_open(&config, &f->store, &err);
    if (!opened) { fprintf(stderr, "the store does not open: %s\n", err.message); }
    return opened;
}

static inline void fixture_begin(struct store_fixture *f, size_t map_size)
{
    *f = (struct store_fixture){ .dir = "/tmp/berth-store-XXXXXX", .map_size = map_size };
    arena_init(&f->arena, 64 * 1024 * 1024);
    if (mkdtemp(f->dir) == NULL || !fixture_open(f)) { abort(); }
}

static inline bool fixture_reopen(struct store_fixture *f)
{
    store_close(f->store);
    f->store = NULL;
    return fixture_open(f);
}

static inline void fixture_remove_files(const struct store_fixture *f)
{
    static const char *const names[] = { "data.mdb", "lock.mdb" };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        char path[96];
        (void)snprintf(path, sizeof path, "%s/%s", f->dir, names[n]);
        (void)unlink(path);
    }
    (void)rmdir(f->dir);
}

static inline void fixture_end(struct store_fixture *f)
{
    store_close(f->store);
    arena_finish(&f->arena);
    fixture_remove_files(f);
}

static inline int64_t fixture_commit(const char *row, struct store_txn *txn)
{
    int64_t revision = -1;
    CHECK(row, store_write_commit(txn, &revision));
    return revision;
}

/* Every invariant that the store keeps by itself holds, as a reader sees it. */
static inline void fixture_check(const char *row, struct store_fixture *f)
{
    struct err err = { 0 };
    struct store_txn *txn = store_read_begin(f->store);
    CHECK(row, store_check_bare(txn, &err));
    if (err.code != ERR_NONE) { fprintf(stderr, "%s: %s\n", row, err.message); }
    CHECK(row, store_read_end(txn));
}

/* Ids that sort by number. */
static inline struct id id_number(uint32_t number)
{
    struct id id = { { 1 } };
    for (size_t b = 0; b < 4; b++) { id.bytes[7 - b] = (uint8_t)(number >> (8 * b)); }
    id.bytes[15] = (uint8_t)(number * 37u);
    return id;
}

static inline int64_t put_cluster(struct store_txn *txn, struct str name)
{
    struct cluster cluster = { .name = name, .status = CLUSTER_ACTIVE, .created_ms = 1 };
    store_put_cluster(txn, &cluster);
    return cluster.number;
}

static inline struct instance make_instance(uint32_t number, int64_t cluster)
{
    return (struct instance){ .id = id_number(number), .cluster_number = cluster, .status = INSTANCE_ACTIVE, .cpu = 4096,
                              .memory_mib = 8192 };
}

static inline struct task make_task(uint32_t number, int64_t cluster, struct id instance)
{
    return (struct task){
        .id = id_number(number), .cluster_number = cluster, .family = STR("web"), .revision = 1, .instance = instance,
        .last_status = TASK_PENDING, .desired_status = TASK_RUNNING, .group = STR("family:web"), .cpu = 256, .memory_mib = 512,
        .version = 1, .created_ms = 1000 + number,
    };
}

#endif
