/* draft.c: what CreateService and UpdateService check of the service that comes of a request. */
#include "api/rules/rules.h"

#include "api/capacity/choice.h"
#include "api/tasks/demand.h"
#include "api/tasks/launch.h"

#define ZONE_ATTRIBUTE "attribute:ecs.availability-zone"

static bool is_daemon(const struct service_draft *draft) { return draft->service.scheduling == SCHEDULING_STRATEGY_DAEMON; }

/* ---- members as records have them ---- */

struct network_configuration *service_network(const struct network_configuration *given, struct arena *arena)
{
    if (given == NULL || given->awsvpc_configuration == NULL) { return NULL; }
    struct network_configuration *network = ARENA_NEW(arena, struct network_configuration, 1);
    struct aws_vpc_configuration *vpc = ARENA_NEW(arena, struct aws_vpc_configuration, 1);
    *vpc = *given->awsvpc_configuration;
    if (vpc->subnets.items == NULL) { vpc->subnets.items = LIST_NOTHING; }
    if (vpc->security_groups.items == NULL) { vpc->security_groups.items = LIST_NOTHING; }
    if (vpc->assign_public_ip == ASSIGN_PUBLIC_IP_UNSET) { vpc->assign_public_ip = ASSIGN_PUBLIC_IP_DISABLED; }
    network->awsvpc_configuration = vpc;
    return network;
}

struct capacity_provider_strategy_item_list service_strategy(const struct capacity_provider_strategy_item_list *given, struct arena *arena)
{
    struct capacity_provider_strategy_item_list list = { NULL, given->count };
    if (list.count == 0) { return list; }
    list.items = ARENA_NEW(arena, struct capacity_provider_strategy_item, list.count);
    for (size_t i = 0; i < list.count; i++) {
        list.items[i] = given->items[i];
        list.items[i].capacity_provider = provider_name(given->items[i].capacity_provider);
        list.items[i].weight.set = list.items[i].base.set = true;
    }
    return list;
}

/* ---- launch type, providers ---- */

static bool check_providers(struct op_ctx *ctx, const struct service_draft *draft, struct err *err)
{
    const struct capacity_provider_strategy_item_list *strategy = &draft->revision.capacity_provider_strategy;
    if (draft->wants_both_launches) {
        return err_set(err, ERR_INVALID_PARAMETER, "Specify either Launch Type or Capacity Provider Strategy, but not both.");
    }
    if (strategy->count == 0) { return true; }
    if (is_daemon(draft)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Specifying a capacity provider strategy is not supported when you create a service using the DAEMON "
                       "scheduling strategy.");
    }
    const struct cluster *cluster = store_cluster_by_number(ctx->txn, draft->service.cluster_number, ctx->arena);
    if (cluster == NULL) { return err_set(err, ERR_CLUSTER_NOT_FOUND, "Cluster not found."); }
    return choice_check(ctx, cluster, strategy, false, err);
}

/* ---- VPC Lattice, volumes ---- */

static bool check_unserved(const struct service_draft *draft, struct err *err)
{
    if (draft->wants_lattice) { return err_set(err, ERR_UNSUPPORTED_FEATURE, "vpcLatticeConfigurations are not available: Berth has no VPC Lattice."); }
    if (draft->wants_volumes) {
        return err_set(err, ERR_UNSUPPORTED_FEATURE, "volumeConfigurations are not available: Berth makes no Amazon EBS volumes.");
    }
    return true;
}

/* ---- placement ---- */

static bool names_zones(const struct service_draft *draft, const struct task_definition *def)
{
    for (size_t c = 0; c < draft->service.placement_constraints.count; c++) {
        if (str_contains(draft->service.placement_constraints.items[c].expression, STR(ZONE_ATTRIBUTE))) { return true; }
    }
    for (size_t c = 0; c < def->placement_constraints.count; c++) {
        if (str_contains(def->placement_constraints.items[c].expression, STR(ZONE_ATTRIBUTE))) { return true; }
    }
    return false;
}

static bool spreads_otherwise(const struct service_draft *draft)
{
    const struct placement_strategy_list *list = &draft->service.placement_strategy;
    return list->count > 0 && (list->items[0].type != PLACEMENT_STRATEGY_TYPE_SPREAD || !str_eq(list->items[0].field, STR(ZONE_ATTRIBUTE)));
}

