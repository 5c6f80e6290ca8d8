#include "model/traffic.h"

#include "base/assert.h"
#include "base/num.h"
#include "base/table.h"
#include "base/text/arn.h"

/* ---- targets ---- */

bool target_become(struct kept_target *target, enum target_state state, struct str reason, struct str description, int64_t now_ms)
{
    ASSERT(state > TARGET_STATE_UNSET && state < TARGET_STATE_COUNT);
    if (target->state == TARGET_DRAINING) { return false; }
    if (target->state == state && str_eq(target->reason, reason) && str_eq(target->description, description)) { return false; }
    if (target->state != state) { target->since_ms = now_ms; }
    target->state = state;
    target->reason = reason;
    target->description = description;
    return true;
}

uint64_t target_number(const struct kept_target *target)
{
    static const uint64_t keys[][2] = { { 1, 2 }, { 3, 4 } };
    uint64_t hash = hash_keyed(keys[0], target->group.ptr, target->group.len) ^ hash_keyed(keys[1], target->name.ptr, target->name.len);
    return hash_mix(hash + (uint64_t)target->port);
}

/* ---- attributes ---- */

#define SWITCH .words = STR_INIT("true|false")
/* ELB's defaults, except the delay: 30 seconds are enough for requests, and a GPU is held meanwhile. Terraform sends its own 300. No proxy keeps the
 * address of a client, or sends it ahead of a connection's bytes. */
const struct elb_attribute group_attributes[] = {
    { STR_INIT("deregistration_delay.timeout_seconds"), STR_INIT("30"), ELB_OF_BOTH, .least = 0, .most = 3600 },
    { STR_INIT("stickiness.enabled"), STR_INIT("false"), ELB_OF_BOTH, SWITCH },
    { STR_INIT("stickiness.type"), STR_INIT("lb_cookie"), ELB_OF_APPLICATION, .words = STR_INIT("lb_cookie|app_cookie") },
    { STR_INIT("stickiness.type"), STR_INIT("source_ip"), ELB_OF_NETWORK, .words = STR_INIT("source_ip") },
    { STR_INIT("stickiness.lb_cookie.duration_seconds"), STR_INIT("86400"), ELB_OF_APPLICATION, .least = 1, .most = 604800 },
    { STR_INIT("stickiness.app_cookie.cookie_name"), STR_INIT(""), .types = ELB_OF_APPLICATION },
    { STR_INIT("stickiness.app_cookie.duration_seconds"), STR_INIT("86400"), ELB_OF_APPLICATION, .least = 1, .most = 604800 },
    { STR_INIT("slow_start.duration_seconds"), STR_INIT("0"), ELB_OF_APPLICATION, .least = 30, .most = 900 },
    { STR_INIT("load_balancing.algorithm.type"), STR_INIT("round_robin"), ELB_OF_APPLICATION,
      .words = STR_INIT("round_robin|least_outstanding_requests|weighted_random") },
    { STR_INIT("load_balancing.algorithm.anomaly_mitigation"), STR_INIT("off"), ELB_OF_APPLICATION, .words = STR_INIT("on|off") },
    { STR_INIT("load_balancing.cross_zone.enabled"), STR_INIT("use_load_balancer_configuration"), ELB_OF_BOTH, SWITCH },
    { STR_INIT("target_group_health.dns_failover.minimum_healthy_targets.count"), STR_INIT("1"), ELB_OF_BOTH, .words = STR_INIT("off"), .least = 1,
      .most = GROUP_TARGETS_MAX },
    { STR_INIT("target_group_health.dns_failover.minimum_healthy_targets.percentage"), STR_INIT("off"), ELB_OF_BOTH, .least = 1, .most = 100 },
    { STR_INIT("target_group_health.unhealthy_state_routing.minimum_healthy_targets.count"), STR_INIT("1"), ELB_OF_BOTH, .least = 1,
      .most = GROUP_TARGETS_MAX },
    { STR_INIT("target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage"), STR_INIT("off"), ELB_OF_BOTH, .least = 1, .most = 100 },
    { STR_INIT("deregistration_delay.connection_termination.enabled"), STR_INIT("false"), ELB_OF_NETWORK, SWITCH },
    { STR_INIT("preserve_client_ip.enabled"), STR_INIT("false"), ELB_OF_NETWORK, .words = STR_INIT("false") },
    { STR_INIT("proxy_protocol_v2.enabled"), STR_INIT("false"), ELB_OF_NETWORK, .words = STR_INIT("false") },
    { STR_INIT("target_health_state.unhealthy.connection_termination.enabled"), STR_INIT("true"), ELB_OF_NETWORK, SWITCH },
    { STR_INIT("target_health_state.unhealthy.draining_interval_seconds"), STR_INIT("0"), ELB_OF_NETWORK, .least = 0, .most = 360000 },
};
#undef SWITCH
const size_t group_attribute_count = COUNT_OF(group_attributes);

