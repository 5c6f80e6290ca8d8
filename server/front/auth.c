/* auth.c: the order of the checks is that of ECS: what is missing, whose key, is the signature right, is it in time, is it
 * for us. Each thread keeps the keys it saw last for a second, so that a request costs no look-up. Wrong secrets are counted: a peer
 * with too many must wait. */
#include "server/front/auth.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "api/tell/role_credentials.h"
#include "base/text/base64.h"
#include "base/clock.h"
#include "base/log.h"
#include "server/front/guesses.h"

enum {
    WINDOW_MS = 5 * 60 * 1000,               /* how far a client's clock may be off, either way */
    ROLE_GRACE_MS = 10 * 1000,               /* how long a task's keys are good when it has stopped */
    KEEP_MS = 1000,                          /* how long a thread trusts what it read of a key */
    SLOTS = 4,                               /* keys per thread */
    TEXT_MAX = 128,                          /* of an id, as in IAM; longer secrets and users are read each time */
};

static const char mismatch[] = "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
    "Access Key and signing method. Consult the service documentation for details.";

static const char invalid[] = "The security token included in the request is invalid.";

struct auth {
    struct auth_config config;
    uint64_t number;                         /* of all that this process ever had */
    struct guesses *guesses;
    atomic_uint_fast64_t refused[REFUSED_COUNT];
};

/* ---- keys ---- */

struct kept_text { size_t len; char bytes[TEXT_MAX]; };
struct kept_key { uint64_t owner; int64_t read_ms; struct kept_text id, secret, user, cluster, instance; enum access_role role; };
static _Thread_local struct kept_key kept_keys[SLOTS];
static _Thread_local unsigned kept_next;

static struct str kept_str(const struct kept_text *text) { return (struct str){ text->bytes, text->len }; }

