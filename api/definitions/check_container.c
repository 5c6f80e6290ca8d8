/* check_container.c: the rules for one container definition, in ECS's words where they are known. A rule is a small
 * function; the table at the end is their order. */
#include "api/definitions/rules.h"

#include "base/text/arn.h"

#define RULE(name) static bool name(const struct task_definition *def, const struct container_definition *container, struct err *err)

static bool invalid_setting(const struct container_definition *container, struct err *err, const char *what)
{
    return err_set(err, ERR_CLIENT, "Invalid setting for container '" STR_FMT "'. %s", STR_ARG(container->name), what);
}

/* ---- names and image ---- */

RULE(check_name)
{
    enum { NAME_MAX = 255 };
    if (container->name.len == 0) { return err_set(err, ERR_CLIENT, "Container.name should not be null or empty."); }
    if (container->name.len > NAME_MAX) { return err_set(err, ERR_CLIENT, "Container.name should be 255 characters or less"); }
    if (!names_is_valid(container->name)) { return err_set(err, ERR_CLIENT, "Container.name contains invalid characters."); }
    if (taskdef_container(def, container->name) != container) {
        return err_set(err, ERR_CLIENT, "Container.name should be unique: '" STR_FMT "' is given twice.", STR_ARG(container->name));
    }
    return true;
}

RULE(check_image)
{
    enum { IMAGE_MAX = 255 };
    (void)def;
    if (container->image.len == 0) { return err_set(err, ERR_CLIENT, "Container.image should not be null or empty."); }
    if (container->image.len > IMAGE_MAX) { return err_set(err, ERR_CLIENT, "Container.image should be 255 characters or less"); }
    return true;
}

/* ---- size ---- */

RULE(check_cpu)
{
    (void)def;
    if (container->cpu.set && container->cpu.value < 0) { return invalid_setting(container, err, "'cpu' must not be negative."); }
    return true;
}

/* How much is asked for must be known, for the task or for each container, and the parts must fit the whole. */
RULE(check_memory)
{
    enum { MEMORY_MIN_MIB = 6 };                             /* Docker starts nothing in less */
    struct opt_int hard = container->memory, soft = container->memory_reservation;
    int64_t task_mib = INT64_MAX;
    if (!hard.set && !soft.set && !str_is_set(def->memory)) {
        return invalid_setting(container, err, "At least one of 'memory' or 'memoryReservation' must be specified.");
    }
    if ((hard.set && hard.value < MEMORY_MIN_MIB) || (soft.set && soft.value < MEMORY_MIN_MIB)) {
        return invalid_setting(container, err, "'memory' and 'memoryReservation' must be at least 6 MiB.");
    }
    if (hard.set && soft.set && hard.value <= soft.value) {
        return invalid_setting(container, err, "'memory' must be greater than 'memoryReservation'.");
    }
    if (str_is_set(def->memory)) { ASSERT(taskdef_read_memory(def->memory, &task_mib)); }
    if ((hard.set && hard.value > task_mib) || (soft.set && soft.value > task_mib)) {
        return err_set(err, ERR_CLIENT, "The '%s' setting for container '" STR_FMT "' is greater than for the task.",
                       hard.set && hard.value > task_mib ? "memory" : "memoryReservation", STR_ARG(container->name));
    }
    return true;
}

/* All devices of the machine, for one container: a definition made for such machines is kept, RunTask refuses it. */
static bool check_neuron(const struct task_definition *def, const struct container_definition *container, struct str value, struct err *err)
{
    size_t wanting = 0;
    if (!str_eq(value, STR("ALL"))) { return invalid_setting(container, err, "The value of a NeuronDevice resource requirement must be ALL."); }
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct resource_requirement_list *list = &def->container_definitions.items[c].resource_requirements;
        for (size_t r = 0; r < list->count; r++) {
            if (list->items[r].type == RESOURCE_TYPE_NEURONDEVICE) { wanting++; }
        }
    }
    return wanting == 1 || invalid_setting(container, err, "Only one container of a task definition can have a NeuronDevice, and only once.");
}

