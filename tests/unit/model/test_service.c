/* A service's events and marks. */
#include "model/service.h"

#include "base/assert.h"
#include "tests/unit/check.h"

static void test_events(struct arena *arena)
{
    struct service_events events = { { NULL, 0 } };
    for (int e = 1; e <= SERVICE_EVENTS_MAX; e++) { service_add_event(&events, arena_printf(arena, "%d", e), STR("x"), 10 * e, arena); }
    CHECK_EQ("as many as there is room for", events.events.count, SERVICE_EVENTS_MAX);
    CHECK_STR("the first is the last", events.events.items[SERVICE_EVENTS_MAX - 1].id, STR("1"));
    service_add_event(&events, STR("next"), STR("said"), 2000, arena);
    CHECK_EQ("no more than that", events.events.count, SERVICE_EVENTS_MAX);
    CHECK_STR("the newest is the first", events.events.items[0].message, STR("said"));
    CHECK_STR("the oldest is gone", events.events.items[SERVICE_EVENTS_MAX - 1].id, STR("2"));
}

static void test_event_times(struct arena *arena)
{
    static const struct { const char *name; int64_t now_ms, want; } rows[] = {
        { "the first", 10, 10 }, { "later", 12, 12 }, { "in the same millisecond", 12, 13 }, { "the clock was set back", 5, 14 }, { "one later", 15, 15 },
    };
    struct service_events events = { { NULL, 0 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        service_add_event(&events, STR("i"), STR("x"), rows[r].now_ms, arena);
        CHECK_EQ(rows[r].name, events.events.items[0].created_at, rows[r].want);
    }
}

static void test_marks(struct arena *arena)
{
    static const struct { const char *name; enum event_cause cause; int64_t set_ms; size_t count; int64_t steady, stuck; } rows[] = {
        { "one", EVENT_CAUSE_STEADY, 5, 1, 5, 0 },      { "another", EVENT_CAUSE_STUCK, 6, 2, 5, 6 }, { "again", EVENT_CAUSE_STEADY, 7, 2, 7, 6 },
        { "taken away", EVENT_CAUSE_STEADY, 0, 1, 0, 6 }, { "twice", EVENT_CAUSE_STEADY, 0, 1, 0, 6 }, { "the last", EVENT_CAUSE_STUCK, 0, 0, 0, 0 },
    };
    struct service service = { .name = STR("web") };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        service_set_mark(&service, rows[r].cause, rows[r].set_ms, arena);
        CHECK_EQ(rows[r].name, service.marks.count, rows[r].count);
        CHECK_EQ(rows[r].name, service_mark(&service, EVENT_CAUSE_STEADY), rows[r].steady);
        CHECK_EQ(rows[r].name, service_mark(&service, EVENT_CAUSE_STUCK), rows[r].stuck);
    }
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 4 * 1024 * 1024);
    test_events(&arena);
    test_event_times(&arena);
    test_marks(&arena);
    arena_finish(&arena);
    return check_report();
}
