/* Tasks and their indexes: lists with paging while things come and go, stopped tasks, dropping. */
#include "tests/unit/store/store_fixture.h"

static void test_round_trip(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct id last;
    struct store_txn *txn = store_write_begin(f.store);
    CHECK("there is no last one", !store_last_task(txn, &last));
    int64_t cluster = put_cluster(txn, STR("default"));
    struct task task = make_task(7, cluster, id_number(1));
    struct opt_int ports[] = { opt_int_of(80), opt_int_of(53 | PORT_UDP) };
    struct str gpus[] = { STR("GPU-1"), STR("GPU-2") };
    struct task_container containers[] = { { .index = 0, .status = TASK_PENDING, .gpu_ids = { gpus, 2 } } };
    task.ports = (struct int_list){ ports, 2 };
    task.containers = (struct task_container_list){ containers, 1 };
    task.started_by = STR("somebody");
    store_put_task(txn, &task);
    fixture_commit("one task", txn);

    txn = store_read_begin(f.store);
    const struct task *got = store_task(txn, task.id, &f.arena);
    CHECK("found", got != NULL);
    CHECK("it is the last", store_last_task(txn, &last) && id_eq(last, task.id));
    CHECK("another id is not", store_task(txn, id_number(8), &f.arena) == NULL);
    if (got != NULL) {
        CHECK("id", id_eq(got->id, task.id));
        CHECK("instance", id_eq(got->instance, id_number(1)));
        CHECK_STR("started by", got->started_by, STR("somebody"));
        CHECK_EQ("ports", got->ports.count, 2);
        CHECK_EQ("udp port", got->ports.items[1].value, 53 | PORT_UDP);
        CHECK_STR("gpu", got->containers.items[0].gpu_ids.items[1], STR("GPU-2"));
        CHECK_EQ("last", got->last_status, TASK_PENDING);
    }
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

static size_t list(struct store_fixture *f, int64_t cluster, enum task_index index, struct str text, enum task_status desired,
                   struct id after, struct id *ids, size_t limit)
{
    struct store_txn *txn = store_read_begin(f->store);
    size_t count = store_list_tasks(txn, cluster, index, text, desired, after, ids, limit);
    CHECK("list", store_read_end(txn));
    return count;
}

static void test_indexes(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t first = put_cluster(txn, STR("first")), second = put_cluster(txn, STR("second"));
    for (uint32_t t = 1; t <= 20; t++) {
        struct task task = make_task(t, t % 4 == 0 ? second : first, id_number(1000));
        if (t % 2 == 0) { task.family = STR("api"); }
        if (t % 5 == 0) { task.started_by = STR("cron"); }
        task.group = t % 10 == 0 ? STR("service:api") : t % 2 == 0 ? STR("family:api") : STR("family:web");
        if (t == 3) { task.desired_status = TASK_STOPPED; }
        store_put_task(txn, &task);
    }
    fixture_commit("twenty", txn);

    const struct {
        const char *name; int64_t cluster; enum task_index index; struct str text; enum task_status desired; size_t want;
    } rows[] = {
        { "all of the first",         first,  TASKS_BY_CLUSTER,    { NULL, 0 },             TASK_RUNNING, 14 },
        { "told to stop",             first,  TASKS_BY_CLUSTER,    { NULL, 0 },             TASK_STOPPED,  1 },
        { "all of the second",        second, TASKS_BY_CLUSTER,    { NULL, 0 },             TASK_RUNNING,  5 },
        { "no such cluster",          99,     TASKS_BY_CLUSTER,    { NULL, 0 },             TASK_RUNNING,  0 },
        { "family web",               first,  TASKS_BY_FAMILY,     STR_INIT("web"),         TASK_RUNNING,  9 },
        { "family api",               first,  TASKS_BY_FAMILY,     STR_INIT("api"),         TASK_RUNNING,  5 },
        { "no prefix of a family",    first,  TASKS_BY_FAMILY,     STR_INIT("ap"),          TASK_RUNNING,  0 },
        { "started by",               first,  TASKS_BY_STARTED_BY, STR_INIT("cron"),        TASK_RUNNING,  3 },
        { "started by nobody",        first,  TASKS_BY_STARTED_BY, STR_INIT("x"),           TASK_RUNNING,  0 },
        { "a service's group",        first,  TASKS_BY_GROUP,      STR_INIT("service:api"), TASK_RUNNING,  1 },
        { "own groups are not there", first,  TASKS_BY_GROUP,      STR_INIT("family:web"),  TASK_RUNNING,  0 },
        { "no such desired status",   first,  TASKS_BY_CLUSTER,    { NULL, 0 },             TASK_PENDING,  0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct id ids[32];
        size_t count = list(&f, rows[r].cluster, rows[r].index, rows[r].text, rows[r].desired, (struct id){ { 0 } }, ids, 32);
        CHECK_EQ(rows[r].name, count, rows[r].want);
        for (size_t i = 1; i < count; i++) { CHECK(rows[r].name, id_cmp(ids[i - 1], ids[i]) < 0); }
    }
    fixture_check("after", &f);
    fixture_end(&f);
}

/* A page begins behind an id, whether or not that id is still there, and newer tasks come at the end. */
static void test_paging_while_adding(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    for (uint32_t t = 1; t <= 10; t++) {
        struct task task = make_task(2 * t, cluster, id_number(1000));
        store_put_task(txn, &task);
    }
    fixture_commit("ten", txn);
    struct id page[4];
    CHECK_EQ("first page", list(&f, cluster, TASKS_BY_CLUSTER, STR(""), TASK_RUNNING, (struct id){ { 0 } }, page, 4), 4);
    CHECK("it ends with the fourth", id_eq(page[3], id_number(8)));

    txn = store_write_begin(f.store);
    store_drop_task(txn, id_number(8));
    struct task older = make_task(3, cluster, id_number(1000)), newer = make_task(99, cluster, id_number(1000));
    store_put_task(txn, &newer);
    store_put_task(txn, &older);
    fixture_commit("one gone, two more", txn);

    struct id rest[16];
    size_t count = list(&f, cluster, TASKS_BY_CLUSTER, STR(""), TASK_RUNNING, page[3], rest, 16);
    CHECK_EQ("the rest", count, 7);
    CHECK("begins behind the one that is gone", id_eq(rest[0], id_number(10)));
    CHECK("ends with the new one", id_eq(rest[6], id_number(99)));
    CHECK_EQ("behind the last", list(&f, cluster, TASKS_BY_CLUSTER, STR(""), TASK_RUNNING, rest[6], page, 4), 0);
    CHECK_EQ("a limit of none", list(&f, cluster, TASKS_BY_CLUSTER, STR(""), TASK_RUNNING, (struct id){ { 0 } }, page, 0), 0);
    fixture_check("after", &f);
    fixture_end(&f);
}

/* Ids are read by the page: from one alone to many pages, behind every one of them, and behind ids between them. */
static void test_every_place(void)
{
    enum { MOST = 700 };
    static const uint32_t sizes[] = { 1, 2, 3, 120, MOST };
    struct store_fixture f;
    fixture_begin(&f, 0);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        struct store_txn *txn = store_write_begin(f.store);
        char name[2] = { (char)('a' + s), '\0' };
        int64_t cluster = put_cluster(txn, str_from(name));
        uint32_t base = (uint32_t)s * 10 * MOST;
        for (uint32_t t = 1; t <= sizes[s]; t++) {
            struct task task = make_task(base + 2 * t, cluster, id_number(1000));
            store_put_task(txn, &task);
        }
        fixture_commit("filled", txn);
        txn = store_read_begin(f.store);
        for (uint32_t after = 0; after <= 2 * sizes[s] + 1; after++) {
            struct id ids[MOST], first = id_number(base + 2 * (after / 2 + 1)), last = id_number(base + 2 * sizes[s]);
            size_t want = sizes[s] - (after / 2 < sizes[s] ? after / 2 : sizes[s]), few = want < 3 ? want : 3;
            size_t count = store_list_tasks(txn, cluster, TASKS_BY_CLUSTER, STR(""), TASK_RUNNING, id_number(base + after), ids, MOST);
            CHECK_EQ("all behind it", count, want);
            CHECK("the next first, the last last", count == 0 || (id_eq(ids[0], first) && id_eq(ids[count - 1], last)));
            count = store_list_tasks(txn, cluster, TASKS_BY_CLUSTER, STR(""), TASK_RUNNING, id_number(base + after), ids, 3);
            CHECK("only a few", count == few && (count == 0 || id_eq(ids[0], first)));
        }
        CHECK("read", store_read_end(txn));
    }
    fixture_end(&f);
}

static void test_life_and_death(void)
{
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    for (uint32_t t = 1; t <= 6; t++) {
        struct task task = make_task(t, cluster, id_number(1000));
        store_put_task(txn, &task);
    }
    fixture_commit("six", txn);

    txn = store_write_begin(f.store);
    for (uint32_t t = 6; t >= 4; t--) {                            /* out of order, so not by appending */
        struct task task = make_task(t, cluster, id_number(1000));
        task_become(&task, TASK_STOPPED, 100 * t);
        store_put_task(txn, &task);
    }
    fixture_commit("three stop", txn);
    fixture_check("stopped", &f);

    txn = store_write_begin(f.store);
    struct id ids[8];
    CHECK_EQ("stopped before 400", store_list_stopped(txn, 400, ids, 8), 0);
    CHECK_EQ("stopped before 401", store_list_stopped(txn, 401, ids, 8), 1);
    CHECK_EQ("stopped before 1000", store_list_stopped(txn, 1000, ids, 8), 3);
    CHECK("the oldest first", id_eq(ids[0], id_number(4)));
    CHECK_EQ("no more than asked for", store_list_stopped(txn, 1000, ids, 2), 2);
    CHECK_EQ("running ones", store_list_tasks(txn, cluster, TASKS_BY_FAMILY, STR("web"), TASK_RUNNING, (struct id){ { 0 } }, ids, 8), 3);
    CHECK_EQ("stopped ones", store_list_tasks(txn, cluster, TASKS_BY_FAMILY, STR("web"), TASK_STOPPED, (struct id){ { 0 } }, ids, 8), 3);
    for (size_t t = 0; t < 3; t++) { store_drop_task(txn, ids[t]); }
    store_drop_task(txn, id_number(77));                           /* not there: nothing */
    fixture_commit("three go", txn);

    txn = store_read_begin(f.store);
    CHECK_EQ("none stopped", store_list_stopped(txn, 1000, ids, 8), 0);
    CHECK("gone", store_task(txn, id_number(4), &f.arena) == NULL);
    CHECK("still there", store_task(txn, id_number(3), &f.arena) != NULL);
    CHECK("read", store_read_end(txn));
    fixture_check("after", &f);
    fixture_end(&f);
}

/* Each member that an index has, alone, and back; and one that none has. Every entry follows, because the check compares all of them. */
static void test_change(void)
{
    static const struct { const char *name; enum task_index index; struct str text; enum task_status desired; struct task set; } rows[] = {
        { "family",     TASKS_BY_FAMILY,     STR_INIT("api"),         TASK_RUNNING, { .family = STR_INIT("api") } },
        { "started by", TASKS_BY_STARTED_BY, STR_INIT("cron"),        TASK_RUNNING, { .started_by = STR_INIT("cron") } },
        { "group",      TASKS_BY_GROUP,      STR_INIT("service:api"), TASK_RUNNING, { .group = STR_INIT("service:api") } },
        { "desired",    TASKS_BY_CLUSTER,    STR_INIT(""),            TASK_STOPPED, { .desired_status = TASK_STOPPED } },
        { "CPU",        TASKS_BY_FAMILY,     STR_INIT("web"),         TASK_RUNNING, { .cpu = 7 } },
    };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    struct task first = make_task(1, cluster, id_number(1000));
    store_put_task(txn, &first);
    fixture_commit("one", txn);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct id ids[2], none = { { 0 } };
        txn = store_write_begin(f.store);
        const struct task *before = store_task(txn, first.id, &f.arena);
        CHECK("found", before != NULL);
        struct task task = *before;
        if (rows[r].set.family.len > 0) { task.family = rows[r].set.family; }
        if (rows[r].set.started_by.len > 0) { task.started_by = rows[r].set.started_by; }
        if (rows[r].set.group.len > 0) { task.group = rows[r].set.group; }
        if (rows[r].set.desired_status != TASK_STATUS_UNSET) { task.desired_status = rows[r].set.desired_status; }
        if (rows[r].set.cpu != 0) { task.cpu = rows[r].set.cpu; }
        store_change_task(txn, before, &task);
        fixture_commit(rows[r].name, txn);
        CHECK_EQ(rows[r].name, list(&f, cluster, rows[r].index, rows[r].text, rows[r].desired, none, ids, 2), 1);
        fixture_check(rows[r].name, &f);
        txn = store_write_begin(f.store);
        store_change_task(txn, &task, &first);
        fixture_commit("and back", txn);
        fixture_check("and back", &f);
    }
    fixture_end(&f);
}