struct str group_attribute(const struct kept_group *group, struct str key)
{
    for (size_t a = 0; a < group->attributes.count; a++) {
        if (str_eq(group->attributes.items[a].key, key)) { return group->attributes.items[a].value; }
    }
    enum elb_types type = elb_is_http(group->group->protocol) ? ELB_OF_APPLICATION : ELB_OF_NETWORK;
    for (size_t a = 0; a < group_attribute_count; a++) {
        if (str_eq(group_attributes[a].key, key) && (group_attributes[a].types & type) != 0) { return group_attributes[a].usual; }
    }
    return (struct str){ NULL, 0 };
}

int64_t group_drain_ms(const struct kept_group *group)
{
    int64_t seconds = 0;
    return str_to_i64(group_attribute(group, STR("deregistration_delay.timeout_seconds")), &seconds) ? seconds * 1000 : 0;
}

/* ---- ARNs ---- */

#define ARN_FMT "arn:aws:elasticloadbalancing:" STR_FMT ":" STR_FMT ":"
#define ARN_ARG(names) STR_ARG((names)->region), STR_ARG((names)->account)

struct str traffic_group_arn(const struct names *names, const struct kept_group *group, struct arena *arena)
{
    return arena_printf(arena, ARN_FMT "targetgroup/" STR_FMT "/" STR_FMT, ARN_ARG(names), STR_ARG(group->group->name), STR_ARG(group->id));
}

struct str traffic_balancer_kind(const struct elb_balancer *balancer) { return balancer->type == ELB_BALANCER_TYPE_NETWORK ? STR("net") : STR("app"); }

struct str traffic_balancer_arn(const struct names *names, const struct kept_balancer *balancer, struct arena *arena)
{
    return arena_printf(arena, ARN_FMT "loadbalancer/" STR_FMT "/" STR_FMT "/" STR_FMT, ARN_ARG(names), STR_ARG(traffic_balancer_kind(balancer->balancer)),
                        STR_ARG(balancer->balancer->name), STR_ARG(balancer->id));
}

struct str traffic_listener_arn(const struct names *names, struct str kind, const struct kept_listener *listener, struct arena *arena)
{
    return arena_printf(arena, ARN_FMT "listener/" STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT, ARN_ARG(names), STR_ARG(kind), STR_ARG(listener->balancer),
                        STR_ARG(listener->balancer_id), STR_ARG(listener->id));
}

struct str traffic_rule_arn(const struct names *names, struct str kind, const struct kept_rule *rule, struct arena *arena)
{
    return arena_printf(arena, ARN_FMT "listener-rule/" STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT, ARN_ARG(names), STR_ARG(kind),
                        STR_ARG(rule->balancer), STR_ARG(rule->balancer_id), STR_ARG(rule->listener_id), STR_ARG(rule->id));
}

struct traffic_ref traffic_read_arn(const struct names *names, struct str text)
{
    static const struct { struct str head; enum traffic_noun noun; size_t parts; } rows[] = {
        { STR_INIT("targetgroup"), TRAFFIC_GROUP, 2 }, { STR_INIT("loadbalancer"), TRAFFIC_BALANCER, 3 }, { STR_INIT("listener"), TRAFFIC_LISTENER, 4 },
        { STR_INIT("listener-rule"), TRAFFIC_RULE, 5 },
    };
    enum { PARTS_MAX = 5 };
    struct arn arn;
    struct str parts[PARTS_MAX], head, rest;
    size_t count = 0;
    const struct traffic_ref none = { .noun = TRAFFIC_NONE };
    bool ours = arn_parse(text, &arn) && str_eq(arn.service, STR("elasticloadbalancing")) && str_eq(arn.region, names->region)
        && str_eq(arn.account, names->account) && str_cut(arn.resource, '/', &head, &rest);
    if (!ours) { return none; }
    for (bool more = true; more && count < PARTS_MAX;) {
        struct str next = rest;
        more = str_cut(next, '/', &parts[count], &rest);
        if (!more) { parts[count] = next; }
        if (parts[count++].len == 0) { return none; }
    }
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (!str_eq(head, rows[r].head) || count != rows[r].parts) { continue; }
        size_t at = rows[r].noun == TRAFFIC_GROUP ? 0 : 1;
        return (struct traffic_ref){
            .noun = rows[r].noun, .kind = at == 0 ? (struct str){ NULL, 0 } : parts[0], .name = parts[at], .id = parts[at + 1],
            .listener = count > 3 ? parts[3] : (struct str){ NULL, 0 }, .rule = count > 4 ? parts[4] : (struct str){ NULL, 0 },
        };
    }
    return none;
}
