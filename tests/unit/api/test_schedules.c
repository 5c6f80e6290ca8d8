/* test_schedules.c: rules of EventBridge and schedules of EventBridge Scheduler: refusals, replies, and when tasks run: on time, once after
 * an outage, one run at a time, again after a failure, and not at all after the last attempt. */
#include "api/schedules/schedules.h"
#include "tests/unit/api/machines.h"

#define RULE(name) "AWSEvents." name
#define PLAN(name) "scheduler:" name
#define CLUSTER "arn:aws:ecs:us-east-1:123456789012:cluster/default"
#define ECS "\"EcsParameters\":{\"TaskDefinitionArn\":\"job\"}"
#define TARGET "\"Arn\":\"" CLUSTER "\",\"RoleArn\":\"arn:aws:iam::123456789012:role/r\"," ECS
#define OFF "\"FlexibleTimeWindow\":{\"Mode\":\"OFF\"}"
enum { MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

/* ---- how it goes ---- */

static int64_t due_ms(struct api_fixture *f) { return api_services_due_ms(f->world, f->now_ms); }

static void steps(struct api_fixture *f)
{
    int count = 0;
    for (; due_ms(f) != 0 && due_ms(f) <= f->now_ms && count < 100; count++) {
        struct arena arena;
        struct api_call call;
        arena_init(&arena, FIXTURE_ARENA_BYTES);
        api_prepare_step_services(false, &arena, &call);
        fixture_internal_in(f, &call, &arena);
        arena_finish(&arena);
    }
    CHECK("steps come to an end", count < 100);
}

static void report_end(struct api_fixture *f, const char *task)
{
    report(f, task, "STOPPED", "{\"containerName\":\"main\",\"status\":\"STOPPED\",\"exitCode\":0}");
}

static const char *started_by(struct api_fixture *f, const char *starter, const char *status)
{
    return text(f, "{\"startedBy\":\"%s\",\"desiredStatus\":\"%s\"}", starter, status);
}

static int64_t live(struct api_fixture *f, const char *starter)
{
    return count_at(f, fixture_call(f, "ListTasks", started_by(f, starter, "RUNNING")), "taskArns");
}

static void end_all(struct api_fixture *f, const char *starter)
{
    struct str list = fixture_call(f, "ListTasks", started_by(f, starter, "RUNNING"));
    for (int64_t t = 0, count = count_at(f, list, "taskArns"); t < count; t++) {
        report_end(f, at(f, list, text(f, "taskArns[%d]", (int)t)));
    }
}

/* Goes to a time, with the steps that are due on the way. */
static void go_to(struct api_fixture *f, int64_t ms)
{
    for (int64_t due = due_ms(f); due != 0 && due <= ms; due = due_ms(f)) {
        f->now_ms = due > f->now_ms ? due : f->now_ms;
        steps(f);
    }
    f->now_ms = ms;
}

/* The server was down, and is there again. */
static void be_down_until(struct api_fixture *f, int64_t ms)
{
    f->now_ms = ms;
    f->world = sched_world_create(&f->kept);
    struct store_txn *txn = store_read_begin(f->store);
    api_load_world(f->world, txn);
    CHECK("the store can be read", store_read_end(txn));
    steps(f);
}

static struct str outcome(struct api_fixture *f, bool rule, const char *name)
{
    struct store_txn *txn = store_read_begin(f->store);
    const struct kept_schedule *schedule = store_schedule(txn, rule, str_from(name), &f->kept);
    CHECK("the store can be read", store_read_end(txn));
    return schedule == NULL || schedule->runs.count == 0 ? STR("none") : schedule->runs.items[0].outcome;
}

static void create(struct api_fixture *f, const char *name, const char *expression, const char *more)
{
    (void)fixture_call(f, PLAN("CreateSchedule"), text(f, "{\"Name\":\"%s\",\"ScheduleExpression\":\"%s\"," OFF "%s}", name, expression, more));
    CHECK_EQ(name, f->code, ERR_NONE);
}

static void drop(struct api_fixture *f, const char *name)
{
    fixture_check(f, name, PLAN("DeleteSchedule"), text(f, "{\"Name\":\"%s\"}", name), "{}");
}

/* ---- rules of EventBridge ---- */

static void test_rule_refusals(struct api_fixture *f)
{
    static const struct { const char *row, *call, *body, *want; } rows[] = {
        { "a pattern", RULE("PutRule"), "{\"Name\":\"r\",\"EventPattern\":\"{}\"}",
          "ValidationException: Berth does not serve EventPattern: a rule runs tasks at the times of its ScheduleExpression." },
        { "no times", RULE("PutRule"), "{\"Name\":\"r\"}", "ValidationException: ScheduleExpression must be given." },
        { "once", RULE("PutRule"), "{\"Name\":\"r\",\"ScheduleExpression\":\"at(2026-01-01T00:00:00)\"}",
          "ValidationException: A rule takes rate(...) and cron(...); at(...) is for EventBridge Scheduler." },
        { "no such rate", RULE("PutRule"), "{\"Name\":\"r\",\"ScheduleExpression\":\"rate(1 minutes)\"}", NULL },
        { "a name with a blank", RULE("PutRule"), "{\"Name\":\"a b\",\"ScheduleExpression\":\"rate(1 minute)\"}", NULL },
        { "another bus", RULE("PutRule"), "{\"Name\":\"r\",\"ScheduleExpression\":\"rate(1 minute)\",\"EventBusName\":\"b\"}",
          "ResourceNotFoundException: Event bus b does not exist." },
        { "unknown", RULE("DescribeRule"), "{\"Name\":\"no\"}", "ResourceNotFoundException: Rule no does not exist on EventBus default." },
        { "unknown, enabled", RULE("EnableRule"), "{\"Name\":\"no\"}", "ResourceNotFoundException: Rule no does not exist on EventBus default." },
        { "unknown, deleted", RULE("DeleteRule"), "{\"Name\":\"no\"}", "{}" },
        { "targets of no rule", RULE("PutTargets"), "{\"Rule\":\"no\",\"Targets\":[{\"Id\":\"1\"," TARGET "}]}",
          "ResourceNotFoundException: Rule no does not exist on EventBus default." },
        { "a function", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\",\"Arn\":\"arn:aws:lambda:us-east-1:123456789012:function:f\"}]}",
          "ValidationException: Berth serves targets that run tasks: Arn must be the ARN of a cluster of ECS, and EcsParameters must be given." },
        { "another region", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\",\"Arn\":\"arn:aws:ecs:eu-west-1:123456789012:cluster/c\"," ECS "}]}",
          "ValidationException: Berth serves targets that run tasks: Arn must be the ARN of a cluster of ECS, and EcsParameters must be given." },
        { "a transformer", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\"," TARGET ",\"InputTransformer\":{\"InputTemplate\":\"x\"}}]}",
          "ValidationException: Berth does not serve InputTransformer: Input holds the overrides of RunTask." },
        { "a path", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\"," TARGET ",\"InputPath\":\"$.x\"}]}",
          "ValidationException: Berth does not serve InputPath: Input holds the overrides of RunTask." },
        { "no JSON", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\"," TARGET ",\"Input\":\"{\"}]}", NULL },
        { "no overrides", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\"," TARGET ",\"Input\":\"{\\\"containerOverrides\\\":1}\"}]}", NULL },
        { "eleven tasks", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\",\"Arn\":\"" CLUSTER
          "\",\"EcsParameters\":{\"TaskDefinitionArn\":\"job\",\"TaskCount\":11}}]}", NULL },
        { "another overlap", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\",\"Arn\":\"" CLUSTER "\",\"EcsParameters\":"
          "{\"TaskDefinitionArn\":\"job\",\"Tags\":[{\"Key\":\"berth:overlap\",\"Value\":\"no\"}]}}]}",
          "ValidationException: The value of the tag berth:overlap must be \"allow\"." },
        { "tags that are no list", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\",\"Arn\":\"" CLUSTER "\",\"EcsParameters\":"
          "{\"TaskDefinitionArn\":\"job\",\"Tags\":{\"a\":\"b\"}}}]}", "ValidationException: Tags of EcsParameters must be a list of objects." },
        { "a tag that is no object", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\",\"Arn\":\"" CLUSTER "\",\"EcsParameters\":"
          "{\"TaskDefinitionArn\":\"job\",\"Tags\":[\"a\"]}}]}", "ValidationException: Tags of EcsParameters must be a list of objects." },
        { "too old", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\"," TARGET ",\"RetryPolicy\":{\"MaximumEventAgeInSeconds\":59}}]}", NULL },
        { "six targets", RULE("PutTargets"), "{\"Rule\":\"known\",\"Targets\":[{\"Id\":\"1\"," TARGET "},{\"Id\":\"2\"," TARGET "},{\"Id\":\"3\"," TARGET
          "},{\"Id\":\"4\"," TARGET "},{\"Id\":\"5\"," TARGET "},{\"Id\":\"6\"," TARGET "}]}",
          "LimitExceededException: The requested resource exceeds the maximum number allowed: a rule has at most 5 targets." },
        { "tags of no rule", RULE("ListTagsForResource"), "{\"ResourceARN\":\"arn:aws:events:us-east-1:123456789012:rule/no\"}",
          "ResourceNotFoundException: Resource arn:aws:events:us-east-1:123456789012:rule/no does not exist." },
        { "a wrong token", RULE("ListRules"), "{\"NextToken\":\"x\"}", "ValidationException: NextToken must be the one that the page before gave." },
    };
    (void)fixture_call(f, RULE("PutRule"), "{\"Name\":\"known\",\"ScheduleExpression\":\"rate(1 day)\"}");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(f, rows[r].call, rows[r].body);
        if (rows[r].want != NULL) { CHECK_STR(rows[r].row, reply, str_from(rows[r].want)); }
        if (rows[r].want == NULL) { CHECK_EQ(rows[r].row, f->code, ERR_VALIDATION); }
    }
    fixture_check(f, "it has no target", RULE("ListTargetsByRule"), "{\"Rule\":\"known\"}", "{\"Targets\":[]}");
    fixture_check(f, "gone", RULE("DeleteRule"), "{\"Name\":\"known\"}", "{}");
}