/* Inference accelerators are retired at AWS. */
RULE(check_resources)
{
    struct gpu_wish wish;
    char why[GPU_WISH_WHY_MAX];
    for (size_t r = 0; r < container->resource_requirements.count; r++) {
        switch (container->resource_requirements.items[r].type) {
        case RESOURCE_TYPE_GPU: case RESOURCE_TYPE_GPU_MEMORY:
            break;
        case RESOURCE_TYPE_INFERENCEACCELERATOR:
            return err_set(err, ERR_CLIENT, "Unsupported field 'inferenceAccelerators'");
        case RESOURCE_TYPE_NEURONDEVICE:
            if (!check_neuron(def, container, container->resource_requirements.items[r].value, err)) { return false; }
            break;
        case RESOURCE_TYPE_UNSET: case RESOURCE_TYPE_COUNT:
            ASSERT(false);
        }
    }
    if (!taskdef_gpus(&container->resource_requirements, &wish, why)) { return invalid_setting(container, err, why); }
    if (wish.count != 0 && taskdef_is_windows(def)) {
        return invalid_setting(container, err, "Resource type GPU is not supported on Windows.");
    }
    return true;
}

/* ---- network ---- */

/* Members of a container that a network mode excludes. ECS has the same words for all but one. */
RULE(check_network_members)
{
    enum network_mode mode = taskdef_network(def);
    const struct { const char *member; bool given, everywhere_but_bridge; } rows[] = {
        { "links",              container->links.count > 0,                      true  },
        { "Disable Networking", container->disable_networking == OPT_TRUE,       false },
        { "hostname",           container->hostname.len > 0,                     false },
        { "dnsServers",         container->dns_servers.count > 0,                false },
        { "dnsSearchDomains",   container->dns_search_domains.count > 0,         false },
        { "extraHosts",         container->extra_hosts.count > 0,                false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        bool forbidden = mode == NETWORK_MODE_AWSVPC || (rows[r].everywhere_but_bridge && mode != NETWORK_MODE_BRIDGE);
        if (rows[r].given && forbidden) {
            return err_set(err, ERR_CLIENT, "%s is not supported on container when networkMode=" STR_FMT, rows[r].member,
                           STR_ARG(enum_word(&network_mode_names, (int)mode)));
        }
    }
    return true;
}

/* "name" or "name:alias"; the other container must be there. */
RULE(check_links)
{
    for (size_t l = 0; l < container->links.count; l++) {
        struct str name, alias;
        (void)str_cut(container->links.items[l], ':', &name, &alias);
        const struct container_definition *target = taskdef_container(def, name);
        if (target == NULL || target == container) {
            return err_set(err, ERR_CLIENT,
                           "Invalid 'links' setting for container '" STR_FMT "': there is no other container '" STR_FMT "'.",
                           STR_ARG(container->name), STR_ARG(str_slice(name, 0, 255)));
        }
    }
    return true;
}

/* ---- logs and secrets ---- */

RULE(check_logs)
{
    (void)def;
    if (container_log_driver(container) != LOG_DRIVER_AWSLOGS) { return true; }
    bool region = container_has_log_option(container, STR("awslogs-region"));
    bool group = container_has_log_option(container, STR("awslogs-group"));
    if (region && group) { return true; }
    return err_set(err, ERR_CLIENT, "Log driver awslogs requires options: %s%s%s", region ? "" : "awslogs-region",
                   region || group ? "" : ", ", group ? "" : "awslogs-group");
}

RULE(check_secrets)
{
    bool in_logs = container->log_configuration != NULL && container->log_configuration->secret_options.count > 0;
    if ((container->secrets.count > 0 || in_logs) && def->execution_role_arn.len == 0) {
        return err_set(err, ERR_CLIENT,
                       "When you are specifying container secrets, you must also specify a value for 'executionRoleArn'");
    }
    for (size_t s = 0; s < container->secrets.count; s++) {
        struct str name = container->secrets.items[s].name;
        bool taken = false;
        for (size_t e = 0; e < container->environment.count; e++) {
            taken = taken || str_eq(container->environment.items[e].name, name);
        }
        for (size_t before = 0; before < s; before++) { taken = taken || str_eq(container->secrets.items[before].name, name); }
        if (taken) {
            return err_set(err, ERR_CLIENT,
                           "The secret name must be unique and not shared with any new or existing environment variables set on the "
                           "container, such as '" STR_FMT "'.", STR_ARG(str_slice(name, 0, 255)));
        }
    }
    return true;
}

RULE(check_environment_files)
{
    (void)def;
    for (size_t f = 0; f < container->environment_files.count; f++) {
        struct str value = container->environment_files.items[f].value;
        struct arn arn;
        if (!arn_parse(value, &arn)) { return err_set(err, ERR_CLIENT, "Invalid arn syntax"); }
        if (!str_eq(arn.service, STR("s3")) || !str_ends_with(value, STR(".env"))) {
            return invalid_setting(container, err,
                                   "The value of an environment file must be the ARN of an S3 object whose name ends in .env.");
        }
    }
    return true;
}

/* ---- members that depend on other parts of the definition ---- */

/* Cycles are looked for by the task's own check, which sees all containers. */
RULE(check_depends_on)
{
    for (size_t d = 0; d < container->depends_on.count; d++) {
        const struct container_dependency *dependency = &container->depends_on.items[d];
        const struct container_definition *target = taskdef_container(def, dependency->container_name);
        if (target == NULL) {
            return err_set(err, ERR_CLIENT,
                           "Invalid 'dependsOn' setting for container '" STR_FMT "': there is no container '" STR_FMT "'.",
                           STR_ARG(container->name), STR_ARG(str_slice(dependency->container_name, 0, 255)));
        }
        bool must_end = dependency->condition == CONTAINER_CONDITION_COMPLETE || dependency->condition == CONTAINER_CONDITION_SUCCESS;
        if (must_end && target->essential != OPT_FALSE) {
            return err_set(err, ERR_CLIENT,
                           "A dependency container with SUCCESS or COMPLETE condition cannot be an essential container");
        }
        if (dependency->condition == CONTAINER_CONDITION_HEALTHY && target->health_check == NULL) {
            return err_set(err, ERR_CLIENT,
                           "Invalid 'dependsOn' setting for container '" STR_FMT "': condition HEALTHY needs a healthCheck on container '"
                           STR_FMT "'.", STR_ARG(container->name), STR_ARG(target->name));
        }
    }
    return true;
}

RULE(check_health)
{
    static const struct str words[] = { STR_INIT("CMD"), STR_INIT("CMD-SHELL"), STR_INIT("NONE") };
    (void)def;
    if (container->health_check == NULL) { return true; }
    const struct str_list *command = &container->health_check->command;
    bool known = false;
    for (size_t w = 0; w < COUNT_OF(words); w++) { known = known || (command->count > 0 && str_eq(command->items[0], words[w])); }
    if (!known) { return invalid_setting(container, err, "The first word of 'healthCheck.command' must be CMD, CMD-SHELL or NONE."); }
    if (command->count == 1 && !str_eq(command->items[0], STR("NONE"))) {
        return invalid_setting(container, err, "'healthCheck.command' names no command to run.");
    }
    return true;
}

RULE(check_mounts)
{
    for (size_t m = 0; m < container->mount_points.count; m++) {
        struct str source = container->mount_points.items[m].source_volume;
        bool found = false;
        for (size_t v = 0; v < def->volumes.count; v++) { found = found || str_eq(def->volumes.items[v].name, source); }
        if (!found || source.len == 0) {
            return err_set(err, ERR_CLIENT, "Unknown volume '" STR_FMT "' in 'mountPoints' of container '" STR_FMT "'.",
                           STR_ARG(str_slice(source, 0, 255)), STR_ARG(container->name));
        }
    }
    for (size_t v = 0; v < container->volumes_from.count; v++) {
        struct str source = container->volumes_from.items[v].source_container;
        const struct container_definition *target = taskdef_container(def, source);
        if (target == NULL || target == container) {
            return err_set(err, ERR_CLIENT, "Unknown container '" STR_FMT "' in 'volumesFrom' of container '" STR_FMT "'.",
                           STR_ARG(str_slice(source, 0, 255)), STR_ARG(container->name));
        }
    }
    return true;
}

/* ---- all of them ---- */

static bool (*const rules[])(const struct task_definition *, const struct container_definition *, struct err *) = {
    check_name, check_image, check_cpu, check_memory, check_resources, check_network_members, check_links, taskdef_check_ports,
    check_logs, check_secrets, check_environment_files, check_depends_on, check_health, check_mounts,
};

bool taskdef_check_container(const struct task_definition *def, const struct container_definition *container, struct err *err)
{
    for (size_t r = 0; r < COUNT_OF(rules); r++) {
        if (!rules[r](def, container, err)) { return false; }
    }
    return true;
}
