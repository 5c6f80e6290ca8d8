/* fuzz_auth.c: the input is a whole request: `METHOD PATH?QUERY`, headers as `name: value`, and the body after an empty line. A caller that is let in
 * is known; one that is not gets the reason. The same request signed by us is let in, and with another secret it is not. */
#include "server/front/auth.h"

#include "api/tell/role_credentials.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/server/server_fixture.h"

#define NOW_MS INT64_C(1767323045000)        /* 2026-01-02T03:04:05Z */
enum { CEILING = 4 * 1024 * 1024, OWN_HEADERS = 3 };

static struct auth *auth;

static void begin(void)
{
    static char dir[FIXTURE_PATH_MAX];
    fixture_make_dir(dir);
    struct store *store = fixture_open_store(dir, FIXTURE_MAP_BYTES);
    fixture_remove_dir(dir);                 /* the files are open, and go with the process */
    fixture_put_keys(store);
    auth = auth_create(&(struct auth_config){ store, STR("us-east-1"), DASHBOARD_UNTIL_KEY });
}

static size_t read_headers(struct str *rest, struct sigv4_header *headers)
{
    struct str line;
    size_t count = 0;
    while (count < SIGV4_HEADERS_MAX - OWN_HEADERS && str_cut(*rest, '\n', &line, rest) && line.len > 0) {
        struct sigv4_header *header = &headers[count];
        if (!str_cut(line, ':', &header->name, &header->value) || header->name.len == 0) { continue; }
        header->value = str_trim(header->value);
        count++;
    }
    return count;
}

static void check_outcome(bool good, const struct caller *caller, const struct err *err)
{
    ASSERT(good == (err->code == ERR_NONE));
    ASSERT(good ? caller->user.len > 0 && (int)caller->role < ACCESS_ROLE_COUNT : err->message[0] != '\0');
}

static void ask(const struct http_request *request)
{
    static const struct str services[] = { STR_INIT("ecs"), STR_INIT("sts") };
    for (size_t s = 0; s < COUNT_OF(services); s++) {
        struct caller caller = { 0 };
        struct err err = { .code = ERR_NONE };
        bool good = auth_check(auth, request, services[s], &caller, &err);
        check_outcome(good, &caller, &err);
    }
    struct caller caller = { 0 };
    struct err err = { .code = ERR_NONE };
    bool good = auth_check_reader(auth, request, &caller, &err);
    check_outcome(good, &caller, &err);
}

/* Names of headers that an HTTP parser may let through; the separators of the Authorization header are not among it. */
static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c <= ' ' || c > '~' || c == ';' || c == ',' || c == '=') { return false; }
    }
    return true;
}

/* Headers about the signature itself stay away. */
static bool is_ours(struct str name)
{
    static const struct str own[] = { STR_INIT("Authorization"), STR_INIT("Host"), STR_INIT("X-Amz-Date"), STR_INIT("X-Amz-Security-Token") };
    for (size_t n = 0; n < COUNT_OF(own); n++) {
        if (str_eq_nocase(name, own[n])) { return true; }
    }
    return !is_name(name);
}

static void check_signed(struct http_request request, const char *secret, bool want)
{
    struct sigv4_header headers[SIGV4_HEADERS_MAX];
    size_t count = 0;
    headers[count++] = (struct sigv4_header){ STR("Host"), STR("127.0.0.1:9280") };
    headers[count++] = (struct sigv4_header){ STR("X-Amz-Date"), STR("20260102T030405Z") };
    for (size_t h = 0; h < request.header_count; h++) {
        if (!is_ours(request.headers[h].name)) { headers[count++] = request.headers[h]; }
    }
    const struct sigv4_request signable = { request.method, request.path, request.query, request.body, headers, count };
    const struct sigv4_authorization plain = { .date = STR("20260102"), .region = STR("us-east-1"), .service = STR("ecs"), .signed_headers = STR("host") };
    char signature[SIGV4_HEX_LEN + 1];
    if (!sigv4_signature(&signable, &plain, STR("20260102T030405Z"), STR("secret"), signature)) { return; }     /* over a limit */
    struct str header = sigv4_sign(&signable, STR(ADMIN_ID), str_from(secret), STR("us-east-1"), STR("ecs"), STR("20260102T030405Z"), request.arena);
    headers[count++] = (struct sigv4_header){ STR("Authorization"), header };
    request.headers = headers;
    request.header_count = count;
    if (str_is_set(http_parameter(&request, STR("X-Amz-Algorithm")))) { return; }                                /* signed twice */
    struct caller caller = { 0 };
    struct err err = { .code = ERR_NONE };
    ASSERT(auth_check(auth, &request, STR("ecs"), &caller, &err) == want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) {
        arena_init(&arena, CEILING);
        begin();
    }
    struct sigv4_header headers[SIGV4_HEADERS_MAX];
    struct http_request request = { .headers = headers, .peer = STR("127.0.0.1"), .now_ms = NOW_MS, .arena = &arena };
    struct str line, rest;
    str_cut(fuzz_str(data, size), '\n', &line, &rest);
    str_cut(line, ' ', &request.method, &line);
    str_cut(line, '?', &request.path, &request.query);
    request.header_count = read_headers(&rest, headers);
    request.body = rest;
    ask(&request);
    check_signed(request, KEY_SECRET, true);
    check_signed(request, "another", false);
    arena_reset(&arena);
    return 0;
}
