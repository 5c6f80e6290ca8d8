/* outbox.h: events that the server tells others, as EventBridge has them: api/outbox/outbox.h. Written by tools/shapes from
 * model/records/outbox.shapes. */
#ifndef BERTH_MODEL_RECORDS_OUTBOX_H
#define BERTH_MODEL_RECORDS_OUTBOX_H

#include "model/schema.h"

struct kept_event {
    int64_t number;                          /* 1, 2, 3, …: the key */
    int64_t at_ms;
    struct str type;                         /* the detail-type */
    struct str text;                         /* the whole event, a JSON object on one line */
};
struct kept_event_list { struct kept_event *items; size_t count; };
extern const struct schema kept_event_record;

#endif
