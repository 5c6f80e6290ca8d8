/* targets.c: the tasks of a service as targets of its load balancers. A step looks at the tasks whose targets may have changed (roster.h): it registers
 * those that run, says which are healthy, takes those out that leave, and orders their stop when no proxy sends to them any more. */
#include "api/core/placement.h"
#include "api/services/books.h"
#include "api/traffic/traffic.h"
#include "base/num.h"
#include "scheduler/reconcile/feeds.h"

struct look {
    struct books *books;
    const struct task *task;
    const struct kept_deployment *deployment;                     /* NULL: it is not listed any more */
    const struct service_revision *revision;                      /* NULL: it is gone */
    bool waits;                                                   /* for a report of a feed */
};

/* ---- what the step tells ---- */

static struct target_news *news_of(struct books *books, struct str group)
{
    for (size_t n = 0; n < books->target_news_count; n++) {
        if (str_eq(books->target_news[n].group, group)) { return &books->target_news[n]; }
    }
    if (books->target_news_count == TARGET_NEWS_MAX) { return NULL; }
    ASSERT(books->target_news != NULL && books->target_news_count < TARGET_NEWS_MAX);
    struct target_news *news = &books->target_news[books->target_news_count++];
    *news = (struct target_news){ .group = group };
    return news;
}

static struct str arn_of(struct op_ctx *ctx, struct str name)
{
    const struct kept_group *group = store_group(ctx->txn, name, ctx->arena);
    return group == NULL ? name : traffic_group_arn(&ctx->config->names, group, ctx->arena);
}

static void wake_at(struct books *books, int64_t at_ms)
{
    if (at_ms != 0 && (books->targets_wake_ms == 0 || at_ms < books->targets_wake_ms)) { books->targets_wake_ms = at_ms; }
}

/* ---- registering ---- */

struct str services_group_of(const struct kept_deployment *deployment, const struct load_balancer *balancer)
{
    const struct advanced_configuration *advanced = balancer->advanced_configuration;
    bool alternate = deployment->alternate == OPT_TRUE && advanced != NULL && advanced->alternate_target_group_arn.len > 0;
    return alternate ? advanced->alternate_target_group_arn : balancer->target_group_arn;
}

/* The port at which the balancer's container is reached: on its machine, or on its own network interface. 0: its agent has not reported it. */
static int64_t reached_port(struct op_ctx *ctx, const struct task *task, const struct load_balancer *balancer)
{
    const struct taskdef *taskdef = support_kept_taskdef(ctx, task);
    int64_t wanted = balancer->container_port.value;
    if (taskdef == NULL) { return 0; }
    if (task->interface != NULL) { return wanted; }
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct task_container *container = &task->containers.items[c];
        bool known = container->index >= 0 && (uint64_t)container->index < taskdef->def.container_definitions.count;
        if (!known || !str_eq(taskdef->def.container_definitions.items[container->index].name, balancer->container_name)) { continue; }
        for (size_t b = 0; b < container->bindings.count; b++) {
            const struct network_binding *binding = &container->bindings.items[b];
            if (binding->container_port.value == wanted && binding->host_port.value > 0) { return binding->host_port.value; }
        }
    }
    return 0;
}

struct str services_address(const struct task *task, const struct instance *instance)
{
    bool found;
    return task->interface != NULL ? task->interface->address : instance_attribute(instance, STR("berth.address"), &found);
}

/* Fills in where the target is reached, and the name that clients see. False: its machine has not told its address. */
static bool set_address(struct op_ctx *ctx, const struct task *task, const struct kept_group *group, struct kept_target *target)
{
    bool found;
    const struct instance *instance = support_kept_instance(ctx, task->instance);
    if (instance == NULL) { return false; }
    target->address = services_address(task, instance);
    target->zone = instance_attribute(instance, instance_zone_name, &found);
    target->name = target->address;
    if (group->group->target_type == ELB_TARGET_TYPE_INSTANCE) {
        char hex[ID_HEX_LEN + 1];
        id_hex(task->instance, hex);
        bool in_ec2 = instance->ec2_instance_id.len > 0;
        target->name = in_ec2 ? instance->ec2_instance_id : arena_str(ctx->arena, (struct str){ hex, ID_HEX_LEN });
    }
    return target->address.len > 0;
}

