/* random_struct.h: fills any struct that a schema describes with seeded chance, within the limits of its table. */
#ifndef BERTH_TESTS_RANDOM_STRUCT_H
#define BERTH_TESTS_RANDOM_STRUCT_H

#include "base/assert.h"
#include "base/rng.h"
#include "model/schema.h"

struct random_fill { struct rng rng; struct arena *arena; bool wire; };     /* wire: only what JSON can carry, required ones always */

static inline void random_members(struct random_fill *fill, const struct schema *schema, void *out, int depth);

static inline int64_t random_between(struct random_fill *fill, int64_t low, int64_t high)
{
    return low + (int64_t)rng_below(&fill->rng, (uint64_t)(high - low) + 1);
}

/* From `min` to `more` above it, but not above `max` unless that is 0. */
static inline int64_t random_up_to(struct random_fill *fill, int64_t min, int64_t max, int64_t more)
{
    return random_between(fill, min, max > 0 && max < min + more ? max : min + more);
}

static inline struct str random_text(struct random_fill *fill, int64_t min, int64_t max)
{
    static const struct str pieces[] = { STR_INIT("a"), STR_INIT("\"\\/\b\n"), STR_INIT("\xC3\xA4"), STR_INIT("Z9_"), STR_INIT("\x01") };
    struct buf buf = buf_in(fill->arena);
    int64_t wanted = random_up_to(fill, min, max, 12);
    while ((int64_t)buf.len < wanted) {
        size_t choices = (int64_t)buf.len + 6 > wanted ? 1 : COUNT_OF(pieces);     /* the last ones one byte at a time */
        buf_put(&buf, pieces[rng_below(&fill->rng, choices)]);
    }
    return arena_str(fill->arena, buf_str(&buf));
}

static inline struct opt_int random_int(struct random_fill *fill, const struct field *field, enum field_kind kind)
{
    if (kind == FIELD_INT && field->max > 0 && field->kind != FIELD_LIST) { return opt_int_of(random_between(fill, field->min, field->max)); }
    if (kind == FIELD_INT) { return opt_int_of((int32_t)rng_next(&fill->rng)); }
    return opt_int_of((int64_t)rng_next(&fill->rng) >> rng_below(&fill->rng, 60));
}

static inline struct opt_double random_double(struct random_fill *fill, const struct field *field)
{
    int64_t eighths = field->kind != FIELD_LIST && field->max > 0 ? random_between(fill, field->min * 8, field->max * 8) : (int32_t)rng_next(&fill->rng);
    return (struct opt_double){ (double)eighths / 8, true };
}

static inline void random_item(struct random_fill *fill, const struct field *field, void *item, int depth)
{
    if (field->element == FIELD_STR) { *(struct str *)item = random_text(fill, 0, 0); }
    if (field->element == FIELD_INT) { *(struct opt_int *)item = random_int(fill, field, FIELD_INT); }
    if (field->element == FIELD_DOUBLE) { *(struct opt_double *)item = random_double(fill, field); }
    if (field->element == FIELD_ENUM) { *(int *)item = (int)random_between(fill, 1, (int64_t)field->names->count); }
    if (field->element == FIELD_STRUCT) { random_members(fill, field->schema, item, depth + 1); }
    if (field->element == FIELD_ID) { ((struct id *)item)->bytes[3] = (uint8_t)rng_next(&fill->rng); }
}

static inline void random_list(struct random_fill *fill, const struct field *field, void *at, int depth)
{
    static const size_t sizes[FIELD_KIND_COUNT] = {
        [FIELD_STR] = sizeof(struct str), [FIELD_INT] = sizeof(struct opt_int), [FIELD_DOUBLE] = sizeof(struct opt_double), [FIELD_ENUM] = sizeof(int),
        [FIELD_ID] = sizeof(struct id),
    };
    size_t size = field->element == FIELD_STRUCT ? field->schema->size : sizes[field->element];
    struct { char *items; size_t count; } list = { LIST_NOTHING, (size_t)random_up_to(fill, field->min, field->max, 2) };
    if (list.count > 0) { list.items = arena_alloc(fill->arena, list.count, size); }
    for (size_t i = 0; i < list.count; i++) { random_item(fill, field, list.items + i * size, depth); }
    memcpy(at, &list, sizeof list);
}

static inline void random_map(struct random_fill *fill, struct pair_list *map)
{
    *map = (struct pair_list){ LIST_NOTHING, rng_below(&fill->rng, 3) };
    if (map->count > 0) { map->items = ARENA_NEW(fill->arena, struct pair, map->count); }
    for (size_t p = 0; p < map->count; p++) {
        map->items[p] = (struct pair){ arena_printf(fill->arena, "key%zu", p), random_text(fill, 0, 0) };
    }
}

static inline void random_member(struct random_fill *fill, const struct field *field, void *at, int depth)
{
    switch (field->kind) {
    case FIELD_STR:    *(struct str *)at = random_text(fill, field->min, field->max);                      return;
    case FIELD_BOOL:   *(enum opt_bool *)at = rng_below(&fill->rng, 2) == 0 ? OPT_FALSE : OPT_TRUE;        return;
    case FIELD_INT:
    case FIELD_LONG:   *(struct opt_int *)at = random_int(fill, field, field->kind);                       return;
    case FIELD_DOUBLE: *(struct opt_double *)at = random_double(fill, field);                              return;
    case FIELD_TIME:   *(int64_t *)at = random_between(fill, 1, 4102444800000);                            return;
    case FIELD_I64:    *(int64_t *)at = (int64_t)(rng_next(&fill->rng) | 1);                               return;
    case FIELD_ENUM:   *(int *)at = (int)random_between(fill, 1, (int64_t)field->names->count);            return;
    case FIELD_ID:     ((struct id *)at)->bytes[0] = (uint8_t)(rng_next(&fill->rng) | 1);                  return;
    case FIELD_LIST:   random_list(fill, field, at, depth);                                                return;
    case FIELD_MAP:    random_map(fill, at);                                                               return;
    case FIELD_JSON:   *(struct str *)at = arena_printf(fill->arena, "{\"n\":[%u,null]}", (unsigned)rng_below(&fill->rng, 99));  return;
    case FIELD_STRUCT: {
        void *made = arena_alloc(fill->arena, 1, field->schema->size);
        random_members(fill, field->schema, made, depth + 1);
        memcpy(at, &made, sizeof made);
        return;
    }
    case FIELD_KIND_COUNT: return;
    }
}

static inline void random_members(struct random_fill *fill, const struct schema *schema, void *out, int depth)
{
    for (size_t f = 0; f < schema->count; f++) {
        const struct field *field = &schema->fields[f];
        bool carried = fill->wire ? field->name.len > 0 : field->tag > 0;
        bool wanted = (fill->wire && field->required) || (depth < 6 && rng_below(&fill->rng, 3) > 0);
        if (carried && wanted) { random_member(fill, field, (char *)out + field->offset, depth); }
    }
}

#endif
