/* held.h: the GPUs that tasks hold, and how much of them is used: of each task, the time that samples speak for, the time that it was used, and the time that
 * it was held idle (idle.h). GPU-milliseconds; half of a GPU for two seconds is one thousand. In memory, and in a text that the caller keeps from time to
 * time: what came after the last one is lost when the server is killed, and counts as not known. Refuses to know the store and files. Any thread.
 *
 * A shared GPU's load is the device's: each of its tasks gets that load for its part, and it is idle for all of them or for none. */
#ifndef BERTH_SERVER_FIGURES_HELD_H
#define BERTH_SERVER_FIGURES_HELD_H

#include "api/core/context.h"
#include "server/figures/idle.h"
#include "server/figures/samples.h"

enum { HELD_MAX = 200000, HELD_OF_MACHINE_MAX = 4096 };          /* pairs of a task and a GPU; more are not counted */

/* share: thousandths. runs: its containers run; before that nothing is idle. excused: it may be idle, its tag says so. */
struct held_gpu { struct id task; struct str uuid; int64_t share; bool runs, excused; };
struct held_news { struct id task; bool begins; };               /* its first GPU is idle, or its last one is not any more */
/* A task of which at least one GPU is idle. since_ms: of the longest idle; all_since_ms: since when all are, 0: not all are. */
struct held_idle {
    struct id instance, task;
    int64_t gpus, idle_gpus;                 /* thousandths */
    int64_t since_ms, all_since_ms;
    int64_t idle_gpu_ms;                     /* so far, with earlier times */
    double memory_used_bytes; bool memory_known;                 /* of its idle GPUs, all together */
    struct str_list uuids;                   /* of the idle ones */
};

struct held;
struct held *held_create(const struct idle_rule *rule);          /* owned */
void         held_destroy(struct held *held);                    /* accepts NULL */
const struct idle_rule *held_rule(const struct held *held);

/* All that a machine's tasks hold now, and its samples, in which idle_since_ms is filled in. Tasks in the order of their ids, each one's GPUs together.
 * Tasks that are not named are forgotten. What an excused task has added since its GPUs are idle is taken back. Gives the news, at most `most`. */
size_t held_take(struct held *held, const struct held_gpu *gpus, size_t count, struct machine_sample *told, struct held_news *news, size_t most);
/* The idle tasks of a machine, or of all when `instance` is zero, that are not excused. In `arena`. */
size_t held_list(struct held *held, struct id instance, struct held_idle **items, struct arena *arena);
int64_t held_idle_thousandths(struct held *held);                /* of all machines */
struct task_usage held_usage(struct held *held, struct id instance, struct id task);
/* The same for api_config.usage. */
struct task_usage held_usage_of(const void *held, struct id instance, struct id task);

/* The wish in the task's tags, and when it is stopped because of them; 0: it is not. */
struct idle_wish  held_wish(const struct task *task);
int64_t           held_stops_ms(const struct held *held, const struct task *task, const struct held_idle *idle);

/* Text lines, and back into an empty one: lines that can't be read are left out. `lives`: machines of which nothing came since `before_ms` stay only if it
 * says so. */
void held_print(struct held *held, struct buf *out);
void held_read(struct held *held, struct str text);
void held_sweep(struct held *held, int64_t before_ms, bool (*lives)(void *context, struct id instance), void *context);

#endif
