/* schema_dump: prints the schema tables of every operation as JSON, for the comparison with the API model:
 * {"RunTask":{"input":{"name":"RunTaskRequest","members":{"cluster":{"kind":"STR"},…}},"output":…},…}; a struct that was printed
 * before is given by its name alone. */
#include <stdio.h>

#include "api/core/api.h"

enum { SEEN_MAX = 512 };
static const struct schema *seen[SEEN_MAX];
static size_t seen_count;
static const char *const kinds[FIELD_KIND_COUNT] = {
    [FIELD_STR] = "string", [FIELD_BOOL] = "boolean", [FIELD_INT] = "integer", [FIELD_LONG] = "long", [FIELD_DOUBLE] = "double", [FIELD_TIME] = "timestamp",
    [FIELD_ENUM] = "enum", [FIELD_STRUCT] = "structure", [FIELD_LIST] = "list", [FIELD_MAP] = "map", [FIELD_ID] = "id", [FIELD_I64] = "i64", [FIELD_JSON] = "structure",
};

static void print_schema(const struct schema *schema, struct json_out *json);

static void print_text(struct json_out *json, const char *key, struct str text)
{
    json_key(json, str_from(key));
    json_str(json, text);
}

static void print_field(const struct field *field, struct json_out *json)
{
    json_key(json, field->name);
    json_open(json, '{');
    print_text(json, "kind", str_from(kinds[field->kind]));
    if (field->kind == FIELD_LIST) {
        print_text(json, "element", str_from(kinds[field->element]));
    }
    json_key(json, STR("required"));
    json_bool(json, field->required);
    if (field->names != NULL) {
        json_key(json, STR("words"));
        json_open(json, '[');
        for (size_t w = 0; w < field->names->count; w++) {
            json_str(json, field->names->words[w]);
        }
        json_close(json, ']');
    }
    if (field->schema != NULL) {
        json_key(json, STR("schema"));
        print_schema(field->schema, json);
    }
    json_close(json, '}');
}

static void print_schema(const struct schema *schema, struct json_out *json)
{
    for (size_t s = 0; s < seen_count; s++) {
        if (seen[s] == schema) {
            json_str(json, schema->name);
            return;
        }
    }
    ASSERT(seen_count < SEEN_MAX);
    seen[seen_count++] = schema;
    json_open(json, '{');
    print_text(json, "name", schema->name);
    json_key(json, STR("members"));
    json_open(json, '{');
    for (size_t f = 0; f < schema->count; f++) {
        if (schema->fields[f].name.len > 0) {
            print_field(&schema->fields[f], json);
        }
    }
    json_close(json, '}');
    json_close(json, '}');
}

int main(void)
{
    struct arena arena = { 0 };
    size_t count;
    arena_init(&arena, 16 * 1024 * 1024);
    struct buf out = buf_in(&arena);
    struct json_out json = json_out_to(&out);
    const struct operation *operations = api_operations(&count);
    json_open(&json, '{');
    for (size_t o = 0; o < count; o++) {
        json_key(&json, operations[o].name);
        json_open(&json, '{');
        json_key(&json, STR("input"));
        print_schema(operations[o].input, &json);
        if (operations[o].output != NULL) {
            json_key(&json, STR("output"));
            print_schema(operations[o].output, &json);
        }
        json_close(&json, '}');
    }
    json_close(&json, '}');
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    arena_finish(&arena);
    return 0;
}
