/* keeper.c: the threads of one container. Its keeper waits for its turn, pulls, creates, starts, and watches until the container has ended; a
 * stopper stops it. Phases only go forward, and a thread that changes one wakes the rest of the task. */
#include "agent/task/task.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/gpu.h"
#include "base/num.h"

enum { WATCH_MS = 1000, QUIET_WATCH_MS = 10000, RECHECK_MS = 1000, RETRY_MS = 2000, CALL_ARENA_MAX = 16 * 1024 * 1024, EXIT_DEPENDENCY = 143 };

/* ---- changes, all under the task's lock ---- */

static void set_phase(struct task_container *container, enum container_phase phase)
{
    ASSERT(phase > container->phase);
    ASSERT(phase == CONTAINER_STOPPED || phase == container->phase + 1);       /* created, then running; the end may come at any time */
    container->phase = phase;
    container->task->version++;
    lock_wake_all(&container->task->changed);
}

/* The first cause of trouble wins and stays. */
static void set_reason(struct task_container *container, struct str reason)
{
    ASSERT(!container->mere_note || container->reason[0] != '\0');
    if (container->reason[0] != '\0' && !container->mere_note) { return; }
    container->mere_note = false;
    ASSERT(str_to_cstr(str_slice(reason, 0, TASK_REASON_MAX - 1), container->reason, sizeof container->reason));
}

void task_end_container(struct task_container *container, struct str reason, struct opt_int exit_code)
{
    struct task *task = container->task;
    lock_take(&task->lock);
    if (reason.len > 0) { set_reason(container, reason); }
    container->exit_code = exit_code;
    container->bindings = (struct network_binding_list){ 0 };
    bool essential = container->wire->essential == OPT_TRUE;
    if (essential && task->execution_stopped_ms == 0 && container->started) { task->execution_stopped_ms = clock_now_ms(); }
    struct log_follow *log = container->log;
    ASSERT(log == NULL || container->started);
    set_phase(container, CONTAINER_STOPPED);
    lock_drop(&task->lock);
    if (log != NULL) { logs_ended(task->host->logs, log); }
}

static void end_failed(struct task_container *container, const char *name, const struct err *err)
{
    char reason[TASK_REASON_MAX];
    task_failure_reason(name, err->message, reason);
    log_line(LOG_WARN, "agent", "a container cannot run task=%s container=" STR_FMT ": %s", container->task->id,
             STR_ARG(container->wire->name), reason);
    task_end_container(container, str_from(reason), (struct opt_int){ 0 });
}

/* ---- a keeper's steps; each returns false when the container must not go on ---- */

static bool wait_for_turn(struct task_container *container)
{
    struct task *task = container->task;
    char reason[TASK_REASON_MAX];
    lock_take(&task->lock);
    enum turn turn = task_turn(task, container, clock_now_ms(), reason);
    while (turn == TURN_WAIT && !task->stop_wanted && !task_host_stopping(task->host)) {
        task_rest(task, RECHECK_MS);
        turn = task_turn(task, container, clock_now_ms(), reason);
    }
    bool stop = task->stop_wanted;
    lock_drop(&task->lock);
    if (task_host_stopping(task->host)) { return false; }
    if (stop) {
        task_end_container(container, STR("TaskStoppedBeforePullBeginError: Task stopped before image pull could begin for task"), (struct opt_int){ 0 });
    } else if (turn == TURN_NEVER) {
        task_end_container(container, str_from(reason), opt_int_of(EXIT_DEPENDENCY));
    }
    return !stop && turn == TURN_READY;
}

/* True: the container must not go on. No reason is set: it has done nothing wrong. */
static bool end_when_stopped(struct task_container *container)
{
    struct task *task = container->task;
    lock_take(&task->lock);
    bool stop = task->stop_wanted;
    lock_drop(&task->lock);
    if (stop) { task_end_container(container, STR(""), (struct opt_int){ 0 }); }
    return stop || task_host_stopping(task->host);
}

