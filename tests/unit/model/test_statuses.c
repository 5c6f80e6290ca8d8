/* The steps of each noun's status, every pair of them, and what a step writes beside the status. */
#include "model/cluster.h"
#include "model/instance.h"
#include "model/service.h"
#include "model/task.h"
#include "model/taskdef.h"
#include "tests/unit/check.h"

enum { STATUSES_MAX = SERVICE_DEPLOYMENT_STATUS_COUNT, NOW_MS = 7 };

/* steps[from][to]: '+' may, '.' may not. The statuses are in the order of their enum, UNSET first. */
typedef bool may_become(unsigned from, unsigned to);
typedef unsigned become(unsigned from, unsigned to);          /* the status of a record after the step */
struct noun { const char *name; unsigned count; const char *steps[STATUSES_MAX]; may_become *may; become *step; };

static bool task_may(unsigned from, unsigned to) { return task_may_become((enum task_status)from, (enum task_status)to); }
static bool container_may(unsigned from, unsigned to) { return task_container_may_become((enum task_status)from, (enum task_status)to); }
static bool instance_may(unsigned from, unsigned to) { return instance_may_become((enum instance_status)from, (enum instance_status)to); }
static bool cluster_may(unsigned from, unsigned to) { return cluster_may_become((enum cluster_status)from, (enum cluster_status)to); }
static bool taskdef_may(unsigned from, unsigned to)
{
    return taskdef_may_become((enum task_definition_status)from, (enum task_definition_status)to);
}
static bool daemon_taskdef_may(unsigned from, unsigned to)
{
    return daemon_taskdef_may_become((enum daemon_task_definition_status)from, (enum daemon_task_definition_status)to);
}
static bool service_may(unsigned from, unsigned to) { return service_may_become((enum service_status)from, (enum service_status)to); }
static bool deployment_may(unsigned from, unsigned to) { return deployment_may_become((enum deployment_status)from, (enum deployment_status)to); }
static bool rollout_may(unsigned from, unsigned to)
{
    return deployment_rollout_may_become((enum deployment_rollout_state)from, (enum deployment_rollout_state)to);
}
static bool act_may(unsigned from, unsigned to)
{
    return service_deployment_may_become((enum service_deployment_status)from, (enum service_deployment_status)to);
}
static bool hook_may(unsigned from, unsigned to)
{
    return hook_may_become((enum deployment_lifecycle_hook_status)from, (enum deployment_lifecycle_hook_status)to);
}

/* With a container of each status, so that STOPPED shows what becomes of them. */
static unsigned task_step(unsigned from, unsigned to)
{
    struct task_container containers[] = { { .status = TASK_PENDING }, { .status = TASK_RUNNING }, { .status = TASK_STOPPED } };
    struct task task = { .last_status = (enum task_status)from, .containers = { containers, COUNT_OF(containers) } };
    if (from != TASK_STATUS_UNSET) { task.desired_status = from >= TASK_DEACTIVATING ? TASK_STOPPED : TASK_RUNNING; }
    task_become(&task, (enum task_status)to, NOW_MS);
    CHECK_EQ("desired", task.desired_status, to >= TASK_DEACTIVATING ? TASK_STOPPED : TASK_RUNNING);
    CHECK_EQ("started", task.started_ms, to == TASK_RUNNING ? NOW_MS : 0);
    CHECK_EQ("stopping", task.stopping_ms, to >= TASK_DEACTIVATING ? NOW_MS : 0);
    CHECK_EQ("stopped", task.stopped_ms, to == TASK_STOPPED ? NOW_MS : 0);
    CHECK_EQ("its first container", containers[0].status, to == TASK_STOPPED ? TASK_STOPPED : TASK_PENDING);
    CHECK_EQ("its second container", containers[1].status, to == TASK_STOPPED ? TASK_STOPPED : TASK_RUNNING);
    CHECK_EQ("live", task_is_live(&task), to != TASK_STOPPED);
    return task.last_status;
}

