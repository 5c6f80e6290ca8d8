/* compat.c: which launch types a definition would pass for. The same check refuses a definition that says it requires
 * one, and tells for the others what ECS lists as compatibilities. */
#include "api/definitions/rules.h"

bool container_image_is_ecr(const struct container_definition *container)
{
    static const char mark[] = ".dkr.ecr.";
    struct str registry, rest;
    if (!str_cut(container->image, '/', &registry, &rest)) { return false; }
    return memmem(registry.ptr, registry.len, mark, sizeof mark - 1) != NULL;
}

bool container_has_log_option(const struct container_definition *container, struct str name)
{
    const struct pair_list *options = &container->log_configuration->options;
    for (size_t o = 0; o < options->count; o++) {
        if (str_eq(options->items[o].key, name)) { return options->items[o].value.len > 0; }
    }
    return false;
}

/* ---- Fargate: Berth has none, but definitions made for it run on instances, so they must come in ---- */

struct fargate_size { int64_t cpu, first, last, step; };          /* CPU units; MiB */
static const struct fargate_size fargate_sizes[] = {
    {   256,   512,   1024,  512 },
    {   256,  2048,   2048, 1024 },
    {   512,  1024,   4096, 1024 },
    {  1024,  2048,   8192, 1024 },
    {  2048,  4096,  16384, 1024 },
    {  4096,  8192,  30720, 1024 },
    {  8192, 16384,  61440, 4096 },
    { 16384, 32768, 122880, 8192 },
};

static bool is_fargate_size(int64_t cpu, int64_t mib)
{
    for (size_t s = 0; s < COUNT_OF(fargate_sizes); s++) {
        const struct fargate_size *size = &fargate_sizes[s];
        bool within = cpu == size->cpu && mib >= size->first && mib <= size->last;
        if (within && (mib - size->first) % size->step == 0) { return true; }
    }
    return false;
}

static bool check_fargate_size(const struct task_definition *def, struct err *err)
{
    int64_t cpu = 0, mib = 0;
    if (def->network_mode != NETWORK_MODE_AWSVPC) {
        return err_set(err, ERR_CLIENT, "Fargate only supports network mode \xE2\x80\x98" "awsvpc\xE2\x80\x99.");
    }
    if (!str_is_set(def->cpu)) { return err_set(err, ERR_CLIENT, "Fargate requires that 'cpu' be defined at the task level."); }
    if (!str_is_set(def->memory)) { return err_set(err, ERR_CLIENT, "Fargate requires that 'memory' be defined at the task level."); }
    if (taskdef_read_cpu(def->cpu, &cpu) && taskdef_read_memory(def->memory, &mib) && is_fargate_size(cpu, mib)) { return true; }
    return err_set(err, ERR_CLIENT,
                   "No Fargate configuration exists for given values: %lld CPU, %lld memory. See the Amazon ECS documentation for the "
                   "valid values.", (long long)cpu, (long long)mib);
}

/* Members of a container that have a meaning only on a machine that its user manages. */
static bool check_fargate_members(const struct container_definition *container, struct err *err)
{
    static const struct linux_parameters none;
    const struct linux_parameters *params = container->linux_parameters == NULL ? &none : container->linux_parameters;
    const struct { const char *member; bool given; } rows[] = {
        { "privileged",            container->privileged == OPT_TRUE },
        { "dockerSecurityOptions", container->docker_security_options.count > 0 },
        { "resourceRequirements",  container->resource_requirements.count > 0 },
        { "devices",               params->devices.count > 0 },
        { "sharedMemorySize",      params->shared_memory_size.set },
        { "maxSwap",               params->max_swap.set },
        { "swappiness",            params->swappiness.set },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].given) {
            return err_set(err, ERR_CLIENT, "Fargate compatible task definitions do not support %s", rows[r].member);
        }
    }
    return true;
}

static bool check_fargate_container(const struct task_definition *def, const struct container_definition *container, struct err *err)
{
    enum { FARGATE_STOP_TIMEOUT_MAX = 120 };
    bool awslogs = container_log_driver(container) == LOG_DRIVER_AWSLOGS, has_role = def->execution_role_arn.len > 0;
    if (container_image_is_ecr(container) && !has_role) {
        return err_set(err, ERR_CLIENT, "Fargate requires task definition to have execution role ARN to support ECR images.");
    }
    if (awslogs && !has_role) {
        return err_set(err, ERR_CLIENT, "Fargate requires task definition to have execution role ARN to support log driver awslogs.");
    }
    if (awslogs && !container_has_log_option(container, STR("awslogs-stream-prefix"))) {
        return err_set(err, ERR_CLIENT, "Fargate requires log configuration options to include awslogs-stream-prefix");
    }
    if (container->stop_timeout.set && container->stop_timeout.value > FARGATE_STOP_TIMEOUT_MAX) {
        return err_set(err, ERR_CLIENT, "Fargate compatible task definitions do not support a stopTimeout above 120 seconds");
    }
    return check_fargate_members(container, err);
}