static void test_rule(struct api_fixture *f)
{
    static const char none[] = "{\"FailedEntryCount\":0,\"FailedEntries\":[]}";
    struct str reply = fixture_call(f, RULE("PutRule"), "{\"Name\":\"nightly\",\"ScheduleExpression\":\"rate(1 hour)\",\"Description\":\"d\","
                                    "\"Tags\":[{\"Key\":\"a\",\"Value\":\"1\"}]}");
    CHECK_STR("its ARN", reply, STR("{\"RuleArn\":\"arn:aws:events:us-east-1:123456789012:rule/nightly\"}"));
    CHECK_EQ("without targets it is never due", due_ms(f), 0);
    fixture_check(f, "two targets", RULE("PutTargets"), "{\"Rule\":\"nightly\",\"Targets\":[{\"Id\":\"1\"," TARGET "},{\"Id\":\"2\"," TARGET
                  ",\"Input\":\"{\\\"containerOverrides\\\":[{\\\"name\\\":\\\"main\\\",\\\"command\\\":[\\\"a\\\"]}]}\"}]}", none);
    CHECK_EQ("its first time is an hour after it was made", due_ms(f), f->now_ms + HOUR_MS);
    fixture_check(f, "it is shown", RULE("DescribeRule"), "{\"Name\":\"nightly\",\"EventBusName\":\"default\"}",
                  "{\"Name\":\"nightly\",\"Arn\":\"arn:aws:events:us-east-1:123456789012:rule/nightly\",\"ScheduleExpression\":\"rate(1 hour)\","
                  "\"State\":\"ENABLED\",\"Description\":\"d\",\"EventBusName\":\"default\"}");
    fixture_check(f, "by its target", RULE("ListRuleNamesByTarget"), "{\"TargetArn\":\"" CLUSTER "\"}", "{\"RuleNames\":[\"nightly\"]}");
    fixture_check(f, "no other target", RULE("ListRuleNamesByTarget"), "{\"TargetArn\":\"arn:x\"}", "{\"RuleNames\":[]}");
    fixture_check(f, "it has targets", RULE("DeleteRule"), "{\"Name\":\"nightly\"}", "ValidationException: Rule can't be deleted since it has targets.");

    int64_t made_ms = f->now_ms;
    go_to(f, made_ms + HOUR_MS - 1);
    CHECK_EQ("not yet", live(f, "events-rule/nightly"), 0);
    go_to(f, made_ms + HOUR_MS);
    CHECK_EQ("both targets", live(f, "events-rule/nightly"), 2);
    struct str list = fixture_call(f, "ListTasks", started_by(f, "events-rule/nightly", "RUNNING"));
    struct str tasks = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\",\"%s\"]}", at(f, list, "taskArns[0]"), at(f, list, "taskArns[1]")));
    bool first_has = str_is_set(fixture_at(f, tasks, "tasks[0].overrides.containerOverrides[0].command"));
    CHECK("Input is the overrides of one of them", first_has != str_is_set(fixture_at(f, tasks, "tasks[1].overrides.containerOverrides[0].command")));

    fixture_check(f, "disabled", RULE("DisableRule"), "{\"Name\":\"nightly\"}", "{}");
    CHECK_EQ("it is not due", due_ms(f), 0);
    go_to(f, made_ms + 2 * HOUR_MS + MINUTE_MS);
    fixture_check(f, "enabled", RULE("EnableRule"), "{\"Name\":\"nightly\"}", "{}");
    CHECK_EQ("the rate counts on", due_ms(f), made_ms + 3 * HOUR_MS);
    (void)fixture_call(f, RULE("PutRule"), "{\"Name\":\"nightly\",\"ScheduleExpression\":\"rate(1 hour)\"}");
    CHECK_EQ("put again as it was, it counts on", due_ms(f), made_ms + 3 * HOUR_MS);
    (void)fixture_call(f, RULE("PutRule"), "{\"Name\":\"nightly\",\"ScheduleExpression\":\"rate(2 hours)\"}");
    CHECK_EQ("another rate counts from now", due_ms(f), f->now_ms + 2 * HOUR_MS);
    fixture_check(f, "its tags stay", RULE("ListTagsForResource"), "{\"ResourceARN\":\"arn:aws:events:us-east-1:123456789012:rule/nightly\"}",
                  "{\"Tags\":[{\"Key\":\"a\",\"Value\":\"1\"}]}");
    fixture_check(f, "tagged", RULE("TagResource"), "{\"ResourceARN\":\"arn:aws:events:us-east-1:123456789012:rule/nightly\","
                  "\"Tags\":[{\"Key\":\"a\",\"Value\":\"2\"},{\"Key\":\"b\",\"Value\":\"3\"}]}", "{}");
    fixture_check(f, "untagged", RULE("UntagResource"), "{\"ResourceARN\":\"arn:aws:events:us-east-1:123456789012:rule/nightly\",\"TagKeys\":[\"b\",\"c\"]}", "{}");
    fixture_check(f, "what stays", RULE("ListTagsForResource"), "{\"ResourceARN\":\"arn:aws:events:us-east-1:123456789012:rule/nightly\"}",
                  "{\"Tags\":[{\"Key\":\"a\",\"Value\":\"2\"}]}");
    fixture_check(f, "one goes", RULE("RemoveTargets"), "{\"Rule\":\"nightly\",\"Ids\":[\"1\",\"no\"]}", none);
    CHECK_EQ("the other stays", count_at(f, fixture_call(f, RULE("ListTargetsByRule"), "{\"Rule\":\"nightly\"}"), "Targets"), 1);
    fixture_check(f, "both are gone", RULE("RemoveTargets"), "{\"Rule\":\"nightly\",\"Ids\":[\"2\"]}", none);
    CHECK_EQ("it is not due", due_ms(f), 0);
    fixture_check(f, "deleted", RULE("DeleteRule"), "{\"Name\":\"nightly\"}", "{}");
    end_all(f, "events-rule/nightly");
}

