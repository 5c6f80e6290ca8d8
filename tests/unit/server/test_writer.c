/* The writer: batches, refusals among good jobs, a full queue, and a commit that fails. The hook behind each commit holds the
 * writer where a test wants it, so that what waits is known and nothing has to sleep. */
#include "server/writing/writer.h"

#include "base/clock.h"
#include "tests/unit/server/server_fixture.h"

enum { JOBS_MAX = 64, SMALL_MAP_BYTES = 512 * 1024 };

struct fixture {
    char dir[FIXTURE_PATH_MAX];
    struct store *store;
    struct api_config api;
    struct writer *writer;
    sem_t held, go;                          /* the writer is in the hook; it may leave it */
    bool hold;                               /* before the next commit's hook */
    struct job *holder;                      /* whose commit it was */
    int64_t revision;                        /* of the last commit that was announced */
    size_t effects;
    struct arena arenas[JOBS_MAX];
    struct api_call calls[JOBS_MAX];
    struct job jobs[JOBS_MAX];
    size_t count;
};

static void on_commit(void *context, int64_t revision)
{
    struct fixture *f = context;
    f->revision = revision;
    if (!f->hold) { return; }
    f->hold = false;
    ASSERT(sem_post(&f->held) == 0);
    ASSERT(sem_wait(&f->go) == 0);
}

static void on_effects(void *context, const struct effect_list *effects)
{
    struct fixture *f = context;
    f->effects += effects->count;
}

static bool confirm(void *context, struct err *err) { (void)context; (void)err; return true; }
static bool explain(void *context, int64_t revision, struct err *err) { (void)context; (void)revision; (void)err; return false; }
static const struct writer_log shared_log = { confirm, explain };

static void open_with(struct fixture *f, size_t map_size, size_t queue_max, const struct writer_log *log)
{
    struct err err = { 0 };
    *f = (struct fixture){ 0 };
    fixture_make_dir(f->dir);
    f->store = fixture_open_store(f->dir, map_size);
    f->api = (struct api_config){
        .names = { STR("us-east-1"), STR("123456789012") }, .endpoint = STR("http://127.0.0.1:9280"), .stopped_task_keep_ms = 3600000,
    };
    ASSERT(sem_init(&f->held, 0, 0) == 0);
    ASSERT(sem_init(&f->go, 0, 0) == 0);
    struct writer_config config = {
        .store = f->store, .api = &f->api, .queue_max = queue_max, .committed = on_commit, .effects = on_effects, .context = f,
        .log = log,
    };
    f->writer = writer_start(&config, &err);
    ASSERT(f->writer != NULL);
}

static void open_fixture(struct fixture *f, size_t map_size, size_t queue_max) { open_with(f, map_size, queue_max, NULL); }

static void close_fixture(struct fixture *f)
{
    writer_stop(f->writer);
    fixture_check_store(f->store);
    store_close(f->store);
    fixture_remove_dir(f->dir);
    for (size_t j = 0; j < f->count; j++) { arena_finish(&f->arenas[j]); }
    sem_destroy(&f->held);
    sem_destroy(&f->go);
}

static struct job *prepare(struct fixture *f, const char *operation, struct str body)
{
    struct err err = { 0 };
    ASSERT(f->count < JOBS_MAX);
    size_t at = f->count++;
    arena_init(&f->arenas[at], FIXTURE_ARENA_BYTES);
    const struct caller caller = { .access_key = STR(ADMIN_ID), .user = STR("admin"), .role = ACCESS_ADMIN };
    if (!api_prepare(&f->api, &caller, str_from(operation), body, &f->arenas[at], &f->calls[at], &err)) {
        fprintf(stderr, "%s: %s\n", operation, err.message);
        abort();
    }
    f->jobs[at] = (struct job){ .call = &f->calls[at], .arena = &f->arenas[at], .caller = caller };
    return &f->jobs[at];
}

static struct job *prepare_cluster(struct fixture *f, const char *name)
{
    static char bodies[JOBS_MAX][128];
    snprintf(bodies[f->count], sizeof bodies[0], "{\"clusterName\":\"%s\"}", name);
    return prepare(f, "CreateCluster", str_from(bodies[f->count]));
}