/* The first reason against zone rebalancing; NULL: there is none. */
static const char *against_rebalancing(const struct service_draft *draft, const struct task_definition *def)
{
    const struct { bool is_so; const char *what; } rows[] = {
        { draft->service.controller != DEPLOYMENT_CONTROLLER_TYPE_ECS,            "the EXTERNAL deployment controller" },
        { is_daemon(draft),                                                       "the DAEMON scheduling strategy" },
        { draft->revision.launch_type == LAUNCH_TYPE_EXTERNAL,                    "the EXTERNAL launch type" },
        { draft->service.configuration->maximum_percent.value <= 100,             "maximumPercent <= 100" },
        { spreads_otherwise(draft), "a first placement strategy other than spread over " ZONE_ATTRIBUTE },
        { names_zones(draft, def),  "placement constraints on " ZONE_ATTRIBUTE },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].is_so) { return rows[r].what; }
    }
    return NULL;
}

/* By default on, except for GPUs: a warm model takes minutes to move. A default ends when the service gets a definition with GPUs. */
static bool settle_rebalancing(struct service_draft *draft, const struct task_definition *def, bool wants_gpus, struct err *err)
{
    enum availability_zone_rebalancing *rebalancing = &draft->service.zone_rebalancing;
    const char *against = against_rebalancing(draft, def);
    if (*rebalancing == AVAILABILITY_ZONE_REBALANCING_ENABLED && against != NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "AvailabilityZoneRebalancing does not support %s", against);
    }
    if (*rebalancing == AVAILABILITY_ZONE_REBALANCING_UNSET || (draft->service.zone_rebalancing_given != OPT_TRUE && wants_gpus)) {
        *rebalancing = against == NULL && !wants_gpus ? AVAILABILITY_ZONE_REBALANCING_ENABLED : AVAILABILITY_ZONE_REBALANCING_DISABLED;
    }
    ASSERT(against == NULL || *rebalancing == AVAILABILITY_ZONE_REBALANCING_DISABLED);
    return true;
}

static const struct task_definition of_task_sets;                /* empty: each task set has a definition */

/* Reads what a task asks for as RunTask does, only to see that it can be read. */
static bool read_demand(struct op_ctx *ctx, const struct service_draft *draft, const struct task_definition *def, struct demand *demand, struct err *err)
{
    *demand = (struct demand){ .cluster = draft->service.cluster_number };
    if (def != NULL && !demand_read(ctx, def, NULL, draft->service.execute_command == OPT_TRUE, demand, err)) { return false; }
    return demand_add_constraints(ctx, def == NULL ? &of_task_sets : def, &draft->service.placement_constraints, demand, err)
        && demand_add_strategies(ctx, &draft->service.placement_strategy, demand, err);
}

static bool check_placement(struct op_ctx *ctx, struct service_draft *draft, const struct task_definition *def, struct err *err)
{
    struct demand demand;
    bool wants_gpus = false;
    if (is_daemon(draft) && draft->service.placement_strategy.count > 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "The daemon scheduling strategy does not support placement strategies.");
    }
    if (!read_demand(ctx, draft, def, &demand, err)) { return false; }
    for (size_t c = 0; c < demand.container_count; c++) { wants_gpus = wants_gpus || demand.gpus[c].count != 0; }
    return settle_rebalancing(draft, def == NULL ? &of_task_sets : def, wants_gpus, err);
}

/* The workload, from its launch type to its registries. */
static bool check_workload(struct op_ctx *ctx, const struct service_draft *draft, const struct task_definition *def, struct err *err)
{
    const struct service_revision *revision = &draft->revision;
    if (def != NULL) {
        if (!check_providers(ctx, draft, err) || !launch_check_type(def, revision->launch_type, err)) { return false; }
        if (!launch_check_content(def, NULL, err) || !launch_check_network(def, revision->network_configuration, err)) { return false; }
    }
    return service_check_balancers(&revision->load_balancers, def, draft->service.configuration->strategy, err)
        && service_check_registries(&ctx->config->names, &revision->service_registries, def, revision->launch_type, err);
}

bool service_check_task_set(struct op_ctx *ctx, const struct service_draft *draft, const struct taskdef *taskdef, struct err *err)
{
    struct demand demand;
    return check_workload(ctx, draft, &taskdef->def, err) && read_demand(ctx, draft, &taskdef->def, &demand, err);
}

bool service_check_draft(struct op_ctx *ctx, struct service_draft *draft, const struct cluster *cluster, const struct taskdef *taskdef, struct err *err)
{
    const struct service *service = &draft->service;
    const struct task_definition *def = taskdef == NULL ? NULL : &taskdef->def;
    ASSERT((def == NULL) == (service->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL));
    return service_check_configuration(service->configuration, service->controller, service->scheduling, err)
        && check_workload(ctx, draft, def, err)
        && service_check_connect(draft->revision.service_connect_configuration, def, cluster, err)
        && check_unserved(draft, err)
        && check_placement(ctx, draft, def, err);
}
