/* Evidence and its words. */
#include "worlds.h"

static struct arena arena;

static struct str explain(const struct demand *demand, const struct evidence *evidence)
{
    struct buf buf = buf_in(&arena);
    sched_explain(demand, evidence, &buf);
    CHECK("at most 1,024 bytes", buf.len <= 1024);
    return buf_str(&buf);
}

struct shape { uint32_t count; size_t gpus, gpus_taken; int64_t cpu_taken, memory_taken; bool inactive, disconnected; const char *off, *problem; size_t out; };

static struct world *world_of(const struct shape *shapes, size_t count)
{
    struct world *world = sched_world_create(&arena);
    uint32_t number = 0;
    for (size_t s = 0; s < count; s++) {
        for (uint32_t n = 0; n < shapes[s].count; n++) {
            number++;
            const struct sched_attribute off[] = {
                { STR("berth.gpu-support"), STR("off") }, { STR("berth.gpu-devices"), str_from(shapes[s].off) },
                { STR("berth.gpu-problem"), shapes[s].problem == NULL ? STR("") : str_from(shapes[s].problem) },
            };
            struct sched_instance instance = test_instance(number, shapes[s].gpus);
            instance.active = !shapes[s].inactive;
            instance.connected = !shapes[s].disconnected;
            instance.attributes = off;
            instance.attribute_count = shapes[s].off == NULL ? 0 : shapes[s].off[0] == '\0' ? 1 : shapes[s].problem == NULL ? 2 : 3;
            struct sched_gpu gpus[8];
            for (size_t g = 0; g < shapes[s].gpus; g++) { gpus[g] = (struct sched_gpu){ .uuid = test_uuid(number, g), .out = g + shapes[s].out >= shapes[s].gpus }; }
            instance.gpus = gpus;
            sched_put_instance(world, &instance);
            struct sched_use uuids[8];
            for (size_t g = 0; g < shapes[s].gpus_taken; g++) { uuids[g] = test_whole(number, g); }
            const struct sched_task task = {
                .id = test_id(1000 + number), .instance = test_id(number), .group = STR("family:web"), .running = true,
                .cpu = shapes[s].cpu_taken, .memory_mib = shapes[s].memory_taken, .gpus = uuids, .gpu_count = shapes[s].gpus_taken,
            };
            sched_put_task(world, &task);
        }
    }
    return world;
}

