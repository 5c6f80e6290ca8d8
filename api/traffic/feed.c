/* feed.c: the state of all load balancers for the proxies that carry the requests, and their reports of what they have applied.
 *
 * {"revision":N,"groups":[{…,"requestsPerSecond":R,"targets":[…]}],"listeners":[{…,"action":ACTION,"rules":[{…,"action":ACTION}]}]}; docs/traffic.md has all
 * members. Targets of all states are in it: a proxy sends to those that are healthy, and to the draining ones what it has begun. */
#include <stdio.h>
#include <stdlib.h>

#include "api/core/api.h"
#include "api/traffic/traffic.h"
#include "base/num.h"
#include "scheduler/reconcile/feeds.h"
#include "scheduler/reconcile/roster.h"
#include "wire/own_json.h"

/* ---- groups ---- */

static void put_number(struct json_out *out, uint64_t number)
{
    char hex[2 * sizeof number + 1];
    (void)snprintf(hex, sizeof hex, "%016llx", (unsigned long long)number);
    own_json_str(out, STR("number"), (struct str){ hex, 2 * sizeof number });
}

static void put_target(struct json_out *out, const struct kept_target *target)
{
    json_open(out, '{');
    put_number(out, target_number(target));
    own_json_str(out, STR("name"), target->name);
    own_json_str(out, STR("address"), target->address);
    own_json_i64(out, STR("port"), target->port);
    own_json_str(out, STR("zone"), target->zone);
    own_json_id(out, STR("task"), target->task);
    own_json_str(out, STR("state"), enum_word(&target_state_names, (int)target->state));
    own_json_str(out, STR("reason"), target->reason);
    own_json_str(out, STR("description"), target->description);
    own_json_ms(out, STR("since"), target->since_ms);
    json_close(out, '}');
}

static int64_t seconds_of(const struct kept_group *group, struct str key)
{
    int64_t seconds = 0;
    return str_to_i64(group_attribute(group, key), &seconds) ? seconds : 0;
}

/* By the client's address there is no duration in ELB: an hour without a connection ends it. */
static int64_t stickiness_of(const struct kept_group *group)
{
    static const int64_t source_seconds = 3600;
    if (!str_eq(group_attribute(group, STR("stickiness.enabled")), STR("true"))) { return 0; }
    bool by_source = str_eq(group_attribute(group, STR("stickiness.type")), STR("source_ip"));
    return by_source ? source_seconds : seconds_of(group, STR("stickiness.lb_cookie.duration_seconds"));
}

static void put_check(struct json_out *out, const struct target_group *group)
{
    json_name(out, STR("healthCheck"));
    json_open(out, '{');
    json_name(out, STR("enabled"));
    json_bool(out, group->health_check_enabled != OPT_FALSE);
    own_json_str(out, STR("protocol"), enum_word(&elb_protocol_names, (int)group->health_check_protocol));
    own_json_str(out, STR("port"), group->health_check_port);
    own_json_str(out, STR("path"), group->health_check_path);
    own_json_opt_int(out, STR("intervalSeconds"), group->health_check_interval_seconds);
    own_json_opt_int(out, STR("timeoutSeconds"), group->health_check_timeout_seconds);
    own_json_opt_int(out, STR("healthy"), group->healthy_threshold_count);
    own_json_opt_int(out, STR("unhealthy"), group->unhealthy_threshold_count);
    own_json_str(out, STR("codes"), group->matcher == NULL ? (struct str){ NULL, 0 } : group->matcher->http_code);
    json_close(out, '}');
}

static void put_group(struct op_ctx *ctx, struct json_out *out, const struct kept_group *kept, const struct request_rates *rates)
{
    const struct target_group *group = kept->group;
    struct kept_target *targets;
    size_t count = store_list_targets(ctx->txn, group->name, &targets, ctx->arena);
    json_open(out, '{');
    own_json_str(out, STR("name"), group->name);
    own_json_str(out, STR("arn"), traffic_group_arn(&ctx->config->names, kept, ctx->arena));
    own_json_str(out, STR("protocol"), enum_word(&elb_protocol_names, (int)group->protocol));
    own_json_str(out, STR("protocolVersion"), group->protocol_version);
    own_json_opt_int(out, STR("port"), group->port);
    own_json_str(out, STR("algorithm"), group_attribute(kept, STR("load_balancing.algorithm.type")));
    own_json_i64(out, STR("stickinessSeconds"), stickiness_of(kept));
    own_json_i64(out, STR("slowStartSeconds"), seconds_of(kept, STR("slow_start.duration_seconds")));
    struct opt_double rate = rates->of(rates->context, group->name);
    if (rate.set) {
        json_name(out, STR("requestsPerSecond"));
        json_double(out, rate.value);
    }
    put_check(out, group);
    json_name(out, STR("targets"));
    json_open(out, '[');
    for (size_t t = 0; t < count; t++) { put_target(out, &targets[t]); }
    json_close(out, ']');
    json_close(out, '}');
}

