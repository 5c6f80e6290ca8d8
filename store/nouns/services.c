/* services.c: services, their events, revisions, deployments and service deployments. Of a name's services the one with the greatest number is the
 * newest. */
#include "store/store_internal.h"

const struct str services_last_number = STR_INIT("services");      /* word of the greatest number that was given: none is given twice */

static struct key key_of(enum table table, const struct key_parts *parts)
{
    struct key key;
    bool made = key_make(&key, table, parts);
    ASSERT(made);                                        /* the API has limited names */
    return key;
}

static struct key pair_key(enum table table, int64_t service, int64_t digits)
{
    return key_of(table, &(struct key_parts){ .number = service, .second = digits });
}

/* ---- services ---- */

const struct service *store_service(struct store_txn *txn, int64_t number, struct arena *arena)
{
    if (number < 1) { return NULL; }
    struct key key = key_of(TABLE_SERVICES, &(struct key_parts){ .number = number });
    struct service *service = ARENA_NEW(arena, struct service, 1);
    return record_get(txn, TABLE_SERVICES, &key, &service_record, service, arena) ? service : NULL;
}

/* The newest one of a name or of a token, as the table says. */
static const struct service *newest_under(struct store_txn *txn, enum table table, int64_t cluster_number, struct str text, struct arena *arena)
{
    struct key_parts parts = { .cluster = cluster_number, .text = text };
    struct key prefix;
    int64_t newest = 0;
    if (!key_make_prefix(&prefix, table, &parts, 2)) { return NULL; }
    struct walk walk = walk_begin(txn, table);
    for (bool found = walk_to(&walk, key_str(&prefix)); found && walk_is_under(&walk, &prefix); found = walk_step(&walk, MOVE_NEXT)) {
        if (!key_read(table, walk.key, &parts)) { txn_damaged(txn); break; }
        newest = parts.number;
    }
    walk_end(&walk);
    return store_service(txn, newest, arena);
}

const struct service *store_service_named(struct store_txn *txn, int64_t cluster_number, struct str name, struct arena *arena)
{
    return newest_under(txn, TABLE_SERVICE_NAMES, cluster_number, name, arena);
}

const struct service *store_service_by_token(struct store_txn *txn, int64_t cluster_number, struct str token, struct arena *arena)
{
    return token.len == 0 ? NULL : newest_under(txn, TABLE_SERVICE_TOKENS, cluster_number, token, arena);
}

static int64_t new_number(struct store_txn *txn)
{
    int64_t last = 0;
    struct str text = store_meta(txn, services_last_number, &txn->scratch);
    if (str_is_set(text) && (!str_to_i64(text, &last) || last < 0 || last == INT64_MAX)) { txn_damaged(txn); }
    store_put_meta(txn, services_last_number, arena_printf(&txn->scratch, "%lld", (long long)(last + 1)));
    return last + 1;
}

const struct service *store_daemon_named(struct store_txn *txn, int64_t cluster_number, struct str name, struct arena *arena)
{
    return newest_under(txn, TABLE_DAEMON_NAMES, cluster_number, name, arena);
}

enum table service_name_table(const struct service *service) { return service->daemon == NULL ? TABLE_SERVICE_NAMES : TABLE_DAEMON_NAMES; }

struct key service_name_key(const struct service *service)
{
    return key_of(service_name_table(service), &(struct key_parts){ .cluster = service->cluster_number, .text = service->name, .number = service->number });
}

struct key service_token_key(const struct service *service)
{
    return key_of(TABLE_SERVICE_TOKENS, &(struct key_parts){ .cluster = service->cluster_number, .text = service->client_token, .number = service->number });
}

/* A repeated CreateDaemon is found by the daemon's name. */
bool service_holds_token(const struct service *service)
{
    return service->client_token.len > 0 && service->status != SERVICE_INACTIVE && service->daemon == NULL;
}

