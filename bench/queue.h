/* queue.h: the parts of the benchmark of the queue. The simulator runs jobs on equal machines under a policy; queue.c reads the trace and prints tables. */
#ifndef BERTH_BENCH_QUEUE_H
#define BERTH_BENCH_QUEUE_H

#include "base/arena.h"
#include "scheduler/queue/fit.h"

enum { SITES_MAX = 32, SHAPES_MAX = 512, SITE_JOBS_MAX = 512 };

struct job {
    int64_t came_s, runs_s;
    struct amount amount;
    uint32_t shape;                                              /* jobs with the same amount have the same */
    int64_t started_s; size_t site; uint64_t slots;              /* the simulator's */
    int64_t expected_s;                                          /* how long it is expected to run, as known when it started; 0: nobody knows */
};

struct jobs { struct job *items; size_t count; };
/* Tasks with GPUs after the first tenth, which are services that are there from the beginning; those that fit no machine are left out. Not sorted. Bad
 * files end the program. */
struct jobs jobs_read(const char *nodes, const char *pods, struct arena *arena);
int job_by_arrival(const void *a, const void *b);                /* for qsort */

enum ordering { IN_ORDER_OF_ARRIVAL, SHORTEST_FIRST, AS_THE_QUEUE };
enum knowledge { LENGTHS_EXACT, LENGTHS_OF_PAST_RUNS, LENGTHS_UNKNOWN };
struct rule {
    const char *name;
    enum ordering ordering;                                      /* AS_THE_QUEUE: scheduler/queue/ decides */
    bool head_blocks;
    bool reserves;
    int64_t after_s, large_after_s;                              /* a job that has waited so long gets room kept */
    int64_t hold_s;                                              /* how long it may idle in an hour, or in twice that time; then none is kept for an hour.
                                                                  * 0: no limit */
    bool any_share;                                              /* without the limit of reserve.h on the share of all GPUs */
    bool hides_lengths;                                          /* the order does not know lengths, the kept room does */
    enum knowledge knowledge;
};

struct outcome { double mean_s, p95_s, max_s, large_mean_s, large_max_s, slowdown; };

/* `jobs` in order of came_s; `sites` empty machines of 96 cores, 384 GiB and 8 GPUs. */
struct outcome simulate(struct job *jobs, size_t count, size_t sites, const struct rule *rule);

#endif
