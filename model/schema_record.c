/* schema_record.c: struct → record bytes and back, in the encoding of Protocol Buffers as far as it reaches: a field is a
 * varint (tag << 3 | wire type) and its value. Signed numbers are zigzag varints, reals are 8 bytes, the rest has a length
 * before it. A list is one such field: a varint count, then the items side by side (so that an empty list can be told from
 * an absent one, which repeated fields cannot say).
 *
 * Reading refuses whatever writing cannot have made: a known tag twice, behind a larger one or with another wire type, a number written longer
 * than needed, a word beyond its table, lengths that do not meet. Unknown tags are skipped. */
#include "model/schema_internal.h"

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

/* One byte is kept for the length, which is nearly always enough; when it is not, what was written moves up. */
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
    case FIELD_ENUM: put_varint(out, (uint64_t)enum_at(item));                       return;
    case FIELD_ID:   buf_put(out, (struct str){ item, sizeof(struct id) });          return;
    case FIELD_STRUCT: {
        size_t start = length_begin(out);
        schema_pack(field->schema, item, out);
        length_end(out, start);
        return;
    }
    case FIELD_BOOL: case FIELD_LONG: case FIELD_DOUBLE: case FIELD_TIME: case FIELD_LIST: case FIELD_MAP: case FIELD_I64:
    case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);
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
    ASSERT(false);
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
    ASSERT(false);
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

struct reader { const unsigned char *at, *end; struct arena *arena; };

static bool get_varint(struct reader *in, uint64_t *value)
{
    if (in->at < in->end && *in->at < 0x80) {            /* nearly all are this short */
        *value = *in->at++;
        return true;
    }
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 7 * VARINT_MAX && in->at < in->end; shift += 7) {
        unsigned char byte = *in->at++;
        if (shift == 63 && byte > 1) { return false; }
        sum |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = sum;
            return byte != 0 || shift == 0;              /* a zero at the top was not needed */
        }
    }
    return false;
}

static bool get_signed(struct reader *in, int64_t *value)
{
    uint64_t raw;
    if (!get_varint(in, &raw)) { return false; }
    *value = (int64_t)(raw >> 1 ^ ((raw & 1) != 0 ? UINT64_MAX : 0));
    return true;
}

static bool get_bytes(struct reader *in, struct str *bytes)
{
    uint64_t len;
    if (!get_varint(in, &len) || len > (uint64_t)(in->end - in->at)) { return false; }
    *bytes = (struct str){ (const char *)in->at, (size_t)len };
    in->at += len;
    return true;
}

static bool get_fixed64(struct reader *in, double *value)
{
    uint64_t bits = 0;
    if ((size_t)(in->end - in->at) < sizeof bits) { return false; }
    for (unsigned b = 0; b < sizeof bits; b++) { bits |= (uint64_t)*in->at++ << (8 * b); }
    memcpy(value, &bits, sizeof bits);
    return isfinite(*value);                             /* JSON has no others, in or out */
}

static bool get_enum(struct reader *in, const struct enum_names *names, void *out)
{
    uint64_t value;
    if (!get_varint(in, &value) || value == 0 || value > names->count) { return false; }
    int word = (int)value;
    memcpy(out, &word, sizeof word);
    return true;
}

static bool get_bool(struct reader *in, enum opt_bool *out)
{
    uint64_t value;
    if (!get_varint(in, &value) || (value != OPT_FALSE && value != OPT_TRUE)) { return false; }
    *out = value == OPT_TRUE ? OPT_TRUE : OPT_FALSE;
    return true;
}

static bool get_opt_int(struct reader *in, struct opt_int *out)
{
    out->set = true;
    return get_signed(in, &out->value);
}

static bool get_time(struct reader *in, int64_t *out)
{
    return get_signed(in, out) && *out != 0;
}

static bool get_id(struct reader *in, struct id *out)
{
    if ((size_t)(in->end - in->at) < sizeof *out) { return false; }
    memcpy(out, in->at, sizeof *out);
    in->at += sizeof *out;
    return true;
}

static bool get_id_member(struct reader *in, struct id *out)
{
    uint64_t len;
    return get_varint(in, &len) && len == sizeof *out && get_id(in, out) && !id_is_zero(*out);
}

/* Hostile bytes can ask for much more memory than they are long. */
static bool has_room(const struct reader *in, size_t count, size_t size)
{
    size_t free_size = in->arena->used < in->arena->ceiling ? in->arena->ceiling - in->arena->used : 0;
    return count == 0 || size <= free_size / count;
}

static bool get_fields(const struct schema *schema, struct str bytes, void *out, struct arena *arena);

static bool get_item(struct reader *in, const struct field *field, void *out)
{
    struct str bytes;
    switch (field->element) {
    case FIELD_STR:    return get_bytes(in, out);
    case FIELD_INT:    return get_opt_int(in, out);
    case FIELD_ENUM:   return get_enum(in, field->names, out);
    case FIELD_ID:     return get_id(in, out);
    case FIELD_STRUCT: return get_bytes(in, &bytes) && get_fields(field->schema, bytes, out, in->arena);
    case FIELD_BOOL: case FIELD_LONG: case FIELD_DOUBLE: case FIELD_TIME: case FIELD_LIST: case FIELD_MAP: case FIELD_I64:
    case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);
    return false;
}

