/* nvml.c: loading the library: the one place that knows its symbols. */
#include "agent/gpu/nvml.h"

#include <dlfcn.h>

/* dlsym returns an object pointer for a function; POSIX says that both have the same form, C has no cast for it. */
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

/* Functions that an old driver lacks: then nothing is known of partitions, links, health or usage. */
static void find_more_symbols(void *library, struct nvml *nvml)
{
    (void)find_symbol(library, "nvmlDeviceGetMigMode", &nvml->mig_mode);
    (void)find_symbol(library, "nvmlDeviceGetMaxMigDeviceCount", &nvml->mig_count_max);
    (void)find_symbol(library, "nvmlDeviceGetMigDeviceHandleByIndex", &nvml->mig_device);
    (void)find_symbol(library, "nvmlDeviceGetAttributes_v2", &nvml->attributes);
    (void)find_symbol(library, "nvmlDeviceGetTopologyCommonAncestor", &nvml->common_ancestor);
    (void)find_symbol(library, "nvmlDeviceGetNvLinkState", &nvml->link_state);
    (void)find_symbol(library, "nvmlDeviceGetNvLinkRemoteDeviceType", &nvml->link_remote_type);
    (void)find_symbol(library, "nvmlDeviceGetNvLinkRemotePciInfo_v2", &nvml->link_remote_pci);
    (void)find_symbol(library, "nvmlDeviceGetP2PStatus", &nvml->p2p_status);
    (void)find_symbol(library, "nvmlDeviceGetComputeRunningProcesses_v3", &nvml->processes);
    (void)find_symbol(library, "nvmlDeviceGetTotalEccErrors", &nvml->ecc_errors);
    (void)find_symbol(library, "nvmlDeviceGetRetiredPagesPendingStatus", &nvml->retire_pending);
    (void)find_symbol(library, "nvmlDeviceGetRemappedRows", &nvml->remapped_rows);
    (void)find_symbol(library, "nvmlDeviceGetUtilizationRates", &nvml->utilization);
    (void)find_symbol(library, "nvmlDeviceGetTemperature", &nvml->temperature);
    (void)find_symbol(library, "nvmlDeviceGetPowerUsage", &nvml->power);
    (void)find_symbol(library, "nvmlDeviceGetClockInfo", &nvml->clock);
    (void)find_symbol(library, "nvmlDeviceGetMemoryInfo_v2", &nvml->memory2);
    (void)find_symbol(library, "nvmlDeviceGetFanSpeed", &nvml->fan_speed);
    (void)find_symbol(library, "nvmlDeviceGetCurrPcieLinkGeneration", &nvml->pcie_generation);
    (void)find_symbol(library, "nvmlDeviceGetCurrPcieLinkWidth", &nvml->pcie_width);
    (void)find_symbol(library, "nvmlDeviceGetEncoderStats", &nvml->encoder);
    (void)find_symbol(library, "nvmlEventSetCreate", &nvml->events_open);
    (void)find_symbol(library, "nvmlEventSetFree", &nvml->events_close);
    (void)find_symbol(library, "nvmlDeviceRegisterEvents", &nvml->events_add);
    (void)find_symbol(library, "nvmlEventSetWait_v2", &nvml->events_wait);
}

bool nvml_load(struct nvml_library *library, struct arena *arena)
{
    *library = (struct nvml_library){ .handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL) };
    const char *cause = library->handle == NULL ? dlerror() : "libnvidia-ml.so.1 is older than driver 450";
    library->missing = arena_str(arena, str_from(cause == NULL ? "libnvidia-ml.so.1 can't be loaded" : cause));
    bool loaded = library->handle != NULL && find_symbols(library->handle, &library->nvml);
    if (loaded) { find_more_symbols(library->handle, &library->nvml); }
    return loaded;
}

void nvml_unload(struct nvml_library *library)
{
    if (library->handle != NULL) { dlclose(library->handle); }
    library->handle = NULL;
}
