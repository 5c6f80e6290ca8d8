/* live_view.c: questions about live tasks and instances. In a writing transaction the answer is the memory's, changed by that
 * transaction's own notes: a task with a note counts only as its note says. */
#include "store/live/live_tables.h"

#include <stdlib.h>

typedef void visit_facts(void *context, const struct live_facts *facts);

static NO_THREAD_SAFETY void each_on_instance(struct store_txn *txn, struct id instance, visit_facts *visit, void *context)
{
    struct live *live = txn->store->live;
    rwlock_take_read(&live->lock);
    uint32_t at = id_find(&live->instances_by_id, instances_of(live), instance);
    uint32_t place = id_is_zero(instance) ? live->unplaced : at == NO_PLACE ? NO_PLACE : live->instances[at].first;
    for (; place != NO_PLACE; place = live->slots[place].next) {
        const struct live_facts facts = facts_in(live, &live->slots[place]);
        if (live_note_of(txn, facts.id) == NULL) { visit(context, &facts); }
    }
    rwlock_drop(&live->lock);
    for (size_t n = 0; txn->writing && n < txn->notes.task_count; n++) {
        const struct live_note *note = &txn->notes.tasks[n];
        if (note->live && id_eq(note->facts.instance, instance)) { visit(context, &note->facts); }
    }
}

/* ---- the resources of an instance that are taken ---- */

struct usage_walk {
    struct instance_usage *usage; struct arena *arena;
    size_t port_capacity, gpu_capacity;
};

static void *room_for(struct arena *arena, void *items, size_t *capacity, size_t count, size_t more, size_t size)
{
    if (count + more <= *capacity) { return items; }
    size_t wider = (count + more) * 2;
    ASSERT(count <= *capacity && wider > *capacity);
    items = arena_grow(arena, items, *capacity * size, wider * size);
    *capacity = wider;
    return items;
}

static void use_ports(struct usage_walk *walk, const struct holdings *holdings)
{
    struct int_list *ports = &walk->usage->ports;
    if (holdings->port_count == 0) { return; }
    ports->items = room_for(walk->arena, ports->items, &walk->port_capacity, ports->count, holdings->port_count,
                            sizeof *ports->items);
    for (size_t p = 0; p < holdings->port_count; p++) { ports->items[ports->count++] = opt_int_of(holdings->ports[p]); }
}

static void use_gpus(struct usage_walk *walk, const struct holdings *holdings)
{
    struct gpu_use_list *gpus = &walk->usage->gpus;
    size_t offset = 0;
    if (holdings->gpu_count == 0) { return; }
    gpus->items = room_for(walk->arena, gpus->items, &walk->gpu_capacity, gpus->count, holdings->gpu_count, sizeof *gpus->items);
    for (size_t g = 0; g < holdings->gpu_count; g++) { gpus->items[gpus->count++] = holdings_gpu(holdings, &offset); }
}

static void visit_usage(void *context, const struct live_facts *facts)
{
    struct usage_walk *walk = context;
    walk->usage->cpu += facts->cpu;
    walk->usage->memory_mib += facts->memory_mib;
    if (facts->last_status == TASK_RUNNING && facts->desired_status == TASK_RUNNING) { walk->usage->running++; }
    if (facts->last_status == TASK_PENDING) { walk->usage->pending++; }
    if (facts->holdings == NULL) { return; }
    struct gpu_use_list *gpus = &walk->usage->gpus;
    size_t first = gpus->count;
    use_ports(walk, facts->holdings);
    use_gpus(walk, facts->holdings);
    for (size_t g = first; g < gpus->count; g++) { gpus->items[g].uuid = arena_str(walk->arena, gpus->items[g].uuid); }
}

static int order_ports(const void *a, const void *b)
{
    int64_t left = ((const struct opt_int *)a)->value, right = ((const struct opt_int *)b)->value;
    return (left > right) - (left < right);
}

static int order_uses(const void *a, const void *b)
{
    return str_cmp(((const struct gpu_use *)a)->uuid, ((const struct gpu_use *)b)->uuid);
}

