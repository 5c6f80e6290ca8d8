/* traffic.c: target groups, load balancers, listeners, rules and targets. They are few beside tasks, so lists are read whole. Each change moves the
 * revision of the traffic, which the proxies' feeds follow. */
#include "store/store_internal.h"

static const struct str revision_word = STR_INIT("traffic");

static struct key traffic_key(enum traffic_noun kind, struct str path)
{
    struct key key;
    bool made = key_make(&key, TABLE_TRAFFIC, &(struct key_parts){ .index = (int)kind, .text = path });
    ASSERT(made);                                        /* the API has limited names */
    return key;
}

struct str traffic_path(struct arena *arena, struct str a, struct str b, struct str c)
{
    return arena_printf(arena, STR_FMT "/" STR_FMT "%s" STR_FMT, STR_ARG(a), STR_ARG(b), c.len > 0 ? "/" : "", STR_ARG(c));
}

static void note_change(struct store_txn *txn)
{
    store_put_meta(txn, revision_word, arena_printf(&txn->scratch, "%lld", (long long)(store_revision(txn) + 1)));
}

int64_t store_traffic_revision(struct store_txn *txn)
{
    int64_t revision = 0;
    struct key key;
    struct str value;
    if (!key_make(&key, TABLE_META, &(struct key_parts){ .text = revision_word }) || !txn_get(txn, TABLE_META, &key, &value)) { return 0; }
    return str_to_i64(value, &revision) ? revision : 0;
}

/* ---- facts that all code relies on ---- */

bool traffic_group_is_sound(const void *record) { return ((const struct kept_group *)record)->group != NULL; }
bool traffic_balancer_is_sound(const void *record) { return ((const struct kept_balancer *)record)->balancer != NULL; }
bool traffic_listener_is_sound(const void *record) { return ((const struct kept_listener *)record)->listener != NULL; }
bool traffic_rule_is_sound(const void *record) { return ((const struct kept_rule *)record)->rule != NULL; }

bool traffic_target_is_sound(const void *record)
{
    const struct kept_target *target = record;
    return target->group.len > 0 && target->name.len > 0 && target->port > 0 && target->state != TARGET_STATE_UNSET;
}

/* ---- one record ---- */

/* A text that no record can have as its name finds none. */
static bool get(struct store_txn *txn, enum traffic_noun kind, struct str path, const struct schema *schema, void *record, struct arena *arena)
{
    struct key key;
    return key_make(&key, TABLE_TRAFFIC, &(struct key_parts){ .index = (int)kind, .text = path })
        && record_get(txn, TABLE_TRAFFIC, &key, schema, record, arena);
}

static void put(struct store_txn *txn, enum traffic_noun kind, struct str path, const struct schema *schema, const void *record)
{
    ASSERT(path.len > 0);
    struct key key = traffic_key(kind, path);
    record_put(txn, TABLE_TRAFFIC, &key, schema, record, PUT_ANYWHERE);
    note_change(txn);
}

static void drop(struct store_txn *txn, enum traffic_noun kind, struct str path)
{
    struct key key = traffic_key(kind, path);
    txn_delete(txn, TABLE_TRAFFIC, &key);
    note_change(txn);
}

const struct kept_group *store_group(struct store_txn *txn, struct str name, struct arena *arena)
{
    struct kept_group *group = ARENA_NEW(arena, struct kept_group, 1);
    return get(txn, TRAFFIC_GROUP, name, &kept_group_record, group, arena) ? group : NULL;
}

const struct kept_balancer *store_balancer(struct store_txn *txn, struct str name, struct arena *arena)
{
    struct kept_balancer *balancer = ARENA_NEW(arena, struct kept_balancer, 1);
    return get(txn, TRAFFIC_BALANCER, name, &kept_balancer_record, balancer, arena) ? balancer : NULL;
}

const struct kept_listener *store_listener(struct store_txn *txn, struct str balancer, struct str id, struct arena *arena)
{
    struct kept_listener *listener = ARENA_NEW(arena, struct kept_listener, 1);
    struct str path = traffic_path(arena, balancer, id, STR(""));
    return get(txn, TRAFFIC_LISTENER, path, &kept_listener_record, listener, arena) ? listener : NULL;
}

