/* check.c: every invariant of the file and of the memory derived from it. Walks each table once, and looks from both sides:
 * every record has its index entries, every index entry its record, and neither has more. For tests and `berth check`; its
 * memory is a small multiple of what is live. */
#include "store/store_internal.h"

#include <stdlib.h>

struct check {
    struct store_txn *txn;
    struct arena arena;                      /* of one record */
    const struct walk *at;                   /* where it stands */
    struct err *err;
    size_t entries[TABLE_COUNT];             /* index entries that the records ask for */
    size_t live_tasks;
    int64_t highest_cluster;
};

static bool broken(struct check *check, const char *what, enum table table, struct id id)
{
    char hex[ID_HEX_LEN + 1];
    id_hex(id, hex);
    if (check->err->code != ERR_NONE) { return false; }
    return err_set(check->err, ERR_SERVER, "store check: %s (table %s, id %s)", what, layouts[table].name, hex);
}

static bool broken_name(struct check *check, const char *what, enum table table, struct str name)
{
    if (check->err->code != ERR_NONE) { return false; }
    return err_set(check->err, ERR_SERVER, "store check: %s (table %s, name " STR_FMT ")", what, layouts[table].name,
                   STR_ARG(str_slice(name, 0, 100)));
}

/* One entry of a table: its key's parts, its value. False stops the walk; the cause is in check->err. */
typedef bool check_entry(struct check *check, const struct key_parts *parts, struct str value);

static bool each_entry(struct check *check, enum table table, check_entry *entry)
{
    bool good = true;
    struct walk walk = walk_begin(check->txn, table);
    check->at = &walk;
    for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found && good; found = walk_step(&walk, MDB_NEXT)) {
        struct key_parts parts;
        arena_reset(&check->arena);
        good = key_read(table, walk.key, &parts) || broken_name(check, "a key can not be read", table, STR(""));
        good = good && entry(check, &parts, walk.value);
    }
    walk_end(&walk);
    return good;
}

/* An index entry that a record asks for. */
static bool want_entry(struct check *check, enum table table, const struct key *key, struct id id)
{
    struct str value;
    check->entries[table]++;
    return txn_get(check->txn, table, key, &value) || broken(check, "an index entry is missing", table, id);
}

/* As many entries as the records asked for, and each of those is there: so there is none too many. */
static bool check_count(struct check *check, enum table table)
{
    MDB_stat stat;
    if (!txn_is_sound(check->txn) || mdb_stat(check->txn->mdb, check->txn->store->dbi[table], &stat) != MDB_SUCCESS) { return false; }
    return stat.ms_entries == check->entries[table]
        || broken(check, "there are index entries without a record", table, (struct id){ { 0 } });
}

/* ---- clusters ---- */

static bool check_cluster(struct check *check, const struct key_parts *parts, struct str value)
{
    struct cluster cluster;
    struct key key;
    struct str name;
    if (!record_read_at(check->at, &cluster_record, value, &cluster, &check->arena)) { return false; }
    if (!str_eq(cluster.name, parts->text)) { return broken_name(check, "a record has another name than its key", TABLE_CLUSTERS, parts->text); }
    bool in_table = cluster.status != CLUSTER_STATUS_UNSET && cluster.number > 0 && cluster.number <= CLUSTERS_MAX;
    if (!in_table) { return broken_name(check, "a status or number is out of range", TABLE_CLUSTERS, parts->text); }
    bool back = key_make(&key, TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = cluster.number })
        && txn_get(check->txn, TABLE_CLUSTER_NUMBERS, &key, &name) && str_eq(name, parts->text);
    return back || broken_name(check, "the number leads elsewhere", TABLE_CLUSTER_NUMBERS, parts->text);
}

/* A name that was deleted and made anew has several numbers: the old ones lead to the name as well, for the tasks of then, and may outlive it. */
static bool check_cluster_number(struct check *check, const struct key_parts *parts, struct str value)
{
    if (parts->cluster > check->highest_cluster) { check->highest_cluster = parts->cluster; }
    return value.len > 0 || broken_name(check, "a number has no name", TABLE_CLUSTER_NUMBERS, value);
}

static bool has_cluster(struct check *check, int64_t number)
{
    struct key key;
    struct str name;
    return number > 0 && number <= CLUSTERS_MAX && key_make(&key, TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = number })
        && txn_get(check->txn, TABLE_CLUSTER_NUMBERS, &key, &name);
}

