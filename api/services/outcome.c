/* outcome.c: what a plan changes: tasks stop, deployments and the service deployment go on, events are written. */
#include "api/capacity/choice.h"
#include "api/capacity/machines.h"
#include "api/core/placement.h"
#include "api/services/books.h"
#include "api/rules/rules.h"
#include "api/tasks/waits.h"
#include "api/traffic/traffic.h"

enum { REASON_MAX = 1024 };

static struct str hex_of(struct op_ctx *ctx, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    return arena_str(ctx->arena, (struct str){ hex, ID_HEX_LEN });
}

static struct str deployment_id(const struct books *books, uint32_t d) { return names_deployment_id(books->deployments[d].digits, books->ctx->arena); }

static uint32_t primary_of(const struct books *books)
{
    for (uint32_t d = 0; d < books->deployment_count; d++) {
        if (books->plan.deployments[d].role == DEPLOYMENT_PRIMARY) { return d; }
    }
    return UINT32_MAX;
}

/* ---- stops ---- */

/* A target of the task that fails its checks, and the ARN of its group. NULL: none, or its group is gone. */
static const struct kept_target *failing_target(struct op_ctx *ctx, struct id task, struct str *group_arn)
{
    const struct kept_target *target = targets_unhealthy(ctx, task);
    const struct kept_group *group = target == NULL ? NULL : store_group(ctx->txn, target->group, ctx->arena);
    if (group == NULL) { return NULL; }
    *group_arn = traffic_group_arn(&ctx->config->names, group, ctx->arena);
    return target;
}

static struct str failed_checks(struct op_ctx *ctx, struct id task)
{
    struct str group;
    if (failing_target(ctx, task, &group) == NULL) { return STR("Task failed container health checks"); }
    return arena_printf(ctx->arena, "Task failed ELB health checks in (target-group " STR_FMT ")", STR_ARG(group));
}

/* With why it drains, if Berth itself has drained it. */
static struct str draining_reason(const struct books *books, uint32_t task)
{
    struct op_ctx *ctx = books->ctx;
    struct str plain = STR("Task stopped due to instance draining.");
    const struct instance *instance = store_instance(ctx->txn, books->instances[books->state.tasks[task].instance], ctx->arena);
    bool says = instance != NULL && instance->status == INSTANCE_DRAINING && str_is_set(instance->status_reason);
    return says ? arena_printf(ctx->arena, STR_FMT " " STR_FMT ".", STR_ARG(plain), STR_ARG(instance->status_reason)) : plain;
}

static struct str stop_reason(const struct books *books, const struct planned_stop *stop)
{
    uint32_t deployment = primary_of(books);
    if (stop->why == STOP_UNHEALTHY) { return failed_checks(books->ctx, books->state.tasks[stop->task].id); }
    if (stop->why == STOP_DRAINING) { return draining_reason(books, stop->task); }
    if (deployment == UINT32_MAX || books->state.strategy == ROLLOUT_EXTERNAL) { deployment = books->state.tasks[stop->task].deployment; }
    return arena_printf(books->ctx->arena, "Scaling activity initiated by (deployment " STR_FMT ")", STR_ARG(deployment_id(books, deployment)));
}

static void order_stops(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    for (size_t s = 0; s < books->plan.stop_count; s++) {
        const struct planned_stop *stop = &books->plan.stops[s];
        ASSERT(stop->task < books->state.task_count && !books->state.tasks[stop->task].leaving);
        const struct task *task = store_task(ctx->txn, books->state.tasks[stop->task].id, ctx->arena);
        if (task == NULL) { continue; }
        const struct stop_cause cause = { TASK_STOP_CODE_SERVICESCHEDULERINITIATED, stop_reason(books, stop) };
        if (task->wait != NULL) {                                     /* it ends at once: the step that follows from that is due */
            (void)waits_end(ctx, task, cause);
            books->ended_some = true;
            continue;
        }
        struct task leaving = *task;
        if (stop->keeps_place) { leaving.keeps_place = OPT_TRUE; }
        (void)placement_order_stop(ctx, &leaving, cause);
    }
}

/* ---- deployments ---- */