static unsigned container_step(unsigned from, unsigned to)
{
    struct task_container container = { .status = (enum task_status)from };
    task_container_become(&container, (enum task_status)to);
    return container.status;
}

static unsigned instance_step(unsigned from, unsigned to)
{
    struct instance instance = { .id = { { 1 } }, .status = (enum instance_status)from };
    instance_become(&instance, (enum instance_status)to, NOW_MS);
    CHECK_EQ("registered", instance.registered_ms, from == INSTANCE_STATUS_UNSET ? NOW_MS : 0);
    CHECK_EQ("deregistered", instance.deregistered_ms, to == INSTANCE_INACTIVE ? NOW_MS : 0);
    return instance.status;
}

static unsigned cluster_step(unsigned from, unsigned to)
{
    struct cluster cluster = { .name = STR("default"), .status = (enum cluster_status)from };
    cluster_become(&cluster, (enum cluster_status)to, NOW_MS);
    CHECK_EQ("created", cluster.created_ms, to == CLUSTER_ACTIVE ? NOW_MS : 0);
    CHECK_EQ("deleted", cluster.deleted_ms, to == CLUSTER_INACTIVE ? NOW_MS : 0);
    return cluster.status;
}

static unsigned taskdef_step(unsigned from, unsigned to)
{
    struct taskdef taskdef = { .def = { .family = STR("web"), .status = (enum task_definition_status)from } };
    taskdef_become(&taskdef, (enum task_definition_status)to, NOW_MS);
    CHECK_EQ("registered", taskdef.def.registered_at, to == TASK_DEFINITION_STATUS_ACTIVE ? NOW_MS : 0);
    CHECK_EQ("deregistered", taskdef.def.deregistered_at, to == TASK_DEFINITION_STATUS_INACTIVE ? NOW_MS : 0);
    CHECK_EQ("delete requested", taskdef.def.delete_requested_at, to == TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS ? NOW_MS : 0);
    return taskdef.def.status;
}

static unsigned daemon_taskdef_step(unsigned from, unsigned to)
{
    struct daemon_taskdef taskdef = { .def = { .family = STR("agent"), .status = (enum daemon_task_definition_status)from } };
    daemon_taskdef_become(&taskdef, (enum daemon_task_definition_status)to, NOW_MS);
    CHECK_EQ("registered", taskdef.def.registered_at, to == DAEMON_TASK_DEFINITION_STATUS_ACTIVE ? NOW_MS : 0);
    CHECK_EQ("delete requested", taskdef.def.delete_requested_at, to == DAEMON_TASK_DEFINITION_STATUS_DELETE_IN_PROGRESS ? NOW_MS : 0);
    return taskdef.def.status;
}

static unsigned service_step(unsigned from, unsigned to)
{
    struct service service = { .status = (enum service_status)from, .desired_count = 3 };
    service_become(&service, (enum service_status)to, NOW_MS);
    CHECK_EQ("created", service.created_ms, to == SERVICE_ACTIVE ? NOW_MS : 0);
    CHECK_EQ("deleted", service.deleted_ms, to == SERVICE_INACTIVE ? NOW_MS : 0);
    CHECK_EQ("desired", service.desired_count, to == SERVICE_ACTIVE ? 3 : 0);
    return service.status;
}

static unsigned deployment_step(unsigned from, unsigned to)
{
    struct kept_deployment deployment = { .status = (enum deployment_status)from };
    deployment_become(&deployment, (enum deployment_status)to, NOW_MS);
    CHECK_EQ("created", deployment.created_ms, from == DEPLOYMENT_STATUS_UNSET ? NOW_MS : 0);
    CHECK_EQ("updated", deployment.updated_ms, NOW_MS);
    return deployment.status;
}

