/* client.c: calls on one thread, over epoll, so that ten thousand open polls cost one descriptor each and no thread.
 *
 * Only a few short calls are sent at a time: a fleet that starts, or that comes back after an outage, then queues here and not in the server.
 * When the server finds a signature too old or too new, its Date header corrects our clock, once per call. */
#include "agent/link/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/link/curl_pool.h"
#include "agent/link/ca.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/rng.h"
#include "base/sigv4.h"

enum {
    SHORT_CALLS_MAX = 16, LANE_CALLS_MAX = 128, POOLS_MAX = 1024, HANDLES_KEPT = 32, EVENTS_PER_TURN = 64, CONNECT_TIMEOUT_MS = 5000,
    SCRATCH_MAX = 4 * 1024 * 1024, CLOCK_TOLERANCE_MS = 5000, ANSWER_FIRST = 1024, HEADERS_MAX = 6,
};

struct client {
    struct curl_pool *pools[POOLS_MAX]; size_t pool_count;  /* the first is that of short calls */
    int epoll, wake;
    const struct credentials *credentials;
    const char *ca_file;                         /* NULL: what the system trusts */
    struct endpoint *server; const struct endpoints *servers; size_t at;     /* server NULL: there is one address alone */
    char region[64];
    int64_t now_ms, clock_offset_ms;
    struct timers timers;
    struct rng rng;
    struct arena scratch;                        /* of one request or one error answer */
    struct call *active;                         /* on their way, newest first */
    size_t short_calls;                          /* of them, short ones */
    struct call *waiting, **waiting_end;         /* short calls that wait, oldest first */
    CURL *kept[HANDLES_KEPT]; size_t kept_count;
    struct lock lock;
    struct post *posts, **posts_end;             /* guarded by lock */
    bool closed;                                 /* guarded by lock; changed by the loop's thread only */
};

/* ---- libcurl's callbacks ---- */

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct call *call = user;
    size_t len = size * count;
    if (len > CLIENT_REPLY_MAX - call->answer_len) { return 0; }           /* ends the transfer with an error */
    if (call->answer_len + len > call->answer_capacity) {
        size_t capacity = call->answer_capacity == 0 ? ANSWER_FIRST : call->answer_capacity * 2;
        if (capacity < call->answer_len + len) { capacity = call->answer_len + len; }
        char *answer = realloc(call->answer, capacity);
        if (answer == NULL) { return 0; }
        call->answer = answer;
        call->answer_capacity = capacity;
    }
    memcpy(call->answer + call->answer_len, bytes, len);
    call->answer_len += len;
    return len;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *user)
{
    struct call *call = user;
    struct str name, value, line = { bytes, size * count };
    char date[64];
    if (str_cut(line, ':', &name, &value) && str_eq_nocase(name, STR("Date")) && str_to_cstr(str_trim(value), date, sizeof date)) {
        time_t seconds = curl_getdate(date, NULL);
        if (seconds > 0) { call->server_time_ms = (int64_t)seconds * 1000; }
    }
    return line.len;
}

/* ---- one request ---- */

static void add_header(struct call *call, struct arena *arena, struct str name, struct str value)
{
    const char *line = arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(name), STR_ARG(value)).ptr;
    struct curl_slist *headers = curl_slist_append(call->headers, line);
    ASSERT(headers != NULL);
    call->headers = headers;
}

/* "RunTask" is ECS's; an operation of another service has that service's name before it, which the signature is scoped to. */
static struct str target_of(struct client *client, const char *operation, struct str *service)
{
    static const struct { struct str prefix, service; } services[] = {
        { STR_INIT("secretsmanager."), STR_INIT("secretsmanager") }, { STR_INIT("AmazonSSM."), STR_INIT("ssm") },
    };
    struct str target = str_from(operation);
    for (size_t s = 0; s < COUNT_OF(services); s++) {
        if (!str_starts_with(target, services[s].prefix)) { continue; }
        *service = services[s].service;
        return target;
    }
    return arena_printf(&client->scratch, "AmazonEC2ContainerServiceV20141113.%s", operation);
}

