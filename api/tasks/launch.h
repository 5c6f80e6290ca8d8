/* launch.h: what RunTask and StartTask share: reading the request into one pattern of a task, and making tasks after it.
 * Private to api/. */
#ifndef BERTH_API_TASKS_LAUNCH_H
#define BERTH_API_TASKS_LAUNCH_H

#include "api/capacity/choice.h"
#include "api/show/view.h"

/* From the tag berth:queue (then `given`). most_ms: how long it waits; 0: without an end. replaces: as struct waiting has it. since_ms: its place in the queue;
 * 0: it comes now. */
struct wait_wish { bool given, waits, replaces; int64_t most_ms, since_ms; };

/* The members that both requests have, as the request gave them. */
struct launch_request {
    struct str task_definition, group, started_by, reference_id;
    enum launch_type launch_type;
    const struct capacity_provider_strategy_item_list *strategy;      /* NULL: the operation has none */
    struct str platform_version;
    const struct network_configuration *network;
    struct task_override *overrides;
    const struct tag_list *tags;
    enum propagate_tags propagate_tags;
    enum opt_bool managed_tags, execute_command;
    size_t volume_configuration_count;
    struct str service_name;                  /* absent: the task is not a service's */
};

struct launch {
    const struct cluster *cluster;
    const struct taskdef *taskdef;
    struct demand demand;                    /* without constraints and strategies */
    struct task pattern;                     /* all but id, instance and GPUs */
    bool gang;                               /* all of them or none */
    struct wait_wish wish;                   /* of RunTask, when there is no room */
    struct provider_choice choice;           /* the capacity providers of its strategy: launch_on_provider, before tasks are placed */
    struct view_cache seen;                  /* by the tasks that were made so far */
};

/* Everything that can be wrong with a request is found here, before anything is placed or written. */
bool launch_prepare(struct op_ctx *ctx, const struct cluster *cluster, const struct launch_request *request, struct launch *launch,
                    struct err *err);

/* The same with a definition that is known, ACTIVE or not. */
bool launch_prepare_from(struct op_ctx *ctx, const struct cluster *cluster, const struct taskdef *taskdef, const struct launch_request *request,
                         struct launch *launch, struct err *err);

/* The launch of a waiting task, from its record. False and *err: it can't be worked out any more. */
MUST_USE bool launch_waiting(struct op_ctx *ctx, const struct task *task, struct launch *launch, struct err *err);

/* The launch of another task like this one, which has its place: the same definition, overrides, wishes and tags, with one retry less. False and *err: it can't
 * be worked out any more. */
MUST_USE bool launch_again(struct op_ctx *ctx, const struct task *task, struct launch *launch, struct err *err);

/* The next tasks are placed on the item of launch->choice. Without room they wait where the provider scales, unless a tag says otherwise. */
void launch_on_provider(struct op_ctx *ctx, struct launch *launch, size_t item);

/* Parts of it that services have, too: the definition can run as this launch type, and the network fits its network mode (ERR_INVALID_PARAMETER); all
 * that its containers ask for is here (ERR_UNSUPPORTED_FEATURE). `network` and `overrides` may be NULL. */
bool launch_check_type(const struct task_definition *def, enum launch_type type, struct err *err);
bool launch_check_network(const struct task_definition *def, const struct network_configuration *network, struct err *err);
bool launch_check_content(const struct task_definition *def, const struct task_override *overrides, struct err *err);
/* A group that a client gives: those of services and daemons are theirs. */
bool launch_check_group(struct str group, struct err *err);

/* The containers of a task with the GPUs that it is given there, as its record has them. */
struct task_container_list launch_containers(struct op_ctx *ctx, const struct launch *launch, const struct placement *placement);

/* Writes the task that was placed and wakes its machine; shows it in *view, which may be NULL. */
void launch_task(struct op_ctx *ctx, struct launch *launch, struct id id, const struct placement *placement, struct task_view *view);

/* The entry of failures[] for a task that found no place: in ECS's word, and in a paragraph for a person. */
struct failure launch_failure(struct op_ctx *ctx, const struct launch *launch, const struct evidence *evidence);
/* Those of `count` tasks of one call: what the next lacks, all of them lack. The paragraph is in the first alone. */
struct failure_list launch_failures_of(struct op_ctx *ctx, struct failure first, size_t count);
struct failure_list launch_failures(struct op_ctx *ctx, const struct launch *launch, const struct evidence *evidence, size_t count);

#endif