static void test_lists(struct api_fixture *f)
{
    static const char *const names[] = { "b", "a", "ab", "c" };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        (void)fixture_call(f, RULE("PutRule"), text(f, "{\"Name\":\"%s\",\"ScheduleExpression\":\"rate(1 day)\"}", names[n]));
        create(f, names[n], "cron(0 0 * * ? 2199)", text(f, ",\"Target\":{" TARGET "},\"State\":\"%s\"", n == 0 ? "DISABLED" : "ENABLED"));
    }
    struct str reply = fixture_call(f, RULE("ListRules"), "{\"NamePrefix\":\"a\",\"Limit\":1}");
    CHECK_STR("the first with the prefix", fixture_at(f, reply, "Rules[0].Name"), STR("a"));
    reply = fixture_call(f, RULE("ListRules"), text(f, "{\"NamePrefix\":\"a\",\"Limit\":1,\"NextToken\":\"%s\"}", at(f, reply, "NextToken")));
    CHECK_STR("the second", fixture_at(f, reply, "Rules[0].Name"), STR("ab"));
    CHECK("is the last", !str_is_set(fixture_at(f, reply, "NextToken")));
    CHECK_EQ("all rules", count_at(f, fixture_call(f, RULE("ListRules"), "{}"), "Rules"), 4);
    reply = fixture_call(f, PLAN("ListSchedules"), "{\"State\":\"DISABLED\"}");
    CHECK_STR("the disabled schedule", fixture_at(f, reply, "Schedules[0].Name"), STR("b"));
    CHECK_STR("and its target", fixture_at(f, reply, "Schedules[0].Target.Arn"), STR(CLUSTER));
    CHECK_EQ("no other", count_at(f, reply, "Schedules"), 1);
    reply = fixture_call(f, PLAN("ListSchedules"), "{\"MaxResults\":3,\"ScheduleGroup\":\"default\"}");
    CHECK_EQ("a page", count_at(f, reply, "Schedules"), 3);
    reply = fixture_call(f, PLAN("ListSchedules"), text(f, "{\"NextToken\":\"%s\"}", at(f, reply, "NextToken")));
    CHECK_STR("the rest", fixture_at(f, reply, "Schedules[0].Name"), STR("c"));
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        fixture_check(f, names[n], RULE("DeleteRule"), text(f, "{\"Name\":\"%s\"}", names[n]), "{}");
        drop(f, names[n]);
    }
}

