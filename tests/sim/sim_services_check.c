/* Facts of services: some must hold after every change, and some over one step of services. */
#include <string.h>

#include "base/table.h"
#include "scheduler/scheduler.h"
#include "tests/sim/sim.h"

enum { SERVICES_MAX = 64 };

struct sim_before { struct service_before services[SERVICES_MAX]; size_t count; };

static _Noreturn void fail(const struct sim *sim, const char *what, const struct service *service)
{
    char name[64] = "";
    (void)str_to_cstr(service->name, name, sizeof name);
    sim_fail(sim, what, name);
}

struct numbers { int64_t items[SERVICES_MAX]; size_t count; };

static void add_number(void *context, const struct service *service)
{
    struct numbers *numbers = context;
    ASSERT(numbers->count < SERVICES_MAX);
    numbers->items[numbers->count++] = service->number;
}

static struct roster_task *list_tasks(struct world *world, int64_t service, size_t *count, struct arena *arena)
{
    struct roster_task *tasks = ARENA_NEW(arena, struct roster_task, roster_count(sched_roster(world), service));
    *count = roster_tasks(sched_roster(world), service, tasks);
    return tasks;
}

static const struct roster_task *find_task(const struct roster_task *tasks, size_t count, struct id id)
{
    for (size_t t = 0; t < count; t++) {
        if (id_eq(tasks[t].id, id)) { return &tasks[t]; }
    }
    return NULL;
}

static const struct kept_deployment *find_deployment(const struct kept_deployment *deployments, size_t count, int64_t digits)
{
    for (size_t d = 0; d < count; d++) {
        if (deployments[d].digits == digits) { return &deployments[d]; }
    }
    return NULL;
}

/* ---- over one step ---- */

struct sim_before *sim_services_before(struct sim *sim, struct store_txn *txn, struct arena *arena)
{
    struct sim_before *before = ARENA_NEW(arena, struct sim_before, 1);
    struct numbers numbers = { .count = 0 };
    store_scan_services(txn, add_number, &numbers);
    before->count = 0;
    for (size_t n = 0; n < numbers.count; n++) {
        struct service_before *one = &before->services[before->count++];
        one->service = store_service(txn, numbers.items[n], arena);
        one->act = store_service_deployment(txn, numbers.items[n], one->service->last_service_deployment, arena);
        const struct service_event_list *events = &store_service_events(txn, numbers.items[n], arena)->events;
        one->told_ms = events->count == 0 ? 0 : events->items[0].created_at;
        one->deployment_count = store_list_deployments(txn, numbers.items[n], &one->deployments, arena);
        one->tasks = list_tasks(sim->world, numbers.items[n], &one->count, arena);
    }
    return before;
}

static bool is_rolling(const struct service_before *before)
{
    const struct service *service = before->service;
    return service->controller == DEPLOYMENT_CONTROLLER_TYPE_ECS && service->scheduling == SCHEDULING_STRATEGY_REPLICA
        && before->act != NULL && before->act->configuration->strategy == DEPLOYMENT_STRATEGY_ROLLING;
}

static bool is_healthy(const struct sim *sim, const struct roster_task *task)
{
    bool checked = task->health == HEALTH_GOOD || (task->health == HEALTH_NO_CHECK && sim->now_ms - task->running_since_ms >= HEALTHY_AFTER_MS);
    return task->running && !task->leaving && checked;
}

static int64_t count_healthy(const struct sim *sim, const struct roster_task *tasks, size_t count)
{
    int64_t healthy = 0;
    for (size_t t = 0; t < count; t++) { healthy += is_healthy(sim, &tasks[t]); }
    return healthy;
}

static void check_start(struct sim *sim, const struct service_before *before, const struct roster_task *task)
{
    const struct kept_deployment *deployment = find_deployment(before->deployments, before->deployment_count, task->deployment);
    sim->starts++;
    if (before->service->status != SERVICE_ACTIVE) { fail(sim, "a service that is not ACTIVE starts a task", before->service); }
    if (deployment == NULL) { fail(sim, "a task starts for a deployment that is not there", before->service); }
    if (deployment->rollout == DEPLOYMENT_ROLLOUT_STATE_FAILED) { fail(sim, "a FAILED deployment starts a task", before->service); }
    if (deployment->next_start_ms > sim->now_ms && deployment->status == DEPLOYMENT_STATUS_PRIMARY) { fail(sim, "a task starts in a pause", before->service); }
}

