/* JSON in and out by table: every kind, every limit from both sides, every complaint with its path. */
#include "model/ecs/cluster.h"
#include "model/ecs/instance.h"
#include "model/ecs/task.h"
#include "model/ecs/taskdef.h"
#include "tests/unit/check.h"
#include "tests/unit/model/random_struct.h"

enum { ROUNDS = 200, CEILING = 8 * 1024 * 1024 };

enum color { COLOR_UNSET, COLOR_RED, COLOR_GREEN, COLOR_COUNT };
static const struct str color_words[] = { STR_INIT("red"), STR_INIT("green") };
static const struct enum_names color_names = { color_words, 2 };

struct leaf { struct opt_int port; struct str word; };
struct leaf_list { struct leaf *items; size_t count; };
struct sample {
    struct str text, must; enum opt_bool flag; struct opt_int number, wide; struct opt_double real; int64_t when; enum color color;
    struct leaf *leaf; struct leaf_list leaves; struct str_list words; struct int_list numbers; struct double_list reals; struct enum_list colors;
    struct pair_list map; int64_t hidden;
};
#define AT(member) .offset = offsetof(struct leaf, member)
static const struct field leaf_fields[] = {
    { STR_INIT("port"), 1, FIELD_INT, AT(port), .min = 0, .max = 65535 },
    { STR_INIT("word"), 2, FIELD_STR, AT(word), .min = 1, .max = 3 },
};
#undef AT
static const struct schema leaf_schema = SCHEMA_OF("leaf", struct leaf, leaf_fields);
#define AT(member) .offset = offsetof(struct sample, member)
static const struct field sample_fields[] = {
    { STR_INIT("text"),     1, FIELD_STR,    AT(text) },
    { STR_INIT("must"),     2, FIELD_STR,    AT(must), .required = true },
    { STR_INIT("flag"),     3, FIELD_BOOL,   AT(flag), .always = true },
    { STR_INIT("number"),   4, FIELD_INT,    AT(number), .always = true },
    { STR_INIT("wide"),     5, FIELD_LONG,   AT(wide) },
    { STR_INIT("real"),     6, FIELD_DOUBLE, AT(real), .min = 0, .max = 100 },
    { STR_INIT("when"),     7, FIELD_TIME,   AT(when) },
    { STR_INIT("color"),    8, FIELD_ENUM,   AT(color), .names = &color_names },
    { STR_INIT("leaf"),     9, FIELD_STRUCT, AT(leaf), .schema = &leaf_schema },
    { STR_INIT("leaves"),  10, FIELD_LIST,   AT(leaves), .element = FIELD_STRUCT, .schema = &leaf_schema, .max = 2 },
    { STR_INIT("words"),   11, FIELD_LIST,   AT(words), .element = FIELD_STR, .min = 1, .max = 3 },
    { STR_INIT("numbers"), 12, FIELD_LIST,   AT(numbers), .element = FIELD_INT },
    { STR_INIT("colors"),  13, FIELD_LIST,   AT(colors), .element = FIELD_ENUM, .names = &color_names },
    { STR_INIT("map"),     14, FIELD_MAP,    AT(map) },
    { STR_INIT(""),        15, FIELD_I64,    AT(hidden) },
    { STR_INIT("reals"),   16, FIELD_LIST,   AT(reals), .element = FIELD_DOUBLE, .max = 2 },
};
#undef AT
static const struct schema sample_schema = SCHEMA_OF("sample", struct sample, sample_fields);

static bool decode(struct str text, struct sample *sample, struct arena *arena, enum err_code invalid, struct err *err)
{
    const struct json *json = json_parse(text, arena, err);
    return json != NULL && schema_decode(&sample_schema, json, sample, arena, invalid, err);
}

