/* happened.c: what a change of a task or of a machine means for services: the roster, the failures of a deployment, and which services are due. */
#include "api/services/services.h"

#include "api/capacity/machines.h"
#include "api/capacity/providers.h"
#include "base/canary.h"
#include "scheduler/queue/queue.h"
#include "scheduler/reconcile/roster.h"

enum { GAVE_UP_MAX = 400 };

/* ---- tasks ---- */

void services_tell_task(struct roster *roster, const struct task *task)
{
    static const enum task_health healths[TASK_CHECKED_COUNT] = {
        [TASK_CHECKED_NOTHING] = HEALTH_NO_CHECK, [TASK_CHECKED_NOT_KNOWN] = HEALTH_NOT_KNOWN, [TASK_CHECKED_HEALTHY] = HEALTH_GOOD,
        [TASK_CHECKED_UNHEALTHY] = HEALTH_BAD,
    };
    if (task->service == 0) { return; }
    CANARY(STOPPED_STAYS_IN_ROSTER, if (!task_is_live(task)) { return; });
    if (!task_is_live(task)) { roster_drop(roster, task->id); return; }
    ASSERT(task->deployment != 0);
    bool running = task->last_status == TASK_RUNNING;
    roster_put(roster, &(struct roster_task){
        .id = task->id, .instance = task->instance, .service = task->service, .deployment = task->deployment, .running = running,
        .leaving = task->desired_status == TASK_STOPPED, .keeps_place = task->keeps_place == OPT_TRUE, .health = healths[task_checked(task)],
        .balanced = task->balanced == OPT_TRUE, .deregisters = task->last_status == TASK_DEACTIVATING,
        .running_since_ms = running ? task->started_ms : 0, .protected_until_ms = task->protected_until_ms,
    });
}

/* A task ends by itself when no one has ordered its end. */
static enum end_cause cause_of(const struct task *task)
{
    switch (task->stop_code) {
    case TASK_STOP_CODE_TASKFAILEDTOSTART:
    case TASK_STOP_CODE_ESSENTIALCONTAINEREXITED: return END_BY_ITSELF;
    case TASK_STOP_CODE_SERVICESCHEDULERINITIATED:
        return str_starts_with(task->stopped_reason, STR("Task failed container health checks"))
            || str_starts_with(task->stopped_reason, STR("Task failed ELB health checks")) ? END_FAILED_CHECKS : END_BY_OTHERS;
    case TASK_STOP_CODE_UNSET:
    case TASK_STOP_CODE_USERINITIATED:
    case TASK_STOP_CODE_SPOTINTERRUPTION:
    case TASK_STOP_CODE_TERMINATIONNOTICE:
    case TASK_STOP_CODE_INFRASTRUCTUREHEALTH:
    case TASK_STOP_CODE_COUNT: break;
    }
    return END_BY_OTHERS;
}

static bool breaker_is_on(struct op_ctx *ctx, int64_t number)
{
    const struct service *service = store_service(ctx->txn, number, ctx->arena);
    const struct deployment_configuration *configuration = service == NULL ? NULL : service->configuration;
    return configuration != NULL && configuration->deployment_circuit_breaker != NULL && configuration->deployment_circuit_breaker->enable == OPT_TRUE;
}

/* The task's id and why it ended, for people. */
static struct str failure_text(struct op_ctx *ctx, const struct task *task)
{
    enum { TEXT_MAX = 400 };
    char hex[ID_HEX_LEN + 1];
    id_hex(task->id, hex);
    struct str reason = task->stopped_reason;
    for (size_t c = 0; c < task->containers.count; c++) {
        if (task->containers.items[c].reason.len > 0) { reason = task->containers.items[c].reason; }
    }
    return arena_printf(ctx->arena, "(task %s) " STR_FMT, hex, STR_ARG(str_shorten(reason, TEXT_MAX)));
}

static bool is_in_progress(const struct kept_deployment *deployment) { return deployment->rollout == DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS; }

