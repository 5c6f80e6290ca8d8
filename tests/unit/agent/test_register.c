/* A machine's description of itself at registration. */
#include "agent/fake/instance_types.h"
#include "agent/registration/register.h"

#include "model/gpu.h"
#include "tests/unit/check.h"

static const struct json *body_of(const struct inventory *inventory, struct str arn, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *tree = json_parse(register_body(inventory, STR("lab"), arn, STR("token"), arena), arena, &err);
    CHECK("it is JSON", tree != NULL);
    return tree;
}

/* An attribute's value; "-" when it is there without one; absent when it is not there. */
static struct str attribute(const struct json *body, struct str name)
{
    const struct json *list = json_get(body, STR("attributes"));
    for (size_t a = 0; a < list->count; a++) {
        if (!str_eq(json_get_str(&list->as.items[a], STR("name")), name)) { continue; }
        struct str value = json_get_str(&list->as.items[a], STR("value"));
        return str_is_set(value) ? value : STR("-");
    }
    return (struct str){ 0 };
}

static const struct json *resource(const struct json *body, struct str name)
{
    const struct json *list = json_get(body, STR("totalResources"));
    for (size_t r = 0; r < list->count; r++) {
        if (str_eq(json_get_str(&list->as.items[r], STR("name")), name)) { return &list->as.items[r]; }
    }
    return NULL;
}

