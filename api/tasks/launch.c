/* launch.c: from a request to tasks. All that the tasks of one call have in common is worked out once. */
#include "api/tasks/launch.h"

#include "api/core/placement.h"
#include "api/tasks/demand.h"
#include "api/tasks/gang.h"
#include "api/tasks/overrides.h"
#include "api/tasks/terms.h"
#include "scheduler/queue/queue.h"

enum { DETAIL_MAX = 1024, MANAGED_TAGS = 2 };

/* ---- finding the definition ---- */

static const struct taskdef *find_taskdef(struct op_ctx *ctx, struct str reference, struct err *err)
{
    const struct taskdef *taskdef;
    if (!support_find_taskdef(ctx, reference, &taskdef, err)) { return NULL; }
    if (taskdef == NULL) {
        (void)err_set(err, ERR_CLIENT, "TaskDefinition not found.");
        return NULL;
    }
    if (taskdef->def.status != TASK_DEFINITION_STATUS_ACTIVE) {
        (void)err_set(err, ERR_INVALID_PARAMETER, "TaskDefinition is inactive");
        return NULL;
    }
    return taskdef;
}

/* ---- checking, in ECS's order ---- */

/* Without a launch type and a strategy, the cluster's default strategy counts. */
static bool read_strategy(struct op_ctx *ctx, const struct launch_request *request, struct launch *launch, struct err *err)
{
    const struct capacity_provider_strategy_item_list *strategy = request->strategy;
    if (strategy == NULL || (strategy->count == 0 && request->launch_type != LAUNCH_TYPE_UNSET)) { return true; }
    if (strategy->count > 0 && request->launch_type != LAUNCH_TYPE_UNSET) {
        return err_set(err, ERR_INVALID_PARAMETER, "Specify either Launch Type or Capacity Provider Strategy, but not both.");
    }
    bool is_default = strategy->count == 0;
    if (is_default) { strategy = &launch->cluster->default_strategy; }
    if (!choice_check(ctx, launch->cluster, strategy, is_default, err)) { return false; }
    launch->choice = choice_of(ctx, strategy);
    return true;
}

static bool supports(const struct task_definition *def, enum compatibility compatibility)
{
    for (size_t c = 0; c < def->compatibilities.count; c++) {
        if (def->compatibilities.items[c] == (int)compatibility) { return true; }
    }
    return false;
}

bool launch_check_type(const struct task_definition *def, enum launch_type type, struct err *err)
{
    switch (type) {
    case LAUNCH_TYPE_UNSET:
    case LAUNCH_TYPE_EC2: return true;
    case LAUNCH_TYPE_EXTERNAL:
        return supports(def, COMPATIBILITY_EXTERNAL)
            || err_set(err, ERR_INVALID_PARAMETER, "Task definition does not support launch_type EXTERNAL.");
    case LAUNCH_TYPE_FARGATE:
    case LAUNCH_TYPE_MANAGED_INSTANCES:
    case LAUNCH_TYPE_COUNT:    break;
    }
    return err_set(err, ERR_UNSUPPORTED_FEATURE,
                   "Launch type " STR_FMT " is not available: Berth runs tasks on the machines that are registered with it. Use EC2 or EXTERNAL.",
                   STR_ARG(enum_word(&launch_type_names, (int)type)));
}

static bool check_platform_version(struct str version, struct err *err)
{
    return version.len == 0 || err_set(err, ERR_INVALID_PARAMETER, "The platform version must be null when specifying an EC2 launch type.");
}

bool launch_check_network(const struct task_definition *def, const struct network_configuration *network, struct err *err)
{
    bool is_given = network != NULL && network->awsvpc_configuration != NULL;
    if (def->network_mode == NETWORK_MODE_AWSVPC && !is_given) {
        return err_set(err, ERR_INVALID_PARAMETER, "Network Configuration must be provided when networkMode 'awsvpc' is specified.");
    }
    if (def->network_mode != NETWORK_MODE_AWSVPC && is_given) {
        return err_set(err, ERR_INVALID_PARAMETER, "Network Configuration is not valid for the given networkMode of this task definition.");
    }
    if (is_given && network->awsvpc_configuration->subnets.count == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "subnets can not be empty.");
    }
    return true;
}

