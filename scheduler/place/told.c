/* told.c: the functions of scheduler.h that change the world. First the world changes, and then the statistics of demand see the instances that
 * have changed. Boards see them when they are read next (boards.h). */
#include "base/num.h"
#include "scheduler/place/boards.h"
#include "scheduler/place/demand_stats.h"
#include "scheduler/queue/keeps.h"
#include "scheduler/queue/queue.h"
#include "scheduler/queue/quota.h"
#include "scheduler/queue/runs.h"
#include "scheduler/reconcile/feeds.h"
#include "scheduler/reconcile/roster.h"
#include "scheduler/world/changes.h"

/* Boards and statistics have their own arenas, since they come and go. */
static void end(void *context)
{
    struct world *world = context;
    boards_finish(world);
    for (uint32_t n = 0; n < world->fleets.count; n++) { demand_stats_finish(world, fleet_at(world, n)); }
    world_finish(world);
}

struct world *sched_world_create(struct arena *arena)
{
    struct world *world = world_create(arena);
    world->boards = ARENA_NEW(arena, struct boards, 1);
    world->roster = roster_create(arena);
    world->feeds = feeds_create(arena);
    world->queue = queue_create(arena);
    world->runs = runs_create(arena);
    world->keeps = keeps_create(arena);
    world->quotas = quotas_create(arena);
    arena_at_end(arena, end, world);
    return world;
}

struct roster *sched_roster(struct world *world) { return world->roster; }
struct feeds *sched_feeds(struct world *world) { return world->feeds; }
struct queue *sched_queue(struct world *world) { return world->queue; }
struct runs *sched_runs(struct world *world) { return world->runs; }
struct keeps *sched_keeps(struct world *world) { return world->keeps; }
struct quotas *sched_quotas(struct world *world) { return world->quotas; }

/* ---- instances ---- */
/* Called before an instance leaves its fleet. With the last instance the boards and the statistics of the fleet go. */
static void leave_fleet(struct world *world, uint32_t number)
{
    const struct instance_slot *instance = instance_at(world, number);
    struct fleet *fleet = fleet_at(world, instance->fleet);
    ASSERT(instance->known && fleet_live(fleet) > 0);
    if (zones_leave(world, number)) { roster_changed_in(world->roster, fleet->cluster, WATCH_ZONES); }
    demand_stats_row_leaves(fleet, instance->row);
    if (fleet_live(fleet) > 1) { return; }
    boards_forget(world, instance->fleet);
    demand_stats_finish(world, fleet);
}

void sched_put_instance(struct world *world, const struct sched_instance *told)
{
    uint32_t known = instance_find(world, told->id);
    if (known != NONE && fleet_at(world, instance_at(world, known)->fleet)->cluster != told->cluster) { leave_fleet(world, known); }
    uint32_t number = instance_put(world, told);
    ASSERT(known == NONE || known == number);
    ASSERT(fleet_at(world, instance_at(world, number)->fleet)->cluster == told->cluster);
    if (zones_follow(world, number)) { roster_changed_in(world->roster, told->cluster, WATCH_ZONES); }
    demand_stats_see(world, number);
}

void sched_drop_instance(struct world *world, struct id id)
{
    uint32_t known = instance_find(world, id);
    if (known == NONE) { return; }
    leave_fleet(world, known);
    instance_drop(world, known);
    ASSERT(instance_find(world, id) == NONE);
}

/* ---- tasks ---- */
/* A task that is new to the world, at the start of a server, counts as asked for. */
static void count_told(struct world *world, const struct sched_task *told, uint32_t number)
{
    const struct instance_slot *instance = instance_at(world, number);
    if (!instance->known || told->gpu_count == 0) { return; }
    struct ask ask = { .cpu = (int32_t)min_i64(told->cpu, AMOUNT_MAX), .memory = (int32_t)min_i64(told->memory_mib, AMOUNT_MAX), .part_count = 1 };
    ask.parts[0] = (struct ask_part){ .devices = (int32_t)told->gpu_count, .share = (int32_t)told->gpus[0].share };
    if (ask.parts[0].share != GPU_WHOLE) { ask.parts[0].devices = 1; }
    demand_stats_count(world, fleet_at(world, instance->fleet), &ask, NULL, 1);
}

void sched_put_task(struct world *world, const struct sched_task *told)
{
    struct task_change change = task_put(world, told, NONE);
    ASSERT(change.is_new == (change.left == NONE));
    demand_stats_see(world, change.left);
    if (change.instance != change.left) { demand_stats_see(world, change.instance); }
    if (change.is_new) { count_told(world, told, change.instance); }
}

void sched_drop_task(struct world *world, struct id task) { demand_stats_see(world, task_drop(world, task)); }

void sched_load_begin(struct world *world, size_t count) { tasks_load_begin(world, count); }
void sched_load_end(struct world *world) { tasks_load_end(world); }

void sched_load_tasks(struct world *world, const struct sched_task *tasks, size_t count)
{
    uint32_t instances[SCHED_LOAD_MAX];
    tasks_load(world, tasks, count, instances);
    for (size_t t = 0; t < count; t++) {
        demand_stats_see(world, instances[t]);
        count_told(world, &tasks[t], instances[t]);
    }
}
