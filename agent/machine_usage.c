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

static void ask_containers(struct machine_usage *usage)
{
    struct watched_container *list = calloc(CONTAINERS_WATCHED_MAX, sizeof *list);
    ASSERT(list != NULL);
    size_t count = 0, left_out = 0;
    for (struct task *task = *usage->tasks; task != NULL; task = task->next) {
        count += name_task(task, list + count, CONTAINERS_WATCHED_MAX - count, &left_out);
    }
    if (left_out > 0 && !usage->said_too_many) {
        log_line(LOG_WARN, "agent", "the usage of containers is reported for %d of them at most left-out=%zu", (int)CONTAINERS_WATCHED_MAX, left_out);
    }
    usage->said_too_many = left_out > 0;
    container_watch_ask(usage->watch, list, count);
    free(list);
}

/* ---- a report ---- */

static bool on_use(void *owner, size_t index, struct wire_samples *samples, struct arena *arena)
{
    struct machine_usage *usage = owner;
    const struct machine_gpus *gpus = usage->gpus;
    int64_t gpus_age_ms = 0, containers_age_ms = 0;
    (void)index;
    if (gpus->instance[0] == '\0') { return false; }
    *samples = (struct wire_samples){
        .cluster = str_from(gpus->cluster), .container_instance = str_from(gpus->instance), .simulated = opt_bool_of(gpus->inventory->simulated),
    };
    samples->gpus = machine_gpus_usage(gpus, &gpus_age_ms, arena);
    if (samples->gpus.count > 0) { samples->gpus_age_ms = opt_int_of(gpus_age_ms); }
    if (usage->watch != NULL) {
        samples->containers = container_watch_take(usage->watch, &containers_age_ms, arena);
        if (samples->containers.count > 0) { samples->containers_age_ms = opt_int_of(containers_age_ms); }
        ask_containers(usage);
    }
    return samples->gpus.count + samples->containers.count > 0;
}

/* ---- beginning and end ---- */

void machine_usage_begin(struct machine_usage *usage)
{
    const struct machine_gpus *gpus = usage->gpus;
    int64_t every_ms = usage->config->sample_every_ms;
    usage->reporter = (struct usage_reporter){ .client = gpus->client, .server = gpus->server, .every_ms = every_ms, .ask = on_use, .owner = usage };
    if (every_ms > 0) {
        usage->watch = container_watch_start(usage->host->runtime, &usage->host->threads, &usage->host->stopping);
        if (usage->watch == NULL) { log_line(LOG_WARN, "agent", "there is no thread that could watch what containers use"); }
    }
    usage_reporter_start(&usage->reporter, 1);
}

void machine_usage_leave(struct machine_usage *usage) { container_watch_wake(usage->watch); }

void machine_usage_end(struct machine_usage *usage)
{
    usage_reporter_finish(&usage->reporter);
    container_watch_destroy(usage->watch);
    usage->watch = NULL;
    usage->reporter.count = 0;
}
