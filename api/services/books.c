/* books.c: from records and the roster to the state that reconcile decides on. */
#include "api/services/books.h"

#include "api/alarms/alarms.h"
#include "api/capacity/choice.h"
#include "api/rules/settings.h"
#include "api/rules/rules.h"
#include "base/table.h"
#include "scheduler/queue/queue.h"

/* ---- records in reconcile's words ---- */

/* The strategy is that of the newest service deployment: another one that the service was given since counts from its next deployment on. */
static enum rollout_strategy strategy_of(const struct books *books)
{
    const struct service *service = &books->service;
    if (service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL) { return ROLLOUT_EXTERNAL; }
    if (service->daemon != NULL) { return ROLLOUT_MANAGED; }
    if (service->scheduling == SCHEDULING_STRATEGY_DAEMON) { return ROLLOUT_DAEMON; }
    if (!books->has_act) { return ROLLOUT_ROLLING; }
    switch (books->act.configuration->strategy) {
    case DEPLOYMENT_STRATEGY_BLUE_GREEN: return ROLLOUT_BLUE_GREEN;
    case DEPLOYMENT_STRATEGY_LINEAR:     return ROLLOUT_LINEAR;
    case DEPLOYMENT_STRATEGY_CANARY:     return ROLLOUT_CANARY;
    case DEPLOYMENT_STRATEGY_UNSET:
    case DEPLOYMENT_STRATEGY_ROLLING:
    case DEPLOYMENT_STRATEGY_COUNT:      break;
    }
    return ROLLOUT_ROLLING;
}

static enum act act_of(const struct books *books)
{
    static const enum act acts[SERVICE_DEPLOYMENT_STATUS_COUNT] = {
        [SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS] = ACT_IN_PROGRESS, [SERVICE_DEPLOYMENT_STATUS_SUCCESSFUL] = ACT_SUCCESSFUL,
        [SERVICE_DEPLOYMENT_STATUS_STOPPED] = ACT_STOPPED, [SERVICE_DEPLOYMENT_STATUS_STOP_REQUESTED] = ACT_STOP_REQUESTED,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_REQUESTED] = ACT_ROLLBACK_REQUESTED,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_IN_PROGRESS] = ACT_ROLLBACK_IN_PROGRESS,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_SUCCESSFUL] = ACT_ROLLBACK_SUCCESSFUL,
        [SERVICE_DEPLOYMENT_STATUS_ROLLBACK_FAILED] = ACT_ROLLBACK_FAILED,
    };
    return books->has_act ? acts[books->act.status] : ACT_NONE;
}

static enum rollout rollout_of(enum deployment_rollout_state state)
{
    return state == DEPLOYMENT_ROLLOUT_STATE_COMPLETED ? ROLLOUT_COMPLETED : state == DEPLOYMENT_ROLLOUT_STATE_FAILED ? ROLLOUT_FAILED : ROLLOUT_IN_PROGRESS;
}

static struct deployment deployment_of(const struct kept_deployment *kept)
{
    const struct task_set_part *set = kept->task_set;
    return (struct deployment){
        .digits = kept->digits, .role = kept->status == DEPLOYMENT_STATUS_PRIMARY ? DEPLOYMENT_PRIMARY : DEPLOYMENT_ACTIVE,
        .rollout = rollout_of(kept->rollout), .rolled_back_to = kept->rolled_back_to == OPT_TRUE, .wanted = kept->wanted,
        .progressed_ms = kept->progressed_ms != 0 ? kept->progressed_ms : kept->rolled_back_ms != 0 ? kept->rolled_back_ms : kept->created_ms,
        .failures = { kept->failed, kept->unstarted, kept->crashed, kept->next_start_ms, kept->no_room_ms, str_is_set(kept->gave_up) },
        .scale = set == NULL ? 0 : set->scale, .computed = set == NULL ? 0 : set->computed,
        .deleting = kept->status == DEPLOYMENT_STATUS_DRAINING, .stable = set != NULL && set->stability == STABILITY_STATUS_STEADY_STATE,
        .production = kept->production, .test = kept->test,
    };
}

