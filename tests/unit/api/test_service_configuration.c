/* deploymentConfiguration of a service: defaults, merging, and each limit from both sides. */
#include "tests/unit/api/service_bodies.h"

static const struct deployment_configuration *read(struct bench *bench, const char *text)
{
    return bench_read(bench, &deployment_configuration_schema, text);
}

#define TAIL "\"alarms\":{\"alarmNames\":[],\"rollback\":false,\"enable\":false}"
#define OFF  "{\"deploymentCircuitBreaker\":{\"enable\":false,\"rollback\":false},"
#define ON   "{\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":true,\"resetOnHealthyTask\":true,\"thresholdConfiguration\":" \
    "{\"type\":\"BOUNDED_PERCENT\",\"value\":50}},"
#define PERCENTS(max, min) "\"maximumPercent\":" max ",\"minimumHealthyPercent\":" min ","
#define BREAKER "{\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":true}}"

static void test_merging(void)
{
    static const struct { const char *name; enum scheduling_strategy scheduling; const char *base, *given, *want; } rows[] = {
        { "a replica", SCHEDULING_STRATEGY_REPLICA, NULL, NULL, OFF PERCENTS("200", "100") TAIL ",\"strategy\":\"ROLLING\",\"bakeTimeInMinutes\":0}" },
        { "a daemon", SCHEDULING_STRATEGY_DAEMON, NULL, "{}", OFF PERCENTS("100", "0") TAIL ",\"strategy\":\"ROLLING\",\"bakeTimeInMinutes\":0}" },
        { "a breaker", SCHEDULING_STRATEGY_REPLICA, NULL, BREAKER, ON PERCENTS("200", "100") TAIL ",\"strategy\":\"ROLLING\",\"bakeTimeInMinutes\":0}" },
        { "it stays", SCHEDULING_STRATEGY_REPLICA, BREAKER, "{\"maximumPercent\":150}", ON PERCENTS("150", "100") TAIL ",\"strategy\":\"ROLLING\",\"bakeTimeInMinutes\":0}" },
        { "it goes", SCHEDULING_STRATEGY_REPLICA, BREAKER, "{\"deploymentCircuitBreaker\":{\"enable\":false,\"rollback\":false}}",
          OFF PERCENTS("200", "100") TAIL ",\"strategy\":\"ROLLING\",\"bakeTimeInMinutes\":0}" },
        { "of another strategy", SCHEDULING_STRATEGY_REPLICA, NULL, "{\"linearConfiguration\":{\"stepPercent\":20},\"canaryConfiguration\":{\"canaryPercent\":20}}",
          OFF PERCENTS("200", "100") TAIL ",\"strategy\":\"ROLLING\",\"bakeTimeInMinutes\":0}" },
        { "linear", SCHEDULING_STRATEGY_REPLICA, NULL, "{\"strategy\":\"LINEAR\"}", OFF PERCENTS("200", "100") TAIL
          ",\"strategy\":\"LINEAR\",\"bakeTimeInMinutes\":0,\"linearConfiguration\":{\"stepPercent\":10.0,\"stepBakeTimeInMinutes\":6}}" },
        { "canary", SCHEDULING_STRATEGY_REPLICA, NULL, "{\"strategy\":\"CANARY\",\"canaryConfiguration\":{\"canaryPercent\":0.5}}", OFF PERCENTS("200", "100") TAIL
          ",\"strategy\":\"CANARY\",\"bakeTimeInMinutes\":0,\"canaryConfiguration\":{\"canaryPercent\":0.5,\"canaryBakeTimeInMinutes\":10}}" },
        { "blue and green", SCHEDULING_STRATEGY_REPLICA, NULL, "{\"strategy\":\"BLUE_GREEN\"}", OFF PERCENTS("200", "100") TAIL ",\"strategy\":\"BLUE_GREEN\"}" },
        { "back to rolling", SCHEDULING_STRATEGY_REPLICA, "{\"strategy\":\"LINEAR\",\"linearConfiguration\":{\"stepPercent\":20}}", "{\"strategy\":\"ROLLING\"}",
          OFF PERCENTS("200", "100") TAIL ",\"strategy\":\"ROLLING\",\"bakeTimeInMinutes\":0}" },
    };
    struct bench bench;
    bench_open(&bench);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct deployment_configuration *base = rows[r].base == NULL ? NULL
            : service_configure(NULL, read(&bench, rows[r].base), rows[r].scheduling, &bench.arena);
        struct deployment_configuration *whole =
            service_configure(base, rows[r].given == NULL ? NULL : read(&bench, rows[r].given), rows[r].scheduling, &bench.arena);
        CHECK_STR(rows[r].name, bench_json(&bench, &deployment_configuration_schema, whole), str_from(rows[r].want));
    }
    arena_finish(&bench.arena);
}

