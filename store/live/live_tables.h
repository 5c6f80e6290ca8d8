/* live_tables.h: the structures behind struct live. Included by live_*.c only. live.c and live_view.c take the
 * lock, and nothing here does. */
#ifndef BERTH_STORE_LIVE_TABLES_H
#define BERTH_STORE_LIVE_TABLES_H

#include "store/store_internal.h"

struct items { const void *base; size_t stride; };                   /* the array; lent for a call */

static const uint32_t NO_PLACE = TABLE_NONE;
uint32_t id_find(const struct hash_table *table, struct items items, struct id id);       /* its place in the array; NO_PLACE: none */
void     id_fetch_item(const struct hash_table *table, struct items items, struct id id); /* its item, into the processor's caches: a hint */

const struct token *tokens_find(const struct tokens *tokens, uint64_t print);        /* NULL: none */
void tokens_add(struct tokens *tokens, uint64_t print, struct id id);
void tokens_finish(struct tokens *tokens);
void tokens_remove(struct tokens *tokens, uint64_t print);                           /* one of its tasks */

struct slot {                                                        /* a live task: as much as its facts, in 64 bytes */
    struct id id;
    int64_t cpu, memory_mib;
    struct holdings *holdings;                                       /* owned, or NULL */
    uint32_t cluster;
    uint32_t instance, next, previous;                               /* places: of its instance or NO_PLACE; of others there; of the next free slot */
    uint32_t deployment;                                             /* place; NO_PLACE: it has no service */
    uint8_t last_status, desired_status;
};
struct live_deployment { int64_t digits; struct deployment_counts counts; uint32_t next_free; };         /* digits 0: a free place */
struct live_instance {
    struct id id;
    int64_t cluster, deregistered_ms, events;
    enum instance_status status;                                     /* UNSET: known by its tasks only, or a free place */
    uint32_t first;                                                  /* of its tasks; of a free place: the next free one */
    struct traits traits;
};

struct live {
    struct rwlock lock;
    int64_t revision;                                    /* of the commit that was applied last */
    struct slot *slots; size_t slot_count, slot_capacity, live_count; uint32_t free_slot;
    uint32_t unplaced;                                   /* the first of the tasks without an instance */
    struct wide_table by_id;
    struct live_instance *instances; size_t instance_count, instance_capacity; uint32_t free_instance;
    struct hash_table instances_by_id;
    struct cluster_counts *clusters; size_t cluster_count, cluster_capacity;     /* by number */
    struct live_deployment *deployments; size_t deployment_count, deployment_capacity; uint32_t free_deployment;
    struct hash_table deployments_by_digits;
    struct tokens tokens;
};
static inline const struct hash_table *ids_of(const struct live *live, struct id id) { return TABLE_PART(&live->by_id, hash_id(id)); }
static inline struct items slots_of(const struct live *live)     { return (struct items){ live->slots, sizeof *live->slots }; }
static inline struct items instances_of(const struct live *live) { return (struct items){ live->instances, sizeof *live->instances }; }
static inline struct items notes_of(const struct live_notes *notes) { return (struct items){ notes->tasks, sizeof *notes->tasks }; }

struct live_facts facts_in(const struct live *live, const struct slot *slot);        /* holdings stay the slot's */
/* The note of a task in this transaction; NULL: it has no note. */
const struct live_note *live_note_of(const struct store_txn *txn, struct id id);
/* Adds the task or the instance to a cluster's counts (sign 1) or takes it off (-1). */
void counts_add_task(struct cluster_counts *counts, const struct live_facts *facts, int sign);
void counts_note_service(struct cluster_counts *counts, const struct service_note *note);
void counts_add_service_task(struct deployment_counts *counts, const struct live_facts *facts, int sign);
uint32_t live_deployment_find(const struct live *live, int64_t digits);              /* NO_PLACE: no live task has it */
bool counts_instance(enum instance_status status);       /* ACTIVE and DRAINING ones are registered */

#endif
