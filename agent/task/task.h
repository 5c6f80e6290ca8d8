/* task.h: the life of one task on a real machine: pull, create and start its containers in the order of their dependencies,
 * watch them, stop them in the reverse order, report what happened. One thread per task decides; one per container makes the
 * runtime's calls, which block. Knows ECS's rules of a task; refuses to know how a container is made and who the server is. */
#ifndef BERTH_AGENT_TASK_TASK_H
#define BERTH_AGENT_TASK_TASK_H

#include <stdatomic.h>

#include "agent/task/environment.h"
#include "agent/gpu/books.h"
#include "agent/gpu/mps.h"
#include "agent/images/images.h"
#include "agent/task/cleanup.h"
#include "agent/task/logs.h"
#include "agent/link/report.h"
#include "agent/task/resolve.h"
#include "agent/core/runtime.h"
#include "agent/core/state_file.h"

enum {
    TASK_RUNTIME_ID_MAX = 80, TASK_REASON_MAX = 640, TASK_DIGEST_MAX = 160, TASK_ADDRESS_MAX = 48, TASK_ARENA_MAX = 16 * 1024 * 1024,
};

/* State that all tasks of a machine share. */
struct task_host {
    struct runtime *runtime;                     /* lent */
    struct client *client;                       /* lent */
    const struct endpoint *server;               /* borrowed */
    struct reporter *reporter;                   /* owned by the machine */
    const char *cluster, *dir;                   /* where the tasks' files are */
    const char *region;
    struct str agent;                            /* the maker of this machine's containers: see orphans.h */
    atomic_int ending;                           /* containers of an earlier run that are being ended */
    bool is_process;                             /* the process runtime: see environment_rules */
    atomic_bool has_gpus;                        /* may change while the agent runs */
    bool simulated_gpus;
    struct gpu_books gpu_books;
    struct mps *mps;                             /* owned by the machine; NULL: nothing holds tasks to their shares of a GPU */
    struct s3_place s3;
    int64_t stop_timeout_s;
    struct logs *logs;                           /* lent */
    struct images *images;                       /* lent */
    struct metadata_base metadata;               /* texts borrowed; all NULL: none is served */
    struct cleanup *cleanup;                     /* lent; NULL: containers go as soon as their task has ended */
    atomic_bool stopping;                        /* the agent ends: threads leave their containers running and return */
    atomic_int threads;                          /* that are alive */
    void (*over)(void *owner, void *task);       /* the loop's thread: the task has ended and is to be freed */
    void *owner;
};

/* Whether its file is written. It must be before a container is made and before the payload is acknowledged. */
enum task_file { TASK_UNWRITTEN, TASK_WRITTEN, TASK_DROPPED };

enum container_phase { CONTAINER_NONE, CONTAINER_CREATED, CONTAINER_RUNNING, CONTAINER_STOPPED };

struct task;
struct task_container {
    struct task *task;
    const struct wire_container *wire;           /* borrowed from the task */
    enum container_phase phase;                  /* from here on: guarded by the task's lock */
    bool started;                                /* it has run, also when it has ended since */
    char id[TASK_RUNTIME_ID_MAX];                /* empty: not created */
    char reason[TASK_REASON_MAX], digest[TASK_DIGEST_MAX];
    bool mere_note;                              /* the reason is an error that does not keep it from running: it is removed once the container runs */
    struct opt_int exit_code;
    bool lost;                                   /* it ended while no agent ran, and nobody knows how */
    enum health_status health;                   /* of the definition's check; UNSET: it has none, or nothing is known yet */
    int64_t started_ms;                          /* wall clock; of the last start */
    int64_t restarts;                            /* by its restart policy; the server gets no report of them */
    struct network_binding_list bindings;        /* in the task's arena */
    struct log_follow *log;                      /* owned by logs; NULL: nothing to ship */
    pthread_t keeper, stopper, killer;
    bool has_keeper, has_stopper, has_killer;
};

/* The newest keys of one role. */
struct task_keys { struct arena arena; struct wire_role_credentials *told; };     /* told NULL: nothing yet */

