/* task.c: the thread that decides for one task. It looks at all containers whenever one changes. When an essential one has ended, or the
 * server orders it, the thread stops the others, each by a stopper: a stop takes as long as its time-out, and several may go on at once. The
 * calls for one container are in task/keeper.c.
 *
 * When the agent ends, all these threads leave without touching the containers; recover.c takes them up again. */
#include "agent/task/task.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    THREAD_STACK = 512 * 1024, RECHECK_MS = 1000, LOGS_WAIT_MS = 15000, REMOVE_AGAIN_MS = 5000, CALL_ARENA_MAX = 16 * 1024 * 1024,
};

/* ---- threads ---- */

bool task_start_thread(struct task_host *host, pthread_t *thread, void *(*run)(void *), void *arg)
{
    pthread_attr_t attributes;
    ASSERT(pthread_attr_init(&attributes) == 0);
    ASSERT(pthread_attr_setstacksize(&attributes, THREAD_STACK) == 0);
    atomic_fetch_add(&host->threads, 1);
    bool good = pthread_create(thread, &attributes, run, arg) == 0;
    if (!good) { ASSERT(atomic_fetch_sub(&host->threads, 1) > 0); }
    pthread_attr_destroy(&attributes);
    return good;
}

void *task_end_thread(struct task_host *host)
{
    ASSERT(atomic_fetch_sub(&host->threads, 1) > 0);
    return NULL;
}

void task_rest(struct task *task, int64_t ms)
{
    lock_wait_until(&task->changed, &task->lock, clock_monotonic_ms() + ms);
}

/* ---- the task's own thread ---- */

static void tell(struct task *task, struct str status) REQUIRES(task->lock)
{
    struct arena arena = { .ceiling = CALL_ARENA_MAX };
    struct str body = task_report_body(task, status, &arena);
    ASSERT(task->version_told <= task->version);
    report_send(&task->line, body, false);
    task->version_told = task->version;
    arena_finish(&arena);
}

/* PENDING once, with the time when pulling began. */
static void tell_pulling(struct task *task) REQUIRES(task->lock)
{
    if (task->pull_told || task->pull_started_ms == 0 || task->pull_stopped_ms != 0 || task->running_told || task_all_stopped(task)) { return; }
    task->pull_told = true;
    tell(task, STR("PENDING"));
}

/* RUNNING once; later changes of side-cars are reported in a repeated RUNNING. */
static void tell_running(struct task *task) REQUIRES(task->lock)
{
    if (!task_is_running(task)) { return; }
    bool first = !task->running_told, changed = task->version != task->version_told && !task->stop_wanted && !task_all_stopped(task);
    if (!first && !changed) { return; }
    task->running_told = true;
    tell(task, STR("RUNNING"));
    if (first) { log_line(LOG_INFO, "agent", "a task is running task=%s family=" STR_FMT, task->id, STR_ARG(task->wire->family)); }
}

/* The machine ends the task by itself: the server gets the reason before it gets the end. */
static void tell_own_stop(struct task *task) REQUIRES(task->lock)
{
    if (task->kill_at_ms == 0 || task->stop_told || task->reason[0] == '\0') { return; }
    task->stop_told = true;
    tell(task, task->running_told ? STR("RUNNING") : STR("PENDING"));
}

/* Kills containers whose stop began with more time than is left now. */
static void kill_what_is_late(struct task *task) REQUIRES(task->lock)
{
    if (task->kill_at_ms == 0 || clock_monotonic_ms() < task->kill_at_ms) { return; }
    for (size_t c = 0; c < task->count; c++) {
        struct task_container *container = &task->containers[c];
        if (container->phase != CONTAINER_RUNNING || container->has_killer) { continue; }
        container->has_killer = task_start_thread(task->host, &container->killer, task_killer, container);
    }
}

static void stop_what_may(struct task *task) REQUIRES(task->lock)
{
    ASSERT(task->stop_wanted);
    for (size_t c = 0; c < task->count; c++) {
        struct task_container *container = &task->containers[c];
        if (container->phase != CONTAINER_RUNNING || container->has_stopper || !task_may_stop(task, container)) { continue; }
        container->has_stopper = task_start_thread(task->host, &container->stopper, task_stopper, container);
    }
}