/* Runs one job, which makes a cluster, and whose commit leaves the writer in its hook: what comes meanwhile is one batch. */
static void hold_writer(struct fixture *f, const char *name)
{
    struct err err = { 0 };
    f->hold = true;
    f->holder = prepare_cluster(f, name);
    ASSERT(writer_submit(f->writer, f->holder, &err));
    ASSERT(sem_wait(&f->held) == 0);
}

static void let_writer_go(struct fixture *f)
{
    struct err err = { 0 };
    ASSERT(sem_post(&f->go) == 0);
    CHECK("the job that held the writer went well", writer_wait(f->holder, &err));
}

static bool cluster_exists(struct fixture *f, const char *name)
{
    struct arena arena = { .ceiling = FIXTURE_ARENA_BYTES };
    struct store_txn *txn = store_read_begin(f->store);
    bool exists = store_cluster(txn, str_from(name), &arena) != NULL;
    CHECK("reads go on", store_read_end(txn));
    arena_finish(&arena);
    return exists;
}

static void test_batch(void)
{
    struct fixture f;
    open_fixture(&f, FIXTURE_MAP_BYTES, 16);
    hold_writer(&f, "hold");
    static const struct { const char *name; const char *cluster; enum err_code want; } rows[] = {
        { "first of the batch",         "one",   ERR_NONE },
        { "a refusal among good jobs",  "no!",   ERR_INVALID_PARAMETER },
        { "last of the batch",          "three", ERR_NONE },
    };
    struct job *jobs[COUNT_OF(rows)];
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        jobs[r] = prepare_cluster(&f, rows[r].cluster);
        CHECK(rows[r].name, writer_submit(f.writer, jobs[r], &err));
    }
    struct writer_counts before = writer_count(f.writer);
    CHECK_EQ("three wait", before.queued, 3);
    let_writer_go(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        CHECK_EQ(rows[r].name, writer_wait(jobs[r], &err), rows[r].want == ERR_NONE);
        CHECK_EQ(rows[r].name, err.code, rows[r].want);
        CHECK_EQ(rows[r].name, cluster_exists(&f, rows[r].cluster), rows[r].want == ERR_NONE);
    }
    struct writer_counts after = writer_count(f.writer);
    CHECK_EQ("all that waited is one batch", after.batches, before.batches + 1);
    CHECK_EQ("one commit for it", after.commits, before.commits + 1);
    CHECK_EQ("three jobs", after.jobs, before.jobs + 3);
    CHECK_EQ("nothing waits", after.queued, 0);
    CHECK_EQ("the commit was announced", f.revision, after.revision);
    close_fixture(&f);
}

static void test_full_queue(void)
{
    struct fixture f;
    open_fixture(&f, FIXTURE_MAP_BYTES, 2);
    hold_writer(&f, "hold");
    static const struct { const char *name; const char *cluster; enum err_code want; } rows[] = {
        { "one waits", "a", ERR_NONE }, { "the queue is full now", "b", ERR_NONE }, { "one too many", "c", ERR_THROTTLING },
    };
    struct job *jobs[COUNT_OF(rows)];
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        jobs[r] = prepare_cluster(&f, rows[r].cluster);
        CHECK_EQ(rows[r].name, writer_submit(f.writer, jobs[r], &err), rows[r].want == ERR_NONE);
        CHECK_EQ(rows[r].name, err.code, rows[r].want);
    }
    let_writer_go(&f);
    for (size_t r = 0; r < 2; r++) {
        struct err err = { 0 };
        CHECK(rows[r].name, writer_wait(jobs[r], &err));
    }
    CHECK("a refused write did not happen", !cluster_exists(&f, "c"));
    CHECK_EQ("it was counted", writer_count(f.writer).refused, 1);
    close_fixture(&f);
}

/* A batch in which nothing is to be kept syncs nothing. */
static void test_refusal_alone(void)
{
    struct fixture f;
    struct err err = { 0 };
    open_fixture(&f, FIXTURE_MAP_BYTES, 2);
    CHECK("refused", !writer_run(f.writer, prepare_cluster(&f, "no!"), &err));
    CHECK_EQ("by the handler", err.code, ERR_INVALID_PARAMETER);
    CHECK_EQ("no commit", writer_count(f.writer).commits, 0);
    CHECK_EQ("and none that failed", writer_count(f.writer).failed_commits, 0);
    close_fixture(&f);
}

/* ---- looks ---- */

