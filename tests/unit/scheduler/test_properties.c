/* Small random worlds from seeds, against a plain model: machines that fit, free parts, impossible demands, and that a world is
 * only its contents, however it came about. A failure prints its seed. */
#include "worlds.h"

#include "base/rng.h"

enum { INSTANCES_MAX = 12, TASKS_MAX = 60, SEEDS = 150, STEPS = 60, PORTS = 3, GPUS_MAX = 4, GROUPS = 3 };
static const int64_t ports[PORTS] = { 80, 144, 80 | 0x10000 };   /* 80 and 144 look alike in a set of 64 bits */
static const char *const groups[GROUPS] = { "", "family:web", "service:api" };
static const char *const zones[3] = { NULL, "a", "b" };

/* ---- the model ---- */
struct model_instance { bool there, active, connected; int64_t cluster, cpu, memory_mib; size_t gpus; uint64_t gpus_out; bool reserved[PORTS]; size_t zone; };
struct model_task {
    bool there; uint32_t instance; size_t group; bool running; int64_t cpu, memory_mib; bool ports[PORTS]; int64_t uses[GPUS_MAX];
};
struct model { struct model_instance instances[INSTANCES_MAX]; struct model_task tasks[TASKS_MAX]; };
struct wish { struct demand demand; int64_t ports[PORTS]; struct sched_attribute zone; bool wants_ports[PORTS]; size_t group; };

static struct arena arena;
static char row[64];                                             /* "seed 12, step 34" */

static uint64_t below(struct rng *rng, uint64_t bound) { return rng_below(rng, bound); }
static bool once_in(struct rng *rng, uint64_t times) { return below(rng, times) == 0; }

/* ---- model → world ---- */
static void put_instance(struct world *world, const struct model *model, uint32_t i)
{
    const struct model_instance *from = &model->instances[i];
    struct sched_instance instance = test_instance(i + 1, from->gpus);
    const struct sched_attribute zone = { STR("zone"), str_from(zones[from->zone]) };
    int64_t reserved[PORTS];
    for (size_t p = 0; p < PORTS; p++) {
        if (from->reserved[p]) { reserved[instance.reserved_port_count++] = ports[p]; }
    }
    struct sched_gpu devices[GPUS_MAX];
    for (size_t g = 0; g < from->gpus; g++) { devices[g] = (struct sched_gpu){ .uuid = test_uuid(i + 1, g), .memory_mib = 1000, .out = (from->gpus_out >> g & 1) != 0 }; }
    instance.gpus = devices;
    instance.reserved_ports = reserved;
    instance.active = from->active;
    instance.connected = from->connected;
    instance.cluster = from->cluster;
    instance.cpu = from->cpu;
    instance.memory_mib = from->memory_mib;
    instance.attributes = &zone;
    instance.attribute_count = from->zone > 0;
    sched_put_instance(world, &instance);
}

static void put_task(struct world *world, const struct model *model, uint32_t t)
{
    const struct model_task *from = &model->tasks[t];
    int64_t taken[PORTS];
    struct sched_use uuids[GPUS_MAX];
    struct sched_task task = {
        .id = test_id(1000 + t), .instance = test_id(from->instance + 1), .group = str_from(groups[from->group]), .running = from->running,
        .cpu = from->cpu, .memory_mib = from->memory_mib, .ports = taken, .gpus = uuids,
    };
    for (size_t p = 0; p < PORTS; p++) {
        if (from->ports[p]) { taken[task.port_count++] = ports[p]; }
    }
    for (size_t g = 0; g < GPUS_MAX; g++) {
        if (from->uses[g] > 0) { uuids[task.gpu_count++] = (struct sched_use){ test_uuid(from->instance + 1, g), from->uses[g] }; }
    }
    sched_put_task(world, &task);
}

