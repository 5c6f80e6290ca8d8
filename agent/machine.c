/* machine.c: the table of tasks, and what happens to it when messages come in. All of it runs on the loop's thread; the
 * tasks' own threads hand over their end by a post.
 *
 * A task that has ended is remembered by name for a while: a payload that was on its way while it ended must not run it
 * again. Such a payload, and a stop of a task that was never here, is answered with the report STOPPED. */
#include "agent/machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/task/exec.h"
#include "agent/task/orphans.h"
#include "agent/link/lease.h"
#include "agent/machine_gpus.h"
#include "agent/machine_usage.h"
#include "agent/interruption.h"
#include "agent/images/pre_pull.h"
#include "agent/images/pull_report.h"
#include "agent/link/session.h"
#include "agent/core/state_file.h"
#include "agent/inside/taskmeta.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/num.h"

enum {
    ENDED_KEPT = 1024, LEASE_CHECK_MS = 1000, LEAVE_WAIT_MS = 1500, LEAVE_NAP_MS = 10,
    POLL_WAIT_S = 20, STOP_TIMEOUT_S = 30,
    INVENTORY_ARENA_MAX = 4 * 1024 * 1024, REPORT_ARENA_MAX = 4 * 1024 * 1024, DIR_LEN_MAX = 2048,
};

/* A report about a task that has no struct task. */
struct stray { struct stray *next; struct machine *machine; struct report_line line; };

struct machine {
    const struct agent_config *config;
    struct client *client;
    const struct endpoint *server;
    struct arena arena;                          /* of the facts */
    struct inventory inventory;
    struct machine_gpus gpus;
    struct machine_usage usage;
    struct pull_reporter pull_reporter;
    struct pre_pull pre_pull;
    struct identity identity;
    char cluster[256], tasks_dir[DIR_LEN_MAX], notice_file[DIR_LEN_MAX];
    struct session_config session_config;
    struct session session;
    struct runtime *runtime;
    struct task_host host;
    struct taskmeta *metadata;
    struct task *tasks;
    struct stray *strays;
    char ended[ENDED_KEPT][TASK_ID_MAX];         /* a ring of names */
    size_t ended_next;
    struct cleanup *cleanup;
    struct orphans *orphans;
    struct timer lease_check;
    struct lease lease;
    bool fenced;                                 /* its lease is over */
    struct interruption *interruption;
    bool refused;
    struct err refusal;
};

/* ---- the table ---- */

static struct task *find_task(struct machine *machine, struct str arn)
{
    struct task *task = machine->tasks;
    while (task != NULL && !str_eq(task->arn, arn)) { task = task->next; }
    return task;
}

static bool has_ended(const struct machine *machine, struct str arn)
{
    char id[TASK_ID_MAX];
    if (!task_id_of(arn, id)) { return false; }
    if (machine->host.cleanup != NULL && cleanup_knows(machine->host.cleanup, id)) { return true; }
    for (size_t e = 0; e < ENDED_KEPT; e++) {
        if (strcmp(machine->ended[e], id) == 0) { return true; }
    }
    return false;
}

static void add_task(void *owner, struct task *task)
{
    struct machine *machine = owner;
    task->next = machine->tasks;
    machine->tasks = task;
    taskmeta_add(machine->metadata, task);
}

static void drop_task(struct machine *machine, struct task *task)
{
    struct task **at = &machine->tasks;
    while (*at != task) { at = &(*at)->next; }
    *at = task->next;
    if (!task_is_dropped(task)) {                        /* or it may come again */
        memcpy(machine->ended[machine->ended_next], task->id, sizeof task->id);
        machine->ended_next = (machine->ended_next + 1) % ENDED_KEPT;
    }
    taskmeta_remove(machine->metadata, task);
    task_destroy(task);
}

static void on_over(void *owner, void *task) { drop_task(owner, task); }

/* ---- reports without a task ---- */

static void drop_stray(void *owner)
{
    struct stray *stray = owner;
    struct stray **at = &stray->machine->strays;
    while (*at != stray) { at = &(*at)->next; }
    *at = stray->next;
    report_line_finish(&stray->line);
    free(stray);
}

