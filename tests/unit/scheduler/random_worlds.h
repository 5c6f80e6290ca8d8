/* random_worlds.h: machines of many kinds and demands of many shapes, from a generator: for tests that compare worlds. */
#ifndef BERTH_TESTS_SCHEDULER_RANDOM_WORLDS_H
#define BERTH_TESTS_SCHEDULER_RANDOM_WORLDS_H

#include "worlds.h"

#include "base/rng.h"

enum { RANDOM_GPUS_MAX = 8, RANDOM_LIST_MAX = 4 };

static inline uint64_t random_below(struct rng *rng, uint64_t bound) { return rng_below(rng, bound); }
static inline bool random_once_in(struct rng *rng, uint64_t times) { return rng_below(rng, times) == 0; }

/* Puts an instance of that number into `world`, and into `twin` when there is one. */
static inline void random_instance(struct world *world, struct world *twin, uint32_t number, struct rng *rng)
{
    static const char *const models[] = { "V100", "T4", "A100" };
    static const size_t sizes[] = { 0, 1, 2, 4, 8 };
    struct sched_gpu gpus[RANDOM_GPUS_MAX];
    int64_t links[RANDOM_GPUS_MAX * RANDOM_GPUS_MAX];
    size_t count = sizes[random_below(rng, COUNT_OF(sizes))], model = random_below(rng, COUNT_OF(models));
    bool partitions = random_once_in(rng, 6);
    for (size_t g = 0; g < count; g++) {
        gpus[g] = (struct sched_gpu){ .uuid = test_uuid(number, g), .memory_mib = 16000 << model, .partition = partitions && g % 2 == 1,
                                       .out = random_once_in(rng, 10) };
    }
    for (size_t pair = 0; pair < count * count; pair++) { links[pair] = pair / count / 2 == pair % count / 2 ? 200 : 20; }
    const struct sched_attribute attributes[] = { { STR("berth.gpu-model"), str_from(models[model]) }, { STR("zone"), str_from(models[number % 3]) } };
    const int64_t reserved[] = { 22 };
    size_t first = count == 0 || random_once_in(rng, 5);         /* some do not tell their model */
    struct sched_instance told = {
        .id = test_id(number), .cluster = TEST_CLUSTER + random_once_in(rng, 12), .active = !random_once_in(rng, 8), .connected = !random_once_in(rng, 8),
        .cpu = 1024 * (int64_t)random_below(rng, 9), .memory_mib = 2048 * (int64_t)random_below(rng, 9), .gpus = gpus, .gpu_count = count,
        .gpu_links = random_once_in(rng, 2) ? links : NULL, .attributes = attributes + first, .attribute_count = COUNT_OF(attributes) - first,
        .reserved_ports = reserved, .reserved_port_count = random_once_in(rng, 2),
        .interfaces = (int64_t)random_below(rng, 4),
    };
    sched_put_instance(world, &told);
    if (twin != NULL) { sched_put_instance(twin, &told); }
}

struct random_demand { struct demand demand; int64_t ports[RANDOM_LIST_MAX]; struct sched_attribute attribute; };

static inline void random_gpus(struct gpu_ask *ask, struct rng *rng)
{
    static const int64_t counts[] = { 0, 0, 1, 1, 2, 4, 8, DEMAND_GPUS_ALL }, shares[] = { 0, 250, 500, 700 }, memories[] = { 0, 4000, 20000, 40000 };
    *ask = (struct gpu_ask){ counts[random_below(rng, COUNT_OF(counts))], GPU_WHOLE, 0 };
    if (ask->count == 1 && random_once_in(rng, 2)) {
        ask->share = shares[random_below(rng, COUNT_OF(shares))];
        ask->memory_mib = memories[random_below(rng, COUNT_OF(memories))];
        if (ask->share == 0 && ask->memory_mib == 0) { ask->share = 100; }
    } else if (ask->count != 0 && random_once_in(rng, 6)) {
        ask->memory_mib = memories[random_below(rng, COUNT_OF(memories))];
    }
}

/* Into *made, which the demand borrows from. */
static inline void random_demand(struct random_demand *made, struct rng *rng)
{
    static const struct strategy strategies[] = {
        { STRATEGY_SPREAD, STR_INIT("attribute:zone") }, { STRATEGY_SPREAD, STR_INIT("instanceId") }, { STRATEGY_BINPACK, STR_INIT("gpu") },
        { STRATEGY_BINPACK, STR_INIT("memory") }, { STRATEGY_RANDOM, { NULL, 0 } },
    };
    static const char *const groups[] = { "family:web", "family:train", "service:api" };
    size_t first = random_below(rng, COUNT_OF(strategies)), most = COUNT_OF(strategies) - first;
    *made = (struct random_demand){ .attribute = { STR("zone"), STR("T4") } };
    made->demand = (struct demand){
        .cluster = TEST_CLUSTER, .cpu = 128 * (int64_t)random_below(rng, 12), .memory_mib = 256 * (int64_t)random_below(rng, 12),
        .container_count = 1 + random_below(rng, 2), .distinct_instance = random_once_in(rng, 5),
        .group = str_from(groups[random_below(rng, COUNT_OF(groups))]), .seed = rng_next(rng),
        .strategies = strategies + first, .strategy_count = random_once_in(rng, 2) ? 0 : random_below(rng, most + 1),
        .interfaces = random_once_in(rng, 3), .attributes = &made->attribute, .attribute_count = random_once_in(rng, 6), .ports = made->ports,
    };
    for (size_t c = 0; c < made->demand.container_count; c++) { random_gpus(&made->demand.gpus[c], rng); }
    if (random_once_in(rng, 4)) { made->ports[made->demand.port_count++] = 80; }
    if (random_once_in(rng, 4)) { made->ports[made->demand.port_count++] = random_once_in(rng, 2) ? 22 : 443; }
}

#endif