/* A text that is read is printed again like this; `out` absent: as it came in. */
static void test_accepted(void)
{
    static const struct { const char *name; struct str in, out; } rows[] = {
        { "only what must be",      STR_INIT("{\"must\":\"\"}"), STR_INIT("{\"must\":\"\",\"flag\":false,\"number\":0}") },
        { "null is absent",         STR_INIT("{\"must\":\"m\",\"text\":null,\"leaves\":null,\"map\":null}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0}") },
        { "unknown members",        STR_INIT("{\"must\":\"m\",\"other\":{\"a\":[1]},\"\":1}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0}") },
        { "an integral real",       STR_INIT("{\"must\":\"m\",\"number\":1.0,\"wide\":2e3}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":1,\"wide\":2000}") },
        { "32 bits, both ends",     STR_INIT("{\"must\":\"m\",\"number\":2147483647,\"numbers\":[-2147483648]}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":2147483647,\"numbers\":[-2147483648]}") },
        { "64 bits",                STR_INIT("{\"must\":\"m\",\"wide\":-9223372036854775808}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0,\"wide\":-9223372036854775808}") },
        { "reals",                  STR_INIT("{\"must\":\"m\",\"real\":100}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0,\"real\":100.0}") },
        { "a list of reals",        STR_INIT("{\"must\":\"m\",\"reals\":[200,-0.5]}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0,\"reals\":[200.0,-0.5]}") },
        { "time with a fraction",   STR_INIT("{\"must\":\"m\",\"when\":1563421494.186}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0,\"when\":1563421494.186}") },
        { "time in whole seconds",  STR_INIT("{\"must\":\"m\",\"when\":1563421494}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0,\"when\":1563421494.000}") },
        { "time with an exponent",  STR_INIT("{\"must\":\"m\",\"when\":1.556310237664E9}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0,\"when\":1556310237.664}") },
        { "the rest",
          STR_INIT("{\"must\":\"m\",\"flag\":true,\"number\":5,\"color\":\"green\",\"leaf\":{\"port\":65535,\"word\":\"abc\"},"
                   "\"leaves\":[{},{\"port\":0}],\"words\":[\"\"],\"numbers\":[],\"colors\":[\"red\"],\"map\":{\"k\":\"v\"}}"),
          { NULL, 0 } },
        { "empty map, empty struct", STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0,\"leaf\":{},\"map\":{}}"), { NULL, 0 } },
        { "a null value in a map",   STR_INIT("{\"must\":\"m\",\"map\":{\"a\":null,\"b\":\"\"}}"),
          STR_INIT("{\"must\":\"m\",\"flag\":false,\"number\":0,\"map\":{\"b\":\"\"}}") },
    };
    struct arena arena;
    arena_init(&arena, CEILING);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct sample sample;
        struct err err = { 0 };
        CHECK(rows[r].name, decode(rows[r].in, &sample, &arena, ERR_INVALID_PARAMETER, &err));
        CHECK_STR(rows[r].name, str_from(err.message), STR(""));
        struct buf buf = buf_in(&arena);
        struct json_out out = json_out_to(&buf);
        schema_print(&sample_schema, &sample, &out);
        CHECK_STR(rows[r].name, buf_str(&buf), str_is_set(rows[r].out) ? rows[r].out : rows[r].in);
    }
    arena_finish(&arena);
}

