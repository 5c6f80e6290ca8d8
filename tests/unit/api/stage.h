/* stage.h: a capacity provider p, its pool, an obedient provisioner and its agents, for tests of the whole way from a waiting task to a machine. */
#ifndef BERTH_TESTS_STAGE_H
#define BERTH_TESTS_STAGE_H

#include "tests/unit/api/plant.h"

struct stage { struct api_fixture f; struct plant plant; struct kept_pool pool; int agents; };

/* Written as it is, and associated with the cluster. */
static inline void put_provider(struct api_fixture *f, const struct kept_provider *provider)
{
    int64_t revision;
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(f->store);
    struct cluster cluster = *store_cluster(txn, STR("default"), &arena);
    struct str name = provider->name;
    store_job_begin(txn);
    store_put_provider(txn, provider);
    if (provider->group != NULL) { cluster.capacity_providers = (struct str_list){ &name, 1 }; }
    store_put_cluster(txn, &cluster);
    CHECK("kept", store_job_end(txn, true) && store_write_commit(txn, &revision));
    arena_finish(&arena);
}

/* A provider p of an Auto Scaling group, or of managed instances; `change` makes it differ. */
static inline void stage_open_as(struct stage *stage, bool managed, int64_t target, int64_t max, void (*change)(struct kept_provider *))
{
    *stage = (struct stage){ .agents = 0 };
    stage->pool = pool_open(&stage->f);
    stage->pool.kind = managed ? POOL_MANAGED : POOL_GROUP;
    stage->pool.max = max;
    struct managed_scaling scaling = {
        .status = MANAGED_SCALING_STATUS_ENABLED, .target_capacity = opt_int_of(target), .minimum_scaling_step_size = opt_int_of(1),
        .maximum_scaling_step_size = opt_int_of(10), .instance_warmup_period = opt_int_of(60),
    };
    struct auto_scaling_group_provider group = { .auto_scaling_group_arn = STR("arn"), .managed_scaling = &scaling };
    struct instance_launch_template template = { .ec2_instance_profile_arn = STR("profile") };
    struct managed_instances_provider of_managed = { .infrastructure_role_arn = STR("role"), .instance_launch_template = &template };
    struct kept_provider provider = { .name = STR("p"), .pool = STR("p"), .status = CAPACITY_PROVIDER_STATUS_ACTIVE };
    if (managed) { provider.managed = &of_managed; } else { provider.group = &group; }
    if (managed) { provider.cluster = 1; }
    if (change != NULL) { change(&provider); }
    put_provider(&stage->f, &provider);
    want(&stage->f, &stage->pool, 0);
    define(&stage->f, "f", GPUS("1"), "");
}

static inline void stage_open(struct stage *stage, bool managed, int64_t target, int64_t max) { stage_open_as(stage, managed, target, max, NULL); }

/* Without managed scaling. */
static inline void scaling_off(struct stage *stage)
{
    struct arena arena;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_read_begin(stage->f.store);
    struct kept_provider provider = *store_provider(txn, STR("p"), &arena);
    ASSERT(store_read_end(txn));
    struct auto_scaling_group_provider group = *provider.group;
    struct managed_scaling scaling = *group.managed_scaling;
    scaling.status = MANAGED_SCALING_STATUS_DISABLED;
    group.managed_scaling = &scaling;
    provider.group = &group;
    put_provider(&stage->f, &provider);
    arena_finish(&arena);
}
static inline void stage_close(struct stage *stage) { fixture_close(&stage->f); }

static inline void run_tasks(struct stage *stage, int count)
{
    (void)fixture_call(&stage->f, "RunTask", text(&stage->f, "{\"taskDefinition\":\"f\",\"count\":%d,\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\",\"weight\":1}]}", count));
    CHECK_EQ("a task waits for a provider that scales", stage->f.code, ERR_NONE);
}

static inline int tasks_of(struct stage *stage, const char *desired)
{
    return (int)count_at(&stage->f, fixture_call(&stage->f, "ListTasks", text(&stage->f, "{\"desiredStatus\":\"%s\"}", desired)), "taskArns");
}

/* The agents of the machines that the provisioner has started, each with one GPU, and one step for the tasks that wait. */
static inline void agents_come(struct stage *stage)
{
    for (size_t t = 0; t < stage->plant.count; t++) {
        struct thing *thing = &stage->plant.things[t];
        if (!thing->runs || thing->registered) { continue; }
        thing->registered = true;
        (void)agent_comes(&stage->f, text(&stage->f, "agent%d", stage->agents++), thing->id);
    }
    step(&stage->f);
}

static inline void work(struct stage *stage)
{
    char verbs[16];
    (void)run_all(&stage->f, &stage->plant, verbs);
    agents_come(stage);
}

static inline void minutes(struct stage *stage, int count)
{
    for (int m = 0; m < count; m++) {
        stage->f.now_ms += MINUTE_MS;
        work(stage);
    }
}

/* How many of the running tasks have a machine. */
static inline int placed(struct stage *stage)
{
    struct api_fixture *f = &stage->f;
    struct str list = fixture_call(f, "ListTasks", "{}");
    int count = 0;
    for (int64_t t = 0, all = count_at(f, list, "taskArns"); t < all; t++) {
        struct str task = fixture_call(f, "DescribeTasks", text(f, "{\"tasks\":[\"%s\"]}", at(f, list, text(f, "taskArns[%d]", (int)t))));
        count += str_is_set(fixture_at(f, task, "tasks[0].containerInstanceArn"));
    }
    return count;
}

static inline size_t size_of(struct stage *stage)
{
    size_t count;
    (void)machines_now(&stage->f, &count);
    return count;
}

static inline void stop_all(struct stage *stage)
{
    struct api_fixture *f = &stage->f;
    struct str list = fixture_call(f, "ListTasks", "{}");
    for (int64_t t = 0, count = count_at(f, list, "taskArns"); t < count; t++) {
        const char *arn = at(f, list, text(f, "taskArns[%d]", (int)t));
        (void)fixture_call(f, "StopTask", text(f, "{\"task\":\"%s\"}", arn));
        (void)fixture_call(f, "SubmitTaskStateChange", text(f, "{\"task\":\"%s\",\"status\":\"STOPPED\",\"reason\":\"\"}", arn));
    }
}

#endif