/* ---- listeners ---- */

static struct str group_name(struct op_ctx *ctx, struct str arn)
{
    struct traffic_ref ref = traffic_read_arn(&ctx->config->names, arn);
    return ref.noun == TRAFFIC_GROUP ? ref.name : (struct str){ NULL, 0 };
}

static void put_weighted(struct op_ctx *ctx, struct json_out *out, struct str arn, int64_t weight)
{
    json_open(out, '{');
    own_json_str(out, STR("group"), group_name(ctx, arn));
    own_json_i64(out, STR("weight"), weight);
    json_close(out, '}');
}

static void put_forward(struct op_ctx *ctx, struct json_out *out, const struct elb_action *action)
{
    const struct elb_forward *forward = action->forward_config;
    const struct elb_stickiness *sticky = forward == NULL ? NULL : forward->target_group_stickiness_config;
    json_name(out, STR("groups"));
    json_open(out, '[');
    if (forward == NULL || forward->target_groups.count == 0) { put_weighted(ctx, out, action->target_group_arn, 1); }
    for (size_t g = 0; forward != NULL && g < forward->target_groups.count; g++) {
        const struct elb_weighted_group *group = &forward->target_groups.items[g];
        put_weighted(ctx, out, group->target_group_arn, group->weight.set ? group->weight.value : 1);
    }
    json_close(out, ']');
    own_json_i64(out, STR("stickinessSeconds"), sticky != NULL && sticky->enabled == OPT_TRUE ? sticky->duration_seconds.value : 0);
}

static int64_t status_of(struct str code)
{
    int64_t status = 0;
    return str_to_i64(str_starts_with(code, STR("HTTP_")) ? str_slice(code, 5, code.len) : code, &status) ? status : 0;
}

/* ELB does the last of its actions; those before it authenticate, and are refused when a rule is made. */
static void put_action(struct op_ctx *ctx, struct json_out *out, const struct elb_action_list *actions)
{
    json_name(out, STR("action"));
    json_open(out, '{');
    const struct elb_action *action = actions->count == 0 ? NULL : &actions->items[actions->count - 1];
    if (action != NULL) { own_json_str(out, STR("type"), enum_word(&elb_action_type_names, (int)action->type)); }
    if (action != NULL && action->type == ELB_ACTION_TYPE_FORWARD) { put_forward(ctx, out, action); }
    if (action != NULL && action->redirect_config != NULL) {
        const struct elb_redirect *to = action->redirect_config;
        own_json_str(out, STR("protocol"), to->protocol);
        own_json_str(out, STR("port"), to->port);
        own_json_str(out, STR("host"), to->host);
        own_json_str(out, STR("path"), to->path);
        own_json_str(out, STR("query"), to->query);
        own_json_i64(out, STR("status"), status_of(to->status_code));
    }
    if (action != NULL && action->fixed_response_config != NULL) {
        own_json_i64(out, STR("status"), status_of(action->fixed_response_config->status_code));
        own_json_str(out, STR("contentType"), action->fixed_response_config->content_type);
        own_json_str(out, STR("body"), action->fixed_response_config->message_body);
    }
    json_close(out, '}');
}

