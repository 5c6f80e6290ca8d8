#include "server/figures/minutes.h"

#include <stdlib.h>

#include "base/clock.h"

enum { TARGETS_PAGE = 256, TASKS_PAGE = 256 };

struct kept_minutes {
    struct service_minutes rows;
    double sums[MEASURE_COUNT]; int64_t counts[MEASURE_COUNT];        /* of samples since the last minute ended */
    int64_t targets, looks;                                           /* healthy targets, all looks together */
    struct opt_int requests;                                          /* the groups' sum when the last minute ended */
};
struct minutes { struct kept_minutes *items; size_t count; };         /* owned; by the services' numbers */

struct minutes *minutes_create(void)
{
    struct minutes *minutes = calloc(1, sizeof *minutes);
    ASSERT(minutes != NULL);
    return minutes;
}

void minutes_destroy(struct minutes *minutes)
{
    if (minutes == NULL) { return; }
    free(minutes->items);
    free(minutes);
}

/* ---- one look ---- */

static void add_sample(struct kept_minutes *kept, enum scaling_measure measure, struct opt_double used, double of)
{
    if (!used.set || !(of > 0)) { return; }
    kept->sums[measure] += 100 * used.value / of;
    kept->counts[measure]++;
}

static void add_task(struct kept_minutes *kept, struct samples *samples, const struct task *task, int64_t now_ms, struct arena *arena)
{
    static const double units_per_core = 1024, mib = 1 << 20;
    struct str_list gpus = { NULL, 0 };
    for (size_t c = 0; c < task->containers.count; c++) { gpus.count += task->containers.items[c].gpu_ids.count; }
    gpus.items = ARENA_NEW(arena, struct str, gpus.count + 1);
    gpus.count = 0;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct str_list *ids = &task->containers.items[c].gpu_ids;
        for (size_t g = 0; g < ids->count; g++) { gpus.items[gpus.count++] = ids->items[g]; }
    }
    struct task_use use = samples_of_task(samples, task->instance, task->id, &gpus, now_ms);
    add_sample(kept, MEASURE_CPU, use.cores, (double)task->cpu / units_per_core);
    add_sample(kept, MEASURE_MEMORY, use.memory_bytes, (double)task->memory_mib * mib);
    if (gpus.count == 0) { return; }
    add_sample(kept, MEASURE_GPU, use.gpu, 1);
    add_sample(kept, MEASURE_GPU_MEMORY, use.gpu_memory_used, use.gpu_memory_total.set ? use.gpu_memory_total.value : 0);
}

static void add_tasks(struct kept_minutes *kept, struct store_txn *txn, const struct service *service, struct samples *samples, int64_t now_ms,
                      struct arena *arena)
{
    struct id *ids = ARENA_NEW(arena, struct id, TASKS_PAGE), after = { { 0 } };
    struct str group = arena_printf(arena, "service:" STR_FMT, STR_ARG(service->name));
    for (size_t count = TASKS_PAGE; count == TASKS_PAGE && !arena_exhausted(arena);) {
        count = store_list_tasks(txn, service->cluster_number, TASKS_BY_GROUP, group, TASK_RUNNING, after, ids, TASKS_PAGE);
        for (size_t t = 0; t < count; t++) {
            const struct task *task = store_task(txn, ids[t], arena);
            if (task != NULL && task->service == service->number && task->last_status == TASK_RUNNING) { add_task(kept, samples, task, now_ms, arena); }
            after = ids[t];
        }
    }
}

/* ---- requests ---- */

/* The revision of the newest deployment. NULL: the service has no deployment. */
static const struct service_revision *newest_revision(struct store_txn *txn, const struct service *service, struct arena *arena)
{
    struct kept_deployment *deployments;
    size_t count = store_list_deployments(txn, service->number, &deployments, arena);
    for (size_t d = 0; d < count; d++) {
        if (deployments[d].status == DEPLOYMENT_STATUS_PRIMARY) { return store_service_revision(txn, service->number, deployments[d].digits, arena); }
    }
    return NULL;
}

/* The group that a policy of the service names, and the one that its tasks are in when that has no traffic. */
static struct str_list groups_of(struct store_txn *txn, const struct service *service, const struct kept_scaling *target, struct arena *arena)
{
    struct str_list groups = { ARENA_NEW(arena, struct str, 2), 0 };
    for (size_t p = 0; p < target->policies.count && groups.count == 0; p++) {
        const struct target_tracking *tracking = target->policies.items[p].tracking;
        bool by_requests = tracking != NULL && scaling_measure_of(tracking) == MEASURE_REQUESTS;
        if (by_requests) { groups.items[groups.count++] = scaling_group_in(tracking->predefined->resource_label); }
    }
    const struct service_revision *revision = groups.count == 0 ? NULL : newest_revision(txn, service, arena);
    for (size_t b = 0; revision != NULL && groups.count == 1 && b < revision->load_balancers.count; b++) {
        const struct load_balancer *balancer = &revision->load_balancers.items[b];
        if (balancer->advanced_configuration == NULL) { continue; }
        struct str one = scaling_group_in(balancer->target_group_arn), other = scaling_group_in(balancer->advanced_configuration->alternate_target_group_arn);
        bool named = str_eq(one, groups.items[0]) || str_eq(other, groups.items[0]);
        if (named) { groups.items[groups.count++] = str_eq(one, groups.items[0]) ? other : one; }
    }
    return groups;
}