static void build_headers(struct client *client, struct call *call, const char *path)
{
    char amz_date[SIGV4_TIME_LEN + 1];
    sigv4_format_time(clock_now_ms() + client->clock_offset_ms, amz_date);
    const struct credentials *who = call->credentials != NULL ? call->credentials : client->credentials;
    struct sigv4_header headers[HEADERS_MAX];
    size_t count = 0;
    headers[count++] = (struct sigv4_header){ STR("Host"), str_from(call->endpoint->host) };
    headers[count++] = (struct sigv4_header){ STR("X-Amz-Date"), str_from(amz_date) };
    headers[count++] = (struct sigv4_header){ STR("Content-Type"), STR("application/x-amz-json-1.1") };
    struct str service = STR("ecs");
    if (call->operation != NULL) { headers[count++] = (struct sigv4_header){ STR("X-Amz-Target"), target_of(client, call->operation, &service) }; }
    if (who->session_token.len > 0) { headers[count++] = (struct sigv4_header){ STR("X-Amz-Security-Token"), who->session_token }; }
    struct sigv4_request request = {
        .method = STR("POST"), .path = str_from(path), .query = STR(""), .body = { call->body, call->body_len },
        .headers = headers, .header_count = count,
    };
    struct str authorization = sigv4_sign(&request, who->access_key_id, who->secret_access_key, str_from(client->region), service,
                                          str_from(amz_date), &client->scratch);
    for (size_t h = 0; h < count; h++) { add_header(call, &client->scratch, headers[h].name, headers[h].value); }
    add_header(call, &client->scratch, STR("Authorization"), authorization);
    add_header(call, &client->scratch, STR("Expect"), STR(""));            /* no question before the body */
}

static void set_options(const struct client *client, struct call *call, const char *url)
{
    CURL *easy = call->easy;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body_len);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "berth-agent/" BERTH_VERSION);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)call->timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, call->kind == CALL_LONG ? 2048L : 16384L);   /* one per open poll */
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->error_text);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
    if (call->endpoint->loopback) { curl_easy_setopt(easy, CURLOPT_PROXY, ""); }
    ca_set(easy, client->ca_file);
}

/* Short calls share the first pool. Past the last pool, or without descriptors for one more, the newest takes all that come. */
static struct curl_pool *choose_pool(struct client *client, struct call *call)
{
    ASSERT(client->pool_count > 0 && client->pool_count <= POOLS_MAX);
    if (call->kind == CALL_SHORT) { return client->pools[0]; }
    if (call->home != NULL) { return call->home; }
    struct curl_pool *newest = client->pools[client->pool_count - 1];
    bool room = client->pool_count > 1 && newest->calls < LANE_CALLS_MAX;
    struct curl_pool *more = room || client->pool_count == POOLS_MAX ? NULL : curl_pool_create(client->epoll);
    if (more != NULL) { client->pools[client->pool_count++] = newest = more; }
    newest->calls++;
    call->home = newest;
    return newest;
}

void client_leave(struct call *call)
{
    struct curl_pool *home = call->home;
    ASSERT(!call->active && !call->queued && (home == NULL || home->calls > 0));
    if (home != NULL) { home->calls--; }
    call->home = NULL;
}

