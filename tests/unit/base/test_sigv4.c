/* test_sigv4.c: the published example, requests signed by another implementation, the texts of complaints, and time. */
#include "base/sigv4.h"

#include <pthread.h>

#include "base/buf.h"
#include "tests/unit/base/sigv4_vectors.h"
#include "tests/unit/check.h"

static struct arena arena;

static size_t split_headers(const char *text, struct sigv4_header *headers)
{
    struct str line, rest = str_from(text);
    size_t count = 0;
    while (str_cut(rest, '\n', &line, &rest)) {
        ASSERT(count < SIGV4_HEADERS_MAX);
        str_cut(line, ':', &headers[count].name, &headers[count].value);
        count++;
    }
    return count;
}

/* The example of AWS's test suite and its small variations; all are signed with its key, at its time, for "service". */
static void test_published(void)
{
    static const struct { const char *name, *path, *query, *headers, *signed_headers, *want; } rows[] = {
        { "get-vanilla", "/", "", "Host:example.amazonaws.com\nX-Amz-Date:20150830T123600Z\n", "host;x-amz-date",
          "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
        { "an empty path is the root", "", "", "Host:example.amazonaws.com\nX-Amz-Date:20150830T123600Z\n", "host;x-amz-date",
          "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
        { "get-slashes", "//example//..//.", "", "host: example.amazonaws.com \nx-amz-date:20150830T123600Z\n", "host;x-amz-date",
          "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
        { "get-vanilla-query-order-key", "/", "Param2=value2&Param1=value1",
          "Host:example.amazonaws.com\nX-Amz-Date:20150830T123600Z\n", "host;x-amz-date",
          "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500" },
        { "get-header-value-trim", "/", "", "Host:example.amazonaws.com\nMy-Header1: value1\nMy-Header2: \"a   b   c\"\n"
          "X-Amz-Date:20150830T123600Z\n", "host;my-header1;my-header2;x-amz-date",
          "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736" },
        { "tabs are blanks", "/", "", "Host:example.amazonaws.com\nMy-Header1:\t value1\t \nMy-Header2:\"a\tb\t \tc\"\n"
          "X-Amz-Date:20150830T123600Z\n", "host;my-header1;my-header2;x-amz-date",
          "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct sigv4_header headers[SIGV4_HEADERS_MAX];
        const struct sigv4_request request = {
            .method = STR("GET"), .path = str_from(rows[r].path), .query = str_from(rows[r].query), .body = STR(""),
            .headers = headers, .header_count = split_headers(rows[r].headers, headers),
        };
        const struct sigv4_authorization auth = {
            .date = STR("20150830"), .region = STR("us-east-1"), .service = STR("service"),
            .signed_headers = str_from(rows[r].signed_headers),
        };
        char got[SIGV4_HEX_LEN + 1] = "";
        CHECK(rows[r].name, sigv4_signature(&request, &auth, STR("20150830T123600Z"),
            STR("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), got));
        CHECK_STR(rows[r].name, str_from(got), str_from(rows[r].want));
    }
}

/* A vector unchanged, or with one thing about it changed. */
static struct str vector_signature(size_t v, const char *query, const char *body, struct str secret)
{
    static char got[SIGV4_HEX_LEN + 1];
    struct sigv4_header headers[SIGV4_HEADERS_MAX];
    const struct sigv4_request request = {
        .method = str_from(sigv4_vectors[v].method), .path = str_from(sigv4_vectors[v].path), .query = str_from(query),
        .body = str_from(body), .headers = headers, .header_count = split_headers(sigv4_vectors[v].headers, headers),
    };
    const struct sigv4_authorization auth = {
        .date = str_slice(str_from(sigv4_vectors[v].date), 0, 8), .region = str_from(sigv4_vectors[v].region),
        .service = STR("ecs"), .signed_headers = str_from(sigv4_vectors[v].signed_headers),
    };
    got[0] = '\0';
    CHECK("all signed headers are there", sigv4_signature(&request, &auth, str_from(sigv4_vectors[v].date), secret, got));
    return str_from(got);
}

/* The same query as a form would write it: a plus for a blank. */
static const char *with_plus(const char *query)
{
    struct buf buf = buf_in(&arena);
    for (const char *at = query; *at != '\0'; at++) {
        bool blank = strncmp(at, "%20", 3) == 0;
        buf_put_char(&buf, blank ? '+' : *at);
        at += blank ? 2 : 0;
    }
    return arena_cstr(&arena, buf_str(&buf));
}

static void test_vectors(void)
{
    for (int round = 0; round < 2; round++) {                      /* the second finds its keys in the cache */
        for (size_t v = 0; v < COUNT_OF(sigv4_vectors); v++) {
            const char *query = sigv4_vectors[v].query, *body = sigv4_vectors[v].body;
            struct str secret = str_from(sigv4_vectors[v].secret), want = str_from(sigv4_vectors[v].signature);
            CHECK_STR("as signed", vector_signature(v, query, body, secret), want);
            CHECK_STR("blanks as plus", vector_signature(v, with_plus(query), body, secret), want);
            CHECK_STR("empty parameters do not count", vector_signature(v, arena_printf(&arena, "&%s&", query).ptr, body, secret),
                want);
            CHECK("another body", !str_eq(vector_signature(v, query, "x", secret), want));
            CHECK("another query", !str_eq(vector_signature(v, "q=1", body, secret), want));
            CHECK("another secret", !str_eq(vector_signature(v, query, body, STR("no")), want));
        }
    }
}

/* Each part of the scope and the secret makes another key, also when another key is in the cache. What
 * is wanted was computed apart, step by step. */
static void test_key_cache(void)
{
    const struct sigv4_header headers[] = { { STR_INIT("host"), STR_INIT("h") } };
    const struct sigv4_request request = { .method = STR("GET"), .path = STR("/"), .headers = headers, .header_count = 1 };
    static const struct { const char *date, *region, *service, *secret, *want; } rows[] = {
        { "20150830", "us-east-1", "iam", "k1", "e93b9a08d054c4bbd5530df418fcd02421421fecab68c4a708a2791717934722" },
        { "20150831", "us-east-1", "iam", "k1", "96b3122c102268e37884b6c9ed8da015e1ba79a7bcdda18163eedeaa81183667" },
        { "20150830", "us-east-2", "iam", "k1", "10a555bf8a4f30ad9acc111f2add8622490cab3a9c8eba3ddbce61585fdb3ed8" },
        { "20150830", "us-east-1", "ecs", "k1", "92caef5db95a71f67d8c99805a21a48a0c10fe251a9f7e30015011166d8a6055" },
        { "20150830", "us-east-1", "iam", "k2", "fb9425c451ed5d53b572581c5f3d287996bb88f012cc4135c90384d87ec40c36" },
    };
    for (size_t r = 0; r < 2 * COUNT_OF(rows); r++) {
        size_t i = r % COUNT_OF(rows);
        const struct sigv4_authorization auth = {
            .date = str_from(rows[i].date), .region = str_from(rows[i].region), .service = str_from(rows[i].service),
            .signed_headers = STR("host"),
        };
        char got[SIGV4_HEX_LEN + 1] = "";
        CHECK("signed", sigv4_signature(&request, &auth, STR("20150830T123600Z"), str_from(rows[i].secret), got));
        CHECK_STR(rows[i].service, str_from(got), str_from(rows[i].want));
    }
}

static void *vectors_in_thread(void *unused)
{
    (void)unused;
    char *failed = NULL;
    for (int i = 0; i < 50; i++) {
        char hash[SIGV4_HEX_LEN + 1];
        sha256_hex(STR("abc"), hash);
        if (!str_eq(str_from(hash), STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))) { failed = hash; }
    }
    return failed == NULL ? NULL : &arena;
}

/* Each thread has its own contexts and gives them back at its end (the leak sanitizer watches). */
static void test_threads(void)
{
    pthread_t threads[4];
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        ASSERT(pthread_create(&threads[t], NULL, vectors_in_thread, NULL) == 0);
    }
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        void *failed = NULL;
        ASSERT(pthread_join(threads[t], &failed) == 0);
        CHECK("same hash in every thread", failed == NULL);
    }
}

static void test_limits(void)
{
    const struct sigv4_header headers[] = { { STR_INIT("host"), STR_INIT("h") }, { STR_INIT("x-amz-date"), STR_INIT("d") } };
    struct sigv4_request request = { .method = STR("GET"), .path = STR("/"), .headers = headers, .header_count = 2 };
    struct sigv4_authorization auth = { .date = STR("20150830"), .region = STR("r"), .service = STR("s"), .signed_headers = STR("host") };
    char got[SIGV4_HEX_LEN + 1], again[SIGV4_HEX_LEN + 1];
    CHECK("one signed header", sigv4_signature(&request, &auth, STR("20150830T000000Z"), STR("k"), got));
    auth.signed_headers = STR("host;x-absent");
    CHECK("a signed header is absent", !sigv4_signature(&request, &auth, STR("20150830T000000Z"), STR("k"), got));
    auth.signed_headers = STR("");
    CHECK("no signed header", !sigv4_signature(&request, &auth, STR("20150830T000000Z"), STR("k"), got));
    auth.signed_headers = STR("host");

    static const struct { const char *name, *piece; size_t count; bool query, good; } rows[] = {
        { "most parameters",     "a=1&", 128, true,  true },
        { "one parameter more",  "a=1&", 129, true,  false },
        { "most segments",       "/a",   128, false, true },
        { "one segment more",    "/a",   129, false, false },
        { "a very long segment", "aaaa", 2000, false, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf buf = buf_in(&arena);
        for (size_t i = 0; i < rows[r].count; i++) { buf_put(&buf, str_from(rows[r].piece)); }
        request.query = rows[r].query ? buf_str(&buf) : STR("");
        request.path = rows[r].query ? STR("/") : buf_str(&buf);
        CHECK_EQ(rows[r].name, sigv4_signature(&request, &auth, STR("20150830T000000Z"), STR("k"), got), rows[r].good);
    }
    struct buf secret = buf_in(&arena);                            /* too long for the cache: derived each time */
    memset(buf_room(&secret, 1000), 's', 1000);
    secret.len = 1000;
    request.path = STR("/");
    CHECK("a long secret", sigv4_signature(&request, &auth, STR("20150830T000000Z"), buf_str(&secret), got));
    CHECK("again", sigv4_signature(&request, &auth, STR("20150830T000000Z"), buf_str(&secret), again));
    CHECK_STR("the same", str_from(again), str_from(got));
}

/* The agent signs, the server verifies: with the fields from the header, the same signature comes out. */
static void test_sign(void)
{
    const struct sigv4_header headers[] = {
        { STR_INIT("X-Amz-Target"), STR_INIT("T") }, { STR_INIT("Host"), STR_INIT("example.amazonaws.com") },
        { STR_INIT("X-Two"), STR_INIT("2") }, { STR_INIT("x-two"), STR_INIT("1") }, { STR_INIT("X-Amz-Date"), STR_INIT("20150830T123600Z") },
    };
    const struct sigv4_request request = {
        .method = STR("POST"), .path = STR("/"), .query = STR("b=%20&a"), .body = STR("{}"), .headers = headers,
        .header_count = COUNT_OF(headers),
    };
    struct str value = sigv4_sign(&request, STR("AKID"), STR("secret"), STR("us-east-1"), STR("ecs"), STR("20150830T123600Z"), &arena);
    struct sigv4_authorization auth;
    struct err err = { .code = ERR_NONE };
    CHECK("the written header can be read", sigv4_parse_authorization(value, &auth, &err));
    CHECK_STR("key", auth.access_key, STR("AKID"));
    CHECK_STR("all headers, each once", auth.signed_headers, STR("host;x-amz-date;x-amz-target;x-two"));
    char again[SIGV4_HEX_LEN + 1] = "";
    CHECK("verified", sigv4_signature(&request, &auth, STR("20150830T123600Z"), STR("secret"), again));
    CHECK_STR("the same signature", str_from(again), auth.signature);

    const struct sigv4_request vanilla = { .method = STR("GET"), .path = STR("/"), .headers = (const struct sigv4_header[]){
        { STR_INIT("Host"), STR_INIT("example.amazonaws.com") }, { STR_INIT("X-Amz-Date"), STR_INIT("20150830T123600Z") } },
        .header_count = 2 };
    CHECK_STR("as the published example has it", sigv4_sign(&vanilla, STR("AKIDEXAMPLE"), STR("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        STR("us-east-1"), STR("service"), STR("20150830T123600Z"), &arena),
        STR("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, "
            "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"));
}

#define ALGORITHM "AWS4-HMAC-SHA256 "
#define NEEDS_CREDENTIAL "Authorization header requires 'Credential' parameter. "
#define NEEDS_SIGNATURE "Authorization header requires 'Signature' parameter. "
#define NEEDS_HEADERS "Authorization header requires 'SignedHeaders' parameter. "

static void test_parse_good(void)
{
    static const struct { const char *name, *text, *key; } rows[] = {
        { "as SDKs write it", ALGORITHM "Credential=AKID/20150830/us-east-1/ecs/aws4_request, SignedHeaders=host;x-amz-date, Signature=ab12", "AKID" },
        { "no blanks",        ALGORITHM "Credential=AKID/20150830/us-east-1/ecs/aws4_request,SignedHeaders=host;x-amz-date,Signature=ab12", "AKID" },
        { "no commas",        ALGORITHM "Credential=AKID/20150830/us-east-1/ecs/aws4_request SignedHeaders=host;x-amz-date Signature=ab12", "AKID" },
        { "another order",    ALGORITHM "  Signature=ab12 , Credential=AKID/20150830/us-east-1/ecs/aws4_request, SignedHeaders=host;x-amz-date ", "AKID" },
        { "a slash in a key", ALGORITHM "Credential=A/KID/20150830/us-east-1/ecs/aws4_request, SignedHeaders=host;x-amz-date, Signature=ab12", "A/KID" },
        { "unknown names",    ALGORITHM "x=1, Credential=AKID/20150830/us-east-1/ecs/aws4_request, SignedHeaders=host;x-amz-date, Signature=ab12", "AKID" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct sigv4_authorization auth;
        struct err err = { .code = ERR_NONE };
        CHECK(rows[r].name, sigv4_parse_authorization(str_from(rows[r].text), &auth, &err));
        CHECK_STR(rows[r].name, auth.access_key, str_from(rows[r].key));
        CHECK_STR(rows[r].name, auth.date, STR("20150830"));
        CHECK_STR(rows[r].name, auth.region, STR("us-east-1"));
        CHECK_STR(rows[r].name, auth.service, STR("ecs"));
        CHECK_STR(rows[r].name, auth.signed_headers, STR("host;x-amz-date"));
        CHECK_STR(rows[r].name, auth.signature, STR("ab12"));
    }
}

static void test_parse_bad(void)
{
    static const struct { const char *name, *text; enum err_code code; const char *message; } rows[] = {
        { "nothing", "", ERR_INCOMPLETE_SIGNATURE, NEEDS_CREDENTIAL NEEDS_SIGNATURE NEEDS_HEADERS "Authorization=" },
        { "another scheme", "Bearer x", ERR_INCOMPLETE_SIGNATURE, NEEDS_CREDENTIAL NEEDS_SIGNATURE NEEDS_HEADERS "Authorization=Bearer x" },
        { "only the algorithm", "AWS4-HMAC-SHA256", ERR_INCOMPLETE_SIGNATURE,
          NEEDS_CREDENTIAL NEEDS_SIGNATURE NEEDS_HEADERS "Authorization=AWS4-HMAC-SHA256" },
        { "no credential", ALGORITHM "SignedHeaders=a, Signature=b", ERR_INCOMPLETE_SIGNATURE,
          NEEDS_CREDENTIAL "Authorization=" ALGORITHM "SignedHeaders=a, Signature=b" },
        { "no signature", ALGORITHM "SignedHeaders=a, Credential=b", ERR_INCOMPLETE_SIGNATURE,
          NEEDS_SIGNATURE "Authorization=" ALGORITHM "SignedHeaders=a, Credential=b" },
        { "empty headers", ALGORITHM "SignedHeaders=, Credential=b, Signature=c", ERR_INCOMPLETE_SIGNATURE,
          NEEDS_HEADERS "Authorization=" ALGORITHM "SignedHeaders=, Credential=b, Signature=c" },
        { "four parts", ALGORITHM "SignedHeaders=a, Credential=b/c/d/aws4_request, Signature=c", ERR_INCOMPLETE_SIGNATURE,
          "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'b/c/d/aws4_request'" },
        { "an empty part", ALGORITHM "SignedHeaders=a, Credential=b/c//d/aws4_request, Signature=c", ERR_INCOMPLETE_SIGNATURE,
          "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'b/c//d/aws4_request'" },
        { "another end", ALGORITHM "SignedHeaders=a, Credential=b/c/d/e/aws3_request, Signature=c", ERR_INVALID_SIGNATURE,
          "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws3_request'." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct sigv4_authorization auth;
        struct err err = { .code = ERR_NONE };
        CHECK(rows[r].name, !sigv4_parse_authorization(str_from(rows[r].text), &auth, &err));
        CHECK_EQ(rows[r].name, err.code, rows[r].code);
        CHECK_STR(rows[r].name, str_from(err.message), str_from(rows[r].message));
    }
}

static void test_time(void)
{
    static const struct { const char *name, *text; bool good; int64_t ms; } rows[] = {
        { "the published example", "20150830T123600Z", true, 1440938160000 },
        { "the epoch",             "19700101T000000Z", true, 0 },
        { "before the epoch",      "19691231T235959Z", false, 0 },
        { "leap day",              "20240229T235959Z", true, 1709251199000 },
        { "no leap day",           "20230229T000000Z", false, 0 },
        { "no leap day in 1900s",  "19000229T000000Z", false, 0 },
        { "last second of 9999",   "99991231T235959Z", true, 253402300799000 },
        { "month 0",               "20150030T123600Z", false, 0 },
        { "month 13",              "20151330T123600Z", false, 0 },
        { "day 0",                 "20150800T123600Z", false, 0 },
        { "day 31 of 30",          "20150931T123600Z", false, 0 },
        { "hour 24",               "20150830T240000Z", false, 0 },
        { "minute 60",             "20150830T126000Z", false, 0 },
        { "second 60",             "20150830T123660Z", false, 0 },
        { "lower-case letters",    "20150830t123600z", false, 0 },
        { "a sign among digits",   "20150830T12-600Z", false, 0 },
        { "one short",             "20150830T12360Z",  false, 0 },
        { "one more",              "20150830T123600ZZ", false, 0 },
        { "year 0",                "00000101T000000Z", false, 0 },
        { "another format",        "2015-08-30T12:36", false, 0 },
        { "nothing",               "",                 false, 0 },
        { "absent",                NULL,               false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        int64_t ms = 0;
        CHECK_EQ(rows[r].name, sigv4_parse_time(str_from(rows[r].text), &ms), rows[r].good);
        CHECK_EQ(rows[r].name, ms, rows[r].ms);
        char text[SIGV4_TIME_LEN + 1] = "";
        sigv4_format_time(ms, text);
        if (rows[r].good) { CHECK_STR(rows[r].name, str_from(text), str_from(rows[r].text)); }
    }
    static const struct { const char *name; int64_t ms; const char *text; } edges[] = {
        { "milliseconds are cut",    1440938160999,   "20150830T123600Z" },
        { "the first",               0,               "19700101T000000Z" },
        { "just before it",          -1,              "" },
        { "the year 999",            INT64_C(-30610224001000), "" },
        { "the last",                253402300799999, "99991231T235959Z" },
        { "the year 10000",          253402300800000, "" },
        { "further than a year is counted", INT64_MAX, "" },
        { "further back",            INT64_MIN,       "" },
    };
    for (size_t e = 0; e < COUNT_OF(edges); e++) {
        char text[SIGV4_TIME_LEN + 1] = "?";
        CHECK_EQ(edges[e].name, sigv4_format_time(edges[e].ms, text), edges[e].text[0] != '\0');
        CHECK_STR(edges[e].name, str_from(text), str_from(edges[e].text));
    }
}

static void test_hash(void)
{
    char got[SIGV4_HEX_LEN + 1];
    sha256_hex(STR(""), got);
    CHECK_STR("of nothing", str_from(got), STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    sha256_hex(str_from(NULL), got);
    CHECK_STR("of the absent", str_from(got), STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    uint8_t bytes[32];
    sha256_bytes(STR("abc"), bytes);
    CHECK("bytes", bytes[0] == 0xba && bytes[31] == 0xad);
}

int main(void)
{
    arena_init(&arena, 1 << 20);
    test_published();
    test_vectors();
    test_key_cache();
    test_threads();
    test_limits();
    test_sign();
    test_parse_good();
    test_parse_bad();
    test_time();
    test_hash();
    arena_finish(&arena);
    return check_report();
}
