/* view_task.c: a task as ECS shows it. Names, images and sizes come from the definition, times and statuses from
 * the record, the zone and the architecture from the machine, and ARNs are made from names. */
#include "api/tasks/overrides.h"
#include "api/show/view.h"

/* ---- what the tasks of a reply have in common ---- */

struct view_cache view_cache_for(struct op_ctx *ctx, const struct cluster *cluster)
{
    const struct names *names = &ctx->config->names;
    return (struct view_cache){
        .cluster_arn = names_cluster_arn(names, cluster->name, ctx->arena), .stems = names_stems(names, cluster->name, ctx->arena),
    };
}

static struct str taskdef_arn_of(struct op_ctx *ctx, struct view_cache *cache, const struct task *task)
{
    bool of_daemon = task->of_daemon == OPT_TRUE;
    if (cache->revision != task->revision || !str_eq(cache->family, task->family) || cache->of_daemon != of_daemon) {
        cache->family = task->family;
        cache->revision = task->revision;
        cache->of_daemon = of_daemon;
        cache->taskdef_arn = (of_daemon ? names_daemon_taskdef_arn : names_taskdef_arn)(&ctx->config->names, task->family, task->revision, ctx->arena);
    }
    return cache->taskdef_arn;
}

static void *room_for_one(struct op_ctx *ctx, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) { return items; }
    size_t wider = *capacity == 0 ? 8 : *capacity * 2;
    items = arena_grow(ctx->arena, items, *capacity * size, wider * size);
    *capacity = wider;
    return items;
}

const struct taskdef *view_taskdef_of(struct op_ctx *ctx, struct view_cache *cache, const struct task *task)
{
    for (size_t d = cache->taskdef_count; d > 0; d--) {          /* the newest definition is needed most often */
        const struct taskdef *taskdef = cache->taskdefs[d - 1];
        if (taskdef_is_of(taskdef, task)) { return taskdef; }
    }
    const struct taskdef *taskdef = store_taskdef_of(ctx->txn, task, ctx->arena);
    if (taskdef == NULL) { return NULL; }
    cache->taskdefs = room_for_one(ctx, (void *)cache->taskdefs, cache->taskdef_count, &cache->taskdef_capacity, sizeof *cache->taskdefs);
    cache->taskdefs[cache->taskdef_count++] = taskdef;
    return taskdef;
}

/* For the machines of tasks just placed, the world has all that is shown. Later jobs change its texts, so they are copied. */
static bool read_world(struct op_ctx *ctx, struct shown_machine *machine)
{
    if (!sched_attribute(ctx->world, machine->id, instance_zone_name, &machine->zone)
        || !sched_attribute(ctx->world, machine->id, instance_architecture_name, &machine->architecture)) { return false; }
    machine->zone = arena_str(ctx->arena, machine->zone);
    machine->architecture = arena_str(ctx->arena, machine->architecture);
    machine->connected = true;
    return true;
}

static struct shown_machine machine_with(struct id id, const struct instance_traits *traits)
{
    return (struct shown_machine){ id, traits->zone, traits->architecture, traits->came_ms, traits->connected };
}

static struct shown_machine read_machine(struct op_ctx *ctx, const struct view_cache *cache, struct id id)
{
    struct shown_machine machine = { .id = id };
    if (cache->untold && read_world(ctx, &machine)) { return machine; }
    struct instance_traits traits = store_instance_traits(ctx->txn, id, ctx->arena);
    return machine_with(id, &traits);
}

static struct shown_machine *add_machine(struct op_ctx *ctx, struct view_cache *cache)
{
    cache->machines = room_for_one(ctx, cache->machines, cache->machine_count, &cache->machine_capacity, sizeof *cache->machines);
    return &cache->machines[cache->machine_count++];
}

static const struct shown_machine *find_machine(const struct view_cache *cache, struct id id)
{
    for (size_t m = cache->machine_count; m > 0; m--) {
        if (id_eq(cache->machines[m - 1].id, id)) { return &cache->machines[m - 1]; }
    }
    return NULL;
}

static const struct shown_machine *machine_of(struct op_ctx *ctx, struct view_cache *cache, struct id id)
{
    const struct shown_machine *found = find_machine(cache, id);
    if (found != NULL) { return found; }
    struct shown_machine *machine = add_machine(ctx, cache);
    *machine = read_machine(ctx, cache, id);
    return machine;
}

