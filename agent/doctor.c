#include "agent/doctor.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "agent/docker/http.h"
#include "agent/gpu/mps.h"
#include "agent/gpu/gpu_internal.h"
#include "base/json.h"
#include "model/gpu.h"

enum { PATH_LEN_MAX = 1024, LINE_MAX_LEN = 512, DOCKER_WAIT_MS = 5000 };

void doctor_put(struct finding_list *findings, const char *check, enum finding_status status, struct str text, const char *remedy)
{
    if (findings->count == FINDINGS_MAX) { return; }
    findings->items[findings->count++] = (struct finding){
        .check = str_from(check), .status = status, .text = str_slice(text, 0, FINDING_TEXT_MAX),
        .remedy = remedy == NULL ? (struct str){ NULL, 0 } : str_from(remedy),
    };
}

/* ---- shared by the checks ---- */

struct check {
    const struct doctor_look *look;
    struct finding_list *findings;
    struct arena *arena;
    struct gpu_inventory gpus;               /* as the agent would find them */
};

static void put(struct check *check, const char *name, enum finding_status status, struct str text, const char *remedy)
{
    doctor_put(check->findings, name, status, text, remedy);
}

static bool path_at(const struct check *check, const char *path, char out[PATH_LEN_MAX])
{
    return snprintf(out, PATH_LEN_MAX, "%s%s", check->look->root, path) < PATH_LEN_MAX;
}

static bool is_there(const struct check *check, const char *path)
{
    char full[PATH_LEN_MAX];
    struct stat facts;
    return path_at(check, path, full) && stat(full, &facts) == 0;
}

/* The first line, without its end; empty when it can't be read. */
static struct str first_line(struct check *check, const char *path)
{
    char full[PATH_LEN_MAX], line[LINE_MAX_LEN];
    FILE *file = path_at(check, path, full) ? fopen(full, "re") : NULL;
    if (file == NULL) { return STR(""); }
    bool good = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    return good ? arena_str(check->arena, str_trim(str_from(line))) : STR("");
}

static bool has_nvidia(const struct check *check) { return check->gpus.pci_devices > 0 || check->look->nvml != NULL; }

/* ---- the machine ---- */

static void check_docker(struct check *check)
{
    struct err err = { 0 };
    const struct json *info = str_is_set(check->look->docker_info) ? json_parse(check->look->docker_info, check->arena, &err) : NULL;
    if (info == NULL) {
        struct str why = str_is_set(check->look->docker_problem) ? check->look->docker_problem : STR("its answer can't be read");
        put(check, "docker", FINDING_FAIL, arena_printf(check->arena, "Docker does not answer: " STR_FMT, STR_ARG(why)),
            "install docker.io and start it (systemctl start docker), run the agent as root or as a member of group docker");
        return;
    }
    struct str version = json_get_str(info, STR("ServerVersion")), driver = json_get_str(info, STR("Driver"));
    put(check, "docker", FINDING_OK, arena_printf(check->arena, "Docker " STR_FMT ", images kept by " STR_FMT, STR_ARG(version), STR_ARG(driver)), NULL);
}

static void check_cgroups(struct check *check)
{
    struct str controllers = first_line(check, "/sys/fs/cgroup/cgroup.controllers");
    bool old = is_there(check, "/sys/fs/cgroup/memory");
    if (str_contains(controllers, STR("memory")) && str_contains(controllers, STR("cpu"))) {
        put(check, "cgroups", FINDING_OK, STR("version 2, with cpu and memory"), NULL);
    } else if (controllers.len == 0 && old) {
        put(check, "cgroups", FINDING_OK, STR("version 1, with memory"), NULL);
    } else {
        put(check, "cgroups", FINDING_WARN, STR("the kernel bounds no memory here: limits of containers have no effect"),
            "boot with cgroup_enable=memory, or give this container its cgroups");
    }
}

void doctor_put_disk(struct finding_list *findings, const char *dir, struct arena *arena)
{
    enum { FAIL_MIB = 512, WARN_MIB = 5 * 1024, MIB_BYTES = 1024 * 1024 };
    char path[PATH_LEN_MAX];
    struct statvfs facts;
    bool fits = snprintf(path, sizeof path, "%s", dir) < (int)sizeof path;
    while (fits && statvfs(path, &facts) != 0) {
        char *slash = strrchr(path, '/');
        if (slash == NULL) { (void)snprintf(path, sizeof path, "."); } else if (slash == path) { path[1] = '\0'; } else { *slash = '\0'; }
        fits = strcmp(path, "/") != 0 || statvfs(path, &facts) == 0;
    }
    if (!fits) { return; }
    unsigned long long mib = (unsigned long long)facts.f_bavail * facts.f_frsize / MIB_BYTES;
    struct str text = arena_printf(arena, "%llu MiB are free under %s", mib, dir);
    doctor_put(findings, "disk", mib < FAIL_MIB ? FINDING_FAIL : mib < WARN_MIB ? FINDING_WARN : FINDING_OK, text,
               mib < WARN_MIB ? "make room, or keep the state elsewhere with --data" : NULL);
}