/* Tasks that share a device become one use of it. */
static void order_gpus(struct gpu_use_list *gpus)
{
    size_t kept = 0;
    if (gpus->count > 1) { qsort(gpus->items, gpus->count, sizeof *gpus->items, order_uses); }
    for (size_t g = 0; g < gpus->count; g++) {
        if (kept > 0 && str_eq(gpus->items[kept - 1].uuid, gpus->items[g].uuid)) {
            gpus->items[kept - 1].share += gpus->items[g].share;
        } else {
            gpus->items[kept++] = gpus->items[g];
        }
    }
    ASSERT(kept <= gpus->count);
    gpus->count = kept;
}

static int order_ids(const void *a, const void *b) { return id_cmp(*(const struct id *)a, *(const struct id *)b); }

/* ---- the traits of an instance ---- */

static struct instance_traits read_traits(const struct traits *traits)
{
    struct instance_traits read = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, traits->came_ms, traits->connected };
    if (traits->zone_len > 0) { read.zone = (struct str){ traits->text, traits->zone_len }; }
    if (traits->architecture_len > 0) { read.architecture = (struct str){ traits->text + traits->zone_len, traits->architecture_len }; }
    if (traits->name_len > 0) { read.name = (struct str){ traits->text + traits->zone_len + traits->architecture_len, traits->name_len }; }
    return read;
}

/* This transaction's note of the instance; NULL: it has no note. */
static const struct instance_note *instance_note_of(const struct store_txn *txn, struct id instance)
{
    for (size_t n = 0; txn->writing && n < txn->notes.instance_count; n++) {
        if (id_eq(txn->notes.instances[n].id, instance)) { return &txn->notes.instances[n]; }
    }
    return NULL;
}

static struct instance_traits copy_traits(const struct traits *traits, struct arena *arena)
{
    struct instance_traits read = read_traits(traits);
    read.zone = arena_str(arena, read.zone);
    read.architecture = arena_str(arena, read.architecture);
    read.name = arena_str(arena, read.name);
    return read;
}

NO_THREAD_SAFETY void store_many_traits(struct store_txn *txn, const struct id *instances, size_t count, struct instance_traits *traits,
                                        struct arena *arena)
{
    static const struct traits nothing;
    struct live *live = txn->store->live;
    rwlock_take_read(&live->lock);
    for (size_t i = 0; i < count; i++) { table_fetch(&live->instances_by_id, hash_id(instances[i])); }
    for (size_t i = 0; i < count; i++) { id_fetch_item(&live->instances_by_id, instances_of(live), instances[i]); }
    for (size_t i = 0; i < count; i++) {
        const struct instance_note *note = instance_note_of(txn, instances[i]);
        uint32_t at = note != NULL ? NO_PLACE : id_find(&live->instances_by_id, instances_of(live), instances[i]);
        traits[i] = copy_traits(note != NULL ? &note->traits : at != NO_PLACE ? &live->instances[at].traits : &nothing, arena);
    }
    rwlock_drop(&live->lock);
}

struct instance_traits store_instance_traits(struct store_txn *txn, struct id instance, struct arena *arena)
{
    struct instance_traits traits;
    store_many_traits(txn, &instance, 1, &traits, arena);
    return traits;
}

static NO_THREAD_SAFETY int64_t events_on_instance(struct store_txn *txn, struct id instance)
{
    struct live *live = txn->store->live;
    int64_t events = 0;
    rwlock_take_read(&live->lock);
    uint32_t at = id_find(&live->instances_by_id, instances_of(live), instance);
    if (at != NO_PLACE) { events = live->instances[at].events; }
    rwlock_drop(&live->lock);
    for (size_t n = 0; txn->writing && n < txn->notes.event_count; n++) {
        const struct event_note *note = &txn->notes.events[n];
        if (id_eq(note->instance, instance)) { events += note->events; }
    }
    return events;
}

