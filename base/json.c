/* json.c: JSON (RFC 8259), in and out. Reading is one pass over the text with a stack of the children of each open value; when it closes,
 * they are copied side by side into the arena. We have our own reader because every request and every message of an agent goes through it:
 * with jansson, reading was a quarter of a DescribeTasks.
 *
 * Decisions: a whole number beyond 64 bits signed is refused (no member of the API holds one, and a silent change to a real
 * would lose digits); "\u0000" in a string is kept, in a key it is refused; a tree that does not fit under the arena's
 * ceiling is refused with ERR_REQUEST_TOO_LARGE, because a text of n bytes can need a tree of 20 n. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/array.h"

/* ---- text, for both ways ---- */

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

static uint64_t load_4(const char *from)
{
    uint32_t half;
    memcpy(&half, from, sizeof half);
    return half;
}

static uint64_t load_8(const char *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

/* Not 0 if one of eight bytes is not plain. A term sets the top bit of each byte that it looks for, and of bytes that are not ASCII, which the
 * last one looks for; a borrow comes only from a byte that was found. */
static uint64_t marks_in(uint64_t word)
{
    static const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    return ((word - ones * 0x20) | ((word ^ (ones * '"')) - ones) | ((word ^ (ones * '\\')) - ones) | word) & tops;
}

/* Not 0 when one of STEP bytes is not plain. */
#if defined(__SSE2__)
enum { STEP = 16 };
static int marks_of(const char *from)
{
    __m128i bytes = _mm_loadu_si128((const __m128i_u *)from);
    __m128i plain = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x1F));           /* signed: bytes that are not ASCII are below 0 */
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    return _mm_movemask_epi8(_mm_andnot_si128(_mm_or_si128(quote, backslash), plain)) ^ 0xFFFF;
}
#else
enum { STEP = 8 };
static uint64_t marks_of(const char *from) { return marks_in(load_8(from)); }
#endif

/* The number of plain bytes at the front of a string: ASCII except control characters, the quote and the backslash. The last STEP
 * bytes overlap some that were checked before. */
static size_t plain_run(const char *ptr, size_t len)
{
    size_t at = 0;
    while (len - at >= STEP && marks_of(ptr + at) == 0) { at += STEP; }
    if (len >= STEP && len - at < STEP && marks_of(ptr + len - STEP) == 0) { return len; }
    while (at < len && is_plain((unsigned char)ptr[at])) { at++; }
    return at;
}

/* Whether all of 4 to STEP - 1 bytes are plain: checks both halves, which overlap. */
static bool is_plain_short(const char *ptr, size_t len)
{
    uint64_t marks = len >= 8 ? marks_in(load_8(ptr)) | marks_in(load_8(ptr + len - 8)) : marks_in(load_4(ptr) | load_4(ptr + len - 4) << 32);
    return marks == 0;
}

/* Also copies those bytes, in the same pass. `to` has room for all of `s`. */
static inline size_t copy_plain(char *to, struct str s)
{
    size_t at = 0, last = s.len - STEP;                            /* the beginning of the last STEP bytes, if there are STEP */
    if (s.len >= STEP) {
        for (; at < last && marks_of(s.ptr + at) == 0; at += STEP) { memcpy(to + at, s.ptr + at, STEP); }
        if (at >= last && marks_of(s.ptr + last) == 0) {
            memcpy(to + last, s.ptr + last, STEP);
            return s.len;
        }
    } else if (s.len >= 4 && is_plain_short(s.ptr, s.len)) {
        str_copy(to, s);
        return s.len;
    }
    for (; at < s.len && is_plain((unsigned char)s.ptr[at]); at++) { to[at] = s.ptr[at]; }
    return at;
}

static bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/* The length of the UTF-8 character at the front (which is not ASCII); 0 when there is none: a stray or missing
 * continuation, a form that is longer than needed, a surrogate, or beyond U+10FFFF. */
