/* gpu_figure.h: the figures of a GPU's use: the 17 that CloudWatch's agent has of nvidia-smi, and the number of its processes. A figure that a GPU does not
 * tell is unknown, which is not 0. Knows names and units of the figures; refuses to know who reads, sends and keeps them. */
#ifndef BERTH_WIRE_GPU_FIGURE_H
#define BERTH_WIRE_GPU_FIGURE_H

#include "model/schema.h"

/* In the order of records on disk (server/figures/blocks.h): a new one goes to the end. */
enum gpu_figure {
    GPU_UTILIZATION, GPU_MEMORY_UTILIZATION, GPU_MEMORY_TOTAL, GPU_MEMORY_USED, GPU_MEMORY_FREE, GPU_TEMPERATURE, GPU_POWER, GPU_FAN_SPEED,
    GPU_PCIE_GENERATION, GPU_PCIE_WIDTH, GPU_ENCODER_SESSIONS, GPU_ENCODER_FPS, GPU_ENCODER_LATENCY, GPU_CLOCK_GRAPHICS, GPU_CLOCK_SM,
    GPU_CLOCK_MEMORY, GPU_CLOCK_VIDEO, GPU_PROCESSES, GPU_FIGURES
};

/* `member`: its name in JSON. `least`: the unit in which the server keeps it; smaller parts are lost. */
struct gpu_figure_kind { struct str member; double least; const char *help; };
extern const struct gpu_figure_kind gpu_figure_kinds[GPU_FIGURES];

/* In whole units, since a server has these of very many GPUs. known: a bit a figure. A value beyond two thousand million units is cut. */
struct gpu_figures { int32_t of[GPU_FIGURES]; uint32_t known; };

struct opt_double gpu_figure(const struct gpu_figures *figures, enum gpu_figure figure);
void              gpu_figure_set(struct gpu_figures *figures, enum gpu_figure figure, double value);

#endif
