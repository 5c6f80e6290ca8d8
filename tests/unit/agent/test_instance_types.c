/* test_instance_types.c: the table of the ECS documentation, as it is printed there, against the catalogue. */
#include "tests/unit/check.h"

#include "agent/fake/instance_types.h"
#include "base/assert.h"

/* "Working with GPUs on Amazon ECS": type, GPUs, GPU memory in GiB (of all together), vCPUs, memory in tenths of a GiB. */
static const struct { const char *name; int gpus, gpu_memory_gib, vcpus, memory_tenths; const char *model; } golden[] = {
    { "p2.xlarge",      1,  12,  4,  610, "K80" },
    { "p2.8xlarge",     8,  96, 32, 4880, "K80" },
    { "p2.16xlarge",   16, 192, 64, 7320, "K80" },
    { "p3.2xlarge",     1,  16,  8,  610, "V100" },
    { "p3.8xlarge",     4,  64, 32, 2440, "V100" },
    { "p3.16xlarge",    8, 128, 64, 4880, "V100" },
    { "p3dn.24xlarge",  8, 256, 96, 7680, "V100" },
    { "g3s.xlarge",     1,   8,  4,  305, "M60" },
    { "g3.4xlarge",     1,   8, 16, 1220, "M60" },
    { "g3.8xlarge",     2,  16, 32, 2440, "M60" },
    { "g3.16xlarge",    4,  32, 64, 4880, "M60" },
    { "g4dn.xlarge",    1,  16,  4,  160, "T4" },
    { "g4dn.2xlarge",   1,  16,  8,  320, "T4" },
    { "g4dn.4xlarge",   1,  16, 16,  640, "T4" },
    { "g4dn.8xlarge",   1,  16, 32, 1280, "T4" },
    { "g4dn.12xlarge",  4,  64, 48, 1920, "T4" },
    { "g4dn.16xlarge",  1,  16, 64, 2560, "T4" },
};

static void test_golden(void)
{
    int64_t gpus = 0, gpu_memory_mib = 0, vcpus = 0, memory_mib = 0;
    CHECK_EQ("seventeen types", COUNT_OF(golden), 17);
    for (size_t r = 0; r < COUNT_OF(golden); r++) {
        const struct instance_type *type = instance_type_find(str_from(golden[r].name));
        CHECK(golden[r].name, type != NULL);
        if (type == NULL) { continue; }
        CHECK_STR(golden[r].name, type->name, str_from(golden[r].name));
        CHECK_STR(golden[r].name, type->gpu_model, str_from(golden[r].model));
        CHECK_EQ(golden[r].name, type->gpus, golden[r].gpus);
        CHECK_EQ(golden[r].name, type->gpus * type->gpu_memory_mib, golden[r].gpu_memory_gib * 1024);
        CHECK_EQ(golden[r].name, type->vcpus, golden[r].vcpus);
        CHECK_EQ(golden[r].name, type->memory_mib * 10, golden[r].memory_tenths * 1024);
        gpus += type->gpus;
        gpu_memory_mib += type->gpus * type->gpu_memory_mib;
        vcpus += type->vcpus;
        memory_mib += type->memory_mib;
    }
    /* The sums are those of the document's columns, so that a cell that is wrong in both tables shows. */
    CHECK_EQ("sum of GPUs", gpus, 63);
    CHECK_EQ("sum of GPU memory", gpu_memory_mib, 972 * 1024);
    CHECK_EQ("sum of vCPUs", vcpus, 588);
    CHECK_EQ("sum of memory", memory_mib * 10, 44145 * 1024);
}

static void test_find(void)
{
    static const struct { const char *name, *type; bool known; } rows[] = {
        { "the first of the table",     "c5.12xlarge",   true },
        { "the last of the table",      "p5.48xlarge",   true },
        { "without GPUs",               "c5.2xlarge",    true },
        { "inferentia is no GPU",       "inf1.24xlarge", true },
        { "before the first",           "a1.large",      false },
        { "after the last",             "z1d.large",     false },
        { "the beginning of a name",    "p3.2xlarg",     false },
        { "more than a name",           "p3.2xlarges",   false },
        { "case counts",                "P3.2xlarge",    false },
        { "nothing",                    "",              false },
        { "absent",                     NULL,            false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_EQ(rows[r].name, instance_type_find(str_from(rows[r].type)) != NULL, rows[r].known);
    }
}

static void test_table(void)
{
    size_t count = 0;
    const struct instance_type *types = instance_types(&count);
    CHECK("more than the seventeen", count > 17);
    for (size_t t = 0; t < count; t++) {
        char row[64];
        CHECK("the name fits", str_to_cstr(types[t].name, row, sizeof row));
        CHECK(row, t == 0 || str_cmp(types[t - 1].name, types[t].name) < 0);
        CHECK(row, instance_type_find(types[t].name) == &types[t]);
        CHECK_EQ(row, types[t].gpus > 0, types[t].gpu_model.len > 0);
        CHECK_EQ(row, types[t].gpus > 0, types[t].gpu_memory_mib > 0);
        CHECK(row, types[t].vcpus > 0 && types[t].memory_mib >= 1024);
    }
    CHECK_EQ("a p5 has eight H100", instance_type_find(STR("p5.48xlarge"))->gpus, 8);
    CHECK_EQ("a p4de has the bigger A100", instance_type_find(STR("p4de.24xlarge"))->gpu_memory_mib, 80 * 1024);
    CHECK_EQ("an inf1 has no GPU", instance_type_find(STR("inf1.xlarge"))->gpus, 0);
}

int main(void)
{
    test_golden();
    test_find();
    test_table();
    return check_report();
}