static void test_gpus(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct gpu_info gpus[] = {
        { .uuid = STR("GPU-1"), .model = STR("Tesla V100-SXM2-16GB"), .memory_mib = 16160 },
        { .uuid = STR("GPU-2"), .model = STR("Tesla V100-SXM2-16GB"), .memory_mib = 16160 },
    };
    struct inventory inventory = {
        .name = STR("node-a"), .cpus = 16, .memory_mib = 63920, .runtime = STR("docker"), .runtime_version = STR("DockerVersion: 28.2.2"),
        .gpus = { .gpus = gpus, .count = 2, .driver_version = STR("550.54.15"), .pci_devices = 2 },
    };
    const struct json *body = body_of(&inventory, STR("arn:old"), &arena);
    CHECK_STR("cluster", json_get_str(body, STR("cluster")), STR("lab"));
    CHECK_STR("ARN", json_get_str(body, STR("containerInstanceArn")), STR("arn:old"));
    CHECK_STR("token", json_get_str(body, STR("clientToken")), STR("token"));
    CHECK_EQ("CPU units", json_get_i64(resource(body, STR("CPU")), STR("integerValue"), -1), 16 * 1024);
    CHECK_EQ("memory", json_get_i64(resource(body, STR("MEMORY")), STR("integerValue"), -1), 63920);
    CHECK_EQ("reserved ports", json_get(resource(body, STR("PORTS")), STR("stringSetValue"))->count, 5);
    CHECK("GPUs are devices and no resource", resource(body, STR("GPU")) == NULL);
    const struct json *devices = json_get(body, STR("platformDevices"));
    CHECK_EQ("devices", devices->count, 2);
    CHECK_STR("device", json_get_str(&devices->as.items[1], STR("id")), STR("GPU-2"));
    CHECK_STR("device", json_get_str(&devices->as.items[1], STR("type")), STR("GPU"));
    static const struct { struct str name, value; } rows[] = {
        { STR_INIT("berth.name"), STR_INIT("node-a") },        { STR_INIT("berth.runtime"), STR_INIT("docker") },
        { STR_INIT("berth.gpu-count"), STR_INIT("2") },        { STR_INIT("berth.gpu-model"), STR_INIT("V100") },
        { STR_INIT("berth.gpu-memory"), STR_INIT("16160") },   { STR_INIT("berth.gpu-driver"), STR_INIT("550.54.15") },
        { STR_INIT("ecs.capability.gpu-driver-version"), STR_INIT("550.54.15") },
        { STR_INIT("ecs.capability.nvidia-driver-version.550.54.15"), STR_INIT("-") },
        { STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.32"), STR_INIT("-") },
        { STR_INIT("ecs.os-type"), STR_INIT("linux") },        { STR_INIT("berth.simulated"), { NULL, 0 } },
        { STR_INIT("berth.gpu-support"), { NULL, 0 } },        { STR_INIT("ecs.instance-type"), { NULL, 0 } },
        { STR_INIT("ecs.capability.task-cpu-mem-limit"), STR_INIT("-") },
        { STR_INIT("ecs.capability.container-restart-policy"), STR_INIT("-") },
        { STR_INIT("ecs.capability.execute-command"), STR_INIT("-") },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_STR(rows[r].name.ptr, attribute(body, rows[r].name), rows[r].value); }
    arena_finish(&arena);
}

static void test_gpus_off(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct inventory inventory = {
        .name = STR("node-a"), .cpus = 1, .memory_mib = 100, .runtime = STR("docker"), .gpus_off = true, .gpus.pci_devices = 4,
        .gpu_problem = STR("no driver"),
    };
    struct err err = { 0 };
    CHECK("custom attributes", inventory_read_custom(&inventory, "{\"rack\":\"r7\"}", &arena, &err));
    const struct json *body = body_of(&inventory, STR(""), &arena);
    CHECK("first registration", json_get(body, STR("containerInstanceArn")) == NULL);
    CHECK_STR("support", attribute(body, STR("berth.gpu-support")), STR("off"));
    CHECK_STR("devices", attribute(body, STR("berth.gpu-devices")), STR("4"));
    CHECK_STR("why", attribute(body, STR("berth.gpu-problem")), STR("no driver"));
    CHECK_STR("count", attribute(body, STR("berth.gpu-count")), STR("0"));
    CHECK("no model", !str_is_set(attribute(body, STR("berth.gpu-model"))));
    CHECK_STR("custom", attribute(body, STR("rack")), STR("r7"));
    CHECK("a list is refused", !inventory_read_custom(&inventory, "[]", &arena, &err));
    err = (struct err){ 0 };
    CHECK("a number is refused", !inventory_read_custom(&inventory, "{\"a\":1}", &arena, &err));
    arena_finish(&arena);
}

static void test_simulated(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct err err = { 0 };
    struct inventory inventory, again;
    const struct instance_type *type = catalogue_find(catalogue_builtin(), STR("p3.16xlarge"));
    CHECK("known", type != NULL && instance_type_inventory(type, STR("p3.16xlarge-1"), STR("s"), &inventory, &arena, &err));
    CHECK("again", instance_type_inventory(type, STR("p3.16xlarge-1"), STR("s"), &again, &arena, &err));
    const struct json *body = body_of(&inventory, STR(""), &arena);
    CHECK_STR("type", attribute(body, STR("ecs.instance-type")), STR("p3.16xlarge"));
    CHECK_STR("simulated", attribute(body, STR("berth.simulated")), STR("true"));
    CHECK("addresses of tasks", str_is_set(attribute(body, STR("ecs.capability.task-eni"))));
    CHECK("no way into what does not run", !str_is_set(attribute(body, STR("ecs.capability.execute-command"))));
    CHECK_STR("model", attribute(body, STR("berth.gpu-model")), STR("V100"));
    CHECK_EQ("GPUs", json_get(body, STR("platformDevices"))->count, 8);
    CHECK_STR("links of the cube mesh", attribute(body, STR("berth.gpu-links")),
              STR("2*120,220,210,3*10,220,120,10,210,2*10,220,2*10,110,4*10,110,2*120,2*220,120,220"));
    CHECK("alike", !str_is_set(attribute(body, STR("berth.gpu-kinds"))));
    CHECK_STR("the same name has the same GPUs", inventory.gpus.gpus[7].uuid, again.gpus.gpus[7].uuid);
    CHECK("that of another fleet has others",
          instance_type_inventory(type, STR("p3.16xlarge-1"), STR("t"), &again, &arena, &err) && !str_eq(inventory.gpus.gpus[0].uuid, again.gpus.gpus[0].uuid));
    CHECK("another has others", instance_type_inventory(type, STR("p3.16xlarge-2"), STR("s"), &again, &arena, &err) && !str_eq(inventory.gpus.gpus[0].uuid, again.gpus.gpus[0].uuid));
    arena_finish(&arena);
}

/* Devices that are not alike, and more pairs than one attribute has room for. */
static void test_kinds(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct err err = { 0 };
    enum { COUNT = 16 };
    struct inventory inventory = { .name = STR("node-a"), .cpus = 1, .memory_mib = 100, .runtime = STR("docker") };
    CHECK("sixteen GPUs", gpu_simulate(STR("V100:16"), STR("m"), &inventory.gpus, &arena, &err));
    for (size_t g = 0; g < 3; g++) {
        inventory.gpus.gpus[g].profile = STR("1g.2gb");
        inventory.gpus.gpus[g].memory_mib = 1984;
    }
    const struct json *body = body_of(&inventory, STR(""), &arena);
    CHECK_STR("memory of the first", attribute(body, STR("berth.gpu-memory")), STR("1984"));
    CHECK_STR("kinds", attribute(body, STR("berth.gpu-kinds")), STR("3*V100/1984/1g.2gb,13*V100/16384"));
    struct str first = attribute(body, STR("berth.gpu-links")), second = attribute(body, STR("berth.gpu-links.2"));
    CHECK_EQ("one attribute is full", first.len, 128);
    CHECK("the rest is in another", second.len > 0 && !str_is_set(attribute(body, STR("berth.gpu-links.3"))));
    int64_t scores[COUNT * COUNT];
    struct str whole = arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(first), STR_ARG(second));
    CHECK("both together", gpu_links_read(whole, COUNT, scores) && memcmp(scores, inventory.gpus.links, sizeof scores) == 0);

    CHECK("two GPUs", gpu_simulate(STR("V100:2"), STR("m"), &inventory.gpus, &arena, &err));
    body = body_of(&inventory, STR(""), &arena);
    CHECK("one pair needs no text", !str_is_set(attribute(body, STR("berth.gpu-links"))));
    arena_finish(&arena);
}

