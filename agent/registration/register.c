/* register.c: prints the registration. The list of capabilities names only what this agent does, in the ECS agent's own names, so that both
 * kinds of agent look alike to a scheduler. A process runtime and a simulated machine list Docker's capabilities, or nothing could be tried
 * out on them; attribute berth.runtime tells them apart. */
#include "agent/registration/register.h"

#include <sys/utsname.h>

#include "wire/wire.h"
#include "model/gpu.h"

static const struct str capabilities[] = {
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.17"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.18"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.19"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.20"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.21"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.22"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.23"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.24"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.25"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.28"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.29"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.30"),
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api.1.32"),
    STR_INIT("com.amazonaws.ecs.capability.logging-driver.json-file"),
    STR_INIT("com.amazonaws.ecs.capability.logging-driver.none"),
    STR_INIT("com.amazonaws.ecs.capability.logging-driver.awslogs"),     /* output goes to Berth's own log store instead */
    STR_INIT("ecs.capability.container-ordering"),
    STR_INIT("ecs.capability.container-restart-policy"),
    STR_INIT("ecs.capability.container-health-check"),       /* Docker runs the check, or the shim of a process */
    STR_INIT("ecs.capability.docker-plugin.local"),
    STR_INIT("ecs.capability.increased-task-cpu-limit"),
    STR_INIT("ecs.capability.network.container-port-range"),
    STR_INIT("ecs.capability.pid-ipc-namespace-sharing"),
    STR_INIT("ecs.capability.private-registry-authentication.secretsmanager"),
    STR_INIT("ecs.capability.task-cpu-mem-limit"),           /* the task's limits bound each of its containers */
    STR_INIT("ecs.capability.secrets.ssm.environment-variables"),
    STR_INIT("ecs.capability.secrets.ssm.bootstrap.log-driver"),
    STR_INIT("ecs.capability.secrets.asm.environment-variables"),
    STR_INIT("ecs.capability.secrets.asm.bootstrap.log-driver"),
    STR_INIT("ecs.capability.env-files.s3"),                 /* from --s3-endpoint */
    STR_INIT("ecs.capability.full-sync"),
};

/* ---- attributes ---- */

static void put_attribute(struct json_out *out, struct str name, struct str value)
{
    json_open(out, '{');
    json_key(out, STR("name"));
    json_str(out, name);
    if (str_is_set(value)) {
        json_key(out, STR("value"));
        json_str(out, value);
    }
    json_close(out, '}');
}

static void put_number(struct json_out *out, struct str name, int64_t value, struct arena *arena)
{
    put_attribute(out, name, arena_printf(arena, "%lld", (long long)value));
}

static struct str architecture(void)
{
    struct utsname names;
    bool is_arm = uname(&names) == 0 && strcmp(names.machine, "aarch64") == 0;
    return is_arm ? STR("arm64") : STR("x86_64");
}

/* A text in as many attributes as it needs. */
static void put_long_attribute(struct json_out *out, struct str name, struct str text, struct arena *arena)
{
    for (size_t part = 0, from = 0; from < text.len; part++, from += GPU_TEXT_PART_MAX) {
        put_attribute(out, gpu_text_part(name, part, arena), str_slice(text, from, from + GPU_TEXT_PART_MAX));
    }
}

static struct gpu_list list_gpus(const struct gpu_inventory *inventory, struct arena *arena)
{
    struct gpu_list list = { ARENA_NEW(arena, struct gpu, inventory->count), inventory->count };
    for (size_t g = 0; g < list.count; g++) {
        const struct gpu_info *gpu = &inventory->gpus[g];
        list.items[g] = (struct gpu){ gpu->uuid, gpu_short_model(gpu->model, arena), gpu->memory_mib, gpu->profile };
    }
    return list;
}

/* A text that is the same for every pair carries no information. */
static bool links_differ(const struct gpu_inventory *gpus)
{
    if (gpus->links == NULL || gpus->count < 3) { return false; }
    for (size_t a = 0; a < gpus->count; a++) {
        for (size_t b = a + 1; b < gpus->count; b++) {
            if (gpus->links[a * gpus->count + b] != gpus->links[1]) { return true; }
        }
    }
    return false;
}

