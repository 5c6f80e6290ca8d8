/* gpu.c: asks NVML which GPUs work, and the PCI bus which ones exist. The two together tell a machine without GPUs from one whose driver is
 * missing or broken, which is the first question of the person at the machine.
 *
 * The library is loaded for the time of one look and released again: a driver can be updated under a running agent, and the next look then
 * uses the new library. */
#include "agent/gpu/gpu_internal.h"

#include <dirent.h>
#include <stdio.h>

#include "base/buf.h"
#include "model/gpu.h"

enum { SYSFS_TEXT_MAX = 64 };

/* ---- the PCI bus ---- */

/* The first line of <dir>/<device>/<file>; empty when it can't be read. */
static struct str sysfs_read(const char *dir, const char *device, const char *file, char out[SYSFS_TEXT_MAX])
{
    char path[512];
    int len = snprintf(path, sizeof path, "%s/%s/%s", dir, device, file);
    FILE *stream = len > 0 && (size_t)len < sizeof path ? fopen(path, "re") : NULL;
    if (stream == NULL) { return STR(""); }
    const char *line = fgets(out, SYSFS_TEXT_MAX, stream);
    fclose(stream);
    return line == NULL ? STR("") : str_trim(str_from(line));
}

static bool is_nvidia_display(const char *dir, const char *device)
{
    char vendor[SYSFS_TEXT_MAX], kind[SYSFS_TEXT_MAX];
    return str_eq(sysfs_read(dir, device, "vendor", vendor), STR("0x10de"))
        && str_starts_with(sysfs_read(dir, device, "class", kind), STR("0x03"));
}

static int64_t count_pci_devices(const char *dir)
{
    DIR *listing = opendir(dir);
    if (listing == NULL) { return 0; }
    int64_t count = 0;
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] != '.' && is_nvidia_display(dir, entry->d_name)) { count++; }
    }
    closedir(listing);
    return count;
}

/* NVML writes the domain with eight digits and capitals ("00000000:3B:00.0"), sysfs with four and small letters; the numbers are the same. The
 * kernel shows -1 where it does not know the node. */
static int64_t numa_node_of(const char *dir, const struct nvml_pci *pci)
{
    char device[40], text[SYSFS_TEXT_MAX];
    (void)snprintf(device, sizeof device, "%04x:%02x:%02x.0", pci->domain, pci->bus, pci->device);
    int64_t node = -1;
    return str_to_i64(sysfs_read(dir, device, "numa_node", text), &node) && node >= 0 ? node : -1;
}

/* ---- NVML ---- */

static struct str code_text(const struct nvml *nvml, int code)
{
    const char *text = nvml->error_text(code);
    return str_from(text == NULL ? "unknown error" : text);
}

/* Advice for the answers that have one cause. */
static struct str advice_for(int code)
{
    static const struct { int code; struct str advice; } rows[] = {
        { NVML_NO_PERMISSION, STR_INIT("the agent may not open /dev/nvidiactl: run it as root or add it to the devices' group") },
        { NVML_DRIVER_NOT_LOADED, STR_INIT("the kernel module is not loaded: try `modprobe nvidia`, and reboot after a kernel update") },
        { NVML_VERSION_MISMATCH, STR_INIT("the driver was updated while its old kernel module stayed loaded: reboot this machine") },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].code == code) { return rows[r].advice; }
    }
    return STR("see `nvidia-smi` and `dmesg`");
}

/* One look at the machine. */
struct look {
    const struct nvml *nvml;
    const char *pci_dir;
    struct gpu_inventory *inventory;
    struct nvml_device *devices[GPUS_MAX];           /* by place in the inventory; NULL for a MIG instance */
    size_t physical, left_out;                       /* GPUs that answered; devices beyond the most that a machine can offer */
    struct arena *arena;
};

static void tell_problem(struct look *look, struct str problem)
{
    if (!str_is_set(look->inventory->problem)) { look->inventory->problem = problem; }
}

