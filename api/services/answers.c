/* answers.c: see answers.h. */
#include "api/services/answers.h"

#include "base/json.h"

enum { SECOND_MS = 1000, PROBLEM_MAX = 256 };

/* Before each of the retries: a minute in all. */
static const int64_t retry_pauses_ms[HOOK_RETRIES] = { 10 * SECOND_MS, 20 * SECOND_MS, 30 * SECOND_MS };

/* ---- a hook ---- */

static void fail(struct kept_hook *hook, struct str reason)
{
    hook->reason = reason;
    hook_become(hook, DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED);
}

static void fail_to_invoke(struct kept_hook *hook, struct str target, const struct service_called *called, struct arena *arena)
{
    struct str problem = called->http_status != 0 ? arena_printf(arena, "status %lld", (long long)called->http_status) : called->problem;
    fail(hook, arena_printf(arena, "ECS was unable to invoke hook target " STR_FMT " due to " STR_FMT, STR_ARG(target),
                            STR_ARG(str_shorten(problem, PROBLEM_MAX))));
}

static bool is_absent(const struct json *value) { return value == NULL || value->type == JSON_NULL; }

/* The members of an answer. */
struct answer { enum deployment_lifecycle_hook_status becomes; int64_t delay_s; struct str details; };

/* NULL: *answer is filled in. Else why it can't be read. */
static const char *read_answer(struct str text, struct answer *answer, struct arena *arena)
{
    static const struct { struct str word; enum deployment_lifecycle_hook_status becomes; } words[] = {
        { STR_INIT("SUCCEEDED"), DEPLOYMENT_LIFECYCLE_HOOK_STATUS_SUCCEEDED }, { STR_INIT("FAILED"), DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED },
        { STR_INIT("IN_PROGRESS"), DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS },
    };
    struct err err = { 0 };
    const struct json *json = json_parse(text, arena, &err);
    if (json == NULL || json->type != JSON_OBJECT) { return "the answer is not a JSON object"; }
    const struct json *status = json_get(json, STR("hookStatus")), *delay = json_get(json, STR("callBackDelay")), *details = json_get(json, STR("hookDetails"));
    if (is_absent(status)) { return "HookStatus must not be null"; }
    struct str word = json_get_str(json, STR("hookStatus"));
    *answer = (struct answer){ .delay_s = HOOK_DELAY_S };
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        if (str_eq(words[w].word, word)) { answer->becomes = words[w].becomes; }
    }
    if (answer->becomes == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_UNSET) { return "HookStatus must be SUCCEEDED, FAILED or IN_PROGRESS"; }
    if (!is_absent(delay)) {
        answer->delay_s = delay->type == JSON_INT ? delay->as.integer : -1;
        if (answer->delay_s < 0 || answer->delay_s > HOOK_DELAY_MAX_S) { return "CallBackDelay must be from 0 to 86400 seconds"; }
    }
    if (is_absent(details)) { return NULL; }
    if (details->type != JSON_OBJECT) { return "HookDetails must be an object"; }
    struct buf printed = buf_in(arena);
    struct json_out out = json_out_to(&printed);
    json_dump(&out, details);
    answer->details = buf_str(&printed);
    return printed.len <= HOOK_DETAILS_MAX ? NULL : "HookDetails must have at most 16384 bytes";
}

static void take_answer(struct kept_hook *hook, struct str target, struct str text, int64_t now_ms, struct arena *arena)
{
    struct answer answer;
    const char *problem = read_answer(text, &answer, arena);
    if (problem != NULL) {
        fail(hook, arena_printf(arena, "ECS was unable to parse the response from " STR_FMT " due to %s", STR_ARG(target), problem));
    } else if (answer.becomes == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED) {
        fail(hook, arena_printf(arena, "Lifecycle hook target " STR_FMT " returned FAILED status.", STR_ARG(target)));
    } else if (answer.becomes == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_SUCCEEDED) {
        hook_become(hook, answer.becomes);
    } else {
        hook->details = answer.details;
        hook->call_ms = now_ms + (answer.delay_s == 0 ? 1 : answer.delay_s) * SECOND_MS;
    }
}

void answer_hook(struct kept_hook *hook, struct str target, const struct service_called *called, int64_t now_ms, struct arena *arena)
{
    bool is_gone = called->http_status == 0 || called->http_status >= 500;
    hook->calls++;
    if (is_gone && hook->failed_calls >= 0 && hook->failed_calls < HOOK_RETRIES) {
        hook->call_ms = now_ms + retry_pauses_ms[hook->failed_calls++];
    } else if (is_gone || called->http_status < 200 || called->http_status >= 300) {
        fail_to_invoke(hook, target, called, arena);
    } else {
        hook->failed_calls = 0;
        take_answer(hook, target, called->reply, now_ms, arena);
    }
}

struct str answer_details(struct str given, struct str answered, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *base = given.len == 0 ? NULL : json_parse(given, arena, &err), *more = answered.len == 0 ? NULL : json_parse(answered, arena, &err);
    if (more == NULL) { return given; }
    if (base == NULL || base->type != JSON_OBJECT || more->type != JSON_OBJECT) { return answered; }
    struct buf printed = buf_in(arena);
    struct json_out out = json_out_to(&printed);
    json_open(&out, '{');
    for (size_t m = 0; m < base->count; m++) {
        if (json_get(more, base->as.members[m].key) != NULL) { continue; }
        json_key(&out, base->as.members[m].key);
        json_dump(&out, &base->as.members[m].value);
    }
    for (size_t m = 0; m < more->count; m++) {
        json_key(&out, more->as.members[m].key);
        json_dump(&out, &more->as.members[m].value);
    }
    json_close(&out, '}');
    return buf_str(&printed);
}

/* ---- an alarm ---- */

void answer_check(struct kept_check *check, const struct service_called *called, int64_t now_ms)
{
    bool is_good = called->http_status >= 200 && called->http_status < 300;
    check->calls++;
    check->call_ms = now_ms + CHECK_PAUSE_MS;
    check->failed_calls = called->http_status == 0 ? check->failed_calls + 1 : 0;
    if (called->http_status != 0 || check->failed_calls >= CHECK_FAILURES_MAX) { check->state = is_good ? ALARM_STATE_OK : ALARM_STATE_ALARM; }
}
