#include "model/alarm.h"

#include "base/assert.h"

void alarm_become(struct metric_alarm *alarm, enum alarm_state state, struct str reason, struct str data, int64_t now_ms)
{
    ASSERT(state > ALARM_STATE_UNSET && state < ALARM_STATE_COUNT);
    if (alarm->state != state) { alarm->state_changed_ms = now_ms; }
    alarm->state = state;
    alarm->state_reason = reason;
    alarm->state_reason_data = data;
    alarm->state_updated_ms = now_ms;
}

void alarm_keep_state(struct metric_alarm *alarm, const struct metric_alarm *known)
{
    alarm->state = known->state;
    alarm->state_reason = known->state_reason;
    alarm->state_reason_data = known->state_reason_data;
    alarm->state_updated_ms = known->state_updated_ms;
    alarm->state_changed_ms = known->state_changed_ms;
}
