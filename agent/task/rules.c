/* rules.c: the rules of a task as plain functions of what its containers do. */
#include "agent/task/task.h"

#include <stdio.h>

#include "base/num.h"

static const struct task_container *by_name(const struct task *task, struct str name)
{
    for (size_t c = 0; c < task->count; c++) {
        if (str_eq(task->containers[c].wire->name, name)) { return &task->containers[c]; }
    }
    return NULL;
}

/* "other:alias" in links, a plain name elsewhere. */
static struct str link_name(struct str link)
{
    struct str name, alias;
    str_cut(link, ':', &name, &alias);
    return name;
}

/* ---- one dependency ---- */

/* Its start has been waited for longer than its own startTimeout allows. */
static bool is_late(const struct task_container *target, int64_t now_ms)
{
    struct opt_int timeout = target->wire->start_timeout;
    return timeout.set && timeout.value > 0 && target->started && target->phase == CONTAINER_RUNNING
        && now_ms - target->started_ms > timeout.value * 1000;
}

static enum turn turn_of(const struct task_container *target, enum container_condition condition, int64_t now_ms)
{
    bool ended = target->phase == CONTAINER_STOPPED;
    bool late = is_late(target, now_ms);
    switch (condition) {
    case CONTAINER_CONDITION_START:
        if (target->started) { return TURN_READY; }
        return ended ? TURN_NEVER : TURN_WAIT;
    case CONTAINER_CONDITION_COMPLETE:
        if (ended && target->exit_code.set && target->started) { return TURN_READY; }
        return ended || late ? TURN_NEVER : TURN_WAIT;
    case CONTAINER_CONDITION_SUCCESS:
        if (ended && target->exit_code.set && target->started && target->exit_code.value == 0) { return TURN_READY; }
        return ended || late ? TURN_NEVER : TURN_WAIT;
    case CONTAINER_CONDITION_HEALTHY:                              /* an unhealthy container may recover */
        if (target->health == HEALTH_STATUS_HEALTHY && !ended) { return TURN_READY; }
        return ended || late ? TURN_NEVER : TURN_WAIT;
    case CONTAINER_CONDITION_UNSET:
    case CONTAINER_CONDITION_COUNT:
        break;
    }
    return TURN_NEVER;
}

/* The lesser of two: never before wait before ready. */
static enum turn both(enum turn a, enum turn b)
{
    if (a == TURN_NEVER || b == TURN_NEVER) { return TURN_NEVER; }
    return a == TURN_WAIT || b == TURN_WAIT ? TURN_WAIT : TURN_READY;
}

static enum turn note(enum turn turn, struct str target, const char *wanted, char reason[TASK_REASON_MAX])
{
    if (turn == TURN_NEVER) {
        (void)snprintf(reason, TASK_REASON_MAX, "CannotStartContainerError: dependency graph: container " STR_FMT " will never %s",
                       STR_ARG(target), wanted);
    }
    return turn;
}

enum turn task_turn(const struct task *task, const struct task_container *container, int64_t now_ms, char reason[TASK_REASON_MAX])
{
    static const char *const wanted[CONTAINER_CONDITION_COUNT] = {
        [CONTAINER_CONDITION_UNSET] = "be ready", [CONTAINER_CONDITION_START] = "start", [CONTAINER_CONDITION_COMPLETE] = "complete",
        [CONTAINER_CONDITION_SUCCESS] = "succeed", [CONTAINER_CONDITION_HEALTHY] = "be found healthy",
    };
    const struct wire_container *wire = container->wire;
    enum turn turn = TURN_READY;
    for (size_t d = 0; d < wire->depends_on.count; d++) {
        const struct container_dependency *dependency = &wire->depends_on.items[d];
        const struct task_container *target = by_name(task, dependency->container_name);
        ASSERT(target != NULL);
        turn = both(turn, note(turn_of(target, dependency->condition, now_ms), dependency->container_name, wanted[dependency->condition], reason));
    }
    for (size_t l = 0; l < wire->links.count; l++) {
        struct str name = link_name(wire->links.items[l]);
        const struct task_container *target = by_name(task, name);
        ASSERT(target != NULL);
        turn = both(turn, note(turn_of(target, CONTAINER_CONDITION_START, now_ms), name, "start", reason));
    }
    for (size_t v = 0; v < wire->volumes_from.count; v++) {
        struct str name = wire->volumes_from.items[v].source_container;
        const struct task_container *target = by_name(task, name);
        ASSERT(target != NULL);
        enum turn created = target->id[0] != '\0' ? TURN_READY : target->phase == CONTAINER_STOPPED ? TURN_NEVER : TURN_WAIT;
        turn = both(turn, note(created, name, "be created", reason));
    }
    return turn;
}

