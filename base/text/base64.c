#include "base/text/base64.h"

static const char ordinary[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char for_urls[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z') { return c - 'A'; }
    if (c >= 'a' && c <= 'z') { return c - 'a' + 26; }
    if (c >= '0' && c <= '9') { return c - '0' + 52; }
    if (c == '+' || c == '-') { return 62; }
    return c == '/' || c == '_' ? 63 : -1;
}

struct str base64_decode(struct str text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.len + 1, 1);
    size_t len = 0;
    uint32_t bits = 0;
    unsigned have = 0;
    while (text.len > 0 && text.ptr[text.len - 1] == '=') { text.len--; }
    for (size_t i = 0; i < text.len; i++) {
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

static struct str encode(struct str bytes, const char *letters, struct arena *arena)
{
    char *out = arena_alloc(arena, (bytes.len + 2) / 3 + 1, 4);
    size_t len = 0;
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t have = bytes.len - i < 3 ? bytes.len - i : 3;
        uint32_t bits = 0;
        for (size_t b = 0; b < 3; b++) { bits = bits << 8 | (b < have ? (unsigned char)bytes.ptr[i + b] : 0U); }
        for (size_t letter = 0; letter < 4; letter++) {
            out[len++] = '=';
            if (letter <= have) { out[len - 1] = letters[bits >> (18 - 6 * letter) & 63]; }
        }
    }
    return (struct str){ out, len };
}

struct str base64_encode(struct str bytes, struct arena *arena) { return encode(bytes, ordinary, arena); }
struct str base64_encode_url(struct str bytes, struct arena *arena) { return encode(bytes, for_urls, arena); }
