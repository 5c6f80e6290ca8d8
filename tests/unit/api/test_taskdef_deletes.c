/* DeleteTaskDefinitions, and the end of a deleted definition: shown at once, gone when no task is left of it. */
#include "tests/unit/api/machines.h"

#define DELETE(references) "{\"taskDefinitions\":[" references "]}"
#define INVALID "The specified task definition identifier is invalid. Specify a valid name or ARN and try again."
#define MISSING "The specified task definition does not exist. Specify a valid account, family, revision and try again."
#define ACTIVE  "The specified task definition is still in ACTIVE status. Please deregister the target and try again."

static void test_failures(struct api_fixture *f)
{
    static const struct { const char *row, *reference, *reason; } rows[] = {
        { "no revision",       "web", INVALID },
        { "no number",         "web:x", INVALID },
        { "revision zero",     "web:0", INVALID },
        { "no name",           "", INVALID },
        { "another resource",  "arn:aws:ecs:us-east-1:123456789012:cluster/web:1", INVALID },
        { "an unknown family", "nobody:1", MISSING },
        { "an unknown revision", "web:9", MISSING },
        { "still active",      "web:1", ACTIVE },
        { "still active, by ARN", "arn:aws:ecs:us-east-1:123456789012:task-definition/web:1", ACTIVE },
    };
    define(f, "web", "", "");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str want = arena_printf(&f->kept, "{\"failures\":[{\"arn\":\"%s\",\"reason\":\"%s\"}]}", rows[r].reference, rows[r].reason);
        struct str got = fixture_call(f, "DeleteTaskDefinitions", text(f, DELETE("\"%s\""), rows[r].reference));
        CHECK_EQ(rows[r].row, f->code, ERR_NONE);
        CHECK_STR(rows[r].row, fixture_at(f, got, "failures"), fixture_at(f, want, "failures"));
        CHECK_EQ(rows[r].row, count_at(f, got, "taskDefinitions") > 0, 0);
    }
    fixture_check(f, "none", "DeleteTaskDefinitions", DELETE(""),
                  "InvalidParameterException: size of TaskDefinition references list must be greater than 0");
    fixture_check(f, "no list", "DeleteTaskDefinitions", "{}", "InvalidParameterException: taskDefinitions can not be blank.");
    struct str ten = fixture_call(f, "DeleteTaskDefinitions", DELETE("\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\""));
    CHECK_EQ("ten", count_at(f, ten, "failures"), 10);
    fixture_check(f, "eleven", "DeleteTaskDefinitions", DELETE("\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\""),
                  "InvalidParameterException: Size of TaskDefinition references list cannot exceed 10");
}

static const char *status_of(struct api_fixture *f, const char *revision)
{
    struct str reply = fixture_call(f, "DescribeTaskDefinition", text(f, "{\"taskDefinition\":\"%s\"}", revision));
    return f->code == ERR_NONE ? at(f, reply, "taskDefinition.status") : "(gone)";
}

static void check_status(struct api_fixture *f, const char *row, const char *revision, const char *want)
{
    CHECK_STR(row, str_from(status_of(f, revision)), str_from(want));
}

static int64_t families(struct api_fixture *f)
{
    return count_at(f, fixture_call(f, "ListTaskDefinitionFamilies", "{\"familyPrefix\":\"web\"}"), "families");
}

/* web:1 is not used, and goes at the next turn. */
static void test_unused(struct api_fixture *f)
{
    (void)fixture_call(f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"web:1\"}");
    struct str reply = fixture_call(f, "DeleteTaskDefinitions", DELETE("\"web:1\",\"web:7\",\"web:1\""));
    CHECK_EQ("a revision is shown once", count_at(f, reply, "taskDefinitions"), 1);
    CHECK_EQ("the other fails", count_at(f, reply, "failures"), 1);
    CHECK_STR("in progress", fixture_at(f, reply, "taskDefinitions[0].status"), STR("DELETE_IN_PROGRESS"));
    CHECK("since when", str_is_set(fixture_at(f, reply, "taskDefinitions[0].deleteRequestedAt")));
    check_status(f, "it can be described", "web:1", "DELETE_IN_PROGRESS");
    fixture_check(f, "but not run", "RunTask", "{\"taskDefinition\":\"web:1\"}", "InvalidParameterException: TaskDefinition is inactive");
    f->now_ms += 1000;
    struct str again = fixture_call(f, "DeleteTaskDefinitions", DELETE("\"web:1\""));
    CHECK_STR("asked again, the first date stays", fixture_at(f, again, "taskDefinitions[0].deleteRequestedAt"),
              fixture_at(f, reply, "taskDefinitions[0].deleteRequestedAt"));
    CHECK_EQ("the family of a definition in deletion is in no list", families(f), 0);
    expire(f, 10);
    check_status(f, "gone", "web:1", "(gone)");
    define(f, "web", "", "");
    check_status(f, "the counter goes on", "web:2", "ACTIVE");
    CHECK_EQ("the family is back", families(f), 1);
}

/* web:2 has a task, first running, then stopped and remembered; web:3 has one too, and is nobody's hindrance. */
static void test_used(struct api_fixture *f)
{
    struct str run = fixture_call(f, "RunTask", "{\"taskDefinition\":\"web:2\"}");
    const char *task = at(f, run, "tasks[0].taskArn");
    CHECK_EQ("it runs", f->code, ERR_NONE);
    define(f, "web", "", "");
    (void)fixture_call(f, "RunTask", "{\"taskDefinition\":\"web:3\"}");
    (void)fixture_call(f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"web:2\"}");
    (void)fixture_call(f, "DeleteTaskDefinitions", DELETE("\"web:2\""));
    expire(f, 10);
    check_status(f, "a running task keeps it", "web:2", "DELETE_IN_PROGRESS");
    report(f, task, "STOPPED", "");
    expire(f, 10);
    check_status(f, "a stopped one too", "web:2", "DELETE_IN_PROGRESS");
    f->now_ms += f->config.stopped_task_keep_ms;
    expire(f, 10);
    check_status(f, "to the last moment", "web:2", "DELETE_IN_PROGRESS");
    f->now_ms += 1;
    expire(f, 10);
    check_status(f, "gone with its last task", "web:2", "(gone)");
    check_status(f, "the other stays", "web:3", "ACTIVE");
    CHECK_EQ("and so does the family", families(f), 1);
}

int main(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "m", 1);
    test_failures(&f);
    test_unused(&f);
    test_used(&f);
    fixture_close(&f);
    return check_report();
}
