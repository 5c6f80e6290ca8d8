/* configuration.c: deploymentConfiguration: merged, filled in and checked. */
#include "api/rules/rules.h"

/* The greatest maximumPercent: ECS documents none. */
enum { PERCENT_MAX = 10000, HOOKS_OF_A_KIND_MAX = 10, LAMBDA_TIMEOUT_MAX = 1440, ALARMS_MAX = 100 };

/* ---- defaults ---- */

static const struct { int64_t min, max; } percents[SCHEDULING_STRATEGY_COUNT] = {
    [SCHEDULING_STRATEGY_UNSET] = { 100, 200 }, [SCHEDULING_STRATEGY_REPLICA] = { 100, 200 }, [SCHEDULING_STRATEGY_DAEMON] = { 0, 100 },
};

/* The threshold and the reset are shown, and in effect, with the breaker on. */
static struct deployment_circuit_breaker *fill_breaker(const struct deployment_circuit_breaker *given, struct arena *arena)
{
    struct deployment_circuit_breaker *breaker = ARENA_NEW(arena, struct deployment_circuit_breaker, 1);
    if (given != NULL) { *breaker = *given; }
    if (breaker->enable == OPT_UNSET) { breaker->enable = OPT_FALSE; }
    if (breaker->rollback == OPT_UNSET) { breaker->rollback = OPT_FALSE; }
    ASSERT(breaker->enable != OPT_UNSET && breaker->rollback != OPT_UNSET);
    if (breaker->enable == OPT_FALSE) { return breaker; }
    if (breaker->reset_on_healthy_task == OPT_UNSET) { breaker->reset_on_healthy_task = OPT_TRUE; }
    if (breaker->threshold_configuration == NULL) {
        breaker->threshold_configuration = ARENA_NEW(arena, struct threshold_configuration, 1);
        *breaker->threshold_configuration = (struct threshold_configuration){ THRESHOLD_TYPE_BOUNDED_PERCENT, opt_int_of(50) };
    }
    return breaker;
}

static struct deployment_alarms *fill_alarms(const struct deployment_alarms *given, struct arena *arena)
{
    struct deployment_alarms *alarms = ARENA_NEW(arena, struct deployment_alarms, 1);
    if (given != NULL) { *alarms = *given; }
    if (alarms->alarm_names.items == NULL) { alarms->alarm_names.items = LIST_NOTHING; }
    if (alarms->enable == OPT_UNSET) { alarms->enable = OPT_FALSE; }
    if (alarms->rollback == OPT_UNSET) { alarms->rollback = OPT_FALSE; }
    return alarms;
}

static struct opt_int or_else(struct opt_int given, int64_t value) { return given.set ? given : opt_int_of(value); }

static void fill_linear(struct deployment_configuration *whole, struct arena *arena)
{
    struct linear_configuration *linear = ARENA_NEW(arena, struct linear_configuration, 1);
    if (whole->linear_configuration != NULL) { *linear = *whole->linear_configuration; }
    if (!linear->step_percent.set) { linear->step_percent = (struct opt_double){ 10.0, true }; }
    linear->step_bake_time_in_minutes = or_else(linear->step_bake_time_in_minutes, 6);
    whole->linear_configuration = linear;
}

static void fill_canary(struct deployment_configuration *whole, struct arena *arena)
{
    struct canary_configuration *canary = ARENA_NEW(arena, struct canary_configuration, 1);
    if (whole->canary_configuration != NULL) { *canary = *whole->canary_configuration; }
    if (!canary->canary_percent.set) { canary->canary_percent = (struct opt_double){ 5.0, true }; }
    canary->canary_bake_time_in_minutes = or_else(canary->canary_bake_time_in_minutes, 10);
    whole->canary_configuration = canary;
}