#define M "\"must\":\"m\","
static const struct { const char *name; struct str in; enum err_code code; const char *message; } refusals[] = {
    { "text from a number", STR_INIT("{" M "\"text\":1}"), ERR_SERIALIZATION, "NUMBER_VALUE can not be converted to a String (member text)" },
    { "text from true",     STR_INIT("{" M "\"text\":true}"), ERR_SERIALIZATION, "TRUE_VALUE can not be converted to a String (member text)" },
    { "text from a list",   STR_INIT("{" M "\"text\":[]}"), ERR_SERIALIZATION, "Start of list found where not expected (member text)" },
    { "text from a struct", STR_INIT("{" M "\"text\":{}}"), ERR_SERIALIZATION, "Start of structure or map found where not expected. (member text)" },
    { "number from a text", STR_INIT("{" M "\"leaves\":[{},{\"port\":\"1\"}]}"), ERR_SERIALIZATION,
      "STRING_VALUE can not be converted to an Integer (member leaves[1].port)" },
    { "a real from a text", STR_INIT("{" M "\"reals\":[1,\"2\"]}"), ERR_SERIALIZATION, "STRING_VALUE can not be converted to a Double (member reals[1])" },
    { "number from a part", STR_INIT("{" M "\"number\":1.5}"), ERR_SERIALIZATION, "NUMBER_VALUE can not be converted to an Integer (member number)" },
    { "33 bits",            STR_INIT("{" M "\"number\":2147483648}"), ERR_SERIALIZATION, "NUMBER_VALUE can not be converted to an Integer (member number)" },
    { "64 bits and more",   STR_INIT("{" M "\"wide\":1e19}"), ERR_SERIALIZATION, "NUMBER_VALUE can not be converted to a Long (member wide)" },
    { "two to the 63",      STR_INIT("{" M "\"wide\":9223372036854775808.0}"), ERR_SERIALIZATION, "NUMBER_VALUE can not be converted to a Long (member wide)" },
    { "flag from a text",   STR_INIT("{" M "\"flag\":\"true\"}"), ERR_SERIALIZATION, "STRING_VALUE can not be converted to a Boolean (member flag)" },
    { "real from false",    STR_INIT("{" M "\"real\":false}"), ERR_SERIALIZATION, "FALSE_VALUE can not be converted to a Double (member real)" },
    { "time from a text",   STR_INIT("{" M "\"when\":\"now\"}"), ERR_SERIALIZATION, "STRING_VALUE can not be converted to a Timestamp (member when)" },
    { "time too far",       STR_INIT("{" M "\"when\":1e300}"), ERR_SERIALIZATION, "NUMBER_VALUE can not be converted to a Timestamp (member when)" },
    { "word from a number", STR_INIT("{" M "\"color\":1}"), ERR_SERIALIZATION, "NUMBER_VALUE can not be converted to a String (member color)" },
    { "list from a text",   STR_INIT("{" M "\"words\":\"a\"}"), ERR_SERIALIZATION, "Expected list or null (member words)" },
    { "list from a struct", STR_INIT("{" M "\"words\":{}}"), ERR_SERIALIZATION, "Start of structure or map found where not expected. (member words)" },
    { "struct from a text", STR_INIT("{" M "\"leaf\":\"a\"}"), ERR_SERIALIZATION, "Expected null (member leaf)" },
    { "struct from a list", STR_INIT("{" M "\"leaf\":[]}"), ERR_SERIALIZATION, "Start of list found where not expected (member leaf)" },
    { "map from a list",    STR_INIT("{" M "\"map\":[]}"), ERR_SERIALIZATION, "Start of list found where not expected (member map)" },
    { "map of numbers",     STR_INIT("{" M "\"map\":{\"k\":1}}"), ERR_SERIALIZATION, "NUMBER_VALUE can not be converted to a String (member map.k)" },
    { "the whole from a list", STR_INIT("[]"), ERR_SERIALIZATION, "Start of list found where not expected" },
    { "what must be",       STR_INIT("{}"), ERR_INVALID_PARAMETER, "must can not be blank." },
    { "what must be, null", STR_INIT("{\"must\":null}"), ERR_INVALID_PARAMETER, "must can not be blank." },
    { "below the least",    STR_INIT("{" M "\"leaf\":{\"port\":-1}}"), ERR_INVALID_PARAMETER, "leaf.port should be between 0 and 65535, but was -1." },
    { "above the most",     STR_INIT("{" M "\"leaves\":[{},{\"port\":70000}]}"), ERR_INVALID_PARAMETER,
      "leaves[1].port should be between 0 and 65535, but was 70000." },
    { "a real too large",   STR_INIT("{" M "\"real\":100.5}"), ERR_INVALID_PARAMETER, "real should be between 0 and 100, but was 100.5." },
    { "an empty word",      STR_INIT("{" M "\"leaf\":{\"word\":\"\"}}"), ERR_INVALID_PARAMETER, "leaf.word can not be blank." },
    { "a long word",        STR_INIT("{" M "\"leaf\":{\"word\":\"abcd\"}}"), ERR_INVALID_PARAMETER, "leaf.word length should be between 1 and 3, but was 4." },
    { "an unknown word",    STR_INIT("{" M "\"color\":\"blue\"}"), ERR_INVALID_PARAMETER, "color should be one of [red,green], but was 'blue'." },
    { "an unknown word in a list", STR_INIT("{" M "\"colors\":[\"red\",\"RED\"]}"), ERR_INVALID_PARAMETER, "colors[1] should be one of [red,green], but was 'RED'." },
    { "too few items",      STR_INIT("{" M "\"words\":[]}"), ERR_INVALID_PARAMETER, "words can not be blank." },
    { "too many items",     STR_INIT("{" M "\"leaves\":[{},{},{}]}"), ERR_INVALID_PARAMETER, "leaves should have between 0 and 2 items, but had 3." },
    { "a null item",        STR_INIT("{" M "\"words\":[\"a\",null]}"), ERR_INVALID_PARAMETER, "words[1] can not be blank." },
};

