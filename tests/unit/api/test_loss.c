/* Machines whose lease is over, and tasks that their machine ends by itself. */
#include "wire/wire.h"
#include "tests/unit/api/machines.h"

typedef void prepare_batch(const struct machine_batch *batch, struct arena *arena, struct api_call *call);

/* With how many of the machines, from the first on, all is done. */
static size_t do_batch(struct api_fixture *f, prepare_batch *prepare, const struct id *instances, size_t count, size_t limit, size_t bytes)
{
    struct api_call call;
    struct arena arena;
    arena_init(&arena, bytes);
    prepare(&(struct machine_batch){ instances, count, limit }, &f->kept, &call);
    fixture_internal_in(f, &call, &arena);
    size_t done = api_machines_done(&call);
    arena_finish(&arena);
    return done;
}

static void fence(struct api_fixture *f, struct id instance)
{
    CHECK_EQ("it is fenced", do_batch(f, api_prepare_fence, &instance, 1, 100, FIXTURE_ARENA_BYTES), 1);
}

static const char *run_one(struct api_fixture *f)
{
    struct str reply = fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}]}");
    CHECK_EQ("it runs", count_at(f, reply, "tasks"), 1);
    return at(f, reply, "tasks[0].taskArn");
}

static struct str task_of(struct api_fixture *f, const char *arn)
{
    return fixture_at(f, fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"],\"include\":[\"TAGS\"]}", arn)), "tasks[0]");
}

static struct str state_of(struct api_fixture *f, struct id id, const char *member)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    struct str reply = fixture_call(f, "DescribeContainerInstances", text(f, "{\"containerInstances\":[\"%s\"]}", hex));
    return fixture_at(f, reply, text(f, "containerInstances[0].%s", member));
}

static int64_t epoch_of(struct api_fixture *f, struct id instance)
{
    struct store_txn *txn = store_read_begin(f->store);
    const struct instance *found = store_instance(txn, instance, &f->kept);
    int64_t epoch = found == NULL ? -1 : found->session_epoch;
    ASSERT(store_read_end(txn));
    return epoch;
}

static void test_fence(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 2);
    define(&f, "f", GPUS("1"), "");
    const char *first = run_one(&f), *second = run_one(&f);
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"RUNNING\",\"reason\":\"\"}", first));
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\",\"reason\":\"enough\"}", second));
    int64_t epoch = epoch_of(&f, a);

    fence(&f, a);
    CHECK_STR("an agent that is there keeps its tasks", fixture_at(&f, task_of(&f, first), "lastStatus"), STR("RUNNING"));
    machine_presence(&f, a, false);
    f.now_ms += 1000;
    fence(&f, a);
    struct str task = task_of(&f, first);
    CHECK_STR("stopped", fixture_at(&f, task, "lastStatus"), STR("STOPPED"));
    CHECK_STR("the code", fixture_at(&f, task, "stopCode"), STR("InfrastructureHealth"));
    CHECK_STR("the reason", fixture_at(&f, task, "stoppedReason"), STR(WIRE_REASON_FENCED));
    CHECK_STR("its container too", fixture_at(&f, task, "containers[0].lastStatus"), STR("STOPPED"));
    task = task_of(&f, second);
    CHECK_STR("the other too", fixture_at(&f, task, "lastStatus"), STR("STOPPED"));
    CHECK_STR("whose order was there first", fixture_at(&f, task, "stopCode"), STR("UserInitiated"));
    CHECK_EQ("all work is sent again", epoch_of(&f, a), epoch + 1);
    CHECK("and it hears so", f.effects.count == 0 || f.effects.items[0].kind == EFFECT_WAKE_INSTANCE);
    check_world(&f, "fenced");
    fence(&f, a);
    CHECK_EQ("once is enough", epoch_of(&f, a), epoch + 1);

    machine_presence(&f, a, true);
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"RUNNING\",\"reason\":\"\"}", first));
    CHECK_EQ("a report from before is acknowledged", f.code, ERR_NONE);
    CHECK_STR("and changes nothing", fixture_at(&f, task_of(&f, first), "lastStatus"), STR("STOPPED"));
    (void)run_one(&f);
    (void)run_one(&f);
    check_world(&f, "both GPUs are given again");
    fence(&f, (struct id){ { 1 } });
    fixture_close(&f);
}