static void put_failures(struct op_ctx *ctx, const struct kept_deployment *found, const struct failures *failures, struct str last_failure, struct str gave_up)
{
    struct kept_deployment deployment = *found;
    bool same = failures->failed == found->failed && failures->unstarted == found->unstarted && failures->crashed == found->crashed
        && failures->next_start_ms == found->next_start_ms && failures->gave_up == str_is_set(found->gave_up);
    if (same) { return; }
    ASSERT(failures->failed >= found->failed);               /* a task alone takes none back */
    if (failures->failed != found->failed) {
        deployment.updated_ms = ctx->now_ms;
        deployment.last_failure = last_failure;
    }
    deployment.failed = failures->failed;
    deployment.unstarted = failures->unstarted;
    deployment.crashed = failures->crashed;
    deployment.next_start_ms = failures->next_start_ms;
    deployment.gave_up = failures->gave_up ? gave_up : (struct str){ NULL, 0 };
    store_put_deployment(ctx->txn, &deployment);
}

/* Containers that exit soon after each start: an event at the third time, with the pause that follows. */
static void tell_crash(struct op_ctx *ctx, const struct task *task, const struct failures *failures, int64_t ran_ms)
{
    enum { TOLD_AT = 3 };
    static const struct str prefix = STR_INIT("service:");
    char hex[ID_HEX_LEN + 1];
    const struct taskdef *taskdef = support_kept_taskdef(ctx, task);
    if (failures->crashed != TOLD_AT || ran_ms >= CRASH_MS || taskdef == NULL || !str_starts_with(task->group, prefix)) { return; }
    id_hex(task->id, hex);
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        bool known = container->index >= 0 && (uint64_t)container->index < taskdef->def.container_definitions.count;
        if (!known || !container->exit_code.set) { continue; }
        struct str name = taskdef->def.container_definitions.items[container->index].name;
        services_add_event(ctx, task->service, arena_printf(ctx->arena,
            "(service " STR_FMT ") (task %s) failed: container " STR_FMT " exited with code %lld after %lld s; next start in %lld s.",
            STR_ARG(str_slice(task->group, prefix.len, task->group.len)), hex, STR_ARG(name), (long long)container->exit_code.value,
            (long long)(ran_ms / 1000), (long long)(backoff_crash_pause_ms(failures->crashed) / 1000)));
        return;
    }
}

static void count(struct op_ctx *ctx, const struct task *before, const struct task *after, bool was_healthy)
{
    bool runs = before->last_status != TASK_RUNNING && after->last_status == TASK_RUNNING, ends = task_is_live(before) && !task_is_live(after);
    if (!runs && !(ends && cause_of(after) != END_BY_OTHERS)) { return; }
    const struct kept_deployment *deployment = store_deployment(ctx->txn, after->service, after->deployment, ctx->arena);
    if (deployment == NULL) { return; }
    struct failures failures = {
        deployment->failed, deployment->unstarted, deployment->crashed, deployment->next_start_ms, deployment->no_room_ms, str_is_set(deployment->gave_up),
    };
    if (runs) { failures_count_running(&failures); }
    struct str gave_up = deployment->gave_up;
    if (ends) {
        bool was_running = after->started_ms != 0;
        const struct task_end end = { cause_of(after), was_running, was_running && was_healthy, ctx->now_ms - after->started_ms, before->wait != NULL };
        if (end.waited) { gave_up = str_shorten(after->stopped_reason, GAVE_UP_MAX); }
        failures_count_end(&failures, &end, is_in_progress(deployment), breaker_is_on(ctx, after->service), ctx->now_ms);
        if (failures.crashed > deployment->crashed) { tell_crash(ctx, after, &failures, end.ran_ms); }
    }
    put_failures(ctx, deployment, &failures, ends ? failure_text(ctx, after) : deployment->last_failure, gave_up);
}

void services_room_grew(struct world *world, int64_t cluster)
{
    roster_room_grew(sched_roster(world), cluster);
    queue_room_grew(sched_queue(world), cluster);
}

