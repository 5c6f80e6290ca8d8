/* test_gpu.c: what the agent says about its GPUs, with an NVML of the test's own behind the table of functions and a made
 * PCI directory; short names; simulated GPUs. */
#include "tests/unit/check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/gpu/gpu_internal.h"
#include "base/assert.h"

enum { FAKE_MAX = 4 };

/* ---- an NVML that does as told ---- */

struct nvml_device { unsigned int index, instance; };        /* instance: 0 for the GPU itself */
static struct nvml_device fake_devices[FAKE_MAX] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 } };
static struct nvml_device fake_instances[FAKE_MAX][FAKE_MAX];

static struct {
    int init, count_code;
    unsigned int count;
    int device[FAKE_MAX], memory, pci;
    int opened;
    unsigned int mig[FAKE_MAX];                      /* in MIG mode: bits of the instances that there are, 8 is the mode alone */
    int mig_code;
    bool plain_names;                                /* an instance's name does not tell its profile */
    int links[FAKE_MAX][FAKE_MAX], to_switches[FAKE_MAX];
    int p2p, place_code;
} fake;

static int fake_init(void) { fake.opened += fake.init == NVML_OK ? 1 : 0; return fake.init; }
static int fake_shutdown(void) { fake.opened--; return NVML_OK; }
static const char *fake_error_text(int code)
{
    if (code == NVML_VERSION_MISMATCH) { return "Driver/library version mismatch"; }
    if (code == NVML_DRIVER_NOT_LOADED) { return "Driver Not Loaded"; }
    return code == 15 ? "GPU is lost" : NULL;
}
static int fake_driver_version(char *out, unsigned int size) { (void)snprintf(out, size, "550.54.15"); return NVML_OK; }
static int fake_cuda_version(int *version) { *version = 12040; return NVML_OK; }
static int fake_count(unsigned int *count) { *count = fake.count; return fake.count_code; }
static int fake_device(unsigned int index, struct nvml_device **device)
{
    *device = &fake_devices[index];
    return fake.device[index];
}
static int fake_uuid(struct nvml_device *device, char *out, unsigned int size)
{
    if (device->instance > 0) {
        (void)snprintf(out, size, "MIG-%u-%u", device->index, device->instance);
    } else {
        (void)snprintf(out, size, "GPU-%u", device->index);
    }
    return NVML_OK;
}
static int fake_name(struct nvml_device *device, char *out, unsigned int size)
{
    bool tells = device->instance > 0 && !fake.plain_names;
    (void)snprintf(out, size, "Tesla V100-SXM2-16GB%s", tells ? " MIG 1g.2gb" : "");
    return NVML_OK;
}
static int fake_memory(struct nvml_device *device, struct nvml_memory *memory)
{
    *memory = (struct nvml_memory){ .total = (device->instance > 0 ? 1984ull : 16160ull) << 20 };
    return fake.memory;
}
static int fake_pci(struct nvml_device *device, struct nvml_pci *pci)
{
    *pci = (struct nvml_pci){ .bus = 0x3b + device->index };
    (void)snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
    return fake.pci;
}
static int fake_mig_mode(struct nvml_device *device, unsigned int *current, unsigned int *pending)
{
    *current = *pending = fake.mig[device->index] != 0 ? NVML_ON : 0;
    return device->index == 3 ? 3 : NVML_OK;         /* a GPU that cannot be partitioned */
}
static int fake_mig_count_max(struct nvml_device *device, unsigned int *count) { (void)device; *count = 3; return fake.mig_code; }
static int fake_mig_device(struct nvml_device *device, unsigned int index, struct nvml_device **instance)
{
    if ((fake.mig[device->index] >> index & 1) == 0) { return NVML_NOT_FOUND; }
    fake_instances[device->index][index] = (struct nvml_device){ device->index, index + 1 };
    *instance = &fake_instances[device->index][index];
    return NVML_OK;
}
static int fake_attributes(struct nvml_device *instance, struct nvml_attributes *attributes)
{
    *attributes = (struct nvml_attributes){ .gpu_slices = instance->instance, .compute_slices = 1, .memory_mib = 1984 };
    return NVML_OK;
}
static int fake_common_ancestor(struct nvml_device *a, struct nvml_device *b, int *level)
{
    *level = a->index / 2 == b->index / 2 ? 10 : 50;
    return fake.place_code;
}
/* Each GPU's links are numbered by the other end: links to GPU 0 first, those into switches last. */
static int fake_link_end(struct nvml_device *device, unsigned int link, unsigned int *end)
{
    for (*end = 0; *end < FAKE_MAX; (*end)++) {
        if (link < (unsigned int)fake.links[device->index][*end]) { return NVML_OK; }
        link -= (unsigned int)fake.links[device->index][*end];
    }
    return link < (unsigned int)fake.to_switches[device->index] ? NVML_OK : NVML_NOT_FOUND;
}
static int fake_link_state(struct nvml_device *device, unsigned int link, int *on)
{
    unsigned int end;
    *on = fake_link_end(device, link, &end) == NVML_OK ? NVML_ON : 0;
    return NVML_OK;
}
static int fake_link_remote_type(struct nvml_device *device, unsigned int link, int *type)
{
    unsigned int end;
    int code = fake_link_end(device, link, &end);
    *type = end == FAKE_MAX ? NVML_REMOTE_SWITCH : 0;
    return code;
}
static int fake_link_remote_pci(struct nvml_device *device, unsigned int link, struct nvml_pci *pci)
{
    unsigned int end;
    int code = fake_link_end(device, link, &end);
    *pci = (struct nvml_pci){ .bus = 0x3b + end };
    return code;
}
static int fake_p2p_status(struct nvml_device *a, struct nvml_device *b, int capability, int *status)
{
    (void)a;
    (void)b;
    *status = capability == NVML_P2P_NVLINK ? fake.p2p : 0;
    return NVML_OK;
}
static const struct nvml fake_nvml = {
    .init = fake_init, .shutdown = fake_shutdown, .error_text = fake_error_text, .driver_version = fake_driver_version,
    .cuda_version = fake_cuda_version, .count = fake_count, .device = fake_device, .uuid = fake_uuid, .name = fake_name,
    .memory = fake_memory, .pci = fake_pci, .mig_mode = fake_mig_mode, .mig_count_max = fake_mig_count_max,
    .mig_device = fake_mig_device, .attributes = fake_attributes, .common_ancestor = fake_common_ancestor,
    .link_state = fake_link_state, .link_remote_type = fake_link_remote_type, .link_remote_pci = fake_link_remote_pci,
    .p2p_status = fake_p2p_status,
};

