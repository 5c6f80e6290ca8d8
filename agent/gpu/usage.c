#include "agent/gpu/usage.h"

#include "agent/gpu/gpu_internal.h"

static int count_processes(const struct nvml *nvml, struct nvml_device *device, unsigned int *count)
{
    enum { READ_MAX = 64 };
    struct nvml_process processes[READ_MAX];
    *count = READ_MAX;
    int code = nvml->processes(device, count, processes);
    return code == NVML_TOO_SMALL ? NVML_OK : code;      /* then *count is their number */
}

/* A figure that the device does not tell stays unknown. */
static void put(struct gpu_reading *reading, enum gpu_figure figure, int code, double value)
{
    if (code == NVML_OK) { reading->figures.of[figure] = (struct opt_double){ value, true }; }
}

/* In the second form, or the first one of an older driver, whose used memory includes the driver's own. */
static void read_memory(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading)
{
    struct nvml_memory2 memory = { .version = NVML_MEMORY2_VERSION };
    int code = nvml->memory2 == NULL ? NVML_NOT_SUPPORTED : nvml->memory2(device, &memory);
    if (code != NVML_OK) {
        struct nvml_memory first = { 0 };
        code = nvml->memory(device, &first);
        memory = (struct nvml_memory2){ .total = first.total, .free = first.free, .used = first.used };
    }
    put(reading, GPU_MEMORY_TOTAL, code, (double)memory.total);
    put(reading, GPU_MEMORY_USED, code, (double)memory.used);
    put(reading, GPU_MEMORY_FREE, code, (double)memory.free);
}

static double part_of(unsigned int percent) { return percent > 100 ? 1 : (double)percent / 100; }

static void read_load(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading)
{
    struct nvml_utilization utilization = { 0 };
    unsigned int processes = 0, sessions = 0, fps = 0, latency_us = 0;
    if (nvml->utilization != NULL) {
        int code = nvml->utilization(device, &utilization);
        put(reading, GPU_UTILIZATION, code, part_of(utilization.gpu));
        put(reading, GPU_MEMORY_UTILIZATION, code, part_of(utilization.memory));
    }
    if (nvml->encoder != NULL) {
        int code = nvml->encoder(device, &sessions, &fps, &latency_us);
        put(reading, GPU_ENCODER_SESSIONS, code, sessions);
        put(reading, GPU_ENCODER_FPS, code, fps);
        put(reading, GPU_ENCODER_LATENCY, code, (double)latency_us / 1e6);
    }
    if (nvml->processes != NULL) {
        int code = count_processes(nvml, device, &processes);
        put(reading, GPU_PROCESSES, code, processes);
    }
}

static void read_clocks(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading)
{
    static const struct { int which; enum gpu_figure figure; } clocks[] = {
        { NVML_CLOCK_GRAPHICS, GPU_CLOCK_GRAPHICS }, { NVML_CLOCK_SM, GPU_CLOCK_SM }, { NVML_CLOCK_MEMORY, GPU_CLOCK_MEMORY },
        { NVML_CLOCK_VIDEO, GPU_CLOCK_VIDEO },
    };
    for (size_t c = 0; nvml->clock != NULL && c < COUNT_OF(clocks); c++) {
        unsigned int mhz = 0;
        int code = nvml->clock(device, clocks[c].which, &mhz);
        put(reading, clocks[c].figure, code, (double)mhz * 1e6);
    }
}

/* Figures that are one number of the device. */
static void read_numbers(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading)
{
    const struct { int (*read)(struct nvml_device *device, unsigned int *value); enum gpu_figure figure; double unit; } numbers[] = {
        { nvml->power, GPU_POWER, 1000 }, { nvml->fan_speed, GPU_FAN_SPEED, 100 }, { nvml->pcie_generation, GPU_PCIE_GENERATION, 1 },
        { nvml->pcie_width, GPU_PCIE_WIDTH, 1 },
    };
    for (size_t n = 0; n < COUNT_OF(numbers); n++) {
        unsigned int value = 0;
        int code = numbers[n].read == NULL ? NVML_NOT_SUPPORTED : numbers[n].read(device, &value);
        put(reading, numbers[n].figure, code, (double)value / numbers[n].unit);
    }
}

bool gpu_usage_read(const struct nvml *nvml, struct nvml_device *device, struct gpu_reading *reading)
{
    unsigned int celsius = 0;
    *reading = (struct gpu_reading){ .uuid = "" };
    if (nvml->uuid(device, reading->uuid, sizeof reading->uuid) != NVML_OK) { return false; }
    read_memory(nvml, device, reading);
    read_load(nvml, device, reading);
    read_clocks(nvml, device, reading);
    read_numbers(nvml, device, reading);
    if (nvml->temperature != NULL) {
        int code = nvml->temperature(device, NVML_SENSOR_GPU, &celsius);
        put(reading, GPU_TEMPERATURE, code, celsius);
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
