/* check.c: the invariants of the store's file. It walks each table once and checks both sides: every record has its index entries, every index
 * entry has its record, and there are no others. A record that can't be read is a breach like others, and the walk continues. */
#include "store/check/check_internal.h"

#include <stdio.h>

const struct invariant_words invariant_words[INVARIANT_COUNT] = {
    [INVARIANT_RECORDS]     = { STR_INIT("records"),     STR_INIT("every record can be read") },
    [INVARIANT_INDEXES]     = { STR_INIT("indexes"),     STR_INIT("every record has its index entries, and every index entry its record") },
    [INVARIANT_CLUSTERS]    = { STR_INIT("clusters"),    STR_INIT("every cluster has a status and its own number") },
    [INVARIANT_DEFINITIONS] = { STR_INIT("definitions"), STR_INIT("every task definition has the key of its family and revision") },
    [INVARIANT_COUNTERS]    = { STR_INIT("counters"),    STR_INIT("no counter is behind what it counts") },
    [INVARIANT_REVISIONS]   = { STR_INIT("revisions"),   STR_INIT("the store's revisions follow each other, and each can be read") },
    [INVARIANT_HISTORY]     = { STR_INIT("history"),     STR_INIT("the history has stopped tasks, in the order of their ends") },
    [INVARIANT_ACCESS]      = { STR_INIT("access"),      STR_INIT("every access key has a role, every account setting is there once") },
    [INVARIANT_SECRETS]     = { STR_INIT("secrets"),     STR_INIT("every secret and parameter is as its kind is") },
    [INVARIANT_ALARMS]      = { STR_INIT("alarms"),      STR_INIT("every alarm has the name of its key, and a state") },
    [INVARIANT_SCHEDULES]   = { STR_INIT("schedules"),   STR_INIT("every schedule has the name of its key, and a state") },
    [INVARIANT_REFERENCES]  = { STR_INIT("references"),
                                STR_INIT("every task has its cluster, definition and instance, every instance its cluster, every service's part its service") },
    [INVARIANT_STATUSES]    = { STR_INIT("statuses"),    STR_INIT("every task and its containers have statuses that go together") },
    [INVARIANT_ROOM]        = { STR_INIT("room"),        STR_INIT("no instance's CPU or memory is held more than once") },
    [INVARIANT_PORTS]       = { STR_INIT("ports"),       STR_INIT("no host port is held by two live tasks") },
    [INVARIANT_GPUS]        = { STR_INIT("gpus"),        STR_INIT("no GPU is held by more than it has") },
    [INVARIANT_SEALS]       = { STR_INIT("seals"),       STR_INIT("every value of a secret opens with secrets.key") },
};

/* ---- the report ---- */

int64_t check_report_breaches(const struct check_report *report)
{
    int64_t sum = 0;
    for (size_t i = 0; i < INVARIANT_COUNT; i++) { sum += report->of[i].breaches; }
    return sum;
}

/* The id, the name or the number of the key: the first of them that it has. Bytes that are not printable ASCII are shown as '?'. */
static void put_id(char out[BREACH_ID_SIZE], const struct key_parts *parts)
{
    if (!id_is_zero(parts->id)) {
        id_hex(parts->id, out);
    } else if (parts->text.len > 0) {
        struct str shown = str_slice(parts->text, 0, BREACH_ID_SIZE - 24);
        size_t len = 0;
        for (size_t b = 0; b < shown.len; b++) { out[len++] = shown.ptr[b] >= ' ' && shown.ptr[b] <= '~' ? shown.ptr[b] : '?'; }
        ASSERT(len < BREACH_ID_SIZE);
        out[len] = '\0';
        if (parts->number > 0) { (void)snprintf(out + len, BREACH_ID_SIZE - len, ":%lld", (long long)parts->number); }
    } else {
        (void)snprintf(out, BREACH_ID_SIZE, "%lld", (long long)(parts->number > 0 ? parts->number : parts->cluster));
    }
}