bool launch_check_group(struct str group, struct err *err)
{
    static const struct str own[] = { STR_INIT("service:"), STR_INIT("daemon:") };
    for (size_t o = 0; o < COUNT_OF(own); o++) {
        if (str_starts_with(group, own[o])) { return err_set(err, ERR_INVALID_PARAMETER, "The group name must not begin with " STR_FMT ".", STR_ARG(own[o])); }
    }
    return true;
}

static bool check_started_by(struct str text, struct err *err)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '/';
        if (!good) {
            return err_set(err, ERR_INVALID_PARAMETER, "startedBy may have letters, digits, hyphens, slashes and underscores only.");
        }
    }
    return true;
}

static bool wants_neuron(const struct resource_requirement_list *list)
{
    for (size_t r = 0; r < list->count; r++) {
        if (list->items[r].type == RESOURCE_TYPE_NEURONDEVICE) { return true; }
    }
    return false;
}

/* The first thing that a container asks for and no machine here offers; NULL: none. `over` may be NULL. */
static const char *lacking(const struct container_definition *container, const struct container_override *over)
{
    const struct { const char *what; bool given; } rows[] = {
        { "a Neuron device, which no machine of Berth offers", wants_neuron(overrides_requirements(container, over)) },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].given) { return rows[r].what; }
    }
    return NULL;
}

/* Things that only AWS can give a container are refused. An agent would run the task without them: a volume that keeps nothing,
 * a secret that is not there. That must not happen silently. */
bool launch_check_content(const struct task_definition *def, const struct task_override *overrides, struct err *err)
{
    for (size_t v = 0; v < def->volumes.count; v++) {
        const struct volume *volume = &def->volumes.items[v];
        bool is_remote = volume->efs_volume_configuration != NULL || volume->s3files_volume_configuration != NULL
            || volume->fsx_windows_file_server_volume_configuration != NULL || volume->configured_at_launch == OPT_TRUE;
        if (is_remote) {
            return err_set(err, ERR_UNSUPPORTED_FEATURE,
                           "Volume " STR_FMT " is on AWS storage, which Berth does not mount. Use a host or docker volume.",
                           STR_ARG(volume->name));
        }
    }
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct container_definition *container = &def->container_definitions.items[c];
        const char *what = lacking(container, taskdef_override(overrides, container->name));
        if (what != NULL) {
            return err_set(err, ERR_UNSUPPORTED_FEATURE, "Container " STR_FMT " has %s.", STR_ARG(container->name), what);
        }
    }
    return true;
}

static bool check_request(struct op_ctx *ctx, const struct launch_request *request, const struct task_definition *def,
                          struct err *err)
{
    if (!launch_check_type(def, request->launch_type, err)) { return false; }
    if (!check_platform_version(request->platform_version, err)) { return false; }
    if (request->volume_configuration_count > 0) {
        return err_set(err, ERR_UNSUPPORTED_FEATURE, "volumeConfigurations are not available: Berth makes no Amazon EBS volumes.");
    }
    if (!launch_check_network(def, request->network, err)) { return false; }
    if (!overrides_check(def, request->overrides, ctx->arena, err)) { return false; }
    if (!launch_check_content(def, request->overrides, err)) { return false; }
    if (request->propagate_tags == PROPAGATE_TAGS_SERVICE) {
        return err_set(err, ERR_INVALID_PARAMETER, "propagateTags SERVICE is for tasks of a service only.");
    }
    return support_check_tags(request->tags, TAGGED_TASK, err) && check_started_by(request->started_by, err);
}

/* ---- tags ---- */

static bool has_tag(const struct tag_list *tags, struct str key)
{
    for (size_t t = 0; t < tags->count; t++) {
        if (str_eq(tags->items[t].key, key)) { return true; }
    }
    return false;
}

/* The request's own win over those of the definition; what ECS adds itself does not count towards the limit. */
static bool make_tags(struct op_ctx *ctx, const struct launch_request *request, const struct launch *launch, struct tag_list *out,
                      struct err *err)
{
    size_t copied = request->propagate_tags == PROPAGATE_TAGS_TASK_DEFINITION ? launch->taskdef->tags.count : 0;
    bool is_managed = request->managed_tags == OPT_TRUE;
    *out = *request->tags;
    if (copied == 0 && !is_managed) { return true; }

