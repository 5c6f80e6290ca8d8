/* client_call.c: a call from a thread that is not the loop's: handed over, and waited for. */
#include "agent/link/client.h"

#include "base/lock.h"

struct waiter {
    struct client *client;
    struct call call;
    struct post post;
    struct str request, *body;
    struct arena *arena;
    struct lock lock;
    struct lock_signal signal;
    bool answered, ok, transient;
    struct err *err;
};

static void waiter_start(void *owner)
{
    struct waiter *waiter = owner;
    client_start(waiter->client, &waiter->call, waiter->request);
}

static void waiter_done(void *owner, const struct reply *reply)
{
    struct waiter *waiter = owner;
    client_leave(&waiter->call);
    lock_take(&waiter->lock);
    waiter->answered = true;
    waiter->ok = reply->err.code == ERR_NONE;
    waiter->transient = reply_is_transient(reply);
    if (waiter->ok) { *waiter->body = arena_str(waiter->arena, reply->body); } else { *waiter->err = reply->err; }
    lock_wake_all(&waiter->signal);
    lock_drop(&waiter->lock);
}

/* The waiter's call, complete except for `done`. */
static bool wait_for(struct waiter *waiter, bool *transient)
{
    waiter->call.done = waiter_done;
    waiter->call.owner = waiter;
    waiter->post = (struct post){ .run = waiter_start, .owner = waiter };
    lock_init(&waiter->lock);
    lock_signal_init(&waiter->signal);
    if (client_post(waiter->client, &waiter->post)) {
        lock_take(&waiter->lock);
        while (!waiter->answered) { lock_wait(&waiter->signal, &waiter->lock); }
        lock_drop(&waiter->lock);
    } else {
        waiter->transient = true;
        err_set(waiter->err, ERR_UNAVAILABLE, "The agent is stopping.");
    }
    lock_signal_finish(&waiter->signal);
    lock_finish(&waiter->lock);
    *transient = waiter->transient;
    return waiter->ok;
}

bool client_call_kind(struct client *client, enum call_kind kind, const struct endpoint *endpoint, const char *path, struct str request,
                      int64_t timeout_ms, struct str *body, bool *transient, struct arena *arena, struct err *err)
{
    struct waiter waiter = { .client = client, .request = request, .body = body, .arena = arena, .err = err };
    waiter.call = (struct call){ .endpoint = endpoint, .path = path, .kind = kind, .timeout_ms = timeout_ms };
    return wait_for(&waiter, transient);
}

bool client_call_as(struct client *client, const struct credentials *credentials, const struct endpoint *endpoint, const char *path,
                    const char *operation, struct str request, int64_t timeout_ms, struct str *body, bool *transient, struct arena *arena,
                    struct err *err)
{
    struct waiter waiter = { .client = client, .request = request, .body = body, .arena = arena, .err = err };
    waiter.call = (struct call){
        .endpoint = endpoint, .path = path, .operation = operation, .kind = CALL_SHORT, .credentials = credentials, .timeout_ms = timeout_ms,
    };
    return wait_for(&waiter, transient);
}

bool client_call(struct client *client, const struct endpoint *endpoint, const char *path, const char *operation, struct str request,
                 int64_t timeout_ms, struct str *body, bool *transient, struct arena *arena, struct err *err)
{
    return client_call_as(client, NULL, endpoint, path, operation, request, timeout_ms, body, transient, arena, err);
}
