/* traffic.h: target groups and rules that tests put into the store, and the health of targets that tests set. */
#ifndef BERTH_TESTS_TRAFFIC_H
#define BERTH_TESTS_TRAFFIC_H

#include "api/core/placement.h"
#include "api/traffic/traffic.h"
#include "scheduler/reconcile/feeds.h"
#include "scheduler/reconcile/roster.h"
#include "tests/unit/api/services.h"

#define ELB_ARN(rest) "arn:aws:elasticloadbalancing:us-east-1:123456789012:" rest
#define ELB_ID        "0123456789abcdef"
#define GROUP(name)   ELB_ARN("targetgroup/" name "/" ELB_ID)
#define RULE(n)       ELB_ARN("listener-rule/app/l/" ELB_ID "/1111111111111111/" n)
#define IN_GROUP(name, container) ",\"loadBalancers\":[{\"targetGroupArn\":\"" GROUP(name) "\",\"containerName\":\"" container "\",\"containerPort\":80}]"

static inline struct op_ctx traffic_begin(struct api_fixture *f)
{
    return (struct op_ctx){ .config = &f->config, .txn = store_write_begin(f->store), .arena = &f->kept, .world = f->world, .now_ms = f->now_ms };
}

static inline void traffic_end(struct op_ctx *ctx)
{
    int64_t revision;
    CHECK("committed", store_write_commit(ctx->txn, &revision));
}

/* Without checks its targets are healthy at once. */
static inline void group_add(struct api_fixture *f, const char *name, const char *delay, bool checks)
{
    struct elb_pair pair = { STR("deregistration_delay.timeout_seconds"), str_from(delay) };
    struct target_group group = { .name = str_from(name), .protocol = ELB_PROTOCOL_HTTP, .target_type = ELB_TARGET_TYPE_IP,
                                  .health_check_enabled = opt_bool_of(checks) };
    struct op_ctx ctx = traffic_begin(f);
    store_put_group(ctx.txn, &(struct kept_group){ .id = STR(ELB_ID), .group = &group, .attributes = { &pair, 1 } });
    traffic_end(&ctx);
}

/* The first two machines have addresses, which agents alone can tell. */
static inline void addresses_add(struct api_fixture *f)
{
    struct str list = fixture_call(f, "ListContainerInstances", "{}");
    for (int m = 0; m < 2; m++) {
        struct op_ctx ctx = traffic_begin(f);
        struct instance instance = *store_instance(ctx.txn, id_at(f, list, text(f, "containerInstanceArns[%d]", m)), &f->kept);
        struct attribute *attributes = ARENA_NEW(&f->kept, struct attribute, instance.attributes.count + 1);
        for (size_t a = 0; a < instance.attributes.count; a++) { attributes[a] = instance.attributes.items[a]; }
        attributes[instance.attributes.count] = (struct attribute){ .name = STR("berth.address"), .value = str_from(text(f, "10.0.0.%d", m + 1)) };
        instance.attributes = (struct attribute_list){ attributes, instance.attributes.count + 1 };
        placement_put_instance(&ctx, &instance);
        traffic_end(&ctx);
    }
}

/* RULE(id), which forwards to the group. */
static inline void rule_add(struct api_fixture *f, const char *id, const char *group)
{
    struct elb_action action = { .type = ELB_ACTION_TYPE_FORWARD, .target_group_arn = str_from(group) };
    struct elb_rule rule = { .priority = STR("1"), .actions = { &action, 1 } };
    struct op_ctx ctx = traffic_begin(f);
    store_put_rule(ctx.txn, &(struct kept_rule){ .id = str_from(id), .rule = &rule, .balancer = STR("l"), .balancer_id = STR(ELB_ID),
                                                 .listener_id = STR("1111111111111111") });
    traffic_end(&ctx);
}

/* "usual 70, green 30": the groups of a rule with their weights. */
static inline const char *rule_weights(struct api_fixture *f, const char *rule)
{
    struct buf out = buf_in(&f->kept);
    struct op_ctx ctx = { .config = &f->config, .txn = store_read_begin(f->store), .arena = &f->kept };
    struct elb_weighted_group_list groups = traffic_weights(&ctx, str_from(rule));
    for (size_t g = 0; g < groups.count; g++) {
        struct traffic_ref ref = traffic_read_arn(&f->config.names, groups.items[g].target_group_arn);
        buf_printf(&out, "%s" STR_FMT " %lld", g == 0 ? "" : ", ", STR_ARG(ref.name), (long long)groups.items[g].weight.value);
    }
    CHECK("read", store_read_end(ctx.txn));
    return arena_cstr(&f->kept, buf_str(&out));
}

/* Each target of a group that a check may find so. */
static inline void targets_are(struct api_fixture *f, const char *group, enum target_state state)
{
    struct kept_target *targets;
    struct op_ctx ctx = traffic_begin(f);
    size_t count = store_list_targets(ctx.txn, str_from(group), &targets, &f->kept);
    for (size_t t = 0; t < count; t++) {
        traffic_set_health(&ctx, &targets[t], state, STR(""), state == TARGET_UNHEALTHY ? STR("Health checks failed with these codes: [502]") : STR(""));
    }
    traffic_end(&ctx);
}

/* "initial 2 healthy 1": how many targets of a group are in which state. */
static inline const char *targets_of(struct api_fixture *f, const char *group)
{
    struct kept_target *targets;
    int counts[TARGET_STATE_COUNT] = { 0 };
    struct buf out = buf_in(&f->kept);
    struct store_txn *txn = store_read_begin(f->store);
    size_t count = store_list_targets(txn, str_from(group), &targets, &f->kept);
    CHECK("read", store_read_end(txn));
    for (size_t t = 0; t < count; t++) { counts[targets[t].state]++; }
    for (int state = 1; state < TARGET_STATE_COUNT; state++) {
        if (counts[state] > 0) { buf_printf(&out, "%s" STR_FMT " %d", out.len == 0 ? "" : " ", STR_ARG(enum_word(&target_state_names, state)), counts[state]); }
    }
    return arena_cstr(&f->kept, buf_str(&out));
}

/* A feed has applied everything, and is busy with one target or none. */
static inline void feed_reports(struct api_fixture *f, bool applied, uint64_t busy)
{
    struct op_ctx ctx = { .txn = store_read_begin(f->store) };
    const struct feed_report report = { STR("proxy"), applied ? store_revision(ctx.txn) : 0, &busy, busy != 0 };
    CHECK("read", store_read_end(ctx.txn));
    CHECK("a feed reports", feeds_report(sched_feeds(f->world), &report, f->now_ms));
    roster_changed(sched_roster(f->world), WATCH_FEEDS);
}

#endif
