/* Rollouts that shift traffic: what clients ask of them, and the rules that each of their steps keeps. */
#include <string.h>

#include "tests/sim/sim.h"

enum { ARENA_SIZE = 16 * 1024 * 1024, MINUTE = 60 * 1000, WHOLE = 1000 };

#define SET_ALARM "GraniteServiceVersion20100801.SetAlarmState"
#define PUT_ALARM "GraniteServiceVersion20100801.PutMetricAlarm"

static void ask(struct sim *sim, const char *operation, struct str body, struct arena *arena)
{
    struct str reply;
    struct err err;
    if (!sim_call(sim, operation, body, arena, &reply, &err)) { sim_fail(sim, operation, err.message); }
}

/* ---- what clients ask ---- */

struct str sim_traffic_configuration(struct sim *sim, struct arena *arena)
{
    static const char *const strategies[] = {
        "\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":0", "\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":3",
        "\"strategy\":\"LINEAR\",\"bakeTimeInMinutes\":1,\"linearConfiguration\":{\"stepPercent\":30.0,\"stepBakeTimeInMinutes\":2}",
        "\"strategy\":\"LINEAR\",\"linearConfiguration\":{\"stepPercent\":50.0,\"stepBakeTimeInMinutes\":0}",
        "\"strategy\":\"CANARY\",\"canaryConfiguration\":{\"canaryPercent\":5.5,\"canaryBakeTimeInMinutes\":2}",
    };
    static const char *const stages[] = {
        "\"RECONCILE_SERVICE\",\"PRE_SCALE_UP\"", "\"POST_SCALE_UP\"", "\"POST_TEST_TRAFFIC_SHIFT\"", "\"PRE_PRODUCTION_TRAFFIC_SHIFT\"",
        "\"POST_PRODUCTION_TRAFFIC_SHIFT\"", "\"POST_SCALE_UP\",\"PRE_PRODUCTION_TRAFFIC_SHIFT\",\"POST_PRODUCTION_TRAFFIC_SHIFT\"",
    };
    static const char *const limits[] = { "\"minimumHealthyPercent\":100,\"maximumPercent\":200", "\"minimumHealthyPercent\":50,\"maximumPercent\":150" };
    static const char *const ends[] = {
        "", ",\"alarms\":{\"alarmNames\":[\"errors\"],\"enable\":true,\"rollback\":true}",
        ",\"alarms\":{\"alarmNames\":[\"slow\",\"errors\"],\"enable\":true,\"rollback\":false}",
        ",\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":true}", ",\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":false}",
    };
    struct buf out = buf_in(arena);
    const char *strategy = strategies[rng_below(&sim->rng, COUNT_OF(strategies))], *limit = limits[rng_below(&sim->rng, COUNT_OF(limits))];
    const char *end = ends[rng_below(&sim->rng, COUNT_OF(ends))];
    size_t hooks = rng_below(&sim->rng, 3);
    buf_printf(&out, "\"deploymentConfiguration\":{%s,%s%s,\"lifecycleHooks\":[", strategy, limit, end);
    for (size_t h = 0; h < hooks; h++) {
        const char *stage = stages[rng_below(&sim->rng, COUNT_OF(stages))], *action = rng_below(&sim->rng, 2) == 0 ? "ROLLBACK" : "CONTINUE";
        int minutes = 1 + (int)rng_below(&sim->rng, 90);
        buf_printf(&out, "%s{\"targetType\":\"PAUSE\",\"lifecycleStages\":[%s],\"timeoutConfiguration\":{\"timeoutInMinutes\":%d,\"action\":\"%s\"}}",
                   h == 0 ? "" : ",", stage, minutes, action);
    }
    buf_printf(&out, "]}");
    return buf_str(&out);
}

