/* Records: a packed one unpacks to the same; a cut or changed one is refused or read, and never worse. */
#include "model/records/access_key.h"
#include "model/records/account_settings.h"
#include "model/cluster.h"
#include "model/history.h"
#include "model/instance.h"
#include "model/secret.h"
#include "model/service.h"
#include "model/task.h"
#include "model/taskdef.h"
#include "tests/unit/check.h"
#include "tests/unit/model/random_struct.h"

enum { ROUNDS = 300, CEILING = 4 * 1024 * 1024 };

static const struct schema *const records[] = {
    &access_key_record, &cluster_record, &history_record, &instance_record, &task_record, &taskdef_record, &task_view_schema, &instance_view_schema,
    &service_record, &service_events_record, &service_revision_record, &kept_deployment_record, &service_deployment_record,
    &daemon_taskdef_record,
};

static struct str pack(const struct schema *schema, const void *value, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    schema_pack(schema, value, &buf);
    return buf_str(&buf);
}

static void test_round_trips(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    struct random_fill fill = { .arena = &arena };
    rng_seed(&fill.rng, 7);
    for (size_t round = 0; round < ROUNDS; round++) {
        const struct schema *schema = records[round % COUNT_OF(records)];
        const char *row = schema->name.ptr;
        void *first = arena_alloc(&arena, 1, schema->size), *second = arena_alloc(&arena, 1, schema->size);
        random_members(&fill, schema, first, 0);
        struct str bytes = pack(schema, first, &arena);
        CHECK(row, schema_unpack(schema, bytes, second, &arena));
        CHECK(row, str_eq(pack(schema, second, &arena), bytes));
        arena_reset(&arena);
    }
    arena_finish(&arena);
}

/* A record that was cut or changed by a byte may still be one; then it packs to what it was read from, or to less when a tag
 * became an unknown one. */
static void test_damage(void)
{
    struct arena arena;
    arena_init(&arena, CEILING);
    struct random_fill fill = { .arena = &arena };
    rng_seed(&fill.rng, 11);
    size_t refused = 0;
    for (size_t round = 0; round < ROUNDS * 4; round++) {
        const struct schema *schema = records[round % COUNT_OF(records)];
        void *first = arena_alloc(&arena, 1, schema->size), *second = arena_alloc(&arena, 1, schema->size);
        random_members(&fill, schema, first, 0);
        struct str bytes = pack(schema, first, &arena);
        char *copy = arena_copy(&arena, bytes.ptr, bytes.len);
        size_t len = bytes.len;
        if (len == 0) { continue; }
        if (round % 2 == 0) { len = rng_below(&fill.rng, len); }
        else { copy[rng_below(&fill.rng, len)] = (char)rng_next(&fill.rng); }
        if (!schema_unpack(schema, (struct str){ copy, len }, second, &arena)) {
            refused++;
        } else {
            CHECK("no more than was read", pack(schema, second, &arena).len <= len);
        }
        arena_reset(&arena);
    }
    CHECK("most damage is seen", refused > ROUNDS);
    arena_finish(&arena);
}

struct small { struct str name; struct opt_int number; enum opt_bool flag; struct str_list words; int64_t big; };
#define AT(member) .offset = offsetof(struct small, member)
static const struct field small_fields[] = {
    { STR_INIT("name"),   1, FIELD_STR,  AT(name) },
    { STR_INIT("number"), 2, FIELD_INT,  AT(number) },
    { STR_INIT("flag"),   3, FIELD_BOOL, AT(flag) },
    { STR_INIT("words"),  4, FIELD_LIST, AT(words), .element = FIELD_STR },
    { STR_INIT(""),       5, FIELD_I64,  AT(big) },
};
#undef AT
static const struct schema small_schema = SCHEMA_OF("small", struct small, small_fields);

