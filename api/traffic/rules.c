/* rules.c: the calls of Elastic Load Balancing on the rules of listeners. The default rule is its listener's default action: it has no record. */
#include "api/traffic/elbv2.h"

/* ---- conditions ---- */

static bool check_values(const struct elb_condition *condition, const struct str_list *values, size_t longest, struct err *err)
{
    struct str field = str_slice(condition->field, 0, ELB_SHOWN_MAX);
    if (values->count == 0) { return err_set(err, ERR_VALIDATION, "A condition value must be specified for '" STR_FMT "'", STR_ARG(field)); }
    for (size_t v = 0; v < values->count; v++) {
        if (values->items[v].len >= 1 && values->items[v].len <= longest) { continue; }
        return err_set(err, ERR_VALIDATION, "A value of the condition '" STR_FMT "' must have 1 to %zu characters", STR_ARG(field), longest);
    }
    return true;
}

static bool check_query(const struct elb_query *query, struct err *err)
{
    if (query == NULL || query->values.count == 0) { return err_set(err, ERR_VALIDATION, "A condition value must be specified for 'query-string'"); }
    for (size_t v = 0; v < query->values.count; v++) {
        if (query->values.items[v].value.len == 0) { return err_set(err, ERR_VALIDATION, "A query string condition must have a value"); }
    }
    return true;
}