static unsigned rollout_step(unsigned from, unsigned to)
{
    struct kept_deployment deployment = { .rollout = (enum deployment_rollout_state)from };
    deployment_rollout_become(&deployment, (enum deployment_rollout_state)to, NOW_MS);
    CHECK_EQ("rolled back", deployment.rolled_back_ms, from == DEPLOYMENT_ROLLOUT_STATE_COMPLETED ? NOW_MS : 0);
    CHECK_EQ("updated", deployment.updated_ms, NOW_MS);
    return deployment.rollout;
}

static unsigned act_step(unsigned from, unsigned to)
{
    struct service_deployment act = { .status = (enum service_deployment_status)from };
    bool ends = to == SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL || to == SERVICE_DEPLOYMENT_STATUS_STOPPED
        || to == SERVICE_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL || to == SERVICE_DEPLOYMENT_STATUS_ROLLBACK_FAILED;
    service_deployment_become(&act, (enum service_deployment_status)to, NOW_MS);
    CHECK_EQ("created", act.created_ms, to == SERVICE_DEPLOYMENT_STATUS_PENDING ? NOW_MS : 0);
    CHECK_EQ("started", act.started_ms, to == SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS ? NOW_MS : 0);
    CHECK_EQ("stopped", act.stopped_ms, to == SERVICE_DEPLOYMENT_STATUS_STOPPED ? NOW_MS : 0);
    CHECK_EQ("finished", act.finished_ms, ends ? NOW_MS : 0);
    CHECK_EQ("updated", act.updated_ms, NOW_MS);
    CHECK_EQ("ended", service_deployment_has_ended((enum service_deployment_status)to), ends);
    return act.status;
}

static unsigned hook_step(unsigned from, unsigned to)
{
    struct kept_hook hook = { .status = (enum deployment_lifecycle_hook_status)from };
    hook_become(&hook, (enum deployment_lifecycle_hook_status)to);
    return hook.status;
}

static const struct noun nouns[] = {
    /* UNSET PROVISIONING PENDING ACTIVATING RUNNING DEACTIVATING STOPPING DEPROVISIONING STOPPED */
    { "task", TASK_STATUS_COUNT,
      { ".++......", "..+..++++", "...++++++", "....+++++", ".....++++", "......+++", ".......++", "........+", "........." }, task_may, task_step },
    { "container", TASK_STATUS_COUNT,
      { "..+......", ".........", "....+...+", ".........", "........+", ".........", ".........", ".........", "........." },
      container_may, container_step },
    /* UNSET REGISTERING REGISTRATION_FAILED ACTIVE INACTIVE DEREGISTERING DRAINING */
    { "instance", INSTANCE_STATUS_COUNT, { ".+.+...", "..+++..", ".+..+..", "....+++", ".......", "....+..", "...+++." }, instance_may, instance_step },
    /* UNSET ACTIVE PROVISIONING DEPROVISIONING FAILED INACTIVE */
    { "cluster", CLUSTER_STATUS_COUNT, { ".+....", ".....+", "......", "......", "......", "......" }, cluster_may, cluster_step },
    /* UNSET ACTIVE INACTIVE DELETE_IN_PROGRESS */
    { "task definition", TASK_DEFINITION_STATUS_COUNT, { ".+..", "..+.", "...+", "...." }, taskdef_may, taskdef_step },
    /* UNSET ACTIVE DELETE_IN_PROGRESS DELETED */
    { "daemon task definition", DAEMON_TASK_DEFINITION_STATUS_COUNT, { ".+..", "..+.", "...+", "...." }, daemon_taskdef_may, daemon_taskdef_step },
    /* UNSET ACTIVE DRAINING INACTIVE */
    { "service", SERVICE_STATUS_COUNT, { ".+..", "..++", "...+", "...." }, service_may, service_step },
    /* UNSET PRIMARY ACTIVE DRAINING INACTIVE */
    { "deployment", DEPLOYMENT_STATUS_COUNT, { ".++..", "..+++", ".+.++", "....+", "....." }, deployment_may, deployment_step },
    /* UNSET COMPLETED FAILED IN_PROGRESS */
    { "rollout", DEPLOYMENT_ROLLOUT_STATE_COUNT, { "...+", "...+", "....", ".++." }, rollout_may, rollout_step },
    /* UNSET PENDING SUCCESSFUL STOPPED STOP_REQUESTED IN_PROGRESS ROLLBACK_REQUESTED ROLLBACK_IN_PROGRESS ROLLBACK_SUCCESSFUL ROLLBACK_FAILED */
    { "service deployment", SERVICE_DEPLOYMENT_STATUS_COUNT,
      { ".+........", "...++++...", "..........", "..........", "...+......", "..+.+.++..", "..++...+..", "........++", "..........", ".........." },
      act_may, act_step },
    /* UNSET AWAITING_ACTION IN_PROGRESS SUCCEEDED FAILED TIMED_OUT */
    { "hook", DEPLOYMENT_LIFECYCLE_HOOK_STATUS_COUNT, { ".++...", "...+++", "...+++", "......", "......", "......" }, hook_may, hook_step },
};

