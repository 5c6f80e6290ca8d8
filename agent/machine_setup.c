/* machine_setup.c: the parts of a machine, made from its settings and its folder before anything runs. */
#include "agent/machine_internal.h"

#include <stdio.h>

#include "agent/registration/register.h"
#include "base/id.h"
#include "base/log.h"

enum { STOP_TIMEOUT_S = 30 };

void machine_set_token(struct machine *machine)
{
    struct id token;
    char text[ID_HEX_LEN + 1];
    rng_secret(token.bytes, sizeof token.bytes);
    id_hex(token, text);
    machine->identity.client_token = arena_str(&machine->arena, str_from(text));
}

const char *const *read_paths(const char *name, const char *text, struct arena *arena, struct err *err)
{
    struct str rest = str_from(text == NULL ? "" : text), dir = { NULL, 0 };
    const char **dirs = (const char **)arena_alloc(arena, rest.len + 2, sizeof *dirs);
    size_t count = 0;
    while (rest.len > 0) {
        str_cut(rest, ',', &dir, &rest);
        dir = str_trim(dir);
        if (dir.len == 0) { continue; }
        if (dir.ptr[0] != '/') {
            err_set(err, ERR_INVALID_PARAMETER, "%s takes absolute paths, as in /srv/data,/mnt; this is not: " STR_FMT, name, STR_ARG(dir));
            return NULL;
        }
        dirs[count++] = arena_cstr(arena, dir);
    }
    return dirs;
}

static bool set_docker(struct machine *machine, struct err *err)
{
    const struct agent_config *config = machine->config;
    char dir[DIR_LEN_MAX];
    struct port_span ports;
    if (config->dynamic_ports != NULL && !port_span_read(str_from(config->dynamic_ports), &ports, err)) { return false; }
    if (strcmp(machine->runtime->ops->name, "docker") != 0) { return true; }
    if (config->dynamic_ports != NULL) { runtime_docker_dynamic_ports(machine->runtime, ports); }
    if (config->no_privileged) { runtime_docker_refuse_privileged(machine->runtime); }
    const char *const *volumes = read_paths("allow-volumes", config->allow_volumes, &machine->arena, err);
    const char *const *devices = read_paths("allow-devices", config->allow_devices, &machine->arena, err);
    if (volumes == NULL || devices == NULL) { return false; }
    if (config->allow_devices != NULL) { runtime_docker_allow_devices(machine->runtime, devices); }
    if (snprintf(dir, sizeof dir, "%s/volumes", config->data_dir) >= (int)sizeof dir) {
        return err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", config->data_dir);
    }
    runtime_docker_allow_volumes(machine->runtime, volumes, dir);
    return runtime_docker_task_subnet(machine->runtime, config->task_subnet, err);
}

static struct runtime *open_runtime(const struct agent_config *config, struct err *err)
{
    const char *socket_path = config->docker_socket == NULL ? "/var/run/docker.sock" : config->docker_socket;
    char dir[DIR_LEN_MAX];
    struct err docker = { 0 };
    struct runtime *runtime = NULL;
    switch (config->runtime) {
    case RUNTIME_AUTO:
        runtime = runtime_docker_create(socket_path, &docker);
        if (runtime == NULL) {
            err_set(err, docker.code, "%.300s. Start Docker, or say --runtime process to run commands as plain processes.", docker.message);
        }
        return runtime;
    case RUNTIME_DOCKER:
        return runtime_docker_create(socket_path, err);
    case RUNTIME_PROCESS:
        if (snprintf(dir, sizeof dir, "%s/processes", config->data_dir) >= (int)sizeof dir) { break; }
        log_line(LOG_WARN, "agent", "commands run as plain processes: no isolation, and limits of memory and CPU are not enforced");
        return runtime_process_create(dir, err);
    }
    err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", config->data_dir);
    return NULL;
}

static bool load_identity(struct machine *machine, struct err *err)
{
    const char *dir = machine->config->data_dir;
    struct identity *identity = &machine->identity;
    if (!identity_load(dir, identity, &machine->arena, err)) { return false; }
    if (str_is_set(identity->arn) && !str_eq(identity->cluster, str_from(machine->cluster))) {
        return err_set(err, ERR_INVALID_PARAMETER, "%s belongs to a machine of cluster " STR_FMT "; give another folder to join cluster %s.",
                       dir, STR_ARG(identity->cluster), machine->cluster);
    }
    /* A first registration that is repeated after a crash must not become a second machine: its token is kept before it is
     * sent. Later ones carry the ARN and a new token, and need no room on the disk. */
    bool registered = str_is_set(identity->arn);
    if (!str_is_set(identity->client_token) || registered) {
        machine_set_token(machine);
    }
    return registered || identity_save(dir, identity, err);
}

