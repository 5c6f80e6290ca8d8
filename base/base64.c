/* base64.c: six bits a letter. */
#include "base/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct str base64_encode(struct str bytes, struct arena *arena)
{
    char *out = arena_alloc(arena, (bytes.len + 2) / 3 * 4 + 1, 1);
    size_t len = 0;
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t have = bytes.len - i < 3 ? bytes.len - i : 3;
        uint32_t bits = 0;
        for (size_t b = 0; b < 3; b++) { bits = bits << 8 | (b < have ? (uint8_t)bytes.ptr[i + b] : 0U); }
        for (size_t l = 0; l < 4; l++) { out[len++] = l <= have ? letters[bits >> (18 - 6 * l) & 63] : '='; }
    }
    return (struct str){ out, len };
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z') { return c - 'A'; }
    if (c >= 'a' && c <= 'z') { return c - 'a' + 26; }
    if (c >= '0' && c <= '9') { return c - '0' + 52; }
    if (c == '+') { return 62; }
    return c == '/' ? 63 : -1;
}

struct str base64_decode(struct str text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.len + 1, 1);
    size_t len = 0;
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < text.len && text.ptr[i] != '='; i++) {
        int value = value_of(text.ptr[i]);
        if (value < 0) { return (struct str){ NULL, 0 }; }
        bits = bits << 6 | (uint32_t)value;
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[len++] = (char)(bits >> have & 0xFF);
        }
    }
    return (struct str){ out, len };
}
