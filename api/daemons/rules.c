/* rules.c: what a daemon may be, and the defaults of its members. */
#include "api/daemons/daemons.h"

#include "api/alarms/alarms.h"
#include "api/capacity/choice.h"
#include "api/rules/rules.h"

static const double drain_default = 25.0;

/* ---- the definition ---- */

static const struct daemon_taskdef *find_definition(struct op_ctx *ctx, struct str reference, struct err *err)
{
    struct str family;
    int64_t revision;
    if (!names_read_daemon_taskdef(&ctx->config->names, reference, &family, &revision, err)) { return NULL; }
    if (revision == 0) { revision = store_latest_daemon_revision(ctx->txn, family); }
    const struct daemon_taskdef *taskdef = revision == 0 ? NULL : store_daemon_taskdef(ctx->txn, family, revision, ctx->arena);
    if (taskdef == NULL) {
        (void)err_set(err, ERR_CLIENT, "The specified daemon task definition does not exist.");
        return NULL;
    }
    if (taskdef->def.status == DAEMON_TASK_DEFINITION_STATUS_ACTIVE) { return taskdef; }
    (void)err_set(err, ERR_CLIENT, "The specified daemon task definition is not in ACTIVE status.");
    return NULL;
}

/* ---- capacity providers ---- */

/* Names what is wrong with the provider; NULL: nothing is. */
static const char *provider_problem(const struct kept_provider *provider, const struct cluster *cluster)
{
    if (provider == NULL) { return "was not found"; }
    if (provider->managed == NULL) {
        return "is not of managed instances. Daemons run on those; use a service with schedulingStrategy DAEMON for other machines";
    }
    if (provider->cluster != cluster->number) { return "is not of the cluster"; }
    return provider->status == CAPACITY_PROVIDER_STATUS_ACTIVE ? NULL : "is not in an ACTIVE state";
}

static bool read_providers(struct op_ctx *ctx, const struct cluster *cluster, const struct str_list *given, struct str_list *names, struct err *err)
{
    if (given->count == 0 || given->count > DAEMON_PROVIDERS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "capacityProviderArns must have 1 to %d items.", DAEMON_PROVIDERS_MAX);
    }
    *names = (struct str_list){ ARENA_NEW(ctx->arena, struct str, given->count), 0 };
    for (size_t p = 0; p < given->count; p++) {
        struct str name = provider_name(given->items[p]), shown = str_slice(name, 0, 255);
        const struct kept_provider *provider = names_is_valid(name) ? store_provider(ctx->txn, name, ctx->arena) : NULL;
        const char *problem = provider_problem(provider, cluster);
        if (problem != NULL) {
            return err_set(err, ERR_INVALID_PARAMETER, "The specified capacity provider '" STR_FMT "' %s.", STR_ARG(shown), problem);
        }
        if (str_list_has(names, name)) {
            return err_set(err, ERR_INVALID_PARAMETER, "capacityProviderArns names '" STR_FMT "' more than once.", STR_ARG(shown));
        }
        names->items[names->count++] = name;
    }
    return true;
}

/* ---- the configuration ---- */

/* A failure by the circuit breaker or an alarm always rolls back. */
static struct deployment_configuration *configure(const struct daemon_deployment_configuration *given, struct arena *arena)
{
    struct deployment_circuit_breaker *breaker = ARENA_NEW(arena, struct deployment_circuit_breaker, 1);
    struct deployment_alarms *alarms = ARENA_NEW(arena, struct deployment_alarms, 1);
    struct deployment_configuration wanted = { .deployment_circuit_breaker = breaker, .alarms = alarms };
    breaker->enable = breaker->rollback = alarms->rollback = OPT_TRUE;
    if (given != NULL) { wanted.bake_time_in_minutes = given->bake_time_in_minutes; }
    if (given != NULL && given->alarms != NULL) {
        alarms->alarm_names = given->alarms->alarm_names;
        alarms->enable = given->alarms->enable;
    }
    return service_configure(NULL, &wanted, SCHEDULING_STRATEGY_DAEMON, arena);
}

static bool check_configuration(struct op_ctx *ctx, const struct daemon_deployment_configuration *given, const struct deployment_configuration *whole,
                                struct err *err)
{
    if (given == NULL) { return true; }
    if (!service_check_configuration(whole, DEPLOYMENT_CONTROLLER_TYPE_ECS, SCHEDULING_STRATEGY_DAEMON, err)) { return false; }
    return whole->alarms->enable != OPT_TRUE || alarms_check_names(ctx, &whole->alarms->alarm_names, err);
}

struct daemon_deployment_configuration *daemons_configuration(const struct service_deployment *act, struct arena *arena)
{
    struct daemon_deployment_configuration *shown = ARENA_NEW(arena, struct daemon_deployment_configuration, 1);
    shown->alarms = ARENA_NEW(arena, struct daemon_alarm_configuration, 1);
    *shown->alarms = (struct daemon_alarm_configuration){ act->configuration->alarms->alarm_names, act->configuration->alarms->enable };
    if (shown->alarms->alarm_names.items == NULL) { shown->alarms->alarm_names.items = LIST_NOTHING; }
    shown->drain_percent = act->drain_percent;
    shown->bake_time_in_minutes = act->configuration->bake_time_in_minutes;
    return shown;
}

/* ---- all of it ---- */

bool daemons_draft(struct op_ctx *ctx, const struct cluster *cluster, const struct daemon_wish *wish, struct service *daemon,
                   struct service_revision *revision, struct err *err)
{
    const struct daemon_taskdef *taskdef = find_definition(ctx, wish->definition, err);
    struct managed_daemon *managed = ARENA_NEW(ctx->arena, struct managed_daemon, 1);
    struct daemon_revision_part *part = ARENA_NEW(ctx->arena, struct daemon_revision_part, 1);
    struct deployment_configuration *configuration = configure(wish->configuration, ctx->arena);
    if (taskdef == NULL || !read_providers(ctx, cluster, wish->providers, &part->providers, err)) { return false; }
    if (!check_configuration(ctx, wish->configuration, configuration, err)) { return false; }
    bool drains = wish->configuration != NULL && wish->configuration->drain_percent.set;
    managed->drain_percent = (struct opt_double){ drains ? wish->configuration->drain_percent.value : drain_default, true };
    managed->updated_ms = ctx->now_ms;
    part->propagate_tags = opt_bool_of(wish->propagate_tags == DAEMON_PROPAGATE_TAGS_DAEMON);
    part->managed_tags = opt_bool_of(wish->managed_tags == OPT_TRUE);
    part->execute_command = opt_bool_of(wish->execute_command == OPT_TRUE);
    daemon->controller = DEPLOYMENT_CONTROLLER_TYPE_ECS;
    daemon->scheduling = SCHEDULING_STRATEGY_DAEMON;
    daemon->cluster_number = cluster->number;
    daemon->configuration = configuration;
    daemon->daemon = managed;
    *revision = (struct service_revision){ .family = taskdef->def.family, .revision = taskdef->def.revision.value, .daemon = part };
    return true;
}
