/* queue_sim.c: see queue.h. Time goes from event to event: jobs that end, then jobs that come, then one pass over those that wait. A job goes to the site
 * that it fits best, GPUs first: a share where the least is left of a GPU, whole ones where the fewest are free. Ties: the first site. */
#include "bench/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "scheduler/queue/queue.h"
#include "scheduler/queue/reserve.h"

enum { PAST_MAX = 1024, PAST_LEAST = 5, CLUSTER = 1 };
struct past { int64_t runs_s[PAST_MAX]; size_t count; };         /* in order; later runs are not added when it is full */

struct sim {
    struct job *jobs; size_t count;
    const struct rule *rule;
    struct room rooms[SITES_MAX]; size_t sites;
    uint32_t *running; size_t running_count;
    uint32_t *waiting; size_t waiting_count;                     /* unless the queue has them */
    struct queue *queue;
    struct reservation kept;
    bool keeps;
    int64_t now_s, last_s, hour_s, idle_s, none_before_s;        /* of the limit hold_s */
    bool idles;
    struct past past[SHAPES_MAX];
};

static int64_t ms(int64_t seconds) { return (seconds + 1) * 1000; }
static struct id id_of(uint32_t job) { struct id id = { { 1 } }; memcpy(&id.bytes[8], &job, sizeof job); return id; }
static uint32_t job_of(struct id id) { uint32_t job; memcpy(&job, &id.bytes[8], sizeof job); return job; }
static bool is_large(const struct job *job) { return job->amount.devices >= RESERVE_LARGE; }
static int64_t gpus_of(const struct sim *sim) { return (int64_t)sim->sites * 8; }

/* ---- expected lengths ---- */

static void remember(struct past *past, int64_t runs_s)
{
    if (past->count == PAST_MAX) { return; }
    size_t at = past->count++;
    for (; at > 0 && past->runs_s[at - 1] > runs_s; at--) { past->runs_s[at] = past->runs_s[at - 1]; }
    past->runs_s[at] = runs_s;
}

static int64_t expected_of(const struct sim *sim, const struct job *job, size_t percent)
{
    const struct past *past = &sim->past[job->shape];
    if (sim->rule->knowledge == LENGTHS_EXACT) { return job->runs_s; }
    if (sim->rule->knowledge == LENGTHS_UNKNOWN || past->count < PAST_LEAST) { return 0; }
    return past->runs_s[past->count * percent / 100];
}

/* A job that has run for longer than was expected may run for ever. */
static int64_t ends_of(const struct sim *sim, const struct job *job, int64_t started_s, int64_t expected_s)
{
    bool known = expected_s > 0 && started_s + expected_s > sim->now_s;
    return known || (sim->rule->knowledge == LENGTHS_EXACT && job->runs_s > 0) ? ms(started_s + expected_s) : INT64_MAX;
}

/* ---- sites ---- */

static int64_t left_over(const struct room *room, const struct amount *amount)
{
    int64_t whole = 0, least = DEVICE_WHOLE;
    for (uint32_t d = 0; d < room->count; d++) {
        whole += room->free[d] == DEVICE_WHOLE;
        if (room->free[d] >= amount->share && room->free[d] < least) { least = room->free[d]; }
    }
    return amount->share < DEVICE_WHOLE ? least : whole;
}

static size_t site_for(const struct sim *sim, const struct job *job)
{
    size_t best = sim->sites;
    int64_t ends_ms = ends_of(sim, job, sim->now_s, expected_of(sim, job, 90));
    for (size_t s = 0; s < sim->sites; s++) {
        if (!fit_has(&sim->rooms[s], &job->amount) || (sim->keeps && !reserve_lets(&sim->kept, s, &job->amount, ends_ms))) { continue; }
        if (best == sim->sites || left_over(&sim->rooms[s], &job->amount) < left_over(&sim->rooms[best], &job->amount)) { best = s; }
    }
    return best;
}

static bool start(struct sim *sim, uint32_t number)
{
    struct job *job = &sim->jobs[number];
    size_t site = site_for(sim, job);
    if (site == sim->sites) { return false; }
    job->site = site;
    job->started_s = sim->now_s;
    job->expected_s = expected_of(sim, job, 90);
    job->slots = fit_take(&sim->rooms[site], &job->amount);
    if (sim->keeps) { reserve_started(&sim->kept, site, &job->amount, ends_of(sim, job, sim->now_s, job->expected_s)); }
    sim->running[sim->running_count++] = number;
    return true;
}

/* ---- kept room ---- */

