/* machine_tasks.c: the table of tasks, and the messages that change it. The tasks' own threads hand over their end by a post.
 *
 * A task that has ended is remembered by name for a while: a payload that was on its way while it ended must not run it again. Such a
 * payload, and a stop of a task that was never here, is answered with the report STOPPED. */
#include "agent/machine_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/task/exec.h"
#include "base/log.h"
#include "base/num.h"

enum { REPORT_ARENA_MAX = 4 * 1024 * 1024 };

/* ---- tasks that have ended ---- */

void ended_add(struct ended_tasks *ended, const char *id)
{
    ASSERT(id[0] != '\0' && ended->next < ENDED_KEPT);
    (void)snprintf(ended->ids[ended->next], TASK_ID_MAX, "%s", id);
    ended->next = (ended->next + 1) % ENDED_KEPT;
}

bool ended_has(const struct ended_tasks *ended, const char *id)
{
    for (size_t e = 0; e < ENDED_KEPT; e++) {
        if (strcmp(ended->ids[e], id) == 0) { return true; }
    }
    return false;
}

/* ---- the table ---- */

struct task *machine_find(struct machine *machine, struct str arn)
{
    struct task *task = machine->tasks;
    while (task != NULL && !str_eq(task->arn, arn)) { task = task->next; }
    return task;
}

static bool has_ended(const struct machine *machine, struct str arn)
{
    char id[TASK_ID_MAX];
    if (!task_id_of(arn, id)) { return false; }
    return (machine->host.cleanup != NULL && cleanup_knows(machine->host.cleanup, id)) || ended_has(&machine->ended, id);
}

void machine_add_task(void *owner, struct task *task)
{
    struct machine *machine = owner;
    task->next = machine->tasks;
    machine->tasks = task;
    taskmeta_add(machine->metadata, task);
}

void machine_drop_task(void *owner, void *ended)
{
    struct machine *machine = owner;
    struct task *task = ended;
    struct task **at = &machine->tasks;
    while (*at != NULL && *at != task) { at = &(*at)->next; }
    ASSERT(*at == task);
    *at = task->next;
    if (!task_is_dropped(task)) { ended_add(&machine->ended, task->id); }        /* or it may come again */
    taskmeta_remove(machine->metadata, task);
    task_destroy(task);
}

void machine_stop_all(struct machine *machine, const char *reason, int64_t kill_at_ms)
{
    for (struct task *task = machine->tasks; task != NULL; task = task->next) { task_stop_by(task, reason, kill_at_ms); }
}

int64_t machine_longest_stop_s(const struct machine *machine)
{
    int64_t longest_s = 0;
    for (const struct task *task = machine->tasks; task != NULL; task = task->next) {
        for (size_t c = 0; c < task->count; c++) {
            longest_s = max_i64(longest_s, task_stop_timeout_s(&task->containers[c]));
        }
    }
    return longest_s;
}

/* ---- reports without a task ---- */

struct stray { struct stray *next; struct machine *machine; struct report_line line; };

static void drop_stray(void *owner)
{
    struct stray *stray = owner;
    struct stray **at = &stray->machine->strays;
    while (*at != NULL && *at != stray) { at = &(*at)->next; }
    ASSERT(*at == stray);
    *at = stray->next;
    report_line_finish(&stray->line);
    free(stray);
}

static void report_stray(struct machine *machine, const struct wire_task *wire, const char *reason)
{
    struct stray *stray = calloc(1, sizeof *stray);
    ASSERT(stray != NULL);
    stray->machine = machine;
    stray->next = machine->strays;
    machine->strays = stray;
    report_line_init(&stray->line, machine->host.reporter, drop_stray, stray);
    struct arena arena = { .ceiling = REPORT_ARENA_MAX };
    report_send(&stray->line, task_report_unknown(str_from(machine->cluster), wire, str_from(reason), &arena), true);
    arena_finish(&arena);
}

void machine_drop_strays(struct machine *machine)
{
    while (machine->strays != NULL) { drop_stray(machine->strays); }
}

/* ---- messages ---- */

