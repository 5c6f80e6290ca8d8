#include "ha/grpc.h"

#include <curl/curl.h>
#include <ha/etcd.pb-c.h>                     /* made of ha/etcd.proto */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lock.h"

enum { ENDPOINTS_MAX = 16, HANDLES_KEPT = 16, TOKEN_MAX = 512, SHARE_MIN_MS = 200, LISTEN_REST_MS = 5, LISTENED_MAX = 64 * 1024 };

/* A handle of libcurl with an open connection to one endpoint. */
struct kept { CURL *curl; size_t endpoint; };

struct grpc {
    char *endpoints[ENDPOINTS_MAX]; size_t endpoint_count;
    bool tls;
    char *name, *user, *password, *ca, *cert, *key;
    struct lock lock;                            /* guards the block below */
    struct kept kept[HANDLES_KEPT]; size_t kept_count;
    size_t preferred;                            /* the endpoint that answered last */
    char token[TOKEN_MAX];                       /* of the user; empty: not asked for yet */
    char problem[HA_PROBLEM_SIZE];
};

/* ---- open ---- */

static char *copy_of(const char *text)
{
    if (text == NULL) { return NULL; }
    char *copy = strdup(text);
    ASSERT(copy != NULL);
    return copy;
}

static bool is_name(struct str name)
{
    bool good = name.len > 0 && name.len <= HA_NAME_MAX;
    for (size_t c = 0; good && c < name.len; c++) {
        char letter = name.ptr[c];
        bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
        good = plain || letter == '-' || letter == '_' || letter == '.';
    }
    return good;
}

static bool add_endpoint(struct grpc *grpc, bool tls, struct str host)
{
    if (host.len == 0 || host.len > HA_ADDRESS_MAX || grpc->endpoint_count == ENDPOINTS_MAX) { return false; }
    char *endpoint = malloc(host.len + 16);
    ASSERT(endpoint != NULL);
    (void)snprintf(endpoint, host.len + 16, "%s://" STR_FMT, tls ? "https" : "http", STR_ARG(host));
    grpc->endpoints[grpc->endpoint_count++] = endpoint;
    return true;
}

static bool parse_url(struct grpc *grpc, const char *url)
{
    struct str rest = str_from(url), hosts, name, host;
    bool tls = str_starts_with(rest, STR("etcds://"));
    if (!tls && !str_starts_with(rest, STR("etcd://"))) { return false; }
    rest = str_slice(rest, tls ? 8 : 7, rest.len);
    grpc->tls = tls;
    if (!str_cut(rest, '/', &hosts, &name) || !is_name(name)) { return false; }
    bool good = true, more = true;
    while (good && more) {
        more = str_cut(hosts, ',', &host, &rest);
        good = add_endpoint(grpc, tls, more ? host : hosts);
        hosts = rest;
    }
    char *copy = malloc(name.len + 1);
    ASSERT(copy != NULL);
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    grpc->name = copy;
    return good;
}

/* "h1" of http://h1:2379 */
static struct str host_of(const char *url)
{
    struct str scheme, rest, host = str_from(url);
    if (str_cut(host, '/', &scheme, &rest)) { host = str_slice(rest, 1, rest.len); }
    size_t len = host.len;
    while (len > 0 && host.ptr[len - 1] != ':' && host.ptr[len - 1] != ']') { len--; }       /* [::1] may have no port */
    return len > 0 && host.ptr[len - 1] == ':' ? str_slice(host, 0, len - 1) : host;
}

/* So the servers of three hosts do not ask the same etcd, and each asks the one that it fails with. */
static size_t nearest(const struct grpc *grpc, const char *url)
{
    for (size_t e = 0; url != NULL && e < grpc->endpoint_count; e++) {
        if (str_eq(host_of(grpc->endpoints[e]), host_of(url))) { return e; }
    }
    return 0;
}

