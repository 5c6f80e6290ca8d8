/* Policies: each published formula by hand, gpu-mix term by term, and what holds for all of them on any machine. */
#include "base/rng.h"
#include "scheduler/place/policy.h"
#include "tests/unit/check.h"

static struct arena arena;

/* Whole devices are all that is ever asked for, each with 1,000 CPU units. */
static struct outlook *whole_outlook(void)
{
    static const struct outlook_shape shape = { .cpu = 1000, .devices = 1, .share = DEVICE_WHOLE, .count = 1 };
    return outlook_build(&arena, &(struct outlook_history){ .shapes = &shape, .shape_count = 1 });
}

struct box { struct rig rig; int16_t free[DEVICES_MAX]; struct machine machine; };

/* 96,000 CPU units of which 64,000 are free, 100,000 MiB of which 80,000 are. */
static struct machine *box_of(struct box *box, uint32_t devices, const int16_t *free)
{
    box->rig = (struct rig){ .count = devices };
    for (uint32_t d = 0; d < devices; d++) { box->free[d] = free[d]; }
    box->machine = (struct machine){ .cpu = 96000, .memory = 100000, .cpu_free = 64000, .memory_free = 80000, .rig = &box->rig, .device_free = box->free };
    return &box->machine;
}

static struct ask ask_of(int32_t cpu, int32_t memory, int32_t devices, int32_t share)
{
    return (struct ask){ .cpu = cpu, .memory = memory, .part_count = 1, .parts = { { devices, share, 0 } } };
}

static int32_t cost_of(const char *policy, const struct outlook *outlook, const struct machine *machine, const struct ask *ask, uint64_t *slots)
{
    struct choice choice = { { 0 } };
    int32_t cost = policy_cost(policy_find(str_from(policy)), outlook, machine, ask, &choice);
    CHECK_EQ("the same without a choice", policy_cost(policy_find(str_from(policy)), outlook, machine, ask, NULL), cost);
    if (slots != NULL) { *slots = choice.slots[0]; }
    return cost;
}

/* ---- published formulas: two devices, 8,000 CPU units and 10,000 MiB asked ---- */
static void test_formulas(void)
{
    static const struct { const char *policy, *name; int16_t free[2]; int32_t devices, share; int32_t want; uint64_t slots; } rows[] = {
        { "best-fit",          "100 (56000 + 16 1200) / 256000, up",  { 1000, 500 },  1, 300,  30,      2 },
        { "best-fit",          "whole",                               { 1000, 500 },  1, 1000, 25,      1 },
        { "best-fit",          "no GPU",                              { 1000, 500 },  0, 0,    32,      0 },
        { "dot-product",       "a share",                             { 1000, 500 },  1, 300,  2,       2 },
        { "dot-product",       "two whole",                           { 1000, 1000 }, 2, 1000, 5,       3 },
        { "gpu-packing",       "a shared device first",               { 1000, 500 },  1, 300,  5,       2 },
        { "gpu-packing",       "… the fuller the better",             { 900, 400 },   1, 300,  4,       2 },
        { "gpu-packing",       "a free device of a used machine",     { 1000, 500 },  1, 1000, 51,      1 },
        { "gpu-packing",       "an unused machine",                   { 1000, 1000 }, 1, 300,  69,      1 },
        { "gpu-packing",       "no GPU",                              { 1000, 500 },  0, 0,    100,     0 },
        { "least-allocated",   "40000 of 96000, 30000 of 100000",     { 1000, 500 },  1, 300,  1502958, 2 },
        { "most-allocated",    "the rest",                            { 1000, 500 },  1, 300,  2691346, 2 },
        { "kai",               "the rest of the devices",             { 1000, 500 },  1, 300,  1200,    2 },
        { "kai",               "cores, for tasks without GPU",        { 1000, 500 },  0, 0,    64000,   0 },
        { "volcano",           "mean of three",                       { 1000, 500 },  1, 300,  2633092, 2 },
        { "volcano",           "mean of two, without GPU",            { 1000, 500 },  0, 0,    2691346, 0 },
        { "gpu-fragmentation", "D = 300: 57 points",                  { 1000, 500 },  1, 300,  43,      2 },
        { "gpu-fragmentation", "D = -700: 33 points",                 { 1000, 0 },    1, 300,  67,      1 },
        { "gpu-fragmentation", "D = 0: 50 points",                    { 1000, 1000 }, 1, 1000, 50,      1 },
        { "gpu-fragmentation", "D = 40: one point needs 41",          { 40, 0 },      1, 40,   50,      1 },
        { "gpu-fragmentation", "D = 41: 51 points",                   { 41, 0 },      1, 41,   49,      1 },
        { "gpu-fragmentation", "D = 120: 52 points",                  { 120, 0 },     1, 120,  48,      1 },
    };
    struct outlook *outlook = whole_outlook();
    struct box box;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct machine *machine = box_of(&box, 2, rows[r].free);
        struct ask ask = ask_of(8000, 10000, rows[r].devices, rows[r].share);
        uint64_t slots = 0;
        CHECK_EQ(rows[r].name, cost_of(rows[r].policy, outlook, machine, &ask, &slots), rows[r].want);
        CHECK_EQ(rows[r].name, slots, rows[r].slots);
    }
}