static bool learn_inventory(struct machine *machine, struct err *err)
{
    const struct agent_config *config = machine->config;
    if (!inventory_of_machine(config, &machine->inventory, &machine->arena, err)) { return false; }
    machine->inventory.runtime = str_from(machine->runtime->ops->name);
    machine->inventory.runtime_version = machine->runtime->ops->version(machine->runtime);
    if (machine->inventory.gpus_off) {
        struct str why = str_is_set(machine->inventory.gpu_problem) ? machine->inventory.gpu_problem : STR("GPU support is switched off");
        log_line(LOG_WARN, "agent", "this machine has NVIDIA devices that tasks cannot use devices=%lld: " STR_FMT,
                 (long long)machine->inventory.gpus.pci_devices, STR_ARG(why));
    }
    return true;
}

static void set_host(struct machine *machine)
{
    const struct agent_config *config = machine->config;
    struct task_host *host = &machine->host;
    host->runtime = machine->runtime;
    host->client = machine->client;
    host->server = machine->server;
    host->reporter = reporter_create(machine->client, machine->server);
    host->cluster = machine->cluster;
    host->dir = machine->tasks_dir;
    host->region = config->region == NULL ? "us-east-1" : config->region;
    host->is_process = strcmp(machine->runtime->ops->name, "process") == 0;
    host->simulated_gpus = config->fake_gpus != NULL;
    host->stop_timeout_s = config->stop_timeout_s > 0 ? config->stop_timeout_s : STOP_TIMEOUT_S;
    host->over = machine_drop_task;
    host->owner = machine;
    atomic_store(&host->has_gpus, machine->inventory.gpus.count > 0);
}

static bool open_metadata(struct machine *machine, struct err *err)
{
    const struct agent_config *config = machine->config;
    const struct taskmeta_config metadata = {
        .runtime = machine->runtime, .client = machine->client, .server = machine->server, .cluster = machine->cluster,
        .data_dir = config->data_dir, .listen = config->metadata_listen == NULL ? "loopback" : config->metadata_listen,
        .zone = json_get_str(machine->inventory.custom, STR("ecs.availability-zone")),
    };
    machine->metadata = taskmeta_create(&metadata, err);
    if (machine->metadata != NULL) { machine->host.metadata = taskmeta_base(machine->metadata); }
    return machine->metadata != NULL;
}

static bool set_store(struct machine *machine, struct err *err)
{
    const struct agent_config *config = machine->config;
    machine->host.s3 = (struct s3_place){ .endpoint = config->s3_endpoint, .region = machine->host.region };
    if (config->s3_endpoint == NULL) { return true; }
    if (!s3_check_endpoint(config->s3_endpoint, err)) { return false; }
    if (config->s3_profile != NULL) { return credentials_of_profile(config->s3_profile, &machine->host.s3.credentials, &machine->arena, err); }
    const struct credentials *own = client_credentials(machine->host.client);
    machine->host.s3.credentials = (struct credentials){
        .access_key_id = arena_str(&machine->arena, own->access_key_id), .session_token = arena_str(&machine->arena, own->session_token),
        .secret_access_key = arena_str(&machine->arena, own->secret_access_key),
    };
    return true;
}

bool machine_setup(struct machine *machine, struct err *err)
{
    const struct agent_config *config = machine->config;
    struct str cluster = str_from(config->cluster == NULL ? "default" : config->cluster);
    if (!str_to_cstr(cluster, machine->cluster, sizeof machine->cluster)
        || snprintf(machine->tasks_dir, sizeof machine->tasks_dir, "%s/tasks", config->data_dir) >= (int)sizeof machine->tasks_dir) {
        return err_set(err, ERR_INVALID_PARAMETER, "The name of the cluster or of the data folder is too long.");
    }
    if (!state_file_make_dir(machine->tasks_dir, err) || !lease_open(&machine->lease, config->data_dir, err) || !load_identity(machine, err)) { return false; }
    machine->runtime = open_runtime(config, err);
    if (machine->runtime == NULL || !set_docker(machine, err) || !learn_inventory(machine, err)) { return false; }
    set_host(machine);
    if (!orphans_agent_name(config->data_dir, &machine->host.agent, &machine->arena, err) || !set_store(machine, err)) { return false; }
    machine->inventory.machine = orphans_machine_word(machine->host.agent, &machine->arena);
    machine->inventory.address = config->address != NULL ? str_from(config->address) : inventory_address(machine->server, &machine->arena);
    machine->host.logs = logs_create(machine->client, machine->server, machine->cluster, machine->runtime, err);
    if (machine->host.logs == NULL) { return false; }
    machine->host.images = images_create(machine->runtime, config, &machine->host.threads, err);
    return machine->host.images != NULL && open_metadata(machine, err);
}
