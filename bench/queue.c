/* queue.c: how long the tasks of a trace wait on a few machines, under rules for waiting tasks: the usual ones, and those of scheduler/queue/.
 *
 *   queue --nodes FILE --pods FILE [--runs N]
 *
 * First the trace as it is: the table, and whether the rows that are known from another simulator come out again. Then N runs in which each task comes up to
 * a minute later, for ratios that do not hang on one order of events. Ends with 1 when a known row differs or a goal is missed. */
#include "bench/queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rng.h"

enum { RUNS_MAX = 1000, SHIFT_S = 60, BLOCKS = 0, SKIPS = 1, EASY = 2, OWN = 6, RULES = 15, DAY_S = 24 * 3600 };

static const struct rule rules[RULES] = {
    [BLOCKS] = { .name = "in order, the head blocks", .head_blocks = true },
    [SKIPS] = { .name = "in order, skip" },
    [EASY] = { .name = "in order, room kept for the head at once (EASY)", .reserves = true, .any_share = true },
    { .name = "EASY after 24 h", .reserves = true, .any_share = true, .after_s = DAY_S, .large_after_s = DAY_S },
    { .name = "shortest first, skip", .ordering = SHORTEST_FIRST },
    { .name = "in order, kept after 30 min (4 GPUs: 10), 30 min an hour", .reserves = true, .after_s = 1800, .large_after_s = 600, .hold_s = 1800 },
    [OWN] = { .name = "Berth", .ordering = AS_THE_QUEUE, .reserves = true, .hold_s = 6 * 3600 },
    { .name = "Berth, lengths of past runs of the shape", .ordering = AS_THE_QUEUE, .reserves = true, .knowledge = LENGTHS_OF_PAST_RUNS },
    { .name = "Berth, no lengths known", .ordering = AS_THE_QUEUE, .reserves = true, .knowledge = LENGTHS_UNKNOWN },
    { .name = "Berth, without short first", .ordering = AS_THE_QUEUE, .reserves = true, .hides_lengths = true },
    { .name = "Berth, no room kept", .ordering = AS_THE_QUEUE },
    { .name = "Berth, 30 min an hour", .ordering = AS_THE_QUEUE, .reserves = true, .hold_s = 1800 },
    { .name = "Berth, 2 h in 4 h", .ordering = AS_THE_QUEUE, .reserves = true, .hold_s = 2 * 3600 },
    { .name = "Berth, no limit on the time", .ordering = AS_THE_QUEUE, .reserves = true },
    { .name = "Berth, in order, room kept by past runs", .ordering = AS_THE_QUEUE, .reserves = true, .hides_lengths = true, .knowledge = LENGTHS_OF_PAST_RUNS },
};

struct pool { const char *name; size_t sites; int64_t faster; bool held_to_easy; };
static const struct pool pools[] = { { "4 machines", 4, 1, false }, { "3 machines", 3, 1, false }, { "16 machines, 8 times as fast", 16, 8, true },
                                     { "12 machines, 8 times as fast", 12, 8, true } };

/* Rows that another simulator gave: mean, 95th percentile, longest, mean of 4 GPUs and more, slowdown. */
struct known { size_t pool, rule; double mean, p95, max, large, slowdown; };
static const struct known known[] = {
    { 0, BLOCKS, 193779, 579920, 601979, 139155, 237 }, { 0, SKIPS, 1105, 1701, 913542, 65269, 1.88 }, { 0, EASY, 18519, 118209, 601979, 69350, 25.1 },
    { 0, 3, 18522, 118209, 601979, 69350, 25.1 },       { 0, 4, 713, 385, 931419, 76583, 1.37 },
    { 1, BLOCKS, 628610, 1599422, 1670933, 533608, 789 }, { 1, SKIPS, 3163, 24608, 977323, 113529, 4.06 }, { 1, EASY, 76882, 309063, 937792, 151713, 97.5 },
    { 1, 3, 3163, 24608, 977323, 113529, 4.06 },        { 1, 4, 1349, 1328, 1077111, 129081, 1.54 },
    { 2, BLOCKS, 1836, 11734, 13853, 1747, 3.39 },      { 2, SKIPS, 83, 616, 22931, 1878, 1.06 },  { 2, EASY, 147, 1162, 16334, 1433, 1.13 },
    { 2, 4, 49, 77, 54320, 2608, 1.03 },
    { 3, BLOCKS, 45531, 125566, 138286, 37706, 58.3 },  { 3, SKIPS, 3840, 23434, 138851, 27036, 6.18 }, { 3, EASY, 3685, 23996, 133450, 26160, 6.00 },
    { 3, 4, 394, 563, 202147, 20328, 1.16 },
};

/* ---- a run ---- */

/* seed 0: as they are; else each comes up to a minute later. */
static struct outcome run(const struct jobs *jobs, const struct pool *pool, const struct rule *rule, uint64_t seed, struct arena *scratch)
{
    struct job *copy = arena_copy(scratch, jobs->items, jobs->count * sizeof *copy);
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t j = 0; j < jobs->count; j++) {
        copy[j].came_s = copy[j].came_s / pool->faster + (seed == 0 ? 0 : (int64_t)rng_below(&rng, SHIFT_S));
    }
    qsort(copy, jobs->count, sizeof *copy, job_by_arrival);
    return simulate(copy, jobs->count, pool->sites, rule);
}

/* ---- the tables ---- */

static bool near(double got, double want, double step) { return fabs(got - want) <= step; }

