/* alarms.h: the alarms that services name in their deployments. */
#ifndef BERTH_API_ALARMS_ALARMS_H
#define BERTH_API_ALARMS_ALARMS_H

#include "api/core/context.h"
#include "model/alarm.h"

enum alarm_state alarms_state(struct op_ctx *ctx, struct str name);      /* UNSET: there is no such alarm */
/* Does each of the names have an alarm, or is it an address (names_is_url)? ERR_INVALID_PARAMETER names the first that has none. */
MUST_USE bool alarms_check_names(struct op_ctx *ctx, const struct str_list *names, struct err *err);

MUST_USE bool op_put_metric_data(struct op_ctx *ctx, const void *input, void *output, struct err *err);      /* metrics.c */

#endif
