/* events.c: EventBridge's rules, as far as they run tasks at times: PutRule with a ScheduleExpression, targets, and tags. */
#include "api/schedules/schedules.h"
#include "api/aws/schedules.h"
#include "base/text/arn.h"

static const struct str bus_name = STR_INIT("default"), bus_end = STR_INIT("event-bus/default"), arn_head = STR_INIT("rule/");

static struct str make_arn(struct op_ctx *ctx, struct str name)
{
    const struct names *names = &ctx->config->names;
    return arena_printf(ctx->arena, "arn:aws:events:" STR_FMT ":" STR_FMT ":rule/" STR_FMT, STR_ARG(names->region), STR_ARG(names->account), STR_ARG(name));
}

/* ---- finding ---- */

static bool check_bus(struct str bus, struct err *err)
{
    return !str_is_set(bus) || str_eq(bus, bus_name) || (arn_looks_like(bus) && str_ends_with(bus, bus_end))
        || err_set(err, ERR_RESOURCE_NOT_FOUND, "Event bus " STR_FMT " does not exist.", STR_ARG(str_slice(bus, 0, 256)));
}

static const struct kept_schedule *find_rule(struct op_ctx *ctx, struct str name, struct str bus, struct err *err)
{
    if (!check_bus(bus, err)) { return NULL; }
    const struct kept_schedule *rule = store_schedule(ctx->txn, true, name, ctx->arena);
    if (rule == NULL) { (void)err_set(err, ERR_RESOURCE_NOT_FOUND, "Rule " STR_FMT " does not exist on EventBus default.", STR_ARG(str_slice(name, 0, 64))); }
    return rule;
}

static const struct kept_schedule *find_arn(struct op_ctx *ctx, struct str text, struct err *err)
{
    const struct names *names = &ctx->config->names;
    const struct kept_schedule *rule = NULL;
    struct arn arn;
    if (arn_parse(text, &arn) && str_eq(arn.service, STR("events")) && str_eq(arn.region, names->region) && str_eq(arn.account, names->account)
        && str_starts_with(arn.resource, arn_head)) {
        rule = store_schedule(ctx->txn, true, str_slice(arn.resource, arn_head.len, arn.resource.len), ctx->arena);
    }
    if (rule == NULL) { (void)err_set(err, ERR_RESOURCE_NOT_FOUND, "Resource " STR_FMT " does not exist.", STR_ARG(str_slice(text, 0, 400))); }
    return rule;
}

/* ---- rules ---- */

static bool check_rule(struct op_ctx *ctx, const struct put_rule_request *in, const struct kept_schedule *rule, struct err *err)
{
    struct err refused = { 0 };
    if (!schedules_check_name(in->name, err) || !check_bus(in->bus, err)) { return false; }
    if (str_is_set(in->event_pattern)) {
        return err_set(err, ERR_VALIDATION, "Berth does not serve EventPattern: a rule runs tasks at the times of its ScheduleExpression.");
    }
    if (!str_is_set(in->expression)) { return err_set(err, ERR_VALIDATION, "ScheduleExpression must be given."); }
    if (str_starts_with(in->expression, STR("at("))) {
        return err_set(err, ERR_VALIDATION, "A rule takes rate(...) and cron(...); at(...) is for EventBridge Scheduler.");
    }
    return schedule_check_times(rule, ctx->arena, err)
        && (support_check_tags(&in->tags, TAGGED_OTHER, &refused) || err_set(err, ERR_VALIDATION, "%s", refused.message));
}

/* A rule that exists keeps its targets and its tags; members that are not given are removed, as with AWS. */
static bool op_put_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_rule_request *in = input;
    struct put_rule_response *out = output;
    struct kept_schedule rule = {
        .rule = OPT_TRUE, .name = in->name, .state = in->state == SCHEDULE_STATE_UNSET ? SCHEDULE_STATE_ENABLED : in->state,
        .expression = in->expression, .description = in->description, .role = in->role_arn, .tags = in->tags,
    };
    if (!check_rule(ctx, in, &rule, err)) { return false; }
    const struct kept_schedule *known = store_schedule(ctx->txn, true, in->name, ctx->arena);
    if (known != NULL) {
        rule.tags = known->tags;
        rule.targets = known->targets;
    }
    schedules_take_over(ctx, &rule, known, false);
    schedules_put(ctx, &rule);
    out->rule_arn = make_arn(ctx, in->name);
    return true;
}

static struct rule_view show_rule(struct op_ctx *ctx, const struct kept_schedule *rule)
{
    return (struct rule_view){
        .name = rule->name, .arn = make_arn(ctx, rule->name), .expression = rule->expression, .state = rule->state, .description = rule->description,
        .role_arn = rule->role, .bus = bus_name,
    };
}

