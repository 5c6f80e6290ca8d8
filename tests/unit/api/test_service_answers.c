/* test_service_answers.c: what the ends of calls over HTTP mean, for hooks and for checks of alarms. */
#include "api/services/answers.h"

#include "tests/unit/check.h"

#define NOW_MS 1700000000000
#define TARGET "http://h/x"
#define PARSE  "ECS was unable to parse the response from " TARGET " due to "
#define INVOKE "ECS was unable to invoke hook target " TARGET " due to "
#define NO_DELAY PARSE "CallBackDelay must be from 0 to 86400 seconds"

static struct service_called called_with(int64_t http_status, const char *reply)
{
    return (struct service_called){ .http_status = http_status, .reply = str_from(reply), .problem = http_status == 0 ? STR("no route") : STR("") };
}

static void test_hook(struct arena *arena)
{
    static const struct { const char *row; int64_t http_status; const char *reply, *becomes, *reason; int64_t delay_s; const char *details; } rows[] = {
        { "it goes on", 200, "{\"hookStatus\":\"SUCCEEDED\"}", "SUCCEEDED", "", 0, "" },
        { "201, and more members", 201, " {\"x\":[1],\"hookStatus\":\"SUCCEEDED\",\"callBackDelay\":1}\n", "SUCCEEDED", "", 0, "" },
        { "299", 299, "{\"hookStatus\":\"SUCCEEDED\"}", "SUCCEEDED", "", 0, "" },
        { "it fails", 200, "{\"hookStatus\":\"FAILED\"}", "FAILED", "Lifecycle hook target " TARGET " returned FAILED status.", 0, "" },
        { "later", 200, "{\"hookStatus\":\"IN_PROGRESS\"}", "IN_PROGRESS", "", 30, "" },
        { "nulls", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":null,\"hookDetails\":null}", "IN_PROGRESS", "", 30, "" },
        { "soon", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":1,\"hookDetails\":{\"a\":{\"b\":[1,\"c\"]}}}", "IN_PROGRESS", "", 1, "{\"a\":{\"b\":[1,\"c\"]}}" },
        { "at once", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":0}", "IN_PROGRESS", "", 1, "" },
        { "a day", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":86400}", "IN_PROGRESS", "", 86400, "" },
        { "more than a day", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":86401}", "FAILED", NO_DELAY, 0, "" },
        { "before now", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":-1}", "FAILED", NO_DELAY, 0, "" },
        { "half a second", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":0.5}", "FAILED", NO_DELAY, 0, "" },
        { "a delay in words", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"callBackDelay\":\"5\"}", "FAILED", NO_DELAY, 0, "" },
        { "no status", 200, "{}", "FAILED", PARSE "HookStatus must not be null", 0, "" },
        { "a null", 200, "{\"hookStatus\":null}", "FAILED", PARSE "HookStatus must not be null", 0, "" },
        { "another word", 200, "{\"hookStatus\":\"succeeded\"}", "FAILED", PARSE "HookStatus must be SUCCEEDED, FAILED or IN_PROGRESS", 0, "" },
        { "a status of another hook", 200, "{\"hookStatus\":\"TIMED_OUT\"}", "FAILED", PARSE "HookStatus must be SUCCEEDED, FAILED or IN_PROGRESS", 0, "" },
        { "a number", 200, "{\"hookStatus\":1}", "FAILED", PARSE "HookStatus must be SUCCEEDED, FAILED or IN_PROGRESS", 0, "" },
        { "details that are a list", 200, "{\"hookStatus\":\"IN_PROGRESS\",\"hookDetails\":[]}", "FAILED", PARSE "HookDetails must be an object", 0, "" },
        { "no JSON", 200, "ok", "FAILED", PARSE "the answer is not a JSON object", 0, "" },
        { "a list", 200, "[]", "FAILED", PARSE "the answer is not a JSON object", 0, "" },
        { "nothing", 204, "", "FAILED", PARSE "the answer is not a JSON object", 0, "" },
        { "not there", 404, "{\"hookStatus\":\"SUCCEEDED\"}", "FAILED", INVOKE "status 404", 0, "" },
        { "below 200", 199, "{\"hookStatus\":\"SUCCEEDED\"}", "FAILED", INVOKE "status 199", 0, "" },
        { "from 300", 300, "{\"hookStatus\":\"SUCCEEDED\"}", "FAILED", INVOKE "status 300", 0, "" },
        { "499", 499, "", "FAILED", INVOKE "status 499", 0, "" },
        { "500 is tried again", 500, "", "IN_PROGRESS", "", 10, "" },
        { "no answer is tried again", 0, "", "IN_PROGRESS", "", 10, "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct kept_hook hook = { .status = DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS, .calls = 7, .details = STR("{\"old\":1}") };
        struct service_called called = called_with(rows[r].http_status, rows[r].reply);
        answer_hook(&hook, STR(TARGET), &called, NOW_MS, arena);
        CHECK_STR(rows[r].row, enum_word(&deployment_lifecycle_hook_status_names, (int)hook.status), str_from(rows[r].becomes));
        CHECK_STR(rows[r].row, hook.reason.ptr == NULL ? STR("") : hook.reason, str_from(rows[r].reason));
        CHECK_EQ(rows[r].row, hook.calls, 8);
        if (rows[r].delay_s == 0) { continue; }
        CHECK_EQ(rows[r].row, hook.call_ms - NOW_MS, rows[r].delay_s * 1000);
        bool tried_again = rows[r].http_status == 0 || rows[r].http_status >= 500;
        CHECK_STR(rows[r].row, hook.details.ptr == NULL ? STR("") : hook.details, tried_again ? STR("{\"old\":1}") : str_from(rows[r].details));
    }
}

