/* week.c: a week of the public trace on machines that are ordered for its tasks: how long tasks wait, how many hours of machines that takes, and how often
 * machines come and go, beside pools of a fixed size and beside ECS's published rules.
 *
 *   week --nodes FILE --pods FILE [--runs N]
 *
 * A machine boots for 180 s, one order of ten fails then, and there are 8 at most, of 96 cores, 384 GiB and 8 GPUs each. The decisions and the placement are
 * Berth's own (scheduler/capacity, scheduler/place); waiting tasks are tried from the oldest on, and those without room are skipped. Figures are means of
 * N runs, in which each task comes up to a minute later and other orders fail. */
#include "bench/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rng.h"
#include "scheduler/capacity/scaling.h"
#include "scheduler/scheduler.h"

enum { WEEK_S = 7 * 86400, BOOT_S = 180, FAIL_IN = 10, SIZE_MAX_OF_POOL = 8, GPUS = 8, CLUSTER = 1, SHIFT_S = 60, FLAP_S = 1800, WARM_UP_S = 300 };
enum { BURST_S = 6 * 3600, BURST_IN_S = 900, IDLE_S = 300, RUNS_MAX = 1000, MACHINES_MAX = 16 };

enum policy { FIXED, GROUP, MANAGED, PUBLISHED };
struct plan { const char *name; enum policy policy; int64_t fixed; };
static const struct plan plans[] = {
    { "fixed, 8 machines", FIXED, 8 }, { "fixed, 4 machines", FIXED, 4 }, { "Berth, Auto Scaling group", GROUP, 0 }, { "Berth, managed instances", MANAGED, 0 },
    { "ECS's published rules", PUBLISHED, 0 },
};

struct load { const char *name; int64_t faster; bool bursts; };
static const struct load loads[] = {
    { "The first week of the trace", 1, false }, { "The same tasks in bursts, every six hours", 1, true }, { "The first two weeks in one", 2, false },
    { "The same in bursts", 2, true },
};

struct figures { double mean_s, p95_s, max_s, hours, outs, orders, flaps, left; };

enum machine_at { NOWHERE, BOOTS, RUNS };
struct pool_item { enum machine_at at; struct id id; int64_t ready_s, ordered_s, empty_s, tasks; bool fails; };
enum { JOB_WAITS = 1, JOB_RUNS, JOB_ENDED };
struct week {
    const struct plan *plan;
    struct rng rng;
    struct arena memory, scratch;
    struct world *world;
    struct job *jobs; size_t count, came;
    uint8_t *states;
    uint32_t *waiting; size_t waiting_count;
    struct demand shapes[SHAPES_MAX];
    struct pool_item machines[MACHINES_MAX];
    struct capacity_memory capacity;
    uint32_t next_id;
    int64_t now_s, last_s, below_minutes;
    int64_t removed_s[WEEK_S / 60]; size_t removed, flapped;      /* removals, in order; those before `flapped` are matched or too old */
    struct figures figures;
};

static const struct instance_type machine_type = {
    .name = STR_INIT("trace.8xgpu"), .x86_64 = true, .vcpus = 96, .memory_mib = 393216, .accelerator_type = STR_INIT("gpu"), .accelerators = GPUS,
    .accelerator_manufacturer = STR_INIT("nvidia"), .accelerator_name = STR_INIT("GPU"), .gpu_share = 1000, .price = PRICE_DOLLAR,
};

static struct id id_of(uint32_t kind, uint32_t number)
{
    struct id id = { { 0 } };
    id.bytes[0] = (uint8_t)kind;
    memcpy(&id.bytes[8], &number, sizeof number);
    return id;
}

/* ---- machines ---- */

static int64_t size_of(const struct week *week)
{
    int64_t size = 0;
    for (size_t m = 0; m < MACHINES_MAX; m++) { size += week->machines[m].at != NOWHERE; }
    return size;
}

