/* test_head.c: heads of requests that are whole, short, broken and too large. */
#include "tests/unit/check.h"

#include "base/assert.h"
#include "base/http/head.h"

#define LINE "GET /a HTTP/1.1\r\n"

static void test_outcomes(void)
{
    static const struct { const char *name; struct str bytes; enum head_read want; } rows[] = {
        { "nothing",                   STR_INIT(""),                                                       HEAD_SHORT },
        { "no empty line",             STR_INIT(LINE "Host: a\r\n"),                                       HEAD_SHORT },
        { "the least",                 STR_INIT(LINE "\r\n"),                                              HEAD_WHOLE },
        { "an older version",          STR_INIT("GET /a HTTP/1.0\r\n\r\n"),                                HEAD_WHOLE },
        { "another version",           STR_INIT("GET /a HTTP/2.0\r\n\r\n"),                                HEAD_BROKEN },
        { "no version",                STR_INIT("GET /a\r\n\r\n"),                                         HEAD_BROKEN },
        { "no path",                   STR_INIT("GET http://a/ HTTP/1.1\r\n\r\n"),                         HEAD_BROKEN },
        { "a blank in the path",       STR_INIT("GET /a b HTTP/1.1\r\n\r\n"),                              HEAD_BROKEN },
        { "no method",                 STR_INIT(" /a HTTP/1.1\r\n\r\n"),                                   HEAD_BROKEN },
        { "no colon",                  STR_INIT(LINE "Host\r\n\r\n"),                                      HEAD_BROKEN },
        { "a blank before the colon",  STR_INIT(LINE "Host : a\r\n\r\n"),                                  HEAD_BROKEN },
        { "a folded line",             STR_INIT(LINE "Host: a\r\n b\r\n\r\n"),                             HEAD_BROKEN },
        { "a lone line feed",          STR_INIT(LINE "Host: a\nX: b\r\n\r\n"),                             HEAD_BROKEN },
        { "a zero byte",               STR_INIT(LINE "Host: a\0b\r\n\r\n"),                                HEAD_BROKEN },
        { "chunks",                    STR_INIT(LINE "Transfer-Encoding: chunked\r\n\r\n"),                HEAD_BROKEN },
        { "chunks and a length",       STR_INIT(LINE "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), HEAD_BROKEN },
        { "two hosts",                 STR_INIT(LINE "Host: a\r\nHost: a\r\n\r\n"),                      HEAD_BROKEN },
        { "two lengths",               STR_INIT(LINE "Content-Length: 0\r\nContent-Length: 0\r\n\r\n"),    HEAD_BROKEN },
        { "a length below zero",       STR_INIT(LINE "Content-Length: -1\r\n\r\n"),                        HEAD_BROKEN },
        { "a length with a sign",      STR_INIT(LINE "Content-Length: +1\r\n\r\n"),                        HEAD_BROKEN },
        { "a length that is a list",   STR_INIT(LINE "Content-Length: 1, 1\r\n\r\n"),                      HEAD_BROKEN },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct head head;
        CHECK_EQ(rows[r].name, head_read(rows[r].bytes, &head), rows[r].want);
    }
}

/* Requests that head_read refuses and others take: a body in chunks, said once, alone, and in HTTP/1.1. */
static void test_codings(void)
{
    static const struct { const char *name, *version; struct str names[2], values[2]; bool want; } rows[] = {
        { "chunks",             "HTTP/1.1", { STR_INIT("Transfer-Encoding") }, { STR_INIT("chunked") }, true },
        { "in another case",    "HTTP/1.1", { STR_INIT("transfer-encoding") }, { STR_INIT("Chunked") }, true },
        { "in HTTP/1.0",        "HTTP/1.0", { STR_INIT("Transfer-Encoding") }, { STR_INIT("chunked") }, false },
        { "another coding",     "HTTP/1.1", { STR_INIT("Transfer-Encoding") }, { STR_INIT("gzip, chunked") }, false },
        { "no coding",          "HTTP/1.1", { STR_INIT("Transfer-Encoding") }, { STR_INIT("identity") }, false },
        { "twice",              "HTTP/1.1", { STR_INIT("Transfer-Encoding"), STR_INIT("Transfer-Encoding") }, { STR_INIT("chunked"), STR_INIT("chunked") }, false },
        { "behind a length",    "HTTP/1.1", { STR_INIT("Content-Length"), STR_INIT("Transfer-Encoding") }, { STR_INIT("1"), STR_INIT("chunked") }, false },
        { "before a length",    "HTTP/1.1", { STR_INIT("Transfer-Encoding"), STR_INIT("Content-Length") }, { STR_INIT("chunked"), STR_INIT("1") }, false },
        { "a length in hex",    "HTTP/1.1", { STR_INIT("Content-Length") }, { STR_INIT("0x2") }, false },
        { "an empty length",    "HTTP/1.1", { STR_INIT("Content-Length") }, { STR_INIT("") }, false },
        { "too large a length", "HTTP/1.1", { STR_INIT("Content-Length") }, { STR_INIT("9223372036854775808") }, false },
        { "a length",           "HTTP/1.1", { STR_INIT("Content-Length") }, { STR_INIT("2") }, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct head head;
        bool good = head_begin(&head, STR("POST"), STR("/"), STR(""), str_from(rows[r].version));
        for (size_t h = 0; h < 2 && rows[r].names[h].len > 0; h++) { good = good && head_add(&head, rows[r].names[h], rows[r].values[h]); }
        CHECK_EQ(rows[r].name, good, rows[r].want);
    }
}

static void test_limits(void)
{
    static char bytes[2 * HEAD_MAX];
    struct head head;
    size_t line = strlen(LINE "X: ");
    for (size_t size = HEAD_MAX - 1; size <= HEAD_MAX + 1; size++) {
        memset(bytes, 'x', sizeof bytes);
        memcpy(bytes, LINE "X: ", line);
        memcpy(bytes + size - 4, "\r\n\r\n", 4);
        CHECK_EQ("the size of a head", head_read((struct str){ bytes, size }, &head), size <= HEAD_MAX ? HEAD_WHOLE : HEAD_TOO_LARGE);
    }
    for (size_t count = SIGV4_HEADERS_MAX; count <= SIGV4_HEADERS_MAX + 1; count++) {
        size_t len = strlen(LINE);
        memcpy(bytes, LINE, len);
        for (size_t h = 0; h < count; h++, len += 6) { memcpy(bytes + len, "a: b\r\n", 6); }
        memcpy(bytes + len, "\r\n", 2);
        CHECK_EQ("how many headers", head_read((struct str){ bytes, len + 2 }, &head), count <= SIGV4_HEADERS_MAX ? HEAD_WHOLE : HEAD_BROKEN);
    }
}

static void test_parts(void)
{
    static const char text[] = "POST /a/b?c=d%20e&f HTTP/1.1\r\nHost:  h:1 \r\ncontent-length: 3\r\nExpect: 100-Continue\r\n"
                               "Connection: foo, Close\r\n\r\nxyzGET";
    struct head head;
    CHECK_EQ("a request", head_read(str_from(text), &head), HEAD_WHOLE);
    CHECK_STR("method", head.method, STR("POST"));
    CHECK_STR("path", head.path, STR("/a/b"));
    CHECK_STR("query", head.query, STR("c=d%20e&f"));
    CHECK_STR("a header", head_header(&head, STR("HOST")), STR("h:1"));
    CHECK("no header", !str_is_set(head_header(&head, STR("X"))));
    CHECK_EQ("length", head.content_length, 3);
    CHECK_EQ("size", head.size, sizeof text - 1 - strlen("xyzGET"));
    CHECK("expects", head.expects);
    CHECK("closes", !head.keep_alive);
    CHECK_EQ("the least", head_read(STR(LINE "\r\n"), &head), HEAD_WHOLE);
    CHECK("stays", head.keep_alive && !head.expects && head.content_length == 0 && head.query.len == 0);
    CHECK_EQ("an older version", head_read(STR("GET / HTTP/1.0\r\n\r\n"), &head), HEAD_WHOLE);
    CHECK("does not stay", !head.keep_alive);
}

int main(void)
{
    test_outcomes();
    test_codings();
    test_limits();
    test_parts();
    return check_report();
}