static int by_end(const void *a, const void *b)
{
    const struct occupant *first = a, *second = b;
    return (first->ends_ms > second->ends_ms) - (first->ends_ms < second->ends_ms);
}

static void keep_room(struct sim *sim, const struct job *job)
{
    static struct occupant occupants[SITES_MAX][SITE_JOBS_MAX];
    struct site sites[SITES_MAX];
    for (size_t s = 0; s < sim->sites; s++) { sites[s] = (struct site){ sim->rooms[s], occupants[s], 0 }; }
    for (size_t r = 0; r < sim->running_count; r++) {
        const struct job *other = &sim->jobs[sim->running[r]];
        ASSERT(sites[other->site].count < SITE_JOBS_MAX);
        occupants[other->site][sites[other->site].count++] = (struct occupant){
            .amount = other->amount, .slots = other->slots, .ends_ms = ends_of(sim, other, other->started_s, other->expected_s),
        };
    }
    for (size_t s = 0; s < sim->sites; s++) { qsort(occupants[s], sites[s].count, sizeof occupants[s][0], by_end); }
    sim->keeps = reserve_choose(sites, sim->sites, &job->amount, 1, ms(sim->now_s), &sim->kept);
}

/* EASY keeps a machine as a whole. */
static void keep_all_of_it(struct sim *sim)
{
    if (sim->rule->ordering != AS_THE_QUEUE) { sim->kept.sites[0].spare.cpu = -1; }
}

static bool gets_room_kept(const struct sim *sim, const struct job *job)
{
    int64_t after_s = is_large(job) ? sim->rule->large_after_s : sim->rule->after_s;
    int64_t kept = sim->rule->ordering == AS_THE_QUEUE ? job->amount.devices * job->amount.share : 8 * DEVICE_WHOLE;      /* the plain rules keep a machine */
    bool within_share = sim->rule->any_share || kept <= gpus_of(sim) * RESERVE_SHARE;
    return sim->rule->reserves && within_share && !sim->keeps && sim->now_s - job->came_s >= after_s && sim->now_s >= sim->none_before_s;
}

/* Idling of this hour; when it is used up nothing is kept for an hour. */
static void count_idling(struct sim *sim)
{
    sim->idle_s += sim->idles ? sim->now_s - sim->last_s : 0;
    sim->last_s = sim->now_s;
    if (sim->rule->hold_s > 0 && sim->idle_s >= sim->rule->hold_s) {
        sim->none_before_s = sim->now_s + 3600;
        sim->idle_s = 0;
    }
    if (sim->now_s - sim->hour_s >= max_i64(3600, 2 * sim->rule->hold_s)) {
        sim->hour_s = sim->now_s;
        sim->idle_s = 0;
    }
}

/* ---- passes ---- */

/* The plain rules: from the first to the last, and a shape that found no room is not tried again in this pass. */
static void pass_over_list(struct sim *sim)
{
    bool failed[SHAPES_MAX] = { false }, blocked = false;
    size_t left = 0;
    for (size_t w = 0; w < sim->waiting_count; w++) {
        uint32_t number = sim->waiting[w];
        const struct job *job = &sim->jobs[number];
        if (!blocked && !failed[job->shape] && start(sim, number)) { continue; }
        failed[job->shape] |= !sim->keeps;
        sim->waiting[left++] = number;
        blocked |= sim->rule->head_blocks;
        if (gets_room_kept(sim, job)) {
            keep_room(sim, job);
            keep_all_of_it(sim);
        }
    }
    sim->waiting_count = left;
}

static void pass_over_queue(struct sim *sim)
{
    int64_t now_ms = ms(sim->now_s);
    queue_room_grew(sim->queue, CLUSTER);
    for (const struct waiting *next; (next = queue_next(sim->queue, now_ms)) != NULL;) {
        struct id id = next->tasks[0];
        const struct job *job = &sim->jobs[job_of(id)];
        if (start(sim, job_of(id))) {
            queue_drop(sim->queue, id);
            continue;
        }
        const struct waiting *large = queue_first_large(sim->queue, CLUSTER, 0, now_ms);
        if (large == next && gets_room_kept(sim, job)) { keep_room(sim, job); }
        queue_no_room(sim->queue, id);
    }
}

static void pass(struct sim *sim)
{
    sim->keeps = false;
    count_idling(sim);
    if (sim->rule->ordering == AS_THE_QUEUE) {
        pass_over_queue(sim);
    } else {
        pass_over_list(sim);
    }
    const struct amount one = { 0, 0, 1, DEVICE_WHOLE };
    sim->idles = sim->keeps && fit_has(&sim->rooms[sim->kept.sites[0].site], &one);
}

