/* test_news.c: what is printed once for all who have seen the same, what one prints for itself, and the common moments. */
#include "server/live/news.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"

#include "tests/unit/check.h"

static int printed;
static int64_t now;

static bool print(void *context, int64_t since, int64_t *until, struct buf *out)
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
    /* Viewers in turn: at which revision the store is, what each has seen, what it is told, and how often was printed until then. */
    static const struct { const char *name; int64_t now, since; bool works; const char *told; int64_t until; int printed; } rows[] = {
        { "the first is printed for",            7, 5, true,  "5 to 7;", 7, 1 },
        { "the second has seen the same",        7, 5, true,  "5 to 7;", 7, 1 },
        { "also when there is more already",     9, 5, true,  "5 to 7;", 7, 1 },
        { "with them from then on",              9, 7, true,  "7 to 9;", 9, 2 },
        { "who is behind has its own",           9, 3, true,  "3 to 9;", 9, 3 },
        { "and is with them too",                12, 9, true, "9 to 12;", 12, 4 },
        { "what can't be told",                  13, 12, false, "", 12, 5 },
        { "is told later",                       13, 12, true, "12 to 13;", 13, 6 },
        { "nothing new is told as nothing new",  13, 13, true, "13 to 13;", 13, 7 },
        { "and not kept: there is more",         14, 13, true, "13 to 14;", 14, 8 },
    };
    struct news *news = news_create();
    printed = 0;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf out = buf_in(arena);
        int64_t since = rows[r].since;
        bool works = rows[r].works;
        buf_put(&out, STR("before "));
        now = rows[r].now;
        CHECK_EQ(rows[r].name, news_tell(news, &since, print, &works, &out), works);
        CHECK_STR(rows[r].name, str_slice(buf_str(&out), 7, out.len), str_from(rows[r].told));
        CHECK_EQ(rows[r].name, since, rows[r].until);
        CHECK_EQ(rows[r].name, printed, rows[r].printed);
    }
    news_destroy(news);
    news_destroy(NULL);
}

/* ---- whole boards ---- */

enum { ASKERS = 4, ARENA_CEILING = 1 << 20, LONG_MS = 20 * 1000 };

/* The first print is held until all have asked; `numbers` counts them. */
struct stage { struct boards *boards; atomic_int asking, numbers; bool fails; };
struct asker { struct stage *stage; pthread_t thread; struct arena arena; struct buf out; bool good; };

static void wait_for(atomic_int *number, int wanted)
{
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (atomic_load(number) < wanted && clock_monotonic_ms() < until_ms) { clock_sleep_ms(1); }
}

static bool print_number(void *context, struct buf *out)
{
    struct stage *stage = context;
    int number = atomic_fetch_add(&stage->numbers, 1) + 1;
    if (number == 1) {
        wait_for(&stage->asking, ASKERS);
        clock_sleep_ms(50);                      /* and have begun to wait */
    }
    buf_printf(out, "board %d", number);
    return !stage->fails;
}

static void *ask(void *context)
{
    struct asker *asker = context;
    atomic_fetch_add(&asker->stage->asking, 1);
    asker->good = boards_take(asker->stage->boards, print_number, asker->stage, &asker->out);
    return NULL;
}

static void ask_together(struct stage *stage, struct asker askers[ASKERS])
{
    for (size_t a = 0; a < ASKERS; a++) {
        askers[a] = (struct asker){ .stage = stage };
        arena_init(&askers[a].arena, ARENA_CEILING);
        askers[a].out = buf_in(&askers[a].arena);
        buf_put(&askers[a].out, STR("head "));
        CHECK("a thread", pthread_create(&askers[a].thread, NULL, ask, &askers[a]) == 0);
        if (a == 0) { wait_for(&stage->numbers, 1); }
    }
    for (size_t a = 0; a < ASKERS; a++) { pthread_join(askers[a].thread, NULL); }
}

static void test_boards(void)
{
    struct asker askers[ASKERS];
    for (int fails = 0; fails < 2; fails++) {
        struct stage stage = { .boards = boards_create(), .fails = fails };
        ask_together(&stage, askers);
        CHECK_EQ("one for the first, one for all who came meanwhile", atomic_load(&stage.numbers), 2);
        for (size_t a = 0; a < ASKERS; a++) {
            CHECK_EQ("told", askers[a].good, !stage.fails);
            CHECK_STR("none from before it asked", buf_str(&askers[a].out), stage.fails ? STR("head ") : a == 0 ? STR("head board 1") : STR("head board 2"));
        }
        struct buf out = buf_in(&askers[0].arena);
        CHECK_EQ("and one who asks later has a new one", boards_take(stage.boards, print_number, &stage, &out), !stage.fails);
        CHECK_STR("of its own", buf_str(&out), stage.fails ? STR("") : STR("board 3"));
        for (size_t a = 0; a < ASKERS; a++) { arena_finish(&askers[a].arena); }
        boards_destroy(stage.boards);
    }
    boards_destroy(NULL);
}

static void test_moments(void)
{
    static const struct { int64_t ms, next; } rows[] = { { 0, 250 }, { 1, 250 }, { 249, 250 }, { 250, 500 }, { 251, 500 }, { 999, 1000 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ("the next moment", news_moment(rows[r].ms, 250), rows[r].next); }
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    test_sharing(&arena);
    test_boards();
    test_moments();
    arena_finish(&arena);
    return check_report();
}