/* Why the deployment failed that failed in this step, as part of a sentence. */
static struct str failure_cause(const struct books *books)
{
    static const struct { bool names_stage; struct str text; } causes[] = {
        [FAILURE_BREAKER] = { false, STR_INIT("the circuit breaker threshold was exceeded") }, [FAILURE_ALARM] = { false, STR_INIT("alarm(s) were triggered") },
        [FAILURE_USER] = { false, STR_INIT("of a user request") }, [FAILURE_HOOK] = { true, STR_INIT(" lifecycle hook(s) failed") },
        [FAILURE_PAUSE_TIMED_OUT] = { true, STR_INIT(" pause hook timed out") }, [FAILURE_TOO_LONG] = { true, STR_INIT(" did not end in time") },
    };
    enum rollout_failure failure = books->plan.failure;
    if (failure == FAILURE_NO_PROGRESS) {
        return arena_printf(books->ctx->arena, "it made no progress for %lldm", (long long)(books->state.progress_ms / MINUTE_MS));
    }
    ASSERT(failure < COUNT_OF(causes) && failure != FAILURE_NONE);
    if (!causes[failure].names_stage) { return causes[failure].text; }
    return arena_printf(books->ctx->arena, STR_FMT STR_FMT, STR_ARG(books_stage_name(books->plan.failed_stage)), STR_ARG(causes[failure].text));
}

static struct str rollout_reason(const struct books *books, uint32_t d, const struct deployment *planned)
{
    struct arena *arena = books->ctx->arena;
    struct str id = deployment_id(books, d);
    switch (planned->rollout) {
    case ROLLOUT_COMPLETED: return arena_printf(arena, "ECS deployment " STR_FMT " completed.", STR_ARG(id));
    case ROLLOUT_IN_PROGRESS:
        return planned->rolled_back_to
            ? arena_printf(arena, "ECS deployment%s: rolling back to deploymentId " STR_FMT ".",
                           books->plan.failure == FAILURE_BREAKER ? " circuit breaker" : "", STR_ARG(id))
            : arena_printf(arena, "ECS deployment " STR_FMT " in progress.", STR_ARG(id));
    case ROLLOUT_FAILED: break;
    }
    if (books->plan.failure == FAILURE_USER) { return arena_printf(arena, "ECS deployment " STR_FMT " stopped.", STR_ARG(id)); }
    if (books->plan.failure == FAILURE_ALARM) { return STR("ECS deployment failed: alarm detected."); }
    if (books->plan.failure == FAILURE_BREAKER) { return STR("ECS deployment circuit breaker: tasks failed to start."); }
    return arena_printf(arena, "ECS deployment failed: " STR_FMT ".", STR_ARG(failure_cause(books)));
}

static bool is_of_tasks(enum rollout_failure failure) { return failure == FAILURE_BREAKER || failure == FAILURE_NO_PROGRESS; }

/* The step's reason is ECS's sentence, and behind it the last failure. */
static struct str with_last_failure(const struct books *books, struct str reason, uint32_t d)
{
    struct str last = books->deployments[d].last_failure;
    if (last.len == 0) { return reason; }
    return str_shorten(arena_printf(books->ctx->arena, STR_FMT " Last failure: " STR_FMT, STR_ARG(reason), STR_ARG(last)), REASON_MAX);
}

static enum deployment_rollout_state rollout_state(enum rollout rollout)
{
    return rollout == ROLLOUT_COMPLETED ? DEPLOYMENT_ROLLOUT_STATE_COMPLETED
        : rollout == ROLLOUT_FAILED ? DEPLOYMENT_ROLLOUT_STATE_FAILED : DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS;
}

/* A rollout may end in the step that begins it again: a rollback to tasks that are all there. */
static void go_on_rolling(struct books *books, uint32_t d, struct kept_deployment *kept)
{
    const struct deployment *planned = &books->plan.deployments[d], *before = &books->state.deployments[d];
    int64_t now_ms = books->ctx->now_ms;
    bool again = before->rollout == ROLLOUT_COMPLETED && before->role == DEPLOYMENT_ACTIVE && planned->role == DEPLOYMENT_PRIMARY;
    if (kept->task_set != NULL || (planned->rollout == before->rollout && !again)) { return; }
    if (again) { deployment_rollout_become(kept, DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS, now_ms); }
    if (kept->rollout != rollout_state(planned->rollout)) { deployment_rollout_become(kept, rollout_state(planned->rollout), now_ms); }
    kept->rollout_reason = rollout_reason(books, d, planned);
    if (is_of_tasks(books->plan.failure) && planned->rollout == ROLLOUT_FAILED) {
        kept->rollout_reason = with_last_failure(books, kept->rollout_reason, d);
    }
}

static void go_on_as_set(struct books *books, const struct deployment *planned, struct kept_deployment *kept)
{
    if (kept->task_set == NULL) { return; }
    struct task_set_part *set = arena_copy(books->ctx->arena, kept->task_set, sizeof *kept->task_set);
    enum stability_status stability = planned->stable ? STABILITY_STATUS_STEADY_STATE : STABILITY_STATUS_STABILIZING;
    if (set->stability != stability) { set->stability_since_ms = books->ctx->now_ms; }
    set->stability = stability;
    set->computed = planned->computed;
    kept->task_set = set;
}