/* The values of a condition, in the older form or in that of its field. */
static struct str_list values_of(struct op_ctx *ctx, const struct elb_condition *condition)
{
    const struct elb_values *const forms[] = {
        condition->host_header_config, condition->path_pattern_config, condition->http_request_method_config, condition->source_ip_config,
    };
    if (condition->values.count > 0) { return condition->values; }
    for (size_t f = 0; f < COUNT_OF(forms); f++) {
        if (forms[f] != NULL) { return forms[f]->values; }
    }
    if (condition->http_header_config != NULL) { return condition->http_header_config->values; }
    struct str_list pairs = { NULL, 0 };
    const struct elb_query *query = condition->query_string_config;
    if (query == NULL) { return pairs; }
    pairs.items = ARENA_NEW(ctx->arena, struct str, query->values.count);
    for (size_t v = 0; v < query->values.count; v++) {
        const struct elb_query_pair *pair = &query->values.items[v];
        bool named = pair->key.len > 0;
        pairs.items[pairs.count++] = arena_printf(ctx->arena, STR_FMT "%s" STR_FMT, STR_ARG(pair->key), named ? "=" : "", STR_ARG(pair->value));
    }
    return pairs;
}

static void put_rule(struct op_ctx *ctx, struct json_out *out, struct str kind, const struct kept_rule *kept)
{
    int64_t priority = 0;
    (void)str_to_i64(kept->rule->priority, &priority);
    json_open(out, '{');
    own_json_str(out, STR("arn"), traffic_rule_arn(&ctx->config->names, kind, kept, ctx->arena));
    own_json_i64(out, STR("priority"), priority);
    json_name(out, STR("conditions"));
    json_open(out, '[');
    for (size_t c = 0; c < kept->rule->conditions.count; c++) {
        const struct elb_condition *condition = &kept->rule->conditions.items[c];
        struct str_list values = values_of(ctx, condition);
        json_open(out, '{');
        own_json_str(out, STR("field"), condition->field);
        if (condition->http_header_config != NULL) { own_json_str(out, STR("header"), condition->http_header_config->http_header_name); }
        own_json_strs(out, STR("values"), &values);
        json_close(out, '}');
    }
    json_close(out, ']');
    put_action(ctx, out, &kept->rule->actions);
    json_close(out, '}');
}

static void put_listener(struct op_ctx *ctx, struct json_out *out, const struct elb_balancer *balancer, const struct kept_listener *kept)
{
    struct str kind = traffic_balancer_kind(balancer);
    struct kept_rule *rules;
    size_t count = store_list_rules(ctx->txn, kept->balancer, kept->id, &rules, ctx->arena);
    json_open(out, '{');
    own_json_str(out, STR("arn"), traffic_listener_arn(&ctx->config->names, kind, kept, ctx->arena));
    own_json_str(out, STR("loadBalancer"), balancer->name);
    own_json_str(out, STR("type"), enum_word(&elb_balancer_type_names, (int)balancer->type));
    own_json_opt_int(out, STR("port"), kept->listener->port);
    own_json_str(out, STR("protocol"), enum_word(&elb_protocol_names, (int)kept->listener->protocol));
    json_name(out, STR("certificates"));
    json_open(out, '[');
    for (size_t c = 0; c < kept->listener->certificates.count; c++) { json_str(out, kept->listener->certificates.items[c].certificate_arn); }
    for (size_t c = 0; c < kept->more.count; c++) { json_str(out, kept->more.items[c].certificate_arn); }
    json_close(out, ']');
    put_action(ctx, out, &kept->listener->default_actions);
    json_name(out, STR("rules"));
    json_open(out, '[');
    for (size_t r = 0; r < count; r++) { put_rule(ctx, out, kind, &rules[r]); }
    json_close(out, ']');
    json_close(out, '}');
}

static int by_age(const void *left, const void *right)
{
    const struct elb_balancer *a = ((const struct kept_balancer *)left)->balancer, *b = ((const struct kept_balancer *)right)->balancer;
    return a->created_ms != b->created_ms ? (a->created_ms < b->created_ms ? -1 : 1) : str_cmp(a->name, b->name);
}

