/* demand.c: what a task takes, in the scheduler's words. ECS's rules: CPU and memory of the task as a whole when it names them,
 * else the sum over its containers, where a reservation counts before a limit; host ports that are fixed; the GPUs of each
 * container; attributes that the definition's content calls for. */
#include "api/tasks/demand.h"

#include "api/tasks/overrides.h"
#include "model/capabilities.h"

enum { CONSTRAINTS_MAX = 10 };               /* of definition and request together */

/* ---- amounts ---- */

static bool read_amounts(const struct task_definition *def, const struct task_override *overrides, struct demand *demand,
                         struct err *err)
{
    int64_t cpu = 0, memory = 0;
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct container_definition *container = &def->container_definitions.items[c];
        const struct container_override *over = taskdef_override(overrides, container->name);
        struct opt_int limit = overrides_memory(container, over), reservation = overrides_reservation(container, over);
        cpu += overrides_cpu(container, over).value;             /* 32 bits each, ten at most: no overflow */
        memory += reservation.set ? reservation.value : limit.value;
    }
    struct str task_cpu = overrides_task_cpu(def, overrides), task_memory = overrides_task_memory(def, overrides);
    if (task_cpu.len > 0 && !taskdef_read_cpu(task_cpu, &cpu)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid 'cpu' setting for task: " STR_FMT, STR_ARG(str_slice(task_cpu, 0, 64)));
    }
    if (task_memory.len > 0 && !taskdef_read_memory(task_memory, &memory)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid 'memory' setting for task: " STR_FMT,
                       STR_ARG(str_slice(task_memory, 0, 64)));
    }
    if (cpu < 0 || memory < 0 || cpu > INT32_MAX || memory > INT32_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The task's CPU and memory must be between 0 and %d.", INT32_MAX);
    }
    demand->cpu = cpu;
    demand->memory_mib = memory;
    return true;
}

_Static_assert((int)GPU_WHOLE == (int)GPU_SHARE_WHOLE && (int)DEMAND_GPUS_ALL == (int)GPUS_ALL, "one way to count");

static bool read_gpus(const struct task_definition *def, const struct task_override *overrides, struct demand *demand,
                      struct err *err)
{
    size_t count = def->container_definitions.count;
    if (count > DEMAND_CONTAINERS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "A task can have at most %d containers.", DEMAND_CONTAINERS_MAX);
    }
    demand->container_count = count;
    for (size_t c = 0; c < count; c++) {
        const struct container_definition *container = &def->container_definitions.items[c];
        struct gpu_wish wish;
        char why[GPU_WISH_WHY_MAX];
        if (!taskdef_container_gpus(container, taskdef_override(overrides, container->name), &wish, why)) {
            return err_set(err, ERR_INVALID_PARAMETER, "Invalid setting for container " STR_FMT ": %s", STR_ARG(container->name), why);
        }
        demand->gpus[c] = (struct gpu_ask){ wish.count, wish.share, wish.memory_mib };
    }
    return true;
}

/* ---- ports ---- */

static bool add_port(int64_t *ports, size_t *count, int64_t port, struct err *err)
{
    ASSERT(port > 0);
    if (*count == DEMAND_PORTS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "A task can take at most %d host ports.", DEMAND_PORTS_MAX);
    }
    for (size_t p = 0; p < *count; p++) {
        if (ports[p] == port) {
            return err_set(err, ERR_INVALID_PARAMETER, "Host port %d/%s is mapped twice by the task definition.",
                           (int)(port & ~(int64_t)PORT_UDP), (port & PORT_UDP) != 0 ? "udp" : "tcp");
        }
    }
    ports[(*count)++] = port;
    return true;
}

/* Dynamic ports are the agent's to choose, so only fixed ones decide where a task fits. */
static bool read_ports(struct op_ctx *ctx, const struct task_definition *def, struct demand *demand, struct err *err)
{
    int64_t ports[DEMAND_PORTS_MAX];
    size_t count = 0;
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct port_mapping_list *mappings = &def->container_definitions.items[c].port_mappings;
        for (size_t m = 0; m < mappings->count; m++) {
            int64_t port = overrides_host_port(def->network_mode, &mappings->items[m]);
            if (port <= 0) { continue; }
            if (mappings->items[m].protocol == TRANSPORT_PROTOCOL_UDP) { port |= PORT_UDP; }
            if (!add_port(ports, &count, port, err)) { return false; }
        }
    }
    if (count > 0) { demand->ports = arena_copy(ctx->arena, ports, count * sizeof *ports); }
    demand->port_count = count;
    return true;
}

