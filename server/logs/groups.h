/* groups.h: which streams a log group has: a file each in DIR/groups, named by a hash of the group's name, with a line for each
 * stream that says whose log it is. Knows names; refuses to know the text of logs. A file holds at most LOG_GROUP_FILE_MAX
 * bytes: when it is full, the older half of its streams is no longer found by name. */
#ifndef BERTH_SERVER_LOGS_GROUPS_H
#define BERTH_SERVER_LOGS_GROUPS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"

enum { LOG_GROUPS_MAX = 10000, LOG_GROUP_FILE_MAX = 16 * 1024 * 1024 };

struct log_group { struct str name; int64_t created_ms; bool made; };       /* made: by CreateLogGroup, so it stays when it is empty */
struct log_group_list { struct log_group *items; size_t count; };
struct log_stream { struct str name; struct id task; struct str container; int64_t created_ms; };
struct log_stream_list { struct log_stream *items; size_t count; };

struct log_groups;
struct log_groups *log_groups_create(const char *dir, struct err *err);      /* owned */
void log_groups_destroy(struct log_groups *groups);                          /* accepts NULL */

/* Names were checked: a group's is letters, digits and _-/.#, a stream's has no control characters. */
MUST_USE bool log_groups_make(struct log_groups *groups, struct str group, int64_t now_ms, struct err *err);     /* refuses a group that exists */
MUST_USE bool log_groups_add(struct log_groups *groups, struct str group, const struct log_stream *stream, struct err *err);
MUST_USE bool log_groups_list(struct log_groups *groups, struct log_group_list *list, struct arena *arena, struct err *err);     /* by name */
/* ERR_RESOURCE_NOT_FOUND when there is no such group. Streams by name, each once. */
MUST_USE bool log_groups_streams(struct log_groups *groups, struct str group, struct log_stream_list *list, struct arena *arena, struct err *err);

/* Forgets streams whose log is `gone`, of one group each time. One thread only. */
void log_groups_sweep(struct log_groups *groups, bool (*gone)(void *context, struct id task), void *context);

#endif
