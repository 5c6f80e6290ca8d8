/* check_tasks.c: instances and tasks. An instance must have all that its live tasks hold, and no part of it is held twice. */
#include "store/check/check_internal.h"

#include <stdlib.h>

#include "base/num.h"

/* `once`: it registered once, so its tasks were placed by the resources of its record. An instance that registers again with less keeps its tasks. */
struct held_machine { struct id id; int64_t cluster, cpu, memory_mib, cpu_held, memory_held; bool active, once; size_t first_gpu, gpu_count; };
/* The uuid's place in `text`; thousandths that are held; MiB that it has (0: not known) and that are held by name. */
struct held_gpu { size_t uuid_at, uuid_len; int64_t share, memory_mib, memory_held; };
struct held_port { uint32_t machine, port; };
struct check_room {
    struct held_machine *machines; size_t machine_count, machine_capacity;       /* by id */
    struct held_gpu *gpus; size_t gpu_count, gpu_capacity;
    struct held_port *ports; size_t port_count, port_capacity;
    char *text; size_t text_len, text_capacity;
};

/* ---- instances ---- */

static void add_gpu(struct check_room *room, const struct gpu *gpu)
{
    struct str uuid = gpu->uuid;
    room->gpus = array_grow(room->gpus, &room->gpu_capacity, room->gpu_count + 1, sizeof *room->gpus);
    room->text = array_grow(room->text, &room->text_capacity, room->text_len + uuid.len + 1, 1);
    room->gpus[room->gpu_count++] = (struct held_gpu){ .uuid_at = room->text_len, .uuid_len = uuid.len, .memory_mib = gpu->memory_mib };
    str_copy(room->text + room->text_len, uuid);
    room->text_len += uuid.len;
}

static void add_machine(struct check_room *room, const struct instance *instance)
{
    room->machines = array_grow(room->machines, &room->machine_capacity, room->machine_count + 1, sizeof *room->machines);
    room->machines[room->machine_count++] = (struct held_machine){
        .id = instance->id, .cluster = instance->cluster_number, .cpu = instance->cpu, .memory_mib = instance->memory_mib,
        .active = instance->status != INSTANCE_INACTIVE, .once = instance->session_epoch <= 1, .first_gpu = room->gpu_count, .gpu_count = instance->gpus.count,
    };
    for (size_t g = 0; g < instance->gpus.count; g++) { add_gpu(room, &instance->gpus.items[g]); }
}

static void check_instance(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct instance instance;
    struct key key;
    if (!check_record(check, at, &instance_record, parts, &instance)) { return; }
    instance.id = parts->id;
    (void)check_that(check, INVARIANT_REFERENCES, check_has_cluster(check, instance.cluster_number), "there is no such cluster", at->table, parts);
    const char status = (char)instance.status;
    instance_index_key(&key, &instance);
    check_index(check, TABLE_INSTANCE_INDEX, &key, (struct str){ &status, 1 }, at->table, parts);
    add_machine(check->room, &instance);
}

static int by_id(const void *key, const void *item) { return id_cmp(*(const struct id *)key, ((const struct held_machine *)item)->id); }

static struct held_machine *find_machine(struct check_room *room, struct id id)
{
    return room->machine_count == 0 ? NULL : bsearch(&id, room->machines, room->machine_count, sizeof *room->machines, by_id);
}

/* ---- the resources that a live task holds ---- */

static struct held_gpu *find_gpu(struct check_room *room, const struct held_machine *machine, struct str uuid)
{
    ASSERT(machine->first_gpu + machine->gpu_count <= room->gpu_count);
    for (size_t g = machine->first_gpu; g < machine->first_gpu + machine->gpu_count; g++) {
        struct held_gpu *gpu = &room->gpus[g];
        if (str_eq((struct str){ room->text + gpu->uuid_at, gpu->uuid_len }, uuid)) { return gpu; }
    }
    return NULL;
}

/* NULL: it is missing or can not be read. Other checks report that. Or it is of a daemon, which holds no GPUs. */
static const struct taskdef *taskdef_of(struct check *check, const struct task *task)
{
    struct key key;
    struct str value;
    struct taskdef *taskdef = ARENA_NEW(&check->arena, struct taskdef, 1);
    bool good = task->of_daemon != OPT_TRUE && task->revision > 0
        && key_make(&key, TABLE_TASKDEFS, &(struct key_parts){ .text = task->family, .number = task->revision })
        && txn_get(check->txn, TABLE_TASKDEFS, &key, &value) && record_unpack(&taskdef_record, value, taskdef, &check->arena);
    return good ? taskdef : NULL;
}

