/* Forms in and XML out by table: every kind, lists and maps flat and not, each limit of the reader. */
#include "model/schema.h"

#include "base/text/form.h"
#include "tests/unit/check.h"

enum { CEILING = 4 * 1024 * 1024 };

enum color { COLOR_UNSET, COLOR_RED, COLOR_GREEN, COLOR_COUNT };
static const struct str color_words[] = { STR_INIT("red"), STR_INIT("green") };
static const struct enum_names color_names = { color_words, 2 };

struct leaf { struct opt_int port; struct str_list tags; };
struct leaf_list { struct leaf *items; size_t count; };
struct sample {
    struct str text; enum opt_bool flag; struct opt_int number; struct opt_double real; int64_t when; enum color color;
    struct leaf *leaf; struct leaf_list leaves; struct str_list words; struct int_list numbers; struct double_list reals; struct enum_list colors;
    struct pair_list map;
};
#define AT(member) .offset = offsetof(struct leaf, member)
static const struct field leaf_fields[] = {
    { STR_INIT("Port"), 0, FIELD_INT,  AT(port), .min = 0, .max = 65535 },
    { STR_INIT("Tag"),  0, FIELD_LIST, AT(tags), .element = FIELD_STR },
};
#undef AT
static const struct schema leaf_schema = SCHEMA_OF("leaf", struct leaf, leaf_fields);
#define AT(member) .offset = offsetof(struct sample, member)
static const struct field sample_fields[] = {
    { STR_INIT("Text"),   0, FIELD_STR,    AT(text) },
    { STR_INIT("Flag"),   0, FIELD_BOOL,   AT(flag) },
    { STR_INIT("Number"), 0, FIELD_INT,    AT(number) },
    { STR_INIT("Real"),   0, FIELD_DOUBLE, AT(real) },
    { STR_INIT("When"),   0, FIELD_TIME,   AT(when) },
    { STR_INIT("Color"),  0, FIELD_ENUM,   AT(color), .names = &color_names },
    { STR_INIT("Leaf"),   0, FIELD_STRUCT, AT(leaf), .schema = &leaf_schema },
    { STR_INIT("Leaves"), 0, FIELD_LIST,   AT(leaves), .element = FIELD_STRUCT, .schema = &leaf_schema, .max = 2 },
    { STR_INIT("Words"),  0, FIELD_LIST,   AT(words), .element = FIELD_STR },
    { STR_INIT("Nums"),   0, FIELD_LIST,   AT(numbers), .element = FIELD_INT },
    { STR_INIT("Reals"),  0, FIELD_LIST,   AT(reals), .element = FIELD_DOUBLE },
    { STR_INIT("Colors"), 0, FIELD_LIST,   AT(colors), .element = FIELD_ENUM, .names = &color_names },
    { STR_INIT("Map"),    0, FIELD_MAP,    AT(map) },
};
#undef AT
static const struct schema sample_schema = SCHEMA_OF("sample", struct sample, sample_fields);

/* The form's contents, as XML; or the error's text. */
static struct str answer(struct str form, bool flat, struct str item, struct arena *arena)
{
    struct sample sample;
    struct err err = { 0 };
    struct buf out = buf_in(arena);
    if (!schema_read_form(&sample_schema, form, flat, &sample, arena, ERR_VALIDATION, &err)) { return arena_str(arena, str_from(err.message)); }
    schema_print_xml(&sample_schema, &sample, item, &out);
    return buf_str(&out);
}

