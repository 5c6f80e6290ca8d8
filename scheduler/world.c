/* world.c: the world and its changes. An instance and the tasks on it are kept apart: a task may come before its instance is
 * known and stay after it is gone, and a world that is rebuilt in another order is the same world. */
#include "scheduler/world.h"

#include "base/num.h"

struct world *sched_world_create(struct arena *arena)
{
    struct world *world = ARENA_NEW(arena, struct world, 1);
    world->pool.arena = arena;
    texts_init(&world->texts, &world->pool);
    slots_init(&world->kinds, sizeof(struct kind));
    slots_init(&world->instances, sizeof(struct instance_slot));
    slots_init(&world->tasks, sizeof(struct task_slot));
    slots_init(&world->presences, sizeof(struct presence));
    slots_init(&world->fleets, sizeof(struct fleet));
    return world;
}

/* ---- finding ---- */
static uint64_t id_hash(struct id id)
{
    uint64_t halves[2];
    memcpy(halves, id.bytes, sizeof halves);
    return hash_mix(halves[0] ^ hash_mix(halves[1]));
}

static uint32_t instance_find_any(const struct world *world, struct id id)
{
    uint64_t hash = id_hash(id);
    size_t at = 0;
    for (uint32_t n = table_first(&world->instances_by_id, hash, &at); n != NONE;
         n = table_next(&world->instances_by_id, hash, &at)) {
        if (id_eq(instance_at(world, n)->id, id)) { return n; }
    }
    return NONE;
}

uint32_t instance_find(const struct world *world, struct id id)
{
    uint32_t found = instance_find_any(world, id);
    return found != NONE && instance_at(world, found)->known ? found : NONE;
}

static uint32_t task_find(const struct world *world, struct id id)
{
    uint64_t hash = id_hash(id);
    size_t at = 0;
    for (uint32_t n = table_first(&world->tasks_by_id, hash, &at); n != NONE; n = table_next(&world->tasks_by_id, hash, &at)) {
        if (id_eq(task_at(world, n)->id, id)) { return n; }
    }
    return NONE;
}

static uint32_t fleet_find_number(const struct world *world, int64_t cluster)
{
    uint64_t hash = hash_mix((uint64_t)cluster);
    size_t at = 0;
    for (uint32_t n = table_first(&world->fleets_by_cluster, hash, &at); n != NONE;
         n = table_next(&world->fleets_by_cluster, hash, &at)) {
        if (fleet_at(world, n)->cluster == cluster) { return n; }
    }
    return NONE;
}

struct fleet *fleet_find(const struct world *world, int64_t cluster)
{
    uint32_t found = fleet_find_number(world, cluster);
    return found == NONE ? NULL : fleet_at(world, found);
}

/* ---- what is free ---- */
static int32_t amount_free(int64_t total, int64_t used)
{
    return used >= total ? 0 : (int32_t)(total - used);          /* total is at most AMOUNT_MAX */
}

int32_t  instance_cpu_free(const struct instance_slot *instance) { return amount_free(instance->cpu, instance->cpu_used); }
int32_t  instance_memory_free(const struct instance_slot *instance) { return amount_free(instance->memory_mib, instance->memory_used); }
uint64_t instance_gpu_bits(const struct instance_slot *instance)
{
    return instance->gpu_count == 64 ? UINT64_MAX : ((uint64_t)1 << instance->gpu_count) - 1;
}

bool instance_has_port(const struct instance_slot *instance, int64_t port, bool reserved_only)
{
    uint32_t count = reserved_only ? instance->reserved_count : instance->port_count;
    for (uint32_t p = 0; p < count; p++) {
        if (instance->ports[p] == port) { return true; }
    }
    return false;
}

/* The one place that writes what the search reads. */
static void columns_write(struct world *world, const struct instance_slot *instance)
{
    if (!instance->known) { return; }
    struct fleet *fleet = fleet_at(world, instance->fleet);
    uint32_t row = instance->row;
    int32_t gpus = bits_count(instance_gpu_bits(instance) & ~instance->gpus_held);
    fleet->cpu_free[row] = instance->active && instance->connected ? instance_cpu_free(instance) : -1;
    fleet->memory_free[row] = instance_memory_free(instance);
    fleet->gpus_free[row] = gpus;
    fleet->gpus_total[row] = (int32_t)instance->gpu_count;
    fleet->gpu_rank[row] = instance->gpu_count == 0 ? 0 : gpus + 1;
    fleet->kinds[row] = instance->kind;
    uint64_t bits = 0;
    for (uint32_t p = 0; p < instance->port_count; p++) { bits |= (uint64_t)1 << (instance->ports[p] & 63); }
    fleet->port_bits[row] = bits;
    fleet->same_group[row] = (int32_t)presence_count(world, fleet->instances[row], fleet->group);
}