/* ---- task definitions ---- */

static bool check_taskdef(struct check *check, const struct key_parts *parts, struct str value)
{
    struct taskdef taskdef;
    struct key key;
    if (!record_read_at(check->at, &taskdef_record, value, &taskdef, &check->arena)) { return false; }
    if (!str_eq(taskdef.def.family, parts->text) || taskdef.def.revision.value != parts->number) {
        return broken_name(check, "a record has another name than its key", TABLE_TASKDEFS, parts->text);
    }
    if (store_next_revision(check->txn, parts->text) <= parts->number) {
        return broken_name(check, "the family's counter is behind a revision", TABLE_FAMILIES, parts->text);
    }
    struct key_parts index = *parts;
    index.status = (int)taskdef.def.status;
    bool made = key_make(&key, TABLE_TASKDEF_INDEX, &index);
    struct str found;
    check->entries[TABLE_TASKDEF_INDEX]++;
    return (made && txn_get(check->txn, TABLE_TASKDEF_INDEX, &key, &found))
        || broken_name(check, "an index entry is missing", TABLE_TASKDEF_INDEX, parts->text);
}

/* ---- instances ---- */

static bool check_instance(struct check *check, const struct key_parts *parts, struct str value)
{
    struct instance instance;
    struct key key;
    if (!record_read_at(check->at, &instance_record, value, &instance, &check->arena)) { return false; }
    instance.id = parts->id;
    if (!has_cluster(check, instance.cluster_number)) { return broken(check, "there is no such cluster", TABLE_INSTANCES, parts->id); }
    instance_index_key(&key, &instance);
    struct str status;
    check->entries[TABLE_INSTANCE_INDEX]++;
    bool same = txn_get(check->txn, TABLE_INSTANCE_INDEX, &key, &status) && status.len == 1
        && status.ptr[0] == (char)instance.status;
    return same || broken(check, "the index entry is missing or has another status", TABLE_INSTANCE_INDEX, parts->id);
}

/* ---- tasks ---- */

static bool has_index_value(struct check *check, const struct key *key, struct id id)
{
    struct walk walk = walk_begin(check->txn, TABLE_TASK_INDEX);
    struct str value = { (const char *)id.bytes, sizeof id.bytes };
    bool found = walk_to_value(&walk, key_str(key), value) && str_eq(walk.value, value);
    walk_end(&walk);
    return found;
}

static bool check_task_index(struct check *check, const struct task *task)
{
    struct key key;
    for (enum task_index index = TASKS_BY_CLUSTER; index <= TASKS_BY_GROUP; index++) {
        if (!task_index_key(&key, task, index)) { continue; }
        check->entries[TABLE_TASK_INDEX]++;
        if (!has_index_value(check, &key, task->id)) { return broken(check, "an index entry is missing", TABLE_TASK_INDEX, task->id); }
    }
    return !task_stopped_key(&key, task) || want_entry(check, TABLE_STOPPED, &key, task->id);
}

/* Memory must say the same of a live task as its record. */
static bool check_task_in_memory(struct check *check, const struct task *task)
{
    struct live_facts facts;
    bool known = live_view(check->txn, task->id, &facts);
    if (!task_is_live(task)) { return !known || broken(check, "a stopped task is live in memory", TABLE_TASKS, task->id); }
    check->live_tasks++;
    if (!known) { return broken(check, "a live task is not in memory", TABLE_TASKS, task->id); }
    struct holdings *holdings = holdings_of(task);
    bool same = id_eq(facts.instance, task->instance) && facts.cluster == task->cluster_number && facts.cpu == task->cpu
        && facts.memory_mib == task->memory_mib && facts.last_status == task->last_status
        && facts.desired_status == task->desired_status && holdings_eq(facts.holdings, holdings);
    free(holdings);
    return same || broken(check, "memory and record differ", TABLE_TASKS, task->id);
}

static bool check_task(struct check *check, const struct key_parts *parts, struct str value)
{
    struct task task;
    if (!record_read_at(check->at, &task_record, value, &task, &check->arena)) { return false; }
    task.id = parts->id;
    if (!task_is_live(&task) && task.desired_status != TASK_STOPPED) {
        return broken(check, "a stopped task wants to run", TABLE_TASKS, task.id);
    }
    if (!has_cluster(check, task.cluster_number)) { return broken(check, "there is no such cluster", TABLE_TASKS, task.id); }
    return check_task_index(check, &task) && check_task_in_memory(check, &task);
}

