#include "ha/gateway.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"

enum { ENDPOINTS_MAX = 16, HANDLES_KEPT = 16, TOKEN_MAX = 512, SHARE_MIN_MS = 200, LISTEN_REST_MS = 5, LISTENED_MAX = 64 * 1024 };

struct gateway {
    char *endpoints[ENDPOINTS_MAX]; size_t endpoint_count;
    char *name, *user, *password, *ca, *cert, *key;
    struct lock lock;                            /* guards the block below */
    CURL *handles[HANDLES_KEPT]; size_t handle_count;
    size_t preferred;                            /* the endpoint that answered last */
    char token[TOKEN_MAX];                       /* of the user; empty: not asked for yet */
    char problem[GATEWAY_PROBLEM_SIZE];
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

static bool add_endpoint(struct gateway *gateway, bool tls, struct str host)
{
    if (host.len == 0 || host.len > HA_ADDRESS_MAX || gateway->endpoint_count == ENDPOINTS_MAX) { return false; }
    char *endpoint = malloc(host.len + 16);
    ASSERT(endpoint != NULL);
    (void)snprintf(endpoint, host.len + 16, "%s://" STR_FMT, tls ? "https" : "http", STR_ARG(host));
    gateway->endpoints[gateway->endpoint_count++] = endpoint;
    return true;
}

static bool parse_url(struct gateway *gateway, const char *url)
{
    struct str rest = str_from(url), hosts, name, host;
    bool tls = str_starts_with(rest, STR("etcds://"));
    if (!tls && !str_starts_with(rest, STR("etcd://"))) { return false; }
    rest = str_slice(rest, tls ? 8 : 7, rest.len);
    if (!str_cut(rest, '/', &hosts, &name) || !is_name(name)) { return false; }
    bool good = true, more = true;
    while (good && more) {
        more = str_cut(hosts, ',', &host, &rest);
        good = add_endpoint(gateway, tls, more ? host : hosts);
        hosts = rest;
    }
    char *copy = malloc(name.len + 1);
    ASSERT(copy != NULL);
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    gateway->name = copy;
    return good;
}

bool gateway_open(const struct ha_etcd_config *config, struct gateway **gateway, struct err *err)
{
    struct gateway *opened = calloc(1, sizeof *opened);
    ASSERT(opened != NULL);
    lock_init(&opened->lock);
    opened->user = copy_of(config->user);
    opened->password = copy_of(config->password);
    opened->ca = copy_of(config->ca);
    opened->cert = copy_of(config->cert);
    opened->key = copy_of(config->key);
    if (parse_url(opened, config->url)) {
        *gateway = opened;
        return true;
    }
    gateway_close(opened);
    return err_set(err, ERR_INVALID_PARAMETER, "%.200s names no etcd. Write etcd://HOST:PORT,HOST:PORT,HOST:PORT/NAME, with etcds:// for TLS; NAME is this"
                   " cluster's, of letters, digits, dots, dashes and underscores.", config->url);
}

void gateway_close(struct gateway *gateway)
{
    if (gateway == NULL) { return; }
    for (size_t h = 0; h < gateway->handle_count; h++) { curl_easy_cleanup(gateway->handles[h]); }
    for (size_t e = 0; e < gateway->endpoint_count; e++) { free(gateway->endpoints[e]); }
    char *texts[] = { gateway->name, gateway->user, gateway->password, gateway->ca, gateway->cert, gateway->key };
    for (size_t t = 0; t < COUNT_OF(texts); t++) { free(texts[t]); }
    lock_finish(&gateway->lock);
    free(gateway);
}

struct str gateway_name(const struct gateway *gateway) { return str_from(gateway->name); }

/* ---- handles, each with its open connections ---- */

static CURL *take_handle(struct gateway *gateway)
{
    lock_take(&gateway->lock);
    CURL *handle = gateway->handle_count > 0 ? gateway->handles[--gateway->handle_count] : NULL;
    lock_drop(&gateway->lock);
    return handle != NULL ? handle : curl_easy_init();
}

static void keep_handle(struct gateway *gateway, CURL *handle)
{
    curl_easy_reset(handle);                     /* its connections stay */
    lock_take(&gateway->lock);
    bool keeps = gateway->handle_count < HANDLES_KEPT;
    if (keeps) { gateway->handles[gateway->handle_count++] = handle; }
    lock_drop(&gateway->lock);
    if (!keeps) { curl_easy_cleanup(handle); }
}

/* ---- one exchange with one endpoint ---- */

struct exchange {
    const char *endpoint, *path, *word;
    struct str body;
    struct buf reply;
    bool heard, too_large, full;             /* full: the answer says that etcd has no space */
    long status;
    int64_t *date_ms;                        /* of the answer, for a look at an endpoint; NULL: not asked for */
    char why[CURL_ERROR_SIZE];
};

static size_t take_reply(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    size_t length = size * count, max = exchange->word != NULL ? LISTENED_MAX : GATEWAY_ANSWER_MAX;
    exchange->too_large = length > max - exchange->reply.len;
    if (exchange->too_large) { return CURL_WRITEFUNC_ERROR; }
    buf_put(&exchange->reply, (struct str){ bytes, length });
    if (exchange->word == NULL) { return length; }
    buf_put_char(&exchange->reply, '\0');
    exchange->reply.len--;
    exchange->heard = strstr(exchange->reply.ptr, exchange->word) != NULL;
    return exchange->heard ? CURL_WRITEFUNC_ERROR : length;
}

/* Its clock: Go's servers say the time with each answer. */
static size_t take_head(char *bytes, size_t size, size_t count, void *context)
{
    struct exchange *exchange = context;
    struct str name, value, line = { bytes, size * count };
    char text[64];
    if (str_cut(line, ':', &name, &value) && str_eq_nocase(name, STR("Date")) && str_to_cstr(str_trim(value), text, sizeof text)) {
        time_t seconds = curl_getdate(text, NULL);
        *exchange->date_ms = seconds > 0 ? (int64_t)seconds * 1000 : 0;
    }
    return size * count;
}

static bool perform(struct gateway *gateway, struct exchange *exchange, int64_t timeout_ms)
{
    char url[HA_ADDRESS_MAX + 64], authorization[TOKEN_MAX + 32];
    CURL *curl = take_handle(gateway);
    if (curl == NULL) { return false; }
    lock_take(&gateway->lock);
    (void)snprintf(authorization, sizeof authorization, "Authorization: %s", gateway->token);
    bool known = gateway->token[0] != '\0';
    lock_drop(&gateway->lock);
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    headers = curl_slist_append(headers, "Expect:");
    if (known) { headers = curl_slist_append(headers, authorization); }
    (void)snprintf(url, sizeof url, "%s%s", exchange->endpoint, exchange->path);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(timeout_ms > 0 ? timeout_ms : 1));
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)exchange->body.len);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, exchange->body.ptr);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_reply);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, exchange);
    if (exchange->date_ms != NULL) {
        curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_head);
        curl_easy_setopt(curl, CURLOPT_HEADERDATA, exchange);
    }
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, exchange->why);
    if (gateway->ca != NULL) { curl_easy_setopt(curl, CURLOPT_CAINFO, gateway->ca); }
    if (gateway->cert != NULL) { curl_easy_setopt(curl, CURLOPT_SSLCERT, gateway->cert); }
    if (gateway->key != NULL) { curl_easy_setopt(curl, CURLOPT_SSLKEY, gateway->key); }
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &exchange->status);
    if (code != CURLE_OK && exchange->why[0] == '\0') { (void)snprintf(exchange->why, sizeof exchange->why, "%s", curl_easy_strerror(code)); }
    curl_slist_free_all(headers);
    keep_handle(gateway, curl);
    return code == CURLE_OK;
}

