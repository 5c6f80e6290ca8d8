/* test_capacity_walk.c: random pools that live for a day, minute by minute, with the scheduler that places the tasks: machines start late or never, tasks
 * come in bursts and end. No pool exceeds its MaxSize or loses a busy machine under protection; each task starts; machines that nobody needs go, and nothing
 * goes to come back. */
#include <stdlib.h>

#include "base/num.h"
#include "base/rng.h"
#include "tests/unit/scheduler/capacity_pool.h"

enum {
    CEILING = 64 << 20, MINUTE = CAPACITY_MINUTE_MS, ARRIVALS_END = 8 * 60, DAY = 24 * 60, TASKS_MAX = 200, MACHINES_MAX = 64, SHAPES = 5, FOR_MAX = 64,
};
#define START ((int64_t)1700000000000)

enum task_state { TASK_UNBORN, TASK_WAITS, TASK_RUNS, TASK_ENDED };
struct walk_task { enum task_state state; struct id id; uint32_t shape, gang; int64_t born, ends, lasts; uint32_t machine; };
struct walk_machine {
    bool there, on_order, fails; const struct instance_type *type; struct id id; int64_t ready, since, tasks;
    struct id for_tasks[FOR_MAX]; size_t for_count;
};
struct walk {
    struct rng rng;
    struct arena world_memory, arena;
    struct world *world;
    struct capacity_settings settings;
    struct capacity_memory memory;
    struct demand shapes[SHAPES];
    struct capacity_type types[4]; size_t type_count;
    struct walk_task tasks[TASKS_MAX]; size_t task_count;
    struct walk_machine machines[MACHINES_MAX];
    uint32_t next_machine;
    int64_t minute, last_in, last_change, last_end, steps;       /* last_change: a task came or a machine failed, or MaxSize was in the way */
    bool fails;
};

static int64_t pick(struct walk *walk, int64_t from, int64_t to) { return from + (int64_t)rng_below(&walk->rng, (uint64_t)(to - from + 1)); }

static void begin(struct walk *walk, uint64_t seed)
{
    static const char *const names[] = { "g4dn.xlarge", "g4dn.12xlarge", "g5.2xlarge", "p2.8xlarge" };
    *walk = (struct walk){ .world_memory = { .ceiling = CEILING }, .arena = { .ceiling = CEILING }, .minute = 1, .last_in = -1 };
    rng_seed(&walk->rng, seed);
    walk->world = sched_world_create(&walk->world_memory);
    walk->fails = seed % 2 == 0;
    int64_t size_max = pick(walk, 3, 20);
    walk->settings = (struct capacity_settings){ .target = pick(walk, 0, 2) == 0 ? pick(walk, 50, 100) : 100, .step_min = 1, .step_max = pick(walk, 1, 5), .size_min = pick(walk, 0, 1),
                                                 .size_max = size_max, .protects = true, .warmup_ms = pick(walk, 0, 1) * 300000, .in_after_ms = CAPACITY_IN_AFTER_MS, .minute_ms = MINUTE };
    walk->settings.step_min = pick(walk, 1, walk->settings.step_max);
    walk->type_count = (size_t)pick(walk, 1, 3);
    walk->types[0].type = catalogue_find(catalogue_builtin(), STR("g4dn.12xlarge"));         /* holds each shape */
    for (size_t t = 0; t < walk->type_count; t++) {
        if (t > 0) { walk->types[t].type = catalogue_find(catalogue_builtin(), str_from(names[(seed + t) % COUNT_OF(names)])); }
        walk->types[t].left = 1000;
    }
    for (size_t s = 0; s < SHAPES; s++) {
        bool part = pick(walk, 0, 3) == 0;
        walk->shapes[s] = (struct demand){ .cluster = TEST_CLUSTER, .cpu = pick(walk, 100, 8000), .memory_mib = pick(walk, 100, 30000), .container_count = 1,
                                           .gpus = { { part ? 1 : pick(walk, 0, 4), part ? pick(walk, 100, 900) : GPU_WHOLE, 0 } }, .seed = seed };
    }
    for (uint32_t gang = 0; walk->task_count + 4 < TASKS_MAX && walk->task_count < (size_t)pick(walk, 5, TASKS_MAX);) {
        int64_t born = pick(walk, 0, ARRIVALS_END), lasts = pick(walk, 1, 90), size = pick(walk, 0, 5) == 0 ? pick(walk, 2, 3) : 1;
        uint32_t shape = (uint32_t)pick(walk, 0, SHAPES - 1), member = size > 1 ? ++gang : 0;
        for (int64_t n = 0; n < size; n++) {
            struct id id = test_id((uint32_t)walk->task_count + 1);
            walk->tasks[walk->task_count++] = (struct walk_task){ TASK_UNBORN, id, shape, member, born, 0, lasts, 0 };
        }
    }
}