/* A machine whose tasks are more than a request has memory for, if it held all of them. */
static void test_many_tasks(void)
{
    enum { TASKS = 1000, BYTES = 128 * 1024 };
    struct api_fixture f;
    cluster_open(&f);
    (void)fixture_call(&f, "RegisterTaskDefinition", "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\",\"memory\":6}]}");
    struct id a = machine_add(&f, "a", 0);
    for (int t = 0; t < TASKS / 10; t++) { (void)fixture_call(&f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":10}"); }
    CHECK_STR("all are there", state_of(&f, a, "pendingTasksCount"), STR("1000"));
    for (int there = 0; there < 2; there++) {
        f.now_ms += 1000;
        machine_presence(&f, a, there == 1);
        CHECK_STR("its agent came or went", state_of(&f, a, "agentConnected"), there == 1 ? STR("true") : STR("false"));
        struct str list = fixture_call(&f, "ListTasks", "{\"maxResults\":1}");
        CHECK_STR("and its tasks say so", fixture_at(&f, task_of(&f, at(&f, list, "taskArns[0]")), "connectivity"),
                  there == 1 ? STR("CONNECTED") : STR("DISCONNECTED"));
    }
    machine_presence(&f, a, false);
    CHECK_EQ("not all at once", do_batch(&f, api_prepare_fence, &a, 1, TASKS - 1, BYTES), 0);
    CHECK_STR("one is left", state_of(&f, a, "pendingTasksCount"), STR("1"));
    CHECK_EQ("the last", do_batch(&f, api_prepare_fence, &a, 1, 1, BYTES), 1);
    CHECK_STR("none is left", state_of(&f, a, "pendingTasksCount"), STR("0"));
    check_world(&f, "fenced");
    fixture_close(&f);
}

/* Three machines with two tasks each, of which the second's agent is back; and one that nobody knows. */
static void test_batches(void)
{
    static const struct { size_t limit, done, left[3]; } rows[] = {
        { 1, 0, { 1, 2, 2 } }, { 2, 1, { 0, 2, 2 } }, { 3, 2, { 0, 2, 1 } }, { 4, 3, { 0, 2, 0 } }, { 5, 4, { 0, 2, 0 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        cluster_open(&f);
        define(&f, "f", "", "");
        struct id machines[4] = { machine_add(&f, "a", 0), machine_add(&f, "b", 0), machine_add(&f, "c", 0), { { 1 } } };
        for (int m = 0; m < 3; m++) {
            char hex[ID_HEX_LEN + 1];
            id_hex(machines[m], hex);
            for (int t = 0; t < 2; t++) { (void)fixture_call(&f, "StartTask", text(&f, "{\"taskDefinition\":\"f\",\"containerInstances\":[\"%s\"]}", hex)); }
        }
        CHECK_EQ("all are absent, at no task's cost", do_batch(&f, api_prepare_absence, machines, 4, 1, FIXTURE_ARENA_BYTES), 4);
        for (int m = 0; m < 3; m++) { CHECK_STR("so it says", state_of(&f, machines[m], "agentConnected"), STR("false")); }
        machine_presence(&f, machines[1], true);
        int64_t epoch = epoch_of(&f, machines[0]);
        CHECK_EQ("done with", do_batch(&f, api_prepare_fence, machines, 4, rows[r].limit, FIXTURE_ARENA_BYTES), rows[r].done);
        CHECK_EQ("each piece is sent to the machine", epoch_of(&f, machines[0]), epoch + 1);
        for (int m = 0; m < 3; m++) {
            CHECK_STR("tasks that are left", state_of(&f, machines[m], "pendingTasksCount"), str_from(text(&f, "%zu", rows[r].left[m])));
        }
        check_world(&f, "a piece");
        fixture_close(&f);
    }
}

/* The agent's contact that an ended task shows: how it was then. */
static void test_contact_at_end(void)
{
    struct api_fixture f;
    cluster_open(&f);
    struct id a = machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    const char *stopped = run_one(&f), *fenced = run_one(&f);
    f.now_ms += 1000;
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"RUNNING\"}", stopped));
    CHECK_STR("reported", fixture_at(&f, task_of(&f, stopped), "connectivityAt"), STR("1700000001.0"));
    CHECK_STR("not reported", fixture_at(&f, task_of(&f, fenced), "connectivity"), STR(""));
    f.now_ms += 1000;
    machine_presence(&f, a, false);
    CHECK_STR("out of touch", fixture_at(&f, task_of(&f, stopped), "connectivity"), STR("DISCONNECTED"));
    CHECK_STR("last in touch", fixture_at(&f, task_of(&f, stopped), "connectivityAt"), STR("1700000001.0"));
    f.now_ms += 1000;
    machine_presence(&f, a, true);
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\"}", stopped));
    f.now_ms += 1000;
    machine_presence(&f, a, false);
    fence(&f, a);
    f.now_ms += 1000;
    machine_presence(&f, a, true);
    CHECK_STR("its agent reported its end", fixture_at(&f, task_of(&f, stopped), "connectivity"), STR("CONNECTED"));
    CHECK_STR("having come back before", fixture_at(&f, task_of(&f, stopped), "connectivityAt"), STR("1700000003.0"));
    CHECK_STR("its agent was away", fixture_at(&f, task_of(&f, fenced), "connectivity"), STR("DISCONNECTED"));
    CHECK_STR("having been there", fixture_at(&f, task_of(&f, fenced), "connectivityAt"), STR("1700000003.0"));
    fixture_close(&f);
}

