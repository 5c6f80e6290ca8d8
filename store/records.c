/* records.c: getting and putting each noun, with the index entries that follow from it. A put compares the record before
 * with the record after and touches only the entries that differ. Every value begins with the version of its encoding. */
#include "store/store_internal.h"

#include <stdio.h>

/* ---- any record ---- */

static struct key make_key(enum table table, const struct key_parts *parts)
{
    struct key key;
    bool made = key_make(&key, table, parts);
    ASSERT(made);                                        /* the API has limited names and texts */
    return key;
}

/* An id or a name where the key has one, its bytes otherwise. */
static void poison_record(struct store_txn *txn, enum table table, struct str key)
{
    enum { KEY_SHOWN_MAX = 32 };
    char problem[sizeof txn->problem], hex[2 * KEY_SHOWN_MAX + 1] = "";
    struct key_parts parts = { 0 };
    bool known = key_read(table, key, &parts);
    if (known && !id_is_zero(parts.id)) { key = (struct str){ (const char *)parts.id.bytes, sizeof parts.id.bytes }; }
    size_t shown = key.len < KEY_SHOWN_MAX ? key.len : KEY_SHOWN_MAX;
    str_put_hex(hex, key.ptr, shown);
    hex[2 * shown] = '\0';
    bool is_text = known && id_is_zero(parts.id) && parts.text.len > 0;
    (void)snprintf(problem, sizeof problem, "a record of the store can not be read (table %s, %.*s)", layouts[table].name,
                   is_text ? (int)str_slice(parts.text, 0, 2 * KEY_SHOWN_MAX).len : (int)(2 * shown), is_text ? parts.text.ptr : hex);
    txn_poison(txn, problem);
}

/* ---- facts that all code relies on: a disk may have changed the bytes ---- */

static bool is_cluster_number(int64_t number) { return number > 0 && number <= CLUSTERS_MAX; }

static bool is_sound_cluster(const void *record)
{
    const struct cluster *cluster = record;
    return is_cluster_number(cluster->number) && cluster->status != CLUSTER_STATUS_UNSET && cluster->name.len > 0;
}

static bool is_sound_taskdef(const void *record)
{
    const struct taskdef *taskdef = record;
    return taskdef->def.status != TASK_DEFINITION_STATUS_UNSET && taskdef->def.revision.value > 0;
}

static bool is_sound_daemon_taskdef(const void *record)
{
    const struct daemon_taskdef *taskdef = record;
    return taskdef->def.status != DAEMON_TASK_DEFINITION_STATUS_UNSET && taskdef->def.revision.value > 0;
}

static bool is_sound_instance(const void *record)
{
    const struct instance *instance = record;
    return is_cluster_number(instance->cluster_number) && instance->status != INSTANCE_STATUS_UNSET && instance->gpus.count <= INSTANCE_GPUS_MAX
        && instance->cpu >= 0 && instance->memory_mib >= 0;
}

static bool is_sound_task(const void *record)
{
    const struct task *task = record;
    size_t gpus = 0;
    bool good = is_cluster_number(task->cluster_number) && task->last_status != TASK_STATUS_UNSET && task->stopped_ms >= 0
        && (task->desired_status == TASK_RUNNING || task->desired_status == TASK_STOPPED) && task->cpu >= 0 && task->memory_mib >= 0
        && task->interfaces >= 0 && task->interfaces <= UINT8_MAX && task->family.len <= KEY_TEXT_MAX && task->started_by.len <= KEY_TEXT_MAX
        && task->group.len <= KEY_TEXT_MAX;
    for (size_t c = 0; c < task->containers.count; c++) {
        int64_t share = gpu_share_of(task->containers.items[c].gpu_share);
        good = good && share > 0 && share <= GPU_SHARE_WHOLE;
        gpus += task->containers.items[c].gpu_ids.count;
    }
    return good && gpus <= UINT16_MAX;
}

static bool is_sound_secret(const void *record)
{
    const struct kept_secret *secret = record;
    return secret->versions.count <= SECRET_VERSIONS_MAX;
}

static bool is_sound_service(const void *record)
{
    const struct service *service = record;
    return service->number > 0 && is_cluster_number(service->cluster_number) && service->status != SERVICE_STATUS_UNSET && service->name.len > 0
        && service->name.len <= KEY_TEXT_MAX && service->deleted_ms >= 0;
}

