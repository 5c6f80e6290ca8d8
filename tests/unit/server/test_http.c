/* The whole server over loopback, with plain sockets: texts that are no requests, refusals before an operation runs,
 * clients that go away, and the paths beside the API. */
#include "server/server.h"

#include <pthread.h>

#include "base/log.h"
#include "tests/unit/server/server_fixture.h"
#include "tests/unit/server/http_client.h"

/* ---- before an operation runs ---- */

#define JSON_TYPE "Content-Type: application/x-amz-json-1.1\r\n"
#define UNKNOWN(name) "{\"__type\":\"UnknownOperationException\",\"message\":\"Berth does not serve " name ".\"}"
#define TARGET    "X-Amz-Target: AmazonEC2ContainerServiceV20141113."

static void test_refusals(void)
{
    static const struct { const char *name, *method, *headers, *body; int status; const char *want; } rows[] = {
        { "not POST",                    "PUT",  JSON_TYPE, "{}", 403, "<AccessDeniedException>" },
        { "no JSON and no target",       "POST", "Content-Type: text/plain\r\n", "x", 403, "<AccessDeniedException>" },
        { "no type at all",              "POST", "", "x", 403, "<AccessDeniedException>" },
        { "no JSON with a target",       "POST", "Content-Type: text/plain\r\n" TARGET "ListTasks\r\n", "x", 404, "<UnknownOperationException/>" },
        { "no target",                   "POST", JSON_TYPE, "{}", 400, "{\"__type\":\"UnknownOperationException\"}" },
        { "another service's target",    "POST", JSON_TYPE "X-Amz-Target: Other_20141113.ListTasks\r\n", "{}", 400, UNKNOWN("Other_20141113.ListTasks") },
        { "an operation nobody knows",   "POST", JSON_TYPE TARGET "ListTask\r\n", "{}", 400, UNKNOWN("ecs:ListTask") },
        { "names are case-sensitive",    "POST", JSON_TYPE TARGET "listTasks\r\n", "{}", 400, UNKNOWN("ecs:listTasks") },
        { "no signature",                "POST", JSON_TYPE TARGET "ListTasks\r\n", "{}", 400,
          "{\"__type\":\"MissingAuthenticationTokenException\",\"message\":\"Missing Authentication Token\"}" },
        { "a charset is harmless",       "POST", "Content-Type: application/x-amz-json-1.1; charset=utf-8\r\n" TARGET "ListTasks\r\n", "{}", 400,
          "{\"__type\":\"MissingAuthenticationTokenException\",\"message\":\"Missing Authentication Token\"}" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct reply reply = ask(rows[r].method, "/", rows[r].headers, rows[r].body);
        CHECK_EQ(rows[r].name, reply.status, rows[r].status);
        CHECK(rows[r].name, str_starts_with(reply.body, str_from(rows[r].want)));
        CHECK(rows[r].name, header_of(&reply, "x-amzn-RequestId").len == 36);
        CHECK(rows[r].name, header_of(&reply, "Date").len == 29);
    }
}

static void test_operations(void)
{
    static const struct { const char *name, *operation, *body; int status; const char *type; } rows[] = {
        { "a write",              "CreateCluster", "{\"clusterName\":\"one\"}", 200, NULL },
        { "a read",               "ListClusters",  "{}", 200, NULL },
        { "no body",              "ListClusters",  "", 400, "SerializationException" },
        { "half a body",          "ListClusters",  "{\"maxResults\":", 400, "SerializationException" },
        { "no object",            "ListClusters",  "[]", 400, "SerializationException" },
        { "a wrong type",         "ListClusters",  "{\"maxResults\":\"many\"}", 400, "SerializationException" },
        { "a broken rule",        "CreateCluster", "{\"clusterName\":\"no!\"}", 400, "InvalidParameterException" },
        { "no ARN",               "DescribeDaemon", "{\"daemonArn\":\"a\"}", 400, "InvalidParameterException" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct reply reply = call(rows[r].operation, rows[r].body);
        CHECK_EQ(rows[r].name, reply.status, rows[r].status);
        CHECK_STR(rows[r].name, header_of(&reply, "Content-Type"), STR("application/x-amz-json-1.1"));
        if (rows[r].type == NULL) { continue; }
        CHECK_STR(rows[r].name, type_of(&reply), str_from(rows[r].type));
        CHECK_STR(rows[r].name, header_of(&reply, "x-amzn-ErrorType"), str_from(rows[r].type));
    }
    struct reply list = call("ListClusters", "{}");
    CHECK_STR("the new cluster is there", list.body, STR("{\"clusterArns\":[\"arn:aws:ecs:us-east-1:123456789012:cluster/one\"]}"));
    struct reply denied = exchange(signed_request(VIEWER_ID, "/", "CreateCluster", STR("{}")));
    CHECK_STR("a viewer may not write", type_of(&denied), STR("AccessDeniedException"));
    struct reply seen = exchange(signed_request(VIEWER_ID, "/", "ListClusters", STR("{}")));
    CHECK_EQ("but read", seen.status, 200);

    static const char *const counted[] = {
        "berth_requests_total{operation=\"CreateCluster\",result=\"AccessDeniedException\"} 1\n",
        "berth_requests_total{operation=\"DescribeDaemon\",result=\"InvalidParameterException\"} 1\n",
        "berth_requests_total{operation=\"ListClusters\",result=\"ok\"} ",
    };
    struct reply metrics = ask("GET", "/metrics", "", "");
    for (size_t c = 0; c < COUNT_OF(counted); c++) {
        CHECK(counted[c], memmem(metrics.body.ptr, metrics.body.len, counted[c], strlen(counted[c])) != NULL);
    }
}

/* ---- bytes ---- */

static void test_no_http(void)
{
    static const struct { const char *name, *bytes; int status; } rows[] = {
        { "no words of HTTP",      "hello\r\n\r\n", 400 },
        { "a strange version",     "GET / HTTP/9.9\r\nHost: x\r\n\r\n", 505 },
        { "a length that is no number", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n", 411 },
        { "a negative length",     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 411 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct reply reply = exchange(str_from(rows[r].bytes));
        CHECK_EQ(rows[r].name, reply.status, rows[r].status);
        CHECK_STR(rows[r].name, header_of(&reply, "Connection"), STR("close"));
        CHECK(rows[r].name, type_of(&reply).len > 0);
    }
    struct buf long_head = buf_in(&arena);
    buf_put(&long_head, STR("GET / HTTP/1.1\r\nX-Long: "));
    for (int i = 0; i < 20000; i++) { buf_put_char(&long_head, 'x'); }
    buf_put(&long_head, STR("\r\n\r\n"));
    CHECK_EQ("a head without end", exchange(buf_str(&long_head)).status, 400);
}

static struct str filled(size_t size)
{
    char *bytes = arena_alloc(&arena, size, 1);
    memset(bytes, ' ', size);
    bytes[0] = '{';
    bytes[size - 1] = '}';
    return (struct str){ bytes, size };
}

static void test_body_sizes(void)
{
    enum { LIMIT = 1024 * 1024 };
    static const struct { const char *name; size_t size; int status; } rows[] = {
        { "as large as may be", LIMIT, 200 }, { "a byte larger", LIMIT + 1, 413 }, { "much larger", 8 * LIMIT, 413 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct reply reply = exchange(signed_request(ADMIN_ID, "/", "ListClusters", filled(rows[r].size)));
        CHECK_EQ(rows[r].name, reply.status, rows[r].status);
        if (rows[r].status == 413) { CHECK_STR(rows[r].name, type_of(&reply), STR("RequestEntityTooLargeException")); }
    }
}

/* The chunks of a body are put together before the signature is checked. */
static void test_chunks(void)
{
    struct str whole = signed_request(ADMIN_ID, "/", "ListClusters", STR("{}"));
    const char *length = memmem(whole.ptr, whole.len, "Content-Length", 14);
    ASSERT(length != NULL);
    struct str head = str_slice(whole, 0, (size_t)(length - whole.ptr));
    static const struct { const char *name, *chunks; int status; } rows[] = {
        { "two chunks",       "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", 200 },
        { "one chunk",        "2\r\n{}\r\n0\r\n\r\n", 200 },
        { "a chunk that lies", "zz\r\n{}\r\n0\r\n\r\n", 400 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf out = buf_in(&arena);
        buf_put(&out, head);
        buf_printf(&out, "Transfer-Encoding: chunked\r\n\r\n%s", rows[r].chunks);
        CHECK_EQ(rows[r].name, exchange(buf_str(&out)).status, rows[r].status);
    }
    static const struct { const char *name; size_t size; int status; } sizes[] = {
        { "chunks as large as may be", 1 << 20, 200 }, { "a byte larger", (1 << 20) + 1, 413 },
    };
    for (size_t r = 0; r < COUNT_OF(sizes); r++) {
        struct str body = filled(sizes[r].size), request = signed_request(ADMIN_ID, "/", "ListClusters", body);
        const char *at = memmem(request.ptr, request.len, "Content-Length", 14);
        struct buf out = buf_in(&arena);
        buf_put(&out, str_slice(request, 0, (size_t)(at - request.ptr)));
        buf_printf(&out, "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", body.len);
        buf_put(&out, body);
        buf_put(&out, STR("\r\n0\r\n\r\n"));
        CHECK_EQ(sizes[r].name, exchange(buf_str(&out)).status, sizes[r].status);
    }
}

static void test_expect_continue(void)
{
    struct str whole = signed_request(ADMIN_ID, "/", "ListClusters", STR("{}"));
    struct buf head = buf_in(&arena), got = buf_in(&arena);
    buf_put(&head, str_slice(whole, 0, whole.len - 4));
    buf_put(&head, STR("Expect: 100-continue\r\n\r\n"));
    int fd = dial();
    CHECK("head", send_all(fd, buf_str(&head)));
    CHECK_EQ("go on", read_reply(fd, &got, true).status, 100);
    CHECK("body", send_all(fd, STR("{}")));
    CHECK_EQ("the answer", read_reply(fd, &got, false).status, 200);
    close(fd);
}

/* ---- connections ---- */

static void test_pipeline(void)
{
    struct buf out = buf_in(&arena), got = buf_in(&arena);
    for (int i = 0; i < 3; i++) { buf_put(&out, signed_request(ADMIN_ID, "/", "ListClusters", STR("{}"))); }
    buf_put(&out, signed_request(ADMIN_ID, "/", "CreateCluster", STR("{\"clusterName\":\"no!\"}")));
    buf_put(&out, signed_request(ADMIN_ID, "/", "CreateCluster", STR("{\"clusterName\":\"two\"}")));
    int fd = dial();
    CHECK("five requests at once", send_all(fd, buf_str(&out)));
    static const int want[] = { 200, 200, 200, 400, 200 };
    for (size_t r = 0; r < COUNT_OF(want); r++) {
        struct reply reply = read_reply(fd, &got, false);
        CHECK_EQ("answered in order", reply.status, want[r]);
        CHECK_STR("the connection stays", header_of(&reply, "Connection"), STR("keep-alive"));
    }
    close(fd);
}

static void test_close_when_asked(void)
{
    int fd = dial();
    struct buf got = buf_in(&arena);
    CHECK("request", send_all(fd, format_request("GET", "/healthz", "Connection: close\r\n", STR(""))));
    struct reply reply = read_reply(fd, &got, false);
    CHECK_STR("it says so", header_of(&reply, "Connection"), STR("close"));
    CHECK("and does", read_reply(fd, &got, false).closed);
    close(fd);
}

static struct str asked_once(int fd, struct str request)
{
    struct buf got = buf_in(&arena);
    CHECK("request", send_all(fd, request));
    struct reply reply = read_reply(fd, &got, false);
    CHECK_EQ("an answer", reply.status, 200);
    return header_of(&reply, "Connection");
}

/* Connections that rest have a worker each: three quarters of the workers, and no more. */
static void test_crowd(void)
{
    enum { USUAL = THREADS - THREADS / 4 };
    int fds[USUAL];
    for (size_t f = 0; f < USUAL; f++) {
        fds[f] = dial();
        CHECK_STR("room for one that stays", asked_once(fds[f], signed_request(VIEWER_ID, "/", "ListClusters", STR("{}"))), STR("keep-alive"));
    }
    for (size_t n = 0; n < (size_t)2 * THREADS; n++) {
        int fd = dial();
        CHECK_STR("who comes later is served, and goes", asked_once(fd, signed_request(VIEWER_ID, "/", "ListClusters", STR("{}"))), STR("close"));
        close(fd);
    }
    for (size_t f = 0; f < USUAL; f++) { close(fds[f]); }
    bool stays = false;
    for (int tries = 0; !stays && tries < 10000; tries++) {             /* it learns of closed connections a moment later */
        int fd = dial();
        stays = str_eq(asked_once(fd, signed_request(VIEWER_ID, "/", "ListClusters", STR("{}"))), STR("keep-alive"));
        close(fd);
    }
    CHECK("and then there is room again", stays);
}

/* Strangers that say nothing, say half a request, or rest behind an answer: as many as there are threads, and more. */
static void test_strangers(void)
{
    static const char *const starts[] = { "", "GET /heal", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" };
    int fds[3 * THREADS];
    int known = dial();
    struct str ask_for = signed_request(VIEWER_ID, "/", "ListClusters", STR("{}"));
    CHECK_STR("somebody with a key was there before", asked_once(known, ask_for), STR("keep-alive"));
    for (size_t s = 0; s < COUNT_OF(starts); s++) {
        for (size_t f = 0; f < COUNT_OF(fds); f++) {
            fds[f] = dial();
            CHECK(starts[s], send_all(fds[f], str_from(starts[s])));
        }
        CHECK_EQ("others are served", call("ListClusters", "{}").status, 200);
        CHECK_EQ("and know how it is", ask("GET", "/healthz", "", "").status, 200);
        CHECK_STR("who was known has kept its place", asked_once(known, ask_for), STR("keep-alive"));
        for (size_t f = 0; f < COUNT_OF(fds); f++) { close(fds[f]); }
    }
    close(known);
    struct reply metrics = ask("GET", "/metrics", "", "");
    CHECK("it is counted", memmem(metrics.body.ptr, metrics.body.len, "berth_http_connections_ended_total{why=\"stranger\"} 0\n", 53) == NULL
          && memmem(metrics.body.ptr, metrics.body.len, "berth_http_connections_ended_total{why=\"stranger\"} ", 51) != NULL);
}

/* Clients that go away, at every point, more of them than there are threads. */
static void test_gone_clients(void)
{
    struct str whole = signed_request(ADMIN_ID, "/", "CreateCluster", STR("{\"clusterName\":\"gone\"}"));
    const size_t cuts[] = { 0, 1, 20, whole.len / 2, whole.len - 1, whole.len };
    for (int round = 0; round < THREADS; round++) {
        for (size_t c = 0; c < COUNT_OF(cuts); c++) {
            int fd = dial();
            CHECK("sent", send_all(fd, str_slice(whole, 0, cuts[c])));
            close(fd);
        }
    }
    CHECK_EQ("others are served", call("ListClusters", "{}").status, 200);
}

static void test_half_closed(void)
{
    struct str whole = signed_request(ADMIN_ID, "/", "ListClusters", STR("{}"));
    struct buf got = buf_in(&arena);
    int fd = dial();
    CHECK("all but one byte", send_all(fd, str_slice(whole, 0, whole.len - 1)));
    ASSERT(shutdown(fd, SHUT_WR) == 0);
    struct reply reply = read_reply(fd, &got, false);
    CHECK_EQ("half a request is refused", reply.status, 400);
    CHECK_STR("in ECS's words", type_of(&reply), STR("SerializationException"));
    close(fd);
    fd = dial();
    got.len = 0;
    CHECK("half a head", send_all(fd, str_slice(whole, 0, 20)));
    ASSERT(shutdown(fd, SHUT_WR) == 0);
    CHECK_EQ("is refused, too", read_reply(fd, &got, false).status, 400);
    close(fd);
    got.len = 0;
    fd = dial();
    CHECK("a whole request", send_all(fd, whole));
    ASSERT(shutdown(fd, SHUT_WR) == 0);
    CHECK_EQ("is answered though nothing more will come", read_reply(fd, &got, false).status, 200);
    close(fd);
}

/* ---- other paths ---- */

static void test_paths(void)
{
    static const struct { const char *name, *method, *path, *headers; int status; const char *type; } rows[] = {
        { "health",             "GET",  "/healthz", "", 200, "application/json" },
        { "health without body", "HEAD", "/healthz", "", 200, "application/json" },
        { "metrics",            "GET",  "/metrics", "", 200, "text/plain; version=0.0.4; charset=utf-8" },
        { "the board",          "GET",  "/berth/v1/state", "", 200, "application/json" },
        { "nothing there",      "GET",  "/nothing", "", 404, "text/plain; charset=utf-8" },
        { "no way out",         "GET",  "/../etc/passwd", "", 404, "text/plain; charset=utf-8" },
        { "the wrong method",   "POST", "/healthz", "", 405, "text/plain; charset=utf-8" },
        { "an agent's path",    "GET",  "/berth/v1/agent/poll", "", 405, "text/plain; charset=utf-8" },
        { "… without a key",    "POST", "/berth/v1/agent/poll", "", 400, "application/x-amz-json-1.1" },
        { "… with id and secret", "POST", "/berth/v1/agent/poll", "Authorization: Basic QTpC\r\n", 400, "application/x-amz-json-1.1" },
        { "logs of no task",    "GET",  "/berth/v1/logs", "", 400, "application/x-amz-json-1.1" },
        { "logs of a task without any", "GET", "/berth/v1/logs?task=0123456789abcdef0123456789abcdef", "", 200, "text/plain; charset=utf-8" },
        { "a name for a path",  "GET",  "/berth/v1/logs?task=0123456789abcdef0123456789abcdef&container=..%2Fx", "", 400,
          "application/x-amz-json-1.1" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct reply reply = ask(rows[r].method, rows[r].path, rows[r].headers, "");
        CHECK_EQ(rows[r].name, reply.status, rows[r].status);
        CHECK_STR(rows[r].name, header_of(&reply, "Content-Type"), str_from(rows[r].type));
    }
    struct reply viewer = exchange(signed_request(VIEWER_ID, "/berth/v1/agent/poll", NULL, STR("{}")));
    CHECK_STR("a viewer is no agent", type_of(&viewer), STR("AccessDeniedException"));
    struct reply agent = exchange(signed_request(AGENT_ID, "/berth/v1/agent/poll", NULL, STR("{}")));
    CHECK_STR("an agent's poll must name its instance", type_of(&agent), STR("InvalidParameterException"));
}

static void test_reader_from_elsewhere(void)
{
    struct str request = STR("GET /berth/v1/state HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    struct reply reply = exchange(request);
    CHECK_EQ("a page from elsewhere reads nothing", reply.status, 401);
    CHECK_STR("a browser does not ask for a password by itself", header_of(&reply, "WWW-Authenticate"),
              STR("AWS4-HMAC-SHA256 realm=\"Berth\", region=\"us-east-1\", service=\"ecs\""));
    struct reply page = ask("GET", "/", "", "");
    CHECK("the page runs only its own", str_starts_with(header_of(&page, "Content-Security-Policy"), STR("default-src 'self';")));
    struct str tag = header_of(&page, "ETag");
    if (page.status == 200) {
        struct str again = arena_printf(&arena, "If-None-Match: " STR_FMT "\r\n", STR_ARG(tag));
        CHECK_EQ("a file that is known is not sent again", ask("GET", "/", again.ptr, "").status, 304);
    }
}

static void test_sts(void)
{
    char time[SIGV4_TIME_LEN + 1];
    struct str body = STR("Action=GetCallerIdentity&Version=2011-06-15");
    sigv4_format_time(clock_now_ms(), time);
    struct str host = arena_printf(&arena, "127.0.0.1:%d", server_port(server));
    const struct sigv4_header headers[] = { { STR("host"), host }, { STR("x-amz-date"), str_from(time) } };
    const struct sigv4_request request = { STR("POST"), STR("/"), STR(""), body, headers, 2 };
    struct str good = sigv4_sign(&request, STR(ADMIN_ID), STR(KEY_SECRET), STR("us-east-1"), STR("sts"), str_from(time), &arena);
    struct str form = arena_printf(&arena, "Content-Type: application/x-www-form-urlencoded\r\nX-Amz-Date: %s\r\nAuthorization: " STR_FMT
                                   "\r\n", time, STR_ARG(good));
    struct reply reply = exchange(format_request("POST", "/", form.ptr, body));
    CHECK_EQ("who am I", reply.status, 200);
    CHECK("the user", memmem(reply.body.ptr, reply.body.len, "<Arn>arn:aws:iam::123456789012:user/admin</Arn>", 47) != NULL);
    struct reply altered = exchange(format_request("POST", "/", form.ptr, STR("Action=GetSessionToken&Version=2011-06-15")));
    CHECK_EQ("another question is not signed", altered.status, 403);
    CHECK("in the query protocol's words", memmem(altered.body.ptr, altered.body.len, "<Code>SignatureDoesNotMatch</Code>", 34) != NULL);
}

/* ---- events ---- */

static bool read_until(int fd, struct buf *got, const char *text)
{
    for (;;) {
        struct str seen = buf_str(got);
        if (memmem(seen.ptr, seen.len, text, strlen(text)) != NULL) { return true; }
        ssize_t more = recv(fd, buf_room(got, 65536), 65536, 0);
        if (more <= 0) { return false; }
        got->len += (size_t)more;
    }
}

static void test_events(void)
{
    struct buf got = buf_in(&arena);
    int fd = dial();
    CHECK("request", send_all(fd, format_request("GET", "/berth/v1/events", "", STR(""))));
    CHECK("the stream begins", read_until(fd, &got, "retry: 1000\n\n"));
    CHECK("as a stream", memmem(got.ptr, got.len, "text/event-stream", 17) != NULL);
    CHECK_EQ("something changes", call("CreateCluster", "{\"clusterName\":\"seen\"}").status, 200);
    CHECK("the event comes", read_until(fd, &got, "event: changes\ndata: {"));
    CHECK("with what changed", read_until(fd, &got, "\"name\":\"seen\""));
    close(fd);
    got.len = 0;
    fd = dial();
    CHECK("request", send_all(fd, format_request("GET", "/berth/v1/events?since=999999", "", STR(""))));
    CHECK("a viewer of a revision that never was begins again", read_until(fd, &got, "event: reset\n"));
    close(fd);
}

/* ---- beginning and end ---- */

static struct server *start(const char *host, const char *data_dir, const char *id, const char *secret, struct err *err)
{
    const struct server_config config = {
        .data_dir = data_dir, .host = host, .threads = THREADS, .map_size = FIXTURE_MAP_BYTES, .open_dashboard = "loopback", .root_access_key_id = id,
        .root_secret_access_key = secret,
    };
    return server_start(&config, err);
}

static void test_beyond_loopback(void)
{
    static const struct { const char *name, *host, *id, *secret; bool starts; } rows[] = {
        { "loopback needs no key",           "127.0.0.1", NULL, NULL, true },
        { "beyond it nobody could use it",   "0.0.0.0",   NULL, NULL, false },
        { "half a root key",                 "127.0.0.1", "AKIAROOT000000000001", NULL, false },
        { "with a key it listens",           "0.0.0.0",   "AKIAROOT000000000001", "secret", true },
        { "the key stays",                   "0.0.0.0",   NULL, NULL, true },
    };
    char own[FIXTURE_PATH_MAX];
    fixture_make_dir(own);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        struct server *other = start(rows[r].host, own, rows[r].id, rows[r].secret, &err);
        CHECK_EQ(rows[r].name, other != NULL, rows[r].starts);
        if (r == 1) { CHECK("the refusal names the command", strstr(err.message, "berth keys create") != NULL); }
        server_stop(other);
    }
    fixture_remove_dir(own);

    static const struct access_key revoked = { .id = STR_INIT(REVOKED_ID), .secret = STR_INIT(KEY_SECRET), .role = ACCESS_ADMIN, .revoked_ms = 2 };
    int64_t revision;
    struct err err = { 0 };
    fixture_make_dir(own);
    struct store *store = fixture_open_store(own, FIXTURE_MAP_BYTES);
    struct store_txn *txn = store_write_begin(store);
    store_job_begin(txn);
    store_put_access_key(txn, &revoked);
    ASSERT(store_job_end(txn, true) && store_write_commit(txn, &revision));
    store_close(store);
    struct server *other = start("0.0.0.0", own, NULL, NULL, &err);
    CHECK("a revoked key is refused", other == NULL);
    server_stop(other);
    fixture_remove_dir(own);
}

static void test_port_taken(void)
{
    char own[FIXTURE_PATH_MAX];
    struct err err = { 0 };
    fixture_make_dir(own);
    const struct server_config config = { .data_dir = own, .port = server_port(server), .threads = THREADS, .map_size = FIXTURE_MAP_BYTES };
    CHECK("two servers on one port", server_start(&config, &err) == NULL);
    CHECK("it is said which", strstr(err.message, "127.0.0.1") != NULL);
    fixture_remove_dir(own);
}

/* ---- logs ---- */

static struct str member(const struct reply *reply, const char *list, const char *name)
{
    struct err err = { 0 };
    const struct json *items = json_get(json_parse(reply->body, &arena, &err), str_from(list));
    if (items != NULL && items->type == JSON_OBJECT) { return json_get_str(items, str_from(name)); }
    return items == NULL || items->count == 0 ? STR("") : json_get_str(&items->as.items[0], str_from(name));
}

static struct str make_task(void)
{
    struct reply machine = call("RegisterContainerInstance", "{\"cluster\":\"one\",\"totalResources\":["
        "{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":1024},{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":1024},"
        "{\"name\":\"PORTS\",\"type\":\"STRINGSET\",\"stringSetValue\":[]},{\"name\":\"PORTS_UDP\",\"type\":\"STRINGSET\",\"stringSetValue\":[]}],"
        "\"attributes\":[{\"name\":\"com.amazonaws.ecs.capability.docker-remote-api.1.18\"}],\"versionInfo\":{}}");
    struct str arn = member(&machine, "containerInstance", "containerInstanceArn");
    struct str poll = arena_printf(&arena, "{\"cluster\":\"one\",\"containerInstance\":\"" STR_FMT "\",\"waitSeconds\":0}", STR_ARG(arn));
    CHECK_EQ("its agent connects", exchange(signed_request(AGENT_ID, "/berth/v1/agent/poll", NULL, poll)).status, 200);
    CHECK_EQ("a definition", call("RegisterTaskDefinition", "{\"family\":\"job\",\"containerDefinitions\":[{\"name\":\"main\",\"image\":\"busybox\","
                                  "\"memory\":64}]}").status, 200);
    struct reply run = call("RunTask", "{\"cluster\":\"one\",\"taskDefinition\":\"job\"}");
    return member(&run, "tasks", "taskArn");
}

static int send_log(const char *key, struct str task, const char *container, const char *text)
{
    struct str body = arena_printf(&arena, "{\"cluster\":\"one\",\"task\":\"" STR_FMT "\",\"container\":\"%s\",\"offset\":0,\"text\":\"%s\"}",
                                   STR_ARG(task), container, text);
    return exchange(signed_request(key, "/berth/v1/agent/logs", NULL, body)).status;
}

static void test_logs(void)
{
    struct str task = make_task();
    CHECK("a task", task.len > 0);
    struct str path = arena_printf(&arena, "/berth/v1/logs?task=" STR_FMT, STR_ARG(task));
    CHECK_STR("no log yet", ask("GET", path.ptr, "", "").body, STR(""));
    CHECK_EQ("a viewer writes none", send_log(VIEWER_ID, task, "main", "x"), 400);
    CHECK_EQ("nor has a made-up task one", send_log(AGENT_ID, STR("0123456789abcdef0123456789abcdef"), "main", "x"), 400);
    CHECK_EQ("nor a path for a container", send_log(AGENT_ID, task, "../main", "x"), 400);
    CHECK_EQ("the agent's chunk", send_log(AGENT_ID, task, "main", "hello\\n"), 200);
    CHECK_STR("one container: its log alone", ask("GET", path.ptr, "", "").body, STR("hello\n"));

    struct buf got = buf_in(&arena);
    int fd = dial();
    struct str follow = arena_printf(&arena, STR_FMT "&follow=true", STR_ARG(path));
    CHECK("follow", send_all(fd, format_request("GET", follow.ptr, "", STR(""))));
    CHECK("the text so far", read_until(fd, &got, "\r\n\r\nhello\n"));
    CHECK_EQ("more comes", send_log(AGENT_ID, task, "main", "hello\\nworld\\n"), 200);
    CHECK("and is passed on", read_until(fd, &got, "hello\nworld\n"));
    struct str report = arena_printf(&arena, "{\"cluster\":\"one\",\"task\":\"" STR_FMT "\",\"status\":\"STOPPED\"}", STR_ARG(task));
    CHECK_EQ("the task stops", exchange(signed_request(AGENT_ID, "/", "SubmitTaskStateChange", report)).status, 200);
    CHECK("and so does the stream", !read_until(fd, &got, "never"));
    close(fd);

    CHECK_EQ("a second container", send_log(AGENT_ID, task, "side", "x"), 200);
    struct str both = ask("GET", path.ptr, "", "").body;
    CHECK("two are told apart", memmem(both.ptr, both.len, "==> main <==\nhello\nworld\n", 25) != NULL);
    CHECK_EQ("two can't be followed at once", ask("GET", follow.ptr, "", "").status, 400);
    CHECK_STR("one can be asked for", ask("GET", arena_printf(&arena, STR_FMT "&container=side", STR_ARG(path)).ptr, "", "").body, STR("x"));
}

struct long_poll { struct str request; struct reply reply; int fd; };

static void *poll_thread(void *context)
{
    struct long_poll *poll = context;
    struct buf got = { .arena = &arena };
    poll->reply = read_reply(poll->fd, &got, false);
    return NULL;
}

/* A stop answers waiting requests, and acknowledged writes are there after a new start. */
static void test_stop(void)
{
    struct reply machine = call("RegisterContainerInstance", "{\"cluster\":\"one\",\"totalResources\":["
        "{\"name\":\"CPU\",\"type\":\"INTEGER\",\"integerValue\":1024},{\"name\":\"MEMORY\",\"type\":\"INTEGER\",\"integerValue\":1024},"
        "{\"name\":\"PORTS\",\"type\":\"STRINGSET\",\"stringSetValue\":[]},{\"name\":\"PORTS_UDP\",\"type\":\"STRINGSET\",\"stringSetValue\":[]}],"
        "\"versionInfo\":{}}");
    struct err err = { 0 };
    const struct json *tree = json_parse(machine.body, &arena, &err);
    struct str arn = json_get_str(json_get(tree, STR("containerInstance")), STR("containerInstanceArn"));
    CHECK("a machine", arn.len > 0);
    struct str body = arena_printf(&arena, "{\"cluster\":\"one\",\"containerInstance\":\"" STR_FMT "\",\"waitSeconds\":25}", STR_ARG(arn));
    struct reply first = exchange(signed_request(AGENT_ID, "/berth/v1/agent/poll", NULL, body));
    CHECK_EQ("its first poll", first.status, 200);
    tree = json_parse(first.body, &arena, &err);
    struct str session = json_get_str(tree, STR("session"));
    const struct json *messages = json_get(tree, STR("messages"));
    struct str id = messages == NULL ? STR("") : json_get_str(json_get(&messages->as.items[0], STR("message")), STR("messageId"));
    body = arena_printf(&arena, "{\"cluster\":\"one\",\"containerInstance\":\"" STR_FMT "\",\"session\":\"" STR_FMT "\",\"acks\":[\"" STR_FMT
                        "\"],\"waitSeconds\":25}", STR_ARG(arn), STR_ARG(session), STR_ARG(id));
    struct long_poll poll = { .fd = dial() };
    CHECK("a poll", send_all(poll.fd, signed_request(AGENT_ID, "/berth/v1/agent/poll", NULL, body)));
    for (bool waits = false; !waits;) {
        struct reply metrics = ask("GET", "/metrics", "", "");
        waits = memmem(metrics.body.ptr, metrics.body.len, "berth_agent_sessions_waiting 1\n", 31) != NULL;
    }
    pthread_t thread;
    ASSERT(pthread_create(&thread, NULL, poll_thread, &poll) == 0);
    server_stop(server);
    ASSERT(pthread_join(thread, NULL) == 0);
    CHECK_EQ("a stop does not wait for long polls but answers them", poll.reply.status, 503);
    close(poll.fd);

    server = start("127.0.0.1", dir, NULL, NULL, &err);
    ASSERT(server != NULL);
    struct reply list = call("ListContainerInstances", "{\"cluster\":\"one\"}");
    CHECK("the acknowledged task is still there", memmem(list.body.ptr, list.body.len, arn.ptr, arn.len) != NULL);
}

int main(void)
{
    struct err err = { 0 };
    log_set_level(LOG_ERROR);
    arena_init(&arena, (size_t)256 << 20);
    fixture_make_dir(dir);
    struct store *store = fixture_open_store(dir, FIXTURE_MAP_BYTES);
    fixture_put_keys(store);
    store_close(store);
    server = start("127.0.0.1", dir, NULL, NULL, &err);
    ASSERT(server != NULL);
    test_refusals();
    test_operations();
    test_no_http();
    test_body_sizes();
    test_chunks();
    test_expect_continue();
    test_pipeline();
    test_close_when_asked();
    test_crowd();
    test_strangers();
    test_gone_clients();
    test_half_closed();
    test_paths();
    test_reader_from_elsewhere();
    test_sts();
    test_events();
    test_logs();
    test_beyond_loopback();
    test_port_taken();
    test_stop();
    server_stop(server);
    fixture_remove_dir(dir);
    arena_finish(&arena);
    return check_report();
}
