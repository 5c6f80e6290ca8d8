/* fill.c: what ECS writes into a definition where the caller was silent. */
#include "api/definitions/rules.h"

/* ---- containers ---- */

static void fill_ports(struct container_definition *container, enum network_mode mode, struct arena *arena)
{
    struct port_mapping_list *list = &container->port_mappings;
    if (list->count == 0) { return; }
    list->items = arena_copy(arena, list->items, list->count * sizeof *list->items);
    for (size_t p = 0; p < list->count; p++) {
        struct port_mapping *mapping = &list->items[p];
        if (mapping->protocol == TRANSPORT_PROTOCOL_UNSET) { mapping->protocol = TRANSPORT_PROTOCOL_TCP; }
        if (mapping->host_port.set || str_is_set(mapping->container_port_range)) { continue; }
        bool any_host_port = mode == NETWORK_MODE_BRIDGE;
        mapping->host_port = any_host_port ? opt_int_of(0) : mapping->container_port;
    }
}

static void fill_default(struct opt_int *number, int64_t value)
{
    if (!number->set) { *number = opt_int_of(value); }
}

/* Nothing is filled in to logConfiguration: Terraform, which knows ECS's defaults, would take secretOptions that nobody wrote,
 * even empty ones, for a change, and register a new revision at each apply. */
static void fill_parts(struct container_definition *container, struct arena *arena)
{
    enum { INTERVAL_S = 30, TIMEOUT_S = 5, RETRIES = 3, RESTART_PERIOD_S = 300 };
    if (container->health_check != NULL) {
        container->health_check = arena_copy(arena, container->health_check, sizeof *container->health_check);
        fill_default(&container->health_check->interval, INTERVAL_S);
        fill_default(&container->health_check->timeout, TIMEOUT_S);
        fill_default(&container->health_check->retries, RETRIES);
    }
    if (container->restart_policy != NULL) {
        container->restart_policy = arena_copy(arena, container->restart_policy, sizeof *container->restart_policy);
        fill_default(&container->restart_policy->restart_attempt_period, RESTART_PERIOD_S);
    }
}

static void fill_container(struct container_definition *container, enum network_mode mode, struct arena *arena)
{
    fill_default(&container->cpu, 0);
    if (container->essential == OPT_UNSET) { container->essential = OPT_TRUE; }
    if (container->port_mappings.items == NULL) { container->port_mappings.items = LIST_NOTHING; }
    if (container->environment.items == NULL) { container->environment.items = LIST_NOTHING; }
    if (container->mount_points.items == NULL) { container->mount_points.items = LIST_NOTHING; }
    if (container->volumes_from.items == NULL) { container->volumes_from.items = LIST_NOTHING; }
    if (container->system_controls.items == NULL) { container->system_controls.items = LIST_NOTHING; }
    fill_ports(container, mode, arena);
    fill_parts(container, arena);
}

/* ---- volumes ---- */

static void fill_volume(struct volume *volume, struct arena *arena)
{
    if (volume->efs_volume_configuration != NULL && !str_is_set(volume->efs_volume_configuration->root_directory)) {
        volume->efs_volume_configuration =
            arena_copy(arena, volume->efs_volume_configuration, sizeof *volume->efs_volume_configuration);
        volume->efs_volume_configuration->root_directory = STR("/");
    }
    if (volume->docker_volume_configuration != NULL && volume->docker_volume_configuration->scope == SCOPE_UNSET) {
        volume->docker_volume_configuration =
            arena_copy(arena, volume->docker_volume_configuration, sizeof *volume->docker_volume_configuration);
        volume->docker_volume_configuration->scope = SCOPE_TASK;
    }
}

/* ---- the task ---- */

static struct str full_role(const struct names *names, struct str role, struct arena *arena)
{
    if (!str_is_set(role) || str_starts_with(role, STR("arn:"))) { return role; }
    return arena_printf(arena, "arn:aws:iam::" STR_FMT ":role/" STR_FMT, STR_ARG(names->account), STR_ARG(role));
}

/* Sizes come back in small units however they were written: "1 vCPU" as "1024", "1GB" as "1024". */
static struct str plain_amount(struct str text, bool (*read)(struct str, int64_t *), struct arena *arena)
{
    int64_t amount;
    if (!str_is_set(text)) { return text; }
    ASSERT(read(text, &amount));
    return arena_printf(arena, "%lld", (long long)amount);
}

void taskdef_fill(const struct names *names, struct task_definition *def, struct arena *arena)
{
    struct container_definition_list *containers = &def->container_definitions;
    containers->items = arena_copy(arena, containers->items, containers->count * sizeof *containers->items);
    ASSERT(containers->count > 0);
    for (size_t c = 0; c < containers->count; c++) { fill_container(&containers->items[c], taskdef_network(def), arena); }

    if (def->volumes.count > 0) {
        def->volumes.items = arena_copy(arena, def->volumes.items, def->volumes.count * sizeof *def->volumes.items);
        for (size_t v = 0; v < def->volumes.count; v++) { fill_volume(&def->volumes.items[v], arena); }
    }
    if (def->volumes.items == NULL) { def->volumes.items = LIST_NOTHING; }
    if (def->placement_constraints.items == NULL) { def->placement_constraints.items = LIST_NOTHING; }
    def->task_role_arn = full_role(names, def->task_role_arn, arena);
    def->execution_role_arn = full_role(names, def->execution_role_arn, arena);
    def->cpu = plain_amount(def->cpu, taskdef_read_cpu, arena);
    def->memory = plain_amount(def->memory, taskdef_read_memory, arena);
}
