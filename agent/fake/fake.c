/* fake.c: the fleet: machines by number, their sessions, their registrations, and one file that remembers their identities. */
#include "agent/fake/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "agent/fake/checks.h"
#include "agent/fake/faults.h"
#include "agent/fake/task.h"
#include "agent/fake/usage.h"
#include "agent/registration/register.h"
#include "agent/link/session.h"
#include "agent/core/state_file.h"
#include "agent/link/usage_report.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"

enum {
    MACHINES_MAX = 100000, NAME_LEN_MAX = 96, ENDED_KEPT = 32, POLL_WAIT_S = 20, STARTS_PER_MS = 2, SAVE_AFTER_MS = 500,
    SPARE_FILES = 128, AGAIN_MS = 500, FLEET_ARENA_MAX = 256 * 1024 * 1024, PATH_LEN_MAX = 4096, SEED_LEN = 16,
};

struct fake_machine {
    struct fleet *fleet;
    const struct instance_type *type;
    char name[NAME_LEN_MAX];
    struct session session;
    struct fake_task *tasks;
    struct fake_checks checks;
    uint64_t ended[ENDED_KEPT];                  /* a ring: a task that has ended is not run again by a payload that was on its way */
    size_t ended_next;
    bool registered, over;                       /* in this run; the server refuses it */
};

struct fleet {
    const struct agent_config *config;
    struct client *client;
    struct fake_host host;
    struct session_config session_config;
    struct session_reach reach;
    struct fake_machine *machines;
    size_t count, capacity, registered, over;
    char seed[SEED_LEN + 1];                     /* random, kept in the file: no other fleet has GPUs of the same ids */
    const struct json *custom;                   /* attributes of all */
    struct fake_faults *faults;                  /* NULL: none of their GPUs fails */
    struct usage_reporter usage;
    struct arena arena;
    struct timer save;
    bool dirty, refused;
    struct err refusal;
};

/* ---- the text with types and numbers ---- */

bool fleet_parse(struct str text, bool (*add)(void *owner, struct str type, int64_t count, struct err *err), void *owner, struct err *err)
{
    struct str part, rest = text;
    int64_t total = 0;
    while (rest.len > 0) {
        struct str type, number;
        int64_t count = 1;
        str_cut(rest, ',', &part, &rest);
        part = str_trim(part);
        bool counted = str_cut(part, ':', &type, &number);
        if (counted && (!str_to_i64(number, &count) || count < 1 || count > MACHINES_MAX)) {
            return err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\": behind the colon comes the number of machines, 1 to %d.", STR_ARG(part),
                           (int)MACHINES_MAX);
        }
        total += count;
        if (total > MACHINES_MAX) { return err_set(err, ERR_INVALID_PARAMETER, "One fleet has at most %d machines.", (int)MACHINES_MAX); }
        if (!add(owner, type, count, err)) { return false; }
    }
    return total > 0 || err_set(err, ERR_INVALID_PARAMETER, "Name the simulated machines, as in p3.16xlarge:100,c5.2xlarge.");
}

/* ---- tasks of one machine ---- */

static uint64_t hash_of(struct str text)         /* FNV-1a */
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text.len; i++) { hash = (hash ^ (unsigned char)text.ptr[i]) * 0x100000001b3u; }
    return hash == 0 ? 1 : hash;
}

static struct fake_task *find_task(const struct fake_machine *machine, struct str arn)
{
    struct fake_task *task = machine->tasks;
    while (task != NULL && !str_eq(str_from(task->arn), arn)) { task = task->next; }
    return task;
}

static bool has_ended(const struct fake_machine *machine, struct str arn)
{
    uint64_t hash = hash_of(arn);
    for (size_t e = 0; e < ENDED_KEPT; e++) {
        if (machine->ended[e] == hash) { return true; }
    }
    return false;
}

static void unlink_task(struct fake_machine *machine, struct fake_task *task)
{
    struct fake_task **at = &machine->tasks;
    while (*at != NULL && *at != task) { at = &(*at)->next; }
    ASSERT(*at == task);
    *at = task->next;
}

static void on_over(void *owner, struct fake_task *task)
{
    struct fake_machine *machine = owner;
    unlink_task(machine, task);
    ASSERT(machine->ended_next < ENDED_KEPT);
    machine->ended[machine->ended_next] = hash_of(str_from(task->arn));
    machine->ended_next = (machine->ended_next + 1) % ENDED_KEPT;
    fake_task_destroy(task);
}

