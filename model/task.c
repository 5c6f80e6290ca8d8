#include "model/task.h"

#include "base/assert.h"
#include "base/text/duration.h"
#include "model/status.h"

/* Forward only. A task that waits for room (PROVISIONING) is on no machine, so it must be PENDING before it can run. */
#define TO STATUS_BIT
#define TO_AN_END (TO(TASK_DEACTIVATING) | TO(TASK_STOPPING) | TO(TASK_DEPROVISIONING) | TO(TASK_STOPPED))
static const uint32_t task_steps[TASK_STATUS_COUNT] = {
    [TASK_STATUS_UNSET]   = TO(TASK_PROVISIONING) | TO(TASK_PENDING),
    [TASK_PROVISIONING]   = TO(TASK_PENDING) | TO_AN_END,
    [TASK_PENDING]        = TO(TASK_ACTIVATING) | TO(TASK_RUNNING) | TO_AN_END,
    [TASK_ACTIVATING]     = TO(TASK_RUNNING) | TO_AN_END,
    [TASK_RUNNING]        = TO_AN_END,
    [TASK_DEACTIVATING]   = TO(TASK_STOPPING) | TO(TASK_DEPROVISIONING) | TO(TASK_STOPPED),
    [TASK_STOPPING]       = TO(TASK_DEPROVISIONING) | TO(TASK_STOPPED),
    [TASK_DEPROVISIONING] = TO(TASK_STOPPED),
    [TASK_STOPPED]        = 0,
};
/* A container's statuses are three of a task's. */
static const uint32_t container_steps[TASK_STATUS_COUNT] = {
    [TASK_STATUS_UNSET] = TO(TASK_PENDING),
    [TASK_PENDING]      = TO(TASK_RUNNING) | TO(TASK_STOPPED),
    [TASK_RUNNING]      = TO(TASK_STOPPED),
};
#undef TO_AN_END
#undef TO

bool task_may_become(enum task_status from, enum task_status to)
{
    return status_may_become(task_steps, TASK_STATUS_COUNT, from, to);
}

bool task_container_may_become(enum task_status from, enum task_status to)
{
    return status_may_become(container_steps, TASK_STATUS_COUNT, from, to);
}

static void set_once(int64_t *at_ms, int64_t now_ms)
{
    if (*at_ms == 0) { *at_ms = now_ms; }
}

void task_container_become(struct task_container *container, enum task_status status)
{
    ASSERT(task_container_may_become(container->status, status));
    container->status = status;
}

static void stop_containers(struct task *task)
{
    for (size_t c = 0; c < task->containers.count; c++) {
        struct task_container *container = &task->containers.items[c];
        if (container->status != TASK_STOPPED) { task_container_become(container, TASK_STOPPED); }
    }
}

void task_become(struct task *task, enum task_status status, int64_t now_ms)
{
    bool is_new = task->last_status == TASK_STATUS_UNSET;
    ASSERT(task_may_become(task->last_status, status));
    ASSERT(is_new == (task->desired_status == TASK_STATUS_UNSET));
    task->last_status = status;
    if (is_new) { task->desired_status = TASK_RUNNING; }
    if (status == TASK_RUNNING) { set_once(&task->started_ms, now_ms); }
    if (status >= TASK_DEACTIVATING) {
        task->desired_status = TASK_STOPPED;
        set_once(&task->stopping_ms, now_ms);
    }
    if (status == TASK_STOPPED) {
        set_once(&task->stopped_ms, now_ms);
        stop_containers(task);
    }
    ASSERT(task->desired_status == TASK_STOPPED || (task->desired_status == TASK_RUNNING && status < TASK_DEACTIVATING));
}

void task_wait_for_room(struct task *task)
{
    ASSERT(task->last_status == TASK_PENDING && id_is_zero(task->instance) && task->version == 1);
    task->last_status = TASK_PROVISIONING;
}

void task_set_cause(struct task *task, struct stop_cause cause)
{
    ASSERT(task->desired_status == TASK_STOPPED);
    if (task->stop_code == TASK_STOP_CODE_UNSET) { task->stop_code = cause.code; }
    if (task->stopped_reason.len == 0) { task->stopped_reason = cause.reason; }
}

bool task_order_stop(struct task *task, struct stop_cause cause, int64_t now_ms)
{
    if (task->desired_status == TASK_STOPPED) { return false; }
    ASSERT(task->desired_status == TASK_RUNNING);
    ASSERT(task_is_live(task));
    task->desired_status = TASK_STOPPED;
    task->stopping_ms = now_ms;
    task_set_cause(task, cause);
    return true;
}

struct contact task_contact(const struct task *task, bool agent_connected, int64_t agent_came_ms)
{
    struct contact contact = { task->connectivity, task->connectivity_ms };
    if (!task_is_live(task) || id_is_zero(task->instance)) { return contact; }
    if (agent_came_ms > task->created_ms && agent_came_ms > contact.since_ms) { contact.since_ms = agent_came_ms; }
    contact.connectivity = !agent_connected ? CONNECTIVITY_DISCONNECTED : contact.since_ms > 0 ? CONNECTIVITY_CONNECTED : CONNECTIVITY_UNSET;
    return contact;
}

int64_t task_gpu_thousandths(const struct task *task)
{
    int64_t sum = 0;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        sum += (int64_t)container->gpu_ids.count * gpu_share_of(container->gpu_share);
    }
    return sum;
}

enum task_checked task_checked(const struct task *task)
{
    enum task_checked worst = task->checked == 0 ? TASK_CHECKED_NOTHING : TASK_CHECKED_HEALTHY;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        bool counts = container->index >= 0 && container->index < 63 && (task->checked >> container->index & 1) != 0;
        if (!counts || container->health == HEALTH_STATUS_HEALTHY) { continue; }
        if (container->health == HEALTH_STATUS_UNHEALTHY) { return TASK_CHECKED_UNHEALTHY; }
        worst = TASK_CHECKED_NOT_KNOWN;
    }
    return worst;
}

/* ---- tags about idle GPUs ---- */

static bool read_stop(struct str value, struct idle_wish *wish, struct err *err)
{
    static const int64_t most_ms = (int64_t)30 * 24 * 3600 * 1000;
    wish->stops = duration_parse(value, &wish->grace_ms) && wish->grace_ms >= 0 && wish->grace_ms <= most_ms;
    return wish->stops || err_set(err, ERR_INVALID_PARAMETER, "The tag berth:idle-stop can't be \"" STR_FMT "\": it should be a time from 0s to 720h, for "
                                  "example 15m.", STR_ARG(str_slice(value, 0, 64)));
}

static bool read_ok(struct str value, struct idle_wish *wish, struct err *err)
{
    wish->excused = str_eq(value, STR("true"));
    return wish->excused || err_set(err, ERR_INVALID_PARAMETER, "The tag berth:idle-ok can't be \"" STR_FMT "\": it should be true.",
                                    STR_ARG(str_slice(value, 0, 64)));
}

bool idle_wish_read(const struct tag_list *tags, struct idle_wish *wish, struct err *err)
{
    bool good = true;
    *wish = (struct idle_wish){ .stops = false };
    for (size_t t = 0; t < tags->count; t++) {
        const struct tag *tag = &tags->items[t];
        if (str_eq(tag->key, STR("berth:idle-stop"))) { good = read_stop(tag->value, wish, err) && good; }
        if (str_eq(tag->key, STR("berth:idle-ok"))) { good = read_ok(tag->value, wish, err) && good; }
    }
    return good;
}
