/* recover.c: after a start, the files say which tasks existed and the runtime says what their containers do now.
 *
 * A container that has run is watched from the phase RUNNING on, even when it has ended since: its keeper then sees the end at once and
 * reports it the ordinary way. A container that was made and is gone has vanished. One that was never made is made now. */
#include "agent/task/task.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "agent/core/state_file.h"
#include "base/log.h"

enum { PATH_LEN_MAX = 4096, RECOVER_ARENA_MAX = 64 * 1024 * 1024 };

static struct str found_id(const struct container_found_list *found, struct str arn, struct str name)
{
    for (size_t f = 0; f < found->count; f++) {
        if (str_eq(found->items[f].task_arn, arn) && str_eq(found->items[f].container_name, name)) { return found->items[f].id; }
    }
    return (struct str){ 0 };
}

static void vanish(struct task_container *container)
{
    ASSERT(container->phase == CONTAINER_NONE && container->log == NULL);      /* task_create made it so */
    container->phase = CONTAINER_STOPPED;
    container->started = true;
    container->lost = true;
    (void)snprintf(container->reason, sizeof container->reason, "ContainerVanishedError: No container matching saved ID found");
}

/* Before any thread of the task runs. */
static bool take_up(struct task_container *container, const struct json *saved, const struct container_found_list *found,
                    struct arena *arena, struct err *err)
{
    struct task_host *host = container->task->host;
    struct str made = json_get_str(saved, container->wire->name);
    struct str id = found_id(found, container->task->arn, container->wire->name);
    if (!str_is_set(id)) { id = made; }
    if (!str_is_set(id)) { return true; }
    if (!str_to_cstr(id, container->id, sizeof container->id)) { return err_set(err, ERR_SERVER, "A container's id is too long."); }
    if (str_is_set(container->task->final_report)) { return true; }

    struct container_state state = { 0 };
    if (!host->runtime->ops->wait(host->runtime, id, 0, NULL, &state, arena, err)) { return false; }
    if (!state.exists) {
        vanish(container);
        return true;
    }
    int64_t share;
    struct str_list gpus = environment_gpus(container->task->wire, container->wire, &share, arena);
    gpu_books_note(&host->gpu_books, container, &gpus, share);
    ASSERT(container->phase == CONTAINER_NONE && container->log == NULL);      /* task_create made it so, and each is taken up once */
    bool has_run = state.running || state.started_ms > 0 || state.exit_code.set;
    container->phase = has_run ? CONTAINER_RUNNING : CONTAINER_CREATED;
    container->started = has_run;
    container->lost = has_run && !state.running && !state.exit_code.set;
    container->started_ms = state.started_ms;
    if (has_run) { container->log = logs_follow(host->logs, container->task->arn, container->wire->name, id); }
    return true;
}

static struct task *recover_one(struct task_host *host, const char *path, const struct container_found_list *found,
                                struct arena *arena, struct err *err)
{
    struct saved_task saved;
    struct id known;
    if (!task_load(path, &saved, arena, err)) { return NULL; }
    struct task *task = task_create(host, saved.payload, err);
    if (task == NULL) { return NULL; }
    task->final_report = arena_str(&task->arena, saved.final_report);
    lock_take(&task->lock);
    task->file = TASK_WRITTEN;
    lock_drop(&task->lock);
    if (id_parse(saved.metadata_id, &known)) { id_hex(known, task->metadata_id); }
    for (size_t c = 0; c < task->count; c++) {
        task->containers[c].restarts = json_get_i64(saved.restarts, task->containers[c].wire->name, 0);
        if (take_up(&task->containers[c], saved.containers, found, arena, err)) { continue; }
        for (size_t d = 0; d <= c; d++) {
            logs_release(host->logs, task->containers[d].log);
            gpu_books_give_back(&host->gpu_books, &task->containers[d]);
        }
        task_destroy(task);
        return NULL;
    }
    return task;
}

static bool is_task_file(const char *name) { return str_ends_with(str_from(name), STR(".json")); }

/* A file that cannot be read is left there, for a person to look at; the other tasks are taken up. */
bool recover_tasks(struct task_host *host, void (*take)(void *owner, struct task *task), void *owner, struct err *err)
{
    struct arena arena = { .ceiling = RECOVER_ARENA_MAX }, scratch = { .ceiling = RECOVER_ARENA_MAX };
    struct container_found_list found = { 0 };
    DIR *listing = opendir(host->dir);
    bool good = listing != NULL || err_set(err, ERR_SERVER, "The folder of tasks cannot be read: %s: %s", host->dir, strerror(errno));
    good = good && host->runtime->ops->list(host->runtime, &found, &arena, err);
    const struct dirent *entry = good ? readdir(listing) : NULL;
    for (; entry != NULL; entry = readdir(listing)) {
        char path[PATH_LEN_MAX];
        int len = snprintf(path, sizeof path, "%s/%s", host->dir, entry->d_name);
        if (!is_task_file(entry->d_name) || len < 0 || (size_t)len >= sizeof path) { continue; }
        struct err trouble = { 0 };
        struct task *task = recover_one(host, path, &found, &scratch, &trouble);
        if (task == NULL) {
            log_line(LOG_ERROR, "agent", "a task of an earlier run cannot be taken up file=%s: %s", path, trouble.message);
        } else {
            take(owner, task);
        }
        arena_reset(&scratch);
    }
    if (listing != NULL) { closedir(listing); }
    arena_finish(&scratch);
    arena_finish(&arena);
    return good;
}

static bool has_lost(const struct task *task)
{
    for (size_t c = 0; c < task->count; c++) {
        if (task->containers[c].lost) { return true; }
    }
    return false;
}

void recover_tell(struct task *tasks, struct agent_recovered *recovered)
{
    unsigned count = 0, lost = 0;
    for (const struct task *task = tasks; task != NULL; task = task->next) {
        if (str_is_set(task->final_report)) { continue; }
        count++;
        lost += has_lost(task);
    }
    if (count > 0) { log_line(LOG_INFO, "agent", "tasks of an earlier run were taken up count=%u lost=%u", count, lost); }
    if (recovered == NULL) { return; }
    atomic_store(&recovered->tasks, count);
    atomic_store(&recovered->lost, lost);
    atomic_store(&recovered->told, true);
}
