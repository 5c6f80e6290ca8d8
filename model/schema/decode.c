/* schema_decode.c: JSON → struct, and how it complains. The texts for wrong types are those of ECS's front end; the member's
 * path follows them because a caller of a server of one's own deserves to know where.
 *
 * Decisions where ECS's answer is not known: a null item of a list is refused as blank; a null value in a map is an absent
 * pair; a required string may be empty unless the table gives it a minimum; what a request would take in memory is checked
 * before it is taken (a three-byte "{}," can become a struct of many hundred). */
#include "model/schema/internal.h"

#include <math.h>

/* The position of the walk, linked from the leaf to the root. Lives on the stack; recursion is as deep as the tables. */
struct place { const struct place *up; struct str name; size_t index; bool is_item; };

struct decoder { struct arena *arena; enum err_code invalid; struct err *err; };

enum { PATH_MAX_LEN = 256, WORDS_MAX = 250, SHOWN_MAX = 100 };   /* bytes in a message: of the path, of an enum's words (the
                                                                   * longest have 248), of the caller's own text */

/* ---- complaining ---- */

struct path { char text[PATH_MAX_LEN]; size_t len; };

static void path_put(struct path *path, struct str s)
{
    size_t room = sizeof path->text - path->len, len = s.len < room ? s.len : room;
    if (len > 0) { memcpy(path->text + path->len, s.ptr, len); }
    path->len += len;
}

static void path_put_index(struct path *path, size_t index)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    path_put(path, STR("["));
    path_put(path, (struct str){ digits + at, sizeof digits - at });
    path_put(path, STR("]"));
}

static void path_build(struct path *path, const struct place *place)
{
    if (place == NULL) { return; }
    path_build(path, place->up);
    if (place->is_item) {
        path_put_index(path, place->index);
        return;
    }
    if (path->len > 0) { path_put(path, STR(".")); }
    path_put(path, str_slice(place->name, 0, SHOWN_MAX));
}

static struct str path_of(struct path *path, const struct place *place)
{
    path->len = 0;
    path_build(path, place);
    return (struct str){ path->text, path->len };
}

static bool wrong_type(struct decoder *decoder, const struct place *place, const char *text)
{
    if (place == NULL) { return err_set(decoder->err, ERR_SERIALIZATION, "%s", text); }
    struct path path;
    return err_set(decoder->err, ERR_SERIALIZATION, "%s (member " STR_FMT ")", text, STR_ARG(path_of(&path, place)));
}

static const char *const token_words[] = {
    [JSON_NULL] = "NULL_VALUE", [JSON_FALSE] = "FALSE_VALUE", [JSON_TRUE] = "TRUE_VALUE", [JSON_INT] = "NUMBER_VALUE",
    [JSON_REAL] = "NUMBER_VALUE", [JSON_STRING] = "STRING_VALUE", [JSON_ARRAY] = "", [JSON_OBJECT] = "",
};

/* `wanted` with its article, "an Integer". */
static bool wrong_scalar(struct decoder *decoder, const struct place *place, const struct json *value, const char *wanted)
{
    if (value->type == JSON_ARRAY) { return wrong_type(decoder, place, "Start of list found where not expected"); }
    if (value->type == JSON_OBJECT) {
        return wrong_type(decoder, place, "Start of structure or map found where not expected.");
    }
    struct path path;
    return err_set(decoder->err, ERR_SERIALIZATION, "%s can not be converted to %s (member " STR_FMT ")",
                   token_words[value->type], wanted, STR_ARG(path_of(&path, place)));
}

static bool is_blank(struct decoder *decoder, const struct place *place)
{
    struct path path;
    struct str shown = path_of(&path, place);
    if (decoder->invalid != ERR_CLIENT) {
        return err_set(decoder->err, decoder->invalid, STR_FMT " can not be blank.", STR_ARG(shown));
    }
    if (path.text[0] >= 'a' && path.text[0] <= 'z') { path.text[0] = (char)(path.text[0] - 'a' + 'A'); }
    return err_set(decoder->err, decoder->invalid, STR_FMT " should not be null or empty.", STR_ARG(shown));
}

