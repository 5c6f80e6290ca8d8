/* starts.c: the starts of a plan: each is placed in the world first, since only the world knows whether it has room. Then its record is written. */
#include "api/core/placement.h"
#include "api/core/quotas.h"
#include "api/services/books.h"
#include "api/tasks/demand.h"
#include "api/tasks/launch.h"
#include "api/tasks/terms.h"
#include "api/tasks/waits.h"

/* ---- the pattern of a deployment's tasks ---- */

/* Tags of Berth's own say how the service is run; its tasks do not have them, except the one that says what the tasks may do. */
static struct tag_list tags_for_tasks(const struct service *service, bool propagates, struct arena *arena)
{
    struct tag_list tags = { ARENA_NEW(arena, struct tag, service->tags.count), 0 };
    for (size_t t = 0; t < service->tags.count; t++) {
        struct str key = service->tags.items[t].key;
        if (str_starts_with(key, STR("berth:")) ? str_eq(key, STR("berth:idle-ok")) : propagates) { tags.items[tags.count++] = service->tags.items[t]; }
    }
    return tags;
}

/* Bits of the containers whose health counts. */
static int64_t checked_containers(const struct task_definition *def)
{
    int64_t bits = 0;
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct container_definition *container = &def->container_definitions.items[c];
        if (container->health_check != NULL && container->essential != OPT_FALSE) { bits |= (int64_t)1 << c; }
    }
    return bits;
}

/* Strategies as given. Without them tasks of a service are spread over zones and then instances, as in ECS, except tasks with GPUs: those are spread over
 * zones where there are two or more, and then fill machines. */
static bool add_strategies(struct books *books, const struct launch *launch, struct demand *demand, struct err *err)
{
    static const struct strategy usual[] = { { STRATEGY_SPREAD, STR_INIT("attribute:ecs.availability-zone") }, { STRATEGY_SPREAD, STR_INIT("instanceId") },
                                             { STRATEGY_RANDOM, STR_INIT("") } };
    bool wants_gpus = false;
    if (books->service.placement_strategy.count > 0) {
        return demand_add_strategies(books->ctx, &books->service.placement_strategy, demand, err);
    }
    for (size_t c = 0; c < launch->demand.container_count; c++) { wants_gpus |= launch->demand.gpus[c].count != 0; }
    bool has_zones = sched_zones(books->ctx->world, books->cluster->number, NULL, 0) > 1;
    demand->strategies = usual;
    demand->strategy_count = wants_gpus ? has_zones : COUNT_OF(usual);
    return true;
}

/* Tasks of the deployment that stay, by capacity providers. */
static void count_shares(const struct books *books, uint32_t d, struct provider_choice *choice)
{
    if (choice->count == 0) { return; }
    for (size_t t = 0; t < books->state.task_count; t++) {
        const struct service_task *task = &books->state.tasks[t];
        if (task->deployment != d || task->leaving) { continue; }
        size_t item = books_share(books, t, choice);
        if (item < choice->count) { choice->shares[item].tasks++; }
    }
}

/* A daemon's revision says which of its instances count: those of its capacity providers. */
static void add_providers(struct books *books, const struct daemon_revision_part *part, struct demand *demand)
{
    struct op_ctx *ctx = books->ctx;
    struct buf text = buf_in(ctx->arena);
    struct err unread = { 0 };
    const struct expression **expressions = (const struct expression **)arena_alloc(ctx->arena, demand->expression_count + 1, sizeof *expressions);
    for (size_t e = 0; e < demand->expression_count; e++) { expressions[e] = demand->expressions[e]; }
    buf_printf(&text, "attribute:" STR_FMT " in [", STR_ARG(instance_provider_name));
    for (size_t p = 0; p < part->providers.count; p++) { buf_printf(&text, "%s" STR_FMT, p == 0 ? "" : ",", STR_ARG(part->providers.items[p])); }
    buf_put_char(&text, ']');
    expressions[demand->expression_count] = expression_compile(buf_str(&text), ctx->arena, &unread);
    ASSERT(expressions[demand->expression_count] != NULL);       /* names of providers are letters, digits, '-' and '_' */
    demand->expressions = expressions;
    demand->expression_count++;
    demand->of_daemon = true;
}

