/* changes.c: an instance and the tasks on it are kept apart: a task may come before its instance is known, and stay after the instance is gone.
 * A world that is built in another order is the same world. */
#include "scheduler/world/changes.h"

#include "base/num.h"

struct world *world_create(struct arena *arena)
{
    struct world *world = ARENA_NEW(arena, struct world, 1);
    world->pool.arena = arena;
    interned_init(&world->interned, &world->pool);
    world->last_group = NONE;
    slots_init(&world->kinds, sizeof(struct kind));
    slots_init(&world->instances, sizeof(struct instance_slot));
    slots_init(&world->tasks, sizeof(struct task_slot));
    slots_init(&world->group_counts, sizeof(struct group_count));
    slots_init(&world->fleets, sizeof(struct fleet));
    return world;
}

void world_finish(struct world *world)
{
    struct hash_table *const tables[] = { &world->kinds_by_hash, &world->instances_by_id, &world->group_counts_by_pair, &world->fleets_by_cluster,
                                          &world->interned.table };
    for (size_t t = 0; t < COUNT_OF(tables); t++) { table_finish(tables[t]); }
    wide_table_finish(&world->tasks_by_id);
}

/* ---- finding ---- */
static uint32_t task_find(const struct world *world, struct id id, uint64_t hash)
{
    size_t at = 0;
    const struct hash_table *table = TABLE_PART(&world->tasks_by_id, hash);
    for (uint32_t n = table_first(table, hash, &at); n != NONE; n = table_next(table, hash, &at)) {
        if (id_eq(task_at(world, n)->id, id)) { return n; }
    }
    return NONE;
}

/* Every change of an instance ends here: its row gets the stamp of the change. */
static void instance_changed(struct world *world, const struct instance_slot *instance)
{
    if (instance->known) { fleet_touch(fleet_at(world, instance->fleet), instance->row); }
}

/* ---- ports ---- */
static void port_take(struct world *world, struct instance_slot *instance, int32_t port)
{
    if (instance->port_count == instance->port_capacity) {
        uint32_t old = instance->port_capacity, more = old == 0 ? 8 : old * 2;
        instance->ports = pool_grow(&world->pool, instance->ports, old * sizeof *instance->ports, more * sizeof *instance->ports);
        instance->port_capacity = more;
    }
    ASSERT(instance->port_count < instance->port_capacity);
    instance->ports[instance->port_count++] = port;
}

static void port_give(struct instance_slot *instance, int32_t port)
{
    uint32_t at = instance->reserved_count;
    while (at < instance->port_count && instance->ports[at] != port) { at++; }
    ASSERT(at < instance->port_count);                           /* it was taken */
    instance->ports[at] = instance->ports[--instance->port_count];
}

/* ---- what a task takes and gives back ---- */
static uint32_t slot_of(const struct instance_slot *instance, uint32_t gpu)
{
    for (uint32_t slot = 0; slot < instance->gpu_count; slot++) {
        if (instance->gpu_texts[slot] == gpu) { return slot; }
    }
    return NONE;
}

/* Adds `by` to the tasks of its size. */
static void size_count(struct instance_slot *instance, const struct task_slot *task, uint32_t by)
{
    bool whole = false;
    for (uint32_t g = 0; g < task->gpu_count; g++) { whole |= task->gpus[g].share == GPU_WHOLE; }
    if (task->gpu_count == 0) { return; }
    uint32_t *tasks = &instance->size_tasks[task_size_of(task->gpu_count, whole)];
    ASSERT(by == 1 || *tasks > 0);
    *tasks += by;
}

static void gpu_take(struct instance_slot *instance, uint32_t slot, int32_t share)
{
    ASSERT(slot < instance->gpu_count);
    int32_t used = instance->gpu_used[slot] += share;
    bool is_out = (instance->gpus_out >> slot & 1) != 0;
    ASSERT(used >= 0);                                           /* no task gives back more than was taken */
    instance->gpu_free[slot] = (int16_t)(used >= GPU_WHOLE || is_out ? 0 : GPU_WHOLE - used);
    ASSERT((instance->gpu_free[slot] == GPU_WHOLE) == (used == 0 && !is_out));   /* wholly free: no task holds a part of it */
}

