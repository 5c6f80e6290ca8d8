/* The check finds each kind of damage. Every row makes a sound store, breaks one thing in it, and expects the words. */
#include "tests/unit/store/store_fixture.h"

#include "store/store_internal.h"

typedef void break_it(struct store_txn *txn);

static void drop_index_entry(struct store_txn *txn)
{
    struct key key;
    struct id id = id_number(2);
    struct str value = { (const char *)id.bytes, sizeof id.bytes };
    struct task task = make_task(2, 1, id_number(1));
    if (task_index_key(&key, &task, TASKS_BY_FAMILY)) { txn_delete(txn, TABLE_TASK_INDEX, &key, &value); }
}

static void add_index_entry(struct store_txn *txn)
{
    struct key key;
    struct id id = id_number(77);
    struct task task = make_task(77, 1, id_number(1));
    if (task_index_key(&key, &task, TASKS_BY_CLUSTER)) {
        txn_put(txn, TABLE_TASK_INDEX, &key, (struct str){ (const char *)id.bytes, sizeof id.bytes }, 0);
    }
}

static void drop_record(struct store_txn *txn)
{
    struct key key = task_key(id_number(2));
    txn_delete(txn, TABLE_TASKS, &key, NULL);
}

static void change_behind_memory(struct store_txn *txn)
{
    struct task task = make_task(2, 1, id_number(1));
    struct key key = task_key(task.id);
    task.cpu++;
    record_put(txn, TABLE_TASKS, &key, &task_record, &task, 0);
}

static void hold_behind_memory(struct store_txn *txn)
{
    struct task task = make_task(2, 1, id_number(1));
    struct opt_int port = opt_int_of(80);
    struct key key = task_key(task.id);
    task.ports = (struct int_list){ &port, 1 };
    record_put(txn, TABLE_TASKS, &key, &task_record, &task, 0);
}

static void spoil_record(struct store_txn *txn)
{
    struct key key = task_key(id_number(2));
    txn_put(txn, TABLE_TASKS, &key, STR("\001\377\377"), 0);
}

static void hold_port_twice(struct store_txn *txn)
{
    struct opt_int port = opt_int_of(80);
    for (uint32_t t = 20; t < 22; t++) {
        struct task task = make_task(t, 1, id_number(1));
        task.ports = (struct int_list){ &port, 1 };
        store_put_task(txn, &task);
    }
}

static void hold_gpu_twice(struct store_txn *txn)
{
    struct str gpu = STR("GPU-1");
    struct task_container container = { .status = TASK_PENDING, .gpu_ids = { &gpu, 1 } };
    for (uint32_t t = 20; t < 22; t++) {
        struct task task = make_task(t, 1, id_number(1));
        task.containers = (struct task_container_list){ &container, 1 };
        store_put_task(txn, &task);
    }
}

static void hold_shares(struct store_txn *txn, int64_t first, int64_t second)
{
    struct str gpu = STR("GPU-1");
    const int64_t shares[] = { first, second };
    for (uint32_t t = 0; t < 2; t++) {
        struct task_container container = { .status = TASK_PENDING, .gpu_ids = { &gpu, 1 }, .gpu_share = shares[t] };
        struct task task = make_task(20 + t, 1, id_number(1));
        task.containers = (struct task_container_list){ &container, 1 };
        store_put_task(txn, &task);
    }
}
static void hold_halves(struct store_txn *txn) { hold_shares(txn, 500, 500); }
static void hold_too_much(struct store_txn *txn) { hold_shares(txn, 500, 501); }
static void hold_less_than_nothing(struct store_txn *txn) { hold_shares(txn, -1, 1); }
static void hold_whole_and_share(struct store_txn *txn) { hold_shares(txn, 0, 1); }

static void lose_counter(struct store_txn *txn)
{
    struct key key;
    if (key_make(&key, TABLE_FAMILIES, &(struct key_parts){ .text = STR("web") })) { txn_delete(txn, TABLE_FAMILIES, &key, NULL); }
}

static void leave_cluster(struct store_txn *txn)
{
    struct task task = make_task(30, 9, id_number(1));
    store_put_task(txn, &task);
}

static void forget_stopping(struct store_txn *txn)
{
    struct task task = make_task(30, 1, id_number(1));
    task.last_status = TASK_STOPPED;
    task.stopped_ms = 5;
    store_put_task(txn, &task);
}

static void touch_nothing(struct store_txn *txn) { (void)txn; }

int main(void)
{
    static const struct { const char *name; break_it *breaks; const char *words; } rows[] = {
        { "sound",                                  touch_nothing,        NULL },
        { "an index entry is missing",              drop_index_entry,     "an index entry is missing" },
        { "an index entry too many",                add_index_entry,      "index entries without a record" },
        { "a record is missing",                    drop_record,          "without a record" },
        { "memory says something else",             change_behind_memory, "memory and record differ" },
        { "memory knows nothing of a port",         hold_behind_memory,   "memory and record differ" },
        { "a record can not be read",               spoil_record,         "can not be read" },
        { "a port given twice",                     hold_port_twice,      "two live tasks hold one port" },
        { "a GPU given twice",                      hold_gpu_twice,       "a GPU is held more than once over" },
        { "a GPU shared",                           hold_halves,          NULL },
        { "more than a GPU shared",                 hold_too_much,        "a GPU is held more than once over" },
        { "a share below nothing",                  hold_less_than_nothing, "can not be read" },
        { "a GPU whole and shared",                 hold_whole_and_share, "a GPU is held more than once over" },
        { "a counter behind its family",            lose_counter,         "counter is behind" },
        { "a task in no cluster",                   leave_cluster,        "no such cluster" },
        { "a stopped task that wants to run",       forget_stopping,      "wants to run" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_fixture f;
        fixture_begin(&f, 0);
        struct store_txn *txn = store_write_begin(f.store);
        int64_t cluster = put_cluster(txn, STR("default"));
        struct instance instance = make_instance(1, cluster);
        struct taskdef taskdef = { .def = { .family = STR("web"), .revision = opt_int_of(1), .status = TASK_DEFINITION_STATUS_ACTIVE } };
        store_put_instance(txn, &instance);
        store_put_taskdef(txn, &taskdef);
        for (uint32_t t = 2; t < 5; t++) {
            struct task task = make_task(t, cluster, instance.id);
            store_put_task(txn, &task);
        }
        rows[r].breaks(txn);
        fixture_commit(rows[r].name, txn);

        struct err err = { 0 };
        txn = store_read_begin(f.store);
        CHECK_EQ(rows[r].name, store_check(txn, &err), rows[r].words == NULL);
        bool said = rows[r].words == NULL || strstr(err.message, rows[r].words) != NULL;
        CHECK(rows[r].name, said);
        if (!said) { fprintf(stderr, "it said: %s\n", err.message); }
        (void)!store_read_end(txn);                                /* damage poisons the reader, which is fine here */
        fixture_end(&f);
    }
    return check_report();
}