static bool is_unwanted(void *owner)
{
    const struct task_container *container = owner;
    struct task *task = container->task;
    lock_take(&task->lock);
    bool stop = task->stop_wanted;
    lock_drop(&task->lock);
    return stop || task_host_stopping(task->host);
}

static void note_pull_begun(void *owner)
{
    const struct task_container *container = owner;
    struct task *task = container->task;
    lock_take(&task->lock);
    if (task->pull_started_ms == 0) { task->pull_started_ms = clock_now_ms(); }
    lock_wake_all(&task->changed);
    lock_drop(&task->lock);
}

/* The error of a pull is reported even when the image that was here already will do: until the container runs. */
static void note_image(struct task_container *container, bool good, const struct image_got *got)
{
    struct task *task = container->task;
    lock_take(&task->lock);
    if (task->pull_started_ms != 0) { task->pull_stopped_ms = clock_now_ms(); }
    if (good && got->trouble[0] != '\0') {
        set_reason(container, str_from(got->trouble));
        container->mere_note = true;
    }
    if (good) { (void)str_to_cstr(str_from(got->digest), container->digest, sizeof container->digest); }
    if (!good && got->stops_task && !task_host_stopping(task->host)) {
        task->stop_wanted = true;
        lock_wake_all(&task->changed);
    }
    lock_drop(&task->lock);
}

static bool pull(struct task_container *container)
{
    struct err err = { 0 };
    struct image_got got;
    const struct image_wish wish = {
        .image = container->wire->image, .find_login = task_find_login, .unwanted = is_unwanted, .begun = note_pull_begun, .owner = container,
    };
    bool good = images_get(container->task->host->images, &wish, &got, &err);
    if (good || err.code != ERR_NONE) {
        note_image(container, good, &got);
        if (!good) { end_failed(container, "CannotPullContainerError", &err); }
    } else {
        (void)end_when_stopped(container);
    }
    return good;
}

/* The host ports that it needs may belong to a container that is being ended. */
static bool waits_for_ports(const struct task_container *container)
{
    return container->wire->port_mappings.count > 0 && atomic_load(&container->task->host->ending) > 0;
}

/* True: its GPUs are in the books. Usually at once. */
static bool take_gpus(struct task_container *container, const struct str_list *gpus, int64_t share)
{
    struct task *task = container->task;
    bool told = false;
    while (waits_for_ports(container) || !gpu_books_take(&task->host->gpu_books, container, gpus, share)) {
        if (!told) {
            log_line(LOG_WARN, "agent", "a container waits for its GPUs or ports, which another one still has task=%s container=" STR_FMT, task->id,
                     STR_ARG(container->wire->name));
        }
        told = true;
        lock_take(&task->lock);
        if (!task->stop_wanted) { task_rest(task, RECHECK_MS); }
        lock_drop(&task->lock);
        if (end_when_stopped(container)) { return false; }
    }
    return true;
}

/* The holder is essential, though no definition names it: the rest of the task would run on without an address. */
static void *watch_shared(void *arg)
{
    struct task *task = arg;
    struct runtime *runtime = task->host->runtime;
    bool over = false;
    while (!over && !task_host_stopping(task->host)) {
        struct err err = { 0 };
        bool held = true, known = runtime->ops->wait_held(runtime, task->arn, WATCH_MS, &held, &err);
        lock_take(&task->lock);
        over = task_all_stopped(task);
        if (known && !held && !over) {
            log_line(LOG_WARN, "agent", "the container that holds the task's name spaces has ended, and the task ends with it task=%s", task->id);
            task->stop_wanted = over = true;
            lock_wake_all(&task->changed);
        }
        if (!known && !over) { task_rest(task, RETRY_MS); }        /* the keepers report an engine that does not answer */
        lock_drop(&task->lock);
    }
    return task_end_thread(task->host);
}