static void task_take(struct world *world, struct instance_slot *instance, struct task_slot *task)
{
    instance->cpu_used += task->cpu;
    instance->memory_used += task->memory_mib;
    instance->interfaces_used += task->interfaces;
    for (uint32_t g = 0; g < task->gpu_count; g++) {
        task->gpus[g].slot = slot_of(instance, task->gpus[g].gpu);
        if (task->gpus[g].slot != NONE) { gpu_take(instance, task->gpus[g].slot, task->gpus[g].share); }
    }
    for (uint32_t p = 0; p < task->port_count; p++) { port_take(world, instance, task->ports[p]); }
}

/* After the instance has changed: sums up again the resources that its tasks take. */
static void instance_recount(struct world *world, struct instance_slot *instance)
{
    instance->cpu_used = instance->memory_used = instance->interfaces_used = 0;
    for (uint32_t slot = 0; slot < instance->gpu_count; slot++) { gpu_take(instance, slot, -instance->gpu_used[slot]); }
    instance->port_count = instance->reserved_count;
    uint32_t count = 0;
    for (uint32_t n = instance->tasks; n != NONE; n = task_at(world, n)->next, count++) { task_take(world, instance, task_at(world, n)); }
    ASSERT(count == instance->task_count);
}

/* The totals of an instance: none is below nothing, and without tasks nothing is taken. */
static void check_totals(const struct instance_slot *instance)
{
    ASSERT(instance->cpu_used >= 0 && instance->memory_used >= 0 && instance->interfaces_used >= 0);
    ASSERT(instance->gpu_count == 0 || instance->rig->count == instance->gpu_count);
    ASSERT(instance->running_count <= instance->task_count);
    ASSERT(instance->port_count >= instance->reserved_count);
    if (instance->task_count > 0) { return; }
    ASSERT(instance->tasks == NONE && instance->group_counts == NONE);
    ASSERT(instance->cpu_used == 0 && instance->memory_used == 0 && instance->interfaces_used == 0);
    ASSERT(instance->port_count == instance->reserved_count);
    for (size_t s = 0; s < TASK_SIZE_COUNT; s++) { ASSERT(instance->size_tasks[s] == 0); }
}

static void task_attach(struct world *world, uint32_t number)
{
    struct task_slot *task = task_at(world, number);
    struct instance_slot *instance = instance_at(world, task->instance);
    ASSERT((instance->tasks == NONE) == (instance->task_count == 0));
    task->previous = NONE;
    task->next = instance->tasks;
    if (instance->tasks != NONE) { task_at(world, instance->tasks)->previous = number; }
    instance->tasks = number;
    instance->task_count++;
    instance->running_count += task->running;
    size_count(instance, task, 1);
    task_take(world, instance, task);
    group_count_add(world, task->instance, task->group);
    check_totals(instance);
    instance_changed(world, instance);
}

static void task_detach(struct world *world, uint32_t number)
{
    struct task_slot *task = task_at(world, number);
    struct instance_slot *instance = instance_at(world, task->instance);
    ASSERT(instance->task_count > 0);
    ASSERT(task->previous != NONE || instance->tasks == number);
    if (task->previous == NONE) { instance->tasks = task->next; } else { task_at(world, task->previous)->next = task->next; }
    if (task->next != NONE) { task_at(world, task->next)->previous = task->previous; }
    instance->task_count--;
    instance->running_count -= task->running;
    size_count(instance, task, UINT32_MAX);
    instance->cpu_used -= task->cpu;
    instance->memory_used -= task->memory_mib;
    instance->interfaces_used -= task->interfaces;
    for (uint32_t g = 0; g < task->gpu_count; g++) {
        if (task->gpus[g].slot != NONE) { gpu_take(instance, task->gpus[g].slot, -task->gpus[g].share); }
    }
    for (uint32_t p = 0; p < task->port_count; p++) { port_give(instance, task->ports[p]); }
    group_count_remove(world, task->instance, task->group);
    check_totals(instance);
    instance_changed(world, instance);
}

/* ---- instances ---- */
static uint32_t instance_hold(struct world *world, struct id id)
{
    uint32_t found = instance_find_any(world, id);
    if (found != NONE) { return found; }
    uint32_t made = slots_take(&world->pool, &world->instances);
    *instance_at(world, made) = (struct instance_slot){
        .id = id, .tasks = NONE, .group_counts = NONE, .ec2_instance_id = NONE, .agent_version = NONE,
    };
    table_add(&world->instances_by_id, hash_id(id), made);
    ASSERT(instance_find_any(world, id) == made);
    return made;
}