static void test_forms(void)
{
    static const struct { const char *row, *form; bool flat; struct str item; const char *want; } rows[] = {
        { "nothing", "", false, STR_INIT("member"), "" },
        { "unknown names", "Action=A&Version=1&text=low", false, STR_INIT("member"), "" },
        { "scalars", "Text=a%26b+%3C&Flag=true&Number=-7&Real=1.5&When=2026-01-31T12:00:00Z&Color=green", false, STR_INIT("member"),
          "<Text>a&amp;b &lt;</Text><Flag>true</Flag><Number>-7</Number><Real>1.5</Real><When>2026-01-31T12:00:00.000Z</When><Color>green</Color>" },
        { "the first of two", "Text=a&Text=b", false, STR_INIT("member"), "<Text>a</Text>" },
        { "a text that is empty", "Text=", false, STR_INIT("member"), "<Text></Text>" },
        { "within", "Leaf.Port=80&Leaf.Tag.member.1=x", false, STR_INIT("member"),
          "<Leaf><Port>80</Port><Tag><member>x</member></Tag></Leaf>" },
        { "lists", "Words.member.1=a&Words.member.2=b&Nums.member.1=5&Colors.member.1=red&Leaves.member.1.Port=1&Leaves.member.2.Port=2", false,
          STR_INIT("member"), "<Leaves><member><Port>1</Port></member><member><Port>2</Port></member></Leaves>"
          "<Words><member>a</member><member>b</member></Words><Nums><member>5</member></Nums><Colors><member>red</member></Colors>" },
        { "reals", "Reals.member.1=1.5&Reals.member.2=-2", false, STR_INIT("member"),
          "<Reals><member>1.5</member><member>-2.0</member></Reals>" },
        { "flat lists", "Action=A&Version=1&Words.1=a&Words.2=b&Leaves.1.Tag.1=t", true, STR_INIT("item"),
          "<Leaves><item><Tag><item>t</item></Tag></item></Leaves><Words><item>a</item><item>b</item></Words>" },
        { "flat lists, flat in XML", "Words.1=a&Words.2=b", true, STR_INIT(""), "<Words>a</Words><Words>b</Words>" },
        { "flat lists, an item behind a gap", "Words.1=a&Words.3=no", true, STR_INIT("item"), "The parameter Words.3 is not recognized" },
        { "flat, an unknown name within", "Leaf.Port=1&Leaf.Colour=red", true, STR_INIT("item"), "The parameter Leaf.Colour is not recognized" },
        { "the other form is not read", "Words.1=a", false, STR_INIT("member"), "" },
        { "… nor this way", "Words.member.1=a", true, STR_INIT("member"), "The parameter Words.member.1 is not recognized" },
        { "more than nine items are in their order", "Words.1=1&Words.10=10&Words.2=2&Words.3=3&Words.4=4&Words.5=5&Words.6=6&Words.7=7&Words.8=8&Words.9=9",
          true, STR_INIT(""), "<Words>1</Words><Words>2</Words><Words>3</Words><Words>4</Words><Words>5</Words><Words>6</Words><Words>7</Words>"
          "<Words>8</Words><Words>9</Words><Words>10</Words>" },
        { "a list without items", "Words=", false, STR_INIT("member"), "<Words></Words>" },
        { "a map", "Map.entry.1.key=k&Map.entry.1.value=v", false, STR_INIT("member"), "<Map><entry><key>k</key><value>v</value></entry></Map>" },
        { "a flat map", "Map.1.key=k&Map.1.value=v&Map.2.key=l", true, STR_INIT(""),
          "<Map><key>k</key><value>v</value></Map><Map><key>l</key><value></value></Map>" },
        { "no number", "Number=x", false, STR_INIT("member"), "STRING_VALUE can not be converted to an Integer (member Number)" },
        { "no truth", "Flag=yes", false, STR_INIT("member"), "STRING_VALUE can not be converted to a Boolean (member Flag)" },
        { "no time", "When=now", false, STR_INIT("member"), "STRING_VALUE can not be converted to a Timestamp (member When)" },
        { "at the limit of a number", "Leaf.Port=65535", false, STR_INIT("member"), "<Leaf><Port>65535</Port></Leaf>" },
        { "behind it", "Leaf.Port=65536", false, STR_INIT("member"), "Leaf.Port should be between 0 and 65535, but was 65536." },
        { "items behind their limit", "Leaves.1.Port=1&Leaves.2.Port=1&Leaves.3.Port=1", true, STR_INIT("member"),
          "Leaves should have between 0 and 2 items, but had 3." },
    };
    struct arena arena = { 0 };
    arena_init(&arena, CEILING);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].row, answer(str_from(rows[r].form), rows[r].flat, rows[r].item, &arena), str_from(rows[r].want));
    }
    arena_finish(&arena);
}

static void test_pairs(void)
{
    static const struct { const char *row; size_t count; const char *want; } rows[] = {
        { "as many pairs as may be", FORM_PAIRS_MAX, "<Text>a</Text>" }, { "one more", FORM_PAIRS_MAX + 1, "The form has more than 2048 members." },
    };
    struct arena arena = { 0 };
    arena_init(&arena, CEILING);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf form = buf_in(&arena);
        buf_put(&form, STR("Text=a"));
        for (size_t p = 1; p < rows[r].count; p++) { buf_printf(&form, "&x%zu=1", p); }
        CHECK_STR(rows[r].row, answer(buf_str(&form), false, STR(""), &arena), str_from(rows[r].want));
    }
    arena_finish(&arena);
}

int main(void)
{
    test_forms();
    test_pairs();
    return check_report();
}