/* Until all containers have ended, or the agent does. */
static void run_task(struct task *task)
{
    lock_take(&task->lock);
    ASSERT(task->file == TASK_WRITTEN);
    while (!task_all_stopped(task) && !task_host_stopping(task->host)) {
        if (task_essential_ended(task) && !task->stop_wanted) {
            task->stop_wanted = true;
            lock_wake_all(&task->changed);
        }
        tell_pulling(task);
        tell_running(task);
        tell_own_stop(task);
        if (task->stop_wanted) { stop_what_may(task); }
        kill_what_is_late(task);
        task_rest(task, RECHECK_MS);
    }
    if (!task_host_stopping(task->host)) {
        ASSERT(task_all_stopped(task));
        tell_running(task);
        task->stop_wanted = true;                /* it is over: no manifest need ask about it */
    }
    lock_drop(&task->lock);
}

static void join_container_threads(struct task *task)
{
    for (size_t c = 0; c < task->count; c++) {
        struct task_container *container = &task->containers[c];
        if (container->has_keeper) { pthread_join(container->keeper, NULL); }
        if (container->has_stopper) { pthread_join(container->stopper, NULL); }
        if (container->has_killer) { pthread_join(container->killer, NULL); }
        container->has_keeper = container->has_stopper = container->has_killer = false;
    }
}

/* The output of containers is sent before their end is reported, unless the server takes too long over it. */
static void wait_for_logs(struct task *task)
{
    int64_t until_ms = clock_monotonic_ms() + LOGS_WAIT_MS;
    for (size_t c = 0; c < task->count; c++) {
        struct task_container *container = &task->containers[c];
        if (container->log == NULL || logs_wait_sent(task->host->logs, container->log, until_ms)) { continue; }
        log_line(LOG_WARN, "agent", "the end of a container's output has not been sent yet task=%s container=" STR_FMT, task->id,
                 STR_ARG(container->wire->name));
    }
}

/* The task's address and name spaces are free again before its end is reported. */
static void let_go(struct task *task)
{
    struct runtime *runtime = task->host->runtime;
    struct err err = { 0 };
    if (runtime->ops->let_go == NULL || runtime->ops->let_go(runtime, task->arn, &err)) { return; }
    log_line(LOG_WARN, "agent", "what the task's containers shared cannot be given back task=%s: %s", task->id, err.message);
}

static void join_holder(struct task *task)
{
    if (task->has_holder) { pthread_join(task->holder, NULL); }
    task->has_holder = false;
}

/* For a task of an earlier run: a container that was created had all that it shares. */
static void watch_recovered(struct task *task)
{
    bool made = false;
    for (size_t c = 0; c < task->count; c++) {
        made = made || task->containers[c].phase == CONTAINER_CREATED || task->containers[c].phase == CONTAINER_RUNNING;
    }
    lock_take(&task->lock);
    if (made) { task_watch_shared(task); }
    lock_drop(&task->lock);
}

/* The end is on file before it is reported: from then on nothing of this task is ever run again. */
static void tell_end(struct task *task)
{
    struct arena arena = { .ceiling = CALL_ARENA_MAX };
    lock_take(&task->lock);
    if (task->execution_stopped_ms == 0) { task->execution_stopped_ms = clock_now_ms(); }
    ASSERT(str_is_set(task->final_report) || task_all_stopped(task));
    ASSERT(task->file == TASK_WRITTEN);
    struct str body = str_is_set(task->final_report) ? task->final_report : task_report_body(task, STR("STOPPED"), &arena);
    struct err err = { 0 };
    if (!task_save(task, body, &err)) { log_line(LOG_ERROR, "agent", "the end of a task cannot be kept task=%s: %s", task->id, err.message); }
    report_send(&task->line, body, true);
    while (!task->settled && !task_host_stopping(task->host)) { task_rest(task, RECHECK_MS); }
    lock_drop(&task->lock);
    arena_finish(&arena);
}

