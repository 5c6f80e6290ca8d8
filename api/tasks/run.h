/* run.h: reading a request of RunTask, for RunTask itself and for the questions about it (api/show/what_if.h). Private to api/. */
#ifndef BERTH_API_TASKS_RUN_H
#define BERTH_API_TASKS_RUN_H

#include "api/schemas/tasks.h"
#include "api/tasks/launch.h"

/* As launch_prepare, of all that a request of RunTask says, its constraints and strategies too. */
bool launch_prepare_run(struct op_ctx *ctx, const struct cluster *cluster, const struct run_task_request *request, struct launch *launch,
                        struct err *err);

#endif
