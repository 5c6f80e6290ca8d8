/* The world itself: what comes early, stays late, shrinks, moves, and how much memory a long life takes. */
#include "worlds.h"

#include "base/rng.h"
#include "scheduler/reconcile/roster.h"

static struct arena arena;

static void check_free(const char *name, const struct world *world, uint32_t instance, int64_t cpu, uint64_t gpus, size_t tasks)
{
    struct sched_free left;
    CHECK(name, sched_free_on(world, test_id(instance), &left));
    CHECK_EQ(name, left.cpu, cpu);
    CHECK_EQ(name, left.gpu_slots, gpus);
    CHECK_EQ(name, left.tasks, tasks);
}

static struct sched_task task_with(uint32_t number, uint32_t instance, int64_t cpu, const struct sched_use *gpus, size_t gpu_count)
{
    return (struct sched_task){
        .id = test_id(number), .instance = test_id(instance), .group = STR("family:web"), .cpu = cpu, .gpus = gpus, .gpu_count = gpu_count,
    };
}

static void test_early_and_late(void)
{
    struct world *world = sched_world_create(&arena);
    struct sched_use uuid = test_whole(1, 1);
    struct sched_task task = task_with(50, 1, 1000, &uuid, 1);
    sched_put_task(world, &task);
    struct sched_free left;
    CHECK("a task alone makes no instance", !sched_free_on(world, test_id(1), &left));
    CHECK_EQ("a task alone makes no instance", sched_instance_count(world, TEST_CLUSTER), 0);

    struct sched_instance instance = test_instance(1, 4);
    sched_put_instance(world, &instance);
    check_free("the task was waiting", world, 1, 3096, 0xD, 1);
    sched_put_instance(world, &instance);
    check_free("told twice", world, 1, 3096, 0xD, 1);
    sched_put_task(world, &task);
    check_free("the task told twice", world, 1, 3096, 0xD, 1);

    sched_drop_instance(world, test_id(1));
    CHECK("gone", !sched_free_on(world, test_id(1), &left));
    CHECK_EQ("gone", sched_instance_count(world, TEST_CLUSTER), 0);
    sched_drop_instance(world, test_id(1));
    sched_put_instance(world, &instance);
    check_free("back, and the task still there", world, 1, 3096, 0xD, 1);
    sched_drop_task(world, test_id(50));
    sched_drop_task(world, test_id(50));
    check_free("all free", world, 1, 4096, 0xF, 0);
}

static void test_changes(void)
{
    struct world *world = sched_world_create(&arena);
    struct sched_instance one = test_instance(1, 4);
    sched_put_instance(world, &one);
    struct sched_instance two = test_instance(2, 0);
    sched_put_instance(world, &two);
    struct sched_use uuids[] = { test_whole(1, 0), test_whole(1, 3) };
    struct sched_task task = task_with(50, 1, 3000, uuids, 2);
    sched_put_task(world, &task);
    check_free("placed", world, 1, 1096, 0x6, 1);

    one = test_instance(1, 2);
    one.cpu = 2000;
    sched_put_instance(world, &one);
    check_free("shrunk: nothing free of an over-committed resource", world, 1, 0, 0x2, 1);
    struct demand demand = test_demand(1);
    CHECK_EQ("nothing fits there", test_place(world, &demand, 60, NULL), 0);
    one = test_instance(1, 4);
    const struct sched_gpu turned[] = { one.gpus[3], one.gpus[2], one.gpus[1], one.gpus[0] };
    one.gpus = turned;
    sched_put_instance(world, &one);
    check_free("the devices in another order", world, 1, 1096, 0x6, 1);
    CHECK_STR("slot 0", sched_gpu_uuid(world, test_id(1), 0), test_uuid(1, 3));
    CHECK("slot 4", !str_is_set(sched_gpu_uuid(world, test_id(1), 4)));

    task = task_with(50, 2, 3000, NULL, 0);
    sched_put_task(world, &task);
    check_free("the task has moved away", world, 1, 4096, 0xF, 0);
    check_free("… to here", world, 2, 1096, 0, 1);

    two.cluster = TEST_CLUSTER + 1;
    two.gpu_count = 0;
    sched_put_instance(world, &two);
    CHECK_EQ("one cluster", sched_instance_count(world, TEST_CLUSTER), 1);
    CHECK_EQ("the other", sched_instance_count(world, TEST_CLUSTER + 1), 1);
    check_free("its task went along", world, 2, 1096, 0, 1);
}

