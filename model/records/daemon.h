/* daemon.h: the record of a revision of a daemon task definition. model/taskdef.h says more. Written by tools/shapes from
 * model/records/daemon.shapes. */
#ifndef BERTH_MODEL_RECORDS_DAEMON_H
#define BERTH_MODEL_RECORDS_DAEMON_H

#include "model/ecs/daemon.h"

/* The members of ECS's daemon task definition with their own tags (new ones get the next), the tags beside it far behind. The ARN
 * is made when shown. A test compares this table with that of the wire. */
struct daemon_taskdef {
    struct daemon_task_definition def;
    struct tag_list tags;
    int64_t deployments;                     /* of daemons that use it */
    int64_t deployment_ended_ms;             /* when one of them ended last; 0: never */
};
struct daemon_taskdef_list { struct daemon_taskdef *items; size_t count; };
extern const struct schema daemon_taskdef_record;

#endif