/* A managed daemon's tasks have the settings of their revision. */
static bool prepare_daemon(struct books *books, const struct service_revision *revision, struct launch *launch, struct err *err)
{
    struct op_ctx *ctx = books->ctx;
    const struct service *daemon = &books->service;
    const struct daemon_revision_part *part = revision->daemon;
    const struct daemon_taskdef *found = store_daemon_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    struct taskdef *taskdef = ARENA_NEW(ctx->arena, struct taskdef, 1);
    if (found == NULL) { return err_set(err, ERR_CLIENT, "TaskDefinition not found."); }
    *taskdef = daemon_taskdef_as(found);
    struct tag_list tags = tags_for_tasks(daemon, part->propagate_tags == OPT_TRUE, ctx->arena);
    const struct launch_request request = {
        .group = arena_printf(ctx->arena, "daemon:" STR_FMT, STR_ARG(daemon->name)),
        .started_by = names_daemon_deployment_id(daemon->last_service_deployment, ctx->arena), .tags = &tags, .managed_tags = part->managed_tags,
        .execute_command = part->execute_command,
    };
    if (!launch_prepare_from(ctx, books->cluster, taskdef, &request, launch, err)) { return false; }
    add_providers(books, part, &launch->demand);
    launch->gang = false;
    launch->pattern.of_daemon = OPT_TRUE;
    launch->pattern.launch_type = LAUNCH_TYPE_MANAGED_INSTANCES;
    launch->pattern.service = daemon->number;
    launch->pattern.deployment = revision->digits;
    launch->pattern.checked = checked_containers(&taskdef->def);
    return true;
}

/* Strategies and constraints for the record of a task that waits, so that it is placed as the others are. */
static struct task_placing *placing_of(struct books *books, const struct demand *demand)
{
    static const enum placement_strategy_type types[] = {
        [STRATEGY_RANDOM] = PLACEMENT_STRATEGY_TYPE_RANDOM, [STRATEGY_SPREAD] = PLACEMENT_STRATEGY_TYPE_SPREAD,
        [STRATEGY_BINPACK] = PLACEMENT_STRATEGY_TYPE_BINPACK,
    };
    struct task_placing *placing = ARENA_NEW(books->ctx->arena, struct task_placing, 1);
    struct placement_strategy *strategies = ARENA_NEW(books->ctx->arena, struct placement_strategy, demand->strategy_count + 1);
    for (size_t s = 0; s < demand->strategy_count; s++) {
        ASSERT((size_t)demand->strategies[s].kind < COUNT_OF(types));
        strategies[s] = (struct placement_strategy){ .type = types[demand->strategies[s].kind], .field = demand->strategies[s].field };
    }
    placing->strategies = (struct placement_strategy_list){ strategies, demand->strategy_count };
    placing->constraints = books->service.placement_constraints;
    return placing;
}

/* Tasks of it, or of deployments before it, have run: a task that waits for a machine replaces one, or is one more. */
static bool has_run(const struct books *books, uint32_t d)
{
    const struct kept_deployment *deployment = &books->deployments[d];
    bool stable = deployment->task_set != NULL && deployment->task_set->stability == STABILITY_STATUS_STEADY_STATE;
    return books->deployment_count > 1 || deployment->rollout == DEPLOYMENT_ROLLOUT_STATE_COMPLETED || stable;
}

/* How its tasks wait, if they do. The tags were checked when they were set. */
static struct wait_wish wish_of(const struct books *books, uint32_t d)
{
    struct wait_wish wish;
    struct err unread = { 0 };
    if (!waits_read(&books->service.tags, &wish, &unread)) { wish = (struct wait_wish){ .waits = false }; }
    wish.replaces = has_run(books, d);
    return wish;
}

