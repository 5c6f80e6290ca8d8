/* interruption.h: a notice that this machine will be taken away at a given time, and the steps that follow: the machine is set DRAINING, once
 * and successfully, and in time before the end its tasks are stopped, as interrupted; until somebody sets it ACTIVE again. The notice is a
 * file, which `berth agent notice` and a signal write too, or comes from the cloud's metadata service. Knows when; refuses to know tasks. */
#ifndef BERTH_AGENT_INTERRUPTION_H
#define BERTH_AGENT_INTERRUPTION_H

#include "agent/link/client.h"

enum { INTERRUPTION_LEAD_S = 120 };              /* how long before the end tasks are stopped, or longer where one needs more */

struct interruption_config {
    struct client *client; const struct endpoint *server;     /* lent */
    const char *cluster, *file;                  /* borrowed */
    bool ask_metadata;
    /* The loop's thread only. */
    struct str (*instance)(void *owner);         /* its ARN; empty: not registered yet */
    int64_t (*longest_stop_s)(void *owner);      /* of the tasks that run */
    void (*stop_all)(void *owner, int64_t kill_at_ms);         /* monotonic; called again and again, for tasks that come late */
    void *owner;
};

struct interruption;
struct interruption *interruption_start(const struct interruption_config *config, struct err *err);  /* owned; the loop's thread */
void           interruption_stop(struct interruption *interruption);                 /* the loop's thread, or after its end; accepts NULL */

/* {"action":"terminate","time":"2026-01-31T12:00:00Z"}, as from the metadata service; stop and hibernate take the machine away as well. False
 * with *err set: it can't be read; false without: it is about another action. */
bool notice_parse(struct str text, int64_t *end_ms, struct arena *arena, struct err *err);
bool notice_write(const char *file, int64_t end_ms, struct err *err);                /* wall clock */
bool notice_path(const char *data_dir, char *path, size_t size, struct err *err);    /* the file, unless a setting names another */

#endif
