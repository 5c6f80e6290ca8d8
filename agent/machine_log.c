#include "agent/machine_log.h"

#include "base/log.h"

enum { LOG_ARENA_MAX = 1024 * 1024, LOOK_EVERY_MS = 3000 };

/* A refusal makes a new line of the log, so it ends the reports: an older server refuses each one. */
static void look(void *owner)
{
    struct machine_log *log = owner;
    timers_set(client_timers(log->client), &log->timer, client_now(log->client) + LOOK_EVERY_MS);
    if (log->reporter.refused || log->instance[0] == '\0' || strlen(log->instance) >= sizeof log->told_as) { return; }
    char text[LOG_KEPT_MAX];
    size_t len;
    uint64_t end = log_kept(text, &len);
    if (end == log->told && strcmp(log->told_as, log->instance) == 0) { return; }
    log->told = end;
    memcpy(log->told_as, log->instance, strlen(log->instance) + 1);
    struct arena arena = { .ceiling = LOG_ARENA_MAX };
    struct own_log_report told = { .cluster = str_from(log->cluster), .container_instance = str_from(log->instance), .text = { text, len } };
    health_reporter_send(&log->reporter, own_log_body(&told, &arena));
    arena_finish(&arena);
}

void machine_log_begin(struct machine_log *log, struct client *client, const struct endpoint *server, const char *cluster, const char *instance)
{
    *log = (struct machine_log){ .client = client, .cluster = cluster, .instance = instance, .timer = { .fire = look, .owner = log } };
    health_reporter_init(&log->reporter, client, server, OWN_LOG_PATH);
    look(log);
}

void machine_log_end(struct machine_log *log)
{
    if (log->client == NULL) { return; }
    timers_cancel(client_timers(log->client), &log->timer);
    health_reporter_finish(&log->reporter);
}