static void test_clustering(void)
{
    static const struct { const char *name; uint32_t shares, ones; int32_t want; } rows[] = {
        { "no GPU task yet: 25 points, and 20 for use", 0, 0, 55 }, { "its own kind alone: 75", 2, 0, 5 }, { "its kind among others: 50", 1, 3, 30 },
        { "others only: 0", 0, 1, 80 },
    };
    struct outlook *outlook = whole_outlook();
    struct box box;
    static const int16_t free[] = { 1000, 500 };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct machine *machine = box_of(&box, 2, free);
        machine->size_tasks[TASK_SIZE_SHARE] = rows[r].shares;
        machine->size_tasks[TASK_SIZE_1] = rows[r].ones;
        struct ask ask = ask_of(8000, 10000, 1, 300);
        CHECK_EQ(rows[r].name, cost_of("gpu-clustering", outlook, machine, &ask, NULL), rows[r].want);
    }
    CHECK_EQ("three whole ones count as four", task_size_of(3, true), TASK_SIZE_4);
    CHECK_EQ("a share is a share", task_size_of(1, false), TASK_SIZE_SHARE);
}

/* ---- gpu-mix, in steps of 30 thousandths ---- */
static int32_t mix(struct outlook *outlook, int16_t free, int32_t cpu_free, int32_t cpu, int32_t share)
{
    struct box box;
    struct machine *machine = box_of(&box, 1, &free);
    machine->cpu_free = cpu_free;
    struct ask ask = ask_of(cpu, 0, 1, share);
    return cost_of("gpu-mix", outlook, machine, &ask, NULL);
}

static void test_mix(void)
{
    struct outlook *outlook = whole_outlook();
    /* As many cores as usual, so nothing for imbalance. On 500: both measures fall by 300, that is 10 steps. On a whole device:
     * they grow by 700, and the device's worth, 10,000, is lost: 10,700 are 357 steps. */
    int32_t level = mix(outlook, 500, 9499, 300, 300) + 10;
    CHECK_EQ("a whole device is broken", mix(outlook, 1000, 9499, 300, 300) - level, 357);
    CHECK_EQ("a whole device for a whole task", mix(outlook, 1000, 9499, 1000, 1000) - level, 0);
    CHECK_EQ("1,000 units more than usual, 500 free beside 9,499 and 500: 50", mix(outlook, 500, 9499, 1300, 300) - level, -8);
    CHECK_EQ("… 1,300 beside 500: 277", mix(outlook, 500, 1300, 1300, 300) - level, -1);
    CHECK_EQ("… where cores are plenty they cost nothing", mix(outlook, 500, 64000, 1300, 300) - level, -10);
    CHECK_EQ("300 units less: paid 15, which is half a step, rounded up", mix(outlook, 500, 9499, 0, 300) - level, -10);
    CHECK_EQ("… paid 50 where cores are short", mix(outlook, 500, 2499, 0, 300) - level, -12);
}