/* A definition that was deregistered since runs on. */
static bool prepare(struct books *books, uint32_t d, struct launch *launch, struct err *err)
{
    struct op_ctx *ctx = books->ctx;
    const struct service *service = &books->service;
    int64_t digits = books->deployments[d].digits;
    const struct service_revision *revision = books->supposed;
    if (revision == NULL || revision->digits != digits) { revision = store_service_revision(ctx->txn, service->number, digits, ctx->arena); }
    if (revision != NULL && revision->daemon != NULL) { return prepare_daemon(books, revision, launch, err); }
    const struct taskdef *taskdef = revision == NULL ? NULL : store_taskdef(ctx->txn, revision->family, revision->revision, ctx->arena);
    if (taskdef == NULL) { return err_set(err, ERR_CLIENT, "TaskDefinition not found."); }
    struct tag_list tags = tags_for_tasks(service, service->propagate_tags == PROPAGATE_TAGS_SERVICE, ctx->arena);
    const struct launch_request request = {
        .group = arena_printf(ctx->arena, "service:" STR_FMT, STR_ARG(service->name)),
        .started_by = names_deployment_id(digits, ctx->arena), .launch_type = revision->launch_type, .network = revision->network_configuration,
        .tags = &tags, .service_name = service->name,
        .propagate_tags = service->propagate_tags == PROPAGATE_TAGS_TASK_DEFINITION ? PROPAGATE_TAGS_TASK_DEFINITION : PROPAGATE_TAGS_NONE,
        .managed_tags = service->managed_tags, .execute_command = service->execute_command,
    };
    if (!launch_prepare_from(ctx, books->cluster, taskdef, &request, launch, err)) { return false; }
    if (!demand_add_constraints(ctx, &taskdef->def, &service->placement_constraints, &launch->demand, err)) { return false; }
    if (!add_strategies(books, launch, &launch->demand, err)) { return false; }
    launch->gang = false;
    launch->wish = wish_of(books, d);
    if (launch->pattern.terms == NULL && !terms_read(&service->tags, &launch->pattern.terms, ctx->arena, err)) { return false; }
    launch->choice = choice_of(ctx, &revision->capacity_provider_strategy);
    count_shares(books, d, &launch->choice);
    launch->pattern.service = service->number;
    launch->demand.asker = terms_asker(ctx, &launch->pattern);
    launch->pattern.deployment = digits;
    launch->pattern.checked = checked_containers(&taskdef->def);
    launch->pattern.balanced = opt_bool_of(revision->load_balancers.count > 0);
    return true;
}

/* ---- placing ---- */

/* The sentence of ECS's event that a task has no place. */
static struct str no_place(struct books *books, const struct evidence *evidence)
{
    static const struct { enum verdict verdict; const char *text; } rows[] = {
        { LACKS_CPU, "has insufficient CPU units available" }, { LACKS_MEMORY, "has insufficient memory available" },
        { LACKS_GPU, "has insufficient GPU available" }, { LACKS_GPU_MEMORY, "has insufficient GPU available" },
        { LACKS_PORT, "is already using a port required by your task" }, { LACKS_ATTRIBUTE, "is missing an attribute required by your task" },
        { NO_AGENT, "doesn't have the agent connected" },
    };
    if (evidence->group_count == 0 || id_is_zero(evidence->groups[0].example)) { return STR("Reason: No Container Instances were found in your cluster."); }
    char hex[ID_HEX_LEN + 1];
    id_hex(evidence->groups[0].example, hex);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].verdict != evidence->groups[0].verdict) { continue; }
        return arena_printf(books->ctx->arena, "The closest matching (container-instance %s) %s.", hex, rows[r].text);
    }
    return arena_printf(books->ctx->arena, "The closest matching (container-instance %s) encountered error \"" STR_FMT "\".", hex,
                        STR_ARG(verdict_reason(evidence->groups[0].verdict)));
}

/* "needs 2 GPUs elsewhere, largest free slot 1". */
static struct str lack_elsewhere(struct books *books, const struct demand *demand, const struct evidence *evidence)
{
    int64_t needs;
    const char *unit;
    if (!services_lack(demand, evidence, &needs, &unit)) { return STR("no other instance can take it"); }
    return arena_printf(books->ctx->arena, "needs %lld %s elsewhere, largest free slot %lld", (long long)needs, unit,
                        (long long)services_largest_free(evidence));
}

