/* test_checks.c: what counts as good, from which result on a target's state is another, the words of it, and the messages. */
#include "wire/checks.h"

#include "base/buf.h"
#include "tests/unit/check.h"

static struct arena arena;

static void test_matchers(void)
{
    static const struct { const char *matcher; int64_t code; bool valid, fits; } rows[] = {
        { "200", 200, true, true },       { "200", 199, true, false },      { "200", 201, true, false },
        { "200,302", 302, true, true },   { "200,302", 301, true, false },  { "200-299", 200, true, true },
        { "200-299", 299, true, true },   { "200-299", 300, true, false },  { "200-299", 199, true, false },
        { "200-201,404", 404, true, true }, { "0-99", 12, true, true },     { "999", 999, true, true },
        { "1000", 1000, false, false },   { "", 200, false, false },        { "200,", 200, false, false },
        { ",200", 200, false, false },    { "299-200", 250, false, false }, { "200-", 200, false, false },
        { "-200", 200, false, false },    { "2xx", 200, false, false },     { "200-1000", 200, false, false },
        { "200-210-220", 205, false, false }, { "200 ", 200, false, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].matcher, matcher_is_valid(str_from(rows[r].matcher)), rows[r].valid);
        CHECK_EQ(rows[r].matcher, matcher_fits(str_from(rows[r].matcher), rows[r].code), rows[r].fits);
    }
}