bool check_that(struct check *check, enum invariant invariant, bool good, const char *what, enum table table, const struct key_parts *parts)
{
    ASSERT(invariant < INVARIANT_COUNT);
    struct looked_at *looked = &check->report->of[invariant];
    looked->count++;
    if (good || !txn_is_sound(check->txn)) { return good; }      /* after a failed read every entry seems missing: that is no breach */
    if (looked->breaches < BREACHES_SHOWN_MAX) {
        struct breach *breach = &looked->first[looked->breaches];
        *breach = (struct breach){ .what = what, .table = layouts[table].name };
        put_id(breach->id, parts);
    }
    looked->breaches++;
    ASSERT(looked->breaches <= looked->count);
    return false;
}

/* ---- entries ---- */

void check_each(struct check *check, enum table table, check_entry *entry)
{
    struct walk walk = walk_begin(check->txn, table);
    for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found; found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts;
        arena_reset(&check->arena);
        if (key_read(table, walk.key, &parts)) {
            entry(check, &walk, &parts);
        } else {
            (void)check_that(check, INVARIANT_RECORDS, false, "a key can not be read", table, &(struct key_parts){ 0 });
        }
    }
    walk_end(&walk);
}

bool check_record(struct check *check, const struct walk *at, const struct schema *schema, const struct key_parts *parts, void *record)
{
    bool good = record_unpack(schema, at->value, record, &check->arena);
    return check_that(check, INVARIANT_RECORDS, good, "a record can not be read", at->table, parts);
}

bool check_has(struct check *check, enum table table, const struct key_parts *parts)
{
    struct key key;
    struct str value;
    return key_make(&key, table, parts) && txn_get(check->txn, table, &key, &value);
}

bool check_has_cluster(struct check *check, int64_t number)
{
    return number > 0 && number <= CLUSTERS_MAX && check_has(check, TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = number });
}

void check_index(struct check *check, enum table index, const struct key *key, struct str value, enum table table, const struct key_parts *parts)
{
    struct str found;
    bool there = txn_get(check->txn, index, key, &found);
    if (there) { check->entries[index]++; }
    if (!check_that(check, INVARIANT_INDEXES, there, "an index entry is missing", index, parts)) { return; }
    bool same = !str_is_set(value) || str_eq(found, value);
    (void)check_that(check, INVARIANT_INDEXES, same, "an index entry leads elsewhere, or has another status", table, parts);
}

/* ---- index entries without a record ---- */

static bool has_task_entry(struct check *check, const struct walk *at, const struct key_parts *parts, struct id id)
{
    struct key key = task_key(id), wanted;
    struct str value;
    struct task task;
    if (!txn_get(check->txn, TABLE_TASKS, &key, &value) || !record_unpack(&task_key_record, value, &task, &check->arena)) { return false; }
    task.id = id;
    if (at->table == TABLE_STOPPED) { return task_stopped_key(&wanted, &task) && str_eq(key_str(&wanted), at->key); }
    bool is_index = parts->index >= TASKS_BY_CLUSTER && parts->index <= TASKS_BY_GROUP;
    return is_index && task_index_key(&wanted, &task, (enum task_index)parts->index) && str_eq(key_str(&wanted), at->key);
}

static void task_entry(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct key_parts shown = { .id = parts->id };
    if (at->table == TABLE_TASK_INDEX && at->value.len == sizeof shown.id.bytes) { memcpy(shown.id.bytes, at->value.ptr, sizeof shown.id.bytes); }
    (void)check_that(check, INVARIANT_INDEXES, has_task_entry(check, at, parts, shown.id), "an index entry without a record", at->table, &shown);
}