void task_watch_shared(struct task *task)
{
    const struct runtime_ops *ops = task->host->runtime->ops;
    if (task->has_holder || ops->shares == NULL || !ops->shares(task->wire)) { return; }
    ASSERT(ops->hold != NULL && ops->wait_held != NULL && ops->let_go != NULL);
    task->has_holder = task_start_thread(task->host, &task->holder, watch_shared, task);
    if (!task->has_holder) { log_line(LOG_WARN, "agent", "nobody watches over what the task's containers share: no thread can be started task=%s", task->id); }
}

/* The name spaces of a task are made before its first container, and reported to the server with the next report. */
static bool hold(struct task *task, const struct container_spec *spec, struct arena *arena, struct err *err)
{
    struct runtime *runtime = task->host->runtime;
    struct task_held held = { 0 };
    if (runtime->ops->hold == NULL) { return true; }
    lock_take(&task->lock);
    while (task->holding) { task_rest(task, RECHECK_MS); }
    task->holding = true;
    lock_drop(&task->lock);
    bool made = runtime->ops->hold(runtime, spec, &held, arena, err);
    lock_take(&task->lock);
    ASSERT(task->holding);
    task->holding = false;
    bool good = !made || (str_to_cstr(held.address, task->address, sizeof task->address)
                          && str_to_cstr(held.mac_address, task->mac_address, sizeof task->mac_address));
    if (made) { task_watch_shared(task); }
    lock_wake_all(&task->changed);
    lock_drop(&task->lock);
    if (!made) { return false; }
    return good || err_set(err, ERR_SERVER, "ContainerNetworkingError: the task's address is too long");
}

/* The task cannot get a value that it needs, and ends with this as its reason. */
static void end_task(struct task_container *container, struct str reason)
{
    struct task *task = container->task;
    log_line(LOG_WARN, "agent", "a task cannot be given what it refers to task=%s container=" STR_FMT ": " STR_FMT, task->id,
             STR_ARG(container->wire->name), STR_ARG(reason));
    lock_take(&task->lock);
    if (task->reason[0] == '\0') { ASSERT(str_to_cstr(str_slice(reason, 0, TASK_REASON_MAX - 1), task->reason, sizeof task->reason)); }
    task->stop_wanted = true;
    lock_wake_all(&task->changed);
    lock_drop(&task->lock);
    task_end_container(container, STR(""), (struct opt_int){ 0 });
}

/* Waits until all values are there, also for a server or a store that is away. */
static bool resolve(struct task_container *container, struct resolved *out, struct arena *arena)
{
    struct task *task = container->task;
    const struct resolver resolver = { task->host->client, task->host->server, &task->host->s3, &task->host->stopping };
    bool told = false;
    for (;;) {
        struct err err = { 0 };
        bool transient;
        if (resolve_container(&resolver, container->wire, out, &transient, arena, &err)) { return true; }
        if (end_when_stopped(container)) { return false; }
        if (!transient) {
            end_task(container, str_from(err.message));
            return false;
        }
        if (!told) {
            log_line(LOG_WARN, "agent", "a container waits for what it refers to task=%s container=" STR_FMT ": %s", task->id,
                     STR_ARG(container->wire->name), err.message);
        }
        told = true;
        arena_reset(arena);
        lock_take(&task->lock);
        if (!task->stop_wanted) { task_rest(task, RETRY_MS); }
        lock_drop(&task->lock);
    }
}

