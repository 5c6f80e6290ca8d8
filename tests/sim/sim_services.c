/* Seven days of services: what clients ask, time that jumps from one step of services to the next and sometimes past it, machines in good and bad
 * moods. At the end everything is well, and each service must reach what it was asked for; then all are deleted. */
#include <string.h>

#include "scheduler/scheduler.h"
#include "tests/sim/sim.h"

enum {
    ARENA_SIZE = 64 * 1024 * 1024, NAMES = SIM_NAMES, STEPS_MAX = 100, WAKES_MAX = 40, ROUNDS_MAX = 400, EXPIRE_MAX = 100,
    SECOND_MS = 1000, HOUR_MS = 3600 * SECOND_MS, DAY_MS = 24 * HOUR_MS, WEEK_MS = 7 * DAY_MS,
};

static int random_name(struct sim *sim) { return (int)rng_below(&sim->rng, NAMES); }

/* ---- what clients ask ---- */

static const char *const percents[] = {
    "\"minimumHealthyPercent\":100,\"maximumPercent\":200", "\"minimumHealthyPercent\":50,\"maximumPercent\":100",
    "\"minimumHealthyPercent\":0,\"maximumPercent\":100", "\"minimumHealthyPercent\":50,\"maximumPercent\":150",
    "\"minimumHealthyPercent\":75,\"maximumPercent\":125", "\"minimumHealthyPercent\":0,\"maximumPercent\":200",
};
static const char *const breakers[] = {
    "", ",\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":false}", ",\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":true}",
    ",\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":true,\"resetOnHealthyTask\":true}",
    ",\"alarms\":{\"alarmNames\":[\"errors\"],\"enable\":true,\"rollback\":true}",
};
static const char *const families[] = { "cpu", "checked", "cpu", "checked", "one", "part", "port" };

static const char *pick(struct sim *sim, const char *const *texts, size_t count) { return texts[rng_below(&sim->rng, count)]; }

static struct str configuration(struct sim *sim, struct arena *arena)
{
    const char *limits = pick(sim, percents, COUNT_OF(percents)), *breaker = pick(sim, breakers, COUNT_OF(breakers));
    return arena_printf(arena, "\"deploymentConfiguration\":{%s%s}", limits, breaker);
}

static struct str create_body(struct sim *sim, struct arena *arena)
{
    static const char *const extras[] = { "", ",\"tags\":[{\"key\":\"berth:replace\",\"value\":\"stop-first\"}]",
                                          ",\"tags\":[{\"key\":\"berth:replace\",\"value\":\"one-first\"}]", ",\"tags\":[{\"key\":\"berth:placement-failures\",\"value\":\"wait\"}]",
                                          ",\"placementStrategy\":[{\"type\":\"binpack\",\"field\":\"memory\"}]",
                                          ",\"placementConstraints\":[{\"type\":\"distinctInstance\"}]" };
    int name = random_name(sim), desired = (int)rng_below(&sim->rng, 6);
    const char *family = pick(sim, families, COUNT_OF(families)), *extra = pick(sim, extras, COUNT_OF(extras));
    struct str limits = configuration(sim, arena);
    uint64_t dice = rng_below(&sim->rng, 14);
    if (dice >= 10) {
        struct str shifts = sim_traffic_configuration(sim, arena);
        return arena_printf(arena, "{\"serviceName\":\"s%d\",\"taskDefinition\":\"%s\",\"desiredCount\":%d," STR_FMT "}", name, family, desired, STR_ARG(shifts));
    }
    if (dice < 2) {
        return arena_printf(arena, "{\"serviceName\":\"s%d\",\"desiredCount\":%d,\"deploymentController\":{\"type\":\"EXTERNAL\"}}", name, desired);
    }
    if (dice < 4) {
        return arena_printf(arena, "{\"serviceName\":\"s%d\",\"taskDefinition\":\"%s\",\"schedulingStrategy\":\"DAEMON\"}", name, family);
    }
    if (dice < 6) {                                      /* more tasks than there are GPUs, or nearly: old ones make room */
        return arena_printf(arena, "{\"serviceName\":\"s%d\",\"taskDefinition\":\"one\",\"desiredCount\":%d," STR_FMT
                            ",\"tags\":[{\"key\":\"berth:replace\",\"value\":\"stop-first\"}]}", name, 2 + 2 * desired, STR_ARG(limits));
    }
    return arena_printf(arena, "{\"serviceName\":\"s%d\",\"taskDefinition\":\"%s\",\"desiredCount\":%d," STR_FMT "%s}", name, family, desired, STR_ARG(limits), extra);
}