static struct fake_task *add_task(struct fake_machine *machine, struct str arn, const struct wire_task *wire)
{
    struct fake_task *task = fake_task_create(&machine->fleet->host, machine, machine->name, arn, wire);
    task->next = machine->tasks;
    machine->tasks = task;
    return task;
}

/* ---- calls of a session ---- */

/* Many registrations come at once and are written at once. */
static void save_later(struct fleet *fleet)
{
    timers_set(client_timers(fleet->client), &fleet->save, client_now(fleet->client) + SAVE_AFTER_MS);
}

static struct str on_registration(void *owner, struct str arn, struct arena *arena)
{
    struct fake_machine *machine = owner;
    struct inventory inventory;
    struct err err = { 0 };
    bool good = instance_type_inventory(machine->type, str_from(machine->name), str_from(machine->fleet->seed), &inventory, arena, &err);
    ASSERT(good);                                /* fleet_create has tried each type */
    inventory.custom = machine->fleet->custom;
    const char *machine_id = machine->fleet->config->machine_id;
    if (machine_id != NULL) { inventory.machine_id = str_from(machine_id); }
    const char *token = machine->fleet->config->machine_token;
    if (token != NULL) { inventory.machine_token = str_from(token); }
    return register_body(&inventory, str_from(machine->fleet->host.cluster), arn, (struct str){ 0 }, arena);
}

static void on_registered(void *owner, struct str arn)
{
    struct fake_machine *machine = owner;
    struct fleet *fleet = machine->fleet;
    (void)arn;
    fleet->dirty = true;
    if (fleet->save.place == 0) { save_later(fleet); }
    fake_faults_registered(fleet->faults, machine->name);
    if (machine->registered) { return; }
    machine->registered = true;
    fleet->registered++;
    if (fleet->registered == fleet->count) { log_line(LOG_INFO, "agent", "all simulated machines are registered count=%zu", fleet->count); }
}

static bool on_payload(void *owner, const struct wire_payload *payload, const struct json *message)
{
    struct fake_machine *machine = owner;
    (void)message;
    for (size_t t = 0; t < payload->tasks.count; t++) {
        const struct wire_task *wire = &payload->tasks.items[t];
        struct fake_task *task = find_task(machine, wire->arn);
        bool stop = str_eq(wire->desired_status, STR("STOPPED"));
        if (task != NULL && task->names == NULL && task->state == FAKE_RUNNING && !stop) {   /* the manifest came first */
            unlink_task(machine, task);
            fake_task_destroy(task);
            task = NULL;
        }
        if (task == NULL) {
            stop = stop || has_ended(machine, wire->arn);
            task = add_task(machine, wire->arn, wire);
        }
        if (stop) { fake_task_stop(task); }
    }
    return true;
}

static bool is_listed(const struct wire_manifest *manifest, struct str arn)
{
    for (size_t t = 0; t < manifest->tasks.count; t++) {
        if (str_eq(manifest->tasks.items[t].task_arn, arn)) { return true; }
    }
    return false;
}

/* A task that the server takes for running, and that this process does not know, has been running since before this process: it goes on. */
static void on_verify(void *owner, const struct wire_manifest *manifest, struct str_list *candidates, struct arena *arena)
{
    struct fake_machine *machine = owner;
    for (struct fake_task *task = machine->tasks; task != NULL; task = task->next) {
        if (task->state == FAKE_STOPPING || task->state == FAKE_STOPPED || is_listed(manifest, str_from(task->arn))) { continue; }
        size_t old = candidates->count * sizeof *candidates->items;
        candidates->items = arena_grow(arena, candidates->items, old, old + sizeof *candidates->items);
        candidates->items[candidates->count++] = str_from(task->arn);
    }
    for (size_t t = 0; t < manifest->tasks.count; t++) {
        const struct wire_manifest_task *listed = &manifest->tasks.items[t];
        bool wanted = str_eq(listed->desired_status, STR("RUNNING"));
        if (!wanted || find_task(machine, listed->task_arn) != NULL || has_ended(machine, listed->task_arn)) { continue; }
        add_task(machine, listed->task_arn, NULL);
    }
}

static void on_stop_task(void *owner, struct str arn)
{
    struct fake_task *task = find_task(owner, arn);
    if (task != NULL) { fake_task_stop(task); }
}

static void on_refused(void *owner, const struct err *err);

/* Nothing runs here that could use them. */
static bool on_keys(void *owner, const struct wire_role_message *message)
{
    (void)owner;
    (void)message;
    return true;
}

static void on_checks(void *owner, const struct wire_checks *message)
{
    struct fake_machine *machine = owner;
    fake_checks_set(&machine->checks, message);
}

