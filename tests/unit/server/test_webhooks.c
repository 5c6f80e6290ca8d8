/* test_webhooks.c: the file of webhooks, and their signature. */
#include "server/webhooks/settings.h"
#include "server/webhooks/webhooks.h"

#include "tests/unit/check.h"

#define SECRET "\"secret\":\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\""
#define HOOK(more) "{\"a\":{\"url\":\"https://x\"," SECRET more "}}"

static void test_settings(struct arena *arena)
{
    static const char secret[] = "The webhook \"a\": \"secret\" is whsec_ and 24 to 64 bytes in base64: openssl rand -base64 32.";
    static const struct { const char *row, *text, *complaint; } rows[] = {
        { "one", HOOK(""), NULL },
        { "with all", HOOK(",\"types\":[\"ECS Task State Change\"],\"timeout_s\":60"), NULL },
        { "no JSON", "{", "" },
        { "none", "{}", "The webhooks are a JSON object of 1 to 32 of them, by name." },
        { "a list", "[]", "The webhooks are a JSON object of 1 to 32 of them, by name." },
        { "a name", "{\"a b\":{}}", "The webhook \"a b\": a name has 1 to 64 letters, digits, - and _." },
        { "no object", "{\"a\":1}", "The webhook \"a\": it is an object." },
        { "an unknown member", HOOK(",\"retries\":3"), "The webhook \"a\": \"retries\" is not known." },
        { "no URL", "{\"a\":{" SECRET "}}", "The webhook \"a\": \"url\" begins with http:// or https://." },
        { "another scheme", "{\"a\":{\"url\":\"file:///x\"," SECRET "}}", "The webhook \"a\": \"url\" begins with http:// or https://." },
        { "no secret", "{\"a\":{\"url\":\"https://x\"}}", secret },
        { "a secret without its beginning", "{\"a\":{\"url\":\"https://x\",\"secret\":\"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"}}", secret },
        { "a short one", "{\"a\":{\"url\":\"https://x\",\"secret\":\"whsec_AAAA\"}}", secret },
        { "one that is not base64", "{\"a\":{\"url\":\"https://x\",\"secret\":\"whsec_!!!!\"}}", secret },
        { "types", HOOK(",\"types\":\"x\""), "The webhook \"a\": \"types\" is a list of at most 16 texts, each a detail-type such as \"ECS Task State Change\"." },
        { "too short a time", HOOK(",\"timeout_s\":0"), "The webhook \"a\": \"timeout_s\" is 1 to 60." },
        { "too long a time", HOOK(",\"timeout_s\":61"), "The webhook \"a\": \"timeout_s\" is 1 to 60." },
        { "a name twice", "{\"a\":{\"url\":\"https://x\"," SECRET "},\"a\":{\"url\":\"https://x\"," SECRET "}}", "Line 1: a key that was there before." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct webhook_settings settings;
        struct err err = { 0 };
        bool good = webhooks_parse(str_from(rows[r].text), &settings, arena, &err);
        CHECK_EQ(rows[r].row, good, rows[r].complaint == NULL);
        if (rows[r].complaint == NULL || rows[r].complaint[0] != '\0') { CHECK_STR(rows[r].row, str_from(err.message), str_from(good ? "" : rows[r].complaint)); }
    }
    struct webhook_settings settings;
    struct err err = { 0 };
    CHECK("read", webhooks_parse(str_from(HOOK(",\"types\":[\"x\",\"y\"]")), &settings, arena, &err));
    CHECK("what it wants", webhook_wants(&settings.items[0], STR("y")) && !webhook_wants(&settings.items[0], STR("z")));
    CHECK("the usual time", settings.items[0].timeout_ms == 10000 && settings.items[0].secret.len == 24);
    CHECK("no such file", !webhooks_read("/nowhere/x", &settings, arena, &err) && strstr(err.message, "/nowhere/x can't be read") != NULL);
}

/* The example of the Standard Webhooks' own tests. */
static void test_signature(struct arena *arena)
{
    struct webhook_settings settings;
    struct err err = { 0 };
    CHECK("read", webhooks_parse(str_from(HOOK("")), &settings, arena, &err));
    struct str signature = webhook_signature(settings.items[0].secret, STR("msg_p5jXN8AQM9LWM0D4loKWxJek"), 1614265330, STR("{\"test\": 2432232314}"), arena);
    CHECK_STR("as in the specification", signature, STR("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 16 * 1024 * 1024);
    test_settings(&arena);
    test_signature(&arena);
    arena_finish(&arena);
    return check_report();
}
