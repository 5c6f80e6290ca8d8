/* machine.c: this machine's session, its lease, its GPUs and its notice of an end, and how all of it begins and ends. All of it runs on
 * the loop's thread. */
#include "agent/machine_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/registration/register.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"

enum {
    LEASE_CHECK_MS = 1000, LEAVE_WAIT_MS = 1500, LEAVE_NAP_MS = 10, POLL_WAIT_S = 20, INVENTORY_ARENA_MAX = 4 * 1024 * 1024,
};

/* ---- calls of the session ---- */

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

/* Tasks that begin later come from a server that answers, and renews the lease. */
static void on_lease_check(void *owner)
{
    struct machine *machine = owner;
    int64_t left_ms = lease_left_ms(&machine->lease, clock_boot_ms());
    if (left_ms == 0 && !machine->fenced) {
        log_line(LOG_WARN, "agent", "the server was out of reach for longer than the lease of %lld s: all tasks are being stopped",
                 (long long)(machine->lease.length_ms / 1000));
        machine_stop_all(machine, WIRE_REASON_FENCED, clock_monotonic_ms() + (int64_t)FENCE_STOP_S * 1000);
    }
    ASSERT(left_ms >= 0 && machine->lease_check.fire != NULL);
    machine->fenced = left_ms == 0;
    if (left_ms == INT64_MAX || left_ms == 0) { return; }
    timers_set(client_timers(machine->client), &machine->lease_check, client_now(machine->client) + min_i64(left_ms, LEASE_CHECK_MS));
}

static void on_answered(void *owner, int64_t sent_ms, int64_t lease_s)
{
    struct machine *machine = owner;
    lease_renew(&machine->lease, sent_ms, max_i64(0, min_i64(lease_s, LEASE_MOST_MS / 1000)) * 1000);
    on_lease_check(machine);
}

static int64_t on_lease_s(void *owner)
{
    const struct machine *machine = owner;
    return machine->lease.length_ms / 1000;
}

static void on_checks(void *owner, const struct wire_checks *message)
{
    struct machine *machine = owner;
    machine_checks_set(&machine->checks, message);
}

static int64_t on_checks_number(void *owner)
{
    const struct machine *machine = owner;
    return machine->checks.number;
}

static void on_pulls(void *owner, const struct wire_pulls *message)
{
    struct machine *machine = owner;
    machine_pulls_set(&machine->pulls, message);
}

static const struct session_machine session_ops = {
    .registration = on_registration, .registered = on_registered, .payload = machine_on_payload, .verify = machine_on_verify,
    .stop_task = machine_on_stop_task, .keys = machine_on_keys, .exec = machine_on_exec, .checks = on_checks, .checks_number = on_checks_number,
    .pulls = on_pulls, .refused = on_refused, .answered = on_answered, .lease_s = on_lease_s,
};

/* ---- a notice that the machine will be taken away ---- */

static struct str on_instance(void *owner)
{
    const struct machine *machine = owner;
    return str_from(machine->session.arn);
}

static int64_t on_longest_stop_s(void *owner) { return machine_longest_stop_s(owner); }

static void on_stop_all(void *owner, int64_t kill_at_ms) { machine_stop_all(owner, WIRE_REASON_SPOT, kill_at_ms); }

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

/* With the old token it would count as a repeat of the same registration. */
static void on_gpus(void *owner)
{
    struct machine *machine = owner;
    machine_set_token(machine);
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
    if (machine->inventory.holds_shares) {
        machine->host.mps = mps_create(arena_printf(&machine->arena, "%s/mps", machine->config->data_dir).ptr, &machine->host.gpu_books, err);
        if (machine->host.mps == NULL) { return false; }
    }
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

static bool is_known(void *owner, struct str arn)
{
    struct machine *machine = owner;
    char id[TASK_ID_MAX];
    return machine_find(machine, arn) != NULL || (task_id_of(arn, id) && cleanup_knows(machine->cleanup, id));
}

static bool begin_recovered(struct machine *machine, struct err *err)
{
    if (!recover_tasks(&machine->host, machine_add_task, machine, err)) { return false; }
    machine->orphans = orphans_begin(&machine->host, is_known, machine, err);
    if (machine->orphans == NULL) { return false; }
    taskmeta_start(machine->metadata);              /* not before all tasks are known */
    recover_tell(machine->tasks, machine->config->recovered);
    for (struct task *task = machine->tasks; task != NULL; task = task->next) {
        if (!task_begin(task, err)) { return false; }
    }
    return true;
}

/* Also when the setting keeps no containers now, an earlier run may have kept some. */
static bool open_cleanup(struct machine *machine, struct err *err)
{
    struct task_host *host = &machine->host;
    int64_t keep_ms = machine->config->task_cleanup_wait_ms;
    machine->cleanup = cleanup_create(machine->runtime, machine->tasks_dir, keep_ms, &host->threads, err);
    if (keep_ms > 0) { host->cleanup = machine->cleanup; }
    return machine->cleanup != NULL && cleanup_begin(machine->cleanup, err);
}

/* Both are about images; the process runtime has none. */
static void begin_images(struct machine *machine)
{
    if (machine->runtime->ops->images == NULL) { return; }
    ASSERT(machine->host.images != NULL && machine->pull_reporter.client == NULL);
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
    if (!machine_setup(machine, err) || !open_cleanup(machine, err) || !begin_recovered(machine, err)) { return false; }
    begin_images(machine);

    machine->session_config = (struct session_config){
        .client = machine->client, .server = machine->server, .cluster = machine->cluster,
        .create_cluster = strcmp(machine->cluster, "default") == 0, .poll_wait_s = POLL_WAIT_S,
    };
    machine_checks_begin(&machine->checks, machine->client, machine->server, machine->cluster, machine->session.arn);
    machine_pulls_begin(&machine->pulls, &machine->host, machine->cluster, machine->session.arn);
    machine_log_begin(&machine->log, machine->client, machine->server, machine->cluster, machine->session.arn);
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

/* A runtime's call may take longer than the agent can wait: a pull, a stop. Then its thread keeps its memory until the process ends. */
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
    ASSERT(task_host_stopping(&machine->host));
    machine_usage_end(&machine->usage);
    machine_checks_end(&machine->checks);
    machine_pulls_end(&machine->pulls);
    machine_log_end(&machine->log);
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
    mps_destroy(machine->host.mps);
    gpu_books_finish(&machine->host.gpu_books);
    logs_destroy(machine->host.logs);
    images_destroy(machine->host.images);
    cleanup_destroy(machine->cleanup);
    machine_drop_strays(machine);
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
