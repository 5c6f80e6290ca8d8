/* task.h: Berth's record of a task: small, with a reference to its definition, and with all data that is needed to free its
 * resources without another record. */
#ifndef BERTH_MODEL_TASK_H
#define BERTH_MODEL_TASK_H

#include "model/gpu.h"
#include "model/records/task.h"

/* The tables of steps. A step to itself is no step. Ask before task_become when the step is an agent's word. */
bool task_may_become(enum task_status from, enum task_status to);
bool task_container_may_become(enum task_status from, enum task_status to);

static inline int64_t gpu_share_of(int64_t kept) { return kept == 0 ? GPU_SHARE_WHOLE : kept; }   /* a record's gpu_share, in thousandths */

int64_t task_gpu_thousandths(const struct task *task);          /* of GPUs that its containers have, in all */

/* The health of a service's task, by its containers whose health counts (task.checked): the worst of them. */
enum task_checked { TASK_CHECKED_NOTHING, TASK_CHECKED_NOT_KNOWN, TASK_CHECKED_HEALTHY, TASK_CHECKED_UNHEALTHY, TASK_CHECKED_COUNT };
enum task_checked task_checked(const struct task *task);

/* Live tasks hold their resources: everything but STOPPED. */
static inline bool task_is_live(const struct task *task) { return task->last_status != TASK_STOPPED; }

/* Why a task ends. code UNSET, reason absent: not known. */
struct stop_cause { enum task_stop_code code; struct str reason; };

/* These are the only functions that change the status of a task or of a container. The version is the caller's to count.
 *
 * A step that the table allows, of a new task from UNSET. Sets the time that belongs to the step (startedAt, stoppingAt, stoppedAt) unless it is
 * set; the desired status of a new task, and of one that is DEACTIVATING or later; with STOPPED, each container is STOPPED (`containers`
 * must be the caller's own copy). */
void task_become(struct task *task, enum task_status status, int64_t now_ms);
/* A new task that is PENDING has no place yet: it waits for room, PROVISIONING. */
void task_wait_for_room(struct task *task);
void task_container_become(struct task_container *container, enum task_status status);
/* Orders a stop: the desired status, its time and its cause. The task stays live, with all it holds, until it is STOPPED. Its agent
 * is to be woken (EFFECT_WAKE_INSTANCE). False, and nothing changed: it was ordered before. */
MUST_USE bool task_order_stop(struct task *task, struct stop_cause cause, int64_t now_ms);
/* The cause of a task's end, after it was ordered or has come: a known cause stays. */
void task_set_cause(struct task *task, struct stop_cause cause);

/* Whether the agent of a task's machine is connected, and since when, as the task shows it. Nothing until the agent has reported the task or has
 * connected again since the task was made. Derived, so that an agent that connects or disconnects changes only its machine's record. */
struct contact { enum connectivity connectivity; int64_t since_ms; };
struct contact task_contact(const struct task *task, bool agent_connected, int64_t agent_came_ms);

/* Tags of a task about GPUs that it holds and does not use.
 *
 *   berth:idle-stop=15m     the task is stopped when all its GPUs have counted as idle for that long
 *   berth:idle-ok=true      it may be idle: it is not listed, counted or stopped. On a service, too: its next tasks have the tag */
struct idle_wish { bool excused, stops; int64_t grace_ms; };
/* False and *err: a value means nothing; then the wish has what the others say. */
bool idle_wish_read(const struct tag_list *tags, struct idle_wish *wish, struct err *err);

#endif
