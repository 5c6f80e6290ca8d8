/* report.h: what happened to tasks, on its way to the server: in strict order per task, tried for ever unless the server says that the
 * report itself is wrong. All go to /berth/v1/agent/reports (wire.h): the first at once, and those that come while calls are on their
 * way wait and go together, in one call. Knows printed reports; refuses to know tasks. */
#ifndef BERTH_AGENT_LINK_REPORT_H
#define BERTH_AGENT_LINK_REPORT_H

#include "agent/link/client.h"
#include "base/lock.h"

/* The calls of all lines of a process. The loop's thread only, except report_send. */
struct reporter;
struct reporter *reporter_create(struct client *client, const struct endpoint *server);      /* owned; client lent, server borrowed */
void reporter_destroy(struct reporter *reporter);    /* no line may be left; accepts NULL */

struct report;
struct report_call;
/* One task's reports. Lives inside the task, which keeps it in place until `settled` has been called. */
struct report_line {
    struct reporter *reporter;                   /* lent */
    void (*settled)(void *owner);                /* the last report was taken or dropped; the loop's thread */
    void *owner;
    struct lock lock;
    struct report *first, *last;                 /* guarded by lock: sent in this order */
    bool posted;                                 /* guarded by lock: the loop knows of the line, or works on it */
    struct post post;
    struct timer timer;
    int64_t pause_ms;
    struct report_call *call;                    /* that its first report is in; NULL: none */
    struct report_line *next, *previous;         /* among those that wait for a call */
    bool waits;
};

void report_line_init(struct report_line *line, struct reporter *reporter, void (*settled)(void *owner), void *owner);
/* Any thread; `body` is copied. After `final` no more follow. False: the loop has ended; the report was not taken. */
bool report_send(struct report_line *line, struct str body, bool final);
void report_line_finish(struct report_line *line);   /* the loop's thread, or after its end; unsent reports are dropped */

#endif