/* A protected task may stop for what it is and where it is, not for what the service wants. */
static void check_stop(struct sim *sim, struct store_txn *txn, const struct service_before *before, const struct roster_task *task, struct arena *arena)
{
    const struct task *record = store_task(txn, task->id, arena);
    if (record == NULL) { fail(sim, "a task that stops has no record", before->service); }
    bool scaled = str_starts_with(record->stopped_reason, STR("Scaling activity"));
    if (scaled && before->service->status == SERVICE_ACTIVE && task->protected_until_ms > sim->now_ms) {
        fail(sim, "a protected task is stopped by its service", before->service);
    }
}

/* Tasks of a set that stay: replacements may double them. */
static void check_sets(struct sim *sim, const struct service_before *before, const struct roster_task *tasks, size_t count)
{
    for (size_t d = 0; d < before->deployment_count; d++) {
        const struct kept_deployment *set = &before->deployments[d];
        int64_t most = 2 * reconcile_computed(before->service->desired_count, set->task_set == NULL ? 0 : set->task_set->scale), now = 0, then = 0;
        for (size_t t = 0; t < count; t++) { now += tasks[t].deployment == set->digits && !tasks[t].leaving; }
        for (size_t t = 0; t < before->count; t++) { then += before->tasks[t].deployment == set->digits && !before->tasks[t].leaving; }
        if (now > then && now > most) { fail(sim, "a task set has more tasks than its scale gives it", before->service); }
    }
}

/* While its cause lasts, an event comes once in six hours. */
static void check_told(struct sim *sim, struct store_txn *txn, const struct service_before *before, struct arena *arena)
{
    static const struct { enum event_cause cause; const char *text; } causes[] = {
        { EVENT_CAUSE_STEADY, "has reached a steady state." }, { EVENT_CAUSE_STUCK, "was unable to stop or start tasks during a deployment" },
        { EVENT_CAUSE_PROTECTED, "was unable to reach steady state because" }, { EVENT_CAUSE_UNABLE, "is unable to consistently start tasks" },
        { EVENT_CAUSE_NO_ROOM, "was unable to place a task" },
    };
    const struct service_event_list *events = &store_service_events(txn, before->service->number, arena)->events;
    for (size_t e = 0; e < events->count && events->items[e].created_at > before->told_ms; e++) {
        for (size_t c = 0; c < COUNT_OF(causes); c++) {
            int64_t last_ms = service_mark(before->service, causes[c].cause);
            bool again = last_ms != 0 && last_ms <= sim->now_ms && sim->now_ms - last_ms < EVENT_MARK_MS;
            if (again && strstr(arena_str(arena, events->items[e].message).ptr, causes[c].text) != NULL) {
                fail(sim, "an event comes twice in six hours", before->service);
            }
        }
    }
}

static void check_limits(struct sim *sim, const struct service_before *before, const struct roster_task *tasks, size_t count)
{
    const struct service *service = before->service;
    if (count > before->count && service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) { check_sets(sim, before, tasks, count); }
    if (!is_rolling(before) || service->status != SERVICE_ACTIVE) { return; }
    int64_t desired = service->desired_count;
    int64_t upper = reconcile_upper(desired, service->configuration->maximum_percent.value);
    int64_t lower = reconcile_lower(desired, service->configuration->minimum_healthy_percent.value);
    if (service->tags.count > 0 && str_eq(service->tags.items[0].value, STR("stop-first"))) { lower = lower > 0 ? lower - 1 : 0; }
    int64_t healthy = count_healthy(sim, before->tasks, before->count), least = healthy < lower ? healthy : lower;
    if ((int64_t)count > upper && count > before->count) { fail(sim, "a service has more tasks than its upper limit", service); }
    if (count_healthy(sim, tasks, count) < least) { fail(sim, "a service stops more tasks than its lower limit allows", service); }
}

/* Its machine was asked to pull before, and the pull has ended, or has had its time. */
static void check_pulled(struct sim *sim, const struct service_before *before, const struct roster_task *task)
{
    struct str value;
    if (!sched_attribute(sim->world, task->instance, STR(EARLY_PULLS_ATTRIBUTE), &value) || !str_is_set(value)) { return; }
    const struct early_pull_list *pulls = &before->service->early_pulls;
    for (size_t p = 0; p < pulls->count; p++) {
        const struct early_pull *pull = &pulls->items[p];
        bool is_over = pull->ended == OPT_TRUE || sim->now_ms >= pull->since_ms + PULL_WAIT_MS;
        if (is_over && pull->revision == before->service->revision && id_eq(pull->instance, task->instance)) { return; }
    }
    fail(sim, "a task makes room before its machine has pulled", before->service);
}