/* Both in slot order: "0000:3b:00.0,…", and the NUMA nodes, "0,0,1,1"; empty when nothing is known. */
static struct str places_text(const struct gpu_inventory *gpus, struct arena *arena)
{
    struct buf out = buf_in(arena);
    bool known = false;
    for (size_t g = 0; g < gpus->count; g++) {
        struct str place = gpus->gpus[g].pci_bus_id;
        known = known || place.len > 0;
        buf_printf(&out, "%s" STR_FMT, g == 0 ? "" : ",", STR_ARG(place));
    }
    return known ? buf_str(&out) : STR("");
}

static struct str numa_text(const struct gpu_inventory *gpus, struct arena *arena)
{
    struct buf out = buf_in(arena);
    bool known = false;
    for (size_t g = 0; g < gpus->count; g++) {
        known = known || gpus->gpus[g].numa_node >= 0;
        buf_printf(&out, "%s%lld", g == 0 ? "" : ",", (long long)gpus->gpus[g].numa_node);
    }
    return known ? buf_str(&out) : STR("");
}

static void put_gpus_off(struct json_out *out, const struct inventory *inventory, struct arena *arena)
{
    put_attribute(out, STR("berth.gpu-support"), STR("off"));
    put_number(out, STR("berth.gpu-devices"), inventory->gpus.pci_devices, arena);
    if (str_is_set(inventory->gpu_problem)) { put_attribute(out, STR("berth.gpu-problem"), str_slice(inventory->gpu_problem, 0, 128)); }
}

static void put_gpu_attributes(struct json_out *out, const struct inventory *inventory, struct arena *arena)
{
    const struct gpu_inventory *gpus = &inventory->gpus;
    put_number(out, STR("berth.gpu-count"), (int64_t)gpus->count, arena);
    if (inventory->gpus_off) { put_gpus_off(out, inventory, arena); }
    if (gpus->count == 0) { return; }
    struct gpu_list list = list_gpus(gpus, arena);
    put_attribute(out, STR("berth.gpu-model"), list.items[0].model);
    put_number(out, STR("berth.gpu-memory"), list.items[0].memory_mib, arena);
    if (!gpu_list_is_plain(&list)) { put_long_attribute(out, STR("berth.gpu-kinds"), gpu_kinds_text(&list, arena), arena); }
    if (links_differ(gpus)) { put_long_attribute(out, STR("berth.gpu-links"), gpu_links_text(gpus->links, gpus->count, arena), arena); }
    if (!str_is_set(gpus->driver_version)) { return; }                   /* simulated: they are on no bus */
    put_long_attribute(out, STR("berth.gpu-bus"), places_text(gpus, arena), arena);
    put_long_attribute(out, STR("berth.gpu-numa"), numa_text(gpus, arena), arena);
    put_attribute(out, STR("berth.gpu-driver"), gpus->driver_version);
    put_attribute(out, STR("berth.gpu-shares"), inventory->holds_shares ? STR("enforced") : STR("not-enforced"));
    if (inventory->holds_shares) { put_attribute(out, STR("ecs.capability.gpu-sharing-mps"), (struct str){ 0 }); }
    put_attribute(out, STR("ecs.capability.gpu-driver-version"), gpus->driver_version);
    put_attribute(out, arena_printf(arena, "ecs.capability.nvidia-driver-version." STR_FMT, STR_ARG(gpus->driver_version)), (struct str){ 0 });
}

static void put_custom(struct json_out *out, const struct json *custom)
{
    for (size_t m = 0; custom != NULL && m < custom->count; m++) {
        put_attribute(out, custom->as.members[m].key, custom->as.members[m].value.as.string);
    }
}