/* ---- attributes ---- */

/* Attributes that a definition requires in ECS's terms and that never decide a placement here: the versions of Docker's API,
 * which agents of all kinds have; and what belongs to IAM and its registries, which are kept and given back but not evaluated,
 * so that a definition made for ECS runs on a machine that knows no roles. */
static const struct str never_decide[] = {
    STR_INIT("com.amazonaws.ecs.capability.docker-remote-api."),
    STR_INIT("com.amazonaws.ecs.capability.task-iam-role"),
    STR_INIT("com.amazonaws.ecs.capability.ecr-auth"),
    STR_INIT("ecs.capability.execution-role-"),
};

static bool decides_placement(const struct attribute *attribute)
{
    for (size_t n = 0; n < COUNT_OF(never_decide); n++) {
        if (str_starts_with(attribute->name, never_decide[n])) { return false; }
    }
    return true;
}

static size_t add_platform(const struct runtime_platform *platform, struct sched_attribute *out)
{
    static const struct str architectures[CPU_ARCHITECTURE_COUNT] = {
        [CPU_ARCHITECTURE_X86_64] = STR_INIT("x86_64"), [CPU_ARCHITECTURE_ARM64] = STR_INIT("arm64"),
    };
    size_t count = 0;
    if (platform == NULL) { return 0; }
    struct str architecture = architectures[platform->cpu_architecture];
    struct str os = enum_word(&os_family_names, (int)platform->operating_system_family);
    if (str_is_set(architecture)) { out[count++] = (struct sched_attribute){ STR("ecs.cpu-architecture"), architecture }; }
    if (str_is_set(os)) { out[count++] = (struct sched_attribute){ STR("ecs.os-family"), os }; }
    return count;
}

/* More than Docker gives to every container, and as good as privileged: machines that run nothing privileged refuse it. Devices are not
 * looked at here: which of them a machine gives, only its agent knows. */
static bool wants_rights(const struct task_definition *def)
{
    if (def->pid_mode == PID_MODE_HOST || def->ipc_mode == IPC_MODE_HOST) { return true; }
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct linux_parameters *params = def->container_definitions.items[c].linux_parameters;
        if (params == NULL || params->capabilities == NULL) { continue; }
        for (size_t a = 0; a < params->capabilities->add.count; a++) {
            if (!capability_is_usual(params->capabilities->add.items[a])) { return true; }
        }
    }
    return false;
}

static void read_attributes(struct op_ctx *ctx, const struct task_definition *def, bool executes, struct demand *demand)
{
    enum { PLATFORM_ATTRIBUTES = 2, WAYS_IN = 1, RIGHTS = 1 };
    const struct attribute_list *required = &def->requires_attributes;
    struct sched_attribute *attributes = ARENA_NEW(ctx->arena, struct sched_attribute, required->count + PLATFORM_ATTRIBUTES + WAYS_IN + RIGHTS);
    size_t count = add_platform(def->runtime_platform, attributes);
    for (size_t a = 0; a < required->count; a++) {
        if (!decides_placement(&required->items[a])) { continue; }
        attributes[count++] = (struct sched_attribute){ required->items[a].name, required->items[a].value };
    }
    if (executes) { attributes[count++] = (struct sched_attribute){ STR("ecs.capability.execute-command"), { NULL, 0 } }; }
    if (wants_rights(def)) { attributes[count++] = (struct sched_attribute){ STR("com.amazonaws.ecs.capability.privileged-container"), { NULL, 0 } }; }
    ASSERT(count <= required->count + PLATFORM_ATTRIBUTES + WAYS_IN + RIGHTS);
    demand->attributes = attributes;
    demand->attribute_count = count;
}

bool demand_read(struct op_ctx *ctx, const struct task_definition *def, const struct task_override *overrides, bool executes,
                 struct demand *demand, struct err *err)
{
    if (!read_amounts(def, overrides, demand, err)) { return false; }
    if (!read_gpus(def, overrides, demand, err)) { return false; }
    if (!read_ports(ctx, def, demand, err)) { return false; }
    read_attributes(ctx, def, executes, demand);
    demand->interfaces = def->network_mode == NETWORK_MODE_AWSVPC;
    ASSERT(demand->cpu >= 0 && demand->memory_mib >= 0);
    ASSERT(demand->container_count <= DEMAND_CONTAINERS_MAX && demand->port_count <= DEMAND_PORTS_MAX);
    return true;
}