static struct str scale_body(struct sim *sim, struct arena *arena)
{
    int name = random_name(sim), desired = (int)rng_below(&sim->rng, 7);
    return arena_printf(arena, "{\"service\":\"s%d\",\"desiredCount\":%d}", name, desired);
}

static struct str deploy_body(struct sim *sim, struct arena *arena)
{
    int name = random_name(sim);
    const char *family = pick(sim, families, COUNT_OF(families));
    if (rng_below(&sim->rng, 3) == 0) { return arena_printf(arena, "{\"service\":\"s%d\",\"forceNewDeployment\":true}", name); }
    return arena_printf(arena, "{\"service\":\"s%d\",\"taskDefinition\":\"%s\"}", name, family);
}

static struct str configure_body(struct sim *sim, struct arena *arena)
{
    int name = random_name(sim);
    struct str limits = rng_below(&sim->rng, 3) == 0 ? sim_traffic_configuration(sim, arena) : configuration(sim, arena);
    return arena_printf(arena, "{\"service\":\"s%d\"," STR_FMT "}", name, STR_ARG(limits));
}

static struct str delete_body(struct sim *sim, struct arena *arena)
{
    int name = random_name(sim);
    return arena_printf(arena, "{\"service\":\"s%d\",\"force\":%s}", name, rng_below(&sim->rng, 2) == 0 ? "true" : "false");
}

/* The newest service deployment of a service; a text that names none when there is none. */
static struct str end_body(struct sim *sim, struct arena *arena)
{
    struct str name = arena_printf(arena, "s%d", random_name(sim));
    const char *type = rng_below(&sim->rng, 3) == 0 ? "ABORT" : "ROLLBACK";
    struct store_txn *txn = store_read_begin(sim->store);
    const struct service *service = store_service_named(txn, 1, name, arena);
    struct id id = service == NULL ? (struct id){ 0 } : service->last_service_deployment;
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", name.ptr); }
    struct str arn = names_service_deployment_arn(&sim->config.names, STR("default"), name, id, arena);
    return arena_printf(arena, "{\"serviceDeploymentArn\":\"" STR_FMT "\",\"stopType\":\"%s\"}", STR_ARG(arn), type);
}

/* ---- task sets ---- */

/* The name of a task set of the service; "none" when it has none. */
static const char *random_set(struct sim *sim, int name, struct arena *arena)
{
    struct kept_deployment *sets;
    struct store_txn *txn = store_read_begin(sim->store);
    const struct service *service = store_service_named(txn, 1, arena_printf(arena, "s%d", name), arena);
    size_t count = service == NULL ? 0 : store_list_deployments(txn, service->number, &sets, arena);
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "task sets"); }
    return count == 0 ? "none" : names_deployment_id(sets[rng_below(&sim->rng, count)].digits, arena).ptr;
}

static struct str create_set_body(struct sim *sim, struct arena *arena)
{
    int name = random_name(sim), scale = (int)rng_below(&sim->rng, 101);
    const char *family = pick(sim, families, COUNT_OF(families));
    return arena_printf(arena, "{\"cluster\":\"default\",\"service\":\"s%d\",\"taskDefinition\":\"%s\",\"scale\":{\"unit\":\"PERCENT\",\"value\":%d}}",
                        name, family, scale);
}