/* A machine of two tasks is read twice: that is cheaper than a search for the first. */
void view_machines(struct op_ctx *ctx, struct view_cache *cache, const struct task *const *tasks, size_t count)
{
    ASSERT(ctx->world == NULL);
    struct id *ids = ARENA_NEW(ctx->arena, struct id, count);
    struct instance_traits *traits = ARENA_NEW(ctx->arena, struct instance_traits, count);
    size_t placed = 0;
    for (size_t t = 0; t < count; t++) {
        if (!id_is_zero(tasks[t]->instance)) { ids[placed++] = tasks[t]->instance; }
    }
    store_many_traits(ctx->txn, ids, placed, traits, ctx->arena);
    for (size_t m = 0; m < placed; m++) { *add_machine(ctx, cache) = machine_with(ids[m], &traits[m]); }
}

struct failure view_missing(struct str reference, struct str arn)
{
    bool is_arn = str_starts_with(reference, STR("arn:"));
    return (struct failure){ .arn = is_arn ? reference : arn, .reason = STR("MISSING") };
}

/* A number as text, without printf: a reply of ten tasks has dozens of them. */
static struct str number_text(struct arena *arena, int64_t value)
{
    char *end = (char *)arena_bytes(arena, STR_DIGITS_MAX) + STR_DIGITS_MAX;
    const char *at = str_put_digits(end, value < 0 ? 0 : (uint64_t)value);      /* a size is never negative */
    return (struct str){ at, (size_t)(end - at) };
}

static struct str optional_text(struct arena *arena, struct opt_int value)
{
    return value.set ? number_text(arena, value.value) : (struct str){ 0 };
}

/* ---- health ---- */

static bool has_health_check(const struct container_definition *def)
{
    const struct health_check *check = def->health_check;
    return check != NULL && check->command.count > 0 && !str_eq(check->command.items[0], STR("NONE"));
}

enum health_status view_health(const struct task_definition *def, const struct task_container_list *containers)
{
    static const int gravity[HEALTH_STATUS_COUNT] = {            /* of reported healths; no report is UNKNOWN too */
        [HEALTH_STATUS_HEALTHY] = 1, [HEALTH_STATUS_UNSET] = 2, [HEALTH_STATUS_UNKNOWN] = 2, [HEALTH_STATUS_UNHEALTHY] = 3,
    };
    enum health_status worst = HEALTH_STATUS_COUNT;
    for (size_t c = 0; c < containers->count; c++) {
        const struct task_container *container = &containers->items[c];
        if (container->index < 0 || (uint64_t)container->index >= def->container_definitions.count) { continue; }
        const struct container_definition *own = &def->container_definitions.items[container->index];
        if (own->essential == OPT_FALSE || !has_health_check(own)) { continue; }
        if (worst == HEALTH_STATUS_COUNT || gravity[container->health] > gravity[worst]) { worst = container->health; }
    }
    return worst == HEALTH_STATUS_COUNT || worst == HEALTH_STATUS_UNSET ? HEALTH_STATUS_UNKNOWN : worst;
}

/* ---- containers ---- */

/* Berth's agent runs commands itself and reports no managed agents. The ECS agent reports those that it starts in a container. */
static bool is_way_in(struct op_ctx *ctx, struct id machine)
{
    bool own = false, executes = false;
    const struct instance *instance = store_instance(ctx->txn, machine, ctx->arena);
    if (instance == NULL) { return false; }
    (void)instance_attribute(instance, STR("berth.runtime"), &own);
    (void)instance_attribute(instance, STR("ecs.capability.execute-command"), &executes);
    return own && executes;
}

/* With ExecuteCommand on, each container has an agent for it; its status is unknown until the first report. */
static struct managed_agent_list make_managed_agents(struct op_ctx *ctx, const struct task *task, const struct task_container *container)
{
    struct managed_agent_list list = container->managed_agents;
    if (list.count > 0 || task->enable_execute_command != OPT_TRUE) { return list; }
    list = (struct managed_agent_list){ ARENA_NEW(ctx->arena, struct managed_agent, 1), 1 };
    list.items[0].name = MANAGED_AGENT_NAME_EXECUTECOMMANDAGENT;
    list.items[0].last_status = container->status == TASK_STOPPED ? STR("STOPPED") : STR("PENDING");
    if (container->status == TASK_RUNNING && is_way_in(ctx, task->instance)) {
        list.items[0].last_status = STR("RUNNING");
        list.items[0].last_started_at = task->started_ms;
    }
    return list;
}