bool grpc_open(const struct ha_etcd_config *config, struct grpc **grpc, struct err *err)
{
    struct grpc *opened = calloc(1, sizeof *opened);
    ASSERT(opened != NULL);
    lock_init(&opened->lock);
    opened->user = copy_of(config->user);
    opened->password = copy_of(config->password);
    opened->ca = copy_of(config->ca);
    opened->cert = copy_of(config->cert);
    opened->key = copy_of(config->key);
    if (parse_url(opened, config->url)) {
        opened->preferred = nearest(opened, config->near);
        *grpc = opened;
        return true;
    }
    grpc_close(opened);
    return err_set(err, ERR_INVALID_PARAMETER, "%.200s names no etcd. Write etcd://HOST:PORT,HOST:PORT,HOST:PORT/NAME, with etcds:// for TLS; NAME is this"
                   " cluster's, of letters, digits, dots, dashes and underscores.", config->url);
}

void grpc_close(struct grpc *grpc)
{
    if (grpc == NULL) { return; }
    for (size_t k = 0; k < grpc->kept_count; k++) { curl_easy_cleanup(grpc->kept[k].curl); }
    for (size_t e = 0; e < grpc->endpoint_count; e++) { free(grpc->endpoints[e]); }
    char *texts[] = { grpc->name, grpc->user, grpc->password, grpc->ca, grpc->cert, grpc->key };
    for (size_t t = 0; t < COUNT_OF(texts); t++) { free(texts[t]); }
    lock_finish(&grpc->lock);
    free(grpc);
}

struct str grpc_name(const struct grpc *grpc) { return str_from(grpc->name); }

/* ---- handles ---- */

/* NULL: none is kept for this endpoint. */
static CURL *take_kept(struct grpc *grpc, size_t endpoint)
{
    CURL *curl = NULL;
    lock_take(&grpc->lock);
    for (size_t k = grpc->kept_count; k > 0 && curl == NULL; k--) {
        if (grpc->kept[k - 1].endpoint != endpoint) { continue; }
        curl = grpc->kept[k - 1].curl;
        grpc->kept[k - 1] = grpc->kept[--grpc->kept_count];
    }
    lock_drop(&grpc->lock);
    return curl;
}

/* When there are too many, one of another endpoint makes room. */
static void keep(struct grpc *grpc, CURL *curl, size_t endpoint)
{
    CURL *leaves = NULL;
    curl_easy_reset(curl);                       /* its connection stays */
    lock_take(&grpc->lock);
    size_t place = grpc->kept_count;
    for (size_t k = 0; place == HANDLES_KEPT && k < HANDLES_KEPT; k++) {
        if (grpc->kept[k].endpoint != endpoint) { place = k; }
    }
    if (place == grpc->kept_count && place < HANDLES_KEPT) { grpc->kept_count++; } else { leaves = place < HANDLES_KEPT ? grpc->kept[place].curl : curl; }
    if (place < HANDLES_KEPT) { grpc->kept[place] = (struct kept){ curl, endpoint }; }
    lock_drop(&grpc->lock);
    if (leaves != NULL) { curl_easy_cleanup(leaves); }
}

/* ---- one exchange with one endpoint ---- */

struct exchange {
    size_t endpoint;
    enum grpc_method method;
    struct str frame;                        /* of the request */
    struct buf reply;
    bool watches, heard, too_large, full;    /* full: the answer says that etcd has no space */
    int64_t status;                          /* of the call; -1: the answer has none */
    char words[HA_PROBLEM_SIZE];             /* … and why it failed */
    char why[CURL_ERROR_SIZE];               /* of the connection */
};

/* A watch has heard something when an answer has events: the first one says only that it has begun. */
static bool has_events(struct str bytes)
{
    struct arena arena = { .ceiling = 16 * LISTENED_MAX };
    bool any = false;
    size_t taken = 0;
    for (const Etcd__WatchAnswer *answer; !any && (answer = message_unpack(GRPC_WATCH, bytes, &arena, &taken)) != NULL;) {
        any = answer->n_events > 0;
        bytes = str_slice(bytes, taken, bytes.len);
    }
    arena_finish(&arena);
    return any;
}

static size_t take_reply(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    size_t length = size * count, max = exchange->watches ? LISTENED_MAX : MESSAGE_MAX;
    exchange->too_large = length > max - exchange->reply.len;
    if (exchange->too_large) { return CURL_WRITEFUNC_ERROR; }
    buf_put(&exchange->reply, (struct str){ bytes, length });
    exchange->heard = exchange->watches && has_events(buf_str(&exchange->reply));
    return exchange->heard ? CURL_WRITEFUNC_ERROR : length;
}