/* An instance that is not known, and on which no task waits, is given back. */
static void instance_settle(struct world *world, uint32_t number)
{
    struct instance_slot *instance = instance_at(world, number);
    if (instance->known || instance->task_count > 0) { return; }
    check_totals(instance);
    ASSERT(instance->gpu_count == 0 && instance->reserved_count == 0);       /* by instance_forget */
    pool_give(&world->pool, instance->ports, instance->port_capacity * sizeof *instance->ports);
    table_remove(&world->instances_by_id, hash_id(instance->id), number);
    slots_give(&world->instances, number);
}

static uint32_t fleet_hold(struct world *world, int64_t cluster)
{
    uint32_t found = fleet_number(world, cluster);
    if (found != NONE) { return found; }
    uint32_t made = slots_take(&world->pool, &world->fleets);
    *fleet_at(world, made) = (struct fleet){ .cluster = cluster, .newest = NONE };
    table_add(&world->fleets_by_cluster, hash_mix((uint64_t)cluster), made);
    ASSERT(fleet_number(world, cluster) == made);
    return made;
}

static void instance_leave_fleet(struct world *world, struct instance_slot *instance)
{
    struct fleet *fleet = fleet_at(world, instance->fleet);
    uint32_t row = instance->row;
    ASSERT(instance->known && row < fleet->count && id_eq(fleet->rows[row].id, instance->id));
    fleet->rows[row].instance = NONE;
    fleet_remove(fleet, row, &world->instances);
    if (fleet_live(fleet) > 0) { return; }
    ASSERT(fleet->stats == NULL);                                /* ended in place/told.c */
    table_remove(&world->fleets_by_cluster, hash_mix((uint64_t)fleet->cluster), instance->fleet);
    fleet_finish(&world->pool, fleet);
    slots_give(&world->fleets, instance->fleet);
}

/* ---- which instances have a device: a list for each, through the instances' slots; the first of two slots that are alike counts ---- */

static uint32_t *teller_behind(const struct world *world, uint32_t number, uint32_t gpu)
{
    const struct instance_slot *instance = instance_at(world, number);
    uint32_t slot = slot_of(instance, gpu);
    ASSERT(slot != NONE);
    return &instance->gpu_tellers[slot];
}

static void teller_add(struct world *world, uint32_t number, uint32_t slot)
{
    struct instance_slot *instance = instance_at(world, number);
    ASSERT(slot < instance->gpu_count);
    struct text *text = text_at(&world->interned, instance->gpu_texts[slot]);
    ASSERT(text->refs > 0);
    instance->gpu_tellers[slot] = text->tellers == number ? NONE : text->tellers;
    text->tellers = number;
}

static void teller_remove(struct world *world, uint32_t number, uint32_t gpu)
{
    uint32_t *link = &text_at(&world->interned, gpu)->tellers;
    while (*link != NONE && *link != number) { link = teller_behind(world, *link, gpu); }
    if (*link == number) { *link = *teller_behind(world, number, gpu); }
}

size_t sched_gpu_tellers(const struct world *world, struct str uuid, struct id *instances, size_t limit)
{
    size_t count = 0;
    uint32_t gpu = interned_find(&world->interned, uuid), at = gpu == NONE ? NONE : text_at(&world->interned, gpu)->tellers;
    for (; at != NONE; at = *teller_behind(world, at, gpu), count++) {
        if (count < limit) { instances[count] = instance_at(world, at)->id; }
    }
    return count;
}