static const int64_t port_80[] = { 80 }, ports_many[] = { 80, 443 | 0x10000 };
static const struct {
    const char *name; struct shape shapes[3]; size_t count;
    int64_t cpu, memory_mib, gpus; bool distinct; const int64_t *ports; size_t port_count;
    const char *want;
} rows[] = {
    { .name = "busy GPUs", .count = 2, .gpus = 1,
      .shapes = { { .count = 2, .gpus = 1, .gpus_taken = 1 }, { .count = 2 } },
      .want = "needs 1 GPU. 2 instances have 1 GPU each and all are held by running tasks; 2 instances have no GPU. "
              "Would fit when a task with a GPU ends." },
    { .name = "one busy GPU", .count = 1, .gpus = 1,
      .shapes = { { .count = 1, .gpus = 1, .gpus_taken = 1 } },
      .want = "needs 1 GPU. 1 instance has 1 GPU and it is held by a running task. Would fit when a task with a GPU ends." },
    { .name = "more GPUs than any has", .count = 2, .gpus = 5,
      .shapes = { { .count = 3, .gpus = 4 }, { .count = 1 } },
      .want = "needs 5 GPUs on one instance; the largest has 4 (3 instances); 1 instance has no GPU. "
              "No instance of this cluster can ever hold it." },
    { .name = "the nearest is not the largest", .count = 3, .gpus = 10,
      .shapes = { { .count = 2, .gpus = 1 }, { .count = 1, .gpus = 8, .gpus_taken = 8 } },
      .want = "needs 10 GPUs on one instance; the largest has 8 (1 instance); 2 instances have only 1 GPU each. "
              "No instance of this cluster can ever hold it." },
    { .name = "the largest lacks CPU too", .count = 2, .gpus = 8, .cpu = 4000,
      .shapes = { { .count = 2, .gpus = 1 }, { .count = 1, .gpus = 4, .cpu_taken = 200 } },
      .want = "needs 8 GPUs on one instance and 4000 CPU units. 2 instances have only 1 GPU each; "
              "1 instance has only 4096 CPU units. No instance of this cluster can ever hold it." },
    { .name = "two groups of the largest", .count = 3, .gpus = 8,
      .shapes = { { .count = 1, .gpus = 4 }, { .count = 2, .gpus = 4, .out = 1 }, { .count = 1, .gpus = 2 } },
      .want = "needs 8 GPUs on one instance; the largest has 4 (3 instances); 1 instance has only 2 GPUs. "
              "No instance of this cluster can ever hold it." },
    { .name = "some free, too few", .count = 2, .gpus = 4,
      .shapes = { { .count = 2, .gpus = 4, .gpus_taken = 2 }, { .count = 1, .gpus = 4, .gpus_taken = 3 } },
      .want = "needs 4 GPUs on one instance. 3 instances have 4 GPUs each, of which at most 2 are free. "
              "Would fit when 2 more GPUs are free on one instance." },
    { .name = "all GPUs", .count = 1, .gpus = DEMAND_GPUS_ALL,
      .shapes = { { .count = 1, .gpus = 4, .gpus_taken = 1 } },
      .want = "needs all GPUs of an instance. 1 instance has 4 GPUs, of which at most 3 are free. "
              "Would fit when all GPUs of one instance are free." },
    { .name = "support is off", .count = 2, .gpus = 1,
      .shapes = { { .count = 1, .off = "4" }, { .count = 2 } },
      .want = "needs 1 GPU. 1 instance has no GPU to give: GPU support is off on its agent although it has 4 NVIDIA devices; "
              "2 instances have no GPU. No instance of this cluster can ever hold it." },
    { .name = "support is off, devices unknown", .count = 1, .gpus = 1,
      .shapes = { { .count = 2, .off = "" } },
      .want = "needs 1 GPU. 2 instances have no GPU to give: GPU support is off on their agents. "
              "No instance of this cluster can ever hold it." },
    { .name = "the driver is missing", .count = 1, .gpus = 1,
      .shapes = { { .count = 1, .off = "8", .problem = "the NVIDIA driver is not installed" } },
      .want = "needs 1 GPU. 1 instance has no GPU to give although it has 8 NVIDIA devices: the NVIDIA driver is not installed. "
              "Would fit when the GPUs of such an instance work: `berth doctor` there tells more." },
    { .name = "some in quarantine", .count = 1, .gpus = 8,
      .shapes = { { .count = 1, .gpus = 8, .out = 1 } },
      .want = "needs 8 GPUs on one instance. 1 instance has 8 GPUs, of which at most 7 are free and 1 is quarantined. "
              "Would fit when quarantined GPUs come back." },
    { .name = "the rest is held", .count = 1, .gpus = 1,
      .shapes = { { .count = 1, .gpus = 2, .gpus_taken = 1, .out = 1 } },
      .want = "needs 1 GPU. 1 instance has 2 GPUs, of which none is free and 1 is quarantined. Would fit when a task with a GPU ends." },
    { .name = "all in quarantine", .count = 2, .gpus = 1,
      .shapes = { { .count = 1, .gpus = 1, .out = 1 }, { .count = 2 } },
      .want = "needs 1 GPU. 1 instance has 1 GPU and it is quarantined; 2 instances have no GPU. Would fit when quarantined GPUs come back." },
    { .name = "CPU busy", .count = 1, .cpu = 2048,
      .shapes = { { .count = 2, .cpu_taken = 3000 } },
      .want = "needs 2048 CPU units. 2 instances have 4096 CPU units each, of which at most 1096 are free. "
              "Would fit when enough running tasks end." },
    { .name = "memory impossible", .count = 1, .memory_mib = 9000,
      .shapes = { { .count = 1 } },
      .want = "needs 9000 MiB of memory. 1 instance has only 8192 MiB of memory. No instance of this cluster can ever hold it." },
    { .name = "an over-committed instance", .count = 1, .memory_mib = 1,
      .shapes = { { .count = 1, .memory_taken = 9000 } },
      .want = "needs 1 MiB of memory. 1 instance has 8192 MiB of memory and all of it is held by running tasks. "
              "Would fit when enough running tasks end." },
    { .name = "agents", .count = 2, .cpu = 128, .memory_mib = 64,
      .shapes = { { .count = 2, .disconnected = true }, { .count = 1, .inactive = true } },
      .want = "needs 128 CPU units and 64 MiB of memory. 2 instances have agents that are not connected; 1 instance takes no new tasks. "
              "Would fit when an agent connects again." },
    { .name = "distinct", .count = 1, .cpu = 1, .distinct = true,
      .shapes = { { .count = 2 } },
      .want = "needs 1 CPU unit. 2 instances already have a task of the group family:web. "
              "Would fit when a task of that group ends." },
    { .name = "no instances", .count = 0, .cpu = 128, .memory_mib = 64,
      .want = "needs 128 CPU units and 64 MiB of memory. The cluster has no instances." },
    { .name = "ports that are free fit", .count = 1, .ports = ports_many, .port_count = 2, .gpus = 1,
      .shapes = { { .count = 1 } },
      .want = "needs 1 GPU. 1 instance has no GPU. No instance of this cluster can ever hold it." },
};