/* False only when trying again can help: the task's file could not be written, or there is no thread for it. */
static bool take_on(struct machine *machine, const struct wire_task *wire, const struct json *message)
{
    struct err err = { 0 };
    struct task *task = task_create(&machine->host, message, &err);
    if (task == NULL) {
        char reason[TASK_REASON_MAX + 64];
        (void)snprintf(reason, sizeof reason, "UnrecogniedTaskError: Error loading task - %s", err.message);
        report_stray(machine, wire, reason);
        return true;
    }
    task_take_payload_keys(task, wire);
    bool begun = task_begin(task, &err);
    ASSERT(!begun || machine_find(machine, task->arn) == NULL);
    if (begun) { machine_add_task(machine, task); }
    bool kept = begun && task_keep(task, &err);
    if (kept) {
        log_line(LOG_INFO, "agent", "a task was taken on task=%s family=" STR_FMT, task->id, STR_ARG(wire->family));
    } else {
        log_line(LOG_ERROR, "agent", "a task cannot be taken on now task=%s: %s", task->id, err.message);
    }
    if (!begun) { task_destroy(task); }
    return kept;
}

enum payload_step payload_step_of(struct payload_case which)
{
    ASSERT(which.known || !which.dropped);
    if (which.known) { return which.dropped ? PAYLOAD_LATER : PAYLOAD_UPDATE; }
    return which.stop || which.ended ? PAYLOAD_STOPPED : PAYLOAD_TAKE_ON;
}

static bool take_task(struct machine *machine, const struct wire_task *wire, const struct json *message)
{
    struct task *known = machine_find(machine, wire->arn);
    const struct payload_case which = {
        .known = known != NULL, .dropped = known != NULL && task_is_dropped(known), .stop = str_eq(wire->desired_status, STR("STOPPED")),
        .ended = known == NULL && has_ended(machine, wire->arn),
    };
    switch (payload_step_of(which)) {
    case PAYLOAD_TAKE_ON:
        return take_on(machine, wire, message);
    case PAYLOAD_UPDATE:
        if (which.stop) { task_stop(known); }
        task_take_payload_keys(known, wire);
        return true;
    case PAYLOAD_LATER:
        return false;
    case PAYLOAD_STOPPED:
        report_stray(machine, wire, "");
        break;
    }
    return true;
}

bool machine_on_payload(void *owner, const struct wire_payload *payload, const struct json *message)
{
    bool all = true;
    for (size_t t = 0; t < payload->tasks.count; t++) { all = take_task(owner, &payload->tasks.items[t], message) && all; }
    return all;
}

bool manifest_lists(const struct wire_manifest *manifest, struct str arn)
{
    for (size_t t = 0; t < manifest->tasks.count; t++) {
        const struct wire_manifest_task *listed = &manifest->tasks.items[t];
        if (str_eq(listed->task_arn, arn) && str_eq(listed->desired_status, STR("RUNNING"))) { return true; }
    }
    return false;
}

void machine_on_verify(void *owner, const struct wire_manifest *manifest, struct str_list *candidates, struct arena *arena)
{
    struct machine *machine = owner;
    for (struct task *task = machine->tasks; task != NULL; task = task->next) {
        if (!task_is_wanted(task) || manifest_lists(manifest, task->arn)) { continue; }
        size_t old = candidates->count * sizeof *candidates->items;
        candidates->items = arena_grow(arena, candidates->items, old, old + sizeof *candidates->items);
        candidates->items[candidates->count++] = task->arn;
    }
}

void machine_on_stop_task(void *owner, struct str arn)
{
    struct task *task = machine_find(owner, arn);
    if (task == NULL) { return; }
    log_line(LOG_INFO, "agent", "the server says that a task should not run here, stopping it task=%s", task->id);
    task_stop(task);
}

bool machine_on_keys(void *owner, const struct wire_role_message *message)
{
    struct task *task = machine_find(owner, message->task_arn);
    if (task != NULL && task_take_keys(task, message)) { return true; }
    log_line(LOG_INFO, "agent", "keys came for a task or a role that is not here task=" STR_FMT " role=" STR_FMT, STR_ARG(message->task_arn),
             STR_ARG(message->role_type));
    return false;
}

void machine_on_exec(void *owner, const struct wire_exec *message)
{
    struct machine *machine = owner;
    struct task *task = machine_find(machine, message->task_arn);
    char id[TASK_RUNTIME_ID_MAX] = "";
    for (size_t c = 0; task != NULL && c < task->count; c++) {
        struct task_container *container = &task->containers[c];
        if (!str_eq(container->wire->name, message->container)) { continue; }
        lock_take(&task->lock);
        if (container->phase == CONTAINER_RUNNING) { memcpy(id, container->id, sizeof id); }
        lock_drop(&task->lock);
    }
    exec_begin(&machine->host, message, str_from(id));
}