static bool same_deployment(const struct deployment *a, const struct deployment *b)
{
    const struct failures *f = &a->failures, *g = &b->failures;
    return a->role == b->role && a->rollout == b->rollout && a->rolled_back_to == b->rolled_back_to && a->wanted == b->wanted && a->computed == b->computed
        && a->stable == b->stable && a->progressed_ms == b->progressed_ms && a->gone == b->gone && a->production == b->production && a->test == b->test
        && f->failed == g->failed && f->unstarted == g->unstarted && f->crashed == g->crashed
        && f->next_start_ms == g->next_start_ms && f->no_room_ms == g->no_room_ms && f->gave_up == g->gave_up;
}


static void write_deployment(struct books *books, uint32_t d)
{
    const struct deployment *planned = &books->plan.deployments[d], *before = &books->state.deployments[d];
    struct kept_deployment *kept = &books->deployments[d];
    ASSERT(d < books->deployment_count && planned->digits == kept->digits);
    if (same_deployment(planned, before)) { return; }
    if (planned->gone) { services_drop_deployment(books->ctx, kept); return; }
    enum deployment_status status = planned->role == DEPLOYMENT_PRIMARY ? DEPLOYMENT_STATUS_PRIMARY : DEPLOYMENT_STATUS_ACTIVE;
    if (planned->role != before->role) { deployment_become(kept, status, books->ctx->now_ms); }
    go_on_rolling(books, d, kept);
    go_on_as_set(books, planned, kept);
    kept->rolled_back_to = opt_bool_of(planned->rolled_back_to);
    kept->wanted = planned->wanted;
    kept->production = planned->production;
    kept->test = planned->test;
    if (kept->failed != planned->failures.failed) { kept->updated_ms = books->ctx->now_ms; }
    kept->failed = planned->failures.failed;
    kept->unstarted = planned->failures.unstarted;
    kept->crashed = planned->failures.crashed;
    kept->next_start_ms = planned->failures.next_start_ms;
    kept->no_room_ms = planned->failures.no_room_ms;
    if (!planned->failures.gave_up) { kept->gave_up = (struct str){ NULL, 0 }; }
    kept->progressed_ms = planned->progressed_ms;
    if (planned->role == DEPLOYMENT_PRIMARY && planned->failures.no_room_ms != 0 && books->no_place.len > 0) { kept->last_failure = books->no_place; }
    store_put_deployment(books->ctx->txn, kept);
}

/* ---- the service deployment ---- */

static void freeze(struct op_ctx *ctx, struct revision_count *counts, int64_t requested)
{
    struct deployment_counts now = store_deployment_counts(ctx->txn, counts->digits);
    counts->requested = requested;
    counts->running = now.running;
    counts->pending = now.pending;
}

static void freeze_counts(struct op_ctx *ctx, const struct service *service, struct service_deployment *act)
{
    struct arena *arena = ctx->arena;
    const struct kept_deployment *target = store_deployment(ctx->txn, service->number, act->target->digits, arena);
    struct breaker breaker = service_breaker(service->configuration);
    act->target = arena_copy(arena, act->target, sizeof *act->target);
    act->sources.items = arena_copy(arena, act->sources.items, act->sources.count * sizeof *act->sources.items);
    freeze(ctx, act->target, service->revision == act->target->digits ? service->desired_count : 0);
    for (size_t s = 0; s < act->sources.count; s++) {
        struct revision_count *source = &act->sources.items[s];
        freeze(ctx, source, service->revision == source->digits ? service->desired_count : store_deployment_counts(ctx->txn, source->digits).staying);
    }
    if (target != NULL) { act->failures = target->failed; }
    act->failure_threshold = breaker_threshold(&breaker, service->desired_count);
}

void services_end_act(struct op_ctx *ctx, const struct service *service, struct service_deployment *act, enum service_deployment_status status,
                      struct str reason)
{
    /* The step before, where a status can't be reached at once. */
    static const enum service_deployment_status via[SERVICE_DEPLOYMENT_STATUS_COUNT] = {
        [SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL] = SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS,
        [SERVICE_DEPLOYMENT_STATUS_STOPPED] = SERVICE_DEPLOYMENT_STATUS_STOP_REQUESTED,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL] = SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_FAILED] = SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS,
    };
    ASSERT(service_deployment_has_ended(status) && !service_deployment_has_ended(act->status));
    bool rolls_back = act->status == SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS;
    if (rolls_back && status == SERVICE_DEPLOYMENT_STATUS_STOPPED) { status = SERVICE_DEPLOYMENT_STATUS_ROLLBACK_FAILED; }
    if (!service_deployment_may_become(act->status, status)) { service_deployment_become(act, via[status], ctx->now_ms); }
    service_deployment_become(act, status, ctx->now_ms);
    act->status_reason = reason;
    enum service_deployment_rollback_monitors_status *const monitors[] = { &act->breaker, &act->alarms };
    for (size_t m = 0; m < COUNT_OF(monitors); m++) {
        if (*monitors[m] == SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING) {
            *monitors[m] = SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING_COMPLETE;
        }
    }
    freeze_counts(ctx, service, act);
}

