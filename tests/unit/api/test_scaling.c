/* test_scaling.c: Application Auto Scaling: what its operations take and show, and how desired counts follow minutes, alarms and scheduled actions. */
#include "tests/unit/api/service_lives.h"

#define CALL(name) "AnyScaleFrontendService." name
#define OF(resource) "\"ServiceNamespace\":\"ecs\",\"ResourceId\":\"" resource "\",\"ScalableDimension\":\"ecs:service:DesiredCount\""
#define WEB_TARGET OF("service/default/web")
#define LIMITS ",\"MinCapacity\":2,\"MaxCapacity\":6"
#define CPU "\"PredefinedMetricSpecification\":{\"PredefinedMetricType\":\"ECSServiceAverageCPUUtilization\"}"
#define TRACK(members) "{" WEB_TARGET ",\"PolicyName\":\"p\",\"PolicyType\":\"TargetTrackingScaling\",\"TargetTrackingScalingPolicyConfiguration\":{" members "}}"
#define STEP(members) "{" WEB_TARGET ",\"PolicyName\":\"s\",\"PolicyType\":\"StepScaling\",\"StepScalingPolicyConfiguration\":{" members "}}"
#define ACTION(members) "{" WEB_TARGET ",\"ScheduledActionName\":\"night\"" members "}"
#define GPU(name, statistic) "\"TargetValue\":50,\"CustomizedMetricSpecification\":{\"Namespace\":\"Berth\",\"MetricName\":\"" name "\",\"Statistic\":\"" statistic "\"}"
#define CLIENT(name, more) "\"TargetValue\":50,\"CustomizedMetricSpecification\":{\"Namespace\":\"" name "\",\"MetricName\":\"Depth\"" more "}"
#define AVERAGE ",\"Statistic\":\"Average\""
#define REQUESTS(label) "\"TargetValue\":50,\"PredefinedMetricSpecification\":{\"PredefinedMetricType\":\"ALBRequestCountPerTarget\"" label "}"
#define NO_METRIC "ValidationException: Berth does not have this metric. With Namespace Berth and Statistic Average it has GPUUtilization and " \
    "GPUMemoryUtilization; with a Namespace of yours it has what PutMetricData of CloudWatch puts."
#define NO_LABEL "ValidationException: ALBRequestCountPerTarget needs a ResourceLabel of the form app/LOAD-BALANCER/ID/targetgroup/TARGET-GROUP/ID."
#define STEPS(list) "\"AdjustmentType\":\"ChangeInCapacity\",\"StepAdjustments\":[" list "]"
#define UP "{\"MetricIntervalLowerBound\":0,\"ScalingAdjustment\":1}"