static void add_gpu(struct look *look, const struct gpu_info *gpu, struct nvml_device *device)
{
    if (look->inventory->count == GPUS_MAX) {
        look->left_out++;
        return;
    }
    look->devices[look->inventory->count] = device;
    look->inventory->gpus[look->inventory->count++] = *gpu;
}

static int read_gpu(struct look *look, struct nvml_device *device, struct gpu_info *gpu, unsigned long long *bytes)
{
    char uuid[NVML_TEXT_MAX] = "", name[NVML_TEXT_MAX] = "";
    int code = look->nvml->uuid(device, uuid, sizeof uuid);
    if (code == NVML_OK) { code = look->nvml->name(device, name, sizeof name); }
    if (code != NVML_OK) { return code; }
    /* Memory and place are facts to schedule by, not conditions for use: a GPU that shares the machine's memory has no memory to report. */
    struct nvml_memory memory = { 0 };
    struct nvml_pci pci = { 0 };
    bool has_memory = look->nvml->memory(device, &memory) == NVML_OK, has_pci = look->nvml->pci(device, &pci) == NVML_OK;
    *bytes = has_memory ? memory.total : 0;
    *gpu = (struct gpu_info){
        .uuid = arena_str(look->arena, str_from(uuid)),
        .model = arena_str(look->arena, str_from(name)),
        .memory_mib = (int64_t)(*bytes >> 20),
        .pci_bus_id = has_pci ? arena_str(look->arena, str_from(pci.bus_id)) : (struct str){ NULL, 0 },
        .numa_node = has_pci ? numa_node_of(look->pci_dir, &pci) : -1,
    };
    return NVML_OK;
}

/* ---- MIG ---- */

static int read_instance(struct look *look, struct nvml_device *parent, unsigned int index, const struct gpu_info *gpu,
                         unsigned long long parent_bytes)
{
    struct nvml_device *instance = NULL;
    char uuid[NVML_TEXT_MAX] = "";
    struct nvml_memory memory = { 0 };
    int code = look->nvml->mig_device(parent, index, &instance);
    if (code == NVML_OK) { code = look->nvml->uuid(instance, uuid, sizeof uuid); }
    if (code == NVML_OK) { code = look->nvml->memory(instance, &memory); }
    if (code != NVML_OK) { return code; }
    struct gpu_info part = *gpu;
    part.uuid = arena_str(look->arena, str_from(uuid));
    part.memory_mib = (int64_t)(memory.total >> 20);
    part.profile = gpu_mig_profile(look->nvml, instance, parent_bytes, look->arena);
    add_gpu(look, &part, NULL);
    return NVML_OK;
}

/* The instances replace the GPU. Their numbers have gaps where some were destroyed. */
static void read_instances(struct look *look, struct nvml_device *parent, unsigned int number, const struct gpu_info *gpu,
                           unsigned long long parent_bytes)
{
    unsigned int most = 0, found = 0;
    int code = look->nvml->mig_count_max(parent, &most);
    for (unsigned int index = 0; code == NVML_OK && index < most; index++) {
        int answer = read_instance(look, parent, index, gpu, parent_bytes);
        if (answer == NVML_OK) { found++; } else if (answer != NVML_NOT_FOUND) { code = answer; }
    }
    if (code != NVML_OK) {
        struct str text = code_text(look->nvml, code);
        tell_problem(look, arena_printf(look->arena, "the MIG instances of GPU %u do not answer: " STR_FMT, number, STR_ARG(text)));
    } else if (found == 0) {
        tell_problem(look, arena_printf(look->arena, "GPU %u is in MIG mode and has no instances: create some with `nvidia-smi mig "
                                        "-cgi PROFILE -C`, or switch MIG mode off", number));
    }
}

