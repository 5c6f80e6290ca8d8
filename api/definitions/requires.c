/* requires.c: the attributes that an instance must have to run a definition. A GPU adds none: GPUs are a resource. */
#include "api/definitions/rules.h"

#include "base/text/arn.h"

#define CAPABILITY_OLD "com.amazonaws.ecs.capability."
#define CAPABILITY     "ecs.capability."

/* ---- a set of names, in the order in which they were asked for ---- */

struct wanted { struct arena *arena; struct attribute_list list; size_t capacity; };

static void want(struct wanted *wanted, struct str name)
{
    struct attribute_list *list = &wanted->list;
    for (size_t a = 0; a < list->count; a++) {
        if (str_eq(list->items[a].name, name)) { return; }
    }
    if (list->count == wanted->capacity) {
        size_t capacity = wanted->capacity == 0 ? 16 : wanted->capacity * 2;
        list->items = arena_grow(wanted->arena, list->items, wanted->capacity * sizeof *list->items, capacity * sizeof *list->items);
        wanted->capacity = capacity;
    }
    list->items[list->count] = (struct attribute){ .name = name };
    list->count++;
}

static void want_if(struct wanted *wanted, bool needed, struct str name)
{
    if (needed) { want(wanted, name); }
}

static void want_api(struct wanted *wanted, int minor)
{
    want(wanted, arena_printf(wanted->arena, CAPABILITY_OLD "docker-remote-api.1.%d", minor));
}

/* ---- logs ---- */

/* The first version of Docker's API that has the driver; 0: none is asked for. Agents register 1.17 to 1.25 and a few later
 * ones, so that no other may be asked for. */
static const int log_driver_api[LOG_DRIVER_COUNT] = {
    [LOG_DRIVER_JSON_FILE] = 18, [LOG_DRIVER_SYSLOG] = 18, [LOG_DRIVER_JOURNALD] = 19, [LOG_DRIVER_GELF] = 20,
    [LOG_DRIVER_FLUENTD] = 20, [LOG_DRIVER_AWSLOGS] = 19, [LOG_DRIVER_SPLUNK] = 22, [LOG_DRIVER_AWSFIRELENS] = 0,
};

/* Two services keep secrets; an ARN of Secrets Manager says so, everything else is a parameter of SSM. */
static bool is_secrets_manager(struct str value_from)
{
    struct arn arn;
    return arn_parse(value_from, &arn) && str_eq(arn.service, STR("secretsmanager"));
}

static void require_logs(struct wanted *wanted, const struct task_definition *def, const struct container_definition *container)
{
    const struct log_configuration *logs = container->log_configuration;
    if (logs == NULL) { return; }
    struct str driver = enum_word(&log_driver_names, (int)logs->log_driver);
    want(wanted, arena_printf(wanted->arena, CAPABILITY_OLD "logging-driver." STR_FMT, STR_ARG(driver)));
    if (log_driver_api[logs->log_driver] > 0) { want_api(wanted, log_driver_api[logs->log_driver]); }
    if (logs->options.count > 0) { want_api(wanted, 19); }
    want_if(wanted, logs->log_driver == LOG_DRIVER_AWSLOGS && str_is_set(def->execution_role_arn),
            STR(CAPABILITY "execution-role-awslogs"));
    want_if(wanted, logs->log_driver == LOG_DRIVER_AWSFIRELENS && container_has_log_option(container, STR("log-driver-buffer-limit")),
            STR(CAPABILITY "logging-driver.awsfirelens.log-driver-buffer-limit"));
    for (size_t s = 0; s < logs->secret_options.count; s++) {
        want(wanted, is_secrets_manager(logs->secret_options.items[s].value_from)
                         ? STR(CAPABILITY "secrets.asm.bootstrap.log-driver") : STR(CAPABILITY "secrets.ssm.bootstrap.log-driver"));
    }
}

static void require_firelens(struct wanted *wanted, const struct container_definition *container)
{
    const struct firelens_configuration *firelens = container->firelens_configuration;
    if (firelens == NULL) { return; }
    struct str type = enum_word(&firelens_configuration_type_names, (int)firelens->type);
    want(wanted, arena_printf(wanted->arena, CAPABILITY "firelens." STR_FMT, STR_ARG(type)));
    for (size_t o = 0; o < firelens->options.count; o++) {
        if (!str_eq(firelens->options.items[o].key, STR("config-file-type"))) { continue; }
        bool in_s3 = str_eq(firelens->options.items[o].value, STR("s3"));
        want(wanted, in_s3 ? STR(CAPABILITY "firelens.options.config.s3") : STR(CAPABILITY "firelens.options.config.file"));
    }
    want_if(wanted, container->user.len > 0, STR(CAPABILITY "firelens.non-root-user"));
}

/* ---- one container ---- */

static void require_image(struct wanted *wanted, const struct task_definition *def, const struct container_definition *container)
{
    if (container_image_is_ecr(container)) {
        want(wanted, STR(CAPABILITY_OLD "ecr-auth"));
        want_api(wanted, 19);
        want_if(wanted, str_is_set(def->execution_role_arn), STR(CAPABILITY "execution-role-ecr-pull"));
    }
    want_if(wanted, container->repository_credentials != NULL, STR(CAPABILITY "private-registry-authentication.secretsmanager"));
}