/* ---- the world goes on ---- */

static void register_machine(struct walk *walk, uint32_t at)
{
    struct walk_machine *machine = &walk->machines[at];
    struct sched_gpu gpus[TEST_GPUS_MAX];
    for (size_t g = 0; g < (size_t)machine->type->accelerators; g++) {
        gpus[g] = (struct sched_gpu){ .uuid = test_uuid(at, g), .model = machine->type->accelerator_name, .memory_mib = machine->type->accelerator_mib };
    }
    const struct sched_instance instance = { .id = machine->id, .cluster = TEST_CLUSTER, .active = true, .connected = true, .cpu = machine->type->vcpus * 1024,
                                             .memory_mib = machine->type->memory_mib, .gpus = gpus, .gpu_count = (size_t)machine->type->accelerators };
    sched_put_instance(walk->world, &instance);
    machine->on_order = false;
    machine->since = walk->minute;
}

static void move_on(struct walk *walk)
{
    for (size_t t = 0; t < walk->task_count; t++) {
        struct walk_task *task = &walk->tasks[t];
        if (task->state == TASK_UNBORN && task->born <= walk->minute) {
            task->state = TASK_WAITS;
            walk->last_change = walk->minute;
        }
        if (task->state != TASK_RUNS || task->ends > walk->minute) { continue; }
        task->state = TASK_ENDED;
        walk->last_end = walk->minute;
        sched_drop_task(walk->world, task->id);
        if (--walk->machines[task->machine].tasks == 0) { walk->machines[task->machine].since = walk->minute; }
    }
    for (uint32_t m = 0; m < MACHINES_MAX; m++) {
        struct walk_machine *machine = &walk->machines[m];
        if (!machine->there || !machine->on_order || machine->ready > walk->minute) { continue; }
        if (machine->fails) {
            machine->there = false;
            walk->last_change = walk->minute;
        } else {
            register_machine(walk, m);
        }
    }
}

static void place_all(struct walk *walk)
{
    for (size_t t = 0, count = 1; t < walk->task_count; t += count) {
        struct id ids[4];
        struct placement placements[4];
        for (count = 1; walk->tasks[t].gang != 0 && t + count < walk->task_count && walk->tasks[t + count].gang == walk->tasks[t].gang;) { count++; }
        for (size_t n = 0; n < count; n++) { ids[n] = walk->tasks[t + n].id; }
        if (walk->tasks[t].state != TASK_WAITS) { continue; }
        if (sched_place(walk->world, &walk->shapes[walk->tasks[t].shape], ids, count, true, placements, NULL) < count) { continue; }
        for (size_t n = 0; n < count; n++) {
            struct walk_task *task = &walk->tasks[t + n];
            task->state = TASK_RUNS;
            task->ends = walk->minute + task->lasts;
            for (uint32_t m = 0; m < MACHINES_MAX; m++) {
                if (walk->machines[m].there && id_eq(walk->machines[m].id, placements[n].instance)) { task->machine = m; }
            }
            walk->machines[task->machine].tasks++;
        }
    }
}

/* ---- a decision ---- */

struct view { struct capacity_demand demand; struct capacity_task tasks[TASKS_MAX]; struct capacity_machine machines[MACHINES_MAX]; struct machine rooms[MACHINES_MAX]; uint32_t at[MACHINES_MAX]; };

static void look(struct walk *walk, struct view *view)
{
    *view = (struct view){ .demand = { .shapes = walk->shapes, .shape_count = SHAPES, .tasks = view->tasks, .types = walk->types, .type_count = walk->type_count,
                                       .machines = view->machines, .size_max = walk->settings.size_max } };
    for (size_t t = 0; t < walk->task_count; t++) {
        if (walk->tasks[t].state == TASK_WAITS) { view->tasks[view->demand.task_count++] = (struct capacity_task){ walk->tasks[t].id, walk->tasks[t].shape, walk->tasks[t].gang }; }
    }
    for (uint32_t m = 0; m < MACHINES_MAX; m++) {
        const struct walk_machine *machine = &walk->machines[m];
        if (!machine->there) { continue; }
        size_t n = view->demand.machine_count++;
        view->at[n] = m;
        bool room = !machine->on_order && capacity_room(walk->world, machine->id, &view->rooms[n]);
        CHECK("registered machines have room", room != machine->on_order);
        view->machines[n] = (struct capacity_machine){ .id = machine->id, .type = machine->type, .room = room ? &view->rooms[n] : NULL, .on_order = machine->on_order,
                                                       .busy = machine->tasks > 0, .tasks = machine->tasks, .since_ms = machine->since, .for_tasks = machine->for_tasks,
                                                       .for_count = machine->for_count };
    }
}