static struct network_interface_list make_interfaces(struct op_ctx *ctx, const struct task *task)
{
    struct network_interface_list list = { LIST_NOTHING, 0 };
    if (task->interface == NULL || task->interface->address.len == 0) { return list; }
    list = (struct network_interface_list){ ARENA_NEW(ctx->arena, struct network_interface, 1), 1 };
    list.items[0] = (struct network_interface){ names_attachment_id(task->id, ctx->arena), task->interface->address, { NULL, 0 } };
    return list;
}

/* The interface is PRECREATED until its machine reports the address, and DELETED when the task has stopped. */
static struct attachment_list make_attachments(struct op_ctx *ctx, const struct task *task)
{
    const struct task_interface *interface = task->interface;
    struct attachment_list list = { LIST_NOTHING, 0 };
    if (interface == NULL) { return list; }
    list = (struct attachment_list){ ARENA_NEW(ctx->arena, struct attachment, 1), 1 };
    const struct key_value_pair details[] = {
        { STR("subnetId"), interface->subnet }, { STR("macAddress"), interface->mac_address }, { STR("privateIPv4Address"), interface->address },
    };
    list.items[0] = (struct attachment){
        .id = names_attachment_id(task->id, ctx->arena), .type = STR("ElasticNetworkInterface"),
        .status = !task_is_live(task) ? STR("DELETED") : interface->address.len > 0 ? STR("ATTACHED") : STR("PRECREATED"),
        .details = { ARENA_NEW(ctx->arena, struct key_value_pair, COUNT_OF(details)), 0 },
    };
    struct key_value_pair_list *shown = &list.items[0].details;
    for (size_t d = 0; d < COUNT_OF(details); d++) {
        if (details[d].value.len > 0) { shown->items[shown->count++] = details[d]; }
    }
    return list;
}

static void fill_container(struct op_ctx *ctx, const struct view_cache *cache, const struct task *task,
                           const struct task_container *container, const struct container_definition *def,
                           struct container_view *view)
{
    const struct container_override *over = taskdef_override(task->overrides, def->name);
    struct opt_int cpu = overrides_cpu(def, over);
    bool begun = container->status != TASK_PENDING;
    view->container_arn = names_container_behind(cache->stems.container, task->id, (size_t)container->index, ctx->arena);
    view->name = def->name;
    view->image = def->image;
    view->image_digest = container->image_digest;
    view->runtime_id = container->runtime_id;
    view->last_status = enum_word(&task_status_names, (int)container->status);
    view->exit_code = container->exit_code;
    view->reason = container->reason;
    view->network_bindings = container->bindings;
    view->network_interfaces = make_interfaces(ctx, task);
    view->health_status = container->health == HEALTH_STATUS_UNSET ? HEALTH_STATUS_UNKNOWN : container->health;
    view->managed_agents = make_managed_agents(ctx, task, container);
    view->cpu = number_text(ctx->arena, cpu.set ? cpu.value : 0);
    view->memory = optional_text(ctx->arena, overrides_memory(def, over));
    view->memory_reservation = optional_text(ctx->arena, overrides_reservation(def, over));
    if (begun && container->bindings.count == 0) { view->network_bindings.items = LIST_NOTHING; }
    if (container->gpu_ids.count > 0) { view->gpu_ids = container->gpu_ids; }
}

static void fill_containers(struct op_ctx *ctx, const struct view_cache *cache, const struct task *task, const struct task_definition *def,
                            struct task_view *view)
{
    view->containers.items = ARENA_NEW(ctx->arena, struct container_view, task->containers.count);
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        if (container->index < 0 || (uint64_t)container->index >= def->container_definitions.count) { continue; }
        struct container_view *shown = &view->containers.items[view->containers.count++];
        fill_container(ctx, cache, task, container, &def->container_definitions.items[container->index], shown);
        shown->task_arn = view->task_arn;
    }
}

/* One entry for each container, overridden or not: clients look them up by name. */
static struct task_override *make_overrides(struct op_ctx *ctx, const struct task *task, const struct task_definition *def)
{
    struct task_override *shown = ARENA_NEW(ctx->arena, struct task_override, 1);
    if (task->overrides != NULL) { *shown = *task->overrides; }
    size_t count = def == NULL ? 0 : def->container_definitions.count;
    shown->container_overrides.items = ARENA_NEW(ctx->arena, struct container_override, count);
    shown->container_overrides.count = count;
    for (size_t c = 0; c < count; c++) {
        struct str name = def->container_definitions.items[c].name;
        const struct container_override *over = taskdef_override(task->overrides, name);
        shown->container_overrides.items[c] = over != NULL ? *over : (struct container_override){ .name = name };
    }
    if (shown->inference_accelerator_overrides.items == NULL) { shown->inference_accelerator_overrides.items = LIST_NOTHING; }
    return shown;
}

