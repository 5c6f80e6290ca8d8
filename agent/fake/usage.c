#include "agent/fake/usage.h"

/* 0 to 1 and back within a minute, each device with its own phase. */
static double wave(struct str uuid, int64_t now_ms)
{
    enum { PERIOD_MS = 60000 };
    uint32_t hash = 2166136261u;                 /* FNV-1a */
    for (size_t c = 0; c < uuid.len; c++) { hash = (hash ^ (unsigned char)uuid.ptr[c]) * 16777619u; }
    int64_t phase = (now_ms + (int64_t)(hash % PERIOD_MS)) % PERIOD_MS;
    double part = (double)phase / (PERIOD_MS / 2);
    return part < 1 ? part : 2 - part;
}

/* A GPU of a server, so it has no fan. */
struct wire_gpu_sample fake_gpu_usage(const struct gpu_info *gpu, bool held, int64_t now_ms)
{
    static const double mib = 1 << 20, mhz = 1e6;
    double busy = held ? 0.75 + 0.2 * wave(gpu->uuid, now_ms) : 0, total = (double)gpu->memory_mib * mib;
    double used = held ? (double)(gpu->memory_mib * 3 / 5) * mib : 0, clock = (345 + 15 * (int)(70 * busy)) * mhz;
    struct wire_gpu_sample usage = { .uuid = gpu->uuid, .of = {
        [GPU_UTILIZATION] = { (double)(int)(busy * 100) / 100, true }, [GPU_MEMORY_UTILIZATION] = { (double)(int)(busy * 60) / 100, true },
        [GPU_TEMPERATURE] = { (int)(31 + 45 * busy), true }, [GPU_POWER] = { (int)(55 + 220 * busy), true },
        [GPU_PCIE_GENERATION] = { held ? 4 : 1, true }, [GPU_PCIE_WIDTH] = { 16, true },
        [GPU_ENCODER_SESSIONS] = { 0, true }, [GPU_ENCODER_FPS] = { 0, true }, [GPU_ENCODER_LATENCY] = { 0, true },
        [GPU_CLOCK_GRAPHICS] = { clock, true }, [GPU_CLOCK_SM] = { clock, true }, [GPU_CLOCK_MEMORY] = { 1593 * mhz, true },
        [GPU_CLOCK_VIDEO] = { clock, true }, [GPU_PROCESSES] = { held ? 1 : 0, true },
    } };
    if (gpu->memory_mib > 0) {
        usage.of[GPU_MEMORY_TOTAL] = (struct opt_double){ total, true };
        usage.of[GPU_MEMORY_USED] = (struct opt_double){ used, true };
        usage.of[GPU_MEMORY_FREE] = (struct opt_double){ total - used, true };
    }
    return usage;
}

struct wire_gpu_sample_list fake_gpus_usage(const struct gpu_inventory *gpus, bool (*held)(void *owner, struct str uuid), void *owner, int64_t now_ms,
                                          struct arena *arena)
{
    struct wire_gpu_sample_list list = { ARENA_NEW(arena, struct wire_gpu_sample, gpus->count + 1), gpus->count };
    for (size_t g = 0; g < gpus->count; g++) { list.items[g] = fake_gpu_usage(&gpus->gpus[g], held(owner, gpus->gpus[g].uuid), now_ms); }
    return list;
}
