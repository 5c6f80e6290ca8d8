/* discovery.h: where the tasks of services are reached, and the DNS names by which they are found. A service has the name SERVICE.CLUSTER, and those of its
 * serviceRegistries and of Service Connect. Names are shown without the zone that a DNS server puts behind them. Private to api/. */
#ifndef BERTH_API_DISCOVERY_DISCOVERY_H
#define BERTH_API_DISCOVERY_DISCOVERY_H

#include "api/core/support.h"
#include "model/service.h"

/* A port of a task's container that other machines reach. */
struct endpoint {
    struct id task;
    struct str container, address, zone;
    int64_t container_port, port, since_ms;          /* since_ms: when the task began to run, or its last target became healthy */
    enum transport_protocol protocol;
    bool checked;                                    /* a health check says that it is healthy; false: it has no check */
};

/* A name of some endpoints of a task: all of them where `container` is absent and `port`, a container port, is 0. */
struct discovery_name { struct str name, container; int64_t port; };
struct discovery_names { struct discovery_name *items; size_t count; };

/* names.c: pure; names of a revision, whose definition is `def`. Texts are borrowed or in `arena`. */
struct discovery_names discovery_names_of(const struct names *names, const struct cluster *cluster, struct str service, const struct service_revision *revision,
                                          const struct task_definition *def, struct arena *arena);
bool discovery_is_named(const struct discovery_name *name, const struct endpoint *endpoint);

/* endpoints.c: calls `put` for each task of the service that runs, is healthy and has endpoints. With a strategy that shifts traffic, only for tasks of
 * deployments that have production traffic. Arguments of `put` live for the call; it may fill ctx->arena, and the walk ends when that is exhausted. */
typedef void put_endpoints(void *context, const struct endpoint *endpoints, size_t count, const struct discovery_names *names);
void discovery_walk(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, put_endpoints *put, void *context);

#endif