static void test_rules(void)
{
    static const struct { const char *row, *operation, *body, *want; } rows[] = {
        { "no service", CALL("RegisterScalableTarget"), "{" OF("service/default/no") LIMITS "}", "ValidationException: ECS service doesn't exist: service/default/no" },
        { "no resource", CALL("RegisterScalableTarget"), "{" OF("web") LIMITS "}", "ValidationException: ResourceId must be service/CLUSTER/SERVICE." },
        { "no limits", CALL("RegisterScalableTarget"), "{" WEB_TARGET "}",
          "ValidationException: MinCapacity and MaxCapacity must be given when a scalable target is registered first." },
        { "limits that cross", CALL("RegisterScalableTarget"), "{" WEB_TARGET ",\"MinCapacity\":3,\"MaxCapacity\":2}",
          "ValidationException: MinCapacity must not be greater than MaxCapacity." },
        { "a policy first", CALL("PutScalingPolicy"), TRACK("\"TargetValue\":50," CPU), "ObjectNotFoundException: No scalable target found for service "
          "namespace: ecs, resource ID: service/default/web, scalable dimension: ecs:service:DesiredCount" },
        { "registered", CALL("RegisterScalableTarget"), "{" WEB_TARGET LIMITS ",\"Tags\":{\"a\":\"b\"}}", NULL },
        { "one limit alone", CALL("RegisterScalableTarget"), "{" WEB_TARGET ",\"MinCapacity\":7}",
          "ValidationException: MinCapacity must not be greater than MaxCapacity." },
        { "tags again", CALL("RegisterScalableTarget"), "{" WEB_TARGET ",\"Tags\":{\"a\":\"c\"}}",
          "ValidationException: Tags of a scalable target that is registered change by TagResource." },
        { "no target value", CALL("PutScalingPolicy"), TRACK("\"TargetValue\":0," CPU), "ValidationException: TargetValue must be above 0." },
        { "no metric", CALL("PutScalingPolicy"), TRACK("\"TargetValue\":50"),
          "ValidationException: Exactly one of PredefinedMetricSpecification and CustomizedMetricSpecification must be given." },
        { "another metric", CALL("PutScalingPolicy"), TRACK(GPU("Queue", "Average")), NO_METRIC },
        { "another statistic", CALL("PutScalingPolicy"), TRACK(GPU("GPUUtilization", "Maximum")), NO_METRIC },
        { "a metric of AWS", CALL("PutScalingPolicy"), TRACK(CLIENT("AWS/SQS", AVERAGE)), NO_METRIC },
        { "no statistic", CALL("PutScalingPolicy"), TRACK(CLIENT("App", "")), "ValidationException: MetricName and Statistic must be given." },
        { "an expression", CALL("PutScalingPolicy"), TRACK(CLIENT("App", AVERAGE ",\"Metrics\":[]")),
          "ValidationException: Berth does not serve Metrics in a CustomizedMetricSpecification: name one metric." },
        { "requests without a label", CALL("PutScalingPolicy"), TRACK(REQUESTS("")), NO_LABEL },
        { "a label without a target group", CALL("PutScalingPolicy"), TRACK(REQUESTS(",\"ResourceLabel\":\"app/web/1/targetgroup//2\"")), NO_LABEL },
        { "requests", CALL("PutScalingPolicy"), TRACK(REQUESTS(",\"ResourceLabel\":\"app/web/1/targetgroup/tg/2\"")), NULL },
        { "a metric of a client", CALL("PutScalingPolicy"), TRACK(CLIENT("App", AVERAGE)), NULL },
        { "the same by another policy", CALL("PutScalingPolicy"), "{" WEB_TARGET ",\"PolicyName\":\"q\",\"PolicyType\":\"TargetTrackingScaling\","
          "\"TargetTrackingScalingPolicyConfiguration\":{" CLIENT("App", AVERAGE) "}}",
          "ValidationException: Only one TargetTrackingScaling policy for a given metric specification is allowed." },
        { "another of its dimensions", CALL("PutScalingPolicy"), "{" WEB_TARGET ",\"PolicyName\":\"r\",\"PolicyType\":\"TargetTrackingScaling\","
          "\"TargetTrackingScalingPolicyConfiguration\":{" CLIENT("App", AVERAGE ",\"Dimensions\":[{\"Name\":\"a\",\"Value\":\"b\"}]") "}}", NULL },
        { "GPUs", CALL("PutScalingPolicy"), TRACK(GPU("GPUUtilization", "Average")), NULL },
        { "a cooldown below 0", CALL("PutScalingPolicy"), TRACK("\"TargetValue\":50,\"ScaleInCooldown\":-1," CPU),
          "ValidationException: ScaleInCooldown must not be below 0." },
        { "CPU", CALL("PutScalingPolicy"), TRACK("\"TargetValue\":60," CPU), NULL },
        { "one metric twice", CALL("PutScalingPolicy"), "{" WEB_TARGET ",\"PolicyName\":\"q\",\"PolicyType\":\"TargetTrackingScaling\","
          "\"TargetTrackingScalingPolicyConfiguration\":{\"TargetValue\":50," CPU "}}",
          "ValidationException: Only one TargetTrackingScaling policy for a given metric specification is allowed." },
        { "no steps", CALL("PutScalingPolicy"), STEP("\"AdjustmentType\":\"ExactCapacity\""), "ValidationException: AdjustmentType and StepAdjustments must be given." },
        { "steps that overlap", CALL("PutScalingPolicy"), STEP(STEPS(UP "," UP)), "ValidationException: The intervals of StepAdjustments must not overlap." },
        { "a magnitude", CALL("PutScalingPolicy"), STEP(STEPS(UP) ",\"MinAdjustmentMagnitude\":1"),
          "ValidationException: MinAdjustmentMagnitude is for PercentChangeInCapacity only." },
        { "no schedule", CALL("PutScheduledAction"), ACTION(""), "ValidationException: Schedule must be given." },
        { "nothing to do", CALL("PutScheduledAction"), ACTION(",\"Schedule\":\"rate(1 day)\""),
          "ValidationException: ScalableTargetAction must have MinCapacity or MaxCapacity." },
        { "no such policy", CALL("DeleteScalingPolicy"), "{" WEB_TARGET ",\"PolicyName\":\"x\"}", "ObjectNotFoundException: No scaling policy found for service "
          "namespace: ecs, resource ID: service/default/web, scalable dimension: ecs:service:DesiredCount, policy name: x" },
        { "no such action", CALL("DeleteScheduledAction"), "{" WEB_TARGET ",\"ScheduledActionName\":\"x\"}", "ObjectNotFoundException: No scheduled action found "
          "for service namespace: ecs, resource ID: service/default/web, scalable dimension: ecs:service:DesiredCount, scheduled action name: x" },
        { "no such ARN", CALL("ListTagsForResource"), "{\"ResourceARN\":\"arn:x\"}", "ResourceNotFoundException: No scalable target found for ARN: arn:x" },
        { "another name space", CALL("DescribeScalingPolicies"), "{\"ServiceNamespace\":\"ec2\"}", NULL },
    };
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(&f, rows[r].operation, rows[r].body);
        if (rows[r].want != NULL) { CHECK_STR(rows[r].row, reply, str_from(rows[r].want)); }
    }
    struct str targets = fixture_call(&f, CALL("DescribeScalableTargets"), "{\"ServiceNamespace\":\"ecs\"}");
    CHECK_TEXT("the target", at(&f, targets, "ScalableTargets[0].ResourceId"), "service/default/web");
    struct str arn = str_from(at(&f, targets, "ScalableTargets[0].ScalableTargetARN"));
    struct str ask = arena_printf(&f.kept, "{\"ResourceARN\":\"" STR_FMT "\"}", STR_ARG(arn));
    CHECK_STR("its tags", fixture_call_str(&f, CALL("ListTagsForResource"), ask), STR("{\"Tags\":{\"a\":\"b\"}}"));
    ask = arena_printf(&f.kept, "{\"ResourceARN\":\"" STR_FMT "\",\"Tags\":{\"a\":\"c\",\"d\":\"e\"}}", STR_ARG(arn));
    CHECK_STR("tagged", fixture_call_str(&f, CALL("TagResource"), ask), STR("{}"));
    ask = arena_printf(&f.kept, "{\"ResourceARN\":\"" STR_FMT "\",\"TagKeys\":[\"d\"]}", STR_ARG(arn));
    CHECK_STR("untagged", fixture_call_str(&f, CALL("UntagResource"), ask), STR("{}"));
    CHECK_STR("changed", fixture_call_str(&f, CALL("ListTagsForResource"), ask), STR("{\"Tags\":{\"a\":\"c\"}}"));
    (void)fixture_call(&f, "DeleteService", "{\"service\":\"web\",\"force\":true}");
    CHECK_STR("the target goes with its service", fixture_call(&f, CALL("DescribeScalableTargets"), "{\"ServiceNamespace\":\"ecs\"}"),
              STR("{\"ScalableTargets\":[]}"));
    fixture_close(&f);
}

