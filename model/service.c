#include "model/service.h"

#include "base/assert.h"
#include "model/status.h"

#define TO STATUS_BIT
/* INACTIVE is final: a new service of the name is a new record. */
static const uint32_t service_steps[SERVICE_STATUS_COUNT] = {
    [SERVICE_STATUS_UNSET] = TO(SERVICE_ACTIVE),
    [SERVICE_ACTIVE]       = TO(SERVICE_DRAINING) | TO(SERVICE_INACTIVE),
    [SERVICE_DRAINING]     = TO(SERVICE_INACTIVE),
};

/* A deployment begins as the PRIMARY, a task set as an ACTIVE one. An ACTIVE one becomes the PRIMARY again by a rollback or by a user's choice. */
static const uint32_t deployment_steps[DEPLOYMENT_STATUS_COUNT] = {
    [DEPLOYMENT_STATUS_UNSET]    = TO(DEPLOYMENT_STATUS_PRIMARY) | TO(DEPLOYMENT_STATUS_ACTIVE),
    [DEPLOYMENT_STATUS_PRIMARY]  = TO(DEPLOYMENT_STATUS_ACTIVE) | TO(DEPLOYMENT_STATUS_DRAINING) | TO(DEPLOYMENT_STATUS_INACTIVE),
    [DEPLOYMENT_STATUS_ACTIVE]   = TO(DEPLOYMENT_STATUS_PRIMARY) | TO(DEPLOYMENT_STATUS_DRAINING) | TO(DEPLOYMENT_STATUS_INACTIVE),
    [DEPLOYMENT_STATUS_DRAINING] = TO(DEPLOYMENT_STATUS_INACTIVE),
};

/* A failed deployment stays so. A completed one is in progress again when a rollback returns to it. */
static const uint32_t rollout_steps[DEPLOYMENT_ROLLOUT_STATE_COUNT] = {
    [DEPLOYMENT_ROLLOUT_STATE_UNSET]       = TO(DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS),
    [DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS] = TO(DEPLOYMENT_ROLLOUT_STATE_COMPLETED) | TO(DEPLOYMENT_ROLLOUT_STATE_FAILED),
    [DEPLOYMENT_ROLLOUT_STATE_COMPLETED]   = TO(DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS),
};

#define ACT(word) TO(SERVICE_DEPLOYMENT_STATUS_##word)
static const uint32_t service_deployment_steps[SERVICE_DEPLOYMENT_STATUS_COUNT] = {
    [SERVICE_DEPLOYMENT_STATUS_UNSET]                = ACT(PENDING),
    [SERVICE_DEPLOYMENT_STATUS_PENDING]              = ACT(IN_PROGRESS) | ACT(ROLLBACK_REQUESTED) | ACT(STOP_REQUESTED) | ACT(STOPPED),
    [SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS]          = ACT(SUCCESSFUL) | ACT(STOP_REQUESTED) | ACT(ROLLBACK_REQUESTED) | ACT(ROLLBACK_IN_PROGRESS),
    [SERVICE_DEPLOYMENT_STATUS_STOP_REQUESTED]       = ACT(STOPPED),
    [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_REQUESTED]   = ACT(SUCCESSFUL) | ACT(ROLLBACK_IN_PROGRESS) | ACT(STOPPED),
    [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS] = ACT(ROLLBACK_SUCCESSFUL) | ACT(ROLLBACK_FAILED),
};
#undef ACT

#define HOOK(word) TO(DEPLOYMENT_LIFECYCLE_HOOK_STATUS_##word)
static const uint32_t hook_steps[DEPLOYMENT_LIFECYCLE_HOOK_STATUS_COUNT] = {
    [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_UNSET]           = HOOK(AWAITING_ACTION) | HOOK(IN_PROGRESS),
    [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION] = HOOK(SUCCEEDED) | HOOK(FAILED) | HOOK(TIMED_OUT),
    [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS]     = HOOK(SUCCEEDED) | HOOK(FAILED) | HOOK(TIMED_OUT),
};
#undef HOOK
#undef TO

bool service_may_become(enum service_status from, enum service_status to)
{
    return status_may_become(service_steps, SERVICE_STATUS_COUNT, from, to);
}

bool deployment_may_become(enum deployment_status from, enum deployment_status to)
{
    return status_may_become(deployment_steps, DEPLOYMENT_STATUS_COUNT, from, to);
}