static void order(struct walk *walk, const struct capacity_addition *addition)
{
    uint32_t m = 0;
    while (m < MACHINES_MAX && walk->machines[m].there) { m++; }
    CHECK("there is a place", m < MACHINES_MAX);
    if (m == MACHINES_MAX) { return; }
    struct walk_machine *machine = &walk->machines[m];
    *machine = (struct walk_machine){ .there = true, .on_order = true, .fails = walk->fails && pick(walk, 0, 9) == 0, .type = walk->types[addition->type].type,
                                      .id = test_id(1000 + walk->next_machine++), .ready = walk->minute + pick(walk, 1, 5), .since = walk->minute };
    for (size_t n = 0; addition->for_tasks != NULL && n < addition->for_tasks->task_count && n < FOR_MAX; n++) {
        machine->for_tasks[machine->for_count++] = addition->for_tasks->tasks[n];
    }
}

static void check_decision(struct walk *walk, const struct capacity_decision *decision, const struct capacity_plan *plan)
{
    if (decision->why == CAPACITY_AT_MAX || plan->held > 0) { walk->last_change = walk->minute; }
    if (decision->step > 0 && walk->last_in >= 0 && walk->settings.target == 100) { CHECK("nothing goes to come back", walk->last_change >= walk->last_in); }
    if (decision->step < 0) {
        CHECK("not sooner than the last step out allows", decision->memory.last_out_ms == 0 || decision->memory.last_out_ms + CAPACITY_IN_AFTER_MS <= START + walk->minute * MINUTE);
        if (plan->new_count == 0) { walk->last_in = walk->minute; }          /* else it makes room for another type */
    }
    CHECK_EQ("each task is possible", plan->impossible, 0);
    walk->steps += decision->step != 0;
}

static void decide(struct walk *walk)
{
    static struct view view;
    look(walk, &view);
    struct capacity_plan plan = capacity_plan(&view.demand, &walk->arena);
    const struct capacity_state state = { .now_ms = START + walk->minute * MINUTE, .size = (int64_t)view.demand.machine_count, .used = plan.used, .news = (int64_t)plan.new_count,
                                          .settings = walk->settings, .memory = walk->memory };
    struct capacity_decision decision = capacity_decide(&state);
    check_decision(walk, &decision, &plan);
    walk->memory = decision.memory;
    if (decision.step > 0) {
        struct capacity_addition *additions = ARENA_NEW(&walk->arena, struct capacity_addition, (size_t)decision.step);
        size_t added = capacity_add(&view.demand, &plan, (size_t)decision.step, additions);
        CHECK_EQ("all that it wants", added, decision.step);
        for (size_t a = 0; a < added; a++) { order(walk, &additions[a]); }
        CHECK("MaxSize", (int64_t)(view.demand.machine_count + added) <= walk->settings.size_max);
    }
    uint32_t removed[MACHINES_MAX];
    size_t count = decision.step < 0 ? capacity_remove(view.machines, plan.reserved, view.demand.machine_count, (size_t)-decision.step, true, removed, &walk->arena) : 0;
    CHECK_EQ("as many as it wants", count, decision.step < 0 ? -decision.step : 0);
    for (size_t r = 0; r < count; r++) {
        struct walk_machine *machine = &walk->machines[view.at[removed[r]]];
        CHECK_EQ("it is not busy", machine->tasks, 0);
        if (!machine->on_order) { sched_drop_instance(walk->world, machine->id); }
        machine->there = false;
    }
    arena_reset(&walk->arena);
}

static void run(uint64_t seed)
{
    static struct walk walk;
    begin(&walk, seed);
    int64_t least = 0, quiet_steps = 0;
    for (; walk.minute < DAY; walk.minute++) {
        int64_t before = walk.steps;
        move_on(&walk);
        place_all(&walk);
        decide(&walk);
        if (walk.minute > DAY - 60) { quiet_steps += walk.steps - before; }
    }
    for (size_t t = 0; t < walk.task_count; t++) { CHECK_EQ("each task has run", walk.tasks[t].state, TASK_ENDED); }
    for (size_t m = 0; m < MACHINES_MAX; m++) { least += walk.machines[m].there; }
    CHECK_EQ("MinSize is left", least, walk.settings.size_min);
    CHECK_EQ("and all is quiet", quiet_steps, 0);
    arena_finish(&walk.arena);
    arena_finish(&walk.world_memory);
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, last = argc > 2 ? strtoull(argv[2], NULL, 10) : first + 100;
    for (uint64_t seed = first; seed <= last; seed++) {
        unsigned long failed = check_failed_count;
        run(seed);
        if (check_failed_count > failed) { fprintf(stderr, "seed %llu failed\n", (unsigned long long)seed); }
    }
    return check_report();
}