void sim_services_after(struct sim *sim, struct store_txn *txn, const struct sim_before *before, struct arena *arena)
{
    sim->steps++;
    for (size_t n = 0; n < before->count; n++) {
        const struct service_before *one = &before->services[n];
        size_t count;
        struct roster_task *tasks = list_tasks(sim->world, one->service->number, &count, arena);
        for (size_t t = 0; t < count; t++) {
            const struct roster_task *was = find_task(one->tasks, one->count, tasks[t].id);
            if (was == NULL) { check_start(sim, one, &tasks[t]); }
            if (was != NULL && !was->leaving && tasks[t].leaving) { check_stop(sim, txn, one, was, arena); }
            if (was != NULL && !was->keeps_place && tasks[t].keeps_place) { check_pulled(sim, one, &tasks[t]); }
        }
        check_limits(sim, one, tasks, count);
        check_told(sim, txn, one, arena);
        sim_traffic_after(sim, txn, one, tasks, count, arena);
    }
}

/* ---- after every change ---- */

static void remember_task(struct sim *sim, const struct roster_task *task)
{
    for (size_t t = 0; t < sim->task_count; t++) {
        if (id_eq(sim->tasks[t].id, task->id)) { return; }
    }
    if (sim->task_count == SIM_TASKS_MAX) { sim_fail(sim, "too many tasks", ""); }
    sim->tasks[sim->task_count++] = (struct sim_task){
        .id = task->id, .furthest = TASK_PENDING, .desired = TASK_RUNNING, .service = task->service, .deployment = task->deployment,
    };
}

static void check_task(struct sim *sim, struct store_txn *txn, const struct service *service, const struct roster_task *told, struct arena *arena)
{
    const struct task *task = store_task(txn, told->id, arena);
    if (task == NULL || !task_is_live(task)) { fail(sim, "a task that is not live is in the roster", service); }
    if (task->service != service->number || task->deployment != told->deployment) { fail(sim, "the roster has a task's service wrong", service); }
    if (!str_eq(task->started_by, names_deployment_id(task->deployment, arena))) { fail(sim, "a task's startedBy is not its deployment", service); }
    remember_task(sim, told);
}

static bool same_task(const struct roster_task *a, const struct roster_task *b)
{
    return id_eq(a->instance, b->instance) && a->service == b->service && a->deployment == b->deployment && a->running == b->running
        && a->leaving == b->leaving && a->health == b->health && a->running_since_ms == b->running_since_ms
        && a->protected_until_ms == b->protected_until_ms && a->keeps_place == b->keeps_place;
}

static void check_roster(struct sim *sim, struct store_txn *txn, const struct service *service, struct world *fresh, struct arena *arena)
{
    size_t count, built_count;
    struct roster_task *tasks = list_tasks(sim->world, service->number, &count, arena);
    struct roster_task *built = list_tasks(fresh, service->number, &built_count, arena);
    if (count != built_count) { fail(sim, "the roster differs from one built from the store", service); }
    for (size_t t = 0; t < count; t++) {
        const struct roster_task *twin = find_task(built, built_count, tasks[t].id);
        if (twin == NULL || !same_task(&tasks[t], twin)) { fail(sim, "a task in the roster differs from its record", service); }
        check_task(sim, txn, service, &tasks[t], arena);
        for (size_t u = 0; service->scheduling == SCHEDULING_STRATEGY_DAEMON && u < t; u++) {
            bool twice = id_eq(tasks[t].instance, tasks[u].instance) && !tasks[t].leaving && !tasks[u].leaving;
            if (twice) { fail(sim, "an instance has two daemons of a service", service); }
        }
    }
}