static void test_texts(void)
{
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct world *world = world_of(rows[r].shapes, rows[r].count);
        struct demand demand = {
            .cluster = TEST_CLUSTER, .cpu = rows[r].cpu, .memory_mib = rows[r].memory_mib, .container_count = 1,
            .distinct_instance = rows[r].distinct, .group = STR("family:web"), .ports = rows[r].ports, .port_count = rows[r].port_count,
        };
        demand.gpus[0] = (struct gpu_ask){ rows[r].gpus, GPU_WHOLE, 0 };
        struct evidence evidence;
        CHECK_EQ(rows[r].name, test_place(world, &demand, 1, &evidence), 0);
        CHECK_STR(rows[r].name, explain(&demand, &evidence), str_from(rows[r].want));
        int64_t sum = 0;
        for (size_t g = 0; g < evidence.group_count; g++) { sum += evidence.groups[g].count; }
        CHECK_EQ("every instance is counted", sum, evidence.instances);
    }
}

/* Parts of devices, and amounts of their memory. The instances have `gpus` devices of 16384 MiB each, of which `taken`
 * thousandths are held. */
static void test_shares(void)
{
    static const struct { const char *name; size_t gpus; int64_t taken; struct gpu_ask asks[2]; const char *want; } share_rows[] = {
        { "a busy device", 1, 700, { { 1, 500, 0 } },
          "needs 0.5 of a GPU. 1 instance has 1 GPU, with at most 0.3 of one free. Would fit when enough of a GPU is free." },
        { "a device that is held whole", 1, 1000, { { 1, 25, 0 } },
          "needs 0.025 of a GPU. 1 instance has 1 GPU and it is held by a running task. Would fit when enough of a GPU is free." },
        { "memory on a busy device", 1, 700, { { 1, 0, 8192 } },
          "needs a part of a GPU with 8192 MiB of GPU memory. 1 instance has 1 GPU, with at most 0.3 of one free. "
          "Would fit when enough of a GPU is free." },
        { "more memory than a device has", 2, 0, { { 1, GPU_WHOLE, 16385 } },
          "needs 1 GPU with 16385 MiB of GPU memory. 1 instance has GPUs with only 16384 MiB of memory. "
          "No instance of this cluster can ever hold it." },
        { "a part where there is no device", 0, 0, { { 1, 500, 0 } },
          "needs 0.5 of a GPU. 1 instance has no GPU. No instance of this cluster can ever hold it." },
        { "two parts", 1, 500, { { 1, 400, 0 }, { 1, 300, 0 } },
          "needs 2 parts of a GPU, the largest 0.4. 1 instance has 1 GPU, with at most 0.5 of one free. "
          "Would fit when enough of a GPU is free." },
        { "a whole one and a part", 1, 0, { { 1, GPU_WHOLE, 0 }, { 1, 300, 0 } },
          "needs 1 GPU and 0.3 of a GPU on one instance. 1 instance has only 1 GPU. No instance of this cluster can ever hold it." },
    };
    for (size_t r = 0; r < COUNT_OF(share_rows); r++) {
        struct world *world = sched_world_create(&arena);
        struct sched_gpu devices[2] = { { .uuid = test_uuid(1, 0), .memory_mib = 16384 }, { .uuid = test_uuid(1, 1), .memory_mib = 16384 } };
        struct sched_instance instance = test_instance(1, share_rows[r].gpus);
        instance.gpus = devices;
        sched_put_instance(world, &instance);
        const struct sched_use use = { test_uuid(1, 0), share_rows[r].taken };
        const struct sched_task task = { .id = test_id(5), .instance = test_id(1), .gpus = &use, .gpu_count = share_rows[r].taken > 0 };
        sched_put_task(world, &task);
        struct demand demand = { .cluster = TEST_CLUSTER, .container_count = 2, .gpus = { share_rows[r].asks[0], share_rows[r].asks[1] } };
        struct evidence evidence;
        CHECK_EQ(share_rows[r].name, test_place(world, &demand, 1, &evidence), 0);
        CHECK_STR(share_rows[r].name, explain(&demand, &evidence), str_from(share_rows[r].want));
        CHECK_STR(share_rows[r].name, verdict_reason(evidence.groups[0].verdict), STR("RESOURCE:GPU"));
    }
}

