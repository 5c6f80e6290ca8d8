/* daemons.c: the managed daemons of a capacity provider: which there are, what they take on each of its machines, and which machines wait for them: those take
 * no other new tasks until the daemons run there. Whether one waits is derived from the daemons of its provider and from the tasks that are on it. */
#include "api/capacity/providers.h"
#include "api/tasks/demand.h"
#include "base/num.h"
#include "scheduler/reconcile/roster.h"

size_t provider_daemons(struct store_txn *txn, int64_t cluster, struct str provider, struct provider_daemon *daemons, struct arena *arena)
{
    struct service_number *numbers = ARENA_NEW(arena, struct service_number, CLUSTER_DAEMONS_MAX);
    size_t found = store_list_daemons(txn, cluster, (struct str){ NULL, 0 }, numbers, CLUSTER_DAEMONS_MAX, arena), count = 0;
    for (size_t d = 0; d < found; d++) {
        const struct service *daemon = store_service(txn, numbers[d].number, arena);
        const struct service_revision *revision = daemon == NULL || daemon->status != SERVICE_ACTIVE ? NULL
            : store_service_revision(txn, daemon->number, daemon->revision, arena);
        bool is_there = revision != NULL && revision->daemon != NULL && str_list_has(&revision->daemon->providers, provider);
        if (is_there) { daemons[count++] = (struct provider_daemon){ daemon->number, daemon->name, revision->family, revision->revision }; }
    }
    ASSERT(count <= CLUSTER_DAEMONS_MAX);
    return count;
}

void provider_daemons_take(struct op_ctx *ctx, const struct kept_provider *provider, int64_t *cpu, int64_t *memory_mib)
{
    struct provider_daemon *daemons = ARENA_NEW(ctx->arena, struct provider_daemon, CLUSTER_DAEMONS_MAX);
    size_t count = provider_daemons(ctx->txn, provider->cluster, provider->name, daemons, ctx->arena);
    *cpu = *memory_mib = 0;
    for (size_t d = 0; d < count; d++) {
        const struct daemon_taskdef *found = store_daemon_taskdef(ctx->txn, daemons[d].family, daemons[d].revision, ctx->arena);
        struct demand demand = { .cluster = provider->cluster };
        struct err unread = { 0 };
        if (found == NULL) { continue; }
        const struct taskdef taskdef = daemon_taskdef_as(found);
        if (!demand_read(ctx, &taskdef.def, NULL, false, &demand, &unread)) { continue; }
        *cpu = min_i64(*cpu + demand.cpu, INT32_MAX);
        *memory_mib = min_i64(*memory_mib + demand.memory_mib, INT32_MAX);
    }
}

/* ---- daemons come first ---- */

/* A task of the daemon is RUNNING there and stays. One with a health check is healthy. */
static bool runs(const struct roster *roster, int64_t service, const struct id *tasks, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        const struct roster_task *task = roster_task(roster, tasks[t]);
        bool is_its = task != NULL && task->service == service && task->running && !task->leaving;
        if (is_its && (task->health == HEALTH_NO_CHECK || task->health == HEALTH_GOOD)) { return true; }
    }
    return false;
}

bool provider_gate(struct store_txn *txn, struct world *world, const struct instance *instance, struct arena *arena)
{
    bool awaits = false;
    struct id *tasks = NULL;
    struct provider_daemon *daemons = ARENA_NEW(arena, struct provider_daemon, CLUSTER_DAEMONS_MAX);
    if (!str_is_set(instance->capacity_provider)) { return sched_await_daemons(world, instance->id, false); }
    size_t count = provider_daemons(txn, instance->cluster_number, instance->capacity_provider, daemons, arena);
    size_t task_count = count == 0 ? 0 : store_tasks_on_instance(txn, instance->id, &tasks, arena);
    for (size_t d = 0; d < count && !awaits; d++) { awaits = !runs(sched_roster(world), daemons[d].service, tasks, task_count); }
    return sched_await_daemons(world, instance->id, awaits);
}