static void check_deployments(struct sim *sim, struct store_txn *txn, const struct service *service, struct arena *arena)
{
    struct kept_deployment *deployments;
    size_t count = store_list_deployments(txn, service->number, &deployments, arena), primaries = 0, task_count;
    struct roster_task *tasks = list_tasks(sim->world, service->number, &task_count, arena);
    for (size_t d = 0; d < count; d++) {
        struct deployment_counts kept = store_deployment_counts(txn, deployments[d].digits), seen = { 0, 0, 0, 0 };
        for (size_t t = 0; t < task_count; t++) {
            if (tasks[t].deployment != deployments[d].digits) { continue; }
            seen.running += tasks[t].running;
            seen.live++;
            seen.staying += !tasks[t].leaving;
        }
        if (kept.running != seen.running || kept.live != seen.live || kept.staying != seen.staying) {
            fail(sim, "the counts of a deployment differ from its tasks", service);
        }
        bool primary = deployments[d].status == DEPLOYMENT_STATUS_PRIMARY;
        primaries += primary;
        if (primary && deployments[d].digits != service->revision) { fail(sim, "the PRIMARY is not of the service's revision", service); }
    }
    bool one = service->status == SERVICE_ACTIVE && service->controller == DEPLOYMENT_CONTROLLER_TYPE_ECS;
    if (one && primaries != 1) { fail(sim, "an ACTIVE service has not one PRIMARY", service); }
    if (service->status == SERVICE_INACTIVE && count > 0) { fail(sim, "an INACTIVE service has deployments", service); }
}

/* Several changes may come with one commit. */
static bool may_reach(enum service_deployment_status from, enum service_deployment_status to)
{
    bool reached[SERVICE_DEPLOYMENT_STATUS_COUNT] = { [0] = false };
    reached[from] = true;
    for (int round = 0; round < SERVICE_DEPLOYMENT_STATUS_COUNT; round++) {
        for (int a = 0; a < SERVICE_DEPLOYMENT_STATUS_COUNT; a++) {
            for (int b = 0; reached[a] && b < SERVICE_DEPLOYMENT_STATUS_COUNT; b++) {
                reached[b] = reached[b] || service_deployment_may_become((enum service_deployment_status)a, (enum service_deployment_status)b);
            }
        }
    }
    return reached[to];
}

static struct sim_service *seen_service(struct sim *sim, int64_t number)
{
    for (size_t s = 0; s < sim->seen_count && s < SIM_SEEN_MAX; s++) {
        if (sim->seen[s].number == number) { return &sim->seen[s]; }
    }
    struct sim_service *seen = &sim->seen[sim->seen_count++ % SIM_SEEN_MAX];
    *seen = (struct sim_service){ .number = number };
    return seen;
}

static void check_acts(struct sim *sim, struct store_txn *txn, const struct service *service, struct arena *arena)
{
    struct service_deployment *acts = ARENA_NEW(arena, struct service_deployment, SERVICE_DEPLOYMENTS_MAX);
    size_t count = store_list_service_deployments(txn, service->number, (struct id){ 0 }, acts, SERVICE_DEPLOYMENTS_MAX, arena);
    struct sim_service *seen = seen_service(sim, service->number);
    for (size_t a = 0; a < count; a++) {
        if (a == 0 && !id_eq(acts[a].id, service->last_service_deployment)) { fail(sim, "the newest service deployment is another", service); }
        if (a > 0 && !service_deployment_has_ended(acts[a].status)) { fail(sim, "an old service deployment has not ended", service); }
        if (id_eq(acts[a].id, seen->act) && !may_reach(seen->status, acts[a].status)) {
            fail(sim, "a service deployment's status went a way that there is not", service);
        }
    }
    if (count == 0) { return; }
    if (service->status == SERVICE_INACTIVE && !service_deployment_has_ended(acts[0].status)) {
        fail(sim, "a service deployment of an INACTIVE service has not ended", service);
    }
    seen->act = acts[0].id;
    seen->status = acts[0].status;
}

static void check_events(struct sim *sim, struct store_txn *txn, const struct service *service, struct arena *arena)
{
    const struct service_event_list *events = &store_service_events(txn, service->number, arena)->events;
    if (events->count > SERVICE_EVENTS_MAX) { fail(sim, "a service has too many events", service); }
    for (size_t e = 1; e < events->count; e++) {
        if (events->items[e].created_at >= events->items[e - 1].created_at) { fail(sim, "two events have one time", service); }
    }
}