static void send_call(struct client *client, struct call *call)
{
    const struct curl_pool *pool = call->pool = choose_pool(client, call);
    ASSERT(!call->active && !call->queued && call->easy == NULL);
    arena_reset(&client->scratch);
    call->easy = client->kept_count > 0 ? client->kept[--client->kept_count] : curl_easy_init();
    ASSERT(call->easy != NULL);
    call->answer_len = 0;
    call->server_time_ms = 0;
    call->sent_to = client->at;
    call->error_text = calloc(1, CURL_ERROR_SIZE);
    ASSERT(call->error_text != NULL);
    struct str path = arena_printf(&client->scratch, "%s%s", call->endpoint->prefix, call->path);
    build_headers(client, call, path.ptr);
    set_options(client, call, arena_printf(&client->scratch, "%s" STR_FMT, call->endpoint->origin, STR_ARG(path)).ptr);

    call->active = true;
    call->previous = NULL;
    call->next = client->active;
    if (client->active != NULL) { client->active->previous = call; }
    client->active = call;
    if (call->kind == CALL_SHORT) { client->short_calls++; }
    ASSERT(curl_multi_add_handle(pool->multi, call->easy) == CURLM_OK);
}

/* Removes the call from its pool; its body stays, in case it must be sent again. */
static void unsend_call(struct client *client, struct call *call)
{
    ASSERT(call->active);
    const struct curl_pool *pool = call->pool;
    curl_multi_remove_handle(pool->multi, call->easy);
    curl_easy_reset(call->easy);
    if (client->kept_count < HANDLES_KEPT) {
        client->kept[client->kept_count++] = call->easy;
    } else {
        curl_easy_cleanup(call->easy);
    }
    curl_slist_free_all(call->headers);
    free(call->error_text);
    call->easy = call->headers = call->error_text = NULL;
    if (call->previous == NULL) { client->active = call->next; } else { call->previous->next = call->next; }
    if (call->next != NULL) { call->next->previous = call->previous; }
    call->active = false;
    ASSERT(call->kind != CALL_SHORT || client->short_calls > 0);
    if (call->kind == CALL_SHORT) { client->short_calls--; }
}

static void queue_call(struct client *client, struct call *call)
{
    ASSERT(!call->active && !call->queued && *client->waiting_end == NULL);
    call->queued = true;
    call->next = NULL;
    *client->waiting_end = call;
    client->waiting_end = &call->next;
}

static void open_gate(struct client *client)
{
    while (client->waiting != NULL && client->short_calls < SHORT_CALLS_MAX) {
        struct call *call = client->waiting;
        client->waiting = call->next;
        if (client->waiting == NULL) { client->waiting_end = &client->waiting; }
        ASSERT(call->queued && call->kind == CALL_SHORT);
        call->queued = false;
        send_call(client, call);
    }
}

static void free_call(struct call *call)
{
    free(call->body);
    free(call->answer);
    call->body = call->answer = NULL;
    call->body_len = call->answer_len = call->answer_capacity = 0;
}

/* The answer's memory is handed over first, so that done() may start the same call again. */
static void finish_call(struct call *call, struct reply *reply)
{
    char *body = call->body, *answer = call->answer;
    call->body = call->answer = NULL;
    free_call(call);
    call->done(call->owner, reply);
    free(body);
    free(answer);
}

static void lose_call(struct call *call)
{
    struct reply reply = { .closing = true };
    ASSERT(!call->active && !call->queued);
    err_set(&reply.err, ERR_UNAVAILABLE, "The agent is stopping.");
    finish_call(call, &reply);
}

/* ---- answers ---- */

/* The server could not use our time: takes the server's, and returns whether that may help. */
static bool correct_clock(struct client *client, struct call *call, const struct reply *reply)
{
    bool about_signature = reply->err.code == ERR_INVALID_SIGNATURE || reply->err.code == ERR_INCOMPLETE_SIGNATURE;
    if (!about_signature || call->corrected || call->server_time_ms == 0) { return false; }
    int64_t offset_ms = call->server_time_ms - clock_now_ms(), change_ms = offset_ms - client->clock_offset_ms;
    if (change_ms > -CLOCK_TOLERANCE_MS && change_ms < CLOCK_TOLERANCE_MS) { return false; }
    log_line(LOG_WARN, "agent", "this machine's clock differs from the server's, signing with the server's offset_ms=%lld", (long long)offset_ms);
    client->clock_offset_ms = offset_ms;
    call->corrected = true;
    return true;
}