static void instance_forget_gpus(struct world *world, struct instance_slot *instance)
{
    size_t count = instance->gpu_count;
    if (count == 0) { return; }
    uint32_t number = instance_find(world, instance->id);
    ASSERT(number != NONE && instance_at(world, number) == instance);
    for (size_t g = 0; g < count; g++) {
        if (instance->gpu_texts[g] != NONE) { teller_remove(world, number, instance->gpu_texts[g]); }
    }
    for (size_t g = 0; g < count; g++) { interned_release(&world->interned, instance->gpu_texts[g]); }
    pool_give(&world->pool, instance->gpu_tellers, count * sizeof *instance->gpu_tellers);
    pool_give(&world->pool, instance->gpu_texts, count * sizeof *instance->gpu_texts);
    pool_give(&world->pool, instance->gpu_used, count * sizeof *instance->gpu_used);
    pool_give(&world->pool, instance->gpu_free, count * sizeof *instance->gpu_free);
    pool_give(&world->pool, instance->gpu_links, count * count * sizeof *instance->gpu_links);
    pool_give(&world->pool, instance->rig, sizeof *instance->rig);
    instance->gpu_texts = NULL;
    instance->gpu_tellers = NULL;
    instance->gpu_used = NULL;
    instance->gpu_free = NULL;
    instance->gpu_links = NULL;
    instance->rig = NULL;
    instance->gpu_count = 0;
    instance->gpus_out = 0;
}

/* Forgets all that sched_put_instance has set. The tasks stay and wait. */
static void instance_forget(struct world *world, struct instance_slot *instance)
{
    ASSERT(instance->known);
    kind_release(world, instance->kind);
    interned_release(&world->interned, instance->ec2_instance_id);
    interned_release(&world->interned, instance->agent_version);
    instance_forget_gpus(world, instance);
    instance->ec2_instance_id = instance->agent_version = NONE;
    instance->reserved_count = 0;
    instance->cpu = instance->memory_mib = 0;
    instance->known = false;
}

static void instance_learn_gpus(struct world *world, struct instance_slot *instance, const struct sched_instance *told)
{
    ASSERT(instance->gpu_count == 0 && instance->gpu_texts == NULL && instance->rig == NULL && instance->gpus_out == 0);
    uint32_t count = instance->gpu_count = (uint32_t)told->gpu_count;
    instance->gpu_texts = pool_take(&world->pool, count * sizeof *instance->gpu_texts);
    instance->gpu_tellers = pool_take(&world->pool, count * sizeof *instance->gpu_tellers);
    instance->gpu_used = pool_take(&world->pool, count * sizeof *instance->gpu_used);
    instance->gpu_free = pool_take(&world->pool, count * sizeof *instance->gpu_free);
    instance->rig = count == 0 ? NULL : pool_take(&world->pool, sizeof *instance->rig);
    for (uint32_t g = 0; g < count; g++) {
        instance->gpu_texts[g] = interned_hold(&world->interned, told->gpus[g].uuid);
        instance->gpu_free[g] = told->gpus[g].out ? 0 : GPU_WHOLE;
        if (told->gpus[g].out) { instance->gpus_out |= (uint64_t)1 << g; }
        instance->rig->memory_mib[g] = (int32_t)min_i64(max_i64(told->gpus[g].memory_mib, 0), AMOUNT_MAX);
        if (told->gpus[g].partition) { instance->rig->partitions |= (uint64_t)1 << g; }
    }
    if (count == 0) { return; }
    uint32_t number = instance_find(world, instance->id);
    for (uint32_t g = 0; g < count; g++) {
        if (instance->gpu_texts[g] != NONE) { teller_add(world, number, g); }
    }
    instance->rig->count = count;
    if (told->gpu_links == NULL) { return; }
    int16_t *links = pool_take(&world->pool, (size_t)count * count * sizeof *links);
    for (size_t pair = 0; pair < (size_t)count * count; pair++) { links[pair] = (int16_t)min_i64(max_i64(told->gpu_links[pair], 0), INT16_MAX); }
    instance->rig->links = instance->gpu_links = links;
}

bool sched_await_daemons(struct world *world, struct id id, bool awaits)
{
    uint32_t number = instance_find(world, id);
    if (number == NONE || instance_at(world, number)->awaits_daemon == awaits) { return false; }
    instance_at(world, number)->awaits_daemon = awaits;
    instance_changed(world, instance_at(world, number));
    return true;
}