static bool is_sound_events(const void *record)
{
    const struct service_events *events = record;
    return events->events.count <= SERVICE_EVENTS_MAX;
}

static bool is_sound_revision(const void *record)
{
    const struct service_revision *revision = record;
    return revision->service > 0 && revision->digits > 0;
}

static bool is_sound_deployment(const void *record)
{
    const struct kept_deployment *deployment = record;
    return deployment->service > 0 && deployment->digits > 0 && deployment->status != DEPLOYMENT_STATUS_UNSET;
}

static bool is_sound_service_deployment(const void *record)
{
    const struct service_deployment *deployment = record;
    return deployment->service > 0 && deployment->status != SERVICE_DEPLOYMENT_STATUS_UNSET && deployment->target != NULL;
}

static bool is_sound_alarm(const void *record)
{
    const struct kept_alarm *kept = record;
    return kept->alarm != NULL;
}

static bool is_sound(const struct schema *schema, const void *record)
{
    static const struct { const struct schema *schema; bool (*is_sound)(const void *record); } rows[] = {
        { &task_key_record, is_sound_task }, { &task_record, is_sound_task }, { &instance_record, is_sound_instance },
        { &taskdef_record, is_sound_taskdef }, { &daemon_taskdef_record, is_sound_daemon_taskdef }, { &cluster_record, is_sound_cluster },
        { &kept_secret_record, is_sound_secret }, { &secret_head_record, is_sound_secret },
        { &service_record, is_sound_service }, { &service_events_record, is_sound_events }, { &service_revision_record, is_sound_revision },
        { &kept_deployment_record, is_sound_deployment }, { &service_deployment_record, is_sound_service_deployment },
        { &kept_alarm_record, is_sound_alarm }, { &kept_scaling_record, scaling_is_sound }, { &kept_schedule_record, schedule_is_sound },
        { &kept_plain_record, plain_is_sound }, { &kept_event_record, outbox_is_sound },
        { &kept_group_record, traffic_group_is_sound }, { &kept_balancer_record, traffic_balancer_is_sound },
        { &kept_listener_record, traffic_listener_is_sound }, { &kept_rule_record, traffic_rule_is_sound }, { &kept_target_record, traffic_target_is_sound },
        { &kept_provider_record, capacity_provider_is_sound }, { &kept_pool_record, capacity_pool_is_sound },
        { &kept_machine_record, capacity_machine_is_sound },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (schema == rows[r].schema) { return rows[r].is_sound(record); }
    }
    return true;
}

bool record_unpack(const struct schema *schema, struct str bytes, void *out, struct arena *arena)
{
    bool good = bytes.len > 0 && bytes.ptr[0] == RECORD_VERSION && schema_unpack(schema, str_slice(bytes, 1, bytes.len), out, arena);
    return good && is_sound(schema, out);
}

bool record_read(struct store_txn *txn, enum table table, struct str key, const struct schema *schema, struct str bytes, void *out, struct arena *arena)
{
    if (record_unpack(schema, bytes, out, arena)) { return true; }
    poison_record(txn, table, key);
    return false;
}

/* The bytes are copied first: borrowed bytes end with the next write. */
bool record_get(struct store_txn *txn, enum table table, const struct key *key, const struct schema *schema, void *out,
                struct arena *arena)
{
    struct str bytes;
    if (!txn_get(txn, table, key, &bytes)) { return false; }
    return record_read(txn, table, key_str(key), schema, arena_str(arena, bytes), out, arena);
}

void record_put(struct store_txn *txn, enum table table, const struct key *key, const struct schema *schema, const void *value,
                enum engine_place place)
{
    struct buf packed = buf_in(&txn->scratch);
    buf_put_char(&packed, RECORD_VERSION);
    schema_pack(schema, value, &packed);
    txn_put(txn, table, key, buf_str(&packed), place);
}

static void put_empty(struct store_txn *txn, enum table table, const struct key *key)
{
    txn_put(txn, table, key, STR(""), PUT_ANYWHERE);
}

uint64_t read_number(struct str bytes)
{
    uint64_t number = 0;
    for (size_t b = 0; b < bytes.len; b++) { number = number << 8 | (unsigned char)bytes.ptr[b]; }
    return number;
}

