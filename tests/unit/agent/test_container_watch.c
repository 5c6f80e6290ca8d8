/* The figures from two looks at a container, and the thread that takes them. */
#include "agent/task/container_watch.h"

#include "base/clock.h"
#include "tests/unit/check.h"

enum { LONG_MS = 60000 };

static struct arena arena;

static void test_cores(void)
{
    static const struct { const char *name; struct container_usage before, now; bool set; double cores; } rows[] = {
        { "half a core", { .cpu_seconds = { 10, true }, .read_ms = 1000 }, { .cpu_seconds = { 11, true }, .read_ms = 3000 }, true, 0.5 },
        { "to the thousandth", { .cpu_seconds = { 0, true }, .read_ms = 1 }, { .cpu_seconds = { 1, true }, .read_ms = 3001 }, true, 0.333 },
        { "none", { .cpu_seconds = { 10, true }, .read_ms = 1000 }, { .cpu_seconds = { 10, true }, .read_ms = 3000 }, true, 0 },
        { "the first look", { .read_ms = 0 }, { .cpu_seconds = { 11, true }, .read_ms = 3000 }, false, 0 },
        { "a look that failed", { .cpu_seconds = { 10, true }, .read_ms = 1000 }, { .read_ms = 0 }, false, 0 },
        { "started again", { .cpu_seconds = { 10, true }, .read_ms = 1000 }, { .cpu_seconds = { 1, true }, .read_ms = 3000 }, false, 0 },
        { "no time has passed", { .cpu_seconds = { 10, true }, .read_ms = 1000 }, { .cpu_seconds = { 11, true }, .read_ms = 1000 }, false, 0 },
        { "time is not told", { .read_ms = 1000 }, { .cpu_seconds = { 11, true }, .read_ms = 3000 }, false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct opt_double cores = container_cores(&rows[r].before, &rows[r].now);
        CHECK(rows[r].name, cores.set == rows[r].set && cores.value == rows[r].cores);
    }
}

/* A runtime whose container "a" has used a second more at each look, and that does not know others. */
struct looked { struct runtime base; atomic_int looks; };

static void count_use(struct runtime *runtime, const struct str_list *ids, struct container_usage *uses, const atomic_bool *stop)
{
    struct looked *looked = (struct looked *)runtime;
    (void)stop;
    int look = atomic_fetch_add(&looked->looks, 1);
    for (size_t i = 0; i < ids->count; i++) {
        if (!str_eq(ids->items[i], STR("a"))) { continue; }
        uses[i] = (struct container_usage){ .cpu_seconds = { look, true }, .memory_bytes = { 4096, true }, .read_ms = 1000 * (look + 1) };
    }
}

static const struct runtime_ops ops = { .name = "counting", .usage = count_use };

static struct wire_container_sample_list await_look(struct container_watch *watch, struct looked *looked, int looks, const struct watched_container *asked, size_t count)
{
    int64_t age_ms, until_ms = clock_monotonic_ms() + LONG_MS;
    struct wire_container_sample_list list = { NULL, 0 };
    container_watch_ask(watch, asked, count);
    while (clock_monotonic_ms() < until_ms && (atomic_load(&looked->looks) < looks || (list = container_watch_take(watch, &age_ms, &arena)).count + 1 < count)) { clock_sleep_ms(1); }
    CHECK_EQ("looked", atomic_load(&looked->looks), looks);
    return list;
}

static void test_thread(void)
{
    struct looked looked = { .base = { &ops } };
    static const struct watched_container asked[] = { { "arn:1", "main", "a" }, { "arn:2", "side", "gone" } };
    atomic_int threads = 0;
    atomic_bool stop = false;
    int64_t age_ms;
    struct container_watch *watch = container_watch_start(&looked.base, &threads, &stop);
    CHECK("a thread", watch != NULL && atomic_load(&threads) == 1);
    CHECK_EQ("nothing yet", (int64_t)container_watch_take(watch, &age_ms, &arena).count, 0);
    struct wire_container_sample_list first = await_look(watch, &looked, 1, asked, 2);
    CHECK("the one that is there, without a rate", first.count == 1 && str_eq(first.items[0].task, STR("arn:1")) && !first.items[0].cpu_cores.set
          && first.items[0].memory_bytes.value == 4096);
    (void)await_look(watch, &looked, 2, asked, 2);
    struct wire_container_sample_list second = container_watch_take(watch, &age_ms, &arena);
    for (int64_t until_ms = clock_monotonic_ms() + LONG_MS; !second.items[0].cpu_cores.set && clock_monotonic_ms() < until_ms;) {
        second = container_watch_take(watch, &age_ms, &arena);
    }
    CHECK("a core", second.count == 1 && second.items[0].cpu_cores.set && second.items[0].cpu_cores.value == 1 && age_ms >= 0);
    atomic_store(&stop, true);
    container_watch_wake(watch);
    container_watch_destroy(watch);
    CHECK_EQ("no thread", atomic_load(&threads), 0);
    container_watch_wake(NULL);
    container_watch_destroy(NULL);
}

int main(void)
{
    arena_init(&arena, (size_t)1 << 24);
    test_cores();
    test_thread();
    arena_finish(&arena);
    return check_report();
}