/* ---- a PCI directory ---- */

static char pci_dir[] = "/tmp/berth-test-gpu-XXXXXX";

static void pci_write(const char *device, const char *file, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s/%s", pci_dir, device, file);
    FILE *stream = fopen(path, "we");
    ASSERT(stream != NULL);
    (void)fprintf(stream, "%s\n", text);
    fclose(stream);
}
static void pci_add(const char *device, const char *vendor, const char *kind, const char *numa_node)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", pci_dir, device);
    ASSERT(mkdir(path, 0700) == 0);
    pci_write(device, "vendor", vendor);
    pci_write(device, "class", kind);
    pci_write(device, "numa_node", numa_node);
}
static void pci_remove(const char *device)
{
    static const char *const files[] = { "/vendor", "/class", "/numa_node", "" };
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        char path[256];
        (void)snprintf(path, sizeof path, "%s/%s%s", pci_dir, device, files[f]);
        (void)remove(path);
    }
}

/* ---- probing ---- */

static void test_problems(void)
{
    static const struct {
        const char *name; bool library; int init, count_code; unsigned int count; int second; size_t want; const char *problem;
    } rows[] = {
        { "all is well", true, 0, 0, 2, 0, 2, NULL },
        { "no library", false, 0, 0, 2, 0, 0, "the NVIDIA driver is not installed: no such file" },
        { "not loaded", true, NVML_DRIVER_NOT_LOADED, 0, 2, 0, 0, "the NVIDIA driver does not start (Driver Not Loaded); the kernel "
          "module is not loaded: try `modprobe nvidia`, and reboot after a kernel update" },
        { "mismatch", true, NVML_VERSION_MISMATCH, 0, 2, 0, 0, "the NVIDIA driver does not start (Driver/library version mismatch); "
          "the driver was updated while its old kernel module stayed loaded: reboot this machine" },
        { "an answer nobody knows", true, 777, 0, 2, 0, 0, "the NVIDIA driver does not start (unknown error); see `nvidia-smi` and "
          "`dmesg`" },
        { "no list", true, 0, 15, 2, 0, 0, "the NVIDIA driver does not list its GPUs: GPU is lost" },
        { "one is lost", true, 0, 0, 2, 15, 1, "GPU 1 does not answer: GPU is lost" },
        { "fewer than the bus shows", true, 0, 0, 1, 0, 1, "the PCI bus shows 2 NVIDIA devices and the driver only 1; the others "
          "failed, are kept back for virtual machines or are hidden from this container" },
        { "more than the bus shows", true, 0, 0, 3, 0, 3, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        struct gpu_inventory inventory;
        fake.init = rows[r].init;
        fake.count_code = rows[r].count_code;
        fake.count = rows[r].count;
        fake.device[1] = rows[r].second;
        gpu_probe_with(rows[r].library ? &fake_nvml : NULL, STR("no such file"), pci_dir, &inventory, &arena);
        CHECK_EQ(rows[r].name, inventory.count, rows[r].want);
        CHECK_EQ(rows[r].name, inventory.pci_devices, 2);
        CHECK_STR(rows[r].name, inventory.problem, str_from(rows[r].problem));
        CHECK_EQ(rows[r].name, str_is_set(inventory.problem), rows[r].problem != NULL);
        CHECK_EQ(rows[r].name, fake.opened, 0);
        arena_finish(&arena);
    }
    fake.device[1] = 0;
}

static void test_facts(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct gpu_inventory inventory;
    fake.init = 0;
    fake.count_code = 0;
    fake.count = 2;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_STR("driver", inventory.driver_version, STR("550.54.15"));
    CHECK_STR("CUDA", inventory.cuda_version, STR("12.4"));
    CHECK_STR("UUID", inventory.gpus[1].uuid, STR("GPU-1"));
    CHECK_STR("model", inventory.gpus[0].model, STR("Tesla V100-SXM2-16GB"));
    CHECK_EQ("memory", inventory.gpus[0].memory_mib, 16160);
    CHECK_STR("place", inventory.gpus[0].pci_bus_id, STR("00000000:3B:00.0"));
    CHECK_EQ("node", inventory.gpus[0].numa_node, 1);
    CHECK_EQ("the kernel knows no node", inventory.gpus[1].numa_node, -1);

    fake.memory = fake.pci = 3;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("without memory and place it still counts", inventory.count, 2);
    CHECK_EQ("memory unknown", inventory.gpus[0].memory_mib, 0);
    CHECK("place unknown", !str_is_set(inventory.gpus[0].pci_bus_id));
    CHECK_EQ("node unknown", inventory.gpus[0].numa_node, -1);
    fake.memory = fake.pci = 0;

    gpu_probe_with(NULL, STR("x"), "/nonexistent", &inventory, &arena);
    CHECK("a machine without NVIDIA has no problem", !str_is_set(inventory.problem) && inventory.count == 0);
    gpu_probe(&inventory, &arena);
    CHECK("this machine can be looked at", inventory.count == 0 || str_is_set(inventory.driver_version));
    arena_finish(&arena);
}

/* ---- partitions ---- */

static void test_mig(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct gpu_inventory inventory;
    fake.count = 2;
    fake.mig[0] = 8 | 1 | 4;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("two instances and a GPU", inventory.count, 3);
    CHECK_STR("the first", inventory.gpus[0].uuid, STR("MIG-0-1"));
    CHECK_STR("numbers have gaps", inventory.gpus[1].uuid, STR("MIG-0-3"));
    CHECK_STR("the other GPU is whole", inventory.gpus[2].uuid, STR("GPU-1"));
    CHECK_STR("profile", inventory.gpus[0].profile, STR("1g.2gb"));
    CHECK("none", !str_is_set(inventory.gpus[2].profile));
    CHECK_EQ("memory of the instance", inventory.gpus[0].memory_mib, 1984);
    CHECK_STR("model of the GPU", inventory.gpus[0].model, STR("Tesla V100-SXM2-16GB"));
    CHECK_EQ("place of the GPU", inventory.gpus[0].numa_node, 1);
    CHECK("no problem", !str_is_set(inventory.problem));

    fake.plain_names = true;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_STR("from the slices", inventory.gpus[0].profile, STR("1g.2gb"));
    CHECK_STR("less compute than memory", inventory.gpus[1].profile, STR("1c.3g.2gb"));
    struct nvml old = fake_nvml;
    old.attributes = NULL;
    gpu_probe_with(&old, STR(""), pci_dir, &inventory, &arena);
    CHECK_STR("still a partition", inventory.gpus[0].profile, STR("unknown"));
    fake.plain_names = false;

    fake.mig_code = 15;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("the GPU is not offered", inventory.count, 1);
    CHECK_STR("why", inventory.problem, STR("the MIG instances of GPU 0 do not answer: GPU is lost"));
    fake.mig_code = 0;

    fake.mig[0] = 8;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("nothing to offer of it", inventory.count, 1);
    CHECK_STR("why", inventory.problem, STR("GPU 0 is in MIG mode and has no instances: create some with `nvidia-smi mig -cgi PROFILE "
                                            "-C`, or switch MIG mode off"));
    old.mig_device = NULL;
    gpu_probe_with(&old, STR(""), pci_dir, &inventory, &arena);
    CHECK_STR("a library that knows no MIG", inventory.gpus[0].uuid, STR("GPU-0"));
    fake.mig[0] = 0;
    arena_finish(&arena);
}

/* ---- links ---- */

static int64_t link_of(const struct gpu_inventory *inventory, size_t a, size_t b)
{
    CHECK_EQ("both ways", inventory->links[a * inventory->count + b], inventory->links[b * inventory->count + a]);
    return inventory->links[a * inventory->count + b];
}

static void test_links(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct gpu_inventory inventory;
    fake.count = 4;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("behind one switch", link_of(&inventory, 0, 1), 50);
    CHECK_EQ("across processors", link_of(&inventory, 1, 2), 10);

    fake.links[0][1] = fake.links[1][0] = 1;
    fake.links[0][2] = fake.links[2][0] = 2;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("one NVLink", link_of(&inventory, 0, 1), 150);
    CHECK_EQ("two across processors", link_of(&inventory, 0, 2), 210);
    CHECK_EQ("none", link_of(&inventory, 2, 3), 50);
    fake.mig[1] = 8 | 1;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("a partition is connected to nothing", link_of(&inventory, 0, 1), 0);
    CHECK_EQ("the others as before", link_of(&inventory, 0, 2), 210);
    fake.mig[1] = 0;
    memset(fake.links, 0, sizeof fake.links);

    for (size_t g = 0; g < FAKE_MAX; g++) { fake.to_switches[g] = g == 3 ? 17 : 18; }
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("through switches", link_of(&inventory, 0, 2), 1810);
    CHECK_EQ("one link is down", link_of(&inventory, 2, 3), 1750);
    fake.p2p = 5;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK_EQ("switches that are not set up", link_of(&inventory, 0, 2), 10);
    fake.p2p = 0;
    memset(fake.to_switches, 0, sizeof fake.to_switches);

    fake.place_code = 3;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK("nothing is known", inventory.links == NULL);
    struct nvml old = fake_nvml;
    old.common_ancestor = NULL;
    old.link_state = NULL;
    gpu_probe_with(&old, STR(""), pci_dir, &inventory, &arena);
    CHECK("an old library", inventory.links == NULL && inventory.count == 4);
    fake.place_code = 0;
    fake.count = 1;
    gpu_probe_with(&fake_nvml, STR(""), pci_dir, &inventory, &arena);
    CHECK("one GPU has no pair", inventory.links == NULL);
    arena_finish(&arena);
}

static void test_simulated_links(void)
{
    static const struct { const char *spec; size_t a, b; int64_t want; } rows[] = {
        { "V100:8", 0, 3, 220 },      { "V100:8", 0, 7, 10 },      { "V100:8", 0, 4, 210 },    { "V100:8", 0, 1, 120 },
        { "A100:8", 0, 7, 1210 },     { "H100:8", 4, 7, 1820 },    { "T4:4", 0, 1, 20 },       { "T4:4", 0, 2, 10 },
        { "K80:16", 2, 3, 60 },       { "K80:16", 1, 2, 20 },      { "A100-80GB:2", 0, 1, 1210 }, { "X1-9GB:2", 0, 1, 10 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        struct gpu_inventory inventory = { 0 };
        struct err err = { 0 };
        CHECK(rows[r].spec, gpu_simulate(str_from(rows[r].spec), STR("m"), &inventory, &arena, &err));
        CHECK_EQ(rows[r].spec, link_of(&inventory, rows[r].a, rows[r].b), rows[r].want);
        arena_finish(&arena);
    }
}

/* ---- names ---- */

static void test_short_model(void)
{
    static const struct { const char *name, *want; } rows[] = {
        { "Tesla V100-SXM2-16GB", "V100" },          { "Tesla T4", "T4" },
        { "NVIDIA A100-SXM4-40GB", "A100" },         { "NVIDIA A100 80GB PCIe", "A100" },
        { "NVIDIA H100 80GB HBM3", "H100" },         { "NVIDIA H100 PCIe", "H100" },
        { "NVIDIA H200", "H200" },                   { "NVIDIA L4", "L4" },
        { "NVIDIA L40S", "L40S" },                   { "NVIDIA A10G", "A10G" },
        { "Tesla K80", "K80" },                      { "Tesla M60", "M60" },
        { "NVIDIA GH200 480GB", "GH200" },           { "NVIDIA B200", "B200" },
        { "NVIDIA GeForce RTX 4090", "RTX-4090" },   { "NVIDIA GeForce RTX 3080 Ti", "RTX-3080-Ti" },
        { "NVIDIA GeForce RTX 4070 Laptop GPU", "RTX-4070" },
        { "Quadro RTX 6000", "RTX-6000" },           { "NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada" },
        { "NVIDIA RTX A6000", "RTX-A6000" },         { "NVIDIA GeForce RTX 3060 12GB", "RTX-3060" },
        { "NVIDIA TITAN V", "TITAN-V" },             { "V100", "V100" },
        { "V100-32GB", "V100" },                     { "RTX-4090", "RTX-4090" },
        { "  NVIDIA  L4  ", "L4" },                  { "NVIDIA", "NVIDIA" },
        { "", "" },
    };
    struct arena arena;
    arena_init(&arena, 1 << 20);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].name, gpu_short_model(str_from(rows[r].name), &arena), str_from(rows[r].want));
    }
    arena_finish(&arena);
}