static void put_number(struct store_txn *txn, enum table table, const struct key *key, int64_t number)
{
    ASSERT(number > 0);
    char bytes[8];
    for (size_t b = 0; b < sizeof bytes; b++) { bytes[b] = (char)(number >> (8 * (sizeof bytes - 1 - b))); }
    ASSERT(read_number((struct str){ bytes, sizeof bytes }) == (uint64_t)number);
    txn_put(txn, table, key, (struct str){ bytes, sizeof bytes }, PUT_ANYWHERE);
}

/* ---- clusters ---- */

const struct cluster *store_cluster(struct store_txn *txn, struct str name, struct arena *arena)
{
    struct key key;
    struct cluster *cluster = ARENA_NEW(arena, struct cluster, 1);
    if (!key_make(&key, TABLE_CLUSTERS, &(struct key_parts){ .text = name })) { return NULL; }
    return record_get(txn, TABLE_CLUSTERS, &key, &cluster_record, cluster, arena) ? cluster : NULL;
}

const struct cluster *store_cluster_by_number(struct store_txn *txn, int64_t number, struct arena *arena)
{
    struct str name;
    if (number < 1 || number > UINT32_MAX) { return NULL; }
    struct key key = make_key(TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = number });
    if (!txn_get(txn, TABLE_CLUSTER_NUMBERS, &key, &name)) { return NULL; }
    return store_cluster(txn, arena_str(arena, name), arena);
}

static bool is_number_free(struct store_txn *txn, int64_t number)
{
    struct str name;
    struct key key = make_key(TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = number });
    return !txn_get(txn, TABLE_CLUSTER_NUMBERS, &key, &name) && txn_is_sound(txn);
}

int64_t store_last_cluster_number(struct store_txn *txn)
{
    struct key_parts parts = { 0 };
    struct walk walk = walk_begin(txn, TABLE_CLUSTER_NUMBERS);
    if (walk_step(&walk, MOVE_LAST) && !key_read(TABLE_CLUSTER_NUMBERS, walk.key, &parts)) {
        txn_damaged(txn);
    }
    walk_end(&walk);
    return parts.cluster;
}

/* The number after the last. When the last is the highest possible, some numbers are tried by chance, until one is free. */
static int64_t new_cluster_number(struct store_txn *txn)
{
    enum { TRIES_MAX = 256 };
    int64_t last = store_last_cluster_number(txn);
    if (last < CLUSTERS_MAX) { return last + 1; }
    uint64_t chance = (uint64_t)store_revision(txn);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        chance = (chance + 1) * 0x9E3779B97F4A7C15u;
        int64_t number = 1 + (int64_t)(chance >> 32) % CLUSTERS_MAX;
        if (is_number_free(txn, number)) { return number; }
    }
    txn_poison(txn, "the store holds as many clusters as it can");
    return CLUSTERS_MAX;
}

void store_put_cluster(struct store_txn *txn, struct cluster *cluster)
{
    ASSERT(cluster->number >= 0 && cluster->number <= CLUSTERS_MAX);
    arena_reset(&txn->scratch);
    if (cluster->number == 0) {
        cluster->number = new_cluster_number(txn);
        struct key number = make_key(TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = cluster->number });
        txn_put(txn, TABLE_CLUSTER_NUMBERS, &number, cluster->name, PUT_ANYWHERE);
    }
    ASSERT(is_sound_cluster(cluster));                   /* it will be read again */
    struct key key = make_key(TABLE_CLUSTERS, &(struct key_parts){ .text = cluster->name });
    record_put(txn, TABLE_CLUSTERS, &key, &cluster_record, cluster, PUT_ANYWHERE);
    changes_note(txn, CHANGE_CLUSTER, cluster->number, (struct id){ { 0 } });
}

static bool has_rows(struct store_txn *txn, int64_t number)
{
    struct id id, none = { { 0 } };
    return store_list_tasks(txn, number, TASKS_BY_CLUSTER, (struct str){ 0 }, TASK_RUNNING, none, &id, 1) > 0
        || store_list_tasks(txn, number, TASKS_BY_CLUSTER, (struct str){ 0 }, TASK_STOPPED, none, &id, 1) > 0
        || store_list_instances(txn, number, INSTANCE_STATUS_UNSET, none, &id, 1) > 0
        || store_list_instances(txn, number, INSTANCE_INACTIVE, none, &id, 1) > 0 || services_are_kept(txn, number);
}

