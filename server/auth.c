/* auth.c: the order of the checks is that of ECS: what is missing, whose key, is the signature right, is it in time, is it
 * for us. Each thread keeps the keys it saw last for a second, so that a request costs no look-up. */
#include "server/auth.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "api/role_credentials.h"
#include "base/base64.h"
#include "base/clock.h"

enum {
    WINDOW_MS = 5 * 60 * 1000,               /* how far a client's clock may be off, either way */
    KEEP_MS = 1000,                          /* how long a thread trusts what it read of a key */
    SLOTS = 4,                               /* keys per thread */
    TEXT_MAX = 128,                          /* of an id, as in IAM; longer secrets and users are read each time */
};

static const char mismatch[] = "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
    "Access Key and signing method. Consult the service documentation for details.";

static const char invalid[] = "The security token included in the request is invalid.";

struct auth { struct store *store; struct str region, role_key; uint64_t number; };     /* number: of all that this process ever had */

/* ---- keys ---- */

struct kept_text { size_t len; char bytes[TEXT_MAX]; };
struct kept_key { uint64_t owner; int64_t read_ms; struct kept_text id, secret, user, cluster, instance; enum access_role role; };
static _Thread_local struct kept_key kept_keys[SLOTS];
static _Thread_local unsigned kept_next;

static struct str kept_str(const struct kept_text *text) { return (struct str){ text->bytes, text->len }; }

static void keep_text(struct kept_text *text, struct str s)
{
    ASSERT(s.len <= sizeof text->bytes);
    if (s.len > 0) { memcpy(text->bytes, s.ptr, s.len); }
    text->len = s.len;
}

static const struct kept_key *find_kept(const struct auth *auth, struct str id)
{
    int64_t now_ms = clock_monotonic_ms();
    for (size_t k = 0; k < SLOTS; k++) {
        const struct kept_key *kept = &kept_keys[k];
        if (kept->owner == auth->number && now_ms - kept->read_ms < KEEP_MS && str_eq(kept_str(&kept->id), id)) { return kept; }
    }
    return NULL;
}

static void keep_key(const struct auth *auth, const struct access_key *key)
{
    const struct key_binding *binding = &key->binding;
    if (key->id.len > TEXT_MAX || key->secret.len > TEXT_MAX || key->user.len > TEXT_MAX) { return; }
    if (binding->cluster.len > TEXT_MAX || binding->instance.len > TEXT_MAX) { return; }
    struct kept_key *kept = &kept_keys[kept_next++ % SLOTS];
    kept->owner = auth->number;
    kept->read_ms = clock_monotonic_ms();
    keep_text(&kept->id, key->id);
    keep_text(&kept->secret, key->secret);
    keep_text(&kept->user, key->user);
    keep_text(&kept->cluster, binding->cluster);
    keep_text(&kept->instance, binding->instance);
    kept->role = key->role;
}

/* Fills *caller and *secret, which live in the request's arena. */
static bool find_key(const struct auth *auth, const struct http_request *request, struct str id, struct caller *caller,
                     struct str *secret, struct err *err)
{
    const struct kept_key *kept = find_kept(auth, id);
    if (kept != NULL) {
        *secret = arena_str(request->arena, kept_str(&kept->secret));
        *caller = (struct caller){
            .access_key = arena_str(request->arena, id), .user = arena_str(request->arena, kept_str(&kept->user)), .role = kept->role,
            .binding = { arena_str(request->arena, kept_str(&kept->cluster)), arena_str(request->arena, kept_str(&kept->instance)) },
        };
        return true;
    }
    const struct access_key *key = NULL;
    if (id.len > 0 && id.len <= TEXT_MAX) {
        struct store_txn *txn = store_read_begin(auth->store);
        key = store_access_key(txn, id, request->arena);
        if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The access keys can't be read."); }
    }
    if (key == NULL || key->revoked_ms != 0) {
        return err_set(err, ERR_UNRECOGNIZED_CLIENT, "%s", invalid);
    }
    keep_key(auth, key);
    *secret = key->secret;
    *caller = (struct caller){ .access_key = key->id, .user = key->user, .role = key->role, .binding = key->binding };
    return true;
}

/* The keys of a task's role: all that is known of them stands in their token. */
static bool find_role(const struct auth *auth, const struct http_request *request, struct str id, struct str token, struct caller *caller,
                      struct str *secret, struct err *err)
{
    struct role_session *session = ARENA_NEW(request->arena, struct role_session, 1);
    struct role_pair pair;
    char task[ID_HEX_LEN + 1];
    if (!role_read(auth->role_key, token, session, &pair, request->arena) || !str_eq(pair.access_key_id, id)) {
        return err_set(err, ERR_UNRECOGNIZED_CLIENT, "%s", invalid);
    }
    if (request->now_ms >= session->expires_ms) {
        return err_set(err, ERR_EXPIRED_TOKEN, "The security token included in the request is expired");
    }
    id_hex(session->task, task);
    struct str role = role_name(session->role_arn);
    *secret = pair.secret;
    *caller = (struct caller){
        .access_key = pair.access_key_id, .user = arena_printf(request->arena, STR_FMT "/%s", STR_ARG(role), task), .role = ACCESS_TASK,
        .session = session,
    };
    return true;
}