/* ---- tasks, their instances and zones ---- */

struct machines { struct books *books; struct hash_table by_id; enum task_machine *machines; uint32_t *zones; };

static uint32_t zone_of(struct machines *machines, struct id instance)
{
    struct books *books = machines->books;
    struct str zone;
    if (!sched_attribute(books->ctx->world, instance, instance_zone_name, &zone)) { zone = (struct str){ NULL, 0 }; }
    for (uint32_t z = 0; z < books->state.zone_count; z++) {
        if (str_eq(books->zone_names[z], zone)) { return z; }
    }
    books->zone_names[books->state.zone_count] = zone;
    return books->state.zone_count++;
}

/* The numbers of zones, for `more` that tasks are in and the world may not count. Zone rebalancing asks for all zones: those are the first numbers. */
static void number_zones(struct books *books, size_t more)
{
    struct world *world = books->ctx->world;
    size_t count = books->state.rebalances ? sched_zones(world, books->cluster->number, NULL, 0) : 0;
    books->zone_names = ARENA_NEW(books->ctx->arena, struct str, count + more);
    books->state.zones = books->state_zones = ARENA_NEW(books->ctx->arena, struct service_zone, count + more);
    if (count > 0) { (void)sched_zones(world, books->cluster->number, books->zone_names, count); }
    for (size_t z = 0; z < count; z++) { books->state_zones[z] = (struct service_zone){ .takes = true, .room = true }; }
    books->state.zone_count = (uint32_t)count;
}

/* The number of an instance in this step. An instance that the world does not know is gone: its tasks end soon. */
static uint32_t number_of(struct machines *machines, struct id instance)
{
    struct books *books = machines->books;
    uint64_t hash = hash_id(instance);
    size_t at = 0;
    for (uint32_t n = table_first(&machines->by_id, hash, &at); n != TABLE_NONE; n = table_next(&machines->by_id, hash, &at)) {
        if (id_eq(books->instances[n], instance)) { return n; }
    }
    uint32_t number = (uint32_t)books->instance_count++;
    bool active = false, known = sched_takes_tasks(books->ctx->world, instance, &active);
    books->instances[number] = instance;
    machines->machines[number] = !known ? MACHINE_LOST : active ? MACHINE_READY : MACHINE_DRAINING;
    machines->zones[number] = zone_of(machines, instance);
    (void)sched_attribute(books->ctx->world, instance, instance_provider_name, &books->providers[number]);
    books->has_providers |= books->providers[number].len > 0;
    table_add(&machines->by_id, hash, number);
    return number;
}

/* A daemon asks for all instances of the cluster: those are the first numbers. */
static void number_all(struct machines *machines, size_t count)
{
    struct books *books = machines->books;
    struct id *ids = ARENA_NEW(books->ctx->arena, struct id, count);
    count = sched_instances(books->ctx->world, books->cluster->number, ids, count);
    for (size_t i = 0; i < count; i++) { (void)number_of(machines, ids[i]); }
}

static uint32_t place_of(const struct books *books, int64_t digits)
{
    uint32_t d = 0;
    while (d < books->deployment_count && books->deployments[d].digits != digits) { d++; }
    return d;
}

/* The health of its containers and of its targets together. */
static enum task_health health_of(const struct roster_task *told)
{
    if (!told->balanced || told->health == HEALTH_BAD) { return told->health; }
    return told->health == HEALTH_NOT_KNOWN && told->targets != HEALTH_BAD ? HEALTH_NOT_KNOWN : told->targets;
}