struct row { const char *name, *given, *want; };             /* want NULL: accepted */

static void run_rows(enum scheduling_strategy scheduling, const struct row *rows, size_t count)
{
    struct bench bench;
    bench_open(&bench);
    for (size_t r = 0; r < count; r++) {
        struct err err = { 0 };
        struct deployment_configuration *whole = service_configure(NULL, read(&bench, rows[r].given), scheduling, &bench.arena);
        bool good = service_check_configuration(whole, DEPLOYMENT_CONTROLLER_TYPE_ECS, scheduling, &err);
        CHECK_STR(rows[r].name, bench_result(&bench, good, &err), rows[r].want == NULL ? STR("accepted") : str_from(rows[r].want));
    }
    arena_finish(&bench.arena);
}

#define BOTH INVALID "Both maximumPercent and minimumHealthyPercent cannot be 100 as this will block deployments."
#define SHARE(member, least) INVALID member " must be between " least " and 100.0, in steps of 0.1."
#define THRESHOLD(type, value) "{\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":false,\"thresholdConfiguration\":{\"type\":\"" type "\",\"value\":" value "}}}"
#define LINEAR(percent) "{\"strategy\":\"LINEAR\",\"linearConfiguration\":{\"stepPercent\":" percent "}}"
#define TEN(item) item "," item "," item "," item "," item "," item "," item "," item "," item "," item
#define HUNDRED TEN(TEN("\"a\""))
#define ALARM_NAMES(names) "{\"alarms\":{\"alarmNames\":[" names "],\"enable\":true,\"rollback\":true}}"
#define CANARY(percent) "{\"strategy\":\"CANARY\",\"canaryConfiguration\":{\"canaryPercent\":" percent "}}"