static bool has_room(struct decoder *decoder, size_t count, size_t size)
{
    const struct arena *arena = decoder->arena;
    size_t free_size = arena->used < arena->ceiling ? arena->ceiling - arena->used : 0;
    if (count == 0 || size <= free_size / count) { return true; }
    return err_set(decoder->err, ERR_REQUEST_TOO_LARGE, "The request needs more memory than one request may use.");
}

/* ---- scalars ---- */

static bool decode_str(struct decoder *decoder, const struct field *field, const struct json *value, struct str *out,
                       const struct place *place)
{
    if (value->type != JSON_STRING) { return wrong_scalar(decoder, place, value, "a String"); }
    int64_t len = (int64_t)value->as.string.len;
    if (field->min > 0 && len == 0) { return is_blank(decoder, place); }
    if (len < field->min || (field->max > 0 && len > field->max)) {
        struct path path;
        return err_set(decoder->err, decoder->invalid, STR_FMT " length should be between %lld and %lld, but was %lld.",
                       STR_ARG(path_of(&path, place)), (long long)field->min, (long long)field->max, (long long)len);
    }
    *out = value->as.string;
    if (out->ptr == NULL) { out->ptr = ""; }             /* present, though empty */
    return true;
}

static bool decode_bool(struct decoder *decoder, const struct json *value, enum opt_bool *out, const struct place *place)
{
    if (value->type != JSON_TRUE && value->type != JSON_FALSE) { return wrong_scalar(decoder, place, value, "a Boolean"); }
    *out = opt_bool_of(value->type == JSON_TRUE);
    return true;
}

/* A whole number, also one written as 1.0 or 1e3. */
static bool read_whole(const struct json *value, int64_t *out)
{
    static const double two_to_63 = 9223372036854775808.0;
    if (value->type == JSON_INT) {
        *out = value->as.integer;
        return true;
    }
    if (value->type != JSON_REAL || !(value->as.real >= -two_to_63 && value->as.real < two_to_63)) { return false; }
    *out = (int64_t)value->as.real;
    return !(value->as.real < (double)*out || value->as.real > (double)*out);
}

static bool decode_int(struct decoder *decoder, const struct field *field, enum field_kind kind, const struct json *value,
                       struct opt_int *out, const struct place *place)
{
    bool narrow = kind == FIELD_INT;
    int64_t number = 0;
    if (!read_whole(value, &number) || (narrow && (number < INT32_MIN || number > INT32_MAX))) {
        return wrong_scalar(decoder, place, value, narrow ? "an Integer" : "a Long");
    }
    bool checked = field->kind != FIELD_LIST && field->max > 0;      /* of a list the limits count items */
    if (checked && number < field->min && field->complaint != NULL) { return err_set(decoder->err, decoder->invalid, "%s", field->complaint); }
    if (checked && (number < field->min || number > field->max)) {
        struct path path;
        return err_set(decoder->err, decoder->invalid, STR_FMT " should be between %lld and %lld, but was %lld.",
                       STR_ARG(path_of(&path, place)), (long long)field->min, (long long)field->max, (long long)number);
    }
    *out = opt_int_of(number);
    return true;
}

static bool decode_double(struct decoder *decoder, const struct field *field, const struct json *value, struct opt_double *out,
                          const struct place *place)
{
    if (value->type != JSON_INT && value->type != JSON_REAL) { return wrong_scalar(decoder, place, value, "a Double"); }
    double number = value->type == JSON_INT ? (double)value->as.integer : value->as.real;
    if (field->max > 0 && (number < (double)field->min || number > (double)field->max)) {
        struct path path;
        return err_set(decoder->err, decoder->invalid, STR_FMT " should be between %lld and %lld, but was %g.",
                       STR_ARG(path_of(&path, place)), (long long)field->min, (long long)field->max, number);
    }
    *out = (struct opt_double){ number, true };
    return true;
}

/* Seconds with a fraction become milliseconds. Years far beyond any clock are refused, so that sums stay safe. */
static bool decode_time(struct decoder *decoder, const struct json *value, int64_t *out, const struct place *place)
{
    static const double seconds_max = 1e12;
    if (value->type != JSON_INT && value->type != JSON_REAL) { return wrong_scalar(decoder, place, value, "a Timestamp"); }
    double seconds = value->type == JSON_INT ? (double)value->as.integer : value->as.real;
    if (!(seconds >= -seconds_max && seconds <= seconds_max)) { return wrong_scalar(decoder, place, value, "a Timestamp"); }
    *out = value->type == JSON_INT ? value->as.integer * 1000 : (int64_t)llround(seconds * 1000.0);
    return true;
}

