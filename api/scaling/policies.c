/* policies.c: PutScalingPolicy, DeleteScalingPolicy and DescribeScalingPolicies. */
#include "api/scaling/scaling.h"

struct str scaling_policy_arn(struct op_ctx *ctx, const struct scaling_subject *subject, struct str name)
{
    const struct names *names = &ctx->config->names;
    return arena_printf(ctx->arena, "arn:aws:autoscaling:" STR_FMT ":" STR_FMT ":scalingPolicy:00000000-0000-4000-8000-%012llx:resource/ecs/" STR_FMT
                        ":policyName/" STR_FMT, STR_ARG(names->region), STR_ARG(names->account), (unsigned long long)subject->target.service,
                        STR_ARG(subject->resource), STR_ARG(name));
}

_Static_assert(offsetof(struct kept_policy, name) == 0, "scaling_place_of");

static struct scaling_place place_of(const struct kept_policy_list *policies, struct str name)
{
    return scaling_place_of(policies->items, policies->count, sizeof *policies->items, name);
}

/* ---- rules ---- */

static bool check_cooldown(struct opt_int seconds, const char *name, struct err *err)
{
    return !seconds.set || seconds.value >= 0 || err_set(err, ERR_VALIDATION, "%s must not be below 0.", name);
}

static bool check_custom(const struct customized_metric_specification *metric, enum scaling_measure measure, struct err *err)
{
    if (str_is_set(metric->metrics)) {
        return err_set(err, ERR_VALIDATION, "Berth does not serve Metrics in a CustomizedMetricSpecification: name one metric.");
    }
    if (measure == MEASURE_UNKNOWN || (measure != MEASURE_CLIENT && metric->statistic != SCALING_STATISTIC_AVERAGE)) {
        return err_set(err, ERR_VALIDATION, "Berth does not have this metric. With Namespace Berth and Statistic Average it has GPUUtilization "
                       "and GPUMemoryUtilization; with a Namespace of yours it has what PutMetricData of CloudWatch puts.");
    }
    return (str_is_set(metric->metric_name) && metric->statistic != SCALING_STATISTIC_UNSET)
        || err_set(err, ERR_VALIDATION, "MetricName and Statistic must be given.");
}

static bool check_tracking(const struct target_tracking *tracking, struct err *err)
{
    if (tracking == NULL) { return err_set(err, ERR_VALIDATION, "TargetTrackingScalingPolicyConfiguration must be given for TargetTrackingScaling."); }
    static const double most = 1e15;
    if (!(tracking->target_value.value > 0 && tracking->target_value.value < most)) { return err_set(err, ERR_VALIDATION, "TargetValue must be above 0."); }
    if ((tracking->predefined != NULL) == (tracking->customized != NULL)) {
        return err_set(err, ERR_VALIDATION, "Exactly one of PredefinedMetricSpecification and CustomizedMetricSpecification must be given.");
    }
    const struct customized_metric_specification *custom = tracking->customized;
    if (custom != NULL && !check_custom(custom, scaling_measure_of(tracking), err)) { return false; }
    if (tracking->predefined != NULL && tracking->predefined->type == PREDEFINED_REQUESTS
        && !str_is_set(scaling_group_in(tracking->predefined->resource_label))) {
        return err_set(err, ERR_VALIDATION, "ALBRequestCountPerTarget needs a ResourceLabel of the form app/LOAD-BALANCER/ID/targetgroup/TARGET-GROUP/ID.");
    }
    return check_cooldown(tracking->out_cooldown, "ScaleOutCooldown", err) && check_cooldown(tracking->in_cooldown, "ScaleInCooldown", err);
}

static bool overlap(const struct step_adjustment *a, const struct step_adjustment *b)
{
    bool before = a->upper.set && b->lower.set && a->upper.value <= b->lower.value, behind = b->upper.set && a->lower.set && b->upper.value <= a->lower.value;
    return !before && !behind;
}

static bool check_step(const struct step_scaling *step, struct err *err)
{
    if (step == NULL) { return err_set(err, ERR_VALIDATION, "StepScalingPolicyConfiguration must be given for StepScaling."); }
    bool complete = step->type != ADJUSTMENT_TYPE_UNSET && step->steps.count > 0;
    if (!complete) { return err_set(err, ERR_VALIDATION, "AdjustmentType and StepAdjustments must be given."); }
    for (size_t a = 0; a < step->steps.count; a++) {
        const struct step_adjustment *one = &step->steps.items[a];
        if (one->lower.set && one->upper.set && one->lower.value >= one->upper.value) {
            return err_set(err, ERR_VALIDATION, "MetricIntervalLowerBound must be below MetricIntervalUpperBound.");
        }
        for (size_t b = 0; b < a; b++) {
            if (overlap(one, &step->steps.items[b])) { return err_set(err, ERR_VALIDATION, "The intervals of StepAdjustments must not overlap."); }
        }
    }
    if (step->least.set && step->type != ADJUSTMENT_PERCENT) {
        return err_set(err, ERR_VALIDATION, "MinAdjustmentMagnitude is for PercentChangeInCapacity only.");
    }
    return check_cooldown(step->cooldown, "Cooldown", err);
}