/* The sentence of ECS. */
static struct str failure_reason(const struct books *books)
{
    const char *how = books->plan.act != ACT_STOPPED ? "rolled back" : books->plan.failure == FAILURE_USER ? "stopped" : "failed";
    struct str reason = arena_printf(books->ctx->arena, "Service deployment %s because " STR_FMT ".", how, STR_ARG(failure_cause(books)));
    if (books->hook_reason.len > 0) {
        return str_shorten(arena_printf(books->ctx->arena, STR_FMT " " STR_FMT, STR_ARG(reason), STR_ARG(books->hook_reason)), REASON_MAX);
    }
    return is_of_tasks(books->plan.failure) ? with_last_failure(books, reason, books->failed) : reason;
}

/* Why the hook failed that ends the deployment, before the hooks of the stage go. */
static struct str hook_reason(const struct books *books)
{
    const struct kept_hook_list *hooks = &books->act.hooks;
    for (size_t h = 0; books->plan.failure == FAILURE_HOOK && h < hooks->count; h++) {
        const struct kept_hook *hook = &hooks->items[h];
        if (hook->place != (int64_t)books->plan.failed_hook) { continue; }
        if (books->state.traffic.hooks[hook->place].answer == HOOK_FAILED) { return hook->reason; }
        return arena_printf(books->ctx->arena, "Lifecycle hook target " STR_FMT " timed out.",
                            STR_ARG(books->act.configuration->lifecycle_hooks.items[hook->place].hook_target_arn));
    }
    return (struct str){ NULL, 0 };
}

static void begin_rollback(struct books *books)
{
    struct service_rollback *rollback = ARENA_NEW(books->ctx->arena, struct service_rollback, 1);
    ASSERT(books->has_act && books->plan.failure != FAILURE_NONE && primary_of(books) != UINT32_MAX);
    *rollback = (struct service_rollback){ failure_reason(books), books->ctx->now_ms, books->deployments[primary_of(books)].digits };
    books->act.rollback = rollback;
    service_deployment_become(&books->act, SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS, books->ctx->now_ms);
    books->act.status_reason = (struct str){ NULL, 0 };
}

/* The deployment that failed in this step; the PRIMARY of before when none did. */
static uint32_t failed_one(const struct books *books)
{
    uint32_t found = 0;
    for (uint32_t d = 0; d < books->deployment_count; d++) {
        if (books->state.deployments[d].role == DEPLOYMENT_PRIMARY) { found = d; }
    }
    return found;
}

static void go_on(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    struct service_deployment *act = &books->act;
    if (books->plan.failure == FAILURE_BREAKER) { act->breaker = SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_TRIGGERED; }
    if (books->plan.failure == FAILURE_ALARM) {
        act->alarms = SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_TRIGGERED;
        act->triggered_alarms = books->triggered;
    }
    bool is_back = books->state.act == ACT_ROLLBACK_IN_PROGRESS, begins = !is_back && books->plan.act == ACT_ROLLBACK_IN_PROGRESS;
    if (begins || (!is_back && books->plan.act == ACT_ROLLBACK_SUCCESSFUL)) { begin_rollback(books); }
    struct str back = act->rollback == NULL ? (struct str){ NULL, 0 } : act->rollback->reason;
    switch (books->plan.act) {
    case ACT_SUCCESSFUL: services_end_act(ctx, &books->service, act, SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL, (struct str){ NULL, 0 }); break;
    case ACT_STOPPED: services_end_act(ctx, &books->service, act, SERVICE_DEPLOYMENT_STATUS_STOPPED, failure_reason(books)); break;
    case ACT_ROLLBACK_SUCCESSFUL: services_end_act(ctx, &books->service, act, SERVICE_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL, back); break;
    case ACT_ROLLBACK_FAILED:
        services_end_act(ctx, &books->service, act, SERVICE_DEPLOYMENT_STATUS_ROLLBACK_FAILED,
                         is_back ? with_last_failure(books, STR("The service deployment that was rolled back to failed too."), books->failed)
                                 : STR("No rollback candidate was found to run the rollback."));
        break;
    case ACT_NONE:
    case ACT_IN_PROGRESS:
    case ACT_STOP_REQUESTED:
    case ACT_ROLLBACK_REQUESTED:
    case ACT_ROLLBACK_IN_PROGRESS: break;
    }
}