static void take_given(struct deployment_configuration *whole, const struct deployment_configuration *given)
{
    if (given->deployment_circuit_breaker != NULL) { whole->deployment_circuit_breaker = given->deployment_circuit_breaker; }
    if (given->maximum_percent.set) { whole->maximum_percent = given->maximum_percent; }
    if (given->minimum_healthy_percent.set) { whole->minimum_healthy_percent = given->minimum_healthy_percent; }
    if (given->alarms != NULL) { whole->alarms = given->alarms; }
    if (given->strategy != DEPLOYMENT_STRATEGY_UNSET) { whole->strategy = given->strategy; }
    if (given->bake_time_in_minutes.set) { whole->bake_time_in_minutes = given->bake_time_in_minutes; }
    if (given->lifecycle_hooks.items != NULL) { whole->lifecycle_hooks = given->lifecycle_hooks; }
    if (given->linear_configuration != NULL) { whole->linear_configuration = given->linear_configuration; }
    if (given->canary_configuration != NULL) { whole->canary_configuration = given->canary_configuration; }
}

struct deployment_configuration *service_configure(const struct deployment_configuration *base, const struct deployment_configuration *given,
                                                   enum scheduling_strategy scheduling, struct arena *arena)
{
    struct deployment_configuration *whole = ARENA_NEW(arena, struct deployment_configuration, 1);
    if (base != NULL) { *whole = *base; }
    if (given != NULL) { take_given(whole, given); }
    if (whole->strategy == DEPLOYMENT_STRATEGY_UNSET) { whole->strategy = DEPLOYMENT_STRATEGY_ROLLING; }
    whole->maximum_percent = or_else(whole->maximum_percent, percents[scheduling].max);
    whole->minimum_healthy_percent = or_else(whole->minimum_healthy_percent, percents[scheduling].min);
    whole->deployment_circuit_breaker = fill_breaker(whole->deployment_circuit_breaker, arena);
    whole->alarms = fill_alarms(whole->alarms, arena);
    /* BLUE_GREEN must have one, so nothing is filled in for it. */
    if (whole->strategy != DEPLOYMENT_STRATEGY_BLUE_GREEN) { whole->bake_time_in_minutes = or_else(whole->bake_time_in_minutes, 0); }
    whole->lifecycle_hooks = (struct deployment_lifecycle_hook_list)SERVICE_LIST(whole->lifecycle_hooks);
    if (whole->strategy == DEPLOYMENT_STRATEGY_LINEAR) { fill_linear(whole, arena); } else { whole->linear_configuration = NULL; }
    if (whole->strategy == DEPLOYMENT_STRATEGY_CANARY) { fill_canary(whole, arena); } else { whole->canary_configuration = NULL; }
    ASSERT(whole->minimum_healthy_percent.set && whole->maximum_percent.set && (whole->linear_configuration == NULL || whole->canary_configuration == NULL));
    return whole;
}

struct breaker service_breaker(const struct deployment_configuration *configuration)
{
    static const enum breaker_kind kinds[THRESHOLD_TYPE_COUNT] = {
        [THRESHOLD_TYPE_NUMBER] = BREAKER_COUNT, [THRESHOLD_TYPE_BOUNDED_PERCENT] = BREAKER_BOUNDED_PERCENT,
        [THRESHOLD_TYPE_UNBOUNDED_PERCENT] = BREAKER_UNBOUNDED_PERCENT,
    };
    const struct deployment_circuit_breaker *given = configuration->deployment_circuit_breaker;
    struct breaker breaker = { .reset_on_healthy = true, .kind = BREAKER_BOUNDED_PERCENT, .value = 50 };
    if (given == NULL) { return breaker; }
    breaker.enabled = given->enable == OPT_TRUE;
    breaker.rollback = given->rollback == OPT_TRUE;
    breaker.reset_on_healthy = given->reset_on_healthy_task != OPT_FALSE;
    if (given->threshold_configuration != NULL) {
        breaker.kind = kinds[given->threshold_configuration->type];
        breaker.value = given->threshold_configuration->value.value;
    }
    return breaker;
}

/* ---- checks ---- */

