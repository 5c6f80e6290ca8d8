/* Machines that fit, both sides of each limit; the one that is taken among them; which devices; all or nothing. */
#include "worlds.h"

static struct arena arena;

static const struct expression *compile(const char *text)
{
    struct err err = { 0 };
    const struct expression *expression = expression_compile(str_from(text), &arena, &err);
    CHECK(err.message, expression != NULL);
    return expression;
}

/* ---- who fits ---- */
static const struct sched_attribute has_docker[] = { { STR_INIT("docker"), { NULL, 0 } }, { STR_INIT("os"), STR_INIT("linux") } };
static const struct sched_attribute wants_docker[] = { { STR_INIT("docker"), { NULL, 0 } } };
static const struct sched_attribute wants_os[] = { { STR_INIT("os"), { NULL, 0 } } };
static const struct sched_attribute wants_linux[] = { { STR_INIT("docker"), { NULL, 0 } }, { STR_INIT("os"), STR_INIT("linux") } };
static const struct sched_attribute wants_windows[] = { { STR_INIT("os"), STR_INIT("windows") } };
static const struct sched_attribute wants_docker_value[] = { { STR_INIT("docker"), STR_INIT("nobody has this value") } };
static const int64_t port_80[] = { 80 }, port_80_udp[] = { 80 | 0x10000 }, port_81[] = { 81 }, port_22[] = { 22 }, port_144[] = { 144 };

/* The instance: 4096 CPU, 8192 MiB, 4 GPUs, port 22 reserved, the attributes above, one task of group family:web that takes
 * 1024 CPU, 1024 MiB, one GPU and port 80. */
static const struct {
    const char *name;
    int64_t cpu, memory_mib, gpus; bool inactive, disconnected;
    const struct sched_attribute *attributes; size_t attribute_count;
    const char *expression; bool distinct; const char *group; const int64_t *port;
    enum verdict want; bool impossible;
} fit_rows[] = {
    { .name = "nothing wanted",          .want = FITS },
    { .name = "all the CPU that is left", .cpu = 3072, .want = FITS },
    { .name = "one CPU unit too many",   .cpu = 3073, .want = LACKS_CPU },
    { .name = "all the CPU there is",    .cpu = 4096, .want = LACKS_CPU },
    { .name = "more CPU than there is",  .cpu = 4097, .want = LACKS_CPU, .impossible = true },
    { .name = "absurdly much CPU",       .cpu = INT64_MAX, .want = LACKS_CPU, .impossible = true },
    { .name = "all the memory left",     .memory_mib = 7168, .want = FITS },
    { .name = "one MiB too many",        .memory_mib = 7169, .want = LACKS_MEMORY },
    { .name = "all the memory there is", .memory_mib = 8192, .want = LACKS_MEMORY },
    { .name = "more than there is",      .memory_mib = 8193, .want = LACKS_MEMORY, .impossible = true },
    { .name = "the last GPUs",           .gpus = 3, .want = FITS },
    { .name = "one GPU too many",        .gpus = 4, .want = LACKS_GPU },
    { .name = "more GPUs than there are", .gpus = 5, .want = LACKS_GPU, .impossible = true },
    { .name = "all GPUs, one is taken",  .gpus = DEMAND_GPUS_ALL, .want = LACKS_GPU },
    { .name = "CPU is said before GPUs", .cpu = 3073, .gpus = 4, .want = LACKS_CPU },
    { .name = "busy with one, impossible by the other", .cpu = 3073, .gpus = 5, .want = LACKS_CPU, .impossible = true },
    { .name = "takes no tasks",          .inactive = true, .want = NOT_ACTIVE },
    { .name = "takes no tasks and is too small", .inactive = true, .gpus = 5, .want = NOT_ACTIVE, .impossible = true },
    { .name = "agent gone",              .disconnected = true, .want = NO_AGENT },
    { .name = "status is said before the agent", .inactive = true, .disconnected = true, .want = NOT_ACTIVE },
    { .name = "a name alone",            .attributes = wants_docker, .attribute_count = 1, .want = FITS },
    { .name = "a name with any value", .attributes = wants_os, .attribute_count = 1, .want = FITS },
    { .name = "name and value",          .attributes = wants_linux, .attribute_count = 2, .want = FITS },
    { .name = "another value",           .attributes = wants_windows, .attribute_count = 1, .want = LACKS_ATTRIBUTE, .impossible = true },
    { .name = "a value where none is",   .attributes = wants_docker_value, .attribute_count = 1, .want = LACKS_ATTRIBUTE, .impossible = true },
    { .name = "member",                  .expression = "attribute:os == linux", .want = FITS },
    { .name = "no member",               .expression = "attribute:os == windows", .want = NOT_MEMBER, .impossible = true },
    { .name = "no member while tasks are there", .expression = "runningTasksCount == 0", .want = NOT_MEMBER },
    { .name = "no member for its groups", .expression = "not(task:group == family:web)", .want = NOT_MEMBER },
    { .name = "distinct from its like",  .distinct = true, .group = "family:web", .want = NOT_DISTINCT },
    { .name = "distinct from others",    .distinct = true, .group = "family:other", .want = FITS },
    { .name = "distinct without a group", .distinct = true, .group = "", .want = FITS },
    { .name = "its like, not distinct",  .group = "family:web", .want = FITS },
    { .name = "a taken port",            .port = port_80, .want = LACKS_PORT },
    { .name = "the same port of UDP",    .port = port_80_udp, .want = FITS },
    { .name = "a free port",             .port = port_81, .want = FITS },
    { .name = "a free port that looks alike", .port = port_144, .want = FITS },       /* 80 + 64 */
    { .name = "a reserved port",         .port = port_22, .want = LACKS_PORT, .impossible = true },
};