/* Three retries in a minute; an answer between them begins the count again. */
static void test_retries(struct arena *arena)
{
    static const int64_t pauses_s[] = { 10, 20, 30 };
    static const int64_t ends[] = { 0, 503 };
    static const char *const reasons[] = { INVOKE "no route", INVOKE "status 503" };
    for (size_t e = 0; e < COUNT_OF(ends); e++) {
        struct kept_hook hook = { .status = DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS };
        struct service_called failed = called_with(ends[e], "x"), later = called_with(200, "{\"hookStatus\":\"IN_PROGRESS\"}");
        answer_hook(&hook, STR(TARGET), &failed, NOW_MS, arena);
        answer_hook(&hook, STR(TARGET), &later, NOW_MS, arena);
        for (size_t p = 0; p < COUNT_OF(pauses_s); p++) {
            answer_hook(&hook, STR(TARGET), &failed, NOW_MS, arena);
            CHECK_EQ("the pause", hook.call_ms - NOW_MS, pauses_s[p] * 1000);
            CHECK_EQ("it goes on", hook.status, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS);
        }
        answer_hook(&hook, STR(TARGET), &failed, NOW_MS, arena);
        CHECK_EQ("the end", hook.status, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED);
        CHECK_STR("the end", hook.reason, str_from(reasons[e]));
    }
}

static void test_details(struct arena *arena)
{
    static const struct { const char *row, *given, *answered, *want; } rows[] = {
        { "none", NULL, NULL, NULL }, { "of the service", "{\"a\":1}", NULL, "{\"a\":1}" }, { "of the answer", NULL, "{\"b\":2}", "{\"b\":2}" },
        { "both", "{\"a\":1,\"b\":1}", "{\"b\":{\"c\":2},\"d\":3}", "{\"a\":1,\"b\":{\"c\":2},\"d\":3}" }, { "nothing new", "{\"a\":1}", "{}", "{\"a\":1}" },
        { "a list can't be merged", "[1]", "{\"b\":2}", "{\"b\":2}" }, { "a list alone", "[1]", NULL, "[1]" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str given = rows[r].given == NULL ? (struct str){ NULL, 0 } : str_from(rows[r].given);
        struct str answered = rows[r].answered == NULL ? (struct str){ NULL, 0 } : str_from(rows[r].answered);
        struct str got = answer_details(given, answered, arena);
        CHECK_EQ(rows[r].row, got.ptr == NULL, rows[r].want == NULL);
        if (rows[r].want != NULL) { CHECK_STR(rows[r].row, got, str_from(rows[r].want)); }
    }
}

static void test_large_details(struct arena *arena)
{
    for (size_t more = 0; more < 2; more++) {
        struct kept_hook hook = { .status = DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS };
        char text[HOOK_DETAILS_MAX + 1] = { 0 };
        memset(text, 'x', HOOK_DETAILS_MAX - strlen("{\"a\":\"\"}") + more);
        struct str reply = arena_printf(arena, "{\"hookStatus\":\"IN_PROGRESS\",\"hookDetails\":{\"a\":\"%s\"}}", text);
        answer_hook(&hook, STR(TARGET), &(struct service_called){ .http_status = 200, .reply = reply }, NOW_MS, arena);
        CHECK_EQ("details", hook.status, more == 0 ? DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS : DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED);
        if (more == 1) { CHECK_STR("details", hook.reason, STR(PARSE "HookDetails must have at most 16384 bytes")); }
    }
}

/* 'g': 200, 'm': 299, 'b': 503, 'r': 302, '-': no answer. */
static void test_check(void)
{
    static const struct { const char *ends; enum alarm_state state; } rows[] = {
        { "", ALARM_STATE_UNSET }, { "g", ALARM_STATE_OK }, { "m", ALARM_STATE_OK }, { "b", ALARM_STATE_ALARM }, { "r", ALARM_STATE_ALARM },
        { "--", ALARM_STATE_UNSET }, { "---", ALARM_STATE_ALARM }, { "g--", ALARM_STATE_OK }, { "g---", ALARM_STATE_ALARM }, { "g--g--", ALARM_STATE_OK },
        { "b--", ALARM_STATE_ALARM }, { "---g", ALARM_STATE_OK }, { "bg", ALARM_STATE_OK }, { "g-----", ALARM_STATE_ALARM },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct kept_check check = { .url = STR("http://h") };
        for (const char *end = rows[r].ends; *end != '\0'; end++) {
            struct service_called called = called_with(*end == 'g' ? 200 : *end == 'm' ? 299 : *end == 'b' ? 503 : *end == 'r' ? 302 : 0, "");
            answer_check(&check, &called, NOW_MS);
            CHECK_EQ(rows[r].ends, check.call_ms - NOW_MS, 10000);
        }
        CHECK_EQ(rows[r].ends, check.state, rows[r].state);
        CHECK_EQ(rows[r].ends, check.calls, strlen(rows[r].ends));
    }
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 8 * 1024 * 1024);
    test_hook(&arena);
    test_retries(&arena);
    test_details(&arena);
    test_large_details(&arena);
    test_check();
    arena_finish(&arena);
    return check_report();
}