/* Many calls may fail at once at one server: only the first of them goes on to the next. */
static void go_on(struct client *client, const struct call *call)
{
    if (client->server == NULL || call->endpoint != client->server || call->sent_to != client->at || client->servers->count < 2) { return; }
    client->at = (client->at + 1) % client->servers->count;
    *client->server = client->servers->items[client->at];
    log_line(LOG_INFO, "agent", "no answer from the server, asking the next one: %s", client->server->origin);
}

static void end_call(struct client *client, struct call *call, CURLcode result)
{
    struct reply reply = { .body = { call->answer == NULL ? "" : call->answer, call->answer_len } };
    if (result == CURLE_OK) {
        curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &reply.status);
        if (reply.status >= 300) { reply_read_error(&reply); }
    } else {
        const char *why = call->error_text[0] != '\0' ? call->error_text : curl_easy_strerror(result);
        err_set(&reply.err, ERR_UNAVAILABLE, "%s: %s%s", call->endpoint->origin, why, ca_advice(result, why));
        go_on(client, call);
    }
    unsend_call(client, call);
    if (correct_clock(client, call, &reply)) {
        send_call(client, call);
        return;
    }
    open_gate(client);
    finish_call(call, &reply);
}

/* ---- turning ---- */

static void read_ended(struct client *client, struct curl_pool *pool)
{
    CURLcode result;
    for (CURL *easy = curl_pool_ended(pool, &result); easy != NULL; easy = curl_pool_ended(pool, &result)) {
        void *call = NULL;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&call);
        ASSERT(call != NULL);
        end_call(client, call, result);
    }
}

static void run_posts(struct client *client)
{
    lock_take(&client->lock);
    struct post *post = client->posts;
    client->posts = NULL;
    client->posts_end = &client->posts;
    lock_drop(&client->lock);
    while (post != NULL) {
        struct post *next = post->next;                                   /* run() may free it */
        post->run(post->owner);
        post = next;
    }
}

static void wait_for_events(struct client *client, int wait_ms)
{
    struct epoll_event events[EVENTS_PER_TURN];
    int count = epoll_wait(client->epoll, events, EVENTS_PER_TURN, wait_ms);
    for (int e = 0; e < count; e++) {
        if (events[e].data.ptr != NULL) {
            curl_pool_run(events[e].data.ptr);
            continue;
        }
        uint64_t ignored;
        while (read(client->wake, &ignored, sizeof ignored) < 0 && errno == EINTR) { }
    }
}

static int64_t next_due(const struct client *client)
{
    int64_t due_ms = timers_next(&client->timers);
    for (size_t l = 0; l < client->pool_count; l++) { due_ms = min_i64(due_ms, client->pools[l]->due_ms); }
    return due_ms;
}

void client_turn(struct client *client, int64_t wait_ms)
{
    int64_t now_ms = clock_monotonic_ms(), due_ms = min_i64(next_due(client), now_ms + wait_ms);
    wait_for_events(client, due_ms <= now_ms ? 0 : (int)(due_ms - now_ms));
    client->now_ms = clock_monotonic_ms();
    for (size_t l = 0; l < client->pool_count; l++) {
        if (client->pools[l]->due_ms <= client->now_ms) { curl_pool_run(client->pools[l]); }
        read_ended(client, client->pools[l]);
    }
    run_posts(client);
    timers_run(&client->timers, client->now_ms);
}

void client_start(struct client *client, struct call *call, struct str body)
{
    ASSERT(!call->active && !call->queued);
    free_call(call);
    call->corrected = false;
    call->body = malloc(body.len + 1);
    ASSERT(call->body != NULL);
    if (body.len > 0) { memcpy(call->body, body.ptr, body.len); }
    call->body[body.len] = '\0';
    call->body_len = body.len;
    if (client->closed) {
        lose_call(call);
    } else if (call->kind == CALL_SHORT && client->short_calls >= SHORT_CALLS_MAX) {
        queue_call(client, call);
    } else {
        send_call(client, call);
    }
}

