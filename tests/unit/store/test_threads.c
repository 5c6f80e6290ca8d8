/* Readers on other threads while the writer commits: each reader sees a whole world, and the thread sanitizer sees no race.
 * Every commit moves one task from one instance to the other, so together they always hold one task. */
#include "tests/unit/store/store_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

enum { COMMITS = 300, READERS = 3 };

struct reading { struct store *store; int64_t cluster; _Atomic bool *done; size_t looks, wrong; };

static void *read_on(void *context)
{
    struct reading *reading = context;
    struct arena arena;
    arena_init(&arena, 16 * 1024 * 1024);
    while (!atomic_load(reading->done) || reading->looks == 0) {
        struct store_txn *txn = store_read_begin(reading->store);
        const struct task *task = store_task(txn, id_number(1), &arena);
        struct cluster_counts counts = store_cluster_counts(txn, reading->cluster);
        struct instance_usage usage;
        store_instance_usage(txn, id_number(1000), &usage, &arena);
        bool whole = task != NULL && counts.live_tasks == 1 && (usage.cpu == 0 || usage.cpu == 256) && usage.ports.count <= 1;
        if (!store_read_end(txn) || !whole) { reading->wrong++; }
        reading->looks++;
        arena_reset(&arena);
    }
    arena_finish(&arena);
    return NULL;
}

static void put_on(struct store_txn *txn, int64_t cluster, uint32_t instance)
{
    struct opt_int port = opt_int_of(80);
    struct task task = make_task(1, cluster, id_number(instance));
    task.ports = (struct int_list){ &port, 1 };
    store_put_task(txn, &task);
}

int main(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    put_on(txn, cluster, 1000);
    fixture_commit("first", txn);

    _Atomic bool done = false;
    pthread_t threads[READERS];
    struct reading readings[READERS];
    for (size_t r = 0; r < READERS; r++) {
        readings[r] = (struct reading){ f.store, cluster, &done, 0, 0 };
        CHECK_EQ("a thread", pthread_create(&threads[r], NULL, read_on, &readings[r]), 0);
    }
    for (uint32_t c = 0; c < COMMITS; c++) {
        txn = store_write_begin(f.store);
        put_on(txn, cluster, 1000 + c % 2);
        int64_t revision;
        if (!store_write_commit(txn, &revision)) { CHECK("a commit", false); }
    }
    atomic_store(&done, true);
    for (size_t r = 0; r < READERS; r++) {
        CHECK_EQ("it ends", pthread_join(threads[r], NULL), 0);
        CHECK_EQ("never half a world", readings[r].wrong, 0);
        CHECK("it looked", readings[r].looks > 0);
    }
    fixture_check("after", &f);
    fixture_end(&f);
    return check_report();
}
