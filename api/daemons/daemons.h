/* daemons.h: managed daemons. A daemon is a service that runs one task on each machine of its capacity providers, has its own names, and is changed
 * by its own operations; its steps are those of services (api/services/steps.c, scheduler/reconcile/managed.c). Private to api/. */
#ifndef BERTH_API_DAEMONS_DAEMONS_H
#define BERTH_API_DAEMONS_DAEMONS_H

#include "api/schemas/daemons.h"
#include "api/services/services.h"

enum { DAEMON_PROVIDERS_MAX = 20 };

/* The daemon of an ARN that is not deleted, and its cluster. NULL: ERR_CLUSTER_NOT_FOUND, or `missing`. */
const struct service *daemons_find(struct op_ctx *ctx, struct str arn, const struct cluster **cluster, enum err_code missing, struct err *err);
struct str daemons_arn(struct op_ctx *ctx, const struct cluster *cluster, const struct service *daemon);
/* The ARN of the newest deployment. */
struct str daemons_deployment_arn(struct op_ctx *ctx, const struct cluster *cluster, const struct service *daemon);
enum daemon_status daemons_status(const struct service *daemon);

/* ---- rules.c ---- */

/* Members that CreateDaemon and UpdateDaemon share. */
struct daemon_wish {
    struct str definition;
    const struct str_list *providers;
    const struct daemon_deployment_configuration *configuration;
    enum daemon_propagate_tags propagate_tags;
    enum opt_bool managed_tags, execute_command;
};
/* Fills in the members of the daemon and of its next revision that a request sets; members that it leaves out have their defaults.
 * ERR_INVALID_PARAMETER, ERR_CLIENT. */
bool daemons_draft(struct op_ctx *ctx, const struct cluster *cluster, const struct daemon_wish *wish, struct service *daemon,
                   struct service_revision *revision, struct err *err);
/* The configuration as clients see it. */
struct daemon_deployment_configuration *daemons_configuration(const struct service_deployment *act, struct arena *arena);

#endif
