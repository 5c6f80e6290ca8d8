/* lives: whole lives of tasks, as fast as the server can take them down: RunTask over many connections, a fleet of simulated machines
 * that take each task from their polls, and reports that it runs and that it has ended. Everything is signed, every answer durable.
 *
 *   lives PORT AGENT-PORT KEY SECRET MACHINES CONNECTIONS REPORTERS SECONDS ALIVE [LIVES [RATE]]
 *
 * At most ALIVE tasks live at a time, so that the server is neither idle nor buried. After a second of warming up lives are counted for
 * SECONDS, or from the first on until LIVES have begun; then the rest is brought to its end, and every task that RunTask acknowledged must
 * have ended. With a RATE this many begin in a second, and no more. One line of JSON. A life is three durable changes: it is placed and
 * PENDING, it is RUNNING, it is STOPPED. */
#include <stdio.h>

#include "base/clock.h"
#include "bench/fleet.h"

enum {
    PER_CALL = 10, WARM_UP_US = 1000 * 1000, WAIT_MS = 1000, PACE_MS = 5,
    SIGNED_FOR_US = 500 * 1000,                  /* a signature is good for minutes, but clocks may run faster */
};
static const size_t arena_size = (size_t)64 << 20;

struct bench {
    struct fleet fleet;
    int64_t alive_max, rate;                     /* rate 0: as many as the server takes */
    int64_t began_us, signed_us;
    bool draining;
    uint64_t created;
    struct str run_request;
    struct arena run_arena;
};

/* ---- RunTask ---- */

static void take_run(struct fleet *fleet, struct link *link, struct str body)
{
    struct bench *bench = fleet->owner;
    if (memmem(body.ptr, body.len, "\"failures\":[]", 13) == NULL) { bench_fail("RunTask", body); }
    bench->created += PER_CALL;
    link->next_free = fleet->free_runs;
    fleet->free_runs = link;
}

static void sign_run(struct bench *bench)
{
    if (bench->signed_us != 0 && bench_now_us() - bench->signed_us < SIGNED_FOR_US) { return; }
    arena_reset(&bench->run_arena);
    bench->run_request =
        bench_request(&bench->fleet.api, "/", "RunTask", STR("{\"taskDefinition\":\"bench\",\"startedBy\":\"bench\",\"count\":10}"), &bench->run_arena);
    bench->signed_us = bench_now_us();
}

static bool may_begin(const struct bench *bench, uint64_t asked)
{
    bool due = bench->rate == 0 || (int64_t)asked < (bench_now_us() - bench->began_us) * bench->rate / 1000000;
    return !bench->draining && due && bench->fleet.free_runs != NULL && (int64_t)(asked - bench->fleet.stopped) < bench->alive_max;
}

static void turn(struct bench *bench)
{
    static uint64_t asked;
    struct fleet *fleet = &bench->fleet;
    sign_run(bench);
    while (may_begin(bench, asked)) {
        struct link *link = fleet->free_runs;
        fleet->free_runs = link->next_free;
        asked += PER_CALL;
        fleet_send(link, bench->run_request);
    }
    fleet_turn(fleet, bench->rate > 0 ? PACE_MS : WAIT_MS);
}

static void measure(struct bench *bench, int64_t seconds, uint64_t lives_max)
{
    bench->began_us = bench_now_us();
    int64_t began_us = bench_now_us() + (lives_max == UINT64_MAX ? WARM_UP_US : 0);
    while (bench_now_us() < began_us) { turn(bench); }
    const struct bench before = *bench;
    began_us = bench_now_us();
    while (bench_now_us() < began_us + seconds * 1000000 && bench->created < lives_max) { turn(bench); }
    double took_s = (double)(bench_now_us() - began_us) / 1e6;
    const struct bench after = *bench;
    bench->draining = true;
    while (bench->fleet.stopped < bench->created || bench->fleet.taken < bench->created) { turn(bench); }
    const struct fleet *from = &before.fleet, *to = &after.fleet;
    double lives = (double)(to->stopped - from->stopped), created = (double)(after.created - before.created);
    double changes = created + (double)(to->running - from->running) + lives;
    printf("{\"lives_per_s\":%.0f,\"changes_per_s\":%.0f,\"placed_per_s\":%.0f,\"reports_a_call\":%.1f,\"tasks_a_poll\":%.2f,\"lives\":%llu,"
           "\"seconds\":%.3f}\n", lives / took_s, changes / took_s, created / took_s, (changes - created) / (double)(to->report_calls - from->report_calls),
           (double)(to->taken - from->taken) / (double)(to->polls - from->polls), (unsigned long long)bench->fleet.stopped, took_s);
}

int main(int argc, char **argv)
{
    enum { FIXED = 5, LIVES = 10, RATE = 11, ARGUMENTS = 12 };
    static const char usage[] = "lives PORT AGENT-PORT KEY SECRET MACHINES CONNECTIONS REPORTERS SECONDS ALIVE [LIVES [RATE]]";
    int64_t number[ARGUMENTS] = { 0 };
    bool good = argc >= LIVES && argc <= ARGUMENTS;
    for (int a = 1; good && a < argc; a++) {
        bool text = a == 3 || a == 4;
        good = text || (str_to_i64(str_from(argv[a]), &number[a]) && number[a] > 0);
    }
    if (!good) { bench_fail("usage", str_from(usage)); }
    static struct bench bench;
    bench = (struct bench){
        .fleet = { .api = { "127.0.0.1", (int)number[1], "/", argv[3], argv[4] }, .agents = { "127.0.0.1", (int)number[2], "/", argv[3], argv[4] },
                   .take_run = take_run, .owner = &bench },
        .alive_max = number[9], .rate = number[RATE],
    };
    arena_init(&bench.run_arena, arena_size);
    fleet_open(&bench.fleet, (size_t)number[5], (size_t)number[6], (size_t)number[7]);
    measure(&bench, number[FIXED + 3], number[LIVES] > 0 ? (uint64_t)number[LIVES] : UINT64_MAX);
    return 0;
}
