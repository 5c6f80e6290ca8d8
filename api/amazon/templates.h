/* templates.h: launch templates, for the parts of the API that start machines. */
#ifndef BERTH_API_AMAZON_TEMPLATES_H
#define BERTH_API_AMAZON_TEMPLATES_H

#include "api/core/context.h"

/* The data of a version: "$Latest", "$Default", or a number; absent is "$Default". NULL: the template or the version is not there. */
const struct launch_template_data *template_data(struct op_ctx *ctx, struct str id, struct str version);
/* The cluster that the user data sets for the ECS agent: the name behind its last "ECS_CLUSTER="; absent: it sets none. */
struct str template_cluster(const struct launch_template_data *data, struct arena *arena);
/* The id of a template by its name; absent: there is none. */
struct str template_named(struct op_ctx *ctx, struct str name);

#endif
