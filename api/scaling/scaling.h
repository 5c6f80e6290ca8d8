/* scaling.h: Application Auto Scaling for services: targets, policies, scheduled actions, and the changes of desired counts that follow from them.
 * Private to api/.
 *
 *   RegisterScalableTarget …     → the record of the target
 *   op_scale_services (run.c)    → scheduler/scaling decides, the service changes as by UpdateService, an activity says why */
#ifndef BERTH_API_SCALING_SCALING_H
#define BERTH_API_SCALING_SCALING_H

#include "api/aws/scaling.h"
#include "api/services/services.h"

/* A target as one request sees it; `target` is a copy that may be changed, and `resource` is "service/CLUSTER/SERVICE". */
struct scaling_subject { struct kept_scaling target; struct str resource; };

/* The target of a resource. False: ERR_VALIDATION, or ERR_TARGET_NOT_FOUND: none is registered. */
bool scaling_find(struct op_ctx *ctx, struct str resource, struct scaling_subject *subject, struct err *err);
/* The target of the resource, or if that is absent the first target, behind the service `after`. False: there is none, or it is not registered. */
bool scaling_next(struct op_ctx *ctx, struct str resource, int64_t after, struct scaling_subject *subject);

/* The target of a service; *known false: a new one, without limits, that is not written. */
struct kept_scaling scaling_target(struct op_ctx *ctx, int64_t service, bool *known);
/* Puts the policy among the target's, or in the place of the one of its name. Writes nothing. ERR_VALIDATION, ERR_LIMIT_EXCEEDED. */
bool scaling_draft_policy(struct op_ctx *ctx, struct kept_scaling *target, const struct put_policy_request *in, struct err *err);

bool scaling_is_named(const struct str_list *names, struct str name);      /* without names every name is named */

/* Lists of the record are in the order of names, and their items begin with the name. `at`: of the item of this name, or where it would be. */
struct scaling_place { size_t at; bool known; };
struct scaling_place scaling_place_of(const void *items, size_t count, size_t size, struct str name);
/* A copy of the list with the item at its place, instead of a known one. Counts a new one. */
void *scaling_put(struct op_ctx *ctx, const void *items, size_t *count, size_t size, struct scaling_place place, const void *item);

/* A page of a list: the items behind the last one of the page before, by the service's number, then by a key in the order of bytes. Begin with the
 * target behind the service `after`. */
struct scaling_page { const char *list; size_t limit, count; int64_t after, service; struct str key; bool more; };
bool scaling_page_begin(struct op_ctx *ctx, const char *list, struct opt_int limit, struct str token, struct scaling_page *page, struct err *err);
bool scaling_page_takes(struct scaling_page *page, int64_t service, struct str key);      /* the item is to be shown */
struct str scaling_page_token(struct op_ctx *ctx, const struct scaling_page *page);     /* absent: it is the last page */

struct str scaling_target_arn(struct op_ctx *ctx, int64_t service);
struct str scaling_policy_arn(struct op_ctx *ctx, const struct scaling_subject *subject, struct str name);
/* The next time of an action behind `after_ms`; 0: never. */
int64_t scaling_action_next(const struct kept_action *action, int64_t after_ms, struct arena *arena);

/* policies.c, actions.c, activities.c */
bool op_put_scaling_policy(struct op_ctx *ctx, const void *input, void *output, struct err *err);
bool op_delete_scaling_policy(struct op_ctx *ctx, const void *input, void *output, struct err *err);
bool op_describe_scaling_policies(struct op_ctx *ctx, const void *input, void *output, struct err *err);
bool op_put_scheduled_action(struct op_ctx *ctx, const void *input, void *output, struct err *err);
bool op_delete_scheduled_action(struct op_ctx *ctx, const void *input, void *output, struct err *err);
bool op_describe_scheduled_actions(struct op_ctx *ctx, const void *input, void *output, struct err *err);
bool op_describe_scaling_activities(struct op_ctx *ctx, const void *input, void *output, struct err *err);

#endif
