/* task_index.c: the index of a cluster's tasks: all of them, by family, by startedBy and by group. Tasks of one call have the same few keys,
 * and so do tasks that end together. So ids wait in memory, by key, and are put together: the engine then looks for the key once and not for
 * each id. They are put when the transaction ends, or before the table is read. */
#include "store/store_internal.h"

#include <stdlib.h>

/* "family:NAME": the group of a task whose caller named no other. */
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
    ASSERT(made);                                        /* the API has limited names and texts */
}

bool task_index_key(struct key *key, const struct task *task, enum task_index index)
{
    struct key_parts parts;
    if (!parts_of(&parts, task, index)) { return false; }
    make_key(key, &parts);
    return true;
}

/* Is the task under the same key in every index? After most changes it is. */
static bool listed_alike(const struct task *a, const struct task *b)
{
    return a->desired_status == b->desired_status && a->cluster_number == b->cluster_number && str_eq(a->family, b->family)
        && str_eq(a->started_by, b->started_by) && str_eq(a->group, b->group);
}

static bool same_parts(const struct key_parts *a, const struct key_parts *b)
{
    return a->index == b->index && a->status == b->status && a->cluster == b->cluster && str_eq(a->text, b->text);
}

/* ---- ids that wait ---- */

static struct index_run *find_run(struct index_queue *queue, const struct key_parts *parts)
{
    for (size_t r = 0; r < queue->count; r++) {
        if (same_parts(&queue->runs[r].parts, parts)) { return &queue->runs[r]; }
    }
    return NULL;
}

/* The ids that wait for this key. When there is no room for one more key, all ids that wait are put first. */
static struct index_run *run_of(struct store_txn *txn, const struct key_parts *parts)
{
    struct index_queue *queue = &txn->store->index_queue;
    struct index_run *run = find_run(queue, parts);
    if (run != NULL) { return run; }
    if (queue->count == INDEX_RUNS_MAX) { task_index_settle(txn); }
    ASSERT(queue->count < INDEX_RUNS_MAX);
    run = &queue->runs[queue->count++];
    make_key(&run->key, parts);
    bool read = key_read(TABLE_TASK_INDEX, key_str(&run->key), &run->parts);             /* its text is the key's */
    ASSERT(read && same_parts(&run->parts, parts));
    run->count = 0;
    return run;
}

static void put_in(struct store_txn *txn, const struct key_parts *parts, struct id id, bool newest)
{
    struct index_run *run = run_of(txn, parts);
    bool first = run->count == 0;
    run->newest = newest && (first || run->newest);
    if (first || id_cmp(id, run->least) < 0) { run->least = id; }
    if (first || id_cmp(id, run->most) > 0) { run->most = id; }
    run->ids = array_grow(run->ids, &run->capacity, run->count + 1, sizeof *run->ids);
    run->ids[run->count++] = id;
}

/* The id may still wait: then it is put first, to be found. */
static void take_out(struct store_txn *txn, const struct key_parts *parts, struct id id)
{
    const struct index_run *run = find_run(&txn->store->index_queue, parts);
    if (run != NULL && id_cmp(id, run->least) >= 0 && id_cmp(id, run->most) <= 0) { task_index_settle(txn); }
    struct key key;
    make_key(&key, parts);
    txn_delete_id(txn, TABLE_TASK_INDEX, &key, id);
}

void task_index_put(struct store_txn *txn, const struct task *before, const struct task *after)
{
    ASSERT(before != NULL || after != NULL);
    ASSERT(before == NULL || after == NULL || id_eq(before->id, after->id));
    if (before != NULL && after != NULL && listed_alike(before, after)) { return; }
    if (!txn_is_sound(txn)) { return; }
    struct id id = before != NULL ? before->id : after->id;
    for (enum task_index index = TASKS_BY_CLUSTER; index <= TASKS_BY_GROUP; index++) {
        struct key_parts old_parts, new_parts;
        bool had = before != NULL && parts_of(&old_parts, before, index);
        bool has = after != NULL && parts_of(&new_parts, after, index);
        if (had && has && same_parts(&old_parts, &new_parts)) { continue; }
        if (had) { take_out(txn, &old_parts, id); }
        if (has) { put_in(txn, &new_parts, id, false); }
    }
}

void task_index_add(struct store_txn *txn, const struct task *task)
{
    if (!txn_is_sound(txn)) { return; }
    for (enum task_index index = TASKS_BY_CLUSTER; index <= TASKS_BY_GROUP; index++) {
        struct key_parts parts;
        if (parts_of(&parts, task, index)) { put_in(txn, &parts, task->id, true); }
    }
}

static int order_ids(const void *a, const void *b) { return id_cmp(*(const struct id *)a, *(const struct id *)b); }

void task_index_settle(struct store_txn *txn)
{
    struct index_queue *queue = &txn->store->index_queue;
    size_t count = queue->count;
    queue->count = 0;                                    /* first: a put would settle again */
    for (size_t r = 0; r < count; r++) {
        const struct index_run *run = &queue->runs[r];
        if (!run->newest) { qsort(run->ids, run->count, sizeof *run->ids, order_ids); }
        ASSERT(id_eq(run->ids[0], run->least) && id_eq(run->ids[run->count - 1], run->most));   /* they are in order */
        txn_put_ids(txn, TABLE_TASK_INDEX, &run->key, run->ids, run->count, run->newest ? PUT_LAST : PUT_ANYWHERE);
    }
}

void task_index_forget(struct store *store) { store->index_queue.count = 0; }

void task_index_finish(struct store *store)
{
    for (size_t r = 0; r < INDEX_RUNS_MAX; r++) { free(store->index_queue.runs[r].ids); }
    store->index_queue = (struct index_queue){ 0 };
}
