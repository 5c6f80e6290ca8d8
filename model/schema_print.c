/* schema_print.c: struct → JSON. On the path of every reply, so it does one switch per member and builds nothing. */
#include "model/schema_internal.h"

static void print_item(const struct field *field, const void *item, struct json_out *out)
{
    switch (field->element) {
    case FIELD_STR:    json_str(out, *(const struct str *)item);                  return;
    case FIELD_INT:    json_i64(out, ((const struct opt_int *)item)->value);      return;
    case FIELD_ENUM:   json_str(out, enum_word(field->names, enum_at(item)));     return;
    case FIELD_STRUCT: schema_print(field->schema, item, out);                    return;
    case FIELD_BOOL: case FIELD_LONG: case FIELD_DOUBLE: case FIELD_TIME: case FIELD_LIST: case FIELD_MAP: case FIELD_ID:
    case FIELD_I64: case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);
}

static void print_list(const struct field *field, const void *at, struct json_out *out)
{
    struct any_list list = list_at(at);
    if (list.items == NULL) { return; }
    size_t size = schema_element_size(field);
    json_name(out, field->name);
    json_open(out, '[');
    for (size_t i = 0; i < list.count; i++) { print_item(field, (const char *)list.items + i * size, out); }
    json_close(out, ']');
}

static void print_map(const struct field *field, const struct pair_list *map, struct json_out *out)
{
    if (map->items == NULL) { return; }
    json_name(out, field->name);
    json_open(out, '{');
    for (size_t p = 0; p < map->count; p++) {
        json_key(out, map->items[p].key);
        json_str(out, map->items[p].value);
    }
    json_close(out, '}');
}

static void print_str(const struct field *field, struct str value, struct json_out *out)
{
    if (str_is_set(value)) { json_member_str(out, field->name, value); }
}

static void print_enum(const struct field *field, int value, struct json_out *out)
{
    struct str word = enum_word(field->names, value);
    if (str_is_set(word)) { json_member_word(out, field->name, word); }
}

static void print_bool(const struct field *field, enum opt_bool value, struct json_out *out)
{
    if (value == OPT_UNSET && !field->always) { return; }
    json_name(out, field->name);
    json_bool(out, value == OPT_TRUE);
}

static void print_int(const struct field *field, const struct opt_int *value, struct json_out *out)
{
    if (!value->set && !field->always) { return; }
    json_name(out, field->name);
    json_i64(out, value->set ? value->value : 0);
}

static void print_double(const struct field *field, const struct opt_double *value, struct json_out *out)
{
    if (!value->set && !field->always) { return; }
    json_name(out, field->name);
    json_double(out, value->set ? value->value : 0.0);
}

static void print_time(const struct field *field, int64_t ms, struct json_out *out)
{
    if (ms == 0) { return; }
    json_name(out, field->name);
    json_time(out, ms);
}

static void print_struct(const struct field *field, const void *value, struct json_out *out)
{
    if (value == NULL) { return; }
    json_name(out, field->name);
    schema_print(field->schema, value, out);
}

static void print_document(const struct field *field, struct str text, struct json_out *out)
{
    if (!str_is_set(text)) { return; }
    json_name(out, field->name);
    json_raw(out, text);
}

static void print_member(const struct field *field, const void *at, struct json_out *out)
{
    switch (field->kind) {
    case FIELD_STR:    print_str(field, *(const struct str *)at, out);                  return;
    case FIELD_BOOL:   print_bool(field, *(const enum opt_bool *)at, out);              return;
    case FIELD_INT:
    case FIELD_LONG:   print_int(field, at, out);                                       return;
    case FIELD_DOUBLE: print_double(field, at, out);                                    return;
    case FIELD_TIME:   print_time(field, *(const int64_t *)at, out);                    return;
    case FIELD_ENUM:   print_enum(field, enum_at(at), out);                             return;
    case FIELD_STRUCT: print_struct(field, pointer_at(at), out);                        return;
    case FIELD_LIST:   print_list(field, at, out);                                      return;
    case FIELD_MAP:    print_map(field, at, out);                                       return;
    case FIELD_JSON:   print_document(field, *(const struct str *)at, out);             return;
    case FIELD_ID: case FIELD_I64: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                       /* these kinds have no wire form: their name must be empty */
}

void schema_print(const struct schema *schema, const void *value, struct json_out *out)
{
    const struct field *field = schema->fields;
    json_open(out, '{');
    for (size_t left = schema->count; left > 0; left--, field++) {
        if (field->name.len > 0) { print_member(field, member_of(value, field), out); }
    }
    json_close(out, '}');
}