/* ---- calls ---- */

static void note_problem(struct gateway *gateway, const char *endpoint, struct str words)
{
    lock_take(&gateway->lock);
    (void)snprintf(gateway->problem, sizeof gateway->problem, "%.80s: " STR_FMT, endpoint, STR_ARG(str_slice(words, 0, 160)));
    lock_drop(&gateway->lock);
}

void gateway_problem(struct gateway *gateway, char words[GATEWAY_PROBLEM_SIZE])
{
    lock_take(&gateway->lock);
    memcpy(words, gateway->problem, GATEWAY_PROBLEM_SIZE);
    lock_drop(&gateway->lock);
}

/* NULL: no answer that counts; *again: another endpoint may give one. */
static const struct json *one_try(struct gateway *gateway, struct exchange *exchange, struct arena *arena, int64_t timeout_ms, bool *refused)
{
    struct err err = { 0 };
    exchange->full = false;
    exchange->reply = buf_in(arena);
    *refused = false;
    if (!perform(gateway, exchange, timeout_ms)) {
        note_problem(gateway, exchange->endpoint, str_from(exchange->too_large ? "its answer is too long" : exchange->why));
        return NULL;
    }
    const struct json *answer = json_parse(buf_str(&exchange->reply), arena, &err);
    if (exchange->status == 200 && answer != NULL && answer->type == JSON_OBJECT && json_get(answer, STR("error")) == NULL) { return answer; }
    struct str words = json_get_str(answer, STR("error"));
    *refused = str_starts_with(words, STR("etcdserver: user name is empty")) || str_starts_with(words, STR("etcdserver: invalid auth token"));
    exchange->full = str_contains(words, STR("database space exceeded"));
    note_problem(gateway, exchange->endpoint, str_is_set(words) ? words : STR("its answer is not one of etcd's gateway"));
    return NULL;
}