/* Returns how many found a place. */
static int64_t place_on(struct books *books, struct launch *launch, uint32_t deployment, size_t count)
{
    struct op_ctx *ctx = books->ctx;
    size_t kept = places_take(books, &launch->demand, deployment, count);
    ASSERT(kept <= count);
    count -= kept;
    if (count == 0) { return (int64_t)kept; }
    struct id *ids = ARENA_NEW(ctx->arena, struct id, count);
    struct placement *placements = ARENA_NEW(ctx->arena, struct placement, count);
    struct evidence evidence = { 0 };
    for (size_t t = 0; t < count; t++) { ids[t] = id_new(ctx->ids, ctx->now_ms); }
    struct failure over;
    size_t allowed = quotas_allow(ctx, books->cluster, &launch->pattern.tags, &launch->demand, count, false, &over);
    size_t placed = allowed == 0 ? 0 : sched_place(ctx->world, &launch->demand, ids, allowed, false, placements, &evidence);
    ASSERT(placed <= allowed && allowed <= count);
    for (size_t t = 0; t < placed; t++) {
        books->placed[books->placed_count++] = (struct placed){ .id = ids[t], .deployment = deployment, .placement = placements[t] };
    }
    if (placed == allowed && allowed < count && books->no_place.len == 0) {
        books->no_place = arena_printf(ctx->arena, "Reason: " STR_FMT, STR_ARG(over.detail));
        books->lack = STR("it is over a quota of the cluster");
    }
    if (placed < allowed && books->no_place.len == 0) {
        books->no_place = no_place(books, &evidence);
        books->lack = lack_elsewhere(books, &launch->demand, &evidence);
    }
    return (int64_t)(kept + placed);
}

/* The same over the capacity providers of the strategy. Afterwards the launch is of the first one that had no room, which is where room is looked for. */
static int64_t place_some(struct books *books, struct launch *launch, uint32_t deployment, size_t count)
{
    struct provider_choice *choice = &launch->choice;
    int64_t wanted[STRATEGY_ITEMS_MAX] = { 0 }, placed = 0;
    size_t full = choice->count;
    if (choice->count == 0) { return place_on(books, launch, deployment, count); }
    for (size_t n = 0; n < count; n++) { wanted[strategy_add(choice->shares, choice->count)]++; }
    for (size_t i = 0; i < choice->count; i++) {
        size_t first = books->placed_count;
        if (wanted[i] == 0) { continue; }
        launch_on_provider(books->ctx, launch, i);
        int64_t here = place_on(books, launch, deployment, (size_t)wanted[i]);
        for (size_t p = first; p < books->placed_count; p++) { books->placed[p].provider = i; }
        placed += here;
        if (here < wanted[i] && full == choice->count) { full = i; }
        if (here < wanted[i] && choice->items[i].scales) {
            books->shortfalls[books->shortfall_count++] = (struct shortfall){ deployment, i, wanted[i] - here };
        }
    }
    if (full < choice->count) {
        launch_on_provider(books->ctx, launch, full);
        books->full_provider = choice->items[full].name;
    }
    return placed;
}

/* ---- waiting for machines ---- */

/* berth:replace=stop-first: a place is kept, or an old task makes room. Then the PRIMARY's starts take that, and order no machine. */
static bool goes_in_place(const struct books *books, uint32_t deployment)
{
    if (books->state.stops_first == 0 || books->deployments[deployment].digits != books->service.revision) { return false; }
    bool makes_room = books->state.kept > 0;
    for (size_t t = 0; t < books->state.task_count; t++) { makes_room |= books->state.tasks[t].makes_room && books->state.tasks[t].machine == MACHINE_READY; }
    return makes_room;
}

/* The starts that have no room, where the capacity provider orders machines: they become tasks that wait, as many as the cluster may have. */
static void wait_for_machines(struct books *books, int64_t *room)
{
    struct op_ctx *ctx = books->ctx;
    size_t entered = 0;                                          /* of this step, which the queue does not have yet */
    for (size_t s = 0; s < books->shortfall_count; s++) {
        const struct shortfall *shortfall = &books->shortfalls[s];
        struct launch *launch = books->launches[shortfall->deployment];
        if (goes_in_place(books, shortfall->deployment)) { continue; }
        launch_on_provider(ctx, launch, shortfall->provider);
        size_t wanted = (size_t)shortfall->count, all = waits_room(ctx, launch, wanted + entered), may = all > entered ? all - entered : 0;
        for (size_t t = 0; t < may; t++) {
            books->placed[books->placed_count++] = (struct placed){
                .id = id_new(ctx->ids, ctx->now_ms), .deployment = shortfall->deployment, .waits = true, .provider = shortfall->provider,
            };
        }
        room[shortfall->deployment] += (int64_t)may;
        entered += may;
        books->state.full |= may < wanted;
    }
}

/* The launch is of the provider that gets the next task. */
static size_t choose_next(struct books *books, struct launch *launch)
{
    if (launch->choice.count == 0) { return 0; }
    size_t item = strategy_add(launch->choice.shares, launch->choice.count);
    launch_on_provider(books->ctx, launch, item);
    return item;
}

/* In one zone, for zone rebalancing: the zone is one more constraint. A zone without room, or without an instance that could take the task, is remembered in
 * the state. */