static void read_versions(const struct nvml *nvml, struct gpu_inventory *inventory, struct arena *arena)
{
    char driver[NVML_TEXT_MAX] = "";
    int cuda = 0;
    if (nvml->driver_version(driver, sizeof driver) == NVML_OK) {
        inventory->driver_version = arena_str(arena, str_from(driver));
    }
    if (nvml->cuda_version(&cuda) == NVML_OK) {
        inventory->cuda_version = arena_printf(arena, "%d.%d", cuda / 1000, cuda % 1000 / 10);
    }
}

/* A GPU that does not answer is left out, so that no task is ever pinned to it, and is named in the problem. */
static void read_number(struct look *look, unsigned int number)
{
    struct nvml_device *device = NULL;
    struct gpu_info gpu;
    unsigned long long bytes = 0;
    int code = look->nvml->device(number, &device);
    if (code == NVML_OK) { code = read_gpu(look, device, &gpu, &bytes); }
    if (code != NVML_OK) {
        struct str text = code_text(look->nvml, code);
        tell_problem(look, arena_printf(look->arena, "GPU %u does not answer: " STR_FMT, number, STR_ARG(text)));
        return;
    }
    look->physical++;
    if (gpu_mig_is_on(look->nvml, device)) {
        read_instances(look, device, number, &gpu, bytes);
    } else {
        add_gpu(look, &gpu, device);
    }
}

static void read_links(struct look *look)
{
    size_t count = look->inventory->count;
    if (count < 2) { return; }
    int64_t *scores = ARENA_NEW(look->arena, int64_t, count * count);
    if (gpu_links_probe(look->nvml, look->devices, count, scores)) { look->inventory->links = scores; }
}

static void read_gpus(struct look *look)
{
    unsigned int count = 0;
    int code = look->nvml->count(&count);
    if (code != NVML_OK) {
        struct str text = code_text(look->nvml, code);
        tell_problem(look, arena_printf(look->arena, "the NVIDIA driver does not list its GPUs: " STR_FMT, STR_ARG(text)));
        return;
    }
    look->inventory->gpus = ARENA_NEW(look->arena, struct gpu_info, GPUS_MAX);
    for (unsigned int number = 0; number < count; number++) { read_number(look, number); }
    if (look->left_out > 0) {
        tell_problem(look, arena_printf(look->arena, "a machine can offer %d GPUs and MIG instances; %zu more are left out", (int)GPUS_MAX,
                                        look->left_out));
    }
    read_links(look);
}

void gpu_probe_with(const struct nvml *nvml, struct str missing, const char *pci_dir, struct gpu_inventory *inventory,
                    struct arena *arena)
{
    *inventory = (struct gpu_inventory){ .pci_devices = count_pci_devices(pci_dir) };
    if (nvml == NULL) {
        if (inventory->pci_devices > 0) {
            inventory->problem = arena_printf(arena, "the NVIDIA driver is not installed: " STR_FMT, STR_ARG(missing));
        }
        return;
    }

    int code = nvml->init();
    if (code != NVML_OK) {
        struct str text = code_text(nvml, code), advice = advice_for(code);
        inventory->problem = arena_printf(arena, "the NVIDIA driver does not start (" STR_FMT "); " STR_FMT, STR_ARG(text),
                                          STR_ARG(advice));
        return;
    }
    read_versions(nvml, inventory, arena);
    struct look look = { .nvml = nvml, .pci_dir = pci_dir, .inventory = inventory, .arena = arena };
    read_gpus(&look);
    nvml->shutdown();

    if ((int64_t)look.physical < inventory->pci_devices) {
        tell_problem(&look, arena_printf(arena, "the PCI bus shows %lld NVIDIA devices and the driver only %zu; the others failed, "
                                         "are kept back for virtual machines or are hidden from this container",
                                         (long long)inventory->pci_devices, look.physical));
    }
}

void gpu_probe(struct gpu_inventory *inventory, struct arena *arena)
{
    struct nvml_library library;
    bool loaded = nvml_load(&library, arena);
    gpu_probe_with(loaded ? &library.nvml : NULL, library.missing, "/sys/bus/pci/devices", inventory, arena);
    nvml_unload(&library);
}