static size_t utf8_len(const unsigned char *at, size_t len)
{
    if (len >= 2 && at[0] >= 0xC2 && at[0] <= 0xDF && continues(at[1])) { return 2; }
    if (len >= 3 && (at[0] & 0xF0) == 0xE0 && continues(at[1]) && continues(at[2])) {
        bool overlong = at[0] == 0xE0 && at[1] < 0xA0, surrogate = at[0] == 0xED && at[1] > 0x9F;
        return overlong || surrogate ? 0 : 3;
    }
    if (len >= 4 && at[0] >= 0xF0 && at[0] <= 0xF4 && continues(at[1]) && continues(at[2]) && continues(at[3])) {
        bool overlong = at[0] == 0xF0 && at[1] < 0x90, beyond = at[0] == 0xF4 && at[1] > 0x8F;
        return overlong || beyond ? 0 : 4;
    }
    return 0;
}

/* ---- reading ---- */

struct reading {
    const char *begin, *at, *end;
    struct arena *arena;
    struct err *err;
    struct json_member *children; size_t count, capacity;        /* of all that is open, on the heap; items have no key */
    int depth;
};

static bool refuse(const struct reading *in, const char *what)
{
    int line = 1;
    for (const char *c = in->begin; c < in->at; c++) { line += *c == '\n'; }
    return err_set(in->err, ERR_SERIALIZATION, "Line %d: %s.", line, what);
}

/* An error: no value begins here. */
static bool refuse_here(const struct reading *in)
{
    if (in->at == in->end) { return refuse(in, "the document ends too early"); }
    return refuse(in, *in->at == '\0' ? "a NUL byte" : "this is no JSON");
}

/* Checks the space before it is used: beyond the ceiling the arena would only warn, then stop. */
static bool has_room(const struct reading *in, size_t size)
{
    const struct arena *arena = in->arena;
    if (arena->used <= arena->ceiling && size <= arena->ceiling - arena->used) { return true; }
    return err_set(in->err, ERR_REQUEST_TOO_LARGE, "The JSON document needs more memory than one request may use.");
}

static size_t left(const struct reading *in) { return (size_t)(in->end - in->at); }

static bool is_next(const struct reading *in, char c) { return in->at < in->end && *in->at == c; }

static void skip_blanks(struct reading *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t')) { in->at++; }
}

/* Skips `c`, and the blanks before it, if it comes next. */
static bool take(struct reading *in, char c)
{
    skip_blanks(in);
    bool taken = is_next(in, c);
    in->at += taken;
    return taken;
}

static bool read_word(struct reading *in, struct str word, enum json_type type, struct json *to)
{
    if (!str_starts_with((struct str){ in->at, left(in) }, word)) { return refuse_here(in); }
    in->at += word.len;
    to->type = type;
    return true;
}

/* ---- reading numbers ---- */

static bool read_digits(struct reading *in)
{
    const char *start = in->at;
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') { in->at++; }
    return in->at > start || refuse_here(in);
}

static bool read_fraction(struct reading *in)
{
    if (!is_next(in, '.')) { return true; }
    in->at++;
    return read_digits(in);
}

static bool read_exponent(struct reading *in)
{
    if (!is_next(in, 'e') && !is_next(in, 'E')) { return true; }
    in->at++;
    in->at += is_next(in, '+') || is_next(in, '-');
    return read_digits(in);
}

static bool read_number(struct reading *in, struct json *to)
{
    const char *start = in->at;
    in->at += is_next(in, '-');
    bool zero = is_next(in, '0');
    const char *digits = in->at;
    if (!read_digits(in)) { return false; }
    if (zero && in->at > digits + 1) { return refuse(in, "a number that begins with 0"); }
    const char *whole_end = in->at;
    if (!read_fraction(in) || !read_exponent(in)) { return false; }
    struct str text = { start, (size_t)(in->at - start) };
    if (in->at == whole_end) {
        to->type = JSON_INT;
        return str_to_i64(text, &to->as.integer) || refuse(in, "a whole number of more than 64 bits");
    }
    if (!has_room(in, text.len + 1)) { return false; }
    *to = (struct json){ .type = JSON_REAL, .as.real = strtod(arena_cstr(in->arena, text), NULL) };
    return isfinite(to->as.real) || refuse(in, "a number too large");
}

