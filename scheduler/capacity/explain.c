/* explain.c: decisions in words. */
#include "scheduler/capacity/scaling.h"

static const char *const whys[CAPACITY_WHY_COUNT] = {
    [CAPACITY_RIGHT] = "nothing changes", [CAPACITY_TASKS_WAIT] = "tasks wait", [CAPACITY_BELOW_TARGET_ROOM] = "the target wants free room",
    [CAPACITY_BELOW_MIN] = "there are fewer than MinSize", [CAPACITY_STEP_TAKEN] = "more are missing, but the largest step of this minute is taken",
    [CAPACITY_AT_MAX] = "more are missing, but the group is at its MaxSize", [CAPACITY_SURPLUS] = "there are more than the target wants",
    [CAPACITY_ABOVE_MAX] = "there are more than MaxSize",
    [CAPACITY_COUNTING] = "there are more than the target wants, but not for long enough, or machines were just added or removed",
    [CAPACITY_PROTECTED] = "machines should go, but tasks run on all of them",
};

static void put_count(struct buf *out, int64_t count, const char *one, const char *many)
{
    buf_printf(out, "%lld %s", (long long)count, count == 1 ? one : many);
}

static void put_news(const struct capacity_demand *demand, const struct capacity_plan *plan, struct buf *out)
{
    const char *before = " New machines that tasks need: ";
    for (uint32_t t = 0; t < demand->type_count && plan->new_count > 0; t++) {
        int64_t machines = 0, tasks = 0;
        for (size_t n = 0; n < plan->new_count; n++) {
            if (plan->news[n].type != t) { continue; }
            machines++;
            tasks += (int64_t)plan->news[n].task_count;
        }
        if (machines == 0) { continue; }
        buf_printf(out, "%s%lld " STR_FMT " for ", before, (long long)machines, STR_ARG(demand->types[t].type->name));
        put_count(out, tasks, "task", "tasks");
        before = ", ";
    }
    if (plan->new_count > 0) { buf_put_char(out, '.'); }
}

void capacity_explain(const struct capacity_decision *decision, const struct capacity_demand *demand, const struct capacity_plan *plan, struct buf *out)
{
    put_count(out, decision->needed, "machine is", "machines are");
    buf_printf(out, " needed, and there %s ", decision->size == 1 ? "is" : "are");
    buf_printf(out, "%lld. With a target of %lld percent %lld are wanted: %s", (long long)decision->size, (long long)decision->target,
               (long long)decision->wanted, whys[decision->why]);
    if (decision->step != 0) {
        buf_put(out, STR(", so "));
        put_count(out, decision->step > 0 ? decision->step : -decision->step, "machine is", "machines are");
        buf_put(out, decision->step > 0 ? STR(" added") : STR(" removed"));
    }
    buf_put_char(out, '.');
    put_news(demand, plan, out);
    if (plan->held > 0) {
        buf_put_char(out, ' ');
        put_count(out, plan->held, "task has", "tasks have");
        buf_put(out, STR(" no room below the limits of the group and its types."));
    }
    if (plan->impossible > 0) {
        buf_put_char(out, ' ');
        put_count(out, plan->impossible, "task fits", "tasks fit");
        buf_put(out, STR(" on no machine that the group can have."));
    }
}

/* ---- a shape that no type holds ---- */

static int64_t gpus_of(const struct demand *demand, bool *part)
{
    int64_t gpus = 0;
    *part = true;
    for (size_t c = 0; c < demand->container_count; c++) {
        gpus += demand->gpus[c].count > 0 ? demand->gpus[c].count : 0;
        *part = *part && demand->gpus[c].share < GPU_WHOLE;
    }
    return gpus;
}

static int64_t gpu_memory_of(const struct demand *demand)
{
    int64_t most = 0;
    for (size_t c = 0; c < demand->container_count; c++) { most = demand->gpus[c].memory_mib > most ? demand->gpus[c].memory_mib : most; }
    return most;
}

static void put_gpus(const struct demand *demand, struct buf *out)
{
    bool part = false;
    int64_t gpus = gpus_of(demand, &part);
    if (part || gpus == 0) {
        buf_put(out, gpus == 0 ? STR("all GPUs of a machine") : STR("parts of GPUs"));
        return;
    }
    put_count(out, gpus, "GPU", "GPUs");
}

void capacity_explain_lack(const struct capacity_demand *demand, const struct capacity_plan *plan, uint32_t shape, struct buf *out)
{
    const struct capacity_lack *lack = &plan->lacks[shape];
    const struct demand *wants = &demand->shapes[shape];
    if (demand->type_count == 0) {
        buf_put(out, STR("the group can have no machine of any type"));
        return;
    }
    struct str name = demand->types[lack->type].type->name;
    if (lack->verdict == LACKS_ATTRIBUTE) {
        buf_printf(out, "needs another type or architecture than " STR_FMT ", the nearest type", STR_ARG(name));
        return;
    }
    buf_put(out, STR("needs "));
    if (lack->verdict == LACKS_CPU) { buf_printf(out, "%lld CPU units", (long long)wants->cpu); }
    if (lack->verdict == LACKS_MEMORY) { buf_printf(out, "%lld MiB of memory", (long long)wants->memory_mib); }
    if (lack->verdict == LACKS_GPU_MEMORY) { buf_printf(out, "%lld MiB on a GPU", (long long)gpu_memory_of(wants)); }
    if (lack->verdict == LACKS_GPU) { put_gpus(wants, out); }
    buf_printf(out, ", and " STR_FMT ", the nearest type, has %lld", STR_ARG(name), (long long)lack->has);
}