static void report_stray(struct machine *machine, const struct wire_task *wire, const char *reason)
{
    struct stray *stray = calloc(1, sizeof *stray);
    ASSERT(stray != NULL);
    stray->machine = machine;
    stray->next = machine->strays;
    machine->strays = stray;
    report_line_init(&stray->line, machine->host.reporter, drop_stray, stray);
    struct arena arena = { .ceiling = REPORT_ARENA_MAX };
    report_send(&stray->line, task_report_unknown(str_from(machine->cluster), wire, str_from(reason), &arena), true);
    arena_finish(&arena);
}

/* ---- what the session asks ---- */

static struct str on_registration(void *owner, struct str arn, struct arena *arena)
{
    struct machine *machine = owner;
    return register_body(&machine->inventory, str_from(machine->cluster), arn, machine->identity.client_token, arena);
}

static void on_registered(void *owner, struct str arn)
{
    struct machine *machine = owner;
    struct err err = { 0 };
    if (!str_eq(machine->identity.arn, arn)) { machine->identity.arn = arena_str(&machine->arena, arn); }
    machine->identity.cluster = str_from(machine->cluster);
    taskmeta_set_instance(machine->metadata, arn);
    if (!identity_save(machine->config->data_dir, &machine->identity, &err)) { log_line(LOG_ERROR, "agent", "%s", err.message); }
    machine_gpus_registered(&machine->gpus, arn);
    pull_reporter_registered(&machine->pull_reporter, arn);
    log_line(LOG_INFO, "agent", "registered name=" STR_FMT " arn=" STR_FMT, STR_ARG(machine->inventory.name), STR_ARG(arn));
}

/* False only when trying again can help: the task's file could not be written, or there is no thread for it. */
static bool take_on(struct machine *machine, const struct wire_task *wire, const struct json *message)
{
    struct err err = { 0 };
    struct task *task = task_create(&machine->host, message, &err);
    if (task == NULL) {
        char reason[TASK_REASON_MAX + 64];
        (void)snprintf(reason, sizeof reason, "UnrecogniedTaskError: Error loading task - %s", err.message);
        report_stray(machine, wire, reason);
        return true;
    }
    task_take_payload_keys(task, wire);
    bool begun = task_begin(task, &err);
    if (begun) { add_task(machine, task); }
    bool kept = begun && task_keep(task, &err);
    if (kept) {
        log_line(LOG_INFO, "agent", "a task was taken on task=%s family=" STR_FMT, task->id, STR_ARG(wire->family));
    } else {
        log_line(LOG_ERROR, "agent", "a task cannot be taken on now task=%s: %s", task->id, err.message);
    }
    if (!begun) { task_destroy(task); }
    return kept;
}

static bool take_task(struct machine *machine, const struct wire_task *wire, const struct json *message)
{
    struct task *known = find_task(machine, wire->arn);
    bool stop = str_eq(wire->desired_status, STR("STOPPED"));
    if (known != NULL && task_is_dropped(known)) { return false; }     /* when it has ended it may come again */
    if (known != NULL) {
        if (stop) { task_stop(known); }
        task_take_payload_keys(known, wire);
        return true;
    }
    if (stop || has_ended(machine, wire->arn)) {
        report_stray(machine, wire, "");
        return true;
    }
    return take_on(machine, wire, message);
}

static bool on_payload(void *owner, const struct wire_payload *payload, const struct json *message)
{
    bool all = true;
    for (size_t t = 0; t < payload->tasks.count; t++) { all = take_task(owner, &payload->tasks.items[t], message) && all; }
    return all;
}

static bool is_listed(const struct wire_manifest *manifest, struct str arn)
{
    for (size_t t = 0; t < manifest->tasks.count; t++) {
        const struct wire_manifest_task *listed = &manifest->tasks.items[t];
        if (str_eq(listed->task_arn, arn) && str_eq(listed->desired_status, STR("RUNNING"))) { return true; }
    }
    return false;
}

