/* task.h: the record of a task. model/task.h says more. Written by tools/shapes from model/records/task.shapes. */
#ifndef BERTH_MODEL_RECORDS_TASK_H
#define BERTH_MODEL_RECORDS_TASK_H

#include "model/ecs/task.h"

enum task_status { TASK_STATUS_UNSET, TASK_PROVISIONING, TASK_PENDING, TASK_ACTIVATING, TASK_RUNNING, TASK_DEACTIVATING,
    TASK_STOPPING, TASK_DEPROVISIONING, TASK_STOPPED, TASK_STATUS_COUNT };
extern const struct enum_names task_status_names;

struct task_container {
    int64_t index;                           /* in the definition's containers */
    enum task_status status;                 /* PENDING, RUNNING or STOPPED only */
    struct opt_int exit_code;
    struct str reason;
    struct str runtime_id;
    struct str image_digest;
    struct str_list gpu_ids;                 /* UUIDs pinned to this container */
    struct network_binding_list bindings;
    int64_t gpu_share;                       /* thousandths of each; 0: all of it, as in records from before shares existed */
    struct managed_agent_list managed_agents; /* as reported */
    enum health_status health;               /* UNSET: nothing was reported */
};
struct task_container_list { struct task_container *items; size_t count; };
extern const struct schema task_container_record;

/* Tasks that were started together, all or none. */
struct task_gang {
    struct id first;                         /* its task of rank 0 */
    int64_t rank;
    int64_t size;                            /* how many there are */
};
struct task_gang_list { struct task_gang *items; size_t count; };
extern const struct schema task_gang_record;

/* The request's wishes for the task's place. */
struct task_placing {
    enum opt_bool named;                     /* it named the machine (StartTask) */
    struct placement_strategy_list strategies;
    struct placement_constraint_list constraints;
};
struct task_placing_list { struct task_placing *items; size_t count; };
extern const struct schema task_placing_record;

/* A task that waits for room is PROVISIONING, on no instance. */
struct task_wait {
    int64_t since_ms;
    int64_t until_ms;                        /* when it gives up; 0: never */
    int64_t priority;
    int64_t shape;                           /* a hash of what it asks for and where it may go: tasks with the same one have room together */
    struct id_list gang;                     /* all tasks of its gang, by rank; empty: it waits alone */
    enum opt_bool replaces;                  /* of a service whose tasks have run before: it comes before others of its priority */
    int64_t barred_ms;                       /* since when room that is kept for it has held back others; 0: it does not */
    int64_t none_before_ms;                  /* before this time no room is kept for it */
    struct id place;                         /* the instance where tasks stop for it; zero: none */
    int64_t gpus;                            /* thousandths of GPUs that each of the tasks takes at least */
    int64_t patience_ms;                     /* how long it waits after progress of a machine that was ordered for it; 0: progress does not matter */
    int64_t renewals;                        /* how often that was so */
};
struct task_wait_list { struct task_wait *items; size_t count; };
extern const struct schema task_wait_record;

/* The terms from its tags: how long it runs and what may stop it. A stop removes the tags, and this stays. */
struct task_terms {
    int64_t priority;
    enum opt_bool preemptible;
    int64_t most_ms;                         /* it runs at most so long; 0: it does not say */
    enum opt_bool reserve;                   /* room is kept for it in any pool */
    int64_t retry;                           /* how often it is started again when it was stopped for another task */
};
struct task_terms_list { struct task_terms *items; size_t count; };
extern const struct schema task_terms_record;

/* The network interface of a task with its own address. The attachment's id follows from the task's. */
struct task_interface {
    struct str subnet;                       /* the first that the request named: kept, not evaluated */
    struct str address;                      /* as its machine reported, with mac_address; absent: not attached yet */
    struct str mac_address;
};
struct task_interface_list { struct task_interface *items; size_t count; };
extern const struct schema task_interface_record;

/* The first fifteen tags, which take one byte, go to what every task has. */
struct task {
    struct id id;                            /* the record's key */
    int64_t cluster_number;
    struct str family;
    int64_t revision;
    struct id instance;                      /* zero while not placed */
    enum task_status last_status;
    enum task_status desired_status;         /* RUNNING or STOPPED */
    struct str group;
    struct str started_by;
    enum launch_type launch_type;
    int64_t cpu;                             /* CPU units that the task takes from its instance */
    int64_t memory_mib;                      /* MiB that it takes */
    struct int_list ports;                   /* host ports taken, as in instance.h */
    struct task_container_list containers;
    int64_t version;
    int64_t created_ms;
    struct str reference_id;
    struct task_override *overrides;
    struct tag_list tags;
    enum opt_bool enable_execute_command;
    enum task_stop_code stop_code;
    struct str stopped_reason;
    int64_t pull_started_ms;
    int64_t pull_stopped_ms;
    int64_t started_ms;
    int64_t stopping_ms;
    int64_t execution_stopped_ms;
    int64_t stopped_ms;
    int64_t connectivity_ms;                 /* when its agent first reported it, and at its end as in task_contact */
    enum connectivity connectivity;          /* from its end on; while it lives it is that of its machine's agent */
    struct str client_token;                 /* with request_hash: of the RunTask that made it; the same call again gives the same tasks */
    int64_t request_hash;
    struct tag_list tags_at_stop;            /* a stop removes the tags, as in ECS; the history keeps them */
    int64_t interfaces;                      /* its own network interfaces: 1 with awsvpc */
    struct task_gang *gang;                  /* absent: it was started alone */
    struct task_placing *placing;            /* NULL: no such part, Berth's own rules chose */
    struct task_interface *interface;        /* absent: the task has no separate address */
    int64_t service;                         /* number of its service; 0: it has no service */
    int64_t deployment;                      /* digits of its deployment or task set; 0: it has no service */
    int64_t protected_until_ms;              /* UpdateTaskProtection; 0: not protected */
    int64_t checked;                         /* of a service's task: bits of its containers, by index, that are essential and have a health check */
    enum opt_bool keeps_place;               /* when it is STOPPED its place is kept for its service (service.kept_places) */
    enum opt_bool balanced;                  /* of a service's task: it is a target of load balancers while it is RUNNING */
    struct task_wait *wait;                  /* absent: it does not wait for room */
    struct str capacity_provider;            /* that its strategy chose; absent: it has a launch type */
    enum opt_bool of_daemon;                 /* a managed daemon's: family and revision are of a daemon task definition */
    struct task_terms *terms;                /* absent: its tags say nothing of these */
    struct id_list stopped_for;              /* tasks that were stopped so that it could start */
    int64_t placed_ms;                       /* when it got its place after it had waited for room; 0: when it was created */
    int64_t asked_gpus;                      /* of a task that waited: thousandths of GPUs that it asked for, as far as they were numbers */
};
struct task_list { struct task *items; size_t count; };
extern const struct schema task_record;

/* Reads the same bytes, but only what indexes and resources depend on. */
extern const struct schema task_key_record;

extern const struct schema task_container_key_record;

#endif
