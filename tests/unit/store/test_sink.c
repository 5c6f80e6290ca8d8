/* The writes of each commit, as the sink is given them: put into an empty store in their order they make the same tables, entry by entry.
 * Random runs of everything that writes, with jobs that are refused, transactions that are aborted or fail, and restarts between. */
#include "store/store_internal.h"
#include "tests/unit/store/store_fixture.h"

#include "base/rng.h"

enum { ROUNDS = 600, TASKS = 400, INSTANCES = 12 };

/* ---- the other store, which follows the sink ---- */

struct copy {
    struct store_fixture f;
    int64_t revision;                        /* of the last commit */
    size_t commits, writes;
    bool refuses;
};

static void copy_begin(struct copy *copy)
{
    *copy = (struct copy){ .revision = 0 };
    fixture_begin(&copy->f, 0);
}

static void copy_end(struct copy *copy) { fixture_end(&copy->f); }

/* The mark: how many commits there were, and what the store gave as the mark before. */
static bool take(void *context, int64_t revision, const struct store_write *writes, size_t count, uint8_t mark[STORE_MARK_SIZE])
{
    struct copy *copy = context;
    int64_t kept;
    if (copy->refuses) { return false; }
    CHECK("one revision after the other", revision == copy->revision + 1 && count > 0);
    CHECK_EQ("the mark of the commit before", mark[0] | mark[1] << 8, (int)copy->commits);
    copy->revision = revision;
    copy->commits++;
    copy->writes += count;
    mark[0] = (uint8_t)copy->commits;
    mark[1] = (uint8_t)(copy->commits >> 8);
    struct store_txn *txn = store_write_begin(copy->f.store);
    if (revision > 1) { store_apply(txn, revision, writes, count); } else { txn->revision = 1; }      /* the format is in every new store */
    CHECK("applied and kept", store_apply_commit(txn, mark, &kept) && kept == revision);
    return true;
}

/* How many entries differ, or are on one side only. */
static size_t differences(const struct engine_txn *left, const struct engine_txn *right, size_t table)
{
    struct engine_cursor a = { NULL }, b = { NULL };
    struct str a_key = { 0 }, a_value = { 0 }, b_key = { 0 }, b_value = { 0 };
    size_t wrong = 0;
    CHECK("cursors", engine_cursor_open(left, table, &a) == ENGINE_OK && engine_cursor_open(right, table, &b) == ENGINE_OK);
    for (;;) {
        int a_code = engine_cursor_move(&a, MOVE_NEXT, &a_key, &a_value), b_code = engine_cursor_move(&b, MOVE_NEXT, &b_key, &b_value);
        if (a_code != ENGINE_OK || b_code != ENGINE_OK) {
            wrong += a_code != b_code;
            break;
        }
        wrong += !str_eq(a_key, b_key) || !str_eq(a_value, b_value);
    }
    engine_cursor_close(&a);
    engine_cursor_close(&b);
    return wrong;
}

static void check_equal(const char *row, struct store_fixture *f, struct copy *copy)
{
    struct engine_txn store = { NULL, NULL }, other = { NULL, NULL };
    CHECK(row, engine_read_begin(f->store->engine, &store) == ENGINE_OK && engine_read_begin(copy->f.store->engine, &other) == ENGINE_OK);
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        size_t wrong = differences(&store, &other, t);
        CHECK_EQ(row, wrong, 0);
        if (wrong > 0) { fprintf(stderr, "%s: table %s differs\n", row, layouts[t].name); }
    }
    engine_abort(&store);
    engine_abort(&other);
}

/* The memory that followed is the memory that a restart would make. */
static void check_memory(const char *row, struct copy *copy)
{
    struct id differs;
    struct store_txn *txn = store_read_begin(copy->f.store);
    CHECK(row, live_agrees(txn, &differs));
    CHECK(row, store_read_end(txn));
}

static void open_with_sink(struct store_fixture *f, struct copy *copy)
{
    struct err err = { 0 };
    struct store_config config = { .dir = f->dir, .map_size = f->map_size, .sink = take, .sink_context = copy };
    if (!store_open(&config, &f->store, &err)) { abort(); }
}