static void on_verify(void *owner, const struct wire_manifest *manifest, struct str_list *candidates, struct arena *arena)
{
    struct machine *machine = owner;
    for (struct task *task = machine->tasks; task != NULL; task = task->next) {
        if (!task_is_wanted(task) || is_listed(manifest, task->arn)) { continue; }
        size_t old = candidates->count * sizeof *candidates->items;
        candidates->items = arena_grow(arena, candidates->items, old, old + sizeof *candidates->items);
        candidates->items[candidates->count++] = task->arn;
    }
}

static void on_stop_task(void *owner, struct str arn)
{
    struct task *task = find_task(owner, arn);
    if (task == NULL) { return; }
    log_line(LOG_INFO, "agent", "the server says that a task should not run here, stopping it task=%s", task->id);
    task_stop(task);
}

static bool on_keys(void *owner, const struct wire_role_message *message)
{
    struct task *task = find_task(owner, message->task_arn);
    if (task != NULL && task_take_keys(task, message)) { return true; }
    log_line(LOG_INFO, "agent", "keys came for a task or a role that is not here task=" STR_FMT " role=" STR_FMT, STR_ARG(message->task_arn),
             STR_ARG(message->role_type));
    return false;
}

static void on_refused(void *owner, const struct err *err)
{
    struct machine *machine = owner;
    machine->refused = true;
    const char *dir = machine->config->data_dir;
    if (err->code == ERR_CLUSTER_NOT_FOUND) {
        err_set(&machine->refusal, err->code, "There is no cluster \"%s\". `aws ecs create-cluster --cluster-name %s` makes it.", machine->cluster,
                machine->cluster);
        return;
    }
    if (machine->session.arn[0] == '\0') {
        err_set(&machine->refusal, err->code, "The server refuses this machine: %s", err->message);
        return;
    }
    err_set(&machine->refusal, err->code, "The server no longer takes this machine (%s): %.300s Its containers run on. To register it as a new"
            " one, stop them and remove %s/agent.json and %s/tasks.", machine->session.arn, err->message, dir, dir);
}

/* ---- the lease ---- */

static void stop_all(struct machine *machine, const char *reason, int64_t kill_at_ms)
{
    for (struct task *task = machine->tasks; task != NULL; task = task->next) { task_stop_by(task, reason, kill_at_ms); }
}

/* Whoever starts one later has heard from the server. */
static void on_lease_check(void *owner)
{
    struct machine *machine = owner;
    int64_t left_ms = lease_left_ms(&machine->lease, clock_boot_ms());
    if (left_ms == 0 && !machine->fenced) {
        log_line(LOG_WARN, "agent", "the server was out of reach for longer than the lease of %lld s: all tasks are being stopped",
                 (long long)(machine->lease.length_ms / 1000));
        stop_all(machine, WIRE_REASON_FENCED, clock_monotonic_ms() + (int64_t)FENCE_STOP_S * 1000);
    }
    machine->fenced = left_ms == 0;
    if (left_ms == INT64_MAX || left_ms == 0) { return; }
    timers_set(client_timers(machine->client), &machine->lease_check, client_now(machine->client) + min_i64(left_ms, LEASE_CHECK_MS));
}

static void on_answered(void *owner, int64_t sent_ms, int64_t lease_s)
{
    struct machine *machine = owner;
    lease_renew(&machine->lease, sent_ms, max_i64(0, lease_s) * 1000);
    on_lease_check(machine);
}

static int64_t on_lease_s(void *owner)
{
    const struct machine *machine = owner;
    return machine->lease.length_ms / 1000;
}

static void on_exec(void *owner, const struct wire_exec *message)
{
    struct machine *machine = owner;
    struct task *task = find_task(machine, message->task_arn);
    char id[TASK_RUNTIME_ID_MAX] = "";
    for (size_t c = 0; task != NULL && c < task->count; c++) {
        struct task_container *container = &task->containers[c];
        if (!str_eq(container->wire->name, message->container)) { continue; }
        lock_take(&task->lock);
        if (container->phase == CONTAINER_RUNNING) { memcpy(id, container->id, sizeof id); }
        lock_drop(&task->lock);
    }
    exec_begin(&machine->host, message, str_from(id));
}

