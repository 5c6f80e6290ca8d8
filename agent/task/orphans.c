#include "agent/task/orphans.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/process/process.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/sigv4.h"

enum { FORMER_ARENA_MAX = 64 * 1024 * 1024, HOST_NAME_LEN = 256, LOOK_MS = 1000, RETRY_MS = 2000 };

struct former_container {
    struct former_container *next;
    struct former *former;
    struct container_found found;                    /* texts in the arena of `former` */
    enum former_fate fate;
    bool over;                                       /* guarded by the lock of `former` */
    pthread_t thread;
    bool has_thread;
};

struct former {
    struct task_host *host;                          /* lent */
    struct arena arena;
    struct former_container *first;
    struct lock lock;
    struct lock_signal changed;
};

enum former_fate former_fate_of(const struct container_found *found, struct str agent, bool on_file, bool simulated)
{
    if (str_is_set(found->agent) && str_eq(found->agent, agent)) { return on_file ? FORMER_HOLD : FORMER_END; }
    return found->gpus.count > 0 && !simulated ? FORMER_HOLD : FORMER_LEAVE;
}

bool former_agent_name(const char *data_dir, struct str *name, struct arena *arena, struct err *err)
{
    char host[HOST_NAME_LEN + 1] = { 0 }, path[PATH_MAX];
    if (gethostname(host, HOST_NAME_LEN) != 0) { return err_set(err, ERR_SERVER, "The machine's name cannot be read: %s", strerror(errno)); }
    if (realpath(data_dir, path) == NULL) { return err_set(err, ERR_SERVER, "%s: %s", data_dir, strerror(errno)); }
    *name = arena_printf(arena, "%s:%s", host, path);
    return true;
}

struct str former_machine_word(struct str agent_name, struct arena *arena)
{
    enum { WORD_LEN = 32 };
    char boot[PROCESS_BOOT_MAX], hex[SIGV4_HEX_LEN + 1];
    process_boot(boot);
    if (boot[0] == '\0') { return (struct str){ NULL, 0 }; }
    sha256_hex(arena_printf(arena, "%s\n" STR_FMT, boot, STR_ARG(agent_name)), hex);
    return arena_str(arena, (struct str){ hex, WORD_LEN });
}

/* ---- one container's thread ---- */

static void rest(struct former *former, int64_t ms)
{
    lock_take(&former->lock);
    if (!task_host_stopping(former->host)) { lock_wait_until(&former->changed, &former->lock, clock_monotonic_ms() + ms); }
    lock_drop(&former->lock);
}

/* Trouble with the engine says nothing about the container: it is tried again. */
static bool end_it(const struct former_container *one, struct err *err)
{
    struct task_host *host = one->former->host;
    struct runtime *runtime = host->runtime;
    int64_t timeout_s = one->found.stop_timeout_s > 0 ? one->found.stop_timeout_s : host->stop_timeout_s;
    return runtime->ops->stop(runtime, one->found.id, timeout_s, err) && runtime->ops->remove(runtime, one->found.id, err);
}

static bool has_ended(const struct former_container *one, struct err *err)
{
    struct runtime *runtime = one->former->host->runtime;
    struct arena arena = { .ceiling = FORMER_ARENA_MAX };
    struct container_state state = { 0 };
    bool known = runtime->ops->wait(runtime, one->found.id, LOOK_MS, NULL, &state, &arena, err);
    arena_finish(&arena);
    return known && !state.running;
}

/* True: no other of its task's is left that is being ended. */
static bool note_over(struct former_container *one)
{
    struct former *former = one->former;
    bool is_last = true;
    lock_take(&former->lock);
    one->over = true;
    for (const struct former_container *other = former->first; other != NULL; other = other->next) {
        is_last = is_last && (other->over || !str_eq(other->found.task_arn, one->found.task_arn));
    }
    lock_drop(&former->lock);
    return is_last;
}

static void finish(struct former_container *one)
{
    struct task_host *host = one->former->host;
    struct runtime *runtime = host->runtime;
    struct err err = { 0 };
    gpu_books_give_back(&host->gpu_books, one);
    bool is_last = note_over(one);
    if (one->fate != FORMER_END) { return; }
    log_line(LOG_INFO, "agent", "a container of an earlier life is gone container=" STR_FMT " task=" STR_FMT, STR_ARG(one->found.container_name),
             STR_ARG(one->found.task_arn));
    atomic_fetch_sub(&host->ending, 1);
    if (is_last && runtime->ops->let_go != NULL && !runtime->ops->let_go(runtime, one->found.task_arn, &err)) {
        log_line(LOG_WARN, "agent", "what a task's containers shared is not gone task=" STR_FMT ": %s", STR_ARG(one->found.task_arn), err.message);
    }
}

