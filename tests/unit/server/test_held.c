/* test_held.c: when a held GPU is idle, and the books of what tasks do with their GPUs. */
#include "server/figures/held.h"

#include "tests/unit/check.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, START = 1000 * MINUTE };
static const struct idle_rule rule = { 0.05, 10 * MINUTE };
static struct arena arena;

/* ---- one device ---- */

/* Samples of `load` (hundredths, -1: not known) each `every` seconds for `minutes`. */
struct stretch { int load, every, minutes; };

static void test_idle(void)
{
    static const struct { const char *row; struct stretch stretches[4]; bool is_idle; int64_t sampled_min, idle_min; int begins, ends; } rows[] = {
        { "busy", { { 80, 15, 30 } }, false, 30, 0, 0, 0 },
        { "not long enough", { { 0, 15, 9 } }, false, 9, 0, 0, 0 },
        { "ten minutes", { { 0, 15, 10 } }, true, 10, 10, 1, 0 },
        { "an hour, all of it", { { 0, 15, 60 } }, true, 60, 60, 1, 0 },
        { "at the limit it is used", { { 5, 15, 60 } }, false, 60, 0, 0, 0 },
        { "just below", { { 4, 15, 60 } }, true, 60, 60, 1, 0 },
        { "one sample ends it", { { 0, 15, 9 }, { 50, 15, 1 }, { 0, 15, 9 } }, false, 19, 0, 0, 0 },
        { "busy again", { { 0, 15, 20 }, { 50, 15, 1 } }, false, 21, 20, 1, 1 },
        { "not known is not idle", { { -1, 15, 60 } }, false, 0, 0, 0, 0 },
        { "and ends it", { { 0, 15, 20 }, { -1, 15, 1 } }, false, 20, 20, 1, 1 },
        { "samples are too far apart", { { 0, 150, 60 } }, false, 0, 0, 0, 0 },
        { "time starts again after a gap", { { 0, 15, 20 }, { 0, 300, 5 }, { 0, 15, 9 } }, false, 29, 20, 1, 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct idle idle = { 0 };
        struct idle_step sum = { 0 }, step = idle_take(&idle, &rule, rows[r].stretches[0].load >= 0, rows[r].stretches[0].load / 100.0, START);
        int64_t at = START;
        int begins = 0, ends = 0;
        CHECK_EQ("the first speaks for no time", step.sampled_ms, 0);
        for (size_t s = 0; s < 4 && rows[r].stretches[s].every > 0; s++) {
            const struct stretch *stretch = &rows[r].stretches[s];
            for (int64_t until = at + (int64_t)stretch->minutes * MINUTE; at + stretch->every * SECOND <= until;) {
                at += stretch->every * SECOND;
                step = idle_take(&idle, &rule, stretch->load >= 0, stretch->load / 100.0, at);
                sum.sampled_ms += step.sampled_ms;
                sum.idle_ms += step.idle_ms;
                begins += step.begins;
                ends += step.ends;
                CHECK_EQ("the same sample again says nothing", idle_take(&idle, &rule, true, 1, at).sampled_ms, 0);
            }
        }
        CHECK(rows[r].row, idle.is_idle == rows[r].is_idle);
        CHECK_EQ(rows[r].row, sum.sampled_ms / MINUTE, rows[r].sampled_min);
        CHECK_EQ(rows[r].row, sum.idle_ms / MINUTE, rows[r].idle_min);
        CHECK_EQ(rows[r].row, begins, rows[r].begins);
        CHECK_EQ(rows[r].row, ends, rows[r].ends);
    }
    struct idle idle = { 0 };
    static const struct idle_rule never = { 0.05, 0 };
    for (int m = 0; m < 100; m++) { CHECK("switched off", !idle_take(&idle, &never, true, 0, START + m * MINUTE).begins); }
}

/* ---- the books ---- */

static struct id test_id(int number) { return (struct id){ { (uint8_t)(number >> 8), (uint8_t)number, 7 } }; }

struct shop { struct held *held; int64_t now; size_t news; struct held_news last; };

/* A report of machine 1: "GPU-0" … have these loads, in hundredths; a negative one has no sample. */
static void report(struct shop *shop, const struct held_gpu *gpus, size_t count, const int *loads, size_t devices)
{
    struct gpu_sample samples[8];
    struct machine_sample told = { .instance = test_id(1), .at_ms = shop->now, .gpus = { samples, 0 } };
    struct held_news news[8];
    for (size_t d = 0; d < devices; d++) {
        if (loads[d] < 0) { continue; }
        struct gpu_sample *sample = &samples[told.gpus.count++];
        *sample = (struct gpu_sample){ .at_ms = shop->now, .uuid = arena_printf(&arena, "GPU-%zu", d) };
        gpu_figure_set(&sample->told, GPU_UTILIZATION, loads[d] / 100.0);
        gpu_figure_set(&sample->told, GPU_MEMORY_USED, 1000);
    }
    size_t got = held_take(shop->held, gpus, count, &told, news, COUNT_OF(news));
    if (got > 0) { shop->last = news[got - 1]; }
    shop->news += got;
}

static void run(struct shop *shop, const struct held_gpu *gpus, size_t count, const int *loads, size_t devices, int minutes)
{
    for (int m = 0; m < minutes; m++) {
        shop->now += MINUTE;
        report(shop, gpus, count, loads, devices);
    }
}

static struct shop shop_open(void) { return (struct shop){ held_create(&rule), START, 0, { { { 0 } }, false } }; }

static size_t list(struct shop *shop, struct held_idle **items) { return held_list(shop->held, test_id(1), items, &arena); }

static void test_books(void)
{
    const struct held_gpu gpus[] = {
        { test_id(2), STR_INIT("GPU-0"), 1000, true, false }, { test_id(2), STR_INIT("GPU-1"), 1000, true, false },
        { test_id(3), STR_INIT("GPU-2"), 500, true, false }, { test_id(4), STR_INIT("GPU-2"), 250, true, true },
    };
    static const int busy[] = { 100, 50, 40 }, half[] = { 80, 0, 80 }, none[] = { 0, 0, 0 };
    struct shop shop = shop_open();
    struct held_idle *items;
    run(&shop, gpus, 4, busy, 3, 11);
    struct task_usage two = held_usage(shop.held, test_id(1), test_id(2)), three = held_usage(shop.held, test_id(1), test_id(3));
    CHECK_EQ("two GPUs, ten minutes", two.sampled_gpu_ms, 20 * MINUTE);
    CHECK_EQ("all of one and half of the other", two.used_gpu_ms, 15 * MINUTE);
    CHECK_EQ("half of a GPU", three.sampled_gpu_ms, 5 * MINUTE);
    CHECK_EQ("at 40 %", three.used_gpu_ms, 2 * MINUTE);
    CHECK_EQ("none is idle", list(&shop, &items), 0);

    run(&shop, gpus, 4, half, 3, 12);
    CHECK_EQ("one task has an idle GPU", list(&shop, &items), 1);
    CHECK("which one", id_eq(items[0].task, test_id(2)) && items[0].uuids.count == 1 && str_eq(items[0].uuids.items[0], STR("GPU-1")));
    CHECK_EQ("of its two", items[0].idle_gpus * 10 / items[0].gpus, 5);
    CHECK_EQ("but not all are", items[0].all_since_ms, 0);
    CHECK_EQ("since the first sample that was low", items[0].since_ms, shop.now - 11 * MINUTE);
    CHECK_EQ("which is counted", items[0].idle_gpu_ms, 11 * MINUTE);
    CHECK_EQ("told once", shop.news, 1);
    CHECK("as a begin", shop.last.begins && id_eq(shop.last.task, test_id(2)));
    CHECK_EQ("in all", held_idle_thousandths(shop.held), 1000);

    run(&shop, gpus, 4, none, 3, 11);
    CHECK_EQ("the excused one is not among them", list(&shop, &items), 2);
    CHECK("all of both are idle", items[0].all_since_ms != 0 && items[1].all_since_ms != 0);
    CHECK_EQ("since the later of them", items[0].all_since_ms, shop.now - 10 * MINUTE);
    CHECK_EQ("in thousandths", held_idle_thousandths(shop.held), 2500);
    CHECK_EQ("excused time is not idle", held_usage(shop.held, test_id(1), test_id(4)).idle_gpu_ms, 0);
    run(&shop, gpus, 4, busy, 3, 1);
    CHECK_EQ("busy again", list(&shop, &items), 0);
    CHECK("which is news", !shop.last.begins && shop.news == 4);
    CHECK_EQ("the idle time stays", held_usage(shop.held, test_id(1), test_id(2)).idle_gpu_ms, 32 * MINUTE);

    run(&shop, &gpus[2], 1, busy, 3, 1);
    CHECK_EQ("a task that is gone is forgotten", held_usage(shop.held, test_id(1), test_id(2)).sampled_gpu_ms, 0);
    CHECK_EQ("another is not", held_usage(shop.held, test_id(1), test_id(3)).sampled_gpu_ms, 35 * MINUTE / 2);
    held_destroy(shop.held);
}

/* A tag that comes later takes back what this time of idleness has added. */
static void test_excused(void)
{
    struct held_gpu gpu = { test_id(2), STR_INIT("GPU-0"), 1000, true, false };
    static const int none[] = { 0 };
    struct shop shop = shop_open();
    struct held_idle *items;
    run(&shop, &gpu, 1, none, 1, 15);
    CHECK_EQ("idle", held_usage(shop.held, test_id(1), test_id(2)).idle_gpu_ms, 14 * MINUTE);
    gpu.excused = true;
    run(&shop, &gpu, 1, none, 1, 5);
    CHECK_EQ("excused", held_usage(shop.held, test_id(1), test_id(2)).idle_gpu_ms, 0);
    CHECK_EQ("and not listed", list(&shop, &items), 0);
    CHECK_EQ("nor counted", held_idle_thousandths(shop.held), 0);
    gpu.excused = false;
    run(&shop, &gpu, 1, none, 1, 5);
    CHECK_EQ("from then on it is", held_usage(shop.held, test_id(1), test_id(2)).idle_gpu_ms, 5 * MINUTE);
    gpu.runs = false;
    run(&shop, &gpu, 1, none, 1, 1);
    CHECK_EQ("a task that does not run is not idle", list(&shop, &items), 0);
    held_destroy(shop.held);
}

static bool lives(void *context, struct id instance)
{
    (void)context;
    return !id_eq(instance, test_id(1));
}

static void test_kept(void)
{
    const struct held_gpu gpus[] = { { test_id(2), STR_INIT("GPU-0"), 1000, true, false }, { test_id(3), STR_INIT("GPU-1"), 500, true, false } };
    static const int loads[] = { 50, 0 };
    struct shop shop = shop_open();
    struct held_idle *items;
    struct buf text = buf_in(&arena), again = buf_in(&arena);
    run(&shop, gpus, 2, loads, 2, 31);
    held_print(shop.held, &text);
    held_destroy(shop.held);

    shop.held = held_create(&rule);
    held_read(shop.held, buf_str(&text));
    held_print(shop.held, &again);
    CHECK_STR("as it was", buf_str(&again), buf_str(&text));
    struct task_usage usage = held_usage(shop.held, test_id(1), test_id(3));
    CHECK_EQ("half a GPU, half an hour", usage.idle_gpu_ms, 15 * MINUTE);
    CHECK_EQ("but nothing is idle before samples come", list(&shop, &items), 0);
    shop.now += 60 * MINUTE;
    run(&shop, gpus, 2, loads, 2, 2);
    CHECK_EQ("the hour without a server is not known", held_usage(shop.held, test_id(1), test_id(2)).sampled_gpu_ms, 31 * MINUTE);
    held_sweep(shop.held, shop.now, lives, NULL);
    CHECK_EQ("a machine that tells stays", held_usage(shop.held, test_id(1), test_id(2)).sampled_gpu_ms, 31 * MINUTE);
    held_sweep(shop.held, shop.now + 1, lives, NULL);
    CHECK_EQ("one that is gone goes", held_usage(shop.held, test_id(1), test_id(2)).sampled_gpu_ms, 0);
    held_destroy(shop.held);

    static const char *const broken[] = {
        "", "berth-held 2\n", "berth-held 1\nx\n", "berth-held 1\n00 00 1 2 3 4 G\n",
        "berth-held 1\n01000700000000000000000000000000 00020700000000000000000000000000 1000 -1 0 0 GPU-0\n",
        "berth-held 1\n01000700000000000000000000000000 00020700000000000000000000000000 1001 1 0 0 GPU-0\n",
        "berth-held 1\n01000700000000000000000000000000 00020700000000000000000000000000 1000 1 2 0 GPU-0\n",
        "berth-held 1\n01000700000000000000000000000000 00020700000000000000000000000000 1000 1 1 0 \n",
    };
    for (size_t b = 0; b < COUNT_OF(broken); b++) {
        struct held *held = held_create(&rule);
        struct buf out = buf_in(&arena);
        held_read(held, str_from(broken[b]));
        held_print(held, &out);
        CHECK_STR(broken[b], buf_str(&out), STR("berth-held 1\n"));
        held_destroy(held);
    }
}

int main(void)
{
    arena_init(&arena, (size_t)64 << 20);
    test_idle();
    test_books();
    test_excused();
    test_kept();
    arena_finish(&arena);
    return check_report();
}
