/* view.h: filling replies that hold many tasks or instances, with each definition read once. Private to api/. */
#ifndef BERTH_API_VIEW_H
#define BERTH_API_VIEW_H

#include "api/support.h"

/* Definitions that a reply needs, each read once. All zero at first; lives in the request's arena. */
struct taskdef_cache { const struct taskdef **items; size_t count, capacity; };
const struct taskdef *taskdef_cached(struct op_ctx *ctx, struct taskdef_cache *cache, struct str family, int64_t revision);

/* `taskdef` may be NULL (it could not be read): then the containers are not shown. */
void view_task_fill(struct op_ctx *ctx, const struct cluster *cluster, const struct task *task, const struct taskdef *taskdef,
                    bool with_tags, struct task_view *view);
void view_instance_fill(struct op_ctx *ctx, const struct cluster *cluster, const struct instance *instance, bool with_tags,
                        struct instance_view *view);

/* The entry of failures[] for something that is not there: what the caller gave when it was an ARN, else the ARN that it would
 * have. */
struct failure view_missing(struct str reference, struct str arn);

#endif