/* ---- events ---- */

static void come(struct sim *sim, uint32_t number)
{
    const struct job *job = &sim->jobs[number];
    if (sim->rule->ordering == AS_THE_QUEUE) {
        struct waiting waiting = {
            .tasks = { id_of(number) }, .count = 1, .cluster = CLUSTER, .shape = job->shape, .since_ms = ms(job->came_s),
            .large = reserve_is_large(&job->amount, 1, gpus_of(sim)), .length_ms = sim->rule->hides_lengths ? 0 : expected_of(sim, job, 50) * 1000,
        };
        queue_put(sim->queue, &waiting);
        return;
    }
    size_t at = sim->waiting_count++;
    bool sorts = sim->rule->ordering == SHORTEST_FIRST;
    for (; sorts && at > 0 && sim->jobs[sim->waiting[at - 1]].runs_s > job->runs_s; at--) { sim->waiting[at] = sim->waiting[at - 1]; }
    sim->waiting[at] = number;
}

static int64_t next_end(const struct sim *sim)
{
    int64_t soonest = INT64_MAX;
    for (size_t r = 0; r < sim->running_count; r++) {
        const struct job *job = &sim->jobs[sim->running[r]];
        soonest = min_i64(soonest, job->started_s + job->runs_s);
    }
    return soonest;
}

static size_t end_jobs(struct sim *sim)
{
    size_t ended = 0;
    for (size_t r = 0; r < sim->running_count;) {
        struct job *job = &sim->jobs[sim->running[r]];
        if (job->started_s + job->runs_s != sim->now_s) {
            r++;
            continue;
        }
        fit_give(&sim->rooms[job->site], &job->amount, job->slots);
        remember(&sim->past[job->shape], job->runs_s);
        sim->running[r] = sim->running[--sim->running_count];
        ended++;
    }
    return ended;
}

static int by_value(const void *a, const void *b)
{
    const double *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static struct outcome judge(const struct sim *sim, double *waits)
{
    struct outcome outcome = { 0 };
    size_t large = 0;
    for (size_t j = 0; j < sim->count; j++) {
        const struct job *job = &sim->jobs[j];
        double waited = (double)(job->started_s - job->came_s), ran = (double)job->runs_s, slowdown = (waited + ran) / (ran > 600 ? ran : 600);
        waits[j] = waited;
        outcome.mean_s += waited / (double)sim->count;
        outcome.slowdown += (slowdown > 1 ? slowdown : 1) / (double)sim->count;
        if (!is_large(job)) { continue; }
        large++;
        outcome.large_mean_s += waited;
        if (waited > outcome.large_max_s) { outcome.large_max_s = waited; }
    }
    outcome.large_mean_s /= large == 0 ? 1 : (double)large;
    qsort(waits, sim->count, sizeof *waits, by_value);
    outcome.p95_s = waits[sim->count * 95 / 100];
    outcome.max_s = waits[sim->count - 1];
    return outcome;
}

struct outcome simulate(struct job *jobs, size_t count, size_t sites, const struct rule *rule)
{
    struct arena arena;
    arena_init(&arena, (size_t)256 << 20);
    struct sim *sim = ARENA_NEW(&arena, struct sim, 1);
    ASSERT(count > 0 && sites <= SITES_MAX);
    sim->jobs = jobs;
    sim->count = count;
    sim->rule = rule;
    sim->sites = sites;
    sim->queue = queue_create(&arena);
    sim->last_s = sim->hour_s = jobs[0].came_s;
    sim->running = ARENA_NEW(&arena, uint32_t, count);
    sim->waiting = ARENA_NEW(&arena, uint32_t, count);
    for (size_t s = 0; s < sites; s++) {
        sim->rooms[s] = (struct room){ .cpu = 96000, .memory_mib = 393216, .count = 8 };
        for (size_t d = 0; d < 8; d++) { sim->rooms[s].free[d] = DEVICE_WHOLE; }
    }
    for (size_t came = 0, ended = 0; ended < count;) {
        sim->now_s = min_i64(next_end(sim), came < count ? jobs[came].came_s : INT64_MAX);
        ended += end_jobs(sim);
        for (; came < count && jobs[came].came_s == sim->now_s; came++) { come(sim, (uint32_t)came); }
        pass(sim);
    }
    struct outcome outcome = judge(sim, ARENA_NEW(&arena, double, count));
    arena_finish(&arena);
    return outcome;
}