    out->items = ARENA_NEW(ctx->arena, struct tag, request->tags->count + copied + MANAGED_TAGS);
    for (size_t t = 0; t < request->tags->count; t++) { out->items[t] = request->tags->items[t]; }
    for (size_t t = 0; t < copied; t++) {
        const struct tag *tag = &launch->taskdef->tags.items[t];
        if (!has_tag(request->tags, tag->key)) { out->items[out->count++] = *tag; }
    }
    if (out->count > TAGS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "A resource can have at most %d tags; with those of the task definition there are %zu.",
                       TAGS_MAX, out->count);
    }
    if (is_managed) { out->items[out->count++] = (struct tag){ STR("aws:ecs:clusterName"), launch->cluster->name }; }
    if (is_managed && request->service_name.len > 0) { out->items[out->count++] = (struct tag){ STR("aws:ecs:serviceName"), request->service_name }; }
    ASSERT(out->count <= request->tags->count + copied + MANAGED_TAGS);
    return true;
}

/* ---- the pattern ---- */

static struct int_list make_ports(struct op_ctx *ctx, const struct demand *demand)
{
    struct int_list ports = { NULL, demand->port_count };
    if (ports.count == 0) { return ports; }
    ports.items = ARENA_NEW(ctx->arena, struct opt_int, ports.count);
    for (size_t p = 0; p < ports.count; p++) { ports.items[p] = opt_int_of(demand->ports[p]); }
    return ports;
}

/* Clients send empty overrides freely; they are not worth a record's bytes. */
static struct task_override *worth_keeping(struct task_override *overrides)
{
    if (overrides == NULL) { return NULL; }
    bool something = overrides->container_overrides.count > 0 || overrides->cpu.len > 0 || overrides->memory.len > 0
        || overrides->execution_role_arn.len > 0 || overrides->task_role_arn.len > 0 || overrides->ephemeral_storage != NULL
        || overrides->inference_accelerator_overrides.count > 0;
    return something ? overrides : NULL;
}

static struct task_interface *make_interface(struct op_ctx *ctx, const struct launch_request *request, const struct launch *launch)
{
    if (launch->demand.interfaces == 0) { return NULL; }
    struct task_interface *interface = ARENA_NEW(ctx->arena, struct task_interface, 1);
    ASSERT(request->network != NULL && request->network->awsvpc_configuration->subnets.count > 0);     /* by launch_check_network */
    interface->subnet = request->network->awsvpc_configuration->subnets.items[0];
    return interface;
}

static void make_pattern(struct op_ctx *ctx, const struct launch_request *request, struct launch *launch)
{
    const struct task_definition *def = &launch->taskdef->def;
    struct task *pattern = &launch->pattern;
    *pattern = (struct task){
        .cluster_number = launch->cluster->number,
        .family = def->family,
        .revision = def->revision.value,
        .group = launch->demand.group,
        .started_by = request->started_by.len > 0 ? request->started_by : (struct str){ 0 },
        .reference_id = request->reference_id,
        .launch_type = request->launch_type == LAUNCH_TYPE_UNSET ? LAUNCH_TYPE_EC2 : request->launch_type,
        .cpu = launch->demand.cpu,
        .memory_mib = launch->demand.memory_mib,
        .ports = make_ports(ctx, &launch->demand),
        .interfaces = launch->demand.interfaces,
        .interface = make_interface(ctx, request, launch),
        .overrides = worth_keeping(request->overrides),
        .tags = pattern->tags,
        .terms = pattern->terms,
        .enable_execute_command = request->execute_command,
        .version = 1,
        .created_ms = ctx->now_ms,
    };
    task_become(pattern, TASK_PENDING, ctx->now_ms);
}

bool launch_prepare(struct op_ctx *ctx, const struct cluster *cluster, const struct launch_request *request, struct launch *launch,
                    struct err *err)
{
    const struct taskdef *taskdef = find_taskdef(ctx, request->task_definition, err);
    return taskdef != NULL && launch_prepare_from(ctx, cluster, taskdef, request, launch, err);
}

bool launch_prepare_from(struct op_ctx *ctx, const struct cluster *cluster, const struct taskdef *taskdef, const struct launch_request *request,
                         struct launch *launch, struct err *err)
{
    ASSERT(ctx->world != NULL);
    ASSERT(cluster->number > 0 && cluster->status == CLUSTER_ACTIVE);
    *launch = (struct launch){ .cluster = cluster, .taskdef = taskdef, .demand = { .cluster = cluster->number }, .seen = view_cache_for(ctx, cluster) };
    launch->seen.untold = true;
    const struct task_definition *def = &launch->taskdef->def;
    if (!read_strategy(ctx, request, launch, err) || !check_request(ctx, request, def, err)) { return false; }
    if (!make_tags(ctx, request, launch, &launch->pattern.tags, err)) { return false; }
    if (!gang_read(&launch->pattern.tags, &launch->gang, err) || !terms_read(&launch->pattern.tags, &launch->pattern.terms, ctx->arena, err)) { return false; }
    if (!demand_read(ctx, def, request->overrides, request->execute_command == OPT_TRUE, &launch->demand, err)) { return false; }

