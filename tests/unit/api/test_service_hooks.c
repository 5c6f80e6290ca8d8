/* test_service_hooks.c: calls over HTTP of a rollout: which are named, with which bodies, and what their ends change. A receiver of the test answers. */
#include "tests/unit/api/service_rollouts.h"

/* ---- a receiver ---- */

/* How the calls of a stage, or of an address, end, one after the other; after the last one and elsewhere with S. S, F, P: SUCCEEDED, FAILED, IN_PROGRESS for
 * a second, with {"n":1}; G: 200 without a body, B: 503, '-': no answer, X: the call is lost. */
struct script { const char *of, *ends; size_t used; };

struct receiver { struct script scripts[3]; struct buf log; struct str last_key; int64_t last_number; };

static struct service_called end_of(char end)
{
    switch (end) {
    case 'S': return (struct service_called){ .http_status = 200, .reply = STR("{\"hookStatus\":\"SUCCEEDED\"}") };
    case 'F': return (struct service_called){ .http_status = 200, .reply = STR("{\"hookStatus\":\"FAILED\"}") };
    case 'P': return (struct service_called){ .http_status = 200, .reply = STR("{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":1,\"hookDetails\":{\"n\":1}}") };
    case 'G': return (struct service_called){ .http_status = 200 };
    case 'B': return (struct service_called){ .http_status = 503 };
    default:  return (struct service_called){ .problem = STR("no route") };
    }
}

static void submit(struct api_fixture *f, struct service_called called)
{
    struct api_call call;
    api_prepare_service_called(&called, &f->kept, &call);
    fixture_internal(f, &call);
}

/* The part of green of a map of weights; empty: the map is. */
static const char *weight(struct api_fixture *f, const struct service_call *call, const char *which, const char *name)
{
    const char *target = at(f, call->body, "executionDetails.targetServiceRevisionArn");
    struct str map = fixture_at(f, call->body, text(f, "executionDetails.%s", which));
    struct err err = { 0 };
    const struct json *json = json_parse(map, &f->kept, &err);
    if (json == NULL || json->count == 0) { return ""; }
    int64_t sum = 0;
    for (size_t m = 0; m < json->count; m++) { sum += json->as.members[m].value.as.integer; }
    CHECK_EQ("the weights of both", json->count, 2);
    CHECK_EQ("the weights of both", sum, 100);
    return text(f, "(%s %lld)", name, (long long)json_get_i64(json, str_from(target), -1));
}

static void receive(struct api_fixture *f, struct receiver *receiver, const struct service_call *call)
{
    bool is_hook = call->body.ptr != NULL;
    const char *of = is_hook ? at(f, call->body, "lifecycleStage") : arena_cstr(&f->kept, call->url);
    char end = is_hook ? 'S' : 'G';
    for (size_t s = 0; s < COUNT_OF(receiver->scripts); s++) {
        struct script *script = &receiver->scripts[s];
        if (script->of != NULL && strcmp(script->of, of) == 0 && script->used < strlen(script->ends)) { end = script->ends[script->used++]; }
    }
    buf_printf(&receiver->log, "%s%s:%c", receiver->log.len == 0 ? "" : " ", of, end);
    if (is_hook) {
        buf_printf(&receiver->log, "%s%s", weight(f, call, "testTrafficWeights", "test"), weight(f, call, "productionTrafficWeights", "production"));
        CHECK_STR("the execution", str_from(at(f, call->body, "executionId")), call->key);
        CHECK_STR("the address", call->url, STR("http://h/hook"));
        CHECK("the arn", strstr(at(f, call->body, "resourceArn"), ":service-deployment/default/web/") != NULL);
        CHECK("the arn", strstr(at(f, call->body, "executionDetails.serviceArn"), ":service/default/web") != NULL);
        CHECK_EQ("its time", call->timeout_ms, 30000);
    }
    struct service_called called = end_of(end);
    called.service = call->service;
    called.number = call->number;
    called.key = call->key;
    if (end != 'X') { submit(f, called); }
}

