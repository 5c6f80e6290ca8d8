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

enum { ORPHAN_ARENA_MAX = 64 * 1024 * 1024, HOST_NAME_LEN = 256, LOOK_MS = 1000, RETRY_MS = 2000 };

struct orphan {
    struct orphan *next;
    struct orphans *orphans;
    struct container_found found;                    /* texts in the arena of `orphans` */
    enum orphan_fate fate;
    bool over;                                       /* guarded by the lock of `orphans` */
    pthread_t thread;
    bool has_thread;
};

struct orphans {
    struct task_host *host;                          /* lent */
    struct arena arena;
    struct orphan *first;
    struct lock lock;
    struct lock_signal changed;
};

enum orphan_fate orphan_fate_of(const struct container_found *found, struct str agent, bool on_file, bool simulated)
{
    if (str_is_set(found->agent) && str_eq(found->agent, agent)) { return on_file ? ORPHAN_HOLD : ORPHAN_END; }
    return found->gpus.count > 0 && !simulated ? ORPHAN_HOLD : ORPHAN_LEAVE;
}

bool orphans_agent_name(const char *data_dir, struct str *name, struct arena *arena, struct err *err)
{
    char host[HOST_NAME_LEN + 1] = { 0 }, path[PATH_MAX];
    if (gethostname(host, HOST_NAME_LEN) != 0) { return err_set(err, ERR_SERVER, "The machine's name cannot be read: %s", strerror(errno)); }
    if (realpath(data_dir, path) == NULL) { return err_set(err, ERR_SERVER, "%s: %s", data_dir, strerror(errno)); }
    *name = arena_printf(arena, "%s:%s", host, path);
    return true;
}

struct str orphans_machine_word(struct str agent_name, struct arena *arena)
{
    enum { WORD_LEN = 32 };
    char boot[PROCESS_BOOT_MAX], hex[SIGV4_HEX_LEN + 1];
    process_boot(boot);
    if (boot[0] == '\0') { return (struct str){ NULL, 0 }; }
    sha256_hex(arena_printf(arena, "%s\n" STR_FMT, boot, STR_ARG(agent_name)), hex);
    return arena_str(arena, (struct str){ hex, WORD_LEN });
}

/* ---- one container's thread ---- */

static void rest(struct orphans *orphans, int64_t ms)
{
    lock_take(&orphans->lock);
    if (!task_host_stopping(orphans->host)) { lock_wait_until(&orphans->changed, &orphans->lock, clock_monotonic_ms() + ms); }
    lock_drop(&orphans->lock);
}

/* Trouble with the engine says nothing about the container: it is tried again. */
static bool end_it(const struct orphan *one, struct err *err)
{
    struct task_host *host = one->orphans->host;
    struct runtime *runtime = host->runtime;
    ASSERT(one->fate == ORPHAN_END && !one->over);
    int64_t timeout_s = one->found.stop_timeout_s > 0 ? one->found.stop_timeout_s : host->stop_timeout_s;
    return runtime->ops->stop(runtime, one->found.id, timeout_s, err) && runtime->ops->remove(runtime, one->found.id, err);
}

static bool has_ended(const struct orphan *one, struct err *err)
{
    struct runtime *runtime = one->orphans->host->runtime;
    struct arena arena = { .ceiling = ORPHAN_ARENA_MAX };
    struct container_state state = { 0 };
    bool known = runtime->ops->wait(runtime, one->found.id, LOOK_MS, NULL, &state, &arena, err);
    arena_finish(&arena);
    return known && !state.running;
}

/* True: no other container of its task is still being ended. */
static bool note_over(struct orphan *one)
{
    struct orphans *orphans = one->orphans;
    bool is_last = true;
    lock_take(&orphans->lock);
    ASSERT(!one->over);
    one->over = true;
    for (const struct orphan *other = orphans->first; other != NULL; other = other->next) {
        is_last = is_last && (other->over || !str_eq(other->found.task_arn, one->found.task_arn));
    }
    lock_drop(&orphans->lock);
    return is_last;
}

static void finish(struct orphan *one)
{
    struct task_host *host = one->orphans->host;
    struct runtime *runtime = host->runtime;
    struct err err = { 0 };
    gpu_books_give_back(&host->gpu_books, one);
    bool is_last = note_over(one);
    if (one->fate != ORPHAN_END) { return; }
    log_line(LOG_INFO, "agent", "a container of an earlier life is gone container=" STR_FMT " task=" STR_FMT, STR_ARG(one->found.container_name),
             STR_ARG(one->found.task_arn));
    ASSERT(atomic_fetch_sub(&host->ending, 1) > 0);
    if (is_last && runtime->ops->let_go != NULL && !runtime->ops->let_go(runtime, one->found.task_arn, &err)) {
        log_line(LOG_WARN, "agent", "what a task's containers shared is not gone task=" STR_FMT ": %s", STR_ARG(one->found.task_arn), err.message);
    }
}

