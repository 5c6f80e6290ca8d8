/* test_alarms.c: alarms of CloudWatch: what PutMetricAlarm takes, how the state moves, what DescribeAlarms shows, and what services ask. */
#include "api/alarms/alarms.h"
#include "tests/unit/api/api_fixture.h"

#define CALL(name) "GraniteServiceVersion20100801." name
#define METRIC "\"Namespace\":\"App\",\"MetricName\":\"Errors\",\"Statistic\":\"Sum\""
#define LIMIT "\"ComparisonOperator\":\"GreaterThanThreshold\",\"EvaluationPeriods\":3,\"Threshold\":0.5"
#define QUERY "\"Metrics\":[{\"Id\":\"a\",\"Expression\":\"b*2\"},{\"Id\":\"b\",\"MetricStat\":{\"Metric\":{\"Namespace\":\"App\"},\"Period\":60,\"Stat\":\"Sum\"}}]"

static void put(struct api_fixture *f, const char *name)
{
    struct str body = arena_printf(&f->kept, "{\"AlarmName\":\"%s\"," METRIC "," LIMIT ",\"Period\":60,\"AlarmActions\":[\"arn:%s\"]}", name, name);
    CHECK_STR(name, fixture_call_str(f, CALL("PutMetricAlarm"), body), STR("{}"));
}

static void set(struct api_fixture *f, const char *name, const char *state)
{
    struct str body = arena_printf(&f->kept, "{\"AlarmName\":\"%s\",\"StateValue\":\"%s\",\"StateReason\":\"r\"}", name, state);
    CHECK_STR(name, fixture_call_str(f, CALL("SetAlarmState"), body), STR("{}"));
}

