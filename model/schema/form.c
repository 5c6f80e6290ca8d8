/* schema_form.c: form → struct, as AWS's query protocol has it. The form becomes the JSON value that says the same, by the same table, and
 * schema_decode does the rest: limits and complaints are those of JSON.
 *
 *   Name=text   Outer.Inner=text   flat: List.1=a List.2.Inner=b Map.1.key=k Map.1.value=v
 *                                  else: List.member.1=a List.member.2.Inner=b Map.entry.1.key=k Map.entry.1.value=v
 * Items are counted from 1 to the first that is not there. "List=" is a list without items. A flat form is EC2's, which refuses what it does not know. */
#include "model/schema/internal.h"

#include <stdio.h>
#include <time.h>

#include "base/text/form.h"

enum { PATH_MAX_LEN = 1024 };

struct reader { const struct form *form; bool *known, flat; struct arena *arena; char path[PATH_MAX_LEN]; size_t len; };      /* known: of each pair */

static struct str path_of(const struct reader *reader) { return (struct str){ reader->path, reader->len }; }

/* Puts one more word behind the path; the length before, to go back to. A path that is too long is cut, and then names nothing. */
static size_t go_down(struct reader *reader, struct str word)
{
    size_t before = reader->len, room = sizeof reader->path - before;
    if (before > 0 && room > 0) {
        reader->path[reader->len++] = '.';
        room--;
    }
    size_t len = word.len < room ? word.len : room;
    if (len > 0) { memcpy(reader->path + reader->len, word.ptr, len); }
    reader->len += len;
    return before;
}

static size_t go_to_item(struct reader *reader, size_t number)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%zu", number);
    return go_down(reader, (struct str){ text, (size_t)len });
}

/* The value at the path, which is known from now on; absent: there is none. */
static struct str read_text(struct reader *reader)
{
    size_t at = form_find(reader->form, path_of(reader));
    if (at == reader->form->count) { return (struct str){ NULL, 0 }; }
    reader->known[at] = true;
    return reader->form->pairs[at].value;
}

static bool is_here(struct reader *reader)
{
    if (str_is_set(form_get(reader->form, path_of(reader)))) { return true; }
    size_t before = go_down(reader, STR(""));
    bool is = form_has_below(reader->form, path_of(reader));
    reader->len = before;
    return is;
}

static struct json text_value(struct str text) { return (struct json){ .type = JSON_STRING, .as.string = text }; }

/* A value that is no number stays a text, and schema_decode complains. */
static struct json number_value(struct str text, struct arena *arena)
{
    struct err unread = { 0 };
    const struct json *value = json_parse(text, arena, &unread);
    return value != NULL && (value->type == JSON_INT || value->type == JSON_REAL) ? *value : text_value(text);
}

static struct json bool_value(struct str text)
{
    if (str_eq(text, STR("true"))) { return (struct json){ .type = JSON_TRUE }; }
    return str_eq(text, STR("false")) ? (struct json){ .type = JSON_FALSE } : text_value(text);
}

/* "2026-01-31T12:00:00Z", with or without a fraction of the second, which is ignored. */
static struct json time_value(struct str text)
{
    struct tm tm = { 0 };
    char copy[40], end = '\0';
    if (!str_to_cstr(text, copy, sizeof copy)) { return text_value(text); }
    int read = sscanf(copy, "%4d-%2d-%2dT%2d:%2d:%2d%c", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &end);
    if (read != 7 || (end != 'Z' && end != '.') || !str_ends_with(text, STR("Z"))) { return text_value(text); }
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    return (struct json){ .type = JSON_INT, .as.integer = (int64_t)timegm(&tm) };
}

static struct json read_scalar(struct reader *reader, enum field_kind kind)
{
    struct str text = read_text(reader);
    if (!str_is_set(text)) { return (struct json){ .type = JSON_NULL }; }
    switch (kind) {
    case FIELD_INT: case FIELD_LONG: case FIELD_DOUBLE: return number_value(text, reader->arena);
    case FIELD_BOOL: return bool_value(text);
    case FIELD_TIME: return time_value(text);
    case FIELD_STR: case FIELD_ENUM: case FIELD_JSON: case FIELD_STRUCT: case FIELD_LIST: case FIELD_MAP: case FIELD_ID: case FIELD_I64:
    case FIELD_KIND_COUNT: break;
    }
    return text_value(text);
}

static struct json read_object(struct reader *reader, const struct schema *schema);

