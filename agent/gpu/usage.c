#include "agent/gpu/usage.h"

#include "agent/gpu/gpu_internal.h"

static struct opt_double known(int code, double value) { return (struct opt_double){ code == NVML_OK ? value : 0, code == NVML_OK }; }

static int count_processes(const struct nvml *nvml, struct nvml_device *device, unsigned int *count)
{
    enum { READ_MAX = 64 };
    struct nvml_process processes[READ_MAX];
    *count = READ_MAX;
    int code = nvml->processes(device, count, processes);
    return code == NVML_TOO_SMALL ? NVML_OK : code;      /* then *count is their number */
}

bool gpu_usage_read(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading)
{
    struct nvml_memory memory = { 0 };
    struct nvml_utilization utilization = { 0 };
    unsigned int celsius = 0, milliwatts = 0, mhz = 0, processes = 0;
    *reading = (struct gpu_reading){ .uuid = "" };
    struct wire_gpu_sample *figures = &reading->figures;
    if (nvml->uuid(device, reading->uuid, sizeof reading->uuid) != NVML_OK) { return false; }
    int code = nvml->memory(device, &memory);
    figures->memory_used_bytes = known(code, (double)memory.used);
    figures->memory_total_bytes = known(code, (double)memory.total);
    if (nvml->utilization != NULL) {
        code = nvml->utilization(device, &utilization);
        figures->utilization = known(code, utilization.gpu > 100 ? 1 : (double)utilization.gpu / 100);
    }
    if (nvml->temperature != NULL) {
        code = nvml->temperature(device, NVML_SENSOR_GPU, &celsius);
        figures->temperature_celsius = known(code, celsius);
    }
    if (nvml->power != NULL) {
        code = nvml->power(device, &milliwatts);
        figures->power_watts = known(code, (double)milliwatts / 1000);
    }
    if (nvml->clock != NULL) {
        code = nvml->clock(device, NVML_CLOCK_SM, &mhz);
        figures->clock_hertz = known(code, (double)mhz * 1e6);
    }
    if (nvml->processes != NULL) {
        code = count_processes(nvml, device, &processes);
        figures->processes = known(code, processes);
    }
    return true;
}

size_t gpu_usage_read_all(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *readings, size_t most)
{
    size_t count = 0;
    unsigned int instances = 0;
    if (!gpu_mig_is_on(nvml, device)) { return most > 0 && gpu_usage_read(nvml, device, readings) ? 1 : 0; }
    if (nvml->mig_count_max(device, &instances) != NVML_OK) { return 0; }
    for (unsigned int index = 0; index < instances && count < most; index++) {       /* there are gaps where some were destroyed */
        struct nvml_device *instance = NULL;
        if (nvml->mig_device(device, index, &instance) == NVML_OK && gpu_usage_read(nvml, instance, &readings[count])) { count++; }
    }
    return count;
}