static bool find_signer(const struct auth *auth, const struct http_request *request, struct str id, struct caller *caller,
                        struct str *secret, struct err *err)
{
    struct str token = http_header(request, STR("X-Amz-Security-Token"));
    return str_is_set(token) ? find_role(auth, request, id, token, caller, secret, err) : find_key(auth, request, id, caller, secret, err);
}

/* ---- the parts of a signed request ---- */

struct signed_parts { struct sigv4_authorization authorization; char date[SIGV4_TIME_LEN + 1]; int64_t date_ms; };

/* As in X-Amz-Date, or as HTTP writes it; from 1970 on. */
static bool read_date(const struct http_request *request, struct signed_parts *parts)
{
    struct str date = http_header(request, STR("X-Amz-Date"));
    if (!str_is_set(date)) { date = http_header(request, STR("Date")); }
    if (sigv4_parse_time(date, &parts->date_ms)) { return str_to_cstr(date, parts->date, sizeof parts->date); }
    char text[64];
    struct tm utc = { 0 };
    if (!str_is_set(date) || !str_to_cstr(date, text, sizeof text)) { return false; }
    const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &utc);
    if (end == NULL || *end != '\0') { return false; }
    parts->date_ms = (int64_t)timegm(&utc) * 1000;
    return sigv4_format_time(parts->date_ms, parts->date);
}

static bool query_is_signed(const struct http_request *request)
{
    return str_is_set(http_parameter(request, STR("X-Amz-Algorithm")));
}

