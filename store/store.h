/* store.h: the records that Berth keeps. Knows records, keys, indexes and transactions over the engine (engine.h: LMDB), and the memory of
 * live tasks and instances (tasks by instance, its taken resources, counts per cluster) that is derived from them at start
 * and after each commit. Knows nothing of HTTP, threads, JSON or placement.
 *
 * A failed read or write poisons its transaction: later calls do nothing and the end says so. Callers check once, at the
 * end. Getters copy into the caller's arena. One writing transaction at a time (the writer thread's); any number of reading
 * ones on any thread, each kept short: a read transaction pins old pages, so never hold one while talking to a socket. */
#ifndef BERTH_STORE_STORE_H
#define BERTH_STORE_STORE_H

#include "model/alarm.h"
#include "model/capacity.h"
#include "model/schedule.h"
#include "model/traffic.h"
#include "model/records/access_key.h"
#include "model/records/account_settings.h"
#include "model/records/outbox.h"
#include "model/records/plain.h"
#include "model/cluster.h"
#include "model/history.h"
#include "model/instance.h"
#include "model/secret.h"
#include "model/scaling.h"
#include "model/service.h"
#include "model/task.h"
#include "model/taskdef.h"

struct store;
struct store_txn;

/* One put or deletion of a commit. A deletion has no value, except where a key has many values. */
struct store_write { const char *table; bool deletes; struct str key, value; };       /* table: its name in the file; key and value are lent for the call */
/* Gets all writes of a commit, in their order, before the commit is kept. False: the commit is refused, and nothing is kept. After true the commit can still
 * fail, as on a full disk: then store_write_commit says so. `mark`: the last commit's, zeros when it has none; the sink changes it, and it is kept with
 * this commit (store_mark). Called by the thread that commits; it must not use the store. */
enum { STORE_MARK_SIZE = 32 };
typedef bool store_sink(void *context, int64_t revision, const struct store_write *writes, size_t count, uint8_t mark[STORE_MARK_SIZE]);

struct store_config {
    const char *dir;                         /* made when missing, mode 0700 */
    size_t map_size;                         /* bytes of address space; 0: 64 GiB */
    bool sync;                               /* false only in simulations: a commit is then not durable */
    bool recall_later;                       /* the caller calls store_recall, and asks nothing about live tasks before */
    store_sink *sink; void *sink_context;    /* NULL: writes are not kept for a sink */
};

/* ---- life ---- */
MUST_USE bool store_open(const struct store_config *config, struct store **store, struct err *err);   /* *store owned */
MUST_USE bool store_recall(struct store *store, struct err *err);    /* fills the memory; other threads may read records meanwhile */
/* Another process that was killed while it read the store pins the pages that it saw, and the file grows with every commit until its place is
 * cleared. Any thread. */
/* Writes a whole store of the last commit to `fd`, an empty file's, while others read and write. Any thread. */
MUST_USE bool store_copy(struct store *store, int fd, struct err *err);
int64_t       store_bytes(const struct store *store);         /* of its file, as the last commit says */
void          store_forget_dead_readers(struct store *store);
/* After some failures of the disk the engine refuses everything, and nothing that was read of a damaged page can be trusted: true from then on,
 * with the reason. The process should end; acknowledged changes are safe. Any thread. */
MUST_USE bool store_is_over(struct store *store, struct err *err);
void          store_close(struct store *store);                                                        /* accepts NULL */

/* ---- transactions ---- */
struct store_txn *store_read_begin(struct store *store);          /* owned; never NULL: after a failure it is poisoned */
MUST_USE bool     store_read_end(struct store_txn *txn);          /* false: the results must not be used */
struct store_txn *store_write_begin(struct store *store);         /* owned; the writer thread only */
void              store_job_begin(struct store_txn *txn);         /* the calls up to store_job_end are one job … */
MUST_USE bool     store_job_end(struct store_txn *txn, bool keep);/* … which may be refused only before its first write, or when the store has failed */
MUST_USE bool     store_write_commit(struct store_txn *txn, int64_t *revision);   /* one fsync; false: nothing was kept */
void              store_write_abort(struct store_txn *txn);
const char       *store_txn_problem(const struct store_txn *txn); /* why it is poisoned ("disk full", …); NULL when sound */
int64_t           store_revision(struct store_txn *txn);          /* of the last commit this transaction sees */
uint64_t          store_touched(const struct store_txn *txn);     /* entries that it has read so far: a measure of work without a clock */

