/* catalogue.c: a table of columns reads a line; then the line is checked as a whole. */
#include "model/catalogue/catalogue.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

enum column_kind { COLUMN_NAME, COLUMN_COUNT, COLUMN_DECIMAL, COLUMN_TEXT, COLUMN_WORD, COLUMN_BOOL, COLUMN_GENERATION, COLUMN_ARCHITECTURE, COLUMN_IGNORED };
enum { COLUMNS_MAX = 32, ROW_TEXT_MAX = 64, WORDS_MAX = 4, DECIMALS = 6 };

struct column {
    struct str name;
    enum column_kind kind;
    size_t offset;                           /* of the member */
    int64_t min, max;                        /* of a number */
    int64_t unit;                            /* COLUMN_DECIMAL: what 1 is in the member */
    bool required;
    struct str words[WORDS_MAX];             /* COLUMN_WORD */
};
#define AT(member) offsetof(struct instance_type, member)

static const struct column columns[] = {
    { STR_INIT("instance_type"),            COLUMN_NAME,         .offset = AT(name), .required = true },
    { STR_INIT("generation"),               COLUMN_GENERATION,   .offset = AT(previous) },
    { STR_INIT("architecture"),             COLUMN_ARCHITECTURE, .offset = 0 },
    { STR_INIT("cpu_manufacturer"),         COLUMN_TEXT,         .offset = AT(cpu_manufacturer) },
    { STR_INIT("vcpus"),                    COLUMN_COUNT,        .offset = AT(vcpus), .min = 1, .max = 100000, .required = true },
    { STR_INIT("memory_mib"),               COLUMN_COUNT,        .offset = AT(memory_mib), .min = 1, .max = INT32_MAX, .required = true },
    { STR_INIT("accelerator_type"),         COLUMN_WORD,         .offset = AT(accelerator_type),
      .words = { STR_INIT("gpu"), STR_INIT("fpga"), STR_INIT("inference"), STR_INIT("media") } },
    { STR_INIT("accelerator_count"),        COLUMN_COUNT,        .offset = AT(accelerators), .min = 0, .max = TYPE_ACCELERATORS_MAX },
    { STR_INIT("accelerator_manufacturer"), COLUMN_TEXT,         .offset = AT(accelerator_manufacturer) },
    { STR_INIT("accelerator_name"),         COLUMN_TEXT,         .offset = AT(accelerator_name) },
    { STR_INIT("accelerator_mib_each"),     COLUMN_COUNT,        .offset = AT(accelerator_mib), .min = 0, .max = INT32_MAX },
    { STR_INIT("accelerator_mib_total"),    COLUMN_COUNT,        .offset = AT(accelerator_mib_total), .min = 0,
      .max = (int64_t)INT32_MAX * TYPE_ACCELERATORS_MAX },
    { STR_INIT("gpu_fraction"),             COLUMN_DECIMAL,      .offset = AT(gpu_share), .min = 1, .max = 1000, .unit = 1000 },
    { STR_INIT("local_storage_gb"),         COLUMN_COUNT,        .offset = AT(storage_gb), .min = 0, .max = INT32_MAX },
    { STR_INIT("local_storage_type"),       COLUMN_WORD,         .offset = AT(storage_type), .words = { STR_INIT("ssd"), STR_INIT("hdd") } },
    { STR_INIT("network_mbps"),             COLUMN_COUNT,        .offset = AT(network_mbps), .min = 0, .max = INT32_MAX },
    { STR_INIT("ebs_baseline_mbps"),        COLUMN_COUNT,        .offset = AT(ebs_mbps), .min = 0, .max = INT32_MAX },
    { STR_INIT("network_interfaces"),       COLUMN_COUNT,        .offset = AT(interfaces), .min = 0, .max = 1000 },
    { STR_INIT("bare_metal"),               COLUMN_BOOL,         .offset = AT(bare_metal) },
    { STR_INIT("burstable"),                COLUMN_BOOL,         .offset = AT(burstable) },
    { STR_INIT("usd_per_hour"),             COLUMN_DECIMAL,      .offset = AT(price), .min = 0, .max = (int64_t)PRICE_DOLLAR * 1000000, .unit = PRICE_DOLLAR },
    { STR_INIT("max_count"),                COLUMN_COUNT,        .offset = AT(max_count), .min = 1, .max = 1000000 },
    { STR_INIT("facts_from"),               COLUMN_IGNORED,      .offset = 0 },
};
_Static_assert(COUNT_OF(columns) <= COLUMNS_MAX, "a head can name each column");

