/* test_board_cache.c: one board for all callers that come while another is printed. */
#include "server/live/board_cache.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"

#include "tests/unit/check.h"

enum { ASKERS = 4, ARENA_CEILING = 1 << 20, LONG_MS = 20 * 1000 };

/* The first print is held until all have asked; `numbers` counts them. */
struct stage { struct board_cache *boards; atomic_int asking, numbers; bool fails; };
struct asker { struct stage *stage; pthread_t thread; struct arena arena; struct buf out; bool good; };

static void wait_for(atomic_int *number, int wanted)
{
    int64_t until_ms = clock_monotonic_ms() + LONG_MS;
    while (atomic_load(number) < wanted && clock_monotonic_ms() < until_ms) { clock_sleep_ms(1); }
}

static bool print_number(const void *context, struct buf *out)
{
    struct stage *stage = *(struct stage *const *)context;
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
    asker->good = board_cache_take(asker->stage->boards, print_number, &asker->stage, &asker->out);
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
        struct stage stage = { .boards = board_cache_create(), .fails = fails };
        ask_together(&stage, askers);
        CHECK_EQ("one for the first, one for all who came meanwhile", atomic_load(&stage.numbers), 2);
        for (size_t a = 0; a < ASKERS; a++) {
            CHECK_EQ("told", askers[a].good, !stage.fails);
            CHECK_STR("none from before it asked", buf_str(&askers[a].out), stage.fails ? STR("head ") : a == 0 ? STR("head board 1") : STR("head board 2"));
        }
        struct buf out = buf_in(&askers[0].arena);
        CHECK_EQ("and one who asks later has a new one", board_cache_take(stage.boards, print_number, &(struct stage *){ &stage }, &out), !stage.fails);
        CHECK_STR("its number", buf_str(&out), stage.fails ? STR("") : STR("board 3"));
        for (size_t a = 0; a < ASKERS; a++) { arena_finish(&askers[a].arena); }
        board_cache_destroy(stage.boards);
    }
    board_cache_destroy(NULL);
}

int main(void)
{
    test_boards();
    return check_report();
}