/* False: it can't be registered, *why says so; or not yet, and *why is absent. */
static bool make_target(struct look *look, const struct load_balancer *balancer, const struct kept_group **group, struct kept_target *target, struct str *why)
{
    struct op_ctx *ctx = look->books->ctx;
    *why = (struct str){ NULL, 0 };
    *group = traffic_group(ctx, services_group_of(look->deployment, balancer));
    if (*group == NULL) { *why = STR("The specified target group does not exist."); return false; }
    *target = (struct kept_target){
        .group = (*group)->group->name, .port = reached_port(ctx, look->task, balancer), .task = look->task->id, .service = look->task->service,
        .container = balancer->container_name, .container_port = balancer->container_port.value,
    };
    if (target->port == 0) { return false; }
    if (!set_address(ctx, look->task, *group, target)) { *why = STR("The machine has no address: start its agent with --address."); return false; }
    return true;
}

/* The health of a target as it counts for the service: a healthy one counts when all feeds send to it. A feed that does not apply it has time: until then,
 * and for the delay of the targets that are then taken out. */
static enum task_health health_of(struct look *look, const struct kept_target *target)
{
    struct op_ctx *ctx = look->books->ctx;
    struct feeds *feeds = sched_feeds(ctx->world);
    int64_t look_ms = 0, end_ms = target->since_ms + FEED_BEHIND_MS;
    if (target->state == TARGET_UNHEALTHY) { return HEALTH_BAD; }
    if (target->state != TARGET_HEALTHY) { return HEALTH_NOT_KNOWN; }
    if (feeds_have(feeds, target->revision, ctx->now_ms, &look_ms)) { return HEALTH_GOOD; }
    if (ctx->now_ms >= end_ms) {
        struct target_news *news = news_of(look->books, arn_of(ctx, target->group));
        if (news != NULL) { news->behind = arena_str(ctx->arena, feeds_behind(feeds, target->revision, ctx->now_ms)); }
        return HEALTH_GOOD;
    }
    look->waits = true;
    wake_at(look->books, min_i64(look_ms, end_ms));
    return HEALTH_NOT_KNOWN;
}

static enum task_health worse(enum task_health a, enum task_health b)
{
    if (a == HEALTH_BAD || b == HEALTH_BAD) { return HEALTH_BAD; }
    return a == HEALTH_NOT_KNOWN || b == HEALTH_NOT_KNOWN ? HEALTH_NOT_KNOWN : HEALTH_GOOD;
}

/* Wakes the service for it where it has not. */
static bool has_drained(struct look *look, const struct kept_target *target)
{
    int64_t look_ms;
    if (traffic_has_drained(look->books->ctx, target, &look_ms)) { return true; }
    wake_at(look->books, look_ms);
    look->waits = true;
    return false;
}

/* Registers the task where it is not. Returns the worst health of its targets. */
static enum task_health keep_registered(struct look *look)
{
    struct op_ctx *ctx = look->books->ctx;
    enum task_health health = HEALTH_GOOD;
    if (look->deployment == NULL || look->revision == NULL) { return HEALTH_NOT_KNOWN; }
    for (size_t b = 0; b < look->revision->load_balancers.count; b++) {
        const struct load_balancer *balancer = &look->revision->load_balancers.items[b];
        const struct kept_group *group;
        struct kept_target target;
        struct str why;
        if (!make_target(look, balancer, &group, &target, &why)) {
            struct target_news *news = str_is_set(why) ? news_of(look->books, services_group_of(look->deployment, balancer)) : NULL;
            if (news != NULL) { news->failure = why; }
            health = worse(health, HEALTH_NOT_KNOWN);
            continue;
        }
        const struct kept_target *known = store_target(ctx->txn, target.group, target.name, target.port, ctx->arena);
        /* DeregisterTargets may name a task of a service: it is registered again behind its delay. */
        if (known == NULL || !id_eq(known->task, target.task) || (known->state == TARGET_DRAINING && has_drained(look, known))) {
            struct target_news *news = news_of(look->books, traffic_group_arn(&ctx->config->names, group, ctx->arena));
            traffic_register(ctx, group, &target);
            if (news != NULL) { news->registered++; }
            known = store_target(ctx->txn, target.group, target.name, target.port, ctx->arena);
        }
        health = worse(health, known == NULL ? HEALTH_NOT_KNOWN : health_of(look, known));
    }
    return health;
}

/* ---- taking out ---- */

