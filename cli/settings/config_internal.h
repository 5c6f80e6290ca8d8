/* config_internal.h: what config.c (the table and its sources), settings/check.c (kinds of values), settings/names.c (names of no setting)
 * and settings/ecs.c (the ECS agent's settings) share. */
#ifndef BERTH_CLI_SETTINGS_CONFIG_INTERNAL_H
#define BERTH_CLI_SETTINGS_CONFIG_INTERNAL_H

#include "cli/settings/config.h"

bool        config_check(enum setting_kind kind, struct str value);
const char *config_wanted(enum setting_kind kind);               /* "a number, 0 or more" */
/* Does Kubernetes make this variable, for a Service that is called berth or berth-something? */
bool        config_is_kubernetes(struct str variable, struct str value);
/* The setting of these commands (bits, as in a row) that was probably meant by `name`; NULL: none is near. */
const char *config_nearest(struct str name, unsigned commands);
bool        config_load_file(const char *path, struct arena *arena, struct str *text);    /* at most 1 MiB */
/* Sets what no stronger source has set; `where` names the source in a complaint. */
bool        config_set(struct config *config, enum setting setting, struct str value, const char *where, struct arena *arena, struct err *err);
bool        config_read_ecs(struct config *config, const struct config_sources *sources, struct arena *arena, struct err *err);

#endif