static void *former_main(void *arg)
{
    struct former_container *one = arg;
    struct task_host *host = one->former->host;
    bool over = false, told = false;
    while (!over && !task_host_stopping(host)) {
        struct err err = { 0 };
        over = one->fate == FORMER_END ? end_it(one, &err) : has_ended(one, &err);
        if (!over && err.code != ERR_NONE) {
            if (!told) {
                log_line(LOG_WARN, "agent", "a container of an earlier life is not gone, trying again id=" STR_FMT ": %s", STR_ARG(one->found.id),
                         err.message);
            }
            told = true;
            rest(one->former, RETRY_MS);
        }
    }
    if (over) { finish(one); }
    return task_end_thread(host);
}

/* ---- what there is ---- */

/* Of a task that runs, or of one whose containers are kept a while. */
static bool is_on_file(const struct task_host *host, struct str task_arn)
{
    static const char *const endings[] = { ".json", ".left" };
    char id[TASK_ID_MAX], path[PATH_MAX];
    for (size_t e = 0; task_id_of(task_arn, id) && e < COUNT_OF(endings); e++) {
        int len = snprintf(path, sizeof path, "%s/%s%s", host->dir, id, endings[e]);
        if (len > 0 && (size_t)len < sizeof path && access(path, F_OK) == 0) { return true; }
    }
    return false;
}

/* What holds the others' name spaces goes after the last of them, by let_go. */
static bool goes_with_others(const struct container_found_list *list, const struct container_found *found)
{
    for (size_t f = 0; found->is_holder && f < list->count; f++) {
        if (!list->items[f].is_holder && str_eq(list->items[f].task_arn, found->task_arn)) { return true; }
    }
    return false;
}

static struct str names_of(const struct str_list *list, struct arena *arena)
{
    struct buf text = buf_in(arena);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) { buf_put_char(&text, ','); }
        buf_put(&text, list->items[i]);
    }
    return list->count > 0 ? buf_str(&text) : STR("none");
}

static void take(struct former *former, const struct container_found *found, enum former_fate fate)
{
    struct task_host *host = former->host;
    struct former_container *one = calloc(1, sizeof *one);
    ASSERT(one != NULL);
    *one = (struct former_container){ .next = former->first, .former = former, .found = *found, .fate = fate };
    former->first = one;
    gpu_books_note(&host->gpu_books, one, &found->gpus, found->gpu_share);
    if (fate == FORMER_END) { atomic_fetch_add(&host->ending, 1); }
    log_line(LOG_WARN, "agent", "%s container=" STR_FMT " task=" STR_FMT " gpus=" STR_FMT " id=" STR_FMT,
             fate == FORMER_END ? "a container of an earlier life belongs to no task any more and is being ended"
                                : "a container is not this agent's to end, its GPUs are not used until it has ended",
             STR_ARG(found->container_name), STR_ARG(found->task_arn), STR_ARG(names_of(&found->gpus, &former->arena)), STR_ARG(found->id));
}

static bool start_threads(struct former *former, struct err *err)
{
    for (struct former_container *one = former->first; one != NULL; one = one->next) {
        one->has_thread = task_start_thread(former->host, &one->thread, former_main, one);
        if (!one->has_thread) { return err_set(err, ERR_SERVER, "A thread cannot be started."); }
    }
    return true;
}

struct former *former_begin(struct task_host *host, bool (*is_known)(void *owner, struct str task_arn), void *owner, struct err *err)
{
    struct former *former = calloc(1, sizeof *former);
    ASSERT(former != NULL);
    former->host = host;
    former->arena = (struct arena){ .ceiling = FORMER_ARENA_MAX };
    lock_init(&former->lock);
    lock_signal_init(&former->changed);
    struct container_found_list list = { 0 };
    bool good = host->runtime->ops->list(host->runtime, &list, &former->arena, err);
    for (size_t f = 0; good && f < list.count; f++) {
        const struct container_found *found = &list.items[f];
        if (is_known(owner, found->task_arn) || goes_with_others(&list, found)) { continue; }
        enum former_fate fate = former_fate_of(found, host->agent, is_on_file(host, found->task_arn), host->simulated_gpus);
        if (fate != FORMER_LEAVE) { take(former, found, fate); }
    }
    if (good && start_threads(former, err)) { return former; }
    atomic_store(&host->stopping, true);
    former_leave(former);
    former_destroy(former);
    return NULL;
}

void former_leave(struct former *former)
{
    if (former == NULL) { return; }
    lock_take(&former->lock);
    lock_wake_all(&former->changed);
    lock_drop(&former->lock);
}

void former_destroy(struct former *former)
{
    if (former == NULL) { return; }
    while (former->first != NULL) {
        struct former_container *one = former->first;
        if (one->has_thread) { pthread_join(one->thread, NULL); }
        former->first = one->next;
        free(one);
    }
    lock_signal_finish(&former->changed);
    lock_finish(&former->lock);
    arena_finish(&former->arena);
    free(former);
}
