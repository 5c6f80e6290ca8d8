/* log_names.h: under which names of CloudWatch Logs a container's output is found. A container with the awslogs driver says so
 * itself; every other one has the group "/berth/<family>". Knows definitions; refuses to know where logs are kept. */
#ifndef BERTH_API_LOG_NAMES_H
#define BERTH_API_LOG_NAMES_H

#include "base/id.h"
#include "model/ecs_taskdef.h"

struct log_names { struct str group, stream; };

/* "<awslogs-stream-prefix>/<container>/<task id>", or without the prefix when there is none. `container` may name none of the
 * definition's. What CloudWatch would not take as a name is replaced. */
struct log_names log_names_of(const struct task_definition *def, struct str container, struct id task, struct arena *arena);

bool log_group_name_is_valid(struct str name);       /* 1 to 512 of letters, digits, '_', '-', '/', '.' and '#' */
bool log_stream_name_is_valid(struct str name);      /* 1 to 512 bytes, no ':', '*' and control characters */

#endif
