/* test_catalogue.c: the table of the ECS documentation, as it is printed there, against the catalogue; and the mistakes that a file can have. */
#include "model/catalogue/catalogue.h"

#include "base/buf.h"
#include "tests/unit/check.h"

enum { CEILING = 4 << 20 };

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
        const struct instance_type *type = catalogue_find(catalogue_builtin(), str_from(golden[r].name));
        CHECK(golden[r].name, type != NULL);
        if (type == NULL) { continue; }
        CHECK_STR(golden[r].name, type->name, str_from(golden[r].name));
        CHECK_STR(golden[r].name, type->accelerator_name, str_from(golden[r].model));
        CHECK_EQ(golden[r].name, instance_type_gpus(type), golden[r].gpus);
        CHECK_EQ(golden[r].name, type->accelerator_mib_total, golden[r].gpu_memory_gib * 1024);
        CHECK_EQ(golden[r].name, type->vcpus, golden[r].vcpus);
        CHECK_EQ(golden[r].name, type->memory_mib * 10, golden[r].memory_tenths * 1024);
        gpus += type->accelerators;
        gpu_memory_mib += type->accelerator_mib_total;
        vcpus += type->vcpus;
        memory_mib += type->memory_mib;
    }
    /* The sums are those of the document's columns, so that a cell that is wrong in both tables shows. */
    CHECK_EQ("sum of GPUs", gpus, 63);
    CHECK_EQ("sum of GPU memory", gpu_memory_mib, 972 * 1024);
    CHECK_EQ("sum of vCPUs", vcpus, 588);
    CHECK_EQ("sum of memory", memory_mib * 10, 44145 * 1024);
}

static void test_builtin(void)
{
    const struct catalogue *all = catalogue_builtin();
    int64_t gpu_types = 0, other_accelerators = 0;
    for (size_t t = 0; t < all->count; t++) {
        const struct instance_type *type = &all->types[t];
        CHECK("by name", t == 0 || str_cmp(all->types[t - 1].name, type->name) < 0);
        CHECK("found", catalogue_find(all, type->name) == type);
        gpu_types += instance_type_gpus(type) > 0;
        other_accelerators += type->accelerators > 0 && instance_type_gpus(type) == 0;
    }
    CHECK_EQ("with GPUs", gpu_types, 80);
    CHECK_EQ("with other accelerators", other_accelerators, 13);
    static const char *const unknown[] = { "a1.large", "z1d.large", "p3.2xlarg", "p3.2xlarges", "P3.2xlarge", "", NULL };
    for (size_t r = 0; r < COUNT_OF(unknown); r++) { CHECK("unknown", catalogue_find(all, str_from(unknown[r])) == NULL); }
    const struct instance_type *slice = catalogue_find(all, STR("g6f.2xlarge")), *arm = catalogue_find(all, STR("g5g.xlarge"));
    CHECK_EQ("a quarter of a device", slice->gpu_share, 250);
    CHECK_EQ("price", slice->price, 475000);
    CHECK("arm64 alone", arm->arm64 && !arm->x86_64);
    CHECK_EQ("six decimals", catalogue_find(all, STR("p4d.24xlarge"))->price, 21957642);
    CHECK_EQ("no price", catalogue_find(all, STR("p5e.48xlarge"))->price, PRICE_UNKNOWN);
    CHECK("burstable", catalogue_find(all, STR("t3.large"))->burstable && catalogue_find(all, STR("g4dn.metal"))->bare_metal);
}

static void test_own(struct arena *arena)
{
    struct catalogue own;
    struct err err = { 0 };
    struct str text = STR("# our machines\r\nmemory_mib , instance_type,vcpus,accelerator_type,accelerator_count,accelerator_name,accelerator_mib_each,max_count\r\n\r\n"
                          "2097152,lab.8xh200,192, gpu ,8,H200,144384,3\r\n1024,box,1,,,,,\r\n32768,g4dn.xlarge,4,gpu,2,T4,16384,");
    CHECK("read", catalogue_parse(text, &own, arena, &err));
    CHECK_EQ("three", own.count, 3);
    const struct instance_type *lab = catalogue_find(&own, STR("lab.8xh200")), *box = catalogue_find(&own, STR("box"));
    CHECK("both", lab != NULL && box != NULL);
    if (lab == NULL || box == NULL) { return; }
    CHECK_EQ("sum", lab->accelerator_mib_total, 8 * 144384);
    CHECK_EQ("three of them", lab->max_count, 3);
    CHECK_EQ("no price", lab->price, PRICE_UNKNOWN);
    CHECK_EQ("line", lab->line, 4);
    CHECK("defaults", box->x86_64 && !box->arm64 && !box->previous && !box->burstable && box->gpu_share == 1000 && box->max_count == 0 && box->accelerators == 0);
    struct catalogue all = catalogue_join(catalogue_builtin(), &own, arena);
    CHECK_EQ("one replaces another", all.count, catalogue_builtin()->count + 2);
    CHECK_EQ("it is the own one", catalogue_find(&all, STR("g4dn.xlarge"))->accelerators, 2);
    CHECK("the others stay", catalogue_find(&all, STR("c5.large")) != NULL && catalogue_find(&all, STR("box")) != NULL);
}