static bool unknown_word(struct decoder *decoder, const struct enum_names *names, struct str word, const struct place *place)
{
    struct path path;
    struct buf words = buf_in(decoder->arena);
    for (size_t w = 0; w < names->count; w++) {
        if (w > 0) { buf_put_char(&words, ','); }
        buf_put(&words, names->words[w]);
    }
    struct str shown = path_of(&path, place), listed = str_slice(buf_str(&words), 0, WORDS_MAX);
    return err_set(decoder->err, decoder->invalid, STR_FMT " should be one of [" STR_FMT "], but was '" STR_FMT "'.",
                   STR_ARG(shown), STR_ARG(listed), STR_ARG(str_slice(word, 0, SHOWN_MAX)));
}

static bool decode_enum(struct decoder *decoder, const struct field *field, const struct json *value, void *out,
                        const struct place *place)
{
    if (value->type != JSON_STRING) { return wrong_scalar(decoder, place, value, "a String"); }
    int found = enum_value(field->names, value->as.string);
    if (found == 0 && field->complaint != NULL) { return err_set(decoder->err, decoder->invalid, "%s", field->complaint); }
    if (found == 0) { return unknown_word(decoder, field->names, value->as.string, place); }
    memcpy(out, &found, sizeof found);
    return true;
}

/* ---- what holds others ---- */

static bool decode_object(struct decoder *decoder, const struct schema *schema, const struct json *value, void *out,
                          const struct place *place);

static bool check_count(struct decoder *decoder, const struct field *field, size_t count, const struct place *place)
{
    int64_t items = (int64_t)count;
    if (items >= field->min && (field->max == 0 || items <= field->max)) { return true; }
    if (items == 0) { return is_blank(decoder, place); }
    struct path path;
    return err_set(decoder->err, decoder->invalid, STR_FMT " should have between %lld and %lld items, but had %lld.",
                   STR_ARG(path_of(&path, place)), (long long)field->min, (long long)field->max, (long long)items);
}

