/* check_internal.h: the types and functions that the files of the check share. */
#ifndef BERTH_STORE_CHECK_INTERNAL_H
#define BERTH_STORE_CHECK_INTERNAL_H

#include "store/store_internal.h"

struct check_room;
struct check {
    struct store_txn *txn;
    struct check_report *report;
    struct check_seals seals;
    struct arena arena;                      /* of one record */
    size_t entries[TABLE_COUNT];             /* index entries that the records ask for and that are there */
    int64_t last_revision;                   /* of the walk through the changes; 0: it begins */
    struct check_room *room;                 /* how much of each machine is held */
};

/* One entry of a table: its table, its key's parts, its value. */
typedef void check_entry(struct check *check, const struct walk *at, const struct key_parts *parts);

/* One look: a breach when it is not `good`. Gives `good` back. */
bool check_that(struct check *check, enum invariant invariant, bool good, const char *what, enum table table, const struct key_parts *parts);
void check_each(struct check *check, enum table table, check_entry *entry);
/* False, and a breach: the bytes are no record of this kind. */
bool check_record(struct check *check, const struct walk *at, const struct schema *schema, const struct key_parts *parts, void *record);
bool check_has(struct check *check, enum table table, const struct key_parts *parts);
bool check_has_cluster(struct check *check, int64_t number);
/* An index entry that the record of `parts` in `table` asks for: is it there, and (value absent: any) does it say this? */
void check_index(struct check *check, enum table index, const struct key *key, struct str value, enum table table, const struct key_parts *parts);

/* check_tasks.c: first the machines, then the tasks and the resources that they hold. */
void check_instances_and_tasks(struct check *check);

/* check_memory.c */
MUST_USE bool check_memory(struct store_txn *txn, struct err *err);

#endif