/* Forty to a millisecond, which is in the upper bytes of the number; odd ones only. */
static uint32_t spread_number(uint32_t nth) { return nth / 40 << 16 | (2 * nth + 1); }

/* A reading transaction looks near the last task, or begins again: neither may miss one, or take one for another. */
static void test_any_order(void)
{
    enum { TASKS = 2000 };
    static const struct { const char *name; uint32_t step; } rows[] = { { "forward", 1 }, { "backward", TASKS - 1 }, { "in pairs", 1001 }, { "to and fro", 739 } };
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    for (uint32_t t = 0; t < TASKS; t++) {
        struct task task = make_task(spread_number(t), cluster, id_number(1000));
        task.cpu = t;
        store_put_task(txn, &task);
    }
    fixture_commit("tasks", txn);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        txn = store_read_begin(f.store);
        uint32_t right = 0, strangers = 0;
        for (uint32_t t = 0, at = 0; t < TASKS; t++, at = (at + rows[r].step) % TASKS) {
            const struct task *task = store_task(txn, id_number(spread_number(at)), &f.arena);
            right += task != NULL && task->cpu == at;
            strangers += store_task(txn, id_number(spread_number(at) + 1), &f.arena) != NULL;
        }
        CHECK_EQ(rows[r].name, right, TASKS);
        CHECK_EQ("strangers", strangers, 0);
        CHECK("read", store_read_end(txn));
    }
    fixture_end(&f);
}