static void tell_deregistered(struct books *books, const struct kept_target *target)
{
    struct target_news *news = news_of(books, arn_of(books->ctx, target->group));
    if (news != NULL) { news->deregistered++; }
}

/* Returns how many targets of the task are left. `at_once`: its containers have ended, or end by themselves. */
static size_t take_out(struct look *look, bool at_once)
{
    struct op_ctx *ctx = look->books->ctx;
    struct kept_target *targets;
    size_t count = store_targets_of_task(ctx->txn, look->task->id, &targets, ctx->arena), left = 0;
    for (size_t t = 0; t < count; t++) {
        const struct kept_target *target = &targets[t];
        if (target->state != TARGET_DRAINING) { tell_deregistered(look->books, target); }
        if (at_once) { traffic_drop(ctx, target); continue; }
        if (target->state != TARGET_DRAINING) { traffic_deregister(ctx, store_group(ctx->txn, target->group, ctx->arena), target); }
        target = store_target(ctx->txn, target->group, target->name, target->port, ctx->arena);
        if (target == NULL) { continue; }
        if (has_drained(look, target)) { traffic_drop(ctx, target); } else { left++; }
    }
    return left;
}

void services_drop_targets(struct op_ctx *ctx, struct id task)
{
    struct kept_target *targets;
    size_t count = store_targets_of_task(ctx->txn, task, &targets, ctx->arena);
    for (size_t t = 0; t < count; t++) { traffic_drop(ctx, &targets[t]); }
}

/* ---- one step ---- */

static void settle(struct books *books, const struct roster_task *told)
{
    struct op_ctx *ctx = books->ctx;
    struct roster *roster = sched_roster(ctx->world);
    struct look look = { .books = books, .task = store_task(ctx->txn, told->id, ctx->arena) };
    if (look.task == NULL) { return; }
    for (size_t d = 0; d < books->deployment_count; d++) {
        if (books->deployments[d].digits == told->deployment) { look.deployment = &books->deployments[d]; }
    }
    look.revision = store_service_revision(ctx->txn, told->service, told->deployment, ctx->arena);
    if (told->deregisters) {
        bool left = take_out(&look, false) > 0;
        if (!left) { placement_end_deregistering(ctx, look.task); }
        roster_set_targets(roster, told->id, HEALTH_NOT_KNOWN, left);
    } else if (told->leaving) {
        (void)take_out(&look, true);
        roster_set_targets(roster, told->id, HEALTH_NOT_KNOWN, false);
    } else if (told->running) {
        enum task_health health = keep_registered(&look);
        roster_set_targets(roster, told->id, health, look.waits);
    } else {
        roster_set_targets(roster, told->id, HEALTH_NOT_KNOWN, false);
    }
    books->waits_for_feeds |= look.waits;
}

/* The roster changes meanwhile, so the tasks are noted first. */
void targets_settle(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    struct roster *roster = sched_roster(ctx->world);
    int64_t number = books->service.number;
    size_t count = roster_unsettled(roster, number), n = 0;
    if (count == 0) { return; }
    struct roster_task *tasks = ARENA_NEW(ctx->arena, struct roster_task, count);
    if (books->target_news == NULL) { books->target_news = ARENA_NEW(ctx->arena, struct target_news, TARGET_NEWS_MAX); }
    for (const struct roster_task *told = roster_walk(roster, number, NULL); told != NULL; told = roster_walk(roster, number, told)) {
        if (told->unsettled) { tasks[n++] = *told; }
    }
    ASSERT(n == count);
    for (size_t t = 0; t < count; t++) { settle(books, &tasks[t]); }
}

bool services_deregister(struct op_ctx *ctx, int64_t service)
{
    const struct roster *roster = sched_roster(ctx->world);
    for (const struct roster_task *told = roster_walk(roster, service, NULL); told != NULL; told = roster_walk(roster, service, told)) {
        if (told->deregisters) { return true; }
    }
    return false;
}

/* Why the task fails the checks of its load balancers. NULL: it does not. */
const struct kept_target *targets_unhealthy(struct op_ctx *ctx, struct id task)
{
    struct kept_target *targets;
    size_t count = store_targets_of_task(ctx->txn, task, &targets, ctx->arena);
    for (size_t t = 0; t < count; t++) {
        if (targets[t].state == TARGET_UNHEALTHY) { return &targets[t]; }
    }
    return NULL;
}