/* The tasks that memory finds by token are those that the records name. */
static bool check_token(struct check *check, const struct key_parts *parts, struct str value)
{
    struct task task;
    struct id *ids;
    if (!record_read_at(check->at, &task_key_record, value, &task, &check->arena)) { return false; }
    if (task.client_token.len == 0) { return true; }
    size_t count = store_tasks_by_token(check->txn, task.cluster_number, task.client_token, &ids, &check->arena);
    for (size_t t = 0; t < count; t++) {
        if (id_eq(ids[t], parts->id)) { return true; }
    }
    return broken(check, "a task is not found by its client token", TABLE_TASKS, parts->id);
}

/* ---- what is given away, and the counts ---- */

/* Sorted lists show a thing given twice as neighbours. */
static bool check_usage(struct check *check, const struct key_parts *parts, struct str value)
{
    struct instance_usage usage;
    struct id *ids;
    (void)value;
    store_instance_usage(check->txn, parts->id, &usage, &check->arena);
    for (size_t p = 1; p < usage.ports.count; p++) {
        if (usage.ports.items[p].value == usage.ports.items[p - 1].value) {
            return broken(check, "two live tasks hold one port", TABLE_INSTANCES, parts->id);
        }
    }
    for (size_t g = 0; g < usage.gpus.count; g++) {
        if (usage.gpus.items[g].share > GPU_SHARE_WHOLE) {
            return broken(check, "a GPU is held more than once over", TABLE_INSTANCES, parts->id);
        }
    }
    size_t count = store_tasks_on_instance(check->txn, parts->id, &ids, &check->arena);
    for (size_t t = 0; t < count; t++) {
        struct live_facts facts;
        if (!live_view(check->txn, ids[t], &facts) || !id_eq(facts.instance, parts->id)) {
            return broken(check, "a task is linked to an instance that it is not on", TABLE_INSTANCES, parts->id);
        }
    }
    return true;
}

static bool check_events(struct check *check)
{
    struct id differs;
    return live_agrees(check->txn, &differs)
        || broken(check, "memory counts other events than the records, or another instance", TABLE_INSTANCES, differs);
}

struct recount { struct cluster_counts *counts; };        /* by number; every task's and instance's cluster was seen */

static void recount_task(void *context, const struct task *task)
{
    struct cluster_counts *counts = &((struct recount *)context)->counts[task->cluster_number];
    counts->live_tasks++;
    if (task->last_status == TASK_RUNNING) { counts->running++; }
    if (task->last_status == TASK_PENDING) { counts->pending++; }
}

static void recount_instance(void *context, const struct instance *instance)
{
    struct cluster_counts *counts = &((struct recount *)context)->counts[instance->cluster_number];
    if (instance->status == INSTANCE_ACTIVE || instance->status == INSTANCE_DRAINING) { counts->instances++; }
}

static bool check_cluster_counts(struct check *check)
{
    struct cluster_counts *counts = calloc((size_t)check->highest_cluster + 1, sizeof *counts);
    ASSERT(counts != NULL);
    struct recount recount = { counts };
    store_scan_instances(check->txn, recount_instance, &recount);
    store_scan_live_tasks(check->txn, recount_task, &recount);
    bool good = true;
    for (int64_t c = 1; c <= check->highest_cluster && good; c++) {
        struct cluster_counts kept = store_cluster_counts(check->txn, c);
        good = kept.instances == counts[c].instances && kept.running == counts[c].running && kept.pending == counts[c].pending
            && kept.live_tasks == counts[c].live_tasks;
    }
    free(counts);
    return good || broken(check, "a cluster's counts differ from its lists", TABLE_CLUSTERS, (struct id){ { 0 } });
}

static bool check_access_key(struct check *check, const struct key_parts *parts, struct str value)
{
    struct access_key key;
    if (!record_read_at(check->at, &access_key_record, value, &key, &check->arena)) { return false; }
    return (str_eq(key.id, parts->text) && key.role != ACCESS_ROLE_UNSET)
        || broken_name(check, "an access key has another id than its key, or no role", TABLE_ACCESS_KEYS, parts->text);
}

/* ---- the history ---- */

