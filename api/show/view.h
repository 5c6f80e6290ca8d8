/* view.h: filling replies that hold many tasks or instances, with each definition and each machine read once. Private to api/. */
#ifndef BERTH_API_SHOW_VIEW_H
#define BERTH_API_SHOW_VIEW_H

#include "api/core/support.h"
#include "api/schemas/deployments.h"

/* Empty lists are shown too: clients iterate over them without a check. */
#define SHOWN(list) { (list).items == NULL ? LIST_NOTHING : (list).items, (list).count }

/* The machine's part of a task's view; a text is absent when the machine has no such attribute. */
struct shown_machine { struct id id; struct str zone, architecture; int64_t came_ms; bool connected; };       /* came_ms, connected: of its agent */

/* Data that the tasks of one reply share; all are in one cluster. Lives in the request's arena. */
struct view_cache {
    struct str cluster_arn;
    struct stems stems;
    const struct taskdef **taskdefs; size_t taskdef_count, taskdef_capacity;
    struct shown_machine *machines; size_t machine_count, machine_capacity;
    struct str family, taskdef_arn; int64_t revision; bool of_daemon;    /* the definition of the task before */
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

/* ---- view_service.c ---- */

/* A deployment or task set; the revision is NULL when it could not be read. */
struct deployment_parts { const struct kept_deployment *deployment; const struct service_revision *revision; struct deployment_counts counts; };
/* Records and counts for the views of a service and of its parts. Lives in the request's arena. */
struct service_parts {
    const struct names *names;
    struct str cluster, cluster_arn, service_arn;        /* cluster: its name */
    const struct service *service;
    const struct service_revision *revision;             /* that the service is to run; NULL: EXTERNAL without a PRIMARY task set */
    struct deployment_parts *deployments; size_t deployment_count;       /* those that are shown: the PRIMARY, then the newest first */
};
struct service_parts view_service_parts(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service);
/* The rest reads its arguments only. Views live in `arena`, and borrow from the parts. *view is written whole. */
void view_service_fill(const struct service_parts *parts, const struct service_events *events, bool with_tags, struct arena *arena,
                       struct service_view *view);
void view_task_set_fill(const struct service_parts *parts, const struct deployment_parts *set, bool with_tags, struct arena *arena, struct task_set *view);
/* `threshold`: failures that end a deployment of the service as it is now. */
void view_service_deployment_fill(const struct service_parts *parts, const struct service_deployment *act, int64_t threshold, struct arena *arena,
                                  struct service_deployment_view *view);
void view_service_deployment_brief(const struct service_parts *parts, const struct service_deployment *act, struct arena *arena,
                                   struct service_deployment_brief *view);
/* `taskdef` NULL: only images that a task has reported are shown. */
void view_revision_fill(const struct service_parts *parts, const struct service_revision *revision, const struct taskdef *taskdef, struct arena *arena,
                        struct service_revision_view *view);
/* The launch type that the service shows; UNSET: it has a strategy. `revision`: as in the parts. */
enum launch_type view_service_launch_type(const struct service *service, const struct service_revision *revision);

/* ECS: it is an Express service. */
enum resource_management_type view_service_management(const struct service *service);

/* The entry of failures[] for a missing thing: the caller's reference when it is an ARN, else `arn`, the ARN that it would have. */
struct failure view_missing(struct str reference, struct str arn);

#endif
