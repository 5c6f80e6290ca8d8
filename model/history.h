/* history.h: what is left of a task long after it has stopped: a record that needs no other to be read, because the task, its
 * definition and its machine may be gone by then. Holds what happened, to whom and why; refuses to hold what only a live
 * task needs. GPU-seconds follow from the times and the GPUs, so they are not kept. */
#ifndef BERTH_MODEL_HISTORY_H
#define BERTH_MODEL_HISTORY_H

#include "model/task.h"

struct history_container {
    struct str name, reason;
    struct opt_int exit_code;
    struct str_list gpu_ids;                 /* UUIDs that were pinned to it */
    int64_t gpu_share;                       /* as in task.h */
};
struct history_container_list { struct history_container *items; size_t count; };

struct history {
    struct id id;                            /* the task's; with stopped_ms it is the key, so neither is in the record */
    int64_t stopped_ms;
    int64_t cluster_number;
    struct str family; int64_t revision;
    struct id instance; struct str instance_name;
    struct str group, started_by;
    int64_t cpu, memory_mib;
    enum task_stop_code stop_code; struct str stopped_reason;
    int64_t created_ms, pull_started_ms, pull_stopped_ms, started_ms, stopping_ms, execution_stopped_ms;   /* 0: never happened */
    struct history_container_list containers;
    struct tag_list tags;
};
extern const struct schema history_record;

int64_t history_gpu_thousandths(const struct history *history);  /* of GPUs that the task held */
/* GPUs times milliseconds, from the placement (a task is created where it is placed) to STOPPED. */
int64_t history_gpu_ms(const struct history *history);

#endif