/* Its tasks had stopped before it was deleted, and the history is in the order of stopped_ms. A day is added, because clocks go back at times. */
bool store_cluster_is_past(struct store_txn *txn, int64_t number, int64_t deleted_ms)
{
    enum { DAY_MS = 24 * 60 * 60 * 1000 };
    struct key_parts parts = { 0 };
    struct walk walk = walk_begin(txn, TABLE_HISTORY);
    bool some = walk_step(&walk, MOVE_FIRST);
    if (some && !key_read(TABLE_HISTORY, walk.key, &parts)) { txn_damaged(txn); }
    walk_end(&walk);
    return (!some || parts.number > deleted_ms + DAY_MS) && !has_rows(txn, number) && txn_is_sound(txn);
}

void store_drop_cluster(struct store_txn *txn, struct cluster_number past)
{
    arena_reset(&txn->scratch);
    const struct cluster *cluster = store_cluster(txn, past.name, &txn->scratch);
    struct key name, number = make_key(TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = past.number });
    txn_delete(txn, TABLE_CLUSTER_NUMBERS, &number);
    bool is_its_own = cluster != NULL && cluster->number == past.number && key_make(&name, TABLE_CLUSTERS, &(struct key_parts){ .text = past.name });
    if (is_its_own) { txn_delete(txn, TABLE_CLUSTERS, &name); }
    changes_note(txn, CHANGE_CLUSTER, past.number, (struct id){ { 0 } });
}

/* ---- task definitions, those of daemons beside them ---- */

#define AT(member) .offset = offsetof(struct definition_head, member)
static const struct field taskdef_head_fields[] = {
    { STR_INIT(""), 3, FIELD_STR, AT(family) }, { STR_INIT(""), 7, FIELD_INT, AT(revision) },
    { STR_INIT(""), 9, FIELD_ENUM, AT(status), .names = &task_definition_status_names },
};
static const struct field daemon_taskdef_head_fields[] = {
    { STR_INIT(""), 2, FIELD_STR, AT(family) }, { STR_INIT(""), 3, FIELD_INT, AT(revision) },
    { STR_INIT(""), 10, FIELD_ENUM, AT(status), .names = &daemon_task_definition_status_names },
};
#undef AT
static const struct schema taskdef_head = SCHEMA_OF("task definition", struct definition_head, taskdef_head_fields);
static const struct schema daemon_taskdef_head = SCHEMA_OF("daemon task definition", struct definition_head, daemon_taskdef_head_fields);

const struct definitions taskdefs = { TABLE_FAMILIES, TABLE_TASKDEFS, TABLE_TASKDEF_INDEX, &taskdef_record, &taskdef_head };
const struct definitions daemon_taskdefs = {
    TABLE_DAEMON_FAMILIES, TABLE_DAEMON_TASKDEFS, TABLE_DAEMON_TASKDEF_INDEX, &daemon_taskdef_record, &daemon_taskdef_head,
};

static int64_t last_revision(struct store_txn *txn, const struct definitions *kind, const struct key *family)
{
    struct str bytes;
    if (!txn_get(txn, kind->families, family, &bytes)) { return 0; }
    uint64_t revision = read_number(bytes);
    if (bytes.len == sizeof revision && revision > 0 && revision < INT64_MAX) { return (int64_t)revision; }
    txn_damaged(txn);
    return 0;
}

int64_t next_revision(struct store_txn *txn, const struct definitions *kind, struct str family)
{
    struct key key;
    if (!key_make(&key, kind->families, &(struct key_parts){ .text = family })) { return 1; }
    return last_revision(txn, kind, &key) + 1;
}

/* NULL: there is none. */
static const void *get_definition(struct store_txn *txn, const struct definitions *kind, struct str family, int64_t revision, struct arena *arena)
{
    struct key key;
    struct key_parts parts = { .text = family, .number = revision };
    if (revision < 1 || !key_make(&key, kind->records, &parts)) { return NULL; }
    void *record = arena_alloc(arena, 1, kind->record->size);
    return record_get(txn, kind->records, &key, kind->record, record, arena) ? record : NULL;
}