static const struct session_machine session_ops = {
    .registration = on_registration, .registered = on_registered, .payload = on_payload, .verify = on_verify,
    .stop_task = on_stop_task, .keys = on_keys, .exec = on_exec, .refused = on_refused, .answered = on_answered, .lease_s = on_lease_s,
};

/* ---- a machine that is taken away ---- */

static struct str on_instance(void *owner)
{
    const struct machine *machine = owner;
    return str_from(machine->session.arn);
}

static int64_t on_longest_stop_s(void *owner)
{
    const struct machine *machine = owner;
    int64_t longest_s = 0;
    for (const struct task *task = machine->tasks; task != NULL; task = task->next) {
        for (size_t c = 0; c < task->count; c++) {
            struct opt_int own = task->containers[c].wire->stop_timeout;
            longest_s = max_i64(longest_s, own.set ? own.value : machine->host.stop_timeout_s);
        }
    }
    return longest_s;
}

static void on_stop_all(void *owner, int64_t kill_at_ms) { stop_all(owner, WIRE_REASON_SPOT, kill_at_ms); }

static bool watch_for_notices(struct machine *machine, struct err *err)
{
    const struct agent_config *config = machine->config;
    struct interruption_config interruption_config = {
        .client = machine->client, .server = machine->server, .cluster = machine->cluster, .file = config->notice_file,
        .ask_metadata = config->spot_draining, .instance = on_instance, .longest_stop_s = on_longest_stop_s, .stop_all = on_stop_all,
        .owner = machine,
    };
    if (interruption_config.file == NULL) {
        if (!notice_path(config->data_dir, machine->notice_file, sizeof machine->notice_file, err)) { return false; }
        interruption_config.file = machine->notice_file;
    }
    machine->interruption = interruption_start(&interruption_config, err);
    return machine->interruption != NULL;
}

/* ---- GPUs that come and go ---- */

static void set_token(struct machine *machine)
{
    struct id token;
    char text[ID_HEX_LEN + 1];
    rng_secret(token.bytes, sizeof token.bytes);
    id_hex(token, text);
    machine->identity.client_token = arena_str(&machine->arena, str_from(text));
}

/* With the token of before it would be taken for the same registration, said twice. */
static void on_gpus(void *owner)
{
    struct machine *machine = owner;
    set_token(machine);
    atomic_store(&machine->host.has_gpus, machine->inventory.gpus.count > 0);
    session_register_again(&machine->session);
}

static bool begin_gpus(struct machine *machine, struct err *err)
{
    struct machine_gpus *gpus = &machine->gpus;
    gpus->config = machine->config;
    gpus->client = machine->client;
    gpus->server = machine->server;
    gpus->cluster = machine->cluster;
    gpus->inventory = &machine->inventory;
    gpus->books = &machine->host.gpu_books;
    gpus->changed = on_gpus;
    gpus->owner = machine;
    if (!machine_gpus_begin(gpus, err)) { return false; }
    machine->usage.config = machine->config;
    machine->usage.gpus = gpus;
    machine->usage.host = &machine->host;
    machine->usage.tasks = &machine->tasks;
    machine_usage_begin(&machine->usage);
    return true;
}

/* ---- beginning ---- */

