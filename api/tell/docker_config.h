/* docker_config.h: the settings of a container that the agent's model has no member for, as JSON of Docker's own Config and
 * HostConfig. Pure; private to api/. */
#ifndef BERTH_API_TELL_DOCKER_CONFIG_H
#define BERTH_API_TELL_DOCKER_CONFIG_H

#include "wire/wire.h"
#include "api/tasks/overrides.h"

/* The settings that depend on the machine. */
struct docker_ways {
    const struct pair_list *awslogs;         /* the options of Docker's own awslogs driver; NULL: the agent keeps such output itself */
    const struct str_list *devices;          /* the GPUs that are asked of Docker, none of them included; NULL: that is the agent's to say */
};

/* `over` may be NULL. */
struct wire_docker_config *docker_config_make(const struct task_definition *def, const struct container_definition *container,
                                              const struct container_override *over, const struct docker_ways *ways, struct arena *arena);

#endif