static void start(struct week *week, struct pool_item *machine)
{
    static char uuids[MACHINES_MAX][GPUS][24];
    struct sched_gpu gpus[GPUS];
    size_t slot = (size_t)(machine - week->machines);
    for (size_t g = 0; g < GPUS; g++) {
        snprintf(uuids[slot][g], sizeof uuids[slot][g], "GPU-%zu-%zu", slot, g);
        gpus[g] = (struct sched_gpu){ .uuid = str_from(uuids[slot][g]), .model = machine_type.accelerator_name };
    }
    const struct sched_instance instance = { .id = machine->id, .cluster = CLUSTER, .active = true, .connected = true, .cpu = 96 * 1024, .memory_mib = 393216,
                                             .gpus = gpus, .gpu_count = GPUS };
    sched_put_instance(week->world, &instance);
    machine->at = RUNS;
    machine->empty_s = week->now_s;
}

/* Each machine that went in the half hour before, and comes back now, is a flap. */
static void count_flap(struct week *week)
{
    while (week->flapped < week->removed && week->removed_s[week->flapped] < week->now_s - FLAP_S) { week->flapped++; }
    if (week->flapped == week->removed) { return; }
    week->flapped++;
    week->figures.flaps++;
}

static void order(struct week *week, int64_t count)
{
    week->figures.outs += count > 0;
    for (size_t m = 0; m < MACHINES_MAX && count > 0; m++) {
        struct pool_item *machine = &week->machines[m];
        if (machine->at != NOWHERE) { continue; }
        *machine = (struct pool_item){ .at = BOOTS, .id = id_of(1, week->next_id++), .ordered_s = week->now_s, .ready_s = week->now_s + BOOT_S,
                                       .fails = rng_below(&week->rng, FAIL_IN) == 0 };
        week->figures.orders++;
        count_flap(week);
        count--;
    }
}

static void drop(struct week *week, struct pool_item *machine)
{
    if (machine->at == RUNS) { sched_drop_instance(week->world, machine->id); }
    machine->at = NOWHERE;
    if (week->removed < COUNT_OF(week->removed_s)) { week->removed_s[week->removed++] = week->now_s; }
}

/* ---- Berth's decision ---- */

struct view { struct capacity_demand demand; struct capacity_task *tasks; struct capacity_type type; struct capacity_machine machines[MACHINES_MAX];
              struct machine rooms[MACHINES_MAX]; size_t at[MACHINES_MAX]; };

static void look(struct week *week, struct view *view)
{
    view->type = (struct capacity_type){ &machine_type, CAPACITY_NEW_MAX, 0 };
    view->tasks = ARENA_NEW(&week->scratch, struct capacity_task, week->waiting_count + 1);
    view->demand = (struct capacity_demand){ .shapes = week->shapes, .shape_count = SHAPES_MAX, .tasks = view->tasks, .task_count = week->waiting_count,
                                             .types = &view->type, .type_count = 1, .machines = view->machines, .size_max = SIZE_MAX_OF_POOL };
    for (size_t w = 0; w < week->waiting_count; w++) {
        view->tasks[w] = (struct capacity_task){ id_of(2, week->waiting[w]), week->jobs[week->waiting[w]].shape, 0 };
    }
    for (size_t m = 0; m < MACHINES_MAX; m++) {
        const struct pool_item *machine = &week->machines[m];
        if (machine->at == NOWHERE) { continue; }
        size_t n = view->demand.machine_count++;
        bool room = machine->at == RUNS && capacity_room(week->world, machine->id, &view->rooms[n]);
        view->at[n] = m;
        view->machines[n] = (struct capacity_machine){
            .id = machine->id, .type = &machine_type, .room = room ? &view->rooms[n] : NULL, .on_order = machine->at == BOOTS, .busy = machine->tasks > 0,
            .tasks = machine->tasks, .since_ms = (machine->at == BOOTS ? machine->ordered_s : machine->empty_s) * 1000,
        };
    }
}

