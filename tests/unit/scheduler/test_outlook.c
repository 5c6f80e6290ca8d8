/* The outlook: typical tasks, both measures by hand and against their definitions, guarded shapes, and kinds that others name. */
#include "base/rng.h"
#include "scheduler/place/outlook.h"
#include "tests/unit/check.h"

static struct arena arena;

static const struct outlook_shape plain[] = {                    /* weights 6, 3, 1 */
    { .cpu = 4, .devices = 1, .share = DEVICE_WHOLE, .count = 6 }, { .cpu = 2, .devices = 1, .share = 500, .count = 3 }, { .cpu = 8, .count = 1 },
};

static struct outlook *outlook_of(const struct outlook_shape *shapes, size_t count)
{
    return outlook_build(&arena, &(struct outlook_history){ .shapes = shapes, .shape_count = count });
}

static struct outlook_state state_of(int32_t cpu, uint32_t whole, const int16_t *parts, uint32_t part_count)
{
    struct outlook_state state = { .cpu = cpu, .memory = INT32_MAX, .whole = whole, .part_count = part_count };
    for (uint32_t p = 0; p < part_count; p++) { state.parts[p] = parts[p]; }
    return state;
}

/* ---- measures ---- */
static void test_measures(void)
{
    static const struct { const char *name; int32_t cpu; uint32_t whole, part_count; int16_t parts[2]; int64_t fragments, unfillable; } rows[] = {
        { "both can use all but the 400",            8, 1, 1, { 400 },      6 * 400 + 3 * 400 + 1400,  6 * 400 + 3 * 400 + 1400 },
        { "cores for one more whole",                4, 1, 1, { 400 },      6 * 400 + 3 * 400 + 1400,  6 * 400 + 3 * 400 + 1400 },
        { "one core too few for it",                 3, 1, 1, { 400 },      6 * 1400 + 3 * 400 + 1400, 6 * 1400 + 3 * 900 + 1400 },
        { "cores for nobody",                        1, 1, 1, { 400 },      10 * 1400,                 10 * 1400 },
        { "500 is enough for a half",                8, 0, 1, { 500 },      6 * 500 + 500,             6 * 500 + 500 },
        { "499 is not",                              8, 0, 1, { 499 },      10 * 499,                  10 * 499 },
        { "two whole, cores for one and a half",     6, 2, 0, { 0 },        2000,                      6 * 1000 + 3 * 500 + 2000 },
        { "499 beside 999",                          8, 0, 2, { 499, 999 }, 6 * 1498 + 3 * 499 + 1498, 6 * 1498 + 3 * 998 + 1498 },
        { "nothing free",                            8, 0, 0, { 0 },        0,                         0 },
    };
    struct outlook *outlook = outlook_of(plain, COUNT_OF(plain));
    CHECK_EQ("all three are typical", outlook->typical_count, 3);
    CHECK_EQ("weight", outlook->weight, 10);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct outlook_state state = state_of(rows[r].cpu, rows[r].whole, rows[r].parts, rows[r].part_count);
        for (int again = 0; again < 2; again++) {
            struct outlook_measure measure = outlook_measure(outlook, &state);
            CHECK_EQ(rows[r].name, measure.fragments, rows[r].fragments);
            CHECK_EQ(rows[r].name, measure.unfillable, rows[r].unfillable);
        }
    }
}

/* As they are defined, device by device. */
static struct outlook_measure naive(const struct outlook *outlook, const struct outlook_state *state)
{
    struct outlook_measure sum = { 0 };
    for (uint32_t t = 0; t < outlook->typical_count; t++) {
        const struct typical *typical = &outlook->typical[t];
        int64_t all = 0, small = 0, fitting = 0, pieces = 0;
        for (uint32_t d = 0; d < state->whole + state->part_count; d++) {
            int64_t free = d < state->whole ? DEVICE_WHOLE : state->parts[d - state->whole];
            all += free;
            if (typical->devices == 0) { continue; }
            small += free < typical->share ? free : 0;
            fitting += free >= typical->share;
            pieces += free / typical->share;
        }
        bool runs = typical->devices > 0 && typical->cpu <= state->cpu && fitting >= typical->devices;
        int64_t copies = runs ? pieces / typical->devices : 0;
        while (copies * typical->cpu > state->cpu) { copies--; }
        sum.fragments += typical->count * (runs ? small : all);
        sum.unfillable += typical->count * (all - copies * typical->devices * typical->share);
    }
    return sum;
}