/* The same world, told in another order. */
static struct world *rebuild(const struct model *model, struct rng *rng)
{
    struct world *world = sched_world_create(&arena);
    uint32_t order[INSTANCES_MAX + TASKS_MAX];
    for (uint32_t n = 0; n < COUNT_OF(order); n++) {
        uint32_t at = (uint32_t)below(rng, n + 1);
        order[n] = order[at];
        order[at] = n;
    }
    for (size_t n = 0; n < COUNT_OF(order); n++) {
        bool is_task = order[n] >= INSTANCES_MAX;
        if (is_task && model->tasks[order[n] - INSTANCES_MAX].there) { put_task(world, model, order[n] - INSTANCES_MAX); }
        if (!is_task && model->instances[order[n]].there) { put_instance(world, model, order[n]); }
    }
    return world;
}

/* ---- what the model says is free, and fits ---- */
struct model_free { int64_t cpu, memory_mib, gpus[GPUS_MAX]; bool taken[PORTS]; size_t tasks, of_group[GROUPS]; };

static struct model_free free_on(const struct model *model, uint32_t i, bool when_empty)
{
    const struct model_instance *instance = &model->instances[i];
    struct model_free left = { .cpu = instance->cpu, .memory_mib = instance->memory_mib };
    for (size_t g = 0; g < instance->gpus; g++) { left.gpus[g] = GPU_WHOLE; }
    memcpy(left.taken, instance->reserved, sizeof left.taken);
    for (size_t t = 0; t < TASKS_MAX && !when_empty; t++) {
        const struct model_task *task = &model->tasks[t];
        if (!task->there || task->instance != i) { continue; }
        left.cpu -= task->cpu;
        left.memory_mib -= task->memory_mib;
        for (size_t g = 0; g < instance->gpus; g++) { left.gpus[g] -= task->uses[g]; }
        for (size_t p = 0; p < PORTS; p++) { left.taken[p] |= task->ports[p]; }
        left.tasks++;
        left.of_group[task->group]++;
    }
    for (size_t g = 0; g < instance->gpus && !when_empty; g++) {
        if ((instance->gpus_out >> g & 1) != 0) { left.gpus[g] = 0; }
    }
    if (left.cpu < 0) { left.cpu = 0; }
    if (left.memory_mib < 0) { left.memory_mib = 0; }
    return left;
}

/* The part that one container takes of a device of 1000 MiB. */
static int64_t takes(const struct gpu_ask *ask) { return ask->share == GPU_WHOLE || ask->memory_mib < ask->share ? ask->share : ask->memory_mib; }

/* Whether the containers from `c` on can have devices: tries every way. */
static bool devices_fit(const int64_t left[GPUS_MAX], size_t gpus, const struct demand *demand, size_t c)
{
    if (c == demand->container_count) { return true; }
    const struct gpu_ask *ask = &demand->gpus[c];
    int64_t count = ask->count == DEMAND_GPUS_ALL ? (int64_t)gpus : ask->count;
    if (ask->count == 0) { return devices_fit(left, gpus, demand, c + 1); }
    if (count == 0 || ask->memory_mib > 1000) { return false; }
    for (uint32_t set = 0; set < 1u << gpus; set++) {
        int64_t after[GPUS_MAX];
        bool fits = __builtin_popcount(set) == count;
        for (size_t g = 0; g < gpus; g++) {
            after[g] = left[g] - ((set >> g & 1) != 0 ? takes(ask) : 0);
            fits &= (set >> g & 1) == 0 || after[g] >= 0;
        }
        if (fits && devices_fit(after, gpus, demand, c + 1)) { return true; }
    }
    return false;
}

static bool model_fits(const struct model *model, uint32_t i, const struct wish *wish, bool when_empty)
{
    const struct model_instance *instance = &model->instances[i];
    const struct demand *demand = &wish->demand;
    struct model_free left = free_on(model, i, when_empty);
    if (!instance->there || instance->cluster != demand->cluster) { return false; }
    if (!when_empty && (!instance->active || !instance->connected)) { return false; }
    if (!when_empty && demand->distinct_instance && wish->group > 0 && left.of_group[wish->group] > 0) { return false; }
    if (demand->attribute_count > 0 && !(instance->zone == 1)) { return false; }
    if (demand->cpu > left.cpu || demand->memory_mib > left.memory_mib) { return false; }
    for (size_t p = 0; p < PORTS; p++) {
        if (wish->wants_ports[p] && left.taken[p]) { return false; }
    }
    return devices_fit(left.gpus, instance->gpus, demand, 0);
}

