/* task.h: a task as Berth remembers it: small, pointing at its definition, with all that is needed to give its resources
 * back without reading anything else. */
#ifndef BERTH_MODEL_TASK_H
#define BERTH_MODEL_TASK_H

#include "model/ecs/task.h"
#include "model/gpu.h"

enum task_status {
    TASK_STATUS_UNSET, TASK_PROVISIONING, TASK_PENDING, TASK_ACTIVATING, TASK_RUNNING, TASK_DEACTIVATING, TASK_STOPPING,
    TASK_DEPROVISIONING, TASK_STOPPED, TASK_STATUS_COUNT
};
extern const struct enum_names task_status_names;
/* The tables of steps. A step to itself is no step. Ask before task_become when the step is an agent's word. */
bool task_may_become(enum task_status from, enum task_status to);
bool task_container_may_become(enum task_status from, enum task_status to);

struct task_container {
    int64_t index;                           /* in the definition's containers */
    enum task_status status;                 /* PENDING, RUNNING or STOPPED only */
    struct opt_int exit_code;
    struct str reason, runtime_id, image_digest;
    struct str_list gpu_ids;                 /* UUIDs pinned to this container */
    int64_t gpu_share;                       /* thousandths of each; 0: all of it, and no more in the record than before there were shares */
    struct network_binding_list bindings;
    struct managed_agent_list managed_agents;    /* what was reported of them */
    enum health_status health;               /* UNSET: nothing was reported */
};
struct task_container_list { struct task_container *items; size_t count; };
static inline int64_t gpu_share_of(int64_t kept) { return kept == 0 ? GPU_SHARE_WHOLE : kept; }   /* a record's gpu_share, in thousandths */

/* Tasks that were started together, all or none. */
struct task_gang { struct id first; int64_t rank, size; };   /* its task of rank 0 names the gang; size: how many there are */

/* What the request said of the task's place. */
struct task_placing {
    enum opt_bool named;                     /* it named the machine (StartTask) */
    struct placement_strategy_list strategies; struct placement_constraint_list constraints;
};

/* Of a task with an address of its own. The attachment's id follows from the task's. */
struct task_interface {
    struct str subnet;                       /* the first that the request named: kept, not evaluated */
    struct str address, mac_address;         /* as its machine told; absent: not attached yet */
};

struct task {
    struct id id;
    int64_t cluster_number;
    struct str family; int64_t revision;
    struct id instance;                      /* zero while not placed */
    enum task_status last_status, desired_status;     /* desired: RUNNING or STOPPED */
    struct str group, started_by, reference_id;
    enum launch_type launch_type;
    int64_t cpu, memory_mib;                 /* what the task takes from its instance: CPU units, MiB */
    struct int_list ports;                   /* host ports taken, as in instance.h */
    int64_t interfaces;                      /* network interfaces of its own: 1 with awsvpc */
    struct task_interface *interface;        /* NULL: none */
    struct task_container_list containers;
    struct task_override *overrides;
    struct tag_list tags, tags_at_stop;      /* a stop takes the tags off, as in ECS; the history shall know them */
    enum opt_bool enable_execute_command;
    enum task_stop_code stop_code; struct str stopped_reason;
    int64_t version;
    int64_t created_ms, pull_started_ms, pull_stopped_ms, started_ms, stopping_ms, execution_stopped_ms, stopped_ms,
            connectivity_ms;                 /* when its agent first told of it, and at its end as task_contact has it */
    enum connectivity connectivity;          /* from its end on; while it lives it is that of its machine's agent */
    struct str client_token; int64_t request_hash;    /* of the RunTask that made it: the same call again gives the same tasks */
    struct task_gang *gang;                  /* NULL: it was started alone */
    struct task_placing *placing;            /* NULL: nothing was said, Berth's own rules chose */
};
extern const struct schema task_record;              /* without the id, which is the key */
extern const struct schema task_key_record;          /* reads the same bytes, but only what indexes and resources depend on */

int64_t task_gpu_thousandths(const struct task *task);          /* of GPUs that its containers have, in all */

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
void task_container_become(struct task_container *container, enum task_status status);
/* Orders a stop: the desired status, its time and its cause. The task stays live, with all it holds, until it is STOPPED. Its agent
 * is to be woken (EFFECT_WAKE_INSTANCE). False, and nothing changed: it was ordered before. */
MUST_USE bool task_order_stop(struct task *task, struct stop_cause cause, int64_t now_ms);
/* The cause of a task's end, after it was ordered or has come: what is known already stays. */
void task_set_cause(struct task *task, struct stop_cause cause);

/* Whether the agent of a task's machine is there, and since when it last was, as the task shows it. Nothing, until it has told of the task or has
 * come anew since the task was made. Told of no task, so that an agent that goes or comes changes its machine's record alone. */
struct contact { enum connectivity connectivity; int64_t since_ms; };
struct contact task_contact(const struct task *task, bool agent_connected, int64_t agent_came_ms);

#endif