/* The request that answers a hook which waits; the absent text: none does. */
static struct str answer_of(struct sim *sim, int name, const char *action, struct arena *arena)
{
    struct str service_name = arena_printf(arena, "s%d", name);
    struct str answer = { NULL, 0 };
    struct store_txn *txn = store_read_begin(sim->store);
    const struct service *service = store_service_named(txn, 1, service_name, arena);
    const struct service_deployment *act = service == NULL ? NULL : store_service_deployment(txn, service->number, service->last_service_deployment, arena);
    for (size_t h = 0; act != NULL && h < act->hooks.count; h++) {
        const struct kept_hook *hook = &act->hooks.items[h];
        bool waits = hook->status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION && act->status == SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS;
        if (!waits || hook->expires_ms <= sim->now_ms) { continue; }
        struct str arn = names_service_deployment_arn(&sim->config.names, STR("default"), service_name, act->id, arena);
        answer = arena_printf(arena, "{\"serviceDeploymentArn\":\"" STR_FMT "\",\"hookId\":\"" STR_FMT "\",\"action\":\"%s\"}", STR_ARG(arn),
                              STR_ARG(hook->id), action);
    }
    if (!store_read_end(txn)) { sim_fail(sim, "a read failed", "hooks"); }
    return answer;
}

struct str sim_traffic_answer(struct sim *sim, struct arena *arena)
{
    const char *action = rng_below(&sim->rng, 8) == 0 ? "ROLLBACK" : "CONTINUE";
    int first = (int)rng_below(&sim->rng, SIM_NAMES);
    for (int n = 0; n < SIM_NAMES; n++) {
        struct str answer = answer_of(sim, (first + n) % SIM_NAMES, action, arena);
        if (str_is_set(answer)) { return answer; }
    }
    return STR("{\"serviceDeploymentArn\":\"none\",\"hookId\":\"ecs-pause-none\"}");
}

static struct str alarm_is(const char *name, const char *state, struct arena *arena)
{
    return arena_printf(arena, "{\"AlarmName\":\"%s\",\"StateValue\":\"%s\",\"StateReason\":\"sim\"}", name, state);
}

static const char *const alarm_names[] = { "errors", "slow" };

struct str sim_traffic_alarm(struct sim *sim, struct arena *arena)
{
    static const char *const states[] = { "ALARM", "OK", "OK", "INSUFFICIENT_DATA" };
    const char *name = alarm_names[rng_below(&sim->rng, COUNT_OF(alarm_names))];
    return alarm_is(name, states[rng_below(&sim->rng, COUNT_OF(states))], arena);
}

void sim_traffic_open(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    for (size_t n = 0; n < COUNT_OF(alarm_names); n++) {
        ask(sim, PUT_ALARM, arena_printf(&arena, "{\"AlarmName\":\"%s\",\"MetricName\":\"m\",\"Namespace\":\"n\",\"Statistic\":\"Sum\",\"Period\":60,"
                                         "\"ComparisonOperator\":\"GreaterThanThreshold\",\"EvaluationPeriods\":1,\"Threshold\":0}", alarm_names[n]), &arena);
    }
    arena_finish(&arena);
}

void sim_traffic_settle(struct sim *sim)
{
    struct arena arena = { 0 };
    arena_init(&arena, ARENA_SIZE);
    for (size_t n = 0; n < COUNT_OF(alarm_names); n++) { ask(sim, SET_ALARM, alarm_is(alarm_names[n], "OK", &arena), &arena); }
    for (int n = 0; n < SIM_NAMES; n++) {
        struct str answer = answer_of(sim, n, "CONTINUE", &arena);
        while (str_is_set(answer)) {
            ask(sim, "ContinueServiceDeployment", answer, &arena);
            answer = answer_of(sim, n, "CONTINUE", &arena);
        }
    }
    arena_finish(&arena);
}

/* ---- rules that each step keeps ---- */

/* A service before and after one step of it. blue: the deployment that had the traffic; NULL: there is none. */
struct turn {
    const struct service_before *before;
    const struct service_deployment *was, *is;
    const struct kept_deployment *deployments; size_t count;
    const struct kept_deployment *primary, *blue;
    int64_t blue_stays, blue_scaled;                          /* tasks of blue that stay after the step, and those that it stops for the service */
};

static _Noreturn void fail(const struct sim *sim, const char *what, const struct turn *turn)
{
    char name[64] = "";
    (void)str_to_cstr(turn->before->service->name, name, sizeof name);
    sim_fail(sim, what, name);
}

static bool shifts(const struct service_before *before)
{
    if (before->act == NULL || service_deployment_has_ended(before->act->status) || before->service->status != SERVICE_ACTIVE) { return false; }
    enum deployment_strategy strategy = before->act->configuration->strategy;
    return strategy == DEPLOYMENT_STRATEGY_BLUE_GREEN || strategy == DEPLOYMENT_STRATEGY_LINEAR || strategy == DEPLOYMENT_STRATEGY_CANARY;
}