static struct world *world_of_row(size_t r)
{
    struct world *world = sched_world_create(&arena);
    struct sched_instance instance = test_instance(1, 4);
    instance.active = !fit_rows[r].inactive;
    instance.connected = !fit_rows[r].disconnected;
    instance.attributes = has_docker;
    instance.attribute_count = COUNT_OF(has_docker);
    instance.reserved_ports = port_22;
    instance.reserved_port_count = 1;
    sched_put_instance(world, &instance);
    struct sched_use uuid = test_whole(1, 0);
    const struct sched_task task = {
        .id = test_id(50), .instance = test_id(1), .group = STR("family:web"), .running = true, .cpu = 1024, .memory_mib = 1024,
        .ports = port_80, .port_count = 1, .gpus = &uuid, .gpu_count = 1,
    };
    sched_put_task(world, &task);
    return world;
}

static void test_fits(void)
{
    for (size_t r = 0; r < COUNT_OF(fit_rows); r++) {
        const struct expression *expression = fit_rows[r].expression == NULL ? NULL : compile(fit_rows[r].expression);
        struct demand demand = {
            .cluster = TEST_CLUSTER, .cpu = fit_rows[r].cpu, .memory_mib = fit_rows[r].memory_mib, .container_count = 1,
            .attributes = fit_rows[r].attributes, .attribute_count = fit_rows[r].attribute_count, .expressions = &expression,
            .expression_count = expression != NULL, .distinct_instance = fit_rows[r].distinct, .group = str_from(fit_rows[r].group),
            .ports = fit_rows[r].port, .port_count = fit_rows[r].port != NULL,
        };
        demand.gpus[0] = (struct gpu_ask){ fit_rows[r].gpus, GPU_WHOLE, 0 };
        struct evidence evidence;
        bool placed = test_place(world_of_row(r), &demand, 60, &evidence) != 0;
        CHECK_EQ(fit_rows[r].name, placed, fit_rows[r].want == FITS);
        if (!placed) {
            CHECK_EQ(fit_rows[r].name, evidence.group_count, 1);
            CHECK_EQ(fit_rows[r].name, evidence.groups[0].verdict, fit_rows[r].want);
            CHECK_EQ(fit_rows[r].name, evidence.groups[0].impossible, fit_rows[r].impossible);
            CHECK_EQ(fit_rows[r].name, evidence.impossible, fit_rows[r].impossible);
        }
        struct placement placement;
        enum verdict on = sched_place_on(world_of_row(r), test_id(1), &demand, test_id(60), &placement, &evidence);
        CHECK_EQ(fit_rows[r].name, on, fit_rows[r].want);
        CHECK_EQ(fit_rows[r].name, evidence.instances, 1);
    }
}

static void test_place_on_a_stranger(void)
{
    struct world *world = sched_world_create(&arena);
    struct sched_instance other = test_instance(1, 0);
    other.cluster = TEST_CLUSTER + 1;
    sched_put_instance(world, &other);
    struct demand demand = test_demand(0);
    struct placement placement;
    struct evidence evidence;
    CHECK_EQ("another cluster", sched_place_on(world, test_id(1), &demand, test_id(9), &placement, &evidence), NOT_ACTIVE);
    CHECK_EQ("another cluster", evidence.instances, 0);
    CHECK_EQ("unknown", sched_place_on(world, test_id(2), &demand, test_id(9), &placement, &evidence), NOT_ACTIVE);
    CHECK_EQ("an empty cluster", test_place(world, &demand, 9, &evidence), 0);
    CHECK_EQ("an empty cluster is not impossible", evidence.impossible, false);
}

