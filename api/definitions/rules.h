/* rules.h: what RegisterTaskDefinition checks and fills in, in parts. All of it is a function of the definition
 * alone. Private to api/. A definition is checked as it was given and filled in afterwards. */
#ifndef BERTH_API_DEFINITIONS_RULES_H
#define BERTH_API_DEFINITIONS_RULES_H

#include "api/core/support.h"

/* definitions/check.c: everything that can be refused, ERR_CLIENT in ECS's words. */
bool taskdef_check(struct op_ctx *ctx, const struct task_definition *def, struct err *err);
bool taskdef_role_is_valid(struct str role);             /* an ARN of IAM or a role's bare name */

/* definitions/taskdefs.c: checks a new revision, of which the definition as it was given and the tags are set, and fills in the rest. Writes nothing. */
bool taskdef_draft(struct op_ctx *ctx, struct taskdef *taskdef, struct err *err);
/* definitions/taskdefs.c: a role as it was given; absent for "", which clients send that always send the member. */
struct str taskdef_role(const struct api_config *config, struct str role);

/* definitions/check_container.c, definitions/check_ports.c, definitions/check_volumes.c: parts of it. */
bool taskdef_check_container(const struct task_definition *def, const struct container_definition *container, struct err *err);
bool taskdef_check_ports(const struct task_definition *def, const struct container_definition *container, struct err *err);
bool taskdef_check_volumes(const struct task_definition *def, struct err *err);

/* definitions/compat.c: would it pass as one of this launch type? */
bool taskdef_check_compatibility(const struct task_definition *def, enum compatibility compatibility, struct err *err);
struct enum_list taskdef_compatibilities(const struct task_definition *def, struct arena *arena);

/* definitions/requires.c: the attributes that an instance must have. */
struct attribute_list taskdef_requires(const struct task_definition *def, struct arena *arena);

/* definitions/fill.c: the defaults that ECS writes into what it shows. Changes copies, never what `def` points to. */
void taskdef_fill(const struct names *names, struct task_definition *def, struct arena *arena);

/* ---- small questions that several parts ask ---- */
static inline enum network_mode taskdef_network(const struct task_definition *def)
{
    return def->network_mode == NETWORK_MODE_UNSET ? NETWORK_MODE_BRIDGE : def->network_mode;
}
static inline bool taskdef_is_windows(const struct task_definition *def)
{
    return def->runtime_platform != NULL && def->runtime_platform->operating_system_family != OS_FAMILY_UNSET
        && def->runtime_platform->operating_system_family != OS_FAMILY_LINUX;
}
static inline enum log_driver container_log_driver(const struct container_definition *container)
{
    return container->log_configuration == NULL ? LOG_DRIVER_UNSET : container->log_configuration->log_driver;
}
bool container_image_is_ecr(const struct container_definition *container);            /* definitions/compat.c: a registry of ECR */
bool container_has_log_option(const struct container_definition *container, struct str name);        /* definitions/compat.c */

#endif