static void begin(struct store_fixture *f, struct copy *copy, size_t map_size)
{
    *f = (struct store_fixture){ .dir = "/tmp/berth-store-XXXXXX", .map_size = map_size };
    arena_init(&f->arena, 64 * 1024 * 1024);
    copy_begin(copy);
    if (mkdtemp(f->dir) == NULL) { abort(); }
    open_with_sink(f, copy);
    CHECK("the first commit, of the format, is given too", copy->revision == 1 && copy->commits == 1);
    check_equal("a new store", f, copy);
}

static void end(struct store_fixture *f, struct copy *copy)
{
    fixture_end(f);
    copy_end(copy);
}

/* ---- everything that writes ---- */

struct run { struct store_fixture f; struct copy copy; struct rng rng; int64_t clusters[3], now; uint32_t next_task; };

static uint32_t below(struct run *run, uint32_t bound) { return (uint32_t)rng_below(&run->rng, bound); }

static int64_t some_cluster(struct run *run) { return run->clusters[below(run, COUNT_OF(run->clusters))]; }

static struct str some_name(struct run *run)
{
    static const struct str names[] = { STR_INIT("a"), STR_INIT("b"), STR_INIT("blue"), STR_INIT("green"), STR_INIT("web") };
    return names[below(run, COUNT_OF(names))];
}

typedef void op(struct run *run, struct store_txn *txn);

static void op_cluster(struct run *run, struct store_txn *txn)
{
    struct cluster cluster = { .name = some_name(run), .number = some_cluster(run), .status = CLUSTER_ACTIVE, .created_ms = run->now };
    if (below(run, 4) == 0) { cluster.number = 0; }
    store_put_cluster(txn, &cluster);
    struct cluster_number past = { cluster.number, cluster.name };
    if (cluster.number > 3 && below(run, 2) == 0) { store_drop_cluster(txn, past); }
}

static void op_taskdef(struct run *run, struct store_txn *txn)
{
    static const enum task_definition_status statuses[] = { TASK_DEFINITION_STATUS_ACTIVE, TASK_DEFINITION_STATUS_INACTIVE };
    struct taskdef taskdef = { .def = { .family = some_name(run), .revision = opt_int_of(1 + below(run, 5)), .status = statuses[below(run, 2)] } };
    if (below(run, 3) == 0) { store_drop_taskdef(txn, taskdef.def.family, taskdef.def.revision.value); } else { store_put_taskdef(txn, &taskdef); }
}

static void op_daemon_taskdef(struct run *run, struct store_txn *txn)
{
    static const enum daemon_task_definition_status statuses[] = { DAEMON_TASK_DEFINITION_STATUS_ACTIVE, DAEMON_TASK_DEFINITION_STATUS_DELETED };
    struct daemon_taskdef taskdef = { .def = { .family = some_name(run), .revision = opt_int_of(1 + below(run, 5)), .status = statuses[below(run, 2)] } };
    if (below(run, 3) == 0) {
        store_drop_daemon_taskdef(txn, taskdef.def.family, taskdef.def.revision.value);
    } else {
        store_put_daemon_taskdef(txn, &taskdef);
    }
}

static void op_instance(struct run *run, struct store_txn *txn)
{
    static const enum instance_status statuses[] = { INSTANCE_ACTIVE, INSTANCE_DRAINING, INSTANCE_INACTIVE };
    uint32_t number = below(run, 2 * INSTANCES);         /* the second half never has tasks: those may be dropped */
    struct instance instance = make_instance(1 + number, some_cluster(run));
    const struct instance *before = store_instance(txn, instance.id, &run->f.arena);
    instance.status = statuses[below(run, COUNT_OF(statuses))];
    bool gone = number >= INSTANCES && before != NULL && before->status == INSTANCE_INACTIVE;
    if (gone && below(run, 2) == 0) { store_drop_instance(txn, instance.id); } else { store_put_instance(txn, &instance); }
}

static void op_new_task(struct run *run, struct store_txn *txn)
{
    bool late = below(run, 5) == 0;          /* not the newest of all */
    struct task task = make_task(late ? 1000 + below(run, TASKS) : 10000 + run->next_task++, some_cluster(run), id_number(1 + below(run, INSTANCES)));
    task.family = some_name(run);
    if (below(run, 2) == 0) { task.started_by = some_name(run); }
    if (below(run, 2) == 0) { task.group = some_name(run); }
    store_put_task(txn, &task);
}

