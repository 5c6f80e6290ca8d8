/* check_memory.c: compares the memory that is derived from the file with the file. For tests: one process can't look into the memory of another. */
#include "store/check/check_internal.h"

#include <stdlib.h>

struct memory_check {
    struct store_txn *txn;
    struct arena arena;                      /* of one record */
    struct err *err;
    size_t live_tasks;
};

static bool differs(struct memory_check *check, const char *what, enum table table, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    if (check->err->code != ERR_NONE) { return false; }
    return err_set(check->err, ERR_SERVER, "store check: %s (table %s, id %s)", what, layouts[table].name, hex);
}

typedef bool memory_entry(struct memory_check *check, const struct walk *at, struct id id);

static bool each_entry(struct memory_check *check, enum table table, memory_entry *entry)
{
    bool good = true;
    struct walk walk = walk_begin(check->txn, table);
    for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found && good; found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts;
        arena_reset(&check->arena);
        good = key_read(table, walk.key, &parts) && entry(check, &walk, parts.id);
    }
    walk_end(&walk);
    return good;
}

/* Memory and record must agree on a live task. */
static bool check_task_in_memory(struct memory_check *check, const struct task *task)
{
    struct live_facts facts;
    bool known = live_view(check->txn, task->id, &facts);
    if (!task_is_live(task)) { return !known || differs(check, "a stopped task is live in memory", TABLE_TASKS, task->id); }
    check->live_tasks++;
    if (!known) { return differs(check, "a live task is not in memory", TABLE_TASKS, task->id); }
    struct holdings *holdings = holdings_of(task);
    bool same = id_eq(facts.instance, task->instance) && facts.cluster == task->cluster_number && facts.deployment == task->deployment && facts.cpu == task->cpu
        && facts.memory_mib == task->memory_mib && facts.last_status == task->last_status
        && facts.desired_status == task->desired_status && holdings_eq(facts.holdings, holdings);
    free(holdings);
    return same || differs(check, "memory and record differ", TABLE_TASKS, task->id);
}

static bool check_task(struct memory_check *check, const struct walk *at, struct id id)
{
    struct task task;
    if (!record_read_at(at, &task_record, at->value, &task, &check->arena)) { return false; }
    task.id = id;
    return check_task_in_memory(check, &task);
}

/* The tasks that memory finds by token are those that the records name. */
static bool check_token(struct memory_check *check, const struct walk *at, struct id id)
{
    struct task task;
    struct id *ids;
    if (!record_read_at(at, &task_key_record, at->value, &task, &check->arena)) { return false; }
    if (task.client_token.len == 0) { return true; }
    size_t count = store_tasks_by_token(check->txn, task.cluster_number, task.client_token, &ids, &check->arena);
    for (size_t t = 0; t < count; t++) {
        if (id_eq(ids[t], id)) { return true; }
    }
    return differs(check, "a task is not found by its client token", TABLE_TASKS, id);
}

static bool check_linked(struct memory_check *check, const struct walk *at, struct id id)
{
    struct id *ids;
    (void)at;
    size_t count = store_tasks_on_instance(check->txn, id, &ids, &check->arena);
    for (size_t t = 0; t < count; t++) {
        struct live_facts facts;
        if (!live_view(check->txn, ids[t], &facts) || !id_eq(facts.instance, id)) {
            return differs(check, "a task is linked to an instance that it is not on", TABLE_INSTANCES, id);
        }
    }
    return true;
}

static bool check_events(struct memory_check *check)
{
    struct id which;
    return live_agrees(check->txn, &which)
        || differs(check, "memory counts other events or tasks of deployments than the records, or another instance", TABLE_INSTANCES, which);
}

struct recount { struct cluster_counts *counts; int64_t highest; };      /* by number; of those that have one */

static void recount_task(void *context, const struct task *task)
{
    const struct recount *recount = context;
    if (task->cluster_number > recount->highest) { return; }
    struct cluster_counts *counts = &recount->counts[task->cluster_number];
    counts->live_tasks++;
    if (task->last_status == TASK_RUNNING) { counts->running++; }
    if (task->last_status == TASK_PENDING) { counts->pending++; }
}

static void recount_instance(void *context, const struct instance *instance)
{
    const struct recount *recount = context;
    if (instance->cluster_number > recount->highest) { return; }
    struct cluster_counts *counts = &recount->counts[instance->cluster_number];
    if (instance->status == INSTANCE_ACTIVE || instance->status == INSTANCE_DRAINING) { counts->instances++; }
}

static void recount_service(void *context, const struct service *service)
{
    const struct recount *recount = context;
    if (service->cluster_number > recount->highest || service->daemon != NULL) { return; }
    struct cluster_counts *counts = &recount->counts[service->cluster_number];
    if (service->status == SERVICE_ACTIVE) { counts->services++; }
    if (service->status == SERVICE_DRAINING) { counts->draining_services++; }
}

static bool check_cluster_counts(struct memory_check *check)
{
    int64_t highest = store_last_cluster_number(check->txn);
    struct cluster_counts *counts = array_zeroed((size_t)highest + 1, sizeof *counts);
    struct recount recount = { counts, highest };
    store_scan_instances(check->txn, recount_instance, &recount);
    store_scan_live_tasks(check->txn, recount_task, &recount);
    store_scan_services(check->txn, recount_service, &recount);
    bool good = true;
    for (int64_t c = 1; c <= highest && good; c++) {
        struct cluster_counts kept = store_cluster_counts(check->txn, c);
        good = kept.instances == counts[c].instances && kept.running == counts[c].running && kept.pending == counts[c].pending
            && kept.live_tasks == counts[c].live_tasks && kept.services == counts[c].services
            && kept.draining_services == counts[c].draining_services;
    }
    free(counts);
    return good || differs(check, "a cluster's counts differ from its lists", TABLE_CLUSTERS, (struct id){ { 0 } });
}

bool check_memory(struct store_txn *txn, struct err *err)
{
    struct memory_check check = { .txn = txn, .err = err };
    arena_init(&check.arena, SCRATCH_MAX);
    bool good = each_entry(&check, TABLE_TASKS, check_task)
        && (check.live_tasks == live_count(txn) || differs(&check, "memory holds live tasks without a record", TABLE_TASKS, (struct id){ { 0 } }))
        && each_entry(&check, TABLE_TASKS, check_token) && each_entry(&check, TABLE_INSTANCES, check_linked) && check_events(&check)
        && check_cluster_counts(&check);
    arena_finish(&check.arena);
    return good;
}