/* Tasks of a deployment that is not listed any more are leaving; they count for nothing here. */
static struct service_task *make_tasks(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    struct roster *roster = sched_roster(ctx->world);
    int64_t number = books->service.number;
    size_t count = roster_count(roster, number), kept = 0;
    bool is_daemon = books->state.strategy == ROLLOUT_DAEMON || books->state.strategy == ROLLOUT_MANAGED;
    size_t of_cluster = is_daemon ? sched_instance_count(ctx->world, books->cluster->number) : 0, most = count + of_cluster;
    struct service_task *tasks = ARENA_NEW(ctx->arena, struct service_task, count);
    struct machines machines = { books, { 0 }, ARENA_NEW(ctx->arena, enum task_machine, most), ARENA_NEW(ctx->arena, uint32_t, most) };
    number_zones(books, most);
    books->instances = ARENA_NEW(ctx->arena, struct id, most);
    books->providers = ARENA_NEW(ctx->arena, struct str, most);
    if (of_cluster > 0) { number_all(&machines, of_cluster); }
    for (const struct roster_task *told = roster_walk(roster, number, NULL); told != NULL; told = roster_walk(roster, number, told)) {
        uint32_t deployment = place_of(books, told->deployment);
        if (deployment == books->deployment_count) { continue; }
        bool waits = id_is_zero(told->instance);
        books->has_providers |= waits;
        if (waits) {
            tasks[kept++] = (struct service_task){ .id = told->id, .deployment = deployment, .waits = true };
            continue;
        }
        uint32_t instance = number_of(&machines, told->instance);
        tasks[kept++] = (struct service_task){
            .id = told->id, .deployment = deployment, .running = told->running, .leaving = told->leaving, .was_healthy = told->was_healthy,
            .health = health_of(told), .machine = machines.machines[instance], .running_since_ms = told->running_since_ms,
            .protected_until_ms = told->protected_until_ms, .zone = machines.zones[instance], .instance = instance,
        };
    }
    table_finish(&machines.by_id);
    ASSERT(kept <= count && books->instance_count <= count + of_cluster);
    books->state.task_count = kept;
    books->state.instance_count = (uint32_t)books->instance_count;
    return tasks;
}

size_t books_share(const struct books *books, size_t t, const struct provider_choice *choice)
{
    const struct service_task *task = &books->state.tasks[t];
    if (!task->waits) { return choice_find(choice, books->providers[task->instance]); }
    const struct waiting *waiting = queue_find(sched_queue(books->ctx->world), task->id);
    return waiting == NULL ? choice->count : choice_find_hash(choice, waiting->provider);
}

/* Its provisioner has asked for time. */
static bool is_throttled(struct op_ctx *ctx, struct str name)
{
    const struct kept_provider *provider = store_provider(ctx->txn, name, ctx->arena);
    const struct kept_pool *pool = provider == NULL ? NULL : store_pool(ctx->txn, provider->pool, ctx->arena);
    return pool != NULL && pool->blocked_until_ms > ctx->now_ms;
}

/* The shares of the PRIMARY's strategy, and which one each task has. */
static void read_shares(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    if (!books->has_providers) { return; }
    const struct service_revision *revision = store_service_revision(ctx->txn, books->service.number, books->service.revision, ctx->arena);
    if (revision == NULL) { return; }
    struct provider_choice choice = choice_of(ctx, &revision->capacity_provider_strategy);
    bool *waited_for = ARENA_NEW(ctx->arena, bool, choice.count + 1);
    for (size_t t = 0; t < books->state.task_count; t++) {
        size_t item = books_share(books, t, &choice);
        books->state_tasks[t].provider = (uint32_t)item;
        waited_for[item] |= books->state_tasks[t].waits;
    }
    for (size_t i = 0; i < choice.count; i++) { books->state.throttled |= waited_for[i] && is_throttled(ctx, choice.items[i].name); }
    books->state.shares = choice.shares;
    books->state.share_count = choice.count;
}

/* ---- the instances of a daemon ---- */

