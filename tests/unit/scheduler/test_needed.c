/* test_needed.c: which machines waiting tasks need: GPUs, shares, memory, prices, machines on order, gangs, limits; and random pools. */
#include "base/buf.h"
#include "base/num.h"
#include "base/rng.h"
#include "tests/unit/scheduler/capacity_pool.h"

enum { CEILING = 64 << 20 };

static void read_names(struct test_pool *pool, const char *text, void (*add)(struct test_pool *pool, const char *name, int64_t number))
{
    struct str rest = str_from(text), word, number;
    for (bool more = rest.len > 0; more;) {
        more = str_cut(rest, ' ', &word, &rest);
        int64_t value = 1000;
        if (str_cut(word, '*', &word, &number)) { (void)str_to_i64(number, &value); }
        char name[TYPE_NAME_MAX + 1];
        CHECK("a name", str_to_cstr(word, name, sizeof name));
        add(pool, name, value);
    }
}
static void add_on_order(struct test_pool *pool, const char *name, int64_t number)
{
    (void)number;
    test_pool_machine(pool, name, true);
}

/* "g4dn.xlarge:2 g5.xlarge:1, 1 held, 2 impossible": each new machine with its tasks. */
static struct str text_of(const struct test_pool *pool, const struct capacity_plan *plan, struct arena *arena)
{
    struct buf text = buf_in(arena);
    for (size_t n = 0; n < plan->new_count; n++) {
        buf_printf(&text, "%s" STR_FMT ":%zu", n == 0 ? "" : " ", STR_ARG(pool->types[plan->news[n].type].type->name), plan->news[n].task_count);
    }
    if (plan->held > 0) { buf_printf(&text, ", %lld held", (long long)plan->held); }
    if (plan->impossible > 0) { buf_printf(&text, ", %lld impossible", (long long)plan->impossible); }
    return buf_str(&text);
}

struct asked { int64_t cpu, memory, gpus, share, gpu_mib; size_t count; uint32_t gang; };
#define GPUS(n) 1024, 2048, n, GPU_WHOLE, 0
#define HALF 512, 1024, 1, 500, 0

