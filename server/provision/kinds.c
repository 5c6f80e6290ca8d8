/* kinds.c: provisioners that are programs, and those behind a URL. */
#include "server/provision/kinds.h"

#include <semaphore.h>
#include <unistd.h>

#include "server/provision/program.h"

enum { HTTP_REPLY_MAX = 1024 * 1024 };

/* ---- exec ---- */

struct kind_end kind_exec(struct provisioner *provisioner, const struct kind_call *call, struct arena *arena)
{
    const char *words[] = { arena_cstr(arena, provisioner->setting->target), arena_cstr(arena, call->verb), NULL };
    const struct program program = {
        .words = words, .environment = provisioner->setting->environment, .input = call->body, .timeout_ms = provisioner->setting->timeout_ms,
        .stopping = provisioner->stopping,
    };
    struct program_end end;
    struct err err = { 0 };
    if (!program_run(&program, arena, &end, &err)) {
        return (struct kind_end){ access(words[0], X_OK) == 0 ? PROVISIONED_LATER : PROVISIONED_REFUSED, arena_str(arena, str_from(err.message)) };
    }
    if (end.exited && end.code == 0) { return (struct kind_end){ PROVISIONED_ANSWERED, end.output }; }
    struct str why = !end.exited ? end.why : end.words.len > 0 ? end.words : arena_printf(arena, "exit status %d", end.code);
    return (struct kind_end){ end.exited && end.code == PROGRAM_LATER ? PROVISIONED_LATER : PROVISIONED_UNKNOWN, why };
}

/* ---- http ---- */

struct waiting { sem_t done; struct arena *arena; struct kind_end end; };

/* On the thread of the calls. */
static void on_ended(void *context, const struct call_outcome *outcome)
{
    struct waiting *waiting = context;
    int status = outcome->http_status;
    if (outcome->problem != NULL) {
        waiting->end = (struct kind_end){ PROVISIONED_UNKNOWN, arena_str(waiting->arena, str_from(outcome->problem)) };
    } else if (status == 200) {
        waiting->end = (struct kind_end){ PROVISIONED_ANSWERED, arena_str(waiting->arena, outcome->reply) };
    } else {
        bool later = status == 429 || status == 503;
        waiting->end = (struct kind_end){ later ? PROVISIONED_LATER : PROVISIONED_UNKNOWN, arena_printf(waiting->arena, "HTTP status %d", status) };
    }
    ASSERT(sem_post(&waiting->done) == 0);
}

struct kind_end kind_http(struct provisioner *provisioner, const struct kind_call *call, struct arena *arena)
{
    struct waiting waiting = { .arena = arena };
    struct err err = { 0 };
    struct str base = provisioner->setting->target;
    if (base.ptr[base.len - 1] == '/') { base.len--; }
    const struct call_request request = {
        .url = arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(base), STR_ARG(call->verb)), .body = call->body, .timeout_ms = provisioner->setting->timeout_ms,
        .done = on_ended, .context = &waiting, .headers = arena_printf(arena, "Idempotency-Key: " STR_FMT, STR_ARG(call->request)), .reply_max = HTTP_REPLY_MAX,
    };
    ASSERT(sem_init(&waiting.done, 0, 0) == 0);
    if (!calls_submit(provisioner->calls, &request, &err)) {
        waiting.end = (struct kind_end){ PROVISIONED_LATER, arena_str(arena, str_from(err.message)) };
    } else {
        while (sem_wait(&waiting.done) != 0) { }                 /* calls_stop ends it, too */
    }
    (void)sem_destroy(&waiting.done);
    return waiting.end;
}