/* The token of a service is never changed. */
static void put_token(struct store_txn *txn, const struct service *before, const struct service *service)
{
    bool held = before != NULL && service_holds_token(before), holds = service_holds_token(service);
    if (held == holds) { return; }
    struct key token = service_token_key(service);
    if (holds) { txn_put(txn, TABLE_SERVICE_TOKENS, &token, STR(""), PUT_ANYWHERE); } else { txn_delete(txn, TABLE_SERVICE_TOKENS, &token); }
}

struct key service_gone_key(const struct service *service)
{
    return pair_key(TABLE_GONE_SERVICES, service->deleted_ms, service->number);
}

void store_put_service(struct store_txn *txn, struct service *service)
{
    ASSERT(service->cluster_number > 0 && service->cluster_number <= CLUSTERS_MAX && service->name.len > 0);
    ASSERT(service->status != SERVICE_STATUS_UNSET);
    arena_reset(&txn->scratch);
    bool is_new = service->number == 0;
    if (is_new) { service->number = new_number(txn); }
    const struct service *before = is_new ? NULL : store_service(txn, service->number, &txn->scratch);
    struct key key = key_of(TABLE_SERVICES, &(struct key_parts){ .number = service->number });
    record_put(txn, TABLE_SERVICES, &key, &service_record, service, PUT_ANYWHERE);
    if (before == NULL || before->status != service->status) {
        char status = (char)service->status;
        struct key name = service_name_key(service);
        txn_put(txn, service_name_table(service), &name, (struct str){ &status, 1 }, PUT_ANYWHERE);
        if (service->status == SERVICE_INACTIVE) {
            struct key gone = service_gone_key(service);
            txn_put(txn, TABLE_GONE_SERVICES, &gone, STR(""), PUT_ANYWHERE);
        }
        put_token(txn, before, service);
        if (service->daemon == NULL) {
            live_note_service(txn, service->cluster_number, before == NULL ? SERVICE_STATUS_UNSET : before->status, service->status);
        }
    }
    changes_note_service(txn, service->cluster_number, service->number);
}

/* All entries of a table that are the service's. */
static void drop_all(struct store_txn *txn, enum table table, int64_t service)
{
    struct key prefix, key;
    for (;;) {
        if (!key_make_prefix(&prefix, table, &(struct key_parts){ .number = service }, 1)) { return; }
        struct walk walk = walk_begin(txn, table);
        bool found = walk_to(&walk, key_str(&prefix)) && walk_is_under(&walk, &prefix) && walk.key.len <= sizeof key.bytes;
        if (found) {
            key.len = walk.key.len;
            memcpy(key.bytes, walk.key.ptr, walk.key.len);
        }
        walk_end(&walk);
        if (!found) { return; }
        txn_delete(txn, table, &key);
        if (!txn_is_sound(txn)) { return; }
    }
}

void store_drop_service(struct store_txn *txn, int64_t number)
{
    static const enum table tables[] = { TABLE_SERVICES, TABLE_SERVICE_EVENTS, TABLE_SERVICE_REVISIONS, TABLE_DEPLOYMENTS, TABLE_SERVICE_DEPLOYMENTS };
    arena_reset(&txn->scratch);
    const struct service *service = store_service(txn, number, &txn->scratch);
    if (service == NULL) { return; }
    ASSERT(service->status == SERVICE_INACTIVE);
    struct key name = service_name_key(service), gone = service_gone_key(service);
    txn_delete(txn, service_name_table(service), &name);
    txn_delete(txn, TABLE_GONE_SERVICES, &gone);
    for (size_t t = 0; t < COUNT_OF(tables); t++) { drop_all(txn, tables[t], number); }
}

/* The status in an entry of the table of names. */
static enum service_status status_at(const struct walk *walk)
{
    return walk->value.len == 1 ? (enum service_status)walk->value.ptr[0] : SERVICE_STATUS_UNSET;
}