static bool place_in_zone(struct books *books, struct launch *launch, const struct planned_start *start)
{
    struct op_ctx *ctx = books->ctx;
    struct err err = { 0 };
    size_t provider = choose_next(books, launch);
    struct demand demand = launch->demand;
    struct str zone = books->zone_names[start->zone];
    struct sched_attribute *attributes = ARENA_NEW(ctx->arena, struct sched_attribute, demand.attribute_count + 1);
    const struct expression **expressions = (const struct expression **)arena_alloc(ctx->arena, demand.expression_count + 1, sizeof *expressions);
    for (size_t a = 0; a < demand.attribute_count; a++) { attributes[a] = demand.attributes[a]; }
    for (size_t e = 0; e < demand.expression_count; e++) { expressions[e] = demand.expressions[e]; }
    if (str_is_set(zone)) {
        attributes[demand.attribute_count++] = (struct sched_attribute){ instance_zone_name, zone };
    } else {
        expressions[demand.expression_count] = expression_compile(STR("attribute:ecs.availability-zone !exists"), ctx->arena, &err);
        ASSERT(expressions[demand.expression_count] != NULL);
        demand.expression_count++;
    }
    demand.attributes = attributes;
    demand.expressions = expressions;
    struct placed placed = { .id = id_new(ctx->ids, ctx->now_ms), .deployment = start->deployment, .provider = provider };
    struct evidence evidence = { 0 };
    if (sched_place(ctx->world, &demand, &placed.id, 1, false, &placed.placement, &evidence) == 1) {
        books->placed[books->placed_count++] = placed;
        return true;
    }
    books->state_zones[start->zone] = (struct service_zone){ .takes = !evidence.impossible, .room = false };
    return false;
}

/* A daemon's tasks have their instances. An instance without room is remembered in the state. */
static void place_daemons(struct books *books, struct launch *launch, uint32_t deployment)
{
    struct op_ctx *ctx = books->ctx;
    struct daemon_instance *instances = arena_copy(ctx->arena, books->state.daemon_instances,
                                                   books->state.instance_count * sizeof *books->state.daemon_instances);
    for (size_t s = 0; s < books->plan.place_count; s++) {
        uint32_t instance = books->plan.places[s];
        struct placed placed = { .id = id_new(ctx->ids, ctx->now_ms), .deployment = deployment };
        struct evidence evidence = { 0 };
        enum verdict verdict = sched_place_on(ctx->world, books->instances[instance], &launch->demand, placed.id, &placed.placement, &evidence);
        if (verdict == FITS) {
            books->placed[books->placed_count++] = placed;
        } else {
            instances[instance].room = false;
            if (books->no_place.len == 0) { books->no_place = no_place(books, &evidence); }
        }
    }
    books->state.daemon_instances = instances;
}

bool starts_demand(struct books *books, struct demand *demand, struct err *err)
{
    struct launch launch;
    uint32_t d = 0;
    while (d < books->deployment_count && books->deployments[d].digits != books->service.revision) { d++; }
    if (d == books->deployment_count) { return err_set(err, ERR_CLIENT, "The service has no deployment."); }
    if (!prepare(books, d, &launch, err)) { return false; }
    size_t item = choose_next(books, &launch);
    bool chooses = launch.choice.count > 0;
    books->next_provider = chooses ? launch.choice.items[item].name : (struct str){ NULL, 0 };
    books->next_scales = chooses && launch.choice.items[item].scales;
    *demand = launch.demand;
    return true;
}

/* For a start of the PRIMARY that has no room, when old tasks may make it. */
static void find_room(struct books *books)
{
    for (size_t s = 0; s < books->plan.start_count && books->state.stops_first > books->state.kept; s++) {
        const struct launch *launch = books->launches[books->plan.starts[s].deployment];
        bool primary = books->deployments[books->plan.starts[s].deployment].digits == books->service.revision;
        if (launch != NULL && primary) { places_find_room(books, &launch->demand); }
    }
}

static void plan_again(struct books *books)
{
    bool planned = reconcile(&books->state, books->ctx->arena, &books->plan);
    ASSERT(planned);
}