struct reading { size_t line; const struct column *head[COLUMNS_MAX]; size_t head_count; struct err *err; };

static bool refuse(const struct reading *reading, const struct column *column, struct str got, const char *wanted)
{
    return err_set(reading->err, ERR_INVALID_PARAMETER, "Line %zu of the instance types: " STR_FMT " is \"" STR_FMT "\", not %s.", reading->line,
                   STR_ARG(column->name), STR_ARG(str_shorten(got, ROW_TEXT_MAX)), wanted);
}

static bool refuse_line(const struct reading *reading, const char *mistake)
{
    return err_set(reading->err, ERR_INVALID_PARAMETER, "Line %zu of the instance types: %s.", reading->line, mistake);
}

/* ---- one field ---- */

static bool is_text(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < ' ' || text.ptr[i] > '~' || text.ptr[i] == '"') { return false; }
    }
    return text.len <= TYPE_NAME_MAX;
}

/* "0.526" in parts of `unit`, which is a power of ten. */
static bool read_decimal(struct str text, int64_t unit, int64_t *value)
{
    struct str whole, part;
    bool has_part = str_cut(text, '.', &whole, &part);
    int64_t high = 0, low = 0, scale = unit;
    if (!str_to_i64(whole, &high) || high < 0 || whole.ptr[0] == '-' || !mul_i64(high, unit, &high)) { return false; }
    if (has_part && (part.len == 0 || part.len > DECIMALS || part.ptr[0] == '-' || !str_to_i64(part, &low))) { return false; }
    for (size_t d = 0; d < part.len && has_part; d++) {
        if (scale % 10 != 0) { return false; }
        scale /= 10;
    }
    return add_i64(high, has_part ? low * scale : 0, value);
}

static bool read_number(const struct reading *reading, const struct column *column, struct str text, int64_t *value)
{
    bool good = column->kind == COLUMN_COUNT ? str_to_i64(text, value) : read_decimal(text, column->unit, value);
    if (good && *value >= column->min && *value <= column->max) { return true; }
    char wanted[ROW_TEXT_MAX];
    int64_t unit = column->kind == COLUMN_COUNT ? 1 : column->unit;
    if (column->kind == COLUMN_DECIMAL && column->min > 0) {
        snprintf(wanted, sizeof wanted, "a number of thousandths up to %lld", (long long)(column->max / unit));
    } else {
        snprintf(wanted, sizeof wanted, "a number from %lld to %lld", (long long)column->min, (long long)(column->max / unit));
    }
    return refuse(reading, column, text, wanted);
}

static bool read_architecture(const struct reading *reading, const struct column *column, struct str text, struct instance_type *type)
{
    struct str rest = text, one;
    type->x86_64 = type->arm64 = false;
    for (bool more = true; more;) {
        more = str_cut(rest, '/', &one, &rest);
        bool x86_64 = str_eq(one, STR("x86_64")), arm64 = str_eq(one, STR("arm64"));
        if (!x86_64 && !arm64) { return refuse(reading, column, text, "x86_64, arm64 or x86_64/arm64"); }
        type->x86_64 |= x86_64;
        type->arm64 |= arm64;
    }
    return true;
}

static bool read_word(const struct reading *reading, const struct column *column, struct str text, struct str *word)
{
    char wanted[ROW_TEXT_MAX] = "one of";
    size_t len = strlen(wanted);
    for (size_t w = 0; w < WORDS_MAX && str_is_set(column->words[w]); w++) {
        *word = column->words[w];
        if (str_eq(*word, text)) { return true; }
        int more = snprintf(wanted + len, sizeof wanted - len, " " STR_FMT, STR_ARG(*word));
        len += (size_t)more;
    }
    return refuse(reading, column, text, wanted);
}