/* Load balancers are in the order of their age: of two listeners at one port a proxy serves the first, and a new one takes no port away. */
void api_print_traffic(struct op_ctx *ctx, const struct request_rates *rates, struct buf *buf)
{
    struct json_out out = json_out_to(buf);
    struct kept_group *groups;
    struct kept_balancer *balancers;
    size_t group_count = store_list_groups(ctx->txn, &groups, ctx->arena), balancer_count = store_list_balancers(ctx->txn, &balancers, ctx->arena);
    if (balancer_count > 1) { qsort(balancers, balancer_count, sizeof *balancers, by_age); }
    json_open(&out, '{');
    own_json_i64(&out, STR("revision"), store_traffic_revision(ctx->txn));
    json_name(&out, STR("groups"));
    json_open(&out, '[');
    for (size_t g = 0; g < group_count; g++) { put_group(ctx, &out, &groups[g], rates); }
    json_close(&out, ']');
    json_name(&out, STR("listeners"));
    json_open(&out, '[');
    for (size_t b = 0; b < balancer_count; b++) {
        struct kept_listener *listeners;
        size_t count = store_list_listeners(ctx->txn, balancers[b].balancer->name, &listeners, ctx->arena);
        for (size_t l = 0; l < count; l++) { put_listener(ctx, &out, balancers[b].balancer, &listeners[l]); }
    }
    json_close(&out, ']');
    json_close(&out, '}');
}

/* ---- what a proxy has applied ---- */

enum { COUNTS_MAX = 10000 };
#define AT(member) .offset = offsetof(struct request_count, member)
static const struct field request_count_fields[] = {
    { STR_INIT("group"),  0, FIELD_STR,  AT(group), .required = true, .min = 1, .max = REQUEST_GROUP_MAX },
    { STR_INIT("source"), 0, FIELD_STR,  AT(source), .required = true, .min = 1, .max = REQUEST_SOURCE_MAX },
    { STR_INIT("count"),  0, FIELD_LONG, AT(count), .required = true, .max = INT64_MAX },
};
#undef AT
static const struct schema request_count_schema = SCHEMA_OF("request count", struct request_count, request_count_fields);

struct feed_applied { struct str feed; struct opt_int revision; struct str_list busy; struct request_count_list requests; };      /* feed: from the path */
#define AT(member) .offset = offsetof(struct feed_applied, member)
static const struct field feed_applied_fields[] = {
    { STR_INIT("revision"), 0, FIELD_LONG, AT(revision), .required = true },
    { STR_INIT("busy"),     0, FIELD_LIST, AT(busy), .element = FIELD_STR, .max = FEED_BUSY_MAX },
    { STR_INIT("requests"), 0, FIELD_LIST, AT(requests), .element = FIELD_STRUCT, .schema = &request_count_schema, .max = COUNTS_MAX },
};
#undef AT
static const struct schema feed_applied_schema = SCHEMA_OF("feed applied", struct feed_applied, feed_applied_fields);

static bool read_hex(struct str text, uint64_t *number)
{
    *number = 0;
    for (size_t c = 0; c < text.len; c++) {
        int digit = str_hex_value(text.ptr[c]);
        if (digit < 0) { return false; }
        *number = *number << 4 | (uint64_t)digit;
    }
    return text.len == 2 * sizeof *number;
}

static bool op_feed_applied(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct feed_applied *applied = input;
    uint64_t *busy = ARENA_NEW(ctx->arena, uint64_t, applied->busy.count);
    (void)output;
    for (size_t b = 0; b < applied->busy.count; b++) {
        if (read_hex(applied->busy.items[b], &busy[b])) { continue; }
        return err_set(err, ERR_INVALID_PARAMETER, "busy must be numbers of targets: 16 hexadecimal digits.");
    }
    const struct feed_report report = { applied->feed, applied->revision.value, busy, applied->busy.count };
    if (!feeds_report(sched_feeds(ctx->world), &report, ctx->now_ms)) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "There are %d other feeds.", FEEDS_MAX);
    }
    roster_changed(sched_roster(ctx->world), WATCH_FEEDS);
    return true;
}

static const struct operation feed_applied_operation = {
    STR_INIT("berth:FeedApplied"), &feed_applied_schema, NULL, OP_LOOK, ACCESS_AGENT, ERR_INVALID_PARAMETER, op_feed_applied,
};

bool api_prepare_feed_applied(const struct api_config *config, struct str body, struct str feed, struct arena *arena, struct api_call *call,
                              struct request_count_list *counts, struct err *err)
{
    if (!api_decode(config, &feed_applied_operation, body, arena, call, err)) { return false; }
    struct feed_applied *applied = arena_copy(arena, call->input, sizeof *applied);
    applied->feed = feed;
    call->input = applied;
    *counts = applied->requests;
    return true;
}