/* stop-first, and nothing moves: a task on a draining machine may stop before its successor starts, if that has room elsewhere. */
static void find_room_in_drain(struct books *books)
{
    struct err unread = { 0 };
    struct demand demand;
    struct placement placement;
    struct evidence evidence;
    bool drains = false;
    if (books->state.stops_first <= books->state.kept || books->plan.stop_count > 0) { return; }
    for (size_t t = 0; t < books->state.task_count; t++) {
        books->state_tasks[t].makes_room = books->state.tasks[t].machine == MACHINE_DRAINING && !books->state.tasks[t].leaving;
        drains |= books->state.tasks[t].makes_room;
    }
    if (!drains || !starts_demand(books, &demand, &unread)) { return; }
    if (sched_try(books->ctx->world, &demand, 1, false, &placement, &evidence) == 1) { plan_again(books); }
}

void books_place(struct books *books)
{
    struct service_plan *plan = &books->plan;
    int64_t planned = 0, *room = ARENA_NEW(books->ctx->arena, int64_t, books->deployment_count);
    bool zone_fails = false;
    for (size_t s = 0; s < plan->start_count; s++) { planned += plan->starts[s].count; }
    if (planned == 0) { find_room_in_drain(books); return; }
    books->launches = ARENA_NEW(books->ctx->arena, struct launch *, books->deployment_count);
    books->placed = ARENA_NEW(books->ctx->arena, struct placed, (size_t)planned);
    books->shortfalls = ARENA_NEW(books->ctx->arena, struct shortfall, books->deployment_count * STRATEGY_ITEMS_MAX);
    for (size_t s = 0; s < plan->start_count; s++) {
        const struct planned_start *start = &plan->starts[s];
        struct err err = { 0 };
        struct launch *launch = ARENA_NEW(books->ctx->arena, struct launch, 1);
        if (!prepare(books, start->deployment, launch, &err)) {
            books->cannot_launch = arena_str(books->ctx->arena, str_from(err.message));
            continue;
        }
        books->launches[start->deployment] = launch;
        if (start->zone != ANY_ZONE) {
            zone_fails = !place_in_zone(books, launch, start);
        } else if (books->state.strategy == ROLLOUT_DAEMON || books->state.strategy == ROLLOUT_MANAGED) {
            place_daemons(books, launch, start->deployment);
        } else {
            room[start->deployment] = place_some(books, launch, start->deployment, (size_t)start->count);
        }
    }
    ASSERT((int64_t)books->placed_count <= planned);
    if ((int64_t)books->placed_count == planned) { return; }
    if (!zone_fails) {
        books->state.room = room;
        find_room(books);
        wait_for_machines(books, room);
    }
    plan_again(books);
    if (zone_fails) { books_place(books); }                       /* another zone may be the next; each zone fails once */
}

static struct str provider_at(struct books *books, struct id instance)
{
    struct str name = { NULL, 0 };
    (void)sched_attribute(books->ctx->world, instance, instance_provider_name, &name);
    return arena_str(books->ctx->arena, name);
}

/* Those from `first` on that wait for one provider. Returns how many they are. */
static size_t enter(struct books *books, struct launch *launch, size_t first)
{
    const struct placed *placed = &books->placed[first];
    size_t count = 0;
    struct id *ids = ARENA_NEW(books->ctx->arena, struct id, books->placed_count - first);
    while (first + count < books->placed_count && placed[count].waits && placed[count].deployment == placed->deployment
           && placed[count].provider == placed->provider) {
        ids[count] = placed[count].id;
        count++;
    }
    launch_on_provider(books->ctx, launch, placed->provider);
    launch->pattern.placing = placing_of(books, &launch->demand);
    waits_enter(books->ctx, launch, ids, count, NULL);
    launch->pattern.placing = NULL;
    return count;
}

void books_start(struct books *books)
{
    for (size_t p = 0; p < books->placed_count;) {
        const struct placed *placed = &books->placed[p];
        ASSERT(placed->deployment < books->deployment_count && books->launches[placed->deployment] != NULL);
        struct launch *launch = books->launches[placed->deployment];
        launch->pattern.keeps_place = opt_bool_of(placed->kept);
        if (placed->waits) {
            p += enter(books, launch, p);
            continue;
        }
        if (launch->choice.count > 0) { launch_on_provider(books->ctx, launch, placed->provider); }
        if (launch->pattern.of_daemon == OPT_TRUE) { launch->pattern.capacity_provider = provider_at(books, placed->placement.instance); }
        launch_task(books->ctx, launch, placed->id, &placed->placement, NULL);
        p++;
    }
}