static struct str scale_set_body(struct sim *sim, struct arena *arena)
{
    int name = random_name(sim), scale = (int)rng_below(&sim->rng, 101);
    return arena_printf(arena, "{\"cluster\":\"default\",\"service\":\"s%d\",\"taskSet\":\"%s\",\"scale\":{\"unit\":\"PERCENT\",\"value\":%d}}",
                        name, random_set(sim, name, arena), scale);
}

static struct str primary_set_body(struct sim *sim, struct arena *arena)
{
    int name = random_name(sim);
    return arena_printf(arena, "{\"cluster\":\"default\",\"service\":\"s%d\",\"primaryTaskSet\":\"%s\"}", name, random_set(sim, name, arena));
}

static struct str delete_set_body(struct sim *sim, struct arena *arena)
{
    int name = random_name(sim);
    const char *set = random_set(sim, name, arena), *force = rng_below(&sim->rng, 2) == 0 ? "true" : "false";
    return arena_printf(arena, "{\"cluster\":\"default\",\"service\":\"s%d\",\"taskSet\":\"%s\",\"force\":%s}", name, set, force);
}

/* ---- single tasks and machines ---- */

/* A task of a service; any task when chance finds none. */
static struct str random_task(struct sim *sim, struct arena *arena)
{
    char hex[ID_HEX_LEN + 1] = "none";
    for (int tries = 0; tries < 8 && sim->task_count > 0; tries++) {
        size_t newest = sim->task_count < 24 ? sim->task_count : 24;
        const struct sim_task *task = &sim->tasks[sim->task_count - 1 - rng_below(&sim->rng, newest)];
        id_hex(task->id, hex);
        if (task->service != 0 && task->furthest != TASK_STOPPED) { break; }
    }
    return arena_str(arena, str_from(hex));
}

static struct str protect_body(struct sim *sim, struct arena *arena)
{
    struct str task = random_task(sim, arena);
    int minutes = 1 + (int)rng_below(&sim->rng, 600);
    if (rng_below(&sim->rng, 4) == 0) { return arena_printf(arena, "{\"cluster\":\"default\",\"tasks\":[\"%s\"],\"protectionEnabled\":false}", task.ptr); }
    return arena_printf(arena, "{\"cluster\":\"default\",\"tasks\":[\"%s\"],\"protectionEnabled\":true,\"expiresInMinutes\":%d}", task.ptr, minutes);
}

static struct str stop_body(struct sim *sim, struct arena *arena)
{
    return arena_printf(arena, "{\"task\":\"%s\",\"reason\":\"sim\"}", random_task(sim, arena).ptr);
}

static struct str drain_body(struct sim *sim, struct arena *arena)
{
    const struct sim_agent *agent = sim_random_agent(sim);
    return arena_printf(arena, "{\"containerInstances\":[\"%s\"],\"status\":\"%s\"}", agent->arn, rng_below(&sim->rng, 3) == 0 ? "DRAINING" : "ACTIVE");
}

const char *sim_services_request(struct sim *sim, struct arena *arena, struct str *body)
{
    static const struct { uint64_t below; const char *operation; struct str (*body)(struct sim *sim, struct arena *arena); } requests[] = {
        { 25, "CreateService", create_body }, { 38, "UpdateService", scale_body }, { 62, "UpdateService", deploy_body },
        { 70, "UpdateService", configure_body }, { 75, "DeleteService", delete_body }, { 80, "StopServiceDeployment", end_body },
        { 88, "UpdateTaskProtection", protect_body }, { 92, "StopTask", stop_body }, { 100, "UpdateContainerInstancesState", drain_body },
        { 110, "CreateTaskSet", create_set_body }, { 116, "UpdateTaskSet", scale_set_body },
        { 120, "UpdateServicePrimaryTaskSet", primary_set_body }, { 124, "DeleteTaskSet", delete_set_body },
        { 160, "ContinueServiceDeployment", sim_traffic_answer }, { 166, "GraniteServiceVersion20100801.SetAlarmState", sim_traffic_alarm },
    };
    uint64_t dice = rng_below(&sim->rng, 166);
    size_t r = 0;
    while (dice >= requests[r].below) { r++; }
    *body = requests[r].body(sim, arena);
    return requests[r].operation;
}

