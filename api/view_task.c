/* view_task.c: a task as ECS shows it. What never changes (names, images, sizes) comes from the definition, what happened from
 * the record, and ARNs are made from names. Two members of ECS's object are left out because they would cost a read of the
 * machine for each task: availabilityZone, and ecs.cpu-architecture unless the definition asks for one. */
#include "api/overrides.h"
#include "api/view.h"

const struct taskdef *taskdef_cached(struct op_ctx *ctx, struct taskdef_cache *cache, struct str family, int64_t revision)
{
    for (size_t d = cache->count; d > 0; d--) {                  /* the newest is asked for most */
        const struct taskdef *taskdef = cache->items[d - 1];
        if (taskdef->def.revision.value == revision && str_eq(taskdef->def.family, family)) { return taskdef; }
    }
    const struct taskdef *taskdef = store_taskdef(ctx->txn, family, revision, ctx->arena);
    if (taskdef == NULL) { return NULL; }
    if (cache->count == cache->capacity) {
        size_t capacity = cache->capacity == 0 ? 8 : cache->capacity * 2;
        cache->items = arena_grow(ctx->arena, (void *)cache->items, cache->capacity * sizeof *cache->items,
                                  capacity * sizeof *cache->items);
        cache->capacity = capacity;
    }
    cache->items[cache->count++] = taskdef;
    return taskdef;
}

struct failure view_missing(struct str reference, struct str arn)
{
    bool is_arn = str_starts_with(reference, STR("arn:"));
    return (struct failure){ .arn = is_arn ? reference : arn, .reason = STR("MISSING") };
}

/* A number as text: a reply of ten tasks holds dozens, too many for printf. */
static struct str number_text(struct arena *arena, int64_t value)
{
    enum { DIGITS_MAX = 20 };
    char digits[DIGITS_MAX];
    size_t at = DIGITS_MAX;
    uint64_t left = value < 0 ? 0 : (uint64_t)value;             /* sizes are never negative */
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    return arena_str(arena, (struct str){ digits + at, DIGITS_MAX - at });
}

static struct str optional_text(struct arena *arena, struct opt_int value)
{
    return value.set ? number_text(arena, value.value) : (struct str){ 0 };
}

/* ---- containers ---- */

static void fill_container(struct op_ctx *ctx, const struct cluster *cluster, const struct task *task,
                           const struct task_container *container, const struct container_definition *def,
                           struct container_view *view)
{
    const struct container_override *over = overrides_of(task->overrides, def->name);
    struct opt_int cpu = overrides_cpu(def, over);
    bool begun = container->status != TASK_PENDING;
    *view = (struct container_view){
        .container_arn = names_container_arn(&ctx->config->names, cluster->name, task->id, (size_t)container->index, ctx->arena),
        .name = def->name,
        .image = def->image,
        .image_digest = container->image_digest,
        .runtime_id = container->runtime_id,
        .last_status = enum_word(&task_status_names, (int)container->status),
        .exit_code = container->exit_code,
        .reason = container->reason,
        .network_bindings = container->bindings,
        .network_interfaces = { LIST_NOTHING, 0 },
        .health_status = HEALTH_STATUS_UNKNOWN,
        .cpu = number_text(ctx->arena, cpu.set ? cpu.value : 0),
        .memory = optional_text(ctx->arena, overrides_memory(def, over)),
        .memory_reservation = optional_text(ctx->arena, overrides_reservation(def, over)),
    };
    if (begun && container->bindings.count == 0) { view->network_bindings.items = LIST_NOTHING; }
    if (container->gpu_ids.count > 0) { view->gpu_ids = container->gpu_ids; }
}

static void fill_containers(struct op_ctx *ctx, const struct cluster *cluster, const struct task *task,
                            const struct task_definition *def, struct task_view *view)
{
    view->containers.items = ARENA_NEW(ctx->arena, struct container_view, task->containers.count);
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        if (container->index < 0 || (uint64_t)container->index >= def->container_definitions.count) { continue; }
        struct container_view *shown = &view->containers.items[view->containers.count++];
        fill_container(ctx, cluster, task, container, &def->container_definitions.items[container->index], shown);
        shown->task_arn = view->task_arn;
    }
}

