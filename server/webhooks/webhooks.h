/* webhooks.h: tells webhooks the events of the outbox (api/outbox/outbox.h), each at least once and in their order: one event a POST, signed as the Standard
 * Webhooks have it, the next one after an answer of 200 to 299. A call that fails is made again after 1 s, later up to 5 minutes, until the event is no
 * longer kept. How far each webhook is, is kept in the store, so that a server that starts again, or another one of several that leads now, goes on there. */
#ifndef BERTH_SERVER_WEBHOOKS_WEBHOOKS_H
#define BERTH_SERVER_WEBHOOKS_WEBHOOKS_H

#include "server/calls/calls.h"
#include "server/live/stream.h"
#include "server/writing/writer.h"

struct webhooks_config {                     /* all lent */
    const char *file;                        /* NULL: there is no webhook */
    struct calls *calls;
    struct store *store;
    struct stream *stream;                   /* says when there are new events */
    bool (*leads)(void *context);            /* of several servers only the one that leads tells; NULL: this one is alone */
    void *context;
};

struct webhooks;
struct webhooks *webhooks_create(const struct webhooks_config *config, struct err *err);          /* owned; NULL: the file is not good */
bool             webhooks_any(const struct webhooks *webhooks);
MUST_USE bool    webhooks_start(struct webhooks *webhooks, struct writer *writer, struct err *err);
void             webhooks_stop(struct webhooks *webhooks);           /* before the writer's end, after calls_stop and stream_stop; accepts NULL */
void             webhooks_free(struct webhooks *webhooks);           /* accepts NULL */

/* Counts of each webhook, for /metrics. */
enum { WEBHOOKS_COUNTED = 32 };
struct webhook_count { struct str name; int64_t told, failures, behind; };       /* behind: events that it has not got yet */
size_t webhooks_count(struct webhooks *webhooks, struct webhook_count *counts, size_t limit);

/* "v1," and the base64 of HMAC-SHA256 over "id.timestamp.body". */
struct str webhook_signature(struct str secret, struct str id, int64_t at_s, struct str body, struct arena *arena);

#endif
