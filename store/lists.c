/* lists.c: pages of names and ids, in key order, each starting behind the last one of the page before. */
#include "store/store_internal.h"

/* Moves to the first entry behind `from` and under `prefix`. An entry equal to `from` was the last of the page before. */
static bool seek_behind(struct walk *walk, const struct key *prefix, const struct key *from)
{
    bool found = walk_to(walk, key_str(from));
    if (found && str_eq(walk->key, key_str(from))) { found = walk_step(walk, MOVE_NEXT); }
    return found && walk_is_under(walk, prefix);
}

static bool step_under(struct walk *walk, const struct key *prefix)
{
    return walk_step(walk, MOVE_NEXT) && walk_is_under(walk, prefix);
}

/* False, and the transaction is poisoned: the key can't be read. */
static bool parts_of(struct walk *walk, struct key_parts *parts)
{
    if (key_read(walk->table, walk->key, parts)) { return true; }
    txn_damaged(walk->txn);
    return false;
}

/* ---- clusters ---- */

size_t store_list_clusters(struct store_txn *txn, struct str after, struct str *names, size_t limit, struct arena *arena)
{
    struct key from, all = { 0 };
    if (!key_make(&from, TABLE_CLUSTERS, &(struct key_parts){ .text = after })) { return 0; }
    size_t count = 0;
    struct walk walk = walk_begin(txn, TABLE_CLUSTERS);
    for (bool found = seek_behind(&walk, &all, &from); found && count < limit; found = step_under(&walk, &all)) {
        names[count++] = arena_str(arena, walk.key);
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

size_t store_list_cluster_numbers(struct store_txn *txn, int64_t from, struct cluster_number *found, size_t limit, struct arena *arena)
{
    struct key key;
    struct key_parts parts;
    size_t count = 0;
    if (from < 0 || from > CLUSTERS_MAX || !key_make(&key, TABLE_CLUSTER_NUMBERS, &(struct key_parts){ .cluster = from })) { return 0; }
    struct walk walk = walk_begin(txn, TABLE_CLUSTER_NUMBERS);
    for (bool more = walk_to(&walk, key_str(&key)); more && count < limit && parts_of(&walk, &parts); more = walk_step(&walk, MOVE_NEXT)) {
        found[count++] = (struct cluster_number){ parts.cluster, arena_str(arena, walk.value) };
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

/* ---- task definitions, those of daemons beside them ---- */

static bool seek_last(struct walk *walk, const struct key *prefix)
{
    struct key beyond = *prefix;
    bool found = false;
    if (beyond.len > 0) {
        beyond.bytes[beyond.len - 1]++;                  /* a status, a NUL or a byte of UTF-8, which is never 255 */
        found = walk_to(walk, key_str(&beyond));
    }
    return walk_step(walk, found ? MOVE_PREVIOUS : MOVE_LAST) && walk_is_under(walk, prefix);
}

static bool seek_before(struct walk *walk, const struct key *prefix, const struct key *from)
{
    bool found = walk_to(walk, key_str(from));
    return walk_step(walk, found ? MOVE_PREVIOUS : MOVE_LAST) && walk_is_under(walk, prefix);
}

/* The first place of a page. Ascending: the first key behind `after`. Descending: the last key below it, or the last one under the prefix. */
static bool seek_definitions(struct walk *walk, const struct key *prefix, const struct key *after, bool descending)
{
    if (!descending) { return seek_behind(walk, prefix, after == NULL ? prefix : after); }
    return after == NULL ? seek_last(walk, prefix) : seek_before(walk, prefix, after);
}

/* An entry's family: the key without the revision. */
static struct key family_at(const struct walk *walk)
{
    struct key family = { .len = walk->key.len - sizeof(int64_t) };
    memcpy(family.bytes, walk->key.ptr, family.len);
    return family;
}

/* Entries whose keys end with a family and a revision, those under `prefix`. `latest`: the last of each family alone. */
struct definition_list { enum table table; struct key prefix; const struct key *after; bool descending, latest; };

static size_t list_definitions(struct store_txn *txn, const struct definition_list *list, struct taskdef_name *names, size_t limit, struct arena *arena)
{
    size_t count = 0;
    struct key_parts parts;
    struct walk walk = walk_begin(txn, list->table);
    bool found = seek_definitions(&walk, &list->prefix, list->after, list->descending);
    while (found && count < limit && parts_of(&walk, &parts)) {
        struct key family = family_at(&walk);
        if (list->latest && !list->descending && (!seek_last(&walk, &family) || !parts_of(&walk, &parts))) { break; }
        names[count++] = (struct taskdef_name){ arena_str(arena, parts.text), parts.number };
        if (!list->descending) {
            found = step_under(&walk, &list->prefix);
        } else {
            found = list->latest ? seek_before(&walk, &list->prefix, &family) : walk_step(&walk, MOVE_PREVIOUS) && walk_is_under(&walk, &list->prefix);
        }
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

size_t store_list_taskdefs(struct store_txn *txn, struct str family, enum task_definition_status status, bool descending,
                           struct taskdef_name after, struct taskdef_name *names, size_t limit, struct arena *arena)
{
    struct key from;
    struct definition_list list = { .table = TABLE_TASKDEF_INDEX, .descending = descending };
    struct key_parts parts = { .status = (int)status, .text = family };
    size_t prefix_parts = str_is_set(family) ? 2 : 1;
    if (!key_make_prefix(&list.prefix, list.table, &parts, prefix_parts)) { return 0; }
    struct key_parts after_parts = { .status = (int)status, .text = after.family, .number = after.revision };
    if (str_is_set(after.family)) {
        if (!key_make(&from, list.table, &after_parts)) { return 0; }
        list.after = &from;
    }
    return list_definitions(txn, &list, names, limit, arena);
}

/* The index has one status; the records are of any. Where only the latest of a family is listed, the family is the position, not the revision. */
size_t store_list_daemon_taskdefs(struct store_txn *txn, const struct daemon_taskdef_filter *filter, struct taskdef_name after,
                                  struct taskdef_name *names, size_t limit, struct arena *arena)
{
    struct key from;
    bool any = filter->wanted == DAEMON_TASK_DEFINITION_STATUS_UNSET;
    struct definition_list list = {
        .table = any ? TABLE_DAEMON_TASKDEFS : TABLE_DAEMON_TASKDEF_INDEX, .descending = filter->descending, .latest = filter->latest,
    };
    struct key_parts parts = { .status = (int)filter->wanted, .text = filter->family };
    if (!key_make_prefix(&list.prefix, list.table, &parts, any ? 1 : 2)) { return 0; }
    if (!filter->exact) { list.prefix.len--; }           /* the NUL that ends a family */
    if (str_is_set(after.family)) {
        int64_t revision = !filter->latest ? after.revision : filter->descending ? 0 : INT64_MAX;
        struct key_parts after_parts = { .status = (int)filter->wanted, .text = after.family, .number = revision };
        if (!key_make(&from, list.table, &after_parts)) { return 0; }
        list.after = &from;
    }
    return list_definitions(txn, &list, names, limit, arena);
}

static int64_t latest_revision(struct store_txn *txn, enum table index, int status, struct str family)
{
    struct key prefix;
    struct key_parts parts = { .status = status, .text = family };
    if (family.len == 0 || !key_make_prefix(&prefix, index, &parts, 2)) { return 0; }
    struct walk walk = walk_begin(txn, index);
    bool found = seek_last(&walk, &prefix) && parts_of(&walk, &parts);
    walk_end(&walk);
    return found ? parts.number : 0;
}

int64_t store_latest_active_revision(struct store_txn *txn, struct str family)
{
    return latest_revision(txn, TABLE_TASKDEF_INDEX, (int)TASK_DEFINITION_STATUS_ACTIVE, family);
}

const struct taskdef *store_taskdef_of(struct store_txn *txn, const struct task *task, struct arena *arena)
{
    if (task->of_daemon != OPT_TRUE) { return store_taskdef(txn, task->family, task->revision, arena); }
    const struct daemon_taskdef *found = store_daemon_taskdef(txn, task->family, task->revision, arena);
    if (found == NULL) { return NULL; }
    struct taskdef *taskdef = ARENA_NEW(arena, struct taskdef, 1);
    *taskdef = daemon_taskdef_as(found);
    return taskdef;
}

int64_t store_latest_daemon_revision(struct store_txn *txn, struct str family)
{
    return latest_revision(txn, TABLE_DAEMON_TASKDEF_INDEX, (int)DAEMON_TASK_DEFINITION_STATUS_ACTIVE, family);
}

static bool has_revision(struct store_txn *txn, struct str family, enum task_definition_status status)
{
    struct key prefix;
    struct key_parts parts = { .status = (int)status, .text = family };
    if (!key_make_prefix(&prefix, TABLE_TASKDEF_INDEX, &parts, 2)) { return false; }
    struct walk walk = walk_begin(txn, TABLE_TASKDEF_INDEX);
    bool found = walk_to(&walk, key_str(&prefix)) && walk_is_under(&walk, &prefix);
    walk_end(&walk);
    return found;
}

/* A family whose revisions are all gone or being deleted is in no list; its counter stays. */
static bool family_passes(struct store_txn *txn, struct str family, enum family_filter filter)
{
    bool active = has_revision(txn, family, TASK_DEFINITION_STATUS_ACTIVE);
    if (filter == FAMILY_ACTIVE || (filter == FAMILY_ANY && active)) { return active; }
    return !active && has_revision(txn, family, TASK_DEFINITION_STATUS_INACTIVE);
}

size_t store_list_families(struct store_txn *txn, struct str prefix, enum family_filter filter, struct str after,
                           struct str *families, size_t limit, struct arena *arena)
{
    struct key under, from;
    if (!key_make(&under, TABLE_FAMILIES, &(struct key_parts){ .text = prefix })
        || !key_make(&from, TABLE_FAMILIES, &(struct key_parts){ .text = after })) {
        return 0;
    }
    size_t count = 0;
    struct walk walk = walk_begin(txn, TABLE_FAMILIES);
    bool found = str_cmp(after, prefix) < 0 || !str_is_set(after)
        ? walk_to(&walk, key_str(&under)) && walk_is_under(&walk, &under)
        : seek_behind(&walk, &under, &from);
    while (found && count < limit) {
        if (family_passes(txn, walk.key, filter)) { families[count++] = arena_str(arena, walk.key); }
        found = step_under(&walk, &under);
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

/* Does one key's tasks, oldest first, have one of this revision? A task younger than `before_ms` ends the search,
 * because all tasks behind it are younger too. */
static bool tasks_use(struct walk *walk, int64_t revision, int64_t before_ms, size_t *budget, struct arena *arena)
{
    bool used = false;
    for (bool found = true; found && !used && txn_is_sound(walk->txn); found = walk_step(walk, MOVE_NEXT_VALUE)) {
        struct id id;
        if (*budget == 0) { return true; }
        if (walk->value.len != sizeof id.bytes) {
            txn_damaged(walk->txn);
            return true;
        }
        memcpy(id.bytes, walk->value.ptr, sizeof id.bytes);
        arena_reset(arena);
        const struct task *task = store_task(walk->txn, id, arena);
        (*budget)--;
        if (task == NULL || task->created_ms >= before_ms) { break; }
        used = task->revision == revision;
    }
    return used;
}

bool store_taskdef_is_used(struct store_txn *txn, struct str family, int64_t revision, int64_t before_ms, size_t *budget)
{
    struct key prefix;
    struct key_parts parts = { .index = (int)TASKS_BY_FAMILY };
    if (!key_make_prefix(&prefix, TABLE_TASK_INDEX, &parts, 1)) { return true; }
    struct arena arena;
    arena_init(&arena, SCRATCH_MAX);
    bool used = false;
    struct walk walk = walk_begin(txn, TABLE_TASK_INDEX);
    bool found = walk_to(&walk, key_str(&prefix));
    while (found && !used && walk_is_under(&walk, &prefix) && parts_of(&walk, &parts)) {
        if (str_eq(parts.text, family)) { used = tasks_use(&walk, revision, before_ms, budget, &arena); }
        found = walk_step(&walk, MOVE_NEXT_KEY);
    }
    walk_end(&walk);
    arena_finish(&arena);
    return used || !txn_is_sound(txn);
}

/* ---- instances ---- */

size_t store_list_instances(struct store_txn *txn, int64_t cluster_number, enum instance_status status, struct id after,
                            struct id *ids, size_t limit)
{
    struct key prefix, from;
    struct key_parts parts = { .cluster = cluster_number, .status = status == INSTANCE_INACTIVE ? 1 : 0, .id = after };
    if (!key_make_prefix(&prefix, TABLE_INSTANCE_INDEX, &parts, 2) || !key_make(&from, TABLE_INSTANCE_INDEX, &parts)) { return 0; }
    size_t count = 0;
    struct walk walk = walk_begin(txn, TABLE_INSTANCE_INDEX);
    bool found = seek_behind(&walk, &prefix, &from);
    while (found && count < limit && parts_of(&walk, &parts)) {
        bool wanted = status == INSTANCE_STATUS_UNSET || (walk.value.len == 1 && walk.value.ptr[0] == (char)status);
        if (wanted) { ids[count++] = parts.id; }
        found = step_under(&walk, &prefix);
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

/* ---- tasks ---- */

/* From a page of sorted ids those behind `after`, up to `limit`. */
static size_t take_ids(struct walk *walk, struct id after, struct id *ids, size_t limit)
{
    size_t low = 0, count = walk->value.len / sizeof(struct id), high = count;
    if (walk->value.len % sizeof(struct id) != 0) {
        txn_damaged(walk->txn);
        return 0;
    }
    const char *page = walk->value.ptr;
    while (low < high) {                                 /* the first one behind `after` lies in [low, high] */
        size_t middle = low + (high - low) / 2;
        if (memcmp(page + middle * sizeof after.bytes, after.bytes, sizeof after.bytes) > 0) { high = middle; } else { low = middle + 1; }
    }
    size_t taken = count - low < limit ? count - low : limit;
    ASSERT(low <= count && taken <= limit);
    walk->txn->touched += taken;
    if (taken > 0) { memcpy(ids, page + low * sizeof *ids, taken * sizeof *ids); }
    return taken;
}

size_t store_list_tasks(struct store_txn *txn, int64_t cluster_number, enum task_index index, struct str text,
                        enum task_status desired, struct id after, struct id *ids, size_t limit)
{
    struct key key;
    struct key_parts parts = { .index = (int)index, .cluster = cluster_number, .status = (int)desired, .text = text };
    if (index == TASKS_BY_CLUSTER) { parts.text = (struct str){ NULL, 0 }; }
    if (!key_make(&key, TABLE_TASK_INDEX, &parts)) { return 0; }
    size_t count = 0;
    struct walk walk = walk_begin(txn, TABLE_TASK_INDEX);
    bool found = walk_to_value(&walk, key_str(&key), (struct str){ (const char *)after.bytes, sizeof after.bytes });
    for (found = found && walk_step(&walk, MOVE_PAGE); found && count < limit; found = walk_step(&walk, MOVE_NEXT_PAGE)) {
        count += take_ids(&walk, after, ids + count, limit - count);
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

size_t store_list_stopped(struct store_txn *txn, int64_t before_ms, struct id *ids, size_t limit)
{
    size_t count = 0;
    struct key_parts parts;
    struct walk walk = walk_begin(txn, TABLE_STOPPED);
    bool found = walk_to(&walk, (struct str){ NULL, 0 });
    while (found && count < limit && parts_of(&walk, &parts) && parts.number < before_ms) {
        ids[count++] = parts.id;
        found = walk_step(&walk, MOVE_NEXT);
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

/* ---- whole tables ---- */

void store_scan_instances(struct store_txn *txn, store_visit_instance *visit, void *context)
{
    struct arena arena;
    arena_init(&arena, SCRATCH_MAX);
    struct walk walk = walk_begin(txn, TABLE_INSTANCES);
    for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found; found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts;
        struct instance instance;
        arena_reset(&arena);
        if (!parts_of(&walk, &parts) || !record_read_at(&walk, &instance_record, walk.value, &instance, &arena)) { break; }
        instance.id = parts.id;
        if (instance.status != INSTANCE_INACTIVE) { visit(context, &instance); }
    }
    walk_end(&walk);
    arena_finish(&arena);
}

void store_scan_live_tasks(struct store_txn *txn, store_visit_task *visit, void *context)
{
    struct arena arena;
    arena_init(&arena, SCRATCH_MAX);
    struct walk walk = walk_begin(txn, TABLE_TASKS);
    for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found; found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts;
        struct task task;
        arena_reset(&arena);
        if (!parts_of(&walk, &parts) || !record_read_at(&walk, &task_record, walk.value, &task, &arena)) { break; }
        task.id = parts.id;
        if (task_is_live(&task)) { visit(context, &task); }
    }
    walk_end(&walk);
    arena_finish(&arena);
}

struct task_scan task_scan_begin(struct store_txn *txn)
{
    struct task_scan scan = { .walk = walk_begin(txn, TABLE_TASKS) };
    arena_init(&scan.arena, SCRATCH_MAX);
    scan.more = walk_to(&scan.walk, (struct str){ NULL, 0 });
    return scan;
}

size_t task_scan_next(struct task_scan *scan, struct task tasks[STORE_TASKS_MAX])
{
    size_t count = 0;
    struct key_parts parts;
    arena_reset(&scan->arena);
    for (; scan->more && count < STORE_TASKS_MAX; scan->more = walk_step(&scan->walk, MOVE_NEXT)) {
        struct task *task = &tasks[count++];
        if (!parts_of(&scan->walk, &parts) || !record_read_at(&scan->walk, &task_key_record, scan->walk.value, task, &scan->arena)) { return 0; }
        task->id = parts.id;
    }
    ASSERT(count <= STORE_TASKS_MAX);
    return txn_is_sound(scan->walk.txn) ? count : 0;
}

void task_scan_end(struct task_scan *scan)
{
    walk_end(&scan->walk);
    arena_finish(&scan->arena);
}

void store_scan_holders(struct store_txn *txn, store_visit_tasks *visit, void *context)
{
    struct task tasks[STORE_TASKS_MAX];
    size_t read;
    struct task_scan scan = task_scan_begin(txn);
    while ((read = task_scan_next(&scan, tasks)) > 0) {
        size_t live = 0;
        for (size_t t = 0; t < read; t++) {
            if (!task_is_live(&tasks[t])) { continue; }
            if (live < t) { tasks[live] = tasks[t]; }
            live++;
        }
        ASSERT(live <= read && read <= STORE_TASKS_MAX);
        if (live > 0) { visit(context, tasks, live); }
    }
    task_scan_end(&scan);
}

static size_t count_entries(struct store_txn *txn, enum table table)
{
    struct engine_size size;
    return txn_size_of(txn, table, &size) ? size.entries : 0;
}

/* Every task that is not live has an entry among the stopped. */
size_t store_count_live_tasks(struct store_txn *txn)
{
    enum { RECORD_LEAST = 32 };                          /* bytes: no more memory is asked for than the file can have tasks, even if the count is damaged */
    size_t all = count_entries(txn, TABLE_TASKS), stopped = count_entries(txn, TABLE_STOPPED);
    if (all / (4096 / RECORD_LEAST) >= engine_pages(txn->store->engine)) { return 0; }
    return all > stopped ? all - stopped : 0;
}

size_t store_list_access_keys(struct store_txn *txn, struct access_key_list *keys, struct arena *arena)
{
    *keys = (struct access_key_list){ 0 };
    size_t capacity = 0;
    struct walk walk = walk_begin(txn, TABLE_ACCESS_KEYS);
    for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found; found = walk_step(&walk, MOVE_NEXT)) {
        if (keys->count == capacity) {
            size_t wider = capacity == 0 ? 16 : capacity * 2;
            keys->items = arena_grow(arena, keys->items, capacity * sizeof *keys->items, wider * sizeof *keys->items);
            capacity = wider;
        }
        if (!record_read_at(&walk, &access_key_record, arena_str(arena, walk.value), &keys->items[keys->count], arena)) { break; }
        keys->count++;
    }
    walk_end(&walk);
    if (!txn_is_sound(txn)) { *keys = (struct access_key_list){ 0 }; }
    return keys->count;
}

size_t store_list_alarms(struct store_txn *txn, struct str prefix, struct str after, struct kept_alarm *alarms, size_t limit, struct arena *arena)
{
    struct key under, from;
    if (!key_make(&under, TABLE_ALARMS, &(struct key_parts){ .text = prefix })) { return 0; }
    if (!key_make(&from, TABLE_ALARMS, &(struct key_parts){ .text = after })) { return 0; }
    size_t count = 0;
    struct walk walk = walk_begin(txn, TABLE_ALARMS);
    /* At the prefix itself an alarm of that name is not one of the page before. */
    bool found = str_cmp(after, prefix) < 0 ? walk_to(&walk, key_str(&under)) && walk_is_under(&walk, &under) : seek_behind(&walk, &under, &from);
    for (; found && count < limit; found = step_under(&walk, &under)) {
        if (!record_read_at(&walk, &kept_alarm_record, arena_str(arena, walk.value), &alarms[count], arena)) { break; }
        count++;
    }
    walk_end(&walk);
    return txn_is_sound(txn) ? count : 0;
}

size_t records_list(struct store_txn *txn, enum table table, const struct key *prefix, const struct schema *schema, void **items, struct arena *arena)
{
    size_t count = 0, n = 0;
    struct walk walk = walk_begin(txn, table);
    for (bool found = walk_to(&walk, key_str(prefix)); found && walk_is_under(&walk, prefix); found = walk_step(&walk, MOVE_NEXT)) { count++; }
    char *records = arena_alloc(arena, count, schema->size);
    for (bool found = walk_to(&walk, key_str(prefix)); found && n < count && walk_is_under(&walk, prefix); found = walk_step(&walk, MOVE_NEXT)) {
        if (!record_read_at(&walk, schema, arena_str(arena, walk.value), records + n * schema->size, arena)) { break; }
        n++;
    }
    walk_end(&walk);
    *items = records;
    return txn_is_sound(txn) ? n : 0;
}