static void test_reserved(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct err err = { 0 };
    struct inventory whole, less;
    struct agent_config config = { .instance_name = "x", .fake_gpus = "T4:1" };
    CHECK("this machine", inventory_of_machine(&config, &whole, &arena, &err));
    CHECK("has something", whole.cpus > 0 && whole.memory_mib > 0 && whole.gpus.count == 1 && whole.simulated);
    config.reserved_memory_mib = (long)whole.memory_mib - 1;
    CHECK("all but one", inventory_of_machine(&config, &less, &arena, &err) && less.memory_mib == 1);
    config.reserved_memory_mib = (long)whole.memory_mib;
    CHECK("all", !inventory_of_machine(&config, &less, &arena, &err));
    arena_finish(&arena);
}

static void test_no_privileged(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct inventory inventory = { .name = STR("node-p"), .cpus = 1, .memory_mib = 1024, .runtime = STR("docker"), .address = STR("10.0.0.7") };
    struct str capability = STR("com.amazonaws.ecs.capability.privileged-container");
    CHECK_STR("privileged containers", attribute(body_of(&inventory, STR(""), &arena), capability), STR("-"));
    CHECK_STR("where it is", attribute(body_of(&inventory, STR(""), &arena), STR("berth.address")), STR("10.0.0.7"));
    inventory.no_privileged = true;
    inventory.address = STR("");
    CHECK("none", !str_is_set(attribute(body_of(&inventory, STR(""), &arena), capability)));
    CHECK("nobody knows where", !str_is_set(attribute(body_of(&inventory, STR(""), &arena), STR("berth.address"))));
    arena_finish(&arena);
}

int main(void)
{
    test_no_privileged();
    test_gpus();
    test_gpus_off();
    test_simulated();
    test_kinds();
    test_reserved();
    return check_report();
}