/* Its first step begins it. */
static void go_on_act(struct books *books)
{
    struct service_deployment *act = &books->act;
    if (!books->has_act || service_deployment_has_ended(act->status)) { return; }
    enum service_deployment_status was = act->status;
    if (was == SERVICE_DEPLOYMENT_STATUS_PENDING) { service_deployment_become(act, SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS, books->ctx->now_ms); }
    if (books->state.closing) {
        services_end_act(books->ctx, &books->service, act, SERVICE_DEPLOYMENT_STATUS_STOPPED,
                         STR("Service deployment stopped because the service is deleted."));
    } else if (books->plan.act != books->state.act) {
        go_on(books);
    }
    if (act->status != was || books->act_changed) { store_put_service_deployment(books->ctx->txn, act); }
}

/* ---- its rollout with traffic ---- */

/* PRE_PRODUCTION_TRAFFIC_SHIFT is shown as the stage before it: at first the test, and between the steps of the weights the shift. */
static enum service_deployment_lifecycle_stage shown_stage(const struct rollout_at *at)
{
    if (at->stage != STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT) { return shown_stages[at->stage]; }
    return shown_stages[at->step == 0 ? STAGE_POST_TEST_TRAFFIC_SHIFT : STAGE_PRODUCTION_TRAFFIC_SHIFT];
}

static struct kept_hook begin_hook(const struct books *books, size_t h)
{
    ASSERT(h < books->state.traffic.hook_count && books->plan.traffic.at.stage != STAGE_NONE);
    const struct rollout_hook *hook = &books->state.traffic.hooks[h];
    struct str id = hex_of(books->ctx, id_random(books->ctx->rng));
    struct kept_hook kept = {
        .id = arena_printf(books->ctx->arena, "ecs-%s-" STR_FMT, hook->pauses ? "pause" : "lambda", STR_ARG(id)), .place = (int64_t)h,
        .expires_ms = books->plan.traffic.at.stage_since_ms + hook->timeout_ms, .call_ms = hook->pauses ? 0 : books->ctx->now_ms,
    };
    hook_become(&kept, hook->pauses ? DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION : DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS);
    lines_of_hook(books->ctx, books->cluster, &books->service, &kept);
    return kept;
}

/* Hooks of the present stage. Those of a stage that begins are new; of the others only the end of their time is news. */
static void write_hooks(struct books *books)
{
    const struct traffic_plan *plan = &books->plan.traffic;
    const struct kept_hook_list old = books->act.hooks;
    size_t count = books->state.traffic.hook_count;
    struct kept_hook_list hooks = { ARENA_NEW(books->ctx->arena, struct kept_hook, count + old.count), 0 };
    for (size_t k = 0; k < old.count; k++) {
        struct kept_hook hook = old.items[k];
        size_t h = (size_t)hook.place;
        if (h >= count) { continue; }
        bool is_late = books->state.traffic.hooks[h].answer == HOOK_PENDING && books->ctx->now_ms >= hook.expires_ms;
        if (is_late) {
            hook_become(&hook, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_TIMED_OUT);
            lines_of_hook(books->ctx, books->cluster, &books->service, &hook);
            books->act_changed = true;
        }
        if (!plan->begins && plan->answers[h] != HOOK_NONE) { hooks.items[hooks.count++] = hook; }
    }
    for (size_t h = 0; plan->begins && h < count; h++) {
        if (plan->answers[h] == HOOK_PENDING) { hooks.items[hooks.count++] = begin_hook(books, h); }
    }
    ASSERT(hooks.count <= count + old.count);
    books->act_changed |= plan->begins || hooks.count != old.count;
    books->act.hooks = hooks;
}

static void write_weights(struct books *books, struct revision_count *count)
{
    for (size_t d = 0; d < books->deployment_count; d++) {
        const struct deployment *planned = &books->plan.deployments[d];
        if (planned->digits != count->digits || (planned->production == count->production && planned->test == count->test)) { continue; }
        count->production = planned->production;
        count->test = planned->test;
        books->act_changed = true;
    }
}

static void write_rollout(struct books *books)
{
    struct arena *arena = books->ctx->arena;
    struct service_deployment *act = &books->act;
    const struct rollout_at *at = &books->plan.traffic.at, *before = &books->state.traffic.at;
    if (books->state.traffic.begun_ms == 0 || service_deployment_has_ended(act->status)) { return; }
    books->act_changed |= at->stage != before->stage || at->stage_since_ms != before->stage_since_ms || at->step != before->step || at->blue != before->blue
        || at->blue_stops != before->blue_stops;
    act->stage = shown_stage(at);
    act->before_shift = opt_bool_of(at->stage == STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT);
    act->stage_since_ms = at->stage_since_ms;
    act->step = at->step;
    act->blue = at->blue;
    act->blue_stops = opt_bool_of(at->blue_stops);
    write_hooks(books);
    act->target = arena_copy(arena, act->target, sizeof *act->target);
    act->sources.items = arena_copy(arena, act->sources.items, act->sources.count * sizeof *act->sources.items);
    write_weights(books, act->target);
    for (size_t s = 0; s < act->sources.count; s++) { write_weights(books, &act->sources.items[s]); }
    targets_set_weights(books);
}

