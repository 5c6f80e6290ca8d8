#include "agent/machine_usage.h"

#include <stdlib.h>

#include "base/log.h"

/* ---- which containers run ---- */

static bool name_container(const struct task_container *container, struct str arn, struct watched_container *named)
{
    return container->phase == CONTAINER_RUNNING && container->id[0] != '\0' && str_to_cstr(str_from(container->id), named->id, sizeof named->id)
        && str_to_cstr(arn, named->task, sizeof named->task) && str_to_cstr(container->wire->name, named->name, sizeof named->name);
}

static size_t name_task(struct task *task, struct watched_container *list, size_t room, size_t *left_out)
{
    struct watched_container one;
    size_t count = 0;
    lock_take(&task->lock);
    for (size_t c = 0; c < task->count; c++) {
        if (!name_container(&task->containers[c], task->arn, &one)) { continue; }
        if (count < room) { list[count++] = one; } else { ++*left_out; }
    }
    lock_drop(&task->lock);
    return count;
}

static void ask_containers(struct machine_use *use)
{
    struct watched_container *list = calloc(CONTAINERS_WATCHED_MAX, sizeof *list);
    ASSERT(list != NULL);
    size_t count = 0, left_out = 0;
    for (struct task *task = *use->tasks; task != NULL; task = task->next) {
        count += name_task(task, list + count, CONTAINERS_WATCHED_MAX - count, &left_out);
    }
    if (left_out > 0 && !use->said_too_many) {
        log_line(LOG_WARN, "agent", "what containers use is told of %d of them at most left-out=%zu", (int)CONTAINERS_WATCHED_MAX, left_out);
    }
    use->said_too_many = left_out > 0;
    container_watch_ask(use->watch, list, count);
    free(list);
}

/* ---- a report ---- */

static bool on_use(void *owner, size_t index, struct wire_samples *samples, struct arena *arena)
{
    struct machine_use *use = owner;
    const struct machine_gpus *gpus = use->gpus;
    int64_t gpus_age_ms = 0, containers_age_ms = 0;
    (void)index;
    if (gpus->instance[0] == '\0') { return false; }
    *samples = (struct wire_samples){
        .cluster = str_from(gpus->cluster), .container_instance = str_from(gpus->instance), .simulated = opt_bool_of(gpus->facts->simulated),
    };
    samples->gpus = machine_gpus_use(gpus, &gpus_age_ms, arena);
    if (samples->gpus.count > 0) { samples->gpus_age_ms = opt_int_of(gpus_age_ms); }
    if (use->watch != NULL) {
        samples->containers = container_watch_take(use->watch, &containers_age_ms, arena);
        if (samples->containers.count > 0) { samples->containers_age_ms = opt_int_of(containers_age_ms); }
        ask_containers(use);
    }
    return samples->gpus.count + samples->containers.count > 0;
}

/* ---- beginning and end ---- */

void machine_use_begin(struct machine_use *use)
{
    const struct machine_gpus *gpus = use->gpus;
    int64_t every_ms = use->config->sample_every_ms;
    use->use = (struct use){ .client = gpus->client, .server = gpus->server, .every_ms = every_ms, .ask = on_use, .owner = use };
    if (every_ms > 0) {
        use->watch = container_watch_start(use->host->runtime, &use->host->threads, &use->host->stopping);
        if (use->watch == NULL) { log_line(LOG_WARN, "agent", "there is no thread that could watch what containers use"); }
    }
    use_start(&use->use, 1);
}

void machine_use_leave(struct machine_use *use) { container_watch_wake(use->watch); }

void machine_use_end(struct machine_use *use)
{
    use_finish(&use->use);
    container_watch_destroy(use->watch);
    use->watch = NULL;
    use->use.count = 0;
}