static size_t count_fitting(const struct model *model, const struct wish *wish, bool when_empty)
{
    size_t count = 0;
    for (uint32_t i = 0; i < INSTANCES_MAX; i++) { count += model_fits(model, i, wish, when_empty); }
    return count;
}

/* ---- random changes and demands ---- */
static void change_instance(struct world *world, struct model *model, struct rng *rng)
{
    uint32_t i = (uint32_t)below(rng, INSTANCES_MAX);
    if (once_in(rng, 4)) {
        model->instances[i].there = false;
        sched_drop_instance(world, test_id(i + 1));
        return;
    }
    model->instances[i] = (struct model_instance){
        .there = true, .active = !once_in(rng, 6), .connected = !once_in(rng, 6), .cluster = TEST_CLUSTER + once_in(rng, 5),
        .cpu = 256 * (int64_t)below(rng, 9), .memory_mib = 512 * (int64_t)below(rng, 9), .gpus = below(rng, GPUS_MAX + 1),
        .reserved = { once_in(rng, 8) }, .zone = below(rng, 3), .gpus_out = once_in(rng, 3) ? below(rng, 1 << GPUS_MAX) : 0,
    };
    put_instance(world, model, i);
}

static void change_task(struct world *world, struct model *model, struct rng *rng)
{
    uint32_t t = (uint32_t)below(rng, TASKS_MAX);
    if (once_in(rng, 2)) {
        model->tasks[t].there = false;
        sched_drop_task(world, test_id(1000 + t));
        return;
    }
    model->tasks[t] = (struct model_task){
        .there = true, .instance = (uint32_t)below(rng, INSTANCES_MAX), .group = below(rng, GROUPS), .running = once_in(rng, 2),
        .cpu = 128 * (int64_t)below(rng, 6), .memory_mib = 256 * (int64_t)below(rng, 6), .ports = { once_in(rng, 5), once_in(rng, 5) },
    };
    for (size_t g = 0; g < GPUS_MAX; g++) {
        if (once_in(rng, 4)) { model->tasks[t].uses[g] = once_in(rng, 2) ? GPU_WHOLE : 1 + (int64_t)below(rng, 999); }
    }
    put_task(world, model, t);
}

/* None, whole ones, all, a part of one, by memory or both. */
static struct gpu_ask make_ask(struct rng *rng)
{
    int64_t memory = once_in(rng, 3) ? 1 + (int64_t)below(rng, 1100) : 0;
    switch (below(rng, 6)) {
    case 0: return (struct gpu_ask){ DEMAND_GPUS_ALL, GPU_WHOLE, 0 };
    case 1: return (struct gpu_ask){ 1 + (int64_t)below(rng, 2), GPU_WHOLE, memory };
    case 2: return (struct gpu_ask){ 1, 1 + (int64_t)below(rng, 999), memory };
    case 3: return memory > 0 ? (struct gpu_ask){ 1, 0, memory } : (struct gpu_ask){ 0, GPU_WHOLE, 0 };
    default: return (struct gpu_ask){ 0, GPU_WHOLE, 0 };
    }
}

static void make_wish(struct wish *wish, struct rng *rng)
{
    static const struct strategy strategies[] = {
        { STRATEGY_SPREAD, STR_INIT("attribute:zone") }, { STRATEGY_BINPACK, STR_INIT("memory") }, { STRATEGY_SPREAD, STR_INIT("instanceId") },
        { STRATEGY_BINPACK, STR_INIT("gpu") }, { STRATEGY_BINPACK, STR_INIT("gpu-fragmentation") }, { STRATEGY_RANDOM, { NULL, 0 } },
    };
    *wish = (struct wish){ .group = below(rng, GROUPS), .zone = { STR("zone"), STR("a") } };
    size_t first = below(rng, COUNT_OF(strategies) + 1);
    wish->demand = (struct demand){
        .cluster = TEST_CLUSTER, .cpu = 128 * (int64_t)below(rng, 12), .memory_mib = 256 * (int64_t)below(rng, 12), .container_count = 2,
        .gpus = { make_ask(rng), make_ask(rng) },
        .distinct_instance = once_in(rng, 3), .group = str_from(groups[wish->group]), .seed = rng_next(rng),
        .strategies = strategies + first, .strategy_count = COUNT_OF(strategies) - first,
    };
    if (once_in(rng, 4)) {
        wish->demand.attributes = &wish->zone;
        wish->demand.attribute_count = 1;
    }
    for (size_t p = 0; p < PORTS; p++) {
        wish->wants_ports[p] = once_in(rng, 5);
        if (wish->wants_ports[p]) { wish->ports[wish->demand.port_count++] = ports[p]; }
    }
    wish->demand.ports = wish->ports;
}