static void test_interfaces(void)
{
    struct world *world = sched_world_create(&arena);
    struct sched_instance instance = test_instance(1, 0);
    instance.interfaces = 2;
    sched_put_instance(world, &instance);
    struct demand demand = { .cluster = TEST_CLUSTER, .container_count = 1, .interfaces = 1 };
    struct evidence evidence;
    CHECK_EQ("the first", test_place(world, &demand, 1, NULL), 1);
    CHECK_EQ("the last", test_place(world, &demand, 2, NULL), 1);
    CHECK_EQ("one too many", test_place(world, &demand, 3, &evidence), 0);
    CHECK_STR("one too many", verdict_reason(evidence.groups[0].verdict), STR("RESOURCE:ENI"));
    CHECK_STR("one too many", explain(&demand, &evidence),
              STR("needs a network interface. 1 instance has 2 network interfaces for tasks and all are in use. "
                  "Would fit when a task with a network interface ends."));
    demand.interfaces = 0;
    CHECK_EQ("who needs none", test_place(world, &demand, 4, NULL), 1);
    sched_drop_task(world, test_id(1));
    demand.interfaces = 1;
    CHECK_EQ("one is free again", test_place(world, &demand, 5, NULL), 1);
}

static void test_attributes_and_ports(void)
{
    struct world *world = sched_world_create(&arena);
    struct sched_instance instance = test_instance(1, 0);
    instance.reserved_ports = port_80;
    instance.reserved_port_count = 1;
    sched_put_instance(world, &instance);

    const struct sched_attribute wants[] = { { STR("docker"), { NULL, 0 } }, { STR("berth.gpu-model"), STR("A100") } };
    struct demand demand = { .cluster = TEST_CLUSTER, .container_count = 1, .attributes = &wants[1], .attribute_count = 1 };
    demand.gpus[0] = (struct gpu_ask){ 1, GPU_WHOLE, 0 };
    struct evidence evidence;
    (void)test_place(world, &demand, 1, &evidence);
    CHECK_STR("an attribute with a value", explain(&demand, &evidence),
              STR("needs 1 GPU. 1 instance lacks the attribute berth.gpu-model == A100. No instance of this cluster can ever hold it."));
    demand.attributes = wants;
    (void)test_place(world, &demand, 1, &evidence);
    CHECK_STR("an attribute without", explain(&demand, &evidence),
              STR("needs 1 GPU. 1 instance lacks the attribute docker. No instance of this cluster can ever hold it."));

    struct err err = { 0 };
    const struct expression *expression = expression_compile(STR("attribute:rack == r7"), &arena, &err);
    demand = (struct demand){ .cluster = TEST_CLUSTER, .cpu = 1, .expressions = &expression, .expression_count = 1 };
    (void)test_place(world, &demand, 1, &evidence);
    CHECK_STR("a constraint", explain(&demand, &evidence),
              STR("needs 1 CPU unit. 1 instance does not match the constraint attribute:rack == r7. "
                  "No instance of this cluster can ever hold it."));

    demand = (struct demand){ .cluster = TEST_CLUSTER, .ports = ports_many, .port_count = 2 };
    (void)test_place(world, &demand, 1, &evidence);
    CHECK_STR("a reserved port", explain(&demand, &evidence),
              STR("needs host ports 80, 443/udp. 1 instance has host port 80 reserved. No instance of this cluster can ever hold it."));
    const int64_t port_443[] = { 443 | 0x10000 };
    demand.ports = port_443;
    demand.port_count = 1;
    CHECK("a free port", test_place(world, &demand, 1, &evidence) != 0);
    CHECK_EQ("a taken port", test_place(world, &demand, 2, &evidence), 0);
    CHECK_STR("a taken port", evidence.groups[0].what, STR("443/udp"));
    CHECK_STR("a taken port", explain(&demand, &evidence),
              STR("needs host port 443/udp. 1 instance has host port 443/udp in use. Would fit when the task that holds the port ends."));
}