bool deployment_rollout_may_become(enum deployment_rollout_state from, enum deployment_rollout_state to)
{
    return status_may_become(rollout_steps, DEPLOYMENT_ROLLOUT_STATE_COUNT, from, to);
}

bool service_deployment_may_become(enum service_deployment_status from, enum service_deployment_status to)
{
    return status_may_become(service_deployment_steps, SERVICE_DEPLOYMENT_STATUS_COUNT, from, to);
}

bool hook_may_become(enum deployment_lifecycle_hook_status from, enum deployment_lifecycle_hook_status to)
{
    return status_may_become(hook_steps, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_COUNT, from, to);
}

bool service_deployment_has_ended(enum service_deployment_status status)
{
    return service_deployment_steps[status] == 0;
}

void service_become(struct service *service, enum service_status status, int64_t now_ms)
{
    ASSERT(service_may_become(service->status, status));
    service->status = status;
    if (status == SERVICE_ACTIVE) { service->created_ms = now_ms; }
    if (status != SERVICE_ACTIVE) { service->desired_count = 0; }
    if (status == SERVICE_INACTIVE) { service->deleted_ms = now_ms; }
}

void deployment_become(struct kept_deployment *deployment, enum deployment_status status, int64_t now_ms)
{
    ASSERT(deployment_may_become(deployment->status, status));
    if (deployment->status == DEPLOYMENT_STATUS_UNSET) { deployment->created_ms = now_ms; }
    deployment->status = status;
    deployment->updated_ms = now_ms;
}

void deployment_rollout_become(struct kept_deployment *deployment, enum deployment_rollout_state rollout, int64_t now_ms)
{
    ASSERT(deployment_rollout_may_become(deployment->rollout, rollout));
    if (deployment->rollout == DEPLOYMENT_ROLLOUT_STATE_COMPLETED) { deployment->rolled_back_ms = now_ms; }
    deployment->rollout = rollout;
    deployment->updated_ms = now_ms;
}

void service_deployment_become(struct service_deployment *deployment, enum service_deployment_status status, int64_t now_ms)
{
    ASSERT(service_deployment_may_become(deployment->status, status));
    deployment->status = status;
    deployment->updated_ms = now_ms;
    if (status == SERVICE_DEPLOYMENT_STATUS_PENDING) { deployment->created_ms = now_ms; }
    if (status == SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS) { deployment->started_ms = now_ms; }
    if (status == SERVICE_DEPLOYMENT_STATUS_STOPPED) { deployment->stopped_ms = now_ms; }
    if (service_deployment_has_ended(status)) { deployment->finished_ms = now_ms; }
}

void hook_become(struct kept_hook *hook, enum deployment_lifecycle_hook_status status)
{
    ASSERT(hook_may_become(hook->status, status));
    hook->status = status;
}

void task_set_become(struct task_set_part *set, enum stability_status stability, int64_t now_ms)
{
    if (set->stability == stability) { return; }
    set->stability = stability;
    set->stability_since_ms = now_ms;
}

/* ---- events ---- */

void service_add_event(struct service_events *events, struct str id, struct str message, int64_t now_ms, struct arena *arena)
{
    const struct service_event_list *old = &events->events;
    size_t kept = old->count < SERVICE_EVENTS_MAX ? old->count : SERVICE_EVENTS_MAX - 1;
    struct service_event *items = ARENA_NEW(arena, struct service_event, kept + 1);
    int64_t least_ms = old->count > 0 ? old->items[0].created_at + 1 : 0;
    items[0] = (struct service_event){ .id = id, .created_at = now_ms > least_ms ? now_ms : least_ms, .message = message };
    for (size_t e = 0; e < kept; e++) { items[e + 1] = old->items[e]; }
    events->events = (struct service_event_list){ items, kept + 1 };
}

int64_t service_mark(const struct service *service, enum event_cause cause)
{
    for (size_t m = 0; m < service->marks.count; m++) {
        if (service->marks.items[m].cause == cause) { return service->marks.items[m].last_ms; }
    }
    return 0;
}

void service_set_mark(struct service *service, enum event_cause cause, int64_t last_ms, struct arena *arena)
{
    struct event_mark *items = ARENA_NEW(arena, struct event_mark, service->marks.count + 1);
    size_t count = 0;
    for (size_t m = 0; m < service->marks.count; m++) {
        if (service->marks.items[m].cause != cause) { items[count++] = service->marks.items[m]; }
    }
    if (last_ms != 0) { items[count++] = (struct event_mark){ cause, last_ms }; }
    service->marks = (struct event_mark_list){ items, count };
}