/* ---- a store that follows another ---- */
/* The writes of a commit of the other store, as its sink was given them: the tables become equal, and the memory of live tasks follows. `revision`: behind the
 * last one, without a gap. In a writing transaction that does nothing else, and ends with store_apply_commit; it may apply many commits. What can't be
 * applied poisons it: a table that this program does not know, or an entry that should be there and is not. */
void          store_apply(struct store_txn *txn, int64_t revision, const struct store_write *writes, size_t count);
MUST_USE bool store_apply_commit(struct store_txn *txn, const uint8_t mark[STORE_MARK_SIZE], int64_t *revision);
void          store_mark(struct store_txn *txn, uint8_t mark[STORE_MARK_SIZE]);      /* of the last commit; zeros: it has none */

/* ---- clusters: key name ---- */
enum { CLUSTERS_MAX = 1 << 20 };             /* numbers: of clusters, and of deleted ones that still have tasks, instances or history */
const struct cluster *store_cluster(struct store_txn *txn, struct str name, struct arena *arena);       /* NULL: none */
const struct cluster *store_cluster_by_number(struct store_txn *txn, int64_t number, struct arena *arena);
void   store_put_cluster(struct store_txn *txn, struct cluster *cluster);   /* gives a number when it has none */
size_t store_list_clusters(struct store_txn *txn, struct str after, struct str *names, size_t limit, struct arena *arena);
struct cluster_number { int64_t number; struct str name; };
size_t store_list_cluster_numbers(struct store_txn *txn, int64_t from, struct cluster_number *found, size_t limit, struct arena *arena);
int64_t store_last_cluster_number(struct store_txn *txn);                           /* the highest; 0: none */
/* Nothing is kept under the number of a cluster that was deleted then: no task, no instance, no service, no history. */
bool   store_cluster_is_past(struct store_txn *txn, int64_t number, int64_t deleted_ms);
/* A cluster for which store_cluster_is_past is true. Its record goes too, unless the name has another number by now. */
void   store_drop_cluster(struct store_txn *txn, struct cluster_number past);

/* ---- task definitions: key family, revision; the counter of a family outlives its revisions ---- */
int64_t               store_next_revision(struct store_txn *txn, struct str family);
const struct taskdef *store_taskdef(struct store_txn *txn, struct str family, int64_t revision, struct arena *arena);
/* The definition that the task was made of. That of a daemon's task is shown as a task definition (daemon_taskdef_as). */
const struct taskdef *store_taskdef_of(struct store_txn *txn, const struct task *task, struct arena *arena);
int64_t               store_latest_active_revision(struct store_txn *txn, struct str family);           /* 0: none */
void                  store_put_taskdef(struct store_txn *txn, const struct taskdef *taskdef);
void                  store_drop_taskdef(struct store_txn *txn, struct str family, int64_t revision);
/* Whether a task that is remembered was made of this revision, before `before_ms`. Reads at most *budget tasks and counts down
 * the tasks that it read; says yes when *budget was too small to know. */
bool                  store_taskdef_is_used(struct store_txn *txn, struct str family, int64_t revision, int64_t before_ms, size_t *budget);
struct taskdef_name { struct str family; int64_t revision; };
/* Those of one status, families in byte order, revisions numerically; `family` set: of that family only. Starts behind
 * `after` (family absent: at the start), backwards when `descending`. */
