/* GPUs that leave the pool and come back: by what agents report, and by hand. */
#include "tests/sim/sim.h"

enum { ARENA_SIZE = 64 * 1024 * 1024 };

/* All that is wrong with the machine now: some device or other, some of them gone, some said twice. */
static void report_faults(struct sim *sim, struct sim_agent *agent, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct api_call call;
    struct err err = { 0 };
    const char *comma = "";
    buf_printf(&body, "{\"containerInstance\":\"%s\",\"status\":\"IMPAIRED\",\"gpus\":[", agent->arn);
    for (int g = 0; g < agent->gpus; g++) {
        if (rng_below(&sim->rng, 3) != 0) {
            continue;
        }
        for (uint64_t times = rng_below(&sim->rng, 8) == 0 ? 2 : 1; times > 0; times--, comma = ",") {
            int since = 1 + (int)rng_below(&sim->rng, 2);
            buf_printf(&body, "%s{\"uuid\":\"GPU-%s-%d\",\"reason\":\"Xid 79\",\"since\":%d,\"gone\":%s}", comma, agent->token, g, since,
                       rng_below(&sim->rng, 4) == 0 ? "true" : "false");
        }
    }
    buf_printf(&body, "]}");
    if (!api_prepare_health(&sim->config, buf_str(&body), arena, &call, &err)) {
        sim_fail(sim, "a report of faults", err.message);
    }
    (void)sim_internal(sim, &call, arena);
}

static void set_by_hand(struct sim *sim, struct sim_agent *agent, struct arena *arena)
{
    struct api_call call;
    struct err err = { 0 };
    int gpu = (int)rng_below(&sim->rng, (uint64_t)agent->gpus);
    struct str body = arena_printf(arena, "{\"uuid\":\"GPU-%s-%d\",\"state\":\"%s\"}", agent->token, gpu,
                                   rng_below(&sim->rng, 3) == 0 ? "QUARANTINED" : "AVAILABLE");
    if (!api_prepare_set_gpu(&sim->config, body, arena, &call, &err)) {
        sim_fail(sim, "a GPU by hand", err.message);
    }
    (void)sim_internal(sim, &call, arena);
}

void sim_gpus_step(struct sim *sim)
{
    struct sim_agent *agent = sim_random_agent(sim);
    struct arena arena = { 0 };
    if (agent->gpus == 0) {
        return;
    }
    arena_init(&arena, ARENA_SIZE);
    if (rng_below(&sim->rng, 3) == 0) {
        set_by_hand(sim, agent, &arena);
    } else {
        report_faults(sim, agent, &arena);
    }
    arena_finish(&arena);
}

/* Nobody wants a task to go on without its device. */
static void check_gone(const struct sim *sim, const struct instance *instance, const struct gpu_fault *fault, struct store_txn *txn, struct arena *arena)
{
    struct id *ids;
    size_t count = store_tasks_on_instance(txn, instance->id, &ids, arena);
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(txn, ids[t], arena);
        for (size_t c = 0; task != NULL && c < task->containers.count; c++) {
            const struct str_list *gpus = &task->containers.items[c].gpu_ids;
            for (size_t g = 0; g < gpus->count; g++) {
                if (str_eq(gpus->items[g], fault->uuid) && task->desired_status != TASK_STOPPED) {
                    sim_fail(sim, "a task is to run on a GPU that is gone", fault->reason.ptr);
                }
            }
        }
    }
}

size_t sim_check_gpus(struct sim *sim, struct sim_agent *agent, const struct instance *instance, const struct instance_usage *usage,
                      struct store_txn *txn, struct arena *arena)
{
    size_t idle = 0;
    for (size_t f = 0; f < instance->gpu_faults.count; f++) {
        if (instance->gpu_faults.items[f].gone == OPT_TRUE) {
            check_gone(sim, instance, &instance->gpu_faults.items[f], txn, arena);
        }
    }
    for (size_t g = 0; g < instance->gpus.count && g < SIM_GPUS_MAX; g++) {
        struct str uuid = instance->gpus.items[g].uuid;
        int64_t held = 0;
        for (size_t u = 0; u < usage->gpus.count; u++) {
            held += str_eq(usage->gpus.items[u].uuid, uuid) ? usage->gpus.items[u].share : 0;
        }
        bool out = instance_gpu_is_out(instance, uuid);
        if (out && agent->gpus_out[g] && held > agent->gpus_held[g]) {
            sim_fail(sim, "a GPU in quarantine was given out", agent->arn);
        }
        agent->gpus_out[g] = out;
        agent->gpus_held[g] = held;
        idle += out && held == 0;
    }
    return idle;
}
