/* test_websocket.c: heads of frames on both sides of each limit, and the example of RFC 6455. */
#include "tests/unit/check.h"

#include "base/assert.h"
#include "base/http/websocket.h"

#define MASK "\x01\x02\x03\x04"

static void test_read(void)
{
    enum { MAX = 70000 };
    static const struct { const char *name; struct str bytes; enum websocket_read want; size_t head, size; } rows[] = {
        { "nothing",                     STR_INIT(""),                                       WEBSOCKET_SHORT,    0, 0 },
        { "one byte",                    STR_INIT("\x81"),                                   WEBSOCKET_SHORT,    0, 0 },
        { "a mask in parts",             STR_INIT("\x81\x80\x01\x02\x03"),                   WEBSOCKET_SHORT,    0, 0 },
        { "an empty text",               STR_INIT("\x81\x80" MASK),                          WEBSOCKET_FRAME,    6, 0 },
        { "a text",                      STR_INIT("\x81\x82" MASK "ab"),                     WEBSOCKET_FRAME,    6, 2 },
        { "its payload is not here",     STR_INIT("\x81\x82" MASK "a"),                      WEBSOCKET_SHORT,    6, 2 },
        { "a length of two bytes",       STR_INIT("\x81\xFE\x00\x01" MASK "a"),              WEBSOCKET_FRAME,    8, 1 },
        { "… in parts",                  STR_INIT("\x81\xFE\x00"),                           WEBSOCKET_SHORT,    0, 0 },
        { "a length of eight bytes",     STR_INIT("\x81\xFF\0\0\0\0\0\0\0\x01" MASK "a"),    WEBSOCKET_FRAME,   14, 1 },
        { "the longest",                 STR_INIT("\x81\xFF\0\0\0\0\0\x01\x11\x70" MASK),    WEBSOCKET_SHORT,   14, MAX },
        { "one byte longer",             STR_INIT("\x81\xFF\0\0\0\0\0\x01\x11\x71" MASK),    WEBSOCKET_TOO_LONG, 0, 0 },
        { "longer than anything",        STR_INIT("\x81\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF" MASK), WEBSOCKET_TOO_LONG, 0, 0 },
        { "not masked",                  STR_INIT("\x81\x01" "a"),                           WEBSOCKET_BROKEN,   0, 0 },
        { "a reserved bit",              STR_INIT("\xC1\x80" MASK),                          WEBSOCKET_BROKEN,   0, 0 },
        { "an unknown opcode",           STR_INIT("\x83\x80" MASK),                          WEBSOCKET_BROKEN,   0, 0 },
        { "an unknown control frame",    STR_INIT("\x8B\x80" MASK),                          WEBSOCKET_BROKEN,   0, 0 },
        { "a fragment",                  STR_INIT("\x01\x80" MASK),                          WEBSOCKET_FRAME,    6, 0 },
        { "a ping",                      STR_INIT("\x89\x80" MASK),                          WEBSOCKET_FRAME,    6, 0 },
        { "a ping in parts",             STR_INIT("\x09\x80" MASK),                          WEBSOCKET_BROKEN,   0, 0 },
        { "a long ping",                 STR_INIT("\x89\xFE\x00\x7E" MASK),                  WEBSOCKET_BROKEN,   0, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct websocket_frame frame = { 0 };
        CHECK_EQ(rows[r].name, websocket_read(rows[r].bytes, MAX, &frame), rows[r].want);
        CHECK_EQ(rows[r].name, frame.head, rows[r].head);
        CHECK_EQ(rows[r].name, frame.size, rows[r].size);
    }
}

static void test_mask(void)
{
    char text[] = "Hello";
    static const uint8_t mask[4] = { 0x37, 0xFA, 0x21, 0x3D };
    websocket_unmask(text, 5, mask);
    CHECK_STR("the RFC's example", ((struct str){ text, 5 }), STR("\x7F\x9F\x4D\x51\x58"));
    websocket_unmask(text, 5, mask);
    CHECK_STR("and back", str_from(text), STR("Hello"));
}

static void test_put_head(void)
{
    static const struct { size_t size; struct str want; } rows[] = {
        { 0,       STR_INIT("\x81\x00") },
        { 125,     STR_INIT("\x81\x7D") },
        { 126,     STR_INIT("\x81\x7E\x00\x7E") },
        { 65535,   STR_INIT("\x81\x7E\xFF\xFF") },
        { 65536,   STR_INIT("\x81\x7F\0\0\0\0\0\x01\0\0") },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char head[WEBSOCKET_HEAD_MAX];
        size_t len = websocket_put_head(head, WEBSOCKET_TEXT, rows[r].size);
        CHECK_STR("a head", ((struct str){ head, len }), rows[r].want);
    }
}

static void test_accept(void)
{
    char out[WEBSOCKET_ACCEPT_LEN + 1];
    CHECK("the RFC's example", websocket_accept(STR("dGhlIHNhbXBsZSBub25jZQ=="), out));
    CHECK_STR("the RFC's example", str_from(out), STR("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    CHECK("absent", !websocket_accept((struct str){ NULL, 0 }, out));
    CHECK("too long", !websocket_accept(STR("dGhlIHNhbXBsZSBub25jZQ==="), out));
}

int main(void)
{
    test_read();
    test_mask();
    test_put_head();
    test_accept();
    return check_report();
}
