/* alarm.h: Berth's record of an alarm of CloudWatch: a named state that SetAlarmState changes. The members of its metric are kept and shown, and
 * nothing evaluates them. */
#ifndef BERTH_MODEL_ALARM_H
#define BERTH_MODEL_ALARM_H

#include "model/records/alarm.h"

enum { ALARM_NAME_MAX = 255 };               /* bytes */

/* The only function that changes the state, from any state to any; of a new record from UNSET. Texts are borrowed; `data` may be absent. */
void alarm_become(struct metric_alarm *alarm, enum alarm_state state, struct str reason, struct str data, int64_t now_ms);

/* The state of `known`, which is the same alarm before it was put again. */
void alarm_keep_state(struct metric_alarm *alarm, const struct metric_alarm *known);

#endif