static bool create_with(struct task_container *container, const struct str_list *gpus, int64_t share, const struct resolved *resolved)
{
    struct task *task = container->task;
    struct task_host *host = task->host;
    struct arena arena = { .ceiling = CALL_ARENA_MAX };
    struct err err = { 0 };
    const char *mps_pipe = NULL;
    bool shares = host->mps != NULL && gpus->count > 0 && share < GPU_SHARE_WHOLE;
    bool good = !shares || mps_ready(host->mps, gpus->items[0], &mps_pipe, &arena, &err);
    const struct environment_rules rules = {
        .region = host->region, .has_gpus = atomic_load(&host->has_gpus), .is_process = host->is_process,
        .metadata_url = metadata_base_for(&host->metadata, host->is_process, task->wire->network_mode), .metadata_is_usual = host->metadata.is_usual,
        .metadata_id = arena_printf(&arena, "%s-%zu", task->metadata_id, (size_t)(container - task->containers)),
        .mps_pipe = mps_pipe,
    };
    struct container_spec spec = {
        .task_arn = task->arn, .cluster = str_from(host->cluster), .family = task->wire->family, .revision = task->wire->version,
        .container = container->wire, .task = task->wire, .gpus = *gpus, .gpu_share = share, .mps_pipe = mps_pipe, .simulated_gpus = host->simulated_gpus,
        .environment = environment_build(&rules, task->wire, container->wire, gpus, &arena),
        .values = resolved->values, .log_options = resolved->log_options, .agent = host->agent, .stop_timeout_s = task_stop_timeout_s(container),
    };
    struct str id = { 0 };
    good = good && hold(task, &spec, &arena, &err) && host->runtime->ops->create(host->runtime, &spec, &id, &arena, &err);
    if (good) {
        lock_take(&task->lock);
        good = str_to_cstr(id, container->id, sizeof container->id) || err_set(&err, ERR_SERVER, "the runtime's id is too long");
        ASSERT(container->phase == CONTAINER_NONE && !container->started);
        set_phase(container, CONTAINER_CREATED);
        good = good && task_save(task, (struct str){ 0 }, &err);
        lock_drop(&task->lock);
    }
    if (!good) { end_failed(container, "CannotCreateContainerError", &err); }
    arena_finish(&arena);
    return good;
}

static bool create(struct task_container *container)
{
    if (end_when_stopped(container)) { return false; }
    struct arena arena = { .ceiling = CALL_ARENA_MAX }, fetched = { .ceiling = CALL_ARENA_MAX };
    struct resolved resolved;
    int64_t share;
    struct str_list gpus = environment_gpus(container->task->wire, container->wire, &share, &arena);
    bool good = resolve(container, &resolved, &fetched) && take_gpus(container, &gpus, share) && create_with(container, &gpus, share, &resolved);
    arena_finish(&fetched);
    arena_finish(&arena);
    return good;
}

/* From the pull until the container is made the image is held, or cleaning could remove it in between. An image leaves no trace of the task, a
 * container does: it waits until the task is on file. */
static bool make(struct task_container *container)
{
    struct images *images = container->task->host->images;
    images_hold(images, container->wire->image);
    bool good = pull(container) && task_wait_written(container->task) && create(container);
    images_release(images, container->wire->image);
    return good;
}

/* Copies what a container shows while it runs into the task's own memory. */
static void note_state(struct task_container *container, const struct container_state *state)
{
    struct arena *arena = &container->task->arena;
    struct network_binding_list list = { ARENA_NEW(arena, struct network_binding, state->bindings.count), state->bindings.count };
    for (size_t b = 0; b < list.count; b++) {
        list.items[b] = state->bindings.items[b];
        list.items[b].bind_ip = arena_str(arena, list.items[b].bind_ip);
        list.items[b].container_port_range = arena_str(arena, list.items[b].container_port_range);
        list.items[b].host_port_range = arena_str(arena, list.items[b].host_port_range);
    }
    task_fold_ranges(container->wire, &list, arena);
    container->bindings = list;
    container->started_ms = state->started_ms > 0 ? state->started_ms : clock_now_ms();
}

/* The digest of a container whose image an earlier run of the agent pulled. A digest is good to know; without it the state is still true. */
static struct str digest_of(struct runtime *runtime, const struct task_container *container, struct str image, struct arena *arena)
{
    struct image_facts facts = { 0 };
    struct err ignored = { 0 };
    bool asks = container->digest[0] == '\0' && str_is_set(image) && runtime->ops->images != NULL;
    bool known = asks && runtime->ops->images->find(runtime, image, &facts, arena, &ignored);
    return known ? str_slice(facts.digest, 0, TASK_DIGEST_MAX - 1) : (struct str){ NULL, 0 };
}

