/* str.c: slicing, comparing and reading numbers. Nothing here allocates. */
#include "base/str.h"

#include "base/assert.h"
#include "base/num.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct str str_from(const char *text)
{
    return text == NULL ? (struct str){ NULL, 0 } : (struct str){ text, strlen(text) };
}

int str_cmp(struct str a, struct str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);
    if (order != 0) { return order; }
    return (a.len > b.len) - (a.len < b.len);
}

bool str_eq_nocase(struct str a, struct str b)
{
    if (a.len != b.len) { return false; }
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) { return false; }
    }
    return true;
}

bool str_starts_with(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq(str_slice(s, 0, prefix.len), prefix);
}

bool str_ends_with(struct str s, struct str suffix)
{
    return s.len >= suffix.len && str_eq(str_slice(s, s.len - suffix.len, s.len), suffix);
}

bool str_contains(struct str s, struct str part)
{
    return part.len == 0 || (s.len >= part.len && memmem(s.ptr, s.len, part.ptr, part.len) != NULL);
}

struct str str_slice(struct str s, size_t from, size_t to)
{
    if (s.ptr == NULL) { return s; }                               /* an absent string has only an absent slice */
    size_t end = to < s.len ? to : s.len;
    size_t start = from < end ? from : end;
    return (struct str){ s.ptr + start, end - start };
}

struct str str_trim(struct str s)
{
    size_t from = 0, to = s.len;
    while (from < to && is_blank(s.ptr[from])) { from++; }
    while (to > from && is_blank(s.ptr[to - 1])) { to--; }
    return str_slice(s, from, to);
}

size_t str_find(struct str s, char wanted)
{
    const char *found = s.len == 0 ? NULL : memchr(s.ptr, wanted, s.len);
    return found == NULL ? s.len : (size_t)(found - s.ptr);
}

bool str_cut(struct str s, char separator, struct str *head, struct str *tail)
{
    size_t at = str_find(s, separator);
    *head = str_slice(s, 0, at);
    *tail = str_slice(s, at + 1, s.len);
    return at < s.len;
}

bool str_to_i64(struct str s, int64_t *value)
{
    bool negative = s.len > 0 && s.ptr[0] == '-';
    struct str digits = str_slice(s, negative ? 1 : 0, s.len);
    if (digits.len == 0) { return false; }

    int64_t sum = 0;                                               /* kept negative or positive, so that INT64_MIN fits */
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9') { return false; }
        int64_t digit = digits.ptr[i] - '0';
        if (!mul_i64(sum, 10, &sum) || !add_i64(sum, negative ? -digit : digit, &sum)) { return false; }
    }
    *value = sum;
    return true;
}

bool str_to_cstr(struct str s, char *out, size_t size)
{
    ASSERT(size > 0);
    out[0] = '\0';                                                 /* a caller that ignores the answer reads an empty string */
    if (s.len >= size || str_find(s, '\0') < s.len) { return false; }
    if (s.len > 0) { memcpy(out, s.ptr, s.len); }
    out[s.len] = '\0';
    return true;
}

void str_put_hex(char *out, const void *bytes, size_t size)
{
    static const char pairs[] =
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
        "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
        "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
        "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
    const unsigned char *from = bytes;
    for (size_t b = 0; b < size; b++) { memcpy(out + 2 * b, pairs + 2 * (size_t)from[b], 2); }
}

int str_hex_value(char c)
{
    static const signed char values[UINT8_MAX + 1] = {             /* one more than the value; 0: none */
        ['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
        ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
        ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
    };
    return values[(unsigned char)c] - 1;
}

bool str_eq_constant_time(struct str a, struct str b)
{
    if (a.len != b.len) { return false; }
    /* volatile keeps the compiler from leaving the loop at the first difference. */
    volatile unsigned char difference = 0;
    for (size_t i = 0; i < a.len; i++) {
        difference = (unsigned char)(difference | ((unsigned char)a.ptr[i] ^ (unsigned char)b.ptr[i]));
    }
    return difference == 0;
}