/* On a draining machine daemons stop behind the last other task. */
static void tell_end(struct op_ctx *ctx, const struct task *task)
{
    struct roster *roster = sched_roster(ctx->world);
    bool active = false;
    services_room_grew(ctx->world, task->cluster_number);
    if (sched_takes_tasks(ctx->world, task->instance, &active) && !active) { roster_changed_in(roster, task->cluster_number, WATCH_FLEET); }
}

static void look_at_gate(struct op_ctx *ctx, struct id id)
{
    const struct instance *instance = store_instance(ctx->txn, id, ctx->arena);
    bool changed = instance != NULL && provider_gate(ctx->txn, ctx->world, instance, ctx->arena);
    if (changed) { services_room_grew(ctx->world, instance->cluster_number); }
}

void services_gate_all(struct op_ctx *ctx, const struct service *daemon)
{
    size_t count = sched_instance_count(ctx->world, daemon->cluster_number);
    struct id *ids = ARENA_NEW(ctx->arena, struct id, count);
    count = sched_instances(ctx->world, daemon->cluster_number, ids, count);
    for (size_t i = 0; i < count; i++) { look_at_gate(ctx, ids[i]); }
}

/* A daemon that was healthy and ends without the scheduler's order: its machine is replaced, as in ECS, if other tasks run there without it. Else it starts
 * again. */
static void daemon_changed(struct op_ctx *ctx, const struct task *before, const struct task *after, bool was_healthy)
{
    bool ends = before != NULL && task_is_live(before) && !task_is_live(after) && after->stop_code != TASK_STOP_CODE_SERVICESCHEDULERINITIATED;
    if (ends && was_healthy && services_has_others(ctx, after->instance)) {
        machine_replace(ctx, after->instance, arena_printf(ctx->arena, "The " STR_FMT " on it has ended", STR_ARG(after->group)));
    }
    look_at_gate(ctx, after->instance);
}

bool services_has_others(struct op_ctx *ctx, struct id instance)
{
    const struct roster *roster = sched_roster(ctx->world);
    struct id *ids;
    size_t count = store_tasks_on_instance(ctx->txn, instance, &ids, ctx->arena);
    for (size_t t = 0; t < count; t++) {
        const struct roster_task *task = roster_task(roster, ids[t]);
        if (task == NULL || !roster_is_daemon(roster, task->service)) { return true; }
    }
    return false;
}

void services_task_changed(struct op_ctx *ctx, const struct task *before, const struct task *after)
{
    struct roster *roster = sched_roster(ctx->world);
    ASSERT(before == NULL || before->service == 0 || (before->service == after->service && before->deployment == after->deployment));
    if (!task_is_live(after)) { tell_end(ctx, after); }
    if (after->service == 0) { return; }
    const struct roster_task *told = roster_task(roster, after->id);
    bool was_healthy = told != NULL && told->was_healthy;
    if (before != NULL) { count(ctx, before, after, was_healthy); }
    if (after->balanced == OPT_TRUE && !task_is_live(after)) { services_drop_targets(ctx, after->id); }
    services_tell_task(roster, after);
    if (after->of_daemon == OPT_TRUE) { daemon_changed(ctx, before, after, was_healthy); }
}

/* ---- machines ---- */

static void touch_services_of(struct op_ctx *ctx, struct id instance)
{
    struct roster *roster = sched_roster(ctx->world);
    struct id *ids;
    size_t count = store_tasks_on_instance(ctx->txn, instance, &ids, ctx->arena);
    for (size_t t = 0; t < count; t++) {
        const struct roster_task *task = roster_task(roster, ids[t]);
        if (task != NULL) { roster_touch(roster, task->service); }
    }
}

void services_instance_changed(struct op_ctx *ctx, const struct instance *instance, bool status_changed)
{
    struct roster *roster = sched_roster(ctx->world);
    if (status_changed) { touch_services_of(ctx, instance->id); }
    services_room_grew(ctx->world, instance->cluster_number);
    roster_changed_in(roster, instance->cluster_number, WATCH_FLEET);
    if (instance->status != INSTANCE_INACTIVE) { (void)provider_gate(ctx->txn, ctx->world, instance, ctx->arena); }
}
