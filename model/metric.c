#include "model/metric.h"

#include <stdlib.h>

#include "base/buf.h"

struct metric_value metric_add(struct metric_value a, struct metric_value b)
{
    if (a.count <= 0 || b.count <= 0) { return a.count <= 0 ? b : a; }
    return (struct metric_value){ a.count + b.count, a.sum + b.sum, a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most };
}

bool metric_is_own(struct str space) { return str_eq(space, STR("Berth")); }

static int compare(const void *a, const void *b)
{
    const struct pair *one = a, *other = b;
    int order = str_cmp(one->key, other->key);
    return order != 0 ? order : str_cmp(one->value, other->value);
}

/* With its length before it, no part can look like two. */
static void put_part(struct buf *out, struct str part) { buf_printf(out, "%zu:" STR_FMT, part.len, STR_ARG(part)); }

struct str metric_key(struct str space, struct str name, const struct pair_list *dimensions, struct arena *arena)
{
    struct buf out = buf_in(arena);
    struct pair *sorted = ARENA_NEW(arena, struct pair, dimensions->count + 1);
    for (size_t d = 0; d < dimensions->count; d++) { sorted[d] = dimensions->items[d]; }
    qsort(sorted, dimensions->count, sizeof *sorted, compare);
    put_part(&out, space);
    put_part(&out, name);
    for (size_t d = 0; d < dimensions->count; d++) {
        put_part(&out, sorted[d].key);
        put_part(&out, sorted[d].value);
    }
    return buf_str(&out);
}