static void put_attributes(struct json_out *out, const struct inventory *inventory, struct arena *arena)
{
    json_open(out, '[');
    for (size_t c = 0; c < COUNT_OF(capabilities); c++) { put_attribute(out, capabilities[c], (struct str){ 0 }); }
    if (!inventory->no_privileged) { put_attribute(out, STR("com.amazonaws.ecs.capability.privileged-container"), (struct str){ 0 }); }
    put_attribute(out, STR("ecs.os-type"), STR("linux"));
    put_attribute(out, STR("ecs.os-family"), STR("LINUX"));
    put_attribute(out, STR("ecs.cpu-architecture"), architecture());
    if (inventory->instance_type.len > 0) { put_attribute(out, STR("ecs.instance-type"), inventory->instance_type); }
    put_attribute(out, STR("berth.name"), inventory->name);
    if (inventory->address.len > 0) { put_attribute(out, STR("berth.address"), inventory->address); }
    if (str_is_set(inventory->machine)) { put_attribute(out, STR("berth.machine"), inventory->machine); }
    if (str_is_set(inventory->machine_id)) { put_attribute(out, STR("berth.machine-id"), inventory->machine_id); }
    if (str_is_set(inventory->machine_token)) { put_attribute(out, STR("berth.machine-token"), inventory->machine_token); }
    put_attribute(out, STR("berth.runtime"), inventory->runtime);
    put_number(out, STR(PROTOCOL_ATTRIBUTE), PROTOCOL_NEWEST, arena);
    put_number(out, STR(PROTOCOL_OLDEST_ATTRIBUTE), PROTOCOL_OLDEST, arena);
    bool docker = str_eq(inventory->runtime, STR("docker")), simulated = str_eq(inventory->runtime, STR("simulated"));
    if (docker || simulated) { put_attribute(out, STR("ecs.capability.task-eni"), (struct str){ 0 }); }
    if (docker) { put_attribute(out, STR(EARLY_PULLS_ATTRIBUTE), STR("true")); }
    if (inventory->simulated) { put_attribute(out, STR("berth.simulated"), STR("true")); }
    if (!simulated) { put_attribute(out, STR("ecs.capability.execute-command"), (struct str){ 0 }); }
    put_gpu_attributes(out, inventory, arena);
    put_custom(out, inventory->custom);
    json_close(out, ']');
}

/* ---- resources ---- */

static void put_integer_resource(struct json_out *out, struct str name, int64_t value)
{
    json_open(out, '{');
    json_key(out, STR("name"));
    json_str(out, name);
    json_key(out, STR("type"));
    json_str(out, STR("INTEGER"));
    json_key(out, STR("integerValue"));
    json_i64(out, value);
    json_close(out, '}');
}

static void put_set_resource(struct json_out *out, struct str name, const struct str *words, size_t count)
{
    json_open(out, '{');
    json_key(out, STR("name"));
    json_str(out, name);
    json_key(out, STR("type"));
    json_str(out, STR("STRINGSET"));
    json_key(out, STR("stringSetValue"));
    json_open(out, '[');
    for (size_t w = 0; w < count; w++) { json_str(out, words[w]); }
    json_close(out, ']');
    json_close(out, '}');
}

static void put_resources(struct json_out *out, const struct inventory *inventory)
{
    static const struct str ports[] = {          /* the ones that the ECS agent reserves: ssh, Docker, its own */
        STR_INIT("22"), STR_INIT("2375"), STR_INIT("2376"), STR_INIT("51678"), STR_INIT("51679"),
    };
    json_open(out, '[');
    put_integer_resource(out, STR("CPU"), (int64_t)inventory->cpus * 1024);
    put_integer_resource(out, STR("MEMORY"), inventory->memory_mib);
    put_set_resource(out, STR("PORTS"), ports, COUNT_OF(ports));
    put_set_resource(out, STR("PORTS_UDP"), NULL, 0);
    json_close(out, ']');
}

static void put_devices(struct json_out *out, const struct gpu_inventory *gpus)
{
    json_open(out, '[');
    for (size_t g = 0; g < gpus->count; g++) {
        json_open(out, '{');
        json_key(out, STR("id"));
        json_str(out, gpus->gpus[g].uuid);
        json_key(out, STR("type"));
        json_str(out, STR("GPU"));
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_version(struct json_out *out, const struct inventory *inventory)
{
    json_key(out, STR("versionInfo"));
    json_open(out, '{');
    json_key(out, STR("agentVersion"));
    json_str(out, STR(BERTH_VERSION));
    if (str_is_set(inventory->runtime_version)) {
        json_key(out, STR("dockerVersion"));
        json_str(out, inventory->runtime_version);
    }
    json_close(out, '}');
}

struct str register_body(const struct inventory *inventory, struct str cluster, struct str arn, struct str client_token, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    json_key(&out, STR("cluster"));
    json_str(&out, cluster);
    if (client_token.len > 0) {
        json_key(&out, STR("clientToken"));
        json_str(&out, client_token);
    }
    if (arn.len > 0) {
        json_key(&out, STR("containerInstanceArn"));
        json_str(&out, arn);
    }
    json_key(&out, STR("totalResources"));
    put_resources(&out, inventory);
    json_key(&out, STR("platformDevices"));
    put_devices(&out, &inventory->gpus);
    put_version(&out, inventory);
    json_key(&out, STR("attributes"));
    put_attributes(&out, inventory, arena);
    json_close(&out, '}');
    return buf_str(&body);
}
