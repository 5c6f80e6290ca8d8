/* schema_print.c: struct → JSON. On the path of every reply, so it does one switch per member and builds nothing.
 *
 * Every function prints at `at` and returns the end: with the buffer's length instead, each member would wait for
 * the one before to be written to memory. A comma follows every member and item; the closing bracket replaces the last one. */
#include "model/schema/internal.h"

static char *widen(struct buf *buf, char *at, size_t more)
{
    buf->len = (size_t)(at - buf->ptr);
    return buf_room(buf, more);
}

/* At least `more` writable bytes. */
static inline char *room(struct buf *buf, char *at, size_t more)
{
    return (size_t)(buf->ptr + buf->capacity - at) >= more ? at : widen(buf, at, more);
}

static inline char *name_of(const struct field *field, struct buf *buf, char *at, size_t more)
{
    return json_lay_name(room(buf, at, field->name.len + 3 + more), field->name);
}

static inline char *open_with(struct buf *buf, char *at, char bracket)
{
    at = room(buf, at, 2);
    *at = bracket;
    return at + 1;
}

static inline char *close_with(struct buf *buf, char *at, char bracket)
{
    if (at[-1] == ',') { at--; }
    *at = bracket;
    at = room(buf, at + 1, 1);
    *at = ',';
    return at + 1;
}

/* For rare kinds: json.h's own functions, which use the length. */
static inline struct json_out lend(struct buf *buf, char *at)
{
    buf->len = (size_t)(at - buf->ptr);
    return json_out_to(buf);
}

static inline char *take_back(struct buf *buf)
{
    buf_put_char(buf, ',');
    return buf->ptr + buf->len;
}

static inline char *print_text(struct str text, struct buf *buf, char *at)
{
    at = json_lay_str(buf, room(buf, at, text.len + 3), text);
    *at = ',';
    return at + 1;
}

/* A word of our own tables, which needs no escapes. */
static inline char *print_word(struct str word, struct buf *buf, char *at)
{
    at = room(buf, at, word.len + 3);
    *at = '"';
    str_copy(at + 1, word);
    memcpy(at + 1 + word.len, "\",", 2);
    return at + word.len + 3;
}

static char *print_int(int64_t value, struct buf *buf, char *at)
{
    struct json_out out = lend(buf, at);
    json_i64(&out, value);
    return take_back(buf);
}

static char *print_number(double value, struct buf *buf, char *at)
{
    struct json_out out = lend(buf, at);
    json_double(&out, value);
    return take_back(buf);
}

static char *print_moment(int64_t ms, struct buf *buf, char *at)
{
    struct json_out out = lend(buf, at);
    json_time(&out, ms);
    return take_back(buf);
}

static char *print_fields(const struct schema *schema, const void *value, struct buf *buf, char *at);

static char *print_item(const struct field *field, const void *item, struct buf *buf, char *at)
{
    switch (field->element) {
    case FIELD_STR:    return print_text(*(const struct str *)item, buf, at);
    case FIELD_INT:    return print_int(((const struct opt_int *)item)->value, buf, at);
    case FIELD_DOUBLE: return print_number(((const struct opt_double *)item)->value, buf, at);
    case FIELD_TIME:   return print_moment(*(const int64_t *)item, buf, at);
    case FIELD_ENUM:   return print_word(enum_word(field->names, enum_at(item)), buf, at);
    case FIELD_STRUCT: return print_fields(field->schema, item, buf, at);
    case FIELD_BOOL: case FIELD_LONG: case FIELD_LIST: case FIELD_MAP: case FIELD_ID:
    case FIELD_I64: case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);
    return at;
}

static char *print_list(const struct field *field, const void *value, struct buf *buf, char *at)
{
    struct any_list list = list_at(value);
    if (list.items == NULL) { return at; }
    size_t size = schema_element_size(field);
    at = open_with(buf, name_of(field, buf, at, 0), '[');
    for (size_t i = 0; i < list.count; i++) { at = print_item(field, (const char *)list.items + i * size, buf, at); }
    return close_with(buf, at, ']');
}

