/* calls.c: see calls.h. The thread alone uses the calls and libcurl; the others put new calls into a list and wake it. */
#include "server/calls/calls.h"

#include <curl/curl.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/lock.h"

enum { CONNECT_TIMEOUT_MS = 5000, LOOK_MS = 1000, IDLE_CONNECTIONS_MAX = 32, CALL_CEILING = 8 * 1024 * 1024 };

struct call {
    struct call *next;
    struct call_request request;                 /* texts in the arena */
    struct arena arena;
    struct buf reply;
    bool too_large;
    CURL *easy;
    struct curl_slist *headers;
    char why[CURL_ERROR_SIZE];
};

struct calls {
    CURLM *multi;
    pthread_t thread;
    struct lock lock;
    struct call *fresh;                          /* guarded by lock, as the next */
    size_t count;                                /* on their way or fresh */
    bool stopping;
    struct call *running;                        /* the thread's own */
};

/* ---- one call ---- */

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct call *call = context;
    size_t length = size * count;
    call->too_large = length > call->request.reply_max - call->reply.len;
    if (call->too_large) { return CURL_WRITEFUNC_ERROR; }
    buf_put(&call->reply, (struct str){ bytes, length });
    return length;
}

/* NULL: no memory is left. */
static CURL *make_easy(struct call *call)
{
    const struct call_request *request = &call->request;
    CURL *easy = curl_easy_init();
    if (easy == NULL) { return NULL; }
    curl_easy_setopt(easy, CURLOPT_URL, request->url.ptr);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "berth/" BERTH_VERSION);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->why);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
    if (request->body.ptr != NULL) { call->headers = curl_slist_append(call->headers, "Content-Type: application/json"); }
    struct str left = request->headers, line;
    while (left.len > 0) {
        (void)str_cut(left, '\n', &line, &left);
        call->headers = curl_slist_append(call->headers, arena_cstr(&call->arena, line));
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
    if (request->body.ptr == NULL) { return easy; }
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body.ptr);
    return easy;
}

static void free_call(struct call *call)
{
    curl_easy_cleanup(call->easy);
    curl_slist_free_all(call->headers);
    arena_finish(&call->arena);
    free(call);
}

/* The call is in no list any more. Its place is free before `done` runs. */
static void end_call(struct calls *calls, struct call *call, const struct call_outcome *outcome)
{
    lock_take(&calls->lock);
    calls->count--;
    lock_drop(&calls->lock);
    call->request.done(call->request.context, outcome);
    free_call(call);
}

static void end_running(struct calls *calls, struct call *call, CURLcode result)
{
    struct call **at = &calls->running;
    while (*at != call) { at = &(*at)->next; }
    *at = call->next;
    long status = 0;
    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(calls->multi, call->easy);
    struct call_outcome outcome = { .http_status = (int)status, .reply = buf_str(&call->reply) };
    if (result != CURLE_OK) {
        const char *why = call->why[0] != '\0' ? call->why : curl_easy_strerror(result);
        const char *large = call->request.reply_max == CALL_REPLY_MAX ? "the answer is larger than 64 KiB" : "the answer is larger than 1 MiB";
        outcome = (struct call_outcome){ .problem = call->too_large ? large : why };
    }
    end_call(calls, call, &outcome);
}

/* ---- the thread ---- */

/* The calls that wait, the newest first. False: the thread ends. */
static bool take_fresh(struct calls *calls, struct call **fresh)
{
    lock_take(&calls->lock);
    *fresh = calls->fresh;
    calls->fresh = NULL;
    bool go_on = !calls->stopping;
    lock_drop(&calls->lock);
    return go_on;
}

static void begin_call(struct calls *calls, struct call *call)
{
    call->easy = make_easy(call);
    if (call->easy == NULL || curl_multi_add_handle(calls->multi, call->easy) != CURLM_OK) {
        end_call(calls, call, &(struct call_outcome){ .problem = "no memory is left" });
        return;
    }
    call->next = calls->running;
    calls->running = call;
}

