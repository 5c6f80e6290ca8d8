/* What the nouns know by themselves: steps of their statuses, amounts in words, look-ups. */
#include "model/instance.h"
#include "model/task.h"
#include "model/taskdef.h"
#include "tests/unit/check.h"

static void test_task_steps(void)
{
    static const struct { enum task_status from, to; bool may; } rows[] = {
        { TASK_STATUS_UNSET, TASK_PENDING, true },     { TASK_STATUS_UNSET, TASK_RUNNING, false },
        { TASK_PROVISIONING, TASK_PENDING, true },     { TASK_PROVISIONING, TASK_RUNNING, false },
        { TASK_PROVISIONING, TASK_STOPPED, true },     { TASK_PENDING, TASK_RUNNING, true },
        { TASK_PENDING, TASK_PROVISIONING, false },    { TASK_PENDING, TASK_PENDING, false },
        { TASK_RUNNING, TASK_STOPPED, true },          { TASK_RUNNING, TASK_PENDING, false },
        { TASK_RUNNING, TASK_STOPPING, true },         { TASK_STOPPING, TASK_RUNNING, false },
        { TASK_DEPROVISIONING, TASK_STOPPED, true },   { TASK_STOPPED, TASK_STOPPED, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct task task = { .last_status = rows[r].from };
        CHECK_EQ("step", task_may_become(rows[r].from, rows[r].to), rows[r].may);
        CHECK_EQ("step", task_become(&task, rows[r].to, 5), rows[r].may);
        CHECK_EQ("status", task.last_status, rows[r].may ? rows[r].to : rows[r].from);
    }
    for (enum task_status to = TASK_STATUS_UNSET; to < TASK_STATUS_COUNT; to++) {
        CHECK("stopped is final", !task_may_become(TASK_STOPPED, to));
        CHECK("nothing becomes unset", !task_may_become(to, TASK_STATUS_UNSET));
    }
}

static void test_task_times(void)
{
    struct task task = { .last_status = TASK_PENDING, .desired_status = TASK_RUNNING };
    CHECK("runs", task_become(&task, TASK_RUNNING, 10));
    CHECK_EQ("started", task.started_ms, 10);
    CHECK_EQ("not stopping", task.stopping_ms, 0);
    CHECK_EQ("wants to run", task.desired_status, TASK_RUNNING);
    CHECK("live", task_is_live(&task));
    task.stopping_ms = 15;
    CHECK("stops", task_become(&task, TASK_STOPPED, 20));
    CHECK_EQ("a time that is set stays", task.stopping_ms, 15);
    CHECK_EQ("stopped", task.stopped_ms, 20);
    CHECK_EQ("wants to be stopped", task.desired_status, TASK_STOPPED);
    CHECK("not live", !task_is_live(&task));
    CHECK("late news", !task_become(&task, TASK_RUNNING, 30));
    CHECK_EQ("change nothing", task.started_ms, 10);
}

static void test_instance_steps(void)
{
    CHECK("drains", instance_may_become(INSTANCE_ACTIVE, INSTANCE_DRAINING));
    CHECK("and comes back", instance_may_become(INSTANCE_DRAINING, INSTANCE_ACTIVE));
    CHECK("goes", instance_may_become(INSTANCE_DRAINING, INSTANCE_INACTIVE));
    for (enum instance_status to = INSTANCE_STATUS_UNSET; to < INSTANCE_STATUS_COUNT; to++) {
        CHECK("for ever", !instance_may_become(INSTANCE_INACTIVE, to));
    }
}

static void test_attribute(void)
{
    struct attribute attributes[] = { { .name = STR("a") }, { .name = STR("b"), .value = STR("1") } };
    struct instance instance = { .attributes = { attributes, 2 } };
    bool found;
    CHECK_STR("value", instance_attribute(&instance, STR("b"), &found), STR("1"));
    CHECK("found", found);
    CHECK("a name alone", !str_is_set(instance_attribute(&instance, STR("a"), &found)) && found);
    (void)instance_attribute(&instance, STR("c"), &found);
    CHECK("not found", !found);
}

static void test_gpus(void)
{
    static const struct { const char *name; struct str value; bool good; int64_t gpus; } rows[] = {
        { "one", STR_INIT("1"), true, 1 },          { "eight", STR_INIT("8"), true, 8 },    { "all", STR_INIT("ALL"), true, GPUS_ALL },
        { "none", STR_INIT("0"), false, 0 },        { "less", STR_INIT("-1"), false, 0 },   { "half", STR_INIT("0.5"), false, 0 },
        { "lower case", STR_INIT("all"), false, 0 }, { "empty", STR_INIT(""), false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct resource_requirement requirement = { rows[r].value, RESOURCE_TYPE_GPU };
        int64_t gpus = 0;
        CHECK_EQ(rows[r].name, taskdef_gpus(&(struct resource_requirement_list){ &requirement, 1 }, &gpus), rows[r].good);
        CHECK_EQ(rows[r].name, gpus, rows[r].gpus);
    }
    struct resource_requirement two[] = { { STR("eia"), RESOURCE_TYPE_INFERENCEACCELERATOR }, { STR("2"), RESOURCE_TYPE_GPU } };
    int64_t gpus = 7;
    CHECK("others do not count", taskdef_gpus(&(struct resource_requirement_list){ two, 2 }, &gpus) && gpus == 2);
    two[0] = two[1];
    CHECK("twice", !taskdef_gpus(&(struct resource_requirement_list){ two, 2 }, &gpus));
    CHECK("no list", taskdef_gpus(&(struct resource_requirement_list){ NULL, 0 }, &gpus) && gpus == 0);
}

static void test_amounts(void)
{
    static const struct { struct str text; bool cpu_good; int64_t cpu; bool memory_good; int64_t memory; } rows[] = {
        { STR_INIT("256"),       true, 256, true, 256 },          { STR_INIT("0.5 vCPU"), true, 512, false, 0 },
        { STR_INIT("1vcpu"),     true, 1024, false, 0 },          { STR_INIT("1 GB"),     false, 0, true, 1024 },
        { STR_INIT("0.5GB"),     false, 0, true, 512 },           { STR_INIT(" 512 "),    true, 512, true, 512 },
        { STR_INIT(".5 vCPU"),   true, 512, false, 0 },           { STR_INIT("1.vCPU"),   false, 0, false, 0 },
        { STR_INIT("-1"),        false, 0, false, 0 },            { STR_INIT("-1 GB"),    false, 0, false, 0 },
        { STR_INIT("0.-5 GB"),   false, 0, false, 0 },            { STR_INIT(""),         false, 0, false, 0 },
        { STR_INIT("GB"),        false, 0, false, 0 },            { STR_INIT("2.5"),      false, 0, false, 0 },
        { STR_INIT("9999999999999999 GB"), false, 0, false, 0 },  { STR_INIT("0.25 gb"),  false, 0, true, 256 },
        { STR_INIT("1.0000001 GB"), false, 0, false, 0 },         { STR_INIT("1 GB GB"),  false, 0, false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t cpu = 0, memory = 0;
        CHECK_EQ(rows[r].text.ptr, taskdef_read_cpu(rows[r].text, &cpu), rows[r].cpu_good);
        CHECK_EQ(rows[r].text.ptr, taskdef_read_memory(rows[r].text, &memory), rows[r].memory_good);
        if (rows[r].cpu_good) { CHECK_EQ(rows[r].text.ptr, cpu, rows[r].cpu); }
        if (rows[r].memory_good) { CHECK_EQ(rows[r].text.ptr, memory, rows[r].memory); }
    }
}

static void test_containers(void)
{
    struct container_definition containers[] = { { .name = STR("a") }, { .name = STR("b") } };
    struct task_definition definition = { .container_definitions = { containers, 2 } };
    CHECK("found", taskdef_container(&definition, STR("b")) == &containers[1]);
    CHECK("not found", taskdef_container(&definition, STR("c")) == NULL);
}

int main(void)
{
    test_task_steps();
    test_task_times();
    test_instance_steps();
    test_attribute();
    test_gpus();
    test_amounts();
    test_containers();
    return check_report();
}
