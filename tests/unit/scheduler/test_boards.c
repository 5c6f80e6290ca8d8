/* The tree under the boards against a plain search; and the work that a placement costs, counted in instances ranked. */
#include "worlds.h"

#include "base/rng.h"
#include "scheduler/place/boards.h"
#include "scheduler/place/tree.h"

static struct arena arena;

/* ---- the tree ---- */
static void check_tree(const struct tree *tree)
{
    rank least = RANK_OUT;
    uint32_t ties = 0;
    for (uint32_t leaf = 0; leaf < tree->count; leaf++) { least = tree->leaves[leaf] < least ? tree->leaves[leaf] : least; }
    for (uint32_t leaf = 0; leaf < tree->count; leaf++) {
        if (least == RANK_OUT || tree->leaves[leaf] != least) { continue; }
        CHECK_EQ("nth of the ties", tree_find(tree, ties), leaf);
        ties++;
    }
    CHECK("the least", tree_root(tree).least == least);
    CHECK_EQ("how many share it", tree_root(tree).ties, ties);
}

static void test_tree(void)
{
    static const uint32_t counts[] = { 0, 1, 2, 15, 16, 17, 255, 256, 257, 1000 };
    struct rng rng;
    rng_seed(&rng, 1);
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        rank *leaves = ARENA_NEW(&arena, rank, counts[c] + 1);
        struct tree_node *nodes = ARENA_NEW(&arena, struct tree_node, tree_nodes(counts[c]) + 1);
        for (uint32_t leaf = 0; leaf < counts[c]; leaf++) { leaves[leaf] = RANK_OUT; }
        struct tree tree;
        tree_build(&tree, leaves, counts[c], nodes);
        check_tree(&tree);
        for (int change = 0; change < 400 && counts[c] > 0; change++) {
            uint32_t leaf = (uint32_t)rng_below(&rng, counts[c]);
            leaves[leaf] = rng_below(&rng, 3) == 0 ? RANK_OUT : (rank)rng_below(&rng, 6) << (rng_below(&rng, 2) == 0 ? 0 : 100);
            tree_change(&tree, leaf);
            check_tree(&tree);
        }
    }
}

/* ---- the work ---- */
static struct world *world_of(uint32_t instances)
{
    struct world *world = sched_world_create(&arena);
    for (uint32_t i = 1; i <= instances; i++) {
        static const char *const zones[] = { "a", "b", "c" };
        const struct sched_attribute zone = { STR("zone"), str_from(zones[i % 3]) };
        struct sched_instance instance = test_instance(i, i % 2 * 4);
        instance.attributes = &zone;
        instance.attribute_count = 1;
        sched_put_instance(world, &instance);
    }
    return world;
}

static const struct strategy by_zone[] = { { STRATEGY_SPREAD, STR_INIT("attribute:zone") }, { STRATEGY_SPREAD, STR_INIT("instanceId") } };
static const struct strategy by_memory[] = { { STRATEGY_BINPACK, STR_INIT("memory") } };
static const struct { const char *name; int64_t gpus; const struct strategy *strategies; size_t strategy_count; } works[] = {
    { "default", 0, NULL, 0 }, { "GPUs", 1, NULL, 0 }, { "binpack", 0, by_memory, 1 }, { "spread", 1, by_zone, 2 },
};

/* Instances ranked for the second and all further of some tasks that are alike. */
static uint64_t work_for(struct world *world, size_t row, uint32_t tasks)
{
    struct demand demand = test_demand(works[row].gpus);
    demand.cpu = demand.memory_mib = 1;
    demand.strategies = works[row].strategies;
    demand.strategy_count = works[row].strategy_count;
    CHECK(works[row].name, test_place(world, &demand, 100000, NULL) != 0);
    uint64_t before = world->boards->ranked;
    for (uint32_t t = 1; t < tasks; t++) { CHECK(works[row].name, test_place(world, &demand, 100000 + t, NULL) != 0); }
    return world->boards->ranked - before;
}

/* A placement costs as much as has changed since the last one, in a small cluster as in a large one. */
static void test_work(void)
{
    enum { TASKS = 40, FEW = 64, MANY = 4096 };
    for (size_t r = 0; r < COUNT_OF(works); r++) {
        uint64_t in_few = work_for(world_of(FEW), r, TASKS), in_many = work_for(world_of(MANY), r, TASKS);
        CHECK(works[r].name, in_few <= 4 * (TASKS - 1));         /* the last hosts of big tasks are ranked again when they become scarce */
        CHECK_EQ(works[r].name, in_many, TASKS - 1);
    }
}

/* Two shapes in turn look at each other's changes; a shape that comes back after others looks at all that changed meanwhile, and
 * at each instance once. */
