#include "wire/gpu_figure.h"

#include <math.h>

const struct gpu_figure_kind gpu_figure_kinds[GPU_FIGURES] = {
    [GPU_UTILIZATION]        = { STR_INIT("utilization"), 0.001, "Part of the time in which something ran on the GPU, 0 to 1." },
    [GPU_MEMORY_UTILIZATION] = { STR_INIT("memoryUtilization"), 0.001, "Part of the time in which the GPU read or wrote its memory, 0 to 1." },
    [GPU_MEMORY_TOTAL]       = { STR_INIT("memoryTotalBytes"), 1024, "Memory that the GPU has." },
    [GPU_MEMORY_USED]        = { STR_INIT("memoryUsedBytes"), 1024, "Memory of the GPU that is in use." },
    [GPU_MEMORY_FREE]        = { STR_INIT("memoryFreeBytes"), 1024, "Memory of the GPU that is free: without what its driver keeps for itself." },
    [GPU_TEMPERATURE]        = { STR_INIT("temperatureCelsius"), 1, "Temperature of the GPU." },
    [GPU_POWER]              = { STR_INIT("powerWatts"), 0.1, "Power that the GPU draws." },
    [GPU_FAN_SPEED]          = { STR_INIT("fanSpeed"), 0.01, "Speed of the GPU's fan that is wanted, as a part of its greatest." },
    [GPU_PCIE_GENERATION]    = { STR_INIT("pcieGeneration"), 1, "Generation of the GPU's PCIe link as it runs now." },
    [GPU_PCIE_WIDTH]         = { STR_INIT("pcieWidth"), 1, "Lanes of the GPU's PCIe link as it runs now." },
    [GPU_ENCODER_SESSIONS]   = { STR_INIT("encoderSessions"), 1, "Sessions of the GPU's video encoder." },
    [GPU_ENCODER_FPS]        = { STR_INIT("encoderFps"), 1, "Frames a second of the encoder's sessions, their mean." },
    [GPU_ENCODER_LATENCY]    = { STR_INIT("encoderLatencySeconds"), 1e-6, "Time that the encoder takes for a frame, the mean of its sessions." },
    [GPU_CLOCK_GRAPHICS]     = { STR_INIT("graphicsClockHertz"), 1e6, "Clock of the GPU's graphics." },
    [GPU_CLOCK_SM]           = { STR_INIT("clockHertz"), 1e6, "Clock of the GPU's processors." },
    [GPU_CLOCK_MEMORY]       = { STR_INIT("memoryClockHertz"), 1e6, "Clock of the GPU's memory." },
    [GPU_CLOCK_VIDEO]        = { STR_INIT("videoClockHertz"), 1e6, "Clock of the GPU's video." },
    [GPU_PROCESSES]          = { STR_INIT("processes"), 1, "Processes that compute on the GPU." },
};

struct opt_double gpu_figure(const struct gpu_figures *figures, enum gpu_figure figure)
{
    if ((figures->known >> figure & 1) == 0) { return (struct opt_double){ 0 }; }
    double least = gpu_figure_kinds[figure].least, value = (double)figures->of[figure];
    return (struct opt_double){ least < 1 ? value / round(1 / least) : value * least, true };      /* so that 0.87 is 0.87 again */
}

void gpu_figure_set(struct gpu_figures *figures, enum gpu_figure figure, double value)
{
    double most = INT32_MAX, whole = round(value / gpu_figure_kinds[figure].least);
    figures->of[figure] = (int32_t)(whole > most ? most : whole < -most ? -most : whole);
    figures->known |= (uint32_t)1 << figure;
}
