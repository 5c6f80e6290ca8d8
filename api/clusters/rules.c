/* rules.c: checks of a cluster's settings, configuration and capacity providers, the same for all operations. */
#include "api/clusters/rules.h"

#include "api/capacity/choice.h"

bool cluster_check_settings(const struct cluster_setting_list *settings, struct err *err)
{
    static const struct str values[] = { STR_INIT("enabled"), STR_INIT("disabled"), STR_INIT("enhanced") };
    if (settings->count > 1) {
        return err_set(err, ERR_INVALID_PARAMETER, "Cluster setting containerInsights is given more than once.");
    }
    for (size_t s = 0; s < settings->count; s++) {
        struct str value = settings->items[s].value;
        bool known = false;
        for (size_t v = 0; v < COUNT_OF(values); v++) { known = known || str_eq(value, values[v]); }
        if (settings->items[s].name == CLUSTER_SETTING_NAME_UNSET || !known) {
            return err_set(err, ERR_INVALID_PARAMETER,
                           "Invalid cluster setting: settings[%zu] must be containerInsights with the value enabled, disabled or "
                           "enhanced.", s);
        }
    }
    return true;
}

/* logging OVERRIDE needs a logConfiguration. With another value of logging, a logConfiguration is stored but not used. */
bool cluster_check_configuration(const struct cluster_configuration *configuration, struct err *err)
{
    const struct execute_command_configuration *command = configuration == NULL ? NULL : configuration->execute_command_configuration;
    if (command == NULL) { return true; }
    if (command->logging != EXECUTE_COMMAND_LOGGING_OVERRIDE || command->log_configuration != NULL) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "executeCommandConfiguration.logConfiguration must be given when logging is OVERRIDE.");
}

/* ---- capacity providers ---- */

bool cluster_check_default(const struct str_list *providers, const struct capacity_provider_strategy_item_list *strategy, struct err *err)
{
    for (size_t s = 0; s < strategy->count; s++) {
        struct str name = provider_name(strategy->items[s].capacity_provider);
        if (!str_list_has(providers, name)) {
            return err_set(err, ERR_INVALID_PARAMETER, "defaultCapacityProviderStrategy[%zu] names a capacity provider that is not associated with the "
                           "cluster: \"" STR_FMT "\".", s, STR_ARG(str_slice(name, 0, 255)));
        }
    }
    return choice_check_weights(strategy, true, err);
}

struct capacity_provider_strategy_item_list cluster_fill_default(struct op_ctx *ctx, const struct capacity_provider_strategy_item_list *given)
{
    struct capacity_provider_strategy_item_list list = { ARENA_NEW(ctx->arena, struct capacity_provider_strategy_item, given->count + 1), given->count };
    for (size_t s = 0; s < given->count; s++) {
        const struct capacity_provider_strategy_item *item = &given->items[s];
        list.items[s] = (struct capacity_provider_strategy_item){
            .capacity_provider = provider_name(item->capacity_provider), .weight = opt_int_of(item->weight.value), .base = opt_int_of(item->base.value),
        };
    }
    return list;
}