size_t store_list_taskdefs(struct store_txn *txn, struct str family, enum task_definition_status status, bool descending,
                           struct taskdef_name after, struct taskdef_name *names, size_t limit, struct arena *arena);
enum family_filter { FAMILY_ANY, FAMILY_ACTIVE, FAMILY_INACTIVE };
size_t store_list_families(struct store_txn *txn, struct str prefix, enum family_filter filter, struct str after,
                           struct str *families, size_t limit, struct arena *arena);

/* ---- daemon task definitions: as task definitions, with their own families and counters ---- */
int64_t               store_next_daemon_revision(struct store_txn *txn, struct str family);
const struct daemon_taskdef *store_daemon_taskdef(struct store_txn *txn, struct str family, int64_t revision, struct arena *arena);
int64_t               store_latest_daemon_revision(struct store_txn *txn, struct str family);           /* that is ACTIVE; 0: none */
void                  store_put_daemon_taskdef(struct store_txn *txn, const struct daemon_taskdef *taskdef);
void                  store_drop_daemon_taskdef(struct store_txn *txn, struct str family, int64_t revision);
/* Which are listed: of the families that begin with `family`, or of `family` alone when `exact`; of the status `wanted` (UNSET: of any); of these only the
 * latest of each family when `latest`. */
struct daemon_taskdef_filter { struct str family; enum daemon_task_definition_status wanted; bool exact, latest, descending; };
/* The order, and `after`, are those of store_list_taskdefs. */
size_t store_list_daemon_taskdefs(struct store_txn *txn, const struct daemon_taskdef_filter *filter, struct taskdef_name after,
                                  struct taskdef_name *names, size_t limit, struct arena *arena);

/* ---- instances: key id; index by cluster ---- */
const struct instance *store_instance(struct store_txn *txn, struct id id, struct arena *arena);
void   store_put_instance(struct store_txn *txn, const struct instance *instance);
/* INACTIVE ones that were deregistered before `before_ms` and whose tasks are all forgotten. */
size_t store_list_gone_instances(struct store_txn *txn, int64_t before_ms, struct id *ids, size_t limit);
void   store_drop_instance(struct store_txn *txn, struct id id);            /* one that store_list_gone_instances gave */
/* In order of creation, behind `after` (zero: from the start); status UNSET: any but INACTIVE. */
size_t store_list_instances(struct store_txn *txn, int64_t cluster_number, enum instance_status status, struct id after,
                            struct id *ids, size_t limit);

/* ---- tasks: key id; indexes by cluster, family, startedBy and group, each split by desired status ---- */
const struct task *store_task(struct store_txn *txn, struct id id, struct arena *arena);
bool   store_last_task(struct store_txn *txn, struct id *id);                   /* the newest task; false: there is no task */
void   store_fetch_tasks(struct store_txn *txn, const struct id *ids, size_t count);    /* they are read next: only their memory is fetched */
void   store_put_task(struct store_txn *txn, const struct task *task);      /* of a task that is not new the record before is read */
/* `before` is store_task's answer in this transaction, and the task was not put since then: the record is not read again. */
void   store_change_task(struct store_txn *txn, const struct task *before, const struct task *task);
void   store_drop_task(struct store_txn *txn, struct id id);
/* A task's own family's group ("family:NAME") is not in the index by group: ask for the family. `desired` is RUNNING or
 * STOPPED; for another status the list is empty. */
enum task_index { TASKS_BY_CLUSTER, TASKS_BY_FAMILY, TASKS_BY_STARTED_BY, TASKS_BY_GROUP };
size_t store_list_tasks(struct store_txn *txn, int64_t cluster_number, enum task_index index, struct str text,
                        enum task_status desired, struct id after, struct id *ids, size_t limit);
/* Stopped tasks whose stopped_ms is below `before_ms`, oldest first. */
size_t store_list_stopped(struct store_txn *txn, int64_t before_ms, struct id *ids, size_t limit);