/* Sorted, because the order in memory is another one after a restart. */
void store_instance_usage(struct store_txn *txn, struct id instance, struct instance_usage *usage, struct arena *arena)
{
    *usage = (struct instance_usage){ 0 };
    struct usage_walk walk = { .usage = usage, .arena = arena };
    each_on_instance(txn, instance, visit_usage, &walk);
    usage->events = events_on_instance(txn, instance);
    if (usage->ports.count > 1) { qsort(usage->ports.items, usage->ports.count, sizeof *usage->ports.items, order_ports); }
    order_gpus(&usage->gpus);
}

/* ---- which tasks ---- */

struct ids_found { struct id *items; size_t count, capacity; struct arena *arena; };

static void push_id(struct ids_found *list, struct id id)
{
    list->items = room_for(list->arena, list->items, &list->capacity, list->count, 1, sizeof *list->items);
    list->items[list->count++] = id;
}

static void visit_id(void *context, const struct live_facts *facts) { push_id(context, facts->id); }

size_t store_tasks_on_instance(struct store_txn *txn, struct id instance, struct id **ids, struct arena *arena)
{
    struct ids_found list = { .arena = arena };
    each_on_instance(txn, instance, visit_id, &list);
    if (list.count > 1) { qsort(list.items, list.count, sizeof *list.items, order_ids); }
    *ids = list.items;
    return list.count;
}

struct live_list { struct live_task *items; size_t count, capacity; struct arena *arena; };

static void visit_live(void *context, const struct live_facts *facts)
{
    struct live_list *list = context;
    list->items = room_for(list->arena, list->items, &list->capacity, list->count, 1, sizeof *list->items);
    list->items[list->count++] = (struct live_task){ facts->id, (enum task_status)facts->last_status, (enum task_status)facts->desired_status };
}

static int order_live(const void *a, const void *b) { return id_cmp(((const struct live_task *)a)->id, ((const struct live_task *)b)->id); }

size_t store_live_on_instance(struct store_txn *txn, struct id instance, struct live_task **tasks, struct arena *arena)
{
    struct live_list list = { .arena = arena };
    each_on_instance(txn, instance, visit_live, &list);
    if (list.count > 1) { qsort(list.items, list.count, sizeof *list.items, order_live); }
    *tasks = list.items;
    return list.count;
}

/* The range of ids in which the tasks of a token lie: from memory and from this transaction's notes. False: the token has no task. */
static NO_THREAD_SAFETY bool token_range(struct store_txn *txn, uint64_t print, struct id *first, struct id *last)
{
    struct live *live = txn->store->live;
    struct token range = { 0 };
    rwlock_take_read(&live->lock);
    const struct token *known = tokens_find(&live->tokens, print);
    if (known != NULL) { range = *known; }
    rwlock_drop(&live->lock);
    const struct token *noted = txn->writing ? tokens_find(&txn->notes.tokens, print) : NULL;
    if (noted != NULL && range.count == 0) { range = *noted; }
    if (noted != NULL && id_cmp(noted->first, range.first) < 0) { range.first = noted->first; }
    if (noted != NULL && id_cmp(noted->last, range.last) > 0) { range.last = noted->last; }
    ASSERT(range.count == 0 || id_cmp(range.first, range.last) <= 0);
    *first = range.first;
    *last = range.last;
    return range.count > 0;
}

/* The records say which tasks of the range have the token: other tasks may lie between, and two tokens may have the same fingerprint. */
size_t store_tasks_by_token(struct store_txn *txn, int64_t cluster_number, struct str token, struct id **ids, struct arena *arena)
{
    struct ids_found list = { .arena = arena };
    struct id first, last;
    *ids = NULL;
    if (token.len == 0 || !token_range(txn, live_token(cluster_number, token), &first, &last)) { return 0; }
    struct arena scratch;
    arena_init(&scratch, SCRATCH_MAX);
    struct key from = task_key(first);
    struct walk walk = walk_begin(txn, TABLE_TASKS);
    for (bool found = walk_to(&walk, key_str(&from)); found; found = walk_step(&walk, MOVE_NEXT)) {
        struct key_parts parts;
        struct task task;
        arena_reset(&scratch);
        if (!key_read(TABLE_TASKS, walk.key, &parts) || id_cmp(parts.id, last) > 0) { break; }
        if (!record_read_at(&walk, &task_key_record, walk.value, &task, &scratch)) { break; }
        if (task.cluster_number == cluster_number && str_eq(task.client_token, token)) { push_id(&list, parts.id); }
    }
    walk_end(&walk);
    arena_finish(&scratch);
    *ids = list.items;
    return txn_is_sound(txn) ? list.count : 0;
}

