/* gpu.c: asks NVML which GPUs work, and the PCI bus which ones are there. The two together tell a machine without GPUs from
 * one whose driver is missing or broken, which is what the person at the machine wants to know first.
 *
 * The library is loaded for the time of one look and let go again: a driver can be updated under a running agent, and the
 * next look then uses the new library. */
#include "agent/nvml.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>

#include "base/buf.h"

enum { DEVICES_MAX = 256, SYSFS_TEXT_MAX = 64 };

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

/* NVML writes the domain with eight digits and capitals ("00000000:3B:00.0"), sysfs with four and small letters; the numbers
 * are the same. The kernel says -1 where the firmware told it nothing. */
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

/* What to do about it, for the answers that have one cause. */
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

static bool read_gpu(const struct nvml *nvml, unsigned int index, const char *pci_dir, struct gpu_info *gpu, struct str *why,
                     struct arena *arena)
{
    struct nvml_device *device = NULL;
    char uuid[NVML_TEXT_MAX] = "", name[NVML_TEXT_MAX] = "";
    int code = nvml->device(index, &device);
    if (code == NVML_OK) { code = nvml->uuid(device, uuid, sizeof uuid); }
    if (code == NVML_OK) { code = nvml->name(device, name, sizeof name); }
    if (code != NVML_OK) {
        *why = code_text(nvml, code);
        return false;
    }
    /* Memory and place are facts to schedule by, not conditions for use: a GPU that shares the machine's memory has none to tell. */
    struct nvml_memory memory = { 0 };
    struct nvml_pci pci = { 0 };
    bool has_memory = nvml->memory(device, &memory) == NVML_OK, has_pci = nvml->pci(device, &pci) == NVML_OK;
    *gpu = (struct gpu_info){
        .uuid = arena_str(arena, str_from(uuid)),
        .model = arena_str(arena, str_from(name)),
        .memory_mib = has_memory ? (int64_t)(memory.total >> 20) : 0,
        .pci_bus_id = has_pci ? arena_str(arena, str_from(pci.bus_id)) : (struct str){ NULL, 0 },
        .numa_node = has_pci ? numa_node_of(pci_dir, &pci) : -1,
    };
    return true;
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
static void read_gpus(const struct nvml *nvml, const char *pci_dir, struct gpu_inventory *inventory, struct arena *arena)
{
    unsigned int count = 0;
    int code = nvml->count(&count);
    if (code != NVML_OK) {
        struct str text = code_text(nvml, code);
        inventory->problem = arena_printf(arena, "the NVIDIA driver does not list its GPUs: " STR_FMT, STR_ARG(text));
        return;
    }
    if (count > DEVICES_MAX) { count = DEVICES_MAX; }
    inventory->gpus = ARENA_NEW(arena, struct gpu_info, count);
    for (unsigned int index = 0; index < count; index++) {
        struct str why = { NULL, 0 };
        if (read_gpu(nvml, index, pci_dir, &inventory->gpus[inventory->count], &why, arena)) {
            inventory->count++;
        } else if (!str_is_set(inventory->problem)) {
            inventory->problem = arena_printf(arena, "GPU %u does not answer: " STR_FMT, index, STR_ARG(why));
        }
    }
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
    read_gpus(nvml, pci_dir, inventory, arena);
    nvml->shutdown();

    if (!str_is_set(inventory->problem) && (int64_t)inventory->count < inventory->pci_devices) {
        inventory->problem = arena_printf(arena, "the PCI bus shows %lld NVIDIA devices and the driver only %zu; the others failed, "
                                          "are kept back for virtual machines or are hidden from this container",
                                          (long long)inventory->pci_devices, inventory->count);
    }
}

/* ---- loading ---- */

/* dlsym gives an object pointer where a function is wanted; POSIX says both have the same form, C has no cast for it. */
static bool find_symbol(void *library, const char *symbol, void *function)
{
    void *found = dlsym(library, symbol);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool find_symbols(void *library, struct nvml *nvml)
{
    return find_symbol(library, "nvmlInit_v2", &nvml->init)
        && find_symbol(library, "nvmlShutdown", &nvml->shutdown)
        && find_symbol(library, "nvmlErrorString", &nvml->error_text)
        && find_symbol(library, "nvmlSystemGetDriverVersion", &nvml->driver_version)
        && find_symbol(library, "nvmlSystemGetCudaDriverVersion_v2", &nvml->cuda_version)
        && find_symbol(library, "nvmlDeviceGetCount_v2", &nvml->count)
        && find_symbol(library, "nvmlDeviceGetHandleByIndex_v2", &nvml->device)
        && find_symbol(library, "nvmlDeviceGetUUID", &nvml->uuid)
        && find_symbol(library, "nvmlDeviceGetName", &nvml->name)
        && find_symbol(library, "nvmlDeviceGetMemoryInfo", &nvml->memory)
        && find_symbol(library, "nvmlDeviceGetPciInfo_v3", &nvml->pci);
}

void gpu_probe(struct gpu_inventory *inventory, struct arena *arena)
{
    static const char pci_dir[] = "/sys/bus/pci/devices";
    struct nvml nvml = { 0 };
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const char *cause = library == NULL ? dlerror() : "libnvidia-ml.so.1 is older than driver 450";
    struct str missing = arena_str(arena, str_from(cause == NULL ? "libnvidia-ml.so.1 can't be loaded" : cause));
    bool loaded = library != NULL && find_symbols(library, &nvml);
    gpu_probe_with(loaded ? &nvml : NULL, missing, pci_dir, inventory, arena);
    if (library != NULL) { dlclose(library); }
}