/* True: the file that has them removed later is written. */
static bool keep_for_later(struct task *task)
{
    struct arena arena = { .ceiling = CALL_ARENA_MAX };
    struct str_list ids = { ARENA_NEW(&arena, struct str, task->count), 0 };
    for (size_t c = 0; c < task->count; c++) {
        if (task->containers[c].id[0] != '\0') { ids.items[ids.count++] = str_from(task->containers[c].id); }
    }
    ASSERT(ids.count <= task->count);
    struct err err = { 0 };
    bool good = ids.count == 0 || cleanup_add(task->host->cleanup, task->id, &ids, &err);
    if (!good) { log_line(LOG_WARN, "agent", "containers are removed now, because they cannot be noted task=%s: %s", task->id, err.message); }
    arena_finish(&arena);
    return good;
}

/* Until it is done, or the agent ends: then its next run finds the task's file, reports the end and clears away once more. */
static bool clear_away(struct task *task)
{
    struct runtime *runtime = task->host->runtime;
    bool later = task->host->cleanup != NULL && keep_for_later(task);
    for (size_t c = 0; c < task->count; c++) {
        struct task_container *container = &task->containers[c];
        logs_release(task->host->logs, container->log);
        container->log = NULL;
        struct err err = { 0 };
        images_note_use(task->host->images, container->wire->image);
        bool gone = later || container->id[0] == '\0' || runtime->ops->remove(runtime, str_from(container->id), &err);
        if (!gone) { log_line(LOG_WARN, "agent", "a container cannot be removed, trying again task=%s: %s", task->id, err.message); }
        while (!gone && !task_host_stopping(task->host)) {
            lock_take(&task->lock);
            task_rest(task, REMOVE_AGAIN_MS);
            lock_drop(&task->lock);
            gone = runtime->ops->remove(runtime, str_from(container->id), &(struct err){ 0 });
        }
        if (!gone) { return false; }
    }
    task_forget(task);
    return true;
}

bool task_wait_written(struct task *task)
{
    lock_take(&task->lock);
    while (task->file == TASK_UNWRITTEN && !task_host_stopping(task->host)) { task_rest(task, RECHECK_MS); }
    bool written = task->file == TASK_WRITTEN;
    lock_drop(&task->lock);
    return written;
}

static void *task_main(void *arg)
{
    struct task *task = arg;
    struct task_host *host = task->host;
    bool lives = !str_is_set(task->final_report);
    if (lives) { watch_recovered(task); }
    for (size_t c = 0; lives && c < task->count; c++) {
        struct task_container *container = &task->containers[c];
        if (container->phase == CONTAINER_STOPPED) { continue; }
        container->has_keeper = task_start_thread(host, &container->keeper, task_keeper, container);
        if (container->has_keeper) { continue; }
        task_end_container(container, STR("CannotStartContainerError: the agent has no thread for it"), (struct opt_int){ 0 });
    }
    bool written = task_wait_written(task);      /* or nothing was made of it, and nothing is reported */
    if (lives && written) { run_task(task); }
    join_container_threads(task);
    if (written && !task_host_stopping(host)) {
        wait_for_logs(task);
        let_go(task);
        join_holder(task);                       /* the removal ends its wait */
        tell_end(task);
    }
    join_holder(task);
    lock_take(&task->lock);
    bool settled = task->settled;
    lock_drop(&task->lock);
    bool cleared = settled && clear_away(task);
    if (cleared) { log_line(LOG_INFO, "agent", "a task has ended task=%s", task->id); }
    if (cleared || !written) { client_post(host->client, &task->over); }   /* refused: machine_finish() finds it in its table */
    return task_end_thread(host);
}

/* ---- the door ---- */

static void on_settled(void *owner)
{
    struct task *task = owner;
    lock_take(&task->lock);
    ASSERT(!task->settled);
    task->settled = true;
    lock_wake_all(&task->changed);
    lock_drop(&task->lock);
}

static void on_over(void *owner)
{
    struct task *task = owner;
    ASSERT(task->host->over != NULL);
    task->host->over(task->host->owner, task);
}

