/* traffic.h: Berth's records of load balancers, which the calls of Elastic Load Balancing change and show. Proxies carry the bytes; a target's state says
 * whether they send to it. Knows the states, ELB's attributes with their defaults, and ARNs; refuses to know whether a thing exists. */
#ifndef BERTH_MODEL_TRAFFIC_H
#define BERTH_MODEL_TRAFFIC_H

#include "base/err.h"
#include "model/names.h"
#include "model/records/traffic.h"

enum { GROUP_NAME_MAX = 32, TRAFFIC_ID_LEN = 16, BALANCERS_MAX = 5 };     /* bytes; hex digits; load balancers of a service (ECS's limit) */
enum { GROUP_TARGETS_MAX = 1000 };        /* as RegisterTargets adds them (ELB's limit); tasks of services register themselves without a limit */

/* ---- targets ---- */
/* The only function that changes the state; of a new target from UNSET. The reason is one of ELB's, or absent. Any state may follow another, except that
 * a draining target stays so. False: it stays as it was. */
bool target_become(struct kept_target *target, enum target_state state, struct str reason, struct str description, int64_t now_ms);
/* Tells targets apart where a number is needed (reconcile/feeds.h). */
uint64_t target_number(const struct kept_target *target);

/* Application load balancers and their groups have these protocols, network load balancers all others. */
static inline bool elb_is_http(enum elb_protocol protocol) { return protocol == ELB_PROTOCOL_HTTP || protocol == ELB_PROTOCOL_HTTPS; }

/* ---- attributes ---- */
enum elb_types { ELB_OF_APPLICATION = 1, ELB_OF_NETWORK = 2, ELB_OF_BOTH = 3 };             /* of load balancers that have the attribute */
/* A value is the default (`usual`), one of the words, between which is '|', or a number in the range, unless `most` is 0. An attribute with neither words
 * nor range has any text. */
struct elb_attribute { struct str key, usual; enum elb_types types; struct str words; int64_t least, most; };
/* In the order in which they are shown. */
extern const struct elb_attribute group_attributes[];
extern const size_t group_attribute_count;
/* As it was set, or its default; absent: the group has no such attribute. */
struct str group_attribute(const struct kept_group *group, struct str key);
int64_t    group_drain_ms(const struct kept_group *group);            /* deregistration_delay.timeout_seconds */

/* ---- ARNs ---- */
struct str traffic_group_arn(const struct names *names, const struct kept_group *group, struct arena *arena);
struct str traffic_balancer_arn(const struct names *names, const struct kept_balancer *balancer, struct arena *arena);
/* `kind`: of the load balancer, as its ARN has it: "app" or "net". */
struct str traffic_listener_arn(const struct names *names, struct str kind, const struct kept_listener *listener, struct arena *arena);
struct str traffic_rule_arn(const struct names *names, struct str kind, const struct kept_rule *rule, struct arena *arena);
struct str traffic_balancer_kind(const struct elb_balancer *balancer);

enum traffic_noun { TRAFFIC_NONE, TRAFFIC_GROUP, TRAFFIC_BALANCER, TRAFFIC_LISTENER, TRAFFIC_RULE };
/* A group has a name and an id, a load balancer too; of a listener and a rule: those of its load balancer, and its own and the listener's id. */
struct traffic_ref { enum traffic_noun noun; struct str kind, name, id, listener, rule; };
/* NONE: the text is no such ARN of this region and account. Borrows from it. */
struct traffic_ref traffic_read_arn(const struct names *names, struct str arn);

#endif