struct task {
    struct task_host *host;                      /* lent */
    struct arena arena;                          /* filled before the threads start, then guarded by lock */
    struct str arn, payload;                     /* the payload as JSON, for the file */
    struct str final_report;                     /* how it ended in an earlier run of the agent; absent: it lives */
    char id[TASK_ID_MAX];                        /* last part of the ARN, checked: it names a file */
    char metadata_id[ID_HEX_LEN + 1];            /* random: the path under which containers find their own metadata */
    const struct wire_task *wire;
    struct task_container *containers;
    size_t count;
    struct lock lock;
    struct lock_signal changed;
    struct task_keys role, execution_role;       /* from here on: guarded by lock */
    enum task_file file;
    bool stop_wanted;
    bool pull_told, running_told, stop_told, settled, has_thread;
    int64_t kill_at_ms;                          /* monotonic: containers that run then are killed, even before their stop time-out; 0: never */
    bool holding;                                /* one of its keepers makes the name spaces that its containers share */
    bool has_holder;                             /* a thread that watches the container that holds these */
    pthread_t holder;
    unsigned long version, version_told;         /* versions of the containers' states */
    char reason[TASK_REASON_MAX];
    char address[TASK_ADDRESS_MAX], mac_address[TASK_ADDRESS_MAX];   /* of the task's own network interface; empty: none, or not yet */
    int64_t pull_started_ms, pull_stopped_ms, execution_stopped_ms;
    struct report_line line;
    pthread_t thread;
    struct post over;
    struct task *next;                           /* in the machine's table */
};

/* A task from its payload's JSON; nothing runs yet. Owned. NULL and *err when it cannot be read. */
struct task *task_create(struct task_host *host, const struct json *payload, struct err *err);
bool task_begin(struct task *task, struct err *err);   /* starts its thread */
/* A new task, begun: writes its file, while its threads look for images already. False and *err: it ends without a report, and `over` is called. */
bool task_keep(struct task *task, struct err *err);
bool task_is_dropped(struct task *task);         /* its file could not be written */
void task_destroy(struct task *task);            /* waits for its thread; the loop's thread, or after its end */
void task_stop(struct task *task);               /* any thread: desired status STOPPED */
/* Any thread: the machine itself must end it, for this reason, and all of it by then (monotonic). A task that was ordered to stop before keeps
 * its reason. */
void task_stop_by(struct task *task, const char *reason, int64_t kill_at_ms);
bool task_is_wanted(struct task *task);          /* desired status RUNNING */
void task_interrupt(struct task *task);          /* any thread: look at host->stopping */

/* ---- threads: task.c, task/keeper.c ---- */
static inline bool task_host_stopping(const struct task_host *host) { return atomic_load(&host->stopping); }
bool task_start_thread(struct task_host *host, pthread_t *thread, void *(*run)(void *), void *arg);
void *task_end_thread(struct task_host *host);
bool task_wait_written(struct task *task);       /* until it is on file; false: it never will be, or the agent ends */
/* Sleeps without the lock, until something changes or `ms` are over. */
void task_rest(struct task *task, int64_t ms) REQUIRES(task->lock);
void *task_keeper(void *container);
void *task_stopper(void *container);
/* The name spaces of the task's containers exist: from now on their end is the task's end, as in ECS. The task shares none: nothing. */
void task_watch_shared(struct task *task) REQUIRES(task->lock);
void *task_killer(void *container);
void task_end_container(struct task_container *container, struct str reason, struct opt_int exit_code);

/* ---- task/login.c ---- */
/* The login of `auth`, which may be NULL, for the image; *named false: it names none. Blocks. `rest` sleeps, true: nobody wants the login any more, and
 * then false without *err is returned. */
struct login_ask {
    struct task_host *host;
    const struct wire_registry_auth *auth;
    struct str image;
    bool (*rest)(void *owner, int64_t ms); void *owner;
};
bool login_find(const struct login_ask *ask, struct registry_login *login, bool *named, struct arena *arena, struct err *err);
/* As image_wish needs it: the login that the definition names for this container's image. */
bool task_find_login(void *container, struct registry_login *login, bool *named, struct arena *arena, struct err *err);

