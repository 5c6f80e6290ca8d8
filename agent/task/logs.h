/* logs.h: ships what containers print to the server, in order and in chunks, by one thread for all containers of a machine.
 * Knows offsets and UTF-8; refuses to know tasks. */
#ifndef BERTH_AGENT_TASK_LOGS_H
#define BERTH_AGENT_TASK_LOGS_H

#include "agent/link/client.h"
#include "agent/core/runtime.h"

struct logs;
struct log_follow;

struct logs *logs_create(struct client *client, const struct endpoint *server, const char *cluster, struct runtime *runtime, struct err *err);
void logs_destroy(struct logs *logs);            /* stops and joins its thread; NULL: nothing. The loop must have ended. */

/* Any thread. Texts are copied. */
struct log_follow *logs_follow(struct logs *logs, struct str task_arn, struct str container, struct str runtime_id);
void logs_ended(struct logs *logs, struct log_follow *follow);         /* the container has ended: no more output will come */
bool logs_wait_sent(struct logs *logs, struct log_follow *follow, int64_t until_ms);   /* monotonic; false: not all is sent yet */
void logs_release(struct logs *logs, struct log_follow *follow);       /* NULL: nothing */

/* Bytes of a container's output as UTF-8 text: bytes that are not UTF-8 become U+FFFD. A character that is cut at the end waits for its rest,
 * unless this is the end. *used: how many bytes of `raw` were turned. The same bytes give the same text however they are cut into chunks, so
 * that offsets stay true over a restart. `times`, lent, are moved from bytes of `raw` to bytes of the text, and those behind *used are
 * dropped. */
struct str logs_clean(struct str raw, bool end, size_t *used, struct log_time_list *times, struct arena *arena);

#endif
