/* Facts that must hold after every step, and when everything has come to rest. */
#include <string.h>

#include "scheduler/queue/queue.h"
#include "scheduler/queue/quota.h"
#include "tests/sim/sim.h"

enum { ARENA_SIZE = 64 * 1024 * 1024 };

/* On the machine itself no GPU is in containers with more than all of it, in spite of any report. */
static void check_machines(struct sim *sim)
{
    for (size_t a = 0; a < sim->agent_count; a++) {
        const struct sim_agent *agent = &sim->agents[a];
        struct { const char *id; int thousandths; } held[SIM_RUNS_MAX * SIM_GPUS_MAX];
        size_t count = 0;
        for (size_t r = 0; r < agent->run_count; r++) {
            for (size_t g = 0; agent->runs[r].active && g < agent->runs[r].gpu_count; g++) {
                size_t h = 0;
                while (h < count && strcmp(held[h].id, agent->runs[r].gpus[g].id) != 0) {
                    h++;
                }
                if (h == count) {
                    held[count].id = agent->runs[r].gpus[g].id;
                    held[count++].thousandths = 0;
                }
                held[h].thousandths += agent->runs[r].gpus[g].thousandths;
                if (held[h].thousandths > 1000) {
                    sim_fail(sim, "more than all of a GPU is held on the machine", held[h].id);
                }
            }
        }
    }
}

/* An acknowledged task exists, and never goes back. Most tasks of a run have stopped: these are looked at with the whole. */
static void check_tasks(struct sim *sim, bool stopped_too, struct store_txn *txn, struct arena *arena)
{
    for (size_t t = 0; t < sim->task_count; t++) {
        struct sim_task *seen = &sim->tasks[t];
        if (seen->furthest == TASK_STOPPED && !stopped_too) { continue; }
        arena_reset(arena);
        const struct task *task = store_task(txn, seen->id, arena);
        char hex[ID_HEX_LEN + 1];
        id_hex(seen->id, hex);
        if (task == NULL) {
            if (seen->furthest != TASK_STOPPED) {
                sim_fail(sim, "a task that was answered yes is gone", hex);
            }
            continue;
        }
        if (task->last_status < seen->furthest) {
            sim_fail(sim, "a task's status went back", hex);
        }
        if (seen->desired == TASK_STOPPED && task->desired_status != TASK_STOPPED) {
            sim_fail(sim, "a task's desired status went back", hex);
        }
        if (seen->end_heard && task_is_live(task)) {
            sim_fail(sim, "a report was acknowledged, and what it said is not kept", hex);
        }
        const struct history *past = store_history(txn, seen->id, arena);
        if ((past != NULL) != !task_is_live(task) || (past != NULL && past->stopped_ms != task->stopped_ms)) {
            sim_fail(sim, "the history does not know what its task knows", hex);
        }
        if (task->service != seen->service || task->deployment != seen->deployment) { sim_fail(sim, "a task has another deployment than before", hex); }
        seen->furthest = task->last_status;
        seen->desired = task->desired_status;
    }
}

/* The changes that an instance's version counts are never taken back: not by a crash, not when a task is forgotten. */
static void check_versions(struct sim *sim, struct store_txn *txn, struct arena *arena)
{
    for (size_t a = 0; a < sim->agent_count; a++) {
        struct sim_agent *agent = &sim->agents[a];
        struct instance_usage usage;
        const struct instance *instance = store_instance(txn, agent->instance, arena);
        store_instance_usage(txn, agent->instance, &usage, arena);
        int64_t version = instance == NULL ? agent->version : instance->version + usage.events;
        if (version < agent->version) {
            sim_fail(sim, "an instance's version went back", agent->arn);
        }
        agent->version = version;
    }
}

/* A GPU that is out of the pool is given to nobody. */
static void check_gpus(struct sim *sim, struct store_txn *txn, struct arena *arena)
{
    for (size_t a = 0; a < sim->agent_count; a++) {
        struct sim_agent *agent = &sim->agents[a];
        struct instance_usage usage;
        arena_reset(arena);
        const struct instance *instance = store_instance(txn, agent->instance, arena);
        store_instance_usage(txn, agent->instance, &usage, arena);
        agent->gpus_idle = instance == NULL ? 0 : sim_check_gpus(sim, agent, instance, &usage, txn, arena);
    }
}

