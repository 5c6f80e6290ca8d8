/* The history: written with the end of a task, for each cause, readable when everything else has forgotten, in pages. */
#include "tests/unit/api/machines.h"

enum { TASKS = 7, KEEP_MS = 7200 * 1000 };

static struct str history(struct api_fixture *f, const struct history_query *query)
{
    struct err err = { 0 };
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    struct buf out = buf_in(&f->kept);
    if (!api_print_history(&ctx, query, &out, &err)) { buf_put(&out, str_from(err.message)); }
    f->code = err.code;
    CHECK("the read is sound", store_read_end(txn));
    return buf_str(&out);
}

/* The absent string when the history does not know it. */
static struct str one(struct api_fixture *f, struct id id)
{
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    struct buf out = buf_in(&f->kept);
    bool found = api_print_history_task(&ctx, id, &out);
    CHECK("the read is sound", store_read_end(txn));
    return found ? buf_str(&out) : (struct str){ 0 };
}

static const char *run(struct api_fixture *f, const char *family, const char *more)
{
    struct str made = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"%s\"%s}", family, more));
    return at(f, made, "tasks[0].taskArn");
}

static struct id id_of(const char *arn)
{
    struct id id = { { 0 } };
    struct str words = str_from(arn);
    if (words.len >= ID_HEX_LEN) { (void)id_parse(str_slice(words, words.len - ID_HEX_LEN, words.len), &id); }
    return id;
}

static void test_entry(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "node-a", 4);
    char hex[ID_HEX_LEN + 1];
    id_hex(machine, hex);
    define(&f, "train", GPUS("2"), "");
    const char *arn = run(&f, "train", ",\"startedBy\":\"me\",\"tags\":[{\"key\":\"team\",\"value\":\"vision\"}]");
    struct id id = id_of(arn);
    struct str gpu = fixture_at(&f, fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", arn)), "tasks[0].containers[0].gpuIds[0]");
    f.now_ms += 10000;
    report(&f, arn, "RUNNING", "{\"containerName\":\"main\",\"status\":\"RUNNING\"}");
    CHECK("a live task is not in the history", !str_is_set(one(&f, id)));
    f.now_ms += 50000;
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\",\"reason\":\"enough\"}", arn));
    CHECK("nor is one that is stopping", !str_is_set(one(&f, id)));
    f.now_ms += 1250;
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"\",\"pullStartedAt\":1700000001,"
        "\"pullStoppedAt\":1700000002.5,\"executionStoppedAt\":1700000061,\"containers\":[{\"containerName\":\"main\",\"status\":\"STOPPED\","
        "\"exitCode\":137,\"reason\":\"killed\"}]}", arn));
    f.now_ms += f.config.stopped_task_keep_ms;
    expire(&f, 100);
    f.now_ms += 1;
    expire(&f, 100);
    CHECK_STR("DescribeTasks has forgotten it", fixture_at(&f, fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", arn)), "tasks"), STR("[]"));

    struct str entry = one(&f, id);
    const struct { const char *path, *want; } rows[] = {
        { "id", arn + strlen(arn) - ID_HEX_LEN },
        { "arn", arn },
        { "cluster", "default" }, { "family", "train:1" }, { "group", "family:train" }, { "startedBy", "me" },
        { "instance", hex }, { "instanceName", "node-a" },
        { "stopCode", "UserInitiated" }, { "reason", "Task stopped by user (enough)" },
        { "created", "1700000000000" }, { "pullStarted", "1700000001000" }, { "pullStopped", "1700000002500" },
        { "started", "1700000010000" }, { "stopping", "1700000060000" }, { "executionStopped", "1700000061000" },
        { "stopped", "1700000061250" },
        { "cpu", "0" }, { "memory", "128" },
        { "gpus", "2" }, { "gpuSeconds", "122.5" },
        { "containers[0].name", "main" }, { "containers[0].exitCode", "137" }, { "containers[0].reason", "killed" },
        { "containers[0].gpuIds[0]", arena_cstr(&f.kept, gpu) },
        { "tags", "[{\"key\":\"team\",\"value\":\"vision\"}]" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].path, fixture_at(&f, entry, rows[r].path), str_from(rows[r].want)); }
    CHECK_STR("the list says the same", history(&f, &(struct history_query){ 0 }), str_from(text(&f, "{\"tasks\":[%s],\"nextToken\":null}",
                                                                                             arena_cstr(&f.kept, entry))));
    CHECK("one that never was", !str_is_set(one(&f, (struct id){ { 9 } })));
    fixture_close(&f);
}

