/* fleet.h: the instances of one cluster as columns, so that the search for a place reads a few straight lines of numbers.
 * A row is an instance; rows stand in the order of the instances' ids, so "the first row" is "the smaller id" and a plan
 * does not depend on what happened before. A row whose instance is gone stays as a gap until enough gaps are worth closing.
 * Knows order and columns; what stands in them is written by columns_write in world.c alone. */
#ifndef BERTH_SCHEDULER_FLEET_H
#define BERTH_SCHEDULER_FLEET_H

#include "base/id.h"
#include "scheduler/pool.h"

enum { FLEET_BLOCK = 64 };                   /* rows are searched in blocks; what is behind the last row never fits */

#define FLEET_COLUMNS(X)                                                                                              \
    X(struct id, ids)                        /* also of gaps: they keep the order */                                  \
    X(uint32_t, instances)                   /* number in the world; NONE for a gap */                                \
    X(int32_t, cpu_free)                     /* -1 for a row that takes no tasks, so that nothing fits there */       \
    X(int32_t, memory_free)                                                                                           \
    X(int32_t, gpus_free)                                                                                             \
    X(int32_t, gpus_total)                                                                                            \
    X(int32_t, gpu_rank)                     /* 0 without GPUs, else free GPUs + 1: what is spared for GPU tasks */   \
    X(uint32_t, kinds)                       /* attributes (world.h) */                                               \
    X(uint64_t, port_bits)                   /* a bit per taken port modulo 64: most free ports show at a glance */   \
    X(int32_t, same_group)                   /* tasks of the fleet's `group` */                                       \
    /* scratch of a search */                                                                                         \
    X(int32_t, key)                          /* the row's last rank; RANK_OUT when it is out of the race */           \
    X(int32_t, least)                        /* per block: the least key in it */                                     \
    X(int32_t, rank)                         /* a rank that had to be worked out */

struct fleet {
    int64_t cluster;
    uint32_t rows, gaps, capacity;           /* rows up to here, gaps among them; capacity is whole blocks */
    uint32_t group;                          /* the one last asked for, held; a service places many tasks one after the other */
#define X(type, name) type *name;
    FLEET_COLUMNS(X)
#undef X
};

struct instance_slot;
/* The row for a new instance. Rows behind it may move: `instances` is the world's list, whose `row` fields follow. */
uint32_t fleet_add(struct pool *pool, struct fleet *fleet, struct id id, uint32_t instance, struct instance_slot *instances);
void     fleet_remove(struct fleet *fleet, uint32_t row, struct instance_slot *instances);
void     fleet_finish(struct pool *pool, struct fleet *fleet);       /* gives the columns back */

static inline uint32_t fleet_live(const struct fleet *fleet) { return fleet->rows - fleet->gaps; }

#endif