/* ---- counts ---- */

static void lay_notes_over(struct store_txn *txn, int64_t cluster_number, struct cluster_counts *counts)
{
    const struct live *live = txn->store->live;
    for (size_t n = 0; n < txn->notes.task_count; n++) {
        const struct live_note *note = &txn->notes.tasks[n];
        uint32_t place = id_find(ids_of(live, note->id), slots_of(live), note->id);
        if (place != NO_PLACE && live->slots[place].cluster == cluster_number) {
            const struct live_facts facts = facts_in(live, &live->slots[place]);
            counts_add_task(counts, &facts, -1);
        }
        if (note->live && note->facts.cluster == cluster_number) { counts_add_task(counts, &note->facts, 1); }
    }
    for (size_t n = 0; n < txn->notes.instance_count; n++) {
        const struct instance_note *note = &txn->notes.instances[n];
        uint32_t place = id_find(&live->instances_by_id, instances_of(live), note->id);
        if (place != NO_PLACE && live->instances[place].cluster == cluster_number
            && counts_instance(live->instances[place].status)) {
            counts->instances--;
        }
        if (note->cluster == cluster_number && counts_instance(note->status)) { counts->instances++; }
    }
    for (size_t s = 0; s < txn->notes.service_count; s++) {
        if (txn->notes.services[s].cluster == cluster_number) { counts_note_service(counts, &txn->notes.services[s]); }
    }
}

NO_THREAD_SAFETY struct deployment_counts store_deployment_counts(struct store_txn *txn, int64_t digits)
{
    struct deployment_counts counts = { 0 };
    struct live *live = txn->store->live;
    if (digits == 0) { return counts; }
    rwlock_take_read(&live->lock);
    uint32_t place = live_deployment_find(live, digits);
    if (place != NO_PLACE) { counts = live->deployments[place].counts; }
    for (size_t n = 0; txn->writing && n < txn->notes.task_count; n++) {
        const struct live_note *note = &txn->notes.tasks[n];
        uint32_t slot = id_find(ids_of(live, note->id), slots_of(live), note->id);
        if (slot != NO_PLACE && place != NO_PLACE && live->slots[slot].deployment == place) {
            const struct live_facts facts = facts_in(live, &live->slots[slot]);
            counts_add_service_task(&counts, &facts, -1);
        }
        if (note->live && note->facts.deployment == digits) { counts_add_service_task(&counts, &note->facts, 1); }
    }
    rwlock_drop(&live->lock);
    ASSERT(counts.live >= counts.running + counts.pending);
    return counts;
}

NO_THREAD_SAFETY struct cluster_counts store_cluster_counts(struct store_txn *txn, int64_t cluster_number)
{
    struct cluster_counts counts = { 0 };
    struct live *live = txn->store->live;
    rwlock_take_read(&live->lock);
    if (cluster_number > 0 && (uint64_t)cluster_number < live->cluster_count) { counts = live->clusters[cluster_number]; }
    if (txn->writing) { lay_notes_over(txn, cluster_number, &counts); }
    rwlock_drop(&live->lock);
    ASSERT(counts.instances >= 0 && counts.live_tasks >= counts.running + counts.pending);
    return counts;
}

/* ---- instances that may be forgotten ---- */

