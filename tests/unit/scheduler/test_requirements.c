/* test_requirements.c: each member from both sides of its limit, contradictions, prices, and lists of types as the catalogue gives them. */
#include "scheduler/capacity/requirements.h"

#include "base/buf.h"
#include "tests/unit/check.h"

enum { CEILING = 4 << 20, MILLION = REQUIREMENT_MILLION };
#define SET(n) { n, true }
#define ANY { 0, false }
#define LIST(...) { (struct str[]){ __VA_ARGS__ }, sizeof((struct str[]){ __VA_ARGS__ }) / sizeof(struct str) }

/* ---- one member ---- */

static const struct instance_type plain = {
    .name = STR_INIT("lab.one"), .x86_64 = true, .cpu_manufacturer = STR_INIT("amd"), .vcpus = 8, .memory_mib = 12288, .gpu_share = 1000, .network_mbps = 12500,
    .ebs_mbps = 700, .interfaces = 4, .storage_gb = 250, .storage_type = STR_INIT("ssd"), .price = 100,
}, gpus = {
    .name = STR_INIT("lab.gpu"), .x86_64 = true, .cpu_manufacturer = STR_INIT("intel"), .vcpus = 4, .memory_mib = 16384, .accelerator_type = STR_INIT("gpu"),
    .accelerators = 2, .accelerator_manufacturer = STR_INIT("amd"), .accelerator_name = STR_INIT("Radeon Pro V520"), .accelerator_mib = 8192,
    .accelerator_mib_total = 16384, .gpu_share = 1000, .price = 100, .previous = true,
}, burstable = { .name = STR_INIT("t9.large"), .vcpus = 2, .memory_mib = 1024, .burstable = true, .price = 1 },
   metal = { .name = STR_INIT("m9.metal"), .vcpus = 2, .memory_mib = 1024, .bare_metal = true, .price = 1 },
   unknown = { .name = STR_INIT("box"), .vcpus = 1, .memory_mib = 1024, .price = PRICE_UNKNOWN };