static void test_memo(void)
{
    static const struct outlook_shape mix[] = {
        { .cpu = 11, .devices = 1, .share = DEVICE_WHOLE, .count = 40 }, { .cpu = 3, .devices = 1, .share = 810, .count = 30 },
        { .cpu = 12, .devices = 1, .share = 470, .count = 20 }, { .cpu = 5, .devices = 2, .share = DEVICE_WHOLE, .count = 5 }, { .cpu = 30, .count = 5 },
    };
    struct outlook *outlook = outlook_of(mix, COUNT_OF(mix));
    struct rng rng;
    rng_seed(&rng, 3);
    for (int round = 0; round < 40000; round++) {                /* more states than the memo has places; many come again */
        int16_t parts[10];
        uint32_t count = (uint32_t)rng_below(&rng, 10), whole = (uint32_t)rng_below(&rng, 5);
        int16_t last = 0;
        for (uint32_t p = 0; p < count; p++) { last = parts[p] = (int16_t)(last + (int16_t)rng_below(&rng, 99) + 1); }
        struct outlook_state state = state_of((int32_t)rng_below(&rng, 100), whole, parts, count);
        struct outlook_measure got = outlook_measure(outlook, &state), want = naive(outlook, &state);
        CHECK_EQ("fragments", got.fragments, want.fragments);
        CHECK_EQ("unfillable", got.unfillable, want.unfillable);
    }
}

/* ---- states ---- */
static void test_states(void)
{
    struct rig rig = { .count = 5, .partitions = 1 << 4 };
    static const int16_t free[] = { 700, 0, 1000, 190, 1000 };
    struct machine machine = { .cpu_free = 9, .memory_free = 8, .kind = 3, .rig = &rig, .device_free = free };
    struct outlook_state state = outlook_state(&machine);
    CHECK_EQ("whole, and no MIG instance", state.whole, 1);
    CHECK_EQ("parts", state.part_count, 2);
    CHECK_EQ("ascending", state.parts[0] == 190 && state.parts[1] == 700, 1);
    CHECK_EQ("free in all", outlook_free(&state), 1890);
    outlook_take_share(&state, 700, 600);
    CHECK_EQ("taken from 700: the smallest now", state.parts[0] == 100 && state.parts[1] == 190, 1);
    outlook_take_share(&state, 1000, 500);
    CHECK_EQ("a whole one is in parts", state.whole == 0 && state.part_count == 3 && state.parts[2] == 500, 1);
    outlook_take_share(&state, 190, 190);
    CHECK_EQ("one used up is gone", state.part_count == 2 && state.parts[0] == 100 && state.parts[1] == 500, 1);
}