static void instance_entry(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct key key, wanted;
    struct str value;
    struct instance instance;
    bool good = key_make(&key, TABLE_INSTANCES, &(struct key_parts){ .id = parts->id }) && txn_get(check->txn, TABLE_INSTANCES, &key, &value)
        && record_unpack(&instance_record, value, &instance, &check->arena);
    if (good) {
        instance.id = parts->id;
        instance_index_key(&wanted, &instance);
        good = str_eq(key_str(&wanted), at->key);
    }
    (void)check_that(check, INVARIANT_INDEXES, good, "an index entry without a record", at->table, parts);
}

static const struct definitions *definitions_in(enum table table)
{
    return table == daemon_taskdefs.records || table == daemon_taskdefs.index ? &daemon_taskdefs : &taskdefs;
}

static void definition_entry(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    const struct definitions *kind = definitions_in(at->table);
    struct key key;
    struct str value;
    struct definition_head head;
    bool good = key_make(&key, kind->records, parts) && txn_get(check->txn, kind->records, &key, &value)
        && record_unpack(kind->head, value, &head, &check->arena) && head.status == parts->status;
    (void)check_that(check, INVARIANT_INDEXES, good, "an index entry without a record", at->table, parts);
}

static void history_entry(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct key_parts place = { .id = parts->id };
    bool good = history_index_read(at->value, &place.number) && check_has(check, TABLE_HISTORY, &place);
    (void)check_that(check, INVARIANT_INDEXES, good, "an index entry without a record", at->table, parts);
}

static void service_entry(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct key key, wanted;
    struct str value;
    struct service service;
    bool gone = at->table == TABLE_GONE_SERVICES, token = at->table == TABLE_SERVICE_TOKENS;
    int64_t number = gone ? parts->second : parts->number;
    bool good = key_make(&key, TABLE_SERVICES, &(struct key_parts){ .number = number }) && txn_get(check->txn, TABLE_SERVICES, &key, &value)
        && record_unpack(&service_record, value, &service, &check->arena);
    if (good) {
        wanted = gone ? service_gone_key(&service) : token ? service_token_key(&service) : service_name_key(&service);
        good = str_eq(key_str(&wanted), at->key) && (!gone || service.status == SERVICE_INACTIVE) && (!token || service_holds_token(&service))
            && (gone || token || service_name_table(&service) == at->table);
    }
    (void)check_that(check, INVARIANT_INDEXES, good, "an index entry without a record", at->table, parts);
}

/* The entries of all records were found and counted. If the table has no more than these, each entry has a record, and no walk is needed. */
static void check_no_others(struct check *check, enum table index, check_entry *entry)
{
    struct engine_size size;
    if (!txn_size_of(check->txn, index, &size)) { return; }
    if (size.entries != check->entries[index]) { check_each(check, index, entry); }
}

/* ---- clusters ---- */

static void check_cluster(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct cluster cluster;
    struct key key;
    struct str name;
    if (!check_record(check, at, &cluster_record, parts, &cluster)) { return; }
    bool good = str_eq(cluster.name, parts->text) && cluster.status != CLUSTER_STATUS_UNSET && cluster.number > 0 && cluster.number <= CLUSTERS_MAX;
    if (!check_that(check, INVARIANT_CLUSTERS, good, "another name than its key, no status, or no number", at->table, parts)) { return; }
    bool back = key_make(&key, TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = cluster.number })
        && txn_get(check->txn, TABLE_CLUSTER_NUMBERS, &key, &name) && str_eq(name, parts->text);
    (void)check_that(check, INVARIANT_CLUSTERS, back, "its number is another cluster's, or nobody's", at->table, parts);
}

/* A name that was deleted and made again has several numbers. The old numbers lead to the name too, for the older tasks, and may outlive it. */
static void check_cluster_number(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    (void)check_that(check, INVARIANT_CLUSTERS, at->value.len > 0, "a number has no name", at->table, parts);
}

/* ---- task definitions, those of daemons beside them ---- */