static void instance_learn(struct world *world, struct instance_slot *instance, const struct sched_instance *told)
{
    ASSERT(!instance->known);
    instance->known = true;
    instance->active = told->active;
    instance->connected = told->connected;
    instance->cpu = min_i64(told->cpu, AMOUNT_MAX);
    instance->memory_mib = min_i64(told->memory_mib, AMOUNT_MAX);
    ASSERT(instance->cpu >= 0 && instance->memory_mib >= 0);
    instance->interfaces = told->interfaces;
    instance->registered_ms = told->registered_ms;
    instance->kind = kind_hold(world, told->attributes, told->attribute_count);
    instance->ec2_instance_id = interned_hold(&world->interned, told->ec2_instance_id);
    instance->agent_version = interned_hold(&world->interned, told->agent_version);
    instance_learn_gpus(world, instance, told);
    instance->port_count = 0;
    for (size_t p = 0; p < told->reserved_port_count; p++) { port_take(world, instance, (int32_t)told->reserved_ports[p]); }
    instance->reserved_count = instance->port_count;
}

uint32_t instance_put(struct world *world, const struct sched_instance *told)
{
    ASSERT(told->gpu_count <= DEVICES_MAX);
    ASSERT(told->cpu >= 0 && told->memory_mib >= 0);
    uint32_t number = instance_hold(world, told->id);
    struct instance_slot *instance = instance_at(world, number);
    bool has_row = instance->known;
    if (instance->known) {
        if (fleet_at(world, instance->fleet)->cluster != told->cluster) {
            instance_leave_fleet(world, instance);
            has_row = false;
        }
        instance_forget(world, instance);
    }
    instance_learn(world, instance, told);
    if (!has_row) {
        instance->fleet = fleet_hold(world, told->cluster);
        instance->row = fleet_add(&world->pool, fleet_at(world, instance->fleet), told->id, number, &world->instances);
    }
    ASSERT(fleet_at(world, instance->fleet)->rows[instance->row].instance == number);
    instance_recount(world, instance);
    check_totals(instance);
    instance_changed(world, instance);
    return number;
}

void instance_drop(struct world *world, uint32_t number)
{
    struct instance_slot *instance = instance_at(world, number);
    ASSERT(instance->known);
    instance_leave_fleet(world, instance);
    instance_forget(world, instance);
    instance_recount(world, instance);
    instance_settle(world, number);
}

/* ---- tasks ---- */
/* Tasks of one group come one after the other: the last group is held by the world too, and not looked up again. */
static uint32_t group_hold(struct world *world, struct str group)
{
    if (group.len == 0) { return NONE; }
    if (world->last_group == NONE || !str_eq(interned_str(&world->interned, world->last_group), group)) {
        uint32_t held = interned_hold(&world->interned, group);
        interned_release(&world->interned, world->last_group);
        world->last_group = held;
    }
    ASSERT(text_at(&world->interned, world->last_group)->refs > 0);
    text_at(&world->interned, world->last_group)->refs++;
    return world->last_group;
}

static void task_learn(struct world *world, struct task_slot *task, const struct sched_task *told)
{
    task->group = group_hold(world, told->group);
    task->running = told->running;
    ASSERT(told->gpu_count <= UINT16_MAX && told->interfaces >= 0 && told->interfaces <= UINT8_MAX);
    task->cpu = (int32_t)min_i64(told->cpu, AMOUNT_MAX);
    task->memory_mib = (int32_t)min_i64(told->memory_mib, AMOUNT_MAX);
    task->interfaces = (uint8_t)told->interfaces;
    task->gpu_count = (uint16_t)told->gpu_count;
    task->gpus = pool_take(&world->pool, told->gpu_count * sizeof *task->gpus);
    for (size_t g = 0; g < told->gpu_count; g++) {
        ASSERT(told->gpus[g].share > 0 && told->gpus[g].share <= GPU_WHOLE);
        task->gpus[g] = (struct use){ interned_hold(&world->interned, told->gpus[g].gpu), NONE, (int32_t)told->gpus[g].share };
    }
    task->port_count = (uint32_t)told->port_count;
    task->ports = pool_take(&world->pool, told->port_count * sizeof *task->ports);
    for (size_t p = 0; p < told->port_count; p++) { task->ports[p] = (int32_t)told->ports[p]; }
}

static void task_forget(struct world *world, struct task_slot *task)
{
    interned_release(&world->interned, task->group);
    for (uint32_t g = 0; g < task->gpu_count; g++) { interned_release(&world->interned, task->gpus[g].gpu); }
    pool_give(&world->pool, task->gpus, task->gpu_count * sizeof *task->gpus);
    pool_give(&world->pool, task->ports, task->port_count * sizeof *task->ports);
}

