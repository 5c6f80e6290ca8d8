/* str.c: slicing, comparing and reading numbers. Nothing here allocates. */
#include "base/str.h"

#include "base/assert.h"
#include "base/num.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

/* How many digits begin at `at`, without the zeros before them; *at moves after the zeros. */
static size_t number_at(struct str s, size_t *at)
{
    while (*at + 1 < s.len && s.ptr[*at] == '0' && is_digit(s.ptr[*at + 1])) { (*at)++; }
    size_t len = 0;
    while (*at + len < s.len && is_digit(s.ptr[*at + len])) { len++; }
    return len;
}

int str_cmp_natural(struct str a, struct str b)
{
    size_t i = 0, j = 0;
    while (i < a.len && j < b.len) {
        size_t left = number_at(a, &i), right = number_at(b, &j);
        if (left > 0 && right > 0) {
            int order = left != right ? (left < right ? -1 : 1) : memcmp(a.ptr + i, b.ptr + j, left);
            if (order != 0) { return order; }
            i += left;
            j += right;
        } else {
            int order = (unsigned char)a.ptr[i++] - (unsigned char)b.ptr[j++];
            if (order != 0) { return order; }
        }
    }
    bool more_left = i < a.len, more_right = j < b.len;
    return more_left != more_right ? (more_left ? 1 : -1) : str_cmp(a, b);
}

bool str_same_letters(struct str a, struct str b)
{
    if (str_eq(a, b)) { return true; }                             /* nearly always the case is the same too */
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

struct str str_shorten(struct str s, size_t max)
{
    if (s.len <= max) { return s; }
    while (max > 0 && ((unsigned char)s.ptr[max] & 0xC0) == 0x80) { max--; }
    return str_slice(s, 0, max);
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
    out[0] = '\0';                                                 /* a caller that ignores the result reads an empty string */
    if (s.len >= size || str_find(s, '\0') < s.len) { return false; }
    if (s.len > 0) { memcpy(out, s.ptr, s.len); }
    out[s.len] = '\0';
    return true;
}

char *str_put_digits(char *end, uint64_t value)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566"
        "676869707172737475767778798081828384858687888990919293949596979899";
    char *at = end;
    uint64_t left = value;
    for (; left >= 10; left /= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (left % 100), 2);
    }
    if (left > 0 || at == end) { *--at = (char)('0' + left); }
    return at;
}

/* Whole pieces of PIECE bytes, which ids and hashes are; returns how many bytes those are. */
#if defined(__SSE2__)
enum { PIECE = 16 };
static __m128i digits_of(__m128i values)
{
    __m128i letters = _mm_and_si128(_mm_cmpgt_epi8(values, _mm_set1_epi8(9)), _mm_set1_epi8('a' - '0' - 10));
    return _mm_add_epi8(_mm_add_epi8(values, _mm_set1_epi8('0')), letters);
}

static size_t put_hex_pieces(char *out, const unsigned char *from, size_t size)
{
    const __m128i nibble = _mm_set1_epi8(15);
    size_t at = 0;
    for (; size - at >= PIECE; at += PIECE) {
        __m128i bytes = _mm_loadu_si128((const __m128i_u *)(from + at));
        __m128i low = _mm_and_si128(bytes, nibble), high = _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble);
        _mm_storeu_si128((__m128i_u *)(out + 2 * at), digits_of(_mm_unpacklo_epi8(high, low)));
        _mm_storeu_si128((__m128i_u *)(out + 2 * at + PIECE), digits_of(_mm_unpackhi_epi8(high, low)));
    }
    return at;
}
#else
static size_t put_hex_pieces(char *out, const unsigned char *from, size_t size)
{
    (void)out;
    (void)from;
    (void)size;
    return 0;
}
#endif

void str_put_hex(char *out, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    for (size_t b = put_hex_pieces(out, from, size); b < size; b++) {
        out[2 * b] = digits[from[b] >> 4];
        out[2 * b + 1] = digits[from[b] & 15];
    }
}

static const int8_t hex_values[UINT8_MAX + 1] = {                  /* one more than the value; 0: none */
    ['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
    ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

int str_hex_value(char c) { return hex_values[(unsigned char)c] - 1; }

/* Other characters have -1, whose sign stays in the sum of all. */
bool str_read_hex(const char *digits, void *bytes, size_t size)
{
    unsigned char *out = bytes;
    int all = 0;
    for (size_t b = 0; b < size; b++) {
        int high = str_hex_value(digits[2 * b]), low = str_hex_value(digits[2 * b + 1]);
        all |= high | low;
        out[b] = (unsigned char)((unsigned)high << 4 | (unsigned)low);
    }
    return all >= 0;
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
