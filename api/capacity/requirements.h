/* requirements.h: instance requirements as ECS writes them, for the matcher (scheduler/capacity/requirements.h). */
#ifndef BERTH_API_CAPACITY_REQUIREMENTS_H
#define BERTH_API_CAPACITY_REQUIREMENTS_H

#include "model/ecs/capacity.h"
#include "scheduler/capacity/requirements.h"

/* `spot`: the template asks for spot capacity. Lists are in `arena`, texts borrowed. requirements_check is the caller's. */
struct requirements requirements_read(const struct instance_requirements_request *request, bool spot, struct arena *arena);

#endif
