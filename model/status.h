/* status.h: tables of the steps that a status may take: a row per status, a bit per next status. Knows no noun: the functions that
 * change a status are beside their nouns (task.h, instance.h, cluster.h, taskdef.h, service.h), and nothing else assigns one. */
#ifndef BERTH_MODEL_STATUS_H
#define BERTH_MODEL_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"

#define STATUS_BIT(status) (1u << (status))

/* `rows` has `count` rows, 32 at most. A step from a status to itself is in no table. */
static inline bool status_may_become(const uint32_t *rows, size_t count, unsigned from, unsigned to)
{
    ASSERT(count <= 32);
    ASSERT(from < count);
    ASSERT(to < count);
    return (rows[from] & STATUS_BIT(to)) != 0;
}

#endif