static void decide(struct week *week)
{
    static struct view view;
    uint32_t leave[MACHINES_MAX];
    look(week, &view);
    bool managed = week->plan->policy == MANAGED;
    struct capacity_plan plan = capacity_plan(&view.demand, &week->scratch);
    const struct capacity_state state = {
        .now_ms = (week->now_s + 1) * 1000, .size = (int64_t)view.demand.machine_count, .used = plan.used, .news = (int64_t)plan.new_count,
        .settings = { .target = 100, .step_min = 1, .step_max = 10000, .size_max = SIZE_MAX_OF_POOL, .protects = true,
                      .warmup_ms = managed ? 0 : WARM_UP_S * 1000, .in_after_ms = managed ? CAPACITY_NEVER : CAPACITY_IN_AFTER_MS,
                      .minute_ms = CAPACITY_MINUTE_MS },
        .memory = week->capacity,
    };
    struct capacity_decision decision = capacity_decide(&state);
    week->capacity = decision.memory;
    if (decision.step > 0) { order(week, decision.step); }
    size_t wanted = decision.step < 0 ? (size_t)-decision.step : 0;
    size_t count = capacity_remove(view.machines, plan.reserved, view.demand.machine_count, wanted, true, leave, &week->scratch);
    if (managed) { count = capacity_idle(view.machines, plan.reserved, view.demand.machine_count, state.now_ms, IDLE_S * 1000, leave); }
    for (size_t r = 0; r < count; r++) { drop(week, &week->machines[view.at[leave[r]]]); }
    arena_reset(&week->scratch);
}

/* ---- ECS's published rules, once a minute ---- */

/* Tasks of a shape, packed into one type by each resource alone. A part of a GPU is a GPU: ECS has no parts. */
static int64_t machines_for(const struct week *week, uint32_t shape, int64_t tasks)
{
    const struct demand *demand = &week->shapes[shape];
    int64_t by_cpu = 96 * 1024 / max_i64(demand->cpu, 1), by_memory = 393216 / max_i64(demand->memory_mib, 1);
    int64_t by_gpu = GPUS / max_i64(demand->gpus[0].count, 1);
    int64_t each = max_i64(min_i64(min_i64(by_cpu, by_memory), by_gpu), 1);
    return (tasks + each - 1) / each;
}

static int64_t needed_as_published(const struct week *week)
{
    static int64_t tasks[SHAPES_MAX];
    int64_t needed = 0;
    memset(tasks, 0, sizeof tasks);
    for (size_t m = 0; m < MACHINES_MAX; m++) { needed += week->machines[m].at == RUNS && week->machines[m].tasks > 0; }
    for (size_t w = 0; w < week->waiting_count; w++) { tasks[week->jobs[week->waiting[w]].shape]++; }
    for (uint32_t s = 0; s < SHAPES_MAX; s++) { needed += tasks[s] > 0 ? machines_for(week, s, tasks[s]) : 0; }
    return week->waiting_count > 0 ? max_i64(needed, size_of(week) + 1) : needed;
}

static bool warms_up(const struct week *week)
{
    bool warms = false;
    for (size_t m = 0; m < MACHINES_MAX; m++) { warms |= week->machines[m].at != NOWHERE && week->now_s - week->machines[m].ordered_s < WARM_UP_S; }
    return warms;
}

/* Empty longest first, half of all a minute. */
static void shrink(struct week *week, int64_t surplus)
{
    int64_t most = max_i64(size_of(week) / 2, 1);
    for (int64_t n = 0; n < surplus && n < most; n++) {
        struct pool_item *best = NULL;
        for (size_t m = 0; m < MACHINES_MAX; m++) {
            struct pool_item *machine = &week->machines[m];
            bool empty = machine->at == RUNS && machine->tasks == 0;
            if (empty && (best == NULL || machine->empty_s < best->empty_s)) { best = machine; }
        }
        if (best != NULL) { drop(week, best); }
    }
}

static void decide_as_published(struct week *week)
{
    int64_t size = size_of(week), needed = needed_as_published(week);
    week->below_minutes = needed < size ? week->below_minutes + 1 : 0;
    if (needed > size && !warms_up(week)) { order(week, min_i64(size == 0 ? 2 : needed - size, SIZE_MAX_OF_POOL - size)); }
    if (week->below_minutes >= 15) { shrink(week, size - needed); }
}

/* ---- tasks ---- */

