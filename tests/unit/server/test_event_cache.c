/* test_event_cache.c: one text for all viewers that have seen the same, a viewer's own text, and the common moments. */
#include "server/live/event_cache.h"

#include "tests/unit/check.h"

static int printed;
static int64_t now;

static bool print(const void *context, int64_t since, int64_t *until, struct buf *out)
{
    const bool *works = context;
    printed++;
    buf_printf(out, "%lld to %lld;", (long long)since, (long long)now);
    if (!*works) { return false; }
    *until = now;
    return true;
}

static void test_sharing(struct arena *arena)
{
    /* Viewers in turn: at which revision the store is, what each has seen, what it gets, and how often was printed until then. */
    static const struct { const char *name; int64_t now, since; bool works; const char *told; int64_t until; int printed; } rows[] = {
        { "the first is printed for",            7, 5, true,  "5 to 7;", 7, 1 },
        { "the second has seen the same",        7, 5, true,  "5 to 7;", 7, 1 },
        { "also when there is more already",     9, 5, true,  "5 to 7;", 7, 1 },
        { "with them from then on",              9, 7, true,  "7 to 9;", 9, 2 },
        { "who is behind has its own",           9, 3, true,  "3 to 9;", 9, 3 },
        { "and is with them too",                12, 9, true, "9 to 12;", 12, 4 },
        { "an event that can't be printed",      13, 12, false, "", 12, 5 },
        { "comes later",                         13, 12, true, "12 to 13;", 13, 6 },
        { "nothing new is said to be nothing new", 13, 13, true, "13 to 13;", 13, 7 },
        { "and not kept: there is more",         14, 13, true, "13 to 14;", 14, 8 },
    };
    struct event_cache *cache = event_cache_create();
    printed = 0;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf out = buf_in(arena);
        int64_t since = rows[r].since;
        bool works = rows[r].works;
        buf_put(&out, STR("before "));
        now = rows[r].now;
        CHECK_EQ(rows[r].name, event_cache_tell(cache, &since, print, &works, &out), works);
        CHECK_STR(rows[r].name, str_slice(buf_str(&out), 7, out.len), str_from(rows[r].told));
        CHECK_EQ(rows[r].name, since, rows[r].until);
        CHECK_EQ(rows[r].name, printed, rows[r].printed);
    }
    event_cache_destroy(cache);
    event_cache_destroy(NULL);
}

static void test_moments(void)
{
    static const struct { int64_t ms, next; } rows[] = { { 0, 250 }, { 1, 250 }, { 249, 250 }, { 250, 500 }, { 251, 500 }, { 999, 1000 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ("the next moment", event_cache_moment(rows[r].ms, 250), rows[r].next); }
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    test_sharing(&arena);
    test_moments();
    arena_finish(&arena);
    return check_report();
}