static void test_attributes(void)
{
    struct world *world = sched_world_create(&arena);
    const struct sched_attribute attributes[] = { { STR("zone"), STR("a") }, { STR("bare"), { NULL, 0 } } };
    struct sched_instance instance = test_instance(1, 0);
    instance.attributes = attributes;
    instance.attribute_count = COUNT_OF(attributes);
    sched_put_instance(world, &instance);
    struct str value;
    CHECK("known", sched_attribute(world, test_id(1), STR("zone"), &value));
    CHECK_STR("its value", value, STR("a"));
    CHECK("a name alone has none", sched_attribute(world, test_id(1), STR("bare"), &value) && !str_is_set(value));
    CHECK("nor has a name that nobody has", sched_attribute(world, test_id(1), STR("rack"), &value) && !str_is_set(value));
    CHECK("unknown", !sched_attribute(world, test_id(2), STR("zone"), &value) && !str_is_set(value));
}

/* A device that two tasks hold is free only when both are gone. */
static void test_clash(void)
{
    struct world *world = sched_world_create(&arena);
    struct sched_instance instance = test_instance(1, 2);
    sched_put_instance(world, &instance);
    struct sched_use uuid = test_whole(1, 0);
    struct sched_task first = task_with(50, 1, 0, &uuid, 1), second = task_with(51, 1, 0, &uuid, 1);
    sched_put_task(world, &first);
    sched_put_task(world, &second);
    sched_drop_task(world, test_id(50));
    check_free("one is left", world, 1, 4096, 0x2, 1);
    sched_drop_task(world, test_id(51));
    check_free("none is left", world, 1, 4096, 0x3, 0);
}

/* Many instances, put in any order, dropped and put again: plans are those of a world that got them once, in order. */
static void test_order_does_not_matter(void)
{
    enum { MANY = 700 };
    struct world *world = sched_world_create(&arena), *fresh = sched_world_create(&arena);
    struct rng rng;
    rng_seed(&rng, 3);
    static bool there[MANY];
    memset(there, 0, sizeof there);
    for (int n = 0; n < 6000; n++) {
        uint32_t i = (uint32_t)rng_below(&rng, MANY);
        bool drops = rng_below(&rng, 100) < (n < 4000 ? 40u : 70u);
        there[i] = !drops;
        struct sched_instance instance = test_instance(i + 1, i % 3);
        if (drops) { sched_drop_instance(world, test_id(i + 1)); } else { sched_put_instance(world, &instance); }
    }
    size_t count = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        struct sched_instance instance = test_instance(i + 1, i % 3);
        if (there[i]) { sched_put_instance(fresh, &instance); }
        count += there[i];
    }
    CHECK_EQ("instances", sched_instance_count(world, TEST_CLUSTER), count);
    for (uint32_t n = 0; n < 2000; n++) {
        struct demand demand = test_demand(n % 3 == 0);
        demand.seed = n;
        uint32_t got = test_place(world, &demand, 10000 + n, NULL);
        CHECK_EQ("the same plan", got, test_place(fresh, &demand, 10000 + n, NULL));
        CHECK("on an instance that is there", got == 0 || there[got - 1]);
    }
}

/* The world lives for months in an arena that takes nothing back: what it no longer needs it uses again. */
static void test_memory(void)
{
    struct arena own = { 0 };
    arena_init(&own, (size_t)64 << 20);
    struct world *world = sched_world_create(&own);
    size_t after_some = 0;
    for (int round = 0; round < 50; round++) {
        for (uint32_t i = 1; i <= 100; i++) {
            char name[32];                                       /* never seen before */
            (void)snprintf(name, sizeof name, "host-%04d-%04u", round, (unsigned)i);
            const struct sched_attribute own_name = { STR("host"), str_from(name) };
            struct sched_instance instance = test_instance(i, 4);
            instance.attributes = &own_name;
            instance.attribute_count = 1;
            sched_put_instance(world, &instance);
        }
        static const int64_t port[] = { 80 };
        struct demand demand = test_demand(1);
        const struct strategy zone = { STRATEGY_SPREAD, STR("attribute:host") };
        demand.ports = port;
        demand.port_count = 1;
        demand.strategies = &zone;
        demand.strategy_count = 1;
        for (uint32_t t = 0; t < 100; t++) { CHECK("placed", test_place(world, &demand, 1000 + t, NULL) != 0); }
        CHECK_EQ("full", test_place(world, &demand, 2000, NULL), 0);
        for (uint32_t t = 0; t < 100; t++) { sched_drop_task(world, test_id(1000 + t)); }
        for (uint32_t i = 1; i <= 100; i++) { sched_drop_instance(world, test_id(i)); }
        if (round == 2) { after_some = own.used; }
    }
    CHECK_EQ("no more than after the first rounds", own.used, after_some);
    arena_finish(&own);
}