static void check_disk(struct check *check) { doctor_put_disk(check->findings, check->look->dir, check->arena); }

/* ---- GPUs, from the bus upwards ---- */

static void check_bus(struct check *check)
{
    if (check->gpus.pci_devices == 0) {
        put(check, "gpu-bus", FINDING_OK, STR("the PCI bus shows no NVIDIA device: this is a machine without GPUs"), NULL);
    } else {
        put(check, "gpu-bus", FINDING_OK, arena_printf(check->arena, "the PCI bus shows %lld NVIDIA devices", (long long)check->gpus.pci_devices), NULL);
    }
}

static void check_support(struct check *check)
{
    if (!has_nvidia(check) || !check->look->gpu_support_off) { return; }
    put(check, "gpu-support", FINDING_WARN, STR("GPU support is switched off in the agent's settings: no task gets a GPU"),
        "start the agent with --gpu-support auto (BERTH_GPU_SUPPORT=auto, or ECS_ENABLE_GPU_SUPPORT=true)");
}

static void check_module(struct check *check)
{
    if (!has_nvidia(check)) { return; }
    struct str version = first_line(check, "/sys/module/nvidia/version");
    if (version.len > 0) {
        put(check, "nvidia-module", FINDING_OK, arena_printf(check->arena, "kernel module " STR_FMT " is loaded", STR_ARG(version)), NULL);
    } else if (is_there(check, "/sys/module/nouveau")) {
        put(check, "nvidia-module", FINDING_FAIL, STR("the kernel has loaded nouveau in place of NVIDIA's module"),
            "echo blacklist nouveau > /etc/modprobe.d/nouveau.conf, update-initramfs -u, reboot");
    } else {
        put(check, "nvidia-module", FINDING_FAIL, STR("NVIDIA's kernel module is not loaded"),
            "install the driver (apt install nvidia-driver), then modprobe nvidia, or reboot after a kernel update");
    }
}

static void check_device_files(struct check *check)
{
    if (!has_nvidia(check)) { return; }
    char path[64];
    int64_t count = 0;
    for (; count < GPUS_MAX; count++) {
        (void)snprintf(path, sizeof path, "/dev/nvidia%lld", (long long)count);
        if (!is_there(check, path)) { break; }
    }
    bool all = is_there(check, "/dev/nvidiactl") && is_there(check, "/dev/nvidia-uvm") && count > 0;
    struct str text = arena_printf(check->arena, "/dev has %lld GPUs, nvidiactl%s, nvidia-uvm%s", (long long)count,
                                   is_there(check, "/dev/nvidiactl") ? "" : " missing", is_there(check, "/dev/nvidia-uvm") ? "" : " missing");
    put(check, "nvidia-devices", all ? FINDING_OK : FINDING_FAIL, text, all ? NULL : "nvidia-modprobe -u -c 0, or start nvidia-persistenced");
}

/* The library is of one version and the module of another until a reboot: the most common trouble after an update. */
static void check_driver(struct check *check)
{
    if (!has_nvidia(check)) { return; }
    struct str module = first_line(check, "/sys/module/nvidia/version"), library = check->gpus.driver_version;
    if (check->look->nvml == NULL) {
        put(check, "nvidia-driver", FINDING_FAIL, arena_printf(check->arena, "the driver's library can't be loaded: " STR_FMT, STR_ARG(check->look->missing)),
            "install the driver: apt install nvidia-driver libnvidia-ml1");
    } else if (!str_is_set(library)) {
        struct str why = str_is_set(check->gpus.problem) ? check->gpus.problem : STR("it does not tell its version");
        put(check, "nvidia-driver", FINDING_FAIL, why, "see `nvidia-smi` and `dmesg`; reboot after the driver was updated");
    } else if (module.len > 0 && !str_eq(module, library)) {
        put(check, "nvidia-driver", FINDING_FAIL, arena_printf(check->arena, "the library is of version " STR_FMT " and the loaded module of " STR_FMT,
                                                                STR_ARG(library), STR_ARG(module)), "reboot this machine");
    } else {
        put(check, "nvidia-driver", FINDING_OK, arena_printf(check->arena, "driver " STR_FMT ", for CUDA up to " STR_FMT, STR_ARG(library),
                                                              STR_ARG(check->gpus.cuda_version)), NULL);
    }
}

static void check_gpus(struct check *check)
{
    if (check->look->nvml == NULL || !str_is_set(check->gpus.driver_version)) { return; }
    if (str_is_set(check->gpus.problem)) {
        put(check, "gpus", FINDING_FAIL, check->gpus.problem, "see `nvidia-smi -q` and `dmesg | grep -i xid`");
    } else {
        put(check, "gpus", FINDING_OK, arena_printf(check->arena, "%zu GPUs or MIG instances are ready for tasks", check->gpus.count), NULL);
    }
}

