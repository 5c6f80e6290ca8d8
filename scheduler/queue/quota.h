/* quota.h: how many GPUs the tasks with a tag may hold in a cluster, and how many they hold: counted with each task, never by a walk. Knows tags, numbers of
 * clusters and ids of tasks. It is part of the world: built with it, changed by the thread that owns it. */
#ifndef BERTH_SCHEDULER_QUEUE_QUOTA_H
#define BERTH_SCHEDULER_QUEUE_QUOTA_H

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "model/ecs/common.h"

enum { QUOTA_ITEMS_MAX = 16 };
struct quota_item { struct str key, value; int64_t limit, used; };       /* thousandths of GPUs */

/* "team:ml:8 team:web:2.5": items KEY:VALUE:GPUS with blanks between them; a value may have colons. Texts are borrowed. False and ERR_INVALID_PARAMETER. */
MUST_USE bool quota_parse(struct str text, struct quota_item *items, size_t *count, struct err *err);

struct quotas;
struct quotas *quotas_create(struct arena *arena);            /* lives in `arena` */
/* The quotas of a cluster from now on; copied. Nothing is charged to them yet. */
void     quotas_set(struct quotas *quotas, int64_t cluster, const struct quota_item *items, size_t count);
size_t   quotas_of(const struct quotas *quotas, int64_t cluster, const struct quota_item **items);       /* how many; until the next change */
/* Bits of the quotas of the cluster that count a task with these tags. */
uint32_t quotas_mask(const struct quotas *quotas, int64_t cluster, const struct tag_list *tags);
/* The task holds `gpus`; a second call replaces the amount of the first. mask 0: nothing. */
void     quotas_charge(struct quotas *quotas, int64_t cluster, struct id task, uint32_t mask, int64_t gpus);
void     quotas_free(struct quotas *quotas, struct id task);  /* it holds nothing any more; unknown: nothing */
/* How many more tasks that take `gpus` each may start; INT64_MAX: any number. *tightest: the quota that says so; may be NULL. */
int64_t  quotas_room(const struct quotas *quotas, int64_t cluster, uint32_t mask, int64_t gpus, const struct quota_item **tightest);

/* Counts on, without changing anything: begin with the used amounts. False: the task would be over a quota, and does not count. */
struct quota_trial { int64_t cluster, used[QUOTA_ITEMS_MAX]; };
bool     quotas_try(const struct quotas *quotas, struct quota_trial *trial, int64_t cluster, uint32_t mask, int64_t gpus);

#endif