static bool read_field(const struct reading *reading, const struct column *column, struct str text, struct instance_type *type)
{
    void *at = (char *)type + column->offset;
    if (text.len == 0) { return !column->required || refuse(reading, column, text, "given"); }
    switch (column->kind) {
    case COLUMN_COUNT:
    case COLUMN_DECIMAL: return read_number(reading, column, text, at);
    case COLUMN_WORD:    return read_word(reading, column, text, at);
    case COLUMN_ARCHITECTURE: return read_architecture(reading, column, text, type);
    case COLUMN_NAME:
    case COLUMN_TEXT:
        *(struct str *)at = text;
        if (column->kind == COLUMN_NAME ? instance_type_name_is_valid(text) : is_text(text)) { return true; }
        return refuse(reading, column, text, column->kind == COLUMN_NAME ? "1 to 64 letters, digits, '.', '-' and '_'" : "1 to 64 characters without quotes");
    case COLUMN_BOOL:
        *(bool *)at = str_eq(text, STR("true"));
        return *(bool *)at || str_eq(text, STR("false")) || refuse(reading, column, text, "true or false");
    case COLUMN_GENERATION:
        *(bool *)at = str_eq(text, STR("previous"));
        return *(bool *)at || str_eq(text, STR("current")) || refuse(reading, column, text, "current or previous");
    case COLUMN_IGNORED: return true;
    }
    return true;
}

/* ---- one line ---- */

static bool read_head(struct reading *reading, struct str line)
{
    struct str rest = line, name;
    for (bool more = true; more; reading->head_count++) {
        const struct column *column = NULL;
        more = str_cut(rest, ',', &name, &rest);
        for (size_t c = 0; c < COUNT_OF(columns); c++) { column = str_eq(columns[c].name, str_trim(name)) ? &columns[c] : column; }
        for (size_t h = 0; h < reading->head_count; h++) { column = reading->head[h] == column ? NULL : column; }
        if (column == NULL) {
            return err_set(reading->err, ERR_INVALID_PARAMETER, "Line %zu of the instance types: \"" STR_FMT "\" is no column, or is there twice.",
                           reading->line, STR_ARG(str_shorten(name, ROW_TEXT_MAX)));
        }
        reading->head[reading->head_count] = column;
    }
    for (size_t c = 0; c < COUNT_OF(columns); c++) {
        bool has = !columns[c].required;
        for (size_t h = 0; h < reading->head_count; h++) { has |= reading->head[h] == &columns[c]; }
        if (!has) {
            return err_set(reading->err, ERR_INVALID_PARAMETER, "Line %zu of the instance types: the column " STR_FMT " is missing.", reading->line,
                           STR_ARG(columns[c].name));
        }
    }
    return true;
}

static bool check_row(const struct reading *reading, struct instance_type *type)
{
    bool has = type->accelerators > 0, described = str_is_set(type->accelerator_name) || str_is_set(type->accelerator_type) ||
        str_is_set(type->accelerator_manufacturer) || type->accelerator_mib > 0 || type->accelerator_mib_total > 0;
    if (!has && described) { return refuse_line(reading, "accelerator_count is 0, but an accelerator is described"); }
    if (has && !(str_is_set(type->accelerator_type) && str_is_set(type->accelerator_name) && type->accelerator_mib > 0)) {
        return refuse_line(reading, "accelerators need accelerator_type, accelerator_name and accelerator_mib_each");
    }
    int64_t total = type->accelerators * type->accelerator_mib;
    if (type->accelerator_mib_total == 0) { type->accelerator_mib_total = total; }
    if (type->accelerator_mib_total != total) { return refuse_line(reading, "accelerator_mib_total is not accelerator_count times accelerator_mib_each"); }
    if (type->gpu_share != 1000 && instance_type_gpus(type) == 0) { return refuse_line(reading, "gpu_fraction is for types with GPUs"); }
    if ((type->storage_gb > 0) != str_is_set(type->storage_type)) { return refuse_line(reading, "local_storage_gb and local_storage_type go together"); }
    return true;
}

static bool read_row(const struct reading *reading, struct str line, struct instance_type *type)
{
    struct str rest = line, field;
    size_t at = 0;
    *type = (struct instance_type){ .x86_64 = true, .gpu_share = 1000, .price = PRICE_UNKNOWN, .line = reading->line };
    for (bool more = true; more; at++) {
        more = str_cut(rest, ',', &field, &rest);
        if (at == reading->head_count) { return refuse_line(reading, "more fields than the first line has columns"); }
        if (!read_field(reading, reading->head[at], str_trim(field), type)) { return false; }
    }
    return at < reading->head_count ? refuse_line(reading, "fewer fields than the first line has columns") : check_row(reading, type);
}

/* ---- the file ---- */

/* The lower line of two with the same name comes first. */
static int compare_names(const void *a, const void *b)
{
    const struct instance_type *one = a, *other = b;
    int order = str_cmp(one->name, other->name);
    return order != 0 ? order : one->line < other->line ? -1 : one->line > other->line;
}