static void check_definition(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    const struct definitions *kind = definitions_in(at->table);
    struct definition_head head = { 0 };
    struct key key;
    if (!check_record(check, at, kind->record, parts, arena_alloc(&check->arena, 1, kind->record->size))) { return; }
    bool good = record_unpack(kind->head, at->value, &head, &check->arena) && str_eq(head.family, parts->text) && head.revision.value == parts->number;
    (void)check_that(check, INVARIANT_DEFINITIONS, good, "another family or revision than its key", at->table, parts);
    bool ahead = next_revision(check->txn, kind, parts->text) > parts->number;
    (void)check_that(check, INVARIANT_COUNTERS, ahead, "the family's counter is behind a revision", kind->families, parts);
    struct key_parts index = *parts;
    index.status = head.status;
    if (key_make(&key, kind->index, &index)) { check_index(check, kind->index, &key, (struct str){ 0 }, at->table, parts); }
}

/* ---- services ---- */

static void check_service(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct service service;
    if (!check_record(check, at, &service_record, parts, &service)) { return; }
    if (!check_that(check, INVARIANT_RECORDS, service.number == parts->number, "another number than its key", at->table, parts)) { return; }
    int64_t last = 0;
    bool ahead = str_to_i64(store_meta(check->txn, services_last_number, &check->arena), &last) && last >= service.number;
    (void)check_that(check, INVARIANT_COUNTERS, ahead, "the counter of services is behind a number", TABLE_META, parts);
    (void)check_that(check, INVARIANT_REFERENCES, check_has_cluster(check, service.cluster_number), "there is no such cluster", at->table, parts);
    const char status = (char)service.status;
    struct key name = service_name_key(&service), gone = service_gone_key(&service);
    check_index(check, service_name_table(&service), &name, (struct str){ &status, 1 }, at->table, parts);
    if (service_holds_token(&service)) {
        struct key token = service_token_key(&service);
        check_index(check, TABLE_SERVICE_TOKENS, &token, (struct str){ 0 }, at->table, parts);
    }
    if (service.status == SERVICE_INACTIVE) { check_index(check, TABLE_GONE_SERVICES, &gone, (struct str){ 0 }, at->table, parts); }
}

/* Events, a revision, a deployment or a service deployment: the record names the service and the digits of its key. Events name neither. */
static void check_part(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    union { struct service_events events; struct service_revision revision; struct kept_deployment deployment; struct service_deployment act; } of;
    bool same = true;
    if (at->table == TABLE_SERVICE_EVENTS) {
        if (!check_record(check, at, &service_events_record, parts, &of.events)) { return; }
    } else if (at->table == TABLE_SERVICE_REVISIONS) {
        if (!check_record(check, at, &service_revision_record, parts, &of.revision)) { return; }
        same = of.revision.service == parts->number && of.revision.digits == parts->second;
    } else if (at->table == TABLE_DEPLOYMENTS) {
        if (!check_record(check, at, &kept_deployment_record, parts, &of.deployment)) { return; }
        same = of.deployment.service == parts->number && of.deployment.digits == parts->second;
    } else {
        if (!check_record(check, at, &service_deployment_record, parts, &of.act)) { return; }
        same = of.act.service == parts->number;
    }
    (void)check_that(check, INVARIANT_RECORDS, same, "another service or other digits than its key", at->table, parts);
    bool there = check_has(check, TABLE_SERVICES, &(struct key_parts){ .number = parts->number });
    (void)check_that(check, INVARIANT_REFERENCES, there, "its service is not there", at->table, parts);
}

/* ---- counters and revisions ---- */

static void check_past_events(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    bool counts = at->value.len == sizeof(uint64_t) && (int64_t)read_number(at->value) > 0;
    (void)check_that(check, INVARIANT_COUNTERS, counts, "no number of events", at->table, parts);
    bool there = check_has(check, TABLE_INSTANCES, &(struct key_parts){ .id = parts->id });
    (void)check_that(check, INVARIANT_REFERENCES, there, "events of an instance that is not there", at->table, parts);
}