/* A kind that is named by others costs 50 for each level and device. */
static void test_mix_tight(void)
{
    static const struct { const char *name; uint32_t level; int32_t cpu, want; } rows[] = {
        { "not tight", 0, 1000, 0 }, { "level 3: 150", 3, 1000, 5 }, { "level 12: 600", 12, 1000, 20 }, { "by cores where they are more: 2 devices' worth", 3, 2000, 10 },
    };
    struct outlook *outlook = whole_outlook();
    struct outlook_kind kinds[2] = { { 0 } };
    outlook->kinds = kinds;
    outlook->kind_count = 1;
    struct box box;
    static const int16_t free[] = { 1000 };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct machine *machine = box_of(&box, 1, free);
        machine->cpu = 1000;
        machine->cpu_free = rows[r].cpu;
        struct ask ask = ask_of(rows[r].cpu, 0, 1, 1000);
        kinds[0].tight = 0;
        int32_t loose = cost_of("gpu-mix", outlook, machine, &ask, NULL);
        kinds[0].tight = rows[r].level;
        CHECK_EQ(rows[r].name, cost_of("gpu-mix", outlook, machine, &ask, NULL) - loose, rows[r].want);
    }
}

static void test_mix_guard(void)
{
    static const struct outlook_shape shapes[] = {
        { .cpu = 8000, .memory = 9000, .devices = 2, .share = DEVICE_WHOLE, .count = 1 }, { .cpu = 1000, .devices = 1, .share = DEVICE_WHOLE, .count = 99 },
    };
    struct outlook *outlook = outlook_build(&arena, &(struct outlook_history){ .shapes = shapes, .shape_count = 2 });
    static const struct { const char *name; int16_t free[3]; struct ask ask; bool want; } rows[] = {
        { "the last host",                         { 1000, 1000, 0 },    { .cpu = 100, .part_count = 1, .parts = { { 1, 1000, 0 } } },                  true  },
        { "a host that stays one",                 { 1000, 1000, 1000 }, { .cpu = 100, .part_count = 1, .parts = { { 1, 1000, 0 } } },                  false },
        { "no host before",                        { 1000, 900, 0 },     { .cpu = 100, .part_count = 1, .parts = { { 1, 1000, 0 } } },                  false },
        { "its cores count as well",               { 1000, 1000, 0 },    { .cpu = 56001, .part_count = 1 },                                             true  },
        { "… and just suffice",                    { 1000, 1000, 0 },    { .cpu = 56000, .part_count = 1 },                                             false },
        { "the shape itself may",                  { 1000, 1000, 0 },    { .cpu = 8000, .memory = 9000, .part_count = 1, .parts = { { 2, 1000, 0 } } }, false },
        { "another of two devices pays",           { 1000, 1000, 0 },    { .cpu = 8000, .memory = 1, .part_count = 1, .parts = { { 2, 1000, 0 } } },    true  },
    };
    struct box box;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct machine *machine = box_of(&box, 3, rows[r].free);
        outlook->scarce = 0;
        int32_t plenty = cost_of("gpu-mix", outlook, machine, &rows[r].ask, NULL);
        outlook->scarce = 1;
        int32_t scarce = cost_of("gpu-mix", outlook, machine, &rows[r].ask, NULL);
        CHECK_EQ(rows[r].name, scarce - plenty >= 1 << 20, rows[r].want);
        CHECK_EQ("no other difference", scarce != plenty, rows[r].want);
    }
}

