/* The doctor's findings on machines that are made of files, with a made-up NVML. */
#include "tests/unit/check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/doctor.h"
#include "agent/gpu/nvml.h"

static char root[64];
static const char *made_paths[64];
static size_t made_count;

static void make_file(const char *path, const char *text)
{
    char full[256];
    ASSERT(snprintf(full, sizeof full, "%s%s", root, path) < (int)sizeof full);
    for (char *slash = strchr(full + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "we");
    ASSERT(file != NULL);
    (void)fputs(text, file);
    fclose(file);
    made_paths[made_count++] = path;
}

static void forget_files(void)
{
    char full[256];
    for (; made_count > 0; made_count--) {
        (void)snprintf(full, sizeof full, "%s%s", root, made_paths[made_count - 1]);
        (void)unlink(full);
        for (char *slash = strrchr(full, '/'); slash != NULL && slash > full + strlen(root); slash = strrchr(full, '/')) {
            *slash = '\0';
            (void)rmdir(full);
        }
    }
}

/* ---- a library with two devices ---- */

struct nvml_device { int number; };
static struct nvml_device devices[2];
static int init_code = NVML_OK;
static unsigned int device_count = 2;
static int made_init(void) { return init_code; }
static int made_shutdown(void) { return NVML_OK; }
static const char *made_text(int code) { return code == NVML_VERSION_MISMATCH ? "Driver/library version mismatch" : "Unknown Error"; }
static int made_driver(char *out, unsigned int size) { (void)snprintf(out, size, "550.54.15"); return NVML_OK; }
static int made_cuda(int *version) { *version = 12040; return NVML_OK; }
static int made_devices(unsigned int *count) { *count = device_count; return NVML_OK; }
static int made_device(unsigned int index, struct nvml_device **device) { *device = &devices[index]; return NVML_OK; }
static int made_uuid(struct nvml_device *device, char *out, unsigned int size) { (void)snprintf(out, size, "GPU-%d", (int)(device - devices)); return NVML_OK; }
static int made_memory(struct nvml_device *device, struct nvml_memory *memory) { (void)device; *memory = (struct nvml_memory){ .total = 1 << 30 }; return NVML_OK; }
static int made_pci(struct nvml_device *device, struct nvml_pci *pci) { *pci = (struct nvml_pci){ .bus = (unsigned int)(device - devices) }; return NVML_OK; }
static const struct nvml library = {
    .init = made_init, .shutdown = made_shutdown, .error_text = made_text, .driver_version = made_driver, .cuda_version = made_cuda,
    .count = made_devices, .device = made_device, .uuid = made_uuid, .name = made_uuid, .memory = made_memory, .pci = made_pci,
};

/* ---- machines ---- */

enum { HAS_BUS = 1, HAS_MODULE = 2, OLD_MODULE = 4, HAS_DEV = 8, HAS_CDI = 16, HAS_NOUVEAU = 32, HAS_CGROUPS = 64, ALL = HAS_BUS | HAS_MODULE | HAS_DEV | HAS_CDI | HAS_CGROUPS };

static void make_machine(unsigned int has)
{
    if ((has & HAS_BUS) != 0) {
        make_file("/sys/bus/pci/devices/0000:00:00.0/vendor", "0x10de\n");
        make_file("/sys/bus/pci/devices/0000:00:00.0/class", "0x030200\n");
        make_file("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
        make_file("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n");
    }
    if ((has & HAS_MODULE) != 0) { make_file("/sys/module/nvidia/version", (has & OLD_MODULE) != 0 ? "535.1\n" : "550.54.15\n"); }
    if ((has & HAS_NOUVEAU) != 0) { make_file("/sys/module/nouveau/version", "1\n"); }
    if ((has & HAS_DEV) != 0) {
        make_file("/dev/nvidia0", "");
        make_file("/dev/nvidia1", "");
        make_file("/dev/nvidiactl", "");
        make_file("/dev/nvidia-uvm", "");
    }
    if ((has & HAS_CDI) != 0) { make_file("/etc/cdi/nvidia.yaml", ""); }
    if ((has & HAS_CGROUPS) != 0) { make_file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n"); }
}

#define DOCKER "{\"ServerVersion\":\"26.1\",\"Driver\":\"overlay2\",\"Runtimes\":{\"runc\":{}}}"
#define NVIDIA "{\"ServerVersion\":\"26.1\",\"Driver\":\"overlay2\",\"Runtimes\":{\"runc\":{},\"nvidia\":{}}}"

/* Each finding is reported with that status and these words. */
static const struct {
    const char *name; unsigned int has; bool no_library; int init; unsigned int lost; const char *docker; bool off; int64_t cuda;
    const char *check; enum finding_status status; const char *words;
} rows[] = {
    { "all is well: docker", ALL, false, 0, 0, DOCKER, false, 0, "docker", FINDING_OK, "Docker 26.1, images kept by overlay2" },
    { "all is well: cgroups", ALL, false, 0, 0, DOCKER, false, 0, "cgroups", FINDING_OK, "version 2" },
    { "all is well: bus", ALL, false, 0, 0, DOCKER, false, 0, "gpu-bus", FINDING_OK, "shows 2 NVIDIA devices" },
    { "all is well: module", ALL, false, 0, 0, DOCKER, false, 0, "nvidia-module", FINDING_OK, "kernel module 550.54.15 is loaded" },
    { "all is well: devices", ALL, false, 0, 0, DOCKER, false, 0, "nvidia-devices", FINDING_OK, "/dev has 2 GPUs" },
    { "all is well: driver", ALL, false, 0, 0, DOCKER, false, 0, "nvidia-driver", FINDING_OK, "driver 550.54.15, for CUDA up to 12.4" },
    { "all is well: GPUs", ALL, false, 0, 0, DOCKER, false, 0, "gpus", FINDING_OK, "2 GPUs" },
    { "all is well: toolkit", ALL, false, 0, 0, DOCKER, false, 0, "nvidia-toolkit", FINDING_OK, "CDI" },
    { "no Docker", ALL, false, 0, 0, NULL, false, 0, "docker", FINDING_FAIL, "Docker does not answer: no such socket" },
    { "no cgroups", ALL & ~HAS_CGROUPS, false, 0, 0, DOCKER, false, 0, "cgroups", FINDING_WARN, "no effect" },
    { "no GPU at all", HAS_CGROUPS, true, 0, 0, DOCKER, false, 0, "gpu-bus", FINDING_OK, "a machine without GPUs" },
    { "no driver: library", HAS_BUS, true, 0, 0, DOCKER, false, 0, "nvidia-driver", FINDING_FAIL, "can't be loaded: it is not there" },
    { "no driver: module", HAS_BUS, true, 0, 0, DOCKER, false, 0, "nvidia-module", FINDING_FAIL, "not loaded" },
    { "nouveau", HAS_BUS | HAS_NOUVEAU, true, 0, 0, DOCKER, false, 0, "nvidia-module", FINDING_FAIL, "nouveau" },
    { "no device files", ALL & ~HAS_DEV, false, 0, 0, DOCKER, false, 0, "nvidia-devices", FINDING_FAIL, "nvidiactl missing" },
    { "two versions", ALL | OLD_MODULE, false, 0, 0, DOCKER, false, 0, "nvidia-driver", FINDING_FAIL, "550.54.15 and the loaded module of 535.1" },
    { "two versions, as NVML says", ALL, false, NVML_VERSION_MISMATCH, 0, DOCKER, false, 0, "nvidia-driver", FINDING_FAIL, "reboot this machine" },
    { "one is missing", ALL, false, 0, 1, DOCKER, false, 0, "gpus", FINDING_FAIL, "shows 2 NVIDIA devices and the driver only 1" },
    { "no toolkit", ALL & ~HAS_CDI, false, 0, 0, DOCKER, false, 0, "nvidia-toolkit", FINDING_FAIL, "container toolkit is missing" },
    { "the runtime is enough", ALL & ~HAS_CDI, false, 0, 0, NVIDIA, false, 0, "nvidia-toolkit", FINDING_OK, "runtime" },
    { "switched off", ALL, false, 0, 0, DOCKER, true, 0, "gpu-support", FINDING_WARN, "switched off" },
    { "new enough", ALL, false, 0, 0, DOCKER, false, 12040, "cuda", FINDING_OK, "up to 12.4" },
    { "too old", ALL, false, 0, 0, DOCKER, false, 12060, "cuda", FINDING_FAIL, "CUDA 12.6 is wanted, the driver runs up to 12.4" },
};

static void test_machines(void)
{
    struct arena arena = { 0 };
    arena_init(&arena, 1 << 20);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct finding items[FINDINGS_MAX];
        struct finding_list findings = { items, 0 };
        make_machine(rows[r].has);
        init_code = rows[r].init;
        device_count = 2 - rows[r].lost;
        const struct doctor_look look = {
            .root = root, .nvml = rows[r].no_library ? NULL : &library, .missing = STR("it is not there"), .dir = "/tmp",
            .docker_info = rows[r].docker == NULL ? (struct str){ NULL, 0 } : str_from(rows[r].docker), .docker_problem = STR("no such socket"),
            .gpu_support_off = rows[r].off, .cuda_wanted = rows[r].cuda,
        };
        doctor_check(&look, &findings, &arena);
        const struct finding *found = NULL;
        for (size_t f = 0; f < findings.count; f++) {
            if (str_eq(items[f].check, str_from(rows[r].check))) { found = &items[f]; }
            CHECK(rows[r].name, items[f].status == FINDING_OK || str_is_set(items[f].remedy));       /* no trouble without a cure */
        }
        CHECK(rows[r].name, found != NULL);
        if (found != NULL) {
            CHECK_EQ(rows[r].name, found->status, rows[r].status);
            bool said = memmem(found->text.ptr, found->text.len, rows[r].words, strlen(rows[r].words)) != NULL;
            CHECK_STR(rows[r].name, said ? STR("said") : found->text, STR("said"));
        }
        forget_files();
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

int main(void)
{
    (void)snprintf(root, sizeof root, "/tmp/berth-doctor-XXXXXX");
    ASSERT(mkdtemp(root) != NULL);
    test_machines();
    (void)rmdir(root);
    return check_report();
}