/* How many items there are: one at least for each of the form's pairs that is counted. */
static size_t count_items(struct reader *reader)
{
    size_t count = 0;
    for (bool more = true; more; count += more) {
        size_t before = go_to_item(reader, count + 1);
        more = count < reader->form->count && is_here(reader);
        reader->len = before;
    }
    return count;
}

static struct json read_list(struct reader *reader, const struct field *field)
{
    struct json list = { .type = JSON_NULL };
    bool is_empty = str_is_set(read_text(reader));
    size_t before = reader->flat ? reader->len : go_down(reader, STR("member"));
    list.count = count_items(reader);
    if (list.count > 0 || is_empty) {
        list.type = JSON_ARRAY;
        list.as.items = ARENA_NEW(reader->arena, struct json, list.count);
    }
    for (size_t i = 0; i < list.count; i++) {
        size_t above = go_to_item(reader, i + 1);
        list.as.items[i] = field->element == FIELD_STRUCT ? read_object(reader, field->schema) : read_scalar(reader, field->element);
        reader->len = above;
    }
    reader->len = before;
    return list;
}

static struct str read_word(struct reader *reader, struct str word)
{
    size_t before = go_down(reader, word);
    struct str text = read_text(reader);
    reader->len = before;
    return str_is_set(text) ? text : STR("");
}

static struct json read_map(struct reader *reader)
{
    struct json map = { .type = JSON_NULL };
    size_t before = reader->flat ? reader->len : go_down(reader, STR("entry"));
    map.count = count_items(reader);
    if (map.count > 0) {
        map.type = JSON_OBJECT;
        map.as.members = ARENA_NEW(reader->arena, struct json_member, map.count);
    }
    for (size_t i = 0; i < map.count; i++) {
        size_t above = go_to_item(reader, i + 1);
        map.as.members[i] = (struct json_member){ read_word(reader, STR("key")), text_value(read_word(reader, STR("value"))) };
        reader->len = above;
    }
    reader->len = before;
    return map;
}

static struct json read_member(struct reader *reader, const struct field *field)
{
    switch (field->kind) {
    case FIELD_STRUCT: return is_here(reader) ? read_object(reader, field->schema) : (struct json){ .type = JSON_NULL };
    case FIELD_LIST:   return read_list(reader, field);
    case FIELD_MAP:    return read_map(reader);
    case FIELD_STR: case FIELD_BOOL: case FIELD_INT: case FIELD_LONG: case FIELD_DOUBLE: case FIELD_TIME: case FIELD_ENUM: case FIELD_JSON:
    case FIELD_ID: case FIELD_I64: case FIELD_KIND_COUNT: break;
    }
    return read_scalar(reader, field->kind);
}

/* An arena that is exhausted still serves; nothing more is read into it then, and schema_read_form refuses. */
static struct json read_object(struct reader *reader, const struct schema *schema)
{
    struct json object = { .type = JSON_OBJECT };
    if (arena_exhausted(reader->arena)) { return object; }
    object.as.members = ARENA_NEW(reader->arena, struct json_member, schema->count);
    for (size_t f = 0; f < schema->count; f++) {
        const struct field *field = &schema->fields[f];
        if (field->name.len == 0) { continue; }
        size_t before = go_down(reader, field->name);
        struct json value = read_member(reader, field);
        reader->len = before;
        if (value.type != JSON_NULL) { object.as.members[object.count++] = (struct json_member){ field->name, value }; }
    }
    return object;
}

static bool refuse_unknown(const struct reader *reader, struct err *err)
{
    const struct form *form = reader->form;
    for (size_t p = 0; p < form->count; p++) {
        struct str name = form->pairs[p].name;
        if (reader->known[p] || str_eq(name, STR("Action")) || str_eq(name, STR("Version"))) { continue; }
        return err_set(err, ERR_EC2_UNKNOWN_PARAMETER, "The parameter " STR_FMT " is not recognized", STR_ARG(str_slice(name, 0, 256)));
    }
    return true;
}

bool schema_read_form(const struct schema *schema, struct str text, bool flat, void *out, struct arena *arena, enum err_code invalid, struct err *err)
{
    struct form form;
    if (!form_read(text, &form, arena, err)) { return false; }
    struct reader reader = { .form = &form, .known = ARENA_NEW(arena, bool, form.count), .flat = flat, .arena = arena };
    struct json object = read_object(&reader, schema);
    if (arena_exhausted(arena)) { return err_set(err, ERR_REQUEST_TOO_LARGE, "The request needs more memory than one request may use."); }
    return (!flat || refuse_unknown(&reader, err)) && schema_decode(schema, &object, out, arena, invalid, err);
}
