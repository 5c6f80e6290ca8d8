/* schema_internal.h: shared by the walkers: the position of a member and the size of an element. Only model/schema_*.c
 * include it.
 *
 * Members are reached by copying (memcpy) where the walker does not know the struct's own type: any `struct X_list` has the
 * shape of struct any_list, but is not that type. */
#ifndef BERTH_MODEL_SCHEMA_INTERNAL_H
#define BERTH_MODEL_SCHEMA_INTERNAL_H

#include "base/assert.h"
#include "model/schema.h"

struct any_list { void *items; size_t count; };

static inline const void *member_of(const void *base, const struct field *field) { return (const char *)base + field->offset; }
static inline void       *member_in(void *base, const struct field *field)       { return (char *)base + field->offset; }

static inline struct any_list list_at(const void *at)
{
    struct any_list list;
    memcpy(&list, at, sizeof list);
    return list;
}

static inline const void *pointer_at(const void *at)
{
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static inline int enum_at(const void *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* In bytes; what one item of this list takes in memory. */
size_t schema_element_size(const struct field *field);

#endif
