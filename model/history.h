/* history.h: the record of a task that stopped long ago. It can be read without other records, because the task, its
 * definition and its machine may be removed by then. Holds the events and their reasons; refuses to hold data that only a live
 * task needs. GPU-seconds follow from the times and the GPUs, so they are not kept. */
#ifndef BERTH_MODEL_HISTORY_H
#define BERTH_MODEL_HISTORY_H

#include "model/records/history.h"
#include "model/task.h"

int64_t history_gpu_thousandths(const struct history *history);  /* of GPUs that the task held */
int64_t history_held_from_ms(const struct history *history);    /* its placement: when it was created, or when its wait for room ended */
/* GPUs times milliseconds, from the placement to STOPPED. */
int64_t history_gpu_ms(const struct history *history);

#endif
