/* express.h: Express services: an image in, a URL out. Each is a service with parts that Berth makes for it: a task definition, load balancing and scaling.
 * The parts are usual records, which their own calls show; the service's record alone says that it is one (infrastructure_role). Private to api/express/.
 *
 *   CreateExpressGatewayService → rules.c checks and defines; operations.c drafts the definition and the service, then writes all parts
 *   services_end                → gateway_drop: the load balancing goes with the service, also by DeleteService */
#ifndef BERTH_API_EXPRESS_EXPRESS_H
#define BERTH_API_EXPRESS_EXPRESS_H

#include "api/core/support.h"
#include "api/schemas/express.h"
#include "model/scaling.h"
#include "model/service.h"

/* ---- rules.c: pure ---- */

/* The members that Create and Update share; those that were not given are empty. */
struct express_request {
    struct str task_definition, execution_role, task_role, cpu, memory, health_path;
    const struct express_gateway_container *container;
    const struct express_gateway_service_network_configuration *network;
    const struct express_gateway_scaling_target *scaling;
};
/* Errors of the request itself, ERR_INVALID_PARAMETER. `is_new`: of Create. */
bool express_check(const struct express_request *request, bool is_new, struct err *err);
/* Whether a member is given that is a part of the task definition. */
bool express_defines(const struct express_request *request);
/* Sets the members that the request gives. A new definition has only its family; what the request leaves out gets its default. */
void express_define(const struct names *names, const struct express_request *request, struct task_definition *def, struct arena *arena);
/* The one TCP port of the container Main. ERR_INVALID_PARAMETER: there is no such container, or not one such port with a name. */
bool express_port(const struct task_definition *def, int64_t *port, struct err *err);
const struct container_definition *express_main(const struct task_definition *def);      /* NULL: it has no container Main */

struct express_scaling { int64_t min, max, value; enum express_gateway_service_scaling_metric metric; };
/* `base` with the members that the request gives. ERR_INVALID_PARAMETER: limits that cross, or a value below 1. */
bool express_scale(const struct express_scaling *base, const struct express_gateway_scaling_target *given, struct express_scaling *scaling, struct err *err);
extern const struct express_scaling express_scaling_default;
struct express_scaling express_scaling_of(const struct kept_scaling *target);             /* NULL, and where it has no such policy: the default */
struct target_tracking *express_tracking(const struct express_scaling *scaling, struct str resource_label, struct arena *arena);
extern const struct str express_policy;                                                  /* the name of the policy */

/* "web-0123abcd": what tells a service apart in names of hosts and target groups. The same service has the same one. */
struct str express_label(struct str cluster, struct str service, struct arena *arena);

/* ---- view.c ---- */
struct ecs_express_gateway_service *express_view(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, bool with_tags);
/* For the revision that the service is to run. */
struct updated_express_gateway_service *express_view_updated(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service);
struct gateway_parts;
enum access_type express_access(const struct gateway_parts *parts);
/* The target group in which tasks of the deployment are; absent: the records are gone. Both may be NULL. */
struct str express_group(const struct kept_deployment *deployment, const struct service_revision *revision);

/* ---- resources.c ---- */
/* The parts of an Express service as DescribeServiceRevisions shows them, without those that are gone. */
struct ecs_managed_resources *express_resources(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service,
                                                const struct service_revision *revision);

#endif
