/* rules.h: checks of CreateService and UpdateService, and the records that a request asks for, with all defaults. Pure: a request, the cluster's record
 * and the definition's in, records or ECS's words out; knows no store and no clock, and places nothing. operations.c calls it. Private
 * to api/.
 *
 * Errors are ERR_INVALID_PARAMETER where nothing else is said. Negative numbers are refused by the schema, before this. Whether target groups
 * and alarms exist is not checked here. */
#ifndef BERTH_API_RULES_RULES_H
#define BERTH_API_RULES_RULES_H

#include "api/core/support.h"
#include "api/schemas/services.h"
#include "model/service.h"
#include "scheduler/reconcile/reconcile.h"

/* A service as it is asked for. Numbers, digits, statuses, times and marks are the caller's to set. With the controller EXTERNAL the
 * revision is empty: task sets have theirs. Lives in the request's arena, and borrows from the request and from the records. */
struct service_draft {
    struct service service;
    struct service_revision revision;
    bool wants_both_launches;                /* a launch type and a strategy. As the next two it is in no record: service_check_draft refuses it in its turn */
    bool wants_lattice, wants_volumes;
};

/* ---- CreateService (create.c), in this order ---- */

/* The name, the token, the controller with its strategy, and whether a task definition must be given. */
bool service_check_first(const struct create_service_request *request, struct err *err);
/* ERR_CLIENT: the definition is not there (NULL), or not ACTIVE. */
bool service_check_taskdef(const struct taskdef *taskdef, struct err *err);
/* All the rest, for a request that passed the two above. `taskdef` is NULL with the controller EXTERNAL. */
bool service_draft_new(struct op_ctx *ctx, const struct create_service_request *request, const struct cluster *cluster, const struct taskdef *taskdef,
                       struct service_draft *draft, struct err *err);

/* ---- the same call again (repeat.c) ---- */

/* The request without its token, its cluster and its tags, as one number: service.request_hash. */
int64_t service_request_hash(const struct create_service_request *request, struct arena *arena);
/* Whether the service that was made with the request's token, and is ACTIVE or DRAINING, was made by the same request. Comes before all other
 * checks, so that a call whose reply was lost can be repeated after any change. */
bool service_check_repeat(const struct service *made, int64_t request_hash, struct err *err);
/* `known` has the draft's name; NULL: there is none. False: the name is taken. True and *same: it is the service that the draft asks for, as it is now;
 * true without *same: the draft can be made. An INACTIVE service holds no name. */
bool service_check_name_is_free(const struct service_draft *draft, const struct service *known, const struct service_revision *revision,
                                struct arena *arena, bool *same, struct err *err);
/* Whether two revisions have the same workload: all members but digits, service, time and images. */
bool service_same_workload(const struct service_revision *a, const struct service_revision *b, struct arena *arena);

/* ---- UpdateService (update.c) ---- */

/* The service as it is after the request. `taskdef` is the definition that the request names, or else the current one's; NULL with the controller
 * EXTERNAL. *deploys: the change starts a new deployment, with draft->revision as its revision; else the revision stays.
 * ERR_SERVICE_NOT_ACTIVE, ERR_UNSUPPORTED_FEATURE for another controller. */
bool service_draft_change(struct op_ctx *ctx, const struct update_service_request *request, const struct cluster *cluster, const struct taskdef *taskdef,
                          const struct service *service, const struct service_revision *revision, struct service_draft *draft, bool *deploys,
                          struct err *err);

/* ---- parts ---- */

/* configuration.c: `base` with the members that `given` has (NULL: none), and defaults where neither has one. `base` is NULL for a new service. What
 * belongs to another strategy is dropped. */
struct deployment_configuration *service_configure(const struct deployment_configuration *base, const struct deployment_configuration *given,
                                                   enum scheduling_strategy scheduling, struct arena *arena);
/* Checks a complete configuration. ERR_UNSUPPORTED_FEATURE for hooks that are Lambda functions. */
bool service_check_configuration(const struct deployment_configuration *configuration, enum deployment_controller_type controller,
                                 enum scheduling_strategy scheduling, struct err *err);
/* The circuit breaker as the scheduler reads it. Without a threshold it has ECS's: half of the desired count, within bounds. */
struct breaker service_breaker(const struct deployment_configuration *configuration);

/* balancers.c. `def` is NULL with the controller EXTERNAL, and then only an empty list passes. */
bool service_check_balancers(const struct load_balancer_list *balancers, const struct task_definition *def, enum deployment_strategy strategy,
                             struct err *err);
bool service_check_registries(const struct names *names, const struct service_registry_list *registries, const struct task_definition *def,
                              enum launch_type type, struct err *err);

/* connect.c. ERR_UNSUPPORTED_FEATURE for what only a proxy beside the task could do. */
bool service_check_connect(const struct service_connect_configuration *connect, const struct task_definition *def, const struct cluster *cluster,
                           struct err *err);
/* The DNS name of the namespace: the given one, else the cluster's default. Empty: Service Connect is off (NULL too), or no DNS name is known. */
struct str service_namespace(const struct service_connect_configuration *connect, const struct cluster *cluster);
/* The port mapping of that name, and its container. NULL: there is none. */
const struct port_mapping *service_named_port(const struct task_definition *def, struct str name, struct str *container);

/* draft.c: members as records have them: an empty list is absent. */
struct network_configuration *service_network(const struct network_configuration *given, struct arena *arena);
struct capacity_provider_strategy_item_list service_strategy(const struct capacity_provider_strategy_item_list *given, struct arena *arena);
#define SERVICE_LIST(list) { (list).count > 0 ? (list).items : NULL, (list).count }
/* draft.c: what both operations check of a draft, in the order of CreateService, from its configuration to its placement. On the way the default of
 * zone rebalancing is filled in. */
bool service_check_draft(struct op_ctx *ctx, struct service_draft *draft, const struct cluster *cluster, const struct taskdef *taskdef, struct err *err);
/* … and CreateTaskSet of a draft with the service as it is and the revision of the new set. */
bool service_check_task_set(struct op_ctx *ctx, const struct service_draft *draft, const struct taskdef *taskdef, struct err *err);
/* create.c: the launch type or the strategy that was given; without both, the cluster's default strategy, and without that, EC2. */
void service_choose_launch(struct op_ctx *ctx, enum launch_type type, const struct capacity_provider_strategy_item_list *strategy,
                           const struct cluster *cluster, struct service_revision *revision);
#endif
