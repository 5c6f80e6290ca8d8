/* The usage that a GPU reports, by a test's library instead of NVML; and the usage that simulated GPUs report. */
#include "agent/fake/usage.h"
#include "agent/gpu/usage.h"

#include "tests/unit/check.h"

static struct { int uuid, memory, memory2, utilization, temperature, power, no_clock, processes, fan, pcie, encoder; unsigned int percent, count; } answers;

static int tell_uuid(struct nvml_device *device, char *out, unsigned int size) { (void)device; (void)snprintf(out, size, "GPU-1"); return answers.uuid; }
static int tell_memory(struct nvml_device *device, struct nvml_memory *memory)
{
    (void)device;
    *memory = (struct nvml_memory){ .total = 4096, .used = 1536, .free = 2560 };
    return answers.memory;
}
static int tell_utilization(struct nvml_device *device, struct nvml_utilization *utilization)
{
    (void)device;
    *utilization = (struct nvml_utilization){ answers.percent, answers.percent / 2 };
    return answers.utilization;
}
static int tell_temperature(struct nvml_device *device, int sensor, unsigned int *celsius)
{
    (void)device;
    *celsius = sensor == NVML_SENSOR_GPU ? 61 : 0;
    return answers.temperature;
}
static int tell_power(struct nvml_device *device, unsigned int *milliwatts) { (void)device; *milliwatts = 250500; return answers.power; }
static int tell_clock(struct nvml_device *device, int which, unsigned int *mhz)
{
    (void)device;
    *mhz = 1000 + (unsigned int)which;
    return which == answers.no_clock - 1 ? NVML_NOT_SUPPORTED : NVML_OK;
}
static int tell_memory2(struct nvml_device *device, struct nvml_memory2 *memory)
{
    (void)device;
    if (memory->version != (40u | 2u << 24)) { return NVML_VERSION_MISMATCH; }
    *memory = (struct nvml_memory2){ .total = 4096, .reserved = 512, .free = 2560, .used = 1024 };
    return answers.memory2;
}
static int tell_fan(struct nvml_device *device, unsigned int *percent) { (void)device; *percent = 130; return answers.fan; }
static int tell_generation(struct nvml_device *device, unsigned int *generation) { (void)device; *generation = 5; return answers.pcie; }
static int tell_width(struct nvml_device *device, unsigned int *width) { (void)device; *width = 16; return answers.pcie; }
static int tell_encoder(struct nvml_device *device, unsigned int *sessions, unsigned int *fps, unsigned int *latency_us)
{
    (void)device;
    *sessions = 2;
    *fps = 60;
    *latency_us = 1500;
    return answers.encoder;
}
static int tell_processes(struct nvml_device *device, unsigned int *count, struct nvml_process *processes)
{
    (void)device;
    (void)processes;
    *count = answers.count;
    return answers.processes;
}

static const struct nvml library = {
    .uuid = tell_uuid, .memory = tell_memory, .utilization = tell_utilization, .temperature = tell_temperature, .power = tell_power,
    .clock = tell_clock, .processes = tell_processes, .memory2 = tell_memory2, .fan_speed = tell_fan, .pcie_generation = tell_generation,
    .pcie_width = tell_width, .encoder = tell_encoder,
};
/* A GPU in MIG mode with the instances 0 and 2, which tell their memory alone. */
static const char places[4];
static struct nvml_device *instance_at(unsigned int index) { return (struct nvml_device *)(uintptr_t)&places[1 + index]; }
static bool is_instance(const struct nvml_device *device) { return device != NULL; }
static int tell_mig(struct nvml_device *device, unsigned int *current, unsigned int *pending) { (void)device; *current = *pending = NVML_ON; return NVML_OK; }
static int tell_no_mig(struct nvml_device *device, unsigned int *current, unsigned int *pending) { (void)device; *current = *pending = 0; return NVML_OK; }
static int tell_most(struct nvml_device *device, unsigned int *count) { (void)device; *count = 3; return NVML_OK; }
static int tell_instance(struct nvml_device *device, unsigned int index, struct nvml_device **instance)
{
    (void)device;
    *instance = instance_at(index);
    return index == 1 ? NVML_NOT_FOUND : NVML_OK;
}
static int tell_mig_uuid(struct nvml_device *device, char *out, unsigned int size)
{
    (void)snprintf(out, size, is_instance(device) ? "MIG-%d" : "GPU-1", device == instance_at(2) ? 2 : 0);
    return NVML_OK;
}
static int refuse_utilization(struct nvml_device *device, struct nvml_utilization *utilization)
{
    utilization->gpu = 0;
    return is_instance(device) ? NVML_NOT_SUPPORTED : NVML_OK;
}

static const struct nvml mig_library = {
    .uuid = tell_mig_uuid, .memory = tell_memory, .utilization = refuse_utilization, .mig_mode = tell_mig, .mig_count_max = tell_most, .mig_device = tell_instance,
};
static const struct nvml old_library = { .uuid = tell_uuid, .memory = tell_memory };

static void show(struct opt_double value, char *out, size_t size) { (void)snprintf(out, size, "-"); if (value.set) { (void)snprintf(out, size, "%.15g", value.value); } }