static void test_rules(struct api_fixture *f)
{
    static const struct { const char *row, *members, *want; } rows[] = {
        { "the shortest period", METRIC "," LIMIT ",\"Period\":10", "{}" },
        { "no such period", METRIC "," LIMIT ",\"Period\":40", "ValidationError: Period must be 10, 20, 30 or a multiple of 60." },
        { "a multiple of 60", METRIC "," LIMIT ",\"Period\":120", "{}" },
        { "no period", METRIC "," LIMIT, "ValidationError: Period must be 10, 20, 30 or a multiple of 60." },
        { "as many data points as periods", METRIC "," LIMIT ",\"Period\":60,\"DatapointsToAlarm\":3", "{}" },
        { "one more", METRIC "," LIMIT ",\"Period\":60,\"DatapointsToAlarm\":4",
          "ValidationError: DatapointsToAlarm must not be greater than EvaluationPeriods." },
        { "no metric", LIMIT, "ValidationError: Exactly one of MetricName and Metrics must be given." },
        { "expressions", QUERY "," LIMIT, "{}" },
        { "both", QUERY "," METRIC "," LIMIT, "ValidationError: Exactly one of MetricName and Metrics must be given." },
        { "expressions with a period", QUERY "," LIMIT ",\"Period\":60",
          "ValidationError: With Metrics, Namespace, Dimensions, Period, Unit, Statistic and ExtendedStatistic must not be given." },
        { "no name space", "\"MetricName\":\"m\"," LIMIT, "ValidationError: With MetricName, Namespace must be given." },
        { "no statistic", "\"MetricName\":\"m\",\"Namespace\":\"n\"," LIMIT,
          "ValidationError: With MetricName, exactly one of Statistic and ExtendedStatistic must be given." },
        { "two statistics", METRIC ",\"ExtendedStatistic\":\"p99\"," LIMIT,
          "ValidationError: With MetricName, exactly one of Statistic and ExtendedStatistic must be given." },
        { "no comparison", METRIC ",\"Period\":60,\"Threshold\":1", "ValidationError: ComparisonOperator and EvaluationPeriods must be given." },
        { "no threshold", METRIC ",\"Period\":60,\"ComparisonOperator\":\"LessThanThreshold\",\"EvaluationPeriods\":1",
          "ValidationError: Exactly one of Threshold and ThresholdMetricId must be given." },
        { "two tags of one key", METRIC "," LIMIT ",\"Period\":60,\"Tags\":[{\"Key\":\"a\",\"Value\":\"\"},{\"Key\":\"a\",\"Value\":\"\"}]", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str body = arena_printf(&f->kept, "{\"AlarmName\":\"rules\",%s}", rows[r].members);
        struct str reply = fixture_call_str(f, CALL("PutMetricAlarm"), body);
        if (rows[r].want != NULL) { CHECK_STR(rows[r].row, reply, str_from(rows[r].want)); }
        if (rows[r].want == NULL) { CHECK_EQ(rows[r].row, f->code, ERR_VALIDATION); }
    }
    fixture_check(f, "a line in the name", CALL("PutMetricAlarm"), "{\"AlarmName\":\"a\\nb\"}",
                  "ValidationError: AlarmName must not contain ASCII control characters.");
    fixture_check(f, "gone", CALL("DeleteAlarms"), "{\"AlarmNames\":[\"rules\"]}", "{}");
}

static void test_state(struct api_fixture *f)
{
    static const char ask[] = "{\"AlarmNames\":[\"s\",\"no\",\"s\"]}";
    put(f, "s");
    struct str reply = fixture_call(f, CALL("DescribeAlarms"), ask);
    CHECK_STR("it begins so", fixture_at(f, reply, "MetricAlarms[0].StateValue"), STR("INSUFFICIENT_DATA"));
    CHECK_STR("its ARN", fixture_at(f, reply, "MetricAlarms[0].AlarmArn"), STR("arn:aws:cloudwatch:us-east-1:123456789012:alarm:s"));
    CHECK_STR("each name once", fixture_at(f, reply, "MetricAlarms[1]"), ((struct str){ NULL, 0 }));
    f->now_ms += 1000;
    set(f, "s", "ALARM");
    f->now_ms += 1000;
    set(f, "s", "ALARM");
    put(f, "s");
    reply = fixture_call(f, CALL("DescribeAlarms"), ask);
    CHECK_STR("put again, it keeps its state", fixture_at(f, reply, "MetricAlarms[0].StateValue"), STR("ALARM"));
    CHECK_STR("updated by the second call", fixture_at(f, reply, "MetricAlarms[0].StateUpdatedTimestamp"), STR("1700000002.0"));
    CHECK_STR("changed by the first", fixture_at(f, reply, "MetricAlarms[0].StateTransitionedTimestamp"), STR("1700000001.0"));
    fixture_check(f, "unknown", CALL("SetAlarmState"), "{\"AlarmName\":\"no\",\"StateValue\":\"OK\",\"StateReason\":\"\"}",
                  "ResourceNotFound: The alarm \"no\" does not exist.");
    fixture_check(f, "no JSON", CALL("SetAlarmState"), "{\"AlarmName\":\"s\",\"StateValue\":\"OK\",\"StateReason\":\"\",\"StateReasonData\":\"{\"}",
                  "InvalidFormat: StateReasonData was not syntactically valid JSON.");
    fixture_check(f, "one is known", CALL("DeleteAlarms"), "{\"AlarmNames\":[\"no\",\"s\"]}", "{}");
    fixture_check(f, "none is", CALL("DeleteAlarms"), "{\"AlarmNames\":[\"s\"]}", "ResourceNotFound: The alarm \"s\" does not exist.");
}

static void test_filters(struct api_fixture *f)
{
    static const struct { const char *row, *ask, *first; } rows[] = {
        { "the first", "{}", "a" }, { "a prefix that is a name", "{\"AlarmNamePrefix\":\"b\"}", "b" }, { "a longer prefix", "{\"AlarmNamePrefix\":\"bc\"}", "bc" },
        { "no such prefix", "{\"AlarmNamePrefix\":\"bd\"}", NULL }, { "a state", "{\"StateValue\":\"OK\"}", "bc" },
        { "another state", "{\"StateValue\":\"ALARM\"}", NULL }, { "an action", "{\"ActionPrefix\":\"arn:b\"}", "b" },
        { "composites alone", "{\"AlarmTypes\":[\"CompositeAlarm\"]}", NULL }, { "both types", "{\"AlarmTypes\":[\"CompositeAlarm\",\"MetricAlarm\"]}", "a" },
        { "an alarm's parents", "{\"ParentsOfAlarmName\":\"a\"}", NULL },
    };
    const struct str none = { NULL, 0 };
    for (const char *const *name = (const char *const[]){ "bc", "b", "a", NULL }; *name != NULL; name++) { put(f, *name); }
    set(f, "bc", "OK");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(f, CALL("DescribeAlarms"), rows[r].ask), first = fixture_at(f, reply, "MetricAlarms[0].AlarmName");
        CHECK_STR(rows[r].row, first, rows[r].first == NULL ? none : str_from(rows[r].first));
    }
    struct str reply = fixture_call(f, CALL("DescribeAlarms"), "{\"MaxRecords\":1,\"StateValue\":\"INSUFFICIENT_DATA\"}");
    struct str token = fixture_at(f, reply, "NextToken");
    reply = fixture_call_str(f, CALL("DescribeAlarms"), arena_printf(&f->kept, "{\"MaxRecords\":1,\"StateValue\":\"INSUFFICIENT_DATA\",\"NextToken\":\""
                             STR_FMT "\"}", STR_ARG(token)));
    CHECK_STR("the next page", fixture_at(f, reply, "MetricAlarms[0].AlarmName"), STR("b"));
    CHECK("is the last", !str_is_set(fixture_at(f, reply, "NextToken")));
    fixture_check(f, "names and a prefix", CALL("DescribeAlarms"), "{\"AlarmNames\":[\"a\"],\"AlarmNamePrefix\":\"a\"}",
                  "ValidationError: AlarmNamePrefix must not be given with AlarmNames.");
}