/* "DIR,DIR" as the runtime takes it. NULL and *err for what is no list of absolute directories. */
/* "/srv/data,/mnt": the value of the setting `name`; NULL: none. NULL and *err: one of them is no absolute path. */
static const char *const *read_paths(const char *name, const char *text, struct arena *arena, struct err *err)
{
    struct str rest = str_from(text == NULL ? "" : text), dir = { NULL, 0 };
    const char **dirs = (const char **)arena_alloc(arena, rest.len + 2, sizeof *dirs);
    size_t count = 0;
    while (rest.len > 0) {
        str_cut(rest, ',', &dir, &rest);
        dir = str_trim(dir);
        if (dir.len == 0) { continue; }
        if (dir.ptr[0] != '/') {
            err_set(err, ERR_INVALID_PARAMETER, "%s takes absolute paths, as in /srv/data,/mnt; this is none: " STR_FMT, name, STR_ARG(dir));
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
     * sent. Later ones carry the ARN, and a token of their own, and need no room on the disk. */
    bool registered = str_is_set(identity->arn);
    if (!str_is_set(identity->client_token) || registered) {
        set_token(machine);
    }
    return registered || identity_save(dir, identity, err);
}

static bool learn_facts(struct machine *machine, struct err *err)
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
    host->over = on_over;
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

static bool is_known(void *owner, struct str arn)
{
    struct machine *machine = owner;
    char id[TASK_ID_MAX];
    return find_task(machine, arn) != NULL || (task_id_of(arn, id) && cleanup_knows(machine->cleanup, id));
}

static bool begin_recovered(struct machine *machine, struct err *err)
{
    if (!recover_tasks(&machine->host, add_task, machine, err)) { return false; }
    machine->orphans = orphans_begin(&machine->host, is_known, machine, err);
    if (machine->orphans == NULL) { return false; }
    taskmeta_start(machine->metadata);              /* not before all are known that may be asked about */
    recover_tell(machine->tasks, machine->config->recovered);
    for (struct task *task = machine->tasks; task != NULL; task = task->next) {
        if (!task_begin(task, err)) { return false; }
    }
    return true;
}

/* Even when nothing is to be kept any more, there may be what an earlier life kept. */
static bool open_cleanup(struct machine *machine, struct err *err)
{
    struct task_host *host = &machine->host;
    int64_t keep_ms = machine->config->task_cleanup_wait_ms;
    machine->cleanup = cleanup_create(machine->runtime, machine->tasks_dir, keep_ms, &host->threads, err);
    if (keep_ms > 0) { host->cleanup = machine->cleanup; }
    return machine->cleanup != NULL && cleanup_begin(machine->cleanup, err);
}

/* Both are about images, which processes have none of. */
static void begin_images(struct machine *machine)
{
    if (machine->runtime->ops->images == NULL) { return; }
    machine->pull_reporter.client = machine->pre_pull.client = machine->client;
    machine->pull_reporter.server = machine->pre_pull.server = machine->server;
    machine->pull_reporter.cluster = machine->pre_pull.cluster = machine->cluster;
    machine->pull_reporter.images = machine->pre_pull.images = machine->host.images;
    machine->pre_pull.setting = machine->config->pre_pull;
    pull_reporter_begin(&machine->pull_reporter);
    pre_pull_begin(&machine->pre_pull);
}

static bool machine_open(struct machine *machine, struct err *err)
{
    const struct agent_config *config = machine->config;
    struct str cluster = str_from(config->cluster == NULL ? "default" : config->cluster);
    if (!str_to_cstr(cluster, machine->cluster, sizeof machine->cluster)
        || snprintf(machine->tasks_dir, sizeof machine->tasks_dir, "%s/tasks", config->data_dir) >= (int)sizeof machine->tasks_dir) {
        return err_set(err, ERR_INVALID_PARAMETER, "The name of the cluster or of the data folder is too long.");
    }
    if (!state_file_make_dir(machine->tasks_dir, err) || !lease_open(&machine->lease, config->data_dir, err) || !load_identity(machine, err)) { return false; }
    machine->runtime = open_runtime(config, err);
    if (machine->runtime == NULL || !set_docker(machine, err) || !learn_facts(machine, err)) { return false; }
    set_host(machine);
    if (!orphans_agent_name(config->data_dir, &machine->host.agent, &machine->arena, err) || !set_store(machine, err)) { return false; }
    machine->inventory.machine = orphans_machine_word(machine->host.agent, &machine->arena);
    machine->inventory.address = config->address != NULL ? str_from(config->address) : inventory_address(machine->server, &machine->arena);
    machine->host.logs = logs_create(machine->client, machine->server, machine->cluster, machine->runtime, err);
    if (machine->host.logs == NULL) { return false; }
    machine->host.images = images_create(machine->runtime, config, &machine->host.threads, err);
    if (machine->host.images == NULL || !open_metadata(machine, err) || !open_cleanup(machine, err) || !begin_recovered(machine, err)) { return false; }
    begin_images(machine);

    machine->session_config = (struct session_config){
        .client = machine->client, .server = machine->server, .cluster = machine->cluster,
        .create_cluster = strcmp(machine->cluster, "default") == 0, .poll_wait_s = POLL_WAIT_S,
    };
    session_init(&machine->session, &machine->session_config, &session_ops, machine, machine->identity.arn);
    session_start(&machine->session, 0);
    machine->lease_check = (struct timer){ .fire = on_lease_check, .owner = machine };
    on_lease_check(machine);
    return begin_gpus(machine, err) && watch_for_notices(machine, err);
}

struct machine *machine_create(const struct agent_config *config, struct client *client, const struct endpoint *server, bool *left,
                               struct err *err)
{
    *left = false;
    struct machine *machine = calloc(1, sizeof *machine);
    ASSERT(machine != NULL);
    machine->config = config;
    machine->client = client;
    machine->server = server;
    arena_init(&machine->arena, INVENTORY_ARENA_MAX);
    gpu_books_init(&machine->host.gpu_books);
    if (machine_open(machine, err)) { return machine; }
    machine_leave(machine);
    client_close(client);
    *left = !machine_destroy(machine);
    return NULL;
}

bool machine_is_refused(const struct machine *machine, struct err *err)
{
    if (machine->refused) { *err = machine->refusal; }
    return machine->refused;
}

/* ---- end ---- */

void machine_leave(struct machine *machine)
{
    atomic_store(&machine->host.stopping, true);
    images_leave(machine->host.images);
    taskmeta_stop(machine->metadata);
    cleanup_leave(machine->cleanup);
    orphans_leave(machine->orphans);
    machine_usage_leave(&machine->usage);
    for (struct task *task = machine->tasks; task != NULL; task = task->next) { task_interrupt(task); }
}

/* A runtime's call may take longer than we can wait: a pull, a stop. Then its thread keeps what it works on, and the end of
 * the process ends it. */
static bool threads_are_gone(const struct machine *machine)
{
    for (int64_t until_ms = clock_monotonic_ms() + LEAVE_WAIT_MS; atomic_load(&machine->host.threads) > 0; clock_sleep_ms(LEAVE_NAP_MS)) {
        if (clock_monotonic_ms() >= until_ms) { return false; }
    }
    return true;
}

bool machine_destroy(struct machine *machine)
{
    if (machine == NULL) { return true; }
    if (!threads_are_gone(machine)) {
        log_line(LOG_INFO, "agent", "leaving while the runtime is still at work threads=%d", atomic_load(&machine->host.threads));
        return false;
    }
    machine_usage_end(&machine->usage);
    if (!machine_gpus_end(&machine->gpus)) {
        log_line(LOG_INFO, "agent", "leaving while the NVIDIA driver does not answer");
        return false;
    }
    taskmeta_destroy(machine->metadata);            /* before the tasks, which it shows */
    while (machine->tasks != NULL) {
        struct task *task = machine->tasks;
        machine->tasks = task->next;
        task_destroy(task);
    }
    orphans_destroy(machine->orphans);
    gpu_books_finish(&machine->host.gpu_books);
    logs_destroy(machine->host.logs);
    images_destroy(machine->host.images);
    cleanup_destroy(machine->cleanup);
    while (machine->strays != NULL) { drop_stray(machine->strays); }
    reporter_destroy(machine->host.reporter);
    if (machine->session.config != NULL) { session_finish(&machine->session); }
    pre_pull_end(&machine->pre_pull);
    pull_reporter_end(&machine->pull_reporter);
    timers_cancel(client_timers(machine->client), &machine->lease_check);
    interruption_stop(machine->interruption);
    lease_close(&machine->lease);
    if (machine->runtime != NULL) { machine->runtime->ops->destroy(machine->runtime); }
    arena_finish(&machine->arena);
    free(machine);
    return true;
}
