/* test_keeping.c: room that is kept for waiting tasks: for the first large one, with what passes it, its limits and a restart; and tasks that stop for
 * one of a higher priority. */
#include "tests/unit/api/service_lives.h"

#include "scheduler/queue/keeps.h"

#define TAG(key, value) "{\"key\":\"berth:" key "\",\"value\":\"" value "\"}"
#define TAGS(list) ",\"tags\":[" list "]"
#define WAIT TAG("queue", "wait")
enum { IN_HOUR = 60, HOUR_MS = IN_HOUR * MINUTE_MS };

static const char *run(struct api_fixture *f, const char *family, const char *more)
{
    struct str reply = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"%s\"%s}", family, more));
    CHECK_EQ("RunTask", f->code, ERR_NONE);
    return arena_str(&f->kept, str_from(at(f, reply, "tasks[0].taskArn"))).ptr;
}

/* Why it was refused; "(absent)": it was not. */
static const char *refusal(struct api_fixture *f, const char *family, const char *more)
{
    return at(f, fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"%s\"%s}", family, more)), "failures[0].detail");
}

static const char *field(struct api_fixture *f, const char *task, const char *member)
{
    return at(f, fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", task)), text(f, "tasks[0].%s", member));
}

static const char *status(struct api_fixture *f, const char *task) { return field(f, task, "lastStatus"); }

static void look(struct api_fixture *f)
{
    (void)steps(f);
    check_world(f, "the world is that of the store");
}

/* As `berth queue` has it. */
static struct str ask_queue(struct api_fixture *f)
{
    struct arena arena;
    struct api_call call;
    struct err err = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    CHECK("prepared", api_prepare_queue(&f->config, STR("{}"), &arena, &call, &err));
    fixture_internal_in(f, &call, &arena);
    struct str text = arena_str(&f->kept, api_queue_text(&call));
    arena_finish(&arena);
    return text;
}

static void begin(struct api_fixture *f, const char *task) { report_running(f, task, "main"); }

static void finish(struct api_fixture *f, const char *task)
{
    report_end(f, task, "Essential container in task exited", ",\"exitCode\":0");
    f->now_ms += 2000;
    look(f);
}

static void build_again(struct api_fixture *f)
{
    struct store_txn *txn = store_read_begin(f->store);
    f->world = sched_world_create(&f->kept);
    api_load_world(f->world, txn);
    CHECK("read", store_read_end(txn));
}

/* Machines of 8 GPUs that are full: 8 tasks of one GPU each, which say that they run for `says`. */
static const char **fill(struct api_fixture *f, size_t machines, const char *says)
{
    const char **tasks = ARENA_NEW(&f->kept, const char *, 8 * machines);
    for (size_t m = 0; m < machines; m++) { (void)machine_add(f, text(f, "m%zu", m), 8); }
    for (size_t t = 0; t < 8 * machines; t++) {
        tasks[t] = run(f, "one", text(f, ",\"tags\":[{\"key\":\"berth:max-runtime\",\"value\":\"%s\"}]", says));
        begin(f, tasks[t]);
    }
    return tasks;
}

static void open_stage(struct api_fixture *f)
{
    cluster_open(f);
    define(f, "one", GPUS("1"), "");
    define(f, "eight", GPUS("8"), "");
    define(f, "shy", GPUS("1"), "");
}

/* The tasks of the machine of the first one. */
static size_t same_machine(struct api_fixture *f, const char **tasks, size_t count, const char **there)
{
    size_t found = 0;
    const char *machine = field(f, tasks[0], "containerInstanceArn");
    for (size_t t = 0; t < count; t++) {
        if (strcmp(field(f, tasks[t], "containerInstanceArn"), machine) == 0) { there[found++] = tasks[t]; }
    }
    return found;
}

/* Case 58: 12 machines of 8 GPUs, a task of 8 waits; small ones start where nothing is kept, and on the kept machine only if they end before. */
static void test_large(void)
{
    struct api_fixture f;
    const char *there[96];
    open_stage(&f);
    const char **tasks = fill(&f, 12, "1h");
    const char *large = run(&f, "eight", TAGS(WAIT));
    look(&f);
    CHECK_EQ("room is kept", keeps_count(sched_keeps(f.world)), 1);
    const struct keep *keep = keeps_walk(sched_keeps(f.world), NULL);
    size_t count = 0;
    for (size_t t = 0; t < 96; t++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(keep->instance, hex);
        if (strstr(field(&f, tasks[t], "containerInstanceArn"), hex) != NULL) { there[count++] = tasks[t]; }
    }
    CHECK_EQ("of the machine", count, 8);
    f.now_ms += 10 * MINUTE_MS;
    struct str told = ask_queue(&f);
    CHECK_TEXT("told in the queue", at(&f, told, "entries[0].kept.why"), "large");
    CHECK_EQ("the expected start", (int64_t)strtoll(at(&f, told, "entries[0].expectedStart.p90"), NULL, 10), keep->starts_ms);
    finish(&f, there[0]);
    const char *small = run(&f, "shy", TAGS(WAIT)), *longer = run(&f, "one", TAGS(WAIT "," TAG("max-runtime", "2h")));
    CHECK_TEXT("nobody knows when it ends", status(&f, small), "PROVISIONING");
    CHECK_TEXT("it ends later", status(&f, longer), "PROVISIONING");
    CHECK("the refusal says so", strstr(refusal(&f, "shy", ""), "1 instance has room that is kept for the waiting task") != NULL);
    const char *brief = run(&f, "one", TAGS(TAG("max-runtime", "30m")));
    CHECK_TEXT("it ends before", status(&f, brief), "PENDING");
    begin(&f, brief);
    const char *urgent = run(&f, "one", TAGS(WAIT "," TAG("max-runtime", "40m") "," TAG("priority", "1")));
    CHECK_TEXT("a higher priority waits for room alone", status(&f, urgent), "PROVISIONING");
    finish(&f, there[1]);
    CHECK_TEXT("and has it", status(&f, urgent), "PENDING");
    CHECK_TEXT("the others wait", status(&f, small), "PROVISIONING");
    build_again(&f);
    look(&f);
    begin(&f, urgent);
    finish(&f, there[2]);
    CHECK_TEXT("after a restart, too", status(&f, small), "PROVISIONING");
    CHECK("told after a restart", strstr(refusal(&f, "shy", ""), "is kept for the waiting task") != NULL);
    const char **rest = ARENA_NEW(&f.kept, const char *, 8);
    CHECK_EQ("of another machine", same_machine(&f, &tasks[there[0] == tasks[0] ? 95 : 0], 1, rest), 1);
    finish(&f, rest[0]);
    CHECK_TEXT("elsewhere they start, those that say how long first", status(&f, longer), "PENDING");
    for (size_t t = 3; t < 8; t++) { finish(&f, there[t]); }
    finish(&f, brief);
    finish(&f, urgent);
    CHECK_TEXT("the large one has its machine", status(&f, large), "PENDING");
    CHECK_EQ("nothing is kept", keeps_count(sched_keeps(f.world)), 0);
    CHECK_EQ("one waits on", count_at(&f, ask_queue(&f), "entries"), 1);
    fixture_close(&f);
}

/* When each can start: the first where the first ends. Unknown with fewer than 20 past runs. */
static void test_expected(void)
{
    struct api_fixture f;
    open_stage(&f);
    (void)machine_add(&f, "a", 1);
    for (int n = 0; n < 19; n++) {
        const char *task = run(&f, "one", "");
        begin(&f, task);
        f.now_ms += 10 * MINUTE_MS;
        finish(&f, task);
    }
    begin(&f, run(&f, "one", ""));
    (void)run(&f, "one", TAGS(WAIT));
    (void)run(&f, "one", TAGS(WAIT));
    CHECK_TEXT("19 runs", at(&f, ask_queue(&f), "entries[0].expectedStart.p50"), "null");
    finish(&f, at(&f, fixture_call(&f, "ListTasks", "{\"desiredStatus\":\"RUNNING\",\"startedBy\":\"\"}"), "taskArns[0]"));
    begin(&f, at(&f, fixture_call(&f, "ListTasks", "{}"), "taskArns[0]"));
    f.now_ms += MINUTE_MS;
    struct str told = ask_queue(&f);
    int64_t half_ms = strtoll(at(&f, told, "entries[0].expectedStart.p50"), NULL, 10) - f.now_ms;
    CHECK("20 runs", half_ms > 8 * MINUTE_MS && half_ms < 12 * MINUTE_MS);
    CHECK_EQ("its place", (int64_t)strtoll(at(&f, told, "entries[0].positionOfShape"), NULL, 10), 1);
    fixture_close(&f);
}

/* In a pool of 3 machines a machine is too much to keep, unless the request says so. */
static void test_small_pool(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char **tasks = fill(&f, 3, "1h");
    (void)run(&f, "eight", TAGS(WAIT));
    look(&f);
    CHECK_EQ("no room is kept", keeps_count(sched_keeps(f.world)), 0);
    finish(&f, tasks[0]);
    CHECK_TEXT("small ones start", status(&f, run(&f, "one", "")), "PENDING");
    (void)run(&f, "eight", TAGS(WAIT "," TAG("reserve", "true")));
    look(&f);
    CHECK_EQ("its request says so", keeps_count(sched_keeps(f.world)), 1);
    fixture_close(&f);
}

/* Nobody knows when anything ends. */
static void test_unknown(void)
{
    struct api_fixture f;
    cluster_open(&f);
    define(&f, "one", GPUS("1"), "");
    define(&f, "eight", GPUS("8"), "");
    for (size_t m = 0; m < 12; m++) { (void)machine_add(&f, text(&f, "m%zu", m), 8); }
    const char *tasks[96];
    for (size_t t = 0; t < 96; t++) { begin(&f, tasks[t] = run(&f, "one", "")); }
    const char *large = run(&f, "eight", TAGS(WAIT));
    look(&f);
    CHECK_EQ("no room is kept", keeps_count(sched_keeps(f.world)), 0);
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", large));
    (void)run(&f, "eight", TAGS(WAIT "," TAG("reserve", "true")));
    look(&f);
    CHECK_EQ("unless the request says so", keeps_count(sched_keeps(f.world)), 1);
    finish(&f, tasks[0]);
    fixture_close(&f);
}

/* The family's past runs say when its tasks end, and the history keeps them over a restart. */
static void test_past_runs(void)
{
    struct api_fixture f;
    open_stage(&f);
    for (size_t m = 0; m < 12; m++) { (void)machine_add(&f, text(&f, "m%zu", m), 8); }
    for (int n = 0; n < 6; n++) {
        const char *task = run(&f, "one", "");
        begin(&f, task);
        f.now_ms += HOUR_MS;
        finish(&f, task);
    }
    for (size_t t = 0; t < 96; t++) { begin(&f, run(&f, "one", "")); }
    (void)run(&f, "eight", TAGS(WAIT));
    look(&f);
    CHECK_EQ("room is kept", keeps_count(sched_keeps(f.world)), 1);
    int64_t starts_ms = keeps_walk(sched_keeps(f.world), NULL)->starts_ms - f.now_ms;
    CHECK("from past runs", starts_ms >= 55 * MINUTE_MS && starts_ms <= 75 * MINUTE_MS);
    build_again(&f);
    look(&f);
    CHECK_EQ("after a restart", keeps_count(sched_keeps(f.world)), 1);
    fixture_close(&f);
}

/* Case 59: after six hours in which it held back others it is dropped for an hour. */
static void test_hold(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char **tasks = fill(&f, 12, "20h");
    (void)run(&f, "eight", TAGS(WAIT));
    look(&f);
    char hex[ID_HEX_LEN + 1];
    id_hex(keeps_walk(sched_keeps(f.world), NULL)->instance, hex);
    size_t one = 0;
    while (strstr(field(&f, tasks[one], "containerInstanceArn"), hex) == NULL) { one++; }
    finish(&f, tasks[one]);
    const char *small = run(&f, "one", TAGS(WAIT));
    look(&f);
    CHECK_TEXT("held back", status(&f, small), "PROVISIONING");
    f.now_ms += 3 * HOUR_MS;
    build_again(&f);
    look(&f);
    CHECK_TEXT("after three hours and a restart", status(&f, small), "PROVISIONING");
    f.now_ms += 3 * HOUR_MS - 10 * 1000;
    look(&f);
    CHECK_TEXT("not yet", status(&f, small), "PROVISIONING");
    f.now_ms += 20 * 1000;
    look(&f);
    CHECK_TEXT("small tasks again", status(&f, small), "PENDING");
    CHECK("told", strstr(arena_cstr(&f.kept, f.lines), "has held back others for 6h: none is kept for it in the next hour") != NULL);
    CHECK_EQ("nothing is kept", keeps_count(sched_keeps(f.world)), 0);
    f.now_ms += HOUR_MS - 60 * 1000;
    finish(&f, tasks[(one + 8) % 96]);
    CHECK_EQ("for an hour", keeps_count(sched_keeps(f.world)), 0);
    f.now_ms += 60 * 1000;
    (void)run(&f, "one", TAGS(WAIT));
    CHECK_EQ("then it is", keeps_count(sched_keeps(f.world)), 1);
    fixture_close(&f);
}

static void test_gang(void)
{
    struct api_fixture f;
    open_stage(&f);
    (void)fill(&f, 24, "1h");
    (void)run(&f, "eight", ",\"count\":2" TAGS(WAIT "," TAG("gang", "true")));
    look(&f);
    CHECK_EQ("on two machines", keeps_count(sched_keeps(f.world)), 2);
    fixture_close(&f);
}

/* Case 60. */
static void test_preempt(void)
{
    struct api_fixture f;
    open_stage(&f);
    (void)machine_add(&f, "a", 1);
    const char *victim = run(&f, "one", TAGS(TAG("preemptible", "true")));
    begin(&f, victim);
    f.now_ms += 6 * MINUTE_MS;
    const char *five = run(&f, "one", TAGS(WAIT "," TAG("priority", "5")));
    look(&f);
    CHECK_TEXT("5 is too little", field(&f, victim, "desiredStatus"), "RUNNING");
    const char *fifty = run(&f, "one", TAGS(WAIT "," TAG("priority", "50")));
    look(&f);
    CHECK_TEXT("it stops", field(&f, victim, "desiredStatus"), "STOPPED");
    const char *why = text(&f, "Preempted by task %s (priority 50 over 0)", fifty);
    CHECK("why", strcmp(field(&f, victim, "stoppedReason"), why) == 0);
    CHECK_TEXT("its code", field(&f, victim, "stopCode"), "UserInitiated");
    CHECK_TEXT("until then it waits", status(&f, fifty), "PROVISIONING");
    build_again(&f);
    look(&f);
    CHECK_EQ("the room is kept over a restart", keeps_count(sched_keeps(f.world)), 1);
    report_end(&f, victim, "", ",\"exitCode\":143");
    CHECK("no other takes it", strstr(refusal(&f, "one", ""), "is kept for the waiting task") != NULL);
    look(&f);
    CHECK_TEXT("it starts", status(&f, fifty), "PENDING");
    CHECK_TEXT("the other waits", status(&f, five), "PROVISIONING");
    CHECK("the reason stays", strcmp(field(&f, victim, "stoppedReason"), why) == 0);
    CHECK_EQ("nothing is kept", keeps_count(sched_keeps(f.world)), 0);
    fixture_close(&f);
}

static const char *last_waiting(struct api_fixture *f)
{
    struct str list = fixture_call(f, "ListTasks", "{}");
    const char *found = "";
    for (int64_t t = 0, count = count_at(f, list, "taskArns"); t < count; t++) {
        const char *task = at(f, list, text(f, "taskArns[%d]", (int)t));
        if (strcmp(status(f, task), "PROVISIONING") == 0) { found = task; }
    }
    return found;
}

/* One that may be started again waits in its own place, once for each retry. */
static void test_retry(void)
{
    struct api_fixture f;
    open_stage(&f);
    (void)machine_add(&f, "a", 1);
    const char *victim = run(&f, "one", TAGS(TAG("preemptible", "true") "," TAG("retry", "1") "," TAG("max-runtime", "1h")));
    begin(&f, victim);
    f.now_ms += 6 * MINUTE_MS;
    const char *later = run(&f, "one", TAGS(WAIT "," TAG("max-runtime", "1h")));
    const char *winner = run(&f, "one", TAGS(WAIT "," TAG("priority", "50")));
    look(&f);
    report_end(&f, victim, "", ",\"exitCode\":143");
    look(&f);
    CHECK_TEXT("the winner starts", status(&f, winner), "PENDING");
    const char *again = last_waiting(&f);
    CHECK("another one waits", strcmp(again, later) != 0 && again[0] != '\0');
    CHECK("and the first says so", strcmp(field(&f, victim, "stoppedReason"), text(&f, "Preempted by task %s (priority 50 over 0). It is started again as %s", winner,
                                                                                      again + strlen(again) - ID_HEX_LEN)) == 0);
    CHECK_TEXT("with its definition", field(&f, again, "taskDefinitionArn"), field(&f, victim, "taskDefinitionArn"));
    struct str tags = fixture_call(&f, "ListTagsForResource", text(&f, "{\"resourceArn\":\"%s\"}", again));
    CHECK("and its tags, with one retry less", str_contains(tags, STR(TAG("retry", "0"))) && str_contains(tags, STR(TAG("preemptible", "true"))));
    build_again(&f);
    report_end(&f, winner, "", ",\"exitCode\":0");
    look(&f);
    CHECK_TEXT("it is before those that came later", status(&f, again), "PENDING");
    CHECK_TEXT("which wait", status(&f, later), "PROVISIONING");
    begin(&f, again);
    f.now_ms += 6 * MINUTE_MS;
    const char *second = run(&f, "one", TAGS(WAIT "," TAG("priority", "50")));
    look(&f);
    CHECK("without a retry it stops and stays so", strcmp(field(&f, again, "stoppedReason"), text(&f, "Preempted by task %s (priority 50 over 0)", second)) == 0);
    fixture_close(&f);
}

/* A victim has run for five minutes; then it stops, although nothing else happens. One that does not end keeps no room for ever. */
static void test_young(void)
{
    struct api_fixture f;
    open_stage(&f);
    (void)machine_add(&f, "a", 1);
    const char *victim = run(&f, "one", TAGS(TAG("preemptible", "true")));
    begin(&f, victim);
    const char *winner = run(&f, "one", TAGS(WAIT "," TAG("priority", "10")));
    f.now_ms += 5 * MINUTE_MS - 1;
    look(&f);
    CHECK_TEXT("too young", field(&f, victim, "desiredStatus"), "RUNNING");
    f.now_ms += 1;
    look(&f);
    CHECK_TEXT("five minutes", field(&f, victim, "desiredStatus"), "STOPPED");
    f.now_ms += 11 * MINUTE_MS;
    look(&f);
    CHECK_EQ("the room is kept no more", keeps_count(sched_keeps(f.world)), 0);
    CHECK_TEXT("it waits on", status(&f, winner), "PROVISIONING");
    report_end(&f, victim, "", ",\"exitCode\":143");
    look(&f);
    CHECK_TEXT("and starts", status(&f, winner), "PENDING");
    fixture_close(&f);
}

/* A service's task: its service starts another one, which does not take the room back. */
static void test_service_victim(void)
{
    struct api_fixture f;
    open_stage(&f);
    (void)machine_add(&f, "a", 1);
    (void)fixture_call(&f, "RegisterTaskDefinition", "{\"family\":\"spot\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"train\",\"memory\":64,"
                       "\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]}],\"tags\":[" TAG("preemptible", "true") "]}");
    (void)fixture_call(&f, "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"spot\",\"desiredCount\":1,\"propagateTags\":\"TASK_DEFINITION\"}");
    CHECK_EQ("created", f.code, ERR_NONE);
    settle(&f);
    f.now_ms += 10 * MINUTE_MS;
    const char *winner = run(&f, "one", TAGS(WAIT "," TAG("priority", "10")));
    settle(&f);
    CHECK_TEXT("it runs", status(&f, winner), "RUNNING");
    struct str service = fixture_call(&f, "DescribeServices", "{\"services\":[\"web\"]}");
    CHECK("an event of the service says so", strstr(arena_cstr(&f.kept, service), "Preempted by task") != NULL);
    CHECK_TEXT("it waits", at(&f, service, "services[0].runningCount"), "0");
    CHECK("no failure of it", strstr(arena_cstr(&f.kept, service), "\"failedTasks\":0") != NULL);
    fixture_close(&f);
}

static void test_tags(void)
{
    static const struct { const char *row, *tags; bool good; } rows[] = {
        { "true", TAG("preemptible", "true"), true }, { "false", TAG("preemptible", "false"), true }, { "yes", TAG("preemptible", "yes"), false },
        { "the shortest", TAG("max-runtime", "1s"), true }, { "too short", TAG("max-runtime", "0s"), false }, { "too long", TAG("max-runtime", "721h"), false },
        { "no time", TAG("max-runtime", "long"), false }, { "reserve", TAG("reserve", "1"), false }, { "unknown", TAG("patience", "1"), false },
        { "no retry", TAG("retry", "0"), true }, { "the most", TAG("retry", "100"), true }, { "more", TAG("retry", "101"), false },
        { "no number of them", TAG("retry", "true"), false }, { "fewer than none", TAG("retry", "-1"), false },
    };
    struct api_fixture f;
    open_stage(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"one\",\"tags\":[%s,%s]}", WAIT, rows[r].tags));
        CHECK_EQ(rows[r].row, f.code, rows[r].good ? ERR_NONE : ERR_INVALID_PARAMETER);
    }
    fixture_close(&f);
}

int main(void)
{
    test_tags();
    test_large();
    test_expected();
    test_small_pool();
    test_unknown();
    test_past_runs();
    test_hold();
    test_gang();
    test_preempt();
    test_retry();
    test_young();
    test_service_victim();
    return check_report();
}