static void check_change(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    bool follows = check->last_revision == 0 ? parts->number > 0 : parts->number == check->last_revision + 1;
    (void)check_that(check, INVARIANT_REVISIONS, follows, "a revision does not follow the one before", at->table, parts);
    (void)check_that(check, INVARIANT_REVISIONS, changes_row_is_sound(at->value), "what it changed can not be read", at->table, parts);
    check->last_revision = parts->number;
}

/* ---- the history ---- */

static void check_history(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct history history;
    struct task task;
    struct key key, of_task = task_key(parts->id);
    struct str found;
    int64_t stopped_ms;
    if (!check_record(check, at, &history_record, parts, &history)) { return; }
    bool placed = parts->number > 0 && check_has_cluster(check, history.cluster_number);
    (void)check_that(check, INVARIANT_HISTORY, placed, "there is no such cluster, or no time", at->table, parts);
    bool known = txn_get(check->txn, TABLE_TASKS, &of_task, &found) && record_unpack(&task_key_record, found, &task, &check->arena);
    bool ended = !known || (!task_is_live(&task) && task.stopped_ms == parts->number);
    (void)check_that(check, INVARIANT_HISTORY, ended, "its task has not stopped, or at another time", at->table, parts);
    bool there = key_make(&key, TABLE_HISTORY_INDEX, &(struct key_parts){ .id = parts->id }) && txn_get(check->txn, TABLE_HISTORY_INDEX, &key, &found);
    if (there) { check->entries[TABLE_HISTORY_INDEX]++; }
    bool same = there && history_index_read(found, &stopped_ms) && stopped_ms == parts->number;
    (void)check_that(check, INVARIANT_INDEXES, same, "the index entry is missing or leads elsewhere", TABLE_HISTORY_INDEX, parts);
}

/* ---- access keys, settings, secrets, alarms ---- */

static void check_access_key(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct access_key key;
    if (!check_record(check, at, &access_key_record, parts, &key)) { return; }
    bool good = str_eq(key.id, parts->text) && key.role != ACCESS_ROLE_UNSET;
    (void)check_that(check, INVARIANT_ACCESS, good, "an access key has another id than its key, or no role", at->table, parts);
}

/* A record has at least one setting, and each of them once. */
static void check_account_settings(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct account_settings settings;
    if (!check_record(check, at, &account_settings_record, parts, &settings)) { return; }
    bool good = str_eq(settings.principal, parts->text) && settings.values.count > 0;
    for (size_t v = 0; v < settings.values.count; v++) {
        for (size_t before = 0; before < v; before++) {
            good = good && !str_eq(settings.values.items[before].key, settings.values.items[v].key);
        }
    }
    (void)check_that(check, INVARIANT_ACCESS, good, "account settings of another principal, without one, or with one twice", at->table, parts);
}

static void check_secret(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_secret secret;
    if (!check_record(check, at, &kept_secret_record, parts, &secret)) { return; }
    bool is_parameter = parts->index == SECRET_OF_SSM;
    bool good = (is_parameter || parts->index == SECRET_OF_ASM) && parts->text.len > 0 && parts->text.len <= SECRET_NAME_MAX
        && secret.versions.count <= SECRET_VERSIONS_MAX && secret.suffix.len == (is_parameter ? 0 : SECRET_SUFFIX_LEN)
        && (!is_parameter || (secret.versions.count > 0 && secret.type != PARAMETER_TYPE_UNSET && secret.deleted_ms == 0));
    for (size_t v = 0; v < secret.versions.count; v++) { good = good && secret.versions.items[v].sealed.len > 0; }
    if (!check_that(check, INVARIANT_SECRETS, good, "a secret of no kind, or not as its kind is", at->table, parts)) { return; }
    if (check->seals.open == NULL || secret.versions.count == 0) { return; }
    secret.kind = (enum secret_kind)parts->index;
    secret.name = parts->text;
    (void)check_that(check, INVARIANT_SEALS, check->seals.open(check->seals.context, &secret), "a value does not open with this key", at->table, parts);
}