static bool ask(struct sim *sim, const char *operation, struct str body)
{
    struct arena arena = { 0 };
    struct str reply;
    struct err err;
    arena_init(&arena, ARENA_SIZE);
    bool good = sim_call(sim, operation, body, &arena, &reply, &err);
    arena_finish(&arena);
    return good;
}

/* ---- steps of services ---- */

static void step_once(struct sim *sim)
{
    struct arena arena = { 0 };
    struct api_call call;
    arena_init(&arena, ARENA_SIZE);
    api_prepare_step_services(false, &arena, &call);
    (void)sim_internal(sim, &call, &arena);
    arena_finish(&arena);
}

static bool is_due(struct sim *sim)
{
    int64_t due_ms = api_services_due_ms(sim->world, sim->now_ms);
    return due_ms != 0 && due_ms <= sim->now_ms;
}

static void step_all(struct sim *sim)
{
    int steps = 0;
    for (; steps < STEPS_MAX && is_due(sim); steps++) { step_once(sim); }
    if (steps == STEPS_MAX) { sim_fail(sim, "services do not come to rest", ""); }
}

/* Nothing is due. */
static uint64_t sum_at_rest(struct sim *sim, bool with_events)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    struct store_txn *txn = store_read_begin(sim->store);
    sim_services_rest(sim, txn, &arena);
    uint64_t sum = sim_services_sum(sim, txn, with_events, &arena);
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "sum"); }
    arena_finish(&arena);
    return sum;
}

static void touch(void *context, const struct service *service) { roster_touch(sched_roster(((struct sim *)context)->world), service->number); }

/* One more step of each service changes nothing. */
static void check_more(struct sim *sim, bool with_events)
{
    uint64_t before = sum_at_rest(sim, with_events);
    struct store_txn *txn = store_read_begin(sim->store);
    store_scan_services(txn, touch, sim);
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "services"); }
    step_all(sim);
    if (sum_at_rest(sim, with_events) != before) { sim_fail(sim, "a step plans more although nothing has changed", ""); }
}

/* When no step is due, one more of each service plans nothing. It may report the room that the steps of other services have made or taken, but once. */
static void check_rest(struct sim *sim)
{
    bool faults = sim->faults;
    sim->faults = false;
    step_all(sim);
    check_more(sim, false);
    check_more(sim, true);
    sim->faults = faults;
}

/* ---- time ---- */

/* Steps come when they are due, and agents go on in between; but after some steps, the next comes at the end only. */
static void advance(struct sim *sim, int64_t until_ms)
{
    for (int wakes = 0; sim->now_ms < until_ms; wakes++) {
        int64_t due_ms = api_services_due_ms(sim->world, sim->now_ms);
        bool in_time = wakes < WAKES_MAX && due_ms != 0 && due_ms < until_ms;
        sim->now_ms = !in_time ? until_ms : due_ms > sim->now_ms ? due_ms : sim->now_ms + 1;
        sim_agents_stay(sim);
        sim_time_passes(sim);
        step_once(sim);
        sim_check(sim);
        for (int s = 0; s < 3; s++) { sim_agent_step(sim); }
        sim_check(sim);
    }
}

static void forget_tasks(struct sim *sim)
{
    struct arena arena = { 0 };
    size_t kept = 0;
    arena_init(&arena, ARENA_SIZE);
    struct store_txn *txn = store_read_begin(sim->store);
    for (size_t t = 0; t < sim->task_count; t++) {
        if (store_task(txn, sim->tasks[t].id, &arena) != NULL) { sim->tasks[kept++] = sim->tasks[t]; }
        arena_reset(&arena);
    }
    sim->task_count = kept;
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "tasks"); }
    arena_finish(&arena);
    sim_agents_forget(sim);
}