static struct job *prepare_look(struct fixture *f)
{
    ASSERT(f->count < JOBS_MAX);
    size_t at = f->count++;
    arena_init(&f->arenas[at], FIXTURE_ARENA_BYTES);
    api_prepare_headroom(&f->calls[at]);
    f->jobs[at] = (struct job){ .call = &f->calls[at], .arena = &f->arenas[at] };
    return &f->jobs[at];
}

/* A look runs in its turn, sees what came before it, and is no reason to commit. */
static void test_look(void)
{
    struct fixture f;
    struct err err = { 0 };
    open_fixture(&f, FIXTURE_MAP_BYTES, 16);
    hold_writer(&f, "hold");
    struct job *first = prepare_cluster(&f, "one"), *look = prepare_look(&f);
    CHECK("a write and a look", writer_submit(f.writer, first, &err) && writer_submit(f.writer, look, &err));
    let_writer_go(&f);
    CHECK("the write", writer_wait(first, &err));
    CHECK("the look", writer_wait(look, &err));
    CHECK_EQ("it sees what came before it in its batch", api_headroom(look->call)->count, 2);
    struct writer_counts before = writer_count(f.writer);
    int64_t told = f.revision;
    f.revision = 0;
    look = prepare_look(&f);
    CHECK("alone", writer_run(f.writer, look, &err));
    CHECK_EQ("of the last commit", api_headroom(look->call)->revision, before.revision);
    struct writer_counts after = writer_count(f.writer);
    CHECK_EQ("a batch", after.batches, before.batches + 1);
    CHECK_EQ("no commit", after.commits, before.commits);
    CHECK_EQ("nothing is announced", f.revision, 0);
    CHECK_EQ("told before", told, before.revision);
    close_fixture(&f);
}

/* ---- a commit that fails ---- */

static const char machine[] =
    "{\"cluster\":\"hold\",\"totalResources\":[{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":1024},"
    "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":1024},"
    "{\"name\":\"PORTS\",\"type\":\"STRINGSET\",\"stringSetValue\":[\"22\"]},"
    "{\"name\":\"PORTS_UDP\",\"type\":\"STRINGSET\",\"stringSetValue\":[]}],"
    "\"attributes\":[{\"name\":\"ecs.capability.docker-remote-api.1.18\"},{\"name\":\"com.amazonaws.ecs.capability.docker-remote-api.1.18\"}],"
    "\"versionInfo\":{\"agentVersion\":\"1.0.0\"}}";
static const char whole_machine[] =
    "{\"family\":\"whole\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"cpu\":1024,\"memory\":512}]}";
static const char run_whole[] = "{\"cluster\":\"hold\",\"taskDefinition\":\"whole:1\"}";

/* A definition of some 30 KB: the map is full after a few. */
static struct job *prepare_big(struct fixture *f)
{
    static char body[40000];
    int len = snprintf(body, sizeof body, "{\"family\":\"big\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"memory\":64,"
                       "\"command\":[\"%030000d\"]}]}", 7);
    ASSERT(len > 0 && (size_t)len < sizeof body);
    return prepare(f, "RegisterTaskDefinition", (struct str){ body, (size_t)len });
}

static void must(struct fixture *f, struct job *job)
{
    struct err err = { 0 };
    if (!writer_run(f->writer, job, &err)) {
        fprintf(stderr, "must: %s\n", err.message);
        abort();
    }
}

static size_t failures_of(const struct job *job)
{
    struct arena arena = { .ceiling = FIXTURE_ARENA_BYTES };
    struct buf out = buf_in(&arena);
    struct err err = { 0 };
    api_print(job->call, &out);
    const struct json *json = json_parse(buf_str(&out), &arena, &err);
    const struct json *failures = json_get(json, STR("failures"));
    size_t count = failures == NULL ? 0 : failures->count;
    arena_finish(&arena);
    return count;
}

