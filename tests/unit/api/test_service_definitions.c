/* Deleted definitions that services use: DELETE_IN_PROGRESS until the last deployment has ended and its last task is forgotten. */
#include "tests/unit/api/service_lives.h"

#define DAYS(n) ((n) * 24 * 3600)

static void delete_definition(struct api_fixture *f, const char *definition)
{
    (void)fixture_call(f, "DeregisterTaskDefinition", text(f, "{\"taskDefinition\":\"%s\"}", definition));
    struct str reply = fixture_call(f, "DeleteTaskDefinitions", text(f, "{\"taskDefinitions\":[\"%s\"]}", definition));
    CHECK_STR(definition, fixture_at(f, reply, "taskDefinitions[0].status"), STR("DELETE_IN_PROGRESS"));
}

static void check_kept(struct api_fixture *f, const char *row, const char *definition, bool kept)
{
    (void)expire(f, 100);
    struct str reply = fixture_call(f, "DescribeTaskDefinition", text(f, "{\"taskDefinition\":\"%s\"}", definition));
    CHECK_EQ(row, f->code == ERR_NONE, kept);
    if (kept) { CHECK_STR(row, fixture_at(f, reply, "taskDefinition.status"), STR("DELETE_IN_PROGRESS")); }
}

static void forget_tasks(struct api_fixture *f) { pass_idle(f, 3601); }

static void test_without_tasks(struct api_fixture *f)
{
    create(f, "{\"serviceName\":\"web\",\"taskDefinition\":\"a:1\",\"desiredCount\":0}");
    settle(f);
    delete_definition(f, "a:1");
    check_kept(f, "a service without tasks", "a:1", true);
    update(f, OF_WEB(",\"forceNewDeployment\":true"));
    settle(f);
    check_kept(f, "deployed again", "a:1", true);
    update(f, OF_WEB(",\"taskDefinition\":\"a:2\""));
    settle(f);
    check_kept(f, "it has another definition", "a:1", false);
    delete_definition(f, "a:2");
    (void)fixture_call(f, "DeleteService", OF_WEB(""));
    settle(f);
    check_kept(f, "the service is deleted", "a:2", false);
}

/* A task of a deleted definition starts days later. */
static void test_late_task(struct api_fixture *f)
{
    create(f, "{\"serviceName\":\"web\",\"taskDefinition\":\"b:1\",\"desiredCount\":1,\"tags\":[{\"key\":\"berth:healthy-after\",\"value\":\"1\"}]}");
    pass(f, 3);
    delete_definition(f, "b:1");
    pass_idle(f, DAYS(3));
    const char *task = at(f, fixture_call(f, "ListTasks", "{}"), "taskArns[0]");
    (void)fixture_call(f, "StopTask", text(f, "{\"task\":\"%s\"}", task));
    pass(f, 3);
    CHECK_TEXT("another task of it", events(f, "web", 2), "has reached a steady state. / has started 1 tasks:.");
    forget_tasks(f);
    CHECK_TEXT("its service runs", state(f, "web"), "D 1 R 1 P 0 b:1 | PRIMARY b:1 1/1/0 COMPLETED 0");
    check_kept(f, "its service runs", "b:1", true);
    update(f, OF_WEB(",\"taskDefinition\":\"bad:1\",\"desiredCount\":0"));
    pass(f, 3);
    check_kept(f, "its last task can be described", "b:1", true);
    forget_tasks(f);
    check_kept(f, "and is forgotten", "b:1", false);
    (void)fixture_call(f, "DeleteService", OF_WEB(""));
    settle(f);
}

static void test_task_set(struct api_fixture *f)
{
    (void)fixture_call(f, "CreateService", SETS(",\"desiredCount\":0"));
    struct str set = fixture_call(f, "CreateTaskSet", "{\"cluster\":\"default\",\"service\":\"sets\",\"taskDefinition\":\"crash:1\"}");
    const char *id = at(f, set, "taskSet.id");
    settle(f);
    delete_definition(f, "crash:1");
    check_kept(f, "a task set", "crash:1", true);
    (void)fixture_call(f, "DeleteTaskSet", text(f, "{\"cluster\":\"default\",\"service\":\"sets\",\"taskSet\":\"%s\",\"force\":true}", id));
    settle(f);
    check_kept(f, "it is deleted", "crash:1", false);
}

int main(void)
{
    struct api_fixture f;
    life_open(&f);
    test_without_tasks(&f);
    test_late_task(&f);
    test_task_set(&f);
    fixture_close(&f);
    return check_report();
}