static void *orphan_main(void *arg)
{
    struct orphan *one = arg;
    struct task_host *host = one->orphans->host;
    bool over = false, told = false;
    while (!over && !task_host_stopping(host)) {
        struct err err = { 0 };
        over = one->fate == ORPHAN_END ? end_it(one, &err) : has_ended(one, &err);
        if (!over && err.code != ERR_NONE) {
            if (!told) {
                log_line(LOG_WARN, "agent", "a container of an earlier life is not gone, trying again id=" STR_FMT ": %s", STR_ARG(one->found.id),
                         err.message);
            }
            told = true;
            rest(one->orphans, RETRY_MS);
        }
    }
    if (over) { finish(one); }
    return task_end_thread(host);
}

/* ---- all containers of the machine ---- */

/* True also for a task whose containers are kept for a while. */
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

/* The container that holds the name spaces is removed by let_go, after the last of the others. */
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

static void take(struct orphans *orphans, const struct container_found *found, enum orphan_fate fate)
{
    struct task_host *host = orphans->host;
    struct orphan *one = calloc(1, sizeof *one);
    ASSERT(one != NULL);
    ASSERT(fate == ORPHAN_HOLD || fate == ORPHAN_END);
    *one = (struct orphan){ .next = orphans->first, .orphans = orphans, .found = *found, .fate = fate };
    orphans->first = one;
    gpu_books_note(&host->gpu_books, one, &found->gpus, found->gpu_share);
    if (fate == ORPHAN_END) { atomic_fetch_add(&host->ending, 1); }
    log_line(LOG_WARN, "agent", "%s container=" STR_FMT " task=" STR_FMT " gpus=" STR_FMT " id=" STR_FMT,
             fate == ORPHAN_END ? "a container of an earlier life belongs to no task any more and is being ended"
                                : "a container is not this agent's to end, its GPUs are not used until it has ended",
             STR_ARG(found->container_name), STR_ARG(found->task_arn), STR_ARG(names_of(&found->gpus, &orphans->arena)), STR_ARG(found->id));
}

static bool start_threads(struct orphans *orphans, struct err *err)
{
    for (struct orphan *one = orphans->first; one != NULL; one = one->next) {
        one->has_thread = task_start_thread(orphans->host, &one->thread, orphan_main, one);
        if (!one->has_thread) { return err_set(err, ERR_SERVER, "A thread cannot be started."); }
    }
    return true;
}

struct orphans *orphans_begin(struct task_host *host, bool (*is_known)(void *owner, struct str task_arn), void *owner, struct err *err)
{
    struct orphans *orphans = calloc(1, sizeof *orphans);
    ASSERT(orphans != NULL);
    ASSERT(atomic_load(&host->ending) == 0);
    orphans->host = host;
    orphans->arena = (struct arena){ .ceiling = ORPHAN_ARENA_MAX };
    lock_init(&orphans->lock);
    lock_signal_init(&orphans->changed);
    struct container_found_list list = { 0 };
    bool good = host->runtime->ops->list(host->runtime, &list, &orphans->arena, err);
    for (size_t f = 0; good && f < list.count; f++) {
        const struct container_found *found = &list.items[f];
        if (is_known(owner, found->task_arn) || goes_with_others(&list, found)) { continue; }
        enum orphan_fate fate = orphan_fate_of(found, host->agent, is_on_file(host, found->task_arn), host->simulated_gpus);
        if (fate != ORPHAN_LEAVE) { take(orphans, found, fate); }
    }
    if (good && start_threads(orphans, err)) { return orphans; }
    atomic_store(&host->stopping, true);
    orphans_leave(orphans);
    orphans_destroy(orphans);
    return NULL;
}

void orphans_leave(struct orphans *orphans)
{
    if (orphans == NULL) { return; }
    ASSERT(task_host_stopping(orphans->host));
    lock_take(&orphans->lock);
    lock_wake_all(&orphans->changed);
    lock_drop(&orphans->lock);
}

void orphans_destroy(struct orphans *orphans)
{
    if (orphans == NULL) { return; }
    while (orphans->first != NULL) {
        struct orphan *one = orphans->first;
        if (one->has_thread) { pthread_join(one->thread, NULL); }
        orphans->first = one->next;
        free(one);
    }
    lock_signal_finish(&orphans->changed);
    lock_finish(&orphans->lock);
    arena_finish(&orphans->arena);
    free(orphans);
}
