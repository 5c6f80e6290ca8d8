/* schema_record.c: struct → record bytes and back, in the encoding of Protocol Buffers as far as it reaches: a field is a
 * varint (tag << 3 | wire type) and its value. Signed numbers are zigzag varints, reals are 8 bytes, the rest has a length
 * before it. A list is one such field: a varint count, then the items side by side (so that an empty list differs from
 * an absent one, which repeated fields cannot express).
 *
 * Reading refuses everything that writing never makes: a known tag twice, after a larger one or with another wire type, a number written longer
 * than needed, a word beyond its table, lengths that do not meet. Unknown tags are skipped. */
#include "model/schema/internal.h"

#include <math.h>

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };
enum { VARINT_MAX = 10 };                                /* bytes of 64 bits, 7 at a time */

static const enum wire wire_of[FIELD_KIND_COUNT] = {
    [FIELD_STR] = WIRE_BYTES,     [FIELD_BOOL] = WIRE_VARINT, [FIELD_INT] = WIRE_VARINT,   [FIELD_LONG] = WIRE_VARINT,
    [FIELD_DOUBLE] = WIRE_FIXED64, [FIELD_TIME] = WIRE_VARINT, [FIELD_ENUM] = WIRE_VARINT, [FIELD_STRUCT] = WIRE_BYTES,
    [FIELD_LIST] = WIRE_BYTES,    [FIELD_MAP] = WIRE_BYTES,   [FIELD_ID] = WIRE_BYTES,     [FIELD_I64] = WIRE_VARINT,
    [FIELD_JSON] = WIRE_BYTES,
};

/* ---- writing ---- */