/* ---- reading strings ---- */

/* The value of four hexadecimal digits at the front; -1 if they are not digits. */
static int32_t hex_unit(const char *at, size_t len)
{
    int32_t unit = 0;
    if (len < 4) { return -1; }
    for (int d = 0; d < 4; d++) {
        int digit = str_hex_value(at[d]);
        if (digit < 0) { return -1; }
        unit = unit << 4 | digit;
    }
    return unit;
}

static size_t put_utf8(uint32_t c, char *out)
{
    static const unsigned char marks[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t b = len - 1; b > 0; b--, c >>= 6) { out[b] = (char)(0x80 | (c & 0x3F)); }
    out[0] = (char)(marks[len] | c);
    return len;
}

/* `in` is after "\u". Returns the bytes written to `out`; 0: refused. */
static size_t read_unicode(struct reading *in, char *out)
{
    int32_t unit = hex_unit(in->at, left(in)), low = -1;
    bool surrogate = unit >= 0xD800 && unit <= 0xDFFF;
    if (surrogate && left(in) >= 6 && in->at[4] == '\\' && in->at[5] == 'u') { low = hex_unit(in->at + 6, left(in) - 6); }
    bool pair = surrogate && unit <= 0xDBFF && low >= 0xDC00 && low <= 0xDFFF;
    if (unit < 0 || (surrogate && !pair)) {
        (void)refuse(in, "an escape that is no character");
        return 0;
    }
    in->at += pair ? 10 : 4;
    return put_utf8((uint32_t)(pair ? 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) : unit), out);
}

/* `in` is at a backslash. Returns the bytes written to `out`, never more than were read; 0: refused. */
static size_t read_escape(struct reading *in, char *out)
{
    static const char stands_for[UINT8_MAX + 1] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
    };
    in->at++;
    char letter = in->at < in->end ? *in->at : '\0';
    if (letter != 'u' && stands_for[(unsigned char)letter] == '\0') {
        (void)refuse(in, "an escape that JSON does not know");
        return 0;
    }
    in->at++;
    if (letter == 'u') { return read_unicode(in, out); }
    *out = stands_for[(unsigned char)letter];
    return 1;
}

/* The text before the closing quote, escapes unchanged; up to the end of the text without a quote. */
static struct str raw_string(const struct reading *in)
{
    const char *at = in->at;
    while (at < in->end && *at != '"') { at += *at == '\\' && at + 1 < in->end ? 2 : 1; }
    return (struct str){ in->at, (size_t)(at - in->at) };
}

/* A string with escapes or characters beyond ASCII. */
static bool read_marked(struct reading *in, struct str *to)
{
    struct str raw = raw_string(in);
    if (!has_room(in, raw.len + 1)) { return false; }
    char *text = arena_alloc(in->arena, raw.len + 1, 1);
    size_t len = 0;
    while (in->at < in->end && *in->at != '"') {
        size_t run = plain_run(in->at, left(in));
        if (run == 0 && *in->at == '\\') {
            size_t put = read_escape(in, text + len);
            if (put == 0) { return false; }
            len += put;
            continue;
        }
        if (run == 0) { run = utf8_len((const unsigned char *)in->at, left(in)); }
        if (run == 0) { return refuse(in, (unsigned char)*in->at < 0x20 ? "a control character in a string" : "bytes that are not UTF-8"); }
        memcpy(text + len, in->at, run);
        in->at += run;
        len += run;
    }
    *to = (struct str){ text, len };
    return in->at < in->end || refuse_here(in);
}