/* ---- services: key number; index by cluster and name ---- */
const struct service *store_service(struct store_txn *txn, int64_t number, struct arena *arena);         /* NULL: none */
/* The newest of that name, INACTIVE or not; NULL: none. */
const struct service *store_service_named(struct store_txn *txn, int64_t cluster_number, struct str name, struct arena *arena);
/* The one that was made with the client token and is not INACTIVE; NULL: none. */
const struct service *store_service_by_token(struct store_txn *txn, int64_t cluster_number, struct str token, struct arena *arena);
void   store_put_service(struct store_txn *txn, struct service *service);   /* gives a number when it has none */
void   store_drop_service(struct store_txn *txn, int64_t number);           /* an INACTIVE one, with all that the tables below have of it */
/* ACTIVE ones, by name, behind `after` (absent: from the start). */
struct service_number { int64_t number; struct str name; };
size_t store_list_services(struct store_txn *txn, int64_t cluster_number, struct str after, struct service_number *services, size_t limit,
                           struct arena *arena);
/* The same of managed daemons, which are services with their own names; those that are being deleted are listed, too. */
const struct service *store_daemon_named(struct store_txn *txn, int64_t cluster_number, struct str name, struct arena *arena);
size_t store_list_daemons(struct store_txn *txn, int64_t cluster_number, struct str after, struct service_number *daemons, size_t limit,
                          struct arena *arena);
bool   store_has_services(struct store_txn *txn, int64_t cluster_number);   /* ACTIVE or DRAINING, daemons too */
/* INACTIVE ones whose deleted_ms is below `before_ms`, oldest first. */
size_t store_list_gone_services(struct store_txn *txn, int64_t before_ms, int64_t *numbers, size_t limit);
/* All that are not INACTIVE, for building a world at start. */
typedef void store_visit_service(void *context, const struct service *service);
void   store_scan_services(struct store_txn *txn, store_visit_service *visit, void *context);

/* Key: the service's number, and digits or id. */
const struct service_events *store_service_events(struct store_txn *txn, int64_t service, struct arena *arena);      /* never NULL */
void   store_put_service_events(struct store_txn *txn, int64_t service, const struct service_events *events);
const struct service_revision *store_service_revision(struct store_txn *txn, int64_t service, int64_t digits, struct arena *arena);
void   store_put_service_revision(struct store_txn *txn, const struct service_revision *revision);
void   store_drop_service_revision(struct store_txn *txn, int64_t service, int64_t digits);
const struct kept_deployment *store_deployment(struct store_txn *txn, int64_t service, int64_t digits, struct arena *arena);
void   store_put_deployment(struct store_txn *txn, const struct kept_deployment *deployment);
void   store_drop_deployment(struct store_txn *txn, int64_t service, int64_t digits);
enum { SERVICE_DEPLOYMENTS_MAX = 100 };      /* history of a service; and deployments or task sets that have tasks */
size_t store_list_deployments(struct store_txn *txn, int64_t service, struct kept_deployment **deployments, struct arena *arena);   /* oldest first */
const struct service_deployment *store_service_deployment(struct store_txn *txn, int64_t service, struct id id, struct arena *arena);
/* A service keeps SERVICE_DEPLOYMENTS_MAX of them: when there are more, the oldest one goes if it has ended. */
void   store_put_service_deployment(struct store_txn *txn, const struct service_deployment *deployment);
/* Newest first, those below `before` (zero: from the newest). */
size_t store_list_service_deployments(struct store_txn *txn, int64_t service, struct id before, struct service_deployment *deployments, size_t limit,
                                      struct arena *arena);

/* ---- the history: records of tasks that have stopped; key stopped_ms and id, index by id ---- */
struct history_place { int64_t stopped_ms; struct id id; };
void   store_put_history(struct store_txn *txn, const struct history *history);     /* of the same task again: replaces its entry */
const struct history *store_history(struct store_txn *txn, struct id id, struct arena *arena);          /* NULL: none */
/* Those below `before`, newest first. */
size_t store_list_history(struct store_txn *txn, struct history_place before, struct history *entries, size_t limit, struct arena *arena);
/* Removes the entries of tasks that stopped before `before_ms`, oldest first, at most `limit`. Gives their number. */
size_t store_trim_history(struct store_txn *txn, int64_t before_ms, size_t limit);