struct task *task_create(struct task_host *host, const struct json *payload, struct err *err)
{
    struct task *task = calloc(1, sizeof *task);
    ASSERT(task != NULL);
    arena_init(&task->arena, TASK_ARENA_MAX);
    /* Printed and read again, so that the task owns its texts and the file has the payload that the task was made from. */
    struct buf text = buf_in(&task->arena);
    struct json_out out = json_out_to(&text);
    json_dump(&out, task_without_keys(payload, &task->arena));
    task->payload = buf_str(&text);
    const struct json *own = json_parse(task->payload, &task->arena, err);
    struct wire_payload *wire = ARENA_NEW(&task->arena, struct wire_payload, 1);
    bool good = own != NULL && schema_decode(&wire_payload_schema, own, wire, &task->arena, ERR_INVALID_PARAMETER, err);
    if (good && wire->tasks.count != 1) { good = err_set(err, ERR_INVALID_PARAMETER, "A payload holds one task, this one %zu.", wire->tasks.count); }
    if (good && !task_id_of(wire->tasks.items[0].arn, task->id)) { good = err_set(err, ERR_INVALID_PARAMETER, "The task's ARN has no usable id."); }
    if (!good) {
        arena_finish(&task->arena);
        free(task);
        return NULL;
    }
    struct id chance;
    rng_secret(chance.bytes, sizeof chance.bytes);
    id_hex(chance, task->metadata_id);
    task->host = host;
    task->wire = &wire->tasks.items[0];
    task->arn = task->wire->arn;
    task->count = task->wire->containers.count;
    task->containers = ARENA_NEW(&task->arena, struct task_container, task->count);
    for (size_t c = 0; c < task->count; c++) {
        task->containers[c].task = task;
        task->containers[c].wire = &task->wire->containers.items[c];
    }
    lock_init(&task->lock);
    lock_signal_init(&task->changed);
    task->over = (struct post){ .run = on_over, .owner = task };
    report_line_init(&task->line, host->reporter, on_settled, task);
    return task;
}

bool task_begin(struct task *task, struct err *err)
{
    if (!str_is_set(task->final_report) && !task_check(task, task->reason)) {
        for (size_t c = 0; c < task->count; c++) { task->containers[c].phase = CONTAINER_STOPPED; }
    }
    ASSERT(!task->has_thread);
    task->has_thread = task_start_thread(task->host, &task->thread, task_main, task);
    return task->has_thread || err_set(err, ERR_SERVER, "A thread cannot be started.");
}

bool task_keep(struct task *task, struct err *err)
{
    bool written = task_save(task, (struct str){ 0 }, err);        /* without the lock: the values that it writes change only after this */
    if (!written) { task_forget(task); }
    lock_take(&task->lock);
    ASSERT(task->file == TASK_UNWRITTEN);
    task->file = written ? TASK_WRITTEN : TASK_DROPPED;
    task->stop_wanted = task->stop_wanted || !written;
    lock_wake_all(&task->changed);
    lock_drop(&task->lock);
    return written;
}

bool task_is_dropped(struct task *task)
{
    lock_take(&task->lock);
    bool dropped = task->file == TASK_DROPPED;
    lock_drop(&task->lock);
    return dropped;
}

void task_destroy(struct task *task)
{
    if (task->has_thread) { pthread_join(task->thread, NULL); }
    ASSERT(!task->has_holder);
    for (size_t c = 0; c < task->count; c++) {
        const struct task_container *container = &task->containers[c];
        ASSERT(!container->has_keeper && !container->has_stopper && !container->has_killer);
    }
    report_line_finish(&task->line);
    lock_signal_finish(&task->changed);
    lock_finish(&task->lock);
    task_keys_finish(&task->role);
    task_keys_finish(&task->execution_role);
    arena_finish(&task->arena);
    free(task);
}

void task_stop(struct task *task)
{
    lock_take(&task->lock);
    task->stop_wanted = true;
    lock_wake_all(&task->changed);
    lock_drop(&task->lock);
}

void task_stop_by(struct task *task, const char *reason, int64_t kill_at_ms)
{
    lock_take(&task->lock);
    if (!task->stop_wanted && task->reason[0] == '\0') { (void)snprintf(task->reason, sizeof task->reason, "%s", reason); }
    task->stop_wanted = true;
    if (task->kill_at_ms == 0 || kill_at_ms < task->kill_at_ms) { task->kill_at_ms = kill_at_ms; }
    lock_wake_all(&task->changed);
    lock_drop(&task->lock);
}

bool task_is_wanted(struct task *task)
{
    lock_take(&task->lock);
    bool wanted = !task->stop_wanted;
    lock_drop(&task->lock);
    return wanted;
}

void task_interrupt(struct task *task)
{
    lock_take(&task->lock);
    lock_wake_all(&task->changed);
    lock_drop(&task->lock);
}