static int64_t on_checks_number(void *owner)
{
    const struct fake_machine *machine = owner;
    return machine->checks.number;
}

static const struct session_machine session_ops = {
    .registration = on_registration, .registered = on_registered, .payload = on_payload, .verify = on_verify, .keys = on_keys,
    .stop_task = on_stop_task, .checks = on_checks, .checks_number = on_checks_number, .refused = on_refused,
};

/* A server that does not know the machine of an earlier run gets a new one; a machine that an operator removed stays out; when the first of
 * all is refused, all others would be, too. */
static void on_refused(void *owner, const struct err *err)
{
    struct fake_machine *machine = owner;
    struct fleet *fleet = machine->fleet;
    if (!machine->registered && machine->session.arn[0] != '\0') {
        log_line(LOG_INFO, "agent", "the server does not take a simulated machine back, registering it as new name=%s: %s", machine->name, err->message);
        session_finish(&machine->session);
        session_init(&machine->session, &fleet->session_config, &session_ops, machine, (struct str){ 0 });
        session_start(&machine->session, AGAIN_MS);
        return;
    }
    machine->over = true;
    fleet->over++;
    log_line(LOG_WARN, "agent", "a simulated machine has left name=%s: %s", machine->name, err->message);
    if (fleet->registered > 0 && fleet->over < fleet->count) { return; }
    fleet->refused = true;
    if (fleet->refusal.code == ERR_NONE) { err_set(&fleet->refusal, err->code, "The server refuses the simulated machines: %s", err->message); }
}

/* ---- the file ---- */

static bool file_path(const struct fleet *fleet, char path[PATH_LEN_MAX])
{
    return snprintf(path, PATH_LEN_MAX, "%s/fleet.json", fleet->config->data_dir) < PATH_LEN_MAX;
}

static void save_fleet(struct fleet *fleet)
{
    char path[PATH_LEN_MAX];
    if (!fleet->dirty || !file_path(fleet, path)) { return; }
    struct arena arena = { .ceiling = FLEET_ARENA_MAX };
    struct buf text = buf_in(&arena);
    struct json_out out = json_out_to(&text);
    struct err err = { 0 };
    json_open(&out, '{');
    json_key(&out, STR("cluster"));
    json_str(&out, str_from(fleet->host.cluster));
    json_key(&out, STR("seed"));
    json_str(&out, str_from(fleet->seed));
    json_key(&out, STR("machines"));
    json_open(&out, '{');
    for (size_t m = 0; m < fleet->count; m++) {
        const struct fake_machine *machine = &fleet->machines[m];
        if (machine->over || machine->session.arn[0] == '\0') { continue; }
        json_key(&out, str_from(machine->name));
        json_str(&out, str_from(machine->session.arn));
    }
    json_close(&out, '}');
    json_close(&out, '}');
    fleet->dirty = !state_file_write(path, buf_str(&text), &err);
    if (fleet->dirty) { log_line(LOG_WARN, "agent", "the simulated machines cannot be remembered: %s", err.message); }
    arena_finish(&arena);
}

static void on_save(void *owner)
{
    struct fleet *fleet = owner;
    save_fleet(fleet);
    if (fleet->dirty) { save_later(fleet); }
}

/* A file without a seed belongs to a fleet whose ids follow from names alone. */
static void take_seed(struct fleet *fleet, const struct json *tree)
{
    if (!str_to_cstr(json_get_str(tree, STR("seed")), fleet->seed, sizeof fleet->seed)) { fleet->seed[0] = '\0'; }
}

/* NULL: no file, or one of another cluster; the fleet then gets a new seed. A damaged file only costs the machines their earlier names. */
static const struct json *load_fleet(struct fleet *fleet, struct arena *arena)
{
    char path[PATH_LEN_MAX];
    struct str text = { 0 };
    struct err err = { 0 };
    (void)snprintf(fleet->seed, sizeof fleet->seed, "%016llx", (unsigned long long)rng_entropy());
    if (!file_path(fleet, path) || !state_file_read(path, &text, arena, &err) || !str_is_set(text)) { return NULL; }
    const struct json *tree = json_parse(text, arena, &err);
    bool ours = str_eq(json_get_str(tree, STR("cluster")), str_from(fleet->host.cluster));
    if (ours) { take_seed(fleet, tree); }
    return ours ? json_get(tree, STR("machines")) : NULL;
}

