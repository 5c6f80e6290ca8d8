/* taskdef.h: the record of a revision of a task definition. model/taskdef.h says more. Written by tools/shapes from
 * model/records/taskdef.shapes. */
#ifndef BERTH_MODEL_RECORDS_TASKDEF_H
#define BERTH_MODEL_RECORDS_TASKDEF_H

#include "model/ecs/taskdef.h"

/* The members of ECS's task definition with their own tags (new ones get the next), the tags beside it far behind. The ARN is
 * made when shown. A test compares this table with that of the wire. */
struct taskdef {
    struct task_definition def;
    struct tag_list tags;
    enum opt_bool of_daemon;                 /* read from a daemon task definition */
    int64_t deployments;                     /* of services, that use it; task sets too */
    int64_t deployment_ended_ms;             /* when the last one of them ended; 0: none did */
};
struct taskdef_list { struct taskdef *items; size_t count; };
extern const struct schema taskdef_record;

#endif