/* Nobody reports the end of a task whose machine is deregistered by force; what never happened is null. */
static void test_orphan(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id machine = machine_add(&f, "node-a", 1);
    char hex[ID_HEX_LEN + 1];
    id_hex(machine, hex);
    define(&f, "plain", "", "");
    const char *arn = run(&f, "plain", ",\"tags\":[{\"key\":\"team\",\"value\":\"\"}]");
    f.now_ms += 5;
    (void)fixture_call(&f, "DeregisterContainerInstance", text(&f, "{\"containerInstance\":\"%s\",\"force\":true}", hex));
    struct str entry = one(&f, id_of(arn));
    CHECK_STR("why", fixture_at(&f, entry, "reason"), STR("Container instance deregistration forced by user"));
    CHECK_STR("never ran", fixture_at(&f, entry, "started"), STR("null"));
    CHECK_STR("no exit code", fixture_at(&f, entry, "containers[0].exitCode"), STR("null"));
    CHECK_STR("no GPU time", fixture_at(&f, entry, "gpuSeconds"), STR("0.0"));
    CHECK_STR("its tags", fixture_at(&f, entry, "tags"), STR("[{\"key\":\"team\",\"value\":\"\"}]"));
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", arn));
    CHECK_STR("a stop that comes late takes nothing away", one(&f, id_of(arn)), entry);
    fixture_close(&f);
}

/* Tasks a (default), b:1, b:2 (other, twice by "ci") …, ended one second after the other. */
static void make_tasks(struct api_fixture *f)
{
    cluster_open(f);
    (void)fixture_call(f, "CreateCluster", "{\"clusterName\":\"other\"}");
    (void)machine_add(f, "node-a", 0);
    struct str reply = fixture_call(f, "RegisterContainerInstance", machine_body(f, "node-b", 0, ",\"cluster\":\"other\""));
    machine_presence(f, id_at(f, reply, "containerInstance.containerInstanceArn"), true);
    define(f, "a", "", "");
    define(f, "b", "", "");
    define(f, "b", "", "");
    static const struct { const char *family, *cluster, *by; } made[TASKS] = {
        { "a", "default", "" }, { "b:1", "default", "" }, { "b:2", "other", ",\"startedBy\":\"ci\"" }, { "a", "other", ",\"startedBy\":\"ci\"" },
        { "a", "default", "" }, { "b:2", "default", "" }, { "a", "default", "" },
    };
    for (size_t t = 0; t < TASKS; t++) {
        const char *arn = run(f, made[t].family, text(f, ",\"cluster\":\"%s\"%s", made[t].cluster, made[t].by));
        f->now_ms = FIXTURE_START_MS + 1000 * (int64_t)(t + 1);
        (void)fixture_call(f, "SubmitTaskStateChange", text(f, "{\"cluster\":\"%s\",\"task\":\"%s\",\"status\":\"STOPPED\"}", made[t].cluster, arn));
    }
}

/* The last digit of the second in which each ended: "7 6 5". */
static struct str ends(struct api_fixture *f, struct str reply)
{
    struct buf out = buf_in(&f->kept);
    for (int64_t t = 0; t < count_at(f, reply, "tasks"); t++) {
        int64_t stopped = 0;
        (void)str_to_i64(fixture_at(f, reply, text(f, "tasks[%d].stopped", (int)t)), &stopped);
        buf_printf(&out, "%s%lld", t == 0 ? "" : " ", (long long)((stopped - FIXTURE_START_MS) / 1000));
    }
    return buf_str(&out);
}

