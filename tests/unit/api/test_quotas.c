/* test_quotas.c: the tag berth:quota of a cluster: tasks over it are refused or wait, services too; changes of it, of tags, and a restart. */
#include "tests/unit/api/service_lives.h"

#include "scheduler/queue/quota.h"

#define ML ",\"tags\":[{\"key\":\"team\",\"value\":\"ml\"}]"
#define ML_WAITS ",\"tags\":[{\"key\":\"team\",\"value\":\"ml\"},{\"key\":\"berth:queue\",\"value\":\"wait\"}]"
#define WEB_WAITS ",\"tags\":[{\"key\":\"team\",\"value\":\"web\"},{\"key\":\"berth:queue\",\"value\":\"wait\"}]"

static const char *run(struct api_fixture *f, const char *more)
{
    struct str reply = fixture_call(f, "RunTask", text(f, "{\"taskDefinition\":\"train\"%s}", more));
    CHECK_EQ("RunTask", f->code, ERR_NONE);
    return arena_str(&f->kept, str_from(at(f, reply, "tasks[0].taskArn"))).ptr;
}

static const char *status(struct api_fixture *f, const char *task)
{
    return at(f, fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", task)), "tasks[0].lastStatus");
}

static void quota(struct api_fixture *f, const char *value)
{
    (void)fixture_call(f, "TagResource", text(f, "{\"resourceArn\":\"arn:aws:ecs:us-east-1:123456789012:cluster/default\",\"tags\":[{\"key\":\"berth:quota\","
                       "\"value\":\"%s\"}]}", value));
}

static int64_t used(struct api_fixture *f, const char *what)
{
    const struct quota_item *items;
    size_t count = quotas_of(sched_quotas(f->world), 1, &items);
    CHECK(what, count > 0);
    return count == 0 ? -1 : items[0].used;
}

static void look(struct api_fixture *f)
{
    (void)steps(f);
    check_world(f, "the world is that of the store");
}

static void finish(struct api_fixture *f, const char *task)
{
    (void)fixture_call(f, "SubmitTaskStateChange", text(f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"done\"}", task));
    f->now_ms += 5;
    look(f);
}

static void open_stage(struct api_fixture *f)
{
    cluster_open(f);
    (void)machine_add(f, "a", 8);
    define(f, "train", GPUS("1"), "");
}

static void test_tasks(void)
{
    struct api_fixture f;
    open_stage(&f);
    const char *first = run(&f, ML);
    quota(&f, "team:ml:x");
    CHECK_EQ("a wrong value", f.code, ERR_INVALID_PARAMETER);
    quota(&f, "team:ml:2");
    CHECK_EQ("set", f.code, ERR_NONE);
    CHECK_EQ("what runs already counts", used(&f, "set"), 1000);
    struct str reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"count\":3" ML "}");
    CHECK_EQ("one of three", count_at(&f, reply, "tasks"), 1);
    CHECK_TEXT("the reason", at(&f, reply, "failures[0].reason"), "QUOTA");
    CHECK_TEXT("in words", at(&f, reply, "failures[0].detail"),
               "The quota of the cluster for tasks with the tag team=ml is 2 GPUs. They hold 2, and each task needs 1.");
    reply = fixture_call(&f, "RunTask", "{\"taskDefinition\":\"train\",\"count\":2,\"tags\":[{\"key\":\"team\",\"value\":\"ml\"},{\"key\":\"berth:gang\","
                         "\"value\":\"true\"}]}");
    CHECK_EQ("a gang starts as a whole", count_at(&f, reply, "failures"), 2);
    const char *waits = run(&f, ML_WAITS), *web = run(&f, WEB_WAITS);
    look(&f);
    CHECK_TEXT("over the quota it waits", status(&f, waits), "PROVISIONING");
    CHECK_TEXT("others start", status(&f, web), "PENDING");
    struct store_txn *txn = store_read_begin(f.store);
    f.world = sched_world_create(&f.kept);
    api_load_world(f.world, txn);
    CHECK("read", store_read_end(txn));
    look(&f);
    CHECK_EQ("counted after a restart", used(&f, "again"), 2000);
    CHECK_TEXT("it waits on", status(&f, waits), "PROVISIONING");
    (void)fixture_call(&f, "StopTask", text(&f, "{\"task\":\"%s\"}", first));
    CHECK_EQ("held until it has stopped", used(&f, "stopping"), 2000);
    finish(&f, first);
    CHECK_TEXT("it starts", status(&f, waits), "PENDING");
    CHECK_EQ("and counts", used(&f, "started"), 2000);
    const char *next = run(&f, ML_WAITS);
    quota(&f, "team:ml:3");
    look(&f);
    CHECK_TEXT("a greater quota lets it start", status(&f, next), "PENDING");
    (void)fixture_call(&f, "TagResource", text(&f, "{\"resourceArn\":\"%s\",\"tags\":[{\"key\":\"team\",\"value\":\"ml\"}]}", web));
    CHECK_EQ("tagged", f.code, ERR_NONE);
    CHECK_EQ("its new tag counts", used(&f, "tagged"), 4000);
    const char *over = run(&f, ML_WAITS);
    (void)fixture_call(&f, "UntagResource", "{\"resourceArn\":\"arn:aws:ecs:us-east-1:123456789012:cluster/default\",\"tagKeys\":[\"berth:quota\"]}");
    look(&f);
    CHECK_TEXT("no quota", status(&f, over), "PENDING");
    fixture_close(&f);
}

static void test_service(void)
{
    struct api_fixture f;
    open_stage(&f);
    quota(&f, "team:web:2");
    (void)fixture_call(&f, "CreateService", "{\"serviceName\":\"web\",\"taskDefinition\":\"train\",\"desiredCount\":3,\"propagateTags\":\"SERVICE\",\"tags\":["
                       "{\"key\":\"team\",\"value\":\"web\"}]}");
    CHECK_EQ("created", f.code, ERR_NONE);
    settle(&f);
    struct str reply = fixture_call(&f, "DescribeServices", "{\"services\":[\"web\"]}");
    CHECK_TEXT("two run", at(&f, reply, "services[0].runningCount"), "2");
    pass(&f, 60);
    reply = fixture_call(&f, "DescribeServices", "{\"services\":[\"web\"]}");
    CHECK("told", strstr(arena_cstr(&f.kept, reply), "The quota of the cluster for tasks with the tag team=web is 2 GPUs") != NULL);
    quota(&f, "team:web:3");
    settle(&f);
    CHECK_TEXT("then three", at(&f, fixture_call(&f, "DescribeServices", "{\"services\":[\"web\"]}"), "services[0].runningCount"), "3");
    fixture_close(&f);
}

int main(void)
{
    test_tasks();
    test_service();
    return check_report();
}