static void test_amounts(void)
{
    static const struct { const char *row; const struct instance_type *type; enum requirement_amount amount; struct requirement_range range; bool holds; } rows[] = {
        { "vCPUs: at min", &plain, REQUIRED_VCPUS, { SET(8), ANY }, true },          { "vCPUs: below min", &plain, REQUIRED_VCPUS, { SET(9), ANY }, false },
        { "vCPUs: at max", &plain, REQUIRED_VCPUS, { SET(0), SET(8) }, true },       { "vCPUs: above max", &plain, REQUIRED_VCPUS, { SET(0), SET(7) }, false },
        { "memory: at min", &plain, REQUIRED_MEMORY, { SET(12288), ANY }, true },    { "memory: below min", &plain, REQUIRED_MEMORY, { SET(12289), ANY }, false },
        { "memory: at max", &plain, REQUIRED_MEMORY, { SET(0), SET(12288) }, true }, { "memory: above max", &plain, REQUIRED_MEMORY, { SET(0), SET(12287) }, false },
        { "GiB a vCPU: at min", &plain, REQUIRED_MEMORY_PER_VCPU, { SET(1500000), ANY }, true },
        { "GiB a vCPU: below min", &plain, REQUIRED_MEMORY_PER_VCPU, { SET(1500001), ANY }, false },
        { "GiB a vCPU: at max", &plain, REQUIRED_MEMORY_PER_VCPU, { ANY, SET(1500000) }, true },
        { "GiB a vCPU: above max", &plain, REQUIRED_MEMORY_PER_VCPU, { ANY, SET(1499999) }, false },
        { "interfaces: at min", &plain, REQUIRED_INTERFACES, { SET(4), ANY }, true },      { "interfaces: below", &plain, REQUIRED_INTERFACES, { SET(5), ANY }, false },
        { "interfaces: at max", &plain, REQUIRED_INTERFACES, { ANY, SET(4) }, true },      { "interfaces: above", &plain, REQUIRED_INTERFACES, { ANY, SET(3) }, false },
        { "interfaces: not known", &unknown, REQUIRED_INTERFACES, { ANY, SET(9) }, false }, { "interfaces: not asked", &unknown, REQUIRED_INTERFACES, { ANY, ANY }, true },
        { "storage: at min", &plain, REQUIRED_STORAGE, { SET(250000000), ANY }, true },    { "storage: below", &plain, REQUIRED_STORAGE, { SET(250000001), ANY }, false },
        { "storage: at max", &plain, REQUIRED_STORAGE, { ANY, SET(250000000) }, true },    { "storage: above", &plain, REQUIRED_STORAGE, { ANY, SET(249999999) }, false },
        { "storage: without", &unknown, REQUIRED_STORAGE, { ANY, SET(1) }, true },
        { "EBS: at min", &plain, REQUIRED_EBS, { SET(700), ANY }, true },                  { "EBS: below", &plain, REQUIRED_EBS, { SET(701), ANY }, false },
        { "EBS: at max", &plain, REQUIRED_EBS, { ANY, SET(700) }, true },                  { "EBS: above", &plain, REQUIRED_EBS, { ANY, SET(699) }, false },
        { "EBS: not known", &unknown, REQUIRED_EBS, { ANY, SET(9) }, false },
        { "network: at min", &plain, REQUIRED_NETWORK, { SET(12500000), ANY }, true },     { "network: below", &plain, REQUIRED_NETWORK, { SET(12500001), ANY }, false },
        { "network: at max", &plain, REQUIRED_NETWORK, { ANY, SET(12500000) }, true },     { "network: above", &plain, REQUIRED_NETWORK, { ANY, SET(12499999) }, false },
        { "network: not known", &unknown, REQUIRED_NETWORK, { SET(0), ANY }, false },
        { "accelerators: at min", &gpus, REQUIRED_ACCELERATORS, { SET(2), ANY }, true },   { "accelerators: below", &gpus, REQUIRED_ACCELERATORS, { SET(3), ANY }, false },
        { "accelerators: at max", &gpus, REQUIRED_ACCELERATORS, { ANY, SET(2) }, true },   { "accelerators: above", &gpus, REQUIRED_ACCELERATORS, { ANY, SET(1) }, false },
        { "accelerators: none of at most 1", &plain, REQUIRED_ACCELERATORS, { ANY, SET(1) }, true },
        { "accelerators: none of at most 0", &plain, REQUIRED_ACCELERATORS, { ANY, SET(0) }, true },
        { "accelerators: some of at most 0", &gpus, REQUIRED_ACCELERATORS, { ANY, SET(0) }, false },
        { "their memory: at min", &gpus, REQUIRED_ACCELERATOR_MEMORY, { SET(16384), ANY }, true },
        { "their memory: below", &gpus, REQUIRED_ACCELERATOR_MEMORY, { SET(16385), ANY }, false },
        { "their memory: at max", &gpus, REQUIRED_ACCELERATOR_MEMORY, { ANY, SET(16384) }, true },
        { "their memory: above", &gpus, REQUIRED_ACCELERATOR_MEMORY, { ANY, SET(16383) }, false },
        { "too large for a product", &plain, REQUIRED_MEMORY_PER_VCPU, { SET(INT64_MAX), ANY }, false },
        { "the largest max", &plain, REQUIRED_MEMORY_PER_VCPU, { ANY, SET(INT64_MAX) }, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct requirements requirements = { 0 };
        requirements.amounts[rows[r].amount] = rows[r].range;
        CHECK_EQ(rows[r].row, !str_is_set(requirements_miss(&requirements, rows[r].type)), rows[r].holds);
    }
}

static void test_lists(void)
{
    static const struct { const char *row; const struct instance_type *type; enum requirement_list list; const char *one, *other; bool holds; } rows[] = {
        { "CPUs of one", &plain, REQUIRED_CPU_MANUFACTURERS, "amd", NULL, true },         { "CPUs of another", &plain, REQUIRED_CPU_MANUFACTURERS, "intel", NULL, false },
        { "one of two is enough", &plain, REQUIRED_CPU_MANUFACTURERS, "intel", "amd", true },
        { "current", &plain, REQUIRED_GENERATIONS, "current", NULL, true },               { "previous", &plain, REQUIRED_GENERATIONS, "previous", NULL, false },
        { "ssd", &plain, REQUIRED_STORAGE_TYPES, "ssd", NULL, true },                     { "hdd", &plain, REQUIRED_STORAGE_TYPES, "hdd", NULL, false },
        { "no storage, any type of it", &unknown, REQUIRED_STORAGE_TYPES, "hdd", NULL, true },
        { "gpu", &gpus, REQUIRED_ACCELERATOR_TYPES, "gpu", NULL, true },                  { "fpga", &gpus, REQUIRED_ACCELERATOR_TYPES, "fpga", NULL, false },
        { "gpu, but it has none", &plain, REQUIRED_ACCELERATOR_TYPES, "gpu", NULL, false },
        { "made by amd", &gpus, REQUIRED_ACCELERATOR_MANUFACTURERS, "amd", NULL, true },  { "by nvidia", &gpus, REQUIRED_ACCELERATOR_MANUFACTURERS, "nvidia", NULL, false },
        { "name", &gpus, REQUIRED_ACCELERATOR_NAMES, "radeon-pro-v520", NULL, true },     { "its beginning", &gpus, REQUIRED_ACCELERATOR_NAMES, "radeon-pro-v52", NULL, false },
        { "more", &gpus, REQUIRED_ACCELERATOR_NAMES, "radeon-pro-v5200", NULL, false },   { "its own name", &gpus, REQUIRED_ACCELERATOR_NAMES, "Radeon Pro V520", NULL, true },
        { "allowed by name", &gpus, REQUIRED_ALLOWED, "lab.gpu", NULL, true },            { "allowed by family", &gpus, REQUIRED_ALLOWED, "lab.*", NULL, true },
        { "allowed, not named", &gpus, REQUIRED_ALLOWED, "*", NULL, false },              { "allowed, named too", &gpus, REQUIRED_ALLOWED, "*", "lab*", true },
        { "allowed without", &plain, REQUIRED_ALLOWED, "*", NULL, true },                 { "in the middle", &plain, REQUIRED_ALLOWED, "l*.*e", NULL, true },
        { "twice", &plain, REQUIRED_ALLOWED, "*lab*one*", NULL, true },                   { "steps back", &plain, REQUIRED_ALLOWED, "l*one", NULL, true },
        { "not all of it", &plain, REQUIRED_ALLOWED, "lab", NULL, false },                { "more than it", &plain, REQUIRED_ALLOWED, "lab.one.*", NULL, false },
        { "another case", &plain, REQUIRED_ALLOWED, "LAB.*", NULL, false },               { "excluded", &plain, REQUIRED_EXCLUDED, "*one", NULL, false },
        { "another excluded", &plain, REQUIRED_EXCLUDED, "g5.*", "lab.two", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct requirements requirements = { 0 };
        struct str items[] = { str_from(rows[r].one), str_from(rows[r].other) };
        requirements.lists[rows[r].list] = (struct str_list){ items, rows[r].other == NULL ? 1 : 2 };
        CHECK_EQ(rows[r].row, !str_is_set(requirements_miss(&requirements, rows[r].type)), rows[r].holds);
    }
}

static void test_choices(void)
{
    static const struct { const char *row; const struct instance_type *type; enum requirement_choice choice; bool unset, included, required, excluded; } rows[] = {
        { "metal",             &metal,     REQUIRED_BARE_METAL,    false, true, true,  false },
        { "no metal",          &plain,     REQUIRED_BARE_METAL,    true,  true, false, true },
        { "burstable",         &burstable, REQUIRED_BURSTABLE,     false, true, true,  false },
        { "not burstable",     &plain,     REQUIRED_BURSTABLE,     true,  true, false, true },
        { "local storage",     &plain,     REQUIRED_LOCAL_STORAGE, true,  true, true,  false },
        { "no local storage",  &unknown,   REQUIRED_LOCAL_STORAGE, true,  true, false, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const bool wanted[] = { rows[r].unset, rows[r].included, rows[r].required, rows[r].excluded };
        for (int answer = ANSWER_UNSET; answer <= ANSWER_EXCLUDED; answer++) {
            struct requirements requirements = { 0 };
            requirements.choices[rows[r].choice] = (enum requirement_answer)answer;
            CHECK_EQ(rows[r].row, !str_is_set(requirements_miss(&requirements, rows[r].type)), wanted[answer]);
        }
    }
    struct requirements sleeps = { .hibernates = true };
    CHECK_STR("nothing hibernates", requirements_miss(&sleeps, &plain), STR("requireHibernateSupport"));
    struct requirements nothing = { 0 };
    CHECK_STR("accelerators that nothing asks for", requirements_miss(&nothing, &gpus), STR("acceleratorCount"));
}

/* ---- contradictions ---- */

static void test_contradictions(void)
{
    static struct str many[REQUIREMENT_NAMES_MAX + 1];
    for (size_t i = 0; i < COUNT_OF(many); i++) { many[i] = STR("g5.*"); }
    const struct requirement_range from_0 = { SET(0), ANY };
#define USUAL .amounts[REQUIRED_VCPUS] = from_0, .amounts[REQUIRED_MEMORY] = from_0
    const struct { const char *row; struct requirements requirements; const char *error; } rows[] = {
        { "usual", { USUAL }, NULL },
        { "no vCPUs", { .amounts[REQUIRED_MEMORY] = from_0 }, "vCpuCount needs min." },
        { "no memory", { .amounts[REQUIRED_VCPUS] = from_0 }, "memoryMiB needs min." },
        { "memory with max alone", { .amounts[REQUIRED_VCPUS] = from_0, .amounts[REQUIRED_MEMORY] = { ANY, SET(5) } }, "memoryMiB needs min." },
        { "min at max", { USUAL, .amounts[REQUIRED_EBS] = { SET(5), SET(5) } }, NULL },
        { "min above max", { USUAL, .amounts[REQUIRED_EBS] = { SET(6), SET(5) } }, "baselineEbsBandwidthMbps: min is above max." },
        { "below 0", { USUAL, .amounts[REQUIRED_ACCELERATORS] = { ANY, SET(-1) } }, "acceleratorCount must not be below 0." },
        { "allowed", { USUAL, .lists[REQUIRED_ALLOWED] = LIST(STR_INIT("g5.*")) }, NULL },
        { "allowed and excluded", { USUAL, .lists[REQUIRED_ALLOWED] = LIST(STR_INIT("g5.*")), .lists[REQUIRED_EXCLUDED] = LIST(STR_INIT("g5.xlarge")) },
          "allowedInstanceTypes and excludedInstanceTypes can't both be specified." },
        { "400 names", { USUAL, .lists[REQUIRED_EXCLUDED] = { many, REQUIREMENT_NAMES_MAX } }, NULL },
        { "401 names", { USUAL, .lists[REQUIRED_EXCLUDED] = { many, REQUIREMENT_NAMES_MAX + 1 } }, "excludedInstanceTypes can have at most 400 entries." },
        { "no name", { USUAL, .lists[REQUIRED_ALLOWED] = LIST(STR_INIT("g5 xlarge")) },
          "allowedInstanceTypes: \"g5 xlarge\" is no name of an instance type, with or without '*'." },
        { "an empty name", { USUAL, .lists[REQUIRED_ALLOWED] = LIST(STR_INIT("")) }, "allowedInstanceTypes: \"\" is no name of an instance type, with or without '*'." },
        { "any name of an accelerator", { USUAL, .lists[REQUIRED_ACCELERATOR_NAMES] = LIST(STR_INIT("rtx 9")) }, NULL },
        { "both prices of spot", { USUAL, .spot_over_lowest = SET(10), .spot_of_on_demand = SET(10) },
          "spotMaxPricePercentageOverLowestPrice and maxSpotPriceAsPercentageOfOptimalOnDemandPrice can't both be specified." },
        { "0 percent", { USUAL, .over_lowest = SET(0) }, NULL },
        { "a negative percentage", { USUAL, .over_lowest = SET(-1) }, "onDemandMaxPricePercentageOverLowestPrice must not be below 0." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        CHECK_EQ(rows[r].row, requirements_check(&rows[r].requirements, &err), rows[r].error == NULL);
        CHECK_STR(rows[r].row, str_from(err.message), rows[r].error == NULL ? STR("") : str_from(rows[r].error));
    }
}

/* ---- the catalogue ---- */

static struct str names_of(struct type_list types, struct arena *arena)
{
    struct buf text = buf_in(arena);
    for (size_t t = 0; t < types.count; t++) { buf_printf(&text, "%s" STR_FMT, t == 0 ? "" : " ", STR_ARG(types.items[t]->name)); }
    return buf_str(&text);
}

static void test_catalogue(struct arena *arena)
{
    const struct requirement_range cpus_4 = { SET(4), ANY }, memory_16 = { SET(16384), ANY }, any = { SET(0), ANY }, one = { SET(1), SET(1) };
#define ONE_NVIDIA .amounts[REQUIRED_VCPUS] = cpus_4, .amounts[REQUIRED_MEMORY] = memory_16, .amounts[REQUIRED_ACCELERATORS] = one, \
        .lists[REQUIRED_ACCELERATOR_TYPES] = LIST(STR_INIT("gpu")), .lists[REQUIRED_ACCELERATOR_MANUFACTURERS] = LIST(STR_INIT("nvidia"))
    const struct { const char *row; struct requirements requirements; const char *names; } rows[] = {
        { "two types", { ONE_NVIDIA, .lists[REQUIRED_ALLOWED] = LIST(STR_INIT("g4dn.xlarge"), STR_INIT("g4dn.2xlarge")) }, "g4dn.xlarge g4dn.2xlarge" },
        { "three types", { ONE_NVIDIA, .lists[REQUIRED_ALLOWED] = LIST(STR_INIT("g5.xlarge"), STR_INIT("g4dn.2xlarge"), STR_INIT("g4dn.xlarge")) },
          "g4dn.xlarge g4dn.2xlarge g5.xlarge" },
        { "two of g5", { ONE_NVIDIA, .lists[REQUIRED_ALLOWED] = LIST(STR_INIT("g5.xlarge"), STR_INIT("g5.2xlarge")) }, "g5.xlarge g5.2xlarge" },
        { "no price protection unasked, and with 20 percent", { ONE_NVIDIA, .over_lowest = SET(20),
          .lists[REQUIRED_ALLOWED] = LIST(STR_INIT("g5.xlarge"), STR_INIT("g4dn.2xlarge"), STR_INIT("g4dn.xlarge")) }, "g4dn.xlarge" },
        { "8 of 80 GB", { .amounts = { [REQUIRED_VCPUS] = any, [REQUIRED_MEMORY] = any, [REQUIRED_ACCELERATORS] = { SET(8), ANY },
          [REQUIRED_ACCELERATOR_MEMORY] = { SET(640 * 1024), ANY } }, .lists[REQUIRED_ACCELERATOR_MANUFACTURERS] = LIST(STR_INIT("nvidia")) },
          "p4de.24xlarge g7e.48xlarge p5.48xlarge p5en.48xlarge p6-b200.48xlarge p6-b300.48xlarge p5e.48xlarge" },
        { "one of 40 GB", { .amounts = { [REQUIRED_VCPUS] = any, [REQUIRED_MEMORY] = any, [REQUIRED_ACCELERATORS] = one,
          [REQUIRED_ACCELERATOR_MEMORY] = { SET(40000), ANY } }, .lists[REQUIRED_ACCELERATOR_MANUFACTURERS] = LIST(STR_INIT("nvidia")) },
          "g6e.xlarge g6e.2xlarge g6e.4xlarge g7e.2xlarge g7e.4xlarge g6e.8xlarge g7e.8xlarge p5.4xlarge g6e.16xlarge" },
        { "one of 24 GB, counted as the device counts", { .amounts = { [REQUIRED_VCPUS] = any, [REQUIRED_MEMORY] = any, [REQUIRED_ACCELERATORS] = one,
          [REQUIRED_ACCELERATOR_MEMORY] = { SET(24576), SET(30000) } } }, "" },
        { "one of at least 22,888", { .amounts = { [REQUIRED_VCPUS] = { SET(0), SET(4) }, [REQUIRED_MEMORY] = any, [REQUIRED_ACCELERATORS] = one,
          [REQUIRED_ACCELERATOR_MEMORY] = { SET(22888), SET(30000) } } }, "g6.xlarge g5.xlarge" },
        { "none asked for", { .amounts = { [REQUIRED_VCPUS] = { SET(2), SET(4) }, [REQUIRED_MEMORY] = { SET(8192), SET(16384) } } },
          "m7g.large m6a.large m5.large m6i.large m7i.large r7g.large r5.large r6i.large r7i.large c7g.xlarge m7g.xlarge c5.xlarge c6i.xlarge m6a.xlarge "
          "c7i.xlarge m5.xlarge m6i.xlarge m7i.xlarge" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        CHECK(rows[r].row, requirements_check(&rows[r].requirements, &err));
        CHECK_STR(rows[r].row, names_of(requirements_match(&rows[r].requirements, catalogue_builtin(), arena), arena), str_from(rows[r].names));
    }
}

/* A hundred percent more than the cheapest: the C, M and R types of now first, then the others of now, then all. */
static void test_prices(struct arena *arena)
{
    static const char head[] = "instance_type,generation,vcpus,memory_mib,usd_per_hour\n";
    static const struct { const char *row, *types; int64_t percent; bool spot; const char *names; } rows[] = {
        { "at the limit", "m9.a,current,1,1,1\nx9.b,current,1,1,1.2\nx9.c,current,1,1,1.200001\n", 20, false, "m9.a x9.b" },
        { "by the C, M and R types", "m9.a,current,1,1,2\nx9.b,current,1,1,1\nr9.c,previous,1,1,0.5\nx9.d,current,1,1,2.4\nx9.e,current,1,1,2.5\n", 20, false, "r9.c x9.b m9.a x9.d" },
        { "metrics is no family", "metrics,current,1,1,2\nx9.b,current,1,1,1\n", 20, false, "x9.b" },
        { "by those of now", "x9.b,current,1,1,2\nm9.c,previous,1,1,1\nx9.d,current,1,1,2.5\n", 20, false, "m9.c x9.b" },
        { "by those before", "x9.b,previous,1,1,2\nm9.c,previous,1,1,1\n", 20, false, "m9.c" },
        { "without a price", "m9.a,current,1,1,1\nlab,current,1,1,\nm9.b,current,1,1,5\n", 20, false, "m9.a lab" },
        { "no prices", "b,current,1,1,\na,current,1,1,\n", 0, false, "a b" },
        { "any price", "m9.a,current,1,1,1\nm9.b,current,1,1,100000\n", REQUIREMENT_ANY_PRICE, false, "m9.a m9.b" },
        { "almost any price", "m9.a,current,1,1,1\nm9.b,current,1,1,100000\n", REQUIREMENT_ANY_PRICE - 1, false, "m9.a" },
        { "spot: the other percentage", "m9.a,current,1,1,1\nm9.b,current,1,1,1.1\nm9.c,current,1,1,1.2\n", 20, true, "m9.a m9.b" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct catalogue catalogue;
        struct err err = { 0 };
        struct str text = arena_printf(arena, "%s%s", head, rows[r].types);
        struct requirements requirements = { .over_lowest = SET(rows[r].percent), .spot_over_lowest = SET(10), .spot = rows[r].spot };
        CHECK(rows[r].row, catalogue_parse(text, &catalogue, arena, &err));
        CHECK_STR(rows[r].row, names_of(requirements_match(&requirements, &catalogue, arena), arena), str_from(rows[r].names));
    }
    struct catalogue same;
    struct err err = { 0 };
    struct requirements nothing = { .amounts[REQUIRED_ACCELERATORS] = { SET(0), ANY } };
    CHECK("read", catalogue_parse(STR("instance_type,vcpus,memory_mib,accelerator_type,accelerator_count,accelerator_name,accelerator_mib_each\n"
                                      "g,2,9,gpu,1,x,8\nf,2,9,gpu,1,x,9\ne,1,9,gpu,2,x,4\nd,2,8,,,,\nc,1,9,,,,\nb,2,7,,,,\na,2,7,,,,\n"), &same, arena, &err));
    CHECK_STR("the rest of the order", names_of(requirements_match(&nothing, &same, arena), arena), STR("c a b d g f e"));
}

static void test_explain(struct arena *arena)
{
    struct catalogue catalogue;
    struct err err = { 0 };
    struct buf all = buf_in(arena), some = buf_in(arena);
    const struct requirements nothing = { 0 };
    struct requirements requirements = { .amounts[REQUIRED_VCPUS] = { SET(4), ANY }, .amounts[REQUIRED_MEMORY] = { SET(0), SET(8) } };
    CHECK("read", catalogue_parse(STR("instance_type,vcpus,memory_mib,burstable\na,4,8,\nb,3,9,\nc,4,9,\nd,2,8,\ne,4,8,true\n"), &catalogue, arena, &err));
    requirements_explain(&nothing, &(struct catalogue){ catalogue.types, 1 }, &all);
    CHECK_STR("nothing is left out", buf_str(&all), STR("1 of 1 instance types match"));
    requirements_explain(&requirements, &catalogue, &some);
    CHECK_STR("each once", buf_str(&some), STR("1 of 5 instance types match: vCpuCount leaves out 2, memoryMiB leaves out 1, burstablePerformance leaves out 1"));
}

int main(void)
{
    struct arena arena = { .ceiling = CEILING };
    test_amounts();
    test_lists();
    test_choices();
    test_contradictions();
    test_catalogue(&arena);
    test_prices(&arena);
    test_explain(&arena);
    arena_finish(&arena);
    return check_report();
}