    launch->demand.group = request->group.len > 0
        ? request->group
        : arena_printf(ctx->arena, "family:" STR_FMT, STR_ARG(def->family));
    launch->demand.seed = rng_next(ctx->rng);
    make_pattern(ctx, request, launch);
    launch->demand.asker = terms_asker(ctx, &launch->pattern);
    return true;
}

void launch_on_provider(struct op_ctx *ctx, struct launch *launch, size_t item)
{
    static const int64_t usual_ms = (int64_t)30 * 60 * 1000;
    int64_t wait_ms = ctx->config->provision_timeout_ms > 0 ? ctx->config->provision_timeout_ms : usual_ms;
    ASSERT(item < launch->choice.count);
    const struct chosen_provider *provider = &launch->choice.items[item];
    if (str_eq(launch->pattern.capacity_provider, provider->name)) { return; }
    demand_set_provider(ctx, provider->name, &launch->demand);
    launch->pattern.capacity_provider = provider->name;
    launch->pattern.launch_type = provider->managed ? LAUNCH_TYPE_MANAGED_INSTANCES : LAUNCH_TYPE_EC2;
    if (launch->wish.given) { return; }
    launch->wish.waits = provider->scales;
    launch->wish.most_ms = provider->scales ? wait_ms : 0;
}

/* ---- from a record ---- */

bool launch_waiting(struct op_ctx *ctx, const struct task *task, struct launch *launch, struct err *err)
{
    static const struct placement_constraint_list no_constraints;
    const struct cluster *cluster = store_cluster_by_number(ctx->txn, task->cluster_number, ctx->arena);
    const struct taskdef *taskdef = store_taskdef(ctx->txn, task->family, task->revision, ctx->arena);
    if (cluster == NULL || taskdef == NULL) { return err_set(err, ERR_CLIENT, "TaskDefinition not found."); }
    *launch = (struct launch){ .cluster = cluster, .taskdef = taskdef, .demand = { .cluster = cluster->number }, .gang = task->gang != NULL };
    const struct task_placing *placing = task->placing;
    if (!demand_read(ctx, &taskdef->def, task->overrides, task->enable_execute_command == OPT_TRUE, &launch->demand, err)) { return false; }
    if (!demand_add_constraints(ctx, &taskdef->def, placing == NULL ? &no_constraints : &placing->constraints, &launch->demand, err)) { return false; }
    if (placing != NULL && !demand_add_strategies(ctx, &placing->strategies, &launch->demand, err)) { return false; }
    if (task->capacity_provider.len > 0) { demand_set_provider(ctx, task->capacity_provider, &launch->demand); }
    launch->demand.group = task->group;
    launch->demand.seed = rng_next(ctx->rng);
    const struct waiting *waiting = queue_find(sched_queue(ctx->world), task->id);
    launch->demand.asker = waiting == NULL ? terms_asker(ctx, task) : terms_asker_waiting(ctx, task, waiting);
    return true;
}

bool launch_again(struct op_ctx *ctx, const struct task *task, struct launch *launch, struct err *err)
{
    struct task_terms terms = task->terms == NULL ? (struct task_terms){ 0 } : *task->terms;
    if (!launch_waiting(ctx, task, launch, err)) { return false; }
    terms.retry = terms.retry > 0 ? terms.retry - 1 : 0;
    struct task_interface *interface = task->interface == NULL ? NULL : ARENA_NEW(ctx->arena, struct task_interface, 1);
    if (interface != NULL) { interface->subnet = task->interface->subnet; }
    launch->pattern = (struct task){
        .cluster_number = task->cluster_number, .family = task->family, .revision = task->revision, .group = task->group, .started_by = task->started_by,
        .reference_id = task->reference_id, .launch_type = task->launch_type, .cpu = task->cpu, .memory_mib = task->memory_mib,
        .ports = make_ports(ctx, &launch->demand), .interfaces = task->interfaces, .interface = interface, .overrides = task->overrides,
        .tags = terms_retry_less(&task->tags, ctx->arena), .terms = arena_copy(ctx->arena, &terms, sizeof terms), .placing = task->placing,
        .enable_execute_command = task->enable_execute_command, .capacity_provider = task->capacity_provider, .version = 1, .created_ms = ctx->now_ms,
    };
    task_become(&launch->pattern, TASK_PENDING, ctx->now_ms);
    return true;
}