static void stop(struct run *run, struct store_txn *txn, struct task *task)
{
    struct history history = { .id = task->id, .cluster_number = task->cluster_number, .family = task->family, .revision = 1 };
    task->desired_status = TASK_STOPPED;
    task->last_status = TASK_STOPPED;
    task->stopped_ms = history.stopped_ms = run->now - (int64_t)below(run, 3);
    store_put_history(txn, &history);
}

static void op_change_task(struct run *run, struct store_txn *txn)
{
    uint32_t number = run->next_task == 0 || below(run, 3) == 0 ? 1000 + below(run, TASKS) : 10000 + below(run, run->next_task);
    const struct task *before = store_task(txn, id_number(number), &run->f.arena);
    if (before == NULL) { return; }
    struct task after = *before;
    uint32_t way = below(run, 4);
    if (way == 0) { store_drop_task(txn, before->id); return; }
    after.version++;
    after.desired_status = way == 1 ? TASK_STOPPED : after.desired_status;
    if (way == 2 && task_is_live(before)) { stop(run, txn, &after); }
    if (way == 3) { store_put_task(txn, &after); } else { store_change_task(txn, before, &after); }
}

static void op_history(struct run *run, struct store_txn *txn)
{
    (void)store_trim_history(txn, run->now - 200, 1 + below(run, 10));
}

static void op_small(struct run *run, struct store_txn *txn)
{
    struct access_key key = { .id = some_name(run), .secret = STR("s"), .role = ACCESS_ADMIN, .created_ms = run->now };
    struct pair value = { STR("taskLongArnFormat"), STR("enabled") };
    struct account_settings settings = { .principal = some_name(run), .values = { &value, below(run, 2) } };
    store_put_access_key(txn, &key);
    store_put_account_settings(txn, &settings);
    store_put_meta(txn, some_name(run), below(run, 2) == 0 ? (struct str){ NULL, 0 } : STR("value"));
}

static void op_secret(struct run *run, struct store_txn *txn)
{
    struct kept_secret secret = { .kind = below(run, 2) == 0 ? SECRET_OF_ASM : SECRET_OF_SSM, .name = some_name(run), .created_ms = run->now };
    bool known = store_secret(txn, secret.kind, secret.name, &run->f.arena) != NULL;
    if (known && below(run, 2) == 0) { store_drop_secret(txn, secret.kind, secret.name); } else { store_put_secret(txn, &secret); }
}

static void put_parts(struct run *run, struct store_txn *txn, int64_t service)
{
    int64_t digits = 1 + below(run, 3);
    struct revision_count target = { .digits = digits };
    store_put_service_events(txn, service, &(struct service_events){ 0 });
    store_put_service_revision(txn, &(struct service_revision){ .digits = digits, .service = service, .family = some_name(run), .revision = 1 });
    store_put_deployment(txn, &(struct kept_deployment){ .digits = digits, .service = service, .status = DEPLOYMENT_STATUS_ACTIVE });
    store_put_service_deployment(txn, &(struct service_deployment){
        .id = id_number(1 + below(run, 200)), .service = service, .status = SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL, .target = &target });
    if (below(run, 2) == 0) { store_drop_deployment(txn, service, 1 + below(run, 3)); }
    if (below(run, 2) == 0) { store_drop_service_revision(txn, service, 1 + below(run, 3)); }
}

static void op_service(struct run *run, struct store_txn *txn)
{
    struct service service = { .cluster_number = some_cluster(run), .name = some_name(run), .status = SERVICE_ACTIVE };
    const struct service *before = store_service_named(txn, service.cluster_number, service.name, &run->f.arena);
    if (before != NULL && before->status == SERVICE_INACTIVE && below(run, 2) == 0) { store_drop_service(txn, before->number); return; }
    if (before != NULL && before->status == SERVICE_ACTIVE) {
        service = *before;
        if (below(run, 4) == 0) { service.status = SERVICE_INACTIVE; service.deleted_ms = run->now; }
    }
    store_put_service(txn, &service);
    put_parts(run, txn, service.number);
}