static bool take_parts(const struct http_request *request, struct signed_parts *parts, struct err *err)
{
    struct str header = http_header(request, STR("Authorization"));
    bool in_query = request->query.len > 0 && query_is_signed(request);
    if (str_is_set(header) && in_query) {
        return err_set(err, ERR_INVALID_SIGNATURE,
                       "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
    }
    if (!str_is_set(header)) { return err_set(err, ERR_MISSING_TOKEN, "Missing Authentication Token"); }
    if (!sigv4_parse_authorization(header, &parts->authorization, err)) { return false; }
    if (!read_date(request, parts)) {
        return err_set(err, ERR_INCOMPLETE_SIGNATURE, "Authorization header requires existence of either a 'X-Amz-Date' or a "
                       "'Date' header. Authorization=" STR_FMT, STR_ARG(str_slice(header, 0, 400)));
    }
    return true;
}

/* A signature that does not cover the host could be carried to another server. */
static bool names_host(struct str signed_headers)
{
    struct str name, rest = signed_headers;
    bool more = true;
    while (more) {
        more = str_cut(rest, ';', &name, &rest);
        if (str_eq_nocase(name, STR("host"))) { return true; }
    }
    return false;
}

static bool check_signature(const struct http_request *request, const struct signed_parts *parts, struct str secret,
                            struct err *err)
{
    if (!names_host(parts->authorization.signed_headers)) {
        return err_set(err, ERR_INVALID_SIGNATURE, "'Host' must be a 'SignedHeader' in the AWS Authorization.");
    }
    const struct sigv4_request signable = {
        .method = request->method, .path = request->path, .query = request->query, .body = request->body,
        .headers = request->headers, .header_count = request->header_count,
    };
    char wanted[SIGV4_HEX_LEN + 1];
    bool good = sigv4_signature(&signable, &parts->authorization, str_from(parts->date), secret, wanted)
        && str_eq_constant_time((struct str){ wanted, SIGV4_HEX_LEN }, parts->authorization.signature);
    return good || err_set(err, ERR_INVALID_SIGNATURE, "%s", mismatch);
}

static bool check_time(const struct http_request *request, const struct signed_parts *parts, struct err *err)
{
    bool early = parts->date_ms > request->now_ms + WINDOW_MS, late = parts->date_ms < request->now_ms - WINDOW_MS;
    if (!early && !late) { return true; }
    char now[SIGV4_TIME_LEN + 1], edge[SIGV4_TIME_LEN + 1];
    if (!sigv4_format_time(request->now_ms, now) || !sigv4_format_time(request->now_ms + (early ? WINDOW_MS : -WINDOW_MS), edge)) {
        return err_set(err, ERR_SERVER, "The server's clock is wrong.");
    }
    return early
        ? err_set(err, ERR_INVALID_SIGNATURE, "Signature not yet current: %s is still later than %s (%s + 5 min.)", parts->date, edge, now)
        : err_set(err, ERR_INVALID_SIGNATURE, "Signature expired: %s is now earlier than %s (%s - 5 min.)", parts->date, edge, now);
}

static bool check_scope(const struct auth *auth, const struct signed_parts *parts, struct str service, struct err *err)
{
    const struct sigv4_authorization *authorization = &parts->authorization;
    if (!str_eq(authorization->service, service)) {
        return err_set(err, ERR_INVALID_SIGNATURE, "Credential should be scoped to correct service: '" STR_FMT "'.", STR_ARG(service));
    }
    if (!str_eq(authorization->region, auth->region)) {
        return err_set(err, ERR_INVALID_SIGNATURE, "Credential should be scoped to a valid region, not '" STR_FMT "'. This server's "
                       "is '" STR_FMT "'.", STR_ARG(str_slice(authorization->region, 0, 64)), STR_ARG(auth->region));
    }
    struct str day = str_slice(str_from(parts->date), 0, str_find(str_from(parts->date), 'T'));
    if (!str_eq(authorization->date, day)) {
        return err_set(err, ERR_INVALID_SIGNATURE, "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                       "from HTTP: '" STR_FMT "' != '" STR_FMT "', from '%s'.", STR_ARG(str_slice(authorization->date, 0, 64)),
                       STR_ARG(day), parts->date);
    }
    return true;
}

bool auth_check(struct auth *auth, const struct http_request *request, struct str service, struct caller *caller, struct err *err)
{
    struct signed_parts parts;
    struct str secret;
    bool good = take_parts(request, &parts, err)
        && find_signer(auth, request, parts.authorization.access_key, caller, &secret, err)
        && check_signature(request, &parts, secret, err)
        && check_time(request, &parts, err)
        && check_scope(auth, &parts, service, err);
    if (good) { http_prove(request); }
    return good;
}

/* ---- readers ---- */

bool auth_is_loopback(struct str address)
{
    return str_starts_with(address, STR("127.")) || str_eq(address, STR("::1")) || str_starts_with(address, STR("::ffff:127."));
}

/* "127.0.0.1", but not "127.example.com". */
static bool is_loopback_number(struct str host)
{
    for (size_t i = 0; i < host.len; i++) {
        if (host.ptr[i] != '.' && (host.ptr[i] < '0' || host.ptr[i] > '9')) { return false; }
    }
    return str_starts_with(host, STR("127."));
}

/* A page from elsewhere can make a browser on this machine call us under a name of its own; and behind a proxy on this
 * machine everybody looks like loopback. Neither is the person at this machine. */
static bool is_local_reader(const struct http_request *request)
{
    if (!auth_is_loopback(request->peer)) { return false; }
    if (str_is_set(http_header(request, STR("X-Forwarded-For"))) || str_is_set(http_header(request, STR("Forwarded")))
        || str_is_set(http_header(request, STR("Via")))) {
        return false;
    }
    struct str host = http_header(request, STR("Host"));
    size_t colon = host.len;
    while (colon > 0 && host.ptr[colon - 1] != ':' && host.ptr[colon - 1] != ']') { colon--; }
    if (colon > 0 && host.ptr[colon - 1] == ':') { host = str_slice(host, 0, colon - 1); }
    return str_eq_nocase(host, STR("localhost")) || str_eq(host, STR("[::1]")) || is_loopback_number(host);
}

static bool check_basic(struct auth *auth, const struct http_request *request, struct str encoded, struct caller *caller,
                        struct err *err)
{
    struct str id, given, secret;
    (void)str_cut(base64_decode(str_trim(encoded), request->arena), ':', &id, &given);
    if (!find_key(auth, request, id, caller, &secret, err)) { return false; }
    if (!str_eq_constant_time(secret, given)) { return err_set(err, ERR_UNRECOGNIZED_CLIENT, "%s", invalid); }
    http_prove(request);
    return true;
}

/* What is no operation of ECS shows other people's tasks. */
static bool check_reader(const struct caller *caller, struct err *err)
{
    return caller->role != ACCESS_TASK || err_set(err, ERR_ACCESS_DENIED, "The role of a task may not read this.");
}

bool auth_check_reader(struct auth *auth, const struct http_request *request, struct caller *caller, struct err *err)
{
    struct str header = http_header(request, STR("Authorization")), scheme, rest;
    (void)str_cut(header, ' ', &scheme, &rest);
    if (str_eq_nocase(scheme, STR("Basic"))) { return check_basic(auth, request, rest, caller, err); }
    if (str_is_set(header)) { return auth_check(auth, request, STR("ecs"), caller, err) && check_reader(caller, err); }
    if (!is_local_reader(request)) { return err_set(err, ERR_MISSING_TOKEN, "Missing Authentication Token"); }
    *caller = (struct caller){ .access_key = STR(""), .user = STR("local"), .role = ACCESS_VIEWER };
    return true;
}

/* ---- life ---- */

struct auth *auth_create(struct store *store, struct str region, struct str role_key)
{
    static atomic_uint_fast64_t count;
    struct auth *auth = calloc(1, sizeof *auth);
    ASSERT(auth != NULL);
    *auth = (struct auth){ .store = store, .region = region, .role_key = role_key, .number = atomic_fetch_add(&count, 1) + 1 };
    return auth;
}

void auth_destroy(struct auth *auth) { free(auth); }
