/* str.h: bytes with a length. Knows slicing, comparing and reading numbers; refuses to own memory or to know encodings. */
#ifndef BERTH_BASE_STR_H
#define BERTH_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str { const char *ptr; size_t len; };                   /* borrowed bytes, not NUL-terminated; ptr NULL means absent */
#define STR_INIT(literal) { "" literal, sizeof(literal) - 1 }  /* in static tables */
#define STR(literal)      ((struct str)STR_INIT(literal))      /* in functions */
#define STR_FMT           "%.*s"
#define STR_ARG(s)        (int)(s).len, (s).ptr                /* for printf with STR_FMT; strings here are far below INT_MAX */

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* memcpy for texts, most of which are short: no call up to 32 bytes. `to` has room for all of `s`. */
static inline void str_copy(char *to, struct str s)
{
    const char *from = s.ptr;
    size_t len = s.len;
    if (len > 32) {
        memcpy(to, from, len);
    } else if (len >= 16) {                                        /* both halves, which overlap */
        memcpy(to, from, 16);
        memcpy(to + len - 16, from + len - 16, 16);
    } else if (len >= 8) {
        memcpy(to, from, 8);
        memcpy(to + len - 8, from + len - 8, 8);
    } else if (len >= 4) {
        memcpy(to, from, 4);
        memcpy(to + len - 4, from + len - 4, 4);
    } else if (len > 0) {
        to[0] = from[0];
        to[len / 2] = from[len / 2];
        to[len - 1] = from[len - 1];
    }
}

static inline bool str_is_set(struct str s) { return s.ptr != NULL; }

struct str str_from(const char *text);                          /* NULL gives the absent string; borrows `text` */
int        str_cmp(struct str a, struct str b);                 /* byte order, shorter first: <0, 0, >0 */
int        str_cmp_natural(struct str a, struct str b);         /* digits as numbers: "gpu-2" before "gpu-10"; 0 only for the same bytes */
bool       str_same_letters(struct str a, struct str b);        /* of the same length; ASCII only */
static inline bool str_eq_nocase(struct str a, struct str b) { return a.len == b.len && str_same_letters(a, b); }
bool       str_starts_with(struct str s, struct str prefix);
bool       str_ends_with(struct str s, struct str suffix);
bool       str_contains(struct str s, struct str part);         /* an empty part: true */
struct str str_slice(struct str s, size_t from, size_t to);     /* [from, to), both clamped to the length */
struct str str_shorten(struct str s, size_t max);               /* its beginning of at most `max` bytes, no UTF-8 character broken */
struct str str_trim(struct str s);                              /* ASCII blanks off both ends */
size_t     str_find(struct str s, char wanted);                 /* index, or s.len when there is none */

/* Cuts `s` at the first `separator`: *head is the text before it, *tail the text after it. False when there is none
 * (*head is then all of `s`, *tail empty). */
bool       str_cut(struct str s, char separator, struct str *head, struct str *tail);

/* The whole of `s` must be a decimal number in range: no blanks, no '+', at least one digit. */
bool       str_to_i64(struct str s, int64_t *value);

/* Copies into `out` with a closing NUL; false when it does not fit or holds a NUL. */
bool       str_to_cstr(struct str s, char *out, size_t size);

/* Writes the decimal digits of a number so that they end before `end`, with room for STR_DIGITS_MAX; returns their beginning. */
enum { STR_DIGITS_MAX = 20 };
char      *str_put_digits(char *end, uint64_t value);

/* Two lower-case hexadecimal digits for each byte, and back; false, with *bytes in any state, if one is not a digit. */
void       str_put_hex(char *out, const void *bytes, size_t size);
bool       str_read_hex(const char *digits, void *bytes, size_t size);
int        str_hex_value(char c);                               /* -1: not a digit */

/* Same length and content, in time that depends on the lengths only. For secrets. */
bool       str_eq_constant_time(struct str a, struct str b);

#endif