/* ---- pages ---- */

/* A member of each item, from pages of one item each; `change` is called behind the first page. */
static struct str pages(struct api_fixture *f, const char *operation, const char *list, const char *member, const char *change, const char *body)
{
    struct buf shown = buf_in(&f->kept);
    struct str token = STR("");
    for (size_t page = 0; page < 10; page++) {
        const char *quoted = token.len > 0 ? arena_printf(&f->kept, ",\"NextToken\":\"" STR_FMT "\"", STR_ARG(token)).ptr : "";
        struct str reply = fixture_call_str(f, operation, arena_printf(&f->kept, "{\"ServiceNamespace\":\"ecs\",\"MaxResults\":1%s}", quoted));
        buf_printf(&shown, "%s ", at(f, reply, arena_printf(&f->kept, "%s[0].%s", list, member).ptr));
        if (page == 0 && change != NULL) { CHECK_STR(change, fixture_call(f, change, body), STR("{}")); }
        token = str_from(at(f, reply, "NextToken"));
        if (token.len == 0 || token.ptr[0] != 'R') { return buf_str(&shown); }           /* "R…": of a name that begins with "Describe" */
    }
    return STR("no end");
}

/* An item that comes or goes between two pages moves no other one. */
static void test_pages(void)
{
    static const char one[] = "{\"ServiceNamespace\":\"ecs\",\"ResourceId\":\"service/default/%s\",\"ScalableDimension\":\"ecs:service:DesiredCount\"%s}";
    static const char *const services[] = { "web", "xml" }, *const names[] = { "b", "d" };
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    create(&f, "{\"serviceName\":\"xml\",\"taskDefinition\":\"a\",\"desiredCount\":1}");
    for (size_t s = 0; s < COUNT_OF(services); s++) {
        (void)fixture_call_str(&f, CALL("RegisterScalableTarget"), arena_printf(&f.kept, one, services[s], LIMITS));
        for (size_t n = 0; n < COUNT_OF(names); n++) {
            const char *more = arena_printf(&f.kept, ",\"ScheduledActionName\":\"%s\",\"Schedule\":\"rate(1 day)\",\"ScalableTargetAction\":{\"MinCapacity\":1}",
                                            names[n]).ptr;
            (void)fixture_call_str(&f, CALL("PutScheduledAction"), arena_printf(&f.kept, one, services[s], more));
        }
    }
    CHECK_STR("all", pages(&f, CALL("DescribeScheduledActions"), "ScheduledActions", "ScheduledActionName", NULL, NULL), STR("b d b d "));
    CHECK_STR("one comes before", pages(&f, CALL("DescribeScheduledActions"), "ScheduledActions", "ScheduledActionName", CALL("PutScheduledAction"),
              "{" WEB_TARGET ",\"ScheduledActionName\":\"a\",\"Schedule\":\"rate(1 day)\",\"ScalableTargetAction\":{\"MinCapacity\":1}}"), STR("b d b d "));
    CHECK_STR("the last one shown goes", pages(&f, CALL("DescribeScheduledActions"), "ScheduledActions", "ScheduledActionName", CALL("DeleteScheduledAction"),
              "{" WEB_TARGET ",\"ScheduledActionName\":\"a\"}"), STR("a b d b d "));
    CHECK_STR("its target goes", pages(&f, CALL("DescribeScheduledActions"), "ScheduledActions", "ScheduledActionName", CALL("DeregisterScalableTarget"),
              "{" WEB_TARGET "}"), STR("b b d "));
    (void)fixture_call(&f, CALL("RegisterScalableTarget"), "{" WEB_TARGET LIMITS "}");
    CHECK_STR("targets", pages(&f, CALL("DescribeScalableTargets"), "ScalableTargets", "ResourceId", CALL("DeregisterScalableTarget"), "{" WEB_TARGET "}"),
              STR("service/default/web service/default/xml "));
    CHECK_STR("a token of another list", fixture_call(&f, CALL("DescribeScalingPolicies"), "{\"ServiceNamespace\":\"ecs\",\"NextToken\":\"eA\"}"),
              STR("InvalidNextTokenException: The NextToken must be the one that the page before gave."));
    fixture_close(&f);
}