void client_cancel(struct client *client, struct call *call)
{
    if (call->active) {
        unsend_call(client, call);
        open_gate(client);
    } else if (call->queued) {
        struct call **at = &client->waiting;
        while (*at != call) { at = &(*at)->next; }
        *at = call->next;
        if (client->waiting_end == &call->next) { client->waiting_end = at; }
        call->queued = false;
    }
    free_call(call);
}

void client_set_servers(struct client *client, struct endpoint *server, const struct endpoints *all)
{
    ASSERT(all->count > 0);
    client->server = server;
    client->servers = all;
}

void client_set_ca(struct client *client, const char *ca_file) { client->ca_file = ca_file; }
struct timers *client_timers(struct client *client) { return &client->timers; }
struct rng *client_rng(struct client *client) { return &client->rng; }
int64_t client_now(const struct client *client) { return client->now_ms; }

/* ---- beginning and end ---- */

struct client *client_create(const struct credentials *credentials, const char *region, struct err *err)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        err_set(err, ERR_SERVER, "libcurl could not be started.");
        return NULL;
    }
    struct client *client = calloc(1, sizeof *client);
    ASSERT(client != NULL);
    client->credentials = credentials;
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    client->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    client->now_ms = clock_monotonic_ms();
    client->waiting_end = &client->waiting;
    client->posts_end = &client->posts;
    lock_init(&client->lock);
    rng_seed(&client->rng, rng_entropy());
    arena_init(&client->scratch, SCRATCH_MAX);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
    bool good = epoll_ctl(client->epoll, EPOLL_CTL_ADD, client->wake, &event) == 0;
    client->pools[0] = good ? curl_pool_create(client->epoll) : NULL;
    good = client->pools[0] != NULL;
    client->pool_count = good ? 1 : 0;
    if (!good || !str_to_cstr(str_from(region == NULL ? "us-east-1" : region), client->region, sizeof client->region)) {
        err_set(err, ERR_SERVER, good ? "The region's name is too long." : "The agent's event loop could not be made: %s", strerror(errno));
        client_destroy(client);
        return NULL;
    }
    return client;
}

void client_close(struct client *client)
{
    lock_take(&client->lock);
    client->closed = true;
    lock_drop(&client->lock);
    while (client->active != NULL) {
        struct call *call = client->active;
        unsend_call(client, call);
        lose_call(call);
    }
    while (client->waiting != NULL) {
        struct call *call = client->waiting;
        client_cancel(client, call);
        lose_call(call);
    }
    run_posts(client);
}

const struct credentials *client_credentials(const struct client *client) { return client->credentials; }

void client_destroy(struct client *client)
{
    if (client == NULL) { return; }
    ASSERT(client->active == NULL && client->waiting == NULL && client->short_calls == 0);
    while (client->kept_count > 0) { curl_easy_cleanup(client->kept[--client->kept_count]); }
    for (size_t l = 0; l < client->pool_count; l++) { curl_pool_destroy(client->pools[l]); }
    if (client->epoll >= 0) { close(client->epoll); }
    if (client->wake >= 0) { close(client->wake); }
    timers_finish(&client->timers);
    arena_finish(&client->scratch);
    lock_finish(&client->lock);
    free(client);
    curl_global_cleanup();
}

/* ---- from other threads ---- */

bool client_post(struct client *client, struct post *post)
{
    lock_take(&client->lock);
    bool open = !client->closed;
    if (open) {
        post->next = NULL;
        *client->posts_end = post;
        client->posts_end = &post->next;
    }
    lock_drop(&client->lock);
    const uint64_t one = 1;
    while (open && write(client->wake, &one, sizeof one) < 0 && errno == EINTR) { }
    return open;
}
