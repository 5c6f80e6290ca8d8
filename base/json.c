/* json.c: jansson reads, this file owns what comes of it. The text is scanned for its depth first, so that jansson's
 * recursion and ours are bounded; jansson's tree is copied into the arena and freed before anybody sees it.
 *
 * Decisions: a whole number beyond 64 bits signed is refused (no member of the API holds one, and a silent change to a real
 * would lose digits); "\u0000" in a string is kept, in a key it is refused; a tree that does not fit under the arena's
 * ceiling is refused with ERR_REQUEST_TOO_LARGE, because a text of n bytes can need a tree of 20 n. */
/* jansson's type names are ours as well; they get other names while its header is read. Its json_is_…() macros would then
 * ask for our numbers, so this file switches over json_typeof() and calls none of them. */
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_ARRAY  JANSSON_ARRAY
#define JSON_STRING JANSSON_STRING
#define JSON_REAL   JANSSON_REAL
#define JSON_TRUE   JANSSON_TRUE
#define JSON_FALSE  JANSSON_FALSE
#define JSON_NULL   JANSSON_NULL
#include <jansson.h>
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_REAL
#undef JSON_TRUE
#undef JSON_FALSE
#undef JSON_NULL

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void json_release(json_t **json) { json_decref(*json); }

/* ---- reading ---- */

/* Counts open brackets outside strings. Wrong nesting is jansson's to find; only the depth matters here. */
static size_t text_depth(struct str text)
{
    size_t depth = 0, deepest = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (in_string) {
            if (c == '\\') { i++; }
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            depth++;
            if (depth > deepest) { deepest = depth; }
        } else if ((c == ']' || c == '}') && depth > 0) {
            depth--;
        }
    }
    return deepest;
}

static bool convert(json_t *from, struct json *to, struct arena *arena, struct err *err);

/* The decision about space is taken before the space is taken: past the ceiling the arena would only warn, then stop. */
static bool has_room(const struct arena *arena, size_t size, struct err *err)
{
    if (arena->used <= arena->ceiling && size <= arena->ceiling - arena->used) { return true; }
    return err_set(err, ERR_REQUEST_TOO_LARGE, "The JSON document needs more memory than one request may use.");
}

static bool convert_string(const char *text, size_t len, struct str *to, struct arena *arena, struct err *err)
{
    if (!has_room(arena, len + 1, err)) { return false; }
    *to = arena_str(arena, (struct str){ text, len });
    return true;
}

static bool convert_array(json_t *from, struct json *to, struct arena *arena, struct err *err)
{
    to->count = json_array_size(from);
    if (!has_room(arena, to->count * sizeof *to->as.items, err)) { return false; }
    to->as.items = ARENA_NEW(arena, struct json, to->count);
    for (size_t i = 0; i < to->count; i++) {
        if (!convert(json_array_get(from, i), &to->as.items[i], arena, err)) { return false; }
    }
    return true;
}

/* jansson walks the members in the order in which they were written. */
static bool convert_object(json_t *from, struct json *to, struct arena *arena, struct err *err)
{
    to->count = json_object_size(from);
    if (!has_room(arena, to->count * sizeof *to->as.members, err)) { return false; }
    to->as.members = ARENA_NEW(arena, struct json_member, to->count);
    struct json_member *member = to->as.members;
    for (void *at = json_object_iter(from); at != NULL; at = json_object_iter_next(from, at), member++) {
        if (!convert_string(json_object_iter_key(at), json_object_iter_key_len(at), &member->key, arena, err)
            || !convert(json_object_iter_value(at), &member->value, arena, err)) {
            return false;
        }
    }
    ASSERT(member == to->as.members + to->count);
    return true;
}

static bool convert(json_t *from, struct json *to, struct arena *arena, struct err *err)
{
    switch (json_typeof(from)) {
    case JANSSON_OBJECT:
        to->type = JSON_OBJECT;
        return convert_object(from, to, arena, err);
    case JANSSON_ARRAY:
        to->type = JSON_ARRAY;
        return convert_array(from, to, arena, err);
    case JANSSON_STRING:
        to->type = JSON_STRING;
        return convert_string(json_string_value(from), json_string_length(from), &to->as.string, arena, err);
    case JSON_INTEGER:
        *to = (struct json){ .type = JSON_INT, .as.integer = json_integer_value(from) };
        return true;
    case JANSSON_REAL:
        *to = (struct json){ .type = JSON_REAL, .as.real = json_real_value(from) };
        return true;
    case JANSSON_TRUE:  to->type = JSON_TRUE;  return true;
    case JANSSON_FALSE: to->type = JSON_FALSE; return true;
    case JANSSON_NULL:  to->type = JSON_NULL;  return true;
    }
    ASSERT(false);
    return false;
}

/* What jansson must not see. A NUL byte between two tokens it passes over, though JSON knows no such blank. */
static bool check_text(struct str text, struct err *err)
{
    size_t nul = str_find(text, '\0');
    if (nul < text.len) {
        int line = 1;
        for (size_t i = 0; i < nul; i++) { line += text.ptr[i] == '\n'; }
        return err_set(err, ERR_SERIALIZATION, "Line %d: a NUL byte.", line);
    }
    if (text_depth(text) > JSON_DEPTH_MAX) {
        return err_set(err, ERR_SERIALIZATION, "The JSON document is nested deeper than %d levels.", (int)JSON_DEPTH_MAX);
    }
    return true;
}