static void test_filters(void)
{
    static const int64_t start = FIXTURE_START_MS;
    struct api_fixture f;
    make_tasks(&f);
    const struct { const char *row; struct history_query query; const char *want; } rows[] = {
        { "all",                   { .limit = 0 },                                                "7 6 5 4 3 2 1" },
        { "a cluster",             { .cluster = STR("other") },                                   "4 3" },
        { "a cluster by its ARN",  { .cluster = STR("arn:aws:ecs:us-east-1:123456789012:cluster/other") }, "4 3" },
        { "a family",              { .family = STR("b") },                                        "6 3 2" },
        { "a revision",            { .family = STR("b:2") },                                      "6 3" },
        { "no such revision",      { .family = STR("b:x") },                                      "" },
        { "started by",            { .started_by = STR("ci") },                                   "4 3" },
        { "both",                  { .started_by = STR("ci"), .family = STR("a") },               "4" },
        { "nobody",                { .family = STR("c") },                                        "" },
        { "since, with it",        { .since_ms = start + 5000 },                                  "7 6 5" },
        { "since, a little later", { .since_ms = start + 5001 },                                  "7 6" },
        { "until, without it",     { .until_ms = start + 3000 },                                  "2 1" },
        { "until, a little later", { .until_ms = start + 3001 },                                  "3 2 1" },
        { "between",               { .since_ms = start + 2000, .until_ms = start + 4000 },        "3 2" },
        { "a page",                { .limit = 2 },                                                "7 6" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].row, ends(&f, history(&f, &rows[r].query)), str_from(rows[r].want)); }
    (void)history(&f, &(struct history_query){ .limit = 100 });
    CHECK_EQ("the largest page", f.code, ERR_NONE);
    (void)history(&f, &(struct history_query){ .limit = 101 });
    CHECK_EQ("a larger one", f.code, ERR_INVALID_PARAMETER);
    (void)history(&f, &(struct history_query){ .next_token = STR("x") });
    CHECK_EQ("no token of ours", f.code, ERR_INVALID_PARAMETER);
    fixture_close(&f);
}

static void test_pages(void)
{
    struct api_fixture f;
    make_tasks(&f);
    for (size_t limit = 1; limit <= TASKS + 1; limit++) {
        struct history_query query = { .limit = limit, .family = STR("a") };
        struct buf seen = buf_in(&f.kept);
        size_t pages = 0;
        do {
            struct str reply = history(&f, &query), page = ends(&f, reply);
            buf_printf(&seen, "%s" STR_FMT, seen.len > 0 && page.len > 0 ? " " : "", STR_ARG(page));
            query.next_token = fixture_at(&f, reply, "nextToken");
            pages++;
        } while (!str_eq(query.next_token, STR("null")) && pages <= TASKS + 1);
        CHECK_STR("pages add up to the whole", buf_str(&seen), STR("7 5 4 1"));
        CHECK("without needless ones", pages <= 4 / limit + 1);
    }
    fixture_close(&f);
}

/* A filter that nothing passes ends a page too, and the next one goes on from there. */
static void test_bounded(void)
{
    enum { LOOKED_AT = 4096 };
    struct api_fixture f;
    cluster_open(&f);
    struct store_txn *txn = store_write_begin(f.store);
    int64_t revision;
    struct rng rng;
    rng_seed(&rng, 3);
    struct id_gen ids = { .rng = &rng };
    for (int64_t t = 1; t <= LOOKED_AT + 1; t++) {
        struct history entry = { .id = id_new(&ids, t), .stopped_ms = t, .cluster_number = 1, .family = t == 1 ? STR("first") : STR("rest"), .revision = 1 };
        store_put_history(txn, &entry);
    }
    CHECK("committed", store_write_commit(txn, &revision));
    struct history_query query = { .family = STR("first") };
    struct str reply = history(&f, &query);
    CHECK_STR("an empty page", fixture_at(&f, reply, "tasks"), STR("[]"));
    query.next_token = fixture_at(&f, reply, "nextToken");
    CHECK("which is not the last", !str_eq(query.next_token, STR("null")));
    reply = history(&f, &query);
    CHECK_STR("the next has it", fixture_at(&f, reply, "tasks[0].stopped"), STR("1"));
    CHECK_STR("and is the last", fixture_at(&f, reply, "nextToken"), STR("null"));
    fixture_close(&f);
}

static void test_keeping(void)
{
    struct api_fixture f;
    make_tasks(&f);
    f.config.history_keep_ms = KEEP_MS;
    f.now_ms = FIXTURE_START_MS + 3000 + KEEP_MS;
    expire(&f, 1);
    CHECK_STR("no more than asked for", ends(&f, history(&f, &(struct history_query){ 0 })), STR("7 6 5 4 3 2"));
    expire(&f, 100);
    CHECK_STR("one that is exactly as old stays", ends(&f, history(&f, &(struct history_query){ 0 })), STR("7 6 5 4 3"));
    f.config.history_keep_ms = 0;
    const char *arn = run(&f, "a", "");
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\"}", arn));
    CHECK("no history is kept", !str_is_set(one(&f, id_of(arn))));
    f.now_ms += 1;
    expire(&f, 100);
    CHECK_STR("and what there was goes", ends(&f, history(&f, &(struct history_query){ 0 })), STR(""));
    fixture_close(&f);
}

int main(void)
{
    test_entry();
    test_orphan();
    test_filters();
    test_pages();
    test_bounded();
    test_keeping();
    return check_report();
}