/* ---- the look ---- */

static int64_t number_of_web(struct api_fixture *f)
{
    struct store_txn *txn = store_read_begin(f->store);
    int64_t number = 0;
    (void)store_list_scaling(txn, 0, &number, 1);
    CHECK("read", store_read_end(txn));
    return number;
}

static void run_look(struct api_fixture *f, struct service_minutes *item)
{
    struct api_call call;
    struct err err = { 0 };
    struct arena arena = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    api_prepare_scale_services(&(struct scale_services){ item, 1 }, &arena, &call);
    CHECK("looked", fixture_run(f, &call, &arena, &err));
    arena_finish(&arena);
}

/* The minutes that passed had this use of CPU; 0 of them: none has just ended. */
static void look(struct api_fixture *f, double cpu, size_t minutes)
{
    struct service_minutes item = { .service = number_of_web(f) };
    item.of[MEASURE_CPU].count = minutes;
    for (size_t m = 0; m < minutes; m++) { item.of[MEASURE_CPU].values[m] = cpu; }
    run_look(f, &item);
}

/* Three minutes of a metric that clients put, which the policy tracks. */
static void look_at_client(struct api_fixture *f, const char *policy, double value)
{
    struct client_minutes client = { str_from(policy), { 3, { value, value, value } } };
    struct service_minutes item = { .service = number_of_web(f), .client = &client, .client_count = 1 };
    run_look(f, &item);
}