/* The beginning of the end, the end, and an order that came first. */
static void test_own_stops(void)
{
    static const struct { const char *reason, *code; } rows[] = {
        { WIRE_REASON_SPOT,   "SpotInterruption" },
        { WIRE_REASON_FENCED, "InfrastructureHealth" },
    };
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "a", 0);
    define(&f, "f", "", "");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *arn = run_one(&f), *ordered = run_one(&f);
        f.now_ms += 1000;
        (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"RUNNING\",\"reason\":\"%s\"}", arn, rows[r].reason));
        struct str task = task_of(&f, arn);
        CHECK_STR("it runs still", fixture_at(&f, task, "lastStatus"), STR("RUNNING"));
        CHECK_STR("and is to stop", fixture_at(&f, task, "desiredStatus"), STR("STOPPED"));
        CHECK_STR("since now", fixture_at(&f, task, "stoppingAt"), arena_printf(&f.kept, "%lld.0", (long long)(f.now_ms / 1000)));
        f.now_ms += 1000;
        (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"%s\"}", arn, rows[r].reason));
        task = task_of(&f, arn);
        CHECK_STR("its code", fixture_at(&f, task, "stopCode"), str_from(rows[r].code));
        CHECK_STR("its reason", fixture_at(&f, task, "stoppedReason"), str_from(rows[r].reason));
        CHECK_STR("its end", fixture_at(&f, task, "stoppedAt"), arena_printf(&f.kept, "%lld.0", (long long)(f.now_ms / 1000)));

        (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\",\"reason\":\"enough\"}", ordered));
        (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"%s\"}", ordered, rows[r].reason));
        task = task_of(&f, ordered);
        CHECK_STR("who ordered it first", fixture_at(&f, task, "stopCode"), STR("UserInitiated"));
        CHECK("gives the reason", str_starts_with(fixture_at(&f, task, "stoppedReason"), STR("Task stopped by user")) || str_eq(fixture_at(&f, task, "stoppedReason"), STR("enough")));
    }
    fixture_close(&f);
}

/* ---- an agent that has lost its folder ---- */

/* `arn` empty: a first registration; `word` empty: it says nothing of its folder. */
static struct id come(struct api_fixture *f, const char *cluster, const char *arn, const char *word)
{
    const char *attribute = word[0] == '\0' ? "" : text(f, "{\"name\":\"berth.machine\",\"value\":\"%s\"}", word);
    struct str reply = fixture_call(f, "RegisterContainerInstance",
                                    text(f, "{\"cluster\":\"%s\",\"containerInstanceArn\":\"%s\",\"attributes\":[%s],\"totalResources\":["
                                            "{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":4096},"
                                            "{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":8192}]}", cluster, arn, attribute));
    CHECK_EQ("registered", f->code, ERR_NONE);
    return id_at(f, reply, "containerInstance.containerInstanceArn");
}

static void test_folder_lost(void)
{
    struct api_fixture f;
    cluster_open(&f);
    define(&f, "f", "", "");
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"other\"}");
    struct id first = come(&f, "default", "", "w");
    machine_presence(&f, first, true);
    const char *task = run_one(&f);
    struct id second = come(&f, "default", "", "w");
    CHECK_STR("whose agent is there stays", state_of(&f, first, "status"), STR("ACTIVE"));
    machine_presence(&f, second, true);
    machine_presence(&f, first, false);
    CHECK_STR("and goes with it", state_of(&f, first, "status"), STR("INACTIVE"));
    CHECK("saying why", str_starts_with(state_of(&f, first, "statusReason"), STR("Its agent has lost its folder: the machine is registered as ")));
    CHECK_STR("its task has ended", fixture_at(&f, task_of(&f, task), "stopCode"), STR("InfrastructureHealth"));
    CHECK_STR("the other serves", state_of(&f, second, "status"), STR("ACTIVE"));
    check_world(&f, "left");

    machine_presence(&f, second, false);
    CHECK_STR("an absence alone is no loss", state_of(&f, second, "status"), STR("ACTIVE"));
    static const struct { const char *cluster, *word; } strangers[] = { { "other", "w" }, { "default", "v" }, { "default", "" } };
    for (size_t s = 0; s < COUNT_OF(strangers); s++) {
        (void)come(&f, strangers[s].cluster, "", strangers[s].word);
        CHECK_STR("who says something else", state_of(&f, second, "status"), STR("ACTIVE"));
    }
    struct id third = come(&f, "default", "", "w");
    CHECK_STR("whose agent is not there goes at once", state_of(&f, second, "status"), STR("INACTIVE"));

    char hex[ID_HEX_LEN + 1];
    id_hex(third, hex);
    (void)come(&f, "default", text(&f, "%s", hex), "u");                  /* the machine was restarted: another boot */
    struct id fourth = come(&f, "default", "", "w");
    CHECK_STR("its old word is forgotten", state_of(&f, third, "status"), STR("ACTIVE"));
    (void)come(&f, "default", text(&f, "%s", hex), "w");                  /* the folder was found again */
    CHECK_STR("the last to come is the machine", state_of(&f, fourth, "status"), STR("INACTIVE"));
    check_world(&f, "found again");
    fixture_close(&f);
}

int main(void)
{
    test_fence();
    test_many_tasks();
    test_batches();
    test_contact_at_end();
    test_folder_lost();
    test_own_stops();
    return check_report();
}