static bool decode_item(struct decoder *decoder, const struct field *field, const struct json *value, void *out,
                        const struct place *place)
{
    static const struct field unlimited;
    if (value->type == JSON_NULL) { return is_blank(decoder, place); }
    switch (field->element) {
    case FIELD_STR:    return decode_str(decoder, &unlimited, value, out, place);
    case FIELD_INT:    return decode_int(decoder, field, FIELD_INT, value, out, place);
    case FIELD_DOUBLE: return decode_double(decoder, &unlimited, value, out, place);
    case FIELD_ENUM:   return decode_enum(decoder, field, value, out, place);
    case FIELD_STRUCT: return decode_object(decoder, field->schema, value, out, place);
    case FIELD_BOOL: case FIELD_LONG: case FIELD_TIME: case FIELD_LIST: case FIELD_MAP: case FIELD_ID:
    case FIELD_I64: case FIELD_JSON: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                              /* every kind is above */
    return false;
}

static bool decode_list(struct decoder *decoder, const struct field *field, const struct json *value, void *out,
                        const struct place *place)
{
    if (value->type == JSON_OBJECT) {
        return wrong_type(decoder, place, "Start of structure or map found where not expected.");
    }
    if (value->type != JSON_ARRAY) { return wrong_type(decoder, place, "Expected list or null"); }
    size_t size = schema_element_size(field);
    if (!check_count(decoder, field, value->count, place) || !has_room(decoder, value->count, size)) { return false; }
    struct any_list list = { LIST_NOTHING, value->count };
    if (list.count > 0) { list.items = arena_alloc(decoder->arena, list.count, size); }
    for (size_t i = 0; i < list.count; i++) {
        struct place item = { .up = place, .index = i, .is_item = true };
        if (!decode_item(decoder, field, &value->as.items[i], (char *)list.items + i * size, &item)) { return false; }
    }
    memcpy(out, &list, sizeof list);
    return true;
}

static bool decode_map(struct decoder *decoder, const struct field *field, const struct json *value, struct pair_list *out,
                       const struct place *place)
{
    static const struct field unlimited;
    if (value->type == JSON_ARRAY) { return wrong_type(decoder, place, "Start of list found where not expected"); }
    if (value->type != JSON_OBJECT) { return wrong_type(decoder, place, "Expected null"); }
    if (!check_count(decoder, field, value->count, place) || !has_room(decoder, value->count, sizeof(struct pair))) {
        return false;
    }
    struct pair_list map = { LIST_NOTHING, 0 };
    if (value->count > 0) { map.items = ARENA_NEW(decoder->arena, struct pair, value->count); }
    for (size_t m = 0; m < value->count; m++) {
        const struct json_member *member = &value->as.members[m];
        struct place at = { .up = place, .name = member->key };
        if (member->value.type == JSON_NULL) { continue; }
        if (!decode_str(decoder, &unlimited, &member->value, &map.items[map.count].value, &at)) { return false; }
        map.items[map.count++].key = member->key;
    }
    *out = map;
    return true;
}

static bool decode_struct(struct decoder *decoder, const struct field *field, const struct json *value, void *out,
                          const struct place *place)
{
    if (!has_room(decoder, 1, field->schema->size)) { return false; }
    void *made = arena_alloc(decoder->arena, 1, field->schema->size);
    memcpy(out, &made, sizeof made);
    return decode_object(decoder, field->schema, value, made, place);
}

/* Any JSON value, kept as the text that it prints as. */
static bool decode_document(struct decoder *decoder, const struct json *value, void *out)
{
    struct buf text = buf_in(decoder->arena);
    struct json_out json = json_out_to(&text);
    json_dump(&json, value);
    struct str document = buf_str(&text);
    memcpy(out, &document, sizeof document);
    return true;
}

static bool decode_member(struct decoder *decoder, const struct field *field, const struct json *value, void *out,
                          const struct place *place)
{
    switch (field->kind) {
    case FIELD_STR:    return decode_str(decoder, field, value, out, place);
    case FIELD_BOOL:   return decode_bool(decoder, value, out, place);
    case FIELD_INT:
    case FIELD_LONG:   return decode_int(decoder, field, field->kind, value, out, place);
    case FIELD_DOUBLE: return decode_double(decoder, field, value, out, place);
    case FIELD_TIME:   return decode_time(decoder, value, out, place);
    case FIELD_ENUM:   return decode_enum(decoder, field, value, out, place);
    case FIELD_STRUCT: return decode_struct(decoder, field, value, out, place);
    case FIELD_LIST:   return decode_list(decoder, field, value, out, place);
    case FIELD_MAP:    return decode_map(decoder, field, value, out, place);
    case FIELD_JSON:   return decode_document(decoder, value, out);
    case FIELD_ID: case FIELD_I64: case FIELD_KIND_COUNT: break;
    }
    ASSERT(false);                                              /* every kind is above */
    return false;
}

/* `out` is zeroed memory. */
static bool decode_object(struct decoder *decoder, const struct schema *schema, const struct json *value, void *out,
                          const struct place *place)
{
    if (value->type == JSON_ARRAY) { return wrong_type(decoder, place, "Start of list found where not expected"); }
    if (value->type != JSON_OBJECT) { return wrong_type(decoder, place, "Expected null"); }
    for (size_t f = 0; f < schema->count; f++) {
        const struct field *field = &schema->fields[f];
        if (field->name.len == 0) { continue; }
        const struct json *member = json_get(value, field->name);
        bool absent = member == NULL || member->type == JSON_NULL;
        struct place at = { .up = place, .name = field->name };
        if (absent && field->required) { return is_blank(decoder, &at); }
        if (!absent && !decode_member(decoder, field, member, member_in(out, field), &at)) { return false; }
    }
    return true;
}

bool schema_decode(const struct schema *schema, const struct json *value, void *out, struct arena *arena, enum err_code invalid,
                   struct err *err)
{
    ASSERT(invalid == ERR_INVALID_PARAMETER || invalid == ERR_CLIENT || invalid == ERR_VALIDATION); /* of the operations' tables */
    struct decoder decoder = { arena, invalid, err };
    memset(out, 0, schema->size);
    return decode_object(&decoder, schema, value, out, NULL);
}
