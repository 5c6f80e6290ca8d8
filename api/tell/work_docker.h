/* work_docker.h: what of Docker's settings depends on the machine that runs the task, which is what the ECS agent does and does not do by
 * itself. Private to work.c. */
#ifndef BERTH_API_TELL_WORK_DOCKER_H
#define BERTH_API_TELL_WORK_DOCKER_H

#include "api/core/api.h"
#include "api/tell/docker_config.h"

/* The ways of one container; `has_role`: the task has an execution role. */
struct docker_ways work_docker_ways(const struct api_config *config, const struct instance *instance, const struct task *task,
                                    const struct task_definition *def, const struct task_container *container, bool has_role, struct arena *arena);

#endif