static op *const ops[] = {
    op_cluster, op_taskdef, op_instance, op_new_task, op_new_task, op_new_task, op_change_task, op_change_task, op_change_task, op_history, op_small, op_secret,
    op_daemon_taskdef, op_service,
};

/* One transaction of some jobs; some of them are refused before they write. */
static void one_transaction(struct run *run)
{
    int64_t before = run->copy.revision, revision = -1;
    struct store_txn *txn = store_write_begin(run->f.store);
    uint32_t ways = below(run, 10);
    for (uint32_t jobs = 1 + below(run, 12); jobs > 0; jobs--) {
        bool refused = below(run, 8) == 0;
        store_job_begin(txn);
        if (refused) { (void)store_task(txn, id_number(1000), &run->f.arena); } else { ops[below(run, COUNT_OF(ops))](run, txn); }
        CHECK("the job is sound", store_job_end(txn, !refused));
    }
    run->copy.refuses = ways == 1;
    bool wrote = txn->writes > 0, kept = false;
    if (ways == 0) { store_write_abort(txn); } else { kept = store_write_commit(txn, &revision); }
    CHECK("an aborted one gives nothing, one that is refused or empty neither", kept || run->copy.revision == before);
    CHECK("only those fail", kept == (ways > 1 || (ways == 1 && !wrote)));
    if (kept) { CHECK("the copy has the store's revision", run->copy.revision == revision && revision == before + (wrote ? 1 : 0)); }
    run->copy.refuses = false;
    run->now++;
}

static void test_random_runs(void)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct run run = { .now = 1000000 };
        rng_seed(&run.rng, seed);
        begin(&run.f, &run.copy, 0);
        struct store_txn *txn = store_write_begin(run.f.store);
        static const struct str names[] = { STR_INIT("a"), STR_INIT("b"), STR_INIT("blue") };
        for (size_t c = 0; c < COUNT_OF(names); c++) { run.clusters[c] = put_cluster(txn, names[c]); }
        fixture_commit("clusters", txn);
        for (size_t round = 1; round <= ROUNDS; round++) {
            one_transaction(&run);
            arena_reset(&run.f.arena);
            if (round % 100 != 0) { continue; }
            check_equal("after some commits", &run.f, &run.copy);
            check_memory("after some commits", &run.copy);
            store_close(run.f.store);
            open_with_sink(&run.f, &run.copy);
        }
        CHECK("much was written", run.copy.writes > ROUNDS * 10 && run.copy.commits > ROUNDS / 2);
        check_equal("at the end", &run.f, &run.copy);
        check_memory("at the end", &run.copy);
        end(&run.f, &run.copy);
    }
}

/* Deletions from the change feed go through the sink too. */
static void test_trimmed_feed(void)
{
    enum { LARGE = 3000, COMMITS = 600 };    /* in pages of the feed: more than it keeps */
    struct store_fixture f;
    struct copy copy;
    begin(&f, &copy, 0);
    for (size_t c = 0; c < COMMITS; c++) {
        struct store_txn *txn = store_write_begin(f.store);
        store_put_meta(txn, STR("round"), (struct str){ (const char *)&c, sizeof c });
        for (uint32_t n = 0; n < LARGE; n++) { changes_note(txn, CHANGE_TASK, 1, id_number(n + 1)); }
        (void)fixture_commit("a large one", txn);
    }
    struct engine_size size;
    struct store_txn *txn = store_read_begin(f.store);
    CHECK("the feed was trimmed", txn_size_of(txn, TABLE_CHANGES, &size) && size.entries < COMMITS);
    CHECK("read", store_read_end(txn));
    check_equal("after that", &f, &copy);
    end(&f, &copy);
}

