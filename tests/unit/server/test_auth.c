/* The caller: every check of a signature from both sides, in the words of ECS's front end, and the readers of the page. */
#include "server/front/auth.h"

#include "api/tell/role_credentials.h"
#include "base/text/base64.h"
#include "tests/unit/server/server_fixture.h"

/* Now is a number: 2026-01-02T03:04:05Z. */
#define NOW_MS INT64_C(1767323045000)
enum { MINUTES_5_MS = 5 * 60 * 1000, HEADERS_MAX = 8 };

static const struct str role_key = STR_INIT("0123456789abcdef0123456789abcdef");
static struct store *store;
static struct auth *auth;

/* A request that is right in every way, for the rows to spoil. */
struct plan {
    const char *key, *secret, *region, *service, *method, *path, *query, *body;
    int64_t signed_ms;
    const char *scope_day;                   /* instead of the day of signed_ms */
};

static const struct plan good_plan = {
    ADMIN_ID, KEY_SECRET, "us-east-1", "ecs", "POST", "/", "", "{\"cluster\":\"default\"}", NOW_MS, NULL,
};

struct made { struct arena arena; struct sigv4_header headers[HEADERS_MAX]; struct http_request request; };

static void add_header(struct made *made, const char *name, struct str value)
{
    ASSERT(made->request.header_count < HEADERS_MAX);
    made->headers[made->request.header_count++] = (struct sigv4_header){ str_from(name), value };
}

static void drop_header(struct made *made, const char *name)
{
    size_t kept = 0;
    for (size_t h = 0; h < made->request.header_count; h++) {
        if (!str_eq_nocase(made->headers[h].name, str_from(name))) { made->headers[kept++] = made->headers[h]; }
    }
    made->request.header_count = kept;
}

/* All headers that there are. */
static void sign(struct made *made, const struct plan *plan)
{
    char time[SIGV4_TIME_LEN + 1];
    sigv4_format_time(plan->signed_ms, time);
    drop_header(made, "Authorization");
    const struct sigv4_request signable = {
        .method = made->request.method, .path = made->request.path, .query = made->request.query, .body = made->request.body,
        .headers = made->headers, .header_count = made->request.header_count,
    };
    struct str header = sigv4_sign(&signable, str_from(plan->key), str_from(plan->secret), str_from(plan->region),
                                   str_from(plan->service), str_from(time), &made->arena);
    add_header(made, "Authorization", header);
}

static void make(struct made *made, const struct plan *plan)
{
    char time[SIGV4_TIME_LEN + 1];
    *made = (struct made){ .arena = { .ceiling = FIXTURE_ARENA_BYTES } };
    sigv4_format_time(plan->signed_ms, time);
    made->request = (struct http_request){
        .method = str_from(plan->method), .path = str_from(plan->path), .query = str_from(plan->query), .body = str_from(plan->body),
        .headers = made->headers, .peer = STR("127.0.0.1"), .now_ms = NOW_MS, .arena = &made->arena,
    };
    add_header(made, "Host", STR("127.0.0.1:9280"));
    add_header(made, "X-Amz-Date", arena_str(&made->arena, str_from(time)));
    add_header(made, "X-Amz-Target", STR("AmazonEC2ContainerServiceV20141113.ListTasks"));
    sign(made, plan);
}

/* Signs for a day of its own choosing: the signature is right, the scope is not. */
static void sign_for_day(struct made *made, const struct plan *plan)
{
    char time[SIGV4_TIME_LEN + 1], signature[SIGV4_HEX_LEN + 1];
    sigv4_format_time(plan->signed_ms, time);
    drop_header(made, "Authorization");
    const struct sigv4_request signable = {
        .method = made->request.method, .path = made->request.path, .query = made->request.query, .body = made->request.body,
        .headers = made->headers, .header_count = made->request.header_count,
    };
    const struct sigv4_authorization authorization = {
        .access_key = str_from(plan->key), .date = str_from(plan->scope_day), .region = str_from(plan->region),
        .service = str_from(plan->service), .signed_headers = STR("host;x-amz-date;x-amz-target"),
    };
    ASSERT(sigv4_signature(&signable, &authorization, str_from(time), str_from(plan->secret), signature));
    add_header(made, "Authorization", arena_printf(&made->arena, "AWS4-HMAC-SHA256 Credential=%s/%s/%s/%s/aws4_request, "
               "SignedHeaders=host;x-amz-date;x-amz-target, Signature=%s", plan->key, plan->scope_day, plan->region, plan->service, signature));
}