static void keep_text(struct kept_text *text, struct str s)
{
    ASSERT(s.len <= sizeof text->bytes);                        /* keep_key has looked */
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
        struct store_txn *txn = store_read_begin(auth->config.store);
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

/* A log driver sends a task's last lines after its end is known. */
static bool task_goes_on(const struct task *task, int64_t now_ms)
{
    return task != NULL && (task_is_live(task) || now_ms < task->stopped_ms + ROLE_GRACE_MS);
}

/* The keys of a task's role: their token has their facts; the store knows whether the task still runs. */
static bool find_role(const struct auth *auth, const struct http_request *request, struct str id, struct str token, struct caller *caller,
                      struct str *secret, struct err *err)
{
    struct role_session *session = ARENA_NEW(request->arena, struct role_session, 1);
    struct role_pair pair;
    char task[ID_HEX_LEN + 1];
    struct store_txn *txn = store_read_begin(auth->config.store);
    struct str key = store_meta(txn, role_key_name, request->arena);
    bool known = role_read(key, token, session, &pair, request->arena) && str_eq(pair.access_key_id, id);
    bool goes_on = known && task_goes_on(store_task(txn, session->task, request->arena), request->now_ms);
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The keys of the roles can't be read."); }
    if (!known) { return err_set(err, ERR_UNRECOGNIZED_CLIENT, "%s", invalid); }
    if (!goes_on || request->now_ms >= session->expires_ms) {
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

/* ---- wrong secrets ---- */

/* The root key's secret may be one that somebody has thought of. Those that Berth makes can't be guessed: with them a right signature is let in
 * even after wrong secrets of others from the same address. */
static bool is_chosen(const struct caller *caller) { return caller->role == ACCESS_ADMIN && str_eq(caller->user, STR("root")); }

static bool check_patience(const struct auth *auth, const struct http_request *request, const struct caller *caller, struct err *err)
{
    int64_t wait_ms = guesses_wait_ms(auth->guesses, request->peer, caller->access_key, clock_monotonic_ms());
    if (wait_ms == 0) { return true; }
    err->retry_after_s = (int)((wait_ms + 999) / 1000);
    return err_set(err, ERR_THROTTLING, "Too many wrong secrets came for this access key from this address. Try again in %d s.", err->retry_after_s);
}

static bool wrong_secret(const struct auth *auth, const struct http_request *request, const struct caller *caller, enum err_code code,
                         const char *text, struct err *err)
{
    if (guesses_count(auth->guesses, request->peer, caller->access_key, clock_monotonic_ms())) {
        log_line(LOG_WARN, "auth", "%d wrong secrets within a minute, more have to wait: key=" STR_FMT " peer=" STR_FMT, GUESSES_MAX,
                 STR_ARG(caller->access_key), STR_ARG(request->peer));
    }
    return err_set(err, code, "%s", text);
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

static bool is_signed(struct str header, struct str signed_headers)
{
    struct str name, rest = signed_headers;
    bool more = true;
    while (more) {
        more = str_cut(rest, ';', &name, &rest);
        if (str_eq_nocase(name, header)) { return true; }
    }
    return false;
}

/* A signature that does not cover the host could be carried to another server, and one that does not cover the target to another operation. */
static bool check_covered(const struct http_request *request, const struct signed_parts *parts, struct err *err)
{
    static const struct { struct str name; bool always; } headers[] = {
        { STR_INIT("Host"), true }, { STR_INIT("X-Amz-Target"), false }, { STR_INIT("X-Amz-Security-Token"), false },
    };
    for (size_t h = 0; h < COUNT_OF(headers); h++) {
        bool wanted = headers[h].always || str_is_set(http_header(request, headers[h].name));
        if (wanted && !is_signed(headers[h].name, parts->authorization.signed_headers)) {
            return err_set(err, ERR_INVALID_SIGNATURE, "'" STR_FMT "' must be a 'SignedHeader' in the AWS Authorization.", STR_ARG(headers[h].name));
        }
    }
    return true;
}

static bool signature_is_right(const struct http_request *request, const struct signed_parts *parts, struct str secret)
{
    const struct sigv4_request signable = {
        .method = request->method, .path = request->path, .query = request->query, .body = request->body,
        .headers = request->headers, .header_count = request->header_count,
    };
    char wanted[SIGV4_HEX_LEN + 1];
    return sigv4_signature(&signable, &parts->authorization, str_from(parts->date), secret, wanted)
        && str_eq_constant_time((struct str){ wanted, SIGV4_HEX_LEN }, parts->authorization.signature);
}

static bool check_signature(const struct auth *auth, const struct http_request *request, const struct caller *caller,
                            const struct signed_parts *parts, struct str secret, struct err *err)
{
    if (is_chosen(caller) && !check_patience(auth, request, caller, err)) { return false; }
    if (signature_is_right(request, parts, secret)) { return true; }
    return check_patience(auth, request, caller, err) && wrong_secret(auth, request, caller, ERR_INVALID_SIGNATURE, mismatch, err);
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
    bool global = str_eq(service, STR("iam")) && str_eq(authorization->region, STR("us-east-1"));        /* as IAM's own endpoint */
    if (!global && !str_eq(authorization->region, auth->config.region)) {
        return err_set(err, ERR_INVALID_SIGNATURE, "Credential should be scoped to a valid region, not '" STR_FMT "'. This server's "
                       "is '" STR_FMT "'.", STR_ARG(str_slice(authorization->region, 0, 64)), STR_ARG(auth->config.region));
    }
    struct str day = str_slice(str_from(parts->date), 0, str_find(str_from(parts->date), 'T'));
    if (!str_eq(authorization->date, day)) {
        return err_set(err, ERR_INVALID_SIGNATURE, "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                       "from HTTP: '" STR_FMT "' != '" STR_FMT "', from '%s'.", STR_ARG(str_slice(authorization->date, 0, 64)),
                       STR_ARG(day), parts->date);
    }
    return true;
}

/* ---- refusals ---- */

static bool count_refused(struct auth *auth, enum refusal why)
{
    atomic_fetch_add_explicit(&auth->refused[why], 1, memory_order_relaxed);
    return false;
}

/* Where a step may refuse for several reasons. */
static enum refusal refusal_of(enum err_code code)
{
    return code == ERR_UNRECOGNIZED_CLIENT ? REFUSED_UNKNOWN_KEY : code == ERR_EXPIRED_TOKEN ? REFUSED_EXPIRED : code == ERR_THROTTLING ? REFUSED_THROTTLED
         : code == ERR_INVALID_SIGNATURE ? REFUSED_SIGNATURE : REFUSED_STORE;
}

void auth_print_metrics(const struct auth *auth, struct buf *out)
{
    static const char *const reasons[REFUSED_COUNT] = {
        [REFUSED_NO_KEY] = "no-key", [REFUSED_MALFORMED] = "malformed", [REFUSED_UNKNOWN_KEY] = "unknown-key", [REFUSED_SIGNATURE] = "wrong-signature",
        [REFUSED_PASSWORD] = "wrong-password", [REFUSED_EXPIRED] = "expired", [REFUSED_CLOCK] = "clock", [REFUSED_SCOPE] = "scope",
        [REFUSED_THROTTLED] = "throttled", [REFUSED_STORE] = "store",
    };
    buf_printf(out, "# HELP berth_refused_total Requests whose sender was not let in, by reason.\n# TYPE berth_refused_total counter\n");
    for (size_t r = 0; r < REFUSED_COUNT; r++) {
        unsigned long long count = atomic_load_explicit(&auth->refused[r], memory_order_relaxed);
        buf_printf(out, "berth_refused_total{reason=\"%s\"} %llu\n", reasons[r], count);
    }
}

/* ---- signed requests ---- */

bool auth_check(struct auth *auth, const struct http_request *request, struct str service, struct caller *caller, struct err *err)
{
    struct signed_parts parts;
    struct str secret;
    if (!take_parts(request, &parts, err)) {
        return count_refused(auth, err->code == ERR_MISSING_TOKEN ? REFUSED_NO_KEY : REFUSED_MALFORMED);
    }
    if (!find_signer(auth, request, parts.authorization.access_key, caller, &secret, err)) { return count_refused(auth, refusal_of(err->code)); }
    if (!check_covered(request, &parts, err)) { return count_refused(auth, REFUSED_MALFORMED); }
    if (!check_signature(auth, request, caller, &parts, secret, err)) { return count_refused(auth, refusal_of(err->code)); }
    if (!check_time(request, &parts, err)) { return count_refused(auth, REFUSED_CLOCK); }
    if (!check_scope(auth, &parts, service, err)) { return count_refused(auth, REFUSED_SCOPE); }
    http_prove(request);
    return true;
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

/* Headers that proxies add, and that a browser adds for a page of another site. */
static bool tells_of_others(const struct sigv4_header *header)
{
    static const struct str proxies[] = { STR_INIT("Forwarded"), STR_INIT("Via"), STR_INIT("X-Real-IP") };
    static const struct str prefix = STR_INIT("X-Forwarded-");
    for (size_t p = 0; p < COUNT_OF(proxies); p++) {
        if (str_eq_nocase(header->name, proxies[p])) { return true; }
    }
    return str_eq_nocase(str_slice(header->name, 0, prefix.len), prefix)
        || (str_eq_nocase(header->name, STR("Sec-Fetch-Site")) && str_eq_nocase(str_trim(header->value), STR("cross-site")));
}

/* Whether readers on this machine need no key. */
static bool is_open(const struct auth *auth, const struct http_request *request)
{
    if (auth->config.dashboard != DASHBOARD_UNTIL_KEY) { return auth->config.dashboard == DASHBOARD_LOOPBACK; }
    struct access_key_list keys = { 0 };
    struct store_txn *txn = store_read_begin(auth->config.store);
    (void)store_list_access_keys(txn, &keys, request->arena);
    return store_read_end(txn) && keys.count == 0;
}

/* A page from elsewhere can make a browser on this machine call us under its own name; and behind a proxy on this
 * machine every peer looks like loopback. Neither is a person at this machine. */
static bool is_local_reader(const struct auth *auth, const struct http_request *request)
{
    if (!auth_is_loopback(request->peer)) { return false; }
    for (size_t h = 0; h < request->header_count; h++) {
        if (tells_of_others(&request->headers[h])) { return false; }
    }
    struct str host = http_header(request, STR("Host"));
    size_t colon = host.len;
    while (colon > 0 && host.ptr[colon - 1] != ':' && host.ptr[colon - 1] != ']') { colon--; }
    if (colon > 0 && host.ptr[colon - 1] == ':') { host = str_slice(host, 0, colon - 1); }
    bool called_here = str_eq_nocase(host, STR("localhost")) || str_eq(host, STR("[::1]")) || is_loopback_number(host);
    return called_here && is_open(auth, request);
}

static bool check_basic(struct auth *auth, const struct http_request *request, struct str encoded, struct caller *caller,
                        struct err *err)
{
    struct str id, given, secret;
    (void)str_cut(base64_decode(str_trim(encoded), request->arena), ':', &id, &given);
    if (!find_key(auth, request, id, caller, &secret, err) || !check_patience(auth, request, caller, err)) {
        return count_refused(auth, refusal_of(err->code));
    }
    if (str_eq_constant_time(secret, given)) {
        http_prove(request);
        return true;
    }
    (void)wrong_secret(auth, request, caller, ERR_UNRECOGNIZED_CLIENT, invalid, err);
    return count_refused(auth, REFUSED_PASSWORD);
}

/* Paths that are no operation of ECS show other people's tasks. */
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
    if (!is_local_reader(auth, request)) {
        (void)err_set(err, ERR_MISSING_TOKEN, "Missing Authentication Token");
        return count_refused(auth, REFUSED_NO_KEY);
    }
    *caller = (struct caller){ .access_key = STR(""), .user = STR("local"), .role = ACCESS_VIEWER };
    return true;
}

/* ---- life ---- */

struct auth *auth_create(const struct auth_config *config)
{
    static atomic_uint_fast64_t count;
    struct auth *auth = calloc(1, sizeof *auth);
    ASSERT(auth != NULL);
    auth->config = *config;
    auth->number = atomic_fetch_add(&count, 1) + 1;
    auth->guesses = guesses_create();
    return auth;
}

void auth_destroy(struct auth *auth)
{
    if (auth == NULL) { return; }
    guesses_destroy(auth->guesses);
    free(auth);
}