/* The machines whose daemon is replaced. */
static void write_managed(struct books *books)
{
    const struct managed_rollout *at = &books->plan.managed, *before = &books->state.managed.at;
    struct service_deployment *act = &books->act;
    for (size_t n = 0; n < books->plan.drain_count; n++) {
        machine_replace(books->ctx, books->instances[books->plan.drains[n]],
                        arena_printf(books->ctx->arena, "The daemon " STR_FMT " on it is replaced", STR_ARG(books->service.name)));
    }
    if (books->state.strategy != ROLLOUT_MANAGED || !books->has_act || service_deployment_has_ended(act->status)) { return; }
    books->act_changed |= at->batches != before->batches || at->bake_since_ms != before->bake_since_ms;
    act->step = at->batches;
    act->stage_since_ms = at->bake_since_ms;
}

/* ---- events ---- */

struct telling { struct books *books; struct service_events events; bool any; };

static void tell(struct telling *telling, struct event_words *words)
{
    struct op_ctx *ctx = telling->books->ctx;
    struct buf text = buf_in(ctx->arena);
    words->service = telling->books->service.name;
    event_put(&text, words);
    services_put_event(ctx, &telling->events, buf_str(&text));
    lines_of_event(telling->books, words->kind, buf_str(&text));
    telling->any = true;
}

/* The tasks of one deployment that were placed, EVENT_TASKS_MAX in one event. The first event counts the unhealthy ones that they replace. */
static void tell_starts(struct telling *telling, const struct planned_event *event, struct event_words words)
{
    struct books *books = telling->books;
    struct str names[EVENT_TASKS_MAX];
    size_t count = 0;
    for (size_t p = 0; p < books->placed_count; p++) {
        if (books->placed[p].deployment == event->deployment) { names[count++] = hex_of(books->ctx, books->placed[p].id); }
        if (count == 0 || (count < EVENT_TASKS_MAX && p + 1 < books->placed_count)) { continue; }
        ASSERT(count <= EVENT_TASKS_MAX);
        words.tasks = names;
        words.task_count = count;
        words.count = (int64_t)count;
        tell(telling, &words);
        if (words.kind == EVENT_REPLACED) { words.kind = EVENT_STARTED; }
        count = 0;
    }
}

/* "4 GPUs": of the task that makes room. */
static struct str kept_resources(const struct books *books, const struct planned_event *event)
{
    struct op_ctx *ctx = books->ctx;
    const struct task *task = store_task(ctx->txn, books->state.tasks[books->plan.stops[event->first_stop].task].id, ctx->arena);
    int64_t thousandths = task == NULL ? 0 : task_gpu_thousandths(task);
    if (thousandths == 0) { return STR("CPU and memory"); }
    if (thousandths % GPU_WHOLE != 0) { return STR("parts of GPUs"); }
    return arena_printf(ctx->arena, "%lld GPUs", (long long)(thousandths / GPU_WHOLE));
}

/* A task that fails the checks of a load balancer. False: it fails those of its containers. */
static bool tell_unhealthy(struct telling *telling, uint32_t t)
{
    struct op_ctx *ctx = telling->books->ctx;
    const struct service_task *task = &telling->books->state.tasks[t];
    struct str group;
    const struct kept_target *target = failing_target(ctx, task->id, &group);
    if (target == NULL) { return false; }
    services_put_event(ctx, &telling->events, arena_printf(ctx->arena,
        "(service " STR_FMT ") (task " STR_FMT ") (instance " STR_FMT ") (port %lld) is unhealthy in (target-group " STR_FMT ") due to (reason " STR_FMT ")",
        STR_ARG(telling->books->service.name), STR_ARG(hex_of(ctx, task->id)), STR_ARG(target->name), (long long)target->port,
        STR_ARG(group), STR_ARG(target->description)));
    telling->any = true;
    return true;
}

static struct str zone_name(const struct books *books, uint32_t zone)
{
    return str_is_set(books->zone_names[zone]) ? books->zone_names[zone] : STR("no zone");
}

