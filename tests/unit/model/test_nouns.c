/* Functions of the nouns alone: amounts in words, look-ups. The steps of their statuses: test_statuses.c. */
#include "model/instance.h"
#include "model/task.h"
#include "model/taskdef.h"
#include "tests/unit/check.h"

static void test_attribute(void)
{
    struct attribute attributes[] = { { .name = STR("a") }, { .name = STR("b"), .value = STR("1") } };
    struct instance instance = { .attributes = { attributes, 2 } };
    bool found;
    CHECK_STR("value", instance_attribute(&instance, STR("b"), &found), STR("1"));
    CHECK("found", found);
    CHECK("a name alone", !str_is_set(instance_attribute(&instance, STR("a"), &found)) && found);
    (void)instance_attribute(&instance, STR("c"), &found);
    CHECK("not found", !found);
}

#define GPU_FORMS "The value of a GPU resource requirement must be a whole number of at least 1, a share of one GPU like 0.5, or ALL"
#define SHARES    "A share of a GPU must be between 0.001 and 0.999, with at most three decimals"
#define WHOLE_OR  "A container can have whole GPUs or a share of one: the value must be a whole number or below 1"
#define MIB       "The value of a GPU_MEMORY resource requirement must be a whole number of MiB, at least 1"

static const struct { const char *gpu, *memory; struct gpu_wish wish; const char *why; } gpu_rows[] = {
    { NULL,    NULL,    { 0, 0, 0 }, NULL },               { "1",     NULL,   { 1, GPU_SHARE_WHOLE, 0 }, NULL },
    { "8",     NULL,    { 8, GPU_SHARE_WHOLE, 0 }, NULL }, { "ALL",   NULL,   { GPUS_ALL, GPU_SHARE_WHOLE, 0 }, NULL },
    { "0.5",   NULL,    { 1, 500, 0 }, NULL },             { "0.25",  NULL,   { 1, 250, 0 }, NULL },
    { "0.125", NULL,    { 1, 125, 0 }, NULL },             { "0.001", NULL,   { 1, 1, 0 }, NULL },
    { "0.999", NULL,    { 1, 999, 0 }, NULL },             { "0.500", NULL,   { 1, 500, 0 }, NULL },
    { "00.5",  NULL,    { 1, 500, 0 }, NULL },             { NULL,    "8192", { 1, 0, 8192 }, NULL },
    { "0.5",   "8192",  { 1, 500, 8192 }, NULL },          { "2",     "40960", { 2, GPU_SHARE_WHOLE, 40960 }, NULL },
    { "ALL",   "1",     { GPUS_ALL, GPU_SHARE_WHOLE, 1 }, NULL },
    { "0",     NULL,    { 0 }, GPU_FORMS ", but was '0'." },        { "-1",     NULL, { 0 }, GPU_FORMS ", but was '-1'." },
    { "all",   NULL,    { 0 }, GPU_FORMS ", but was 'all'." },      { "",       NULL, { 0 }, GPU_FORMS ", but was ''." },
    { ".5",    NULL,    { 0 }, GPU_FORMS ", but was '.5'." },       { "1.",     NULL, { 0 }, GPU_FORMS ", but was '1.'." },
    { "-0.5",  NULL,    { 0 }, GPU_FORMS ", but was '-0.5'." },     { "0.-5",   NULL, { 0 }, GPU_FORMS ", but was '0.-5'." },
    { "0.5.5", NULL,    { 0 }, GPU_FORMS ", but was '0.5.5'." },    { "0,5",    NULL, { 0 }, GPU_FORMS ", but was '0,5'." },
    { "1.5",   NULL,    { 0 }, WHOLE_OR ", but was '1.5'." },       { "1.0",    NULL, { 0 }, WHOLE_OR ", but was '1.0'." },
    { "0.0",   NULL,    { 0 }, SHARES ", but was '0.0'." },         { "0.0005", NULL, { 0 }, SHARES ", but was '0.0005'." },
    { "0.99999999999999999999", NULL, { 0 }, GPU_FORMS ", but was '0.99999999999999999999'." },
    { NULL,    "0",     { 0 }, MIB ", but was '0'." },              { NULL,     "8 GB", { 0 }, MIB ", but was '8 GB'." },
    { "1",     "2147483648", { 0 }, MIB ", but was '2147483648'." },
};

static void test_gpus(void)
{
    for (size_t r = 0; r < COUNT_OF(gpu_rows); r++) {
        struct resource_requirement both[2];
        size_t count = 0;
        struct gpu_wish wish;
        char row[64], why[GPU_WISH_WHY_MAX] = "";
        if (gpu_rows[r].memory != NULL) { both[count++] = (struct resource_requirement){ str_from(gpu_rows[r].memory), RESOURCE_TYPE_GPU_MEMORY }; }
        if (gpu_rows[r].gpu != NULL) { both[count++] = (struct resource_requirement){ str_from(gpu_rows[r].gpu), RESOURCE_TYPE_GPU }; }
        (void)snprintf(row, sizeof row, "GPU %s, GPU_MEMORY %s", gpu_rows[r].gpu == NULL ? "-" : gpu_rows[r].gpu,
                       gpu_rows[r].memory == NULL ? "-" : gpu_rows[r].memory);
        CHECK_EQ(row, taskdef_gpus(&(struct resource_requirement_list){ both, count }, &wish, why), gpu_rows[r].why == NULL);
        CHECK_STR(row, str_from(why), gpu_rows[r].why == NULL ? STR("") : str_from(gpu_rows[r].why));
        if (gpu_rows[r].why != NULL) { continue; }
        CHECK_EQ(row, wish.count, gpu_rows[r].wish.count);
        CHECK_EQ(row, wish.share, gpu_rows[r].wish.share);
        CHECK_EQ(row, wish.memory_mib, gpu_rows[r].wish.memory_mib);
    }
    struct resource_requirement two[] = { { STR("eia"), RESOURCE_TYPE_INFERENCEACCELERATOR }, { STR("2"), RESOURCE_TYPE_GPU } };
    struct gpu_wish wish;
    char why[GPU_WISH_WHY_MAX];
    CHECK("others do not count", taskdef_gpus(&(struct resource_requirement_list){ two, 2 }, &wish, why) && wish.count == 2);
    two[0] = two[1];
    CHECK("twice", !taskdef_gpus(&(struct resource_requirement_list){ two, 2 }, &wish, why));
    CHECK_STR("twice", str_from(why), STR("Only one resource requirement of type GPU may be given."));
    two[0] = two[1] = (struct resource_requirement){ STR("5"), RESOURCE_TYPE_GPU_MEMORY };
    CHECK("memory twice", !taskdef_gpus(&(struct resource_requirement_list){ two, 2 }, &wish, why));
    CHECK_STR("memory twice", str_from(why), STR("Only one resource requirement of type GPU_MEMORY may be given."));
}