static void check_row(const char *name, struct made *made, enum err_code want, const char *text)
{
    struct err err = { 0 };
    struct caller caller = { 0 };
    CHECK_EQ(name, auth_check(auth, &made->request, STR("ecs"), &caller, &err), want == ERR_NONE);
    CHECK_EQ(name, err.code, want);
    if (text != NULL) { CHECK_STR(name, str_from(err.message), str_from(text)); }
    if (want == ERR_NONE) { CHECK_STR(name, caller.user, STR("admin")); }
    arena_finish(&made->arena);
}

#define MISMATCH "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key " \
    "and signing method. Consult the service documentation for details."
#define NOT_KNOWN "The security token included in the request is invalid."

static void test_signatures(void)
{
    static const struct { const char *name; struct plan plan; enum err_code want; const char *text; } rows[] = {
        { "all is right", { ADMIN_ID, KEY_SECRET, "us-east-1", "ecs", "POST", "/", "", "{}", NOW_MS, NULL }, ERR_NONE, NULL },
        { "with a query", { ADMIN_ID, KEY_SECRET, "us-east-1", "ecs", "GET", "/berth/v1/logs", "task=a%2Fb&follow", "", NOW_MS, NULL },
          ERR_NONE, NULL },
        { "wrong secret", { ADMIN_ID, "other", "us-east-1", "ecs", "POST", "/", "", "{}", NOW_MS, NULL }, ERR_INVALID_SIGNATURE, MISMATCH },
        { "unknown key", { "AKIANOBODY0000000001", KEY_SECRET, "us-east-1", "ecs", "POST", "/", "", "{}", NOW_MS, NULL },
          ERR_UNRECOGNIZED_CLIENT, NOT_KNOWN },
        { "revoked key", { REVOKED_ID, KEY_SECRET, "us-east-1", "ecs", "POST", "/", "", "{}", NOW_MS, NULL }, ERR_UNRECOGNIZED_CLIENT, NOT_KNOWN },
        { "wrong region", { ADMIN_ID, KEY_SECRET, "eu-west-1", "ecs", "POST", "/", "", "{}", NOW_MS, NULL }, ERR_INVALID_SIGNATURE,
          "Credential should be scoped to a valid region, not 'eu-west-1'. This server's is 'us-east-1'." },
        { "wrong service", { ADMIN_ID, KEY_SECRET, "us-east-1", "ec2", "POST", "/", "", "{}", NOW_MS, NULL }, ERR_INVALID_SIGNATURE,
          "Credential should be scoped to correct service: 'ecs'." },
        { "five minutes old", { ADMIN_ID, KEY_SECRET, "us-east-1", "ecs", "POST", "/", "", "{}", NOW_MS - MINUTES_5_MS, NULL }, ERR_NONE, NULL },
        { "a second older", { ADMIN_ID, KEY_SECRET, "us-east-1", "ecs", "POST", "/", "", "{}", NOW_MS - MINUTES_5_MS - 1000, NULL },
          ERR_INVALID_SIGNATURE,
          "Signature expired: 20260102T025904Z is now earlier than 20260102T025905Z (20260102T030405Z - 5 min.)" },
        { "five minutes ahead", { ADMIN_ID, KEY_SECRET, "us-east-1", "ecs", "POST", "/", "", "{}", NOW_MS + MINUTES_5_MS, NULL }, ERR_NONE, NULL },
        { "a second further", { ADMIN_ID, KEY_SECRET, "us-east-1", "ecs", "POST", "/", "", "{}", NOW_MS + MINUTES_5_MS + 1000, NULL },
          ERR_INVALID_SIGNATURE,
          "Signature not yet current: 20260102T030906Z is still later than 20260102T030905Z (20260102T030405Z + 5 min.)" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made;
        make(&made, &rows[r].plan);
        check_row(rows[r].name, &made, rows[r].want, rows[r].text);
    }
}

static void test_scope_day(void)
{
    static const struct { const char *name; const char *day; enum err_code want; const char *text; } rows[] = {
        { "the day of the request", "20260102", ERR_NONE, NULL },
        { "the day before", "20260101", ERR_INVALID_SIGNATURE, "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of "
          "date from HTTP: '20260101' != '20260102', from '20260102T030405Z'." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made;
        struct plan plan = good_plan;
        plan.scope_day = rows[r].day;
        make(&made, &plan);
        sign_for_day(&made, &plan);
        check_row(rows[r].name, &made, rows[r].want, rows[r].text);
    }
}

/* Changes of a request on its way. */
static void alter_body(struct made *made)   { made->request.body = STR("{\"cluster\":\"Default\"}"); }
static void alter_target(struct made *made) { made->headers[2].value = STR("AmazonEC2ContainerServiceV20141113.StopTask"); }
static void alter_path(struct made *made)   { made->request.path = STR("/other"); }
static void alter_query(struct made *made)  { made->request.query = STR("a=b"); }
static void drop_authorization(struct made *made) { drop_header(made, "Authorization"); }
static void drop_date(struct made *made)    { drop_header(made, "X-Amz-Date"); }
static void sign_twice(struct made *made)   { made->request.query = STR("X-Amz-Algorithm=AWS4-HMAC-SHA256"); }
static void in_query_only(struct made *made)
{
    sign_twice(made);
    drop_header(made, "Authorization");
}
static void replace_authorization(struct made *made, const char *text)
{
    drop_header(made, "Authorization");
    add_header(made, "Authorization", str_from(text));
}
static void no_credential(struct made *made) { replace_authorization(made, "AWS4-HMAC-SHA256 SignedHeaders=host, Signature=ab"); }
static void only_algorithm(struct made *made) { replace_authorization(made, "AWS4-HMAC-SHA256"); }
static void bearer(struct made *made)        { replace_authorization(made, "Bearer x"); }
static void no_host(struct made *made)
{
    replace_authorization(made, "AWS4-HMAC-SHA256 Credential=" ADMIN_ID "/20260102/us-east-1/ecs/aws4_request, "
                          "SignedHeaders=x-amz-date, Signature=ab");
}

/* Signed rightly, but not all of it. */
static void sign_only(struct made *made, const char *names)
{
    char signature[SIGV4_HEX_LEN + 1];
    drop_header(made, "Authorization");
    const struct sigv4_request signable = {
        .method = made->request.method, .path = made->request.path, .query = made->request.query, .body = made->request.body,
        .headers = made->headers, .header_count = made->request.header_count,
    };
    const struct sigv4_authorization authorization = {
        .date = STR("20260102"), .region = STR("us-east-1"), .service = STR("ecs"), .signed_headers = str_from(names),
    };
    ASSERT(sigv4_signature(&signable, &authorization, STR("20260102T030405Z"), STR(KEY_SECRET), signature));
    add_header(made, "Authorization", arena_printf(&made->arena, "AWS4-HMAC-SHA256 Credential=" ADMIN_ID "/20260102/us-east-1/ecs/aws4_request, "
               "SignedHeaders=%s, Signature=%s", names, signature));
}

static void test_covered(void)
{
    static const struct { const char *name, *names; bool targeted; enum err_code want; const char *text; } rows[] = {
        { "all",                      "host;x-amz-date;x-amz-target", true,  ERR_NONE, NULL },
        { "in other letters",         "Host;X-Amz-Date;X-Amz-Target", true,  ERR_NONE, NULL },
        { "the target is not signed", "host;x-amz-date",              true,  ERR_INVALID_SIGNATURE,
          "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization." },
        { "there is no target",       "host;x-amz-date",              false, ERR_NONE, NULL },
        { "the date is not signed",   "host;x-amz-target",            true,  ERR_NONE, NULL },            /* it is signed as the date */
        { "the host is not signed",   "x-amz-date;x-amz-target",      true,  ERR_INVALID_SIGNATURE, "'Host' must be a 'SignedHeader' in the AWS Authorization." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made;
        make(&made, &good_plan);
        if (!rows[r].targeted) { drop_header(&made, "X-Amz-Target"); }
        sign_only(&made, rows[r].names);
        check_row(rows[r].name, &made, rows[r].want, rows[r].text);
    }
}

static void test_spoiled(void)
{
    static const struct { const char *name; void (*spoil)(struct made *made); enum err_code want; const char *text; } rows[] = {
        { "altered body",   alter_body,   ERR_INVALID_SIGNATURE, MISMATCH },
        { "altered header", alter_target, ERR_INVALID_SIGNATURE, MISMATCH },
        { "altered path",   alter_path,   ERR_INVALID_SIGNATURE, MISMATCH },
        { "altered query",  alter_query,  ERR_INVALID_SIGNATURE, MISMATCH },
        { "no credentials", drop_authorization, ERR_MISSING_TOKEN, "Missing Authentication Token" },
        { "only a signed query", in_query_only, ERR_MISSING_TOKEN, "Missing Authentication Token" },
        { "header and query", sign_twice, ERR_INVALID_SIGNATURE,
          "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header." },
        { "no date", drop_date, ERR_INCOMPLETE_SIGNATURE, NULL },
        { "no credential", no_credential, ERR_INCOMPLETE_SIGNATURE, "Authorization header requires 'Credential' parameter. "
          "Authorization=AWS4-HMAC-SHA256 SignedHeaders=host, Signature=ab" },
        { "nothing behind the algorithm", only_algorithm, ERR_INCOMPLETE_SIGNATURE, "Authorization header requires 'Credential' parameter. "
          "Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. "
          "Authorization=AWS4-HMAC-SHA256" },
        { "another scheme", bearer, ERR_INCOMPLETE_SIGNATURE, NULL },
        { "host is not signed", no_host, ERR_INVALID_SIGNATURE, "'Host' must be a 'SignedHeader' in the AWS Authorization." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made;
        make(&made, &good_plan);
        rows[r].spoil(&made);
        check_row(rows[r].name, &made, rows[r].want, rows[r].text);
    }
}

/* A Date header replaces X-Amz-Date, as HTTP writes it. */
static void test_http_date(void)
{
    struct made made;
    make(&made, &good_plan);
    drop_header(&made, "X-Amz-Date");
    drop_header(&made, "Authorization");
    add_header(&made, "Date", STR("Fri, 02 Jan 2026 03:04:05 GMT"));
    const struct sigv4_request signable = {
        .method = made.request.method, .path = made.request.path, .query = made.request.query, .body = made.request.body,
        .headers = made.headers, .header_count = made.request.header_count,
    };
    const struct sigv4_authorization authorization = {
        .date = STR("20260102"), .region = STR("us-east-1"), .service = STR("ecs"), .signed_headers = STR("date;host;x-amz-target"),
    };
    char signature[SIGV4_HEX_LEN + 1];
    ASSERT(sigv4_signature(&signable, &authorization, STR("20260102T030405Z"), STR(KEY_SECRET), signature));
    add_header(&made, "Authorization", arena_printf(&made.arena, "AWS4-HMAC-SHA256 Credential=" ADMIN_ID "/20260102/us-east-1/ecs/"
               "aws4_request, SignedHeaders=date;host;x-amz-target, Signature=%s", signature));
    check_row("Date as HTTP writes it", &made, ERR_NONE, NULL);
}

/* The second look comes from what the thread keeps; the caller is the same. */
static void test_kept_key(void)
{
    for (int time = 0; time < 3; time++) {
        struct made made;
        struct caller caller = { 0 };
        struct err err = { 0 };
        struct plan plan = good_plan;
        plan.key = VIEWER_ID;
        make(&made, &plan);
        CHECK("a viewer's signature", auth_check(auth, &made.request, STR("ecs"), &caller, &err));
        CHECK_EQ("role", caller.role, ACCESS_VIEWER);
        CHECK_STR("user", caller.user, STR("vera"));
        CHECK_STR("key", caller.access_key, STR(VIEWER_ID));
        arena_finish(&made.arena);
    }
}

/* The cluster and the machine of a bound key come with it, read or kept. */
static void test_binding(void)
{
    static const struct { const char *name, *key, *cluster, *instance; } rows[] = {
        { "bound",      BOUND_ID, "prod", "gpu-1" }, { "bound, kept",      BOUND_ID, "prod", "gpu-1" },
        { "not bound",  AGENT_ID, "",     "" },      { "not bound, kept",  AGENT_ID, "",     "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made;
        struct caller caller = { 0 };
        struct err err = { 0 };
        struct plan plan = good_plan;
        plan.key = rows[r].key;
        make(&made, &plan);
        CHECK(rows[r].name, auth_check(auth, &made.request, STR("ecs"), &caller, &err));
        CHECK_STR(rows[r].name, caller.binding.cluster, str_from(rows[r].cluster));
        CHECK_STR(rows[r].name, caller.binding.instance, str_from(rows[r].instance));
        arena_finish(&made.arena);
    }
}

/* Three tasks: one runs, one has just stopped, one stopped ten seconds ago. */
enum { RUNS = 1, JUST_STOPPED, STOPPED_BEFORE, NEVER_WAS };
static void put_tasks(void)
{
    static const int64_t stopped_ms[] = { [RUNS] = 0, [JUST_STOPPED] = NOW_MS - 9999, [STOPPED_BEFORE] = NOW_MS - 10000 };
    int64_t revision;
    struct cluster cluster = { .name = STR("default"), .status = CLUSTER_ACTIVE, .created_ms = 1 };
    struct store_txn *txn = store_write_begin(store);
    store_job_begin(txn);
    store_put_meta(txn, role_key_name, role_key);
    store_put_cluster(txn, &cluster);
    for (uint8_t t = RUNS; t < NEVER_WAS; t++) {
        bool stopped = stopped_ms[t] != 0;
        store_put_task(txn, &(struct task){
            .id = { { t } }, .cluster_number = cluster.number, .family = STR("app"), .revision = 1, .created_ms = 1, .stopped_ms = stopped_ms[t],
            .last_status = stopped ? TASK_STOPPED : TASK_RUNNING, .desired_status = stopped ? TASK_STOPPED : TASK_RUNNING,
        });
    }
    ASSERT(store_job_end(txn, true));
    ASSERT(store_write_commit(txn, &revision));
}

/* The keys of a task's role: as their token says, until their time or their task is over; alone neither key nor token is worth anything. */
static void test_roles(void)
{
    static const struct { const char *name; int64_t life_ms; bool foreign, other_id, no_token, spoiled, unsigned_token; uint8_t task; enum err_code want; const char *text; } rows[] = {
        { "good keys",            60000, false, false, false, false, false, RUNS, ERR_NONE, NULL },
        { "another server's",     60000, true,  false, false, false, false, RUNS, ERR_UNRECOGNIZED_CLIENT, NOT_KNOWN },
        { "another's token",      60000, false, true,  false, false, false, RUNS, ERR_UNRECOGNIZED_CLIENT, NOT_KNOWN },
        { "no token",             60000, false, false, true,  false, false, RUNS, ERR_UNRECOGNIZED_CLIENT, NOT_KNOWN },
        { "a wrong secret",       60000, false, false, false, true,  false, RUNS, ERR_INVALID_SIGNATURE, MISMATCH },
        { "a token that is not signed", 60000, false, false, false, false, true, RUNS, ERR_INVALID_SIGNATURE,
          "'X-Amz-Security-Token' must be a 'SignedHeader' in the AWS Authorization." },
        { "a second before",      1000,  false, false, false, false, false, RUNS, ERR_NONE, NULL },
        { "the task has just stopped", 60000, false, false, false, false, false, JUST_STOPPED, ERR_NONE, NULL },
        { "it stopped ten seconds ago", 60000, false, false, false, false, false, STOPPED_BEFORE, ERR_EXPIRED_TOKEN, "The security token included in the request is expired" },
        { "it is forgotten",      60000, false, false, false, false, false, NEVER_WAS, ERR_EXPIRED_TOKEN, "The security token included in the request is expired" },
        { "over",                 0,     false, false, false, false, false, RUNS, ERR_EXPIRED_TOKEN, "The security token included in the request is expired" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made;
        struct arena arena = { .ceiling = FIXTURE_ARENA_BYTES };
        struct wire_role_credentials keys;
        struct role_session session = {
            ROLE_TASK, { { rows[r].task } }, NOW_MS + rows[r].life_ms, STR("arn:aws:iam::123456789012:role/app"),
        };
        role_issue(rows[r].foreign ? STR("another key that is just as long") : role_key, &session, &keys, &arena);
        struct plan plan = good_plan;
        plan.key = rows[r].other_id ? ADMIN_ID : arena_cstr(&arena, keys.access_key_id);
        plan.secret = rows[r].spoiled || rows[r].other_id ? KEY_SECRET : arena_cstr(&arena, keys.secret_access_key);
        make(&made, &plan);
        if (!rows[r].no_token) { add_header(&made, "x-amz-security-token", keys.session_token); }
        if (!rows[r].unsigned_token) { sign(&made, &plan); }
        struct err err = { 0 };
        struct caller caller = { 0 };
        CHECK_EQ(rows[r].name, auth_check(auth, &made.request, STR("ecs"), &caller, &err), rows[r].want == ERR_NONE);
        CHECK_EQ(rows[r].name, err.code, rows[r].want);
        if (rows[r].text != NULL) { CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].text)); }
        if (rows[r].want == ERR_NONE) {
            CHECK_EQ(rows[r].name, caller.role, ACCESS_TASK);
            CHECK(rows[r].name, caller.session != NULL && id_eq(caller.session->task, session.task));
            struct err refused = { 0 };
            CHECK("the page's paths are not for tasks", !auth_check_reader(auth, &made.request, &caller, &refused));
            CHECK_EQ("… and say so", refused.code, ERR_ACCESS_DENIED);
        }
        arena_finish(&made.arena);
        arena_finish(&arena);
    }
}

static void test_readers(void)
{
    static const struct {
        const char *name, *peer, *host, *authorization, *more; enum err_code want; const char *user;
    } rows[] = {
        { "this machine",              "127.0.0.1", "127.0.0.1:9280", NULL, NULL, ERR_NONE, "local" },
        { "this machine by name",      "127.0.0.1", "localhost:9280", NULL, NULL, ERR_NONE, "local" },
        { "this machine, version 6",   "::1",       "[::1]:9280",     NULL, NULL, ERR_NONE, "local" },
        { "without a port",            "127.0.0.1", "localhost",      NULL, NULL, ERR_NONE, "local" },
        { "a name that points here",   "127.0.0.1", "evil.example:9280", NULL, NULL, ERR_MISSING_TOKEN, NULL },
        { "a name like a number",      "127.0.0.1", "127.evil.example",  NULL, NULL, ERR_MISSING_TOKEN, NULL },
        { "no name at all",            "127.0.0.1", "",               NULL, NULL, ERR_MISSING_TOKEN, NULL },
        { "through a proxy",           "127.0.0.1", "localhost",      NULL, "X-Forwarded-For: 192.0.2.1", ERR_MISSING_TOKEN, NULL },
        { "… that tells the host",     "127.0.0.1", "localhost",      NULL, "x-forwarded-host: berth.example", ERR_MISSING_TOKEN, NULL },
        { "… the scheme",              "127.0.0.1", "localhost",      NULL, "X-FORWARDED-PROTO: https", ERR_MISSING_TOKEN, NULL },
        { "… something new",           "127.0.0.1", "localhost",      NULL, "X-Forwarded-Anything:", ERR_MISSING_TOKEN, NULL },
        { "… the address only",        "127.0.0.1", "localhost",      NULL, "X-Real-IP: 192.0.2.1", ERR_MISSING_TOKEN, NULL },
        { "… as RFC 7239 says",        "127.0.0.1", "localhost",      NULL, "Forwarded: for=192.0.2.1", ERR_MISSING_TOKEN, NULL },
        { "… and itself",              "127.0.0.1", "localhost",      NULL, "Via: 1.1 proxy", ERR_MISSING_TOKEN, NULL },
        { "for another site's page",   "127.0.0.1", "localhost",      NULL, "Sec-Fetch-Site: cross-site", ERR_MISSING_TOKEN, NULL },
        { "for our own page",          "127.0.0.1", "localhost",      NULL, "Sec-Fetch-Site: same-origin", ERR_NONE, "local" },
        { "typed by a person",         "127.0.0.1", "localhost",      NULL, "Sec-Fetch-Site: none", ERR_NONE, "local" },
        { "a name that only begins so", "127.0.0.1", "localhost",     NULL, "X-Forward: 1", ERR_NONE, "local" },
        { "another machine",           "192.0.2.1", "127.0.0.1:9280", NULL, NULL, ERR_MISSING_TOKEN, NULL },
        { "… with id and secret",      "192.0.2.1", "berth.example",
          "Basic QUtJQVZJRVdFUjAwMDAwMDAwMDE6d0phbHJYVXRuRkVNSS9LN01ERU5HL2JQeFJmaUNZRVhBTVBMRUtFWQ==", NULL, ERR_NONE, "vera" },
        { "… with a wrong secret",     "192.0.2.1", "berth.example", "Basic QUtJQVZJRVdFUjAwMDAwMDAwMDE6bm8=", NULL,
          ERR_UNRECOGNIZED_CLIENT, NULL },
        { "… with no secret",          "192.0.2.1", "berth.example", "Basic QUtJQVZJRVdFUjAwMDAwMDAwMDE=", NULL, ERR_UNRECOGNIZED_CLIENT, NULL },
        { "… with a long id", "192.0.2.1", "berth.example", 
          "Basic QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
          "FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE6eA==", NULL,
          ERR_UNRECOGNIZED_CLIENT, NULL },
        { "… with no base64",          "192.0.2.1", "berth.example", "Basic !!", NULL, ERR_UNRECOGNIZED_CLIENT, NULL },
        { "wrong words from here too", "127.0.0.1", "localhost", "Basic QUtJQVZJRVdFUjAwMDAwMDAwMDE6bm8=", NULL, ERR_UNRECOGNIZED_CLIENT, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made = { .arena = { .ceiling = FIXTURE_ARENA_BYTES } };
        struct caller caller = { 0 };
        struct err err = { 0 };
        made.request = (struct http_request){
            .method = STR("GET"), .path = STR("/"), .query = STR(""), .body = STR(""), .headers = made.headers,
            .peer = str_from(rows[r].peer), .now_ms = NOW_MS, .arena = &made.arena,
        };
        add_header(&made, "Host", str_from(rows[r].host));
        if (rows[r].authorization != NULL) { add_header(&made, "Authorization", str_from(rows[r].authorization)); }
        struct str name, value;
        if (rows[r].more != NULL && str_cut(str_from(rows[r].more), ':', &name, &value)) {
            add_header(&made, arena_cstr(&made.arena, name), str_trim(value));
        }
        CHECK_EQ(rows[r].name, auth_check_reader(auth, &made.request, &caller, &err), rows[r].want == ERR_NONE);
        CHECK_EQ(rows[r].name, err.code, rows[r].want);
        if (rows[r].user != NULL) { CHECK_STR(rows[r].name, caller.user, str_from(rows[r].user)); }
        arena_finish(&made.arena);
    }
}

/* ---- who may read without a key ---- */

static void test_dashboard(struct store *empty)
{
    static const struct { const char *name; enum dashboard dashboard; bool has_key, want; } rows[] = {
        { "until a key: none yet",  DASHBOARD_UNTIL_KEY, false, true },
        { "until a key: there is",  DASHBOARD_UNTIL_KEY, true,  false },
        { "always: none yet",       DASHBOARD_LOOPBACK,  false, true },
        { "always: there is",       DASHBOARD_LOOPBACK,  true,  true },
        { "never: none yet",        DASHBOARD_OFF,       false, false },
        { "never: there is",        DASHBOARD_OFF,       true,  false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made = { .arena = { .ceiling = FIXTURE_ARENA_BYTES } };
        struct auth *own = auth_create(&(struct auth_config){ rows[r].has_key ? store : empty, STR("us-east-1"), rows[r].dashboard });
        struct caller caller = { 0 };
        struct err err = { 0 };
        made.request = (struct http_request){ .method = STR("GET"), .path = STR("/"), .headers = made.headers, .peer = STR("127.0.0.1"), .arena = &made.arena };
        add_header(&made, "Host", STR("localhost"));
        CHECK_EQ(rows[r].name, auth_check_reader(own, &made.request, &caller, &err), rows[r].want);
        auth_destroy(own);
        arena_finish(&made.arena);
    }
}

/* ---- guesses ---- */

#define ROOT_ID "AKIAROOT000000000001"
enum { BORNE = 20 };

static enum err_code sign_from(struct auth *own, const char *peer, const char *key, const char *secret, int64_t signed_ms, int *wait_s)
{
    struct made made;
    struct plan plan = good_plan;
    struct err err = { 0 };
    struct caller caller = { 0 };
    plan.key = key;
    plan.secret = secret;
    plan.signed_ms = signed_ms;
    make(&made, &plan);
    made.request.peer = str_from(peer);
    bool good = auth_check(own, &made.request, STR("ecs"), &caller, &err);
    CHECK_EQ("let in or told why", good, err.code == ERR_NONE);
    *wait_s = err.retry_after_s;
    arena_finish(&made.arena);
    return err.code;
}

static enum err_code log_in_from(struct auth *own, const char *peer, const char *key, const char *secret)
{
    struct made made = { .arena = { .ceiling = FIXTURE_ARENA_BYTES } };
    struct err err = { 0 };
    struct caller caller = { 0 };
    made.request = (struct http_request){ .method = STR("GET"), .path = STR("/"), .headers = made.headers, .peer = str_from(peer), .arena = &made.arena };
    struct str words = base64_encode(arena_printf(&made.arena, "%s:%s", key, secret), &made.arena);
    add_header(&made, "Authorization", arena_printf(&made.arena, "Basic " STR_FMT, STR_ARG(words)));
    bool good = auth_check_reader(own, &made.request, &caller, &err);
    CHECK_EQ("let in or told why", good, err.code == ERR_NONE);
    CHECK_EQ("the time to wait comes with it", err.retry_after_s > 0, err.code == ERR_THROTTLING);
    arena_finish(&made.arena);
    return err.code;
}

/* Clients sign for IAM in us-east-1, wherever the others are. */
static void test_global_service(void)
{
    static const struct { const char *row, *region, *service; bool want; } rows[] = {
        { "IAM in its region", "us-east-1", "iam", true }, { "IAM in the server's", "eu-west-1", "iam", true }, { "IAM in another", "eu-west-2", "iam", false },
        { "ECS in the server's", "eu-west-1", "ecs", true }, { "ECS in that of IAM", "us-east-1", "ecs", false },
    };
    struct auth *own = auth_create(&(struct auth_config){ store, STR("eu-west-1"), DASHBOARD_OFF });
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct made made;
        struct plan plan = good_plan;
        struct err err = { 0 };
        struct caller caller = { 0 };
        plan.region = rows[r].region;
        plan.service = rows[r].service;
        make(&made, &plan);
        CHECK_EQ(rows[r].row, auth_check(own, &made.request, str_from(rows[r].service), &caller, &err), rows[r].want);
        arena_finish(&made.arena);
    }
    auth_destroy(own);
}

static struct auth *own_auth(void) { return auth_create(&(struct auth_config){ store, STR("us-east-1"), DASHBOARD_OFF }); }

static void test_wrong_signatures(void)
{
    static const struct { const char *name, *key; enum err_code right; } rows[] = {
        { "a key that Berth has made",       ADMIN_ID, ERR_NONE },              /* its secret can't be guessed */
        { "one that somebody has chosen",    ROOT_ID,  ERR_THROTTLING },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct auth *own = own_auth();
        int wait_s;
        for (int t = 0; t < BORNE; t++) { CHECK_EQ(rows[r].name, sign_from(own, "192.0.2.1", rows[r].key, "guess", NOW_MS, &wait_s), ERR_INVALID_SIGNATURE); }
        CHECK_EQ(rows[r].name, sign_from(own, "192.0.2.1", rows[r].key, "guess", NOW_MS, &wait_s), ERR_THROTTLING);
        CHECK(rows[r].name, wait_s > 0 && wait_s <= 60);
        CHECK_EQ(rows[r].name, sign_from(own, "192.0.2.1", rows[r].key, KEY_SECRET, NOW_MS, &wait_s), rows[r].right);
        CHECK_EQ("from elsewhere", sign_from(own, "192.0.2.2", rows[r].key, KEY_SECRET, NOW_MS, &wait_s), ERR_NONE);
        CHECK_EQ("another key from there", sign_from(own, "192.0.2.1", AGENT_ID, KEY_SECRET, NOW_MS, &wait_s), ERR_NONE);
        auth_destroy(own);
    }
}

/* A caller that is refused for another reason than the secret may come again as often as it likes. */
static void test_no_guesses(void)
{
    static const struct { const char *name, *key, *secret; int64_t signed_ms; enum err_code want; } rows[] = {
        { "a wrong clock",  ROOT_ID,                KEY_SECRET, NOW_MS - 2 * MINUTES_5_MS, ERR_INVALID_SIGNATURE },
        { "a revoked key",  REVOKED_ID,             KEY_SECRET, NOW_MS,                    ERR_UNRECOGNIZED_CLIENT },
        { "an unknown key", "AKIANOBODY0000000001", KEY_SECRET, NOW_MS,                    ERR_UNRECOGNIZED_CLIENT },
        { "no mistake",     ROOT_ID,                KEY_SECRET, NOW_MS,                    ERR_NONE },
    };
    struct auth *own = own_auth();
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int wait_s;
        for (int t = 0; t < 2 * BORNE; t++) { CHECK_EQ(rows[r].name, sign_from(own, "192.0.2.1", rows[r].key, rows[r].secret, rows[r].signed_ms, &wait_s), rows[r].want); }
    }
    auth_destroy(own);
}

static void test_wrong_passwords(void)
{
    struct auth *own = own_auth();
    for (int t = 0; t < BORNE; t++) { CHECK_EQ("wrong", log_in_from(own, "192.0.2.1", VIEWER_ID, "guess"), ERR_UNRECOGNIZED_CLIENT); }
    CHECK_EQ("too many", log_in_from(own, "192.0.2.1", VIEWER_ID, "guess"), ERR_THROTTLING);
    CHECK_EQ("the right one is not looked at either", log_in_from(own, "192.0.2.1", VIEWER_ID, KEY_SECRET), ERR_THROTTLING);
    CHECK_EQ("from elsewhere it is", log_in_from(own, "192.0.2.2", VIEWER_ID, KEY_SECRET), ERR_NONE);
    CHECK_EQ("and that of another key", log_in_from(own, "192.0.2.1", ADMIN_ID, KEY_SECRET), ERR_NONE);
    struct arena arena = { .ceiling = FIXTURE_ARENA_BYTES };
    struct buf out = buf_in(&arena);
    auth_print_metrics(own, &out);
    CHECK("wrong passwords are counted", str_contains(buf_str(&out), STR("berth_refused_total{reason=\"wrong-password\"} 20\n")));
    CHECK("those who have to wait, too", str_contains(buf_str(&out), STR("berth_refused_total{reason=\"throttled\"} 2\n")));
    CHECK("others are not", str_contains(buf_str(&out), STR("berth_refused_total{reason=\"clock\"} 0\n")));
    arena_finish(&arena);
    auth_destroy(own);
}

static void put_root(struct store *into)
{
    const struct access_key key = { .id = STR(ROOT_ID), .secret = STR(KEY_SECRET), .user = STR("root"), .role = ACCESS_ADMIN, .created_ms = 1 };
    int64_t revision;
    struct store_txn *txn = store_write_begin(into);
    store_put_access_key(txn, &key);
    ASSERT(store_write_commit(txn, &revision));
}

int main(void)
{
    char dir[FIXTURE_PATH_MAX];
    fixture_make_dir(dir);
    store = fixture_open_store(dir, FIXTURE_MAP_BYTES);
    fixture_put_keys(store);
    auth = auth_create(&(struct auth_config){ store, STR("us-east-1"), DASHBOARD_LOOPBACK });
    test_signatures();
    test_scope_day();
    test_spoiled();
    test_http_date();
    test_kept_key();
    test_binding();
    test_global_service();
    put_tasks();
    test_roles();
    test_readers();
    put_root(store);
    test_covered();
    test_wrong_signatures();
    test_no_guesses();
    test_wrong_passwords();
    char empty_dir[FIXTURE_PATH_MAX];
    fixture_make_dir(empty_dir);
    struct store *empty = fixture_open_store(empty_dir, FIXTURE_MAP_BYTES);
    test_dashboard(empty);
    store_close(empty);
    fixture_remove_dir(empty_dir);
    auth_destroy(auth);
    store_close(store);
    fixture_remove_dir(dir);
    return check_report();
}
