#include "agent/machine_checks.h"

#include "base/log.h"

enum { REPORT_ARENA_MAX = 16 * 1024 * 1024 };

static void report(void *owner)
{
    struct machine_checks *checks = owner;
    struct arena arena = { .ceiling = REPORT_ARENA_MAX };
    atomic_store(&checks->posted, false);
    struct checks_report told = {
        .cluster = str_from(checks->cluster), .container_instance = str_from(checks->instance), .targets = checker_states(checks->checker, &arena),
    };
    if (told.targets.count > 0) { health_reporter_send(&checks->reporter, checks_body(&told, &arena)); }
    arena_finish(&arena);
}

/* The checker's thread. A client that has ended takes no post: then `posted` stays, and nothing comes after it. */
static void on_news(void *owner)
{
    struct machine_checks *checks = owner;
    if (!atomic_exchange(&checks->posted, true)) { (void)client_post(checks->client, &checks->post); }
}

void machine_checks_begin(struct machine_checks *checks, struct client *client, const struct endpoint *server, const char *cluster, const char *instance)
{
    *checks = (struct machine_checks){ .client = client, .cluster = cluster, .instance = instance, .post = { .run = report, .owner = checks } };
    health_reporter_init(&checks->reporter, client, server, CHECKS_PATH);
}

void machine_checks_set(struct machine_checks *checks, const struct wire_checks *message)
{
    struct err err = { 0 };
    checks->number = message->number.value;
    if (checks->checker == NULL && message->checks.count > 0) {
        checks->checker = checker_start(on_news, checks, &err);
        if (checks->checker == NULL) { log_line(LOG_ERROR, "agent", "%s", err.message); }
    }
    if (checks->checker != NULL) { checker_set(checks->checker, &message->checks, message->number.value, true); }
}

void machine_checks_end(struct machine_checks *checks)
{
    checker_stop(checks->checker);
    checks->checker = NULL;
    health_reporter_finish(&checks->reporter);
}
