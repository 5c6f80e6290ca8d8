/* test_instance_requirements.c: each member of ECS's instanceRequirements reaches the matcher. */
#include "api/capacity/requirements.h"

#include "tests/unit/check.h"

enum { CEILING = 1 << 20 };

static bool read_json(const char *text, bool spot, struct requirements *requirements, struct arena *arena)
{
    struct instance_requirements_request request = { 0 };
    struct err err = { 0 };
    const struct json *json = json_parse(str_from(text), arena, &err);
    if (json == NULL || !schema_decode(&instance_requirements_request_schema, json, &request, arena, ERR_INVALID_PARAMETER, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    *requirements = requirements_read(&request, spot, arena);
    return requirements_check(requirements, &err);
}

#define USUAL "\"vCpuCount\": {\"min\": 1}, \"memoryMiB\": {\"min\": 2, \"max\": 3}"

static void test_amounts(struct arena *arena)
{
    static const struct { const char *name, *min; enum requirement_amount amount; int64_t value; } rows[] = {
        { "vCpuCount", "4", REQUIRED_VCPUS, 4 },                            { "memoryMiB", "5", REQUIRED_MEMORY, 5 },
        { "memoryGiBPerVCpu", "1.5", REQUIRED_MEMORY_PER_VCPU, 1500000 },   { "networkInterfaceCount", "6", REQUIRED_INTERFACES, 6 },
        { "totalLocalStorageGB", "0.000001", REQUIRED_STORAGE, 1 },         { "baselineEbsBandwidthMbps", "7", REQUIRED_EBS, 7 },
        { "acceleratorCount", "8", REQUIRED_ACCELERATORS, 8 },              { "acceleratorTotalMemoryMiB", "9", REQUIRED_ACCELERATOR_MEMORY, 9 },
        { "networkBandwidthGbps", "1.005", REQUIRED_NETWORK, 1005000 },       { "networkBandwidthGbps", "1e300", REQUIRED_NETWORK, (int64_t)1000000000 * REQUIREMENT_MILLION },
    };
    CHECK_EQ("all of them", COUNT_OF(rows), REQUIRED_AMOUNT_COUNT + 1);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct requirements got;
        bool usual = rows[r].amount == REQUIRED_VCPUS || rows[r].amount == REQUIRED_MEMORY;
        struct str text = usual ? arena_printf(arena, "{\"vCpuCount\": {\"min\": %s}, \"memoryMiB\": {\"min\": %s}}", rows[r].min, rows[r].min)
                                : arena_printf(arena, "{" USUAL ", \"%s\": {\"min\": %s}}", rows[r].name, rows[r].min);
        CHECK(rows[r].name, read_json(arena_cstr(arena, text), false, &got, arena));
        for (int a = 0; a < REQUIRED_AMOUNT_COUNT; a++) {
            bool asked = a == REQUIRED_VCPUS || a == REQUIRED_MEMORY || a == (int)rows[r].amount;
            CHECK_EQ(rows[r].name, got.amounts[a].min.set, asked);
        }
        CHECK_EQ(rows[r].name, got.amounts[rows[r].amount].min.value, rows[r].value);
    }
    struct requirements got;
    CHECK("max", read_json("{" USUAL "}", true, &got, arena) && got.amounts[REQUIRED_MEMORY].max.value == 3 && !got.amounts[REQUIRED_VCPUS].max.set && got.spot);
    CHECK("below 0", !read_json("{" USUAL ", \"networkBandwidthGbps\": {\"max\": -0.5}}", false, &got, arena));
}

static void test_others(struct arena *arena)
{
    static const struct { const char *name, *word; enum requirement_list list; } lists[] = {
        { "cpuManufacturers", "amazon-web-services", REQUIRED_CPU_MANUFACTURERS },     { "instanceGenerations", "previous", REQUIRED_GENERATIONS },
        { "localStorageTypes", "hdd", REQUIRED_STORAGE_TYPES },                        { "acceleratorTypes", "fpga", REQUIRED_ACCELERATOR_TYPES },
        { "acceleratorManufacturers", "habana", REQUIRED_ACCELERATOR_MANUFACTURERS },  { "acceleratorNames", "gb300", REQUIRED_ACCELERATOR_NAMES },
        { "allowedInstanceTypes", "g5.*", REQUIRED_ALLOWED },                          { "excludedInstanceTypes", "lab.8xh200", REQUIRED_EXCLUDED },
    };
    CHECK_EQ("all lists", COUNT_OF(lists), REQUIRED_LIST_COUNT);
    for (size_t r = 0; r < COUNT_OF(lists); r++) {
        struct requirements got;
        struct str text = arena_printf(arena, "{" USUAL ", \"%s\": [\"%s\"]}", lists[r].name, lists[r].word);
        CHECK(lists[r].name, read_json(arena_cstr(arena, text), false, &got, arena));
        for (int l = 0; l < REQUIRED_LIST_COUNT; l++) { CHECK_EQ(lists[r].name, got.lists[l].count, l == (int)lists[r].list); }
        CHECK(lists[r].name, got.lists[lists[r].list].count == 1 && str_eq(got.lists[lists[r].list].items[0], str_from(lists[r].word)));
    }
    static const struct { const char *name; enum requirement_choice choice; } choices[] = {
        { "bareMetal", REQUIRED_BARE_METAL }, { "burstablePerformance", REQUIRED_BURSTABLE }, { "localStorage", REQUIRED_LOCAL_STORAGE },
    };
    static const char *const answers[] = { "included", "required", "excluded" };
    for (size_t r = 0; r < COUNT_OF(choices); r++) {
        for (size_t a = 0; a < COUNT_OF(answers); a++) {
            struct requirements got;
            struct str text = arena_printf(arena, "{" USUAL ", \"%s\": \"%s\"}", choices[r].name, answers[a]);
            CHECK(choices[r].name, read_json(arena_cstr(arena, text), false, &got, arena));
            for (int c = 0; c < REQUIRED_CHOICE_COUNT; c++) { CHECK_EQ(choices[r].name, got.choices[c], c == (int)choices[r].choice ? (int)a + ANSWER_INCLUDED : ANSWER_UNSET); }
        }
    }
    struct requirements got;
    CHECK("the rest", read_json("{" USUAL ", \"requireHibernateSupport\": true, \"onDemandMaxPricePercentageOverLowestPrice\": 20, "
                                "\"spotMaxPricePercentageOverLowestPrice\": 30}", false, &got, arena));
    CHECK("the rest is there", got.hibernates && got.over_lowest.value == 20 && got.spot_over_lowest.value == 30 && !got.spot_of_on_demand.set && !got.spot);
    CHECK("optimal", read_json("{" USUAL ", \"maxSpotPriceAsPercentageOfOptimalOnDemandPrice\": 50}", true, &got, arena) && got.spot_of_on_demand.value == 50);
    CHECK("allowed and excluded", !read_json("{" USUAL ", \"allowedInstanceTypes\": [\"g5.*\"], \"excludedInstanceTypes\": [\"g5.*\"]}", false, &got, arena));
}

int main(void)
{
    struct arena arena = { .ceiling = CEILING };
    test_amounts(&arena);
    test_others(&arena);
    arena_finish(&arena);
    return check_report();
}
