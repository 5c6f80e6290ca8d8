/* settings.h: account settings for other operations. Private to api/. */
#ifndef BERTH_API_CLUSTERS_SETTINGS_H
#define BERTH_API_CLUSTERS_SETTINGS_H

#include "api/schemas/settings.h"
#include "api/core/support.h"

/* The caller's own value, else the root's, else the default. */
struct str settings_effective(struct op_ctx *ctx, enum setting_name name);

#endif
