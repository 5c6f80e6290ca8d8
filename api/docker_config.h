/* docker_config.h: the settings of a container that the agent's model has no member for, as JSON of Docker's own Config and
 * HostConfig. Pure; private to api/. */
#ifndef BERTH_API_DOCKER_CONFIG_H
#define BERTH_API_DOCKER_CONFIG_H

#include "api/wire.h"
#include "api/overrides.h"

/* `over` may be NULL. */
struct wire_docker_config *docker_config_make(const struct task_definition *def, const struct container_definition *container,
                                              const struct container_override *over, struct arena *arena);

#endif
