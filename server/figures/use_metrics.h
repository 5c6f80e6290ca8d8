/* use_metrics.h: the newest samples of GPUs and containers for /metrics, with the labels of the tasks that held a GPU when its sample was read. GPUs under
 * Berth's names, those of CloudWatch's agent (nvidia_smi_*) and NVIDIA's DCGM (DCGM_FI_DEV_*). Knows the store; refuses to know HTTP. */
#ifndef BERTH_SERVER_FIGURES_USE_METRICS_H
#define BERTH_SERVER_FIGURES_USE_METRICS_H

#include "server/figures/exposition.h"
#include "server/figures/samples.h"
#include "store/store.h"

enum { USE_GPUS_MAX = 8192, USE_CONTAINERS_MAX = 4096 };         /* in one answer */
enum use_names { USE_BERTH = 1, USE_NVIDIA_SMI = 2, USE_DCGM = 4, USE_ALL = 7 };

/* "berth", "nvidia_smi" and "dcgm" with commas between them; absent: all. False: there is no such name. */
bool use_names_read(struct str text, unsigned int *names);
void use_metrics_print(struct exposition *exposition, struct samples *samples, struct store *store, unsigned int names, int64_t now_ms,
                       struct arena *arena);

#endif