static void put_definition_index(struct store_txn *txn, const struct definitions *kind, struct key_parts parts, int before, int after)
{
    if (before == after) { return; }
    if (before != 0) {
        parts.status = before;
        struct key key = make_key(kind->index, &parts);
        txn_delete(txn, kind->index, &key);
    }
    if (after != 0) {
        parts.status = after;
        struct key key = make_key(kind->index, &parts);
        put_empty(txn, kind->index, &key);
    }
}

static void put_definition(struct store_txn *txn, const struct definitions *kind, struct definition_head head, const void *record)
{
    ASSERT(head.status != 0 && head.revision.value > 0);
    arena_reset(&txn->scratch);
    struct key_parts parts = { .text = head.family, .number = head.revision.value };
    struct key family = make_key(kind->families, &parts), key = make_key(kind->records, &parts);
    struct definition_head before;
    bool existed = record_get(txn, kind->records, &key, kind->head, &before, &txn->scratch);

    put_definition_index(txn, kind, parts, existed ? before.status : 0, head.status);
    record_put(txn, kind->records, &key, kind->record, record, PUT_ANYWHERE);
    if (parts.number > last_revision(txn, kind, &family)) { put_number(txn, kind->families, &family, parts.number); }
}

/* False: there is none. */
static bool drop_definition(struct store_txn *txn, const struct definitions *kind, struct str family, int64_t revision)
{
    arena_reset(&txn->scratch);
    struct key_parts parts = { .text = family, .number = revision };
    struct key key = make_key(kind->records, &parts);
    struct definition_head before;
    if (!record_get(txn, kind->records, &key, kind->head, &before, &txn->scratch)) { return false; }
    put_definition_index(txn, kind, parts, before.status, 0);
    txn_delete(txn, kind->records, &key);
    return true;
}

int64_t store_next_revision(struct store_txn *txn, struct str family) { return next_revision(txn, &taskdefs, family); }

const struct taskdef *store_taskdef(struct store_txn *txn, struct str family, int64_t revision, struct arena *arena)
{
    return get_definition(txn, &taskdefs, family, revision, arena);
}

void store_put_taskdef(struct store_txn *txn, const struct taskdef *taskdef)
{
    const struct task_definition *def = &taskdef->def;
    put_definition(txn, &taskdefs, (struct definition_head){ def->family, def->revision, (int)def->status }, taskdef);
    changes_note(txn, CHANGE_TASKDEF, 0, (struct id){ { 0 } });
}

void store_drop_taskdef(struct store_txn *txn, struct str family, int64_t revision)
{
    if (drop_definition(txn, &taskdefs, family, revision)) { changes_note(txn, CHANGE_TASKDEF, 0, (struct id){ { 0 } }); }
}

int64_t store_next_daemon_revision(struct store_txn *txn, struct str family) { return next_revision(txn, &daemon_taskdefs, family); }

const struct daemon_taskdef *store_daemon_taskdef(struct store_txn *txn, struct str family, int64_t revision, struct arena *arena)
{
    return get_definition(txn, &daemon_taskdefs, family, revision, arena);
}

void store_put_daemon_taskdef(struct store_txn *txn, const struct daemon_taskdef *taskdef)
{
    const struct daemon_task_definition *def = &taskdef->def;
    put_definition(txn, &daemon_taskdefs, (struct definition_head){ def->family, def->revision, (int)def->status }, taskdef);
}

void store_drop_daemon_taskdef(struct store_txn *txn, struct str family, int64_t revision)
{
    (void)drop_definition(txn, &daemon_taskdefs, family, revision);
}

/* ---- instances ---- */

const struct instance *store_instance(struct store_txn *txn, struct id id, struct arena *arena)
{
    struct key key = make_key(TABLE_INSTANCES, &(struct key_parts){ .id = id });
    struct instance *instance = ARENA_NEW(arena, struct instance, 1);
    if (!record_get(txn, TABLE_INSTANCES, &key, &instance_record, instance, arena)) { return NULL; }
    instance->id = id;
    return instance;
}