static struct str ask(const struct nvml *nvml)
{
    static char text[512];
    char part[32];
    struct gpu_reading reading;
    if (!gpu_usage_read(nvml, NULL, &reading)) { return STR("nothing"); }
    (void)snprintf(text, sizeof text, "%s", reading.uuid);
    for (size_t f = 0; f < GPU_FIGURES; f++) {
        show(reading.figures.of[f], part, sizeof part);
        (void)strncat(strncat(text, " ", sizeof text - strlen(text) - 1), part, sizeof text - strlen(text) - 1);
    }
    return str_from(text);
}

static void test_reading(void)
{
    answers.percent = 87;
    answers.count = 2;
    CHECK_STR("all of it", ask(&library), STR("GPU-1 0.87 0.43 4096 1024 2560 61 250.5 1.3 5 16 2 60 0.0015 1000000000 1001000000 1002000000 1003000000 2"));
    CHECK_STR("an old library", ask(&old_library), STR("GPU-1 - - 4096 1536 2560 - - - - - - - - - - - - -"));
    answers.percent = 101;
    answers.processes = NVML_TOO_SMALL;
    answers.count = 90;
    CHECK_STR("more than there is", ask(&library), STR("GPU-1 1 0.5 4096 1024 2560 61 250.5 1.3 5 16 2 60 0.0015 1000000000 1001000000 1002000000 1003000000 90"));
    answers.utilization = answers.memory = answers.power = answers.processes = NVML_NOT_SUPPORTED;
    answers.memory2 = answers.fan = answers.pcie = answers.encoder = NVML_NOT_SUPPORTED;
    answers.no_clock = NVML_CLOCK_VIDEO + 1;
    CHECK_STR("what it does not tell", ask(&library), STR("GPU-1 - - - - - 61 - - - - - - - 1000000000 1001000000 1002000000 - -"));
    answers.memory = NVML_OK;
    CHECK_STR("the first form of memory", ask(&library), STR("GPU-1 - - 4096 1536 2560 61 - - - - - - - 1000000000 1001000000 1002000000 - -"));
    answers.uuid = NVML_LOST;
    CHECK_STR("a lost one", ask(&library), STR("nothing"));
}

static void test_instances(void)
{
    struct gpu_reading readings[3];
    struct nvml plain = mig_library;
    answers.memory = NVML_OK;
    CHECK_EQ("its instances, without the gap", (int64_t)gpu_usage_read_all(&mig_library, NULL, readings, 3), 2);
    CHECK_STR("one", str_from(readings[0].uuid), STR("MIG-0"));
    CHECK_STR("the other", str_from(readings[1].uuid), STR("MIG-2"));
    CHECK("memory is known", readings[1].figures.of[GPU_MEMORY_USED].set && readings[1].figures.of[GPU_MEMORY_USED].value == 1536);
    CHECK("a figure that is not reported is absent and not zero", !readings[0].figures.of[GPU_UTILIZATION].set && !readings[0].figures.of[GPU_POWER].set);
    CHECK_EQ("no more than there is room", (int64_t)gpu_usage_read_all(&mig_library, NULL, readings, 1), 1);
    CHECK_EQ("none at all", (int64_t)gpu_usage_read_all(&mig_library, NULL, readings, 0), 0);
    plain.mig_mode = tell_no_mig;
    CHECK_EQ("a whole GPU", (int64_t)gpu_usage_read_all(&plain, NULL, readings, 3), 1);
    CHECK_STR("is itself", str_from(readings[0].uuid), STR("GPU-1"));
    CHECK_EQ("without room", (int64_t)gpu_usage_read_all(&plain, NULL, readings, 0), 0);
}

static void test_simulated(void)
{
    const struct gpu_info gpu = { .uuid = STR_INIT("GPU-a"), .memory_mib = 1000 }, other = { .uuid = STR_INIT("GPU-b"), .memory_mib = 0 };
    bool same = true, moves = false;
    for (int64_t now_ms = 0; now_ms < 120000; now_ms += 1000) {
        struct wire_gpu_sample busy = fake_gpu_usage(&gpu, true, now_ms), again = fake_gpu_usage(&gpu, true, now_ms + 60000), idle = fake_gpu_usage(&gpu, false, now_ms);
        CHECK("held: busy", busy.of[GPU_UTILIZATION].value > 0.7 && busy.of[GPU_UTILIZATION].value < 1);
        CHECK("hot and fed within reason", busy.of[GPU_TEMPERATURE].value < 90 && busy.of[GPU_POWER].value < 300);
        CHECK("not held: idle", idle.of[GPU_UTILIZATION].value < 0.001 && idle.of[GPU_MEMORY_USED].value < 1 && idle.of[GPU_PROCESSES].value < 1);
        same = same && busy.of[GPU_UTILIZATION].value <= again.of[GPU_UTILIZATION].value && again.of[GPU_UTILIZATION].value <= busy.of[GPU_UTILIZATION].value;
        moves = moves || busy.of[GPU_UTILIZATION].value > 0.9;
    }
    CHECK("a minute later the same", same);
    CHECK("and not always the same", moves && fake_gpu_usage(&gpu, true, 0).of[GPU_MEMORY_USED].value > 1024 * 1024);
    CHECK("memory that nobody knows", !fake_gpu_usage(&other, true, 0).of[GPU_MEMORY_TOTAL].set);
}

int main(void)
{
    test_reading();
    test_instances();
    test_simulated();
    return check_report();
}