/* The place where a record was read last is a hint to the processor only: a record never read, written since or gone reads as ever. */
static void test_fetched_ahead(void)
{
    enum { TASKS = 300 };
    struct id ids[TASKS];
    struct store_fixture f;
    fixture_begin(&f, 0);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t cluster = put_cluster(txn, STR("default"));
    for (uint32_t t = 0; t < TASKS; t++) {
        struct task task = make_task(t, cluster, id_number(1000));
        ids[t] = task.id;
        store_put_task(txn, &task);
    }
    fixture_commit("tasks", txn);
    for (uint32_t round = 0; round < 4; round++) {               /* after each, one of four is gone and the others say its number */
        txn = store_read_begin(f.store);
        store_fetch_tasks(txn, ids, TASKS);
        uint32_t right = 0;
        for (uint32_t t = 0; t < TASKS; t++) {
            const struct task *task = store_task(txn, ids[t], &f.arena);
            right += t % 4 < round ? task == NULL : task != NULL && id_eq(task->id, ids[t]) && (round == 0 || task->cpu == round);
        }
        CHECK_EQ("read", right, TASKS);
        CHECK("read", store_read_end(txn));
        txn = store_write_begin(f.store);
        for (uint32_t t = 0; t < TASKS; t++) {
            if (t % 4 < round) { continue; }
            struct task task = *store_task(txn, ids[t], &f.arena);
            task.cpu = round + 1;
            if (t % 4 == round) { store_drop_task(txn, ids[t]); }
            else { store_put_task(txn, &task); }
        }
        fixture_commit("changed", txn);
    }
    fixture_end(&f);
}

int main(void)
{
    test_any_order();
    test_fetched_ahead();
    test_round_trip();
    test_indexes();
    test_paging_while_adding();
    test_every_place();
    test_life_and_death();
    test_change();
    return check_report();
}