void fleet_count_group(struct world *world, struct fleet *fleet, uint32_t group)
{
    if (fleet->group == group) { return; }
    if (group != NONE) { text_at(&world->texts, group)->refs++; }
    texts_release(&world->texts, fleet->group);
    fleet->group = group;
    memset(fleet->same_group, 0, fleet->rows * sizeof *fleet->same_group);
    uint32_t first = group == NONE ? NONE : text_at(&world->texts, group)->presences;
    for (uint32_t n = first; n != NONE; n = presence_at(world, n)->next_elsewhere) {
        const struct instance_slot *instance = instance_at(world, presence_at(world, n)->instance);
        bool is_here = instance->known && fleet_at(world, instance->fleet) == fleet;
        if (is_here) { fleet->same_group[instance->row] = (int32_t)presence_at(world, n)->count; }
    }
}

/* ---- ports ---- */
static void port_take(struct world *world, struct instance_slot *instance, int32_t port)
{
    if (instance->port_count == instance->port_capacity) {
        uint32_t old = instance->port_capacity, more = old == 0 ? 8 : old * 2;
        instance->ports = pool_grow(&world->pool, instance->ports, old * sizeof *instance->ports, more * sizeof *instance->ports);
        instance->port_capacity = more;
    }
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
static uint64_t task_gpu_bits(const struct instance_slot *instance, const struct task_slot *task)
{
    uint64_t bits = 0;
    for (uint32_t g = 0; g < task->gpu_count; g++) {
        for (uint32_t slot = 0; slot < instance->gpu_count; slot++) {
            if (instance->gpu_texts[slot] == task->gpus[g]) { bits |= (uint64_t)1 << slot; }
        }
    }
    return bits;
}

static void task_take(struct world *world, struct instance_slot *instance, struct task_slot *task)
{
    instance->cpu_used += task->cpu;
    instance->memory_used += task->memory_mib;
    task->gpu_bits = task_gpu_bits(instance, task);
    instance->gpus_clash |= (instance->gpus_held & task->gpu_bits) != 0;
    instance->gpus_held |= task->gpu_bits;
    for (uint32_t p = 0; p < task->port_count; p++) { port_take(world, instance, task->ports[p]); }
}

/* Sums up again what the tasks take: after the instance changed, or where a device was held twice. */
static void instance_recount(struct world *world, struct instance_slot *instance)
{
    instance->cpu_used = instance->memory_used = 0;
    instance->gpus_held = 0;
    instance->gpus_clash = false;
    instance->port_count = instance->reserved_count;
    for (uint32_t n = instance->tasks; n != NONE; n = task_at(world, n)->next) { task_take(world, instance, task_at(world, n)); }
}

static void task_attach(struct world *world, uint32_t number)
{
    struct task_slot *task = task_at(world, number);
    struct instance_slot *instance = instance_at(world, task->instance);
    task->previous = NONE;
    task->next = instance->tasks;
    if (instance->tasks != NONE) { task_at(world, instance->tasks)->previous = number; }
    instance->tasks = number;
    instance->task_count++;
    instance->running_count += task->running;
    task_take(world, instance, task);
    presence_add(world, task->instance, task->group);
    columns_write(world, instance);
}

static void task_detach(struct world *world, uint32_t number)
{
    struct task_slot *task = task_at(world, number);
    struct instance_slot *instance = instance_at(world, task->instance);
    if (task->previous == NONE) { instance->tasks = task->next; } else { task_at(world, task->previous)->next = task->next; }
    if (task->next != NONE) { task_at(world, task->next)->previous = task->previous; }
    instance->task_count--;
    instance->running_count -= task->running;
    instance->cpu_used -= task->cpu;
    instance->memory_used -= task->memory_mib;
    instance->gpus_held &= ~task->gpu_bits;
    for (uint32_t p = 0; p < task->port_count; p++) { port_give(instance, task->ports[p]); }
    if (instance->gpus_clash) { instance_recount(world, instance); }
    presence_remove(world, task->instance, task->group);
    columns_write(world, instance);
}

/* ---- instances ---- */
static uint32_t instance_hold(struct world *world, struct id id)
{
    uint32_t found = instance_find_any(world, id);
    if (found != NONE) { return found; }
    uint32_t made = slots_take(&world->pool, &world->instances);
    *instance_at(world, made) = (struct instance_slot){
        .id = id, .tasks = NONE, .presences = NONE, .ec2_instance_id = NONE, .agent_version = NONE,
    };
    table_add(&world->pool, &world->instances_by_id, id_hash(id), made);
    return made;
}

/* A place that nobody knows and nobody waits at is given back. */
static void instance_settle(struct world *world, uint32_t number)
{
    struct instance_slot *instance = instance_at(world, number);
    if (instance->known || instance->task_count > 0) { return; }
    ASSERT(instance->presences == NONE);
    pool_give(&world->pool, instance->ports, instance->port_capacity * sizeof *instance->ports);
    table_remove(&world->instances_by_id, id_hash(instance->id), number);
    slots_give(&world->instances, number);
}

static uint32_t fleet_hold(struct world *world, int64_t cluster)
{
    uint32_t found = fleet_find_number(world, cluster);
    if (found != NONE) { return found; }
    uint32_t made = slots_take(&world->pool, &world->fleets);
    *fleet_at(world, made) = (struct fleet){ .cluster = cluster, .group = NONE };
    table_add(&world->pool, &world->fleets_by_cluster, hash_mix((uint64_t)cluster), made);
    return made;
}

static void instance_leave_fleet(struct world *world, struct instance_slot *instance)
{
    struct fleet *fleet = fleet_at(world, instance->fleet);
    fleet_remove(fleet, instance->row, world->instances.items);
    if (fleet_live(fleet) > 0) { return; }
    table_remove(&world->fleets_by_cluster, hash_mix((uint64_t)fleet->cluster), instance->fleet);
    texts_release(&world->texts, fleet->group);
    fleet_finish(&world->pool, fleet);
    slots_give(&world->fleets, instance->fleet);
}

/* Forgets what sched_put_instance told; the tasks stay and wait. */
static void instance_forget(struct world *world, struct instance_slot *instance)
{
    kind_release(world, instance->kind);
    texts_release(&world->texts, instance->ec2_instance_id);
    texts_release(&world->texts, instance->agent_version);
    for (uint32_t g = 0; g < instance->gpu_count; g++) { texts_release(&world->texts, instance->gpu_texts[g]); }
    pool_give(&world->pool, instance->gpu_texts, instance->gpu_count * sizeof *instance->gpu_texts);
    instance->gpu_texts = NULL;
    instance->ec2_instance_id = instance->agent_version = NONE;
    instance->gpu_count = instance->reserved_count = 0;
    instance->cpu = instance->memory_mib = 0;
    instance->known = false;
}

static void instance_learn(struct world *world, struct instance_slot *instance, const struct sched_instance *told)
{
    instance->known = true;
    instance->active = told->active;
    instance->connected = told->connected;
    instance->cpu = min_i64(told->cpu, AMOUNT_MAX);
    instance->memory_mib = min_i64(told->memory_mib, AMOUNT_MAX);
    instance->registered_ms = told->registered_ms;
    instance->kind = kind_hold(world, told->attributes, told->attribute_count);
    instance->ec2_instance_id = texts_hold(&world->texts, told->ec2_instance_id);
    instance->agent_version = texts_hold(&world->texts, told->agent_version);
    instance->gpu_count = (uint32_t)told->gpu_count;
    instance->gpu_texts = pool_take(&world->pool, told->gpu_count * sizeof *instance->gpu_texts);
    for (size_t g = 0; g < told->gpu_count; g++) { instance->gpu_texts[g] = texts_hold(&world->texts, told->gpus[g].uuid); }
    instance->port_count = 0;
    for (size_t p = 0; p < told->reserved_port_count; p++) { port_take(world, instance, (int32_t)told->reserved_ports[p]); }
    instance->reserved_count = instance->port_count;
}

void sched_put_instance(struct world *world, const struct sched_instance *told)
{
    ASSERT(told->gpu_count <= INSTANCE_SLOTS_MAX);
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
        instance->row = fleet_add(&world->pool, fleet_at(world, instance->fleet), told->id, number, world->instances.items);
    }
    instance_recount(world, instance);
    columns_write(world, instance);
}