/* A transaction that failed gives nothing, and the next one gives its own writes only. */
static void test_failed(void)
{
    static char space[64 * 1024];
    struct store_fixture f;
    struct copy copy;
    begin(&f, &copy, 512 * 1024);
    int64_t revision;
    struct store_txn *txn = store_write_begin(f.store);
    for (char name = 'a'; name <= 'z'; name++) { store_put_meta(txn, (struct str){ &name, 1 }, (struct str){ space, sizeof space }); }
    CHECK("does not fit", !store_write_commit(txn, &revision));
    CHECK("and nothing of it was given", copy.revision == 1);
    txn = store_write_begin(f.store);
    store_put_meta(txn, STR("small"), STR("1"));
    fixture_commit("a small one", txn);
    CHECK("is given alone: the word, and the row of the change feed", copy.revision == 2 && copy.writes == 4);
    check_equal("after both", &f, &copy);

    copy.refuses = true;
    txn = store_write_begin(f.store);
    store_put_meta(txn, STR("small"), STR("2"));
    CHECK("the sink refuses", !store_write_commit(txn, &revision));
    copy.refuses = false;
    txn = store_read_begin(f.store);
    CHECK_STR("so nothing was kept", store_meta(txn, STR("small"), &f.arena), STR("1"));
    CHECK("read", store_read_end(txn));
    check_equal("after the refusal", &f, &copy);
    end(&f, &copy);
}

/* ---- what a leader would never send ---- */

static void test_wrong_writes(void)
{
    static const char id[16] = "0123456789abcdef";
    struct str ids = { id, sizeof id }, none = { NULL, 0 };
    static char long_key[KEY_MAX + 1];
    const struct { const char *row; int64_t revision; struct store_write write; const char *told; } rows[] = {
        { "a gap", 3, { "meta", false, STR_INIT("a"), STR_INIT("1") }, "should come first" },
        { "the same again", 1, { "meta", false, STR_INIT("a"), STR_INIT("1") }, "should come first" },
        { "a table of a newer release", 2, { "moons", false, STR_INIT("a"), STR_INIT("1") }, "does not know: update it (moons)" },
        { "no key", 2, { "meta", false, STR_INIT(""), STR_INIT("1") }, "a key that no store writes" },
        { "a key that is too long", 2, { "meta", false, { long_key, sizeof long_key }, STR_INIT("1") }, "a key that no store writes" },
        { "half an id as a key", 2, { "tasks", false, STR_INIT("01234567"), STR_INIT("1") }, "a key that no store writes" },
        { "a put without a value", 2, { "meta", false, STR_INIT("a"), none }, "an entry without its value" },
        { "a deletion with a value", 2, { "meta", true, STR_INIT("a"), STR_INIT("1") }, "an entry without its value" },
        { "an index entry that is no id", 2, { "task_index", false, STR_INIT("\1\0\0\0\1\2a"), STR_INIT("1") }, "a value that is no id" },
        { "a task that is no record", 2, { "tasks", false, ids, STR_INIT("\7junk") }, "can not be read (table tasks" },
        { "an entry that is not there", 2, { "meta", true, STR_INIT("never"), none }, "an entry is missing" },
        { "no row of the change feed", 2, { "meta", false, STR_INIT("a"), STR_INIT("1") }, "not its row of the change feed" },
    };
    uint8_t mark[STORE_MARK_SIZE] = { 1 };
    struct copy copy;
    copy_begin(&copy);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct store_write write = rows[r].write;
        if (strcmp(rows[r].write.table, "task_index") == 0) { write.key.len = 8; }
        int64_t revision;
        struct store_txn *txn = store_write_begin(copy.f.store);
        store_apply(txn, rows[r].revision, &write, 1);
        const char *problem = store_txn_problem(txn);
        CHECK(rows[r].row, problem != NULL && strstr(problem, rows[r].told) != NULL);
        if (problem == NULL || strstr(problem, rows[r].told) == NULL) { fprintf(stderr, "%s: %s\n", rows[r].row, problem == NULL ? "taken" : problem); }
        CHECK(rows[r].row, !store_apply_commit(txn, mark, &revision));
        txn = store_read_begin(copy.f.store);
        store_mark(txn, mark);
        CHECK("nothing of it is kept, nor the mark", store_revision(txn) == 1 && mark[0] == 0);
        CHECK("read", store_read_end(txn));
        mark[0] = 1;
    }
    check_memory("after all of them", &copy);
    copy_end(&copy);
}

int main(void)
{
    test_wrong_writes();
    test_random_runs();
    test_trimmed_feed();
    test_failed();
    return check_report();
}