/* "2 tasks in a, 0 in b, and 0 in c": of the zones that take tasks, as they were before the step. ECS repeats "tasks" when they are balanced. */
static struct str zones_text(const struct books *books, bool balanced)
{
    const struct service_state *state = &books->state;
    int64_t *counts = ARENA_NEW(books->ctx->arena, int64_t, state->zone_count);
    struct buf text = buf_in(books->ctx->arena);
    size_t zones = 0, told = 0;
    for (size_t t = 0; t < state->task_count; t++) { counts[state->tasks[t].zone] += !state->tasks[t].leaving; }
    for (uint32_t z = 0; z < state->zone_count; z++) { zones += state->zones[z].takes; }
    for (uint32_t z = 0; z < state->zone_count; z++) {
        if (!state->zones[z].takes) { continue; }
        told++;
        const char *comma = told == 1 ? "" : told == zones && zones > 2 ? ", and " : ", ", *word = told == 1 || balanced ? " tasks" : "";
        buf_printf(&text, "%s%lld%s in " STR_FMT, comma, (long long)counts[z], word, STR_ARG(zone_name(books, z)));
    }
    return buf_str(&text);
}

/* The deployment, or task set, whose tasks have waited in vain. */
static uint32_t gave_up_one(const struct books *books)
{
    uint32_t d = 0;
    while (d + 1 < books->deployment_count && !books->plan.deployments[d].failures.gave_up) { d++; }
    return d;
}

/* ECS has a sentence of its own when the capacity provider has no machine. */
static bool is_about_no_machine(const struct books *books, enum event_kind kind, struct str reason)
{
    if (kind == EVENT_GAVE_UP) { return str_contains(reason, STR(EMPTY_PROVIDER_REASON)); }
    return kind == EVENT_NO_PLACE && books->full_provider.len > 0 && provider_is_empty(books->ctx, books->full_provider);
}

static void tell_event(struct telling *telling, const struct planned_event *event)
{
    struct books *books = telling->books;
    struct str names[EVENT_TASKS_MAX];
    struct event_words words = {
        .kind = event->kind, .count = event->count, .replaced = event->replaced, .of_task_set = books->state.strategy == ROLLOUT_EXTERNAL,
    };
    if (event->deployment < books->deployment_count) { words.deployment = deployment_id(books, event->deployment); }
    ASSERT(event->named <= EVENT_TASKS_MAX);
    for (uint32_t t = 0; t < event->named; t++) {
        names[t] = hex_of(books->ctx, books->state.tasks[books->plan.stops[event->first_stop + t].task].id);
    }
    words.tasks = names;
    words.task_count = event->named;
    if (event->kind == EVENT_NO_PLACE || event->kind == EVENT_SOME_ROOM) { words.reason = books->no_place; }
    if (event->kind == EVENT_DRAIN) {
        names[0] = hex_of(books->ctx, books->state.tasks[event->task].id);
        words.task_count = 1;
        words.where = services_machine_name(books->ctx, books->instances[books->state.tasks[event->task].instance]);
        words.reason = books->lack;
    }
    if (event->kind == EVENT_GAVE_UP) { words.reason = books->deployments[gave_up_one(books)].gave_up; }
    if (is_about_no_machine(books, event->kind, words.reason)) { words.kind = EVENT_NO_MACHINES; }
    if (event->kind == EVENT_STOPPED_FOR_ROOM) { words.reason = kept_resources(books, event); }
    if (event->kind == EVENT_FAILED) { words.reason = failure_reason(books); }
    if (event->kind == EVENT_FAILED_CHECKS && tell_unhealthy(telling, books->plan.stops[event->first_stop].task)) { return; }
    if (event->kind == EVENT_UNBALANCED || event->kind == EVENT_BALANCED) { words.reason = zones_text(books, event->kind == EVENT_BALANCED); }
    if (event->kind == EVENT_STARTED_IN_ZONE || event->kind == EVENT_STOPPED_IN_ZONE || event->kind == EVENT_ZONE_FULL) {
        words.where = zone_name(books, event->zone);
    }
    if (event->kind == EVENT_STARTED || event->kind == EVENT_REPLACED || event->kind == EVENT_STARTED_IN_ZONE) {
        tell_starts(telling, event, words);
    } else {
        tell(telling, &words);
    }
}

/* No task can be made of the revision. Tried again each minute; the same event twice in a row says no more than once. */
static void tell_launch(struct telling *telling)
{
    struct books *books = telling->books;
    struct op_ctx *ctx = books->ctx;
    const struct service_event_list *known = &telling->events.events;
    struct str text = arena_printf(ctx->arena, "(service " STR_FMT ") failed to launch a task with (error " STR_FMT ").", STR_ARG(books->service.name),
                                   STR_ARG(books->cannot_launch));
    if (known->count > 0 && str_eq(known->items[0].message, text)) { return; }
    services_put_event(ctx, &telling->events, text);
    lines_of_launch(books, text);
    telling->any = true;
}