/* The memory that this container asked for on each of its GPUs, MiB; 0: it asked for no memory, or that can't be known. */
static int64_t wished_memory(const struct task *task, const struct task_container *container, const struct taskdef *taskdef)
{
    const struct container_definition_list *defs = &taskdef->def.container_definitions;
    struct gpu_wish wish;
    char why[GPU_WISH_WHY_MAX];
    if (container->index < 0 || container->index >= (int64_t)defs->count) { return 0; }
    const struct container_definition *def = &defs->items[container->index];
    return taskdef_container_gpus(def, taskdef_override(task->overrides, def->name), &wish, why) ? wish.memory_mib : 0;
}

static void hold_gpu(struct check *check, const struct held_machine *machine, struct str uuid, const struct held_gpu *more, const struct key_parts *parts)
{
    struct held_gpu *gpu = find_gpu(check->room, machine, uuid);
    (void)check_that(check, INVARIANT_GPUS, gpu != NULL || !machine->once, "a task holds a GPU that its instance does not have", TABLE_TASKS, parts);
    if (gpu == NULL) { return; }
    gpu->share += more->share;
    gpu->memory_held += more->memory_held;
    (void)check_that(check, INVARIANT_GPUS, gpu->share <= GPU_SHARE_WHOLE, "with this task a GPU is held more than once over", TABLE_TASKS, parts);
    bool fits = gpu->memory_mib == 0 || !machine->once || gpu->memory_held <= gpu->memory_mib;
    (void)check_that(check, INVARIANT_GPUS, fits, "with this task more of a GPU's memory is held than it has", TABLE_TASKS, parts);
}

static void hold_gpus(struct check *check, const struct held_machine *machine, const struct task *task, const struct key_parts *parts)
{
    const struct taskdef *taskdef = NULL;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        if (container->gpu_ids.count == 0) { continue; }
        if (taskdef == NULL) { taskdef = taskdef_of(check, task); }
        struct held_gpu more = { .share = gpu_share_of(container->gpu_share), .memory_held = taskdef == NULL ? 0 : wished_memory(task, container, taskdef) };
        for (size_t g = 0; g < container->gpu_ids.count; g++) { hold_gpu(check, machine, container->gpu_ids.items[g], &more, parts); }
    }
}

static void hold(struct check *check, struct held_machine *machine, const struct task *task, const struct key_parts *parts)
{
    struct check_room *room = check->room;
    ASSERT(machine >= room->machines && machine < room->machines + room->machine_count);
    if (!add_i64(machine->cpu_held, task->cpu, &machine->cpu_held)) { machine->cpu_held = INT64_MAX; }
    if (!add_i64(machine->memory_held, task->memory_mib, &machine->memory_held)) { machine->memory_held = INT64_MAX; }
    room->ports = array_grow(room->ports, &room->port_capacity, room->port_count + task->ports.count + 1, sizeof *room->ports);
    for (size_t p = 0; p < task->ports.count; p++) {
        room->ports[room->port_count++] = (struct held_port){ (uint32_t)(machine - room->machines), (uint32_t)task->ports.items[p].value };
    }
    hold_gpus(check, machine, task, parts);
}

/* ---- tasks ---- */

static void check_statuses(struct check *check, const struct task *task, const struct key_parts *parts)
{
    bool wants = task->last_status < TASK_DEACTIVATING || task->desired_status == TASK_STOPPED;
    (void)check_that(check, INVARIANT_STATUSES, wants, "a task that ends or has stopped wants to run", TABLE_TASKS, parts);
    bool times = task_is_live(task) == (task->stopped_ms == 0);
    (void)check_that(check, INVARIANT_STATUSES, times, "a live task has the time of its end, or a stopped one has none", TABLE_TASKS, parts);
    bool contained = true;
    for (size_t c = 0; c < task->containers.count; c++) {
        enum task_status status = task->containers.items[c].status;
        contained = contained && (status == TASK_PENDING || status == TASK_RUNNING || status == TASK_STOPPED)
            && (task_is_live(task) || status == TASK_STOPPED);
    }
    (void)check_that(check, INVARIANT_STATUSES, contained, "a container has a status that it can't have, or runs on in a stopped task", TABLE_TASKS, parts);
}