static const char *activity(struct api_fixture *f)
{
    struct str all = fixture_call(f, CALL("DescribeScalingActivities"), "{\"ServiceNamespace\":\"ecs\",\"IncludeNotScaledActivities\":true,\"MaxResults\":1}");
    return arena_printf(&f->kept, "%s %s %s", at(f, all, "ScalingActivities[0].Description"), at(f, all, "ScalingActivities[0].StatusCode"),
                        at(f, all, "ScalingActivities[0].Cause")).ptr;
}

static void test_minutes(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    pass(&f, 50);
    (void)fixture_call(&f, CALL("RegisterScalableTarget"), "{" WEB_TARGET LIMITS "}");
    (void)fixture_call(&f, CALL("PutScalingPolicy"), TRACK("\"TargetValue\":60," CPU));
    look_at_client(&f, "p", 900);
    look(&f, 90, 2);
    look(&f, 0, 0);
    CHECK_TEXT("two minutes, then no data, and the metric of a client, which the policy does not track", state(&f, "web"), "D 2 R 2 P 0 a:1 | PRIMARY a:1 2/2/0 COMPLETED 0");
    look(&f, 90, 3);
    CHECK_TEXT("waits", activity(&f), "Setting desired count to 3. InProgress ECSServiceAverageCPUUtilization was 90.00 in the last minute, with a target of "
               "60.00: triggered policy p");
    pass(&f, 50);
    CHECK_TEXT("one task more, and no deployment", state(&f, "web"), "D 3 R 3 P 0 a:1 | PRIMARY a:1 3/3/0 COMPLETED 0");
    look(&f, 0, 0);
    CHECK_TEXT("fulfilled", activity(&f), "Setting desired count to 3. Successful ECSServiceAverageCPUUtilization was 90.00 in the last minute, with a target of "
               "60.00: triggered policy p");
    update(&f, OF_WEB(",\"taskDefinition\":\"a:2\""));
    pass(&f, 5);
    look(&f, 10, 15);
    CHECK_TEXT("a deployment: not in", at(&f, describe(&f, "web"), "services[0].desiredCount"), "3");
    pass(&f, 60);
    f.now_ms += 400000;
    look(&f, 10, 15);
    CHECK_TEXT("in, to the lower limit", at(&f, describe(&f, "web"), "services[0].desiredCount"), "2");
    pass(&f, 5);
    f.now_ms += 400000;
    look(&f, 10, 15);
    CHECK_TEXT("not lower", activity(&f), "Attempting to scale to 2. Failed ECSServiceAverageCPUUtilization was 10.00 in the last minute, with a target of "
               "60.00: triggered policy p");
    fixture_close(&f);
}

static void test_client(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    pass(&f, 50);
    (void)fixture_call(&f, CALL("RegisterScalableTarget"), "{" WEB_TARGET LIMITS "}");
    (void)fixture_call(&f, CALL("PutScalingPolicy"), TRACK(CLIENT("App", AVERAGE)));
    look_at_client(&f, "q", 100);
    CHECK_TEXT("of another policy", at(&f, describe(&f, "web"), "services[0].desiredCount"), "2");
    look_at_client(&f, "p", 100);
    CHECK_TEXT("of this policy", activity(&f), "Setting desired count to 4. InProgress Depth was 100.00 in the last minute, with a target of 50.00: triggered policy p");
    fixture_close(&f);
}