static void expire(struct sim *sim)
{
    struct arena arena = { 0 };
    struct api_call call;
    struct expire_tasks request = { .limit = EXPIRE_MAX };
    arena_init(&arena, ARENA_SIZE);
    api_prepare_expire(&request, &arena, &call);
    (void)sim_internal(sim, &call, &arena);
    arena_finish(&arena);
    sim_check_all(sim);
    forget_tasks(sim);
}

static const struct sim_mood moods[] = { { 0, 0, 0 }, { 0, 0, 0 }, { 60, 30, 60 }, { 10, 10, 10 }, { 2, 0, 0 }, { 0, 1, 0 } };

/* Time jumps, so that all steps together make a week. */
static void jump(struct sim *sim, uint64_t steps)
{
    int64_t longest = rng_below(&sim->rng, 3) == 0 ? (int64_t)(WEEK_MS / (int64_t)(steps / 60 + 1)) * 2 : 2 * 60 * SECOND_MS;
    advance(sim, sim->now_ms + 1 + (int64_t)rng_below(&sim->rng, (uint64_t)longest));
    sim->mood = moods[rng_below(&sim->rng, COUNT_OF(moods))];
    expire(sim);
}

static void happen(struct sim *sim, uint64_t steps)
{
    uint64_t dice = rng_below(&sim->rng, 100);
    if (dice < 12) {
        struct arena arena = { 0 };
        struct str body;
        arena_init(&arena, ARENA_SIZE);
        const char *operation = sim_services_request(sim, &arena, &body);
        (void)ask(sim, operation, body);
        arena_finish(&arena);
    } else if (dice < 30) {
        step_once(sim);
    } else if (dice < 34) {
        sim_burst(sim);
    } else if (dice < 85) {
        sim->now_ms += (int64_t)rng_below(&sim->rng, 3000);
        sim_agent_step(sim);
    } else if (dice < 87) {
        sim_crash(sim);
    } else if (dice < 91) {
        check_rest(sim);
    } else if (dice < 96) {
        jump(sim, steps);
    } else {
        sim_step(sim);
    }
}

/* ---- the end: all is well ---- */

static void read_services(struct sim *sim, struct arena *arena, const struct service *services[NAMES])
{
    struct store_txn *txn = store_read_begin(sim->store);
    for (int n = 0; n < NAMES; n++) {
        const struct service *service = store_service_named(txn, 1, arena_printf(arena, "s%d", n), arena);
        services[n] = service != NULL && service->status == SERVICE_ACTIVE ? service : NULL;
    }
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "services"); }
}

static void make_well(struct sim *sim, struct arena *arena)
{
    sim->faults = false;
    sim->mood = (struct sim_mood){ 0, 0, 0 };
    sim_agents_settle(sim);
    for (size_t a = 0; a < sim->agent_count; a++) {
        (void)ask(sim, "UpdateContainerInstancesState", arena_printf(arena, "{\"containerInstances\":[\"%s\"],\"status\":\"ACTIVE\"}", sim->agents[a].arn));
    }
    for (size_t t = 0; t < sim->task_count; t++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(sim->tasks[t].id, hex);
        bool free = sim->tasks[t].service == 0;
        struct str body = free ? arena_printf(arena, "{\"task\":\"%s\"}", hex) : arena_printf(arena, "{\"cluster\":\"default\",\"tasks\":[\"%s\"],\"protectionEnabled\":false}", hex);
        (void)ask(sim, free ? "StopTask" : "UpdateTaskProtection", body);
    }
}

static void delete_sets(struct sim *sim, struct arena *arena)
{
    const struct service *services[NAMES];
    read_services(sim, arena, services);
    for (int n = 0; n < NAMES; n++) {
        struct kept_deployment *sets;
        if (services[n] == NULL || services[n]->controller != DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) { continue; }
        struct store_txn *txn = store_read_begin(sim->store);
        size_t count = store_list_deployments(txn, services[n]->number, &sets, arena);
        if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "task sets"); }
        for (size_t d = 0; d < count; d++) {
            (void)ask(sim, "DeleteTaskSet", arena_printf(arena, "{\"cluster\":\"default\",\"service\":\"s%d\",\"taskSet\":\"%s\",\"force\":true}", n,
                                                         names_deployment_id(sets[d].digits, arena).ptr));
        }
    }
}

