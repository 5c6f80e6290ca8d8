/* capacity_pool.h: builders for tests of capacity: types by name, tasks that wait, machines. */
#ifndef BERTH_TESTS_CAPACITY_POOL_H
#define BERTH_TESTS_CAPACITY_POOL_H

#include "scheduler/capacity/scaling.h"
#include "tests/unit/scheduler/worlds.h"

enum { POOL_MAX = 64, POOL_TASKS_MAX = 256 };

struct test_pool {
    struct demand shapes[POOL_MAX];
    struct capacity_task tasks[POOL_TASKS_MAX];
    struct capacity_type types[POOL_MAX];
    struct capacity_machine machines[POOL_TASKS_MAX];
    struct machine rooms[POOL_TASKS_MAX];
    struct capacity_demand demand;
};

static inline void test_pool_begin(struct test_pool *pool, int64_t size_max)
{
    *pool = (struct test_pool){ 0 };
    pool->demand = (struct capacity_demand){ .shapes = pool->shapes, .tasks = pool->tasks, .types = pool->types, .machines = pool->machines, .size_max = size_max };
}

static inline void test_pool_type(struct test_pool *pool, const char *name, int64_t left)
{
    const struct instance_type *type = catalogue_find(catalogue_builtin(), str_from(name));
    CHECK(name, type != NULL);
    pool->types[pool->demand.type_count++] = (struct capacity_type){ type, left, 0 };
}

/* One container with `count` GPUs, or a share of one; each with `gpu_mib` on it. */
static inline uint32_t test_pool_shape(struct test_pool *pool, int64_t cpu, int64_t memory_mib, int64_t count, int64_t share, int64_t gpu_mib)
{
    struct demand *shape = &pool->shapes[pool->demand.shape_count];
    *shape = (struct demand){ .cpu = cpu, .memory_mib = memory_mib, .container_count = 1, .gpus = { { count, share, gpu_mib } } };
    return (uint32_t)pool->demand.shape_count++;
}

static inline void test_pool_tasks(struct test_pool *pool, uint32_t shape, size_t count, uint32_t gang)
{
    for (size_t n = 0; n < count; n++) {
        struct id id = test_id((uint32_t)pool->demand.task_count + 1);
        pool->tasks[pool->demand.task_count++] = (struct capacity_task){ id, shape, gang };
    }
}

static inline struct capacity_machine *test_pool_machine(struct test_pool *pool, const char *name, bool on_order)
{
    struct capacity_machine *machine = &pool->machines[pool->demand.machine_count];
    *machine = (struct capacity_machine){ .id = test_id((uint32_t)pool->demand.machine_count + 1000), .on_order = on_order,
                                          .type = catalogue_find(catalogue_builtin(), str_from(name)) };
    pool->demand.machine_count++;
    return machine;
}

#endif