static bool check_percents(int64_t min, int64_t max, bool is_daemon, struct err *err)
{
    if (is_daemon && max > 100) {
        return err_set(err, ERR_INVALID_PARAMETER, "The daemon scheduling strategy does not support values above 100 for maximumPercent on a "
                       "deployment configuration. Change the maximumPercent value to 100, and try again");
    }
    if (max > PERCENT_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "maximumPercent must be between 0 and %d, but was %lld.", PERCENT_MAX, (long long)max);
    }
    if (min == 100 && max == 100) {
        return err_set(err, ERR_INVALID_PARAMETER, "Both maximumPercent and minimumHealthyPercent cannot be 100 as this will block deployments.");
    }
    return min <= max
        || err_set(err, ERR_INVALID_PARAMETER, "minimumHealthyPercent (%lld) must not be above maximumPercent (%lld).", (long long)min, (long long)max);
}

static bool check_breaker(const struct deployment_circuit_breaker *breaker, bool is_ecs, struct err *err)
{
    if (breaker->enable == OPT_TRUE && !is_ecs) {
        return err_set(err, ERR_INVALID_PARAMETER, "Deployment circuit breaker feature is only supported with ECS deployment controller. Update to ECS "
                       "deployment controller and try again.");
    }
    const struct threshold_configuration *threshold = breaker->threshold_configuration;
    bool is_count = threshold == NULL || threshold->type == THRESHOLD_TYPE_NUMBER;
    return is_count || threshold->value.value <= 100
        || err_set(err, ERR_INVALID_PARAMETER, "The value of thresholdConfiguration must be between 1 and 100 for %s, but was %lld.",
                   threshold->type == THRESHOLD_TYPE_BOUNDED_PERCENT ? "BOUNDED_PERCENT" : "UNBOUNDED_PERCENT", (long long)threshold->value.value);
}

static bool check_strategy(const struct deployment_configuration *whole, bool is_ecs, bool is_daemon, struct err *err)
{
    if (whole->strategy == DEPLOYMENT_STRATEGY_ROLLING) { return true; }
    if (!is_ecs || is_daemon) {
        return err_set(err, ERR_INVALID_PARAMETER, "The deployment strategy " STR_FMT " is only supported with the ECS deployment controller and the REPLICA "
                       "scheduling strategy.", STR_ARG(enum_word(&deployment_strategy_names, (int)whole->strategy)));
    }
    return whole->bake_time_in_minutes.set
        || err_set(err, ERR_INVALID_PARAMETER, "bakeTimeInMinutes is required with the deployment strategy BLUE_GREEN.");
}

/* In steps of a tenth. The schema has the upper limit. */
static bool check_share(const char *member, double percent, double least, struct err *err)
{
    double off = percent * 10 - (double)(int64_t)(percent * 10 + 0.5);
    bool is_tenths = off < 1e-6 && off > -1e-6;
    return (percent >= least && is_tenths)
        || err_set(err, ERR_INVALID_PARAMETER, "%s must be between %.1f and 100.0, in steps of 0.1.", member, least);
}

static bool check_shares(const struct deployment_configuration *whole, struct err *err)
{
    const struct linear_configuration *linear = whole->linear_configuration;
    const struct canary_configuration *canary = whole->canary_configuration;
    return (linear == NULL || check_share("linearConfiguration.stepPercent", linear->step_percent.value, 3.0, err))
        && (canary == NULL || check_share("canaryConfiguration.canaryPercent", canary->canary_percent.value, 0.1, err));
}

/* ---- hooks ---- */

static bool check_pause(const struct deployment_lifecycle_hook *hook, struct err *err)
{
    if (hook->hook_target_arn.len > 0 || hook->role_arn.len > 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "A lifecycle hook with the targetType PAUSE takes no hookTargetArn and no roleArn.");
    }
    for (size_t s = 0; s < hook->lifecycle_stages.count; s++) {
        int stage = hook->lifecycle_stages.items[s];
        if (stage == DEPLOYMENT_LIFECYCLE_HOOK_STAGE_TEST_TRAFFIC_SHIFT || stage == DEPLOYMENT_LIFECYCLE_HOOK_STAGE_PRODUCTION_TRAFFIC_SHIFT) {
            return err_set(err, ERR_INVALID_PARAMETER, "Invalid lifecycle stage provided for Pause Hook");
        }
    }
    return true;
}