static bool check_names(struct reading *reading, const struct instance_type *types, size_t count)
{
    for (size_t t = 1; t < count; t++) {
        if (!str_eq(types[t - 1].name, types[t].name)) { continue; }
        reading->line = types[t].line;
        return err_set(reading->err, ERR_INVALID_PARAMETER, "Line %zu of the instance types: " STR_FMT " is on line %zu too.", reading->line,
                       STR_ARG(types[t].name), types[t - 1].line);
    }
    return true;
}

bool catalogue_parse(struct str text, struct catalogue *catalogue, struct arena *arena, struct err *err)
{
    struct reading reading = { .err = err };
    size_t room = 0, count = 0;
    struct instance_type *types = NULL;
    if (text.len > CATALOGUE_BYTES_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "The instance types have more than %d bytes.", CATALOGUE_BYTES_MAX); }
    struct str rest = text, line;
    for (bool more = true; more;) {
        more = str_cut(rest, '\n', &line, &rest);
        reading.line++;
        line = str_trim(line);
        if (line.len == 0 || line.ptr[0] == '#') { continue; }
        if (reading.head_count == 0) {
            if (!read_head(&reading, line)) { return false; }
            continue;
        }
        if (count == CATALOGUE_TYPES_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "There are more than %d instance types.", CATALOGUE_TYPES_MAX); }
        if (count == room) {
            size_t next = room == 0 ? 64 : room * 2;
            types = arena_grow(arena, types, room * sizeof *types, next * sizeof *types);
            room = next;
        }
        if (!read_row(&reading, line, &types[count++])) { return false; }
    }
    if (reading.head_count == 0) { return err_set(err, ERR_INVALID_PARAMETER, "The instance types have no line that names the columns."); }
    if (count > 0) { qsort(types, count, sizeof *types, compare_names); }
    *catalogue = (struct catalogue){ types, count };
    return check_names(&reading, types, count);
}

/* ---- the types that Berth brings along ---- */

extern const unsigned char catalogue_bytes[];                    /* written by cmake/embed.cmake */
extern const size_t catalogue_bytes_len;

static pthread_once_t builtin_once = PTHREAD_ONCE_INIT;
static struct catalogue builtin;

struct str catalogue_builtin_text(void) { return (struct str){ (const char *)catalogue_bytes, catalogue_bytes_len }; }

static void read_builtin(void)
{
    static struct arena arena;                                   /* for the process's whole life */
    struct err err = { 0 };
    arena_init(&arena, CATALOGUE_BYTES_MAX);
    bool good = catalogue_parse(catalogue_builtin_text(), &builtin, &arena, &err);
    ASSERT(good);
}

const struct catalogue *catalogue_builtin(void)
{
    ASSERT(pthread_once(&builtin_once, read_builtin) == 0);
    return &builtin;
}

struct catalogue catalogue_join(const struct catalogue *catalogue, const struct catalogue *own, struct arena *arena)
{
    struct instance_type *types = ARENA_NEW(arena, struct instance_type, catalogue->count + own->count);
    size_t count = 0;
    for (size_t a = 0, b = 0; a < catalogue->count || b < own->count;) {
        int order = a == catalogue->count ? 1 : b == own->count ? -1 : str_cmp(catalogue->types[a].name, own->types[b].name);
        types[count++] = order < 0 ? catalogue->types[a] : own->types[b];
        a += order <= 0;
        b += order >= 0;
    }
    return (struct catalogue){ types, count };
}

/* ---- and users' own ---- */

static struct catalogue known;                                   /* no types: users have added none */

bool catalogue_add(struct str text, struct err *err)
{
    static struct arena arena;                                   /* for the process's whole life */
    struct catalogue own;
    if (arena.ceiling == 0) { arena_init(&arena, 16 * CATALOGUE_BYTES_MAX); }
    if (!catalogue_parse(arena_str(&arena, text), &own, &arena, err)) { return false; }
    known = catalogue_join(catalogue_builtin(), &own, &arena);
    return true;
}

const struct catalogue *catalogue_known(void) { return known.count > 0 ? &known : catalogue_builtin(); }

const struct instance_type *catalogue_find(const struct catalogue *catalogue, struct str name)
{
    size_t from = 0, to = catalogue->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = str_cmp(catalogue->types[middle].name, name);
        if (order == 0) { return &catalogue->types[middle]; }
        if (order < 0) { from = middle + 1; } else { to = middle; }
    }
    return NULL;
}