static void test_for_services(struct api_fixture *f)
{
    struct str names[] = { STR("bc"), STR("no"), STR("b"), STR("a") };
    struct str_list list = { names, COUNT_OF(names) };
    struct err err = { 0 };
    set(f, "a", "ALARM");
    set(f, "b", "ALARM");
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    static const enum alarm_state states[] = { ALARM_STATE_OK, ALARM_STATE_UNSET, ALARM_STATE_ALARM, ALARM_STATE_ALARM };
    for (size_t n = 0; n < COUNT_OF(names); n++) { CHECK_EQ("its state", alarms_state(&ctx, names[n]), states[n]); }
    CHECK("one is unknown", !alarms_check_names(&ctx, &list, &err) && err.code == ERR_INVALID_PARAMETER);
    CHECK_STR("it is named", str_from(err.message), STR("The alarm \"no\" does not exist. Make it first, with PutMetricAlarm of CloudWatch."));
    names[1] = STR("http://h");
    list = (struct str_list){ names + 1, 3 };
    err = (struct err){ 0 };
    CHECK("all are known, or are addresses", alarms_check_names(&ctx, &list, &err));
    CHECK("read", store_read_end(txn));
}

/* A key that is bound to a cluster reads nothing of alarms, though it may list tags in ECS. */
static void test_bound(struct api_fixture *f)
{
    f->caller.role = ACCESS_AGENT;
    f->caller.binding.cluster = STR("default");
    for (const char *const *name = (const char *const[]){ CALL("ListTagsForResource"), CALL("DescribeAlarms"), NULL }; *name != NULL; name++) {
        (void)fixture_call(f, *name, "{\"ResourceARN\":\"arn:aws:cloudwatch:us-east-1:123456789012:alarm:a\"}");
        CHECK_EQ(*name, f->code, ERR_ACCESS_DENIED);
    }
}

int main(void)
{
    struct api_fixture f;
    fixture_open(&f);
    test_rules(&f);
    test_state(&f);
    test_filters(&f);
    test_for_services(&f);
    test_bound(&f);
    fixture_close(&f);
    return check_report();
}