/* Machines come and go for ever in a cluster that is never empty: the gaps they leave are closed. */
static void test_coming_and_going(void)
{
    struct arena own = { 0 };
    arena_init(&own, (size_t)64 << 20);
    struct world *world = sched_world_create(&own);
    struct sched_instance first = test_instance(1, 0);
    sched_put_instance(world, &first);
    size_t after_some = 0;
    for (uint32_t n = 2; n < 5000; n++) {
        struct sched_instance guest = test_instance(n, 0);
        sched_put_instance(world, &guest);
        if (n > 2) { sched_drop_instance(world, test_id(n - 1)); }   /* the newest stays: the gap is never the last row */
        if (n == 500) { after_some = own.used; }
    }
    CHECK_EQ("no more than after some", own.used, after_some);
    CHECK_EQ("the first and the last", sched_instance_count(world, TEST_CLUSTER), 2);
    arena_finish(&own);
}

/* A world whose tasks are loaded is the one that got each of them, however many are expected. */
static void test_load(void)
{
    enum { INSTANCES = 40, TASKS = 2000 };
    static const struct { const char *name; size_t expected; } rows[] = { { "as expected", TASKS }, { "not expected", 0 }, { "far fewer", (size_t)TASKS * 10 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct world *world = sched_world_create(&arena), *plain = sched_world_create(&arena);
        for (uint32_t i = 1; i <= INSTANCES; i += 2) {           /* the others are not known */
            struct sched_instance instance = test_instance(i, 0);
            sched_put_instance(world, &instance);
            sched_put_instance(plain, &instance);
        }
        sched_load_begin(world, rows[r].expected);
        for (uint32_t first = 0; first < TASKS; first += SCHED_LOAD_MAX) {
            struct sched_task tasks[SCHED_LOAD_MAX];
            for (uint32_t n = 0; n < SCHED_LOAD_MAX; n++) {
                tasks[n] = task_with(1000 + first + n, 1 + (first + n) % INSTANCES, 1, NULL, 0);
                sched_put_task(plain, &tasks[n]);
            }
            sched_load_tasks(world, tasks, SCHED_LOAD_MAX);
        }
        sched_load_end(world);
        for (uint32_t i = 1; i <= INSTANCES; i++) {
            struct sched_instance late = test_instance(i, 0);    /* known or not, it finds its tasks */
            sched_put_instance(world, &late);
            sched_put_instance(plain, &late);
            check_free("as many as were put", plain, i, 4096 - TASKS / INSTANCES, 0, TASKS / INSTANCES);
            check_free(rows[r].name, world, i, 4096 - TASKS / INSTANCES, 0, TASKS / INSTANCES);
        }
        for (uint32_t t = 0; t < TASKS; t++) {
            struct sched_task moved = task_with(1000 + t, 1, 1, NULL, 0);
            if (t % 2 == 0) { sched_put_task(world, &moved); }   /* found, and not put twice */
            sched_drop_task(world, test_id(1000 + t));
        }
        for (uint32_t i = 1; i <= INSTANCES; i++) { check_free("all free", world, i, 4096, 0, 0); }
    }
}

/* Which instances have a device, as they come, come again with others, and go. */
static void test_tellers(void)
{
    static const struct { const char *row; uint32_t instance, devices_of; size_t gpus, tellers; } steps[] = {    /* gpus 0: it goes */
        { "the first", 1, 1, 2, 1 },
        { "another with its own", 2, 2, 2, 1 },
        { "one with the first's", 3, 1, 2, 2 },
        { "and one more", 4, 1, 1, 3 },
        { "the same again", 3, 1, 2, 3 },
        { "now with others", 3, 3, 2, 2 },
        { "the first goes", 1, 1, 0, 1 },
        { "it comes again", 1, 1, 1, 2 },
        { "the last goes", 4, 1, 0, 1 },
        { "and the first", 1, 1, 0, 0 },
    };
    struct world *world = sched_world_create(&arena);
    for (size_t s = 0; s < COUNT_OF(steps); s++) {
        struct id ids[2];
        struct sched_instance told = test_instance(steps[s].devices_of, steps[s].gpus);
        told.id = test_id(steps[s].instance);
        if (steps[s].gpus == 0) { sched_drop_instance(world, told.id); } else { sched_put_instance(world, &told); }
        CHECK_EQ(steps[s].row, sched_gpu_tellers(world, test_uuid(1, 0), ids, COUNT_OF(ids)), steps[s].tellers);
    }
    CHECK_EQ("nobody's", sched_gpu_tellers(world, STR("GPU-none"), NULL, 0), 0);
}

/* ---- zones ---- */
static void check_zones(struct world *world, const char *row, int64_t cluster, const char *want)
{
    struct str names[4];
    struct buf out = buf_in(&arena);
    size_t count = sched_zones(world, cluster, names, COUNT_OF(names));
    for (size_t z = 0; z < count && z < COUNT_OF(names); z++) {
        buf_put(&out, z == 0 ? STR("") : STR(" "));
        buf_put(&out, str_is_set(names[z]) ? names[z] : STR("-"));
    }
    CHECK_STR(row, buf_str(&out), str_from(want));
    CHECK_EQ(row, sched_zones(world, cluster, NULL, 0), (int64_t)count);
}

static void test_zones(void)
{
    enum { OTHER = TEST_CLUSTER + 1 };
    static const struct { const char *row; uint32_t instance; int64_t cluster; const char *zone; bool active, connected, drops, changes; const char *want; } rows[] = {
        { "the first",                      1, TEST_CLUSTER, "b", true,  true,  false, true,  "b" },
        { "told again",                     1, TEST_CLUSTER, "b", true,  true,  false, false, "b" },
        { "in the order of names",          2, TEST_CLUSTER, "a", true,  true,  false, true,  "a b" },
        { "a second one there",             3, TEST_CLUSTER, "b", true,  true,  false, false, "a b" },
        { "without a zone",                 4, TEST_CLUSTER, NULL, true, true,  false, true,  "- a b" },
        { "an empty name, beside it",       5, TEST_CLUSTER, "",  true,  true,  false, false, "- a b" },
        { "draining",                       2, TEST_CLUSTER, "a", false, true,  false, true,  "- b" },
        { "still draining, without agent",  2, TEST_CLUSTER, "a", false, false, false, false, "- b" },
        { "without its agent, one of two",  1, TEST_CLUSTER, "b", true,  false, false, false, "- b" },
        { "moves to another zone",          3, TEST_CLUSTER, "c", true,  true,  false, true,  "- c" },
        { "one that does not count goes",   1, TEST_CLUSTER, "b", true,  true,  true,  false, "- c" },
        { "to another cluster",             3, OTHER,        "c", true,  true,  false, true,  "-" },
        { "and gone from there",            3, OTHER,        "c", true,  true,  true,  false, "-" },
        { "one of two goes",                5, TEST_CLUSTER, "",  true,  true,  true,  false, "-" },
        { "the last one goes",              4, TEST_CLUSTER, "",  true,  true,  true,  true,  "" },
    };
    struct world *world = sched_world_create(&arena);
    struct roster *roster = sched_roster(world);
    roster_add_service(roster, 1, TEST_CLUSTER, false);
    roster_watch(roster, 1, WATCH_ZONES, true);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct sched_attribute zone = { STR("ecs.availability-zone"), rows[r].zone == NULL ? (struct str){ NULL, 0 } : str_from(rows[r].zone) };
        struct sched_instance instance = test_instance(rows[r].instance, 0);
        instance.cluster = rows[r].cluster;
        instance.active = rows[r].active;
        instance.connected = rows[r].connected;
        instance.attributes = &zone;
        instance.attribute_count = rows[r].zone != NULL;
        (void)roster_next(roster, 1);
        if (rows[r].drops) { sched_drop_instance(world, instance.id); } else { sched_put_instance(world, &instance); }
        check_zones(world, rows[r].row, TEST_CLUSTER, rows[r].want);
        CHECK_EQ(rows[r].row, roster_next(roster, 1) != 0, rows[r].changes);
    }
    check_zones(world, "of the other cluster", OTHER, "");
}

int main(void)
{
    arena_init(&arena, (size_t)256 << 20);
    test_early_and_late();
    test_changes();
    test_attributes();
    test_clash();
    test_order_does_not_matter();
    test_memory();
    test_coming_and_going();
    test_load();
    test_tellers();
    test_zones();
    arena_finish(&arena);
    return check_report();
}