/* The definition of the PRIMARY says which instances count. A definition that is gone matches none of them. */
static struct daemon_instance *make_daemon_instances(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    struct daemon_instance *instances = ARENA_NEW(ctx->arena, struct daemon_instance, books->instance_count);
    struct demand demand = { 0 };
    struct err unread = { 0 };
    bool readable = starts_demand(books, &demand, &unread);
    for (size_t i = 0; i < books->instance_count; i++) {
        bool active = false, known = sched_takes_tasks(ctx->world, books->instances[i], &active);
        instances[i] = (struct daemon_instance){
            .matches = known && readable && sched_suits(ctx->world, books->instances[i], &demand), .draining = !active,
            .connected = known && sched_is_connected(ctx->world, books->instances[i]), .room = true,
        };
        if (instances[i].draining || books->state.strategy == ROLLOUT_MANAGED) { instances[i].others = services_has_others(ctx, books->instances[i]); }
    }
    return instances;
}

/* The batches are those of the newest deployment. A daemon makes no room in place: its machines do. */
static void fill_managed(struct books *books)
{
    enum { THOUSANDTHS = 1000 };
    const struct service_deployment *act = &books->act;
    double percent = books->has_act && act->drain_percent.set ? act->drain_percent.value : books->service.daemon->drain_percent.value;
    books->state.daemon_instances = make_daemon_instances(books);
    books->state.stops_first = 0;
    books->state.stops_one = false;
    books->state.managed.drain = (int64_t)(percent * THOUSANDTHS + 0.5);
    if (!books->has_act) { return; }
    books->state.managed.at = (struct managed_rollout){ act->step, act->stage_since_ms };
    books->state.managed.bake_ms = act->configuration->bake_time_in_minutes.value * MINUTE_MS;
}

/* ---- alarms ---- */

bool books_watch_alarms(const struct books *books)
{
    const struct service_deployment *act = &books->act;
    return books->has_act && act->alarms == SERVICE_DEPLOYMENT_ROLLBACK_MONITORS_STATUS_MONITORING
        && (act->status == SERVICE_DEPLOYMENT_STATUS_PENDING || act->status == SERVICE_DEPLOYMENT_STATUS_IN_PROGRESS);
}

static enum alarm_state state_of_alarm(const struct books *books, struct str name)
{
    const struct kept_check_list *checks = &books->act.checks;
    for (size_t c = 0; c < checks->count; c++) {
        if (str_eq(checks->items[c].url, name)) { return checks->items[c].state; }
    }
    return alarms_state(books->ctx, name);
}

/* An alarm that rang at the start counts when it has been OK. */
static void read_alarms(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    struct service_deployment *act = &books->act;
    if (!books_watch_alarms(books)) { return; }
    const struct deployment_alarms *alarms = act->configuration->alarms;
    const struct str_list *names = &alarms->alarm_names;
    struct str_list armed = { ARENA_NEW(ctx->arena, struct str, act->armed_alarms.count + names->count), 0 };
    for (size_t n = 0; n < act->armed_alarms.count; n++) { armed.items[armed.count++] = act->armed_alarms.items[n]; }
    books->triggered.items = ARENA_NEW(ctx->arena, struct str, names->count);
    for (size_t n = 0; n < names->count; n++) {
        struct str name = names->items[n];
        enum alarm_state state = state_of_alarm(books, name);
        if (state == ALARM_STATE_OK && !str_list_has(&armed, name)) { armed.items[armed.count++] = name; }
        if (state == ALARM_STATE_ALARM && str_list_has(&armed, name)) { books->triggered.items[books->triggered.count++] = name; }
    }
    books->act_changed |= armed.count != act->armed_alarms.count;
    act->armed_alarms = armed;
    ASSERT(act->armed_alarms.count <= names->count && books->triggered.count <= names->count);
    books->state.alarm = books->triggered.count > 0;
    books->state.alarm_rollback = alarms->rollback == OPT_TRUE;
}

/* ---- a rollout with traffic ---- */