/* ---- the properties ---- */
static void check_free(const struct world *world, const struct model *model)
{
    size_t here = 0;
    for (uint32_t i = 0; i < INSTANCES_MAX; i++) {
        struct sched_free told;
        struct model_free left = free_on(model, i, false);
        CHECK_EQ(row, sched_free_on(world, test_id(i + 1), &told), model->instances[i].there);
        here += model->instances[i].there && model->instances[i].cluster == TEST_CLUSTER;
        if (!model->instances[i].there) { continue; }
        CHECK_EQ(row, told.cpu, left.cpu);
        CHECK_EQ(row, told.memory_mib, left.memory_mib);
        for (size_t g = 0; g < model->instances[i].gpus; g++) {
            CHECK_EQ(row, told.gpu_slots >> g & 1, left.gpus[g] == GPU_WHOLE);
            CHECK_EQ(row, told.gpu_free[g], left.gpus[g] < 0 ? 0 : left.gpus[g]);
        }
        CHECK_EQ(row, told.tasks, left.tasks);
    }
    CHECK_EQ(row, sched_instance_count(world, TEST_CLUSTER), here);
}

static uint32_t number_of(struct id id) { return (uint32_t)id.bytes[2] << 8 | id.bytes[3]; }

/* Busy is said only where it would fit when empty; every instance is counted once. */
static void check_evidence(const struct model *model, const struct wish *wish, const struct evidence *evidence)
{
    int64_t sum = 0;
    CHECK_EQ(row, evidence->impossible, evidence->instances > 0 && count_fitting(model, wish, true) == 0);
    for (size_t g = 0; g < evidence->group_count; g++) {
        uint32_t example = number_of(evidence->groups[g].example) - 1;
        CHECK_EQ(row, evidence->groups[g].impossible, !model_fits(model, example, wish, true));
        CHECK(row, evidence->groups[g].most <= evidence->groups[g].total);
        if (g > 0) { CHECK(row, evidence->groups[g - 1].impossible <= evidence->groups[g].impossible); }
        sum += evidence->groups[g].count;
    }
    if (evidence->group_count < EVIDENCE_GROUPS_MAX) { CHECK_EQ(row, sum, evidence->instances); }
    struct buf text = buf_in(&arena);
    sched_explain(&wish->demand, evidence, &text);
    CHECK(row, text.len > 0);
}