struct str targets_behind(struct op_ctx *ctx, struct id task)
{
    struct kept_target *targets;
    struct str feed = { NULL, 0 };
    size_t count = store_targets_of_task(ctx->txn, task, &targets, ctx->arena);
    for (size_t t = 0; t < count && !str_is_set(feed); t++) { feed = feeds_behind(sched_feeds(ctx->world), targets[t].revision, ctx->now_ms); }
    return arena_str(ctx->arena, feed);
}

/* ---- weights ---- */

/* The parts of the traffic that the deployments with the alternate group have; -1: nobody has the traffic yet. */
static int64_t alternate_part(const struct books *books, bool test)
{
    int64_t all = 0, alternate = 0;
    for (size_t d = 0; d < books->deployment_count; d++) {
        const struct deployment *planned = &books->plan.deployments[d];
        int64_t part = test ? planned->test : planned->production;
        all += part;
        if (books->deployments[d].alternate == OPT_TRUE) { alternate += part; }
    }
    ASSERT(alternate >= 0 && alternate <= all);
    return all == WEIGHT_WHOLE ? alternate : -1;
}

void targets_set_weights(struct books *books)
{
    struct op_ctx *ctx = books->ctx;
    const struct service_revision *revision = store_service_revision(ctx->txn, books->service.number, books->act.target->digits, ctx->arena);
    int64_t production = alternate_part(books, false), test = alternate_part(books, true);
    for (size_t b = 0; revision != NULL && b < revision->load_balancers.count; b++) {
        const struct load_balancer *balancer = &revision->load_balancers.items[b];
        const struct advanced_configuration *advanced = balancer->advanced_configuration;
        if (advanced == NULL || advanced->alternate_target_group_arn.len == 0) { continue; }
        struct str alternate = advanced->alternate_target_group_arn, usual = balancer->target_group_arn;
        if (production >= 0 && advanced->production_listener_rule.len > 0) {
            (void)traffic_set_weights(ctx, advanced->production_listener_rule, alternate, usual, production);
        }
        if (test >= 0 && advanced->test_listener_rule.len > 0) { (void)traffic_set_weights(ctx, advanced->test_listener_rule, alternate, usual, test); }
    }
}

/* ---- events ---- */

/* A failure lasts: one event among the newest is enough. */
static bool is_told(const struct service_events *events, struct str text)
{
    enum { NEWEST = 10 };
    for (size_t e = 0; e < events->events.count && e < NEWEST; e++) {
        if (str_eq(events->events.items[e].message, text)) { return true; }
    }
    return false;
}

static void tell_once(struct op_ctx *ctx, struct service_events *events, struct str text)
{
    if (!is_told(events, text)) { services_put_event(ctx, events, text); }
}

static void tell_group(struct books *books, const struct target_news *news, struct service_events *events)
{
    struct op_ctx *ctx = books->ctx;
    struct str name = books->service.name;
    if (news->deregistered > 0) {
        services_put_event(ctx, events, arena_printf(ctx->arena, "(service " STR_FMT ") deregistered %lld targets in (target-group " STR_FMT ")",
                                                     STR_ARG(name), (long long)news->deregistered, STR_ARG(news->group)));
        services_put_event(ctx, events, arena_printf(ctx->arena, "(service " STR_FMT ") has begun draining connections on %lld tasks.", STR_ARG(name),
                                                     (long long)news->deregistered));
    }
    if (news->registered > 0) {
        services_put_event(ctx, events, arena_printf(ctx->arena, "(service " STR_FMT ") registered %lld targets in (target-group " STR_FMT ")", STR_ARG(name),
                                                     (long long)news->registered, STR_ARG(news->group)));
    }
    if (news->failure.len > 0) {
        tell_once(ctx, events, arena_printf(ctx->arena, "(service " STR_FMT ") failed to register targets in (target-group " STR_FMT ") with (error "
                                            STR_FMT ").", STR_ARG(name), STR_ARG(news->group), STR_ARG(news->failure)));
    }
    if (news->behind.len > 0) {
        tell_once(ctx, events, arena_printf(ctx->arena, "(service " STR_FMT ") no longer waits for the proxy " STR_FMT ", which has not taken over its targets "
                                            "in (target-group " STR_FMT ").", STR_ARG(name), STR_ARG(news->behind), STR_ARG(news->group)));
    }
}

void targets_tell(struct books *books, struct service_events *events)
{
    for (size_t n = 0; n < books->target_news_count; n++) { tell_group(books, &books->target_news[n], events); }
}