void instance_index_key(struct key *key, const struct instance *instance)
{
    int gone = instance->status == INSTANCE_INACTIVE ? 1 : 0;
    struct key_parts parts = { .cluster = instance->cluster_number, .status = gone, .id = instance->id };
    *key = make_key(TABLE_INSTANCE_INDEX, &parts);
}

static void put_instance_index(struct store_txn *txn, const struct instance *before, const struct instance *after)
{
    struct key old_key = { 0 }, new_key;
    instance_index_key(&new_key, after);
    if (before != NULL) {
        instance_index_key(&old_key, before);
        bool same_key = str_eq(key_str(&old_key), key_str(&new_key));
        if (same_key && before->status == after->status) { return; }
        if (!same_key) { txn_delete(txn, TABLE_INSTANCE_INDEX, &old_key); }
    }
    char status = (char)after->status;
    txn_put(txn, TABLE_INSTANCE_INDEX, &new_key, (struct str){ &status, 1 }, PUT_ANYWHERE);
}

void store_put_instance(struct store_txn *txn, const struct instance *instance)
{
    ASSERT(!id_is_zero(instance->id));
    ASSERT(instance->cluster_number > 0 && instance->cluster_number <= CLUSTERS_MAX);
    ASSERT(instance->status != INSTANCE_STATUS_UNSET);
    arena_reset(&txn->scratch);
    const struct instance *before = store_instance(txn, instance->id, &txn->scratch);
    put_instance_index(txn, before, instance);
    struct key key = make_key(TABLE_INSTANCES, &(struct key_parts){ .id = instance->id });
    record_put(txn, TABLE_INSTANCES, &key, &instance_record, instance, PUT_ANYWHERE);
    live_note_instance(txn, instance);
    changes_note(txn, CHANGE_INSTANCE, instance->cluster_number, instance->id);
}

void store_drop_instance(struct store_txn *txn, struct id id)
{
    arena_reset(&txn->scratch);
    const struct instance *before = store_instance(txn, id, &txn->scratch);
    if (before == NULL) { return; }
    if (before->status != INSTANCE_INACTIVE) {           /* it was INACTIVE in memory: the disk has changed the record */
        txn_damaged(txn);
        return;
    }
    struct key index, key = make_key(TABLE_INSTANCES, &(struct key_parts){ .id = id });
    instance_index_key(&index, before);
    txn_delete(txn, TABLE_INSTANCE_INDEX, &index);
    txn_delete(txn, TABLE_INSTANCES, &key);
    key = make_key(TABLE_PAST_EVENTS, &(struct key_parts){ .id = id });
    if (past_events(txn, id) > 0) { txn_delete(txn, TABLE_PAST_EVENTS, &key); }
    live_note_dropped(txn, id);
}

int64_t past_events(struct store_txn *txn, struct id instance)
{
    struct str bytes;
    struct key key = make_key(TABLE_PAST_EVENTS, &(struct key_parts){ .id = instance });
    return txn_get(txn, TABLE_PAST_EVENTS, &key, &bytes) ? (int64_t)read_number(bytes) : 0;
}

/* The events of a task that is forgotten stay with its instance, so that they never become fewer. */
static void put_past_events(struct store_txn *txn, const struct task *before, const struct task *after)
{
    bool has_past = before != NULL && !id_is_zero(before->instance) && live_leaves_events(before, after);
    if (!has_past) { return; }
    struct key key = make_key(TABLE_PAST_EVENTS, &(struct key_parts){ .id = before->instance });
    int64_t past = past_events(txn, before->instance);
    if (past < 0 || past > INT64_MAX / 2) { txn_damaged(txn); } else { put_number(txn, TABLE_PAST_EVENTS, &key, past + live_events(before)); }
}

/* ---- tasks ---- */

struct key task_key(struct id id)
{
    return make_key(TABLE_TASKS, &(struct key_parts){ .id = id });
}

const struct task *store_task(struct store_txn *txn, struct id id, struct arena *arena)
{
    struct key key = task_key(id);
    struct str bytes;
    if (!txn_get(txn, TABLE_TASKS, &key, &bytes)) { return NULL; }
    if (!txn->writing) { places_saw(txn->store->places, id, bytes.ptr); }
    struct task *task = ARENA_NEW(arena, struct task, 1);
    if (!record_read(txn, TABLE_TASKS, key_str(&key), &task_record, arena_str(arena, bytes), task, arena)) { return NULL; }
    task->id = id;
    return task;
}

