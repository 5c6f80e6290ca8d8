/* gang.h: tasks that start together or not at all: the tag berth:gang that asks for it, and the values that each container gets about its
 * gang. Pure; private to api/. */
#ifndef BERTH_API_TASKS_GANG_H
#define BERTH_API_TASKS_GANG_H

#include "model/ecs/taskdef.h"
#include "model/task.h"

/* berth:gang=true asks for it, "false" or no such tag does not; ERR_INVALID_PARAMETER for any other value. */
bool gang_read(const struct tag_list *tags, bool *gang, struct err *err);

/* The variables BERTH_GANG_ID, BERTH_GANG_RANK and BERTH_GANG_SIZE. They follow from the task's record alone, so that a container
 * that is started again gets the same. */
enum { GANG_VARIABLE_COUNT = 3 };
bool gang_is_variable(struct str name);
void gang_put_variables(const struct task_gang *gang, struct pair_list *environment, struct arena *arena);    /* which has room for them */

/* MASTER_ADDR and MASTER_PORT, by which programs such as torchrun find rank 0. `environment` has room for two more; what it says of the
 * address itself stays, and its own port counts. They are added only where the address leads to the task of rank 0: its processes use the
 * machine's network, or a port of the machine leads to the same port of a container. In awsvpc its address is not known beforehand. */
enum { GANG_MASTER_COUNT = 2 };
struct gang_master { struct str address; bool is_process; };          /* of rank 0's machine; its agent runs plain processes */
void gang_put_master(const struct gang_master *master, const struct task_definition *def, struct pair_list *environment, struct arena *arena);

#endif