/* ---- live tasks and instances: derived, in memory; a writing transaction sees its own changes ---- */
struct instance_usage {
    int64_t cpu, memory_mib;                 /* taken by live tasks */
    int64_t running, pending;                /* tasks: desired RUNNING and lastStatus RUNNING; lastStatus PENDING */
    int64_t events;                          /* so far: one when a task is placed there, and one more when it stops */
    struct int_list ports;                   /* host ports taken by live tasks */
    struct gpu_use_list gpus;                /* devices that are held, whole or in part */
};
/* The traits of a machine that its tasks show, absent when it has none, its name for a person (instance_name), and the agent's state for task_contact. */
struct instance_traits { struct str zone, architecture, name; int64_t came_ms; bool connected; };
/* In `arena`. All are absent when the machine is not known any more. */
struct instance_traits store_instance_traits(struct store_txn *txn, struct id instance, struct arena *arena);
/* The same for many instances, which are looked up together; *traits has room for `count`. */
void   store_many_traits(struct store_txn *txn, const struct id *instances, size_t count, struct instance_traits *traits, struct arena *arena);
struct cluster_counts { int64_t instances, running, pending, live_tasks, services, draining_services; };       /* services: ACTIVE ones */
/* Counts of one deployment. running: lastStatus RUNNING; pending: before it; live: not STOPPED; staying: live, and not ordered to stop. */
struct deployment_counts { int64_t running, pending, live, staying; };
struct deployment_counts store_deployment_counts(struct store_txn *txn, int64_t digits);
void   store_instance_usage(struct store_txn *txn, struct id instance, struct instance_usage *usage, struct arena *arena);
size_t store_tasks_on_instance(struct store_txn *txn, struct id instance, struct id **ids, struct arena *arena);   /* live ones, by id; zero: on no instance */
/* The same with their statuses, from memory. It may be one commit ahead of a reading transaction. */
struct live_task { struct id id; enum task_status last_status, desired_status; };
size_t store_live_on_instance(struct store_txn *txn, struct id instance, struct live_task **tasks, struct arena *arena);
struct cluster_counts store_cluster_counts(struct store_txn *txn, int64_t cluster_number);
/* The tasks that one RunTask with this token made, in order; 0 when none. */
size_t store_tasks_by_token(struct store_txn *txn, int64_t cluster_number, struct str token, struct id **ids, struct arena *arena);

/* Every live task and every instance that is not INACTIVE, for building a world at start. */
typedef void store_visit_task(void *context, const struct task *task);
typedef void store_visit_instance(void *context, const struct instance *instance);
void store_scan_instances(struct store_txn *txn, store_visit_instance *visit, void *context);
void store_scan_live_tasks(struct store_txn *txn, store_visit_task *visit, void *context);

/* The same for the tasks that hold resources: some live tasks at a time, and of each only the members that task_key_record reads. */
enum { STORE_TASKS_MAX = 16 };
typedef void store_visit_tasks(void *context, const struct task *tasks, size_t count);           /* STORE_TASKS_MAX at most */
void   store_scan_holders(struct store_txn *txn, store_visit_tasks *visit, void *context);
size_t store_count_live_tasks(struct store_txn *txn);            /* how many store_scan_holders will give; fast */

/* ---- access keys ---- */
const struct access_key *store_access_key(struct store_txn *txn, struct str id, struct arena *arena);
void   store_put_access_key(struct store_txn *txn, const struct access_key *key);
size_t store_list_access_keys(struct store_txn *txn, struct access_key_list *keys, struct arena *arena);