/* One entry per container, whether it was overridden or not: clients look theirs up by name. */
static struct task_override *make_overrides(struct op_ctx *ctx, const struct task *task, const struct task_definition *def)
{
    struct task_override *shown = ARENA_NEW(ctx->arena, struct task_override, 1);
    if (task->overrides != NULL) { *shown = *task->overrides; }
    size_t count = def == NULL ? 0 : def->container_definitions.count;
    shown->container_overrides.items = ARENA_NEW(ctx->arena, struct container_override, count);
    shown->container_overrides.count = count;
    for (size_t c = 0; c < count; c++) {
        struct str name = def->container_definitions.items[c].name;
        const struct container_override *over = overrides_of(task->overrides, name);
        shown->container_overrides.items[c] = over != NULL ? *over : (struct container_override){ .name = name };
    }
    if (shown->inference_accelerator_overrides.items == NULL) { shown->inference_accelerator_overrides.items = LIST_NOTHING; }
    return shown;
}

/* ---- the task ---- */

/* The word of the attribute is in lower case, that of the definition's member is not. */
static struct attribute_list make_attributes(struct op_ctx *ctx, const struct task_definition *def)
{
    static const struct str words[CPU_ARCHITECTURE_COUNT] = {
        [CPU_ARCHITECTURE_X86_64] = STR_INIT("x86_64"), [CPU_ARCHITECTURE_ARM64] = STR_INIT("arm64"),
    };
    struct attribute_list list = { LIST_NOTHING, 0 };
    if (def == NULL || def->runtime_platform == NULL) { return list; }
    struct str word = words[def->runtime_platform->cpu_architecture];
    if (!str_is_set(word)) { return list; }
    list = (struct attribute_list){ ARENA_NEW(ctx->arena, struct attribute, 1), 1 };
    list.items[0] = (struct attribute){ .name = STR("ecs.cpu-architecture"), .value = word };
    return list;
}

static void fill_times(const struct task *task, struct task_view *view)
{
    view->connectivity_at = task->connectivity_ms;
    view->created_at = task->created_ms;
    view->pull_started_at = task->pull_started_ms;
    view->pull_stopped_at = task->pull_stopped_ms;
    view->started_at = task->started_ms;
    view->stopping_at = task->stopping_ms;
    view->execution_stopped_at = task->execution_stopped_ms;
    view->stopped_at = task->stopped_ms;
}

void view_task_fill(struct op_ctx *ctx, const struct cluster *cluster, const struct task *task, const struct taskdef *taskdef,
                    bool with_tags, struct task_view *view)
{
    const struct names *names = &ctx->config->names;
    const struct task_definition *def = taskdef == NULL ? NULL : &taskdef->def;
    *view = (struct task_view){
        .attachments = { LIST_NOTHING, 0 },
        .attributes = make_attributes(ctx, def),
        .cluster_arn = names_cluster_arn(names, cluster->name, ctx->arena),
        .connectivity = task->connectivity,
        .cpu = number_text(ctx->arena, task->cpu),
        .memory = number_text(ctx->arena, task->memory_mib),
        .desired_status = enum_word(&task_status_names, (int)task->desired_status),
        .last_status = enum_word(&task_status_names, (int)task->last_status),
        .enable_execute_command = task->enable_execute_command,
        .group = task->group,
        .health_status = HEALTH_STATUS_UNKNOWN,
        .launch_type = task->launch_type,
        .overrides = make_overrides(ctx, task, def),
        .started_by = task->started_by,
        .stop_code = task->stop_code,
        .stopped_reason = task->stopped_reason,
        .task_arn = names_task_arn(names, cluster->name, task->id, ctx->arena),
        .task_definition_arn = names_taskdef_arn(names, task->family, task->revision, ctx->arena),
        .version = opt_int_of(task->version),
        .tags = { LIST_NOTHING, 0 },
        .containers = { LIST_NOTHING, 0 },
    };
    fill_times(task, view);
    if (!id_is_zero(task->instance)) {
        view->container_instance_arn = names_instance_arn(names, cluster->name, task->instance, ctx->arena);
    }
    if (with_tags && task->tags.count > 0) { view->tags = task->tags; }
    if (def != NULL) { fill_containers(ctx, cluster, task, def, view); }
}

struct task_view *view_task(struct op_ctx *ctx, const struct cluster *cluster, const struct task *task, bool with_tags)
{
    struct task_view *view = ARENA_NEW(ctx->arena, struct task_view, 1);
    const struct taskdef *taskdef = store_taskdef(ctx->txn, task->family, task->revision, ctx->arena);
    view_task_fill(ctx, cluster, task, taskdef, with_tags, view);
    return view;
}