static bool ask_for_token(struct gateway *gateway, const char *endpoint, struct arena *arena, int64_t timeout_ms)
{
    struct buf body = buf_in(arena);
    struct json_out json = json_out_to(&body);
    bool refused;
    lock_take(&gateway->lock);
    gateway->token[0] = '\0';
    lock_drop(&gateway->lock);
    json_open(&json, '{');
    json_name(&json, STR("name"));
    json_str(&json, str_from(gateway->user));
    json_name(&json, STR("password"));
    json_str(&json, str_from(gateway->password == NULL ? "" : gateway->password));
    json_close(&json, '}');
    struct exchange exchange = { .endpoint = endpoint, .path = "/v3/auth/authenticate", .body = buf_str(&body) };
    struct str token = json_get_str(one_try(gateway, &exchange, arena, timeout_ms, &refused), STR("token"));
    if (token.len == 0 || token.len >= TOKEN_MAX) { return false; }
    lock_take(&gateway->lock);
    memcpy(gateway->token, token.ptr, token.len);
    gateway->token[token.len] = '\0';
    lock_drop(&gateway->lock);
    return true;
}

/* The first endpoint gets half of the time, each next one half of the rest. */
static int64_t share_of(int64_t until_ms, bool last)
{
    int64_t left_ms = until_ms - clock_monotonic_ms();
    return last || left_ms < SHARE_MIN_MS ? left_ms : left_ms / 2 < SHARE_MIN_MS ? SHARE_MIN_MS : left_ms / 2;
}

static size_t preferred_of(struct gateway *gateway)
{
    lock_take(&gateway->lock);
    size_t preferred = gateway->preferred;
    lock_drop(&gateway->lock);
    return preferred;
}

static void prefer(struct gateway *gateway, size_t endpoint)
{
    lock_take(&gateway->lock);
    gateway->preferred = endpoint;
    lock_drop(&gateway->lock);
}