/* ---- where it may go ---- */

static bool add_expression(struct op_ctx *ctx, struct str text, const struct expression **out, struct err *err)
{
    if (text.len == 0) { return err_set(err, ERR_INVALID_PARAMETER, "A memberOf constraint needs an expression."); }
    *out = expression_compile(text, ctx->arena, err);
    return *out != NULL;
}

bool demand_add_constraints(struct op_ctx *ctx, const struct task_definition *def,
                            const struct placement_constraint_list *constraints, struct demand *demand, struct err *err)
{
    size_t total = def->placement_constraints.count + constraints->count, count = 0;
    if (total == 0) { return true; }
    if (total > CONSTRAINTS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "A task can have at most %d placement constraints; definition and request have %zu.",
                       CONSTRAINTS_MAX, total);
    }
    const struct expression **expressions = (const struct expression **)arena_alloc(ctx->arena, total, sizeof *expressions);
    for (size_t c = 0; c < def->placement_constraints.count; c++) {
        if (!add_expression(ctx, def->placement_constraints.items[c].expression, &expressions[count], err)) { return false; }
        count++;
    }
    for (size_t c = 0; c < constraints->count; c++) {
        const struct placement_constraint *constraint = &constraints->items[c];
        switch (constraint->type) {
        case PLACEMENT_CONSTRAINT_TYPE_DISTINCTINSTANCE:
            if (constraint->expression.len > 0) {
                return err_set(err, ERR_INVALID_PARAMETER, "A distinctInstance constraint takes no expression.");
            }
            demand->distinct_instance = true;
            break;
        case PLACEMENT_CONSTRAINT_TYPE_MEMBEROF:
            if (!add_expression(ctx, constraint->expression, &expressions[count], err)) { return false; }
            count++;
            break;
        case PLACEMENT_CONSTRAINT_TYPE_UNSET:
        case PLACEMENT_CONSTRAINT_TYPE_COUNT:
            return err_set(err, ERR_INVALID_PARAMETER, "A placement constraint needs a type: distinctInstance or memberOf.");
        }
    }
    ASSERT(count <= total);
    demand->expressions = expressions;
    demand->expression_count = count;
    return true;
}

void demand_set_provider(struct op_ctx *ctx, struct str provider, struct demand *demand)
{
    size_t count = demand->attribute_count;
    if (count > 0 && str_eq(demand->attributes[count - 1].name, instance_provider_name)) { count--; }
    struct sched_attribute *attributes = ARENA_NEW(ctx->arena, struct sched_attribute, count + 1);
    for (size_t a = 0; a < count; a++) { attributes[a] = demand->attributes[a]; }
    attributes[count++] = (struct sched_attribute){ instance_provider_name, provider };
    demand->attributes = attributes;
    demand->attribute_count = count;
}

bool demand_add_strategies(struct op_ctx *ctx, const struct placement_strategy_list *strategies, struct demand *demand,
                           struct err *err)
{
    static const enum strategy_kind kinds[PLACEMENT_STRATEGY_TYPE_COUNT] = {
        [PLACEMENT_STRATEGY_TYPE_RANDOM] = STRATEGY_RANDOM,
        [PLACEMENT_STRATEGY_TYPE_SPREAD] = STRATEGY_SPREAD,
        [PLACEMENT_STRATEGY_TYPE_BINPACK] = STRATEGY_BINPACK,
    };
    if (strategies->count == 0) { return true; }
    struct strategy *list = ARENA_NEW(ctx->arena, struct strategy, strategies->count);
    for (size_t s = 0; s < strategies->count; s++) {
        const struct placement_strategy *strategy = &strategies->items[s];
        if (strategy->type == PLACEMENT_STRATEGY_TYPE_UNSET) {
            return err_set(err, ERR_INVALID_PARAMETER, "A placement strategy needs a type: random, spread or binpack.");
        }
        list[s] = (struct strategy){ kinds[strategy->type], strategy->field };
    }
    demand->strategies = list;
    demand->strategy_count = strategies->count;
    return true;
}
