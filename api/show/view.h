/* view.h: filling replies that hold many tasks or instances, with each definition and each machine read once. Private to api/. */
#ifndef BERTH_API_SHOW_VIEW_H
#define BERTH_API_SHOW_VIEW_H

#include "api/core/support.h"

/* The machine's part of a task's view; a text is absent when the machine has no such attribute. */
struct machine { struct id id; struct str zone, architecture; int64_t came_ms; bool connected; };       /* came_ms, connected: of its agent */

/* Data that the tasks of one reply share; all are in one cluster. Lives in the request's arena. */
struct view_cache {
    struct str cluster_arn;
    struct stems stems;
    const struct taskdef **taskdefs; size_t taskdef_count, taskdef_capacity;
    struct machine *machines; size_t machine_count, machine_capacity;
    struct str family, taskdef_arn; int64_t revision;    /* the definition of the task before */
    bool untold;                             /* this job makes the tasks: no agent knows them yet */
};
struct view_cache view_cache_for(struct op_ctx *ctx, const struct cluster *cluster);
const struct taskdef *view_taskdef_of(struct op_ctx *ctx, struct view_cache *cache, const struct task *task);

/* Reads the machines of all these tasks at once. In a reading transaction only. */
void view_machines(struct op_ctx *ctx, struct view_cache *cache, const struct task *const *tasks, size_t count);

/* `taskdef` may be NULL (it could not be read): then the containers are not shown. *view is zeroed. */
void view_task_fill(struct op_ctx *ctx, struct view_cache *cache, const struct task *task, const struct taskdef *taskdef, bool with_tags,
                    struct task_view *view);

/* The health of the task: the worst of its essential containers that have a check. UNKNOWN is worse than HEALTHY. */
enum health_status view_health(const struct task_definition *def, const struct task_container_list *containers);
void view_instance_fill(struct op_ctx *ctx, const struct cluster *cluster, const struct instance *instance, bool with_tags,
                        struct instance_view *view);

/* The entry of failures[] for a missing thing: the caller's reference when it is an ARN, else `arn`, the ARN that it would have. */
struct failure view_missing(struct str reference, struct str arn);

#endif