/* The calls that were named since the last time, each once. */
static bool answer_all(struct api_fixture *f, struct receiver *receiver)
{
    const struct service_call *calls[16];
    size_t count = 0;
    for (const struct service_call *call = f->calls; call != NULL; call = call->next) {
        ASSERT(count < COUNT_OF(calls));
        calls[count++] = call;
    }
    f->calls = NULL;
    for (size_t c = count; c-- > 0;) { receive(f, receiver, calls[c]); }
    return count > 0;
}

static void play(struct api_fixture *f, struct receiver *receiver, int64_t seconds)
{
    int64_t end_ms = f->now_ms + seconds * SECOND_MS;
    for (;; f->now_ms += SECOND_MS) {
        do { settle(f); } while (answer_all(f, receiver));
        if (f->now_ms >= end_ms) { break; }
    }
}

/* ---- hooks ---- */

#define STAGES "\"PRE_SCALE_UP\",\"POST_SCALE_UP\",\"TEST_TRAFFIC_SHIFT\",\"POST_TEST_TRAFFIC_SHIFT\",\"PRE_PRODUCTION_TRAFFIC_SHIFT\"," \
    "\"PRODUCTION_TRAFFIC_SHIFT\",\"POST_PRODUCTION_TRAFFIC_SHIFT\""
#define HOOK(stages, more) ",\"lifecycleHooks\":[{\"hookTargetArn\":\"http://h/hook\",\"lifecycleStages\":[" stages "]" more "}]"
#define MINUTE(action) ",\"timeoutConfiguration\":{\"timeoutInMinutes\":1,\"action\":\"" action "\"}"
#define ROLLED_BACK(stage) "Service deployment rolled back because " stage " lifecycle hook(s) failed. "
#define TARGET "http://h/hook"

