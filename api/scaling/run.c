/* run.c: the look at scalable targets: what scheduler/scaling decides is done as by UpdateService, and an activity says why. An operation of Berth's own. */
#include <math.h>

#include "api/handlers.h"
#include "api/scaling/scaling.h"
#include "base/json.h"
#include "base/num.h"
#include "scheduler/scaling/scaling.h"

struct look {
    struct op_ctx *ctx;
    struct scaling_subject subject;
    struct service service;
    struct scaling_state state;
    struct str_list causes;                  /* one a policy: what its metric or its alarm is */
    bool changed;                            /* the target's record */
};

/* ---- the state of a service ---- */

static void read_service(struct look *look)
{
    struct kept_deployment *deployments;
    struct op_ctx *ctx = look->ctx;
    size_t count = store_list_deployments(ctx->txn, look->service.number, &deployments, ctx->arena);
    look->state.desired = look->service.desired_count;
    for (size_t d = 0; d < count; d++) {
        const struct kept_deployment *deployment = &deployments[d];
        bool primary = deployment->status == DEPLOYMENT_STATUS_PRIMARY;
        look->state.running += store_deployment_counts(ctx->txn, deployment->digits).running;
        look->state.deploys = look->state.deploys || !primary || deployment->rollout == DEPLOYMENT_ROLLOUT_STATE_IN_PROGRESS;
        look->state.waits = look->state.waits || (primary && deployment->no_room_ms != 0);
    }
}

/* ---- alarms ---- */

static double number_of(const struct json *value)
{
    if (value == NULL) { return (double)NAN; }
    return value->type == JSON_INT ? (double)value->as.integer : value->type == JSON_REAL ? value->as.real : (double)NAN;
}

/* The metric less the threshold, if the state's data have both. Else the metric is just where the alarm has its state. */
static double breach_of(const struct metric_alarm *alarm, struct arena *arena)
{
    static const double just_below = -1e-300;
    struct err unread = { 0 };
    const struct json *data = str_is_set(alarm->state_reason_data) ? json_parse(alarm->state_reason_data, arena, &unread) : NULL;
    const struct json *points = json_get(data, STR("recentDatapoints"));
    bool given = points != NULL && points->type == JSON_ARRAY && points->count > 0;
    double threshold = number_of(json_get(data, STR("threshold"))), point = given ? number_of(&points->as.items[points->count - 1]) : (double)NAN;
    if (isnan(threshold) && alarm->threshold.set) { threshold = alarm->threshold.value; }
    if (!isnan(point - threshold)) { return point - threshold; }
    bool below = alarm->comparison == ALARM_COMPARISON_LESSTHANTHRESHOLD || alarm->comparison == ALARM_COMPARISON_LESSTHANOREQUALTOTHRESHOLD;
    return below == (alarm->state == ALARM_STATE_ALARM) ? just_below : 0;
}

/* The actions of the alarm's state. In INSUFFICIENT_DATA there is no metric that could choose a step. */
static bool acts(const struct metric_alarm *alarm, struct str policy_arn)
{
    static const struct str_list none = { NULL, 0 };
    const struct str_list *actions = alarm->state == ALARM_STATE_ALARM ? &alarm->alarm_actions : alarm->state == ALARM_STATE_OK ? &alarm->ok_actions : &none;
    return alarm->actions_enabled != OPT_FALSE && str_list_has(actions, policy_arn);
}