const enum service_deployment_lifecycle_stage shown_stages[STAGE_COUNT] = {
    [STAGE_RECONCILE_SERVICE] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_RECONCILE_SERVICE, [STAGE_PRE_SCALE_UP] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_PRE_SCALE_UP,
    [STAGE_SCALE_UP] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_SCALE_UP, [STAGE_POST_SCALE_UP] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_POST_SCALE_UP,
    [STAGE_TEST_TRAFFIC_SHIFT] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_TEST_TRAFFIC_SHIFT,
    [STAGE_POST_TEST_TRAFFIC_SHIFT] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_POST_TEST_TRAFFIC_SHIFT,
    [STAGE_PRODUCTION_TRAFFIC_SHIFT] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_PRODUCTION_TRAFFIC_SHIFT,
    [STAGE_POST_PRODUCTION_TRAFFIC_SHIFT] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_POST_PRODUCTION_TRAFFIC_SHIFT,
    [STAGE_BAKE_TIME] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_BAKE_TIME, [STAGE_CLEAN_UP] = SERVICE_DEPLOYMENT_LIFECYCLE_STAGE_CLEAN_UP,
};

struct str books_stage_name(enum rollout_stage stage)
{
    return stage == STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT ? STR("PRE_PRODUCTION_TRAFFIC_SHIFT")
        : enum_word(&service_deployment_lifecycle_stage_names, (int)shown_stages[stage]);
}

static enum rollout_stage stage_of(const struct service_deployment *act)
{
    int stage = STAGE_NONE;
    if (act->before_shift == OPT_TRUE) { return STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT; }
    while (shown_stages[stage] != act->stage) { stage++; }
    return (enum rollout_stage)stage;
}

static uint32_t hook_stages(const struct deployment_lifecycle_hook *hook)
{
    static const enum rollout_stage stages[DEPLOYMENT_LIFECYCLE_HOOK_STAGE_COUNT] = {
        [DEPLOYMENT_LIFECYCLE_HOOK_STAGE_RECONCILE_SERVICE] = STAGE_RECONCILE_SERVICE, [DEPLOYMENT_LIFECYCLE_HOOK_STAGE_PRE_SCALE_UP] = STAGE_PRE_SCALE_UP,
        [DEPLOYMENT_LIFECYCLE_HOOK_STAGE_POST_SCALE_UP] = STAGE_POST_SCALE_UP,
        [DEPLOYMENT_LIFECYCLE_HOOK_STAGE_TEST_TRAFFIC_SHIFT] = STAGE_TEST_TRAFFIC_SHIFT,
        [DEPLOYMENT_LIFECYCLE_HOOK_STAGE_POST_TEST_TRAFFIC_SHIFT] = STAGE_POST_TEST_TRAFFIC_SHIFT,
        [DEPLOYMENT_LIFECYCLE_HOOK_STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT] = STAGE_PRE_PRODUCTION_TRAFFIC_SHIFT,
        [DEPLOYMENT_LIFECYCLE_HOOK_STAGE_PRODUCTION_TRAFFIC_SHIFT] = STAGE_PRODUCTION_TRAFFIC_SHIFT,
        [DEPLOYMENT_LIFECYCLE_HOOK_STAGE_POST_PRODUCTION_TRAFFIC_SHIFT] = STAGE_POST_PRODUCTION_TRAFFIC_SHIFT,
    };
    uint32_t bits = 0;
    for (size_t s = 0; s < hook->lifecycle_stages.count; s++) { bits |= 1U << stages[hook->lifecycle_stages.items[s]]; }
    return bits;
}