/* Nearest miss first: possible machines before impossible ones, then who passed more checks, then who has more free. */
static void test_order(void)
{
    static const struct shape shapes[] = {
        { .count = 1, .gpus = 2 },                               /* impossible */
        { .count = 1, .gpus = 8, .disconnected = true },
        { .count = 1, .gpus = 8, .gpus_taken = 6 },
    };
    struct world *world = world_of(shapes, COUNT_OF(shapes));
    struct demand demand = test_demand(4);
    struct evidence evidence;
    (void)test_place(world, &demand, 1, &evidence);
    CHECK_EQ("groups", evidence.group_count, 3);
    CHECK_EQ("nearest", evidence.groups[0].verdict, LACKS_GPU);
    CHECK_EQ("nearest", evidence.groups[0].most, 2);
    CHECK_EQ("nearest", evidence.groups[0].total, 8);
    CHECK("nearest", id_eq(evidence.groups[0].example, test_id(3)));
    CHECK_EQ("second", evidence.groups[1].verdict, NO_AGENT);
    CHECK_EQ("last", evidence.groups[2].impossible, true);
    CHECK_EQ("not impossible as a whole", evidence.impossible, false);
}

/* More kinds of machines than groups: counted together, nobody lost. */
static void test_many_kinds(void)
{
    for (uint32_t kinds = 1; kinds <= 63; kinds += 31) {
        struct world *world = sched_world_create(&arena);
        for (uint32_t n = 1; n <= kinds; n++) {
            struct sched_instance instance = test_instance(n, n);
            instance.memory_mib = n % 3 == 0 ? 100 : 8192;
            sched_put_instance(world, &instance);
        }
        struct demand demand = test_demand(64);
        struct evidence evidence;
        CHECK_EQ("no place", test_place(world, &demand, 1, &evidence), 0);
        CHECK("few groups", evidence.group_count <= EVIDENCE_GROUPS_MAX);
        int64_t sum = 0;
        for (size_t g = 0; g < evidence.group_count; g++) { sum += evidence.groups[g].count; }
        CHECK_EQ("every instance is counted", sum, kinds);
        CHECK_EQ("impossible", evidence.impossible, true);
        (void)explain(&demand, &evidence);
    }
}