/* Results in their order, g good and b bad; the state after each of them: u unset, i initial, h healthy, x unhealthy. */
static void test_thresholds(void)
{
    static const struct { const char *row; int64_t healthy, unhealthy; const char *results, *states; } rows[] = {
        { "one is enough at first",           5, 2, "g",          "h" },
        { "a bad one before it",              5, 2, "bg",         "ih" },
        { "bad ones below the threshold",     5, 3, "bbg",        "iih" },
        { "as many as the threshold",         5, 3, "bbb",        "iix" },
        { "a threshold of one",               1, 1, "bgb",        "xhx" },
        { "healthy: one less is nothing",     2, 3, "gbbgbb",     "hhhhhh" },
        { "healthy: the threshold in a row",  2, 3, "gbbb",       "hhhx" },
        { "unhealthy: one less is nothing",   3, 2, "bbggbgg",    "ixxxxxx" },
        { "unhealthy: the threshold in a row", 3, 2, "bbggg",     "ixxxh" },
        { "there and back",                   2, 2, "gbbggbb",    "hhxxhhx" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct check_progress progress = { .state = TARGET_STATE_UNSET };
        char states[16] = "";
        for (size_t i = 0; rows[r].results[i] != '\0'; i++) {
            enum target_state before = progress.state;
            bool good = rows[r].results[i] == 'g';
            bool changed = check_take(&progress, rows[r].healthy, rows[r].unhealthy, (struct check_result){ good ? CHECK_GOOD : CHECK_FAILED, 0 });
            CHECK_EQ(rows[r].row, changed, progress.state != before);
            states[i] = "uihx"[progress.state];
        }
        CHECK_STR(rows[r].row, str_from(states), str_from(rows[r].states));
    }
}

static void test_words(void)
{
    static const struct { enum target_state state; struct check_result result; const char *reason, *description; } rows[] = {
        { TARGET_HEALTHY,   { CHECK_GOOD, 0 },    "", "" },
        { TARGET_INITIAL,   { CHECK_FAILED, 0 },  "Elb.InitialHealthChecking", "Initial health checks in progress" },
        { TARGET_UNHEALTHY, { CHECK_CODE, 502 },  "Target.ResponseCodeMismatch", "Health checks failed with these codes: [502]" },
        { TARGET_UNHEALTHY, { CHECK_TIMEOUT, 0 }, "Target.Timeout", "Request timed out" },
        { TARGET_UNHEALTHY, { CHECK_FAILED, 0 },  "Target.FailedHealthChecks", "Health checks failed" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reason, description;
        check_words(rows[r].state, rows[r].result, &reason, &description, &arena);
        CHECK_STR("reason", reason, str_from(rows[r].reason));
        CHECK_STR("description", description, str_from(rows[r].description));
    }
}

static struct str print(const struct schema *schema, const void *message)
{
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    schema_print(schema, message, &out);
    return buf_str(&text);
}

static void test_check_of(void)
{
    struct elb_matcher matcher = { .http_code = STR("200-299") };
    struct kept_target target = { .group = STR("tg"), .name = STR("i-1"), .port = 32768, .address = STR("10.0.0.1"), .registration = 7 };
    struct target_group group = { .name = STR("tg") };
    struct target_check check = check_of(&group, &target);
    CHECK("where", str_eq(check.address, STR("10.0.0.1")) && check.check_port.value == 32768 && str_eq(check.name, STR("i-1")));
    CHECK("ELB's defaults", check.protocol == ELB_PROTOCOL_HTTP && check.version == CHECK_HTTP1 && str_eq(check.path, STR("/")) && str_eq(check.matcher, STR("200"))
          && check.interval.value == 30 && check.timeout.value == 5 && check.healthy.value == 5 && check.unhealthy.value == 2);
    group.health_check_port = STR("traffic-port");
    CHECK_EQ("traffic-port", check_of(&group, &target).check_port.value, 32768);
    group = (struct target_group){
        .name = STR("tg"), .health_check_protocol = ELB_PROTOCOL_HTTPS, .health_check_port = STR("8443"), .health_check_path = STR("/up"), .matcher = &matcher,
        .health_check_interval_seconds = opt_int_of(6), .health_check_timeout_seconds = opt_int_of(3), .healthy_threshold_count = opt_int_of(2),
        .unhealthy_threshold_count = opt_int_of(4), .protocol_version = STR("HTTP2"),
    };
    check = check_of(&group, &target);
    CHECK("all of it", check.protocol == ELB_PROTOCOL_HTTPS && check.version == CHECK_HTTP2 && str_eq(check.path, STR("/up")) && check.check_port.value == 8443
          && str_eq(check.matcher, STR("200-299")) && check.interval.value == 6 && check.timeout.value == 3 && check.healthy.value == 2 && check.unhealthy.value == 4);
    group.protocol_version = STR("GRPC");
    CHECK("gRPC, by HTTP's code", check_of(&group, &target).version == CHECK_GRPC && str_eq(check_of(&group, &target).matcher, STR("200-299")));
}

static void test_messages(void)
{
    struct kept_target target = { .group = STR("tg"), .name = STR("i-1"), .port = 1, .address = STR("10.0.0.1"), .registration = 7 };
    struct target_check check = check_of(&(struct target_group){ .name = STR("tg") }, &target);
    const struct wire_checks told = { .message_id = STR("m1"), .number = opt_int_of(checks_number(3)), .checks = { &check, 1 } };
    struct err err = { 0 };
    struct wire_checks back;
    struct str text = print(&wire_checks_schema, &told);
    CHECK("read", schema_decode(&wire_checks_schema, json_parse(text, &arena, &err), &back, &arena, ERR_INVALID_PARAMETER, &err));
    CHECK_STR("the same again", print(&wire_checks_schema, &back), text);
    CHECK_EQ("its number", back.number.value, (int64_t)3 << 20);
    const struct wire_checks none = { .message_id = STR("m1"), .number = opt_int_of(1) };
    text = print(&wire_checks_schema, &none);
    CHECK("an empty list", schema_decode(&wire_checks_schema, json_parse(text, &arena, &err), &back, &arena, ERR_INVALID_PARAMETER, &err));
    CHECK_EQ("is empty", back.checks.count, 0);

    static const char good[] = "{\"containerInstance\":\"i\",\"targets\":[{\"group\":\"tg\",\"name\":\"i-1\",\"port\":1,\"registration\":7,\"number\":1,"
                               "\"state\":\"unhealthy\",\"from\":\"healthy\",\"cause\":\"code\",\"code\":999}]}";
    static const struct { const char *row, *part, *instead; bool good; } rows[] = {
        { "as it is",          "", "", true },                               { "a code too high",  "999", "1000", false },
        { "a port too high",   "\"port\":1", "\"port\":65536", false },     { "the last port",    "\"port\":1", "\"port\":65535", true },
        { "no port",           "\"port\":1", "\"port\":0", false },         { "a state unknown",  "unhealthy", "ill", false },
        { "a cause unknown",   "\"cause\":\"code\"", "\"cause\":\"bad\"", false }, { "no number", "\"number\":1", "\"number\":0", false },
        { "no name",           "i-1", "", false },                           { "the first state",  "\"from\":\"healthy\",", "", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct checks_report report;
        const char *at = strstr(good, rows[r].part);
        struct str body = arena_printf(&arena, "%.*s%s%s", (int)(at - good), good, rows[r].instead, at + strlen(rows[r].part));
        err = (struct err){ 0 };
        const struct json *json = json_parse(body, &arena, &err);
        CHECK_EQ(rows[r].row, schema_decode(&checks_report_schema, json, &report, &arena, ERR_INVALID_PARAMETER, &err), rows[r].good);
    }
}

int main(void)
{
    arena_init(&arena, 1 << 24);
    test_matchers();
    test_thresholds();
    test_words();
    test_check_of();
    test_messages();
    arena_finish(&arena);
    return check_report();
}
