/* alarms.c: CloudWatch's metric alarms, as much of them as deployments need: a name and a state, which SetAlarmState changes. Berth does not evaluate their
 * metrics: an alarm begins as INSUFFICIENT_DATA, and its metric's members are only kept. The table of CloudWatch's operations. */
#include "api/alarms/alarms.h"

#include "api/alarms/reading.h"
#include "api/core/api.h"
#include "api/core/support.h"
#include "api/aws/alarms.h"
#include "base/text/arn.h"
#include "scheduler/reconcile/roster.h"

enum { PAGE_DEFAULT = 50, PAGE_MAX = 100, NAMES_MAX = 100 };

static const struct str arn_head = STR_INIT("alarm:");

static struct str make_arn(struct op_ctx *ctx, struct str name)
{
    const struct names *names = &ctx->config->names;
    return arena_printf(ctx->arena, "arn:aws:cloudwatch:" STR_FMT ":" STR_FMT ":alarm:" STR_FMT, STR_ARG(names->region), STR_ARG(names->account),
                        STR_ARG(name));
}

static bool refuse_unknown(struct str name, struct err *err)
{
    return err_set(err, ERR_RESOURCE_NOT_FOUND, "The alarm \"" STR_FMT "\" does not exist.", STR_ARG(name));
}

/* ---- for services ---- */

enum alarm_state alarms_state(struct op_ctx *ctx, struct str name)
{
    const struct kept_alarm *kept = store_alarm(ctx->txn, name, ctx->arena);
    return kept == NULL ? ALARM_STATE_UNSET : kept->alarm->state;
}

bool alarms_check_names(struct op_ctx *ctx, const struct str_list *names, struct err *err)
{
    for (size_t n = 0; n < names->count; n++) {
        if (names_is_url(names->items[n]) || store_alarm(ctx->txn, names->items[n], ctx->arena) != NULL) { continue; }
        return err_set(err, ERR_INVALID_PARAMETER, "The alarm \"" STR_FMT "\" does not exist. Make it first, with PutMetricAlarm of CloudWatch.",
                       STR_ARG(str_slice(names->items[n], 0, ALARM_NAME_MAX)));
    }
    return true;
}

/* ---- PutMetricAlarm ---- */

static bool check_name(struct str name, struct err *err)
{
    for (size_t c = 0; c < name.len; c++) {
        unsigned char byte = (unsigned char)name.ptr[c];
        if (byte < ' ' || byte == 0x7F) { return err_set(err, ERR_VALIDATION, "AlarmName must not contain ASCII control characters."); }
    }
    return true;
}

/* An alarm is on one metric, with a statistic of it and a period, or on expressions over several, which have their own. */
static bool check_metric(const struct metric_alarm *alarm, struct err *err)
{
    bool is_one = str_is_set(alarm->metric_name), is_statistic = alarm->statistic != METRIC_STATISTIC_UNSET;
    if (is_one == (alarm->metrics.count > 0)) { return err_set(err, ERR_VALIDATION, "Exactly one of MetricName and Metrics must be given."); }
    if (!is_one) {
        bool alone = !str_is_set(alarm->namespace) && !is_statistic && !str_is_set(alarm->extended_statistic) && alarm->dimensions.count == 0
            && !alarm->period.set && alarm->unit == METRIC_UNIT_UNSET;
        return alone || err_set(err, ERR_VALIDATION, "With Metrics, Namespace, Dimensions, Period, Unit, Statistic and ExtendedStatistic must not be given.");
    }
    if (!str_is_set(alarm->namespace)) { return err_set(err, ERR_VALIDATION, "With MetricName, Namespace must be given."); }
    if (is_statistic == str_is_set(alarm->extended_statistic)) {
        return err_set(err, ERR_VALIDATION, "With MetricName, exactly one of Statistic and ExtendedStatistic must be given.");
    }
    int64_t period = alarm->period.set ? alarm->period.value : 0;
    return period == 10 || period == 20 || period == 30 || (period > 0 && period % 60 == 0)
        || err_set(err, ERR_VALIDATION, "Period must be 10, 20, 30 or a multiple of 60.");
}

static bool check_comparison(const struct metric_alarm *alarm, struct err *err)
{
    if (alarm->comparison == ALARM_COMPARISON_UNSET || !alarm->evaluation_periods.set) {
        return err_set(err, ERR_VALIDATION, "ComparisonOperator and EvaluationPeriods must be given.");
    }
    if (alarm->threshold.set == str_is_set(alarm->threshold_metric_id)) {
        return err_set(err, ERR_VALIDATION, "Exactly one of Threshold and ThresholdMetricId must be given.");
    }
    return !alarm->datapoints_to_alarm.set || alarm->datapoints_to_alarm.value <= alarm->evaluation_periods.value
        || err_set(err, ERR_VALIDATION, "DatapointsToAlarm must not be greater than EvaluationPeriods.");
}