/* Nothing is known of what will come: single devices fill the fullest machine, and break a full machine last. */
static void test_prior(void)
{
    struct outlook *outlook = outlook_build(&arena, &(struct outlook_history){ 0 });
    static const int32_t cpus[] = { 256, 4096 };
    for (size_t c = 0; c < COUNT_OF(cpus); c++) {
        int32_t costs[9] = { 0 };
        for (uint32_t whole = 1; whole <= 8; whole++) {
            struct box box;
            int16_t free[8];
            for (uint32_t d = 0; d < 8; d++) { free[d] = d < whole ? 1000 : 0; }
            struct machine *machine = box_of(&box, 8, free);
            struct ask ask = ask_of(cpus[c], 512, 1, 1000);
            costs[whole] = cost_of("gpu-mix", outlook, machine, &ask, NULL);
        }
        for (uint32_t whole = 2; whole <= 8; whole++) { CHECK("the last device first", costs[1] < costs[whole]); }
        CHECK("three free before four", costs[3] < costs[4]);
        CHECK("… before all eight", costs[7] < costs[8]);
        CHECK("a share on a device in use before a free one", mix(outlook, 600, 9999, 100, 300) < mix(outlook, 1000, 9999, 100, 300));
    }
}

/* ---- what a device is for ---- */
static void test_takes(void)
{
    static const struct { const char *name; int32_t memory; bool partition; struct ask_part part; int32_t want; } rows[] = {
        { "a share",                                 0,     false, { 1, 300, 0 },     300  }, { "a whole one",          0,     false, { 2, 1000, 0 },    1000 },
        { "its memory is the larger part",           16000, false, { 1, 300, 8000 },  500  }, { "… rounded up",         16000, false, { 1, 300, 8001 },  501  },
        { "the share is the larger part",            16000, false, { 1, 700, 8000 },  700  }, { "memory alone",         16000, false, { 1, 0, 4000 },    250  },
        { "just enough memory",                      16000, false, { 1, 1000, 16000 }, 1000 }, { "too little memory",   16000, false, { 1, 1000, 16001 }, 0   },
        { "memory that is not known",                0,     false, { 1, 1000, 1 },    0    }, { "MIG: only for memory", 16000, true,  { 1, 300, 0 },     0    },
        { "MIG: whole",                              16000, true,  { 1, 300, 8000 },  1000 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct rig rig = { .count = 1, .memory_mib = { rows[r].memory }, .partitions = rows[r].partition };
        CHECK_EQ(rows[r].name, policy_device_takes(&rig, 0, &rows[r].part), rows[r].want);
    }
}

static void test_mig(void)
{
    struct outlook *outlook = whole_outlook();
    struct box box;
    static const int16_t free[] = { 1000, 1000, 1000 };
    struct machine *machine = box_of(&box, 3, free);
    box.rig.partitions = 6;                                      /* of 20,000 and of 10,000 MiB, beside a device of 80,000 */
    box.rig.memory_mib[0] = 80000;
    box.rig.memory_mib[1] = 20000;
    box.rig.memory_mib[2] = 10000;
    static const struct { const char *name; int32_t memory; uint64_t want; } rows[] = {
        { "the MIG instance that fits best", 9000, 4 }, { "the larger one", 11000, 2 }, { "none is large enough", 30000, 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct ask ask = { .part_count = 1, .parts = { { 1, 0, rows[r].memory } } };
        uint64_t slots = 0;
        CHECK(rows[r].name, cost_of("gpu-mix", outlook, machine, &ask, &slots) != COST_NONE);
        CHECK_EQ(rows[r].name, slots, rows[r].want);
    }
}

/* ---- what holds for all ---- */
static bool part_got(const struct machine *machine, const struct ask_part *part, uint64_t slots, int16_t *left)
{
    uint32_t count = 0;
    for (; slots != 0; slots &= slots - 1, count++) {
        uint32_t slot = (uint32_t)__builtin_ctzll(slots);
        int32_t takes = policy_device_takes(machine->rig, slot, part);
        if (slot >= machine->rig->count || takes == 0 || takes > left[slot]) { return false; }
        left[slot] = (int16_t)(left[slot] - takes);
    }
    return count == (uint32_t)part->devices;
}

static void test_any(void)
{
    struct rng rng;
    rng_seed(&rng, 11);
    struct outlook *outlook = outlook_build(&arena, &(struct outlook_history){ 0 });
    for (int round = 0; round < 4000; round++) {
        struct box box;
        int16_t free[8];
        for (size_t d = 0; d < 8; d++) { free[d] = (int16_t)(rng_below(&rng, 2) == 0 ? 1000 : rng_below(&rng, 11) * 100); }
        struct machine *machine = box_of(&box, (uint32_t)rng_below(&rng, 9), free);
        struct ask ask = ask_of((int32_t)rng_below(&rng, 64001), (int32_t)rng_below(&rng, 80001), 0, 0);
        ask.part_count = (uint32_t)rng_below(&rng, 3) + 1;
        for (uint32_t p = 0; p < ask.part_count; p++) {
            bool whole = rng_below(&rng, 2) == 0;
            ask.parts[p] = (struct ask_part){ whole ? (int32_t)rng_below(&rng, 4) : 1, whole ? 1000 : (int32_t)rng_below(&rng, 9) * 100 + 100, 0 };
        }
        for (size_t n = 0; n < policy_count; n++) {
            struct choice choice = { { 0 } };
            int32_t cost = policy_cost(&policies[n], outlook, machine, &ask, &choice);
            CHECK("in range", cost == COST_NONE || (cost >= 0 && cost < COST_LIMIT));
            CHECK_EQ("nobody need know the devices to know the cost", policy_cost(&policies[n], outlook, machine, &ask, NULL), cost);
            for (uint32_t p = 0; cost != COST_NONE && p < ask.part_count; p++) {
                CHECK("gets what it asks for, of the free part", part_got(machine, &ask.parts[p], choice.slots[p], free));
            }
            for (uint32_t d = 0; d < machine->rig->count; d++) { free[d] = box.free[d]; }
        }
    }
}

static void test_refusals(void)
{
    static const struct { const char *name; int16_t free[2]; struct ask ask; bool want; } rows[] = {
        { "one whole of one", { 1000, 999 }, { .part_count = 1, .parts = { { 1, 1000, 0 } } }, true },
        { "two whole of one", { 1000, 999 }, { .part_count = 1, .parts = { { 2, 1000, 0 } } }, false },
        { "a share as large as the free part", { 300, 0 }, { .part_count = 1, .parts = { { 1, 300, 0 } } }, true },
        { "a thousandth more", { 300, 0 }, { .part_count = 1, .parts = { { 1, 301, 0 } } }, false },
        { "two halves on two devices", { 500, 500 }, { .part_count = 2, .parts = { { 1, 500, 0 }, { 1, 500, 0 } } }, true },
        { "… and a third", { 500, 500 }, { .part_count = 3, .parts = { { 1, 500, 0 }, { 1, 500, 0 }, { 1, 100, 0 } } }, false },
        { "all devices", { 1000, 1000 }, { .all_devices = true, .part_count = 1, .parts = { { -1, 1000, 0 } } }, true },
        { "all devices, one in use", { 1000, 999 }, { .all_devices = true, .part_count = 1, .parts = { { -1, 1000, 0 } } }, false },
    };
    struct outlook *outlook = whole_outlook();
    struct box box;
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct machine *machine = box_of(&box, 2, rows[r].free);
        for (size_t n = 0; n < policy_count; n++) {
            CHECK_EQ(rows[r].name, policy_cost(&policies[n], outlook, machine, &rows[r].ask, NULL) != COST_NONE, rows[r].want);
        }
    }
}

int main(void)
{
    arena_init(&arena, (size_t)64 << 20);
    CHECK("Berth's own is the first", str_eq(policies[0].name, STR("gpu-mix")));
    CHECK("no such policy", policy_find(STR("gpu-nix")) == NULL);
    test_formulas();
    test_clustering();
    test_mix();
    test_mix_tight();
    test_mix_guard();
    test_prior();
    test_takes();
    test_mig();
    test_any();
    test_refusals();
    arena_finish(&arena);
    return check_report();
}
