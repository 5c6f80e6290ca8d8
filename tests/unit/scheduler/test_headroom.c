/* How many tasks would fit, counted, against placing them until none fits. */
#include "random_worlds.h"

enum { INSTANCES = 10, WORLDS = 60, TRIES_MAX = 128, MODELS = 3 };

static struct arena arena;
static const char *const models[MODELS] = { "V100", "T4", "A100" };

/* Places tasks of `gpus` whole devices until none fits, counts them and takes them away again. */
static int64_t count_fitting(struct world *world, int64_t gpus, const char *model)
{
    const struct sched_attribute attribute = { STR("berth.gpu-model"), str_from(model) };
    struct demand demand = test_demand(gpus);
    demand.cpu = demand.memory_mib = 0;
    demand.attributes = &attribute;
    demand.attribute_count = model != NULL;
    uint32_t count = 0;
    while (count < TRIES_MAX && test_place(world, &demand, 5000 + count, NULL) != 0) { count++; }
    CHECK("the test has room for all", count < TRIES_MAX);
    for (uint32_t t = 0; t < count; t++) { sched_drop_task(world, test_id(5000 + t)); }
    return count;
}

static const struct headroom_part *part_of(const struct headroom *headroom, const char *model)
{
    for (size_t m = 0; m < headroom->model_count; m++) {
        if (str_eq(headroom->models[m].model, str_from(model))) { return &headroom->models[m]; }
    }
    return NULL;
}

static void test_random(uint64_t seed)
{
    static const struct headroom_part nothing = { 0 };
    char row[32];
    struct rng rng;
    struct headroom headroom;
    rng_seed(&rng, seed);
    (void)snprintf(row, sizeof row, "world %d", (int)seed);
    struct world *world = sched_world_create(&arena);
    for (uint32_t i = 1; i <= INSTANCES; i++) { random_instance(world, NULL, i, &rng); }
    for (uint32_t t = 0; t < 3 * INSTANCES; t++) {
        struct random_demand made;
        random_demand(&made, &rng);
        (void)test_place(world, &made.demand, 100 + t, NULL);
    }
    sched_headroom(world, TEST_CLUSTER, &headroom);
    for (size_t s = 0; s < HEADROOM_SIZES; s++) {
        CHECK_EQ(row, headroom.all.tasks[s], count_fitting(world, sched_headroom_sizes[s], NULL));
        for (size_t m = 0; m < MODELS; m++) {
            const struct headroom_part *part = part_of(&headroom, models[m]);
            CHECK_EQ(row, (part == NULL ? &nothing : part)->tasks[s], count_fitting(world, sched_headroom_sizes[s], models[m]));
        }
    }
    CHECK_EQ(row, headroom.all.gpus_free, headroom.all.tasks[0]);
}

static void test_amounts(void)
{
    struct world *world = sched_world_create(&arena);
    struct headroom headroom;
    sched_headroom(world, TEST_CLUSTER, &headroom);
    CHECK_EQ("a cluster without instances", headroom.all.instances, 0);
    for (uint32_t i = 1; i <= 4; i++) {
        struct sched_instance instance = test_instance(i, i == 4 ? 8 : 2);
        instance.active = i != 2;
        instance.connected = i != 3;
        sched_put_instance(world, &instance);
    }
    struct sched_use half = { test_uuid(4, 0), 500 };
    const struct sched_task task = { .id = test_id(50), .instance = test_id(4), .cpu = 96, .memory_mib = 192, .gpus = &half, .gpu_count = 1 };
    sched_put_task(world, &task);
    sched_headroom(world, TEST_CLUSTER, &headroom);
    CHECK_EQ("those that take tasks", headroom.all.instances, 2);
    CHECK_EQ("CPU", headroom.cpu, 2 * 4096 - 96);
    CHECK_EQ("memory", headroom.memory_mib, 2 * 8192 - 192);
    CHECK_EQ("the largest hole", headroom.most_cpu, 4096);
    CHECK_EQ("the largest hole", headroom.most_memory_mib, 8192);
    CHECK_EQ("a device that is shared is not whole", headroom.all.gpus_free, 2 + 7);
    CHECK_EQ("fours", headroom.all.tasks[2], 1);
    CHECK_EQ("eights", headroom.all.tasks[3], 0);
    CHECK_EQ("no model is known", headroom.model_count, 1);
    CHECK("no model is known", !str_is_set(headroom.models[0].model));
}

/* More models than there are places for: none is lost. */
static void test_many_models(void)
{
    struct world *world = sched_world_create(&arena);
    for (uint32_t i = 1; i <= HEADROOM_MODELS_MAX + 4; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "M%u", i);
        const struct sched_attribute attribute = { STR("berth.gpu-model"), str_from(name) };
        struct sched_instance instance = test_instance(i, 2);
        instance.attributes = &attribute;
        instance.attribute_count = 1;
        sched_put_instance(world, &instance);
    }
    struct headroom headroom;
    sched_headroom(world, TEST_CLUSTER, &headroom);
    int64_t sum = 0;
    for (size_t m = 0; m < headroom.model_count; m++) { sum += headroom.models[m].gpus_free; }
    CHECK_EQ("as many as there is room for", headroom.model_count, HEADROOM_MODELS_MAX);
    CHECK_EQ("none is lost", sum, headroom.all.gpus_free);
    CHECK_EQ("the rest together", headroom.models[HEADROOM_MODELS_MAX - 1].gpus_free, 2 * 5);
    CHECK("has no name", !str_is_set(headroom.models[HEADROOM_MODELS_MAX - 1].model));
}

int main(void)
{
    arena_init(&arena, (size_t)256 << 20);
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        test_random(seed);
        arena_reset(&arena);
    }
    test_amounts();
    test_many_models();
    arena_finish(&arena);
    return check_report();
}