static bool op_describe_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct rule_request *in = input;
    struct rule_view *out = output;
    const struct kept_schedule *rule = find_rule(ctx, in->name, in->bus, err);
    if (rule == NULL) { return false; }
    *out = show_rule(ctx, rule);
    return true;
}

static bool set_state(struct op_ctx *ctx, const struct rule_request *in, enum schedule_state state, struct err *err)
{
    const struct kept_schedule *known = find_rule(ctx, in->name, in->bus, err);
    if (known == NULL) { return false; }
    struct kept_schedule rule = *known;
    rule.state = state;
    schedules_take_over(ctx, &rule, known, false);
    schedules_put(ctx, &rule);
    return true;
}

static bool op_enable_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    (void)output;
    return set_state(ctx, input, SCHEDULE_STATE_ENABLED, err);
}

static bool op_disable_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    (void)output;
    return set_state(ctx, input, SCHEDULE_STATE_DISABLED, err);
}

/* As with AWS, a rule that is not there is deleted, too. */
static bool op_delete_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct rule_request *in = input;
    (void)output;
    if (!check_bus(in->bus, err)) { return false; }
    const struct kept_schedule *rule = store_schedule(ctx->txn, true, in->name, ctx->arena);
    if (rule == NULL) { return true; }
    if (rule->targets.count > 0) { return err_set(err, ERR_VALIDATION, "Rule can't be deleted since it has targets."); }
    schedules_drop(ctx, rule);
    return true;
}

static bool op_list_rules(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_rules_request *in = input;
    struct list_rules_response *out = output;
    const struct schedules_ask ask = { .list = "ListRules", .prefix = in->name_prefix, .token = in->next_token, .limit = in->limit, .rules = true };
    struct kept_schedule *rules;
    size_t count;
    if (!check_bus(in->bus, err) || !schedules_page(ctx, &ask, &rules, &count, &out->next_token, err)) { return false; }
    out->rules = (struct rule_view_list){ ARENA_NEW(ctx->arena, struct rule_view, count + 1), count };
    for (size_t r = 0; r < count; r++) { out->rules.items[r] = show_rule(ctx, &rules[r]); }
    return true;
}

static bool has_target(const struct kept_schedule *rule, const void *given)
{
    const struct str *arn = given;
    for (size_t t = 0; t < rule->targets.count; t++) {
        if (str_eq(rule->targets.items[t].arn, *arn)) { return true; }
    }
    return false;
}

static bool op_list_rule_names(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct rule_names_request *in = input;
    struct rule_names_response *out = output;
    const struct schedules_ask ask = {
        .list = "ListRuleNamesByTarget", .token = in->next_token, .limit = in->limit, .rules = true, .shown = has_target, .given = &in->target_arn,
    };
    struct kept_schedule *rules;
    size_t count;
    if (!check_bus(in->bus, err) || !schedules_page(ctx, &ask, &rules, &count, &out->next_token, err)) { return false; }
    out->rule_names = (struct str_list){ ARENA_NEW(ctx->arena, struct str, count + 1), count };
    for (size_t r = 0; r < count; r++) { out->rule_names.items[r] = rules[r].name; }
    return true;
}

/* ---- targets ---- */

static void put_target(struct schedule_target_list *targets, const struct schedule_target *target)
{
    for (size_t t = 0; t < targets->count; t++) {
        if (!str_eq(targets->items[t].id, target->id)) { continue; }
        targets->items[t] = *target;
        return;
    }
    targets->items[targets->count++] = *target;
}

/* No entry fails alone. */
static void answer_entries(struct failed_entries *out)
{
    out->count = opt_int_of(0);
    out->entries.items = LIST_NOTHING;
}

static bool op_put_targets(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_targets_request *in = input;
    const struct kept_schedule *known = find_rule(ctx, in->rule, in->bus, err);
    if (known == NULL) { return false; }
    struct kept_schedule rule = *known;
    rule.targets.items = ARENA_NEW(ctx->arena, struct schedule_target, known->targets.count + in->targets.count);
    for (size_t t = 0; t < known->targets.count; t++) { rule.targets.items[t] = known->targets.items[t]; }
    for (size_t t = 0; t < in->targets.count; t++) {
        const struct schedule_target *target = &in->targets.items[t];
        if (!schedules_check_name(target->id, err) || !schedules_check_target(ctx, known, target, err)) { return false; }
        put_target(&rule.targets, target);
    }
    if (rule.targets.count > SCHEDULE_TARGETS_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "The requested resource exceeds the maximum number allowed: a rule has at most %d targets.",
                       SCHEDULE_TARGETS_MAX);
    }
    schedules_take_over(ctx, &rule, known, false);
    schedules_put(ctx, &rule);
    answer_entries(output);
    return true;
}