static void test_rows(struct arena *arena)
{
    static const struct { const char *row, *types, *on_order; int64_t size_max; struct asked asked[4]; int64_t used; const char *plan; } rows[] = {
        { "nothing waits", "g4dn.xlarge", "", 5, { { 0 } }, 0, "" },
        { "one task", "g4dn.xlarge", "", 5, { { GPUS(1), 1, 0 } }, 0, "g4dn.xlarge:1" },
        { "5 of 1 GPU on machines of 4", "g4dn.12xlarge", "", 5, { { GPUS(1), 5, 0 } }, 0, "g4dn.12xlarge:4 g4dn.12xlarge:1" },
        { "one is on order", "g4dn.xlarge", "g4dn.xlarge", 5, { { GPUS(1), 1, 0 } }, 1, "" },
        { "one of two is on order", "g4dn.xlarge", "g4dn.xlarge", 5, { { GPUS(1), 2, 0 } }, 1, "g4dn.xlarge:1" },
        { "one on order has too few GPUs", "g4dn.12xlarge", "g4dn.xlarge", 5, { { GPUS(2), 1, 0 } }, 0, "g4dn.12xlarge:1" },
        { "one on order is of no type of the group", "g5.xlarge", "g4dn.xlarge", 5, { { GPUS(1), 2, 0 } }, 1, "g5.xlarge:1" },
        { "2 GPUs on machines of 1", "g4dn.xlarge", "", 5, { { GPUS(2), 3, 0 } }, 0, ", 3 impossible" },
        { "no types", "", "", 5, { { GPUS(1), 1, 0 } }, 0, ", 1 impossible" },
        { "without GPUs on a machine with some", "g4dn.xlarge", "", 5, { { GPUS(0), 4, 0 } }, 0, "g4dn.xlarge:4" },
        { "more than its CPUs", "g4dn.xlarge", "", 5, { { 4097, 1, 0, 0, 0, 1, 0 } }, 0, ", 1 impossible" },
        { "all of its CPUs and memory", "g4dn.xlarge", "", 5, { { 4096, 16384, 1, GPU_WHOLE, 16384, 1, 0 } }, 0, "g4dn.xlarge:1" },
        { "more than its memory", "g4dn.xlarge", "", 5, { { 4096, 16385, 0, 0, 0, 1, 0 } }, 0, ", 1 impossible" },
        { "more than its GPU's memory", "g4dn.xlarge g5.xlarge", "", 5, { { 1, 1, 1, GPU_WHOLE, 16385, 1, 0 } }, 0, "g5.xlarge:1" },
        { "halves", "g4dn.xlarge", "", 5, { { HALF, 3, 0 } }, 0, "g4dn.xlarge:2 g4dn.xlarge:1" },
        { "a half beside a whole", "g4dn.xlarge", "", 5, { { GPUS(1), 1, 0 }, { HALF, 1, 0 } }, 0, "g4dn.xlarge:1 g4dn.xlarge:1" },
        { "halves of one of 4", "g4dn.12xlarge", "", 5, { { HALF, 2, 0 }, { GPUS(3), 1, 0 } }, 0, "g4dn.12xlarge:3" },
        { "by memory of the GPU", "g4dn.xlarge", "", 5, { { 1, 1, 1, 0, 8192, 3, 0 } }, 0, "g4dn.xlarge:2 g4dn.xlarge:1" },
        { "all GPUs of a machine", "g4dn.12xlarge", "", 5, { { 1, 1, DEMAND_GPUS_ALL, GPU_WHOLE, 0, 2, 0 } }, 0, "g4dn.12xlarge:1 g4dn.12xlarge:1" },
        { "the cheapest for each task: small", "g4dn.xlarge g4dn.12xlarge", "", 9, { { GPUS(1), 4, 0 } }, 0, "g4dn.xlarge:1 g4dn.xlarge:1 g4dn.xlarge:1 g4dn.xlarge:1" },
        { "the cheapest for two tasks: large", "g3.8xlarge g4dn.12xlarge", "", 9, { { GPUS(2), 2, 0 } }, 0, "g4dn.12xlarge:2" },
        { "the cheapest for three: a small one more", "g3.8xlarge g4dn.12xlarge", "", 9, { { GPUS(2), 3, 0 } }, 0, "g4dn.12xlarge:2 g3.8xlarge:1" },
        { "as cheap: fewer GPUs", "p2.8xlarge p2.xlarge", "", 9, { { GPUS(1), 2, 0 } }, 0, "p2.xlarge:1 p2.xlarge:1" },
        { "no price comes last", "p5e.48xlarge p5en.48xlarge", "", 9, { { GPUS(8), 1, 0 } }, 0, "p5en.48xlarge:1" },
        { "one left of the cheapest", "g4dn.xlarge*1 g5.xlarge", "", 9, { { GPUS(1), 3, 0 } }, 0, "g4dn.xlarge:1 g5.xlarge:1 g5.xlarge:1" },
        { "none left", "g4dn.xlarge*1", "", 9, { { GPUS(1), 3, 0 } }, 0, "g4dn.xlarge:1, 2 held" },
        { "large ones first, but in the order of the queue", "g4dn.12xlarge", "", 9, { { GPUS(1), 2, 0 }, { GPUS(4), 1, 0 }, { GPUS(2), 1, 0 } }, 0,
          "g4dn.12xlarge:3 g4dn.12xlarge:1" },
        { "a gang", "g4dn.xlarge", "", 5, { { GPUS(1), 5, 1 } }, 0, "g4dn.xlarge:1 g4dn.xlarge:1 g4dn.xlarge:1 g4dn.xlarge:1 g4dn.xlarge:1" },
        { "a gang larger than MaxSize", "g4dn.xlarge", "", 5, { { GPUS(1), 6, 1 } }, 0, ", 6 impossible" },
        { "a gang that fits on large machines", "g4dn.12xlarge", "", 2, { { GPUS(1), 8, 1 } }, 0, "g4dn.12xlarge:4 g4dn.12xlarge:4" },
        { "a gang with machines on order", "g4dn.xlarge", "g4dn.xlarge g4dn.xlarge", 5, { { GPUS(1), 5, 1 } }, 2, "g4dn.xlarge:1 g4dn.xlarge:1 g4dn.xlarge:1" },
        { "a gang waits, and a task behind it does not", "g4dn.xlarge", "g5.xlarge g5.xlarge", 4, { { GPUS(1), 3, 1 }, { GPUS(1), 3, 2 }, { GPUS(1), 1, 0 } }, 2,
          "g4dn.xlarge:1 g4dn.xlarge:1, 3 held" },
        { "a gang holds nothing while it waits", "g4dn.xlarge", "g4dn.12xlarge", 1, { { GPUS(2), 1, 0 }, { GPUS(1), 3, 1 }, { GPUS(1), 2, 0 } }, 1, ", 3 impossible" },
        { "beside a gang", "g4dn.12xlarge", "", 9, { { GPUS(1), 3, 1 }, { GPUS(1), 1, 0 } }, 0, "g4dn.12xlarge:4" },
        { "two gangs share", "g4dn.12xlarge", "", 9, { { GPUS(1), 2, 1 }, { GPUS(1), 2, 2 } }, 0, "g4dn.12xlarge:4" },
        { "above MaxSize a plan goes on", "g4dn.xlarge", "", 1, { { GPUS(1), 3, 0 } }, 0, "g4dn.xlarge:1 g4dn.xlarge:1 g4dn.xlarge:1" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct test_pool pool;
        test_pool_begin(&pool, rows[r].size_max);
        read_names(&pool, rows[r].types, test_pool_type);
        read_names(&pool, rows[r].on_order, add_on_order);
        for (size_t a = 0; a < COUNT_OF(rows[r].asked); a++) {
            const struct asked *asked = &rows[r].asked[a];
            if (asked->count == 0) { continue; }
            test_pool_tasks(&pool, test_pool_shape(&pool, asked->cpu, asked->memory, asked->gpus, asked->share, asked->gpu_mib), asked->count, asked->gang);
        }
        struct capacity_plan plan = capacity_plan(&pool.demand, arena);
        CHECK_STR(rows[r].row, text_of(&pool, &plan, arena), str_from(rows[r].plan));
        CHECK_EQ(rows[r].row, plan.used, rows[r].used);
        arena_reset(arena);
    }
}

/* A machine of `gpus` whole GPUs, of which `used` are held. */
static struct capacity_machine *add_registered(struct test_pool *pool, const char *type, uint32_t gpus, uint32_t used, bool busy)
{
    static struct rig rigs[POOL_MAX];
    static int16_t devices[POOL_MAX][DEVICES_MAX];
    size_t at = pool->demand.machine_count;
    struct capacity_machine *machine = test_pool_machine(pool, type, false);
    rigs[at] = (struct rig){ .count = gpus };
    for (uint32_t slot = 0; slot < gpus; slot++) {
        rigs[at].memory_mib[slot] = 16384;
        devices[at][slot] = slot < used ? 0 : DEVICE_WHOLE;
    }
    pool->rooms[at] = (struct machine){ .cpu = 65536, .memory = 65536, .cpu_free = 65536, .memory_free = 65536, .rig = &rigs[at], .device_free = devices[at] };
    machine->room = &pool->rooms[at];
    machine->busy = busy;
    return machine;
}

static void test_registered(struct arena *arena)
{
    static struct test_pool pool;
    test_pool_begin(&pool, 9);
    test_pool_type(&pool, "g4dn.12xlarge", 9);
    add_registered(&pool, "g4dn.12xlarge", 4, 2, true);
    add_registered(&pool, "g4dn.12xlarge", 4, 3, true);
    add_registered(&pool, "g4dn.12xlarge", 4, 4, true)->room = NULL;
    test_pool_tasks(&pool, test_pool_shape(&pool, GPUS(2)), 3, 0);
    struct capacity_plan plan = capacity_plan(&pool.demand, arena);
    CHECK_STR("2 and 1 are free: one fits, two need one more", text_of(&pool, &plan, arena), STR("g4dn.12xlarge:2"));
    CHECK_EQ("all three are used", plan.used, 3);
    CHECK("the first is reserved", plan.reserved[0] && !plan.reserved[1] && !plan.reserved[2]);
    CHECK("where the tasks go", plan.places[0].fate == FATE_MACHINE && plan.places[0].at == 0 && plan.places[1].fate == FATE_NEW && plan.places[2].at == 0);
    CHECK("with their ids", id_eq(plan.news[0].tasks[0], pool.tasks[1].id) && id_eq(plan.news[0].tasks[1], pool.tasks[2].id));
    arena_reset(arena);
}

static void test_room(void)
{
    struct arena arena = { .ceiling = CEILING };
    struct world *world = sched_world_create(&arena);
    struct sched_instance instance = test_instance(1, 2);
    struct sched_use use = test_whole(1, 0);
    struct sched_task task = { .id = test_id(9), .instance = test_id(1), .cpu = 96, .memory_mib = 192, .gpus = &use, .gpu_count = 1 };
    struct machine room;
    CHECK("not known", !capacity_room(world, test_id(1), &room));
    sched_put_instance(world, &instance);
    sched_put_task(world, &task);
    CHECK("known", capacity_room(world, test_id(1), &room));
    CHECK("what a task takes is not free", room.cpu_free == 4000 && room.memory_free == 8000 && room.device_free[0] == 0 && room.device_free[1] == DEVICE_WHOLE);
    instance.connected = false;
    sched_put_instance(world, &instance);
    CHECK("its agent is away", capacity_room(world, test_id(1), &room));
    instance.active = false;
    sched_put_instance(world, &instance);
    CHECK("it drains", !capacity_room(world, test_id(1), &room));
    arena_finish(&arena);
}

/* No type holds 4 GPUs, but a machine of another type does, when its tasks have ended. */
static void test_hope(struct arena *arena)
{
    static const struct { const char *row; int64_t gpus; bool busy; const char *plan; } rows[] = {
        { "it is free", 4, false, "" }, { "it is busy", 4, true, ", 2 held" }, { "it is too small", 5, true, ", 2 impossible" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct test_pool pool;
        test_pool_begin(&pool, 9);
        test_pool_type(&pool, "g4dn.xlarge", 9);
        add_registered(&pool, "g4dn.12xlarge", 4, rows[r].busy ? 2 : 0, rows[r].busy);
        add_registered(&pool, "g4dn.12xlarge", 4, rows[r].busy ? 2 : 0, rows[r].busy);
        test_pool_tasks(&pool, test_pool_shape(&pool, 1, 1, rows[r].gpus, GPU_WHOLE, 0), 2, 0);
        struct capacity_plan plan = capacity_plan(&pool.demand, arena);
        CHECK_STR(rows[r].row, text_of(&pool, &plan, arena), str_from(rows[r].plan));
        arena_reset(arena);
    }
}

/* Constraints that a plan does not see: of registered machines only empty ones count. */
static void test_picky(struct arena *arena)
{
    static const int64_t port = 8080;
    static const struct { const char *row; bool port, distinct, attribute; const char *value, *name; bool busy; const char *plan; int64_t used; } rows[] = {
        { "a port: two machines", true, false, false, NULL, NULL, false, "g4dn.12xlarge:1", 1 },
        { "a port: a busy machine may have it taken", true, false, false, NULL, NULL, true, "g4dn.12xlarge:1 g4dn.12xlarge:1", 1 },
        { "distinct instances", false, true, false, NULL, NULL, false, "g4dn.12xlarge:1", 1 },
        { "neither", false, false, false, NULL, NULL, true, "", 1 },
        { "its architecture", false, false, true, "x86_64", "ecs.cpu-architecture", true, "", 1 },
        { "another architecture", false, false, true, "arm64", "ecs.cpu-architecture", false, "g5g.xlarge:1 g5g.xlarge:1", 0 },
        { "its type", false, false, true, "g4dn.12xlarge", "ecs.instance-type", false, "", 1 },
        { "another type", false, false, true, "g5.xlarge", "ecs.instance-type", false, ", 2 impossible", 0 },
        { "an attribute that is not seen", false, false, true, "x", "rack", false, "", 1 },
        { "expression: its type", false, false, false, "attribute:ecs.instance-type == g4dn.12xlarge", NULL, false, "", 1 },
        { "expression: a busy machine may not fulfil it", false, false, false, "attribute:ecs.instance-type == g4dn.12xlarge", NULL, true, "g4dn.12xlarge:2", 1 },
        { "expression: another type", false, false, false, "attribute:ecs.instance-type =~ g5g.*", NULL, false, "g5g.xlarge:1 g5g.xlarge:1", 0 },
        { "expression: any other type", false, false, false, "attribute:ecs.instance-type != g4dn.12xlarge", NULL, false, "g5g.xlarge:1 g5g.xlarge:1", 0 },
        { "expression: a model", false, false, false, "attribute:berth.gpu-model in [T4g, V100]", NULL, false, "g5g.xlarge:1 g5g.xlarge:1", 0 },
        { "expression: no type", false, false, false, "attribute:ecs.instance-type == g5.xlarge", NULL, false, ", 2 impossible", 0 },
        { "expression: not seen", false, false, false, "attribute:rack == x", NULL, false, "", 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct test_pool pool;
        struct sched_attribute attribute = { str_from(rows[r].name), str_from(rows[r].value) };
        test_pool_begin(&pool, 9);
        test_pool_type(&pool, "g4dn.12xlarge", 9);
        test_pool_type(&pool, "g5g.xlarge", 9);
        add_registered(&pool, "g4dn.12xlarge", 4, 0, rows[r].busy);
        uint32_t shape = test_pool_shape(&pool, 3000, 5000, 1, GPU_WHOLE, 0);
        struct err err = { 0 };
        const struct expression *expression = NULL;
        if (rows[r].value != NULL && !rows[r].attribute) {
            expression = expression_compile(str_from(rows[r].value), arena, &err);
            pool.shapes[shape].expressions = &expression, pool.shapes[shape].expression_count = 1;
            CHECK(rows[r].row, expression != NULL);
        }
        if (rows[r].port) { pool.shapes[shape].ports = &port, pool.shapes[shape].port_count = 1; }
        if (rows[r].attribute) { pool.shapes[shape].attributes = &attribute, pool.shapes[shape].attribute_count = 1; }
        pool.shapes[shape].distinct_instance = rows[r].distinct;
        if (rows[r].port || rows[r].distinct) { pool.types[1].left = 0; }
        test_pool_tasks(&pool, shape, 2, 0);
        struct capacity_plan plan = capacity_plan(&pool.demand, arena);
        CHECK_STR(rows[r].row, text_of(&pool, &plan, arena), str_from(rows[r].plan));
        CHECK_EQ(rows[r].row, plan.used, rows[r].used);
        arena_reset(arena);
    }
}

static void test_lacks(struct arena *arena)
{
    static const struct { const char *row; struct asked asked; enum verdict verdict; const char *text; } rows[] = {
        { "GPUs", { GPUS(2), 1, 0 }, LACKS_GPU, "needs 2 GPUs, and g4dn.xlarge, the nearest type, has 1" },
        { "CPU", { 8193, 1, 1, GPU_WHOLE, 0, 1, 0 }, LACKS_CPU, "needs 8193 CPU units, and g4dn.2xlarge, the nearest type, has 8192" },
        { "CPU and memory: CPU comes first", { 9000, 40000, 1, GPU_WHOLE, 0, 1, 0 }, LACKS_CPU, "needs 9000 CPU units, and g4dn.2xlarge, the nearest type, has 8192" },
        { "memory", { 1, 40000, 1, GPU_WHOLE, 0, 1, 0 }, LACKS_MEMORY, "needs 40000 MiB of memory, and g4dn.2xlarge, the nearest type, has 32768" },
        { "GPU memory", { 1, 1, 1, 0, 20000, 1, 0 }, LACKS_GPU_MEMORY, "needs 20000 MiB on a GPU, and g4dn.xlarge, the nearest type, has 16384" },
        { "the memory that registers", { 1, 15001, 0, 0, 0, 1, 0 }, FITS, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct test_pool pool;
        struct buf text = buf_in(arena);
        const struct asked *asked = &rows[r].asked;
        test_pool_begin(&pool, 9);
        test_pool_type(&pool, "g4dn.xlarge", 9);
        test_pool_type(&pool, "g4dn.2xlarge", 9);
        pool.types[0].memory_mib = 15000;
        test_pool_tasks(&pool, test_pool_shape(&pool, asked->cpu, asked->memory, asked->gpus, asked->share, asked->gpu_mib), 1, 0);
        struct capacity_plan plan = capacity_plan(&pool.demand, arena);
        CHECK_EQ(rows[r].row, plan.lacks[0].verdict, rows[r].verdict);
        if (rows[r].text == NULL) {
            CHECK_STR(rows[r].row, text_of(&pool, &plan, arena), STR("g4dn.2xlarge:1"));
            continue;
        }
        capacity_explain_lack(&pool.demand, &plan, 0, &text);
        CHECK_STR(rows[r].row, buf_str(&text), str_from(rows[r].text));
        arena_reset(arena);
    }
}

static void test_alternatives(struct arena *arena)
{
    static struct test_pool pool;
    uint32_t types[POOL_MAX];
    test_pool_begin(&pool, 9);
    read_names(&pool, "g4dn.xlarge g4dn.2xlarge g4dn.12xlarge*0 g5.xlarge c5.large", test_pool_type);
    test_pool_tasks(&pool, test_pool_shape(&pool, GPUS(1)), 1, 0);
    test_pool_tasks(&pool, test_pool_shape(&pool, 4096, 1024, 0, 0, 0), 1, 0);
    struct capacity_plan plan = capacity_plan(&pool.demand, arena);
    CHECK_STR("two machines", text_of(&pool, &plan, arena), STR("g4dn.2xlarge:2"));
    CHECK_EQ("no other holds both", capacity_alternatives(&pool.demand, &plan, 0, types), 0);
    pool.demand.task_count = 1;
    plan = capacity_plan(&pool.demand, arena);
    CHECK_STR("the task alone", text_of(&pool, &plan, arena), STR("g4dn.xlarge:1"));
    CHECK_EQ("two others", capacity_alternatives(&pool.demand, &plan, 0, types), 2);
    CHECK("in the order of the types", types[0] == 1 && types[1] == 3);
    arena_reset(arena);
}

/* ---- random pools ---- */

/* Nothing holds more than it has, nobody is forgotten, and a task that is held fits on no machine of the plan. */
static void check_plan(const struct test_pool *pool, const struct capacity_plan *plan)
{
    int64_t cpu[POOL_TASKS_MAX] = { 0 }, gpus[POOL_TASKS_MAX] = { 0 };
    size_t listed = 0;
    for (size_t t = 0; t < pool->demand.task_count; t++) {
        const struct demand *shape = &pool->shapes[pool->tasks[t].shape];
        if (plan->places[t].fate != FATE_NEW) { continue; }
        cpu[plan->places[t].at] += shape->cpu;
        gpus[plan->places[t].at] += shape->gpus[0].count * shape->gpus[0].share;
    }
    for (size_t n = 0; n < plan->new_count; n++) {
        const struct instance_type *type = pool->types[plan->news[n].type].type;
        CHECK("CPUs", cpu[n] <= type->vcpus * 1024 && gpus[n] <= instance_type_gpus(type) * GPU_WHOLE && plan->news[n].task_count > 0);
        listed += plan->news[n].task_count;
    }
    for (size_t t = 0; t < pool->demand.task_count; t++) {
        listed += plan->places[t].fate == FATE_MACHINE;
        if (pool->tasks[t].gang == 0) { continue; }
        for (size_t o = 0; o < pool->demand.task_count; o++) {
            bool other = (plan->places[o].fate >= FATE_MACHINE) != (plan->places[t].fate >= FATE_MACHINE);
            CHECK("a gang is whole", pool->tasks[o].gang != pool->tasks[t].gang || !other);
        }
    }
    CHECK_EQ("each task", listed + (size_t)plan->held + (size_t)plan->impossible, pool->demand.task_count);
}

static void test_random(struct arena *arena)
{
    static const char *const names[] = { "g4dn.xlarge", "g4dn.2xlarge", "g4dn.12xlarge", "g5.xlarge", "p2.8xlarge", "c5.2xlarge", "m7g.xlarge" };
    struct rng rng;
    rng_seed(&rng, 27);
    for (int round = 0; round < 400; round++) {
        static struct test_pool pool;
        test_pool_begin(&pool, (int64_t)rng_below(&rng, 12));
        for (size_t n = 0; n < COUNT_OF(names); n++) {
            if (rng_below(&rng, 2) == 0) { test_pool_type(&pool, names[n], (int64_t)rng_below(&rng, 9)); }
        }
        for (uint32_t shapes = 1 + (uint32_t)rng_below(&rng, 6), s = 0; s < shapes; s++) {
            bool part = rng_below(&rng, 3) == 0;
            int64_t cpu = (int64_t)rng_below(&rng, 5000), memory_mib = (int64_t)rng_below(&rng, 20000), gpus = part ? 1 : (int64_t)rng_below(&rng, 5);
            int64_t share = part ? 1 + (int64_t)rng_below(&rng, 999) : GPU_WHOLE, gpu_mib = rng_below(&rng, 3) == 0 ? (int64_t)rng_below(&rng, 24000) : 0;
            size_t count = 1 + rng_below(&rng, 12);
            test_pool_tasks(&pool, test_pool_shape(&pool, cpu, memory_mib, gpus, share, gpu_mib), count, rng_below(&rng, 4) == 0 ? s + 1 : 0);
        }
        for (uint64_t m = rng_below(&rng, 4); m > 0; m--) { test_pool_machine(&pool, names[rng_below(&rng, COUNT_OF(names))], true); }
        struct capacity_plan plan = capacity_plan(&pool.demand, arena);
        check_plan(&pool, &plan);
        /* With all that is new on order, and the tasks where the plan has them, nothing more is needed. */
        for (size_t m = 0; m < pool.demand.machine_count; m++) {
            struct id *tasks = ARENA_NEW(arena, struct id, pool.demand.task_count);
            pool.machines[m].for_tasks = tasks;
            for (size_t t = 0; t < pool.demand.task_count; t++) {
                if (plan.places[t].fate == FATE_MACHINE && plan.places[t].at == m) { tasks[pool.machines[m].for_count++] = pool.tasks[t].id; }
            }
        }
        for (size_t n = 0; n < plan.new_count; n++) {
            const struct capacity_new *new = &plan.news[n];
            pool.machines[pool.demand.machine_count++] = (struct capacity_machine){ .id = test_id((uint32_t)n + 5000), .type = pool.types[new->type].type, .on_order = true,
                                                                                     .for_tasks = new->tasks, .for_count = new->task_count };
            pool.types[new->type].left--;
        }
        pool.demand.size_max = (int64_t)pool.demand.machine_count;
        struct capacity_plan again = capacity_plan(&pool.demand, arena);
        check_plan(&pool, &again);
        CHECK_EQ("nothing is ordered twice", again.new_count, 0);
        arena_reset(arena);
    }
}

int main(void)
{
    struct arena arena = { .ceiling = CEILING };
    test_rows(&arena);
    test_registered(&arena);
    test_room();
    test_hope(&arena);
    test_picky(&arena);
    test_lacks(&arena);
    test_alternatives(&arena);
    test_random(&arena);
    arena_finish(&arena);
    return check_report();
}