/* The first alarm by name that has the policy among the actions of its state. */
static void read_alarms(struct look *look, struct str policy_arn, struct scaling_sign *sign, struct str *cause)
{
    enum { PAGE = 100 };
    struct op_ctx *ctx = look->ctx;
    struct kept_alarm *page = ARENA_NEW(ctx->arena, struct kept_alarm, PAGE);
    struct str after = { NULL, 0 };
    for (size_t count = PAGE; count == PAGE && !sign->rings;) {
        count = store_list_alarms(ctx->txn, (struct str){ NULL, 0 }, after, page, PAGE, ctx->arena);
        for (size_t a = 0; a < count && !sign->rings; a++) {
            const struct metric_alarm *alarm = page[a].alarm;
            after = alarm->name;
            if (!acts(alarm, policy_arn)) { continue; }
            sign->rings = true;
            sign->breach = breach_of(alarm, ctx->arena);
            *cause = arena_printf(ctx->arena, "monitor alarm " STR_FMT " in state " STR_FMT, STR_ARG(alarm->name),
                                  STR_ARG(enum_word(&alarm_state_names, (int)alarm->state)));
        }
    }
}

/* The policy's metric, and its name for people. False: there is no such metric, or it has no data. */
static bool read_measure(const struct kept_policy *policy, const struct service_minutes *minutes, struct scaling_history *history, struct str *name)
{
    enum scaling_measure measure = scaling_measure_of(policy->tracking);
    *history = measure < MEASURE_COUNT ? minutes->of[measure] : (struct scaling_history){ .count = 0 };
    *name = measure < MEASURE_COUNT ? scaling_measure_name(measure) : (struct str){ NULL, 0 };
    for (size_t c = 0; measure == MEASURE_CLIENT && c < minutes->client_count; c++) {
        if (!str_eq(minutes->client[c].policy, policy->name)) { continue; }
        *history = minutes->client[c].of;
        *name = policy->tracking->customized->metric_name;
    }
    return history->count > 0;
}

static void read_signs(struct look *look, const struct service_minutes *minutes)
{
    struct op_ctx *ctx = look->ctx;
    const struct kept_policy_list *policies = &look->subject.target.policies;
    struct scaling_sign *signs = ARENA_NEW(ctx->arena, struct scaling_sign, policies->count + 1);
    look->causes = (struct str_list){ ARENA_NEW(ctx->arena, struct str, policies->count + 1), policies->count };
    for (size_t p = 0; p < policies->count; p++) {
        const struct kept_policy *policy = &policies->items[p];
        signs[p] = (struct scaling_sign){ 0 };
        look->causes.items[p] = STR("");
        if (policy->type == SCALING_STEP) {
            read_alarms(look, scaling_policy_arn(ctx, &look->subject, policy->name), &signs[p], &look->causes.items[p]);
            continue;
        }
        struct str name;
        if (!read_measure(policy, minutes, &signs[p].history, &name)) { continue; }
        look->causes.items[p] = arena_printf(ctx->arena, STR_FMT " was %.2f in the last minute, with a target of %.2f", STR_ARG(name),
                                             signs[p].history.values[0], policy->tracking->target_value.value);
    }
    look->state.signs = signs;
}

/* ---- changes ---- */

static void set_count(struct look *look, int64_t desired, struct str cause)
{
    struct op_ctx *ctx = look->ctx;
    scaling_add_activity(&look->subject.target, desired, cause, NULL, ctx->now_ms, ctx->arena);
    look->service.desired_count = look->state.desired = desired;
    services_changed(ctx, &look->service);
    look->changed = true;
}

/* Told once, as long as the reason stays. */
static void tell_not_scaled(struct look *look, const struct scaling_decision *decision, struct str cause)
{
    struct op_ctx *ctx = look->ctx;
    struct kept_scaling *target = &look->subject.target;
    struct not_scaled_reason *reason = ARENA_NEW(ctx->arena, struct not_scaled_reason, 1);
    *reason = (struct not_scaled_reason){ .current_capacity = { look->state.desired, true } };
    if (decision->act == SCALING_NO_ROOM) { reason->code = STR("TargetServicePutResourceAsUnscalable"); }
    if (decision->act == SCALING_AT_MAX) { reason->max_capacity = (struct opt_int){ target->max, true }; }
    if (decision->act == SCALING_AT_MIN) { reason->min_capacity = (struct opt_int){ target->min, true }; }
    if (decision->act == SCALING_AT_MAX) { reason->code = STR("AlreadyAtMaxCapacity"); }
    if (decision->act == SCALING_AT_MIN) { reason->code = STR("AlreadyAtMinCapacity"); }
    const struct kept_activity *last = target->activities.count > 0 ? &target->activities.items[0] : NULL;
    bool told = last != NULL && last->reason != NULL && str_eq(last->reason->code, reason->code);
    if (told && last->reason->current_capacity.value == look->state.desired) { return; }
    scaling_add_activity(target, decision->desired, cause, reason, ctx->now_ms, ctx->arena);
    look->changed = true;
}