/* Names and constraints of the greatest length do not make the text too long. */
static void test_long_texts(void)
{
    static char name[2001];
    memset(name, 'x', sizeof name - 1);
    memcpy(name, "attribute:", 10);
    memcpy(name + 1990, " exists", 7);
    name[1997] = '\0';
    struct err err = { 0 };
    const struct expression *expression = expression_compile(str_from(name), &arena, &err);
    CHECK(err.message, expression != NULL);
    static const struct shape shapes[] = { { .count = 1 }, { .count = 1, .disconnected = true }, { .count = 1, .inactive = true } };
    struct world *world = world_of(shapes, COUNT_OF(shapes));
    const struct sched_attribute attribute = { str_slice(str_from(name), 10, 300), str_slice(str_from(name), 10, 1900) };
    struct demand demand = { .cluster = TEST_CLUSTER, .expressions = &expression, .expression_count = expression != NULL };
    struct evidence evidence;
    CHECK_EQ("no member", test_place(world, &demand, 1, &evidence), 0);
    (void)explain(&demand, &evidence);
    demand.attributes = &attribute;
    demand.attribute_count = 1;
    CHECK_EQ("no attribute", test_place(world, &demand, 1, &evidence), 0);
    (void)explain(&demand, &evidence);
    evidence.group_count = EVIDENCE_GROUPS_MAX;                  /* the worst that can come: eight long groups */
    for (size_t g = 0; g < EVIDENCE_GROUPS_MAX; g++) { evidence.groups[g] = evidence.groups[evidence.group_count > 2 ? 2 : 0]; }
    struct str text = explain(&demand, &evidence);
    CHECK("the outlook is always told", str_ends_with(text, STR(".")));
}

/* StartTask names one instance, not of the cluster. */
static void test_one_instance(void)
{
    static const struct shape shapes[] = { { .count = 1, .gpus = 1 }, { .count = 1, .gpus = 8 } };
    struct world *world = world_of(shapes, COUNT_OF(shapes));
    struct demand demand = test_demand(2);
    struct placement placement;
    struct evidence evidence;
    CHECK_EQ("too small", sched_place_on(world, test_id(1), &demand, test_id(9), &placement, &evidence), LACKS_GPU);
    CHECK_STR("too small", explain(&demand, &evidence),
              STR("needs 2 GPUs on one instance. 1 instance has only 1 GPU. That instance can never hold it."));
}

/* All or none: how many would have fitted, what the next lacks beside them, and how many places are missing. */
static void test_gangs(void)
{
    static const struct { const char *name; struct shape shape; int64_t gpus; size_t count; const char *want; } gangs[] = {
        { "two of three", { .count = 1, .gpus = 2 }, 1, 3,
          "3 tasks together: 2 fit, and with those in place the next needs 1 GPU. 1 instance has 2 GPUs and all are taken. Room for 1 more is missing." },
        { "one of four", { .count = 1, .gpus = 4, .gpus_taken = 1 }, 2, 4,
          "4 tasks together: 1 fits, and with that in place the next needs 2 GPUs on one instance. 1 instance has 4 GPUs, of which at most 1 is free. "
          "Room for 3 more is missing." },
        { "the one GPU", { .count = 1, .gpus = 1 }, 1, 2,
          "2 tasks together: 1 fits, and with that in place the next needs 1 GPU. 1 instance has 1 GPU and it is taken. Room for 1 more is missing." },
        { "none, now", { .count = 2, .gpus = 4, .gpus_taken = 2 }, 4, 2,
          "2 tasks together, of which each needs 4 GPUs on one instance. 2 instances have 4 GPUs each, of which at most 2 are free. "
          "Room for 2 is missing." },
        { "none, ever", { .count = 1, .gpus = 4 }, 8, 2,
          "2 tasks together, of which each needs 8 GPUs on one instance; the largest has 4 (1 instance). No instance of this cluster can ever hold it." },
        { "a gang of one", { .count = 1, .gpus = 1, .gpus_taken = 1 }, 1, 1,
          "1 task together, which needs 1 GPU. 1 instance has 1 GPU and it is held by a running task. Would fit when a task with a GPU ends." },
    };
    for (size_t r = 0; r < COUNT_OF(gangs); r++) {
        struct world *world = world_of(&gangs[r].shape, 1);
        struct demand demand = test_demand(gangs[r].gpus);
        struct id ids[4] = { test_id(50), test_id(51), test_id(52), test_id(53) };
        struct placement placements[4];
        struct evidence evidence;
        CHECK_EQ(gangs[r].name, sched_place(world, &demand, ids, gangs[r].count, true, placements, &evidence), 0);
        CHECK_STR(gangs[r].name, explain(&demand, &evidence), str_from(gangs[r].want));
    }
}