/* For half of the desired count. */
static void create_set(struct sim *sim, int name, struct arena *arena)
{
    struct str body = arena_printf(arena, "{\"cluster\":\"default\",\"service\":\"s%d\",\"taskDefinition\":\"checked\","
                                   "\"scale\":{\"unit\":\"PERCENT\",\"value\":50}}", name);
    if (!ask(sim, "CreateTaskSet", body)) { sim_fail(sim, "a task set is refused", body.ptr); }
}

/* Whether all its revisions have room beside each other. A shift of traffic waits until the present revision is whole, so it arrives only then. */
static bool may_shift(struct sim *sim, const struct service *service, struct arena *arena)
{
    struct kept_deployment *listed;
    bool small = true;
    struct store_txn *txn = store_read_begin(sim->store);
    size_t count = store_list_deployments(txn, service->number, &listed, arena);
    for (size_t d = 0; d < count; d++) {
        const struct service_revision *revision = store_service_revision(txn, service->number, listed[d].digits, arena);
        small = small && (str_eq(revision->family, STR("cpu")) || str_eq(revision->family, STR("checked")));
    }
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "deployments"); }
    return small && service->placement_constraints.count == 0;
}

static void deploy_all(struct sim *sim, struct arena *arena)
{
#define LIMITS "\"minimumHealthyPercent\":50,\"maximumPercent\":200"
    static const char shifts[] = ",\"taskDefinition\":\"checked\",\"forceNewDeployment\":true,\"placementConstraints\":[],\"deploymentConfiguration\":{" LIMITS "}";
    static const char rolls[] = ",\"taskDefinition\":\"checked\",\"forceNewDeployment\":true,\"placementConstraints\":[],"
                                "\"deploymentConfiguration\":{\"strategy\":\"ROLLING\"," LIMITS "}";
    const struct service *services[NAMES];
    read_services(sim, arena, services);
    for (int n = 0; n < NAMES; n++) {
        const struct service *service = services[n];
        if (service == NULL) { continue; }
        bool external = service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL;
        struct str body = service->scheduling == SCHEDULING_STRATEGY_DAEMON
            ? arena_printf(arena, "{\"service\":\"s%d\",\"taskDefinition\":\"cpu\",\"forceNewDeployment\":true}", n)
            : arena_printf(arena, "{\"service\":\"s%d\",\"desiredCount\":%d%s}", n, n % 4, external ? "" : may_shift(sim, service, arena) ? shifts : rolls);
        if (!ask(sim, "UpdateService", body)) { sim_fail(sim, "an update is refused", body.ptr); }
        if (external) { create_set(sim, n, arena); }
    }
}

static bool sets_are_done(struct store_txn *txn, const struct service *service, struct arena *arena)
{
    struct kept_deployment *sets;
    size_t count = store_list_deployments(txn, service->number, &sets, arena);
    if (count != 1 || sets[0].task_set == NULL) { return false; }
    struct deployment_counts counts = store_deployment_counts(txn, sets[0].digits);
    int64_t wanted = (service->desired_count + 1) / 2;
    return sets[0].task_set->stability == STABILITY_STATUS_STEADY_STATE && counts.running == wanted && counts.live == wanted;
}

static bool is_done(struct sim *sim, struct store_txn *txn, const struct service *service, struct arena *arena)
{
    if (service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) { return sets_are_done(txn, service, arena); }
    struct kept_deployment *listed;
    size_t count = store_list_deployments(txn, service->number, &listed, arena);
    const struct kept_deployment *primary = store_deployment(txn, service->number, service->revision, arena);
    struct deployment_counts counts = store_deployment_counts(txn, service->revision);
    return count == 1 && primary != NULL && primary->rollout == DEPLOYMENT_ROLLOUT_STATE_COMPLETED && counts.running == service->desired_count
        && counts.live == counts.running && (int64_t)roster_count(sched_roster(sim->world), service->number) == counts.live;
}