/* ---- a target as a request of RunTask ---- */

static void test_request(struct api_fixture *f)
{
    struct ecs_parameters ecs = {
        .task_definition_arn = STR("job:1"), .task_count = opt_int_of(3), .launch_type = STR("EC2"), .platform_version = STR("LATEST"), .group = STR("g"),
        .reference_id = STR("r"), .propagate_tags = STR("TASK_DEFINITION"), .managed_tags = OPT_TRUE, .execute_command = OPT_FALSE,
        .capacity_provider_strategy = STR("[{\"capacityProvider\":\"p\"}]"), .placement_constraints = STR("[]"), .placement_strategy = STR("[{}]"),
        .network_configuration = STR("{\"awsvpcConfiguration\":{\"Subnets\":[\"s\"],\"SecurityGroups\":[],\"AssignPublicIp\":\"DISABLED\",\"X\":1}}"),
        .tags = STR("[{\"Key\":\"a\",\"Value\":\"1\"},{\"key\":\"b\",\"value\":\"2\"},{\"c\":\"3\",\"d\":\"4\"},{\"Key\":\"berth:overlap\",\"Value\":\"allow\"}]"),
    };
    struct schedule_target target = { .arn = STR("arn:c"), .input = STR("{\"cpu\":\"1\"}"), .ecs = &ecs };
    struct kept_schedule rule = { .rule = OPT_TRUE, .name = STR("a-name-that-is-longer-than-the-field") };
    CHECK_STR("all members", schedules_run_task(&rule, &target, 2, &f->kept),
              STR("{\"cluster\":\"arn:c\",\"taskDefinition\":\"job:1\",\"count\":2,\"startedBy\":\"events-rule/a-name-that-is-longer-th\",\"launchType\":\"EC2\","
                  "\"platformVersion\":\"LATEST\",\"group\":\"g\",\"referenceId\":\"r\",\"propagateTags\":\"TASK_DEFINITION\",\"enableECSManagedTags\":true,"
                  "\"enableExecuteCommand\":false,\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\"}],\"placementConstraints\":[],\"placementStrategy\":[{}],"
                  "\"overrides\":{\"cpu\":\"1\"},\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"],\"securityGroups\":[],"
                  "\"assignPublicIp\":\"DISABLED\",\"X\":1}},\"tags\":[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"b\",\"value\":\"2\"},"
                  "{\"key\":\"c\",\"value\":\"3\"},{\"key\":\"d\",\"value\":\"4\"}]}"));
    ecs = (struct ecs_parameters){ .task_definition_arn = STR("job"), .tags = STR("7"), .network_configuration = STR("[1]") };
    target.input = STR("");
    CHECK_STR("few members, and what RunTask refuses", schedules_run_task(&(struct kept_schedule){ .name = STR("s") }, &target, 1, &f->kept),
              STR("{\"cluster\":\"arn:c\",\"taskDefinition\":\"job\",\"count\":1,\"startedBy\":\"chronos-schedule/s\",\"networkConfiguration\":[1],\"tags\":[]}"));
}