static struct rollout_hook *make_hooks(const struct books *books)
{
    static const enum hook_answer answers[DEPLOYMENT_LIFECYCLE_HOOK_STATUS_COUNT] = {
        [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_AWAITING_ACTION] = HOOK_PENDING, [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_IN_PROGRESS] = HOOK_PENDING,
        [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_SUCCEEDED] = HOOK_SUCCEEDED, [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_FAILED] = HOOK_FAILED,
        [DEPLOYMENT_LIFECYCLE_HOOK_STATUS_TIMED_OUT] = HOOK_TIMED_OUT,
    };
    const struct service_deployment *act = &books->act;
    const struct deployment_lifecycle_hook_list *given = &act->configuration->lifecycle_hooks;
    struct rollout_hook *hooks = ARENA_NEW(books->ctx->arena, struct rollout_hook, given->count);
    for (size_t h = 0; h < given->count; h++) {
        const struct deployment_lifecycle_hook *hook = &given->items[h];
        const struct deployment_lifecycle_hook_timeout_configuration *timeout = hook->timeout_configuration;
        hooks[h] = (struct rollout_hook){
            .stages = hook_stages(hook), .pauses = hook->target_type == DEPLOYMENT_LIFECYCLE_HOOK_TARGET_TYPE_PAUSE,
            .goes_on = timeout != NULL && timeout->action == DEPLOYMENT_LIFECYCLE_HOOK_ACTION_CONTINUE,
            .timeout_ms = timeout != NULL && timeout->timeout_in_minutes.set ? timeout->timeout_in_minutes.value * MINUTE_MS : STAGE_LIMIT_MS,
        };
    }
    for (size_t k = 0; k < act->hooks.count; k++) {
        int64_t place = act->hooks.items[k].place;
        if (place >= 0 && place < (int64_t)given->count) { hooks[place].answer = answers[act->hooks.items[k].status]; }
    }
    return hooks;
}

static bool has_test_rule(const struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    const struct service_revision *revision = store_service_revision(ctx->txn, books->service.number, books->act.target->digits, ctx->arena);
    for (size_t l = 0; revision != NULL && l < revision->load_balancers.count; l++) {
        const struct advanced_configuration *advanced = revision->load_balancers.items[l].advanced_configuration;
        if (advanced != NULL && advanced->test_listener_rule.len > 0) { return true; }
    }
    return false;
}

static void fill_traffic(struct books *books)
{
    const struct service_deployment *act = &books->act;
    struct traffic_state *traffic = &books->state.traffic;
    enum rollout_strategy strategy = books->state.strategy;
    if (strategy != ROLLOUT_BLUE_GREEN && strategy != ROLLOUT_LINEAR && strategy != ROLLOUT_CANARY) { return; }
    const struct deployment_configuration *configuration = act->configuration;
    const struct linear_configuration *linear = configuration->linear_configuration;
    const struct canary_configuration *canary = configuration->canary_configuration;
    *traffic = (struct traffic_state){
        .at = { stage_of(act), act->stage_since_ms, act->step, act->blue, act->blue_stops == OPT_TRUE },
        .begun_ms = act->created_ms, .bake_ms = configuration->bake_time_in_minutes.value * MINUTE_MS, .test_rule = has_test_rule(books),
        .hooks = make_hooks(books), .hook_count = configuration->lifecycle_hooks.count,
    };
    double percent = linear != NULL ? linear->step_percent.value : canary != NULL ? canary->canary_percent.value : 0;
    traffic->first = (int64_t)(percent * WEIGHT_WHOLE / 100 + 0.5);
    if (linear != NULL) { traffic->step_bake_ms = linear->step_bake_time_in_minutes.value * MINUTE_MS; }
    if (canary != NULL) { traffic->step_bake_ms = canary->canary_bake_time_in_minutes.value * MINUTE_MS; }
}

/* ---- all of it ---- */