/* ---- typical tasks ---- */
static void test_typical(void)
{
    static const struct { const char *name; uint32_t first, second, want; } rows[] = {
        { "95 of 100 cover it", 95, 5, 1 }, { "94 do not", 94, 6, 2 }, { "the second is the more frequent", 4, 96, 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct outlook_shape shapes[] = {
            { .cpu = 1, .memory = 5, .devices = 1, .share = 300, .count = rows[r].first / 2 },
            { .cpu = 1, .memory = 6, .devices = 1, .share = 300, .count = rows[r].first - rows[r].first / 2 },    /* memory alone makes no shape */
            { .cpu = 2, .devices = 1, .share = 300, .count = rows[r].second },
        };
        struct outlook *outlook = outlook_of(shapes, COUNT_OF(shapes));
        CHECK_EQ(rows[r].name, outlook->typical_count, rows[r].want);
        CHECK_EQ(rows[r].name, outlook->typical[0].cpu, rows[r].second > rows[r].first ? 2 : 1);
    }
    static const struct outlook_shape equal[] = {
        { .cpu = 2, .devices = 1, .share = 300, .count = 5 }, { .cpu = 3, .devices = 1, .share = 300, .count = 5 }, { .cpu = 3, .devices = 1, .share = 400, .count = 5 },
    };
    struct outlook *outlook = outlook_of(equal, COUNT_OF(equal));
    CHECK_EQ("of equals more cores, then the larger share first", outlook->typical[0].share == 400 && outlook->typical[2].cpu == 2, 1);
    CHECK_EQ("cores for each device", outlook->cpu_per_device, 8 * 1000 / 1000);
    CHECK_EQ("nothing known: a prior", outlook_of(NULL, 0)->typical_count, 4);
}

/* ---- guarded shapes ---- */
static const struct outlook_shape eights[] = {                   /* 100 devices in all, one task in need of eight */
    { .cpu = 80, .memory = 60, .devices = 8, .share = DEVICE_WHOLE, .count = 1 }, { .cpu = 1, .devices = 1, .share = DEVICE_WHOLE, .count = 92 },
};

static void test_hosts(void)
{
    static const struct { const char *name; int32_t cpu, memory; uint32_t whole, want; } rows[] = {
        { "just enough", 80, 60, 8, 1 }, { "one core too few", 79, 60, 8, 0 }, { "memory", 80, 59, 8, 0 }, { "seven devices", 80, 60, 7, 0 },
    };
    struct outlook *outlook = outlook_of(eights, COUNT_OF(eights));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct outlook_state state = { .cpu = rows[r].cpu, .memory = rows[r].memory, .whole = rows[r].whole };
        CHECK_EQ(rows[r].name, outlook_hosts(outlook, &state), rows[r].want);
    }
}