/* ---- the task ---- */

/* The machine's architecture, else the definition's, which the machine had to match. In lower case, as an attribute. */
static struct attribute_list make_attributes(struct op_ctx *ctx, const struct shown_machine *machine, const struct task_definition *def)
{
    static const struct str words[CPU_ARCHITECTURE_COUNT] = {
        [CPU_ARCHITECTURE_X86_64] = STR_INIT("x86_64"), [CPU_ARCHITECTURE_ARM64] = STR_INIT("arm64"),
    };
    struct attribute_list list = { LIST_NOTHING, 0 };
    struct str word = machine->architecture;
    if (!str_is_set(word) && def != NULL && def->runtime_platform != NULL) { word = words[def->runtime_platform->cpu_architecture]; }
    if (!str_is_set(word)) { return list; }
    list = (struct attribute_list){ ARENA_NEW(ctx->arena, struct attribute, 1), 1 };
    list.items[0] = (struct attribute){ .name = instance_architecture_name, .value = word };
    return list;
}

static struct ephemeral_storage *storage_of(const struct task *task, const struct task_definition *def)
{
    if (task->overrides != NULL && task->overrides->ephemeral_storage != NULL) { return task->overrides->ephemeral_storage; }
    return def == NULL ? NULL : def->ephemeral_storage;
}

static void fill_times(const struct task *task, struct task_view *view)
{
    view->created_at = task->created_ms;
    view->pull_started_at = task->pull_started_ms;
    view->pull_stopped_at = task->pull_stopped_ms;
    view->started_at = task->started_ms;
    view->stopping_at = task->stopping_ms;
    view->execution_stopped_at = task->execution_stopped_ms;
    view->stopped_at = task->stopped_ms;
}

void view_task_fill(struct op_ctx *ctx, struct view_cache *cache, const struct task *task, const struct taskdef *taskdef, bool with_tags,
                    struct task_view *view)
{
    static const struct shown_machine nowhere;
    const struct task_definition *def = taskdef == NULL ? NULL : &taskdef->def;
    const struct shown_machine *machine = id_is_zero(task->instance) ? &nowhere : machine_of(ctx, cache, task->instance);
    struct contact contact = task_contact(task, machine->connected, machine->came_ms);
    view->attachments = make_attachments(ctx, task);
    view->attributes = make_attributes(ctx, machine, def);
    view->availability_zone = machine->zone;
    view->cluster_arn = cache->cluster_arn;
    view->connectivity = contact.connectivity;
    view->connectivity_at = contact.since_ms;
    view->cpu = number_text(ctx->arena, task->cpu);
    view->memory = number_text(ctx->arena, task->memory_mib);
    view->desired_status = enum_word(&task_status_names, (int)task->desired_status);
    view->last_status = enum_word(&task_status_names, (int)task->last_status);
    view->enable_execute_command = task->enable_execute_command;
    view->ephemeral_storage = storage_of(task, def);
    view->group = task->group;
    view->health_status = def == NULL ? HEALTH_STATUS_UNKNOWN : view_health(def, &task->containers);
    view->launch_type = task->launch_type;
    view->capacity_provider_name = task->capacity_provider;
    view->overrides = make_overrides(ctx, task, def);
    view->started_by = task->started_by;
    view->stop_code = task->stop_code;
    view->stopped_reason = task->stopped_reason;
    view->task_arn = names_behind(cache->stems.task, task->id, ctx->arena);
    view->task_definition_arn = taskdef_arn_of(ctx, cache, task);
    view->version = opt_int_of(task->version);
    view->tags.items = LIST_NOTHING;
    view->containers.items = LIST_NOTHING;
    fill_times(task, view);
    if (!id_is_zero(task->instance)) { view->container_instance_arn = names_behind(cache->stems.instance, task->instance, ctx->arena); }
    if (with_tags && task->tags.count > 0) { view->tags = task->tags; }
    if (def != NULL) { fill_containers(ctx, cache, task, def, view); }
}

struct task_view *view_task(struct op_ctx *ctx, const struct cluster *cluster, const struct task *task, bool with_tags)
{
    struct view_cache cache = view_cache_for(ctx, cluster);
    struct task_view *view = ARENA_NEW(ctx->arena, struct task_view, 1);
    view_task_fill(ctx, &cache, task, view_taskdef_of(ctx, &cache, task), with_tags, view);
    return view;
}