static void place_and_note(struct world *world, struct model *model, const struct wish *wish, struct rng *rng)
{
    uint32_t t = (uint32_t)below(rng, TASKS_MAX);
    sched_drop_task(world, test_id(1000 + t));
    model->tasks[t].there = false;
    struct world *other = rebuild(model, rng);
    struct placement placement, same;
    struct evidence evidence, unused;
    struct id id = test_id(1000 + t);
    size_t fitting = count_fitting(model, wish, false);
    sched_set_usual(world, TEST_CLUSTER, NULL, NULL, 0);         /* the demand learned on the way would tell the two apart */
    sched_set_usual(other, TEST_CLUSTER, NULL, NULL, 0);
    size_t placed = sched_place(world, &wish->demand, &id, 1, once_in(rng, 2), &placement, &evidence);
    CHECK_EQ(row, placed, fitting > 0);                          /* as brute force says */
    CHECK_EQ(row, sched_place(other, &wish->demand, &id, 1, false, &same, &unused), placed);
    if (placed == 0) {
        check_evidence(model, wish, &evidence);
        return;
    }
    uint32_t i = number_of(placement.instance) - 1;
    CHECK(row, model_fits(model, i, wish, false));
    CHECK(row, id_eq(placement.instance, same.instance));        /* the same world, the same plan */
    CHECK_EQ(row, placement.gpu_slots[0], same.gpu_slots[0]);
    CHECK_EQ(row, placement.gpu_slots[1], same.gpu_slots[1]);
    struct model_free left = free_on(model, i, false);
    model->tasks[t] = (struct model_task){
        .there = true, .instance = i, .group = wish->group, .cpu = wish->demand.cpu, .memory_mib = wish->demand.memory_mib,
    };
    for (size_t c = 0; c < 2; c++) {
        const struct gpu_ask *ask = &wish->demand.gpus[c];
        int64_t count = ask->count == DEMAND_GPUS_ALL ? (int64_t)model->instances[i].gpus : ask->count;
        CHECK_EQ(row, __builtin_popcountll(placement.gpu_slots[c]), count);
        if (count > 0) { CHECK_EQ(row, placement.gpu_share[c], takes(ask)); }
        for (size_t g = 0; g < GPUS_MAX; g++) {
            if ((placement.gpu_slots[c] >> g & 1) != 0) { model->tasks[t].uses[g] += placement.gpu_share[c]; }
        }
    }
    for (size_t g = 0; g < GPUS_MAX; g++) { CHECK(row, model->tasks[t].uses[g] == 0 || model->tasks[t].uses[g] <= left.gpus[g]); }   /* nothing twice */
    memcpy(model->tasks[t].ports, wish->wants_ports, sizeof wish->wants_ports);
}

/* One at a time fits as often as all together; too many together leave the world as it was. */
static void check_gang(struct world *world, const struct model *model, const struct wish *wish)
{
    enum { GANG = 8 };
    struct id ids[GANG];
    struct placement placements[GANG];
    struct evidence evidence;
    for (uint32_t n = 0; n < GANG; n++) { ids[n] = test_id(5000 + n); }
    size_t some = sched_place(world, &wish->demand, ids, GANG, false, placements, &evidence);
    for (size_t n = 0; n < some; n++) { sched_drop_task(world, ids[n]); }
    check_free(world, model);
    CHECK_EQ(row, sched_place(world, &wish->demand, ids, GANG, true, placements, &evidence), some == GANG ? GANG : 0);
    if (some < GANG) { check_free(world, model); }
    for (size_t n = 0; n < GANG; n++) { sched_drop_task(world, ids[n]); }
    check_free(world, model);
    if (some > 0) { CHECK_EQ(row, sched_place(world, &wish->demand, ids, some, true, placements, &evidence), some); }
    for (size_t n = 0; n < some; n++) { sched_drop_task(world, ids[n]); }
}

/* One more instance never makes a task unplaceable. */
static void check_growth(const struct model *model, const struct wish *wish, struct rng *rng)
{
    struct world *world = rebuild(model, rng);
    struct evidence evidence;
    struct placement placement;
    struct id id = test_id(6000);
    bool fitted = sched_place(world, &wish->demand, &id, 1, false, &placement, &evidence) == 1;
    sched_drop_task(world, id);
    struct sched_instance more = test_instance(900, below(rng, 3));
    sched_put_instance(world, &more);
    if (fitted) { CHECK_EQ(row, sched_place(world, &wish->demand, &id, 1, false, &placement, &evidence), 1); }
}

static void run_seed(uint64_t seed)
{
    struct rng rng;
    struct model model = { 0 };
    rng_seed(&rng, seed);
    struct world *world = sched_world_create(&arena);
    for (int step = 0; step < STEPS; step++) {
        (void)snprintf(row, sizeof row, "seed %u, step %d", (unsigned)seed, step);
        change_instance(world, &model, &rng);
        change_task(world, &model, &rng);
        struct wish wish;
        make_wish(&wish, &rng);
        place_and_note(world, &model, &wish, &rng);
        check_free(world, &model);
        if (step % 4 == 0) {
            check_gang(world, &model, &wish);
            check_growth(&model, &wish, &rng);
            check_free(rebuild(&model, &rng), &model);
        }
    }
}

int main(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        arena_init(&arena, (size_t)256 << 20);
        run_seed(seed);
        arena_finish(&arena);
    }
    return check_report();
}