static void check_alarm(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_alarm kept;
    if (!check_record(check, at, &kept_alarm_record, parts, &kept)) { return; }
    bool good = str_eq(kept.alarm->name, parts->text) && kept.alarm->state != ALARM_STATE_UNSET;
    (void)check_that(check, INVARIANT_ALARMS, good, "an alarm has another name than its key, or no state", at->table, parts);
}

static void check_scaling(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_scaling target;
    if (!check_record(check, at, &kept_scaling_record, parts, &target)) { return; }
    (void)check_that(check, INVARIANT_REFERENCES, target.service == parts->number && check_has(check, TABLE_SERVICES, parts),
                     "a scalable target is of no service", at->table, parts);
}

/* ---- load balancers ---- */

static bool read_traffic(struct check *check, const struct walk *at, const struct key_parts *parts, struct str *path)
{
    struct kept_group group;
    struct kept_balancer balancer;
    struct kept_listener listener;
    struct kept_rule rule;
    switch (parts->index) {
    case TRAFFIC_GROUP: {
        bool good = check_record(check, at, &kept_group_record, parts, &group);
        if (good) { *path = group.group->name; }
        return good;
    }
    case TRAFFIC_BALANCER: {
        bool good = check_record(check, at, &kept_balancer_record, parts, &balancer);
        if (good) { *path = balancer.balancer->name; }
        return good;
    }
    case TRAFFIC_LISTENER: {
        bool good = check_record(check, at, &kept_listener_record, parts, &listener);
        if (good) { *path = traffic_path(&check->arena, listener.balancer, listener.id, STR("")); }
        return good;
    }
    case TRAFFIC_RULE: {
        bool good = check_record(check, at, &kept_rule_record, parts, &rule);
        if (good) { *path = traffic_path(&check->arena, rule.balancer, rule.listener_id, rule.id); }
        return good;
    }
    default: return check_that(check, INVARIANT_RECORDS, false, "a record of no kind", at->table, parts);
    }
}

static void check_traffic(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct str path = { NULL, 0 };
    if (!read_traffic(check, at, parts, &path)) { return; }
    (void)check_that(check, INVARIANT_RECORDS, str_eq(path, parts->text), "a record has another name than its key", at->table, parts);
}

static void check_target(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_target target;
    struct key key;
    if (!check_record(check, at, &kept_target_record, parts, &target)) { return; }
    bool good = str_eq(traffic_target_path(&check->arena, &target), parts->text);
    (void)check_that(check, INVARIANT_RECORDS, good, "a target has another name than its key", at->table, parts);
    if (good && traffic_is_indexed(&target) && key_make(&key, TABLE_TASK_TARGETS, &(struct key_parts){ .id = target.task, .text = parts->text })) {
        check_index(check, TABLE_TASK_TARGETS, &key, (struct str){ NULL, 0 }, at->table, parts);
    }
    (void)check_that(check, INVARIANT_REFERENCES, check_has(check, TABLE_TRAFFIC, &(struct key_parts){ .index = TRAFFIC_GROUP, .text = target.group }),
                     "its target group is not there", at->table, parts);
}

static void target_entry(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct key key;
    struct str value;
    struct kept_target target;
    bool good = key_make(&key, TABLE_TARGETS, &(struct key_parts){ .text = parts->text }) && txn_get(check->txn, TABLE_TARGETS, &key, &value)
        && record_unpack(&kept_target_record, value, &target, &check->arena) && id_eq(target.task, parts->id) && traffic_is_indexed(&target);
    (void)check_that(check, INVARIANT_INDEXES, good, "an index entry without a record", at->table, parts);
}

/* ---- schedules ---- */