const struct kept_rule *store_rule(struct store_txn *txn, struct str balancer, struct str listener, struct str id, struct arena *arena)
{
    struct kept_rule *rule = ARENA_NEW(arena, struct kept_rule, 1);
    struct str path = traffic_path(arena, balancer, listener, id);
    return get(txn, TRAFFIC_RULE, path, &kept_rule_record, rule, arena) ? rule : NULL;
}

void store_put_group(struct store_txn *txn, const struct kept_group *group)
{
    arena_reset(&txn->scratch);
    put(txn, TRAFFIC_GROUP, group->group->name, &kept_group_record, group);
}

void store_put_balancer(struct store_txn *txn, const struct kept_balancer *balancer)
{
    arena_reset(&txn->scratch);
    put(txn, TRAFFIC_BALANCER, balancer->balancer->name, &kept_balancer_record, balancer);
}

void store_put_listener(struct store_txn *txn, const struct kept_listener *listener)
{
    arena_reset(&txn->scratch);
    put(txn, TRAFFIC_LISTENER, traffic_path(&txn->scratch, listener->balancer, listener->id, STR("")), &kept_listener_record, listener);
}

void store_put_rule(struct store_txn *txn, const struct kept_rule *rule)
{
    arena_reset(&txn->scratch);
    put(txn, TRAFFIC_RULE, traffic_path(&txn->scratch, rule->balancer, rule->listener_id, rule->id), &kept_rule_record, rule);
}

void store_drop_group(struct store_txn *txn, struct str name)
{
    arena_reset(&txn->scratch);
    drop(txn, TRAFFIC_GROUP, name);
}

void store_drop_balancer(struct store_txn *txn, struct str name)
{
    arena_reset(&txn->scratch);
    drop(txn, TRAFFIC_BALANCER, name);
}

void store_drop_listener(struct store_txn *txn, struct str balancer, struct str id)
{
    arena_reset(&txn->scratch);
    drop(txn, TRAFFIC_LISTENER, traffic_path(&txn->scratch, balancer, id, STR("")));
}

void store_drop_rule(struct store_txn *txn, struct str balancer, struct str listener, struct str id)
{
    arena_reset(&txn->scratch);
    drop(txn, TRAFFIC_RULE, traffic_path(&txn->scratch, balancer, listener, id));
}

/* ---- lists ---- */

static size_t list_kind(struct store_txn *txn, enum traffic_noun kind, struct str under, const struct schema *schema, void **items, struct arena *arena)
{
    struct key prefix;
    if (!key_make(&prefix, TABLE_TRAFFIC, &(struct key_parts){ .index = (int)kind, .text = under })) { return 0; }
    return records_list(txn, TABLE_TRAFFIC, &prefix, schema, items, arena);
}

size_t store_list_groups(struct store_txn *txn, struct kept_group **groups, struct arena *arena)
{
    void *items = NULL;
    size_t count = list_kind(txn, TRAFFIC_GROUP, STR(""), &kept_group_record, &items, arena);
    *groups = items;
    return count;
}

size_t store_list_balancers(struct store_txn *txn, struct kept_balancer **balancers, struct arena *arena)
{
    void *items = NULL;
    size_t count = list_kind(txn, TRAFFIC_BALANCER, STR(""), &kept_balancer_record, &items, arena);
    *balancers = items;
    return count;
}

size_t store_list_listeners(struct store_txn *txn, struct str balancer, struct kept_listener **listeners, struct arena *arena)
{
    void *items = NULL;
    size_t count = list_kind(txn, TRAFFIC_LISTENER, traffic_path(arena, balancer, STR(""), STR("")), &kept_listener_record, &items, arena);
    *listeners = items;
    return count;
}

size_t store_list_rules(struct store_txn *txn, struct str balancer, struct str listener, struct kept_rule **rules, struct arena *arena)
{
    void *items = NULL;
    struct str under = arena_printf(arena, STR_FMT "/" STR_FMT "/", STR_ARG(balancer), STR_ARG(listener));
    size_t count = list_kind(txn, TRAFFIC_RULE, under, &kept_rule_record, &items, arena);
    *rules = items;
    return count;
}

/* ---- targets ---- */

static struct str target_path(struct arena *arena, struct str group, struct str name, int64_t port)
{
    return arena_printf(arena, STR_FMT "/" STR_FMT "/%lld", STR_ARG(group), STR_ARG(name), (long long)port);
}

struct str traffic_target_path(struct arena *arena, const struct kept_target *target)
{
    return target_path(arena, target->group, target->name, target->port);
}