static void test_turns(void)
{
    struct world *world = world_of(256);
    struct demand first = test_demand(0), second = test_demand(0);
    first.cpu = second.cpu = 1;
    first.memory_mib = 1;
    second.memory_mib = 2;
    first.strategies = second.strategies = by_memory;            /* all on one instance while it lasts */
    first.strategy_count = second.strategy_count = 1;
    (void)test_place(world, &first, 5000, NULL);
    (void)test_place(world, &second, 5001, NULL);
    uint64_t before = world->boards->ranked;
    for (uint32_t t = 0; t < 50; t++) { (void)test_place(world, &second, 6000 + t, NULL); }
    CHECK_EQ("the same one again and again", world->boards->ranked - before, 50);
    before = world->boards->ranked;
    (void)test_place(world, &first, 7000, NULL);
    CHECK_EQ("fifty changes of one instance are one", world->boards->ranked - before, 1);
}

/* More shapes than boards are kept for: each is still right, and memory has its ceiling. */
static void test_many_shapes(void)
{
    struct world *world = world_of(64);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t shape = 0; shape < 2 * BOARDS_MAX; shape++) {
            struct demand demand = test_demand(0);
            demand.cpu = 4096 - shape;
            uint32_t task = 10000 + shape;
            CHECK("placed", test_place(world, &demand, task, NULL) != 0);
            sched_drop_task(world, test_id(task));
        }
    }
    uint32_t boards = 0;
    for (size_t b = 0; b < BOARDS_MAX; b++) { boards += world->boards->list[b] != NULL; }
    CHECK("some were kept", boards > 0);
    for (uint32_t i = 1; i <= 64; i++) { sched_drop_instance(world, test_id(i)); }
    for (size_t b = 0; b < BOARDS_MAX; b++) { CHECK("gone with the cluster", world->boards->list[b] == NULL); }
    CHECK_EQ("and their memory with them", world->boards->bytes, 0);
}

/* ---- why nobody wins ---- */
static struct id holder_of(uint32_t number) { return test_id(2000 + number); }

/* Machines of several reasons and means, whose texts come and go with them. Of eight devices one is held. */
static void put_refusing(struct world *world, struct rng *rng, uint32_t number)
{
    size_t gpus = rng_below(rng, 9);
    struct sched_instance instance = test_instance(number, gpus);
    const char zone = (char)('a' + rng_below(rng, 8));
    const struct sched_attribute attributes[] = { { STR("zone"), { &zone, 1 } }, { STR("disk"), STR("ssd") } };
    const struct sched_use held = test_whole(number, rng_below(rng, 8));
    sched_drop_task(world, holder_of(number));
    instance.attributes = attributes;
    instance.attribute_count = 1 + rng_below(rng, 2);
    instance.connected = rng_below(rng, 8) != 0;
    instance.cpu = 128 * (int64_t)rng_below(rng, 4);
    instance.memory_mib = 256 * (int64_t)rng_below(rng, 5);
    sched_put_instance(world, &instance);
    if (gpus == 8) { sched_put_task(world, &(struct sched_task){ .id = holder_of(number), .instance = instance.id, .gpus = &held, .gpu_count = 1 }); }
}

static void drop_refusing(struct world *world, uint32_t number)
{
    sched_drop_task(world, holder_of(number));
    sched_drop_instance(world, test_id(number));
}

static void check_same_group(const struct evidence_group *a, const struct evidence_group *b)
{
    CHECK("verdict", a->verdict == b->verdict && a->impossible == b->impossible && a->mixed == b->mixed);
    CHECK_EQ("count", a->count, b->count);
    CHECK("means", a->most == b->most && a->total == b->total && a->most_share == b->most_share && a->out == b->out);
    CHECK("example", id_eq(a->example, b->example));
    CHECK_STR("what", a->what, b->what);
    CHECK_STR("why", a->why, b->why);
}

/* The evidence kept from refusal to refusal is that of a look at all machines, after any change between: nothing, one machine, many, or how many
 * there are. Fewer machines than a piece of the board has rows, as many, and several pieces. */
