/* Berth's own tags of a service: each value from both sides of its limits, and tags that mean nothing on a service. */
#include "api/rules/settings.h"
#include "tests/unit/check.h"

static struct tag_list one(struct tag *tag, const char *key, const char *value)
{
    *tag = (struct tag){ str_from(key), str_from(value) };
    return (struct tag_list){ tag, 1 };
}

static void check_settings(const char *row, const struct service_settings *got, const struct service_settings *want)
{
    CHECK_EQ(row, got->replace, want->replace);
    CHECK_EQ(row, got->stops_first, want->stops_first);
    CHECK_EQ(row, got->waits_for_room, want->waits_for_room);
    CHECK_EQ(row, got->progress_ms, want->progress_ms);
    CHECK_EQ(row, got->healthy_after_ms, want->healthy_after_ms);
}

#define MINUTES(n) ((int64_t)(n) * 60 * 1000)

static void test_values(void)
{
    static const struct service_settings absent = { .healthy_after_ms = 40000 };
    static const struct { const char *key, *value; bool good; struct service_settings want; } rows[] = {
        { "berth:replace", "stop-first", true, { REPLACE_STOP_FIRST, 1, false, 0, 40000 } },
        { "berth:replace", "stop-first:1", true, { REPLACE_STOP_FIRST, 1, false, 0, 40000 } },
        { "berth:replace", "stop-first:100", true, { REPLACE_STOP_FIRST, 100, false, 0, 40000 } },
        { "berth:replace", "one-first", true, { REPLACE_ONE_FIRST, 0, false, 0, 40000 } },
        { "berth:replace", "stop-first:0", false, { 0 } },
        { "berth:replace", "stop-first:101", false, { 0 } },
        { "berth:replace", "stop-first:", false, { 0 } },
        { "berth:replace", "stop-first:-1", false, { 0 } },
        { "berth:replace", "stop-first:2x", false, { 0 } },
        { "berth:replace", "stop-first2", false, { 0 } },
        { "berth:replace", "one-first:2", false, { 0 } },
        { "berth:replace", "Stop-First", false, { 0 } },
        { "berth:replace", "", false, { 0 } },
        { "berth:placement-failures", "wait", true, { REPLACE_AS_ECS, 0, true, 0, 40000 } },
        { "berth:placement-failures", "true", false, { 0 } },
        { "berth:placement-failures", "", false, { 0 } },
        { "berth:progress-deadline", "1m", true, { REPLACE_AS_ECS, 0, false, MINUTES(1), 40000 } },
        { "berth:progress-deadline", "60s", true, { REPLACE_AS_ECS, 0, false, MINUTES(1), 40000 } },
        { "berth:progress-deadline", "30m", true, { REPLACE_AS_ECS, 0, false, MINUTES(30), 40000 } },
        { "berth:progress-deadline", "24h", true, { REPLACE_AS_ECS, 0, false, MINUTES(24 * 60), 40000 } },
        { "berth:progress-deadline", "59s", false, { 0 } },
        { "berth:progress-deadline", "24h1s", false, { 0 } },
        { "berth:progress-deadline", "30", false, { 0 } },
        { "berth:progress-deadline", "", false, { 0 } },
        { "berth:healthy-after", "0", true, { REPLACE_AS_ECS, 0, false, 0, 0 } },
        { "berth:healthy-after", "3600", true, { REPLACE_AS_ECS, 0, false, 0, 3600000 } },
        { "berth:healthy-after", "3601", false, { 0 } },
        { "berth:healthy-after", "-1", false, { 0 } },
        { "berth:healthy-after", "40s", false, { 0 } },
        { "berth:healthy-after", "", false, { 0 } },
        { "team", "berth:replace", true, { REPLACE_AS_ECS, 0, false, 0, 40000 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct tag tag;
        struct err err = { 0 };
        struct service_settings got;
        struct tag_list tags = one(&tag, rows[r].key, rows[r].value);
        CHECK_EQ(rows[r].value, service_settings(&tags, &got, &err), rows[r].good);
        check_settings(rows[r].value, &got, rows[r].good ? &rows[r].want : &absent);
        CHECK_EQ(rows[r].value, err.code, rows[r].good ? ERR_NONE : ERR_INVALID_PARAMETER);
        err = (struct err){ 0 };
        CHECK_EQ(rows[r].value, service_check_tags(&tags, &err), rows[r].good);
    }
}

/* One tag that can't be read leaves the others. The first one is named. */
static void test_several(void)
{
    struct tag tags[] = {
        { STR("berth:replace"), STR("never") },         { STR("berth:placement-failures"), STR("wait") },
        { STR("berth:healthy-after"), STR("long") },    { STR("berth:progress-deadline"), STR("1h30m") },
    };
    const struct service_settings want = { REPLACE_AS_ECS, 0, true, MINUTES(90), 40000 };
    struct tag_list list = { tags, COUNT_OF(tags) };
    struct service_settings got;
    struct err err = { 0 };
    CHECK("two can't be read", !service_settings(&list, &got, &err));
    check_settings("several", &got, &want);
    CHECK_STR("the first is named", str_from(err.message),
              STR("The tag berth:replace can't be \"never\": it should be stop-first, stop-first:K with K from 1 to 100, or one-first."));
}

static void test_unknown(void)
{
    static const char *const keys[] = { "berth:replaces", "berth:Replace", "berth:", "berth:gang", "berth:pre-pull" };
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
        struct tag tag;
        struct err err = { 0 };
        struct tag_list tags = one(&tag, keys[k], "true");
        CHECK(keys[k], !service_check_tags(&tags, &err));
        CHECK(keys[k], str_contains(str_from(err.message), STR("means nothing here")));
    }
    static const struct { const char *key; enum tagged on; } elsewhere[] = {
        { "berth:replace", TAGGED_TASK }, { "berth:placement-failures", TAGGED_CLUSTER }, { "berth:progress-deadline", TAGGED_DEFINITION },
        { "berth:healthy-after", TAGGED_OTHER },
    };
    for (size_t e = 0; e < COUNT_OF(elsewhere); e++) {
        struct tag tag;
        struct err err = { 0 };
        struct tag_list tags = one(&tag, elsewhere[e].key, "stop-first");
        CHECK(elsewhere[e].key, !support_check_tags(&tags, elsewhere[e].on, &err));
    }
}

int main(void)
{
    test_values();
    test_several();
    test_unknown();
    return check_report();
}
