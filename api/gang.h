/* gang.h: tasks that start together or not at all: the tag berth:gang that asks for it, and what each container is told of its
 * gang. Pure; private to api/. */
#ifndef BERTH_API_GANG_H
#define BERTH_API_GANG_H

#include "model/task.h"

/* berth:gang=true asks for it, "false" or no such tag does not; ERR_INVALID_PARAMETER for any other value. */
bool gang_read(const struct tag_list *tags, bool *gang, struct err *err);

/* The variables BERTH_GANG_ID, BERTH_GANG_RANK and BERTH_GANG_SIZE. They follow from the task's record alone, so that a container
 * that is started again is told the same. */
enum { GANG_VARIABLE_COUNT = 3 };
bool gang_is_variable(struct str name);
void gang_put_variables(const struct task_gang *gang, struct pair_list *environment, struct arena *arena);    /* which has room for them */

#endif