/* An instance that this transaction has changed is left for the next call. If all its events are past, no task's record has one. */
NO_THREAD_SAFETY size_t store_list_gone_instances(struct store_txn *txn, int64_t before_ms, struct id *ids, size_t limit)
{
    struct live *live = txn->store->live;
    size_t count = 0;
    rwlock_take_read(&live->lock);
    for (size_t i = 0; i < live->instance_count && count < limit; i++) {
        const struct live_instance *instance = &live->instances[i];
        if (instance->status != INSTANCE_INACTIVE || instance->deregistered_ms >= before_ms) { continue; }
        bool has_tasks = instance->events != past_events(txn, instance->id);
        if (!has_tasks && instance_note_of(txn, instance->id) == NULL) { ids[count++] = instance->id; }
    }
    rwlock_drop(&live->lock);
    return txn_is_sound(txn) ? count : 0;
}

/* ---- for the check ---- */

NO_THREAD_SAFETY bool live_view(struct store_txn *txn, struct id id, struct live_facts *facts)
{
    const struct live_note *note = live_note_of(txn, id);
    if (note != NULL) {
        *facts = note->facts;
        return note->live;
    }
    struct live *live = txn->store->live;
    rwlock_take_read(&live->lock);
    uint32_t place = id_find(ids_of(live, id), slots_of(live), id);
    if (place != NO_PLACE) { *facts = facts_in(live, &live->slots[place]); }
    rwlock_drop(&live->lock);
    return place != NO_PLACE;
}

NO_THREAD_SAFETY size_t live_count(struct store_txn *txn)
{
    struct live *live = txn->store->live;
    rwlock_take_read(&live->lock);
    size_t count = live->live_count;
    for (size_t n = 0; txn->writing && n < txn->notes.task_count; n++) {
        const struct live_note *note = &txn->notes.tasks[n];
        bool was = id_find(ids_of(live, note->id), slots_of(live), note->id) != NO_PLACE;
        count = count + (note->live ? 1u : 0u) - (was ? 1u : 0u);
    }
    rwlock_drop(&live->lock);
    return count;
}

NO_THREAD_SAFETY int64_t live_revision(struct live *live)
{
    rwlock_take_read(&live->lock);
    int64_t revision = live->revision;
    rwlock_drop(&live->lock);
    return revision;
}

NO_THREAD_SAFETY bool live_agrees(struct store_txn *txn, struct id *differs)
{
    struct live *anew = live_create(), *live = txn->store->live;
    struct arena arena;
    arena_init(&arena, SCRATCH_MAX);
    bool same = live_rebuild(anew, txn);
    *differs = (struct id){ { 0 } };
    for (size_t i = 0; same && i < anew->instance_count; i++) {
        const struct live_instance *instance = &anew->instances[i];
        struct instance_traits traits = store_instance_traits(txn, instance->id, &arena), wanted = read_traits(&instance->traits);
        same = events_on_instance(txn, instance->id) == instance->events && str_eq(traits.zone, wanted.zone)
            && str_eq(traits.architecture, wanted.architecture) && str_eq(traits.name, wanted.name)
            && traits.connected == wanted.connected && traits.came_ms == wanted.came_ms;
        *differs = instance->id;
        arena_reset(&arena);
    }
    for (size_t d = 0; same && d < anew->deployment_count; d++) {        /* of a free place all is 0 */
        struct deployment_counts counts = store_deployment_counts(txn, anew->deployments[d].digits), wanted = anew->deployments[d].counts;
        same = counts.running == wanted.running && counts.pending == wanted.pending && counts.live == wanted.live && counts.staying == wanted.staying;
        *differs = (struct id){ { 0 } };
    }
    rwlock_take_read(&live->lock);
    for (size_t c = 0; same && !txn->writing && c < anew->cluster_count; c++) {
        same = c < live->cluster_count && memcmp(&live->clusters[c], &anew->clusters[c], sizeof *live->clusters) == 0;
    }
    same = same && (txn->writing || (live->instances_by_id.count == anew->instances_by_id.count
                                     && live->deployments_by_digits.count == anew->deployments_by_digits.count));
    rwlock_drop(&live->lock);
    live_destroy(anew);
    arena_finish(&arena);
    return same;
}