void store_fetch_tasks(struct store_txn *txn, const struct id *ids, size_t count) { places_fetch(txn->store->places, ids, count); }

bool task_stopped_key(struct key *key, const struct task *task)
{
    if (task_is_live(task)) { return false; }
    *key = make_key(TABLE_STOPPED, &(struct key_parts){ .number = task->stopped_ms, .id = task->id });
    return true;
}

static void put_task_stopped(struct store_txn *txn, const struct task *before, const struct task *after)
{
    bool had = before != NULL && !task_is_live(before), has = after != NULL && !task_is_live(after);
    if (!had && !has) { return; }
    struct key old_key, new_key;
    had = had && task_stopped_key(&old_key, before);
    has = has && task_stopped_key(&new_key, after);
    if (had && has && str_eq(key_str(&old_key), key_str(&new_key))) { return; }
    if (had) { txn_delete(txn, TABLE_STOPPED, &old_key); }
    if (has) { put_empty(txn, TABLE_STOPPED, &new_key); }
}

bool store_last_task(struct store_txn *txn, struct id *id)
{
    struct key_parts parts = { 0 };
    struct walk walk = walk_begin(txn, TABLE_TASKS);
    bool found = walk_step(&walk, MOVE_LAST);
    if (found && !key_read(TABLE_TASKS, walk.key, &parts)) { txn_damaged(txn); }
    walk_end(&walk);
    *id = parts.id;
    return found && txn_is_sound(txn);
}

/* Ids sort by creation, so a task that is new to the store comes after all others: it needs no look-up, and fills its
 * page. True when `id` is behind the newest; then it is the newest. */
static bool is_newest_task(struct store_txn *txn, struct id id)
{
    if (!txn->newest_task_known) {
        (void)store_last_task(txn, &txn->newest_task);
        txn->newest_task_known = true;
    }
    if (id_cmp(id, txn->newest_task) <= 0) { return false; }
    txn->newest_task = id;
    return true;
}

static const struct task *task_before(struct store_txn *txn, const struct key *key, struct id id)
{
    struct task *task = ARENA_NEW(&txn->scratch, struct task, 1);
    if (!record_get(txn, TABLE_TASKS, key, &task_key_record, task, &txn->scratch)) { return NULL; }
    task->id = id;
    return task;
}

static void put_task(struct store_txn *txn, const struct key *key, const struct task *before, const struct task *task, bool newest)
{
    ASSERT(!id_is_zero(task->id));
    ASSERT(task->cluster_number > 0 && task->cluster_number <= CLUSTERS_MAX);
    ASSERT(task->last_status != TASK_STATUS_UNSET);
    ASSERT(task->desired_status == TASK_RUNNING || task->desired_status == TASK_STOPPED);
    if (newest) { task_index_add(txn, task); } else { task_index_put(txn, before, task); }
    put_task_stopped(txn, before, task);
    put_past_events(txn, before, task);
    record_put(txn, TABLE_TASKS, key, &task_record, task, newest ? PUT_LAST : PUT_ANYWHERE);
    live_note_task(txn, before, task);
    changes_note(txn, CHANGE_TASK, task->cluster_number, task->id);
}

void store_put_task(struct store_txn *txn, const struct task *task)
{
    arena_reset(&txn->scratch);
    struct key key = task_key(task->id);
    bool newest = is_newest_task(txn, task->id);
    put_task(txn, &key, newest ? NULL : task_before(txn, &key, task->id), task, newest);
}

void store_change_task(struct store_txn *txn, const struct task *before, const struct task *task)
{
    ASSERT(id_eq(before->id, task->id));
    arena_reset(&txn->scratch);
    struct key key = task_key(task->id);
    put_task(txn, &key, before, task, false);
}

void store_drop_task(struct store_txn *txn, struct id id)
{
    arena_reset(&txn->scratch);
    struct key key = task_key(id);
    const struct task *before = task_before(txn, &key, id);
    if (before == NULL) { return; }
    task_index_put(txn, before, NULL);
    put_task_stopped(txn, before, NULL);
    put_past_events(txn, before, NULL);
    txn_delete(txn, TABLE_TASKS, &key);
    txn->newest_task_known = false;                      /* it may have been this one */
    live_note_task(txn, before, NULL);
    changes_note(txn, CHANGE_TASK_GONE, before->cluster_number, id);
}