static void test_hooks(void)
{
    static const struct { const char *row, *members; struct script scripts[3]; const char *log, *status, *reason; } rows[] = {
        { "each stage", BLUE_GREEN(HOOK(STAGES, "")) TEST_RULE, { { 0 } },
          "PRE_SCALE_UP:S POST_SCALE_UP:S TEST_TRAFFIC_SHIFT:S(test 100) POST_TEST_TRAFFIC_SHIFT:S PRE_PRODUCTION_TRAFFIC_SHIFT:S(production 0) "
          "PRODUCTION_TRAFFIC_SHIFT:S(production 100) POST_PRODUCTION_TRAFFIC_SHIFT:S", "SUCCESSFUL", "(absent)" },
        { "each step", STRATEGY("\"strategy\":\"CANARY\",\"canaryConfiguration\":{\"canaryPercent\":10.0,\"canaryBakeTimeInMinutes\":1}"
                                HOOK("\"PRE_PRODUCTION_TRAFFIC_SHIFT\",\"PRODUCTION_TRAFFIC_SHIFT\"", "")), { { 0 } },
          "PRE_PRODUCTION_TRAFFIC_SHIFT:S(production 0) PRODUCTION_TRAFFIC_SHIFT:S(production 10) PRE_PRODUCTION_TRAFFIC_SHIFT:S(production 10) "
          "PRODUCTION_TRAFFIC_SHIFT:S(production 100)", "SUCCESSFUL", "(absent)" },
        { "later", BLUE_GREEN(HOOK("\"PRE_SCALE_UP\"", "")), { { "PRE_SCALE_UP", "PPS", 0 } }, "PRE_SCALE_UP:P PRE_SCALE_UP:P PRE_SCALE_UP:S", "SUCCESSFUL", "(absent)" },
        { "a failure, and back", BLUE_GREEN(HOOK(STAGES, "")) TEST_RULE, { { "POST_TEST_TRAFFIC_SHIFT", "F", 0 } },
          "PRE_SCALE_UP:S POST_SCALE_UP:S TEST_TRAFFIC_SHIFT:S(test 100) POST_TEST_TRAFFIC_SHIFT:F TEST_TRAFFIC_SHIFT:S(test 0)", "ROLLBACK_SUCCESSFUL",
          ROLLED_BACK("POST_TEST_TRAFFIC_SHIFT") "Lifecycle hook target " TARGET " returned FAILED status." },
        { "back after production", BLUE_GREEN(HOOK(STAGES, "")), { { "POST_PRODUCTION_TRAFFIC_SHIFT", "F", 0 } },
          "PRE_SCALE_UP:S POST_SCALE_UP:S TEST_TRAFFIC_SHIFT:S(test 0) POST_TEST_TRAFFIC_SHIFT:S PRE_PRODUCTION_TRAFFIC_SHIFT:S(production 0) "
          "PRODUCTION_TRAFFIC_SHIFT:S(production 100) POST_PRODUCTION_TRAFFIC_SHIFT:F TEST_TRAFFIC_SHIFT:S(test 0) PRODUCTION_TRAFFIC_SHIFT:S(production 0)",
          "ROLLBACK_SUCCESSFUL", ROLLED_BACK("POST_PRODUCTION_TRAFFIC_SHIFT") "Lifecycle hook target " TARGET " returned FAILED status." },
        { "no hook's answer", BLUE_GREEN(HOOK("\"PRE_PRODUCTION_TRAFFIC_SHIFT\"", "")), { { "PRE_PRODUCTION_TRAFFIC_SHIFT", "G", 0 } },
          "PRE_PRODUCTION_TRAFFIC_SHIFT:G(production 0)", "ROLLBACK_SUCCESSFUL",
          ROLLED_BACK("PRE_PRODUCTION_TRAFFIC_SHIFT") "ECS was unable to parse the response from " TARGET " due to the answer is not a JSON object" },
        { "errors for a minute", BLUE_GREEN(HOOK("\"PRE_SCALE_UP\"", "")), { { "PRE_SCALE_UP", "B-BB", 0 } },
          "PRE_SCALE_UP:B PRE_SCALE_UP:- PRE_SCALE_UP:B PRE_SCALE_UP:B", "ROLLBACK_SUCCESSFUL",
          ROLLED_BACK("PRE_SCALE_UP") "ECS was unable to invoke hook target " TARGET " due to status 503" },
        { "errors for less", BLUE_GREEN(HOOK("\"PRE_SCALE_UP\"", "")), { { "PRE_SCALE_UP", "B-BS", 0 } },
          "PRE_SCALE_UP:B PRE_SCALE_UP:- PRE_SCALE_UP:B PRE_SCALE_UP:S", "SUCCESSFUL", "(absent)" },
        { "a lost call", BLUE_GREEN(HOOK("\"PRE_SCALE_UP\"", "")), { { "PRE_SCALE_UP", "XS", 0 } }, "PRE_SCALE_UP:X PRE_SCALE_UP:S", "SUCCESSFUL", "(absent)" },
        { "too late", BLUE_GREEN(HOOK("\"PRE_SCALE_UP\"", MINUTE("ROLLBACK"))), { { "PRE_SCALE_UP", "XXXXXXXXX", 0 } },
          "PRE_SCALE_UP:X PRE_SCALE_UP:X PRE_SCALE_UP:X PRE_SCALE_UP:X PRE_SCALE_UP:X PRE_SCALE_UP:X", "ROLLBACK_SUCCESSFUL",
          ROLLED_BACK("PRE_SCALE_UP") "Lifecycle hook target " TARGET " timed out." },
        { "late, and it goes on", BLUE_GREEN(HOOK("\"PRE_SCALE_UP\"", MINUTE("CONTINUE"))), { { "PRE_SCALE_UP", "B--XXXXXX", 0 } },
          "PRE_SCALE_UP:B PRE_SCALE_UP:- PRE_SCALE_UP:-", "SUCCESSFUL", "(absent)" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        rollout_open(&f, rows[r].members);
        struct receiver receiver = { .log = buf_in(&f.kept) };
        memcpy(receiver.scripts, rows[r].scripts, sizeof receiver.scripts);
        play(&f, &receiver, 600);
        CHECK_STR(rows[r].row, buf_str(&receiver.log), str_from(rows[r].log));
        CHECK_STR(rows[r].row, str_from(act_at(&f, "status")), str_from(rows[r].status));
        CHECK_STR(rows[r].row, str_from(act_at(&f, "statusReason")), str_from(rows[r].reason));
        fixture_close(&f);
    }
}

/* One call by hand: its members in replies, which ends count, and the details of the next call. */
static void test_one_hook(void)
{
    struct api_fixture f;
    rollout_open(&f, BLUE_GREEN(HOOK("\"PRE_SCALE_UP\"", ",\"hookDetails\":{\"a\":1,\"n\":0}")));
    const struct service_call *call = f.calls;
    CHECK("one call", call != NULL && call->next == NULL);
    f.calls = NULL;
    CHECK_TEXT("it is called", act_at(&f, "lifecycleHookDetails[0].status"), "IN_PROGRESS");
    CHECK_TEXT("its kind", act_at(&f, "lifecycleHookDetails[0].targetArn"), TARGET);
    CHECK_STR("its id", str_from(act_at(&f, "lifecycleHookDetails[0].hookId")), call->key);
    CHECK_TEXT("details of the service", at(&f, call->body, "hookDetails"), "{\"a\":1,\"n\":0}");

    struct service_called later = end_of('P'), fails = end_of('F'), good = end_of('S');
    later.service = fails.service = good.service = call->service;
    later.key = good.key = call->key;
    struct service_called others[] = { fails, fails, fails };
    others[0].key = STR("ecs-lambda-x");
    others[1].key = others[2].key = call->key;
    others[1].number = 1;
    others[2].service = 99;
    for (size_t o = 0; o < COUNT_OF(others); o++) { submit(&f, others[o]); }
    CHECK_TEXT("ends of other calls", act_at(&f, "lifecycleHookDetails[0].status"), "IN_PROGRESS");

    submit(&f, later);
    submit(&f, later);                                                /* the same end again */
    settle(&f);
    CHECK("not at once", f.calls == NULL);
    f.now_ms += SECOND_MS;
    settle(&f);
    CHECK("the next call", f.calls != NULL && f.calls->number == 1 && str_eq(f.calls->key, call->key));
    CHECK_TEXT("details of both", at(&f, f.calls->body, "hookDetails"), "{\"a\":1,\"n\":1}");
    good.number = 1;
    submit(&f, good);
    pass(&f, 1);
    CHECK_TEXT("it goes on", act_at(&f, "lifecycleHookDetails"), "(absent)");
    fixture_close(&f);
}

/* ---- alarms that are addresses ---- */

#define ASKED "http://h/a"
#define WATCHES STRATEGY("\"alarms\":{\"alarmNames\":[\"quiet\",\"" ASKED "\"],\"enable\":true,\"rollback\":true}")

static void test_checks(void)
{
    static const struct { const char *row, *ends, *log, *status, *triggered; } rows[] = {
        { "all is well", "GGG", ASKED ":G " ASKED ":G " ASKED ":G " ASKED ":G", "SUCCESSFUL", "(absent)" },
        { "it rings", "GB", ASKED ":G " ASKED ":B", "ROLLBACK_SUCCESSFUL", "[\"" ASKED "\"]" },
        { "it is gone", "G---", ASKED ":G " ASKED ":- " ASKED ":- " ASKED ":-", "ROLLBACK_SUCCESSFUL", "[\"" ASKED "\"]" },
        { "it comes back", "G--G", ASKED ":G " ASKED ":- " ASKED ":- " ASKED ":G", "SUCCESSFUL", "(absent)" },
        { "it rings from the start", "BBBB", ASKED ":B " ASKED ":B " ASKED ":B " ASKED ":B", "SUCCESSFUL", "(absent)" },
        { "it rang at the start", "BGB", ASKED ":B " ASKED ":G " ASKED ":B", "ROLLBACK_SUCCESSFUL", "[\"" ASKED "\"]" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct api_fixture f;
        life_open(&f);
        put_alarms(&f);
        create(&f, WEB(""));
        pass(&f, 41);
        update(&f, OF_WEB(",\"taskDefinition\":\"a:2\"" WATCHES));
        struct receiver receiver = { .scripts = { { ASKED, rows[r].ends, 0 } }, .log = buf_in(&f.kept) };
        play(&f, &receiver, 200);
        CHECK_STR(rows[r].row, buf_str(&receiver.log), str_from(rows[r].log));
        CHECK_STR(rows[r].row, str_from(act_at(&f, "status")), str_from(rows[r].status));
        CHECK_STR(rows[r].row, str_from(act_at(&f, "alarms.triggeredAlarmNames")), str_from(rows[r].triggered));
        fixture_close(&f);
    }
}

/* While a rollback waits for its hook. */
static void test_no_check_in_rollback(void)
{
    struct api_fixture f;
    rollout_open(&f, STRATEGY("\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":5,\"alarms\":{\"alarmNames\":[\"" ASKED "\"],\"enable\":true,\"rollback\":true}"
                              HOOK("\"TEST_TRAFFIC_SHIFT\"", "")));
    struct receiver receiver = { .scripts = { { ASKED, "GGGGGB", 0 }, { "TEST_TRAFFIC_SHIFT", "SXXXX", 0 } }, .log = buf_in(&f.kept) };
    play(&f, &receiver, 85);
    CHECK_TEXT("it waits", act_at(&f, "status"), "ROLLBACK_IN_PROGRESS");
    CHECK_STR("no check", buf_str(&receiver.log), STR(ASKED ":G " ASKED ":G " ASKED ":G " ASKED ":G TEST_TRAFFIC_SHIFT:S(test 0) " ASKED ":G " ASKED ":B "
              "TEST_TRAFFIC_SHIFT:X(test 0) TEST_TRAFFIC_SHIFT:X(test 0) TEST_TRAFFIC_SHIFT:X(test 0) TEST_TRAFFIC_SHIFT:X(test 0)"));
    fixture_close(&f);
}

/* ---- the server's log ---- */

/* "NAME TYPE / NAME TYPE": without what EventBridge is not told. */
static const char *names_told(struct api_fixture *f)
{
    struct buf out = buf_in(&f->kept);
    struct str line, rest = f->lines, name, type, word;
    while (str_cut(rest, '\n', &line, &rest)) {
        (void)str_cut(line, ' ', &name, &line);
        (void)str_cut(line, ' ', &type, &line);
        (void)str_cut(line, ' ', &word, &line);
        CHECK_STR("the service", word, STR("service=arn:aws:ecs:us-east-1:123456789012:service/default/web"));
        buf_printf(&out, "%s" STR_FMT " " STR_FMT, out.len == 0 ? "" : " / ", STR_ARG(str_slice(name, 10, name.len)), STR_ARG(str_slice(type, 10, type.len)));
    }
    f->lines = (struct str){ NULL, 0 };
    return arena_cstr(&f->kept, buf_str(&out));
}

static void test_lines(void)
{
    struct api_fixture f;
    struct receiver receiver = { .scripts = { { "POST_SCALE_UP", "F", 0 } } };
    life_open(&f);
    receiver.log = buf_in(&f.kept);
    create(&f, WEB(""));
    pass(&f, 41);
    CHECK_TEXT("the first one", names_told(&f), "SERVICE_DEPLOYMENT_IN_PROGRESS INFO / SERVICE_DEPLOYMENT_COMPLETED INFO / SERVICE_STEADY_STATE INFO");
    update(&f, OF_WEB(",\"taskDefinition\":\"a:2\"" BLUE_GREEN(HOOK("\"PRE_SCALE_UP\",\"POST_SCALE_UP\"", ""))));
    play(&f, &receiver, 60);
    CHECK_TEXT("a hook fails", names_told(&f), "SERVICE_DEPLOYMENT_IN_PROGRESS INFO / HOOK_SUCCEEDED INFO / HOOK_FAILED ERROR / TASKS_STOPPED INFO / "
               "SERVICE_DEPLOYMENT_FAILED ERROR / SERVICE_DEPLOYMENT_COMPLETED INFO / SERVICE_STEADY_STATE INFO");
    update(&f, OF_WEB(",\"taskDefinition\":\"a:2\"" BLUE_GREEN(",\"lifecycleHooks\":[{\"targetType\":\"PAUSE\",\"lifecycleStages\":[\"PRE_SCALE_UP\"]" MINUTE("CONTINUE") "}]")));
    pass(&f, 62);
    CHECK_TEXT("a pause ends", names_told(&f), "SERVICE_DEPLOYMENT_IN_PROGRESS INFO / HOOK_AWAITING_ACTION INFO / HOOK_TIMED_OUT ERROR");
    fixture_close(&f);
}

int main(void)
{
    test_lines();
    test_hooks();
    test_one_hook();
    test_checks();
    test_no_check_in_rollback();
    return check_report();
}