/* Those of a table of names whose status is one of the two. */
static size_t list_named(struct store_txn *txn, enum table table, const struct key_parts *after, enum service_status other, struct service_number *services,
                         size_t limit, struct arena *arena)
{
    struct key_parts parts = *after;
    struct key prefix, from;
    size_t count = 0;
    if (!key_make_prefix(&prefix, table, &parts, 1) || !key_make(&from, table, &parts)) { return 0; }
    struct walk walk = walk_begin(txn, table);
    bool found = walk_to(&walk, key_str(parts.text.len > 0 ? &from : &prefix));
    for (; found && count < limit && walk_is_under(&walk, &prefix); found = walk_step(&walk, MOVE_NEXT)) {
        if (!key_read(table, walk.key, &parts)) { txn_damaged(txn); break; }
        bool takes = status_at(&walk) == SERVICE_ACTIVE || status_at(&walk) == other;
        if (takes) { services[count++] = (struct service_number){ parts.number, arena_str(arena, parts.text) }; }
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

size_t store_list_services(struct store_txn *txn, int64_t cluster_number, struct str after, struct service_number *services, size_t limit,
                           struct arena *arena)
{
    const struct key_parts parts = { .cluster = cluster_number, .text = after, .number = INT64_MAX };
    return list_named(txn, TABLE_SERVICE_NAMES, &parts, SERVICE_ACTIVE, services, limit, arena);
}

size_t store_list_daemons(struct store_txn *txn, int64_t cluster_number, struct str after, struct service_number *daemons, size_t limit,
                          struct arena *arena)
{
    const struct key_parts parts = { .cluster = cluster_number, .text = after, .number = INT64_MAX };
    return list_named(txn, TABLE_DAEMON_NAMES, &parts, SERVICE_DRAINING, daemons, limit, arena);
}

bool store_has_services(struct store_txn *txn, int64_t cluster_number)
{
    static const enum table tables[] = { TABLE_SERVICE_NAMES, TABLE_DAEMON_NAMES };
    const struct key_parts parts = { .cluster = cluster_number, .number = INT64_MAX };
    struct arena arena;
    struct service_number one;
    bool has = false;
    arena_init(&arena, 4096);
    for (size_t t = 0; t < COUNT_OF(tables); t++) { has |= list_named(txn, tables[t], &parts, SERVICE_DRAINING, &one, 1, &arena) > 0; }
    arena_finish(&arena);
    return has;
}

bool services_are_kept(struct store_txn *txn, int64_t cluster_number)
{
    static const enum table tables[] = { TABLE_SERVICE_NAMES, TABLE_DAEMON_NAMES };
    bool found = false;
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        struct key prefix;
        if (!key_make_prefix(&prefix, tables[t], &(struct key_parts){ .cluster = cluster_number }, 1)) { continue; }
        struct walk walk = walk_begin(txn, tables[t]);
        found |= walk_to(&walk, key_str(&prefix)) && walk_is_under(&walk, &prefix);
        walk_end(&walk);
    }
    return found;
}

size_t store_list_gone_services(struct store_txn *txn, int64_t before_ms, int64_t *numbers, size_t limit)
{
    size_t count = 0;
    struct walk walk = walk_begin(txn, TABLE_GONE_SERVICES);
    for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found && count < limit; found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts;
        if (!key_read(TABLE_GONE_SERVICES, walk.key, &parts)) { txn_damaged(txn); break; }
        if (parts.number >= before_ms) { break; }
        numbers[count++] = parts.second;
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

void store_scan_services(struct store_txn *txn, store_visit_service *visit, void *context)
{
    struct arena arena;
    arena_init(&arena, SCRATCH_MAX);
    struct walk walk = walk_begin(txn, TABLE_SERVICES);
    for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found; found = walk_step(&walk, MOVE_NEXT)) {
        struct service service;
        arena_reset(&arena);
        if (!record_read_at(&walk, &service_record, walk.value, &service, &arena)) { break; }
        if (service.status != SERVICE_INACTIVE) { visit(context, &service); }
    }
    walk_end(&walk);
    arena_finish(&arena);
}

/* ---- events ---- */

const struct service_events *store_service_events(struct store_txn *txn, int64_t service, struct arena *arena)
{
    struct key key = key_of(TABLE_SERVICE_EVENTS, &(struct key_parts){ .number = service });
    struct service_events *events = ARENA_NEW(arena, struct service_events, 1);
    if (!record_get(txn, TABLE_SERVICE_EVENTS, &key, &service_events_record, events, arena)) { *events = (struct service_events){ 0 }; }
    return events;
}

void store_put_service_events(struct store_txn *txn, int64_t service, const struct service_events *events)
{
    ASSERT(service > 0 && events->events.count <= SERVICE_EVENTS_MAX);
    struct key key = key_of(TABLE_SERVICE_EVENTS, &(struct key_parts){ .number = service });
    arena_reset(&txn->scratch);
    record_put(txn, TABLE_SERVICE_EVENTS, &key, &service_events_record, events, PUT_ANYWHERE);
    changes_note_service(txn, 0, service);
}

/* ---- revisions ---- */

const struct service_revision *store_service_revision(struct store_txn *txn, int64_t service, int64_t digits, struct arena *arena)
{
    if (service < 1 || digits < 1) { return NULL; }
    struct key key = pair_key(TABLE_SERVICE_REVISIONS, service, digits);
    struct service_revision *revision = ARENA_NEW(arena, struct service_revision, 1);
    return record_get(txn, TABLE_SERVICE_REVISIONS, &key, &service_revision_record, revision, arena) ? revision : NULL;
}

void store_put_service_revision(struct store_txn *txn, const struct service_revision *revision)
{
    ASSERT(revision->service > 0 && revision->digits > 0);
    struct key key = pair_key(TABLE_SERVICE_REVISIONS, revision->service, revision->digits);
    arena_reset(&txn->scratch);
    record_put(txn, TABLE_SERVICE_REVISIONS, &key, &service_revision_record, revision, PUT_ANYWHERE);
}

static bool is_there(struct store_txn *txn, enum table table, const struct key *key)
{
    struct str value;
    return txn_get(txn, table, key, &value);
}

void store_drop_service_revision(struct store_txn *txn, int64_t service, int64_t digits)
{
    struct key key = pair_key(TABLE_SERVICE_REVISIONS, service, digits);
    if (is_there(txn, TABLE_SERVICE_REVISIONS, &key)) { txn_delete(txn, TABLE_SERVICE_REVISIONS, &key); }
}

/* ---- deployments ---- */

const struct kept_deployment *store_deployment(struct store_txn *txn, int64_t service, int64_t digits, struct arena *arena)
{
    if (service < 1 || digits < 1) { return NULL; }
    struct key key = pair_key(TABLE_DEPLOYMENTS, service, digits);
    struct kept_deployment *deployment = ARENA_NEW(arena, struct kept_deployment, 1);
    return record_get(txn, TABLE_DEPLOYMENTS, &key, &kept_deployment_record, deployment, arena) ? deployment : NULL;
}

void store_put_deployment(struct store_txn *txn, const struct kept_deployment *deployment)
{
    ASSERT(deployment->service > 0 && deployment->digits > 0 && deployment->status != DEPLOYMENT_STATUS_UNSET);
    struct key key = pair_key(TABLE_DEPLOYMENTS, deployment->service, deployment->digits);
    arena_reset(&txn->scratch);
    record_put(txn, TABLE_DEPLOYMENTS, &key, &kept_deployment_record, deployment, PUT_ANYWHERE);
    changes_note_service(txn, 0, deployment->service);
}

void store_drop_deployment(struct store_txn *txn, int64_t service, int64_t digits)
{
    struct key key = pair_key(TABLE_DEPLOYMENTS, service, digits);
    if (!is_there(txn, TABLE_DEPLOYMENTS, &key)) { return; }
    txn_delete(txn, TABLE_DEPLOYMENTS, &key);
    changes_note_service(txn, 0, service);
}

size_t store_list_deployments(struct store_txn *txn, int64_t service, struct kept_deployment **deployments, struct arena *arena)
{
    struct key prefix;
    size_t count = 0;
    *deployments = NULL;
    if (service < 1 || !key_make_prefix(&prefix, TABLE_DEPLOYMENTS, &(struct key_parts){ .number = service }, 1)) { return 0; }
    *deployments = ARENA_NEW(arena, struct kept_deployment, SERVICE_DEPLOYMENTS_MAX);
    struct walk walk = walk_begin(txn, TABLE_DEPLOYMENTS);
    bool found = walk_to(&walk, key_str(&prefix));
    for (; found && count < SERVICE_DEPLOYMENTS_MAX && walk_is_under(&walk, &prefix); found = walk_step(&walk, MOVE_NEXT)) {
        if (!record_read_at(&walk, &kept_deployment_record, arena_str(arena, walk.value), &(*deployments)[count], arena)) { break; }
        count++;
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

/* ---- service deployments ---- */

static struct key act_key(int64_t service, struct id id)
{
    return key_of(TABLE_SERVICE_DEPLOYMENTS, &(struct key_parts){ .number = service, .id = id });
}

const struct service_deployment *store_service_deployment(struct store_txn *txn, int64_t service, struct id id, struct arena *arena)
{
    if (service < 1) { return NULL; }
    struct key key = act_key(service, id);
    struct service_deployment *deployment = ARENA_NEW(arena, struct service_deployment, 1);
    if (!record_get(txn, TABLE_SERVICE_DEPLOYMENTS, &key, &service_deployment_record, deployment, arena)) { return NULL; }
    deployment->id = id;
    return deployment;
}

size_t store_list_service_deployments(struct store_txn *txn, int64_t service, struct id before, struct service_deployment *deployments, size_t limit,
                                      struct arena *arena)
{
    struct key prefix, end;
    size_t count = 0;
    if (service < 1 || !key_make_prefix(&prefix, TABLE_SERVICE_DEPLOYMENTS, &(struct key_parts){ .number = service }, 1)) { return 0; }
    if (!key_make_prefix(&end, TABLE_SERVICE_DEPLOYMENTS, &(struct key_parts){ .number = service + 1 }, 1)) { return 0; }
    if (!id_is_zero(before)) { end = act_key(service, before); }
    struct walk walk = walk_begin(txn, TABLE_SERVICE_DEPLOYMENTS);
    bool found = walk_to(&walk, key_str(&end)) ? walk_step(&walk, MOVE_PREVIOUS) : walk_step(&walk, MOVE_LAST);
    for (; found && count < limit && walk_is_under(&walk, &prefix); found = walk_step(&walk, MOVE_PREVIOUS)) {
        struct key_parts parts;
        struct service_deployment *deployment = &deployments[count];
        if (!key_read(TABLE_SERVICE_DEPLOYMENTS, walk.key, &parts)) { txn_damaged(txn); break; }
        if (!record_read_at(&walk, &service_deployment_record, arena_str(arena, walk.value), deployment, arena)) { break; }
        deployment->id = parts.id;
        count++;
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

/* The oldest one goes when there are too many, if it has ended. */
static void trim(struct store_txn *txn, int64_t service)
{
    struct arena arena;
    arena_init(&arena, SCRATCH_MAX);
    struct service_deployment *kept = ARENA_NEW(&arena, struct service_deployment, SERVICE_DEPLOYMENTS_MAX + 1);
    size_t count = store_list_service_deployments(txn, service, (struct id){ 0 }, kept, SERVICE_DEPLOYMENTS_MAX + 1, &arena);
    if (count > SERVICE_DEPLOYMENTS_MAX && service_deployment_has_ended(kept[count - 1].status)) {
        struct key key = act_key(service, kept[count - 1].id);
        txn_delete(txn, TABLE_SERVICE_DEPLOYMENTS, &key);
    }
    arena_finish(&arena);
}

void store_put_service_deployment(struct store_txn *txn, const struct service_deployment *deployment)
{
    ASSERT(deployment->service > 0 && !id_is_zero(deployment->id) && deployment->target != NULL);
    struct key key = act_key(deployment->service, deployment->id);
    bool is_new = !is_there(txn, TABLE_SERVICE_DEPLOYMENTS, &key);
    arena_reset(&txn->scratch);
    record_put(txn, TABLE_SERVICE_DEPLOYMENTS, &key, &service_deployment_record, deployment, PUT_ANYWHERE);
    if (is_new) { trim(txn, deployment->service); }
    changes_note_service(txn, 0, deployment->service);
}
