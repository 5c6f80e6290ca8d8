/* A driver's library that does as a file says, for agents that are real: FAKE_NVML names a file of one line, "COUNT XID SLOT LOST": COUNT
 * GPUs, an error that slot SLOT tells once whenever the number changes (0: none), and the slot that is lost (-1: none). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct device { int slot; };
struct pci { char legacy[16]; unsigned int domain, bus, device, id, subsystem; char bus_id[32]; };
struct event { struct device *device; unsigned long long kind, data; unsigned int a, b; };
struct memory { unsigned long long total, free, used; };
struct order { int count, xid, slot, lost; };

static struct device devices[8] = { { 0 }, { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 }, { 7 } };

static struct order order(void)
{
    struct order now = { 0, 0, 0, -1 };
    const char *path = getenv("FAKE_NVML");
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%d %d %d %d", &now.count, &now.xid, &now.slot, &now.lost) != 4) { now = (struct order){ 0, 0, 0, -1 }; }
        fclose(file);
    }
    return now;
}
static int answer(const struct device *device) { return order().lost == device->slot ? 15 : 0; }

int nvmlInit_v2(void);
int nvmlInit_v2(void) { return order().count > 0 ? 0 : 9; }
int nvmlShutdown(void);
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code) { return code == 15 ? "GPU is lost" : code == 9 ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char *out, unsigned int size);
int nvmlSystemGetDriverVersion(char *out, unsigned int size) { snprintf(out, size, "550.54.15"); return 0; }
int nvmlSystemGetCudaDriverVersion_v2(int *version);
int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 12040; return 0; }
int nvmlDeviceGetCount_v2(unsigned int *count);
int nvmlDeviceGetCount_v2(unsigned int *count) { *count = (unsigned int)order().count; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, struct device **device);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, struct device **device) { *device = &devices[index]; return answer(*device); }
int nvmlDeviceGetUUID(struct device *device, char *out, unsigned int size);
int nvmlDeviceGetUUID(struct device *device, char *out, unsigned int size) { snprintf(out, size, "GPU-fake-%d", device->slot); return answer(device); }
int nvmlDeviceGetName(struct device *device, char *out, unsigned int size);
int nvmlDeviceGetName(struct device *device, char *out, unsigned int size) { (void)device; snprintf(out, size, "Tesla V100-SXM2-16GB"); return 0; }
int nvmlDeviceGetMemoryInfo(struct device *device, struct memory *memory);
int nvmlDeviceGetMemoryInfo(struct device *device, struct memory *memory) { *memory = (struct memory){ 1ull << 34, 1ull << 34, 0 }; return answer(device); }
int nvmlDeviceGetPciInfo_v3(struct device *device, struct pci *pci);
int nvmlDeviceGetPciInfo_v3(struct device *device, struct pci *pci)
{
    memset(pci, 0, sizeof *pci);
    pci->bus = (unsigned int)device->slot + 1;
    snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
    return answer(device);
}
int nvmlEventSetCreate(void **events);
int nvmlEventSetCreate(void **events) { *events = devices; return 0; }
int nvmlEventSetFree(void *events);
int nvmlEventSetFree(void *events) { (void)events; return 0; }
int nvmlDeviceRegisterEvents(struct device *device, unsigned long long kinds, void *events);
int nvmlDeviceRegisterEvents(struct device *device, unsigned long long kinds, void *events) { (void)device; (void)kinds; (void)events; return 0; }
int nvmlEventSetWait_v2(void *events, struct event *event, unsigned int timeout_ms);
int nvmlEventSetWait_v2(void *events, struct event *event, unsigned int timeout_ms)
{
    static int told;
    struct order now = order();
    (void)events;
    if (now.xid == told) {
        usleep(timeout_ms * 1000);
        return 10;
    }
    told = now.xid;
    if (now.xid == 0) { return 10; }
    *event = (struct event){ &devices[now.slot], 8, (unsigned long long)now.xid, 0, 0 };
    return 0;
}