static void require_security(struct wanted *wanted, const struct container_definition *container)
{
    static const struct { struct str prefix, name; } rows[] = {
        { STR_INIT("label:"),                   STR_INIT(CAPABILITY_OLD "selinux") },
        { STR_INIT("apparmor:"),                STR_INIT(CAPABILITY_OLD "apparmor") },
        { STR_INIT("credentialspec:"),          STR_INIT(CAPABILITY "gmsa") },
        { STR_INIT("credentialspecdomainless:"), STR_INIT(CAPABILITY "gmsa-domainless") },
    };
    const struct str_list *lists[] = { &container->docker_security_options, &container->credential_specs };
    for (size_t l = 0; l < COUNT_OF(lists); l++) {
        for (size_t o = 0; o < lists[l]->count; o++) {
            for (size_t r = 0; r < COUNT_OF(rows); r++) {
                want_if(wanted, str_starts_with(lists[l]->items[o], rows[r].prefix), rows[r].name);
            }
        }
    }
    want_if(wanted, container->privileged == OPT_TRUE, STR(CAPABILITY_OLD "privileged-container"));
}

static void require_features(struct wanted *wanted, const struct container_definition *container)
{
    const struct linux_parameters *params = container->linux_parameters;
    if (params != NULL && params->init_process_enabled == OPT_TRUE) { want_api(wanted, 25); }
    if (params != NULL && (params->shared_memory_size.set || params->tmpfs.count > 0)) { want_api(wanted, 22); }
    if (container->health_check != NULL) {
        want(wanted, STR(CAPABILITY "container-health-check"));
        want_api(wanted, 24);
    }
    for (size_t s = 0; s < container->secrets.count; s++) {
        want(wanted, is_secrets_manager(container->secrets.items[s].value_from)
                         ? STR(CAPABILITY "secrets.asm.environment-variables") : STR(CAPABILITY "secrets.ssm.environment-variables"));
    }
    want_if(wanted, container->environment_files.count > 0, STR(CAPABILITY "env-files.s3"));
    want_if(wanted, container->depends_on.count > 0, STR(CAPABILITY "container-ordering"));
    want_if(wanted, container->restart_policy != NULL, STR(CAPABILITY "container-restart-policy"));
    for (size_t p = 0; p < container->port_mappings.count; p++) {
        want_if(wanted, str_is_set(container->port_mappings.items[p].container_port_range),
                STR(CAPABILITY "network.container-port-range"));
    }
}

/* ---- the task ---- */

static void require_volume(struct wanted *wanted, const struct volume *volume)
{
    const struct docker_volume_configuration *docker = volume->docker_volume_configuration;
    const struct efs_volume_configuration *efs = volume->efs_volume_configuration;
    if (docker != NULL && docker->driver.len > 0) {
        want(wanted, arena_printf(wanted->arena, CAPABILITY "docker-plugin." STR_FMT, STR_ARG(docker->driver)));
    }
    want_if(wanted, efs != NULL, STR(CAPABILITY "efs"));
    want_if(wanted, efs != NULL && (efs->authorization_config != NULL || efs->transit_encryption == EFS_TRANSIT_ENCRYPTION_ENABLED),
            STR(CAPABILITY "efsAuth"));
    want_if(wanted, volume->fsx_windows_file_server_volume_configuration != NULL, STR(CAPABILITY "fsxWindowsFileServer"));
    want_if(wanted, volume->s3files_volume_configuration != NULL, STR(CAPABILITY "storage.s3-files"));
    want_if(wanted, volume->configured_at_launch == OPT_TRUE, STR(CAPABILITY "storage.ebs-task-volume-attach"));
}

static bool is_fargate_only(const struct task_definition *def)
{
    bool some = def->requires_compatibilities.count > 0;
    for (size_t r = 0; r < def->requires_compatibilities.count; r++) {
        some = some && def->requires_compatibilities.items[r] == (int)COMPATIBILITY_FARGATE;
    }
    return some;
}

static void require_size(struct wanted *wanted, const struct task_definition *def)
{
    enum { PLAIN_CPU_MAX = 10 * 1024 };
    int64_t cpu = 0;
    if (is_fargate_only(def)) { return; }
    want_if(wanted, str_is_set(def->cpu) || str_is_set(def->memory), STR(CAPABILITY "task-cpu-mem-limit"));
    want_if(wanted, str_is_set(def->cpu) && taskdef_read_cpu(def->cpu, &cpu) && cpu > PLAIN_CPU_MAX,
            STR(CAPABILITY "increased-task-cpu-limit"));
}

static void require_task(struct wanted *wanted, const struct task_definition *def)
{
    enum network_mode mode = taskdef_network(def);
    want_if(wanted, mode == NETWORK_MODE_AWSVPC, STR(CAPABILITY "task-eni"));
    if (str_is_set(def->task_role_arn)) {
        want(wanted, STR(CAPABILITY_OLD "task-iam-role"));
        want_if(wanted, mode == NETWORK_MODE_HOST, STR(CAPABILITY_OLD "task-iam-role-network-host"));
    }
    require_size(wanted, def);
    want_if(wanted, def->pid_mode != PID_MODE_UNSET || def->ipc_mode != IPC_MODE_UNSET, STR(CAPABILITY "pid-ipc-namespace-sharing"));
    want_if(wanted, def->proxy_configuration != NULL, STR(CAPABILITY "aws-appmesh"));
    want_if(wanted, def->enable_fault_injection == OPT_TRUE, STR(CAPABILITY "fault-injection"));
    for (size_t v = 0; v < def->volumes.count; v++) { require_volume(wanted, &def->volumes.items[v]); }
}

struct attribute_list taskdef_requires(const struct task_definition *def, struct arena *arena)
{
    struct wanted wanted = { .arena = arena };
    want_api(&wanted, 18);
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct container_definition *container = &def->container_definitions.items[c];
        require_image(&wanted, def, container);
        require_logs(&wanted, def, container);
        require_firelens(&wanted, container);
        require_security(&wanted, container);
        require_features(&wanted, container);
    }
    require_task(&wanted, def);
    ASSERT(wanted.list.count > 0 && wanted.list.count <= wanted.capacity);
    return wanted.list;
}