static void check_schedule(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_schedule schedule;
    if (!check_record(check, at, &kept_schedule_record, parts, &schedule)) { return; }
    bool good = str_eq(schedule.name, parts->text) && (schedule.rule == OPT_TRUE) == (parts->index == 1) && schedule.state != SCHEDULE_STATE_UNSET;
    if (!check_that(check, INVARIANT_SCHEDULES, good, "a schedule has another name than its key, or no state", at->table, parts)) { return; }
    if (schedule.due_ms == 0) { return; }
    struct key key = schedule_time_key(&schedule);
    check_index(check, TABLE_SCHEDULE_TIMES, &key, (struct str){ NULL, 0 }, at->table, parts);
}

static void time_entry(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    const struct kept_schedule *schedule = store_schedule(check->txn, parts->index == 1, parts->text, &check->arena);
    (void)check_that(check, INVARIANT_INDEXES, schedule != NULL && schedule->due_ms == parts->number, "an index entry without a record", at->table, parts);
}

/* ---- capacity ---- */

static void check_provider(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_provider provider;
    if (!check_record(check, at, &kept_provider_record, parts, &provider)) { return; }
    (void)check_that(check, INVARIANT_REFERENCES, str_eq(provider.name, parts->text), "a capacity provider has another name", at->table, parts);
}

static void check_pool(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_pool pool;
    if (!check_record(check, at, &kept_pool_record, parts, &pool)) { return; }
    (void)check_that(check, INVARIANT_REFERENCES, str_eq(pool.name, parts->text), "a pool has another name", at->table, parts);
}

static void check_machine(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_machine machine;
    if (!check_record(check, at, &kept_machine_record, parts, &machine)) { return; }
    (void)check_that(check, INVARIANT_REFERENCES, id_eq(machine.id, parts->id) && check_has(check, TABLE_POOLS, &(struct key_parts){ .text = machine.pool }),
                     "a machine is of no pool", at->table, parts);
    (void)check_that(check, INVARIANT_INDEXES, check_has(check, TABLE_POOL_MACHINES, &(struct key_parts){ .text = machine.pool, .id = machine.id })
                     && (machine.next_ms == 0 || check_has(check, TABLE_MACHINE_TIMES, &(struct key_parts){ .number = machine.next_ms, .id = machine.id })),
                     "a machine has no index entry", at->table, parts);
}

static void machine_entry(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    const struct kept_machine *machine = store_machine(check->txn, parts->id, &check->arena);
    bool good = machine != NULL && (at->table == TABLE_POOL_MACHINES ? str_eq(machine->pool, parts->text) : machine->next_ms == parts->number);
    (void)check_that(check, INVARIANT_INDEXES, good, "an index entry without a record", at->table, parts);
}

/* ---- plain records ---- */

static void check_plain(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_plain plain;
    if (!check_record(check, at, &kept_plain_record, parts, &plain)) { return; }
    bool good = str_eq(plain.id, parts->text) && (int)plain.kind == parts->index;
    (void)check_that(check, INVARIANT_RECORDS, good, "a record has another name than its key", at->table, parts);
}

static void check_event(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct kept_event event;
    if (!check_record(check, at, &kept_event_record, parts, &event)) { return; }
    (void)check_that(check, INVARIANT_RECORDS, event.number == parts->number && event.number <= store_last_event(check->txn, &check->arena),
                     "an event has another number than its key, or one that was not given", at->table, parts);
}

/* ---- all ---- */