/* Fills in both forms of the fields that have two, and checks the values. */
static bool read_condition(struct op_ctx *ctx, struct elb_condition *condition, struct err *err)
{
    struct { struct str field; struct elb_values **form; bool old; } rows[] = {
        { STR("host-header"), &condition->host_header_config, true }, { STR("path-pattern"), &condition->path_pattern_config, true },
        { STR("http-request-method"), &condition->http_request_method_config, false }, { STR("source-ip"), &condition->source_ip_config, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (!str_eq(condition->field, rows[r].field)) { continue; }
        if (*rows[r].form == NULL) {
            *rows[r].form = ARENA_NEW(ctx->arena, struct elb_values, 1);
            (*rows[r].form)->values = condition->values;
        }
        condition->values = rows[r].old ? (*rows[r].form)->values : (struct str_list){ LIST_NOTHING, 0 };
        return check_values(condition, &(*rows[r].form)->values, 128, err);
    }
    condition->values = (struct str_list){ LIST_NOTHING, 0 };
    if (str_eq(condition->field, STR("http-header"))) {
        if (condition->http_header_config == NULL || condition->http_header_config->http_header_name.len == 0) {
            return err_set(err, ERR_VALIDATION, "A header name must be specified for 'http-header'");
        }
        return check_values(condition, &condition->http_header_config->values, 128, err);
    }
    if (str_eq(condition->field, STR("query-string"))) { return check_query(condition->query_string_config, err); }
    return err_set(err, ERR_VALIDATION, "Condition field '" STR_FMT "' must be one of '[path-pattern, host-header, http-header, http-request-method, "
                   "query-string, source-ip]'", STR_ARG(str_slice(condition->field, 0, ELB_SHOWN_MAX)));
}

static bool read_conditions(struct op_ctx *ctx, struct elb_condition_list *conditions, struct err *err)
{
    size_t values = 0;
    if (conditions->count == 0) { return err_set(err, ERR_VALIDATION, "A condition must be specified"); }
    conditions->items = arena_copy(ctx->arena, conditions->items, conditions->count * sizeof *conditions->items);
    for (size_t c = 0; c < conditions->count; c++) {
        struct elb_condition *condition = &conditions->items[c];
        if (!read_condition(ctx, condition, err)) { return false; }
        values += condition->values.count;
        if (condition->http_header_config != NULL) { values += condition->http_header_config->values.count; }
        if (condition->query_string_config != NULL) { values += condition->query_string_config->values.count; }
        if (condition->http_request_method_config != NULL) { values += condition->http_request_method_config->values.count; }
        if (condition->source_ip_config != NULL) { values += condition->source_ip_config->values.count; }
    }
    return values <= ELB_CONDITION_VALUES_MAX || err_set(err, ERR_VALIDATION, "A rule can have at most %d condition values", ELB_CONDITION_VALUES_MAX);
}

/* ---- shown ---- */

static void show(struct op_ctx *ctx, const struct kept_balancer *balancer, const struct kept_rule *kept, struct elb_rule *shown)
{
    *shown = *kept->rule;
    shown->arn = traffic_rule_arn(&ctx->config->names, traffic_balancer_kind(balancer->balancer), kept, ctx->arena);
    shown->is_default = OPT_FALSE;
}

static void show_default(struct op_ctx *ctx, const struct kept_balancer *balancer, const struct kept_listener *listener, struct elb_rule *shown)
{
    const struct kept_rule own = { .id = listener->id, .balancer = listener->balancer, .balancer_id = listener->balancer_id, .listener_id = listener->id };
    *shown = (struct elb_rule){
        .arn = traffic_rule_arn(&ctx->config->names, traffic_balancer_kind(balancer->balancer), &own, ctx->arena), .priority = STR("default"),
        .conditions = { LIST_NOTHING, 0 }, .actions = listener->listener->default_actions, .is_default = OPT_TRUE,
    };
}

static void show_one(struct op_ctx *ctx, const struct kept_balancer *balancer, const struct kept_rule *kept, struct rules_response *out)
{
    out->rules = (struct elb_rule_list){ ARENA_NEW(ctx->arena, struct elb_rule, 1), 1 };
    show(ctx, balancer, kept, &out->rules.items[0]);
}

/* ---- CreateRule, ModifyRule ---- */

/* The listener whose default rule has this ARN; NULL: it is no default rule's. */
static const struct kept_listener *listener_of_default(struct op_ctx *ctx, struct str arn, const struct kept_balancer **balancer)
{
    struct traffic_ref ref = traffic_read_arn(&ctx->config->names, arn);
    if (ref.noun != TRAFFIC_RULE || !str_eq(ref.rule, ref.listener)) { return NULL; }
    *balancer = store_balancer(ctx->txn, ref.name, ctx->arena);
    return *balancer == NULL ? NULL : store_listener(ctx->txn, ref.name, ref.listener, ctx->arena);
}

/* A rule that is not a default one. `done`: "modified", "deleted". */
static const struct kept_rule *find_own(struct op_ctx *ctx, struct str arn, const char *done, const struct kept_balancer **balancer, struct err *err)
{
    if (listener_of_default(ctx, arn, balancer) == NULL) { return elb_find_rule(ctx, arn, balancer, err); }
    (void)err_set(err, ERR_ELB_NOT_PERMITTED, "Default rule '" STR_FMT "' cannot be %s", STR_ARG(arn), done);
    return NULL;
}

static bool is_priority_of(const struct kept_rule *rule, int64_t priority)
{
    int64_t number = 0;
    return str_to_i64(rule->rule->priority, &number) && number == priority;
}

bool op_create_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct create_rule_request *request = input;
    struct elb_rule rule = request->rule;
    const struct kept_balancer *balancer;
    struct kept_rule *others;
    const struct kept_listener *listener = elb_find_listener(ctx, request->listener_arn, &balancer, err);
    if (listener == NULL || !elb_check_tags(&request->tags, err)) { return false; }
    if (balancer->balancer->type != ELB_BALANCER_TYPE_APPLICATION) {
        return err_set(err, ERR_ELB_INVALID_CONFIGURATION, "A listener of a Network Load Balancer has no rules");
    }
    if (!read_conditions(ctx, &rule.conditions, err) || !elb_check_actions(ctx, &rule.actions, balancer->balancer->type, err)) { return false; }
    size_t count = elb_rules(ctx, listener, &others);
    for (size_t r = 0; r < count; r++) {
        if (is_priority_of(&others[r], request->priority.value)) {
            return err_set(err, ERR_ELB_PRIORITY_IN_USE, "Priority '%lld' is currently in use", (long long)request->priority.value);
        }
    }
    if (!elb_check_room(count, ELB_RULES_MAX, ERR_ELB_MANY_RULES, "rules of a listener", err)) { return false; }
    rule.priority = arena_printf(ctx->arena, "%lld", (long long)request->priority.value);
    const struct kept_rule kept = {
        .id = elb_new_id(ctx), .rule = &rule, .tags = request->tags, .balancer = listener->balancer, .balancer_id = listener->balancer_id,
        .listener_id = listener->id,
    };
    store_put_rule(ctx->txn, &kept);
    show_one(ctx, balancer, &kept, output);
    return true;
}

bool op_modify_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct modify_rule_request *request = input;
    const struct kept_balancer *balancer;
    const struct kept_rule *found = find_own(ctx, request->rule.arn, "modified", &balancer, err);
    if (found == NULL) { return false; }
    if (request->rule.conditions.count + request->rule.actions.count == 0) {
        return err_set(err, ERR_VALIDATION, "Conditions or actions must be specified");
    }
    struct elb_rule rule = *found->rule;
    if (request->rule.conditions.count > 0) {
        rule.conditions = request->rule.conditions;
        if (!read_conditions(ctx, &rule.conditions, err)) { return false; }
    }
    if (request->rule.actions.count > 0) {
        rule.actions = request->rule.actions;
        if (!elb_check_actions(ctx, &rule.actions, balancer->balancer->type, err)) { return false; }
    }
    struct kept_rule kept = *found;
    kept.rule = &rule;
    store_put_rule(ctx->txn, &kept);
    show_one(ctx, balancer, &kept, output);
    return true;
}