/* The end of a call is in the lines behind its answer. */
static size_t take_line(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    struct str name, value, line = { bytes, size * count };
    if (!str_cut(line, ':', &name, &value)) { return line.len; }
    value = str_trim(value);
    if (str_eq_nocase(name, STR("grpc-status")) && !str_to_i64(value, &exchange->status)) { exchange->status = -1; }
    if (str_eq_nocase(name, STR("grpc-message"))) {
        (void)snprintf(exchange->words, sizeof exchange->words, STR_FMT, STR_ARG(str_slice(value, 0, sizeof exchange->words - 1)));
    }
    return line.len;
}

static void set_tls(const struct grpc *grpc, CURL *curl)
{
    if (grpc->ca != NULL) { curl_easy_setopt(curl, CURLOPT_CAINFO, grpc->ca); }
    if (grpc->cert != NULL) { curl_easy_setopt(curl, CURLOPT_SSLCERT, grpc->cert); }
    if (grpc->key != NULL) { curl_easy_setopt(curl, CURLOPT_SSLKEY, grpc->key); }
}

/* False: nothing came, or not by HTTP/2. libcurl 7.88 can't use an open connection without TLS again as one of which it knows that it is HTTP/2, but as any
 * other: `version`. */
static bool exchange_on(CURL *curl, const struct grpc *grpc, struct exchange *exchange, struct curl_slist *headers, long version, int64_t timeout_ms,
                        bool *other)
{
    char url[HA_ADDRESS_MAX + 64];
    long spoken = 0;
    (void)snprintf(url, sizeof url, "%s%s", grpc->endpoints[exchange->endpoint], message_path(exchange->method));
    exchange->status = -1;
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, version);
    curl_easy_setopt(curl, CURLOPT_MAXCONNECTS, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(timeout_ms > 0 ? timeout_ms : 1));
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->frame.len);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, exchange->frame.ptr);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_reply);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, exchange);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_line);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, exchange);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, exchange->why);
    set_tls(grpc, curl);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_HTTP_VERSION, &spoken);
    if (code != CURLE_OK && exchange->why[0] == '\0') { (void)snprintf(exchange->why, sizeof exchange->why, "%s", curl_easy_strerror(code)); }
    *other = code == CURLE_OK && spoken != CURL_HTTP_VERSION_2_0;
    return code == CURLE_OK && !*other;
}

static struct curl_slist *headers_of(struct grpc *grpc)
{
    char token[TOKEN_MAX + 16];
    lock_take(&grpc->lock);
    (void)snprintf(token, sizeof token, "token: %s", grpc->token);
    bool known = grpc->token[0] != '\0';
    lock_drop(&grpc->lock);
    struct curl_slist *headers = curl_slist_append(curl_slist_append(NULL, "content-type: application/grpc"), "te: trailers");
    return known ? curl_slist_append(headers, token) : headers;
}

/* A connection that etcd has closed meanwhile is opened again by libcurl, with HTTP/1.1, of which etcd's calls know nothing: then nothing has happened. */
static bool perform(struct grpc *grpc, struct exchange *exchange, int64_t timeout_ms)
{
    bool other = true, good = false;
    struct curl_slist *headers = headers_of(grpc);
    CURL *curl = take_kept(grpc, exchange->endpoint);
    if (curl != NULL) { good = exchange_on(curl, grpc, exchange, headers, CURL_HTTP_VERSION_2_0, timeout_ms, &other); }
    if (!good && other) {
        if (curl != NULL) { curl_easy_cleanup(curl); }
        exchange->reply.len = 0;
        curl = curl_easy_init();
        long version = grpc->tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
        good = curl != NULL && exchange_on(curl, grpc, exchange, headers, version, timeout_ms, &other);
    }
    curl_slist_free_all(headers);
    if (good) { keep(grpc, curl, exchange->endpoint); } else if (curl != NULL) { curl_easy_cleanup(curl); }
    return good;
}

/* ---- calls ---- */

static void note_problem(struct grpc *grpc, size_t endpoint, const char *words)
{
    lock_take(&grpc->lock);
    (void)snprintf(grpc->problem, sizeof grpc->problem, "%.80s: %.160s", grpc->endpoints[endpoint], words);
    lock_drop(&grpc->lock);
}