static void test_steps(void)
{
    for (size_t n = 0; n < COUNT_OF(nouns); n++) {
        const struct noun *noun = &nouns[n];
        for (unsigned from = 0; from < noun->count; from++) {
            CHECK_EQ(noun->name, strlen(noun->steps[from]), noun->count);
            for (unsigned to = 0; to < noun->count; to++) {
                bool may = noun->steps[from][to] == '+';
                CHECK_EQ(noun->name, noun->may(from, to), may);
                if (may) { CHECK_EQ(noun->name, noun->step(from, to), to); }
            }
        }
    }
}

static void test_times_stay(void)
{
    struct task task = { .last_status = TASK_RUNNING, .desired_status = TASK_STOPPED, .stopping_ms = 15, .stopped_ms = 16 };
    task_become(&task, TASK_STOPPED, 20);
    CHECK_EQ("a time that is set stays", task.stopping_ms, 15);
    CHECK_EQ("as does this one", task.stopped_ms, 16);
}

static void test_order_stop(void)
{
    const struct stop_cause user = { TASK_STOP_CODE_USERINITIATED, STR("by user") }, spot = { TASK_STOP_CODE_SPOTINTERRUPTION, STR("spot") };
    for (enum task_status last = TASK_PROVISIONING; last <= TASK_RUNNING; last++) {
        struct task task = { .last_status = last, .desired_status = TASK_RUNNING };
        CHECK("ordered", task_order_stop(&task, user, 10));
        CHECK_EQ("the status stays", task.last_status, last);
        CHECK_EQ("desired", task.desired_status, TASK_STOPPED);
        CHECK_EQ("since", task.stopping_ms, 10);
        CHECK_EQ("code", task.stop_code, TASK_STOP_CODE_USERINITIATED);
        CHECK_STR("reason", task.stopped_reason, STR("by user"));
        CHECK("once", !task_order_stop(&task, spot, 20));
        CHECK_EQ("the first order counts", task.stop_code, TASK_STOP_CODE_USERINITIATED);
        CHECK_EQ("its time", task.stopping_ms, 10);
        task_set_cause(&task, spot);
        CHECK_STR("a known cause stays", task.stopped_reason, STR("by user"));
        task_become(&task, TASK_STOPPED, 30);
        CHECK("not after the end", !task_order_stop(&task, spot, 40));
        CHECK_EQ("stopping stays", task.stopping_ms, 10);
    }
    struct task task = { .last_status = TASK_STOPPED, .desired_status = TASK_STOPPED, .stopped_reason = STR("told") };
    task_set_cause(&task, spot);
    CHECK_EQ("an unknown code is set", task.stop_code, TASK_STOP_CODE_SPOTINTERRUPTION);
    CHECK_STR("beside a reason that is known", task.stopped_reason, STR("told"));
}

int main(void)
{
    test_steps();
    test_times_stay();
    test_order_stop();
    return check_report();
}