static char *print_map(const struct field *field, const struct pair_list *map, struct buf *buf, char *at)
{
    if (map->items == NULL) { return at; }
    struct json_out out = lend(buf, name_of(field, buf, at, 0));
    json_open(&out, '{');
    for (size_t p = 0; p < map->count; p++) {
        json_key(&out, map->items[p].key);
        json_str(&out, map->items[p].value);
    }
    json_close(&out, '}');
    return take_back(buf);
}

static inline char *print_str(const struct field *field, struct str value, struct buf *buf, char *at)
{
    return str_is_set(value) ? print_text(value, buf, name_of(field, buf, at, value.len + 3)) : at;
}

static inline char *print_enum(const struct field *field, int value, struct buf *buf, char *at)
{
    struct str word = enum_word(field->names, value);
    return str_is_set(word) ? print_word(word, buf, name_of(field, buf, at, word.len + 3)) : at;
}

static char *print_bool(const struct field *field, enum opt_bool value, struct buf *buf, char *at)
{
    if (value == OPT_UNSET && !field->always) { return at; }
    struct json_out out = lend(buf, name_of(field, buf, at, 0));
    json_bool(&out, value == OPT_TRUE);
    return take_back(buf);
}

static inline char *print_opt_int(const struct field *field, const struct opt_int *value, struct buf *buf, char *at)
{
    if (!value->set && !field->always) { return at; }
    return print_int(value->set ? value->value : 0, buf, name_of(field, buf, at, 0));
}

static char *print_double(const struct field *field, const struct opt_double *value, struct buf *buf, char *at)
{
    if (!value->set && !field->always) { return at; }
    return print_number(value->set ? value->value : 0.0, buf, name_of(field, buf, at, 0));
}

static char *print_time(const struct field *field, int64_t ms, struct buf *buf, char *at)
{
    if (ms == 0) { return at; }
    struct json_out out = lend(buf, name_of(field, buf, at, 0));
    json_time(&out, ms);
    return take_back(buf);
}

static inline char *print_struct(const struct field *field, const void *value, struct buf *buf, char *at)
{
    return value == NULL ? at : print_fields(field->schema, value, buf, name_of(field, buf, at, 0));
}

static char *print_document(const struct field *field, struct str text, struct buf *buf, char *at)
{
    if (!str_is_set(text)) { return at; }
    struct json_out out = lend(buf, name_of(field, buf, at, 0));
    json_raw(&out, text);
    return take_back(buf);
}

static inline char *print_member(const struct field *field, const void *value, struct buf *buf, char *at)
{
    switch (field->kind) {
    case FIELD_STR:    return print_str(field, *(const struct str *)value, buf, at);
    case FIELD_BOOL:   return print_bool(field, *(const enum opt_bool *)value, buf, at);
    case FIELD_INT:
    case FIELD_LONG:   return print_opt_int(field, value, buf, at);
    case FIELD_DOUBLE: return print_double(field, value, buf, at);
    case FIELD_TIME:   return print_time(field, *(const int64_t *)value, buf, at);
    case FIELD_ENUM:   return print_enum(field, enum_at(value), buf, at);
    case FIELD_STRUCT: return print_struct(field, pointer_at(value), buf, at);
    case FIELD_LIST:   return print_list(field, value, buf, at);
    case FIELD_MAP:    return print_map(field, value, buf, at);
    case FIELD_JSON:   return print_document(field, *(const struct str *)value, buf, at);
    case FIELD_ID: case FIELD_I64: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                       /* these kinds have no wire form: their name must be empty */
    return at;
}

/* With a comma after it. */
static char *print_fields(const struct schema *schema, const void *value, struct buf *buf, char *at)
{
    const struct field *field = schema->fields;
    at = open_with(buf, at, '{');
    for (size_t left = schema->count; left > 0; left--, field++) {
        if (field->name.len > 0) { at = print_member(field, member_of(value, field), buf, at); }
    }
    return close_with(buf, at, '}');
}

void schema_print(const struct schema *schema, const void *value, struct json_out *out)
{
    char *at = print_fields(schema, value, out->buf, json_room(out, 0));
    out->buf->len = (size_t)(at - 1 - out->buf->ptr);
    out->comma = true;
}