static void place_all(struct week *week)
{
    bool failed[SHAPES_MAX] = { false };
    size_t left = 0;
    for (size_t w = 0; w < week->waiting_count; w++) {
        uint32_t number = week->waiting[w];
        struct job *job = &week->jobs[number];
        struct placement placement;
        struct id id = id_of(2, number);
        if (failed[job->shape] || sched_place(week->world, &week->shapes[job->shape], &id, 1, true, &placement, NULL) == 0) {
            failed[job->shape] = true;
            week->waiting[left++] = number;
            continue;
        }
        job->started_s = week->now_s;
        week->states[number] = JOB_RUNS;
        for (size_t m = 0; m < MACHINES_MAX; m++) {
            if (week->machines[m].at == RUNS && id_eq(week->machines[m].id, placement.instance)) { job->site = m; }
        }
        week->machines[job->site].tasks++;
    }
    week->waiting_count = left;
}

static int64_t move_on(struct week *week)
{
    int64_t next_s = WEEK_S;
    for (size_t j = 0; j < week->came; j++) {
        struct job *job = &week->jobs[j];
        if (week->states[j] != JOB_RUNS) { continue; }
        if (job->started_s + job->runs_s > week->now_s) {
            next_s = min_i64(next_s, job->started_s + job->runs_s);
            continue;
        }
        week->states[j] = JOB_ENDED;
        sched_drop_task(week->world, id_of(2, (uint32_t)j));
        if (--week->machines[job->site].tasks == 0) { week->machines[job->site].empty_s = week->now_s; }
    }
    for (size_t m = 0; m < MACHINES_MAX; m++) {
        struct pool_item *machine = &week->machines[m];
        if (machine->at != BOOTS) { continue; }
        if (machine->ready_s > week->now_s) {
            next_s = min_i64(next_s, machine->ready_s);
        } else if (machine->fails) {
            machine->at = NOWHERE;
        } else {
            start(week, machine);
        }
    }
    for (; week->came < week->count && week->jobs[week->came].came_s <= week->now_s; week->came++) {
        week->states[week->came] = JOB_WAITS;
        week->waiting[week->waiting_count++] = (uint32_t)week->came;
    }
    return week->came < week->count ? min_i64(next_s, week->jobs[week->came].came_s) : next_s;
}

/* ---- a week ---- */

static int by_value(const void *a, const void *b)
{
    const double *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static void judge(struct week *week)
{
    struct figures *figures = &week->figures;
    double *waits = ARENA_NEW(&week->scratch, double, week->came);
    for (size_t j = 0; j < week->came; j++) {
        bool waits_still = week->states[j] == JOB_WAITS;
        waits[j] = (double)((waits_still ? WEEK_S : week->jobs[j].started_s) - week->jobs[j].came_s);
        figures->mean_s += waits[j] / (double)week->came;
        figures->left += waits_still;
    }
    qsort(waits, week->came, sizeof *waits, by_value);
    figures->p95_s = waits[week->came * 95 / 100];
    figures->max_s = waits[week->came - 1];
}

static struct figures run(const struct jobs *jobs, const struct plan *plan, uint64_t seed)
{
    static struct week week;
    week = (struct week){ .plan = plan, .count = jobs->count, .memory = { .ceiling = (size_t)512 << 20 }, .scratch = { .ceiling = (size_t)256 << 20 } };
    rng_seed(&week.rng, seed);
    week.world = sched_world_create(&week.memory);
    week.jobs = arena_copy(&week.memory, jobs->items, jobs->count * sizeof *jobs->items);
    week.states = ARENA_NEW(&week.memory, uint8_t, jobs->count);
    week.waiting = ARENA_NEW(&week.memory, uint32_t, jobs->count);
    for (size_t j = 0; j < jobs->count; j++) {
        const struct amount *amount = &jobs->items[j].amount;
        week.jobs[j].came_s += (int64_t)rng_below(&week.rng, SHIFT_S);
        week.shapes[jobs->items[j].shape] = (struct demand){
            .cluster = CLUSTER, .cpu = amount->cpu * 1024 / 1000, .memory_mib = amount->memory_mib, .container_count = 1,
            .gpus = { { amount->share < DEVICE_WHOLE ? 1 : amount->devices, amount->share < DEVICE_WHOLE ? amount->share : GPU_WHOLE, 0 } },
        };
    }
    qsort(week.jobs, week.count, sizeof *week.jobs, job_by_arrival);
    for (int64_t m = 0; m < plan->fixed; m++) {
        week.machines[m] = (struct pool_item){ .at = BOOTS, .id = id_of(1, week.next_id++) };
        start(&week, &week.machines[m]);
    }
    for (int64_t next_s = 0; week.now_s < WEEK_S;) {
        week.figures.hours += (double)(size_of(&week) * (week.now_s - week.last_s)) / 3600;
        week.last_s = week.now_s;
        next_s = move_on(&week);
        place_all(&week);
        if (plan->policy == GROUP || plan->policy == MANAGED) { decide(&week); }
        if (plan->policy == PUBLISHED && week.now_s % 60 == 0) { decide_as_published(&week); }
        int64_t minute_s = (week.now_s / 60 + 1) * 60;
        for (size_t j = 0; j < week.came; j++) {                 /* those that have just started */
            if (week.states[j] == JOB_RUNS) { next_s = min_i64(next_s, max_i64(week.jobs[j].started_s + week.jobs[j].runs_s, week.now_s + 1)); }
        }
        week.now_s = min_i64(max_i64(next_s, week.now_s + 1), minute_s);
    }
    judge(&week);
    arena_finish(&week.scratch);
    arena_finish(&week.memory);
    return week.figures;
}

/* ---- the tables ---- */

static void print_table(const char *title, const struct jobs *jobs, int64_t runs)
{
    printf("\n## %s: %zu tasks\n\n| pool | mean wait s | p95 | longest | machine-hours | scale-outs | orders | flaps | waiting at the end |\n"
           "|---|---|---|---|---|---|---|---|---|\n", title, jobs->count);
    for (size_t p = 0; p < COUNT_OF(plans); p++) {
        struct figures sum = { 0 };
        for (int64_t r = 1; r <= runs; r++) {
            struct figures one = run(jobs, &plans[p], (uint64_t)r);
            const double *from = &one.mean_s;
            double *to = &sum.mean_s;
            for (size_t f = 0; f < sizeof sum / sizeof *to; f++) { to[f] += from[f] / (double)runs; }
        }
        printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.1f |\n", plans[p].name, sum.mean_s, sum.p95_s, sum.max_s, sum.hours, sum.outs,
               sum.orders, sum.flaps, sum.left);
        fflush(stdout);
    }
}