static void add_requests(struct kept_minutes *kept, struct store_txn *txn, const struct str_list *groups, const struct minutes_sources *sources,
                         bool ends, struct arena *arena)
{
    struct opt_int sum = { 0, false };
    int64_t now_ms = clock_monotonic_ms();
    kept->looks++;
    for (size_t g = 0; g < groups->count; g++) {
        struct kept_target *targets;
        size_t count = store_list_targets(txn, groups->items[g], &targets, arena);
        struct opt_int of_group = requests_of(sources->requests, groups->items[g], now_ms).sum;
        for (size_t t = 0; t < count; t++) { kept->targets += targets[t].state == TARGET_HEALTHY; }
        if (of_group.set) { sum = opt_int_of(sum.value + of_group.value); }
    }
    if (!ends) { return; }
    if (sum.set && kept->requests.set && sum.value >= kept->requests.value && kept->targets > 0) {
        double part = (double)sources->minute_ms / SCALING_MINUTE_MS;
        kept->sums[MEASURE_REQUESTS] = (double)(sum.value - kept->requests.value) / part * (double)kept->looks / (double)kept->targets;
        kept->counts[MEASURE_REQUESTS] = 1;
    }
    kept->requests = sum;
    kept->targets = kept->looks = 0;
}

/* Its scalable target; NULL: it has none any more. */
static const struct kept_scaling *add_service(struct kept_minutes *kept, struct store_txn *txn, const struct minutes_sources *sources, int64_t now_ms,
                                              bool ends, struct arena *arena)
{
    const struct service *service = store_service(txn, kept->rows.service, arena);
    const struct kept_scaling *target = store_scaling(txn, kept->rows.service, arena);
    if (service == NULL || target == NULL) { return NULL; }
    struct str_list groups = groups_of(txn, service, target, arena);
    add_tasks(kept, txn, service, sources->samples, now_ms, arena);
    add_requests(kept, txn, &groups, sources, ends, arena);
    return target;
}

/* ---- metrics of clients ---- */

static void read_client(struct service_minutes *rows, const struct kept_scaling *target, struct client_metrics *metrics, int64_t now_ms, struct arena *arena)
{
    rows->client = ARENA_NEW(arena, struct client_minutes, target->policies.count + 1);
    for (size_t p = 0; p < target->policies.count; p++) {
        const struct kept_policy *policy = &target->policies.items[p];
        if (policy->tracking == NULL || scaling_measure_of(policy->tracking) != MEASURE_CLIENT) { continue; }
        const struct customized_metric_specification *metric = policy->tracking->customized;
        struct scaling_history history = client_metrics_minutes(metrics, scaling_client_key(metric, arena), metric->statistic, now_ms);
        rows->client[rows->client_count++] = (struct client_minutes){ arena_str(arena, policy->name), history };
    }
}

/* ---- minutes ---- */

static void end_minute(struct kept_minutes *kept)
{
    for (size_t m = 0; m < MEASURE_COUNT; m++) {
        struct scaling_history *history = &kept->rows.of[m];
        double mean = kept->counts[m] > 0 ? kept->sums[m] / (double)kept->counts[m] : 0;
        if (kept->counts[m] == 0) {
            history->count = 0;
        } else {
            memmove(history->values + 1, history->values, (SCALING_IN_MINUTES - 1) * sizeof *history->values);
            history->values[0] = mean;
            history->count += history->count < SCALING_IN_MINUTES;
        }
        kept->sums[m] = 0;
        kept->counts[m] = 0;
    }
}

/* The services that have a target now, in order, with their minutes until now. */
static void follow_targets(struct minutes *minutes, struct store_txn *txn)
{
    struct kept_minutes *items = NULL;
    int64_t numbers[TARGETS_PAGE], after = 0;
    size_t total = 0, old = 0;
    for (size_t count = TARGETS_PAGE; count == TARGETS_PAGE;) {
        count = store_list_scaling(txn, after, numbers, TARGETS_PAGE);
        if (count == 0) { break; }
        items = realloc(items, (total + count) * sizeof *items);
        ASSERT(items != NULL);
        for (size_t n = 0; n < count; n++) {
            after = numbers[n];
            while (old < minutes->count && minutes->items[old].rows.service < after) { old++; }
            bool known = old < minutes->count && minutes->items[old].rows.service == after;
            items[total++] = known ? minutes->items[old] : (struct kept_minutes){ .rows.service = after };
        }
    }
    free(minutes->items);
    *minutes = (struct minutes){ items, total };
}

/* Each service has an arena that is emptied after it: it may have many tasks. */
size_t minutes_look(struct minutes *minutes, struct store *store, const struct minutes_sources *sources, int64_t now_ms, bool ends,
                    struct service_minutes **items, struct arena *arena)
{
    static const size_t scratch_max = (size_t)256 << 20;
    struct arena scratch;
    struct store_txn *txn = store_read_begin(store);
    follow_targets(minutes, txn);
    arena_init(&scratch, scratch_max);
    *items = ARENA_NEW(arena, struct service_minutes, minutes->count + 1);
    for (size_t s = 0; s < minutes->count; s++) {
        struct kept_minutes *kept = &minutes->items[s];
        (*items)[s] = (struct service_minutes){ .service = kept->rows.service };
        const struct kept_scaling *target = add_service(kept, txn, sources, now_ms, ends, &scratch);
        if (target != NULL && ends) {
            end_minute(kept);
            (*items)[s] = kept->rows;
            read_client(&(*items)[s], target, sources->metrics, now_ms, arena);
        }
        arena_reset(&scratch);
    }
    arena_finish(&scratch);
    return store_read_end(txn) ? minutes->count : 0;
}