static void follow_policies(struct look *look)
{
    struct scaling_decision decision = scaling_decide(&look->state);
    struct kept_scaling *target = &look->subject.target;
    if (decision.act == SCALING_NOTHING) { return; }
    struct kept_policy *policy = &target->policies.items[decision.policy];
    struct str sign = look->causes.items[decision.policy];
    struct str cause = arena_printf(look->ctx->arena, STR_FMT ": triggered policy " STR_FMT "%s", STR_ARG(sign), STR_ARG(policy->name),
                                    decision.act == SCALING_NO_ROOM ? "; tasks of the service wait for room" : "");
    if (decision.act != SCALING_SET) {
        tell_not_scaled(look, &decision, cause);
        return;
    }
    scaling_note(policy, &decision, look->state.desired, look->ctx->now_ms);
    set_count(look, decision.desired, cause);
}

static void follow_actions(struct look *look)
{
    struct op_ctx *ctx = look->ctx;
    struct kept_scaling *target = &look->subject.target;
    const struct kept_action *action = scaling_apply_actions(target, ctx->now_ms);
    for (size_t a = 0; a < target->actions.count; a++) {
        struct kept_action *due = &target->actions.items[a];
        if (due->next_ms == 0 || due->next_ms > ctx->now_ms) { continue; }
        due->next_ms = scaling_action_next(due, ctx->now_ms, ctx->arena);
        look->changed = true;
    }
    if (action == NULL) { return; }
    int64_t desired = max_i64(min_i64(look->state.desired, target->max), target->min);
    if (desired == look->state.desired) { return; }
    set_count(look, desired, arena_printf(ctx->arena, "%s capacity was set to %lld by the scheduled action " STR_FMT,
                                          desired == target->min ? "minimum" : "maximum", (long long)desired, STR_ARG(action->name)));
}

static void settle(struct look *look)
{
    struct kept_scaling *target = &look->subject.target;
    const struct kept_activity *activity = scaling_going_on(target);
    if (activity == NULL) { return; }
    bool overridden = activity->desired != look->state.desired;
    if (!overridden && look->state.running != activity->desired) { return; }
    scaling_settle(target, overridden ? SCALING_OVERRIDDEN : SCALING_SUCCESSFUL, look->ctx->now_ms);
    look->changed = true;
}

bool op_scale_services(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct scale_services *in = input;
    (void)output;
    (void)err;
    for (size_t s = 0; s < in->count; s++) {
        const struct service *service = store_service(ctx->txn, in->items[s].service, ctx->arena);
        struct look look = { .ctx = ctx, .state = { .now_ms = ctx->now_ms, .minute_ms = ctx->config->scaling_minute_ms } };
        if (service == NULL || service->status != SERVICE_ACTIVE || !scaling_next(ctx, (struct str){ NULL, 0 }, service->number - 1, &look.subject)
            || look.subject.target.service != service->number) {
            continue;
        }
        look.service = *service;
        look.state.target = &look.subject.target;
        read_service(&look);
        settle(&look);
        follow_actions(&look);
        read_signs(&look, &in->items[s]);
        follow_policies(&look);
        if (look.changed) { store_put_scaling(ctx->txn, &look.subject.target); }
    }
    return true;
}
