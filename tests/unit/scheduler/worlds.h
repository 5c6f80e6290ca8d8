/* worlds.h: builders for tests of the scheduler: ids from numbers, an instance that takes anything, a demand for little. */
#ifndef BERTH_TESTS_SCHEDULER_WORLDS_H
#define BERTH_TESTS_SCHEDULER_WORLDS_H

#include "scheduler/scheduler.h"
#include "tests/unit/check.h"

enum { TEST_CLUSTER = 7, TEST_GPUS_MAX = 64 };

/* Sorts as its number does. */
static inline struct id test_id(uint32_t number)
{
    struct id id = { { 0 } };
    for (size_t b = 0; b < 4; b++) { id.bytes[b] = (uint8_t)(number >> (24 - 8 * b)); }
    return id;
}

/* "GPU-0001-3" of instance 1, slot 3; static, so that it outlives the call. */
static inline struct str test_uuid(uint32_t instance, size_t slot)
{
    static char texts[1024][TEST_GPUS_MAX][16];
    char *text = texts[instance % 1024][slot % TEST_GPUS_MAX];
    (void)snprintf(text, sizeof texts[0][0], "GPU-%04u-%zu", instance % 1024, slot % TEST_GPUS_MAX);
    return str_from(text);
}

/* All of that device. */
static inline struct sched_use test_whole(uint32_t instance, size_t slot) { return (struct sched_use){ test_uuid(instance, slot), GPU_WHOLE }; }

/* 4 vCPU, 8 GiB, `gpus` devices; borrows a static list of devices until the next call. */
static inline struct sched_instance test_instance(uint32_t number, size_t gpus)
{
    static struct sched_gpu list[TEST_GPUS_MAX];
    for (size_t g = 0; g < gpus; g++) { list[g] = (struct sched_gpu){ .uuid = test_uuid(number, g) }; }
    return (struct sched_instance){
        .id = test_id(number), .cluster = TEST_CLUSTER, .active = true, .connected = true, .cpu = 4096, .memory_mib = 8192,
        .gpus = list, .gpu_count = gpus,
    };
}

static inline struct demand test_demand(int64_t gpus)
{
    struct demand demand = { .cluster = TEST_CLUSTER, .cpu = 256, .memory_mib = 512, .container_count = 1, .group = STR_INIT("family:web") };
    demand.gpus[0] = (struct gpu_ask){ gpus, GPU_WHOLE, 0 };
    return demand;
}

/* Places one task; the instance's number, or 0 when it found no place. */
static inline uint32_t test_place(struct world *world, const struct demand *demand, uint32_t task, struct evidence *evidence)
{
    struct placement placement;
    struct evidence unused;
    struct id id = test_id(task);
    if (sched_place(world, demand, &id, 1, false, &placement, evidence == NULL ? &unused : evidence) == 0) { return 0; }
    uint32_t number = 0;
    for (size_t b = 0; b < 4; b++) { number = number << 8 | placement.instance.bytes[b]; }
    return number;
}

#endif