/* Definitions count the deployments and task sets that use them. */
static void check_uses(struct sim *sim, struct store_txn *txn, const struct numbers *numbers, struct arena *arena)
{
    enum { DEFINITIONS_MAX = 64 };
    struct taskdef_name names[DEFINITIONS_MAX];
    int64_t used = 0, counted = 0;
    for (size_t n = 0; n < numbers->count; n++) {
        struct kept_deployment *deployments;
        used += (int64_t)store_list_deployments(txn, numbers->items[n], &deployments, arena);
    }
    for (int status = TASK_DEFINITION_STATUS_ACTIVE; status < TASK_DEFINITION_STATUS_COUNT; status++) {
        size_t count = store_list_taskdefs(txn, (struct str){ 0 }, (enum task_definition_status)status, false, (struct taskdef_name){ 0 }, names,
                                           DEFINITIONS_MAX, arena);
        for (size_t d = 0; d < count; d++) { counted += store_taskdef(txn, names[d].family, names[d].revision, arena)->deployments; }
    }
    if (used != counted) { sim_fail(sim, "definitions count other deployments than there are", ""); }
}

void sim_services_check(struct sim *sim, struct store_txn *txn, struct world *fresh, struct arena *arena)
{
    struct numbers numbers = { .count = 0 };
    store_scan_services(txn, add_number, &numbers);
    for (size_t n = 0; n < numbers.count; n++) {
        const struct service *service = store_service(txn, numbers.items[n], arena);
        check_roster(sim, txn, service, fresh, arena);
        check_deployments(sim, txn, service, arena);
        check_acts(sim, txn, service, arena);
        check_events(sim, txn, service, arena);
    }
    check_uses(sim, txn, &numbers, arena);
}

/* ---- at rest ---- */

static bool has_others(struct store_txn *txn, struct id instance, struct arena *arena)
{
    struct live_task *tasks;
    size_t count = store_live_on_instance(txn, instance, &tasks, arena);
    for (size_t t = 0; t < count; t++) {
        const struct task *task = store_task(txn, tasks[t].id, arena);
        const struct service *service = task->service == 0 ? NULL : store_service(txn, task->service, arena);
        if (service == NULL || service->scheduling != SCHEDULING_STRATEGY_DAEMON || service->status == SERVICE_INACTIVE) { return true; }
    }
    return false;
}

void sim_services_rest(struct sim *sim, struct store_txn *txn, struct arena *arena)
{
    struct numbers numbers = { .count = 0 };
    store_scan_services(txn, add_number, &numbers);
    for (size_t n = 0; n < numbers.count; n++) {
        const struct service *service = store_service(txn, numbers.items[n], arena);
        size_t count;
        const struct roster_task *tasks = list_tasks(sim->world, service->number, &count, arena);
        for (size_t t = 0; t < count && service->scheduling == SCHEDULING_STRATEGY_DAEMON; t++) {
            bool active = true, known = sched_takes_tasks(sim->world, tasks[t].instance, &active);
            if (tasks[t].leaving || active || !known || has_others(txn, tasks[t].instance, arena)) { continue; }
            fail(sim, "a daemon stays on a draining machine", service);
        }
    }
}

/* ---- a sum ---- */

uint64_t sim_services_sum(struct sim *sim, struct store_txn *txn, bool with_events, struct arena *arena)
{
    struct numbers numbers = { .count = 0 };
    uint64_t sum = 0;
    store_scan_services(txn, add_number, &numbers);
    for (size_t n = 0; n < numbers.count; n++) {
        const struct service *service = store_service(txn, numbers.items[n], arena);
        const struct service_event_list *events = &store_service_events(txn, service->number, arena)->events;
        struct kept_deployment *deployments;
        size_t count, deployment_count = store_list_deployments(txn, service->number, &deployments, arena);
        struct roster_task *tasks = list_tasks(sim->world, service->number, &count, arena);
        int64_t leaving = 0;
        for (size_t t = 0; t < count; t++) { leaving += tasks[t].leaving; }
        sum = hash_mix(sum + (uint64_t)service->status + 7 * (uint64_t)service->desired_count);
        sum = hash_mix(sum + deployment_count + 31 * count + 1009 * (uint64_t)leaving);
        if (with_events && events->count > 0) { sum = hash_mix(sum + (uint64_t)events->items[0].created_at); }
        for (size_t d = 0; d < deployment_count; d++) { sum = hash_mix(sum + (uint64_t)deployments[d].status + 11 * (uint64_t)deployments[d].rollout); }
    }
    return sum;
}