/* ---- account settings: key principal ---- */
const struct account_settings *store_account_settings(struct store_txn *txn, struct str principal, struct arena *arena);  /* NULL: none */
void store_put_account_settings(struct store_txn *txn, const struct account_settings *settings);   /* without values: the record is removed */

/* ---- secrets: key kind, name ---- */
const struct kept_secret *store_secret(struct store_txn *txn, enum secret_kind kind, struct str name, struct arena *arena);    /* NULL: none */
void   store_put_secret(struct store_txn *txn, const struct kept_secret *secret);
void   store_drop_secret(struct store_txn *txn, enum secret_kind kind, struct str name);                          /* one that is there */
/* In order of names, behind `after` (absent: from the start); without the values. */
size_t store_list_secrets(struct store_txn *txn, enum secret_kind kind, struct str after, struct kept_secret *secrets, size_t limit,
                          struct arena *arena);

/* ---- alarms: key name ---- */
const struct kept_alarm *store_alarm(struct store_txn *txn, struct str name, struct arena *arena);                 /* NULL: none */
void   store_put_alarm(struct store_txn *txn, const struct kept_alarm *alarm);
void   store_drop_alarm(struct store_txn *txn, struct str name);                                                  /* one that is there */
/* Those whose names begin with `prefix`, in order of names, behind `after` (absent: from the start). */
size_t store_list_alarms(struct store_txn *txn, struct str prefix, struct str after, struct kept_alarm *alarms, size_t limit, struct arena *arena);

/* ---- scalable targets: key the service's number ---- */
const struct kept_scaling *store_scaling(struct store_txn *txn, int64_t service, struct arena *arena);            /* NULL: not registered */
void   store_put_scaling(struct store_txn *txn, const struct kept_scaling *target);                               /* of a service that is there */
void   store_drop_scaling(struct store_txn *txn, int64_t service);                                                /* with no target: nothing */
size_t store_list_scaling(struct store_txn *txn, int64_t after, int64_t *services, size_t limit);                 /* in order of numbers, behind `after` */

/* ---- load balancers: key names, as in their ARNs. NULL: there is none. Puts need members that are names. ---- */
const struct kept_group    *store_group(struct store_txn *txn, struct str name, struct arena *arena);
const struct kept_balancer *store_balancer(struct store_txn *txn, struct str name, struct arena *arena);
const struct kept_listener *store_listener(struct store_txn *txn, struct str balancer, struct str id, struct arena *arena);
const struct kept_rule     *store_rule(struct store_txn *txn, struct str balancer, struct str listener, struct str id, struct arena *arena);
void   store_put_group(struct store_txn *txn, const struct kept_group *group);
void   store_put_balancer(struct store_txn *txn, const struct kept_balancer *balancer);
void   store_put_listener(struct store_txn *txn, const struct kept_listener *listener);
void   store_put_rule(struct store_txn *txn, const struct kept_rule *rule);
void   store_drop_group(struct store_txn *txn, struct str name);                       /* all four: one that is there */
void   store_drop_balancer(struct store_txn *txn, struct str name);
void   store_drop_listener(struct store_txn *txn, struct str balancer, struct str id);
void   store_drop_rule(struct store_txn *txn, struct str balancer, struct str listener, struct str id);
/* All of them, in the order of their names; of one load balancer, of one listener. Lists are in `arena`. */
size_t store_list_groups(struct store_txn *txn, struct kept_group **groups, struct arena *arena);
size_t store_list_balancers(struct store_txn *txn, struct kept_balancer **balancers, struct arena *arena);
size_t store_list_listeners(struct store_txn *txn, struct str balancer, struct kept_listener **listeners, struct arena *arena);
size_t store_list_rules(struct store_txn *txn, struct str balancer, struct str listener, struct kept_rule **rules, struct arena *arena);
/* Targets: by group, name and port; by task. A put fills in the revision. */
const struct kept_target *store_target(struct store_txn *txn, struct str group, struct str name, int64_t port, struct arena *arena);
void   store_put_target(struct store_txn *txn, struct kept_target *target);
void   store_drop_target(struct store_txn *txn, const struct kept_target *target);          /* as it was read */
size_t store_list_targets(struct store_txn *txn, struct str group, struct kept_target **targets, struct arena *arena);
/* The targets of the task; id of zeros: draining targets without a task. At most 64. */
size_t store_targets_of_task(struct store_txn *txn, struct id task, struct kept_target **targets, struct arena *arena);
int64_t store_traffic_revision(struct store_txn *txn);        /* of the commit that changed any of these records last; 0: none has */

