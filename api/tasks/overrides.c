/* overrides.c: laying a request over a definition. */
#include "api/tasks/overrides.h"

#include "api/definitions/rules.h"

enum { OVERRIDES_LEN_MAX = 8192 };           /* characters, printed: ECS's limit for all overrides of a request together */

/* ---- what one container gets ---- */

struct opt_int overrides_cpu(const struct container_definition *def, const struct container_override *over)
{
    return over != NULL && over->cpu.set ? over->cpu : def->cpu;
}

struct opt_int overrides_memory(const struct container_definition *def, const struct container_override *over)
{
    return over != NULL && over->memory.set ? over->memory : def->memory;
}

struct opt_int overrides_reservation(const struct container_definition *def, const struct container_override *over)
{
    return over != NULL && over->memory_reservation.set ? over->memory_reservation : def->memory_reservation;
}

struct str_list overrides_command(const struct container_definition *def, const struct container_override *over)
{
    return over != NULL && over->command.items != NULL ? over->command : def->command;
}

static void set_variable(struct pair_list *list, struct str name, struct str value)
{
    struct str text = str_is_set(value) ? value : STR("");
    for (size_t p = 0; p < list->count; p++) {
        if (str_eq(list->items[p].key, name)) {
            list->items[p].value = text;
            return;
        }
    }
    list->items[list->count++] = (struct pair){ name, text };
}

struct pair_list overrides_environment(const struct container_definition *def, const struct container_override *over,
                                       struct arena *arena)
{
    size_t more = over == NULL ? 0 : over->environment.count;
    struct pair_list merged = { ARENA_NEW(arena, struct pair, def->environment.count + more), 0 };
    for (size_t e = 0; e < def->environment.count; e++) {
        set_variable(&merged, def->environment.items[e].name, def->environment.items[e].value);
    }
    for (size_t e = 0; e < more; e++) { set_variable(&merged, over->environment.items[e].name, over->environment.items[e].value); }
    ASSERT(merged.count <= def->environment.count + more);      /* room was made for each that is set */
    return merged;
}

const struct resource_requirement_list *overrides_requirements(const struct container_definition *def, const struct container_override *over)
{
    return over != NULL && over->resource_requirements.items != NULL ? &over->resource_requirements : &def->resource_requirements;
}

/* ---- what the task as a whole gets ---- */

struct str overrides_task_cpu(const struct task_definition *def, const struct task_override *overrides)
{
    return overrides != NULL && overrides->cpu.len > 0 ? overrides->cpu : def->cpu;
}

struct str overrides_task_role(const struct task_definition *def, const struct task_override *overrides)
{
    return overrides != NULL && overrides->task_role_arn.len > 0 ? overrides->task_role_arn : def->task_role_arn;
}

struct str overrides_execution_role(const struct task_definition *def, const struct task_override *overrides)
{
    return overrides != NULL && overrides->execution_role_arn.len > 0 ? overrides->execution_role_arn : def->execution_role_arn;
}

struct str overrides_task_memory(const struct task_definition *def, const struct task_override *overrides)
{
    return overrides != NULL && overrides->memory.len > 0 ? overrides->memory : def->memory;
}

int64_t overrides_host_port(enum network_mode mode, const struct port_mapping *mapping)
{
    int64_t host = mapping->host_port.set ? mapping->host_port.value : 0;
    switch (mode) {
    case NETWORK_MODE_HOST:   return host != 0 ? host : mapping->container_port.value;       /* one and the same by nature */
    case NETWORK_MODE_UNSET:                                     /* EC2's default is bridge */
    case NETWORK_MODE_BRIDGE: return host;
    case NETWORK_MODE_AWSVPC:
    case NETWORK_MODE_NONE:
    case NETWORK_MODE_COUNT:  break;
    }
    return 0;
}

/* ---- checking ---- */

static bool check_container(const struct task_definition *def, const struct container_override *over, struct err *err)
{
    const struct container_definition *container = taskdef_container(def, over->name);
    if (container == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "Override for container named " STR_FMT " is not a container in the TaskDefinition.",
                       STR_ARG(str_slice(over->name, 0, 255)));
    }
    const struct { const char *word; struct opt_int amount; } amounts[] = {
        { "cpu", over->cpu }, { "memory", over->memory }, { "memoryReservation", over->memory_reservation },
    };
    for (size_t a = 0; a < COUNT_OF(amounts); a++) {
        if (amounts[a].amount.set && amounts[a].amount.value < 0) {
            return err_set(err, ERR_INVALID_PARAMETER, "The %s override of container " STR_FMT " must not be negative.",
                           amounts[a].word, STR_ARG(over->name));
        }
    }
    for (size_t r = 0; r < over->resource_requirements.count; r++) {
        if (over->resource_requirements.items[r].type == RESOURCE_TYPE_INFERENCEACCELERATOR) {
            return err_set(err, ERR_INVALID_PARAMETER, "Unsupported field 'inferenceAcceleratorOverrides'");
        }
    }
    struct gpu_wish wish;
    char why[GPU_WISH_WHY_MAX];
    if (!taskdef_container_gpus(container, over, &wish, why)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid override for container " STR_FMT ": %s", STR_ARG(over->name), why);
    }
    return true;
}

/* The parts must fit the whole, also when either of them is overridden. */
static bool check_parts(const struct task_definition *def, const struct task_override *overrides, struct err *err)
{
    int64_t task_mib;
    struct str memory = overrides_task_memory(def, overrides);
    if (memory.len == 0 || !taskdef_read_memory(memory, &task_mib)) { return true; }
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct container_definition *container = &def->container_definitions.items[c];
        struct opt_int limit = overrides_memory(container, taskdef_override(overrides, container->name));
        if (limit.set && limit.value > task_mib) {
            return err_set(err, ERR_INVALID_PARAMETER, "The 'memory' setting for container '" STR_FMT "' is greater than for the task.",
                           STR_ARG(container->name));
        }
    }
    return true;
}

bool overrides_check(const struct task_definition *def, const struct task_override *overrides, struct arena *arena, struct err *err)
{
    if (overrides == NULL) { return true; }
    struct buf printed = buf_in(arena);
    struct json_out out = json_out_to(&printed);
    schema_print(&task_override_schema, overrides, &out);
    if (printed.len > OVERRIDES_LEN_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "Container Overrides length must be at most %d; it is %zu.", OVERRIDES_LEN_MAX,
                       printed.len);
    }

    struct str roles[] = { overrides->task_role_arn, overrides->execution_role_arn };
    for (size_t r = 0; r < COUNT_OF(roles); r++) {
        if (roles[r].len > 0 && !taskdef_role_is_valid(roles[r])) { return err_set(err, ERR_INVALID_PARAMETER, "Role is not valid"); }
    }
    if (overrides->inference_accelerator_overrides.count > 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "Unsupported field 'inferenceAcceleratorOverrides'");
    }
    int64_t amount;
    if (overrides->cpu.len > 0 && !taskdef_read_cpu(overrides->cpu, &amount)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid 'cpu' setting for task: " STR_FMT, STR_ARG(str_slice(overrides->cpu, 0, 64)));
    }
    if (overrides->memory.len > 0 && !taskdef_read_memory(overrides->memory, &amount)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid 'memory' setting for task: " STR_FMT,
                       STR_ARG(str_slice(overrides->memory, 0, 64)));
    }
    for (size_t o = 0; o < overrides->container_overrides.count; o++) {
        if (!check_container(def, &overrides->container_overrides.items[o], err)) { return false; }
    }
    return check_parts(def, overrides, err);
}