static bool check_tags(const struct tag_list *tags, struct err *err)
{
    struct err refused = { 0 };
    return support_check_tags(tags, TAGGED_OTHER, &refused) || err_set(err, ERR_VALIDATION, "%s", refused.message);
}

/* An alarm that exists keeps its state and its tags, as with AWS. */
static bool op_put_metric_alarm(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_metric_alarm_request *in = input;
    struct metric_alarm alarm = in->alarm;
    struct kept_alarm kept = { .alarm = &alarm, .tags = in->tags };
    (void)output;
    if (!check_name(alarm.name, err) || !check_metric(&alarm, err) || !check_comparison(&alarm, err) || !check_tags(&in->tags, err)) { return false; }
    const struct kept_alarm *known = store_alarm(ctx->txn, alarm.name, ctx->arena);
    if (known == NULL) {
        alarm_become(&alarm, ALARM_STATE_INSUFFICIENT_DATA, STR("Unchecked: Initial alarm creation"), (struct str){ NULL, 0 }, ctx->now_ms);
    } else {
        kept.tags = known->tags;
        alarm_keep_state(&alarm, known->alarm);
    }
    ASSERT(alarm.state != ALARM_STATE_UNSET);
    if (alarm.actions_enabled == OPT_UNSET) { alarm.actions_enabled = OPT_TRUE; }
    alarm.configured_ms = ctx->now_ms;
    store_put_alarm(ctx->txn, &kept);
    return true;
}

/* ---- SetAlarmState, DeleteAlarms ---- */

static bool op_set_alarm_state(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct set_alarm_state_request *in = input;
    struct err unread = { 0 };
    (void)output;
    if (str_is_set(in->state_reason_data) && json_parse(in->state_reason_data, ctx->arena, &unread) == NULL) {
        return err_set(err, ERR_INVALID_REQUEST, "StateReasonData was not syntactically valid JSON.");
    }
    const struct kept_alarm *known = store_alarm(ctx->txn, in->alarm_name, ctx->arena);
    if (known == NULL) { return refuse_unknown(in->alarm_name, err); }
    struct metric_alarm alarm = *known->alarm;
    alarm_become(&alarm, in->state, in->state_reason, in->state_reason_data, ctx->now_ms);
    store_put_alarm(ctx->txn, &(struct kept_alarm){ .alarm = &alarm, .tags = known->tags });
    ASSERT(str_eq(alarm.name, in->alarm_name));
    if (alarm.state != known->alarm->state) { roster_changed(sched_roster(ctx->world), WATCH_ALARMS); }
    return true;
}

/* Names without an alarm are ignored, unless no name has one. */
static bool op_delete_alarms(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_alarms_request *in = input;
    size_t dropped = 0;
    (void)output;
    for (size_t n = 0; n < in->alarm_names.count; n++) {
        if (store_alarm(ctx->txn, in->alarm_names.items[n], ctx->arena) == NULL) { continue; }
        store_drop_alarm(ctx->txn, in->alarm_names.items[n]);
        dropped++;
    }
    if (dropped > 0) { roster_changed(sched_roster(ctx->world), WATCH_ALARMS); }
    return dropped > 0 || in->alarm_names.count == 0 || refuse_unknown(str_slice(in->alarm_names.items[0], 0, ALARM_NAME_MAX), err);
}

/* ---- DescribeAlarms ---- */

static bool has_prefix(const struct str_list *actions, struct str prefix)
{
    for (size_t a = 0; a < actions->count; a++) {
        if (str_starts_with(actions->items[a], prefix)) { return true; }
    }
    return false;
}

static bool is_asked(const struct describe_alarms_request *in, const struct metric_alarm *alarm)
{
    bool state_fits = in->state == ALARM_STATE_UNSET || alarm->state == in->state;
    return state_fits && (!str_is_set(in->action_prefix) || has_prefix(&alarm->alarm_actions, in->action_prefix));
}