static void test_refused(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    for (size_t r = 0; r < COUNT_OF(refusals); r++) {
        struct sample sample;
        struct err err = { 0 };
        CHECK(refusals[r].name, !decode(refusals[r].in, &sample, &arena, ERR_INVALID_PARAMETER, &err));
        CHECK_EQ(refusals[r].name, err.code, refusals[r].code);
        CHECK_STR(refusals[r].name, str_from(err.message), str_from(refusals[r].message));
    }
    struct sample sample;
    struct err err = { 0 };
    CHECK("the other exception", !decode(STR("{}"), &sample, &arena, ERR_CLIENT, &err));
    CHECK_EQ("its code", err.code, ERR_CLIENT);
    CHECK_STR("its words", str_from(err.message), STR("Must should not be null or empty."));
    arena_finish(&arena);
}

/* A request of a few bytes an item must not take the arena past its hard stop. */
static void test_memory(void)
{
    enum { ITEMS = 100000 };
    static char text[ITEMS * 3 + 64];
    struct arena json_arena, arena;
    arena_init(&json_arena, 64 * 1024 * 1024);
    arena_init(&arena, 1024 * 1024);
    size_t len = (size_t)snprintf(text, sizeof text, "{\"containerDefinitions\":[");
    for (size_t i = 0; i < ITEMS; i++) { memcpy(text + len + 3 * i, i == 0 ? " {}" : ",{}", 3); }
    len += (size_t)3 * ITEMS;
    memcpy(text + len, "]}", 2);
    struct err err = { 0 };
    struct task_definition definition;
    const struct json *json = json_parse((struct str){ text, len + 2 }, &json_arena, &err);
    CHECK("parsed", json != NULL);
    CHECK("refused", json != NULL && !schema_decode(&task_definition_schema, json, &definition, &arena, ERR_CLIENT, &err));
    CHECK_EQ("as too large", err.code, ERR_REQUEST_TOO_LARGE);
    CHECK("within the ceiling", !arena_exhausted(&arena));
    arena_finish(&arena);
    arena_finish(&json_arena);
}

/* Random structs of the API: printed, read, and printed again give the same text. */
static void test_round_trips(void)
{
    static const struct schema *const shapes[] = {
        &sample_schema, &task_view_schema, &instance_view_schema, &cluster_view_schema, &task_definition_schema,
    };
    struct arena arena;
    arena_init(&arena, CEILING);
    struct random_fill fill = { .arena = &arena, .wire = true };
    rng_seed(&fill.rng, 3);
    for (size_t round = 0; round < ROUNDS; round++) {
        const struct schema *schema = shapes[round % COUNT_OF(shapes)];
        void *value = arena_alloc(&arena, 1, schema->size), *back = arena_alloc(&arena, 1, schema->size);
        random_members(&fill, schema, value, 0);
        struct buf first = buf_in(&arena), second = buf_in(&arena);
        struct json_out out = json_out_to(&first);
        schema_print(schema, value, &out);
        struct err err = { 0 };
        const struct json *json = json_parse(buf_str(&first), &arena, &err);
        CHECK(schema->name.ptr, json != NULL && schema_decode(schema, json, back, &arena, ERR_INVALID_PARAMETER, &err));
        CHECK_STR(schema->name.ptr, str_from(err.message), STR(""));
        out = json_out_to(&second);
        schema_print(schema, back, &out);
        CHECK_STR(schema->name.ptr, buf_str(&second), buf_str(&first));
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

/* Some replies are printed by other means, so that their table has no rows. */
static void test_no_members(void)
{
    static const struct schema nothing = { STR_INIT("nothing"), sizeof(int), NULL, 0 };
    struct arena arena;
    arena_init(&arena, 64 * 1024);
    struct buf buf = buf_in(&arena);
    struct json_out out = json_out_to(&buf);
    schema_print(&nothing, &(int){ 0 }, &out);
    CHECK_STR("nothing", buf_str(&buf), STR("{}"));
    arena_finish(&arena);
}

static void test_words(void)
{
    CHECK_STR("first", enum_word(&color_names, COLOR_RED), STR("red"));
    CHECK_STR("last", enum_word(&color_names, COLOR_COUNT - 1), STR("green"));
    CHECK("absent", !str_is_set(enum_word(&color_names, 0)));
    CHECK("beyond", !str_is_set(enum_word(&color_names, COLOR_COUNT)));
    CHECK_EQ("value", enum_value(&color_names, STR("green")), COLOR_GREEN);
    CHECK_EQ("unknown", enum_value(&color_names, STR("gree")), 0);
}

int main(void)
{
    test_accepted();
    test_refused();
    test_memory();
    test_round_trips();
    test_no_members();
    test_words();
    return check_report();
}