static void tell_events(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    struct str verdict = preflight_again(books);
    if (books->plan.event_count == 0 && books->cannot_launch.len == 0 && books->target_news_count == 0 && verdict.len == 0) { return; }
    struct telling telling = { .books = books, .events = *store_service_events(ctx->txn, books->service.number, ctx->arena) };
    for (size_t e = 0; e < books->plan.event_count; e++) {
        enum event_kind kind = books->plan.events[e].kind;
        bool is_launch = (kind == EVENT_NO_PLACE || kind == EVENT_DRAIN) && books->cannot_launch.len > 0;     /* told below */
        if (!is_launch) { tell_event(&telling, &books->plan.events[e]); }
    }
    if (books->cannot_launch.len > 0) { tell_launch(&telling); }
    if (verdict.len > 0) { services_put_event(ctx, &telling.events, verdict); }
    telling.any |= verdict.len > 0;
    targets_settle(books);                                        /* of the tasks that leave now */
    targets_tell(books, &telling.events);
    telling.any |= books->target_news_count > 0;
    if (telling.any) { store_put_service_events(ctx->txn, books->service.number, &telling.events); }
}

/* ---- the service ---- */

static bool write_marks(struct books *books)
{
    bool changed = false;
    for (int mark = 0; mark < EVENT_MARK_COUNT; mark++) {
        if (books->plan.marks[mark] == books->state.marks[mark]) { continue; }
        service_set_mark(&books->service, event_causes[mark], books->plan.marks[mark], books->ctx->arena);
        changed = true;
    }
    return changed;
}

static void write_service(struct books *books)
{
    uint32_t primary = primary_of(books);
    int64_t revision = primary == UINT32_MAX ? 0 : books->deployments[primary].digits;
    bool changed = write_marks(books) || books->service_changed;
    bool returns = revision != books->service.revision, counts = books->state.strategy == ROLLOUT_DAEMON || books->state.strategy == ROLLOUT_MANAGED;
    changed |= returns || books->plan.desired != books->service.desired_count;
    books->service.revision = revision;
    if (counts) { books->service.desired_count = books->plan.desired; }
    if (changed) { store_put_service(books->ctx->txn, &books->service); }
    if (returns && books->state.strategy == ROLLOUT_MANAGED) { services_gate_all(books->ctx, &books->service); }
}

/* The earlier one of two times; 0: no time. */
static int64_t earlier(int64_t a, int64_t b) { return b != 0 && (a == 0 || b < a) ? b : a; }

/* It has fewer healthy tasks than its lower limit. */
static bool is_below(const struct books *books)
{
    int64_t healthy = (int64_t)books->plan.healthy_count;
    for (size_t t = 0; t < books->state.task_count; t++) { healthy += books->state.tasks[t].was_healthy && !books->state.tasks[t].leaving; }
    return healthy < reconcile_lower(books->state.desired, books->state.min_percent);
}

void books_close(struct books *books)
{
    struct service_plan *plan = &books->plan;
    struct roster *roster = sched_roster(books->ctx->world);
    int64_t number = books->service.number;
    uint32_t primary = primary_of(books);
    order_stops(books);
    books->failed = books->deployment_count == 0 ? 0 : failed_one(books);
    books->hook_reason = hook_reason(books);
    if (books->has_act && books->act.status == SERVICE_DEPLOYMENT_STATUS_PENDING) { lines_of_begin(books); }
    tell_events(books);
    write_rollout(books);
    write_managed(books);
    go_on_act(books);
    books_name_calls(books);
    for (size_t n = 0; n < plan->healthy_count; n++) {
        uint32_t t = plan->healthy[n];
        ASSERT(t < books->state.task_count && books->state.tasks[t].running);
        roster_set_healthy(roster, books->state.tasks[t].id);
        if (books_keeps_place(books, t)) { places_settle(books->ctx, books->state.tasks[t].id); }
    }
    if (books->state.closing && !plan->more && !plan->waits_to_close && !services_deregister(books->ctx, number)) {
        services_end(books->ctx, &books->service);
        return;
    }
    for (uint32_t d = 0; d < books->deployment_count; d++) { write_deployment(books, d); }
    pulls_ask(books);
    write_service(books);
    roster_watch(roster, number, WATCH_ALARMS, books_watch_alarms(books));
    roster_watch(roster, number, WATCH_ZONES, books->state.rebalances);
    roster_watch(roster, number, WATCH_FEEDS, books->waits_for_feeds);
    int64_t wake_ms = earlier(earlier(earlier(plan->wake_ms, books->place_ends_ms), books->targets_wake_ms), books->call_ms);
    if (plan->wants > (int64_t)books->placed_count) {
        roster_wait(roster, number, is_below(books), primary == UINT32_MAX ? 0 : books->deployments[primary].created_ms, wake_ms);
    } else {
        roster_settle(roster, number, wake_ms);
    }
    if (plan->more || books->ended_some) { roster_touch(roster, number); }
}
