/* fuzz_sigv4.c: the input is a request, a part a line: Authorization, date, path, query, then headers as `name:value`, and
 * the body after an empty line. What is read from a good Authorization header writes the same header; a request signed by us
 * verifies; the order of a query's parameters does not matter. */
#include "base/sigv4.h"

#include "base/buf.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };

static void check_authorization(struct str header, struct arena *arena)
{
    struct sigv4_authorization auth, again;
    struct err err = { .code = ERR_NONE };
    bool good = sigv4_parse_authorization(header, &auth, &err);
    ASSERT(good == (err.code == ERR_NONE));
    if (!good) { return; }
    struct str written = arena_printf(arena, "AWS4-HMAC-SHA256 Credential=" STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT
        "/aws4_request, SignedHeaders=" STR_FMT ", Signature=" STR_FMT, STR_ARG(auth.access_key), STR_ARG(auth.date),
        STR_ARG(auth.region), STR_ARG(auth.service), STR_ARG(auth.signed_headers), STR_ARG(auth.signature));
    if (str_find(header, '\0') < header.len) { return; }           /* printf stops there, and HTTP forbids it */
    ASSERT(sigv4_parse_authorization(written, &again, &err));
    ASSERT(str_eq(again.access_key, auth.access_key));
    ASSERT(str_eq(again.date, auth.date));
    ASSERT(str_eq(again.region, auth.region));
    ASSERT(str_eq(again.service, auth.service));
    ASSERT(str_eq(again.signed_headers, auth.signed_headers));
    ASSERT(str_eq(again.signature, auth.signature));
}

static void check_time(struct str text)
{
    int64_t ms = 0;
    char again[SIGV4_TIME_LEN + 1];
    if (!sigv4_parse_time(text, &ms)) { return; }
    sigv4_format_time(ms, again);
    ASSERT(str_eq(str_from(again), text));
}

/* The parameters from last to first, which a canonical query does not see. */
static struct str reversed_query(struct str query, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct str rest = query;
    while (rest.len > 0) {
        size_t start = rest.len;
        while (start > 0 && rest.ptr[start - 1] != '&') { start--; }
        buf_put(&buf, str_slice(rest, start, rest.len));
        buf_put_char(&buf, '&');
        rest = str_slice(rest, 0, start > 0 ? start - 1 : 0);
    }
    return buf_str(&buf);
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

static size_t read_headers(struct str *rest, struct sigv4_header *headers)
{
    struct str line;
    size_t count = 0;
    headers[count++] = (struct sigv4_header){ STR("host"), STR("example.com") };
    headers[count++] = (struct sigv4_header){ STR("x-amz-date"), STR("20150830T123600Z") };
    while (count < SIGV4_HEADERS_MAX && str_cut(*rest, '\n', &line, rest) && line.len > 0) {
        struct sigv4_header header;
        bool named = str_cut(line, ':', &header.name, &header.value) && header.name.len > 0;
        if (named && is_name(header.name)) { headers[count++] = header; }
    }
    return count;
}

static void check_request(struct str path, struct str query, struct str rest, struct arena *arena)
{
    struct sigv4_header headers[SIGV4_HEADERS_MAX];
    struct sigv4_request request = { .method = STR("POST"), .path = path, .query = query, .headers = headers };
    request.header_count = read_headers(&rest, headers);
    request.body = rest;

    struct sigv4_authorization auth = { .date = STR("20150830"), .region = STR("us-east-1"), .service = STR("ecs"), .signed_headers = STR("host") };
    char first[SIGV4_HEX_LEN + 1], second[SIGV4_HEX_LEN + 1];
    if (!sigv4_signature(&request, &auth, STR("20150830T123600Z"), STR("secret"), first)) { return; }   /* over a limit */

    struct str header = sigv4_sign(&request, STR("AKID"), STR("secret"), STR("us-east-1"), STR("ecs"), STR("20150830T123600Z"), arena);
    struct err err = { .code = ERR_NONE };
    ASSERT(sigv4_parse_authorization(header, &auth, &err));
    ASSERT(sigv4_signature(&request, &auth, STR("20150830T123600Z"), STR("secret"), first));
    ASSERT(str_eq(str_from(first), auth.signature));

    request.query = reversed_query(query, arena);
    ASSERT(sigv4_signature(&request, &auth, STR("20150830T123600Z"), STR("secret"), second));
    ASSERT(strcmp(first, second) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct str authorization, date, path, query, rest;
    str_cut(fuzz_str(data, size), '\n', &authorization, &rest);
    str_cut(rest, '\n', &date, &rest);
    str_cut(rest, '\n', &path, &rest);
    str_cut(rest, '\n', &query, &rest);
    check_authorization(authorization, &arena);
    check_time(date);
    check_request(path, query, rest, &arena);
    arena_reset(&arena);
    return 0;
}
