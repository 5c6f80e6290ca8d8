/* test_feeds.c: what the proxies have applied, and how long they are waited for. */
#include "scheduler/reconcile/feeds.h"

#include "tests/unit/check.h"

static bool tell(struct feeds *feeds, const char *name, int64_t revision, uint64_t busy, int64_t now_ms)
{
    const struct feed_report report = { str_from(name), revision, &busy, busy != 0 };
    return feeds_report(feeds, &report, now_ms);
}

/* Times count from the first call. */
static void test_waits(struct arena *arena)
{
    enum { OLD = FEED_SILENT_MS };
    static const struct row { const char *what; int64_t a, b; uint64_t busy; int64_t told_ms, now_ms, revision; bool have, done; int64_t have_ms, done_ms; } rows[] = {
        /*                                        a   b  busy  told       now             rev   have   done   look at */
        { "no feed, a new world",                 0,  0, 0,    0,         1,              5,    true,  false, 0, OLD },
        { "no feed, a moment before",             0,  0, 0,    0,         OLD - 1,        5,    true,  false, 0, OLD },
        { "no feed, later",                       0,  0, 0,    0,         OLD,            5,    true,  true,  0, 0 },
        { "one feed has it",                      5,  0, 0,    OLD,       OLD,            5,    true,  true,  0, 0 },
        { "one feed does not",                    4,  0, 0,    OLD,       OLD,            5,    false, false, 2 * OLD, 2 * OLD },
        { "one of two does not",                  9,  4, 0,    OLD,       OLD + 1,        5,    false, false, 2 * OLD, 2 * OLD },
        { "both have it",                         9,  5, 0,    OLD,       OLD + 1,        5,    true,  true,  0, 0 },
        { "it sends no more, but is not done",    5,  0, 77,   OLD,       OLD,            5,    true,  false, 0, 2 * OLD },
        { "busy with another one",                5,  0, 78,   OLD,       OLD,            5,    true,  true,  0, 0 },
        { "a silent feed, a moment before",       4,  0, 0,    OLD,       2 * OLD - 1,    5,    false, false, 2 * OLD, 2 * OLD },
        { "a silent feed",                        4,  0, 77,   OLD,       2 * OLD,        5,    true,  true,  0, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct row *row = &rows[r];
        struct feeds *feeds = feeds_create(arena);
        int64_t look_ms, base = 1000000;
        (void)feeds_have(feeds, 1, base, &look_ms);
        if (row->a != 0) { CHECK(row->what, tell(feeds, "a", row->a, row->busy, base + row->told_ms)); }
        if (row->b != 0) { CHECK(row->what, tell(feeds, "b", row->b, 0, base + row->told_ms)); }
        CHECK(row->what, feeds_have(feeds, row->revision, base + row->now_ms, &look_ms) == row->have);
        CHECK_STR(row->what, feeds_behind(feeds, row->revision, base + row->now_ms), row->have ? STR("") : row->b != 0 ? STR("b") : STR("a"));
        CHECK_EQ(row->what, look_ms, row->have_ms == 0 ? 0 : base + row->have_ms);
        CHECK(row->what, feeds_are_done(feeds, row->revision, 77, base + row->now_ms, &look_ms) == row->done);
        CHECK_EQ(row->what, look_ms, row->done_ms == 0 ? 0 : base + row->done_ms);
    }
}

static void test_limits(struct arena *arena)
{
    struct feeds *feeds = feeds_create(arena);
    char name[FEED_NAME_MAX + 2];
    uint64_t busy[FEED_BUSY_MAX + 1] = { 0 };
    memset(name, 'n', sizeof name);
    const struct feed_report longest = { { name, FEED_NAME_MAX }, 1, busy, COUNT_OF(busy) }, longer = { { name, FEED_NAME_MAX + 1 }, 1, NULL, 0 };
    CHECK("a name too long", !feeds_report(feeds, &longer, 1));
    CHECK("no name", !tell(feeds, "", 1, 0, 1));
    CHECK("the longest name, too many targets", feeds_report(feeds, &longest, 1));
    CHECK_EQ("some of them are kept", (int64_t)feeds_at(feeds, 0).busy_count, FEED_BUSY_MAX);
    for (int n = 1; n < FEEDS_MAX; n++) {
        (void)snprintf(name, sizeof name, "feed %d", n);
        CHECK("there is room", tell(feeds, name, n, 0, 1));
    }
    CHECK("one too many", !tell(feeds, "another", 1, 0, 2));
    CHECK("a known one reports again", tell(feeds, "feed 3", 30, 0, 5000));
    CHECK_EQ("all of them", (int64_t)feeds_count(feeds, FEED_SILENT_MS), FEEDS_MAX);
    CHECK_EQ("the silent ones go", (int64_t)feeds_count(feeds, FEED_SILENT_MS + 1), 1);
    CHECK("this one stays", str_eq(feeds_at(feeds, 0).name, STR("feed 3")) && feeds_at(feeds, 0).revision == 30);
    CHECK("then there is room", tell(feeds, "another", 1, 0, FEED_SILENT_MS + 1));
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, (size_t)64 << 20);
    test_waits(&arena);
    test_limits(&arena);
    arena_finish(&arena);
    return check_report();
}