static bool op_remove_targets(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct remove_targets_request *in = input;
    const struct kept_schedule *known = find_rule(ctx, in->rule, in->bus, err);
    if (known == NULL) { return false; }
    struct kept_schedule rule = *known;
    rule.targets = (struct schedule_target_list){ ARENA_NEW(ctx->arena, struct schedule_target, known->targets.count + 1), 0 };
    for (size_t t = 0; t < known->targets.count; t++) {
        if (!str_list_has(&in->ids, known->targets.items[t].id)) { rule.targets.items[rule.targets.count++] = known->targets.items[t]; }
    }
    schedules_take_over(ctx, &rule, known, false);
    schedules_put(ctx, &rule);
    answer_entries(output);
    return true;
}

/* A rule has so few that one page holds them. */
static bool op_list_targets(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_targets_request *in = input;
    struct list_targets_response *out = output;
    const struct kept_schedule *rule = find_rule(ctx, in->rule, in->bus, err);
    if (rule == NULL) { return false; }
    out->targets = rule->targets;
    if (out->targets.items == NULL) { out->targets.items = LIST_NOTHING; }
    return true;
}

/* ---- tags ---- */

static bool put_tags(struct op_ctx *ctx, const struct kept_schedule *known, const struct tag_list *tags, struct err *err)
{
    struct err refused = { 0 };
    if (!support_check_tags(tags, TAGGED_OTHER, &refused)) { return err_set(err, ERR_VALIDATION, "%s", refused.message); }
    struct kept_schedule rule = *known;
    rule.tags = *tags;
    schedules_put(ctx, &rule);
    return true;
}

static bool op_tag_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct resource_tags_request *in = input;
    (void)output;
    const struct kept_schedule *known = find_arn(ctx, in->arn, err);
    if (known == NULL) { return false; }
    struct tag_list tags = known->tags;
    support_change_tags(ctx, &tags, &in->tags, NULL);
    return put_tags(ctx, known, &tags, err);
}

static bool op_untag_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct resource_tags_request *in = input;
    (void)output;
    const struct kept_schedule *known = find_arn(ctx, in->arn, err);
    if (known == NULL) { return false; }
    struct tag_list tags = known->tags;
    support_change_tags(ctx, &tags, NULL, &in->tag_keys);
    return put_tags(ctx, known, &tags, err);
}

static bool op_list_rule_tags(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct resource_tags_request *in = input;
    struct resource_tags_response *out = output;
    const struct kept_schedule *rule = find_arn(ctx, in->arn, err);
    if (rule == NULL) { return false; }
    out->tags = rule->tags;
    if (out->tags.items == NULL) { out->tags.items = LIST_NOTHING; }
    return true;
}

/* ---- the tables ---- */

#define WRITE OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION
#define READ OP_READ, ACCESS_VIEWER, ERR_VALIDATION
static const struct operation operations[] = {
    { STR_INIT("DeleteRule"), &rule_request_schema, NULL, WRITE, op_delete_rule },
    { STR_INIT("DescribeRule"), &rule_request_schema, &rule_view_schema, READ, op_describe_rule },
    { STR_INIT("DisableRule"), &rule_request_schema, NULL, WRITE, op_disable_rule },
    { STR_INIT("EnableRule"), &rule_request_schema, NULL, WRITE, op_enable_rule },
    { STR_INIT("ListRuleNamesByTarget"), &rule_names_request_schema, &rule_names_response_schema, READ, op_list_rule_names },
    { STR_INIT("ListRules"), &list_rules_request_schema, &list_rules_response_schema, READ, op_list_rules },
    { STR_INIT("ListTagsForResource"), &resource_tags_request_schema, &resource_tags_response_schema, READ, op_list_rule_tags },
    { STR_INIT("ListTargetsByRule"), &list_targets_request_schema, &list_targets_response_schema, READ, op_list_targets },
    { STR_INIT("PutRule"), &put_rule_request_schema, &put_rule_response_schema, WRITE, op_put_rule },
    { STR_INIT("PutTargets"), &put_targets_request_schema, &failed_entries_schema, WRITE, op_put_targets },
    { STR_INIT("RemoveTargets"), &remove_targets_request_schema, &failed_entries_schema, WRITE, op_remove_targets },
    { STR_INIT("TagResource"), &resource_tags_request_schema, NULL, WRITE, op_tag_rule },
    { STR_INIT("UntagResource"), &resource_tags_request_schema, NULL, WRITE, op_untag_rule },
};
#undef WRITE
#undef READ

const struct api_service events_service = {
    .name = STR_INIT("events"), .protocol = API_JSON, .target = STR_INIT("AWSEvents."), .message = STR_INIT("message"), .named = true,
    .unserved = STR_INIT("events:"), .resource = STR_INIT("*"),
    .unserved_more = STR_INIT(". Of EventBridge it serves rules that run tasks at times, their targets and their tags."),
    .operations = operations, .count = COUNT_OF(operations),
};