/* ---- schedules of EventBridge Scheduler ---- */

static void test_schedule_refusals(struct api_fixture *f)
{
    static const struct { const char *row, *members, *want; } rows[] = {
        { "no such zone", "\"ScheduleExpression\":\"rate(1 day)\",\"ScheduleExpressionTimezone\":\"Mars/Base\"," OFF ",\"Target\":{" TARGET "}",
          "ValidationException: The time zone Mars/Base is not among the zoneinfo files of Berth's machine." },
        { "no such field", "\"ScheduleExpression\":\"cron(0 0 * * * *)\"," OFF ",\"Target\":{" TARGET "}",
          "ValidationException: Exactly one of the day of the month and the day of the week must be ?." },
        { "no window", "\"ScheduleExpression\":\"rate(1 day)\",\"FlexibleTimeWindow\":{\"Mode\":\"FLEXIBLE\"},\"Target\":{" TARGET "}",
          "ValidationException: MaximumWindowInMinutes must be given with the Mode FLEXIBLE, and only then." },
        { "a window", "\"ScheduleExpression\":\"rate(1 day)\",\"FlexibleTimeWindow\":{\"Mode\":\"OFF\",\"MaximumWindowInMinutes\":5},\"Target\":{" TARGET "}",
          "ValidationException: MaximumWindowInMinutes must be given with the Mode FLEXIBLE, and only then." },
        { "ends before it starts", "\"ScheduleExpression\":\"rate(1 day)\",\"StartDate\":1800000000,\"EndDate\":1800000000," OFF ",\"Target\":{" TARGET "}",
          "ValidationException: The StartDate must come before the EndDate." },
        { "another group", "\"ScheduleExpression\":\"rate(1 day)\",\"GroupName\":\"g\"," OFF ",\"Target\":{" TARGET "}",
          "ResourceNotFoundException: Schedule group g does not exist. Berth has one, default." },
        { "a key", "\"ScheduleExpression\":\"rate(1 day)\",\"KmsKeyArn\":\"arn:k\"," OFF ",\"Target\":{" TARGET "}",
          "ValidationException: Berth does not serve KmsKeyArn." },
        { "a queue", "\"ScheduleExpression\":\"rate(1 day)\"," OFF ",\"Target\":{\"Arn\":\"arn:aws:sqs:us-east-1:123456789012:q\"}",
          "ValidationException: Berth serves targets that run tasks: Arn must be the ARN of a cluster of ECS, and EcsParameters must be given." },
        { "no target", "\"ScheduleExpression\":\"rate(1 day)\"," OFF, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = fixture_call(f, PLAN("CreateSchedule"), text(f, "{\"Name\":\"s\",%s}", rows[r].members));
        if (rows[r].want != NULL) { CHECK_STR(rows[r].row, reply, str_from(rows[r].want)); }
        if (rows[r].want == NULL) { CHECK_EQ(rows[r].row, f->code, ERR_VALIDATION); }
    }
    fixture_check(f, "unknown", PLAN("GetSchedule"), "{\"Name\":\"no\"}", "ResourceNotFoundException: Schedule no does not exist.");
    fixture_check(f, "unknown, deleted", PLAN("DeleteSchedule"), "{\"Name\":\"no\"}", "ResourceNotFoundException: Schedule no does not exist.");
    (void)fixture_call(f, PLAN("UpdateSchedule"), "{\"Name\":\"no\",\"ScheduleExpression\":\"rate(1 day)\"," OFF ",\"Target\":{" TARGET "}}");
    CHECK_EQ("unknown, updated", f->code, ERR_RESOURCE_NOT_FOUND);
    fixture_check(f, "a group", PLAN("GetScheduleGroup"), "{\"Name\":\"no\"}", "ResourceNotFoundException: Schedule group no does not exist. Berth has one, default.");
    CHECK_STR("the group", fixture_at(f, fixture_call(f, PLAN("GetScheduleGroup"), "{\"Name\":\"default\"}"), "State"), STR("ACTIVE"));
    CHECK_EQ("all groups", count_at(f, fixture_call(f, PLAN("ListScheduleGroups"), "{}"), "ScheduleGroups"), 1);
    fixture_check(f, "its tags", PLAN("ListTagsForResource"), "{\"ResourceArn\":\"arn:aws:scheduler:us-east-1:123456789012:schedule-group/default\"}", "{\"Tags\":[]}");
}

static void test_schedule(struct api_fixture *f)
{
    static const char body[] = "{\"Name\":\"s\",\"ScheduleExpression\":\"rate(10 minutes)\",\"ClientToken\":\"t\"," OFF ",\"Target\":{" TARGET "}}";
    static const char arn[] = "{\"ScheduleArn\":\"arn:aws:scheduler:us-east-1:123456789012:schedule/default/s\"}";
    int64_t made_ms = f->now_ms;
    fixture_check(f, "made", PLAN("CreateSchedule"), body, arn);
    fixture_check(f, "the same call again", PLAN("CreateSchedule"), body, arn);
    (void)fixture_call(f, PLAN("CreateSchedule"), "{\"Name\":\"s\",\"ScheduleExpression\":\"rate(1 day)\",\"ClientToken\":\"u\"," OFF ",\"Target\":{" TARGET "}}");
    CHECK_EQ("another call", f->code, ERR_CONFLICT);
    fixture_check(f, "it is shown", PLAN("GetSchedule"), "{\"Name\":\"s\",\"GroupName\":\"default\"}",
                  "{\"Arn\":\"arn:aws:scheduler:us-east-1:123456789012:schedule/default/s\",\"GroupName\":\"default\",\"Name\":\"s\","
                  "\"ScheduleExpression\":\"rate(10 minutes)\",\"ScheduleExpressionTimezone\":\"UTC\",\"State\":\"ENABLED\",\"CreationDate\":1700003600.000,"
                  "\"LastModificationDate\":1700003600.000,\"Target\":{" TARGET "},\"FlexibleTimeWindow\":{\"Mode\":\"OFF\"},\"ActionAfterCompletion\":\"NONE\"}");
    CHECK_EQ("a rate begins at once", due_ms(f), made_ms);
    go_to(f, made_ms);
    CHECK_EQ("so it did", live(f, "chronos-schedule/s"), 1);
    go_to(f, made_ms + 10 * MINUTE_MS);
    CHECK_EQ("the task still runs", live(f, "chronos-schedule/s"), 1);
    CHECK_STR("the outcome says so", outcome(f, false, "s"), STR("skipped: a task of the run before still runs"));
    end_all(f, "chronos-schedule/s");
    go_to(f, made_ms + 20 * MINUTE_MS - 1);
    CHECK_EQ("a skipped time does not run later", live(f, "chronos-schedule/s"), 0);
    go_to(f, made_ms + 20 * MINUTE_MS);
    CHECK_EQ("the next time", live(f, "chronos-schedule/s"), 1);
    (void)fixture_call(f, PLAN("UpdateSchedule"), "{\"Name\":\"s\",\"ScheduleExpression\":\"rate(10 minutes)\"," OFF ",\"Target\":{\"Arn\":\"" CLUSTER "\","
                       "\"EcsParameters\":{\"TaskDefinitionArn\":\"job\",\"TaskCount\":2,\"Tags\":[{\"berth:overlap\":\"allow\"},{\"key\":\"team\",\"value\":\"ml\"}]}}}");
    CHECK_EQ("updated", f->code, ERR_NONE);
    go_to(f, made_ms + 30 * MINUTE_MS);
    CHECK_EQ("runs may overlap now", live(f, "chronos-schedule/s"), 3);
    struct str list = fixture_call(f, "ListTasks", started_by(f, "chronos-schedule/s", "RUNNING"));
    struct str tasks = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"],\"include\":[\"TAGS\"]}", at(f, list, "taskArns[2]")));
    CHECK_STR("Berth's own tag is no tag of the tasks", fixture_at(f, tasks, "tasks[0].tags"), STR("[{\"key\":\"team\",\"value\":\"ml\"}]"));
    end_all(f, "chronos-schedule/s");

    be_down_until(f, made_ms + 75 * MINUTE_MS);
    CHECK_EQ("down for four times, one run of two tasks", live(f, "chronos-schedule/s"), 2);
    CHECK_EQ("the next time is the next of the rate", due_ms(f), made_ms + 80 * MINUTE_MS);
    end_all(f, "chronos-schedule/s");
    drop(f, "s");
    CHECK_EQ("nothing is due", due_ms(f), 0);
}