/* ---- schedules: key kind and name; index by due_ms ---- */
const struct kept_schedule *store_schedule(struct store_txn *txn, bool rule, struct str name, struct arena *arena);           /* NULL: none */
void   store_put_schedule(struct store_txn *txn, const struct kept_schedule *schedule);
void   store_drop_schedule(struct store_txn *txn, bool rule, struct str name);                                    /* one that is there */
/* All of one kind, as store_list_alarms. */
size_t store_list_schedules(struct store_txn *txn, bool rule, struct str prefix, struct str after, struct kept_schedule *schedules, size_t limit,
                            struct arena *arena);
const struct kept_schedule *store_first_schedule(struct store_txn *txn, struct arena *arena);      /* by due_ms; NULL: none is due ever */

/* ---- capacity: providers and pools by name, machines by id, with indexes by pool and by next_ms. NULL: there is none ---- */
const struct kept_provider *store_provider(struct store_txn *txn, struct str name, struct arena *arena);
void   store_put_provider(struct store_txn *txn, const struct kept_provider *provider);
void   store_drop_provider(struct store_txn *txn, struct str name);                    /* one that is there, as the next two */
const struct kept_pool *store_pool(struct store_txn *txn, struct str name, struct arena *arena);
void   store_put_pool(struct store_txn *txn, const struct kept_pool *pool);
void   store_drop_pool(struct store_txn *txn, struct str name);                        /* which has no machine */
const struct kept_machine *store_machine(struct store_txn *txn, struct id id, struct arena *arena);
void   store_put_machine(struct store_txn *txn, const struct kept_machine *machine);
void   store_drop_machine(struct store_txn *txn, struct id id);
/* All of them in order of names, and a pool's machines in order of ids, MACHINES_OF_POOL_MAX at most. Lists are in `arena`. */
size_t store_list_providers(struct store_txn *txn, struct kept_provider **providers, struct arena *arena);
size_t store_list_pools(struct store_txn *txn, struct kept_pool **pools, struct arena *arena);
size_t store_list_machines(struct store_txn *txn, struct str pool, struct kept_machine **machines, struct arena *arena);
/* Machines whose next_ms has come, the oldest first; the next such time, 0: there is none. */
size_t  store_list_due_machines(struct store_txn *txn, int64_t now_ms, struct id *ids, size_t limit);
int64_t store_next_machine_ms(struct store_txn *txn);

/* ---- plain records of IAM and EC2: key kind and id ---- */
const struct kept_plain *store_plain(struct store_txn *txn, enum plain_kind kind, struct str id, struct arena *arena);      /* NULL: none */
void   store_put_plain(struct store_txn *txn, const struct kept_plain *plain);
void   store_drop_plain(struct store_txn *txn, const struct kept_plain *plain);                                   /* one that is there */
/* All of a kind whose ids begin with `under`; in lists by id. */
void   store_drop_plain_under(struct store_txn *txn, enum plain_kind kind, struct str under);
size_t store_count_plain(struct store_txn *txn, enum plain_kind kind, struct str under);
size_t store_list_plain(struct store_txn *txn, enum plain_kind kind, struct str under, struct kept_plain **items, struct arena *arena);

