/* gpu_health.h: a machine's health as ECS shows it, and GPUs that two machines have. Private to api/. */
#ifndef BERTH_API_MACHINES_GPU_HEALTH_H
#define BERTH_API_MACHINES_GPU_HEALTH_H

#include "api/core/support.h"

/* The reason why the accelerators are impaired; absent: they are well, or their health is unknown. */
struct str gpu_health_reason(const struct instance *instance, struct arena *arena);

/* ---- gpu_twins.c: a GPU's UUID names one device, which one machine holds ---- */
/* Before a registration is written: puts the GPUs that another machine holds into quarantine, and lifts that quarantine from its other GPUs. False,
 * *err and nothing changed: too many machines report one of them. */
MUST_USE bool gpu_twins_mark(struct op_ctx *ctx, struct instance *instance, struct err *err);
/* After it was written: gives each GPU that the machine no longer has to the next machine with it. `now` NULL: the machine is deregistered. */
void gpu_twins_pass_on(struct op_ctx *ctx, const struct instance *before, const struct instance *now);
/* Berth's fault of this device; NULL: none. */
const struct gpu_fault *gpu_twin_of(const struct instance *instance, struct str uuid);

#endif
