/* pool_put.c: puts a pool into the store of a server that does not run: pool_put FOLDER NAME DESIRED. Its machines join cluster 1. */
#include <stdio.h>

#include "store/store.h"

int main(int argc, char **argv)
{
    struct store *store = NULL;
    struct err err = { 0 };
    struct arena arena;
    int64_t revision;
    if (argc != 4) { return 2; }
    const struct store_config config = { .dir = argv[1], .map_size = (size_t)64 << 30, .sync = true };
    if (!store_open(&config, &store, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    arena_init(&arena, 64 << 20);
    struct store_txn *txn = store_write_begin(store);
    store_job_begin(txn);
    const struct kept_pool *known = store_pool(txn, str_from(argv[2]), &arena);
    struct kept_pool pool = known != NULL ? *known : (struct kept_pool){ .name = str_from(argv[2]), .kind = POOL_GROUP, .max = 10, .cluster = 1 };
    bool read = str_to_i64(str_from(argv[3]), &pool.desired);
    store_put_pool(txn, &pool);
    bool good = read && store_job_end(txn, true) && store_write_commit(txn, &revision);
    arena_finish(&arena);
    store_close(store);
    return good ? 0 : 1;
}