/* The last test: the types are known from then on. */
static void test_known(void)
{
    struct err err = { 0 };
    CHECK_EQ("those that Berth brings along", catalogue_known()->count, catalogue_builtin()->count);
    CHECK("a mistake", !catalogue_add(STR("instance_type,vcpus,memory_mib\nbox,none,1024\n"), &err) && err.code == ERR_INVALID_PARAMETER);
    CHECK("adds nothing", catalogue_find(catalogue_known(), STR("box")) == NULL);
    CHECK("read", catalogue_add(STR("instance_type,vcpus,memory_mib,usd_per_hour\nbox,1,1024,0.01\ng4dn.xlarge,4,16384,2\n"), &err));
    CHECK_EQ("one more", catalogue_known()->count, catalogue_builtin()->count + 1);
    CHECK_EQ("with its price", catalogue_find(catalogue_known(), STR("box"))->price, 10000);
    CHECK_EQ("another price of a known one", catalogue_find(catalogue_known(), STR("g4dn.xlarge"))->price, 2 * PRICE_DOLLAR);
    CHECK_EQ("those that Berth brings along stay", catalogue_find(catalogue_builtin(), STR("g4dn.xlarge"))->price, 526000);
}

#define HEAD "instance_type,vcpus,memory_mib,"
static void test_mistakes(struct arena *arena)
{
    static const struct { const char *text, *error; } rows[] = {
        { "", "The instance types have no line that names the columns." },
        { "# nothing\n\n", "The instance types have no line that names the columns." },
        { "instance_type,vcpus\n", "Line 1 of the instance types: the column memory_mib is missing." },
        { "instance_type,vcpus,memory_mib,vcpus\n", "Line 1 of the instance types: \"vcpus\" is no column, or is there twice." },
        { "\ninstance_type,vcpus,memory_mib,colour\n", "Line 2 of the instance types: \"colour\" is no column, or is there twice." },
        { HEAD "burstable\na,1,1,maybe\n", "Line 2 of the instance types: burstable is \"maybe\", not true or false." },
        { HEAD "generation\na,1,1,old\n", "Line 2 of the instance types: generation is \"old\", not current or previous." },
        { HEAD "architecture\na,1,1,x86_64/\n", "Line 2 of the instance types: architecture is \"x86_64/\", not x86_64, arm64 or x86_64/arm64." },
        { HEAD "architecture\na,1,1,x86_64/arm64\n", NULL },
        { HEAD "max_count\n,1,1,1\n", "Line 2 of the instance types: instance_type is \"\", not given." },
        { HEAD "max_count\na b,1,1,1\n", "Line 2 of the instance types: instance_type is \"a b\", not 1 to 64 letters, digits, '.', '-' and '_'." },
        { HEAD "max_count\na,0,1,1\n", "Line 2 of the instance types: vcpus is \"0\", not a number from 1 to 100000." },
        { HEAD "max_count\na,100000,1,1\n", NULL },
        { HEAD "max_count\na,100001,1,1\n", "Line 2 of the instance types: vcpus is \"100001\", not a number from 1 to 100000." },
        { HEAD "max_count\na,1,0,1\n", "Line 2 of the instance types: memory_mib is \"0\", not a number from 1 to 2147483647." },
        { HEAD "max_count\na,1,1,0\n", "Line 2 of the instance types: max_count is \"0\", not a number from 1 to 1000000." },
        { HEAD "max_count\na,1,1\n", "Line 2 of the instance types: fewer fields than the first line has columns." },
        { HEAD "max_count\na,1,1,1,1\n", "Line 2 of the instance types: more fields than the first line has columns." },
        { HEAD "max_count\nb,1,1,1\na,1,1,1\n\nb,1,1,1\n", "Line 5 of the instance types: b is on line 2 too." },
        { HEAD "usd_per_hour\na,1,1,0.000001\n", NULL },
        { HEAD "usd_per_hour\na,1,1,0\n", NULL },
        { HEAD "usd_per_hour\na,1,1,1000000\n", NULL },
        { HEAD "usd_per_hour\na,1,1,1000000.000001\n", "Line 2 of the instance types: usd_per_hour is \"1000000.000001\", not a number from 0 to 1000000." },
        { HEAD "usd_per_hour\na,1,1,0.0000001\n", "Line 2 of the instance types: usd_per_hour is \"0.0000001\", not a number from 0 to 1000000." },
        { HEAD "usd_per_hour\na,1,1,-0.5\n", "Line 2 of the instance types: usd_per_hour is \"-0.5\", not a number from 0 to 1000000." },
        { HEAD "usd_per_hour\na,1,1,0.-5\n", "Line 2 of the instance types: usd_per_hour is \"0.-5\", not a number from 0 to 1000000." },
        { HEAD "usd_per_hour\na,1,1,1.\n", "Line 2 of the instance types: usd_per_hour is \"1.\", not a number from 0 to 1000000." },
        { HEAD "usd_per_hour\na,1,1,.5\n", "Line 2 of the instance types: usd_per_hour is \".5\", not a number from 0 to 1000000." },
        { HEAD "accelerator_count\na,1,1,1\n", "Line 2 of the instance types: accelerators need accelerator_type, accelerator_name and accelerator_mib_each." },
        { HEAD "accelerator_count\na,1,1,65\n", "Line 2 of the instance types: accelerator_count is \"65\", not a number from 0 to 64." },
        { HEAD "accelerator_name\na,1,1,T4\n", "Line 2 of the instance types: accelerator_count is 0, but an accelerator is described." },
        { HEAD "accelerator_type\na,1,1,cpu\n", "Line 2 of the instance types: accelerator_type is \"cpu\", not one of gpu fpga inference media." },
        { HEAD "accelerator_name\na,1,1,\"T4\"\n", "Line 2 of the instance types: accelerator_name is \"\"T4\"\", not 1 to 64 characters without quotes." },
        { HEAD "accelerator_count,accelerator_type,accelerator_name,accelerator_mib_each,accelerator_mib_total\na,1,1,2,gpu,T4,8,16\n", NULL },
        { HEAD "accelerator_count,accelerator_type,accelerator_name,accelerator_mib_each,accelerator_mib_total\na,1,1,2,gpu,T4,8,15\n",
          "Line 2 of the instance types: accelerator_mib_total is not accelerator_count times accelerator_mib_each." },
        { HEAD "accelerator_count,accelerator_type,accelerator_name,accelerator_mib_each,gpu_fraction\na,1,1,1,gpu,T4,8,1\n", NULL },
        { HEAD "accelerator_count,accelerator_type,accelerator_name,accelerator_mib_each,gpu_fraction\na,1,1,1,gpu,T4,8,1.001\n",
          "Line 2 of the instance types: gpu_fraction is \"1.001\", not a number of thousandths up to 1." },
        { HEAD "gpu_fraction\na,1,1,0.5\n", "Line 2 of the instance types: gpu_fraction is for types with GPUs." },
        { HEAD "gpu_fraction\na,1,1,0\n", "Line 2 of the instance types: gpu_fraction is \"0\", not a number of thousandths up to 1." },
        { HEAD "local_storage_gb\na,1,1,5\n", "Line 2 of the instance types: local_storage_gb and local_storage_type go together." },
        { HEAD "local_storage_gb,local_storage_type\na,1,1,5,ssd\n", NULL },
        { HEAD "local_storage_gb,local_storage_type\na,1,1,5,tape\n", "Line 2 of the instance types: local_storage_type is \"tape\", not one of ssd hdd." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct catalogue own;
        struct err err = { 0 };
        bool good = catalogue_parse(str_from(rows[r].text), &own, arena, &err);
        CHECK_EQ(rows[r].text, good, rows[r].error == NULL);
        CHECK_STR(rows[r].text, str_from(err.message), rows[r].error == NULL ? STR("") : str_from(rows[r].error));
    }
}

static void test_limits(struct arena *arena)
{
    struct catalogue own;
    struct err err = { 0 }, large = { 0 };
    struct buf text = buf_in(arena);
    buf_put(&text, STR("instance_type,vcpus,memory_mib\n"));
    for (int n = 0; n < CATALOGUE_TYPES_MAX; n++) { buf_printf(&text, "t%d,1,1\n", n); }
    CHECK("as many as there can be", catalogue_parse(buf_str(&text), &own, arena, &err) && own.count == CATALOGUE_TYPES_MAX);
    buf_put(&text, STR("one.more,1,1\n"));
    CHECK("one more", !catalogue_parse(buf_str(&text), &own, arena, &err));
    while (text.len <= CATALOGUE_BYTES_MAX) { buf_put_char(&text, '\n'); }
    CHECK("too large", !catalogue_parse(buf_str(&text), &own, arena, &large) && str_contains(str_from(large.message), STR("bytes")));
}

int main(void)
{
    struct arena arena = { .ceiling = CEILING };
    test_golden();
    test_builtin();
    test_own(&arena);
    test_known();
    test_mistakes(&arena);
    test_limits(&arena);
    arena_finish(&arena);
    return check_report();
}
