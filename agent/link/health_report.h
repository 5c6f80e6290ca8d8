/* health_report.h: sends the faults of a machine's GPUs, the states of its targets, the ends of its early pulls, or the agent's last log lines to the
 * server: only the newest report counts, and is tried until it is taken. Knows printed reports; refuses to know their content. The loop's thread. */
#ifndef BERTH_AGENT_LINK_HEALTH_REPORT_H
#define BERTH_AGENT_LINK_HEALTH_REPORT_H

#include "agent/link/client.h"
#include "model/records/gpu_health.h"
#include "wire/checks.h"
#include "wire/wire.h"

#define HEALTH_PATH "/berth/v1/agent/health"           /* of GPUs */
#define CHECKS_PATH "/berth/v1/agent/checks"           /* of targets: struct checks_report */
#define PULLED_PATH "/berth/v1/agent/pulled"           /* of early pulls: struct pulled_report */
#define OWN_LOG_PATH "/berth/v1/agent/own-log"        /* of the agent: struct own_log_report */

struct health_reporter {
    struct client *client;                       /* lent */
    struct call call;
    struct timer timer;
    char *body; size_t len;                      /* owned; the report that waits or is on its way; NULL: none */
    bool newer;                                  /* came while the call was on its way */
    int64_t pause_ms;
    bool refused;                                /* the server did not take the last one */
};

/* `path`: where the server takes these reports. */
void health_reporter_init(struct health_reporter *reporter, struct client *client, const struct endpoint *server, const char *path);
void health_reporter_send(struct health_reporter *reporter, struct str body);  /* copied; replaces the report that waits */
void health_reporter_finish(struct health_reporter *reporter);

struct str health_body(const struct health_report *report, struct arena *arena);
struct str checks_body(const struct checks_report *report, struct arena *arena);
struct str pulled_body(const struct pulled_report *report, struct arena *arena);
struct str own_log_body(const struct own_log_report *report, struct arena *arena);

#endif