static void test_replica(void)
{
    static const struct row rows[] = {
        { "100 of 100", "{\"maximumPercent\":100}", BOTH },
        { "99 of 100", "{\"maximumPercent\":100,\"minimumHealthyPercent\":99}", NULL },
        { "100 of 101", "{\"maximumPercent\":101}", NULL },
        { "more than the most", "{\"maximumPercent\":99,\"minimumHealthyPercent\":100}", INVALID "minimumHealthyPercent (100) must not be above maximumPercent (99)." },
        { "as much as the most", "{\"maximumPercent\":99,\"minimumHealthyPercent\":99}", NULL },
        { "more than all", "{\"maximumPercent\":200,\"minimumHealthyPercent\":200}", NULL },
        { "more than more than all", "{\"maximumPercent\":200,\"minimumHealthyPercent\":201}",
          INVALID "minimumHealthyPercent (201) must not be above maximumPercent (200)." },
        { "the greatest", "{\"maximumPercent\":10000}", NULL },
        { "above it", "{\"maximumPercent\":10001}", INVALID "maximumPercent must be between 0 and 10000, but was 10001." },
        { "100 percent of failures", THRESHOLD("BOUNDED_PERCENT", "100"), NULL },
        { "101", THRESHOLD("BOUNDED_PERCENT", "101"), INVALID "The value of thresholdConfiguration must be between 1 and 100 for BOUNDED_PERCENT, but was 101." },
        { "101, unbounded", THRESHOLD("UNBOUNDED_PERCENT", "101"),
          INVALID "The value of thresholdConfiguration must be between 1 and 100 for UNBOUNDED_PERCENT, but was 101." },
        { "101 failures", THRESHOLD("COUNT", "101"), NULL },
        { "alarms", "{\"alarms\":{\"alarmNames\":[\"a\"],\"enable\":true,\"rollback\":true}}", NULL },
        { "100 alarms", ALARM_NAMES(HUNDRED), NULL },
        { "101 alarms", ALARM_NAMES(HUNDRED ",\"a\""), INVALID "A deployment can have at most 100 alarmNames." },
        { "blue and green", "{\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":0}", NULL },
        { "without a bake time", "{\"strategy\":\"BLUE_GREEN\"}", INVALID "bakeTimeInMinutes is required with the deployment strategy BLUE_GREEN." },
        { "the least step", LINEAR("3.0"), NULL },
        { "a step of tenths", LINEAR("33.3"), NULL },
        { "the greatest step", LINEAR("100"), NULL },
        { "a step of hundredths", LINEAR("33.33"), SHARE("linearConfiguration.stepPercent", "3.0") },
        { "the least canary", CANARY("0.1"), NULL },
        { "less", CANARY("0.0"), SHARE("canaryConfiguration.canaryPercent", "0.1") },
        { "a canary of hundredths", CANARY("0.25"), SHARE("canaryConfiguration.canaryPercent", "0.1") },
    };
    run_rows(SCHEDULING_STRATEGY_REPLICA, rows, COUNT_OF(rows));
}

static void test_daemon(void)
{
    static const struct row rows[] = {
        { "nothing", "{}", NULL },
        { "99 of 100", "{\"minimumHealthyPercent\":99}", NULL },
        { "100 of 100", "{\"minimumHealthyPercent\":100}", BOTH },
        { "101", "{\"maximumPercent\":101}", INVALID "The daemon scheduling strategy does not support values above 100 for maximumPercent on a deployment "
          "configuration. Change the maximumPercent value to 100, and try again" },
        { "blue and green", "{\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":0}",
          INVALID "The deployment strategy BLUE_GREEN is only supported with the ECS deployment controller and the REPLICA scheduling strategy." },
    };
    run_rows(SCHEDULING_STRATEGY_DAEMON, rows, COUNT_OF(rows));
}

#define HOOKS(items) "{\"lifecycleHooks\":[" items "]}"
#define HTTP  "{\"hookTargetArn\":\"https://h\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]}"
#define PAUSE "{\"targetType\":\"PAUSE\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]}"
#define FIVE(item) item "," item "," item "," item "," item
#define NO_STAGE INVALID "Invalid lifecycle stage provided for Pause Hook"
#define LIMIT INVALID "A service can have at most 10 lifecycle hooks of each targetType."
#define NO_URL(member) INVALID member ": the address needs a host, and has at most 2048 characters, all of them printable ASCII without blanks."
#define AT(url) HOOKS("{\"hookTargetArn\":\"" url "\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]}")
#define NO_FUNCTION UNSUPPORTED "Berth calls no Lambda functions. It calls lifecycle hooks over HTTP: give an address that begins with http:// or https:// as " \
    "hookTargetArn. The targetType PAUSE is available, too."
#define NO_TARGET INVALID "A lifecycle hook with the targetType PAUSE takes no hookTargetArn and no roleArn."