static void check_cuda(struct check *check)
{
    struct str text = check->gpus.cuda_version, major, minor;
    int64_t high = 0, low = 0, wanted = check->look->cuda_wanted;
    if (wanted == 0) { return; }
    bool known = str_is_set(text) && str_cut(text, '.', &major, &minor) && str_to_i64(major, &high) && str_to_i64(minor, &low);
    bool good = known && high * 1000 + low * 10 >= wanted;
    put(check, "cuda", good ? FINDING_OK : FINDING_FAIL,
        arena_printf(check->arena, "CUDA %lld.%lld is wanted, the driver runs up to " STR_FMT, (long long)(wanted / 1000), (long long)(wanted % 1000 / 10),
                     STR_ARG(known ? text : STR("none"))),
        good ? NULL : "update the NVIDIA driver: images for a newer CUDA end with \"CUDA driver version is insufficient for CUDA runtime version\"");
}

static bool has_cdi(const struct check *check)
{
    static const char *const specs[] = { "/etc/cdi/nvidia.yaml", "/var/run/cdi/nvidia.yaml", "/etc/cdi/nvidia.json", "/var/run/cdi/nvidia.json" };
    for (size_t s = 0; s < COUNT_OF(specs); s++) {
        if (is_there(check, specs[s])) { return true; }
    }
    return false;
}

/* Docker hands GPUs to containers through the toolkit's hook, its runtime, or a CDI description. */
static void check_toolkit(struct check *check)
{
    if (!has_nvidia(check) || !str_is_set(check->look->docker_info)) { return; }
    struct err err = { 0 };
    const struct json *runtimes = json_get(json_parse(check->look->docker_info, check->arena, &err), STR("Runtimes"));
    bool hook = is_there(check, "/usr/bin/nvidia-container-runtime-hook") || is_there(check, "/usr/bin/nvidia-container-toolkit");
    bool runtime = runtimes != NULL && json_get(runtimes, STR("nvidia")) != NULL, cdi = has_cdi(check);
    if (hook || runtime || cdi) {
        put(check, "nvidia-toolkit", FINDING_OK, arena_printf(check->arena, "Docker can give GPUs to containers:%s%s%s", hook ? " hook" : "",
                                                               runtime ? " runtime" : "", cdi ? " CDI" : ""), NULL);
    } else {
        put(check, "nvidia-toolkit", FINDING_FAIL, STR("Docker can't give GPUs to containers: the NVIDIA container toolkit is missing"),
            "install nvidia-container-toolkit, then nvidia-ctk runtime configure --runtime=docker and systemctl restart docker");
    }
}

/* Without MPS nothing is wrong: docs/gpus.md says what that means. */
static void check_shares(struct check *check)
{
    bool holds = check->gpus.count > 0 && mps_is_here();
    if (holds) { put(check, "gpu-shares", FINDING_OK, STR("NVIDIA's MPS is here: tasks are held to their shares of a GPU"), NULL); }
}

static void (*const checks[])(struct check *check) = {
    check_docker, check_cgroups, check_disk, check_bus, check_support, check_module, check_device_files, check_driver, check_gpus, check_cuda,
    check_toolkit, check_shares,
};

void doctor_check(const struct doctor_look *look, struct finding_list *findings, struct arena *arena)
{
    struct check check = { .look = look, .findings = findings, .arena = arena };
    char bus[PATH_LEN_MAX];
    if (path_at(&check, "/sys/bus/pci/devices", bus)) { gpu_probe_with(look->nvml, look->missing, bus, &check.gpus, arena); }
    for (size_t c = 0; c < COUNT_OF(checks); c++) { checks[c](&check); }
}

/* ---- this machine ---- */

static void ask_docker(const char *socket_path, struct doctor_look *look, struct arena *arena)
{
    struct docker_http *http = docker_http_create(socket_path);
    const struct docker_call call = { .method = "GET", .path = STR_INIT("/info"), .timeout_ms = DOCKER_WAIT_MS };
    struct docker_reply reply = { 0 };
    docker_http_call(http, &call, &reply, arena);
    bool good = reply.outcome == DOCKER_ANSWERED && reply.status == 200;
    if (good) {
        look->docker_info = reply.body;
    } else {
        look->docker_problem = reply.outcome == DOCKER_ANSWERED ? arena_printf(arena, "status %ld", reply.status) : reply.problem;
    }
    docker_http_destroy(http);
}

void doctor_check_machine(const struct doctor_settings *settings, struct finding_list *findings, struct arena *arena)
{
    struct nvml_library library;
    struct doctor_look look = { .root = "", .gpu_support_off = settings->gpu_support_off, .cuda_wanted = settings->cuda_wanted, .dir = settings->dir };
    bool loaded = nvml_load(&library, arena);
    look.nvml = loaded ? &library.nvml : NULL;
    look.missing = library.missing;
    ask_docker(settings->docker_socket, &look, arena);
    doctor_check(&look, findings, arena);
    nvml_unload(&library);
}