/* Times that came while the server was down, on both sides of the age of an hour. Times are on 2024-01-01, and the day after for cron. */
static void test_missed(struct api_fixture *f)
{
    static const int64_t first_ms = INT64_C(1704067200000);
    static const struct { const char *row, *expression; int64_t late_s; bool runs; } rows[] = {
        { "once, an hour late", "at(2024-01-01T00:00:00)", 3600, true }, { "once, a second more", "at(2024-01-01T00:00:00)", 3601, false },
        { "daily, an hour after the second time", "cron(0 0 * * ? *)", 86400 + 3600, true },
        { "daily, a second more", "cron(0 0 * * ? *)", 86400 + 3601, false },
    };
    f->now_ms = first_ms - 1000;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        create(f, "missed", rows[r].expression, ",\"Target\":{" TARGET ",\"RetryPolicy\":{\"MaximumEventAgeInSeconds\":3600}}");
        CHECK_EQ(rows[r].row, due_ms(f), first_ms);
        be_down_until(f, first_ms + rows[r].late_s * 1000);
        CHECK_EQ(rows[r].row, live(f, "chronos-schedule/missed"), rows[r].runs);
        CHECK_EQ(rows[r].row, str_starts_with(outcome(f, false, "missed"), STR("missed: ")), !rows[r].runs);
        CHECK_EQ(rows[r].row, due_ms(f), r < 2 ? 0 : first_ms + INT64_C(2) * 86400000);
        end_all(f, "chronos-schedule/missed");
        drop(f, "missed");
        f->now_ms = first_ms - 1000;
    }
    f->now_ms = FIXTURE_START_MS + 2 * HOUR_MS;
}