/* ---- events that the server tells others: key their number ---- */
int64_t store_last_event(struct store_txn *txn, struct arena *arena);        /* the last number that was given; 0: none */
int64_t store_first_event(struct store_txn *txn);                            /* of those that are kept; 0: none is */
/* Gives it the next number, which is returned. */
int64_t store_add_event(struct store_txn *txn, const struct kept_event *event, struct arena *arena);
/* Those with greater numbers, the least first, at most `limit`. */
size_t  store_list_events(struct store_txn *txn, int64_t after, struct kept_event **events, size_t limit, struct arena *arena);
/* Drops those from before this time, and those that are too many, the oldest first, at most `limit`. Returns how many went. */
size_t  store_trim_events(struct store_txn *txn, int64_t before_ms, size_t most, size_t limit, struct arena *arena);

/* ---- the change feed: the nouns that each revision touched ---- */
enum change_kind { CHANGE_CLUSTER = 1, CHANGE_TASKDEF, CHANGE_INSTANCE, CHANGE_TASK, CHANGE_TASK_GONE, CHANGE_SERVICE };
struct change { int64_t revision; enum change_kind kind; struct id id; int64_t cluster_number; };   /* id: instance or task */
int64_t store_changed_service(const struct change *change);                 /* the number of the service of a CHANGE_SERVICE */
/* Changes behind `revision`, oldest first, whole revisions only. *complete is false when the feed no longer reaches back that
 * far, or when the next revision alone has more changes than `limit`: the caller then reads everything again. */
size_t store_changes(struct store_txn *txn, int64_t revision, struct change *changes, size_t limit, bool *complete);

/* ---- small durable words of the server: for example instance sequence numbers ---- */
struct str store_meta(struct store_txn *txn, struct str name, struct arena *arena);         /* absent when unset */
void       store_put_meta(struct store_txn *txn, struct str name, struct str value);         /* an absent value: the entry is removed */

/* ---- the check: the invariants of the file, and their breaches ---- */
enum invariant {                             /* first those that the store keeps by itself, then those that need its callers' rules */
    INVARIANT_RECORDS, INVARIANT_INDEXES, INVARIANT_CLUSTERS, INVARIANT_DEFINITIONS, INVARIANT_COUNTERS, INVARIANT_REVISIONS, INVARIANT_HISTORY,
    INVARIANT_ACCESS, INVARIANT_SECRETS, INVARIANT_ALARMS, INVARIANT_SCHEDULES, INVARIANT_RULES, INVARIANT_REFERENCES = INVARIANT_RULES, INVARIANT_STATUSES,
    INVARIANT_ROOM, INVARIANT_PORTS, INVARIANT_GPUS, INVARIANT_SEALS, INVARIANT_COUNT
};
extern const struct invariant_words { struct str name, text; } invariant_words[INVARIANT_COUNT];

enum { BREACHES_SHOWN_MAX = 20, BREACH_ID_SIZE = 104 };
struct breach { const char *what, *table; char id[BREACH_ID_SIZE]; };    /* id: of an instance or a task, a name, or a number */
struct check_report {                        /* of each kind: the number of looks, the number of breaches, and the first of them */
    struct looked_at { int64_t count, breaches; struct breach first[BREACHES_SHOWN_MAX]; } of[INVARIANT_COUNT];
};
int64_t check_report_breaches(const struct check_report *report);        /* of all kinds */
/* Do all values of this secret open? A caller that has the key gives this function; NULL: seals are not checked. */
struct check_seals { bool (*open)(void *context, const struct kept_secret *secret); void *context; };
/* Fills in *report. Each table is walked once, and only sums by instance and by GPU are kept meanwhile, so a store of a million tasks can be
 * checked while a server writes it. False: it can't be read to its end (store_txn_problem); *report has the breaches up to there. */
MUST_USE bool store_check_file(struct store_txn *txn, struct check_seals seals, struct check_report *report);
/* For tests: the same, and the memory that is derived from the file. *err names the first breach. The bare one checks only the invariants that the
 * store keeps by itself. */
MUST_USE bool store_check(struct store_txn *txn, struct err *err);
MUST_USE bool store_check_bare(struct store_txn *txn, struct err *err);

#endif