/* ---- what came of it ---- */

/* The world's texts change under later jobs, so the UUIDs are copied. */
static struct str_list pinned_gpus(struct op_ctx *ctx, struct id instance, uint64_t slots)
{
    struct str_list ids = { NULL, 0 };
    if (slots == 0) { return ids; }
    ids.items = ARENA_NEW(ctx->arena, struct str, (size_t)__builtin_popcountll(slots));
    for (; slots != 0; slots &= slots - 1) {
        struct str uuid = sched_gpu_uuid(ctx->world, instance, (unsigned)__builtin_ctzll(slots));
        ASSERT(uuid.len > 0);
        ids.items[ids.count++] = arena_str(ctx->arena, uuid);
    }
    return ids;
}

/* As the record has it: nothing for all of each GPU, or for none. */
static int64_t kept_share(const struct placement *placement, size_t container)
{
    bool shares = placement->gpu_slots[container] != 0 && placement->gpu_share[container] < GPU_WHOLE;
    return shares ? placement->gpu_share[container] : 0;
}

struct task_container_list launch_containers(struct op_ctx *ctx, const struct launch *launch, const struct placement *placement)
{
    struct task_container_list list = { NULL, launch->demand.container_count };
    ASSERT(list.count <= DEMAND_CONTAINERS_MAX);
    list.items = ARENA_NEW(ctx->arena, struct task_container, list.count);
    for (size_t c = 0; c < list.count; c++) {
        list.items[c] = (struct task_container){
            .index = (int64_t)c,
            .gpu_ids = pinned_gpus(ctx, placement->instance, placement->gpu_slots[c]),
            .gpu_share = kept_share(placement, c),
        };
        task_container_become(&list.items[c], TASK_PENDING);
        int64_t asked = launch->demand.gpus[c].count, given = (int64_t)list.items[c].gpu_ids.count;
        ASSERT(given == asked || asked == DEMAND_GPUS_ALL);
    }
    return list;
}

void launch_task(struct op_ctx *ctx, struct launch *launch, struct id id, const struct placement *placement, struct task_view *view)
{
    struct task task = launch->pattern;
    ASSERT(!id_is_zero(id) && !id_is_zero(placement->instance));
    task.id = id;
    task.instance = placement->instance;
    task.containers = launch_containers(ctx, launch, placement);
    placement_keep_task(ctx, &task);
    support_effect(ctx, EFFECT_WAKE_INSTANCE, task.instance);
    if (view != NULL) { view_task_fill(ctx, &launch->seen, &task, launch->taskdef, true, view); }
}

struct failure launch_failure(struct op_ctx *ctx, const struct launch *launch, const struct evidence *evidence)
{
    struct failure failure = { .reason = STR("RESOURCE") };
    struct buf detail = buf_in(ctx->arena);
    sched_explain(&launch->demand, evidence, &detail);
    ASSERT(detail.len <= DETAIL_MAX);
    failure.detail = buf_str(&detail);
    if (evidence->group_count > 0) {
        const struct evidence_group *nearest = &evidence->groups[0];
        failure.reason = verdict_reason(nearest->verdict);
        if (!id_is_zero(nearest->example)) {
            failure.arn = names_instance_arn(&ctx->config->names, launch->cluster->name, nearest->example, ctx->arena);
        }
    }
    return failure;
}

struct failure_list launch_failures_of(struct op_ctx *ctx, struct failure first, size_t count)
{
    struct failure_list failures = { LIST_NOTHING, count };
    if (count == 0) { return failures; }
    failures.items = ARENA_NEW(ctx->arena, struct failure, count);
    failures.items[0] = first;
    for (size_t f = 1; f < count; f++) {
        failures.items[f] = failures.items[0];
        failures.items[f].detail = STR("As the first failure says.");
    }
    return failures;
}

struct failure_list launch_failures(struct op_ctx *ctx, const struct launch *launch, const struct evidence *evidence, size_t count)
{
    return count == 0 ? (struct failure_list){ LIST_NOTHING, 0 } : launch_failures_of(ctx, launch_failure(ctx, launch, evidence), count);
}