static void test_once(struct api_fixture *f)
{
    create(f, "once", "at(2023-12-01T02:30:00)", ",\"ScheduleExpressionTimezone\":\"Europe/Berlin\",\"ActionAfterCompletion\":\"DELETE\",\"Target\":{" TARGET "}");
    create(f, "kept", "at(2023-12-01T02:30:00)", ",\"ScheduleExpressionTimezone\":\"Europe/Berlin\",\"Target\":{" TARGET "}");
    go_to(f, INT64_C(1701394199999));
    CHECK_EQ("not yet", live(f, "chronos-schedule/once"), 0);
    go_to(f, INT64_C(1701394200000));
    CHECK_EQ("in the zone's time", live(f, "chronos-schedule/once"), 1);
    (void)fixture_call(f, PLAN("GetSchedule"), "{\"Name\":\"once\"}");
    CHECK_EQ("it is deleted after its run", f->code, ERR_RESOURCE_NOT_FOUND);
    (void)fixture_call(f, PLAN("GetSchedule"), "{\"Name\":\"kept\"}");
    CHECK_EQ("the other stays", f->code, ERR_NONE);
    drop(f, "kept");
    create(f, "window", "rate(1 hour)", text(f, ",\"StartDate\":%lld,\"EndDate\":%lld,\"Target\":{" TARGET "}", (long long)(f->now_ms / 1000 + 60),
                                             (long long)(f->now_ms / 1000 + 60 + 3600)));
    CHECK_EQ("it starts at StartDate", due_ms(f), f->now_ms + MINUTE_MS);
    go_to(f, f->now_ms + MINUTE_MS);
    CHECK_EQ("an hour later is EndDate", due_ms(f), f->now_ms + HOUR_MS);
    go_to(f, f->now_ms + HOUR_MS);
    CHECK_EQ("then it has no time", due_ms(f), 0);
    drop(f, "window");
}