/* The file lists machines in their order, so that the guess is nearly always right. */
static struct str remembered_arn(const struct json *file, size_t index, struct str name)
{
    if (file == NULL || file->type != JSON_OBJECT) { return (struct str){ 0 }; }
    if (index < file->count && str_eq(file->as.members[index].key, name)) {
        return file->as.members[index].value.type == JSON_STRING ? file->as.members[index].value.as.string : (struct str){ 0 };
    }
    return json_get_str(file, name);
}

/* ---- usage of their GPUs ---- */

/* A task from before this process is known by its name only: its machine's GPUs are not reported. */
static bool all_are_known(const struct fake_machine *machine)
{
    for (const struct fake_task *task = machine->tasks; task != NULL; task = task->next) {
        if (task->gpus == NULL) { return false; }
    }
    return true;
}

static bool is_held(void *owner, struct str uuid)
{
    const struct fake_machine *machine = owner;
    for (const struct fake_task *task = machine->tasks; task != NULL; task = task->next) {
        bool running = task->state == FAKE_RUNNING || task->state == FAKE_STOPPING;
        if (running && str_contains(str_from(task->gpus), uuid)) { return true; }
    }
    return false;
}

static bool on_use(void *owner, size_t index, struct wire_samples *samples, struct arena *arena)
{
    struct fleet *fleet = owner;
    struct fake_machine *machine = &fleet->machines[index];
    struct inventory inventory;
    struct err err = { 0 };
    bool tells = machine->registered && !machine->over && instance_type_gpus(machine->type) > 0 && all_are_known(machine)
        && instance_type_inventory(machine->type, str_from(machine->name), str_from(machine->fleet->seed), &inventory, arena, &err);
    if (!tells) { return false; }
    *samples = (struct wire_samples){
        .cluster = str_from(fleet->host.cluster), .container_instance = str_from(machine->session.arn), .simulated = OPT_TRUE,
        .gpus = fake_gpus_usage(&inventory.gpus, is_held, machine, clock_now_ms(), arena),
    };
    return true;
}

static void start_use(struct fleet *fleet)
{
    fleet->usage = (struct usage_reporter){
        .client = fleet->client, .server = fleet->host.server, .every_ms = fleet->config->sample_every_ms, .ask = on_use, .owner = fleet,
    };
    usage_reporter_start(&fleet->usage, fleet->count);
}

/* ---- beginning and end ---- */

static bool try_type(const struct instance_type *type, struct err *err)
{
    struct arena arena = { .ceiling = FLEET_ARENA_MAX };
    struct inventory inventory;
    bool good = instance_type_inventory(type, type->name, (struct str){ 0 }, &inventory, &arena, err);
    arena_finish(&arena);
    return good;
}

static bool add_machines(void *owner, struct str type_name, int64_t count, struct err *err)
{
    struct fleet *fleet = owner;
    const struct instance_type *type = catalogue_find(catalogue_known(), type_name);
    if (type == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" is no machine type that is known; p3.2xlarge, g5.12xlarge and c5.2xlarge are.",
                       STR_ARG(type_name));
    }
    if (!try_type(type, err)) { return false; }
    size_t before = 0;                           /* the text may name one type twice: its numbers go on */
    for (size_t m = 0; m < fleet->count; m++) { before += fleet->machines[m].type == type; }
    struct fake_machine *machines = realloc(fleet->machines, (fleet->count + (size_t)count) * sizeof *machines);
    ASSERT(machines != NULL);
    fleet->machines = machines;
    const char *head = fleet->config->instance_name;
    for (int64_t n = 1; n <= count; n++) {
        struct fake_machine *machine = &machines[fleet->count++];
        *machine = (struct fake_machine){ .fleet = fleet, .type = type };
        int len = snprintf(machine->name, sizeof machine->name, "%s%s" STR_FMT "-%lld", head == NULL ? "" : head, head == NULL ? "" : "-",
                           STR_ARG(type->name), (long long)n + (long long)before);
        if (len < 0 || (size_t)len >= sizeof machine->name) { return err_set(err, ERR_INVALID_PARAMETER, "The name is too long: %s", head); }
    }
    return true;
}

/* Each machine holds one connection open. */
static bool raise_file_limit(size_t machines, struct err *err)
{
    struct rlimit limit;
    size_t needed = machines + SPARE_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) { return true; }
    struct rlimit raised = { limit.rlim_max, limit.rlim_max };
    bool good = setrlimit(RLIMIT_NOFILE, &raised) == 0 && raised.rlim_cur >= needed;
    return good || err_set(err, ERR_INVALID_PARAMETER, "%zu simulated machines need %zu open files, and the limit is %llu (ulimit -n).", machines,
                           needed, (unsigned long long)limit.rlim_max);
}