/* A question's own tasks hold what they would take. */
static void test_trials(void)
{
    static const struct { const char *name; struct shape shapes[2]; int64_t cpu, gpus; size_t count, fits; const char *want; } trials[] = {
        { "of the question alone", { { .count = 2, .gpus = 4 } }, 0, 4, 3, 2,
          "needs 4 GPUs on one instance. 2 instances have 4 GPUs each and all are held by the tasks of this question. There is no room for more of them." },
        { "the one GPU", { { .count = 1, .gpus = 1 } }, 0, 1, 2, 1,
          "needs 1 GPU. 1 instance has 1 GPU and it is held by the tasks of this question. There is no room for more of them." },
        { "beside one that runs, on another machine", { { .count = 1, .gpus = 4, .gpus_taken = 4 }, { .count = 1, .gpus = 4 } }, 0, 4, 2, 1,
          "needs 4 GPUs on one instance. 2 instances have 4 GPUs each and all are held by running tasks and the tasks of this question. "
          "Would fit when 4 more GPUs are free on one instance." },
        { "beside one that runs, on the same", { { .count = 1, .gpus = 4, .gpus_taken = 2 } }, 0, 2, 2, 1,
          "needs 2 GPUs on one instance. 1 instance has 4 GPUs and all are held by running tasks and the tasks of this question. "
          "Would fit when 2 more GPUs are free on one instance." },
        { "none fits", { { .count = 1, .gpus = 1, .gpus_taken = 1 } }, 0, 1, 2, 0,
          "needs 1 GPU. 1 instance has 1 GPU and it is held by a running task. Would fit when a task with a GPU ends." },
        { "CPU", { { .count = 1 } }, 4096, 0, 2, 1,
          "needs 4096 CPU units. 1 instance has 4096 CPU units and all of it is held by the tasks of this question. There is no room for more of them." },
    };
    for (size_t r = 0; r < COUNT_OF(trials); r++) {
        struct world *world = world_of(trials[r].shapes, 2);
        struct demand demand = test_demand(trials[r].gpus);
        demand.cpu = trials[r].cpu;
        struct placement placements[SCHED_TRY_MAX];
        struct evidence evidence;
        CHECK_EQ(trials[r].name, sched_try(world, &demand, trials[r].count, false, placements, &evidence), trials[r].fits);
        CHECK_STR(trials[r].name, explain(&demand, &evidence), str_from(trials[r].want));
    }
}

static void test_reasons(void)
{
    static const struct { enum verdict verdict; const char *want; } words[] = {
        { FITS, "" }, { NOT_ACTIVE, "INACTIVE" }, { NO_AGENT, "AGENT" }, { LACKS_ATTRIBUTE, "ATTRIBUTE" }, { NOT_MEMBER, "MEMBEROF" },
        { LACKS_CPU, "RESOURCE:CPU" }, { LACKS_MEMORY, "RESOURCE:MEMORY" }, { LACKS_GPU, "RESOURCE:GPU" }, { LACKS_PORT, "RESOURCE:PORTS" },
    };
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        CHECK_STR(words[w].want, verdict_reason(words[w].verdict), str_from(words[w].want));
    }
}

int main(void)
{
    arena_init(&arena, (size_t)64 << 20);
    test_texts();
    test_shares();
    test_interfaces();
    test_attributes_and_ports();
    test_order();
    test_many_kinds();
    test_long_texts();
    test_one_instance();
    test_gangs();
    test_trials();
    test_reasons();
    arena_finish(&arena);
    return check_report();
}
