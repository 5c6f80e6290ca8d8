/* test_waits.c: tasks that wait for room: tags, order, what makes room, gangs, expiry, stops, and a world that is built again. */
#include "tests/unit/api/service_lives.h"

#define WAIT(value) ",\"tags\":[{\"key\":\"berth:queue\",\"value\":\"" value "\"}]"
#define FIRST(value) ",\"tags\":[{\"key\":\"berth:queue\",\"value\":\"wait\"},{\"key\":\"berth:priority\",\"value\":\"" value "\"}]"

static const char *run(struct api_fixture *f, const char *more)
{
    struct str reply = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"train\"%s}", more));
    CHECK_EQ("RunTask", f->code, ERR_NONE);
    return arena_str(&f->kept, str_from(at(f, reply, "tasks[0].taskArn"))).ptr;
}

static const char *status(struct api_fixture *f, const char *task)
{
    struct str reply = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", task));
    return text(f, "%s %s", at(f, reply, "tasks[0].lastStatus"), at(f, reply, "tasks[0].desiredStatus"));
}

/* All steps that are due; agents do nothing. */
static void look(struct api_fixture *f)
{
    (void)steps(f);
    check_world(f, "the world is that of the store");
}

/* The end of a task as its agent reports it, then all steps that are due. */
static void finish(struct api_fixture *f, const char *task)
{
    (void)fixture_call(f, "SubmitTaskStateChange", text(f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"done\"}", task));
    CHECK_EQ("reported", f->code, ERR_NONE);
    f->now_ms += 5;
    look(f);
}

/* One machine with two GPUs. */
static void open_stage(struct api_fixture *f)
{
    cluster_open(f);
    (void)machine_add(f, "a", 2);
    define(f, "train", GPUS("1"), "");
    define(f, "pair", GPUS("2"), "");
}

static void test_tags(void)
{
    static const struct { const char *row, *tags, *want; } rows[] = {
        { "no such word", WAIT("later"), "InvalidParameterException: The tag berth:queue can't be \"later\": it should be wait, or wait:TIME with a time from 1s to "
          "720h, for example wait:2h." },
        { "no time", WAIT("wait:"), NULL }, { "too short", WAIT("wait:999ms"), NULL }, { "the shortest", WAIT("wait:1s"), "" },
        { "the longest", WAIT("wait:720h"), "" }, { "too long", WAIT("wait:721h"), NULL }, { "without an end", WAIT("wait"), "" },
        { "the lowest", FIRST("-100"), "" }, { "lower", FIRST("-101"), "InvalidParameterException: The tag berth:priority can't be \"-101\": it should be a number "
          "from -100 to 100." },
        { "the highest", FIRST("100"), "" }, { "higher", FIRST("101"), NULL }, { "no number", FIRST("high"), NULL },
    };
    struct api_fixture f;
    open_stage(&f);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, "RunTask", text(&f, "{\"taskDefinition\":\"train\"%s}", rows[r].tags));
        bool good = rows[r].want != NULL && rows[r].want[0] == '\0';
        CHECK_EQ(rows[r].row, f.code, good ? ERR_NONE : ERR_INVALID_PARAMETER);
        if (rows[r].want != NULL && !good) { CHECK_STR(rows[r].row, reply, str_from(rows[r].want)); }
    }
    (void)fixture_call(&f, "StartTask", "{\"taskDefinition\":\"train\",\"containerInstances\":[\"00000000000000000000000000000001\"]" WAIT("wait") "}");
    CHECK_EQ("StartTask names the machine", f.code, ERR_INVALID_PARAMETER);
    fixture_close(&f);
}

static void test_order(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char *one = run(&f, ""), *two = run(&f, "");
    struct str refused = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\"}");
    CHECK_EQ("without the tag it fails", count_at(&f, refused, "failures"), 1);
    const char *first = run(&f, WAIT("wait")), *second = run(&f, WAIT("wait:1h")), *urgent = run(&f, FIRST("1"));
    CHECK_TEXT("it waits", status(&f, first), "PROVISIONING RUNNING");
    look(&f);
    CHECK_TEXT("as long as there is no room", status(&f, urgent), "PROVISIONING RUNNING");
    CHECK_EQ("listed", count_at(&f, fixture_call(&f, "ListTasks", "{}"), "taskArns"), 5);
    finish(&f, one);
    CHECK_TEXT("the greater priority", status(&f, urgent), "PENDING RUNNING");
    CHECK_TEXT("not yet", status(&f, first), "PROVISIONING RUNNING");
    finish(&f, two);
    CHECK_TEXT("then the first", status(&f, first), "PENDING RUNNING");
    CHECK_TEXT("one at a time", status(&f, second), "PROVISIONING RUNNING");
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", second));
    CHECK_TEXT("a stop ends it at once", status(&f, second), "STOPPED STOPPED");
    finish(&f, first);
    CHECK_TEXT("and it does not come back", status(&f, second), "STOPPED STOPPED");
    fixture_close(&f);
}

static void set_priority(struct api_fixture *f, const char *task, const char *value)
{
    (void)fixture_call(f, "TagResource", text(f, "{\"resourceArn\":\"%s\",\"tags\":[{\"key\":\"berth:priority\",\"value\":\"%s\"}]}", task, value));
}

