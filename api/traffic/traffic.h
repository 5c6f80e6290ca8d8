/* traffic.h: how the rest of api/ meets load balancers: groups by their ARN, targets that come, change and go, and the weights of a rule. The calls of
 * Elastic Load Balancing are a view of the same records (elbv2.c). Private to api/.
 *
 *   a task is RUNNING        → the next step of its service (api/services/targets.c): traffic_register
 *   an agent's check         → traffic_set_health; the service is due
 *   a proxy's report         → scheduler/reconcile/feeds.h; services that wait for it are due
 *   a task is to stop        → DEACTIVATING; the step: traffic_deregister; when no proxy sends to it: traffic_drop, and its machine gets the stop */
#ifndef BERTH_API_TRAFFIC_TRAFFIC_H
#define BERTH_API_TRAFFIC_TRAFFIC_H

#include "api/core/support.h"
#include "model/ecs/service.h"
#include "model/traffic.h"

/* NULL: the ARN names no target group that there is. */
const struct kept_group *traffic_group(struct op_ctx *ctx, struct str arn);

/* The target groups and listener rules that a service's request names are there, and fit the network mode of its tasks. */
bool traffic_check_balancers(struct op_ctx *ctx, const struct load_balancer_list *balancers, enum network_mode mode, struct err *err);

/* A new target, INITIAL, or HEALTHY where the group's checks are off. A target at the same address goes: its task has ended, or an outsider was
 * registered. The same again: nothing. `target`: the members up to container_port. */
void traffic_register(struct op_ctx *ctx, const struct kept_group *group, const struct kept_target *target);
/* DRAINING for the group's delay; without a delay too: only traffic_drop takes it away. A target that has never been healthy goes at once. */
void traffic_deregister(struct op_ctx *ctx, const struct kept_group *group, const struct kept_target *target);
void traffic_drop(struct op_ctx *ctx, const struct kept_target *target);
/* Whether nothing sends to a draining target any more: all feeds say so, or its delay is over. With no feed the delay alone counts, as in ECS. False:
 * *look_ms is when to look again, if no feed reports before. */
bool traffic_has_drained(struct op_ctx *ctx, const struct kept_target *target, int64_t *look_ms);
void traffic_expire(struct op_ctx *ctx);                               /* drops such targets that have no task: a task's are its service's */
/* The result of a check, for a target as it was read. The service of its task is due if that is news. `checks.c` takes the reports. */
void traffic_set_health(struct op_ctx *ctx, const struct kept_target *target, enum target_state state, struct str reason, struct str description);

/* The group's health check has changed to this: agents that check its targets get the new one. Without checks its targets are healthy. */
void traffic_check_changed(struct op_ctx *ctx, const struct target_group *group);

/* ---- weights ---- */
/* The groups that a listener's default action or a rule forwards to; `rule`: the ARN of a rule, or of a listener. Empty: it does not forward, or is gone. */
struct elb_weighted_group_list traffic_weights(struct op_ctx *ctx, struct str rule);
/* Gives one group a weight, in tenths of a percent, and the other one the rest. False: the rule is gone. The same again: nothing. */
bool traffic_set_weights(struct op_ctx *ctx, struct str rule, struct str group, struct str other, int64_t tenths);

/* ---- gateways (gateway.c): the load balancing of an Express service: two target groups, and a rule for its host name in the load balancer "express",
 * which all Express services share ---- */
struct gateway { struct str label, host, health_path; int64_t port; };     /* the groups' names begin with the label, 30 bytes at most; the container's port */
/* Whether it can be made. ERR_CLIENT: a name is taken, or the listener has no room for a rule. */
bool gateway_check(struct op_ctx *ctx, const struct gateway *gateway, struct err *err);
/* Makes it, and the load balancer if there is none; only a store that fails hinders it. Fills in the ARNs in *balancer. */
bool gateway_make(struct op_ctx *ctx, const struct gateway *gateway, struct load_balancer *balancer, struct err *err);
/* Removes it, and the load balancer with its last rule. Parts that other rules use, or that are protected from deletion, stay. */
void gateway_drop(struct op_ctx *ctx, const struct load_balancer *balancer);
/* Its parts, and its URL: "http://web-0123abcd.example.com". False: the rule is gone, or has no host name any more. */
struct gateway_parts { const struct kept_balancer *balancer; const struct kept_listener *listener; const struct kept_rule *rule; struct str host, url; };
bool gateway_find(struct op_ctx *ctx, const struct load_balancer *balancer, struct gateway_parts *parts);
/* Absent: the group is gone, or has no path. */
struct str gateway_health_path(struct op_ctx *ctx, struct str group);
bool gateway_set_health_path(struct op_ctx *ctx, struct str group, struct str path, struct err *err);     /* a group that is gone: nothing */

#endif
