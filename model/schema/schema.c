/* schema.c: what belongs to no single walker: words of enums, sizes of elements, the mark of an empty list. */
#include "model/schema/internal.h"

char list_nothing[sizeof(max_align_t)];

bool str_list_has(const struct str_list *list, struct str text)
{
    for (size_t n = 0; n < list->count; n++) {
        if (str_eq(list->items[n], text)) { return true; }
    }
    return false;
}

struct str enum_word(const struct enum_names *names, int value)
{
    if (value <= 0 || (size_t)value > names->count) { return (struct str){ NULL, 0 }; }
    return names->words[value - 1];
}

int enum_value(const struct enum_names *names, struct str word)
{
    for (size_t w = 0; w < names->count; w++) {
        if (str_eq(names->words[w], word)) { return (int)w + 1; }
    }
    return 0;
}

size_t schema_element_size(const struct field *field)
{
    switch (field->element) {
    case FIELD_STR:    return sizeof(struct str);
    case FIELD_INT:    return sizeof(struct opt_int);
    case FIELD_DOUBLE: return sizeof(struct opt_double);
    case FIELD_TIME:   return sizeof(int64_t);
    case FIELD_ENUM:   return sizeof(int);
    case FIELD_ID:     return sizeof(struct id);
    case FIELD_STRUCT: return field->schema->size;
    case FIELD_BOOL: case FIELD_LONG: case FIELD_LIST: case FIELD_MAP: case FIELD_I64:
    case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                       /* a table names an element that lists cannot hold */
    return 0;
}