static void start_machines(struct fleet *fleet, const struct json *file)
{
    for (size_t m = 0; m < fleet->count; m++) {
        struct fake_machine *machine = &fleet->machines[m];
        struct str arn = remembered_arn(file, m, str_from(machine->name));
        fake_checks_init(&machine->checks, fleet->client, fleet->host.server, fleet->host.cluster, machine->session.arn);
        session_init(&machine->session, &fleet->session_config, &session_ops, machine, arn);
        session_start(&machine->session, (int64_t)m / STARTS_PER_MS);
    }
}

static bool find_machine(void *owner, struct str name, struct fake_patient *patient)
{
    const struct fleet *fleet = owner;
    for (size_t m = 0; m < fleet->count; m++) {
        const struct fake_machine *machine = &fleet->machines[m];
        if (!str_eq(str_from(machine->name), name)) { continue; }
        *patient = (struct fake_patient){ machine->type, machine->name, fleet->seed, machine->session.arn };
        return true;
    }
    return false;
}

static void fail_targets(void *owner, const char *name, struct check_result result)
{
    struct fleet *fleet = owner;
    for (size_t m = 0; m < fleet->count; m++) {
        if (strcmp(fleet->machines[m].name, name) == 0) { fake_checks_fail(&fleet->machines[m].checks, result); }
    }
}

static bool read_faults(struct fleet *fleet, struct err *err)
{
    if (fleet->config->fake_faults == NULL) { return true; }
    fleet->faults = fake_faults_create(str_from(fleet->config->fake_faults), &(struct fake_faults_config){
        .client = fleet->client, .server = fleet->host.server, .cluster = fleet->host.cluster, .find = find_machine,
        .fail_targets = fail_targets, .owner = fleet,
    }, err);
    return fleet->faults != NULL;
}

struct fleet *fleet_create(const struct agent_config *config, struct client *client, const struct endpoint *server, struct err *err)
{
    struct fleet *fleet = calloc(1, sizeof *fleet);
    ASSERT(fleet != NULL);
    const char *cluster = config->cluster == NULL ? "default" : config->cluster;
    fleet->config = config;
    fleet->client = client;
    fleet->host = (struct fake_host){
        .client = client, .server = server, .reporter = reporter_create(client, server), .cluster = cluster, .task_ms = config->fake_task_ms,
        .silent = config->fake_silent, .over = on_over,
    };
    fleet->session_config = (struct session_config){
        .client = client, .server = server, .cluster = cluster, .create_cluster = strcmp(cluster, "default") == 0, .quiet = true,
        .reach = &fleet->reach, .poll_wait_s = POLL_WAIT_S,
    };
    arena_init(&fleet->arena, FLEET_ARENA_MAX);
    fleet->save = (struct timer){ .fire = on_save, .owner = fleet };
    struct inventory inventory = { 0 };
    struct arena arena = { .ceiling = FLEET_ARENA_MAX };
    const struct json *file = load_fleet(fleet, &arena);
    bool good = inventory_read_custom(&inventory, config->instance_attributes, &fleet->arena, err)
             && fleet_parse(str_from(config->fake), add_machines, fleet, err) && raise_file_limit(fleet->count, err) && read_faults(fleet, err);
    if (!good) {
        fleet->count = 0;                        /* none of them has begun */
        fleet_destroy(fleet);
        arena_finish(&arena);
        return NULL;
    }
    fleet->custom = inventory.custom;
    log_line(LOG_INFO, "agent", "simulating machines count=%zu types=%s", fleet->count, config->fake);
    start_machines(fleet, file);
    arena_finish(&arena);
    start_use(fleet);
    return fleet;
}

bool fleet_is_refused(const struct fleet *fleet, struct err *err)
{
    if (fleet->refused) { *err = fleet->refusal; }
    return fleet->refused;
}

void fleet_destroy(struct fleet *fleet)
{
    if (fleet == NULL) { return; }
    timers_cancel(client_timers(fleet->client), &fleet->save);
    save_fleet(fleet);
    fake_faults_destroy(fleet->faults);
    usage_reporter_finish(&fleet->usage);
    for (size_t m = 0; m < fleet->count; m++) {
        struct fake_machine *machine = &fleet->machines[m];
        session_finish(&machine->session);
        fake_checks_finish(&machine->checks);
        while (machine->tasks != NULL) {
            struct fake_task *task = machine->tasks;
            unlink_task(machine, task);
            fake_task_destroy(task);
        }
    }
    reporter_destroy(fleet->host.reporter);
    free(fleet->machines);
    arena_finish(&fleet->arena);
    free(fleet);
}
