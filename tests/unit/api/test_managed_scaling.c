/* test_managed_scaling.c: the whole way of a capacity provider: tasks that wait for it, its decision, machines that its provisioner starts, tasks on them, and
 * machines that leave when they are empty. The decision itself: test_scaling.c of scheduler/capacity. */
#include "tests/unit/api/stage.h"

enum { IN_AFTER_MIN = 15 };

/* ---- tests ---- */

static void one_agent_comes(struct stage *stage, size_t number)
{
    struct thing *thing = &stage->plant.things[number];
    CHECK("started", thing->runs && !thing->registered);
    thing->registered = true;
    (void)agent_comes(&stage->f, text(&stage->f, "agent%d", stage->agents++), thing->id);
    step(&stage->f);
}

/* Two machines are ordered for a gang: the one that comes first is kept for it. */
static void test_ordered_for(void)
{
    static struct stage stage;
    char verbs[16];
    stage_open(&stage, false, 100, 20);
    struct api_fixture *f = &stage.f;
    (void)fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\",\"count\":2,\"tags\":[{\"key\":\"berth:gang\",\"value\":\"true\"}],"
                       "\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]}");
    CHECK_EQ("it waits", f->code, ERR_NONE);
    for (int m = 0; m < 5 && stage.plant.count < 2; m++) {
        f->now_ms += MINUTE_MS;
        (void)run_all(f, &stage.plant, verbs);
        step(f);
        if (stage.plant.count == 1 && !stage.plant.things[0].registered) { one_agent_comes(&stage, 0); }
    }
    CHECK_EQ("two machines", stage.plant.count, 2);
    if (!stage.plant.things[0].registered) { one_agent_comes(&stage, 0); }
    CHECK_EQ("the gang waits for the other one", placed(&stage), 0);
    struct str small = fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\"}");
    CHECK("another task does not get it", strstr(at(f, small, "failures[0].detail"), "is kept for the waiting task") != NULL);
    small = fixture_call(f, "RunTask", "{\"taskDefinition\":\"f\",\"tags\":[{\"key\":\"berth:priority\",\"value\":\"1\"},{\"key\":\"berth:max-runtime\","
                         "\"value\":\"1h\"}]}");
    CHECK_EQ("one of a higher priority does", count_at(f, small, "tasks"), 1);
    (void)fixture_call(f, "StopTask", text(f, "{\"task\":\"%s\"}", at(f, small, "tasks[0].taskArn")));
    (void)fixture_call(f, "SubmitTaskStateChange", text(f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"\"}", at(f, small, "tasks[0].taskArn")));
    one_agent_comes(&stage, 1);
    CHECK_EQ("both start", placed(&stage), 2);
    stage_close(&stage);
}

static void test_group(void)
{
    static struct stage stage;
    stage_open(&stage, false, 100, 20);
    work(&stage);
    CHECK_EQ("nothing waits: no machine", size_of(&stage), 0);
    run_tasks(&stage, 3);
    CHECK_EQ("they wait", tasks_of(&stage, "RUNNING"), 3);
    CHECK_EQ("without a machine", placed(&stage), 0);
    work(&stage);
    CHECK("machines for them", size_of(&stage) > 0);
    CHECK_EQ("as the pool says", pool_now(&stage.f).desired, (int64_t)size_of(&stage));
    minutes(&stage, 5);
    CHECK_EQ("none more is ordered while all run", size_of(&stage), pool_now(&stage.f).desired);
    CHECK_EQ("one GPU a machine, as they have registered", size_of(&stage), 3);
    CHECK_EQ("all have one", placed(&stage), 3);
    stop_all(&stage);
    minutes(&stage, IN_AFTER_MIN - 1);
    CHECK_EQ("a minute before: all are there", size_of(&stage), 3);
    minutes(&stage, 10);
    CHECK_EQ("then they go", size_of(&stage), 0);
    CHECK_EQ("the pool says so", pool_now(&stage.f).desired, 0);
    stage_close(&stage);
}

static void test_target(void)
{
    static struct stage stage;
    stage_open(&stage, false, 50, 20);
    run_tasks(&stage, 2);
    minutes(&stage, 8);
    CHECK_EQ("two busy machines are half of all", size_of(&stage), 4);
    stage_close(&stage);
}

static void test_max(void)
{
    static struct stage stage;
    stage_open(&stage, false, 100, 2);
    run_tasks(&stage, 5);
    minutes(&stage, 10);
    CHECK_EQ("no more than the largest size", size_of(&stage), 2);
    stop_all(&stage);
    stage_close(&stage);
}

static void test_managed(void)
{
    static struct stage stage;
    stage_open(&stage, true, 100, 20);
    run_tasks(&stage, 2);
    minutes(&stage, 5);
    CHECK_EQ("managed instances", size_of(&stage), 2);
    stop_all(&stage);
    minutes(&stage, 4);
    CHECK_EQ("empty for four minutes", size_of(&stage), 2);
    minutes(&stage, 4);
    CHECK_EQ("empty for more than five", size_of(&stage), 0);
    stage_close(&stage);
}

/* Each machine is of the type that its task needs: nothing is ordered again when the first has come. */
static void test_types(void)
{
    static struct stage stage;
    size_t count;
    stage_open(&stage, true, 100, 20);
    define(&stage.f, "large", GPUS("8"), "");
    run_tasks(&stage, 1);
    (void)fixture_call(&stage.f, "RunTask", "{\"taskDefinition\":\"large\",\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]}");
    step(&stage.f);
    const struct kept_machine *machines = machines_now(&stage.f, &count);
    CHECK_EQ("two machines", (int64_t)count, 2);
    CHECK("of two types", count == 2 && !str_eq(machines[0].type, machines[1].type));
    stage_close(&stage);
}

/* The machines of a provider that is deleted leave when their tasks have ended. */
static void test_deletion(void)
{
    static struct stage stage;
    struct api_fixture *f = &stage.f;
    stage_open(&stage, true, 100, 20);
    run_tasks(&stage, 1);
    minutes(&stage, 3);
    CHECK_EQ("a task runs on its machine", placed(&stage), 1);
    struct str deleted = fixture_call(f, "DeleteCapacityProvider", "{\"capacityProvider\":\"p\",\"cluster\":\"default\"}");
    CHECK_TEXT("as ECS answers", at(f, deleted, "capacityProvider.status"), "ACTIVE");
    CHECK_TEXT("in progress", at(f, deleted, "capacityProvider.updateStatus"), "DELETE_IN_PROGRESS");
    minutes(&stage, 10);
    CHECK_TEXT("until the task has ended", at(f, fixture_call(f, "DescribeCapacityProviders", "{\"capacityProviders\":[\"p\"]}"), "capacityProviders[0].status"), "DEPROVISIONING");
    CHECK_EQ("it runs on", placed(&stage), 1);
    stop_all(&stage);
    minutes(&stage, 3);
    CHECK_TEXT("then it is gone", at(f, fixture_call(f, "DescribeCapacityProviders", "{\"capacityProviders\":[\"p\"]}"), "failures[0].reason"), "MISSING");
    CHECK_EQ("with its machines", size_of(&stage), 0);
    stage_close(&stage);
}

int main(void)
{
    test_types();
    test_ordered_for();
    test_group();
    test_target();
    test_max();
    test_managed();
    test_deletion();
    return check_report();
}