const struct json *json_parse(struct str text, struct arena *arena, struct err *err)
{
    if (!check_text(text, err)) { return NULL; }
    json_error_t cause;
    const char *bytes = text.ptr == NULL ? "" : text.ptr;
    AUTO(json_release) json_t *tree =
        json_loadb(bytes, text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &cause);
    if (tree == NULL) {
        err_set(err, ERR_SERIALIZATION, "Line %d: %s.", cause.line < 1 ? 1 : cause.line, cause.text);
        return NULL;
    }
    if (!has_room(arena, sizeof(struct json), err)) { return NULL; }
    struct json *root = ARENA_NEW(arena, struct json, 1);
    return convert(tree, root, arena, err) ? root : NULL;
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

void json_open(struct json_out *out, char bracket)
{
    ASSERT(bracket == '{' || bracket == '[');
    before_value(out);
    buf_put_char(out->buf, bracket);
    out->comma = false;
}

void json_close(struct json_out *out, char bracket)
{
    ASSERT(bracket == '}' || bracket == ']');
    buf_put_char(out->buf, bracket);
    out->comma = true;
}

/* How many bytes at the front can be printed as they are: ASCII but control characters, the quote and the backslash. Eight
 * at a time: each term lights the top bit of a byte when some byte of the word is zero after the shift of what is sought. */
static size_t plain_run(const char *ptr, size_t len)
{
    static const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    size_t at = 0;
    for (; len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, ptr + at, sizeof word);
        uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
        uint64_t found = ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | word;
        if ((found & tops) != 0) { break; }
    }
    while (at < len && (unsigned char)ptr[at] >= 0x20 && (unsigned char)ptr[at] < 0x80 && ptr[at] != '"' && ptr[at] != '\\') {
        at++;
    }
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

static void put_escape(struct buf *buf, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    static const char letters[0x20] = { ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't' };
    char letter = c < sizeof letters ? letters[c] : (char)c;       /* a quote and a backslash stand for themselves */
    buf_put_char(buf, '\\');
    if (letter != '\0') {
        buf_put_char(buf, letter);
    } else {
        buf_put(buf, STR("u00"));
        buf_put_char(buf, digits[c >> 4]);
        buf_put_char(buf, digits[c & 15]);
    }
}

/* One character that plain_run() stopped at. Returns its length in the input. */
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

static void put_string(struct buf *buf, struct str s)
{
    size_t run = plain_run(s.ptr, s.len);
    char *at = buf_room(buf, s.len + 2);                           /* the usual case, nothing to escape, grows once */
    at[0] = '"';
    if (run > 0) { memcpy(at + 1, s.ptr, run); }
    buf->len += run + 1;
    while (run < s.len) {
        run += put_special(buf, str_slice(s, run, s.len));
        size_t more = plain_run(s.ptr + run, s.len - run);
        buf_put(buf, str_slice(s, run, run + more));
        run += more;
    }
    buf_put_char(buf, '"');
}

void json_key(struct json_out *out, struct str key)
{
    before_value(out);
    put_string(out->buf, key);
    buf_put_char(out->buf, ':');
    out->comma = false;
}

void json_name(struct json_out *out, struct str name)
{
    size_t comma = out->comma ? 1 : 0;
    char *at = buf_room(out->buf, name.len + 4);
    at[0] = ',';
    at[comma] = '"';
    memcpy(at + comma + 1, name.ptr, name.len);
    memcpy(at + comma + 1 + name.len, "\":", 2);
    out->buf->len += comma + name.len + 3;
    out->comma = false;
}

void json_str(struct json_out *out, struct str value)
{
    before_value(out);
    put_string(out->buf, value);
}

void json_i64(struct json_out *out, int64_t value)
{
    before_value(out);
    buf_put_i64(out->buf, value);
}

/* Fifteen digits survive the way through a double, so when they read back the same they are the shortest; seventeen always
 * do. A whole number keeps a ".0", so that it is read as a real again. */
void json_double(struct json_out *out, double value)
{
    ASSERT(isfinite(value));
    char text[40];
    int len = 0;
    for (int digits = 15; digits <= 17; digits++) {
        len = snprintf(text, sizeof text, "%.*g", digits, value);
        ASSERT(len > 0 && (size_t)len < sizeof text);
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
    before_value(out);
    uint64_t size = epoch_ms < 0 ? 0 - (uint64_t)epoch_ms : (uint64_t)epoch_ms;
    uint64_t seconds = size / 1000, fraction = size % 1000;
    if (epoch_ms < 0) { buf_put_char(out->buf, '-'); }
    buf_put_i64(out->buf, (int64_t)seconds);
    char text[4] = { '.', (char)('0' + fraction / 100), (char)('0' + fraction / 10 % 10), (char)('0' + fraction % 10) };
    buf_put(out->buf, (struct str){ text, sizeof text });
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
    ASSERT(false);
}
