/* schema.h: tables that describe structs, and the walkers over them: JSON or form → struct, struct → JSON or XML, struct → record bytes,
 * record bytes → struct. Knows kinds, names, limits and how to complain; refuses to know any single shape (tools/shapes writes those).
 *
 * How a member is held, by kind, and what "absent" looks like:
 *   FIELD_STR     struct str         ptr NULL            FIELD_TIME    int64_t ms since 1970   0
 *   FIELD_BOOL    enum opt_bool      OPT_UNSET           FIELD_ENUM    an enum, one per word   0
 *   FIELD_INT     struct opt_int     !set (32 bit)       FIELD_STRUCT  pointer                 NULL
 *   FIELD_LONG    struct opt_int     !set (64 bit)       FIELD_LIST    struct X_list           items NULL
 *   FIELD_DOUBLE  struct opt_double  !set                FIELD_MAP     struct pair_list        items NULL
 *   FIELD_ID      struct id          all zero            FIELD_I64     int64_t                 0
 *   FIELD_JSON    struct str, the text of any JSON value; ptr NULL
 * (FIELD_ID and FIELD_I64 are for records only, never for the wire.)
 * An empty list that is present has items != NULL and count 0 (LIST_NOTHING). */
#ifndef BERTH_MODEL_SCHEMA_H
#define BERTH_MODEL_SCHEMA_H

#include "base/id.h"
#include "base/json.h"

enum opt_bool { OPT_UNSET, OPT_FALSE, OPT_TRUE };
struct opt_int    { int64_t value; bool set; };
struct opt_double { double value; bool set; };
struct pair       { struct str key, value; };
struct pair_list  { struct pair *items; size_t count; };
struct str_list   { struct str *items; size_t count; };
struct int_list   { struct opt_int *items; size_t count; };
struct double_list { struct opt_double *items; size_t count; };
struct time_list  { int64_t *items; size_t count; };             /* ms since 1970; on output only */
struct enum_list  { int *items; size_t count; };               /* values of the enum that the field's names belong to */
struct enum_names { const struct str *words; size_t count; };  /* words[v - 1] is the word of value v; 0 is "absent" */

extern char list_nothing[];                                    /* what an empty but present list points to */
#define LIST_NOTHING ((void *)list_nothing)
static inline struct opt_int opt_int_of(int64_t value) { return (struct opt_int){ value, true }; }
static inline enum opt_bool  opt_bool_of(bool value) { return value ? OPT_TRUE : OPT_FALSE; }
bool       str_list_has(const struct str_list *list, struct str text);
struct str enum_word(const struct enum_names *names, int value);        /* absent string for 0 */
int        enum_value(const struct enum_names *names, struct str word); /* 0 when unknown */

enum field_kind {
    FIELD_STR, FIELD_BOOL, FIELD_INT, FIELD_LONG, FIELD_DOUBLE, FIELD_TIME, FIELD_ENUM, FIELD_STRUCT, FIELD_LIST, FIELD_MAP,
    FIELD_ID, FIELD_I64, FIELD_JSON, FIELD_KIND_COUNT
};

struct schema;
struct field {
    struct str name;                  /* on the wire; empty: never on the wire */
    uint16_t tag;                     /* in records; 0: never stored; a tag once used keeps its meaning for ever */
    enum field_kind kind;
    size_t offset;
    enum field_kind element;          /* FIELD_LIST: FIELD_STR, FIELD_INT, FIELD_DOUBLE, FIELD_TIME, FIELD_ENUM, FIELD_STRUCT or FIELD_ID */
    const struct schema *schema;      /* FIELD_STRUCT, lists of them */
    const struct enum_names *names;   /* FIELD_ENUM, lists of them */
    const char *complaint;            /* ECS's own words for an unknown word, or a number below the limit; NULL: the words that are known, the limits */
    bool required;                    /* on input */
    bool always;                      /* on output: print 0, 0.0 or false when unset */
    int64_t min, max;                 /* value, length in bytes, or count; max 0: no upper limit. Numbers are checked only
                                       * when max > 0 */
};
struct schema { struct str name; size_t size; const struct field *fields; size_t count; };   /* size in bytes */
#define SCHEMA_OF(name, type, fields) { STR_INIT(name), sizeof(type), (fields), COUNT_OF(fields) }

/* Fills *out (schema->size bytes, zeroed by this call) from `value`. Strings borrow from the JSON tree, the rest lives in
 * `arena`. null is absent, unknown members are ignored, as ECS does. Wrong types give ERR_SERIALIZATION, broken limits
 * `invalid` (ERR_INVALID_PARAMETER or ERR_CLIENT); both name the member with its path,
 * "containerDefinitions[0].portMappings[2].hostPort". */
bool schema_decode(const struct schema *schema, const struct json *value, void *out, struct arena *arena, enum err_code invalid,
                   struct err *err);

void schema_print(const struct schema *schema, const void *value, struct json_out *out);

/* The same for AWS's query protocol. A form in (schema_form.c says how it names members), with lists flat ("List.1") or not ("List.member.1");
 * texts live in `arena`; a flat form with a name that the table does not have is refused (ERR_EC2_UNKNOWN_PARAMETER). XML out, without an element
 * around it: items of a list are elements called `item` within the list's ("member", EC2's "item"); where that is empty, each item is an element of
 * the list's own name. */
bool schema_read_form(const struct schema *schema, struct str form, bool flat, void *out, struct arena *arena, enum err_code invalid, struct err *err);
void schema_print_xml(const struct schema *schema, const void *value, struct str item, struct buf *out);

/* Record form: fields in order of the table, in which tags grow, each a varint (tag << 3 | wire type) and its value, as in Protocol Buffers'
 * encoding; absent members take no room, unknown tags are skipped on reading, so that a record outlives its version.
 * schema_unpack returns false for bytes that no schema_pack has written; strings borrow from `bytes`. */
void schema_pack(const struct schema *schema, const void *value, struct buf *out);
MUST_USE bool schema_unpack(const struct schema *schema, struct str bytes, void *out, struct arena *arena);

#endif