/* The places that are kept for services are held, too. */
struct kept { struct sim *sim; struct store_txn *txn; struct arena *arena; struct id instance; int64_t cpu, memory_mib; bool gpus; };

static void add_kept(void *context, const struct service *service)
{
    struct kept *kept = context;
    for (size_t p = 0; p < service->kept_places.count; p++) {
        const struct task *task = store_task(kept->txn, service->kept_places.items[p].task, kept->arena);
        if (task == NULL || !id_eq(task->instance, kept->instance)) { continue; }
        if (task_is_live(task)) { sim_fail(kept->sim, "a place is kept for a task that is live", ""); }
        kept->cpu += task->cpu;
        kept->memory_mib += task->memory_mib;
        kept->gpus |= task_gpu_thousandths(task) > 0;
    }
}

/* The world in use equals one built from the store, and both agree with the live records. */
static void check_world(struct sim *sim, struct store_txn *txn, struct arena *arena)
{
    arena_reset(arena);
    struct world *fresh = sched_world_create(arena);
    api_load_world(fresh, txn);
    if (queue_count(sched_queue(sim->world)) != queue_count(sched_queue(fresh))) { sim_fail(sim, "other tasks wait than in a world built from the store", ""); }
    const struct quota_item *used_items, *built_items;
    size_t quotas = quotas_of(sched_quotas(sim->world), 1, &used_items);
    if (quotas != quotas_of(sched_quotas(fresh), 1, &built_items) || (quotas > 0 && used_items[0].used != built_items[0].used)) {
        sim_fail(sim, "a quota counts other GPUs than one built from the store", "");
    }
    if (quotas > 0 && used_items[0].used > used_items[0].limit) { sim_fail(sim, "a quota is exceeded", ""); }
    for (size_t a = 0; a < sim->agent_count; a++) {
        struct id id = sim->agents[a].instance;
        struct sched_free used = { 0 }, built = { 0 };
        struct instance_usage usage;
        bool in_use = sched_free_on(sim->world, id, &used), in_fresh = sched_free_on(fresh, id, &built);
        if (in_use != in_fresh || used.cpu != built.cpu || used.memory_mib != built.memory_mib || used.gpu_slots != built.gpu_slots || used.tasks != built.tasks) {
            sim_fail(sim, "the world differs from one built from the store", sim->agents[a].arn);
        }
        const struct instance *instance = store_instance(txn, id, arena);
        store_instance_usage(txn, id, &usage, arena);
        struct kept kept = { .sim = sim, .txn = txn, .arena = arena, .instance = id };
        if (sim->services) { store_scan_services(txn, add_kept, &kept); }
        int64_t cpu = usage.cpu + kept.cpu, memory_mib = usage.memory_mib + kept.memory_mib;
        if (in_use && instance != NULL && (instance->cpu - cpu != used.cpu || instance->memory_mib - memory_mib != used.memory_mib)) {
            sim_fail(sim, "free is not registered less live and kept", sim->agents[a].arn);
        }
        if (memcmp(used.gpu_free, built.gpu_free, sizeof used.gpu_free) != 0) {
            sim_fail(sim, "the free GPUs differ from the store", sim->agents[a].arn);
        }
        size_t held = 0;
        for (uint64_t bits = used.gpu_slots; bits != 0; bits &= bits - 1) {
            held++;
        }
        if (in_use && instance != NULL && !kept.gpus && instance->gpus.count - usage.gpus.count - sim->agents[a].gpus_idle != held) {
            sim_fail(sim, "free GPUs are not all less held and quarantined", sim->agents[a].arn);
        }
    }
    if (sim->services) { sim_services_check(sim, txn, fresh, arena); }
}

static const struct sim_run *find_run(const struct sim_agent *agent, struct id task)
{
    for (size_t r = 0; r < agent->run_count; r++) {
        if (id_eq(agent->runs[r].task, task)) { return &agent->runs[r]; }
    }
    return NULL;
}

static const struct sim_run *run_of(const struct sim *sim, const struct task *task)
{
    for (size_t a = 0; a < sim->agent_count; a++) {
        if (id_eq(sim->agents[a].instance, task->instance)) { return find_run(&sim->agents[a], task->id); }
    }
    return NULL;
}