static const char *compare(size_t pool, size_t rule, const struct outcome *got, bool *good)
{
    for (size_t k = 0; k < COUNT_OF(known); k++) {
        const struct known *row = &known[k];
        if (row->pool != pool || row->rule != rule) { continue; }
        double step = row->slowdown < 10 ? 0.006 : row->slowdown < 100 ? 0.06 : 0.6;      /* of its last digit */
        bool same = near(got->mean_s, row->mean, 0.5) && near(got->p95_s, row->p95, 0.5) && near(got->max_s, row->max, 0.5)
                    && near(got->large_mean_s, row->large, 0.5) && near(got->slowdown, row->slowdown, step);
        *good &= same;
        return same ? "the same" : "DIFFERS";
    }
    return "";
}

static bool reaches(const struct pool *pool, const struct outcome *got, const struct outcome *skip, const struct outcome *easy)
{
    bool mean = got->mean_s <= 1.1 * skip->mean_s;
    return mean && (!pool->held_to_easy || (got->large_mean_s <= easy->large_mean_s && got->large_max_s <= easy->large_max_s));
}

static bool print_trace(const struct jobs *jobs, struct arena *scratch)
{
    bool good = true;
    for (size_t p = 0; p < COUNT_OF(pools); p++) {
        struct outcome all[RULES];
        printf("\n%s\n\n| rule | mean wait s | p95 | longest | 4 GPUs and more: mean | longest | slowdown | known row | goals |\n", pools[p].name);
        printf("|---|---|---|---|---|---|---|---|---|\n");
        for (size_t r = 0; r < RULES; r++) {
            const struct outcome *one = &all[r];
            all[r] = run(jobs, &pools[p], &rules[r], 0, scratch);
            arena_reset(scratch);
            bool reached = r > EASY && reaches(&pools[p], one, &all[SKIPS], &all[EASY]);
            good &= r != OWN || reached;
            const char *same = compare(p, r, one, &good), *goals = r <= EASY ? "" : reached ? "reached" : "missed";
            printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f | %s | %s |\n", rules[r].name, one->mean_s, one->p95_s, one->max_s, one->large_mean_s,
                   one->large_max_s, one->slowdown, same, goals);
            fflush(stdout);
        }
    }
    return good;
}

/* Geometric means of ratios. */
static void print_ratios(const struct pool *pool, uint64_t runs, double sums[RULES][3])
{
    double n = (double)runs;
    printf("\n%s, %.0f runs\n\n| rule | mean wait, of skip's | 4 GPUs and more: mean, of EASY's | longest, of EASY's |\n|---|---|---|---|\n", pool->name, n);
    for (size_t r = EASY; r < RULES; r++) {
        printf("| %s | %.2f | %.2f | %.2f |\n", rules[r].name, exp(sums[r][0] / n), exp(sums[r][1] / n), exp(sums[r][2] / n));
    }
    fflush(stdout);
}

static void print_runs(const struct jobs *jobs, uint64_t runs, struct arena *scratch)
{
    for (size_t p = 0; p < COUNT_OF(pools); p++) {
        double sums[RULES][3] = { { 0 } };
        for (uint64_t seed = 1; seed <= runs; seed++) {
            struct outcome all[RULES];
            for (size_t r = 0; r < RULES; r++) {
                all[r] = run(jobs, &pools[p], &rules[r], seed, scratch);
                arena_reset(scratch);
                sums[r][0] += log(all[r].mean_s / all[SKIPS].mean_s);
                if (r < EASY) { continue; }
                sums[r][1] += log(all[r].large_mean_s / all[EASY].large_mean_s);
                sums[r][2] += log(all[r].large_max_s / all[EASY].large_max_s);
            }
        }
        print_ratios(&pools[p], runs, sums);
    }
}

static _Noreturn void usage(void)
{
    fprintf(stderr, "usage: queue --nodes FILE --pods FILE [--runs N]\n");
    exit(2);
}

int main(int argc, char **argv)
{
    const char *nodes = NULL, *pods = NULL;
    int64_t runs = 0;
    for (int a = 1; a + 1 < argc; a += 2) {
        struct str name = str_from(argv[a]);
        bool known_name = str_eq(name, STR("--nodes")) || str_eq(name, STR("--pods")) || str_eq(name, STR("--runs"));
        if (!known_name || (str_eq(name, STR("--runs")) && (!str_to_i64(str_from(argv[a + 1]), &runs) || runs < 0 || runs > RUNS_MAX))) { usage(); }
        if (str_eq(name, STR("--nodes"))) { nodes = argv[a + 1]; }
        if (str_eq(name, STR("--pods"))) { pods = argv[a + 1]; }
    }
    if (nodes == NULL || pods == NULL || argc % 2 == 0) { usage(); }
    struct arena arena, scratch;
    arena_init(&arena, (size_t)1 << 30);
    arena_init(&scratch, (size_t)64 << 20);
    struct jobs jobs = jobs_read(nodes, pods, &arena);
    printf("%zu tasks\n", jobs.count);
    bool good = print_trace(&jobs, &scratch);
    if (runs > 0) { print_runs(&jobs, (uint64_t)runs, &scratch); }
    arena_finish(&scratch);
    arena_finish(&arena);
    printf("\n%s\n", good ? "All known rows are the same, and Berth reaches its goals." : "A known row differs, or Berth misses a goal.");
    return good ? 0 : 1;
}