static void test_bytes(void)
{
    static const struct { const char *name; struct str bytes; bool good; } rows[] = {
        { "nothing",                 STR_INIT(""),                     true },
        { "a text",                  STR_INIT("\x0A\x01x"),            true },
        { "an empty text",           STR_INIT("\x0A\x00"),             true },
        { "a text cut short",        STR_INIT("\x0A\x02x"),            false },
        { "a length without end",    STR_INIT("\x0A\xFF"),             false },
        { "a number",                STR_INIT("\x10\x03"),             true },
        { "a number too long",       STR_INIT("\x10\x83\x00"),         false },
        { "a number of 65 bits",     STR_INIT("\x28\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"), false },
        { "a number of 64 bits",     STR_INIT("\x28\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), true },
        { "a present zero",          STR_INIT("\x28\x00"),             false },
        { "the wrong wire type",     STR_INIT("\x08\x01"),             false },
        { "the same tag twice",      STR_INIT("\x10\x02\x10\x02"),     false },
        { "an unknown tag",          STR_INIT("\x30\x01\x10\x02"),     true },
        { "an unknown tag between",  STR_INIT("\x0A\x01x\x30\x01\x10\x02"), true },
        { "tags out of order",       STR_INIT("\x10\x02\x0A\x01x"), false },
        { "twice, another between",  STR_INIT("\x10\x02\x18\x02\x10\x02"), false },
        { "an unknown text",         STR_INIT("\x32\x01x"),            true },
        { "an unknown wire type",    STR_INIT("\x33"),                 false },
        { "tag zero",                STR_INIT("\x00\x00"),             false },
        { "a flag that is neither",  STR_INIT("\x18\x03"),             false },
        { "an empty list",           STR_INIT("\x22\x01\x00"),         true },
        { "a list of more than fit", STR_INIT("\x22\x02\x05\x00"),     false },
        { "a list with a rest",      STR_INIT("\x22\x03\x01\x00\x00"), false },
    };
    struct arena arena;
    arena_init(&arena, CEILING);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct small small;
        CHECK_EQ(rows[r].name, schema_unpack(&small_schema, rows[r].bytes, &small, &arena), rows[r].good);
    }
    struct small empty = { .name = STR(""), .words = { LIST_NOTHING, 0 } }, back;
    CHECK("unpack", schema_unpack(&small_schema, pack(&small_schema, &empty, &arena), &back, &arena));
    CHECK("an empty text is present", str_is_set(back.name));
    CHECK("an empty list is present", back.words.items != NULL && back.words.count == 0);
    CHECK("an absent number is absent", !back.number.set);
    char longest[300];
    memset(longest, 'y', sizeof longest);
    struct small wide = { .name = { longest, sizeof longest }, .number = opt_int_of(INT32_MIN), .big = INT64_MIN };
    CHECK("unpack", schema_unpack(&small_schema, pack(&small_schema, &wide, &arena), &back, &arena));
    CHECK_STR("a long text", back.name, wide.name);
    CHECK_EQ("the least int", back.number.value, INT32_MIN);
    CHECK_EQ("the least number", back.big, INT64_MIN);
    arena_finish(&arena);
}

/* A definition's record has the wire's members with the wire's tags, but the ARN, and some beside them. The containers and volumes of a daemon's have a table of the same
 * struct with more members. */
static void test_taskdef_tables(void)
{
    static const struct { const struct schema *wire, *record; size_t offset, beside; bool other_tables; } rows[] = {
        { &task_definition_schema, &taskdef_record, offsetof(struct taskdef, def), 3, false },
        { &daemon_task_definition_schema, &daemon_taskdef_record, offsetof(struct daemon_taskdef, def), 3, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct schema *wire = rows[r].wire, *record = rows[r].record;
        CHECK_EQ("all but the ARN, and those beside it", record->count, wire->count - 1 + rows[r].beside);
        for (size_t f = 1; f < wire->count; f++) {
            const struct field *a = &wire->fields[f], *b = &record->fields[f - 1];
            bool other = rows[r].other_tables && a->schema != NULL && a->schema->size == b->schema->size && a->schema->count < b->schema->count;
            CHECK_EQ(a->name.ptr, b->tag, a->tag);
            CHECK_EQ(a->name.ptr, b->kind, a->kind);
            CHECK_EQ(a->name.ptr, b->element, a->element);
            CHECK_EQ(a->name.ptr, b->offset, a->offset + rows[r].offset);
            CHECK(a->name.ptr, (b->schema == a->schema || other) && b->names == a->names);
        }
    }
}

/* In every table a record can reach: reading follows this order. */
static void tags_grow(const struct schema *schema)
{
    uint16_t before = 0;
    for (size_t f = 0; f < schema->count; f++) {
        const struct field *field = &schema->fields[f];
        if (field->tag == 0) { continue; }
        CHECK(schema->name.ptr, field->tag > before);
        before = field->tag;
        if (field->schema != NULL) { tags_grow(field->schema); }
    }
}

static void test_tags(void)
{
    for (size_t r = 0; r < COUNT_OF(records); r++) { tags_grow(records[r]); }
    tags_grow(&task_key_record);
    tags_grow(&account_settings_record);
    tags_grow(&kept_secret_record);
}

/* The short table reads the same members from the same bytes. */
static void test_task_key_record(void)
{
    for (size_t k = 0; k < task_key_record.count; k++) {
        const struct field *key = &task_key_record.fields[k];
        bool found = false;
        for (size_t f = 0; f < task_record.count; f++) {
            const struct field *full = &task_record.fields[f];
            if (full->tag == key->tag) { found = full->kind == key->kind && full->offset == key->offset && full->element == key->element; }
        }
        CHECK("the same member", found);
    }
}

int main(void)
{
    test_round_trips();
    test_damage();
    test_bytes();
    test_tags();
    test_taskdef_tables();
    test_task_key_record();
    return check_report();
}