static bool get_target(struct store_txn *txn, struct str path, struct kept_target *target, struct arena *arena)
{
    struct key key;
    return key_make(&key, TABLE_TARGETS, &(struct key_parts){ .text = path }) && record_get(txn, TABLE_TARGETS, &key, &kept_target_record, target, arena);
}

const struct kept_target *store_target(struct store_txn *txn, struct str group, struct str name, int64_t port, struct arena *arena)
{
    struct kept_target *target = ARENA_NEW(arena, struct kept_target, 1);
    return get_target(txn, target_path(arena, group, name, port), target, arena) ? target : NULL;
}

/* By its task; without one, those that drain are under the id of zeros. */
bool traffic_is_indexed(const struct kept_target *target) { return !id_is_zero(target->task) || target->state == TARGET_DRAINING; }

static void index_target(struct store_txn *txn, const struct kept_target *target, struct str path, bool there)
{
    struct key key;
    if (!traffic_is_indexed(target)) { return; }
    bool made = key_make(&key, TABLE_TASK_TARGETS, &(struct key_parts){ .id = target->task, .text = path });
    ASSERT(made);
    if (there) { txn_put(txn, TABLE_TASK_TARGETS, &key, STR(""), PUT_ANYWHERE); } else { txn_delete(txn, TABLE_TASK_TARGETS, &key); }
}

/* A target keeps its task: another task at the same address drops the old target first. */
void store_put_target(struct store_txn *txn, struct kept_target *target)
{
    struct key key;
    arena_reset(&txn->scratch);
    struct str path = traffic_target_path(&txn->scratch, target);
    bool made = key_make(&key, TABLE_TARGETS, &(struct key_parts){ .text = path });
    ASSERT(made && target->group.len > 0 && target->name.len > 0 && target->port > 0 && target->state != TARGET_STATE_UNSET);
    target->revision = store_revision(txn) + 1;
    record_put(txn, TABLE_TARGETS, &key, &kept_target_record, target, PUT_ANYWHERE);
    index_target(txn, target, path, true);
    note_change(txn);
}

void store_drop_target(struct store_txn *txn, const struct kept_target *target)
{
    struct key key;
    arena_reset(&txn->scratch);
    struct str path = traffic_target_path(&txn->scratch, target);
    bool made = key_make(&key, TABLE_TARGETS, &(struct key_parts){ .text = path });
    ASSERT(made);
    txn_delete(txn, TABLE_TARGETS, &key);
    index_target(txn, target, path, false);
    note_change(txn);
}

size_t store_list_targets(struct store_txn *txn, struct str group, struct kept_target **targets, struct arena *arena)
{
    struct key prefix;
    void *items = NULL;
    *targets = NULL;
    if (!key_make(&prefix, TABLE_TARGETS, &(struct key_parts){ .text = arena_printf(arena, STR_FMT "/", STR_ARG(group)) })) { return 0; }
    size_t count = records_list(txn, TABLE_TARGETS, &prefix, &kept_target_record, &items, arena);
    *targets = items;
    return count;
}

size_t store_targets_of_task(struct store_txn *txn, struct id task, struct kept_target **targets, struct arena *arena)
{
    enum { TARGETS_MAX = 64 };                           /* a service has fewer load balancers */
    struct key prefix;
    struct key_parts parts = { .id = task };
    struct str paths[TARGETS_MAX];
    size_t count = 0, found_count = 0;
    *targets = NULL;
    if (!key_make_prefix(&prefix, TABLE_TASK_TARGETS, &parts, 1)) { return 0; }
    struct walk walk = walk_begin(txn, TABLE_TASK_TARGETS);
    for (bool found = walk_to(&walk, key_str(&prefix)); found && count < TARGETS_MAX && walk_is_under(&walk, &prefix);
         found = walk_step(&walk, MOVE_NEXT)) {
        if (!key_read(TABLE_TASK_TARGETS, walk.key, &parts)) { txn_damaged(txn); break; }
        paths[count++] = arena_str(arena, parts.text);
    }
    walk_end(&walk);
    *targets = ARENA_NEW(arena, struct kept_target, count);
    for (size_t p = 0; p < count; p++) { found_count += get_target(txn, paths[p], &(*targets)[found_count], arena); }
    return txn_is_sound(txn) ? found_count : 0;
}