static uint32_t task_make(struct world *world, struct id id)
{
    uint32_t number = slots_take(&world->pool, &world->tasks);
    task_at(world, number)->id = id;
    return number;
}

/* Fills in the task and attaches it. `instance`: the number of its instance; NONE: it is looked up. */
static void task_arrive(struct world *world, uint32_t number, const struct sched_task *told, uint32_t instance)
{
    ASSERT(told->cpu >= 0 && told->memory_mib >= 0);
    task_learn(world, task_at(world, number), told);
    uint32_t on = instance != NONE ? instance : instance_hold(world, told->instance);
    ASSERT(id_eq(instance_at(world, on)->id, told->instance));
    task_at(world, number)->instance = on;
    task_attach(world, number);
}

struct task_change task_put(struct world *world, const struct sched_task *told, uint32_t instance)
{
    table_fetch(&world->instances_by_id, hash_id(told->instance));     /* the caller asks for the attributes of the instance next */
    const uint64_t hash = hash_id(told->id);
    uint32_t number = task_find(world, told->id, hash), left = NONE;
    bool is_new = number == NONE;
    if (is_new) {
        number = task_make(world, told->id);
        table_add(TABLE_PART(&world->tasks_by_id, hash), hash, number);
    } else {
        left = task_at(world, number)->instance;
        task_detach(world, number);
        task_forget(world, task_at(world, number));
    }
    task_arrive(world, number, told, instance);
    if (left != NONE) { instance_settle(world, left); }
    return (struct task_change){ .left = left, .instance = task_at(world, number)->instance, .is_new = is_new };
}

void tasks_fetch(const struct world *world, const struct id *ids, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        uint64_t hash = hash_id(ids[t]);
        table_fetch(TABLE_PART(&world->tasks_by_id, hash), hash);
    }
}

void tasks_load_begin(struct world *world, size_t count)
{
    for (size_t p = 0; p < TABLE_PARTS; p++) { ASSERT(world->tasks_by_id.parts[p].count == 0); }
    wide_table_reserve(&world->tasks_by_id, count);
}

static uint32_t task_load(struct world *world, const struct sched_task *told, uint32_t instance)
{
    const uint64_t hash = hash_id(told->id);
    uint32_t number = task_make(world, told->id);
    table_gather(TABLE_PART(&world->tasks_by_id, hash), hash, number);
    task_arrive(world, number, told, instance);
    return task_at(world, number)->instance;
}

/* Each step fetches what the next one reads. */
void tasks_load(struct world *world, const struct sched_task *tasks, size_t count, uint32_t instances[SCHED_LOAD_MAX])
{
    ASSERT(count <= SCHED_LOAD_MAX);
    for (size_t t = 0; t < count; t++) { table_fetch(&world->instances_by_id, hash_id(tasks[t].instance)); }
    for (size_t t = 0; t < count; t++) {
        size_t at = 0;
        instances[t] = table_first(&world->instances_by_id, hash_id(tasks[t].instance), &at);
        if (instances[t] != NONE) { instance_fetch(instance_at(world, instances[t])); }
    }
    for (size_t t = 0; t < count; t++) {
        if (instances[t] == NONE) { continue; }
        const struct instance_slot *instance = instance_at(world, instances[t]);
        instance_fetch_around(world, instance);
        if (!id_eq(instance->id, tasks[t].instance)) { instances[t] = NONE; }        /* another of the same hash: looked up in full */
    }
    for (size_t t = 0; t < count; t++) { instances[t] = task_load(world, &tasks[t], instances[t]); }
}

void tasks_load_end(struct world *world) { wide_table_settle(&world->tasks_by_id); }

bool sched_holds_for(const struct world *world, struct id task) { return task_find(world, task, hash_id(task)) != NONE; }

uint32_t task_drop(struct world *world, struct id id)
{
    uint64_t hash = hash_id(id);
    uint32_t number = task_find(world, id, hash);
    if (number == NONE) { return NONE; }
    uint32_t instance = task_at(world, number)->instance;
    ASSERT(instance_at(world, instance)->task_count > 0);
    task_detach(world, number);
    task_forget(world, task_at(world, number));
    table_remove(TABLE_PART(&world->tasks_by_id, hash), hash, number);
    slots_give(&world->tasks, number);
    instance_settle(world, instance);
    return instance;
}