static bool goes_forward(const struct turn *turn)
{
    return (turn->was->status == SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS || turn->was->status == SERVICE_DEPLOYMENT_STATUS_PENDING)
        && turn->is->status == SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS;
}

static bool has_moved(const struct turn *turn)
{
    const struct service_deployment *was = turn->was, *is = turn->is;
    return was->stage != is->stage || was->step != is->step || (was->before_shift == OPT_TRUE) != (is->before_shift == OPT_TRUE);
}

/* The whole traffic is divided between green and blue. */
static void check_weights(const struct sim *sim, const struct turn *turn)
{
    int64_t production = 0, test = 0;
    for (size_t d = 0; d < turn->count; d++) {
        const struct kept_deployment *one = &turn->deployments[d];
        if (one->production < 0 || one->test < 0) { fail(sim, "a weight is below 0", turn); }
        production += one->production;
        test += one->test;
    }
    if (production > WHOLE || test > WHOLE) { fail(sim, "the weights are more than the whole traffic", turn); }
    bool divided = turn->blue != NULL && turn->is->stage >= SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_PRE_SCALE_UP
        && turn->primary->rollout != DEPLOYMENT_ROLLOUT_STATE_FAILED;
    if (divided && (production != WHOLE || test != WHOLE)) { fail(sim, "a part of the traffic goes nowhere", turn); }
    bool back = turn->is->status == SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS || turn->is->status == SERVICE_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL;
    if (back && turn->primary->production != WHOLE) { fail(sim, "a rollback does not give the traffic back at once", turn); }
}

/* Green's traffic only grows, and only when a step of the weights begins. */
static void check_growth(const struct sim *sim, const struct turn *turn)
{
    const struct service_before *before = turn->before;
    for (size_t d = 0; d < before->deployment_count; d++) {
        const struct kept_deployment *was = &before->deployments[d], *is = turn->primary;
        if (was->digits != is->digits || turn->was->stage < SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_SCALE_UP) { continue; }
        if (is->production < was->production) { fail(sim, "green loses traffic although its deployment goes forward", turn); }
        if (is->production > was->production && turn->is->step == turn->was->step) { fail(sim, "green gets traffic without a step of the weights", turn); }
    }
}

/* No stage comes back, and none is left while a hook waits. A hook that says no, or lets its time pass, ends the way forward. */
static void check_stages(const struct sim *sim, const struct turn *turn)
{
    const struct service_deployment *was = turn->was, *is = turn->is;
    if (is->stage < was->stage || is->step < was->step) { fail(sim, "a stage comes back", turn); }
    for (size_t h = 0; h < was->hooks.count; h++) {
        const struct kept_hook *hook = &was->hooks.items[h];
        const struct deployment_lifecycle_hook *given = &was->configuration->lifecycle_hooks.items[hook->place];
        bool waits = hook->status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION, late = waits && hook->expires_ms <= sim->now_ms;
        if (waits && !late && has_moved(turn)) { fail(sim, "a stage ends while a hook waits", turn); }
        if (hook->status == DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED) { fail(sim, "a deployment goes forward although a hook said no", turn); }
        bool ends = given->timeout_configuration->action != DEPLOYMENT_LIFECYCLE_HOOK_ACTION_CONTINUE;
        if (late && ends) { fail(sim, "a deployment goes forward although a hook has timed out", turn); }
    }
}

/* An alarm that was OK since the start, and rings. */
static void check_alarms(struct sim *sim, struct store_txn *txn, const struct turn *turn, struct arena *arena)
{
    bool watched = turn->was->alarms == SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING && turn->is->blue_stops != OPT_TRUE
        && turn->is->stage < SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_CLEAN_UP;
    for (size_t n = 0; watched && n < turn->was->armed_alarms.count; n++) {
        const struct kept_alarm *alarm = store_alarm(txn, turn->was->armed_alarms.items[n], arena);
        if (alarm != NULL && alarm->alarm->state == ALARM_STATE_ALARM) { fail(sim, "a deployment goes forward although an alarm rings", turn); }
    }
}