static void test_evidence_follows(void)
{
    static const uint32_t sizes[] = { 1, 63, 64, 65, 300 };
    struct rng rng;
    rng_seed(&rng, 5);
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        struct world *world = sched_world_create(&arena);
        for (uint32_t i = 1; i <= sizes[s]; i++) { put_refusing(world, &rng, i); }
        const struct sched_attribute wants = { STR("disk"), STR("ssd") };
        struct demand demand = test_demand(8);
        demand.attributes = &wants;
        demand.attribute_count = 1;
        for (int turn = 0; turn < 120; turn++) {
            for (uint64_t change = rng_below(&rng, turn % 8 == 0 ? 40 : 3); change > 0; change--) {
                uint32_t number = 1 + (uint32_t)rng_below(&rng, sizes[s] + 4);
                if (number > 1 && rng_below(&rng, 6) == 0) { drop_refusing(world, number); } else { put_refusing(world, &rng, number); }
            }
            struct evidence kept, anew;
            CHECK_EQ("no place", test_place(world, &demand, 1000000, &kept), 0);
            if (turn % 4 != 3) { continue; }
            for (size_t g = 0; g < kept.group_count; g++) {      /* the board's own, which goes */
                kept.groups[g].what = arena_str(&arena, kept.groups[g].what);
                kept.groups[g].why = arena_str(&arena, kept.groups[g].why);
            }
            boards_finish(world);
            CHECK_EQ("no place", test_place(world, &demand, 1000000, &anew), 0);
            CHECK_EQ("instances", kept.instances, (int64_t)sched_instance_count(world, TEST_CLUSTER));
            CHECK("as many groups", kept.instances == anew.instances && kept.group_count == anew.group_count && kept.impossible == anew.impossible);
            for (size_t g = 0; g < kept.group_count && g < anew.group_count; g++) { check_same_group(&kept.groups[g], &anew.groups[g]); }
        }
    }
}

/* So many machines that what the next picks will read is fetched ahead: each has room for one task, so that the picks of a call are not as they
 * were foreseen. The first of a call is as it is alone, and nobody is given two. */
static void test_foreseen(void)
{
    enum { MACHINES = 20010, AT_ONCE = 20 };
    struct world *world = sched_world_create(&arena), *twin = sched_world_create(&arena);
    bool *taken = ARENA_NEW(&arena, bool, MACHINES + 1);
    for (uint32_t i = 1; i <= MACHINES; i++) {
        struct sched_instance instance = test_instance(i, 0);
        instance.cpu = 256;
        sched_put_instance(world, &instance);
        sched_put_instance(twin, &instance);
    }
    struct demand demand = test_demand(0);
    uint32_t placed = 0, doubled = 0, otherwise = 0;
    for (size_t got = AT_ONCE; got == AT_ONCE; placed += (uint32_t)got) {
        struct id tasks[AT_ONCE];
        struct placement placements[AT_ONCE];
        demand.seed = placed;
        for (uint32_t t = 0; t < AT_ONCE; t++) { tasks[t] = test_id(100000 + placed + t); }
        uint32_t alone = test_place(twin, &demand, 100000 + placed, NULL);
        sched_drop_task(twin, test_id(100000 + placed));
        got = sched_place(world, &demand, tasks, AT_ONCE, false, placements, NULL);
        for (size_t t = 0; t < got; t++) {
            uint32_t number = 0;
            for (size_t b = 0; b < 4; b++) { number = number << 8 | placements[t].instance.bytes[b]; }
            otherwise += t == 0 && number != alone;
            doubled += taken[number];
            taken[number] = true;
            const struct sched_task told = { .id = tasks[t], .instance = placements[t].instance, .group = demand.group, .cpu = demand.cpu, .memory_mib = demand.memory_mib };
            sched_put_task(twin, &told);
        }
    }
    CHECK_EQ("each has one", placed, MACHINES);
    CHECK_EQ("none has two", doubled, 0);
    CHECK_EQ("the first is as alone", otherwise, 0);
}

/* More clusters than one chunk of their list holds: each has its own boards, also when others have gone and come. */
static void test_clusters(void)
{
    enum { CLUSTERS = 150 };
    struct world *world = sched_world_create(&arena);
    size_t elsewhere = 0;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t c = 1; c <= CLUSTERS; c++) {
            struct sched_instance instance = test_instance(c, 1);
            instance.cluster = c;
            sched_put_instance(world, &instance);
        }
        for (uint32_t c = 1; c <= CLUSTERS; c++) {
            struct demand demand = test_demand(1);
            demand.cluster = c;
            elsewhere += test_place(world, &demand, 1000 * (round + 1) + c, NULL) != c;
        }
        for (uint32_t c = 1; c <= CLUSTERS; c += 1 + round) {
            sched_drop_task(world, test_id(1000 * (round + 1) + c));
            sched_drop_instance(world, test_id(c));
        }
        for (uint32_t c = 1; c <= CLUSTERS; c++) { sched_drop_task(world, test_id(1000 * (round + 1) + c)); }
    }
    CHECK_EQ("tasks that are not in their cluster", elsewhere, 0);
}

int main(void)
{
    arena_init(&arena, (size_t)512 << 20);
    test_clusters();
    test_tree();
    test_work();
    test_turns();
    test_many_shapes();
    test_evidence_follows();
    test_foreseen();
    arena_finish(&arena);
    return check_report();
}
