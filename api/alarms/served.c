/* served.c: the table of the metrics that are served, and what clusters and services use and have now. */
#include "api/alarms/reading.h"

#include "store/store.h"

/* ---- now ---- */

struct use { double cpu, memory, cpu_reserved, memory_reserved; int64_t told; };         /* CPU units and MiB */

/* The use of running tasks. It reads a thousand at most: a larger service has the figure of its first thousand. */
static struct use use_of(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service)
{
    enum { PAGE = 100, TASKS_MAX = 1000 };
    static const double units = 1024, mib = 1 << 20;
    struct use use = { 0 };
    struct id *ids = ARENA_NEW(ctx->arena, struct id, PAGE), after = { { 0 } };
    struct str group = service == NULL ? STR("") : arena_printf(ctx->arena, "service:" STR_FMT, STR_ARG(service->name));
    size_t seen = 0;
    for (size_t count = PAGE; count == PAGE && seen < TASKS_MAX; seen += count) {
        count = store_list_tasks(ctx->txn, cluster->number, service == NULL ? TASKS_BY_CLUSTER : TASKS_BY_GROUP, group, TASK_RUNNING, after, ids, PAGE);
        for (size_t t = 0; t < count; t++) {
            struct opt_double cores = { 0 }, bytes = { 0 };
            const struct task *task = store_task(ctx->txn, ids[t], ctx->arena);
            after = ids[t];
            if (task == NULL || task->last_status != TASK_RUNNING) { continue; }
            ctx->outside->task_use(ctx, task, &cores, &bytes);
            if (!cores.set && !bytes.set) { continue; }
            use.told++;
            use.cpu += cores.set ? cores.value * units : 0;
            use.memory += bytes.set ? bytes.value / mib : 0;
            use.cpu_reserved += (double)task->cpu;
            use.memory_reserved += (double)task->memory_mib;
        }
    }
    return use;
}

static struct opt_double known(bool is_known, double value) { return (struct opt_double){ is_known ? value : 0, is_known }; }
static struct opt_double count_of(int64_t count) { return (struct opt_double){ (double)count, true }; }

#define NOW(name) static struct opt_double name(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service)
NOW(cpu_percent)
{
    struct use use = use_of(ctx, cluster, service);
    return known(use.told > 0 && use.cpu_reserved > 0, 100 * use.cpu / use.cpu_reserved);
}
NOW(memory_percent)
{
    struct use use = use_of(ctx, cluster, service);
    return known(use.told > 0 && use.memory_reserved > 0, 100 * use.memory / use.memory_reserved);
}
NOW(cpu_used)        { struct use use = use_of(ctx, cluster, service); return known(use.told > 0, use.cpu); }
NOW(memory_used)     { struct use use = use_of(ctx, cluster, service); return known(use.told > 0, use.memory); }
NOW(cpu_reserved)    { struct use use = use_of(ctx, cluster, service); return known(use.told > 0, use.cpu_reserved); }
NOW(memory_reserved) { struct use use = use_of(ctx, cluster, service); return known(use.told > 0, use.memory_reserved); }

static struct deployment_counts of_service(struct op_ctx *ctx, const struct service *service)
{
    struct kept_deployment *deployments;
    struct deployment_counts sum = { 0 };
    size_t count = store_list_deployments(ctx->txn, service->number, &deployments, ctx->arena);
    for (size_t d = 0; d < count; d++) {
        struct deployment_counts counts = store_deployment_counts(ctx->txn, deployments[d].digits);
        sum.running += counts.running;
        sum.pending += counts.pending;
    }
    return sum;
}
NOW(running)   { return count_of(service == NULL ? store_cluster_counts(ctx->txn, cluster->number).running : of_service(ctx, service).running); }
NOW(pending)   { return count_of(service == NULL ? store_cluster_counts(ctx->txn, cluster->number).pending : of_service(ctx, service).pending); }
NOW(instances) { (void)service; return count_of(store_cluster_counts(ctx->txn, cluster->number).instances); }
NOW(services)  { (void)service; return count_of(store_cluster_counts(ctx->txn, cluster->number).services); }
#undef NOW