/* Blue keeps its tasks until CLEAN_UP, which comes when green has all the traffic and the bake time is over. */
static void check_blue(const struct sim *sim, const struct turn *turn)
{
    const struct service_deployment *was = turn->was, *is = turn->is;
    bool cleans = is->stage == SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_CLEAN_UP;
    int64_t desired = turn->before->service->desired_count, bake_ms = is->configuration->bake_time_in_minutes.value * MINUTE;
    if (!cleans && turn->blue_scaled > 0 && turn->blue_stays < desired) { fail(sim, "blue loses tasks before CLEAN_UP", turn); }
    if (!cleans) { return; }
    if (turn->primary->production != WHOLE) { fail(sim, "blue goes although it has traffic", turn); }
    bool baked = was->stage == SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_BAKE_TIME ? sim->now_ms >= was->stage_since_ms + bake_ms : bake_ms == 0;
    if (was->stage != is->stage && !baked) { fail(sim, "blue goes before the bake time is over", turn); }
}

/* A deployment may always come to its own count. One that starts more, beside tasks to be replaced, needs room below twice the desired count. */
static void check_count(const struct sim *sim, const struct turn *turn, const struct roster_task *tasks, size_t count)
{
    int64_t desired = turn->before->service->desired_count, within = 0;
    bool beyond = false;
    for (size_t d = 0; d < turn->count; d++) {
        int64_t now = 0, then = 0;
        for (size_t t = 0; t < count; t++) { now += tasks[t].deployment == turn->deployments[d].digits; }
        for (size_t t = 0; t < turn->before->count; t++) { then += turn->before->tasks[t].deployment == turn->deployments[d].digits; }
        beyond = beyond || (now > then && now > desired);
        within += now > then && now <= desired ? now - then : 0;
    }
    if (beyond && (int64_t)count - within > 2 * desired) { fail(sim, "a service has more than twice its tasks", turn); }
}

static const struct roster_task *find_task(const struct roster_task *tasks, size_t count, struct id id)
{
    for (size_t t = 0; t < count; t++) {
        if (id_eq(tasks[t].id, id)) { return &tasks[t]; }
    }
    return NULL;
}

static void count_blue(struct turn *turn, struct store_txn *txn, const struct roster_task *tasks, size_t count, struct arena *arena)
{
    const struct service_before *before = turn->before;
    for (size_t t = 0; turn->blue != NULL && t < before->count; t++) {
        const struct roster_task *was = &before->tasks[t], *is = find_task(tasks, count, was->id);
        if (was->deployment != turn->blue->digits || was->leaving) { continue; }
        turn->blue_stays += is != NULL && !is->leaving;
        const struct task *record = is == NULL || !is->leaving ? NULL : store_task(txn, was->id, arena);
        turn->blue_scaled += record != NULL && str_starts_with(record->stopped_reason, STR("Scaling activity"));
    }
}

void sim_traffic_after(struct sim *sim, struct store_txn *txn, const struct service_before *before, const struct roster_task *tasks, size_t count,
                       struct arena *arena)
{
    struct kept_deployment *deployments;
    if (!shifts(before)) { return; }
    struct turn turn = { .before = before, .was = before->act };
    turn.is = store_service_deployment(txn, before->service->number, before->act->id, arena);
    turn.count = store_list_deployments(txn, before->service->number, &deployments, arena);
    turn.deployments = deployments;
    for (size_t d = 0; d < turn.count; d++) {
        if (deployments[d].status == DEPLOYMENT_STATUS_PRIMARY) { turn.primary = &deployments[d]; }
        if (deployments[d].digits == turn.is->blue) { turn.blue = &deployments[d]; }
    }
    if (turn.primary == NULL) { fail(sim, "a service whose traffic shifts has no PRIMARY", &turn); }
    count_blue(&turn, txn, tasks, count, arena);
    check_weights(sim, &turn);
    check_count(sim, &turn, tasks, count);
    sim->shifted += turn.is->step > turn.was->step;
    sim->hooked += turn.was->hooks.count > 0 && has_moved(&turn);
    if (!goes_forward(&turn)) { return; }
    check_growth(sim, &turn);
    check_stages(sim, &turn);
    check_alarms(sim, txn, &turn, arena);
    check_blue(sim, &turn);
}