/* As with AWS, lists of a metric alarm are there when they are empty. */
static void show(struct op_ctx *ctx, const struct kept_alarm *kept, struct metric_alarm_list *list)
{
    ASSERT(list->count < NAMES_MAX);
    struct metric_alarm *shown = &list->items[list->count++];
    *shown = *kept->alarm;
    shown->arn = make_arn(ctx, shown->name);
    if (shown->ok_actions.items == NULL) { shown->ok_actions.items = LIST_NOTHING; }
    if (shown->alarm_actions.items == NULL) { shown->alarm_actions.items = LIST_NOTHING; }
    if (shown->insufficient_data_actions.items == NULL) { shown->insufficient_data_actions.items = LIST_NOTHING; }
    if (shown->dimensions.items == NULL) { shown->dimensions.items = LIST_NOTHING; }
}

static bool is_before(const struct str_list *names, size_t end)
{
    return str_list_has(&(struct str_list){ names->items, end }, names->items[end]);
}

/* All of them at once: a request has as many names as a page has alarms. */
static void describe_named(struct op_ctx *ctx, const struct describe_alarms_request *in, struct metric_alarm_list *list)
{
    for (size_t n = 0; n < in->alarm_names.count; n++) {
        const struct kept_alarm *kept = store_alarm(ctx->txn, in->alarm_names.items[n], ctx->arena);
        if (kept != NULL && !is_before(&in->alarm_names, n) && is_asked(in, kept->alarm)) { show(ctx, kept, list); }
    }
}

static void describe_page(struct op_ctx *ctx, const struct describe_alarms_request *in, struct str after, struct describe_alarms_response *out)
{
    size_t limit = in->max_records.set ? (size_t)in->max_records.value : PAGE_DEFAULT;
    ASSERT(limit >= 1 && limit <= NAMES_MAX);                /* the schema has the limits */
    struct kept_alarm *page = ARENA_NEW(ctx->arena, struct kept_alarm, PAGE_MAX);
    for (size_t count = PAGE_MAX; count == PAGE_MAX && !arena_exhausted(ctx->arena);) {
        count = store_list_alarms(ctx->txn, in->alarm_name_prefix, after, page, PAGE_MAX, ctx->arena);
        for (size_t a = 0; a < count; a++) {
            bool shown = is_asked(in, page[a].alarm);
            if (shown && out->metric_alarms.count == limit) {
                out->next_token = paging_token(ctx, STR("DescribeAlarms"), after);
                return;
            }
            if (shown) { show(ctx, &page[a], &out->metric_alarms); }
            after = page[a].alarm->name;
        }
    }
}

static bool asks_for_composites(const struct describe_alarms_request *in)
{
    bool is_only_type = in->alarm_types.count > 0;
    for (size_t t = 0; t < in->alarm_types.count; t++) { is_only_type = is_only_type && in->alarm_types.items[t] == ALARM_TYPE_COMPOSITEALARM; }
    return is_only_type || str_is_set(in->children_of_alarm_name) || str_is_set(in->parents_of_alarm_name);
}

static bool op_describe_alarms(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_alarms_request *in = input;
    struct describe_alarms_response *out = output;
    struct str after;
    struct err refused = { 0 };
    if (in->alarm_names.count > 0 && str_is_set(in->alarm_name_prefix)) {
        return err_set(err, ERR_VALIDATION, "AlarmNamePrefix must not be given with AlarmNames.");
    }
    if (!paging_position(ctx, STR("DescribeAlarms"), in->next_token, &after, &refused)) {
        return err_set(err, ERR_INVALID_NEXT_TOKEN, "The NextToken must be the one that the page before gave.");
    }
    out->composite_alarms.items = LIST_NOTHING;
    out->metric_alarms.items = ARENA_NEW(ctx->arena, struct metric_alarm, NAMES_MAX);
    if (asks_for_composites(in)) { return true; }
    if (in->alarm_names.count > 0) {
        describe_named(ctx, in, &out->metric_alarms);
    } else {
        describe_page(ctx, in, after, out);
    }
    return true;
}

static bool op_list_alarm_tags(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_alarm_tags_request *in = input;
    struct list_alarm_tags_response *out = output;
    const struct names *names = &ctx->config->names;
    struct arn arn;
    const struct kept_alarm *kept = NULL;
    if (!arn_parse(in->resource_arn, &arn)) { return err_set(err, ERR_INVALID_PARAMETER, "ResourceARN must be the ARN of an alarm."); }
    if (str_eq(arn.service, STR("cloudwatch")) && str_eq(arn.region, names->region) && str_eq(arn.account, names->account)
        && str_starts_with(arn.resource, arn_head)) {
        kept = store_alarm(ctx->txn, str_slice(arn.resource, arn_head.len, arn.resource.len), ctx->arena);
    }
    if (kept == NULL) { return refuse_unknown(str_slice(in->resource_arn, 0, 400), err); }
    out->tags = kept->tags;
    if (out->tags.items == NULL) { out->tags.items = LIST_NOTHING; }
    return true;
}