/* ---- failures ---- */

static struct str shown(struct api_fixture *f, const char *path)
{
    struct buf text = buf_in(&f->kept);
    struct err err = { 0 };
    struct store_txn *txn = store_read_begin(f->store);
    struct op_ctx ctx = fixture_ctx(f, txn, &f->kept, OP_READ);
    bool good = api_print_schedules(&ctx, false, (struct str){ NULL, 0 }, &text, &err);
    CHECK("they are shown", store_read_end(txn) && good);
    return fixture_at(f, buf_str(&text), path);
}

static void test_retries(struct api_fixture *f)
{
    create(f, "r", "at(2024-06-01T00:00:00)", ",\"Target\":{\"Arn\":\"" CLUSTER "\",\"EcsParameters\":{\"TaskDefinitionArn\":\"later\",\"TaskCount\":2},"
           "\"RetryPolicy\":{\"MaximumRetryAttempts\":2}}");
    int64_t at_ms = due_ms(f);
    go_to(f, at_ms);
    CHECK_EQ("the second attempt is a second later", due_ms(f), at_ms + 1000);
    CHECK_STR("why", outcome(f, false, "r"),
              STR("2 of 2 tasks are not started, after 1 attempts, which go on: ClientException: TaskDefinition not found."));
    go_to(f, at_ms + 1000);
    CHECK_EQ("the third is two seconds later", due_ms(f), at_ms + 3000);
    go_to(f, at_ms + 3000);
    CHECK_EQ("it was the last", due_ms(f), 0);
    CHECK("the outcome says so", str_contains(outcome(f, false, "r"), STR("after 3 attempts, the last one: ")));
    CHECK_STR("the lost run is shown", shown(f, "schedules[0].runs[0].lost"), arena_printf(&f->kept, "%lld", (long long)at_ms + 3000));
    (void)fixture_call(f, PLAN("UpdateSchedule"), "{\"Name\":\"r\",\"ScheduleExpression\":\"rate(1 hour)\"," OFF ",\"Target\":{" TARGET "}}");
    go_to(f, f->now_ms + 1);
    CHECK_STR("a good run", shown(f, "schedules[0].runs[0].outcome"), STR("started 1 tasks"));
    CHECK_STR("does not hide it", shown(f, "schedules[0].runs[0].lost"), arena_printf(&f->kept, "%lld", (long long)at_ms + 3000));
    CHECK_STR("the next time", shown(f, "schedules[0].next"), arena_printf(&f->kept, "%lld", (long long)at_ms + 3000 + HOUR_MS));
    end_all(f, "chronos-schedule/r");
    drop(f, "r");

    create(f, "r", "at(2024-07-01T00:00:00)", ",\"Target\":{\"Arn\":\"" CLUSTER "\",\"EcsParameters\":{\"TaskDefinitionArn\":\"half\",\"TaskCount\":2}}");
    define(f, "half", ",\"cpu\":2500", "");
    at_ms = due_ms(f);
    go_to(f, at_ms);
    CHECK_EQ("there is room for one", live(f, "chronos-schedule/r"), 1);
    struct str list = fixture_call(f, "ListTasks", started_by(f, "chronos-schedule/r", "RUNNING"));
    report_end(f, at(f, list, "taskArns[0]"));
    go_to(f, at_ms + 1000);
    CHECK_EQ("then for the other", live(f, "chronos-schedule/r"), 1);
    CHECK_STR("both were started", outcome(f, false, "r"), STR("started 2 tasks"));
    end_all(f, "chronos-schedule/r");
    drop(f, "r");

    create(f, "old", "at(2024-08-01T00:00:00)", ",\"Target\":{\"Arn\":\"" CLUSTER "\",\"EcsParameters\":{\"TaskDefinitionArn\":\"later\"},"
           "\"RetryPolicy\":{\"MaximumEventAgeInSeconds\":60}}");
    at_ms = due_ms(f);
    go_to(f, at_ms + 30999);
    CHECK_EQ("after 1, 2, 4, 8 and 16 seconds", due_ms(f), at_ms + 31000);
    go_to(f, at_ms + 31000);
    CHECK_EQ("after 32 it would be too old", due_ms(f), 0);
    CHECK("the outcome says so", str_contains(outcome(f, false, "old"), STR("after 6 attempts, the last one: ")));
    drop(f, "old");
}

int main(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)machine_add(&f, "m", 0);
    define(&f, "job", "", "");
    test_rule_refusals(&f);
    test_rule(&f);
    test_lists(&f);
    test_request(&f);
    test_schedule_refusals(&f);
    f.now_ms = FIXTURE_START_MS + HOUR_MS;
    test_schedule(&f);
    test_missed(&f);
    test_once(&f);
    test_retries(&f);
    fixture_close(&f);
    return check_report();
}