/* A service that has not reached what it was asked for; NULL: all have. */
static const char *unfinished(struct sim *sim, struct arena *arena)
{
    const struct service *services[NAMES];
    const char *found = NULL;
    read_services(sim, arena, services);
    struct store_txn *txn = store_read_begin(sim->store);
    for (int n = 0; n < NAMES; n++) {
        if (services[n] != NULL && !is_done(sim, txn, services[n], arena)) { found = arena_printf(arena, "s%d", n).ptr; }
    }
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "services"); }
    return found;
}

/* Ten seconds in which each machine and each service does what it can. */
static void round_of_all(struct sim *sim)
{
    advance(sim, sim->now_ms + 10 * SECOND_MS);
    sim_traffic_settle(sim);
    sim_agents_settle(sim);
    sim_agents_live(sim);
    sim_agents_settle(sim);
    step_all(sim);
    sim_check_all(sim);
}

static void arrive(struct sim *sim, struct arena *arena)
{
    const char *left = "";
    for (int round = 0; left != NULL; round++) {
        if (round == ROUNDS_MAX) { sim_fail(sim, "a service does not reach what it was asked for", left); }
        round_of_all(sim);
        arena_reset(arena);
        left = unfinished(sim, arena);
    }
}

static void check_progress(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    make_well(sim, &arena);
    delete_sets(sim, &arena);
    for (int round = 0; round < 4; round++) { round_of_all(sim); }
    deploy_all(sim, &arena);
    arrive(sim, &arena);
    check_rest(sim);
    sim_check_running(sim);
    arena_finish(&arena);
}

/* The port is taken on each machine: one task after the other makes room. */
static void check_room(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    uint64_t pulled = sim->pulled;
    bool made = ask(sim, "CreateService", arena_printf(&arena, "{\"serviceName\":\"s0\",\"taskDefinition\":\"port\",\"desiredCount\":%zu,"
                    "\"tags\":[{\"key\":\"berth:replace\",\"value\":\"stop-first\"}]}", sim->agent_count));
    if (!made) { sim_fail(sim, "a service is refused", "s0"); }
    arrive(sim, &arena);
    if (!ask(sim, "UpdateService", STR("{\"service\":\"s0\",\"forceNewDeployment\":true}"))) { sim_fail(sim, "an update is refused", "s0"); }
    arrive(sim, &arena);
    if (sim->pulled == pulled) { sim_fail(sim, "no machine was asked to pull", ""); }
    arena_finish(&arena);
}

static void delete_all(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    for (int n = 0; n < NAMES; n++) { (void)ask(sim, "DeleteService", arena_printf(&arena, "{\"service\":\"s%d\",\"force\":true}", n)); }
    for (int round = 0; round < 4; round++) { round_of_all(sim); }
    arena_finish(&arena);
}

static void check_deleted(struct sim *sim)
{
    delete_all(sim);
    check_room(sim);
    delete_all(sim);
    sim_stop_everything(sim);
    sim_agents_settle(sim);
    sim_check_all(sim);
    sim_check_settled(sim);
    if (is_due(sim)) { step_all(sim); }
    if (api_services_due_ms(sim->world, sim->now_ms) != 0) { sim_fail(sim, "a step is due although no service is left", ""); }
}

void sim_services_run(uint64_t seed, uint64_t steps)
{
    static struct sim sim;
    sim_open(&sim, seed, true);
    int64_t end_ms = sim.now_ms + WEEK_MS;
    for (uint64_t step = 0; step < steps; step++) {
        happen(&sim, steps);
        sim_check(&sim);
    }
    advance(&sim, end_ms);
    check_progress(&sim);
    check_deleted(&sim);
    sim_print(&sim);
    sim_close(&sim);
}