/* ---- which devices ---- */
static void test_gpus(void)
{
    static const struct {
        const char *name; size_t has; uint64_t taken; size_t containers; int64_t gpus[3]; bool fits; uint64_t slots[3];
    } rows[] = {
        { "the lowest",                  8, 0x00, 1, { 2 },              true,  { 0x03 } },
        { "the lowest that are free",    8, 0x05, 1, { 2 },              true,  { 0x0A } },
        { "separate sets",               8, 0x01, 3, { 1, 0, 2 },        true,  { 0x02, 0x00, 0x0C } },
        { "the sum counts",              4, 0x00, 2, { 2, 2 },           true,  { 0x03, 0x0C } },
        { "the sum is too much",         4, 0x00, 2, { 2, 3 },           false, { 0 } },
        { "all",                         4, 0x00, 1, { DEMAND_GPUS_ALL }, true, { 0x0F } },
        { "all of 64",                   64, 0x00, 1, { DEMAND_GPUS_ALL }, true, { UINT64_MAX } },
        { "all beside none",             2, 0x00, 2, { 0, DEMAND_GPUS_ALL }, true, { 0, 0x03 } },
        { "all where one is taken",      4, 0x08, 1, { DEMAND_GPUS_ALL }, false, { 0 } },
        { "all where there are none",    0, 0x00, 1, { DEMAND_GPUS_ALL }, false, { 0 } },
        { "all and one more",            4, 0x00, 2, { DEMAND_GPUS_ALL, 1 }, false, { 0 } },
        { "all twice",                   4, 0x00, 2, { DEMAND_GPUS_ALL, DEMAND_GPUS_ALL }, false, { 0 } },
        { "none",                        0, 0x00, 1, { 0 },              true,  { 0 } },
        { "more than a number holds",    8, 0x00, 2, { INT64_MAX, INT64_MAX }, false, { 0 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct world *world = sched_world_create(&arena);
        struct sched_instance instance = test_instance(1, rows[r].has);
        sched_put_instance(world, &instance);
        for (uint32_t g = 0; g < 64; g++) {
            struct sched_use uuid = test_whole(1, g);
            const struct sched_task task = { .id = test_id(50 + g), .instance = test_id(1), .gpus = &uuid, .gpu_count = 1 };
            if ((rows[r].taken >> g & 1) != 0) { sched_put_task(world, &task); }
        }
        struct demand demand = test_demand(0);
        demand.container_count = rows[r].containers;
        for (size_t c = 0; c < demand.container_count; c++) { demand.gpus[c] = (struct gpu_ask){ rows[r].gpus[c], GPU_WHOLE, 0 }; }
        struct placement placement;
        struct evidence evidence;
        struct id id = test_id(9);
        CHECK_EQ(rows[r].name, sched_place(world, &demand, &id, 1, false, &placement, &evidence), rows[r].fits);
        if (!rows[r].fits) { continue; }
        uint64_t all = 0;
        for (size_t c = 0; c < rows[r].containers; c++) {
            CHECK_EQ(rows[r].name, placement.gpu_slots[c], rows[r].slots[c]);
            all |= placement.gpu_slots[c];
        }
        struct sched_free left;
        CHECK(rows[r].name, sched_free_on(world, test_id(1), &left));
        uint64_t has = rows[r].has == 64 ? UINT64_MAX : ((uint64_t)1 << rows[r].has) - 1;
        CHECK_EQ(rows[r].name, left.gpu_slots, has & ~rows[r].taken & ~all);
    }
}

/* ---- who is taken ---- */
struct shape { size_t gpus, gpus_taken; int64_t cpu_taken, memory_taken; const char *zone; int tasks; };   /* tasks of family:web */

static struct world *world_of(const struct shape *shapes, size_t count)
{
    struct world *world = sched_world_create(&arena);
    uint32_t task = 1000;
    for (uint32_t i = 0; i < count; i++) {
        const struct sched_attribute zone = { STR("zone"), str_from(shapes[i].zone) };
        struct sched_instance instance = test_instance(i + 1, shapes[i].gpus);
        instance.attributes = &zone;
        instance.attribute_count = shapes[i].zone != NULL;
        sched_put_instance(world, &instance);
        struct sched_use uuids[8];
        for (size_t g = 0; g < shapes[i].gpus_taken; g++) { uuids[g] = test_whole(i + 1, g); }
        const struct sched_task taker = {
            .id = test_id(task++), .instance = test_id(i + 1), .group = STR("family:taker"), .cpu = shapes[i].cpu_taken,
            .memory_mib = shapes[i].memory_taken, .gpus = uuids, .gpu_count = shapes[i].gpus_taken,
        };
        sched_put_task(world, &taker);
        for (int t = 0; t < shapes[i].tasks; t++) {
            const struct sched_task web = { .id = test_id(task++), .instance = test_id(i + 1), .group = STR("family:web") };
            sched_put_task(world, &web);
        }
    }
    return world;
}

#define SPREAD(f)  { STRATEGY_SPREAD, STR_INIT(f) }
#define BINPACK(f) { STRATEGY_BINPACK, STR_INIT(f) }
#define NO_STRATEGY { STRATEGY_RANDOM, { NULL, 0 } }
static const struct {
    const char *name; struct shape shapes[5]; size_t count; int64_t gpus; struct strategy strategies[3]; size_t strategy_count;
    uint32_t want;
} choice_rows[] = {
    { "GPU task: the fewest free GPUs that suffice",
      { { .gpus = 8, .gpus_taken = 0 }, { .gpus = 8, .gpus_taken = 6 }, { .gpus = 8, .gpus_taken = 5 },
        { .gpus = 8, .gpus_taken = 7 } },
      4, 2, { NO_STRATEGY }, 0, 2 },
    { "GPU task: then the smaller id",
      { { .gpus = 4, .gpus_taken = 2 }, { .gpus = 4, .gpus_taken = 2 } }, 2, 2, { NO_STRATEGY }, 0, 1 },
    { "CPU task: keeps off GPU machines",
      { { .gpus = 8, .gpus_taken = 8 }, { .gpus = 0, .gpus_taken = 0, .cpu_taken = 3000 }, { .gpus = 8, .gpus_taken = 0 } },
      3, 0, { NO_STRATEGY }, 0, 2 },
    { "CPU task: else the GPU machine with the fewest free",
      { { .gpus = 8, .gpus_taken = 0 }, { .gpus = 8, .gpus_taken = 8 }, { .gpus = 8, .gpus_taken = 7 } },
      3, 0, { NO_STRATEGY }, 0, 2 },
    { "spread by instance",
      { { .gpus = 0, .tasks = 2 }, { .gpus = 0, .tasks = 1 }, { .gpus = 0, .tasks = 1 }, { .gpus = 0, .tasks = 3 } },
      4, 0, { SPREAD("instanceId") }, 1, 2 },
    { "spread by host, in any case", { { .gpus = 0, .tasks = 1 }, { .gpus = 0, .tasks = 0 } }, 2, 0, { SPREAD("HOST") }, 1, 2 },
    { "spread by zone",
      { { .gpus = 0, .zone = "a", .tasks = 1 }, { .gpus = 0, .zone = "a" }, { .gpus = 0, .zone = "b", .tasks = 0 } },
      3, 0, { SPREAD("attribute:zone") }, 1, 3 },
    { "spread by zone counts full instances too",
      { { .gpus = 0, .zone = "a", .cpu_taken = 4096, .tasks = 2 }, { .gpus = 0, .zone = "a" },
        { .gpus = 0, .zone = "b", .tasks = 1 } },
      3, 0, { SPREAD("attribute:zone") }, 1, 3 },
    { "spread leaves out those without the attribute",
      { { .gpus = 0, .zone = NULL }, { .gpus = 0, .zone = "b", .tasks = 5 } }, 2, 0, { SPREAD("attribute:zone") }, 1, 2 },
    { "spread when nobody has the attribute", { { .gpus = 0 }, { .gpus = 0 } }, 2, 0, { SPREAD("attribute:rack") }, 1, 1 },
    { "zone, then instance",
      { { .gpus = 0, .zone = "a", .tasks = 2 }, { .gpus = 0, .zone = "b", .tasks = 1 }, { .gpus = 0, .zone = "b" } },
      3, 0, { SPREAD("attribute:zone"), SPREAD("instanceId") }, 2, 3 },
    { "binpack by CPU",
      { { .gpus = 0, .cpu_taken = 100 }, { .gpus = 0, .cpu_taken = 300 }, { .gpus = 0, .cpu_taken = 200 } },
      3, 0, { BINPACK("cpu") }, 1, 2 },
    { "binpack only where it fits",
      { { .gpus = 0, .cpu_taken = 100 }, { .gpus = 0, .cpu_taken = 3841 }, { .gpus = 0, .cpu_taken = 3840 } },
      3, 0, { BINPACK("cpu") }, 1, 3 },
    { "binpack by memory",
      { { .gpus = 0, .memory_taken = 1 }, { .gpus = 0, .memory_taken = 3 }, { .gpus = 0, .memory_taken = 2 } },
      3, 0, { BINPACK("memory") }, 1, 2 },
    { "binpack by GPU",
      { { .gpus = 8, .gpus_taken = 0, .cpu_taken = 100 }, { .gpus = 8, .gpus_taken = 3, .cpu_taken = 0 },
        { .gpus = 8, .gpus_taken = 1, .cpu_taken = 0 } },
      3, 1, { BINPACK("gpu") }, 1, 2 },
    { "memory breaks the tie of CPU",
      { { .gpus = 0, .cpu_taken = 9, .memory_taken = 1 }, { .gpus = 0, .cpu_taken = 9, .memory_taken = 3 },
        { .gpus = 0, .cpu_taken = 8, .memory_taken = 9 } },
      3, 0, { BINPACK("cpu"), BINPACK("memory") }, 2, 2 },
    { "ties go to machines without GPUs",
      { { .gpus = 4, .gpus_taken = 0 }, { .gpus = 0, .gpus_taken = 0 } }, 2, 0, { SPREAD("instanceId") }, 1, 2 },
    { "ties go to fewer free GPUs",
      { { .gpus = 4, .gpus_taken = 0 }, { .gpus = 4, .gpus_taken = 1 } }, 2, 1, { SPREAD("instanceId") }, 1, 2 },
    { "a field that means nothing ranks nothing",
      { { .gpus = 0, .cpu_taken = 1 }, { .gpus = 0, .cpu_taken = 9 } }, 2, 0, { BINPACK("colour") }, 1, 1 },
    { "… and leaves the next its turn",
      { { .gpus = 0, .cpu_taken = 1 }, { .gpus = 0, .cpu_taken = 9 } }, 2, 0, { BINPACK("colour"), BINPACK("cpu") }, 2, 2 },
    { "binpack knows no attributes",
      { { .gpus = 0, .zone = "a", .tasks = 1 }, { .gpus = 0, .zone = "b" } }, 2, 0, { BINPACK("attribute:zone") }, 1, 1 },
};

static void test_choice(void)
{
    for (size_t r = 0; r < COUNT_OF(choice_rows); r++) {
        for (uint64_t seed = 0; seed < 4; seed++) {              /* chance has no say in any of these */
            struct demand demand = test_demand(choice_rows[r].gpus);
            demand.strategies = choice_rows[r].strategies;
            demand.strategy_count = choice_rows[r].strategy_count;
            demand.seed = seed;
            uint32_t got = test_place(world_of(choice_rows[r].shapes, choice_rows[r].count), &demand, 9, NULL);
            CHECK_EQ(choice_rows[r].name, got, choice_rows[r].want);
        }
    }
}

/* Chance: from the seed alone, and fair. */
static void test_chance(void)
{
    static const struct strategy by_chance[] = { { STRATEGY_RANDOM, { NULL, 0 } } };
    static const struct shape shapes[] = { { .gpus = 0 }, { .gpus = 4 }, { .gpus = 0 }, { .gpus = 4 }, { .gpus = 0 } };
    for (int with_strategy = 0; with_strategy < 2; with_strategy++) {
        int64_t taken[6] = { 0 };
        struct world *world = world_of(shapes, COUNT_OF(shapes));
        for (uint32_t n = 0; n < 3000; n++) {
            struct demand demand = test_demand(0);
            demand.seed = n;
            demand.strategies = by_chance;
            demand.strategy_count = (size_t)with_strategy;
            uint32_t first = test_place(world, &demand, 9, NULL);
            sched_drop_task(world, test_id(9));
            CHECK_EQ("the same seed, the same instance", test_place(world, &demand, 9, NULL), first);
            sched_drop_task(world, test_id(9));
            taken[first]++;
        }
        for (size_t i = 1; i < COUNT_OF(taken); i++) {
            bool takes_part = with_strategy == 1 || shapes[i - 1].gpus == 0;
            int64_t fair = takes_part ? (with_strategy == 1 ? 600 : 1000) : 0;
            CHECK("each about equally often", taken[i] >= fair * 8 / 10);
            CHECK("each about equally often", taken[i] <= fair * 12 / 10);
        }
    }
}

/* Fair also among more instances than are looked at together. */
static void test_chance_among_many(void)
{
    enum { MANY = 150, DRAWS = 150 * 40 };
    static int taken[MANY + 1];
    struct world *world = sched_world_create(&arena);
    for (uint32_t i = 1; i <= MANY; i++) {
        struct sched_instance instance = test_instance(i, 0);
        sched_put_instance(world, &instance);
    }
    for (uint32_t n = 0; n < DRAWS; n++) {
        struct demand demand = test_demand(0);
        demand.seed = n;
        taken[test_place(world, &demand, 1000, NULL)]++;
    }
    for (size_t i = 1; i <= MANY; i++) {
        CHECK("not too seldom", taken[i] >= 10);
        CHECK("not too often", taken[i] <= 80);
    }
}

/* ---- several in one call ---- */
static void test_several(void)
{
    static const struct shape shapes[] = { { .gpus = 2 }, { .gpus = 2 } };
    static const struct { const char *name; size_t count; bool all_or_nothing; size_t want; uint32_t free_after[2]; } rows[] = {
        { "all fit",                      2, false, 2, { 0, 2 } },
        { "as many as fit",               6, false, 4, { 0, 0 } },
        { "all or nothing, all",          4, true,  4, { 0, 0 } },
        { "all or nothing, one too many", 5, true,  0, { 2, 2 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct world *world = world_of(shapes, COUNT_OF(shapes));
        struct demand demand = test_demand(1);
        struct id ids[6];
        struct placement placements[6];
        struct evidence evidence;
        for (uint32_t i = 0; i < 6; i++) { ids[i] = test_id(100 + i); }
        size_t placed = sched_place(world, &demand, ids, rows[r].count, rows[r].all_or_nothing, placements, &evidence);
        CHECK_EQ(rows[r].name, placed, rows[r].want);
        CHECK_EQ(rows[r].name, evidence.group_count > 0, placed < rows[r].count);
        for (uint32_t i = 0; i < 2; i++) {
            struct sched_free left;
            CHECK(rows[r].name, sched_free_on(world, test_id(i + 1), &left));
            CHECK_EQ(rows[r].name, __builtin_popcountll(left.gpu_slots), rows[r].free_after[i]);
        }
    }
}

static void test_distinct_within_a_call(void)
{
    static const struct shape shapes[] = { { .gpus = 0 }, { .gpus = 0 }, { .gpus = 0 } };
    struct world *world = world_of(shapes, COUNT_OF(shapes));
    struct demand demand = test_demand(0);
    demand.distinct_instance = true;
    struct id ids[4] = { test_id(100), test_id(101), test_id(102), test_id(103) };
    struct placement placements[4];
    struct evidence evidence;
    CHECK_EQ("one on each", sched_place(world, &demand, ids, 4, false, placements, &evidence), 3);
    CHECK_EQ("the fourth", evidence.groups[0].verdict, NOT_DISTINCT);
    CHECK_EQ("the fourth", evidence.impossible, false);
    sched_drop_task(world, test_id(101));
    CHECK("a place is free again", test_place(world, &demand, 104, NULL) != 0);
}

/* 4 + 8 and 4 + 4 then 8: packing keeps the big hole whole. */
static void test_big_holes(void)
{
    static const struct shape shapes[] = { { .gpus = 8 }, { .gpus = 8 } };
    struct world *world = world_of(shapes, COUNT_OF(shapes));
    struct demand four = test_demand(4), eight = test_demand(8);
    CHECK_EQ("the first four", test_place(world, &four, 1, NULL), 1);
    CHECK_EQ("the second four beside it", test_place(world, &four, 2, NULL), 1);
    CHECK_EQ("eight", test_place(world, &eight, 3, NULL), 2);
    CHECK_EQ("nothing left", test_place(world, &four, 4, NULL), 0);
}

int main(void)
{
    arena_init(&arena, (size_t)512 << 20);
    test_fits();
    test_place_on_a_stranger();
    test_gpus();
    test_choice();
    test_chance();
    test_chance_among_many();
    test_several();
    test_distinct_within_a_call();
    test_big_holes();
    arena_finish(&arena);
    return check_report();
}