/* Opens the bytes of a list or map: a reader over the items, and how many there are. Every item takes a byte at least. */
static bool open_items(struct reader *in, struct reader *items, size_t size, struct any_list *list)
{
    struct str bytes;
    uint64_t count;
    if (!get_bytes(in, &bytes)) { return false; }
    const unsigned char *start = (const unsigned char *)bytes.ptr;
    *items = (struct reader){ start, start + bytes.len, in->arena };
    if (!get_varint(items, &count) || count > (uint64_t)(items->end - items->at) || !has_room(in, (size_t)count, size)) {
        return false;
    }
    *list = (struct any_list){ LIST_NOTHING, (size_t)count };
    if (count > 0) { list->items = arena_alloc(in->arena, list->count, size); }
    return true;
}

static bool get_list(struct reader *in, const struct field *field, void *out)
{
    struct reader items;
    struct any_list list;
    size_t size = schema_element_size(field);
    if (!open_items(in, &items, size, &list)) { return false; }
    for (size_t i = 0; i < list.count; i++) {
        if (!get_item(&items, field, (char *)list.items + i * size)) { return false; }
    }
    memcpy(out, &list, sizeof list);
    return items.at == items.end;
}

static bool get_map(struct reader *in, struct pair_list *out)
{
    struct reader items;
    struct any_list list;
    if (!open_items(in, &items, sizeof(struct pair), &list)) { return false; }
    *out = (struct pair_list){ list.items, list.count };
    for (size_t p = 0; p < list.count; p++) {
        if (!get_bytes(&items, &out->items[p].key) || !get_bytes(&items, &out->items[p].value)) { return false; }
    }
    return items.at == items.end;
}

static bool get_struct(struct reader *in, const struct schema *schema, void *out)
{
    struct str bytes;
    if (!get_bytes(in, &bytes) || !has_room(in, 1, schema->size)) { return false; }
    void *made = arena_alloc(in->arena, 1, schema->size);
    memcpy(out, &made, sizeof made);
    return get_fields(schema, bytes, made, in->arena);
}

static bool get_member(struct reader *in, const struct field *field, void *out)
{
    switch (field->kind) {
    case FIELD_JSON:
    case FIELD_STR:    return get_bytes(in, out);
    case FIELD_BOOL:   return get_bool(in, out);
    case FIELD_INT:
    case FIELD_LONG:   return get_opt_int(in, out);
    case FIELD_DOUBLE:
        ((struct opt_double *)out)->set = true;
        return get_fixed64(in, &((struct opt_double *)out)->value);
    case FIELD_TIME:
    case FIELD_I64:    return get_time(in, out);
    case FIELD_ENUM:   return get_enum(in, field->names, out);
    case FIELD_STRUCT: return get_struct(in, field->schema, out);
    case FIELD_LIST:   return get_list(in, field, out);
    case FIELD_MAP:    return get_map(in, out);
    case FIELD_ID:     return get_id_member(in, out);
    case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);
    return false;
}

static bool skip_member(struct reader *in, uint64_t wire)
{
    uint64_t number;
    struct str bytes;
    double real;
    switch (wire) {
    case WIRE_VARINT:  return get_varint(in, &number);
    case WIRE_FIXED64: return get_fixed64(in, &real);
    case WIRE_BYTES:   return get_bytes(in, &bytes);
    default:           return false;                     /* a number from outside, not an enum of ours */
    }
}

/* The first field from `from` on whose tag is not smaller, or `end`. */
static const struct field *find_tag(const struct field *from, const struct field *end, uint64_t tag)
{
    while (from < end && from->tag < tag) { from++; }
    return from;
}

/* Tags grow in every table, and so in every record: it is read in one walk through the table, which members that are skipped don't make longer. */
static bool get_fields(const struct schema *schema, struct str bytes, void *out, struct arena *arena)
{
    const unsigned char *start = (const unsigned char *)bytes.ptr;
    struct reader in = { start, start + bytes.len, arena };
    const struct field *next = schema->fields, *end = schema->fields + schema->count;
    uint64_t last = 0;                                   /* known tag */
    while (in.at < in.end) {
        uint64_t key;
        if (!get_varint(&in, &key) || key >> 3 == 0) { return false; }
        const struct field *field = find_tag(key >> 3 > last ? next : schema->fields, end, key >> 3);
        if (field == end || field->tag != key >> 3) {
            if (!skip_member(&in, key & 7)) { return false; }
            continue;
        }
        if (key >> 3 <= last || (key & 7) != (uint64_t)wire_of[field->kind]) { return false; }
        if (!get_member(&in, field, member_in(out, field))) { return false; }
        last = field->tag;
        next = field + 1;
    }
    return true;
}

bool schema_unpack(const struct schema *schema, struct str bytes, void *out, struct arena *arena)
{
    memset(out, 0, schema->size);
    if (bytes.len == 0) { return true; }
    return get_fields(schema, bytes, out, arena);
}