static bool is_same_metric(const struct target_tracking *a, const struct target_tracking *b, struct arena *arena)
{
    enum scaling_measure measure = scaling_measure_of(a);
    if (measure != scaling_measure_of(b)) { return false; }
    return measure != MEASURE_CLIENT || (a->customized->statistic == b->customized->statistic
                                         && str_eq(scaling_client_key(a->customized, arena), scaling_client_key(b->customized, arena)));
}

/* Two policies that track one metric would pull against each other. */
static bool check_alone(const struct kept_policy_list *policies, const struct kept_policy *policy, struct arena *arena, struct err *err)
{
    for (size_t p = 0; p < policies->count && policy->type == SCALING_TRACKING; p++) {
        const struct kept_policy *other = &policies->items[p];
        if (other->type != SCALING_TRACKING || str_eq(other->name, policy->name)) { continue; }
        if (is_same_metric(other->tracking, policy->tracking, arena)) {
            return err_set(err, ERR_VALIDATION, "Only one TargetTrackingScaling policy for a given metric specification is allowed.");
        }
    }
    return true;
}

/* ---- the operations ---- */

static void set_parts(struct op_ctx *ctx, struct kept_policy *policy, const struct put_policy_request *in)
{
    policy->tracking = NULL;
    policy->step = NULL;
    if (policy->type == SCALING_TRACKING) {
        policy->tracking = arena_copy(ctx->arena, in->tracking, sizeof *in->tracking);
        if (policy->tracking->out_only == OPT_UNSET) { policy->tracking->out_only = OPT_FALSE; }
    } else {
        policy->step = arena_copy(ctx->arena, in->step, sizeof *in->step);
        if (policy->step->aggregation == METRIC_AGGREGATION_UNSET) { policy->step->aggregation = METRIC_AGGREGATION_AVERAGE; }
    }
}

bool scaling_draft_policy(struct op_ctx *ctx, struct kept_scaling *target, const struct put_policy_request *in, struct err *err)
{
    struct kept_policy_list *policies = &target->policies;
    struct scaling_place place = place_of(policies, in->name);
    struct kept_policy policy = place.known ? policies->items[place.at]
        : (struct kept_policy){ .name = in->name, .created_ms = ctx->now_ms, .type = SCALING_STEP };
    if (in->type != SCALING_POLICY_TYPE_UNSET) { policy.type = in->type; }
    if (policy.type == SCALING_TRACKING ? !check_tracking(in->tracking, err) : !check_step(in->step, err)) { return false; }
    set_parts(ctx, &policy, in);
    if (!check_alone(policies, &policy, ctx->arena, err)) { return false; }
    if (!place.known && policies->count == SCALING_POLICIES_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "A scalable target has %d scaling policies at most.", (int)SCALING_POLICIES_MAX);
    }
    policies->items = scaling_put(ctx, policies->items, &policies->count, sizeof policy, place, &policy);
    return true;
}

bool op_put_scaling_policy(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_policy_request *in = input;
    struct put_policy_response *out = output;
    struct scaling_subject subject;
    if (!scaling_find(ctx, in->resource, &subject, err) || !scaling_draft_policy(ctx, &subject.target, in, err)) { return false; }
    store_put_scaling(ctx->txn, &subject.target);
    out->arn = scaling_policy_arn(ctx, &subject, in->name);
    out->alarms.items = LIST_NOTHING;
    return true;
}

bool op_delete_scaling_policy(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_policy_request *in = input;
    struct scaling_subject subject;
    (void)output;
    if (!scaling_find(ctx, in->resource, &subject, err)) { return false; }
    struct kept_policy_list *policies = &subject.target.policies;
    struct scaling_place place = place_of(policies, in->name);
    if (!place.known) {
        return err_set(err, ERR_TARGET_NOT_FOUND, "No scaling policy found for service namespace: ecs, resource ID: " STR_FMT
                       ", scalable dimension: ecs:service:DesiredCount, policy name: " STR_FMT, STR_ARG(subject.resource),
                       STR_ARG(str_slice(in->name, 0, 256)));
    }
    for (size_t p = place.at + 1; p < policies->count; p++) { policies->items[p - 1] = policies->items[p]; }
    policies->count--;
    store_put_scaling(ctx->txn, &subject.target);
    return true;
}

bool op_describe_scaling_policies(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_policies_request *in = input;
    struct describe_policies_response *out = output;
    struct scaling_page page;
    struct scaling_subject subject;
    if (!scaling_page_begin(ctx, "DescribeScalingPolicies", in->max_results, in->next_token, &page, err)) { return false; }
    out->policies.items = ARENA_NEW(ctx->arena, struct scaling_policy_view, page.limit);
    for (int64_t after = page.after; !page.more && scaling_next(ctx, in->resource, after, &subject); after = subject.target.service) {
        for (size_t p = 0; p < subject.target.policies.count; p++) {
            const struct kept_policy *policy = &subject.target.policies.items[p];
            if (!scaling_is_named(&in->names, policy->name) || !scaling_page_takes(&page, subject.target.service, policy->name)) { continue; }
            out->policies.items[out->policies.count++] = (struct scaling_policy_view){
                scaling_policy_arn(ctx, &subject, policy->name), policy->name, SCALING_OF_ECS, subject.resource, SCALABLE_DESIRED_COUNT, policy->type,
                policy->step, policy->tracking, { LIST_NOTHING, 0 }, policy->created_ms,
            };
        }
    }
    out->next_token = scaling_page_token(ctx, &page);
    return true;
}
