/* overrides.h: what a task and its containers really get: the definition, with what the request overrides laid over it. The
 * demand, the view and the payload ask here, so that all three agree. Pure; private to api/. */
#ifndef BERTH_API_TASKS_OVERRIDES_H
#define BERTH_API_TASKS_OVERRIDES_H

#include "model/taskdef.h"

/* Names exist, amounts can be read, and all together are no longer than ECS allows. ERR_INVALID_PARAMETER. */
bool overrides_check(const struct task_definition *def, const struct task_override *overrides, struct arena *arena, struct err *err);

/* `over` may be NULL. */
struct opt_int   overrides_cpu(const struct container_definition *def, const struct container_override *over);
struct opt_int   overrides_memory(const struct container_definition *def, const struct container_override *over);
struct opt_int   overrides_reservation(const struct container_definition *def, const struct container_override *over);
struct str_list  overrides_command(const struct container_definition *def, const struct container_override *over);
struct pair_list overrides_environment(const struct container_definition *def, const struct container_override *over,
                                       struct arena *arena);          /* merged by name; the override wins */
/* The override's requirements take the place of the definition's, all of them. */
const struct resource_requirement_list *overrides_requirements(const struct container_definition *def, const struct container_override *over);

/* The amounts of the task as a whole, absent when it has none. `overrides` may be NULL. */
struct str overrides_task_cpu(const struct task_definition *def, const struct task_override *overrides);
struct str overrides_task_memory(const struct task_definition *def, const struct task_override *overrides);

/* The roles of the task, absent when it has none. */
struct str overrides_task_role(const struct task_definition *def, const struct task_override *overrides);
struct str overrides_execution_role(const struct task_definition *def, const struct task_override *overrides);

/* The host port that a mapping always takes: 0 when the agent chooses one, or when the network mode has none. */
int64_t overrides_host_port(enum network_mode mode, const struct port_mapping *mapping);

#endif