void sched_drop_instance(struct world *world, struct id id)
{
    uint32_t number = instance_find(world, id);
    if (number == NONE) { return; }
    struct instance_slot *instance = instance_at(world, number);
    instance_leave_fleet(world, instance);
    instance_forget(world, instance);
    instance_recount(world, instance);
    instance_settle(world, number);
}

/* ---- tasks ---- */
static void task_learn(struct world *world, struct task_slot *task, const struct sched_task *told)
{
    task->group = told->group.len == 0 ? NONE : texts_hold(&world->texts, told->group);
    task->running = told->running;
    task->cpu = min_i64(told->cpu, AMOUNT_MAX);
    task->memory_mib = min_i64(told->memory_mib, AMOUNT_MAX);
    task->gpu_count = (uint32_t)told->gpu_count;
    task->gpus = pool_take(&world->pool, told->gpu_count * sizeof *task->gpus);
    for (size_t g = 0; g < told->gpu_count; g++) { task->gpus[g] = texts_hold(&world->texts, told->gpus[g]); }
    task->port_count = (uint32_t)told->port_count;
    task->ports = pool_take(&world->pool, told->port_count * sizeof *task->ports);
    for (size_t p = 0; p < told->port_count; p++) { task->ports[p] = (int32_t)told->ports[p]; }
}