const enum event_cause event_causes[EVENT_MARK_COUNT] = {
    [MARK_STEADY] = EVENT_CAUSE_STEADY, [MARK_STUCK] = EVENT_CAUSE_STUCK, [MARK_PROTECTED] = EVENT_CAUSE_PROTECTED, [MARK_UNABLE] = EVENT_CAUSE_UNABLE,
    [MARK_NO_ROOM] = EVENT_CAUSE_NO_ROOM, [MARK_UNBALANCED] = EVENT_CAUSE_UNBALANCED, [MARK_ZONE_FULL] = EVENT_CAUSE_ZONE_FULL,
    [MARK_ZONE_PROTECTED] = EVENT_CAUSE_ZONE_PROTECTED, [MARK_SOME_ROOM] = EVENT_CAUSE_SOME_ROOM, [MARK_DRAIN] = EVENT_CAUSE_DRAIN,
    [MARK_GAVE_UP] = EVENT_CAUSE_GAVE_UP, [MARK_LIMIT] = EVENT_CAUSE_LIMIT, [MARK_THROTTLED] = EVENT_CAUSE_THROTTLED,
};

bool books_keeps_place(const struct books *books, size_t t)
{
    const struct roster_task *told = roster_task(sched_roster(books->ctx->world), books->state.tasks[t].id);
    return told != NULL && told->keeps_place;
}

void books_fill(struct books *books, int64_t most_moves)
{
    const struct service *service = &books->service;
    const struct deployment_configuration *configuration = service->configuration;
    struct service_settings settings;
    struct err unread = { 0 };
    (void)service_settings(&service->tags, &settings, &unread);      /* the tags were checked when they were set */
    struct deployment *deployments = ARENA_NEW(books->ctx->arena, struct deployment, books->deployment_count);
    for (size_t d = 0; d < books->deployment_count; d++) { deployments[d] = deployment_of(&books->deployments[d]); }
    books->state = (struct service_state){
        .now_ms = books->ctx->now_ms, .strategy = strategy_of(books), .closing = service->status == SERVICE_DRAINING,
        .desired = service->desired_count, .min_percent = configuration->minimum_healthy_percent.value,
        .max_percent = configuration->maximum_percent.value, .breaker = service_breaker(configuration), .waits_for_room = settings.waits_for_room,
        .grace_ms = service->grace_period * 1000, .healthy_after_ms = settings.healthy_after_ms, .most_moves = most_moves,
        .act = act_of(books), .deployments = deployments, .deployment_count = books->deployment_count,
    };
    for (int mark = 0; mark < EVENT_MARK_COUNT; mark++) { books->state.marks[mark] = service_mark(service, event_causes[mark]); }
    books->state.rebalances = service->zone_rebalancing == AVAILABILITY_ZONE_REBALANCING_ENABLED;
    books->state.tasks = books->state_tasks = make_tasks(books);
    read_shares(books);
    books->state.stops_first = settings.stops_first;
    books->state.stops_one = settings.replace == REPLACE_ONE_FIRST;
    books->state.progress_ms = settings.progress_ms;
    books->state.kept = (int64_t)service->kept_places.count;
    for (size_t t = 0; settings.stops_first > 0 && t < books->state.task_count; t++) {
        books->state.kept += books->state.tasks[t].leaving && books_keeps_place(books, t);
    }
    if (books->state.strategy == ROLLOUT_DAEMON) { books->state.daemon_instances = make_daemon_instances(books); }
    if (books->state.strategy == ROLLOUT_MANAGED) { fill_managed(books); }
    read_alarms(books);
    fill_traffic(books);
}

bool books_open(struct op_ctx *ctx, int64_t number, struct books *books)
{
    const struct service *service = store_service(ctx->txn, number, ctx->arena);
    *books = (struct books){ .ctx = ctx };
    if (service == NULL || service->status == SERVICE_INACTIVE) { return false; }
    books->cluster = store_cluster_by_number(ctx->txn, service->cluster_number, ctx->arena);
    if (books->cluster == NULL) { return false; }
    books->service = *service;
    books->deployment_count = store_list_deployments(ctx->txn, number, &books->deployments, ctx->arena);
    const struct service_deployment *act = id_is_zero(service->last_service_deployment) ? NULL
        : store_service_deployment(ctx->txn, number, service->last_service_deployment, ctx->arena);
    books->has_act = act != NULL;
    if (act != NULL) { books->act = *act; }
    return true;
}
