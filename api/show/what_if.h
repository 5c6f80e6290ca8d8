/* what_if.h: printing that answers about places share: an instance, and the rule of a choice in words. Private to api/. */
#ifndef BERTH_API_SHOW_WHAT_IF_H
#define BERTH_API_SHOW_WHAT_IF_H

#include "api/tasks/launch.h"
#include "wire/own_json.h"

/* {"id":"<32 hex>","arn":"arn:…","name":"node-a"}; name null when it is gone, null when `id` is zero. */
void what_if_put_instance(struct op_ctx *ctx, struct json_out *out, struct str key, const struct cluster *cluster, struct id id);

/* A task that holds something, as in blockedBy of what_if.c. Prints nothing for one that has ended since. */
void what_if_put_task(struct op_ctx *ctx, struct json_out *out, const struct cluster *cluster, struct id id);

/* One paragraph: the rule by which a task gets its place. `placing` may be NULL. */
void what_if_put_choice(struct buf *out, const struct task_placing *placing, bool wants_gpus);

#endif