const struct json *gateway_call(struct gateway *gateway, const char *path, struct str body, struct arena *arena, int64_t until_ms, bool *full)
{
    size_t first = preferred_of(gateway);
    if (full != NULL) { *full = false; }
    for (size_t e = 0; e < gateway->endpoint_count; e++) {
        size_t at = (first + e) % gateway->endpoint_count;
        bool last = e + 1 == gateway->endpoint_count, refused;
        int64_t share_ms = share_of(until_ms, last);
        if (share_ms <= 0) { return NULL; }
        struct exchange exchange = { .endpoint = gateway->endpoints[at], .path = path, .body = body };
        const struct json *answer = one_try(gateway, &exchange, arena, share_ms, &refused);
        if (answer == NULL && refused && gateway->user != NULL && ask_for_token(gateway, gateway->endpoints[at], arena, share_of(until_ms, last))) {
            struct exchange again = { .endpoint = gateway->endpoints[at], .path = path, .body = body };
            answer = one_try(gateway, &again, arena, share_of(until_ms, true), &refused);
        }
        if (answer != NULL && at != first) { prefer(gateway, at); }
        if (answer != NULL) { return answer; }
        if (full != NULL && exchange.full && e == 0) {
            *full = true;
            return NULL;
        }
    }
    return NULL;
}

void gateway_listen(struct gateway *gateway, const char *path, struct str body, const char *word, int64_t until_ms)
{
    struct arena arena;
    arena_init(&arena, 4 * LISTENED_MAX);
    size_t at = preferred_of(gateway);
    int64_t begun_ms = clock_monotonic_ms();
    struct exchange exchange = { .endpoint = gateway->endpoints[at], .path = path, .body = body, .word = word, .reply = buf_in(&arena) };
    if (until_ms > begun_ms) { (void)perform(gateway, &exchange, until_ms - begun_ms); }
    arena_finish(&arena);
    int64_t now_ms = clock_monotonic_ms();
    if (exchange.heard) { return; }
    if (now_ms + LISTEN_REST_MS < until_ms) {    /* it ended by itself: a stream that etcd does not give is no reason to spin */
        prefer(gateway, (at + 1) % gateway->endpoint_count);
        clock_sleep_ms(now_ms - begun_ms < LISTEN_REST_MS ? 4 * LISTEN_REST_MS : LISTEN_REST_MS);
    }
}

/* ---- health ---- */

static void put_text(char *to, size_t size, struct str text) { (void)snprintf(to, size, STR_FMT, STR_ARG(str_slice(text, 0, size - 1))); }

static void look_at(struct gateway *gateway, struct ha_endpoint *endpoint, int64_t timeout_ms)
{
    struct arena arena = { .ceiling = GATEWAY_ANSWER_MAX };
    struct exchange exchange = { .endpoint = endpoint->name, .path = "/v3/maintenance/status", .body = STR("{}"), .date_ms = &endpoint->date_ms };
    bool refused;
    const struct json *answer = one_try(gateway, &exchange, &arena, timeout_ms, &refused);
    endpoint->answers = answer != NULL;
    if (answer == NULL) { gateway_problem(gateway, endpoint->trouble); }
    put_text(endpoint->version, sizeof endpoint->version, json_get_str(answer, STR("version")));
    (void)str_to_i64(json_get_str(answer, STR("dbSize")), &endpoint->size);
    const struct json *errors = json_get(answer, STR("errors"));
    if (errors != NULL && errors->type == JSON_ARRAY && errors->count > 0 && errors->as.items[0].type == JSON_STRING) {
        put_text(endpoint->trouble, sizeof endpoint->trouble, errors->as.items[0].as.string);
    }
    arena_finish(&arena);
}

void gateway_health(struct gateway *gateway, struct ha_health *health, int64_t until_ms)
{
    *health = (struct ha_health){ .count = gateway->endpoint_count };
    for (size_t e = 0; e < gateway->endpoint_count; e++) {
        put_text(health->endpoints[e].name, sizeof health->endpoints[e].name, str_from(gateway->endpoints[e]));
        look_at(gateway, &health->endpoints[e], share_of(until_ms, e + 1 == gateway->endpoint_count));
    }
}