/* From here on the container has run, also when it has ended already. */
static void set_running(struct task_container *container)
{
    struct task *task = container->task;
    struct task_host *host = task->host;
    struct arena arena = { .ceiling = CALL_ARENA_MAX };
    struct container_state state = { 0 };
    struct err err = { 0 };
    host->runtime->ops->wait(host->runtime, str_from(container->id), 0, NULL, &state, &arena, &err);     /* an unknown state is reported as unknown */
    struct str digest = digest_of(host->runtime, container, state.image, &arena);
    ASSERT(container->log == NULL);
    container->log = logs_follow(host->logs, task->arn, container->wire->name, str_from(container->id));
    lock_take(&task->lock);
    ASSERT(container->phase == CONTAINER_CREATED && !container->started);
    note_state(container, &state);
    if (digest.len > 0) { (void)str_to_cstr(digest, container->digest, sizeof container->digest); }
    container->started = true;
    if (container->mere_note) { container->reason[0] = '\0'; }
    container->mere_note = false;
    set_phase(container, CONTAINER_RUNNING);
    lock_drop(&task->lock);
    arena_finish(&arena);
}

static void stop_container(struct task_container *container)
{
    struct task *task = container->task;
    struct task_host *host = task->host;
    bool down = false;
    lock_take(&task->lock);
    int64_t timeout_s = task_time_to_stop_s(container, clock_monotonic_ms());
    lock_drop(&task->lock);
    while (!down && !task_host_stopping(host)) {
        struct err err = { 0 };
        down = host->runtime->ops->stop(host->runtime, str_from(container->id), timeout_s, &err);
        lock_take(&task->lock);
        down = down || container->phase == CONTAINER_STOPPED;
        if (!down) {
            log_line(LOG_WARN, "agent", "a container does not stop, trying again task=%s: %s", task->id, err.message);
            task_rest(task, RETRY_MS);
        }
        lock_drop(&task->lock);
    }
}

/* False: it does not run. A start whose answer is lost may have worked: the failure is not reported before the container is down. */
static bool begin(struct task_container *container, struct err *err)
{
    struct runtime *runtime = container->task->host->runtime;
    bool good = runtime->ops->start(runtime, str_from(container->id), err);
    if (!good && err->code == ERR_UNAVAILABLE) { stop_container(container); }
    return good;
}

static bool start(struct task_container *container)
{
    if (end_when_stopped(container)) { return false; }
    struct err err = { 0 };
    if (!begin(container, &err)) {
        if (task_host_stopping(container->task->host)) { return false; }         /* the next run of the agent starts it again */
        end_failed(container, "CannotStartContainerError", &err);
        return false;
    }
    set_running(container);
    return true;
}

/* ECS ignores a health check that only the image defines. */
static void note_health(struct task_container *container, enum health_status health)
{
    struct task *task = container->task;
    if (!str_is_set(container->wire->health_check_type) || health == HEALTH_STATUS_UNSET) { return; }
    lock_take(&task->lock);
    if (container->health != health) {
        container->health = health;
        task->version++;
        lock_wake_all(&task->changed);
    }
    lock_drop(&task->lock);
}