static void end_those_done(struct calls *calls)
{
    int left;
    for (CURLMsg *message = curl_multi_info_read(calls->multi, &left); message != NULL; message = curl_multi_info_read(calls->multi, &left)) {
        struct call *call = NULL;
        if (message->msg != CURLMSG_DONE) { continue; }
        CURLcode result = message->data.result;                            /* the message dies with the handle's removal */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
        end_running(calls, call, result);
    }
}

static void stop_all(struct calls *calls, struct call *fresh)
{
    const struct call_outcome outcome = { .problem = "the server stops", .stopped = true };
    for (struct call *call = fresh, *next; call != NULL; call = next) {
        next = call->next;
        end_call(calls, call, &outcome);
    }
    for (struct call *call = calls->running, *next; call != NULL; call = next) {
        next = call->next;
        curl_multi_remove_handle(calls->multi, call->easy);
        end_call(calls, call, &outcome);
    }
}

static void *calls_thread(void *context)
{
    struct calls *calls = context;
    struct call *fresh;
    int running;
    while (take_fresh(calls, &fresh)) {
        for (struct call *call = fresh, *next; call != NULL; call = next) {
            next = call->next;
            begin_call(calls, call);
        }
        curl_multi_perform(calls->multi, &running);
        end_those_done(calls);
        curl_multi_poll(calls->multi, NULL, 0, LOOK_MS, NULL);
    }
    stop_all(calls, fresh);
    return NULL;
}

/* ---- doors ---- */

struct calls *calls_start(struct err *err)
{
    struct calls *calls = calloc(1, sizeof *calls);
    ASSERT(calls != NULL);
    ASSERT(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
    calls->multi = curl_multi_init();
    ASSERT(calls->multi != NULL);
    curl_multi_setopt(calls->multi, CURLMOPT_MAXCONNECTS, (long)IDLE_CONNECTIONS_MAX);
    lock_init(&calls->lock);
    if (pthread_create(&calls->thread, NULL, calls_thread, calls) == 0) { return calls; }
    err_set(err, ERR_SERVER, "There is no thread for calls over HTTP.");
    calls_free(calls);
    return NULL;
}

bool calls_submit(struct calls *calls, const struct call_request *request, struct err *err)
{
    ASSERT(request->done != NULL && request->timeout_ms > 0);              /* the program sets both */
    if (request->body.len > CALL_BODY_MAX) { return err_set(err, ERR_REQUEST_TOO_LARGE, "A call has at most %d bytes.", CALL_BODY_MAX); }
    struct call *call = calloc(1, sizeof *call);
    ASSERT(call != NULL);
    arena_init(&call->arena, CALL_CEILING);
    call->request = *request;
    call->request.url = arena_str(&call->arena, request->url);
    call->request.body = arena_str(&call->arena, request->body);
    call->request.headers = arena_str(&call->arena, request->headers);
    if (request->reply_max == 0) { call->request.reply_max = CALL_REPLY_MAX; }
    call->reply = buf_in(&call->arena);
    lock_take(&calls->lock);
    bool stopping = calls->stopping, full = calls->count == CALLS_MAX;
    if (!stopping && !full) {
        call->next = calls->fresh;
        calls->fresh = call;
        calls->count++;
    }
    lock_drop(&calls->lock);
    if (!stopping && !full) {
        curl_multi_wakeup(calls->multi);
        return true;
    }
    free_call(call);
    return stopping ? err_set(err, ERR_UNAVAILABLE, "The server is stopping.") : err_set(err, ERR_THROTTLING, "There are too many calls at once.");
}

void calls_stop(struct calls *calls)
{
    if (calls == NULL) { return; }
    lock_take(&calls->lock);
    calls->stopping = true;
    lock_drop(&calls->lock);
    curl_multi_wakeup(calls->multi);
    ASSERT(pthread_join(calls->thread, NULL) == 0);
}

void calls_free(struct calls *calls)
{
    if (calls == NULL) { return; }
    ASSERT(calls->count == 0);                                             /* the thread has ended each call */
    curl_multi_cleanup(calls->multi);
    lock_finish(&calls->lock);
    free(calls);
}