/* ---- DescribeRules ---- */

bool op_describe_rules(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_rules_request *request = input;
    struct rules_response *out = output;
    const struct kept_balancer *balancer;
    struct kept_rule *rules;
    if ((request->listener_arn.len > 0) == (request->rule_arns.count > 0)) {
        return err_set(err, ERR_VALIDATION, "You must specify either a listener ARN or rule ARNs");
    }
    out->rules.items = ARENA_NEW(ctx->arena, struct elb_rule, request->rule_arns.count + ELB_RULES_MAX + 1);
    for (size_t n = 0; n < request->rule_arns.count; n++) {
        const struct kept_listener *own = listener_of_default(ctx, request->rule_arns.items[n], &balancer);
        const struct kept_rule *rule = own != NULL ? NULL : elb_find_rule(ctx, request->rule_arns.items[n], &balancer, err);
        struct elb_rule *shown = &out->rules.items[out->rules.count];
        if (own == NULL && rule == NULL) { return false; }
        if (own != NULL) { show_default(ctx, balancer, own, shown); } else { show(ctx, balancer, rule, shown); }
        out->rules.count++;
    }
    if (request->rule_arns.count > 0) { return true; }
    const struct kept_listener *listener = elb_find_listener(ctx, request->listener_arn, &balancer, err);
    if (listener == NULL) { return false; }
    size_t count = elb_rules(ctx, listener, &rules);
    for (size_t r = 0; r < count && r < ELB_RULES_MAX; r++) { show(ctx, balancer, &rules[r], &out->rules.items[out->rules.count++]); }
    show_default(ctx, balancer, listener, &out->rules.items[out->rules.count++]);
    return true;
}

/* ---- DeleteRule, SetRulePriorities ---- */

bool op_delete_rule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct elb_rule_request *request = input;
    const struct kept_balancer *balancer;
    (void)output;
    const struct kept_rule *rule = find_own(ctx, request->rule_arn, "deleted", &balancer, err);
    if (rule == NULL) { return false; }
    store_drop_rule(ctx->txn, rule->balancer, rule->listener_id, rule->id);
    return true;
}

static bool is_moved(const struct set_rule_priorities_request *request, struct str arn)
{
    for (size_t p = 0; p < request->rule_priorities.count; p++) {
        if (str_eq(request->rule_priorities.items[p].rule_arn, arn)) { return true; }
    }
    return false;
}

/* No rule that stays, and no other one that is moved, has the priority. */
static bool check_priority(struct op_ctx *ctx, const struct set_rule_priorities_request *request, size_t p, const struct kept_rule *rule,
                           const struct kept_balancer *balancer, struct err *err)
{
    int64_t priority = request->rule_priorities.items[p].priority.value;
    struct kept_rule *others;
    size_t count = store_list_rules(ctx->txn, rule->balancer, rule->listener_id, &others, ctx->arena);
    bool taken = false;
    for (size_t q = 0; q < request->rule_priorities.count; q++) {
        taken = taken || (q != p && request->rule_priorities.items[q].priority.value == priority);
    }
    for (size_t r = 0; r < count; r++) {
        struct str arn = traffic_rule_arn(&ctx->config->names, traffic_balancer_kind(balancer->balancer), &others[r], ctx->arena);
        taken = taken || (is_priority_of(&others[r], priority) && !is_moved(request, arn));
    }
    return !taken || err_set(err, ERR_ELB_PRIORITY_IN_USE, "Priority '%lld' is currently in use", (long long)priority);
}

bool op_set_rule_priorities(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct set_rule_priorities_request *request = input;
    struct rules_response *out = output;
    size_t count = request->rule_priorities.count;
    const struct kept_rule **rules = ARENA_NEW(ctx->arena, const struct kept_rule *, count);
    const struct kept_balancer **balancers = ARENA_NEW(ctx->arena, const struct kept_balancer *, count);
    out->rules.items = ARENA_NEW(ctx->arena, struct elb_rule, count + 1);
    for (size_t p = 0; p < count; p++) {
        rules[p] = find_own(ctx, request->rule_priorities.items[p].rule_arn, "given a priority", &balancers[p], err);
        if (rules[p] == NULL || !check_priority(ctx, request, p, rules[p], balancers[p], err)) { return false; }
    }
    for (size_t p = 0; p < count; p++) {
        struct kept_rule kept = *rules[p];
        struct elb_rule rule = *kept.rule;
        rule.priority = arena_printf(ctx->arena, "%lld", (long long)request->rule_priorities.items[p].priority.value);
        kept.rule = &rule;
        store_put_rule(ctx->txn, &kept);
        show(ctx, balancers[p], &kept, &out->rules.items[out->rules.count++]);
    }
    return true;
}