/* ---- the tables ---- */

static const struct operation operations[] = {
    { STR_INIT("DeleteAlarms"), &delete_alarms_request_schema, NULL, OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION, op_delete_alarms },
    { STR_INIT("DescribeAlarms"), &describe_alarms_request_schema, &describe_alarms_response_schema, OP_READ, ACCESS_VIEWER, ERR_VALIDATION,
      op_describe_alarms },
    { STR_INIT("GetMetricData"), &get_metric_data_request_schema, &get_metric_data_response_schema, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER,
      op_get_metric_data },
    { STR_INIT("GetMetricStatistics"), &get_metric_statistics_request_schema, &get_metric_statistics_response_schema, OP_READ, ACCESS_VIEWER,
      ERR_INVALID_PARAMETER, op_get_metric_statistics },
    { STR_INIT("ListMetrics"), &list_metrics_request_schema, &list_metrics_response_schema, OP_READ, ACCESS_VIEWER, ERR_INVALID_PARAMETER,
      op_list_metrics },
    { STR_INIT("ListTagsForResource"), &list_alarm_tags_request_schema, &list_alarm_tags_response_schema, OP_READ, ACCESS_VIEWER, ERR_VALIDATION,
      op_list_alarm_tags },
    { STR_INIT("PutMetricAlarm"), &put_metric_alarm_request_schema, NULL, OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION, op_put_metric_alarm },
    { STR_INIT("PutMetricData"), &put_metric_data_request_schema, NULL, OP_OUTSIDE, ACCESS_ADMIN, ERR_INVALID_PARAMETER, op_put_metric_data },
    { STR_INIT("SetAlarmState"), &set_alarm_state_request_schema, NULL, OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION, op_set_alarm_state },
};

/* The codes of the query protocol, which its JSON protocol shows too. */
static const struct service_error errors[] = {
    { ERR_VALIDATION, STR_INIT("ValidationError"), 400 }, { ERR_RESOURCE_NOT_FOUND, STR_INIT("ResourceNotFound"), 404 },
    { ERR_INVALID_NEXT_TOKEN, STR_INIT("InvalidNextToken"), 400 }, { ERR_INVALID_REQUEST, STR_INIT("InvalidFormat"), 400 },
    { ERR_INVALID_PARAMETER, STR_INIT("InvalidParameterValue"), 400 }, { ERR_ACCESS_DENIED, STR_INIT("AccessDenied"), 403 },
    { ERR_SERVER, STR_INIT("InternalServiceError"), 500 }, { ERR_MISSING_TOKEN, STR_INIT("MissingAuthenticationToken"), 403 },
    { ERR_INCOMPLETE_SIGNATURE, STR_INIT("IncompleteSignature"), 400 }, { ERR_UNRECOGNIZED_CLIENT, STR_INIT("InvalidClientTokenId"), 403 },
    { ERR_INVALID_SIGNATURE, STR_INIT("SignatureDoesNotMatch"), 403 }, { ERR_UNKNOWN_OPERATION, STR_INIT("InvalidAction"), 400 },
    { ERR_EXPIRED_TOKEN, STR_INIT("ExpiredToken"), 403 }, { ERR_LIMIT_EXCEEDED, STR_INIT("LimitExceeded"), 400 },
    { ERR_THROTTLING, STR_INIT("Throttling"), 400 },
};

#define SHARED \
    .name = STR_INIT("monitoring"), .named = true, .unserved = STR_INIT("cloudwatch:"), .resource = STR_INIT("*"), \
    .unserved_more = STR_INIT(". Of CloudWatch's metrics it serves DeleteAlarms, DescribeAlarms, GetMetricData, GetMetricStatistics, ListMetrics, " \
                              "ListTagsForResource, PutMetricAlarm, PutMetricData and SetAlarmState."), \
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors)
/* The AWS CLI speaks the JSON protocol, other clients the query protocol. */
const struct api_service alarms_service = {
    SHARED, .protocol = API_JSON, .target = STR_INIT("GraniteServiceVersion20100801."), .message = STR_INIT("message"),
};
const struct api_service alarms_query_service = {
    SHARED, .protocol = API_QUERY, .version = STR_INIT("2010-08-01"), .space = STR_INIT("http://monitoring.amazonaws.com/doc/2010-08-01/"),
    .item = STR_INIT("member"),
};
#undef SHARED
