/* json.h: JSON in as a small tree in an arena, JSON out as printed text.
 * Limits come before parsing: size and depth. Duplicate keys are refused. Output is printed without a tree. */
#ifndef BERTH_BASE_JSON_H
#define BERTH_BASE_JSON_H

#include "base/buf.h"
#include "base/err.h"

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_INT, JSON_REAL, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_member;
struct json {
    enum json_type type;
    size_t count;                                    /* of items or members */
    union {
        int64_t integer;
        double real;
        struct str string;
        struct json *items;
        struct json_member *members;
    } as;
};
struct json_member { struct str key; struct json value; };

enum { JSON_DEPTH_MAX = 64 };

/* The tree lives in `arena`. NULL and ERR_SERIALIZATION with the line and cause when `text` is not one JSON value. */
const struct json *json_parse(struct str text, struct arena *arena, struct err *err);
const struct json *json_get(const struct json *object, struct str key);      /* NULL: absent, or `object` is not an object (or NULL) */
struct str         json_get_str(const struct json *object, struct str key);  /* absent string when not a string */
int64_t            json_get_i64(const struct json *object, struct str key, int64_t otherwise);

/* Printing. The caller keeps the order right; commas are put where they belong. */
struct json_out { struct buf *buf; bool comma; };

static inline struct json_out json_out_to(struct buf *buf) { return (struct json_out){ .buf = buf }; }

/* `more` writable bytes at the end, after a comma if one is needed. */
static inline char *json_room(struct json_out *out, size_t more)
{
    char *at = buf_room(out->buf, more + 1);
    at[0] = ',';
    out->buf->len += out->comma;
    return at + out->comma;
}

static inline void json_open(struct json_out *out, char bracket)
{
    ASSERT(bracket == '{' || bracket == '[');
    *json_room(out, 1) = bracket;
    out->buf->len++;
    out->comma = false;
}

static inline void json_close(struct json_out *out, char bracket)
{
    ASSERT(bracket == '}' || bracket == ']');
    buf_put_char(out->buf, bracket);
    out->comma = true;
}

/* Writes `"name":`, for which there is room, and returns its end. Our own names need no escapes. */
static inline char *json_lay_name(char *at, struct str name)
{
    at[0] = '"';
    str_copy(at + 1, name);
    memcpy(at + 1 + name.len, "\":", 2);
    return at + name.len + 3;
}

static inline void json_name(struct json_out *out, struct str name)
{
    char *at = json_room(out, name.len + 3);
    out->buf->len += name.len + 3;
    out->comma = false;
    json_lay_name(at, name);
}

/* Writes a string at `at` in the buffer, which has room for its bytes and three more, and returns its end; one byte of room is left
 * after it. The buffer may move only if the string needs an escape. */
char *json_lay_str(struct buf *buf, char *at, struct str s);

void json_key(struct json_out *out, struct str key);             /* escaped */
void json_str(struct json_out *out, struct str value);           /* escaped; bytes that are not UTF-8 become U+FFFD */
void json_i64(struct json_out *out, int64_t value);
void json_double(struct json_out *out, double value);            /* shortest text that reads back the same; 0 is "0.0" */
void json_bool(struct json_out *out, bool value);
void json_time(struct json_out *out, int64_t epoch_ms);          /* seconds with three decimals, as ECS prints timestamps */
void json_raw(struct json_out *out, struct str text);            /* already JSON */
void json_dump(struct json_out *out, const struct json *value);  /* a parsed tree again */

#endif
