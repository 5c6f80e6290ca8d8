/* apply.c: a store that follows another. The writes come as the other store's sink was given them, those of indexes and of the change feed too, so one rule is
 * enough for all tables and no member derives anything by itself. Only the memory of live tasks, instances and services is derived, from the same
 * records and by the same notes as where they were first written.
 *
 * The writes come from another machine: a key or a value that no store writes poisons the transaction, and nothing of it is kept. */
#include "store/store_internal.h"

#include <stdio.h>

typedef void note_write(struct store_txn *txn, const struct store_write *write, const struct key_parts *parts);

/* ---- the memory ---- */

static void note_task(struct store_txn *txn, const struct store_write *write, const struct key_parts *parts)
{
    const struct task *before = store_task(txn, parts->id, &txn->scratch);
    struct task *after = write->deletes ? NULL : ARENA_NEW(&txn->scratch, struct task, 1);
    if (after != NULL) {
        if (!record_read(txn, TABLE_TASKS, write->key, &task_record, write->value, after, &txn->scratch)) { return; }
        after->id = parts->id;
    }
    if (before != NULL || after != NULL) { live_note_task(txn, before, after); }
}

static void note_instance(struct store_txn *txn, const struct store_write *write, const struct key_parts *parts)
{
    struct instance *instance = ARENA_NEW(&txn->scratch, struct instance, 1);
    if (write->deletes) { live_note_dropped(txn, parts->id); return; }
    if (!record_read(txn, TABLE_INSTANCES, write->key, &instance_record, write->value, instance, &txn->scratch)) { return; }
    instance->id = parts->id;
    live_note_instance(txn, instance);
}

/* As in store_put_service: only ACTIVE and DRAINING ones are counted, and a deleted record is of neither. */
static void note_service(struct store_txn *txn, const struct store_write *write, const struct key_parts *parts)
{
    struct service *service = ARENA_NEW(&txn->scratch, struct service, 1);
    if (write->deletes || !record_read(txn, TABLE_SERVICES, write->key, &service_record, write->value, service, &txn->scratch)) { return; }
    const struct service *before = store_service(txn, parts->number, &txn->scratch);
    enum service_status was = before == NULL ? SERVICE_STATUS_UNSET : before->status;
    if (service->daemon == NULL && was != service->status) { live_note_service(txn, service->cluster_number, was, service->status); }
}

static note_write *const notes[TABLE_COUNT] = { [TABLE_TASKS] = note_task, [TABLE_INSTANCES] = note_instance, [TABLE_SERVICES] = note_service };

/* ---- writes ---- */

/* TABLE_COUNT: there is none. `guess`: writes to one table come together. */
static size_t table_named(const char *name, size_t guess)
{
    if (guess < TABLE_COUNT && strcmp(layouts[guess].name, name) == 0) { return guess; }
    size_t t = 0;
    while (t < TABLE_COUNT && strcmp(layouts[t].name, name) != 0) { t++; }
    return t;
}

/* Writes that no store makes. */
static const char *wrong_with(size_t table, const struct store_write *write, struct key_parts *parts)
{
    if (table == TABLE_COUNT) { return "a table that this program does not know: update it"; }
    bool many = layouts[table].many, valued = str_is_set(write->value);
    if (write->key.len == 0 || write->key.len > KEY_MAX || !key_read((enum table)table, write->key, parts)) { return "a key that no store writes"; }
    if (write->deletes ? valued != many : !valued) { return "an entry without its value"; }
    if (many && write->value.len != sizeof parts->id.bytes) { return "a value that is no id"; }
    return NULL;
}

void store_apply(struct store_txn *txn, int64_t revision, const struct store_write *writes, size_t count)
{
    char problem[sizeof txn->problem];
    size_t table = 0;
    if (revision != store_revision(txn) + 1) { txn_poison(txn, "the writes of another commit should come first"); }
    for (size_t w = 0; w < count && txn_is_sound(txn); w++) {
        struct key_parts parts = { 0 };
        table = table_named(writes[w].table, table);
        const char *wrong = wrong_with(table, &writes[w], &parts);
        if (wrong != NULL) {
            (void)snprintf(problem, sizeof problem, "commit %lld of the leader has %s (%.40s)", (long long)revision, wrong, writes[w].table);
            txn_poison(txn, problem);
            return;
        }
        if (notes[table] != NULL) {
            arena_reset(&txn->scratch);
            notes[table](txn, &writes[w], &parts);
        }
        txn_apply(txn, (enum table)table, &writes[w]);
    }
    if (txn_is_sound(txn) && changes_last_revision(txn) != revision) { txn_poison(txn, "the writes of a commit have not its row of the change feed"); }
    txn->revision = revision;
}