bool store_check_file(struct store_txn *txn, struct check_seals seals, struct check_report *report)
{
    static const struct { enum table table; check_entry *entry; } tables[] = {
        { TABLE_CLUSTERS, check_cluster }, { TABLE_CLUSTER_NUMBERS, check_cluster_number }, { TABLE_TASKDEFS, check_definition },
        { TABLE_DAEMON_TASKDEFS, check_definition }, { TABLE_SERVICES, check_service }, { TABLE_SERVICE_EVENTS, check_part },
        { TABLE_SERVICE_REVISIONS, check_part }, { TABLE_DEPLOYMENTS, check_part }, { TABLE_SERVICE_DEPLOYMENTS, check_part },
        { TABLE_PAST_EVENTS, check_past_events }, { TABLE_CHANGES, check_change }, { TABLE_HISTORY, check_history },
        { TABLE_ACCESS_KEYS, check_access_key }, { TABLE_SETTINGS, check_account_settings }, { TABLE_SECRETS, check_secret },
        { TABLE_ALARMS, check_alarm }, { TABLE_TRAFFIC, check_traffic }, { TABLE_TARGETS, check_target },
        { TABLE_SCHEDULES, check_schedule }, { TABLE_SCALING, check_scaling }, { TABLE_PROVIDERS, check_provider }, { TABLE_POOLS, check_pool },
        { TABLE_MACHINES, check_machine }, { TABLE_PLAIN, check_plain }, { TABLE_OUTBOX, check_event },
    }, indexes[] = {
        { TABLE_TASKDEF_INDEX, definition_entry }, { TABLE_INSTANCE_INDEX, instance_entry }, { TABLE_TASK_INDEX, task_entry },
        { TABLE_DAEMON_TASKDEF_INDEX, definition_entry }, { TABLE_SERVICE_NAMES, service_entry }, { TABLE_GONE_SERVICES, service_entry },
        { TABLE_SERVICE_TOKENS, service_entry }, { TABLE_DAEMON_NAMES, service_entry },
        { TABLE_STOPPED, task_entry }, { TABLE_HISTORY_INDEX, history_entry }, { TABLE_TASK_TARGETS, target_entry },
        { TABLE_SCHEDULE_TIMES, time_entry }, { TABLE_POOL_MACHINES, machine_entry }, { TABLE_MACHINE_TIMES, machine_entry },
    };
    if (txn->writing) { task_index_settle(txn); }        /* no write while the check walks */
    struct check check = { .txn = txn, .report = report, .seals = seals };
    memset(report, 0, sizeof *report);
    arena_init(&check.arena, SCRATCH_MAX);
    for (size_t t = 0; t < COUNT_OF(tables); t++) { check_each(&check, tables[t].table, tables[t].entry); }
    check_instances_and_tasks(&check);
    for (size_t t = 0; t < COUNT_OF(indexes); t++) { check_no_others(&check, indexes[t].table, indexes[t].entry); }
    arena_finish(&check.arena);
    return txn_is_sound(txn);
}

static bool tell_first(const struct check_report *report, enum invariant end, struct err *err)
{
    for (size_t i = 0; i < (size_t)end; i++) {
        const struct breach *breach = &report->of[i].first[0];
        if (report->of[i].breaches > 0) { return err_set(err, ERR_SERVER, "store check: %s (table %s, %s)", breach->what, breach->table, breach->id); }
    }
    return true;
}

static bool check_until(struct store_txn *txn, enum invariant end, struct err *err)
{
    struct check_report report;
    if (!txn->writing && live_revision(txn->store->live) != store_revision(txn)) {
        return err_set(err, ERR_SERVER, "store check: a commit came between the snapshot and its check; check again");
    }
    bool good = store_check_file(txn, (struct check_seals){ NULL, NULL }, &report) && tell_first(&report, end, err) && check_memory(txn, err)
        && txn_is_sound(txn);
    if (!good && err->code == ERR_NONE) {
        (void)err_set(err, ERR_SERVER, "store check: %s", txn_is_sound(txn) ? "the store can not be read" : txn->problem);
    }
    return good;
}

bool store_check(struct store_txn *txn, struct err *err) { return check_until(txn, INVARIANT_COUNT, err); }

bool store_check_bare(struct store_txn *txn, struct err *err) { return check_until(txn, INVARIANT_RULES, err); }