/* True: the same container runs again. No report is sent, because nothing has changed for the server. */
static bool restart(struct task_container *container, const struct container_state *state)
{
    struct task *task = container->task;
    lock_take(&task->lock);
    ASSERT(container->phase == CONTAINER_RUNNING && container->started);
    bool may = task_may_restart(container, state, clock_now_ms()) && !task_host_stopping(task->host);
    lock_drop(&task->lock);
    if (!may) { return false; }
    struct err err = { 0 };
    bool good = begin(container, &err), stop = false;
    if (!good && task_host_stopping(task->host)) { return true; }                /* the next run of the agent sees whether it runs */
    lock_take(&task->lock);
    if (good) {
        container->restarts++;
        container->started_ms = clock_now_ms();
        stop = task->stop_wanted;
        struct err trouble = { 0 };
        if (!task_save(task, (struct str){ 0 }, &trouble)) { log_line(LOG_WARN, "agent", "a restart cannot be kept: %s", trouble.message); }
    } else {
        set_reason(container, str_from(err.message));
    }
    lock_drop(&task->lock);
    log_line(good ? LOG_INFO : LOG_WARN, "agent", "a container has ended with code %lld and %s task=%s container=" STR_FMT " restarts=%lld%s%s",
             (long long)state->exit_code.value, good ? "was started again" : "cannot be started again", task->id,
             STR_ARG(container->wire->name), (long long)container->restarts, good ? "" : ": ", good ? "" : err.message);
    if (stop) { stop_container(container); }     /* the order came while it was down, and its stopper found nothing to stop */
    return good;
}

static void end_watched(struct task_container *container, const struct container_state *state)
{
    task_end_container(container, task_end_reason(state), state->exit_code);
}

/* How long until the next look at a container that goes on as it was. The runtime reports its end at once, but not its health. */
static int64_t watch_ms_of(const struct task_container *container)
{
    return str_is_set(container->wire->health_check_type) ? WATCH_MS : QUIET_WATCH_MS;
}

/* An engine that does not answer says nothing about the container: the call is made again. */
static void watch(struct task_container *container)
{
    struct task *task = container->task;
    struct runtime *runtime = task->host->runtime;
    struct arena arena = { .ceiling = CALL_ARENA_MAX };
    bool troubled = false;
    while (!task_host_stopping(task->host)) {
        struct container_state state = { 0 };
        struct err err = { 0 };
        bool known = runtime->ops->wait(runtime, str_from(container->id), watch_ms_of(container), &task->host->stopping, &state, &arena, &err);
        if (known && !state.running) {
            if (!restart(container, &state)) {
                end_watched(container, &state);
                break;
            }
        } else if (known) { note_health(container, state.health); }
        if (!known && !troubled) { log_line(LOG_WARN, "agent", "the runtime does not answer task=%s: %s", task->id, err.message); }
        troubled = !known;
        if (troubled) {
            lock_take(&task->lock);
            task_rest(task, RETRY_MS);
            lock_drop(&task->lock);
        }
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

void *task_keeper(void *arg)
{
    struct task_container *container = arg;
    struct task_host *host = container->task->host;
    ASSERT(host->runtime != NULL && host->logs != NULL && host->images != NULL);
    switch (container->phase) {                  /* beyond NONE: recovered from an earlier run */
    case CONTAINER_NONE:
        if (wait_for_turn(container) && make(container) && start(container)) { watch(container); }
        break;
    case CONTAINER_CREATED:
        if (wait_for_turn(container) && start(container)) { watch(container); }
        break;
    case CONTAINER_RUNNING:
        watch(container);
        break;
    case CONTAINER_STOPPED:
        break;
    }
    /* A container that outlives the agent keeps its GPUs: otherwise MPS would be ended below it. */
    if (container->phase == CONTAINER_STOPPED || !task_host_stopping(host)) { gpu_books_give_back(&host->gpu_books, container); }
    return task_end_thread(host);
}

void *task_stopper(void *arg)
{
    struct task_container *container = arg;
    stop_container(container);
    return task_end_thread(container->task->host);
}

/* Runs beside a stopper whose time-out is longer. When this fails, the stopper tries again. */
void *task_killer(void *arg)
{
    struct task_container *container = arg;
    struct task_host *host = container->task->host;
    struct err err = { 0 };
    if (!host->runtime->ops->stop(host->runtime, str_from(container->id), 0, &err)) {
        log_line(LOG_WARN, "agent", "a container cannot be killed task=%s: %s", container->task->id, err.message);
    }
    return task_end_thread(host);
}
