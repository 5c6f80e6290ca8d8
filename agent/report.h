/* report.h: what happened to tasks, on its way to the server: SubmitTaskStateChange calls, in strict order per task, tried
 * for ever unless the server says that the report itself is wrong. Knows printed reports; refuses to know tasks. */
#ifndef BERTH_AGENT_REPORT_H
#define BERTH_AGENT_REPORT_H

#include "agent/client.h"
#include "base/lock.h"

struct report;
/* One task's reports. Lives inside the task, which keeps it in place until `settled` has been called. */
struct report_line {
    struct client *client;                       /* lent */
    const struct endpoint *server;               /* borrowed */
    void (*settled)(void *owner);                /* the last report was taken or dropped; the loop's thread */
    void *owner;
    struct lock lock;
    struct report *first, *last;                 /* guarded by lock: sent in this order */
    bool posted;                                 /* guarded by lock: the loop has been told, or is at work on the line */
    struct post post;
    struct call call;
    struct timer timer;
    int64_t pause_ms;
};

void report_line_init(struct report_line *line, struct client *client, const struct endpoint *server, void (*settled)(void *owner), void *owner);
/* Any thread; `body` is copied. After `final` no more follow. False: the loop has ended; the report was not taken. */
bool report_send(struct report_line *line, struct str body, bool final);
void report_line_finish(struct report_line *line);   /* the loop's thread, or after its end; what was not sent is forgotten */

#endif