static void test_scarce(void)
{
    static const struct { const char *name; int64_t free; uint32_t hosts, want; } rows[] = {
        { "nothing to come: four are kept", 0, 4, 1 }, { "five are enough", 0, 5, 0 },
        { "one to come, and chance: six are too few", 100000, 6, 1 }, { "seven are enough", 100000, 7, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct outlook *outlook = outlook_of(eights, COUNT_OF(eights));
        const struct outlook_stake host = { .hosts = 1 }, none = { 0 }, rest = { .free = rows[r].free };
        for (uint32_t h = 1; h < rows[r].hosts; h++) { outlook_add(outlook, &host); }
        outlook_add(outlook, &rest);
        outlook_settle(outlook);
        outlook_exchange(outlook, &none, &host);
        CHECK_EQ(rows[r].name, outlook->scarce, rows[r].want);
    }
    struct outlook *outlook = outlook_of(eights, COUNT_OF(eights));
    const struct outlook_stake host = { .hosts = 1 }, none = { 0 };
    for (int h = 0; h < 5; h++) { outlook_add(outlook, &host); }
    outlook_settle(outlook);
    CHECK("nothing exchanged, nothing changed", !outlook_exchange(outlook, &host, &host));
    CHECK("the fifth goes: others are concerned", outlook_exchange(outlook, &host, &none));
    CHECK("those that can host it", outlook_concerns(outlook, &host) && !outlook_concerns(outlook, &none));
    CHECK("the fourth goes: it was scarce before", !outlook_exchange(outlook, &host, &none));
}

/* ---- kinds that are named ---- */
static struct outlook *named(void)
{
    static const struct outlook_shape shapes[] = {
        { .cpu = 1, .devices = 1, .share = DEVICE_WHOLE, .requirement = 1, .count = 50 }, { .cpu = 1, .devices = 1, .share = DEVICE_WHOLE, .count = 50 },
    };
    static const uint8_t fits[] = { 0, 1 };
    return outlook_build(&arena, &(struct outlook_history){ shapes, COUNT_OF(shapes), fits, 1, 2 });
}

static void test_tight(void)
{
    static const struct { const char *name; int64_t other, own; uint32_t want; } rows[] = {
        { "half of the demand names half of the devices", 500000, 500000, 7 }, { "it names more", 499000, 501000, 7 }, { "it names a bit less", 501000, 499000, 8 },
        { "it names all there is", 0, 1000000, 3 }, { "it names next to nothing: the most", 999000, 1000, TIGHT_MAX },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct outlook *outlook = named();
        const struct outlook_stake stakes[] = { { .kind = 0, .free = rows[r].other }, { .kind = 1, .free = rows[r].own } };
        outlook_add(outlook, &stakes[0]);
        outlook_add(outlook, &stakes[1]);
        outlook_settle(outlook);
        CHECK_EQ(rows[r].name, outlook->kinds[1].tight, rows[r].want);
        CHECK_EQ("nobody names the other", outlook->kinds[0].tight, 0);
    }
    struct outlook *outlook = named();
    struct outlook_stake stakes[] = { { .kind = 0, .free = 500000 }, { .kind = 1, .free = 500000 } }, was = stakes[1];
    outlook_add(outlook, &stakes[0]);
    outlook_add(outlook, &stakes[1]);
    outlook_settle(outlook);
    stakes[1].free = 450000;
    CHECK("less than half a step further: nothing yet", !outlook_exchange(outlook, &was, &stakes[1]) && outlook->kinds[1].tight == 7);
    was = stakes[1];
    stakes[1].free = 430000;
    CHECK("more than half a step", outlook_exchange(outlook, &was, &stakes[1]) && outlook->kinds[1].tight == 8);
    CHECK("its machines are concerned, the others not", outlook_concerns(outlook, &stakes[1]) && !outlook_concerns(outlook, &stakes[0]));
}

static void test_kinds(void)
{
    struct outlook *outlook = named();
    struct outlook_state state = { .cpu = 9, .whole = 1 };
    static const struct { const char *name; uint32_t kind; int64_t want; } rows[] = {
        { "half of the tasks can't run here", 0, 50 * 1000 }, { "all can", 1, 0 }, { "a kind that came later", 2, 50 * 1000 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        state.kind = rows[r].kind;
        CHECK_EQ(rows[r].name, outlook_measure(outlook, &state).fragments, rows[r].want);
    }
}

/* Shapes whose counts have faded to nothing, beside tasks without GPUs or alone. */
static void test_faded(void)
{
    static const struct { const char *name; uint32_t pairs, others; int64_t weight; } rows[] = {
        { "pairs faded beside tasks without GPUs", 0, 5, 5 }, { "both are asked for", 1, 5, 6 }, { "all faded: the prior", 0, 0, 15 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct outlook_shape shapes[] = {
            { .cpu = 2, .memory = 1, .devices = 2, .share = DEVICE_WHOLE, .count = rows[r].pairs }, { .cpu = 1, .memory = 1, .count = rows[r].others },
        };
        const struct outlook *outlook = outlook_of(shapes, COUNT_OF(shapes));
        CHECK_EQ(rows[r].name, outlook->weight, rows[r].weight);
        for (uint32_t g = 0; g < outlook->guarded_count; g++) { CHECK("only wanted shapes have a rate", (outlook->guarded[g].rate > 0) == (rows[r].pairs > 0 || rows[r].others == 0)); }
    }
}

int main(void)
{
    arena_init(&arena, (size_t)64 << 20);
    test_faded();
    test_measures();
    test_memo();
    test_states();
    test_typical();
    test_hosts();
    test_scarce();
    test_tight();
    test_kinds();
    arena_finish(&arena);
    return check_report();
}
