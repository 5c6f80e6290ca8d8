#include "agent/gpu/look.h"

#include <stdio.h>

#include "base/log.h"

/* ---- opening ---- */

static struct looked_at *find_place(struct gpu_looks *looks, const char *bus_id)
{
    for (size_t g = 0; g < looks->count; g++) {
        if (strcmp(looks->gpus[g].bus_id, bus_id) == 0) { return &looks->gpus[g]; }
    }
    if (looks->count == GPUS_MAX) { return NULL; }
    ASSERT(looks->count < GPUS_MAX);
    struct looked_at *added = &looks->gpus[looks->count++];
    *added = (struct looked_at){ .device = NULL };
    (void)snprintf(added->bus_id, sizeof added->bus_id, "%s", bus_id);
    return added;
}

static void find_devices(struct gpu_looks *looks, const struct nvml *nvml)
{
    unsigned int count = 0;
    for (size_t g = 0; g < looks->count; g++) { looks->gpus[g].device = NULL; }
    if (nvml->count(&count) != NVML_OK) { return; }
    for (unsigned int number = 0; number < count; number++) {
        struct nvml_device *device = NULL;
        struct nvml_pci pci = { 0 };
        if (nvml->device(number, &device) != NVML_OK || nvml->pci(device, &pci) != NVML_OK) { continue; }
        struct looked_at *gpu = find_place(looks, pci.bus_id);
        if (gpu != NULL) { gpu->device = device; }
    }
}

static void open_events(struct gpu_looks *looks, const struct nvml *nvml)
{
    bool can = nvml->events_open != NULL && nvml->events_add != NULL && nvml->events_wait != NULL && nvml->events_close != NULL;
    if (!can || nvml->events_open(&looks->events) != NVML_OK) {
        looks->events = NULL;
        return;
    }
    for (size_t g = 0; g < looks->count; g++) {
        if (looks->gpus[g].device == NULL) { continue; }
        int code = nvml->events_add(looks->gpus[g].device, NVML_EVENT_XID, looks->events);
        if (code != NVML_OK && code != NVML_NOT_SUPPORTED) {
            log_line(LOG_WARN, "agent", "the driver reports no errors of a GPU bus=%s code=%d", looks->gpus[g].bus_id, code);
        }
    }
}

bool gpu_looks_open(struct gpu_looks *looks, const struct nvml *nvml)
{
    ASSERT(!looks->is_open && looks->events == NULL);
    if (nvml->init() != NVML_OK) { return false; }
    looks->is_open = true;
    find_devices(looks, nvml);
    open_events(looks, nvml);
    return true;
}

void gpu_looks_close(struct gpu_looks *looks, const struct nvml *nvml)
{
    if (!looks->is_open) { return; }
    if (looks->events != NULL) { nvml->events_close(looks->events); }
    looks->events = NULL;
    looks->is_open = false;
    nvml->shutdown();
}

/* ---- errors ---- */

static bool take_event(struct gpu_looks *looks, const struct nvml_event *event, int64_t now_ms)
{
    bool changed = false;
    for (size_t g = 0; g < looks->count; g++) {
        struct looked_at *gpu = &looks->gpus[g];
        if (gpu->device == NULL || (event->device != NULL && gpu->device != event->device)) { continue; }     /* without a name: all of them */
        const struct xid *xid = xid_find((unsigned int)event->data);
        log_line(LOG_WARN, "agent", "a GPU reports an error bus=%s xid=%llu: %s", gpu->bus_id, event->data, xid == NULL ? "not known" : xid->text);
        changed = gpu_state_error(&gpu->state, (unsigned int)event->data, now_ms) || changed;
    }
    return changed;
}

bool gpu_looks_wait(struct gpu_looks *looks, const struct nvml *nvml, unsigned int timeout_ms, int64_t now_ms)
{
    bool changed = false;
    struct nvml_event event = { 0 };
    while (looks->events != NULL && nvml->events_wait(looks->events, &event, timeout_ms) == NVML_OK) {
        if (event.kind == NVML_EVENT_XID) { changed = take_event(looks, &event, now_ms) || changed; }
        timeout_ms = 0;
    }
    return changed;
}

/* ---- a look ---- */

static void read_processes(const struct nvml *nvml, struct nvml_device *device, struct gpu_sample *sample)
{
    enum { READ_MAX = 64 };
    struct nvml_process processes[READ_MAX];
    unsigned int count = READ_MAX;
    if (nvml->processes == NULL) { return; }
    int code = nvml->processes(device, &count, processes);
    if (code != NVML_OK && code != NVML_TOO_SMALL) { return; }
    sample->process_count = count;
    for (size_t p = 0; code == NVML_OK && p < count && p < GPU_PIDS_MAX; p++) { sample->pids[p] = processes[p].pid; }
}

/* A value that a device can't report counts as good. */
static void read_sample(const struct nvml *nvml, struct nvml_device *device, struct gpu_sample *sample)
{
    struct nvml_memory memory = { 0 };
    unsigned long long errors = 0;
    unsigned int corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    int retire = 0;
    char uuid[NVML_TEXT_MAX];
    sample->code = nvml->uuid(device, uuid, sizeof uuid);
    int memory_code = nvml->memory(device, &memory);
    if (sample->code == NVML_OK && memory_code != NVML_NOT_SUPPORTED) { sample->code = memory_code; }
    sample->code_text = nvml->error_text(sample->code);
    if (memory_code == NVML_OK) { sample->memory_used_mib = (int64_t)(memory.used >> 20); }
    if (sample->code != NVML_OK) { return; }
    bool counts = nvml->ecc_errors != NULL && nvml->ecc_errors(device, NVML_UNCORRECTED, NVML_SINCE_LOADED, &errors) == NVML_OK;
    if (counts) { sample->ecc_uncorrected = (int64_t)errors; }
    bool remaps = nvml->remapped_rows != NULL && nvml->remapped_rows(device, &corrected, &uncorrected, &pending, &failed) == NVML_OK;
    sample->remap_failed = remaps && failed != 0;
    sample->remap_pending = remaps && pending != 0;
    sample->retire_pending = nvml->retire_pending != NULL && nvml->retire_pending(device, &retire) == NVML_OK && retire != 0;
    if (!sample->in_use) { read_processes(nvml, device, sample); }
}

bool gpu_looks_look(struct gpu_looks *looks, const struct nvml *nvml, bool (*in_use)(void *owner, const char *bus_id), void *owner,
                    int64_t now_ms, bool *broken)
{
    bool changed = false;
    size_t answering = 0;
    for (size_t g = 0; g < looks->count; g++) {
        struct looked_at *gpu = &looks->gpus[g];
        struct gpu_sample sample = { .code = NVML_LOST, .in_use = in_use(owner, gpu->bus_id), .memory_used_mib = -1, .ecc_uncorrected = -1 };
        if (gpu->device != NULL) { read_sample(nvml, gpu->device, &sample); }
        answering += sample.code == NVML_OK;
        changed = gpu_state_look(&gpu->state, &sample, now_ms) || changed;
    }
    *broken = answering < looks->count;
    return changed;
}