void grpc_problem(struct grpc *grpc, char words[HA_PROBLEM_SIZE])
{
    lock_take(&grpc->lock);
    memcpy(words, grpc->problem, HA_PROBLEM_SIZE);
    lock_drop(&grpc->lock);
}

/* NULL: no answer that counts; *refused: another token may give one. */
static const void *one_try(struct grpc *grpc, struct exchange *exchange, struct arena *arena, int64_t timeout_ms, bool *refused)
{
    size_t taken;
    exchange->full = *refused = false;
    exchange->reply = buf_in(arena);
    if (!perform(grpc, exchange, timeout_ms)) {
        note_problem(grpc, exchange->endpoint, exchange->too_large ? "its answer is too long" : exchange->why[0] != '\0' ? exchange->why : "it is no etcd");
        return NULL;
    }
    const void *answer = exchange->status == 0 ? message_unpack(exchange->method, buf_str(&exchange->reply), arena, &taken) : NULL;
    if (answer != NULL) { return answer; }
    struct str words = str_from(exchange->words);
    *refused = str_starts_with(words, STR("etcdserver: user name is empty")) || str_starts_with(words, STR("etcdserver: invalid auth token"));
    exchange->full = str_contains(words, STR("database space exceeded"));
    note_problem(grpc, exchange->endpoint, words.len > 0 ? exchange->words : "its answer is not one of etcd's");
    return NULL;
}

static bool ask_for_token(struct grpc *grpc, size_t endpoint, struct arena *arena, int64_t timeout_ms)
{
    Etcd__AuthRequest request;
    bool refused;
    etcd__auth_request__init(&request);
    lock_take(&grpc->lock);
    grpc->token[0] = '\0';
    lock_drop(&grpc->lock);
    request.name = grpc->user;
    if (grpc->password != NULL) { request.password = grpc->password; }
    struct exchange exchange = { .endpoint = endpoint, .method = GRPC_AUTH, .frame = message_pack(&request, arena) };
    const Etcd__AuthAnswer *answer = one_try(grpc, &exchange, arena, timeout_ms, &refused);
    size_t len = answer == NULL ? 0 : strlen(answer->token);
    if (len == 0 || len >= TOKEN_MAX) { return false; }
    lock_take(&grpc->lock);
    memcpy(grpc->token, answer->token, len + 1);
    lock_drop(&grpc->lock);
    return true;
}

/* The first endpoint gets half of the time, each next one half of the rest. */
static int64_t share_of(int64_t until_ms, bool last)
{
    int64_t left_ms = until_ms - clock_monotonic_ms();
    return last || left_ms < SHARE_MIN_MS ? left_ms : left_ms / 2 < SHARE_MIN_MS ? SHARE_MIN_MS : left_ms / 2;
}

static size_t preferred_of(struct grpc *grpc)
{
    lock_take(&grpc->lock);
    size_t preferred = grpc->preferred;
    lock_drop(&grpc->lock);
    return preferred;
}

static void prefer(struct grpc *grpc, size_t endpoint)
{
    lock_take(&grpc->lock);
    grpc->preferred = endpoint;
    lock_drop(&grpc->lock);
}

const void *grpc_call(struct grpc *grpc, enum grpc_method method, const void *request, struct arena *arena, int64_t until_ms, bool *full)
{
    size_t first = preferred_of(grpc);
    struct str frame = message_pack(request, arena);
    if (full != NULL) { *full = false; }
    for (size_t e = 0; e < grpc->endpoint_count; e++) {
        size_t at = (first + e) % grpc->endpoint_count;
        bool last = e + 1 == grpc->endpoint_count, refused;
        int64_t share_ms = share_of(until_ms, last);
        if (share_ms <= 0) { return NULL; }
        struct exchange exchange = { .endpoint = at, .method = method, .frame = frame };
        const void *answer = one_try(grpc, &exchange, arena, share_ms, &refused);
        if (answer == NULL && refused && grpc->user != NULL && ask_for_token(grpc, at, arena, share_of(until_ms, last))) {
            struct exchange again = { .endpoint = at, .method = method, .frame = frame };
            answer = one_try(grpc, &again, arena, share_of(until_ms, true), &refused);
        }
        if (answer != NULL && at != first) { prefer(grpc, at); }
        if (answer != NULL) { return answer; }
        if (full != NULL && exchange.full && e == 0) {
            *full = true;
            return NULL;
        }
    }
    return NULL;
}

