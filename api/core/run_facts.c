/* run_facts.c: see run_facts.h. */
#include "api/core/run_facts.h"

#include "base/table.h"
#include "scheduler/queue/runs.h"

uint64_t run_facts_family(int64_t cluster, struct str family) { return hash_mix((uint64_t)cluster ^ hash_bytes(family.ptr, family.len)); }

static bool has_gpus(const struct task_container_list *containers)
{
    for (size_t c = 0; c < containers->count; c++) {
        if (containers->items[c].gpu_ids.count > 0) { return true; }
    }
    return false;
}

void run_facts_put(struct world *world, const struct task *task)
{
    const struct task_terms *terms = task->terms;
    if (terms == NULL && !has_gpus(&task->containers)) { return; }
    runs_put(sched_runs(world), &(struct run){
        .task = task->id, .instance = task->instance, .cluster = task->cluster_number, .family = run_facts_family(task->cluster_number, task->family),
        .started_ms = task->started_ms,
        .most_ms = terms == NULL ? 0 : terms->most_ms, .priority = terms == NULL ? 0 : terms->priority,
        .preemptible = terms != NULL && terms->preemptible == OPT_TRUE, .leaves = task->desired_status == TASK_STOPPED, .guessed = task->service == 0,
    });
}

void run_facts_end(struct world *world, const struct task *task)
{
    struct runs *runs = sched_runs(world);
    const struct run *run = runs_find(runs, task->id);
    bool by_itself = task->stop_code == TASK_STOP_CODE_ESSENTIALCONTAINEREXITED && task->started_ms != 0 && task->service == 0;
    if (run != NULL && by_itself) { runs_ended(runs, run->family, task->stopped_ms - task->started_ms); }
    runs_drop(runs, task->id);
}

void run_facts_past(struct world *world, const struct history *history)
{
    bool by_itself = history->stop_code == TASK_STOP_CODE_ESSENTIALCONTAINEREXITED && history->started_ms != 0, gpus = false;
    for (size_t c = 0; c < history->containers.count; c++) { gpus |= history->containers.items[c].gpu_ids.count > 0; }
    if (!by_itself || !gpus || str_starts_with(history->group, STR("service:"))) { return; }
    runs_ended(sched_runs(world), run_facts_family(history->cluster_number, history->family), history->stopped_ms - history->started_ms);
}