static void test_alarm(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    pass(&f, 50);
    (void)fixture_call(&f, CALL("RegisterScalableTarget"), "{" WEB_TARGET LIMITS "}");
    struct str put = fixture_call(&f, CALL("PutScalingPolicy"), STEP(STEPS("{\"MetricIntervalLowerBound\":0,\"MetricIntervalUpperBound\":10,"
                                  "\"ScalingAdjustment\":1},{\"MetricIntervalLowerBound\":10,\"ScalingAdjustment\":3}")));
    struct str in = fixture_call(&f, CALL("PutScalingPolicy"), "{" WEB_TARGET ",\"PolicyName\":\"t\",\"PolicyType\":\"StepScaling\","
                                 "\"StepScalingPolicyConfiguration\":{" STEPS("{\"MetricIntervalUpperBound\":-5,\"ScalingAdjustment\":-2},"
                                 "{\"MetricIntervalLowerBound\":-5,\"MetricIntervalUpperBound\":0,\"ScalingAdjustment\":-1}") "}}");
    struct str body = arena_printf(&f.kept, "{\"AlarmName\":\"high\",\"Namespace\":\"n\",\"MetricName\":\"m\",\"Statistic\":\"Sum\",\"Period\":60,"
                                   "\"ComparisonOperator\":\"GreaterThanThreshold\",\"EvaluationPeriods\":1,\"Threshold\":50,\"AlarmActions\":[\"%s\"],"
                                   "\"OKActions\":[\"%s\"],\"InsufficientDataActions\":[\"%s\"]}", at(&f, put, "PolicyARN"), at(&f, in, "PolicyARN"),
                                   at(&f, in, "PolicyARN"));
    CHECK_STR("an alarm", fixture_call_str(&f, "GraniteServiceVersion20100801.PutMetricAlarm", body), STR("{}"));
    look(&f, 0, 0);
    CHECK_TEXT("it is quiet", at(&f, describe(&f, "web"), "services[0].desiredCount"), "2");
    fixture_check(&f, "rings", "GraniteServiceVersion20100801.SetAlarmState", "{\"AlarmName\":\"high\",\"StateValue\":\"ALARM\",\"StateReason\":\"r\"}", "{}");
    look(&f, 0, 0);
    CHECK_TEXT("the first step", activity(&f), "Setting desired count to 3. InProgress monitor alarm high in state ALARM: triggered policy s");
    f.now_ms += 60000;
    look(&f, 0, 0);
    CHECK_TEXT("in its cooldown", at(&f, describe(&f, "web"), "services[0].desiredCount"), "3");
    fixture_check(&f, "rings louder", "GraniteServiceVersion20100801.SetAlarmState", "{\"AlarmName\":\"high\",\"StateValue\":\"ALARM\",\"StateReason\":\"r\","
                  "\"StateReasonData\":\"{\\\"recentDatapoints\\\":[40,60],\\\"threshold\\\":50}\"}", "{}");
    look(&f, 0, 0);
    CHECK_TEXT("the second step, less the first", at(&f, describe(&f, "web"), "services[0].desiredCount"), "5");
    pass(&f, 60);
    f.now_ms += 400000;
    fixture_check(&f, "is quiet again", "GraniteServiceVersion20100801.SetAlarmState", "{\"AlarmName\":\"high\",\"StateValue\":\"OK\",\"StateReason\":\"r\"}", "{}");
    look(&f, 0, 0);
    CHECK_TEXT("without data it is just below", activity(&f), "Setting desired count to 4. InProgress monitor alarm high in state OK: triggered policy t");
    pass(&f, 60);
    f.now_ms += 400000;
    fixture_check(&f, "quieter", "GraniteServiceVersion20100801.SetAlarmState", "{\"AlarmName\":\"high\",\"StateValue\":\"OK\",\"StateReason\":\"r\","
                  "\"StateReasonData\":\"{\\\"recentDatapoints\\\":[45],\\\"threshold\\\":50}\"}", "{}");
    look(&f, 0, 0);
    CHECK_TEXT("the bound belongs to the lower interval", at(&f, describe(&f, "web"), "services[0].desiredCount"), "2");
    fixture_close(&f);
}

static void test_action(void)
{
    struct api_fixture f;
    life_open(&f);
    create(&f, WEB(""));
    pass(&f, 50);
    (void)fixture_call(&f, CALL("RegisterScalableTarget"), "{" WEB_TARGET LIMITS "}");
    CHECK_STR("put", fixture_call(&f, CALL("PutScheduledAction"), ACTION(",\"Schedule\":\"rate(1 hour)\",\"ScalableTargetAction\":{\"MinCapacity\":4}")), STR("{}"));
    f.now_ms += 3600000 - 1;
    look(&f, 0, 0);
    CHECK_TEXT("before its time", at(&f, describe(&f, "web"), "services[0].desiredCount"), "2");
    f.now_ms += 1;
    look(&f, 0, 0);
    CHECK_TEXT("at its time", activity(&f), "Setting desired count to 4. InProgress minimum capacity was set to 4 by the scheduled action night");
    update(&f, OF_WEB(",\"desiredCount\":2"));
    look(&f, 0, 0);
    CHECK_TEXT("once", at(&f, describe(&f, "web"), "services[0].desiredCount"), "2");
    CHECK_TEXT("overridden", activity(&f), "Setting desired count to 4. Overridden minimum capacity was set to 4 by the scheduled action night");
    fixture_close(&f);
}

int main(void)
{
    test_rules();
    test_pages();
    test_minutes();
    test_client();
    test_alarm();
    test_action();
    return check_report();
}