static bool check_fargate_volume(const struct volume *volume, struct err *err)
{
    if (volume->docker_volume_configuration != NULL) {
        return err_set(err, ERR_CLIENT, "Fargate compatible task definitions do not support dockerVolumeConfiguration");
    }
    if (volume->host != NULL && volume->host->source_path.len > 0) {
        return err_set(err, ERR_CLIENT, "Fargate compatible task definitions do not support sourcePath");
    }
    if (volume->fsx_windows_file_server_volume_configuration != NULL) {
        return err_set(err, ERR_CLIENT, "Fargate compatible task definitions do not support fsxWindowsFileServerVolumeConfiguration");
    }
    return true;
}

static bool check_fargate(const struct task_definition *def, struct err *err)
{
    if (!check_fargate_size(def, err)) { return false; }
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        if (!check_fargate_container(def, &def->container_definitions.items[c], err)) { return false; }
    }
    for (size_t v = 0; v < def->volumes.count; v++) {
        if (!check_fargate_volume(&def->volumes.items[v], err)) { return false; }
    }
    if (def->pid_mode == PID_MODE_HOST) {
        return err_set(err, ERR_CLIENT, "Tasks using the Fargate launch type do not support pidMode 'host'. The supported value for "
                                        "pidMode is 'task'.");
    }
    if (def->ipc_mode != IPC_MODE_UNSET) {
        return err_set(err, ERR_CLIENT, "Fargate compatible task definitions do not support ipcMode");
    }
    if (def->placement_constraints.count > 0) {
        return err_set(err, ERR_CLIENT, "Fargate compatible task definitions do not support placementConstraints");
    }
    return true;
}

/* ---- machines outside of EC2, and ECS Managed Instances ---- */

static bool check_external(const struct task_definition *def, struct err *err)
{
    if (def->network_mode == NETWORK_MODE_AWSVPC) {
        return err_set(err, ERR_CLIENT, "Tasks using the External launch type do not support network mode 'awsvpc'.");
    }
    if (def->proxy_configuration != NULL) {
        return err_set(err, ERR_CLIENT, "Tasks using the External launch type do not support proxyConfiguration.");
    }
    for (size_t v = 0; v < def->volumes.count; v++) {
        const struct volume *volume = &def->volumes.items[v];
        bool of_aws = volume->efs_volume_configuration != NULL || volume->s3files_volume_configuration != NULL
            || volume->fsx_windows_file_server_volume_configuration != NULL || volume->configured_at_launch == OPT_TRUE;
        if (of_aws) {
            return err_set(err, ERR_CLIENT, "Tasks using the External launch type do not support the kind of volume '" STR_FMT "'.",
                           STR_ARG(volume->name));
        }
    }
    return true;
}

static bool check_managed(const struct task_definition *def, struct err *err)
{
    if (def->network_mode != NETWORK_MODE_AWSVPC && def->network_mode != NETWORK_MODE_HOST) {
        return err_set(err, ERR_CLIENT, "Managed Instances only support network modes 'awsvpc' and 'host'.");
    }
    if (!str_is_set(def->cpu) || !str_is_set(def->memory)) {
        return err_set(err, ERR_CLIENT, "Managed Instances require that 'cpu' and 'memory' be defined at the task level.");
    }
    return true;
}

static bool check_ec2(const struct task_definition *def, struct err *err)
{
    (void)def;
    (void)err;
    return true;                             /* what holds on EC2 holds everywhere, and is checked without being asked for */
}

/* ---- the table, in the order in which ECS lists them ---- */

static const struct {
    enum compatibility compatibility;
    bool (*check)(const struct task_definition *def, struct err *err);
} launch_types[] = {
    { COMPATIBILITY_EXTERNAL,          check_external },
    { COMPATIBILITY_EC2,               check_ec2 },
    { COMPATIBILITY_FARGATE,           check_fargate },
    { COMPATIBILITY_MANAGED_INSTANCES, check_managed },
};
_Static_assert(COUNT_OF(launch_types) == COMPATIBILITY_COUNT - 1, "one row per launch type");

bool taskdef_check_compatibility(const struct task_definition *def, enum compatibility compatibility, struct err *err)
{
    size_t row = 0;
    while (row < COUNT_OF(launch_types) && launch_types[row].compatibility != compatibility) { row++; }
    ASSERT(row < COUNT_OF(launch_types));
    return launch_types[row].check(def, err);
}

struct enum_list taskdef_compatibilities(const struct task_definition *def, struct arena *arena)
{
    struct enum_list list = { ARENA_NEW(arena, int, COUNT_OF(launch_types)), 0 };
    for (size_t row = 0; row < COUNT_OF(launch_types); row++) {
        struct err why_not = { 0 };
        if (!launch_types[row].check(def, &why_not)) { continue; }
        list.items[list.count] = (int)launch_types[row].compatibility;
        list.count++;
    }
    ASSERT(list.count > 0);                  /* EC2 takes every definition */
    return list;
}