static void start_machine(struct fixture *f)
{
    must(f, prepare_cluster(f, "hold"));
    must(f, prepare(f, "RegisterContainerInstance", str_from(machine)));
    must(f, prepare(f, "RegisterTaskDefinition", str_from(whole_machine)));
    struct id instance;
    struct arena arena = { .ceiling = FIXTURE_ARENA_BYTES };
    struct store_txn *txn = store_read_begin(f->store);
    int64_t cluster = store_cluster(txn, STR("hold"), &arena)->number;
    ASSERT(store_list_instances(txn, cluster, INSTANCE_STATUS_UNSET, (struct id){ { 0 } }, &instance, 1) == 1);
    CHECK("read", store_read_end(txn));
    arena_finish(&arena);
    size_t at = f->count++;
    arena_init(&f->arenas[at], FIXTURE_ARENA_BYTES);
    struct agent_presence presence = { .instance = instance };
    api_prepare_presence(&presence, &f->arenas[at], &f->calls[at]);
    f->jobs[at] = (struct job){ .call = &f->calls[at], .arena = &f->arenas[at], .caller = { .user = STR("berth"), .role = ACCESS_ADMIN } };
    must(f, &f->jobs[at]);
}

static void test_full_map(void)
{
    struct fixture f;
    struct err err = { 0 };
    open_fixture(&f, SMALL_MAP_BYTES, 16);
    start_machine(&f);
    while (f.count < JOBS_MAX - 16 && writer_run(f.writer, prepare_big(&f), &err)) { }
    CHECK_EQ("the map is full in the end", err.code, ERR_SERVER);
    CHECK("it is said why", strstr(err.message, "full") != NULL);

    /* A small job and two big ones in one batch: it is run again without one of them, and none is kept, though the small one had gone well. */
    hold_writer(&f, "small");
    int64_t failed = writer_count(f.writer).failed_commits;
    struct job *run = prepare(&f, "RunTask", str_from(run_whole)), *big = prepare_big(&f), *bigger = prepare_big(&f), *look = prepare_look(&f);
    ASSERT(writer_submit(f.writer, run, &err) && writer_submit(f.writer, look, &err));
    ASSERT(writer_submit(f.writer, big, &err) && writer_submit(f.writer, bigger, &err));
    let_writer_go(&f);                                   /* small jobs fit where big ones don't */
    struct err run_err = { 0 }, big_err = { 0 }, look_err = { 0 };
    CHECK("the look saw a state that is not kept", !writer_wait(look, &look_err));
    CHECK("the big job failed", !writer_wait(big, &big_err));
    CHECK("the other too", !writer_wait(bigger, &big_err));
    CHECK("and so did the small one in its batch", !writer_wait(run, &run_err));
    CHECK_EQ("as an error of the server", run_err.code, ERR_SERVER);
    CHECK_EQ("all of them", big_err.code, ERR_SERVER);
    CHECK_EQ("two commits failed", writer_count(f.writer).failed_commits, failed + 2);
    CHECK("reads go on", cluster_exists(&f, "hold"));

    /* With one big job: it fails alone. The world was rebuilt, so that the machine is as empty as the store says. */
    size_t effects = f.effects;
    hold_writer(&f, "smaller");
    run = prepare(&f, "RunTask", str_from(run_whole));
    big = prepare_big(&f);
    look = prepare_look(&f);
    ASSERT(writer_submit(f.writer, run, &err) && writer_submit(f.writer, big, &err) && writer_submit(f.writer, look, &err));
    let_writer_go(&f);
    CHECK("the big one fails again", !writer_wait(big, &big_err));
    CHECK("what came before it is kept", writer_wait(run, &run_err));
    CHECK_EQ("and found the machine empty", failures_of(run), 0);
    CHECK("what came behind it has its answer", writer_wait(look, &look_err));
    CHECK_EQ("one commit more has failed", writer_count(f.writer).failed_commits, failed + 3);
    CHECK("its agent is woken", f.effects > effects);
    struct job *more = prepare(&f, "RunTask", str_from(run_whole));
    CHECK("another is answered", writer_run(f.writer, more, &err));
    CHECK_EQ("with the machine full", failures_of(more), 1);
    close_fixture(&f);
}

/* A request that has too little memory to read a record. */
static struct job *prepare_poor(struct fixture *f)
{
    struct job *poor = prepare(f, "RunTask", str_from(run_whole));
    poor->arena->ceiling = poor->arena->used;
    return poor;
}

