/* fuzz_hook_answer.c: after any answer of its receiver a hook succeeds, fails with a reason, or is called again within a day with details that are a
 * JSON object, and that stay the same when they are merged once more. */
#include "api/services/answers.h"
#include "base/json.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 64 * 1024 * 1024 };
#define NOW_MS 1700000000000

static void check_details(struct str details, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *json = json_parse(details, arena, &err);
    ASSERT(json != NULL && json->type == JSON_OBJECT && details.len <= HOOK_DETAILS_MAX);
    struct str merged = answer_details(STR("{\"team\":\"a\",\"n\":[1]}"), details, arena);
    ASSERT(json_parse(merged, arena, &err) != NULL);
    ASSERT(str_eq(answer_details(merged, merged, arena), merged) && str_eq(answer_details((struct str){ NULL, 0 }, merged, arena), merged));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct kept_hook hook = { .status = DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS };
    answer_hook(&hook, STR("http://h"), &(struct service_called){ .http_status = 200, .reply = fuzz_str(data, size) }, NOW_MS, &arena);
    ASSERT((hook.status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED) == (hook.reason.len > 0) && hook.calls == 1);
    if (hook.status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS) {
        ASSERT(hook.call_ms >= NOW_MS + 1000 && hook.call_ms <= NOW_MS + (int64_t)HOOK_DELAY_MAX_S * 1000);
        if (hook.details.len > 0) { check_details(hook.details, &arena); }
    } else {
        ASSERT(hook.status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_SUCCEEDED || hook.status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED);
    }
    arena_reset(&arena);
    return 0;
}