/* ---- restarts ---- */

static bool is_ignored(const struct container_restart_policy *policy, int64_t exit_code)
{
    for (size_t i = 0; i < policy->ignored_exit_codes.count; i++) {
        if (policy->ignored_exit_codes.items[i].value == exit_code) { return true; }
    }
    return false;
}

/* A container that ends before its period is over is broken rather than unlucky: it is not started again. */
bool task_may_restart(const struct task_container *container, const struct container_state *state, int64_t now_ms)
{
    enum { PERIOD_S = 300 };
    ASSERT(!state->running);
    const struct container_restart_policy *policy = container->wire->restart_policy;
    if (policy == NULL || policy->enabled != OPT_TRUE || container->task->stop_wanted) { return false; }
    if (!state->exists || !state->exit_code.set || is_ignored(policy, state->exit_code.value)) { return false; }
    int64_t period_s = policy->restart_attempt_period.set ? policy->restart_attempt_period.value : PERIOD_S;
    int64_t began_ms = state->started_ms > 0 ? state->started_ms : container->started_ms;
    int64_t ended_ms = state->finished_ms > 0 ? state->finished_ms : now_ms;       /* the agent may have been away since */
    return ended_ms - began_ms >= period_s * 1000;
}

/* ---- ends ---- */

struct str task_end_reason(const struct container_state *state)
{
    if (!state->exists) { return STR("ContainerVanishedError: No container matching saved ID found"); }
    if (state->oom_killed) { return STR("OutOfMemoryError: Container killed due to memory usage"); }
    return state->exit_code.set ? STR("") : STR("DockerStateError: The container ended and nothing is known of how");
}

void task_failure_reason(const char *name, const char *message, char reason[TASK_REASON_MAX])
{
    const char *colon = strstr(message, "Error: ");
    bool named = colon != NULL && memchr(message, ' ', (size_t)(colon - message)) == NULL;         /* "SomeError: …" */
    (void)snprintf(reason, TASK_REASON_MAX, "%s%s%.560s", named ? "" : name, named ? "" : ": ", message);
}

int64_t task_stop_timeout_s(const struct task_container *container)
{
    struct opt_int own = container->wire->stop_timeout;
    return own.set ? own.value : container->task->host->stop_timeout_s;
}

int64_t task_time_to_stop_s(const struct task_container *container, int64_t now_ms)
{
    int64_t timeout_s = task_stop_timeout_s(container), kill_at_ms = container->task->kill_at_ms;
    return kill_at_ms == 0 ? timeout_s : max_i64(0, min_i64(timeout_s, (kill_at_ms - now_ms) / 1000));
}

/* ---- ports ---- */

static bool is_within(const struct network_binding *binding, const struct port_mapping *mapping, int64_t first, int64_t last)
{
    bool udp = mapping->protocol == TRANSPORT_PROTOCOL_UDP;
    return binding->container_port.set && binding->container_port.value >= first && binding->container_port.value <= last
        && (binding->protocol == TRANSPORT_PROTOCOL_UDP) == udp;
}

void task_fold_ranges(const struct wire_container *wire, struct network_binding_list *bindings, struct arena *arena)
{
    for (size_t m = 0; m < wire->port_mappings.count; m++) {
        const struct port_mapping *mapping = &wire->port_mappings.items[m];
        struct str low, high;
        int64_t first, last, host = INT64_MAX;
        bool is_range = str_cut(mapping->container_port_range, '-', &low, &high) && str_to_i64(low, &first) && str_to_i64(high, &last);
        if (!is_range) { continue; }
        size_t kept = 0;
        struct network_binding folded = { 0 };
        for (size_t b = 0; b < bindings->count; b++) {
            struct network_binding binding = bindings->items[b];
            bool within = is_within(&binding, mapping, first, last);
            if (within && binding.host_port.value < host) { host = binding.host_port.value; }
            if (within) { folded = binding; } else { bindings->items[kept++] = binding; }
        }
        if (kept == bindings->count) { continue; }
        folded.container_port = folded.host_port = (struct opt_int){ 0 };
        folded.container_port_range = mapping->container_port_range;
        folded.host_port_range = arena_printf(arena, "%lld-%lld", (long long)host, (long long)(host + last - first));
        ASSERT(kept < bindings->count);              /* at least one was folded away */
        bindings->items[kept++] = folded;
        bindings->count = kept;
    }
}