static void test_hooks(void)
{
    static const struct row rows[] = {
        { "ten of each", HOOKS(FIVE(HTTP) "," FIVE(PAUSE) "," FIVE(HTTP) "," FIVE(PAUSE)), NULL },
        { "ten pauses", HOOKS(FIVE(PAUSE) "," FIVE(PAUSE)), NULL },
        { "eleven calls", HOOKS(FIVE(HTTP) "," FIVE(HTTP) "," HTTP), LIMIT },
        { "eleven pauses", HOOKS(FIVE(PAUSE) "," FIVE(PAUSE) "," PAUSE), LIMIT },
        { "no stage", HOOKS("{\"hookTargetArn\":\"https://h\"}"), INVALID "A lifecycle hook needs lifecycleStages." },
        { "no target", HOOKS("{\"lifecycleStages\":[\"PRE_SCALE_UP\"]}"), INVALID "A lifecycle hook needs a hookTargetArn." },
        { "plain HTTP", HOOKS("{\"hookTargetArn\":\"http://h\",\"lifecycleStages\":[\"TEST_TRAFFIC_SHIFT\"]}"), NULL },
        { "a function", HOOKS("{\"targetType\":\"AWS_LAMBDA\",\"hookTargetArn\":\"arn:aws:lambda:r:1:function:f\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]}"),
          NO_FUNCTION },
        { "another scheme", AT("ftp://h"), NO_FUNCTION },
        { "a port and a path", AT("http://h:1/p?q=1"), NULL },
        { "no host", AT("http://"), NO_URL("hookTargetArn") },
        { "a path alone", AT("https:///p"), NO_URL("hookTargetArn") },
        { "a blank", AT("http://h/ p"), NO_URL("hookTargetArn") },
        { "a letter beyond ASCII", AT("http://h/\\u00e9"), NO_URL("hookTargetArn") },
        { "a control character", AT("http://h/\\u007f"), NO_URL("hookTargetArn") },
        { "a role", HOOKS("{\"hookTargetArn\":\"https://h\",\"roleArn\":\"r\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]}"), NULL },
        { "an alarm's address", "{\"alarms\":{\"alarmNames\":[\"a\",\"http://h/x\"],\"enable\":true,\"rollback\":true}}", NULL },
        { "an alarm's address without a host", "{\"alarms\":{\"alarmNames\":[\"a\",\"http:///x\"],\"enable\":true,\"rollback\":true}}", NO_URL("alarmNames") },
        { "a day", HOOKS("{\"hookTargetArn\":\"https://h\",\"lifecycleStages\":[\"PRE_SCALE_UP\"],\"timeoutConfiguration\":{\"timeoutInMinutes\":1440}}"), NULL },
        { "a minute more", HOOKS("{\"hookTargetArn\":\"https://h\",\"lifecycleStages\":[\"PRE_SCALE_UP\"],\"timeoutConfiguration\":{\"timeoutInMinutes\":1441}}"),
          INVALID "timeoutInMinutes must be between 1 and 1440, except for a hook with the targetType PAUSE." },
        { "a pause of two weeks", HOOKS("{\"targetType\":\"PAUSE\",\"lifecycleStages\":[\"PRE_SCALE_UP\"],\"timeoutConfiguration\":{\"timeoutInMinutes\":20160}}"), NULL },
        { "a pause with a target", HOOKS("{\"targetType\":\"PAUSE\",\"hookTargetArn\":\"https://h\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]}"), NO_TARGET },
        { "a pause with a role", HOOKS("{\"targetType\":\"PAUSE\",\"roleArn\":\"r\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]}"), NO_TARGET },
        { "a pause in a shift", HOOKS("{\"targetType\":\"PAUSE\",\"lifecycleStages\":[\"PRE_SCALE_UP\",\"TEST_TRAFFIC_SHIFT\"]}"), NO_STAGE },
        { "a pause in production's", HOOKS("{\"targetType\":\"PAUSE\",\"lifecycleStages\":[\"PRODUCTION_TRAFFIC_SHIFT\"]}"), NO_STAGE },
    };
    run_rows(SCHEDULING_STRATEGY_REPLICA, rows, COUNT_OF(rows));
}

int main(void)
{
    test_merging();
    test_replica();
    test_daemon();
    test_hooks();
    return check_report();
}