static void test_other_priority(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char *one = run(&f, ""), *two = run(&f, ""), *first = run(&f, WAIT("wait")), *second = run(&f, WAIT("wait"));
    set_priority(&f, second, "101");
    CHECK_EQ("too much", f.code, ERR_INVALID_PARAMETER);
    set_priority(&f, second, "1");
    CHECK_EQ("more", f.code, ERR_NONE);
    finish(&f, one);
    CHECK_TEXT("it has passed the other one", status(&f, second), "PENDING RUNNING");
    const char *third = run(&f, WAIT("wait"));
    set_priority(&f, third, "1");
    (void)fixture_call(&f, "UntagResource", text(&f, "{\"resourceArn\":\"%s\",\"tagKeys\":[\"berth:priority\"]}", third));
    finish(&f, two);
    CHECK_TEXT("without the tag it is behind again", status(&f, first), "PENDING RUNNING");
    CHECK_TEXT("and waits", status(&f, third), "PROVISIONING RUNNING");
    fixture_close(&f);
}

/* After six hours of waiting a task is as urgent as one with a priority that is one more. */
static void test_age(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char *one = run(&f, ",\"count\":2"), *old = run(&f, WAIT("wait"));
    f.now_ms += (int64_t)6 * 3600 * 1000;
    const char *young = run(&f, FIRST("1"));
    finish(&f, one);
    CHECK_TEXT("the old one", status(&f, old), "PENDING RUNNING");
    CHECK_TEXT("the young one", status(&f, young), "PROVISIONING RUNNING");
    fixture_close(&f);
}

static void test_gang(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char *one = run(&f, ""), *two = run(&f, "");
    struct str reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"count\":2,\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"},"
                                    "{\"key\":\"berth:queue\",\"value\":\"wait\"}]}");
    CHECK_EQ("both wait", count_at(&f, reply, "tasks"), 2);
    const char *first = arena_str(&f.kept, str_from(at(&f, reply, "tasks[0].taskArn"))).ptr, *last = arena_str(&f.kept, str_from(at(&f, reply, "tasks[1].taskArn"))).ptr;
    finish(&f, one);
    CHECK_TEXT("room for one is not enough", status(&f, first), "PROVISIONING RUNNING");
    const char *alone = run(&f, WAIT("wait"));
    CHECK_TEXT("for one task it is", status(&f, alone), "PENDING RUNNING");
    finish(&f, alone);
    finish(&f, two);
    CHECK_TEXT("the first", status(&f, first), "PENDING RUNNING");
    CHECK_TEXT("the last", status(&f, last), "PENDING RUNNING");
    reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"count\":2,\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"},"
                         "{\"key\":\"berth:queue\",\"value\":\"wait\"}]}");
    last = arena_str(&f.kept, str_from(at(&f, reply, "tasks[1].taskArn"))).ptr;
    first = arena_str(&f.kept, str_from(at(&f, reply, "tasks[0].taskArn"))).ptr;
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", last));
    CHECK_TEXT("a gang ends as one", status(&f, first), "STOPPED STOPPED");
    fixture_close(&f);
}

static void test_expiry(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char *holds = run(&f, ",\"count\":2"), *task = run(&f, WAIT("wait:90s"));
    f.now_ms += 90 * 1000 - 1;
    look(&f);
    CHECK_TEXT("not yet", status(&f, task), "PROVISIONING RUNNING");
    f.now_ms += 1;
    look(&f);
    struct str reply = fixture_call(&f, "DescribeTasks", text(&f, "{\"tasks\":[\"%s\"]}", task));
    CHECK_TEXT("over", at(&f, reply, "tasks[0].stopCode"), "TaskFailedToStart");
    CHECK("the reason", str_starts_with(str_from(at(&f, reply, "tasks[0].stoppedReason")), STR("TaskFailedToStart: waited 1m30s for room. RESOURCE:GPU: needs 1 GPU.")));
    const char *late = run(&f, WAIT("wait:90s"));
    f.now_ms += 90 * 1000;
    (void)fixture_call(&f, "SubmitTaskStateChange", text(&f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"done\"}", holds));
    look(&f);
    CHECK_TEXT("room at the last moment is taken", status(&f, late), "PENDING RUNNING");
    fixture_close(&f);
}

/* The world is the store's: what waits there waits here, in the same order. */
static void test_again(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char *one = run(&f, ",\"count\":2"), *first = run(&f, WAIT("wait")), *urgent = run(&f, FIRST("5"));
    struct store_txn *txn = store_read_begin(f.store);
    f.world = sched_world_create(&f.kept);
    api_load_world(f.world, txn);
    CHECK("read", store_read_end(txn));
    look(&f);
    CHECK_TEXT("it waits on", status(&f, first), "PROVISIONING RUNNING");
    finish(&f, one);
    CHECK_TEXT("in order", status(&f, urgent), "PENDING RUNNING");
    CHECK_TEXT("the other waits", status(&f, first), "PROVISIONING RUNNING");
    (void)machine_add(&f, "b", 1);
    look(&f);
    CHECK_TEXT("a machine comes", status(&f, first), "PENDING RUNNING");
    fixture_close(&f);
}

/* No machine is there yet. */
static void test_empty(void)
{
    struct api_fixture f;
    cluster_open(&f);
    define(&f, "train", GPUS("1"), "");
    const char *task = run(&f, WAIT("wait"));
    CHECK_TEXT("waits for a machine", status(&f, task), "PROVISIONING RUNNING");
    (void)machine_add(&f, "a", 1);
    look(&f);
    CHECK_TEXT("has one", status(&f, task), "PENDING RUNNING");
    fixture_close(&f);
}

int main(void)
{
    test_tags();
    test_order();
    test_other_priority();
    test_age();
    test_gang();
    test_expiry();
    test_again();
    test_empty();
    return check_report();
}