/* A task's record is removed before those of its cluster, definition and instance. */
static void check_references(struct check *check, const struct task *task, const struct key_parts *parts)
{
    struct held_machine *machine = find_machine(check->room, task->instance);
    (void)check_that(check, INVARIANT_REFERENCES, check_has_cluster(check, task->cluster_number), "there is no such cluster", TABLE_TASKS, parts);
    bool defined = task->revision > 0 && check_has(check, task->of_daemon == OPT_TRUE ? TABLE_DAEMON_TASKDEFS : TABLE_TASKDEFS,
                                                    &(struct key_parts){ .text = task->family, .number = task->revision });
    (void)check_that(check, INVARIANT_REFERENCES, defined, "its task definition is not there", TABLE_TASKS, parts);
    bool placed = machine != NULL || (id_is_zero(task->instance) && (task->last_status == TASK_PROVISIONING || task->last_status == TASK_STOPPED));
    if (!check_that(check, INVARIANT_REFERENCES, placed, "its instance is not there", TABLE_TASKS, parts)) { return; }
    if (machine == NULL || !task_is_live(task)) { return; }
    bool lives = machine->active && machine->cluster == task->cluster_number;
    (void)check_that(check, INVARIANT_REFERENCES, lives, "a live task is on an instance that is INACTIVE, or of another cluster", TABLE_TASKS, parts);
    hold(check, machine, task, parts);
}

static bool has_index_value(struct check *check, const struct key *key, struct id id)
{
    struct walk walk = walk_begin(check->txn, TABLE_TASK_INDEX);
    struct str value = { (const char *)id.bytes, sizeof id.bytes };
    bool found = walk_to_value(&walk, key_str(key), value) && str_eq(walk.value, value);
    walk_end(&walk);
    return found;
}

static void check_indexes(struct check *check, const struct task *task, const struct key_parts *parts)
{
    struct key key;
    for (enum task_index index = TASKS_BY_CLUSTER; index <= TASKS_BY_GROUP; index++) {
        if (!task_index_key(&key, task, index)) { continue; }
        bool there = has_index_value(check, &key, task->id);
        if (there) { check->entries[TABLE_TASK_INDEX]++; }
        (void)check_that(check, INVARIANT_INDEXES, there, "an index entry is missing", TABLE_TASK_INDEX, parts);
    }
    if (task_stopped_key(&key, task)) { check_index(check, TABLE_STOPPED, &key, (struct str){ 0 }, TABLE_TASKS, parts); }
}

static void check_task(struct check *check, const struct walk *at, const struct key_parts *parts)
{
    struct task task;
    if (!check_record(check, at, &task_record, parts, &task)) { return; }
    task.id = parts->id;
    check_statuses(check, &task, parts);
    check_references(check, &task, parts);
    check_indexes(check, &task, parts);
}

/* ---- the sums ---- */

static int by_machine_and_port(const void *a, const void *b)
{
    const struct held_port *left = a, *right = b;
    if (left->machine != right->machine) { return left->machine < right->machine ? -1 : 1; }
    return (left->port > right->port) - (left->port < right->port);
}

static void check_sums(struct check *check)
{
    struct check_room *room = check->room;
    for (size_t m = 0; m < room->machine_count; m++) {
        const struct held_machine *machine = &room->machines[m];
        bool fits = !machine->once || (machine->cpu_held <= machine->cpu && machine->memory_held <= machine->memory_mib);
        (void)check_that(check, INVARIANT_ROOM, fits, "its live tasks hold more CPU or memory than it has", TABLE_INSTANCES,
                         &(struct key_parts){ .id = machine->id });
    }
    if (room->port_count > 0) { qsort(room->ports, room->port_count, sizeof *room->ports, by_machine_and_port); }
    for (size_t p = 0; p < room->port_count; p++) {
        bool once = p == 0 || by_machine_and_port(&room->ports[p - 1], &room->ports[p]) != 0;
        (void)check_that(check, INVARIANT_PORTS, once, "two live tasks hold one port", TABLE_INSTANCES,
                         &(struct key_parts){ .id = room->machines[room->ports[p].machine].id });
    }
}

void check_instances_and_tasks(struct check *check)
{
    struct check_room room = { 0 };
    check->room = &room;
    check_each(check, TABLE_INSTANCES, check_instance);
    check_each(check, TABLE_TASKS, check_task);
    check_sums(check);
    free(room.machines);
    free(room.gpus);
    free(room.ports);
    free(room.text);
    check->room = NULL;
}