/* ---- task/rules.c: what follows from the phases; call with the task's lock held, or before its threads start ---- */
enum turn { TURN_WAIT, TURN_READY, TURN_NEVER };
/* May this container be pulled, created and started now? TURN_NEVER fills `reason`. `now_ms`: wall clock. */
enum turn task_turn(const struct task *task, const struct task_container *container, int64_t now_ms, char reason[TASK_REASON_MAX]);
/* May a container that has ended be started again? `state` says how it ended. */
bool task_may_restart(const struct task_container *container, const struct container_state *state, int64_t now_ms);
/* The reason of a container that has ended: empty, or why its exit code does not tell all. */
struct str task_end_reason(const struct container_state *state);
/* "CannotCreateContainerError: …": `message` after `name`, or alone where it begins with a name itself. */
void task_failure_reason(const char *name, const char *message, char reason[TASK_REASON_MAX]);
int64_t task_stop_timeout_s(const struct task_container *container);                 /* its own, or the machine's */
int64_t task_time_to_stop_s(const struct task_container *container, int64_t now_ms); /* the same, or less where kill_at_ms is near; monotonic */
bool task_may_stop(const struct task *task, const struct task_container *container);   /* no container that depends on it runs */
/* One binding for all ports of a containerPortRange, as ECS shows it. The list is lent; texts live in `arena`. */
void task_fold_ranges(const struct wire_container *wire, struct network_binding_list *bindings, struct arena *arena);
bool task_all_stopped(const struct task *task);
bool task_essential_ended(const struct task *task);
bool task_is_running(const struct task *task);   /* all are under way or over, and one at least has run */
bool task_check(const struct task *task, char reason[TASK_REASON_MAX]);   /* false: its dependencies cannot be resolved or served */

/* ---- task/report.c ---- */
struct str task_report_body(const struct task *task, struct str status, struct arena *arena);
/* The end of a task that never ran here. */
struct str task_report_unknown(struct str cluster, const struct wire_task *wire, struct str reason, struct arena *arena);

/* ---- task/roles.c ---- */
void task_take_payload_keys(struct task *task, const struct wire_task *wire);         /* those that a payload brings, if any */
bool task_take_keys(struct task *task, const struct wire_role_message *message);      /* false: no role is called that */
struct wire_role_credentials *task_role_keys(const struct task_keys *keys, struct arena *arena);     /* a copy, lock held; NULL: none yet */
struct str task_role_id(const struct task *task);        /* credentialsId of the task's own role; absent: it has none */
const struct json *task_without_keys(const struct json *payload, struct arena *arena);  /* for the file */
void task_keys_set(struct task_keys *keys, const struct wire_role_credentials *told);
void task_keys_copy(const struct wire_role_credentials *from, struct wire_role_credentials *to, struct arena *arena);
void task_keys_finish(struct task_keys *keys);

/* ---- task/file.c: DIR/<id>.json ---- */
bool task_save(const struct task *task, struct str final_report, struct err *err);
void task_forget(const struct task *task);
struct saved_task { const struct json *payload, *containers, *restarts; struct str final_report, metadata_id; };
bool task_load(const char *path, struct saved_task *saved, struct arena *arena, struct err *err);
bool task_id_of(struct str arn, char id[TASK_ID_MAX]);   /* false: no name for a file */

/* ---- recover.c: the tasks of an earlier life ---- */
/* Counts them, not yet begun, and writes the counts to *recovered: once, before the agent connects. Tasks that had ended do not count. */
void recover_tell(struct task *tasks, struct agent_recovered *recovered);
/* Calls `take` with each, not yet begun, which owns the task from then on. Containers of tasks without a file: orphans.h. */
bool recover_tasks(struct task_host *host, void (*take)(void *owner, struct task *task), void *owner, struct err *err);

#endif