void grpc_listen(struct grpc *grpc, const void *request, int64_t until_ms)
{
    struct arena arena;
    arena_init(&arena, 4 * LISTENED_MAX);
    size_t at = preferred_of(grpc);
    int64_t begun_ms = clock_monotonic_ms();
    struct exchange exchange = { .endpoint = at, .method = GRPC_WATCH, .frame = message_pack(request, &arena), .watches = true, .reply = buf_in(&arena) };
    if (until_ms > begun_ms) { (void)perform(grpc, &exchange, until_ms - begun_ms); }
    arena_finish(&arena);
    int64_t now_ms = clock_monotonic_ms();
    if (exchange.heard) { return; }
    if (now_ms + LISTEN_REST_MS < until_ms) {    /* it ended by itself: a stream that etcd does not give is no reason to spin */
        prefer(grpc, (at + 1) % grpc->endpoint_count);
        clock_sleep_ms(now_ms - begun_ms < LISTEN_REST_MS ? 4 * LISTEN_REST_MS : LISTEN_REST_MS);
    }
}

/* ---- health ---- */

static void put_text(char *to, size_t size, const char *text) { (void)snprintf(to, size, "%s", text); }

static size_t pass_over(char *bytes, size_t size, size_t count, void *context)
{
    (void)bytes;
    (void)context;
    return size * count;
}

/* Go's servers say the time with each answer of HTTP/1.1. */
static size_t take_date(char *bytes, size_t size, size_t count, void *context)
{
    int64_t *date_ms = context;
    struct str name, value, line = { bytes, size * count };
    char text[64];
    if (str_cut(line, ':', &name, &value) && str_eq_nocase(name, STR("Date")) && str_to_cstr(str_trim(value), text, sizeof text)) {
        time_t seconds = curl_getdate(text, NULL);
        *date_ms = seconds > 0 ? (int64_t)seconds * 1000 : 0;
    }
    return line.len;
}

static void ask_date(struct grpc *grpc, const char *endpoint, int64_t *date_ms, int64_t timeout_ms)
{
    char url[HA_ADDRESS_MAX + 16];
    CURL *curl = curl_easy_init();
    if (curl == NULL) { return; }
    (void)snprintf(url, sizeof url, "%s/version", endpoint);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(timeout_ms > 0 ? timeout_ms : 1));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, pass_over);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_date);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, date_ms);
    set_tls(grpc, curl);
    (void)curl_easy_perform(curl);               /* no date: it is not known */
    curl_easy_cleanup(curl);
}

static void look_at(struct grpc *grpc, size_t number, struct ha_endpoint *endpoint, int64_t until_ms, bool last)
{
    struct arena arena = { .ceiling = HA_ARENA };
    Etcd__StatusRequest request = ETCD__STATUS_REQUEST__INIT;
    struct exchange exchange = { .endpoint = number, .method = GRPC_STATUS, .frame = message_pack(&request, &arena) };
    bool refused;
    const Etcd__StatusAnswer *answer = one_try(grpc, &exchange, &arena, share_of(until_ms, last), &refused);
    put_text(endpoint->name, sizeof endpoint->name, grpc->endpoints[number]);
    endpoint->answers = answer != NULL;
    if (answer == NULL) {
        grpc_problem(grpc, endpoint->trouble);
    } else {
        put_text(endpoint->version, sizeof endpoint->version, answer->version);
        endpoint->size = answer->size;
        if (answer->n_errors > 0) { put_text(endpoint->trouble, sizeof endpoint->trouble, answer->errors[0]); }
        ask_date(grpc, endpoint->name, &endpoint->date_ms, share_of(until_ms, last));
    }
    arena_finish(&arena);
}

void grpc_health(struct grpc *grpc, struct ha_health *health, int64_t until_ms)
{
    *health = (struct ha_health){ .count = grpc->endpoint_count };
    for (size_t e = 0; e < grpc->endpoint_count; e++) { look_at(grpc, e, &health->endpoints[e], until_ms, e + 1 == grpc->endpoint_count); }
}
