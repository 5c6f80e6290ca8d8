/* task_index.c: which tasks a cluster has, by nothing, family, who started them and group. Tasks of one call stand under the same few
 * keys, so the ids of new ones wait in memory, by key, and go in together: LMDB then looks for the key once and not for each id.
 * They go in when the transaction ends or somebody looks at the table, whichever comes first. */
#include "store/store_internal.h"

#include <stdlib.h>

/* "family:NAME", which every task of the family has unless its caller said otherwise. */
static bool is_own_group(const struct task *task)
{
    struct str prefix = STR("family:");
    return str_starts_with(task->group, prefix) && str_eq(str_slice(task->group, prefix.len, task->group.len), task->family);
}

/* False: the task is not in that index. The text is the task's. */
static bool parts_of(struct key_parts *parts, const struct task *task, enum task_index index)
{
    *parts = (struct key_parts){ .index = (int)index, .cluster = task->cluster_number, .status = (int)task->desired_status };
    switch (index) {
    case TASKS_BY_CLUSTER:                                     return true;
    case TASKS_BY_FAMILY:     parts->text = task->family;      break;
    case TASKS_BY_STARTED_BY: parts->text = task->started_by;  break;
    case TASKS_BY_GROUP:      parts->text = task->group;       break;
    }
    return parts->text.len > 0 && !(index == TASKS_BY_GROUP && is_own_group(task));
}

static void make_key(struct key *key, const struct key_parts *parts)
{
    bool made = key_make(key, TABLE_TASK_INDEX, parts);
    ASSERT(made);                                        /* names and texts were limited at the door */
}

bool task_index_key(struct key *key, const struct task *task, enum task_index index)
{
    struct key_parts parts;
    if (!parts_of(&parts, task, index)) { return false; }
    make_key(key, &parts);
    return true;
}

/* The same task, in every index under the same key: most changes move it in none. */
static bool listed_alike(const struct task *a, const struct task *b)
{
    return a->desired_status == b->desired_status && a->cluster_number == b->cluster_number && str_eq(a->family, b->family)
        && str_eq(a->started_by, b->started_by) && str_eq(a->group, b->group);
}

void task_index_put(struct store_txn *txn, const struct task *before, const struct task *after)
{
    ASSERT(before != NULL || after != NULL);
    if (before != NULL && after != NULL && listed_alike(before, after)) { return; }
    struct id id = before != NULL ? before->id : after->id;
    struct str value = { (const char *)id.bytes, sizeof id.bytes };
    for (enum task_index index = TASKS_BY_CLUSTER; index <= TASKS_BY_GROUP; index++) {
        struct key old_key, new_key;
        bool had = before != NULL && task_index_key(&old_key, before, index);
        bool has = after != NULL && task_index_key(&new_key, after, index);
        if (had && has && str_eq(key_str(&old_key), key_str(&new_key))) { continue; }
        if (had) { txn_delete(txn, TABLE_TASK_INDEX, &old_key, &value); }
        if (has) { txn_put(txn, TABLE_TASK_INDEX, &new_key, value, 0); }
    }
}

/* ---- new tasks ---- */

/* The ids that wait for this key. When there are as many keys as have room, all that wait goes in. */
static struct index_run *run_of(struct store_txn *txn, const struct key_parts *parts)
{
    struct index_queue *queue = &txn->store->index_queue;
    for (size_t r = 0; r < queue->count; r++) {
        const struct key_parts *has = &queue->runs[r].parts;
        bool same = has->index == parts->index && has->status == parts->status && has->cluster == parts->cluster && str_eq(has->text, parts->text);
        if (same) { return &queue->runs[r]; }
    }
    if (queue->count == INDEX_RUNS_MAX) { task_index_settle(txn); }
    struct index_run *run = &queue->runs[queue->count++];
    make_key(&run->key, parts);
    bool read = key_read(TABLE_TASK_INDEX, key_str(&run->key), &run->parts);             /* its text is the key's */
    ASSERT(read);
    run->count = 0;
    return run;
}

void task_index_add(struct store_txn *txn, const struct task *task)
{
    if (!txn_is_sound(txn)) { return; }
    for (enum task_index index = TASKS_BY_CLUSTER; index <= TASKS_BY_GROUP; index++) {
        struct key_parts parts;
        if (!parts_of(&parts, task, index)) { continue; }
        struct index_run *run = run_of(txn, &parts);
        run->ids = array_grow(run->ids, &run->capacity, run->count + 1, sizeof *run->ids);
        run->ids[run->count++] = task->id;
    }
}

void task_index_settle(struct store_txn *txn)
{
    struct index_queue *queue = &txn->store->index_queue;
    size_t count = queue->count;
    queue->count = 0;                                    /* first: a put would settle again */
    for (size_t r = 0; r < count; r++) { txn_append_ids(txn, TABLE_TASK_INDEX, &queue->runs[r].key, queue->runs[r].ids, queue->runs[r].count); }
}

void task_index_forget(struct store *store) { store->index_queue.count = 0; }

void task_index_finish(struct store *store)
{
    for (size_t r = 0; r < INDEX_RUNS_MAX; r++) { free(store->index_queue.runs[r].ids); }
    store->index_queue = (struct index_queue){ 0 };
}
