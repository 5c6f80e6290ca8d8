/* alarms.h: the alarms that services name in their deployments. */
#ifndef BERTH_API_ALARMS_ALARMS_H
#define BERTH_API_ALARMS_ALARMS_H

#include "api/core/context.h"
#include "model/alarm.h"

/* Those of the names whose alarm is in the state, in the order of `names`; an alarm that does not exist is not among them. The list is in
 * ctx->arena, with the texts of `names`. */
struct str_list alarms_in_state(struct op_ctx *ctx, const struct str_list *names, enum alarm_state state);
/* Does each of the names have an alarm? ERR_INVALID_PARAMETER names the first that has none. */
MUST_USE bool alarms_check_names(struct op_ctx *ctx, const struct str_list *names, struct err *err);

#endif
