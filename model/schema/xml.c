/* schema_xml.c: struct → XML, as answers of AWS's query protocol have it: an element a member, in the table's order; absent members have none. */
#include "model/schema/internal.h"

#include <inttypes.h>


#include "base/text/xml.h"
#include "base/time/moment.h"

struct printer { struct str item; struct buf *out; };

static void print_int(struct printer *printer, struct str name, int64_t value)
{
    xml_open(printer->out, name);
    buf_put_i64(printer->out, value);
    xml_close(printer->out, name);
}

static void print_bool(struct printer *printer, const struct field *field, enum opt_bool value)
{
    if (value == OPT_UNSET && !field->always) { return; }
    xml_put_element(printer->out, field->name, value == OPT_TRUE ? STR("true") : STR("false"));
}

static void print_opt_int(struct printer *printer, const struct field *field, const struct opt_int *value)
{
    if (value->set || field->always) { print_int(printer, field->name, value->set ? value->value : 0); }
}

static void print_double(struct printer *printer, struct str name, double value)
{
    struct json_out json = json_out_to(printer->out);
    xml_open(printer->out, name);
    json_double(&json, value);
    xml_close(printer->out, name);
}

static void print_opt_double(struct printer *printer, const struct field *field, const struct opt_double *value)
{
    if (value->set || field->always) { print_double(printer, field->name, value->set ? value->value : 0.0); }
}

/* "2026-01-31T12:00:00.000Z" */
static void print_time(struct printer *printer, struct str name, int64_t ms)
{
    char text[MOMENT_TEXT_SIZE];
    if (ms == 0 || !moment_print(ms, true, text)) { return; }
    xml_open(printer->out, name);
    buf_put(printer->out, str_from(text));
    xml_close(printer->out, name);
}

static void print_str(struct printer *printer, struct str name, struct str text)
{
    if (str_is_set(text)) { xml_put_element(printer->out, name, text); }
}

static void print_fields(struct printer *printer, const struct schema *schema, const void *value);

static void print_struct(struct printer *printer, struct str name, const struct schema *schema, const void *value)
{
    if (value == NULL) { return; }
    xml_open(printer->out, name);
    print_fields(printer, schema, value);
    xml_close(printer->out, name);
}

static void print_item(struct printer *printer, const struct field *field, struct str name, const void *item)
{
    switch (field->element) {
    case FIELD_STR:    print_str(printer, name, *(const struct str *)item); return;
    case FIELD_INT:    print_int(printer, name, ((const struct opt_int *)item)->value); return;
    case FIELD_DOUBLE: print_double(printer, name, ((const struct opt_double *)item)->value); return;
    case FIELD_TIME:   print_time(printer, name, *(const int64_t *)item); return;
    case FIELD_ENUM:   print_str(printer, name, enum_word(field->names, enum_at(item))); return;
    case FIELD_STRUCT: print_struct(printer, name, field->schema, item); return;
    case FIELD_BOOL: case FIELD_LONG: case FIELD_LIST: case FIELD_MAP: case FIELD_ID:
    case FIELD_I64: case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);
}

static void print_list(struct printer *printer, const struct field *field, const void *value)
{
    struct any_list list = list_at(value);
    size_t size = schema_element_size(field);
    bool flat = printer->item.len == 0;
    if (list.items == NULL) { return; }
    if (!flat) { xml_open(printer->out, field->name); }
    for (size_t i = 0; i < list.count; i++) {
        print_item(printer, field, flat ? field->name : printer->item, (const char *)list.items + i * size);
    }
    if (!flat) { xml_close(printer->out, field->name); }
}

static void print_map(struct printer *printer, const struct field *field, const struct pair_list *map)
{
    bool flat = printer->item.len == 0;
    struct str entry = flat ? field->name : STR("entry");
    if (map->items == NULL) { return; }
    if (!flat) { xml_open(printer->out, field->name); }
    for (size_t p = 0; p < map->count; p++) {
        xml_open(printer->out, entry);
        xml_put_element(printer->out, STR("key"), map->items[p].key);
        xml_put_element(printer->out, STR("value"), map->items[p].value);
        xml_close(printer->out, entry);
    }
    if (!flat) { xml_close(printer->out, field->name); }
}

static void print_member(struct printer *printer, const struct field *field, const void *value)
{
    switch (field->kind) {
    case FIELD_STR:
    case FIELD_JSON:   print_str(printer, field->name, *(const struct str *)value); return;
    case FIELD_BOOL:   print_bool(printer, field, *(const enum opt_bool *)value); return;
    case FIELD_INT:
    case FIELD_LONG:   print_opt_int(printer, field, value); return;
    case FIELD_DOUBLE: print_opt_double(printer, field, value); return;
    case FIELD_TIME:   print_time(printer, field->name, *(const int64_t *)value); return;
    case FIELD_ENUM:   print_str(printer, field->name, enum_word(field->names, enum_at(value))); return;
    case FIELD_STRUCT: print_struct(printer, field->name, field->schema, pointer_at(value)); return;
    case FIELD_LIST:   print_list(printer, field, value); return;
    case FIELD_MAP:    print_map(printer, field, value); return;
    case FIELD_ID: case FIELD_I64: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                       /* these kinds have no wire form: their name must be empty */
}

static void print_fields(struct printer *printer, const struct schema *schema, const void *value)
{
    for (size_t f = 0; f < schema->count; f++) {
        const struct field *field = &schema->fields[f];
        if (field->name.len > 0) { print_member(printer, field, member_of(value, field)); }
    }
}

void schema_print_xml(const struct schema *schema, const void *value, struct str item, struct buf *out)
{
    struct printer printer = { item, out };
    print_fields(&printer, schema, value);
}
