/* rules.h: checks of a cluster's members, for all operations that make or change one. Pure; private to api/. */
#ifndef BERTH_API_CLUSTERS_RULES_H
#define BERTH_API_CLUSTERS_RULES_H

#include "api/core/support.h"

/* containerInsights at most once, with a value that ECS has. ERR_INVALID_PARAMETER. */
bool cluster_check_settings(const struct cluster_setting_list *settings, struct err *err);
bool cluster_check_configuration(const struct cluster_configuration *configuration, struct err *err);

/* A default strategy names providers of the cluster only, and has good weights (ERR_INVALID_PARAMETER). `providers`: names. */
bool cluster_check_default(const struct str_list *providers, const struct capacity_provider_strategy_item_list *strategy, struct err *err);
/* As it is kept and shown: names, with weight and base. */
struct capacity_provider_strategy_item_list cluster_fill_default(struct op_ctx *ctx, const struct capacity_provider_strategy_item_list *given);

#endif