static void task_forget(struct world *world, struct task_slot *task)
{
    texts_release(&world->texts, task->group);
    for (uint32_t g = 0; g < task->gpu_count; g++) { texts_release(&world->texts, task->gpus[g]); }
    pool_give(&world->pool, task->gpus, task->gpu_count * sizeof *task->gpus);
    pool_give(&world->pool, task->ports, task->port_count * sizeof *task->ports);
}

void sched_put_task(struct world *world, const struct sched_task *told)
{
    ASSERT(told->cpu >= 0 && told->memory_mib >= 0);
    uint32_t number = task_find(world, told->id);
    uint32_t left = NONE;                                        /* the instance that the task was on */
    if (number == NONE) {
        number = slots_take(&world->pool, &world->tasks);
        task_at(world, number)->id = told->id;
        table_add(&world->pool, &world->tasks_by_id, id_hash(told->id), number);
    } else {
        left = task_at(world, number)->instance;
        task_detach(world, number);
        task_forget(world, task_at(world, number));
    }
    task_learn(world, task_at(world, number), told);
    task_at(world, number)->instance = instance_hold(world, told->instance);
    task_attach(world, number);
    if (left != NONE) { instance_settle(world, left); }
}

void sched_drop_task(struct world *world, struct id id)
{
    uint32_t number = task_find(world, id);
    if (number == NONE) { return; }
    uint32_t instance = task_at(world, number)->instance;
    task_detach(world, number);
    task_forget(world, task_at(world, number));
    table_remove(&world->tasks_by_id, id_hash(id), number);
    slots_give(&world->tasks, number);
    instance_settle(world, instance);
}

/* ---- looking in from outside ---- */
struct str sched_gpu_uuid(const struct world *world, struct id id, unsigned slot)
{
    uint32_t number = instance_find(world, id);
    if (number == NONE || slot >= instance_at(world, number)->gpu_count) { return (struct str){ NULL, 0 }; }
    return texts_str(&world->texts, instance_at(world, number)->gpu_texts[slot]);
}

bool sched_free_on(const struct world *world, struct id id, struct sched_free *available)
{
    uint32_t number = instance_find(world, id);
    *available = (struct sched_free){ 0 };
    if (number == NONE) { return false; }
    const struct instance_slot *instance = instance_at(world, number);
    *available = (struct sched_free){
        .cpu = instance_cpu_free(instance), .memory_mib = instance_memory_free(instance),
        .gpu_slots = instance_gpu_bits(instance) & ~instance->gpus_held, .tasks = instance->task_count,
    };
    return true;
}

size_t sched_instance_count(const struct world *world, int64_t cluster)
{
    const struct fleet *fleet = fleet_find(world, cluster);
    return fleet == NULL ? 0 : fleet_live(fleet);
}
