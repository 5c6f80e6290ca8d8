/* gpu_health.h: a machine's health as ECS shows it. Private to api/. */
#ifndef BERTH_API_GPU_HEALTH_H
#define BERTH_API_GPU_HEALTH_H

#include "api/support.h"

/* Why the accelerators are not well; absent when they are, or nobody knows. */
struct str gpu_health_reason(const struct instance *instance, struct arena *arena);

#endif