static bool check_url(const char *member, struct str url, struct err *err)
{
    return names_can_call(url)
        || err_set(err, ERR_INVALID_PARAMETER, "%s: the address needs a host, and has at most %d characters, all of them printable ASCII without blanks.",
                   member, NAMES_URL_MAX);
}

/* Such a hook is called over HTTP, where ECS calls a Lambda function. */
static bool check_call(const struct deployment_lifecycle_hook *hook, struct err *err)
{
    const struct deployment_lifecycle_hook_timeout_configuration *timeout = hook->timeout_configuration;
    if (hook->hook_target_arn.len == 0) { return err_set(err, ERR_INVALID_PARAMETER, "A lifecycle hook needs a hookTargetArn."); }
    if (!names_is_url(hook->hook_target_arn)) {
        return err_set(err, ERR_UNSUPPORTED_FEATURE, "Berth calls no Lambda functions. It calls lifecycle hooks over HTTP: give an address that begins with "
                       "http:// or https:// as hookTargetArn. The targetType PAUSE is available, too.");
    }
    if (!check_url("hookTargetArn", hook->hook_target_arn, err)) { return false; }
    return timeout == NULL || timeout->timeout_in_minutes.value <= LAMBDA_TIMEOUT_MAX
        || err_set(err, ERR_INVALID_PARAMETER, "timeoutInMinutes must be between 1 and %d, except for a hook with the targetType PAUSE.", LAMBDA_TIMEOUT_MAX);
}

static bool check_hooks(const struct deployment_lifecycle_hook_list *hooks, struct err *err)
{
    size_t pauses = 0;
    for (size_t h = 0; h < hooks->count; h++) {
        const struct deployment_lifecycle_hook *hook = &hooks->items[h];
        bool is_pause = hook->target_type == DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_PAUSE;
        pauses += is_pause;
        if (hook->lifecycle_stages.count == 0) { return err_set(err, ERR_INVALID_PARAMETER, "A lifecycle hook needs lifecycleStages."); }
        if (!(is_pause ? check_pause(hook, err) : check_call(hook, err))) { return false; }
    }
    if (pauses > HOOKS_OF_A_KIND_MAX || hooks->count - pauses > HOOKS_OF_A_KIND_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "A service can have at most %d lifecycle hooks of each targetType.", HOOKS_OF_A_KIND_MAX);
    }
    return true;
}

static bool check_alarms(const struct deployment_alarms *alarms, struct err *err)
{
    for (size_t n = 0; n < alarms->alarm_names.count; n++) {
        struct str name = alarms->alarm_names.items[n];
        if (names_is_url(name) && !check_url("alarmNames", name, err)) { return false; }
    }
    return alarms->alarm_names.count <= ALARMS_MAX
        || err_set(err, ERR_INVALID_PARAMETER, "A deployment can have at most %d alarmNames.", ALARMS_MAX);
}

bool service_check_configuration(const struct deployment_configuration *configuration, enum deployment_controller_type controller,
                                 enum scheduling_strategy scheduling, struct err *err)
{
    bool is_ecs = controller == DEPLOYMENT_CONTROLLER_TYPE_ECS, is_daemon = scheduling == SCHEDULING_STRATEGY_DAEMON;
    ASSERT(configuration->strategy != DEPLOYMENT_STRATEGY_UNSET && configuration->deployment_circuit_breaker != NULL && configuration->alarms != NULL);
    if (!check_strategy(configuration, is_ecs, is_daemon, err)) { return false; }
    if (!check_percents(configuration->minimum_healthy_percent.value, configuration->maximum_percent.value, is_daemon, err)) { return false; }
    if (!check_breaker(configuration->deployment_circuit_breaker, is_ecs, err)) { return false; }
    if (configuration->alarms->enable == OPT_TRUE && !is_ecs) {
        return err_set(err, ERR_INVALID_PARAMETER, "Alarm based rollback feature is only supported with ECS deployment controller. Update to ECS deployment "
                       "controller and try again.");
    }
    return check_alarms(configuration->alarms, err) && check_hooks(&configuration->lifecycle_hooks, err) && check_shares(configuration, err);
}