/* ---- dependencies between containers ---- */

static bool depends(const struct task_container *container, struct str on)
{
    const struct wire_container *wire = container->wire;
    for (size_t d = 0; d < wire->depends_on.count; d++) {
        if (str_eq(wire->depends_on.items[d].container_name, on)) { return true; }
    }
    for (size_t l = 0; l < wire->links.count; l++) {
        if (str_eq(link_name(wire->links.items[l]), on)) { return true; }
    }
    for (size_t v = 0; v < wire->volumes_from.count; v++) {
        if (str_eq(wire->volumes_from.items[v].source_container, on)) { return true; }
    }
    return false;
}

static bool names_are_known(const struct task *task, const struct wire_container *wire)
{
    bool known = true;
    for (size_t d = 0; d < wire->depends_on.count; d++) { known = known && by_name(task, wire->depends_on.items[d].container_name) != NULL; }
    for (size_t l = 0; l < wire->links.count; l++) { known = known && by_name(task, link_name(wire->links.items[l])) != NULL; }
    for (size_t v = 0; v < wire->volumes_from.count; v++) { known = known && by_name(task, wire->volumes_from.items[v].source_container) != NULL; }
    return known;
}

/* Removes, again and again, each container that depends on no other that is left; the rest is a cycle. `left` is lent, one per container. */
static bool has_cycle(const struct task *task, bool *left)
{
    size_t rest = task->count;
    for (size_t c = 0; c < task->count; c++) { left[c] = true; }
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t c = 0; c < task->count; c++) {
            bool free_to_go = left[c];
            for (size_t o = 0; o < task->count && free_to_go; o++) {
                free_to_go = !left[o] || !depends(&task->containers[c], task->containers[o].wire->name);
            }
            if (!free_to_go) { continue; }
            ASSERT(rest > 0);
            left[c] = false;
            rest--;
            moved = true;
        }
    }
    return rest > 0;
}

bool task_check(const struct task *task, char reason[TASK_REASON_MAX])
{
    bool resolved = task->count > 0;
    for (size_t c = 0; c < task->count; c++) { resolved = resolved && names_are_known(task, task->containers[c].wire); }
    struct arena scratch = { .ceiling = TASK_ARENA_MAX };
    resolved = resolved && !has_cycle(task, ARENA_NEW(&scratch, bool, task->count));
    arena_finish(&scratch);
    if (!resolved) { (void)snprintf(reason, TASK_REASON_MAX, "Task dependencies cannot be resolved, taskArn: " STR_FMT, STR_ARG(task->arn)); }
    return resolved;
}

/* ---- the task as a whole ---- */

bool task_may_stop(const struct task *task, const struct task_container *container)
{
    for (size_t c = 0; c < task->count; c++) {
        const struct task_container *other = &task->containers[c];
        if (other != container && other->phase != CONTAINER_STOPPED && depends(other, container->wire->name)) { return false; }
    }
    return true;
}

bool task_all_stopped(const struct task *task)
{
    for (size_t c = 0; c < task->count; c++) {
        if (task->containers[c].phase != CONTAINER_STOPPED) { return false; }
    }
    return true;
}

bool task_essential_ended(const struct task *task)
{
    for (size_t c = 0; c < task->count; c++) {
        const struct task_container *container = &task->containers[c];
        if (container->phase == CONTAINER_STOPPED && container->wire->essential == OPT_TRUE) { return true; }
    }
    return false;
}

bool task_is_running(const struct task *task)
{
    bool any = false;
    for (size_t c = 0; c < task->count; c++) {
        enum container_phase phase = task->containers[c].phase;
        if (phase != CONTAINER_RUNNING && phase != CONTAINER_STOPPED) { return false; }
        any = any || task->containers[c].started;
    }
    return any;
}
