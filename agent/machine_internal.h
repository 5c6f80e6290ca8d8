/* machine_internal.h: shared by machine.c and the files beside it. All of them run on the loop's thread. */
#ifndef BERTH_AGENT_MACHINE_INTERNAL_H
#define BERTH_AGENT_MACHINE_INTERNAL_H

#include "agent/core/state_file.h"
#include "agent/images/pre_pull.h"
#include "agent/images/pull_report.h"
#include "agent/inside/taskmeta.h"
#include "agent/interruption.h"
#include "agent/link/lease.h"
#include "agent/link/session.h"
#include "agent/machine.h"
#include "agent/machine_checks.h"
#include "agent/machine_gpus.h"
#include "agent/machine_log.h"
#include "agent/machine_pulls.h"
#include "agent/machine_usage.h"
#include "agent/task/orphans.h"

enum { ENDED_KEPT = 1024, DIR_LEN_MAX = 2048 };

struct stray;
/* The last tasks that have ended, by id: a ring. */
struct ended_tasks { char ids[ENDED_KEPT][TASK_ID_MAX]; size_t next; };

struct machine {
    const struct agent_config *config;
    struct client *client;
    const struct endpoint *server;
    struct arena arena;                          /* of the inventory, the identity and the settings */
    struct inventory inventory;
    struct machine_gpus gpus;
    struct machine_usage usage;
    struct machine_checks checks;
    struct machine_pulls pulls;
    struct machine_log log;
    struct pull_reporter pull_reporter;
    struct pre_pull pre_pull;
    struct identity identity;
    char cluster[256], tasks_dir[DIR_LEN_MAX], notice_file[DIR_LEN_MAX];
    struct session_config session_config;
    struct session session;
    struct runtime *runtime;
    struct task_host host;
    struct taskmeta *metadata;                   /* shows the tasks */
    struct task *tasks;
    struct stray *strays;                        /* reports without a task, on their way */
    struct ended_tasks ended;
    struct cleanup *cleanup;
    struct orphans *orphans;
    struct timer lease_check;
    struct lease lease;
    bool fenced;                                 /* its lease is over */
    struct interruption *interruption;
    bool refused;
    struct err refusal;
};

/* ---- machine_tasks.c ---- */
void ended_add(struct ended_tasks *ended, const char *id);
bool ended_has(const struct ended_tasks *ended, const char *id);

/* The next step for a task that a payload names. */
enum payload_step {
    PAYLOAD_TAKE_ON,                             /* it is new here */
    PAYLOAD_UPDATE,                              /* it is here: new keys, and the order to stop if there is one */
    PAYLOAD_LATER,                               /* its file could not be written: once it has ended, it may come again */
    PAYLOAD_STOPPED,                             /* report STOPPED: it has ended here, or it should never begin */
};
struct payload_case { bool known, dropped, stop, ended; };     /* dropped: of a known one */
enum payload_step payload_step_of(struct payload_case which);
bool manifest_lists(const struct wire_manifest *manifest, struct str arn);      /* as one that should be running */

struct task *machine_find(struct machine *machine, struct str arn);            /* NULL: it is not here */
void machine_add_task(void *machine, struct task *task);                       /* takes it over */
void machine_drop_task(void *machine, void *task);                             /* frees it, and remembers that it has ended */
void machine_stop_all(struct machine *machine, const char *reason, int64_t kill_at_ms);       /* monotonic */
int64_t machine_longest_stop_s(const struct machine *machine);                 /* the longest stop time-out of all containers */
void machine_drop_strays(struct machine *machine);

/* The session's calls about tasks; see session.h. */
bool machine_on_payload(void *machine, const struct wire_payload *payload, const struct json *message);
void machine_on_verify(void *machine, const struct wire_manifest *manifest, struct str_list *candidates, struct arena *arena);
void machine_on_stop_task(void *machine, struct str arn);
bool machine_on_keys(void *machine, const struct wire_role_message *message);
void machine_on_exec(void *machine, const struct wire_exec *message);

/* ---- machine_setup.c ---- */
/* "/srv/data,/mnt", the value of the setting `name`, as a list ended by NULL, in `arena`; NULL: an empty list. NULL and *err: one of them is
 * not an absolute path. */
const char *const *read_paths(const char *name, const char *text, struct arena *arena, struct err *err);
/* From the settings: the identity, the lease, the runtime, the inventory, and the host of the tasks. No thread of a task runs yet. */
bool machine_setup(struct machine *machine, struct err *err);
void machine_set_token(struct machine *machine);           /* a new client token for the next registration */

#endif