/* With its quotes; a NUL follows the copy. */
static bool read_string(struct reading *in, struct str *to)
{
    if (!take(in, '"')) { return refuse_here(in); }
    size_t run = plain_run(in->at, left(in));
    if (run < left(in) && in->at[run] == '"') {
        if (!has_room(in, run + 1)) { return false; }
        *to = arena_str(in->arena, (struct str){ in->at, run });
        in->at += run;
    } else if (!read_marked(in, to)) {
        return false;
    }
    in->at++;
    return true;
}

/* ---- reading what holds others ---- */

static bool read_value(struct reading *in, struct json *to);

static int key_cmp(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* A few are compared pair by pair; many, which normal clients never send, are sorted first. */
static bool has_twins(const struct json_member *members, size_t count)
{
    enum { FEW = 32 };
    bool found = false;
    if (count <= FEW) {
        for (size_t m = 1; m < count; m++) {
            for (size_t before = 0; before < m; before++) { found = found || str_eq(members[m].key, members[before].key); }
        }
        return found;
    }
    struct str *keys = NULL;
    size_t capacity = 0;
    keys = array_grow(keys, &capacity, count, sizeof *keys);
    for (size_t m = 0; m < count; m++) { keys[m] = members[m].key; }
    qsort(keys, count, sizeof *keys, key_cmp);
    for (size_t m = 1; m < count; m++) { found = found || str_eq(keys[m], keys[m - 1]); }
    free(keys);
    return found;
}

static bool read_key(struct reading *in, struct str *key)
{
    if (!read_string(in, key)) { return false; }
    if (str_find(*key, '\0') < key->len) { return refuse(in, "a NUL in a key"); }
    return take(in, ':') || refuse_here(in);
}

/* Pushes the children up to the closing bracket. Each pushed child will take at least a struct json in the arena. */
static bool read_children(struct reading *in, bool keyed, char close)
{
    bool more = !take(in, close);
    while (more) {
        struct json_member child = { { NULL, 0 }, { .type = JSON_NULL } };
        if ((keyed && !read_key(in, &child.key)) || !read_value(in, &child.value)) { return false; }
        if (!has_room(in, (in->count + 1) * sizeof(struct json))) { return false; }
        if (in->count == in->capacity) { in->children = array_grow(in->children, &in->capacity, in->count + 1, sizeof child); }
        in->children[in->count++] = child;
        more = take(in, ',');
        if (!more && !take(in, close)) { return refuse_here(in); }
    }
    return true;
}

static bool keep_members(struct reading *in, const struct json_member *members, struct json *to)
{
    if (has_twins(members, to->count)) { return refuse(in, "a key that was there before"); }
    if (!has_room(in, to->count * sizeof *members)) { return false; }
    to->as.members = arena_copy(in->arena, members, to->count * sizeof *members);
    return true;
}

static bool keep_items(struct reading *in, const struct json_member *children, struct json *to)
{
    if (!has_room(in, to->count * sizeof *to->as.items)) { return false; }
    to->as.items = ARENA_NEW(in->arena, struct json, to->count);
    for (size_t i = 0; i < to->count; i++) { to->as.items[i] = children[i].value; }
    return true;
}

static bool read_holder(struct reading *in, struct json *to)
{
    bool object = *in->at == '{';
    size_t first = in->count;
    if (in->depth == JSON_DEPTH_MAX) {
        return err_set(in->err, ERR_SERIALIZATION, "The JSON document is nested deeper than %d levels.", (int)JSON_DEPTH_MAX);
    }
    in->depth++;
    in->at++;
    if (!read_children(in, object, object ? '}' : ']')) { return false; }
    in->depth--;
    to->type = object ? JSON_OBJECT : JSON_ARRAY;
    to->count = in->count - first;
    in->count = first;
    const struct json_member *children = in->children == NULL ? NULL : in->children + first;
    return object ? keep_members(in, children, to) : keep_items(in, children, to);
}

/* `to` is zeroed. */
static bool read_value(struct reading *in, struct json *to)
{
    skip_blanks(in);
    switch (in->at < in->end ? *in->at : '\0') {
    case '{':
    case '[': return read_holder(in, to);
    case '"':
        to->type = JSON_STRING;
        return read_string(in, &to->as.string);
    case 't': return read_word(in, STR("true"), JSON_TRUE, to);
    case 'f': return read_word(in, STR("false"), JSON_FALSE, to);
    case 'n': return read_word(in, STR("null"), JSON_NULL, to);
    default:  return read_number(in, to);
    }
}

const struct json *json_parse(struct str text, struct arena *arena, struct err *err)
{
    const char *bytes = text.ptr == NULL ? "" : text.ptr;
    struct reading in = { .begin = bytes, .at = bytes, .end = bytes + text.len, .arena = arena, .err = err };
    struct json root = { .type = JSON_NULL };
    bool good = read_value(&in, &root);
    free(in.children);
    if (!good) { return NULL; }
    skip_blanks(&in);
    if (in.at < in.end) {
        (void)refuse_here(&in);
        return NULL;
    }
    return has_room(&in, sizeof root) ? arena_copy(arena, &root, sizeof root) : NULL;
}

const struct json *json_get(const struct json *object, struct str key)
{
    if (object == NULL || object->type != JSON_OBJECT) { return NULL; }
    for (size_t m = 0; m < object->count; m++) {
        if (str_eq(object->as.members[m].key, key)) { return &object->as.members[m].value; }
    }
    return NULL;
}

struct str json_get_str(const struct json *object, struct str key)
{
    const struct json *value = json_get(object, key);
    return value != NULL && value->type == JSON_STRING ? value->as.string : (struct str){ NULL, 0 };
}

int64_t json_get_i64(const struct json *object, struct str key, int64_t otherwise)
{
    const struct json *value = json_get(object, key);
    return value != NULL && value->type == JSON_INT ? value->as.integer : otherwise;
}

/* ---- printing ---- */

static void before_value(struct json_out *out)
{
    if (out->comma) { buf_put_char(out->buf, ','); }
    out->comma = true;
}

static void put_escape(struct buf *buf, unsigned char c)
{
    static const char letters[0x20] = { ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't' };
    char letter = c < sizeof letters ? letters[c] : (char)c;       /* a quote and a backslash are their own letters */
    buf_put_char(buf, '\\');
    if (letter != '\0') {
        buf_put_char(buf, letter);
    } else {
        buf_put(buf, STR("u00"));
        buf_put_hex(buf, (struct str){ (const char *)&c, 1 });
    }
}

/* Prints one character at which plain_run() stopped. Returns its length in the input. */
static size_t put_special(struct buf *buf, struct str s)
{
    unsigned char c = (unsigned char)s.ptr[0];
    if (c < 0x80) {
        put_escape(buf, c);
        return 1;
    }
    size_t len = utf8_len((const unsigned char *)s.ptr, s.len);
    buf_put(buf, len > 0 ? str_slice(s, 0, len) : STR("\xEF\xBF\xBD"));
    return len > 0 ? len : 1;
}

static void put_rest(struct buf *buf, struct str s)
{
    for (size_t at = 0; at < s.len;) {
        at += put_special(buf, str_slice(s, at, s.len));
        size_t run = plain_run(s.ptr + at, s.len - at);
        buf_put(buf, str_slice(s, at, at + run));
        at += run;
    }
}

/* Nearly always there is nothing to escape. */
char *json_lay_str(struct buf *buf, char *at, struct str s)
{
    *at++ = '"';
    size_t run = copy_plain(at, s);
    at += run;
    if (run < s.len) {
        buf->len = (size_t)(at - buf->ptr);
        put_rest(buf, str_slice(s, run, s.len));
        at = buf_room(buf, 2);
    }
    *at++ = '"';
    return at;
}

static void put_string(struct buf *buf, char *at, struct str s) { buf->len = (size_t)(json_lay_str(buf, at, s) - buf->ptr); }

void json_key(struct json_out *out, struct str key)
{
    put_string(out->buf, json_room(out, key.len + 3), key);
    buf_put_char(out->buf, ':');
    out->comma = false;
}

void json_str(struct json_out *out, struct str value)
{
    put_string(out->buf, json_room(out, value.len + 3), value);
    out->comma = true;
}

void json_i64(struct json_out *out, int64_t value)
{
    before_value(out);
    buf_put_i64(out->buf, value);
}

/* If fifteen digits read back as the same double, they are the shortest; seventeen always
 * do. A whole number keeps a ".0", so that it is read as a real again. */
void json_double(struct json_out *out, double value)
{
    ASSERT(isfinite(value));                                    /* parsed numbers are finite, and figures are bounded when they arrive */
    char text[40];
    int len = 0;
    for (int digits = 15; digits <= 17; digits++) {
        len = snprintf(text, sizeof text, "%.*g", digits, value);
        ASSERT(len > 0 && (size_t)len < sizeof text);           /* 17 digits fit */
        double back = strtod(text, NULL);
        if (memcmp(&back, &value, sizeof value) == 0) { break; }
    }
    before_value(out);
    buf_put(out->buf, (struct str){ text, (size_t)len });
    if (strpbrk(text, ".e") == NULL) { buf_put(out->buf, STR(".0")); }
}

void json_bool(struct json_out *out, bool value)
{
    before_value(out);
    buf_put(out->buf, value ? STR("true") : STR("false"));
}

void json_time(struct json_out *out, int64_t epoch_ms)
{
    enum { TIME_MAX = 1 + STR_DIGITS_MAX + 4 };
    char text[TIME_MAX], *end = text + TIME_MAX - 4;
    uint64_t size = epoch_ms < 0 ? 0 - (uint64_t)epoch_ms : (uint64_t)epoch_ms, fraction = size % 1000;
    const char tail[] = { '.', (char)('0' + fraction / 100), (char)('0' + fraction / 10 % 10), (char)('0' + fraction % 10) };
    memcpy(end, tail, sizeof tail);
    char *at = str_put_digits(end, size / 1000);
    if (epoch_ms < 0) { *--at = '-'; }
    json_raw(out, (struct str){ at, (size_t)(text + TIME_MAX - at) });
}

void json_raw(struct json_out *out, struct str text)
{
    before_value(out);
    buf_put(out->buf, text);
}

static void dump_items(struct json_out *out, const struct json *array)
{
    json_open(out, '[');
    for (size_t i = 0; i < array->count; i++) { json_dump(out, &array->as.items[i]); }
    json_close(out, ']');
}

static void dump_members(struct json_out *out, const struct json *object)
{
    json_open(out, '{');
    for (size_t m = 0; m < object->count; m++) {
        json_key(out, object->as.members[m].key);
        json_dump(out, &object->as.members[m].value);
    }
    json_close(out, '}');
}

void json_dump(struct json_out *out, const struct json *value)
{
    switch (value->type) {
    case JSON_NULL:   json_raw(out, STR("null"));           return;
    case JSON_FALSE:  json_bool(out, false);                return;
    case JSON_TRUE:   json_bool(out, true);                 return;
    case JSON_INT:    json_i64(out, value->as.integer);     return;
    case JSON_REAL:   json_double(out, value->as.real);     return;
    case JSON_STRING: json_str(out, value->as.string);      return;
    case JSON_ARRAY:  dump_items(out, value);               return;
    case JSON_OBJECT: dump_members(out, value);             return;
    }
    ASSERT(false);                                              /* every type is above */
}