/* ---- the table ---- */

#define GPU(name, figure, unit, divisor) { STR_INIT("ECS/GPU"), STR_INIT(name), unit, figure, divisor, false, NULL }
#define USE(name, unit, now) { STR_INIT("AWS/ECS"), STR_INIT(name), unit, -1, 1, true, now }
#define INSIGHT(name, unit, services, now) { STR_INIT("ECS/ContainerInsights"), STR_INIT(name), unit, -1, 1, services, now }
static const double mib = 1 << 20;
const struct served_metric served_metrics[] = {
    USE("CPUUtilization", METRIC_UNIT_PERCENT, cpu_percent), USE("MemoryUtilization", METRIC_UNIT_PERCENT, memory_percent),
    INSIGHT("ContainerInstanceCount", METRIC_UNIT_COUNTED, false, instances), INSIGHT("CpuReserved", METRIC_UNIT_NONE, true, cpu_reserved),
    INSIGHT("CpuUtilized", METRIC_UNIT_NONE, true, cpu_used), INSIGHT("MemoryReserved", METRIC_UNIT_MEGABYTES, true, memory_reserved),
    INSIGHT("MemoryUtilized", METRIC_UNIT_MEGABYTES, true, memory_used), INSIGHT("PendingTaskCount", METRIC_UNIT_COUNTED, true, pending),
    INSIGHT("RunningTaskCount", METRIC_UNIT_COUNTED, true, running), INSIGHT("ServiceCount", METRIC_UNIT_COUNTED, false, services),
    GPU("nvidia_smi_utilization_gpu", GPU_UTILIZATION, METRIC_UNIT_PERCENT, 0.01),
    GPU("nvidia_smi_utilization_memory", GPU_MEMORY_UTILIZATION, METRIC_UNIT_PERCENT, 0.01),
    GPU("nvidia_smi_memory_total", GPU_MEMORY_TOTAL, METRIC_UNIT_MEGABYTES, mib),
    GPU("nvidia_smi_memory_used", GPU_MEMORY_USED, METRIC_UNIT_MEGABYTES, mib),
    GPU("nvidia_smi_memory_free", GPU_MEMORY_FREE, METRIC_UNIT_MEGABYTES, mib),
    GPU("nvidia_smi_temperature_gpu", GPU_TEMPERATURE, METRIC_UNIT_NONE, 1), GPU("nvidia_smi_power_draw", GPU_POWER, METRIC_UNIT_NONE, 1),
    GPU("nvidia_smi_fan_speed", GPU_FAN_SPEED, METRIC_UNIT_PERCENT, 0.01),
    GPU("nvidia_smi_pcie_link_gen_current", GPU_PCIE_GENERATION, METRIC_UNIT_NONE, 1),
    GPU("nvidia_smi_pcie_link_width_current", GPU_PCIE_WIDTH, METRIC_UNIT_NONE, 1),
    GPU("nvidia_smi_encoder_stats_session_count", GPU_ENCODER_SESSIONS, METRIC_UNIT_COUNTED, 1),
    GPU("nvidia_smi_encoder_stats_average_fps", GPU_ENCODER_FPS, METRIC_UNIT_NONE, 1),
    GPU("nvidia_smi_encoder_stats_average_latency", GPU_ENCODER_LATENCY, METRIC_UNIT_MICROSECONDS, 1e-6),
    GPU("nvidia_smi_clocks_current_graphics", GPU_CLOCK_GRAPHICS, METRIC_UNIT_NONE, 1e6),
    GPU("nvidia_smi_clocks_current_sm", GPU_CLOCK_SM, METRIC_UNIT_NONE, 1e6),
    GPU("nvidia_smi_clocks_current_memory", GPU_CLOCK_MEMORY, METRIC_UNIT_NONE, 1e6),
    GPU("nvidia_smi_clocks_current_video", GPU_CLOCK_VIDEO, METRIC_UNIT_NONE, 1e6),
};
const size_t served_metrics_count = COUNT_OF(served_metrics);
