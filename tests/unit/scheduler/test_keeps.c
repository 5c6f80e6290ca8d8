/* test_keeps.c: room that is kept: whom it holds back; and how long tasks run: steps of lengths, families that go, ends. */
#include "scheduler/queue/keeps.h"
#include "scheduler/queue/runs.h"
#include "tests/unit/check.h"

static struct id id_of(uint8_t number) { return (struct id){ { 1, number } }; }

static struct room spare_of(int16_t gpus)
{
    struct room room = { .cpu = 1000, .memory_mib = 1000, .count = 8 };
    for (int16_t g = 0; g < gpus; g++) { room.free[g] = DEVICE_WHOLE; }
    return room;
}

static void test_bars(void)
{
    static const struct amount one = { 1, 1, 1, DEVICE_WHOLE }, two = { 1, 1, 2, DEVICE_WHOLE };
    static const struct { const char *row; enum keep_kind kind; const struct amount *amount; size_t times; int16_t spare; uint8_t first; int64_t ends_ms, rank;
                          bool service, bars; } rows[] = {
        { "it ends later", KEEP_LARGE, &one, 1, 0, 9, 5001, 0, false, true },
        { "it ends before", KEEP_LARGE, &one, 1, 0, 9, 5000, 0, false, false },
        { "it fits beside", KEEP_LARGE, &one, 1, 1, 9, INT64_MAX, 0, false, false },
        { "one of two fits beside", KEEP_LARGE, &one, 2, 1, 9, INT64_MAX, 0, false, true },
        { "too large for beside", KEEP_LARGE, &two, 1, 1, 9, INT64_MAX, 0, false, true },
        { "it is kept for it", KEEP_LARGE, &two, 1, 0, 1, INT64_MAX, 0, false, false },
        { "a higher rank", KEEP_LARGE, &two, 1, 0, 9, INT64_MAX, 4, false, false },
        { "the same rank", KEEP_LARGE, &two, 1, 0, 9, INT64_MAX, 3, false, true },
        { "a service's", KEEP_LARGE, &one, 1, 0, 9, INT64_MAX, 0, true, false },
        { "a service's, where tasks stopped", KEEP_STOPPED, &one, 1, 0, 9, INT64_MAX, 0, true, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        struct keeps *keeps = keeps_create(&arena);
        const struct keep keep = { .first = id_of(1), .instance = id_of(2), .cluster = 1, .kind = rows[r].kind, .rank = 3, .starts_ms = 5000,
                                   .spare = spare_of(rows[r].spare) };
        const struct asker asker = { id_of(rows[r].first), 1000, rows[r].ends_ms, rows[r].rank, rows[r].service }, nobody = { .now_ms = 0 };
        keeps_put(keeps, &keep);
        CHECK(rows[r].row, (keeps_bar(keeps, id_of(2), rows[r].amount, rows[r].times, &asker, false) != NULL) == rows[r].bars);
        CHECK("not noted", !keeps_news(keeps));
        CHECK("another instance", keeps_bar(keeps, id_of(3), &two, 1, &asker, true) == NULL);
        CHECK("who does not ask", keeps_bar(keeps, id_of(2), &two, 1, &nobody, true) == NULL);
        (void)keeps_bar(keeps, id_of(2), rows[r].amount, rows[r].times, &asker, true);
        CHECK(rows[r].row, keeps_news(keeps) == rows[r].bars);
        CHECK_EQ("since", keeps_find(keeps, id_of(1), id_of(2))->barred_ms, rows[r].bars ? 1000 : 0);
        arena_finish(&arena);
    }
}

static void test_spare(void)
{
    static const struct amount one = { 1, 1, 1, DEVICE_WHOLE };
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct keeps *keeps = keeps_create(&arena);
    const struct asker asker = { id_of(9), 1000, INT64_MAX, 0, false }, brief = { id_of(8), 1000, 4000, 0, false };
    keeps_put(keeps, &(struct keep){ .first = id_of(1), .instance = id_of(2), .starts_ms = 5000, .spare = spare_of(1) });
    keeps_started(keeps, id_of(2), &one, &brief);
    CHECK("one that ends before takes nothing of it", keeps_bar(keeps, id_of(2), &one, 1, &asker, false) == NULL);
    keeps_started(keeps, id_of(2), &one, &asker);
    CHECK("the other one does", keeps_bar(keeps, id_of(2), &one, 1, &asker, false) != NULL);
    for (uint8_t n = 10; n < 30; n++) { keeps_put(keeps, &(struct keep){ .first = id_of(n), .instance = id_of(2), .starts_ms = 1 }); }
    CHECK_EQ("many", keeps_count(keeps), 21);
    for (const struct keep *keep; (keep = keeps_walk(keeps, NULL)) != NULL;) { keeps_drop(keeps, keep->first, keep->instance); }
    keeps_drop(keeps, id_of(1), id_of(2));
    CHECK_EQ("none", keeps_count(keeps), 0);
    CHECK("nothing is held back", keeps_bar(keeps, id_of(2), &one, 1, &asker, false) == NULL);
    CHECK("a look", keeps_look(keeps, 1, 1000, 500));
    CHECK("soon", !keeps_look(keeps, 1, 1499, 500));
    CHECK("another cluster", keeps_look(keeps, 2, 1499, 500));
    CHECK("later", keeps_look(keeps, 1, 1500, 500));
    keeps_look_again(keeps, 1);
    CHECK("at once", keeps_look(keeps, 1, 1500, 500));
    CHECK("the clock was set back", keeps_look(keeps, 1, 100, 500));
    arena_finish(&arena);
}

static void test_lengths(void)
{
    struct arena arena;
    arena_init(&arena, 8 << 20);
    struct runs *runs = runs_create(&arena);
    CHECK_EQ("unknown", runs_length(runs, 7, RUNS_HALF, 1), 0);
    for (int64_t n = 1; n <= 10; n++) { runs_ended(runs, 7, n * 60000); }
    CHECK_EQ("too few", runs_length(runs, 7, RUNS_HALF, 11), 0);
    int64_t half = runs_length(runs, 7, RUNS_HALF, 10), most = runs_length(runs, 7, RUNS_MOST, 10);
    CHECK("half of them", half >= 5 * 60000 && half <= 6 * 60000);
    CHECK("nine of ten", most >= 9 * 60000 && most <= 9 * 60000 * 6 / 5);
    CHECK_EQ("a step is one", runs_step(half), half);
    CHECK("the next", runs_step(half + 1) > half);
    for (int n = 0; n < 5000; n++) { runs_ended(runs, 7, 1000); }
    CHECK_EQ("new runs count", runs_length(runs, 7, RUNS_MOST, 10), 1000);
    for (uint64_t n = 100; n < 100 + RUNS_FAMILIES; n++) { runs_ended(runs, n, 1000); }
    CHECK_EQ("the first family has gone", runs_length(runs, 7, RUNS_MOST, 1), 0);
    CHECK_EQ("the last is there", runs_length(runs, 99 + RUNS_FAMILIES, RUNS_MOST, 1), 1000);
    runs_ended(runs, 99, INT64_MAX / 2);
    CHECK("very long", runs_length(runs, 99, RUNS_MOST, 1) > (int64_t)30 * 24 * 3600 * 1000);
    arena_finish(&arena);
}

static void test_ends(void)
{
    struct arena arena;
    arena_init(&arena, 8 << 20);
    struct runs *runs = runs_create(&arena);
    for (int n = 0; n < RUNS_LEAST; n++) { runs_ended(runs, 7, 1000); }
    static const struct { const char *row; struct run run; int64_t want; } rows[] = {
        { "it says", { .started_ms = 5000, .most_ms = 7000 }, 12000 }, { "not started", { .most_ms = 7000 }, 17000 },
        { "late", { .started_ms = 1000, .most_ms = 7000 }, INT64_MAX }, { "past runs", { .family = 7, .started_ms = 9500, .guessed = true }, 10500 },
        { "of a service", { .family = 7, .started_ms = 9500 }, INT64_MAX }, { "unknown", { .family = 8, .started_ms = 9500, .guessed = true }, INT64_MAX },
        { "it stops", { .started_ms = 5000, .leaves = true }, 10000 + RUNS_STOP_MS },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].row, runs_end_ms(runs, &rows[r].run, 10000, RUNS_MOST, RUNS_LEAST), rows[r].want); }
    for (uint8_t n = 1; n <= 100; n++) { runs_put(runs, &(struct run){ .task = id_of(n), .preemptible = n % 2 == 0 }); }
    runs_put(runs, &(struct run){ .task = id_of(2) });
    runs_put(runs, &(struct run){ .task = id_of(1), .preemptible = true });
    for (uint8_t n = 50; n <= 100; n++) { runs_drop(runs, id_of(n)); }
    size_t count = 0;
    for (const struct run *run = runs_preemptible(runs, NULL); run != NULL; run = runs_preemptible(runs, run)) { count++; }
    CHECK_EQ("preemptible", count, 24);
    CHECK("of priority 0", runs_may_stop(runs, 0) && !runs_may_stop(runs, -1));
    CHECK("gone", runs_find(runs, id_of(50)) == NULL);
    CHECK("there", runs_find(runs, id_of(49)) != NULL);
    arena_finish(&arena);
}

int main(void)
{
    test_bars();
    test_spare();
    test_lengths();
    test_ends();
    return check_report();
}
