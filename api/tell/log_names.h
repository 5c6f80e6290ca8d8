/* log_names.h: under which names of CloudWatch Logs a container's output is found, and where it is when Berth does not have it. A
 * container with the awslogs driver says so itself; every other one has the group "/berth/<family>". Knows definitions and machines;
 * refuses to know where logs are kept. */
#ifndef BERTH_API_TELL_LOG_NAMES_H
#define BERTH_API_TELL_LOG_NAMES_H

#include "base/id.h"
#include "model/ecs/taskdef.h"
#include "model/instance.h"

struct log_names { struct str group, stream; };

/* "<awslogs-stream-prefix>/<container>/<task id>", or without the prefix when there is none. `container` may name none of the
 * definition's. What CloudWatch would not take as a name is replaced. */
struct log_names log_names_of(const struct task_definition *def, struct str container, struct id task, struct arena *arena);

/* A driver by which Docker sends the output to somebody else: Berth's own agent, which reads what Docker keeps, does not see it. */
bool log_is_sent_away(enum log_driver driver);

/* Where the output of a container on this machine goes, and what to do so that Berth has it: a sentence. Absent: Berth has it. `has_role`: the
 * task has an execution role. */
struct str log_elsewhere(const struct instance *instance, const struct container_definition *container, bool has_role, struct arena *arena);

bool log_group_name_is_valid(struct str name);       /* 1 to 512 of letters, digits, '_', '-', '/', '.' and '#' */
bool log_stream_name_is_valid(struct str name);      /* 1 to 512 bytes, no ':', '*' and control characters */

#endif