/* A machine that no effect has to wake knows its work. */
static void check_woken(struct sim *sim, struct store_txn *txn, struct arena *arena)
{
    for (size_t a = 0; a < sim->agent_count; a++) {
        const struct sim_agent *agent = &sim->agents[a];
        struct live_task *tasks;
        size_t count = agent->woken || !agent->online ? 0 : store_live_on_instance(txn, agent->instance, &tasks, arena);
        for (size_t t = 0; t < count; t++) {
            const struct sim_run *run = find_run(agent, tasks[t].id);
            bool to_stop = tasks[t].desired_status == TASK_STOPPED;
            if (to_stop ? run != NULL && run->active : run == NULL) { sim_fail(sim, "no effect tells a machine of its work", agent->arn); }
        }
    }
}

bool sim_closely = false;

static void check_whole(struct sim *sim, struct store_txn *txn, struct arena *arena)
{
    struct err err = { 0 };
    if (!store_check(txn, &err)) { sim_fail(sim, "the store's invariants", err.message); }
    check_versions(sim, txn, arena);
    check_woken(sim, txn, arena);
    check_world(sim, txn, arena);
    sim->unchecked = 0;
}

static void check(struct sim *sim, bool whole)
{
    struct arena arena = { 0 };
    check_machines(sim);
    sim->unchecked += sim->touched;
    if (sim->unchecked == 0) { return; }
    whole = whole || sim_closely || sim->unchecked >= SIM_CHECK_EVERY;
    arena_init(&arena, ARENA_SIZE);
    struct store_txn *txn = store_read_begin(sim->store);
    if (sim->touched || whole) { check_tasks(sim, whole, txn, &arena); }
    if (sim->touched) { check_gpus(sim, txn, &arena); }
    if (whole) { check_whole(sim, txn, &arena); }
    sim->touched = false;
    if (!store_read_end(txn)) {
        sim_fail(sim, "the check can't read", "the read failed");
    }
    arena_finish(&arena);
}

void sim_check(struct sim *sim) { check(sim, false); }

void sim_check_all(struct sim *sim) { check(sim, true); }

void sim_check_running(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    struct store_txn *txn = store_read_begin(sim->store);
    for (size_t t = 0; t < sim->task_count; t++) {
        const struct task *task = store_task(txn, sim->tasks[t].id, &arena);
        if (task == NULL || !task_is_live(task)) { continue; }
        const struct sim_run *run = run_of(sim, task);
        char hex[ID_HEX_LEN + 1];
        id_hex(task->id, hex);
        if (task->wait != NULL) { continue; }
        if (run == NULL) { sim_fail(sim, "a task's machine never got it", hex); }
        if (!run->active || task->desired_status == TASK_STOPPED) { sim_fail(sim, "a task's end stays unknown", hex); }
    }
    if (!store_read_end(txn)) {
        sim_fail(sim, "the check can't read", "the read failed");
    }
    arena_finish(&arena);
}

void sim_check_settled(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    struct store_txn *txn = store_read_begin(sim->store);
    for (size_t t = 0; t < sim->task_count; t++) {
        const struct task *task = store_task(txn, sim->tasks[t].id, &arena);
        char hex[ID_HEX_LEN + 1];
        id_hex(sim->tasks[t].id, hex);
        if (task != NULL && task->last_status != TASK_STOPPED) {
            sim_fail(sim, "a task with an order to stop has not stopped", hex);
        }
    }
    for (size_t a = 0; a < sim->agent_count; a++) {
        struct instance_usage usage;
        store_instance_usage(txn, sim->agents[a].instance, &usage, &arena);
        if (usage.cpu != 0 || usage.memory_mib != 0 || usage.gpus.count != 0 || usage.ports.count != 0) {
            sim_fail(sim, "something is still held when all has ended", sim->agents[a].arn);
        }
        for (size_t r = 0; r < sim->agents[a].run_count; r++) {
            if (sim->agents[a].runs[r].active) {
                sim_fail(sim, "a container runs on although its task was stopped", sim->agents[a].runs[r].arn);
            }
        }
    }
    if (!store_read_end(txn)) {
        sim_fail(sim, "the check can't read", "the read failed");
    }
    arena_finish(&arena);
}