static void put_varint(struct buf *out, uint64_t value)
{
    unsigned char *at = (unsigned char *)buf_room(out, VARINT_MAX);
    size_t len = 0;
    while (value >= 0x80) {
        at[len++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    at[len++] = (unsigned char)value;
    out->len += len;
}

static void put_signed(struct buf *out, int64_t value)
{
    put_varint(out, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_bytes(struct buf *out, struct str bytes)
{
    put_varint(out, bytes.len);
    buf_put(out, bytes);
}

static void put_fixed64(struct buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (unsigned b = 0; b < sizeof bits; b++) { buf_put_char(out, (char)(bits >> (8 * b))); }
}

/* One byte is reserved for the length, which is nearly always enough; otherwise the written bytes move up. */
static size_t length_begin(struct buf *out)
{
    buf_put_char(out, 0);
    return out->len;
}

static void length_end(struct buf *out, size_t start)
{
    size_t len = out->len - start, more = 0;
    for (size_t rest = len >> 7; rest > 0; rest >>= 7) { more++; }
    if (more > 0) {
        (void)buf_room(out, more);
        memmove(out->ptr + start + more, out->ptr + start, len);
    }
    out->len = start - 1;
    put_varint(out, len);
    out->len += len;
}

static void put_item(const struct field *field, const void *item, struct buf *out)
{
    switch (field->element) {
    case FIELD_STR:  put_bytes(out, *(const struct str *)item);                      return;
    case FIELD_INT:  put_signed(out, ((const struct opt_int *)item)->value);         return;
    case FIELD_DOUBLE: put_fixed64(out, ((const struct opt_double *)item)->value);   return;
    case FIELD_ENUM: put_varint(out, (uint64_t)enum_at(item));                       return;
    case FIELD_ID:   buf_put(out, (struct str){ item, sizeof(struct id) });          return;
    case FIELD_STRUCT: {
        size_t start = length_begin(out);
        schema_pack(field->schema, item, out);
        length_end(out, start);
        return;
    }
    case FIELD_BOOL: case FIELD_LONG: case FIELD_TIME: case FIELD_LIST: case FIELD_MAP: case FIELD_I64:
    case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                              /* every kind is above */
}

static void put_list(const struct field *field, const void *at, struct buf *out)
{
    struct any_list list = list_at(at);
    size_t size = schema_element_size(field), start = length_begin(out);
    put_varint(out, list.count);
    for (size_t i = 0; i < list.count; i++) { put_item(field, (const char *)list.items + i * size, out); }
    length_end(out, start);
}

static void put_map(const struct pair_list *map, struct buf *out)
{
    size_t start = length_begin(out);
    put_varint(out, map->count);
    for (size_t p = 0; p < map->count; p++) {
        put_bytes(out, map->items[p].key);
        put_bytes(out, map->items[p].value);
    }
    length_end(out, start);
}

static bool is_absent(const struct field *field, const void *at)
{
    switch (field->kind) {
    case FIELD_STR:
    case FIELD_JSON:   return !str_is_set(*(const struct str *)at);
    case FIELD_BOOL:
    case FIELD_ENUM:   return enum_at(at) == 0;
    case FIELD_INT:
    case FIELD_LONG:   return !((const struct opt_int *)at)->set;
    case FIELD_DOUBLE: return !((const struct opt_double *)at)->set;
    case FIELD_TIME:
    case FIELD_I64:    return *(const int64_t *)at == 0;
    case FIELD_STRUCT: return pointer_at(at) == NULL;
    case FIELD_LIST:
    case FIELD_MAP:    return list_at(at).items == NULL;
    case FIELD_ID:     return id_is_zero(*(const struct id *)at);
    case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                              /* every kind is above */
    return true;
}

static void put_member(const struct field *field, const void *at, struct buf *out)
{
    switch (field->kind) {
    case FIELD_JSON:
    case FIELD_STR:    put_bytes(out, *(const struct str *)at);                        return;
    case FIELD_BOOL:
    case FIELD_ENUM:   put_varint(out, (uint64_t)enum_at(at));                         return;
    case FIELD_INT:
    case FIELD_LONG:   put_signed(out, ((const struct opt_int *)at)->value);           return;
    case FIELD_DOUBLE: put_fixed64(out, ((const struct opt_double *)at)->value);       return;
    case FIELD_TIME:
    case FIELD_I64:    put_signed(out, *(const int64_t *)at);                          return;
    case FIELD_LIST:   put_list(field, at, out);                                       return;
    case FIELD_MAP:    put_map(at, out);                                               return;
    case FIELD_ID:     put_bytes(out, (struct str){ at, sizeof(struct id) });          return;
    case FIELD_STRUCT: {
        size_t start = length_begin(out);
        schema_pack(field->schema, pointer_at(at), out);
        length_end(out, start);
        return;
    }
    case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                              /* every kind is above */
}

void schema_pack(const struct schema *schema, const void *value, struct buf *out)
{
    for (size_t f = 0; f < schema->count; f++) {
        const struct field *field = &schema->fields[f];
        const void *at = member_of(value, field);
        if (field->tag == 0 || is_absent(field, at)) { continue; }
        put_varint(out, (uint64_t)field->tag << 3 | (uint64_t)wire_of[field->kind]);
        put_member(field, at, out);
    }
}

/* ---- reading ---- */

/* Every take_… reads one thing at `at`, which ends before `end`, and returns where the next begins; NULL: writing never makes this. */
typedef const unsigned char *bytes_at;

static bytes_at take_long_varint(bytes_at at, bytes_at end, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 7 * VARINT_MAX && at < end; shift += 7) {
        unsigned char byte = *at++;
        if (shift == 63 && byte > 1) { return NULL; }
        sum |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = sum;
            return byte != 0 || shift == 0 ? at : NULL;  /* a zero at the top was not needed */
        }
    }
    return NULL;
}

static inline bytes_at take_varint(bytes_at at, bytes_at end, uint64_t *value)
{
    if (at == end || *at >= 0x80) { return take_long_varint(at, end, value); }
    *value = *at;                                        /* nearly all are this short */
    return at + 1;
}

static inline bytes_at take_signed(bytes_at at, bytes_at end, int64_t *value)
{
    uint64_t raw;
    at = take_varint(at, end, &raw);
    if (at != NULL) { *value = (int64_t)(raw >> 1 ^ ((raw & 1) != 0 ? UINT64_MAX : 0)); }
    return at;
}

static inline bytes_at take_bytes(bytes_at at, bytes_at end, struct str *bytes)
{
    uint64_t len;
    at = take_varint(at, end, &len);
    if (at == NULL || len > (uint64_t)(end - at)) { return NULL; }
    *bytes = (struct str){ (const char *)at, (size_t)len };
    return at + len;
}

static bytes_at take_fixed64(bytes_at at, bytes_at end, double *value)
{
    uint64_t bits = 0;
    if ((size_t)(end - at) < sizeof bits) { return NULL; }
    for (unsigned b = 0; b < sizeof bits; b++) { bits |= (uint64_t)at[b] << (8 * b); }
    memcpy(value, &bits, sizeof bits);
    return isfinite(*value) ? at + sizeof bits : NULL;   /* JSON has no others, in or out */
}

/* A word of a table with `count` words, the first of which is 1. */
static inline bytes_at take_word(bytes_at at, bytes_at end, size_t count, void *out)
{
    uint64_t value;
    at = take_varint(at, end, &value);
    if (at == NULL || value == 0 || value > count) { return NULL; }
    int word = (int)value;
    memcpy(out, &word, sizeof word);
    return at;
}

_Static_assert(OPT_FALSE == 1 && OPT_TRUE == 2 && sizeof(enum opt_bool) == sizeof(int), "a bool is a word of two");

static inline bytes_at take_opt_int(bytes_at at, bytes_at end, struct opt_int *out)
{
    out->set = true;
    return take_signed(at, end, &out->value);
}

static inline bytes_at take_time(bytes_at at, bytes_at end, int64_t *out)
{
    at = take_signed(at, end, out);
    return at != NULL && *out != 0 ? at : NULL;
}

static inline bytes_at take_id(bytes_at at, bytes_at end, struct id *out)
{
    if ((size_t)(end - at) < sizeof *out) { return NULL; }
    memcpy(out, at, sizeof *out);
    return at + sizeof *out;
}

static inline bytes_at take_id_member(bytes_at at, bytes_at end, struct id *out)
{
    uint64_t len;
    at = take_varint(at, end, &len);
    if (at == NULL || len != sizeof *out) { return NULL; }
    at = take_id(at, end, out);
    return at != NULL && !id_is_zero(*out) ? at : NULL;
}

/* Hostile bytes can ask for much more memory than their own length. */
static bool has_room(const struct arena *arena, size_t count, size_t size)
{
    size_t free_size = arena->used < arena->ceiling ? arena->ceiling - arena->used : 0;
    return count == 0 || size <= free_size / count;
}

static bool get_fields(const struct schema *schema, struct str bytes, void *out, struct arena *arena);

static bytes_at take_fields(bytes_at at, bytes_at end, const struct schema *schema, void *out, struct arena *arena)
{
    struct str bytes;
    at = take_bytes(at, end, &bytes);
    return at != NULL && get_fields(schema, bytes, out, arena) ? at : NULL;
}

static bytes_at take_double(bytes_at at, bytes_at end, struct opt_double *out)
{
    out->set = true;
    return take_fixed64(at, end, &out->value);
}

static bytes_at take_item(bytes_at at, bytes_at end, const struct field *field, void *out, struct arena *arena)
{
    switch (field->element) {
    case FIELD_STR:    return take_bytes(at, end, out);
    case FIELD_INT:    return take_opt_int(at, end, out);
    case FIELD_DOUBLE: return take_double(at, end, out);
    case FIELD_ENUM:   return take_word(at, end, field->names->count, out);
    case FIELD_ID:     return take_id(at, end, out);
    case FIELD_STRUCT: return take_fields(at, end, field->schema, out, arena);
    case FIELD_BOOL: case FIELD_LONG: case FIELD_TIME: case FIELD_LIST: case FIELD_MAP: case FIELD_I64:
    case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                              /* every kind is above */
    return NULL;
}

/* The items of a list or map: where the first is, and memory for as many as there are. Every item takes a byte at least. */
static bytes_at open_items(struct str bytes, size_t size, struct any_list *list, struct arena *arena)
{
    uint64_t count;
    bytes_at at = (bytes_at)bytes.ptr, end = at + bytes.len;
    at = take_varint(at, end, &count);
    if (at == NULL || count > (uint64_t)(end - at) || !has_room(arena, (size_t)count, size)) { return NULL; }
    *list = (struct any_list){ LIST_NOTHING, (size_t)count };
    if (count > 0) { list->items = arena_alloc(arena, list->count, size); }
    return at;
}

static bool get_list(const struct field *field, struct str bytes, void *out, struct arena *arena)
{
    struct any_list list;
    size_t size = schema_element_size(field);
    bytes_at at = open_items(bytes, size, &list, arena), end = (bytes_at)bytes.ptr + bytes.len;
    if (at == NULL) { return false; }
    char *item = list.items;
    for (size_t i = 0; i < list.count && at != NULL; i++, item += size) { at = take_item(at, end, field, item, arena); }
    memcpy(out, &list, sizeof list);
    return at == end;
}

static bool get_map(struct str bytes, struct pair_list *out, struct arena *arena)
{
    struct any_list list;
    bytes_at at = open_items(bytes, sizeof(struct pair), &list, arena), end = (bytes_at)bytes.ptr + bytes.len;
    if (at == NULL) { return false; }
    *out = (struct pair_list){ list.items, list.count };
    for (size_t p = 0; p < list.count && at != NULL; p++) {
        at = take_bytes(at, end, &out->items[p].key);
        if (at != NULL) { at = take_bytes(at, end, &out->items[p].value); }
    }
    return at == end;
}

static bool get_struct(const struct schema *schema, struct str bytes, void *out, struct arena *arena)
{
    if (!has_room(arena, 1, schema->size)) { return false; }
    void *made = arena_alloc(arena, 1, schema->size);
    memcpy(out, &made, sizeof made);
    return get_fields(schema, bytes, made, arena);
}

static inline bytes_at take_member(bytes_at at, bytes_at end, const struct field *field, void *out, struct arena *arena)
{
    struct str bytes;
    switch (field->kind) {
    case FIELD_JSON:
    case FIELD_STR:    return take_bytes(at, end, out);
    case FIELD_BOOL:   return take_word(at, end, OPT_TRUE, out);
    case FIELD_INT:
    case FIELD_LONG:   return take_opt_int(at, end, out);
    case FIELD_DOUBLE: return take_double(at, end, out);
    case FIELD_TIME:
    case FIELD_I64:    return take_time(at, end, out);
    case FIELD_ENUM:   return take_word(at, end, field->names->count, out);
    case FIELD_ID:     return take_id_member(at, end, out);
    case FIELD_STRUCT: return (at = take_bytes(at, end, &bytes)) != NULL && get_struct(field->schema, bytes, out, arena) ? at : NULL;
    case FIELD_LIST:   return (at = take_bytes(at, end, &bytes)) != NULL && get_list(field, bytes, out, arena) ? at : NULL;
    case FIELD_MAP:    return (at = take_bytes(at, end, &bytes)) != NULL && get_map(bytes, out, arena) ? at : NULL;
    case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                              /* every kind is above */
    return NULL;
}

static inline bytes_at skip_member(bytes_at at, bytes_at end, uint64_t wire)
{
    uint64_t number;
    struct str bytes;
    double real;
    switch (wire) {
    case WIRE_VARINT:  return take_varint(at, end, &number);
    case WIRE_FIXED64: return take_fixed64(at, end, &real);
    case WIRE_BYTES:   return take_bytes(at, end, &bytes);
    default:           return NULL;                      /* a number from outside, not an enum of ours */
    }
}

/* The first field from `from` on whose tag is not smaller, or `end`. */
static inline const struct field *find_tag(const struct field *from, const struct field *end, uint64_t tag)
{
    while (from < end && from->tag < tag) { from++; }
    return from;
}

/* Tags grow in every table, and so in every record: a record is read in one walk through the table, also with skipped members. */
static bool get_fields(const struct schema *schema, struct str bytes, void *out, struct arena *arena)
{
    bytes_at at = (bytes_at)bytes.ptr, end = at + bytes.len;
    const struct field *next = schema->fields, *fields_end = schema->fields + schema->count;
    uint64_t key, last = 0;                              /* last: known tag */
    while (at != NULL && at < end) {
        at = take_varint(at, end, &key);
        const uint64_t tag = key >> 3;
        if (at == NULL || tag == 0) { return false; }
        const struct field *field = find_tag(tag > last ? next : schema->fields, fields_end, tag);
        if (field == fields_end || field->tag != tag) {
            at = skip_member(at, end, key & 7);
            continue;
        }
        if (tag <= last || (key & 7) != (uint64_t)wire_of[field->kind]) { return false; }
        at = take_member(at, end, field, member_in(out, field), arena);
        last = tag;
        next = field + 1;
    }
    return at != NULL;
}

bool schema_unpack(const struct schema *schema, struct str bytes, void *out, struct arena *arena)
{
    memset(out, 0, schema->size);
    return bytes.len == 0 || get_fields(schema, bytes, out, arena);
}