static bool check_history(struct check *check, const struct key_parts *parts, struct str value)
{
    struct history history;
    struct key key;
    struct str found;
    int64_t stopped_ms;
    if (!record_read_at(check->at, &history_record, value, &history, &check->arena)) { return false; }
    if (!has_cluster(check, history.cluster_number)) { return broken(check, "there is no such cluster", TABLE_HISTORY, parts->id); }
    check->entries[TABLE_HISTORY_INDEX]++;
    bool same = key_make(&key, TABLE_HISTORY_INDEX, &(struct key_parts){ .id = parts->id })
        && txn_get(check->txn, TABLE_HISTORY_INDEX, &key, &found) && history_index_read(found, &stopped_ms)
        && stopped_ms == parts->number;
    return same || broken(check, "the index entry is missing or leads elsewhere", TABLE_HISTORY_INDEX, parts->id);
}

/* A setting stands once, and nobody has a record without one. */
static bool check_account_settings(struct check *check, const struct key_parts *parts, struct str value)
{
    struct account_settings settings;
    if (!record_read_at(check->at, &account_settings_record, value, &settings, &check->arena)) { return false; }
    bool good = str_eq(settings.principal, parts->text) && settings.values.count > 0;
    for (size_t v = 0; v < settings.values.count; v++) {
        for (size_t before = 0; before < v; before++) {
            good = good && !str_eq(settings.values.items[before].key, settings.values.items[v].key);
        }
    }
    return good || broken_name(check, "account settings of another principal, without one, or with one twice", TABLE_SETTINGS,
                               parts->text);
}

static bool check_secret(struct check *check, const struct key_parts *parts, struct str value)
{
    struct kept_secret secret;
    if (!record_read_at(check->at, &secret_record, value, &secret, &check->arena)) { return false; }
    bool is_parameter = parts->index == SECRET_OF_SSM;
    bool good = (is_parameter || parts->index == SECRET_OF_ASM) && parts->text.len > 0 && parts->text.len <= SECRET_NAME_MAX
        && secret.versions.count <= SECRET_VERSIONS_MAX && secret.suffix.len == (is_parameter ? 0 : SECRET_SUFFIX_LEN)
        && (!is_parameter || (secret.versions.count > 0 && secret.type != PARAMETER_TYPE_UNSET && secret.deleted_ms == 0));
    for (size_t v = 0; v < secret.versions.count; v++) { good = good && secret.versions.items[v].sealed.len > 0; }
    return good || broken_name(check, "a secret of no kind, or not as its kind is", TABLE_SECRETS, parts->text);
}

static bool check_all(struct check *check)
{
    return each_entry(check, TABLE_CLUSTERS, check_cluster) && each_entry(check, TABLE_CLUSTER_NUMBERS, check_cluster_number)
        && each_entry(check, TABLE_TASKDEFS, check_taskdef) && check_count(check, TABLE_TASKDEF_INDEX)
        && each_entry(check, TABLE_INSTANCES, check_instance) && check_count(check, TABLE_INSTANCE_INDEX)
        && each_entry(check, TABLE_TASKS, check_task) && check_count(check, TABLE_TASK_INDEX) && check_count(check, TABLE_STOPPED)
        && (check->live_tasks == live_count(check->txn)
            || broken(check, "memory holds live tasks without a record", TABLE_TASKS, (struct id){ { 0 } }))
        && each_entry(check, TABLE_TASKS, check_token) && each_entry(check, TABLE_INSTANCES, check_usage) && check_events(check)
        && check_cluster_counts(check) && each_entry(check, TABLE_ACCESS_KEYS, check_access_key)
        && each_entry(check, TABLE_HISTORY, check_history) && check_count(check, TABLE_HISTORY_INDEX)
        && each_entry(check, TABLE_SETTINGS, check_account_settings) && each_entry(check, TABLE_SECRETS, check_secret);
}

bool store_check(struct store_txn *txn, struct err *err)
{
    if (!txn->writing && live_revision(txn->store->live) != store_revision(txn)) {
        return err_set(err, ERR_SERVER, "store check: a commit came between the snapshot and its check; check again");
    }
    if (txn->writing) { task_index_settle(txn); }        /* no write while the check walks */
    struct check check = { .txn = txn, .err = err };
    arena_init(&check.arena, SCRATCH_MAX);
    bool good = check_all(&check) && txn_is_sound(txn);
    arena_finish(&check.arena);
    if (!good && err->code == ERR_NONE) {
        (void)err_set(err, ERR_SERVER, "store check: %s", txn_is_sound(txn) ? "the store can not be read" : txn->problem);
    }
    return good;
}
