/* pulls.h: images that machines pull now, as their agents tell. The store has nothing of them: the caller gives the
 * pulls that are known now (server/figures/pulls.h), and this module finds the tasks that wait for them. */
#ifndef BERTH_API_TELL_PULLS_H
#define BERTH_API_TELL_PULLS_H

#include "api/core/api.h"
#include "wire/wire.h"

/* bytes_known: of the layers with a known size, so it grows; layers 0: nothing is known yet. */
struct image_pull { struct id instance; struct str image; int64_t layers, layers_done, bytes, bytes_known; };
struct image_pull_list { struct image_pull *items; size_t count; };

/* The machine that an agent's report names. False and *err: there is no such machine, or it is not the caller's. */
bool api_find_reporter(struct op_ctx *ctx, struct str cluster, struct str instance, struct id *id, struct err *err);
/* The shape is in pulls.c. */
void api_print_pulls(struct op_ctx *ctx, const struct image_pull_list *pulls, struct buf *out);

/* Inside the room. The first pull that this task waits for; NULL: it waits for none. */
const struct image_pull *pulls_of_task(struct op_ctx *ctx, const struct task *task, const struct image_pull_list *pulls);

#endif