/* ---- access keys, account settings, alarms and meta ---- */

const struct access_key *store_access_key(struct store_txn *txn, struct str id, struct arena *arena)
{
    struct key key;
    if (!key_make(&key, TABLE_ACCESS_KEYS, &(struct key_parts){ .text = id })) { return NULL; }
    struct access_key *found = ARENA_NEW(arena, struct access_key, 1);
    return record_get(txn, TABLE_ACCESS_KEYS, &key, &access_key_record, found, arena) ? found : NULL;
}

void store_put_access_key(struct store_txn *txn, const struct access_key *access_key)
{
    ASSERT(access_key->id.len > 0);
    arena_reset(&txn->scratch);
    struct key key = make_key(TABLE_ACCESS_KEYS, &(struct key_parts){ .text = access_key->id });
    record_put(txn, TABLE_ACCESS_KEYS, &key, &access_key_record, access_key, PUT_ANYWHERE);
}

const struct account_settings *store_account_settings(struct store_txn *txn, struct str principal, struct arena *arena)
{
    struct key key;
    if (!key_make(&key, TABLE_SETTINGS, &(struct key_parts){ .text = principal })) { return NULL; }
    struct account_settings *found = ARENA_NEW(arena, struct account_settings, 1);
    return record_get(txn, TABLE_SETTINGS, &key, &account_settings_record, found, arena) ? found : NULL;
}

void store_put_account_settings(struct store_txn *txn, const struct account_settings *settings)
{
    ASSERT(settings->principal.len > 0);
    arena_reset(&txn->scratch);
    struct key key = make_key(TABLE_SETTINGS, &(struct key_parts){ .text = settings->principal });
    struct str before;
    if (settings->values.count > 0) {
        record_put(txn, TABLE_SETTINGS, &key, &account_settings_record, settings, PUT_ANYWHERE);
    } else if (txn_get(txn, TABLE_SETTINGS, &key, &before)) {
        txn_delete(txn, TABLE_SETTINGS, &key);
    }
}

const struct kept_alarm *store_alarm(struct store_txn *txn, struct str name, struct arena *arena)
{
    struct key key;
    if (!key_make(&key, TABLE_ALARMS, &(struct key_parts){ .text = name })) { return NULL; }
    struct kept_alarm *found = ARENA_NEW(arena, struct kept_alarm, 1);
    return record_get(txn, TABLE_ALARMS, &key, &kept_alarm_record, found, arena) ? found : NULL;
}

void store_put_alarm(struct store_txn *txn, const struct kept_alarm *alarm)
{
    ASSERT(alarm->alarm != NULL && alarm->alarm->name.len > 0 && alarm->alarm->name.len <= ALARM_NAME_MAX);
    arena_reset(&txn->scratch);
    struct key key = make_key(TABLE_ALARMS, &(struct key_parts){ .text = alarm->alarm->name });
    record_put(txn, TABLE_ALARMS, &key, &kept_alarm_record, alarm, PUT_ANYWHERE);
}

void store_drop_alarm(struct store_txn *txn, struct str name)
{
    struct key key = make_key(TABLE_ALARMS, &(struct key_parts){ .text = name });
    txn_delete(txn, TABLE_ALARMS, &key);
}

struct str store_meta(struct store_txn *txn, struct str name, struct arena *arena)
{
    struct key key;
    struct str value;
    if (!key_make(&key, TABLE_META, &(struct key_parts){ .text = name })) { return (struct str){ NULL, 0 }; }
    return txn_get(txn, TABLE_META, &key, &value) ? arena_str(arena, value) : (struct str){ NULL, 0 };
}

void store_put_meta(struct store_txn *txn, struct str name, struct str value)
{
    struct str before;
    struct key key = make_key(TABLE_META, &(struct key_parts){ .text = name });
    if (str_is_set(value)) {
        txn_put(txn, TABLE_META, &key, value, PUT_ANYWHERE);
    } else if (txn_get(txn, TABLE_META, &key, &before)) {
        txn_delete(txn, TABLE_META, &key);
    }
}