/* ---- simulated ---- */

static void test_simulate_spec(void)
{
    static const struct { const char *spec; size_t count; const char *model; int64_t memory_mib; } rows[] = {
        { "V100:4",      4,  "V100",      16 * 1024 },
        { "V100",        1,  "V100",      16 * 1024 },
        { "v100:1",      1,  "V100",      16 * 1024 },
        { "H200:64",     64, "H200",      141 * 1024 },
        { "A100-80GB:2", 2,  "A100-80GB", 80 * 1024 },
        { "X1-9GB",      1,  "X1-9GB",    9 * 1024 },
        { "RTX-4090:1",  1,  "RTX-4090",  24 * 1024 },
        { "V100:0",      0, NULL, 0 },  { "V100:65", 0, NULL, 0 },  { "V100:", 0, NULL, 0 },   { "V100:x", 0, NULL, 0 },
        { "V100:-1",     0, NULL, 0 },  { ":4",      0, NULL, 0 },  { "",      0, NULL, 0 },   { "X1",     0, NULL, 0 },
        { "X1-0GB",      0, NULL, 0 },  { "80GB",    0, NULL, 0 },  { "a b:1", 0, NULL, 0 },   { "V100:4:4", 0, NULL, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        struct gpu_inventory inventory = { 0 };
        struct err err = { 0 };
        bool good = gpu_simulate(str_from(rows[r].spec), STR("machine-1"), &inventory, &arena, &err);
        CHECK_EQ(rows[r].spec, good, rows[r].count > 0);
        CHECK_EQ(rows[r].spec, err.code, rows[r].count > 0 ? ERR_NONE : ERR_INVALID_PARAMETER);
        CHECK_EQ(rows[r].spec, inventory.count, rows[r].count);
        for (size_t g = 0; g < inventory.count; g++) {
            CHECK_STR(rows[r].spec, inventory.gpus[g].model, str_from(rows[r].model));
            CHECK_EQ(rows[r].spec, inventory.gpus[g].memory_mib, rows[r].memory_mib);
            CHECK_EQ(rows[r].spec, inventory.gpus[g].uuid.len, 40);
        }
        arena_finish(&arena);
    }
}

static void test_simulate_uuids(void)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct gpu_inventory first, again, other;
    struct err err = { 0 };
    CHECK("first", gpu_simulate(STR("V100:2"), STR("machine-1"), &first, &arena, &err));
    CHECK("again", gpu_simulate(STR("V100:2"), STR("machine-1"), &again, &arena, &err));
    CHECK("other", gpu_simulate(STR("V100:2"), STR("machine-2"), &other, &arena, &err));
    CHECK_STR("the same for the same seed", first.gpus[1].uuid, again.gpus[1].uuid);
    CHECK("each its own", !str_eq(first.gpus[0].uuid, first.gpus[1].uuid));
    CHECK("another machine, other GPUs", !str_eq(first.gpus[0].uuid, other.gpus[0].uuid));
    CHECK_STR("in NVML's form", first.gpus[0].uuid, STR("GPU-639a5867-7f24-8a6f-a2f2-799d030ea912"));
    CHECK_EQ("half of them at each socket", first.gpus[0].numa_node + 10 * first.gpus[1].numa_node, 10);
    CHECK("no problem", !str_is_set(first.problem));
    arena_finish(&arena);
}

int main(void)
{
    ASSERT(mkdtemp(pci_dir) != NULL);
    pci_add("0000:3b:00.0", "0x10de", "0x030200", "1");
    pci_add("0000:3c:00.0", "0x10de", "0x030000", "-1");
    pci_add("0000:3d:00.0", "0x10de", "0x040300", "0");      /* the sound device of a GPU */
    pci_add("0000:00:02.0", "0x8086", "0x030000", "0");      /* another maker's display */
    test_problems();
    test_facts();
    test_mig();
    test_links();
    test_simulated_links();
    test_short_model();
    test_simulate_spec();
    test_simulate_uuids();
    static const char *const devices[] = { "0000:3b:00.0", "0000:3c:00.0", "0000:3d:00.0", "0000:00:02.0" };
    for (size_t d = 0; d < COUNT_OF(devices); d++) { pci_remove(devices[d]); }
    CHECK("the directory is empty again", rmdir(pci_dir) == 0);
    return check_report();
}