static void test_amounts(void)
{
    static const struct { struct str text; bool cpu_good; int64_t cpu; bool memory_good; int64_t memory; } rows[] = {
        { STR_INIT("256"),       true, 256, true, 256 },          { STR_INIT("0.5 vCPU"), true, 512, false, 0 },
        { STR_INIT("1vcpu"),     true, 1024, false, 0 },          { STR_INIT("1 GB"),     false, 0, true, 1024 },
        { STR_INIT("0.5GB"),     false, 0, true, 512 },           { STR_INIT(" 512 "),    true, 512, true, 512 },
        { STR_INIT(".5 vCPU"),   true, 512, false, 0 },           { STR_INIT("1.vCPU"),   false, 0, false, 0 },
        { STR_INIT("-1"),        false, 0, false, 0 },            { STR_INIT("-1 GB"),    false, 0, false, 0 },
        { STR_INIT("0.-5 GB"),   false, 0, false, 0 },            { STR_INIT(""),         false, 0, false, 0 },
        { STR_INIT("GB"),        false, 0, false, 0 },            { STR_INIT("2.5"),      false, 0, false, 0 },
        { STR_INIT("9999999999999999 GB"), false, 0, false, 0 },  { STR_INIT("0.25 gb"),  false, 0, true, 256 },
        { STR_INIT("1.0000001 GB"), false, 0, false, 0 },         { STR_INIT("1 GB GB"),  false, 0, false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t cpu = 0, memory = 0;
        CHECK_EQ(rows[r].text.ptr, taskdef_read_cpu(rows[r].text, &cpu), rows[r].cpu_good);
        CHECK_EQ(rows[r].text.ptr, taskdef_read_memory(rows[r].text, &memory), rows[r].memory_good);
        if (rows[r].cpu_good) { CHECK_EQ(rows[r].text.ptr, cpu, rows[r].cpu); }
        if (rows[r].memory_good) { CHECK_EQ(rows[r].text.ptr, memory, rows[r].memory); }
    }
}

static void test_containers(void)
{
    struct container_definition containers[] = { { .name = STR("a") }, { .name = STR("b") } };
    struct task_definition definition = { .container_definitions = { containers, 2 } };
    CHECK("found", taskdef_container(&definition, STR("b")) == &containers[1]);
    CHECK("not found", taskdef_container(&definition, STR("c")) == NULL);
}

/* A task that was made at 10, on a machine; reported at: 0 for not yet. */
static void test_contact(void)
{
    static const struct { bool ended; int64_t told_ms; bool there; int64_t came_ms; enum connectivity want; int64_t since_ms; } rows[] = {
        { false,  0, true,   5, CONNECTIVITY_UNSET,         0 },           /* the agent has been there since before, and has said nothing */
        { false,  0, true,  10, CONNECTIVITY_UNSET,         0 },
        { false,  0, true,  11, CONNECTIVITY_CONNECTED,    11 },
        { false,  0, true,   0, CONNECTIVITY_UNSET,         0 },           /* a machine of before that time was kept */
        { false,  0, false,  5, CONNECTIVITY_DISCONNECTED,  0 },
        { false, 12, true,   5, CONNECTIVITY_CONNECTED,    12 },
        { false, 12, true,  11, CONNECTIVITY_CONNECTED,    12 },
        { false, 12, true,  13, CONNECTIVITY_CONNECTED,    13 },
        { false, 12, false, 13, CONNECTIVITY_DISCONNECTED, 13 },
        { false, 12, false,  0, CONNECTIVITY_DISCONNECTED, 12 },
        { true,  12, false, 13, CONNECTIVITY_CONNECTED,    12 },           /* ended: as it was then */
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct task task = { .instance = { { 1 } }, .last_status = rows[r].ended ? TASK_STOPPED : TASK_PENDING, .created_ms = 10,
                             .connectivity_ms = rows[r].told_ms, .connectivity = rows[r].told_ms > 0 ? CONNECTIVITY_CONNECTED : CONNECTIVITY_UNSET };
        struct contact contact = task_contact(&task, rows[r].there, rows[r].came_ms);
        CHECK_EQ("contact", contact.connectivity, rows[r].want);
        CHECK_EQ("since", contact.since_ms, rows[r].since_ms);
    }
    struct task waits = { .last_status = TASK_PROVISIONING };
    CHECK_EQ("on no machine", task_contact(&waits, false, 0).connectivity, CONNECTIVITY_UNSET);
}

int main(void)
{
    test_attribute();
    test_gpus();
    test_amounts();
    test_containers();
    test_contact();
    return check_report();
}