/* The tasks that come in the week, `faster` times as fast. In bursts: those of six hours come in the first quarter of an hour of them. */
static struct jobs week_of(const struct jobs *all, int64_t faster, bool bursts, struct arena *arena)
{
    struct jobs jobs = { ARENA_NEW(arena, struct job, all->count), 0 };
    for (size_t j = 0; j < all->count; j++) {
        struct job job = all->items[j];
        job.came_s /= faster;
        if (job.came_s >= WEEK_S - SHIFT_S) { continue; }
        if (bursts) { job.came_s = job.came_s / BURST_S * BURST_S + job.came_s % BURST_S * BURST_IN_S / BURST_S; }
        jobs.items[jobs.count++] = job;
    }
    return jobs;
}

static _Noreturn void usage(void)
{
    fprintf(stderr, "usage: week --nodes FILE --pods FILE [--runs N]\n");
    exit(2);
}

int main(int argc, char **argv)
{
    const char *nodes = NULL, *pods = NULL;
    int64_t runs = 20;
    for (int a = 1; a + 1 < argc; a += 2) {
        struct str name = str_from(argv[a]);
        bool is_runs = str_eq(name, STR("--runs"));
        if (!is_runs && !str_eq(name, STR("--nodes")) && !str_eq(name, STR("--pods"))) { usage(); }
        if (is_runs && (!str_to_i64(str_from(argv[a + 1]), &runs) || runs < 1 || runs > RUNS_MAX)) { usage(); }
        if (str_eq(name, STR("--nodes"))) { nodes = argv[a + 1]; }
        if (str_eq(name, STR("--pods"))) { pods = argv[a + 1]; }
    }
    if (nodes == NULL || pods == NULL || argc % 2 == 0) { usage(); }
    struct arena arena = { .ceiling = (size_t)1 << 30 };
    struct jobs all = jobs_read(nodes, pods, &arena);
    for (size_t l = 0; l < COUNT_OF(loads); l++) {
        struct jobs jobs = week_of(&all, loads[l].faster, loads[l].bursts, &arena);
        print_table(loads[l].name, &jobs, runs);
    }
    arena_finish(&arena);
    return 0;
}
