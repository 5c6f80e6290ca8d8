/* service_calls.c: see service_calls.h. */
#include "server/calls/service_calls.h"

#include <stdlib.h>

#include "base/lock.h"
#include "base/log.h"

enum { ARENA_CEILING = 16 * 1024 * 1024 };

/* A call from its beginning until the writer has answered. */
struct under_way {
    struct job job;                              /* the first member: on_written gets it back from the job */
    struct api_call prepared;
    struct arena arena;                          /* the writer's while the job runs */
    struct service_calls *own;
    struct service_call call;                    /* texts in the arena */
    struct under_way *next;
};

struct service_calls {
    struct calls *calls;
    struct writer *writer;                       /* set before the first call */
    struct lock lock;
    struct under_way *first;                     /* guarded by lock; CALLS_MAX, and those that wait for the writer */
};

static const struct caller own_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_ADMIN };

struct service_calls *service_calls_create(struct calls *calls)
{
    struct service_calls *own = calloc(1, sizeof *own);
    ASSERT(own != NULL && calls != NULL);
    own->calls = calls;
    lock_init(&own->lock);
    return own;
}

void service_calls_start(struct service_calls *own, struct writer *writer) { own->writer = writer; }

/* ---- the list ---- */

/* NULL: it is in the list already. */
static struct under_way *add(struct service_calls *own, const struct service_call *call)
{
    struct under_way *at = NULL;
    lock_take(&own->lock);
    for (at = own->first; at != NULL; at = at->next) {
        if (at->call.service == call->service && str_eq(at->call.key, call->key)) { break; }
    }
    bool is_new = at == NULL;
    if (is_new) {
        at = calloc(1, sizeof *at);
        ASSERT(at != NULL);
        arena_init(&at->arena, ARENA_CEILING);
        at->own = own;
        at->call = (struct service_call){ .service = call->service, .number = call->number, .key = arena_str(&at->arena, call->key) };
        at->next = own->first;
        own->first = at;
    }
    lock_drop(&own->lock);
    return is_new ? at : NULL;
}

static void drop(struct under_way *done)
{
    struct service_calls *own = done->own;
    lock_take(&own->lock);
    struct under_way **at = &own->first;
    while (*at != done) { at = &(*at)->next; }
    *at = done->next;
    lock_drop(&own->lock);
    arena_finish(&done->arena);
    free(done);
}

/* ---- one call ---- */

static void on_written(struct job *job)
{
    if (!job->ok) { log_line(LOG_WARN, "calls", "the answer of a call for a service could not be written: %s", job->err.message); }
    drop((struct under_way *)(void *)job);
}

static void on_ended(void *context, const struct call_outcome *outcome)
{
    struct under_way *done = context;
    struct arena *arena = &done->arena;
    struct err err = { 0 };
    if (outcome->stopped) {
        drop(done);
        return;
    }
    if (outcome->problem != NULL) { log_line(LOG_INFO, "calls", "no answer for " STR_FMT ": %s", STR_ARG(done->call.key), outcome->problem); }
    const struct service_called called = {
        .service = done->call.service, .number = done->call.number, .key = done->call.key, .http_status = outcome->http_status,
        .reply = arena_str(arena, outcome->reply), .problem = outcome->problem == NULL ? (struct str){ NULL, 0 } : arena_str(arena, str_from(outcome->problem)),
    };
    api_prepare_service_called(&called, arena, &done->prepared);
    done->job = (struct job){ .call = &done->prepared, .arena = arena, .caller = own_caller, .done = on_written };
    if (writer_submit(done->own->writer, &done->job, &err)) { return; }
    log_line(LOG_WARN, "calls", "the answer of a call for a service could not be written: %s", err.message);
    drop(done);
}

void service_calls_make(struct service_calls *own, const struct service_call *first)
{
    for (const struct service_call *call = first; call != NULL; call = call->next) {
        struct under_way *begun = add(own, call);
        struct err err = { 0 };
        if (begun == NULL) { continue; }
        const struct call_request request = {
            .url = call->url, .body = call->body, .timeout_ms = call->timeout_ms, .done = on_ended, .context = begun,
        };
        if (calls_submit(own->calls, &request, &err)) { continue; }
        log_line(LOG_WARN, "calls", "a call for a service is put off: %s", err.message);
        drop(begun);
    }
}

void service_calls_free(struct service_calls *own)
{
    if (own == NULL) { return; }
    ASSERT(own->first == NULL);                  /* each call has ended, and each job */
    lock_finish(&own->lock);
    free(own);
}