/* Whoever came with it does not suffer. */
static void test_alone(void)
{
    static const char *const names[] = { "a", "b", "c" };
    for (size_t place = 0; place < 3; place++) {
        struct fixture f;
        struct err err = { 0 };
        open_fixture(&f, FIXTURE_MAP_BYTES, 16);
        start_machine(&f);
        struct job *jobs[3];
        hold_writer(&f, "small");
        for (size_t j = 0; j < COUNT_OF(jobs); j++) {
            jobs[j] = j == place ? prepare_poor(&f) : prepare_cluster(&f, names[j]);
            ASSERT(writer_submit(f.writer, jobs[j], &err));
        }
        let_writer_go(&f);
        for (size_t j = 0; j < COUNT_OF(jobs); j++) {
            struct err job_err = { 0 };
            CHECK("all but that one", writer_wait(jobs[j], &job_err) == (j != place));
            CHECK_EQ("which hears", job_err.code, j != place ? ERR_NONE : ERR_SERVER);
        }
        for (size_t j = 0; j < COUNT_OF(names); j++) { CHECK("is kept", cluster_exists(&f, names[j]) == (j != place)); }
        CHECK("alone in its batch", !writer_run(f.writer, prepare_poor(&f), &err));
        must(&f, prepare_cluster(&f, "behind"));
        close_fixture(&f);
    }
}

static void test_stop_runs_what_waits(void)
{
    struct fixture f;
    open_fixture(&f, FIXTURE_MAP_BYTES, 16);
    hold_writer(&f, "hold");
    struct err err = { 0 };
    struct job *waiting = prepare_cluster(&f, "late");
    ASSERT(writer_submit(f.writer, waiting, &err));
    let_writer_go(&f);
    writer_stop(f.writer);
    f.writer = NULL;
    CHECK("it was run before the end", writer_wait(waiting, &err));
    CHECK("and is kept", cluster_exists(&f, "late"));
    close_fixture(&f);
}

/* As a follower's store gets what another server has written. */
static int64_t commit_past_the_writer(struct fixture *f)
{
    int64_t revision;
    struct store_txn *txn = store_write_begin(f->store);
    store_put_meta(txn, STR("from.another"), STR("1"));
    ASSERT(store_write_commit(txn, &revision));
    return revision;
}

static bool reads_ahead_to(struct fixture *f, int64_t revision)
{
    int64_t until_ms = clock_monotonic_ms() + 30 * 1000;
    while (writer_count(f->writer).revision != revision && clock_monotonic_ms() < until_ms) { clock_sleep_ms(1); }
    return writer_count(f->writer).revision == revision;
}

static void test_read_ahead(void)
{
    struct fixture f;
    struct err err = { 0 };
    open_with(&f, FIXTURE_MAP_BYTES, 16, &shared_log);
    CHECK("a closed one takes nothing", !writer_submit(f.writer, prepare_cluster(&f, "a"), &err) && err.code == ERR_UNAVAILABLE);
    int64_t revision = commit_past_the_writer(&f);
    writer_forget_ahead(f.writer);
    writer_read_ahead(f.writer);
    CHECK("it reads while it is closed", reads_ahead_to(&f, revision));
    writer_read_ahead(f.writer);
    err = (struct err){ 0 };
    CHECK("still closed", !writer_submit(f.writer, prepare_cluster(&f, "b"), &err) && err.code == ERR_UNAVAILABLE);
    err = (struct err){ 0 };
    CHECK("opened with what it has read", writer_open(f.writer, &err) && writer_run(f.writer, prepare_cluster(&f, "c"), &err));
    CHECK("written", cluster_exists(&f, "c"));
    writer_read_ahead(f.writer);
    CHECK("an open one reads nothing ahead", writer_run(f.writer, prepare_cluster(&f, "d"), &err));
    writer_close(f.writer);
    revision = commit_past_the_writer(&f);
    writer_read_ahead(f.writer);
    CHECK("and again", reads_ahead_to(&f, revision));
    revision = commit_past_the_writer(&f);
    CHECK("a commit in between: it is read again", writer_open(f.writer, &err) && writer_count(f.writer).revision == revision);
    CHECK("and good", writer_run(f.writer, prepare_cluster(&f, "e"), &err) && cluster_exists(&f, "e"));
    writer_close(f.writer);
    writer_read_ahead(f.writer);
    writer_forget_ahead(f.writer);
    CHECK("forgotten, and read when it is opened", writer_open(f.writer, &err) && writer_run(f.writer, prepare_cluster(&f, "g"), &err));
    writer_close(f.writer);
    close_fixture(&f);
}

int main(void)
{
    test_read_ahead();
    test_batch();
    test_full_queue();
    test_refusal_alone();
    test_look();
    test_full_map();
    test_alone();
    test_stop_runs_what_waits();
    return check_report();
}
