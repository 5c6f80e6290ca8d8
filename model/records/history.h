/* history.h: the record of a task that has stopped. model/history.h says more. Written by tools/shapes from
 * model/records/history.shapes. */
#ifndef BERTH_MODEL_RECORDS_HISTORY_H
#define BERTH_MODEL_RECORDS_HISTORY_H

#include "model/records/task.h"

struct history_container {
    struct str name;
    struct opt_int exit_code;
    struct str reason;
    struct str_list gpu_ids;                 /* UUIDs pinned to it */
    int64_t gpu_share;                       /* as in records/task.h */
};
struct history_container_list { struct history_container *items; size_t count; };
extern const struct schema history_container_record;

/* The first fifteen tags, which take one byte, go to what nearly every task has. A time of 0: it never happened. */
struct history {
    struct id id;                            /* the task's; with stopped_ms it is the key, so neither is in the record */
    int64_t stopped_ms;
    int64_t cluster_number;
    struct str family;
    int64_t revision;
    struct id instance;
    struct str instance_name;
    struct str group;
    int64_t memory_mib;
    enum task_stop_code stop_code;
    struct str stopped_reason;
    int64_t created_ms;
    int64_t started_ms;
    int64_t stopping_ms;
    int64_t execution_stopped_ms;
    struct history_container_list containers;
    struct str started_by;
    int64_t cpu;
    int64_t pull_started_ms;
    int64_t pull_stopped_ms;
    struct tag_list tags;
    int64_t placed_ms;                       /* as in records/task.h, with asked_gpus */
    int64_t asked_gpus;
    int64_t sampled_gpu_ms;                  /* what it held times ms: as far as samples cover it; of these in use; and idle */
    int64_t used_gpu_ms;
    int64_t idle_gpu_ms;
};
struct history_list { struct history *items; size_t count; };
extern const struct schema history_record;

#endif
