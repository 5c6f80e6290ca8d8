/* store.h: what Berth remembers. Knows records, keys, indexes and transactions over the engine (engine.h: LMDB), and the memory of
 * what is live (tasks by instance, what each instance has given away, counts per cluster) that is derived from them at start
 * and after each commit. Knows nothing of HTTP, threads, JSON or placement.
 *
 * A failed read or write poisons its transaction: later calls do nothing and the end says so. Callers check once, at the
 * end. Getters copy into the caller's arena. One writing transaction at a time (the writer thread's); any number of reading
 * ones on any thread, each kept short: a read transaction pins old pages, so never hold one while talking to a socket. */
#ifndef BERTH_STORE_STORE_H
#define BERTH_STORE_STORE_H

#include "model/records/access_key.h"
#include "model/records/account_settings.h"
#include "model/cluster.h"
#include "model/history.h"
#include "model/instance.h"
#include "model/secret.h"
#include "model/task.h"
#include "model/taskdef.h"

struct store;
struct store_txn;

/* One put or deletion of a commit, in the order in which the engine was given it. A deletion has no value, except where a key has many values. */
struct store_write { const char *table; bool deletes; struct str key, value; };       /* table: its name in the file; the texts are lent for the call */
/* Is given all writes of a commit before the commit is kept. False: the commit is refused, and nothing is kept. After true the commit can still
 * fail, as on a full disk: then store_write_commit says so. Called by the thread that commits; it must not use the store. */
typedef bool store_sink(void *context, int64_t revision, const struct store_write *writes, size_t count);

struct store_config {
    const char *dir;                         /* made when missing, mode 0700 */
    size_t map_size;                         /* bytes of address space; 0: 64 GiB */
    bool sync;                               /* false only in simulations: a commit is then not durable */
    bool recall_later;                       /* store_recall is called by hand: until then nothing is asked about what is live */
    store_sink *sink; void *sink_context;    /* NULL: nobody wants the writes, and none is kept for that */
};

/* ---- life ---- */
MUST_USE bool store_open(const struct store_config *config, struct store **store, struct err *err);   /* *store owned */
MUST_USE bool store_recall(struct store *store, struct err *err);    /* reads what is live; other threads may read records meanwhile */
/* Another process that was killed while it read the store pins the pages that it saw, and the file grows with every commit until its place is
 * cleared. Any thread. */
void          store_forget_dead_readers(struct store *store);
/* After some failures of the disk the engine refuses everything, and nothing that was read of a damaged page can be trusted: true from then on,
 * with the reason. The process should end; what was acknowledged is safe. Any thread. */
MUST_USE bool store_is_over(struct store *store, struct err *err);
void          store_close(struct store *store);                                                        /* accepts NULL */

/* ---- transactions ---- */
struct store_txn *store_read_begin(struct store *store);          /* owned; never NULL: a failure is a poisoned one */
MUST_USE bool     store_read_end(struct store_txn *txn);          /* false: what was read must not be used */
struct store_txn *store_write_begin(struct store *store);         /* owned; the writer thread only */
void              store_job_begin(struct store_txn *txn);         /* what follows belongs to one job … */
MUST_USE bool     store_job_end(struct store_txn *txn, bool keep);/* … which may be refused only before its first write, or when the store has failed */
MUST_USE bool     store_write_commit(struct store_txn *txn, int64_t *revision);   /* one fsync; false: nothing was kept */
void              store_write_abort(struct store_txn *txn);
const char       *store_txn_problem(const struct store_txn *txn); /* why it is poisoned ("disk full", …); NULL when sound */
int64_t           store_revision(struct store_txn *txn);          /* of the last commit this transaction sees */
uint64_t          store_touched(const struct store_txn *txn);     /* entries it has looked at so far: a measure of work that no clock disturbs */

/* ---- clusters: key name ---- */
enum { CLUSTERS_MAX = 1 << 20 };             /* numbers, of clusters that are kept and of those of which something is kept */
const struct cluster *store_cluster(struct store_txn *txn, struct str name, struct arena *arena);       /* NULL: none */
const struct cluster *store_cluster_by_number(struct store_txn *txn, int64_t number, struct arena *arena);
void   store_put_cluster(struct store_txn *txn, struct cluster *cluster);   /* gives a number when it has none */
size_t store_list_clusters(struct store_txn *txn, struct str after, struct str *names, size_t limit, struct arena *arena);
struct cluster_number { int64_t number; struct str name; };
size_t store_list_cluster_numbers(struct store_txn *txn, int64_t from, struct cluster_number *found, size_t limit, struct arena *arena);
int64_t store_last_cluster_number(struct store_txn *txn);                           /* the highest; 0: none */
/* Nothing is kept under the number of a cluster that was deleted then: no task, no instance, no history. */
bool   store_cluster_is_past(struct store_txn *txn, int64_t number, int64_t deleted_ms);
/* One of those; its record too, unless the name has another number by now. */
void   store_drop_cluster(struct store_txn *txn, struct cluster_number past);

/* ---- task definitions: key family, revision; the counter of a family outlives its revisions ---- */
int64_t               store_next_revision(struct store_txn *txn, struct str family);
const struct taskdef *store_taskdef(struct store_txn *txn, struct str family, int64_t revision, struct arena *arena);
int64_t               store_latest_active_revision(struct store_txn *txn, struct str family);           /* 0: none */
void                  store_put_taskdef(struct store_txn *txn, const struct taskdef *taskdef);
void                  store_drop_taskdef(struct store_txn *txn, struct str family, int64_t revision);
/* Whether a task that is remembered was made of this revision, before `before_ms`. Reads at most *budget tasks and counts down
 * what it read; says yes when that was too few to know. */
bool                  store_taskdef_is_used(struct store_txn *txn, struct str family, int64_t revision, int64_t before_ms, size_t *budget);
struct taskdef_name { struct str family; int64_t revision; };
/* Those of one status, families in byte order, revisions numerically; `family` set: of that family only. Starts behind
 * `after` (family absent: at the start), backwards when `descending`. */
size_t store_list_taskdefs(struct store_txn *txn, struct str family, enum task_definition_status status, bool descending,
                           struct taskdef_name after, struct taskdef_name *names, size_t limit, struct arena *arena);
enum family_filter { FAMILY_ANY, FAMILY_ACTIVE, FAMILY_INACTIVE };
size_t store_list_families(struct store_txn *txn, struct str prefix, enum family_filter filter, struct str after,
                           struct str *families, size_t limit, struct arena *arena);

/* ---- instances: key id; index by cluster ---- */
const struct instance *store_instance(struct store_txn *txn, struct id id, struct arena *arena);
void   store_put_instance(struct store_txn *txn, const struct instance *instance);
/* INACTIVE ones that were deregistered before `before_ms` and of whose tasks none is remembered any more. */
size_t store_list_gone_instances(struct store_txn *txn, int64_t before_ms, struct id *ids, size_t limit);
void   store_drop_instance(struct store_txn *txn, struct id id);            /* one of those */
/* In order of creation, behind `after` (zero: from the start); status UNSET: any but INACTIVE. */
size_t store_list_instances(struct store_txn *txn, int64_t cluster_number, enum instance_status status, struct id after,
                            struct id *ids, size_t limit);

/* ---- tasks: key id; indexes by cluster, family, startedBy and group, each split by desired status ---- */
const struct task *store_task(struct store_txn *txn, struct id id, struct arena *arena);
bool   store_last_task(struct store_txn *txn, struct id *id);                   /* of those that are there, the one that was made last; false: there is none */
void   store_fetch_tasks(struct store_txn *txn, const struct id *ids, size_t count);    /* they are read next: changes nothing but how soon they are here */
void   store_put_task(struct store_txn *txn, const struct task *task);      /* new, or looks up what it was */
/* `before` is what store_task gave of it in this transaction, and nobody has put it since: it is not looked up once more. */
void   store_change_task(struct store_txn *txn, const struct task *before, const struct task *task);
void   store_drop_task(struct store_txn *txn, struct id id);
/* A task's own family's group ("family:NAME") is not in the index by group: ask for the family. `desired` is RUNNING or
 * STOPPED; for anything else there is nothing to list. */
enum task_index { TASKS_BY_CLUSTER, TASKS_BY_FAMILY, TASKS_BY_STARTED_BY, TASKS_BY_GROUP };
size_t store_list_tasks(struct store_txn *txn, int64_t cluster_number, enum task_index index, struct str text,
                        enum task_status desired, struct id after, struct id *ids, size_t limit);
/* Stopped tasks whose stopped_ms is below `before_ms`, oldest first. */
size_t store_list_stopped(struct store_txn *txn, int64_t before_ms, struct id *ids, size_t limit);

/* ---- the history: what is left of tasks that have stopped; key stopped_ms and id, index by id ---- */
struct history_place { int64_t stopped_ms; struct id id; };
void   store_put_history(struct store_txn *txn, const struct history *history);     /* the same task again: replaces what is there */
const struct history *store_history(struct store_txn *txn, struct id id, struct arena *arena);          /* NULL: none */
/* The last to stop first, from below `before` on. */
size_t store_list_history(struct store_txn *txn, struct history_place before, struct history *entries, size_t limit, struct arena *arena);
/* Forgets what stopped before `before_ms`, oldest first, at most `limit`. How many it were. */
size_t store_trim_history(struct store_txn *txn, int64_t before_ms, size_t limit);

/* ---- what is live: derived, in memory; a writing transaction sees its own changes ---- */
struct instance_usage {
    int64_t cpu, memory_mib;                 /* taken by live tasks */
    int64_t running, pending;                /* tasks: desired RUNNING and lastStatus RUNNING; lastStatus PENDING */
    int64_t events;                          /* so far: each task placed there is one, and each that has stopped another */
    struct int_list ports;                   /* host ports taken by live tasks */
    struct gpu_use_list gpus;                /* devices of which something is held */
};
/* What tasks show of their machine, absent when it does not say, its name for a person (instance_name), and of its agent what task_contact asks. */
struct instance_traits { struct str zone, architecture, name; int64_t came_ms; bool connected; };
/* In `arena`. Of a machine that nobody knows any more all are absent. */
struct instance_traits store_instance_traits(struct store_txn *txn, struct id instance, struct arena *arena);
/* Of many, which are looked up together; *traits has room for `count`. */
void   store_many_traits(struct store_txn *txn, const struct id *instances, size_t count, struct instance_traits *traits, struct arena *arena);
struct cluster_counts { int64_t instances, running, pending, live_tasks; };
void   store_instance_usage(struct store_txn *txn, struct id instance, struct instance_usage *usage, struct arena *arena);
size_t store_tasks_on_instance(struct store_txn *txn, struct id instance, struct id **ids, struct arena *arena);   /* live ones, by id */
/* The same with where they are in their lives, which memory knows. It may be one commit ahead of a reading transaction. */
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

/* The same for what holds resources: live tasks some at a time, and of each only what task_key_record reads. */
enum { STORE_TASKS_MAX = 16 };
typedef void store_visit_tasks(void *context, const struct task *tasks, size_t count);           /* STORE_TASKS_MAX at most */
void   store_scan_holders(struct store_txn *txn, store_visit_tasks *visit, void *context);
size_t store_count_live_tasks(struct store_txn *txn);            /* how many there will be; costs nothing */

/* ---- access keys ---- */
const struct access_key *store_access_key(struct store_txn *txn, struct str id, struct arena *arena);
void   store_put_access_key(struct store_txn *txn, const struct access_key *key);
size_t store_list_access_keys(struct store_txn *txn, struct access_key_list *keys, struct arena *arena);

/* ---- account settings: key principal ---- */
const struct account_settings *store_account_settings(struct store_txn *txn, struct str principal, struct arena *arena);  /* NULL: none */
void store_put_account_settings(struct store_txn *txn, const struct account_settings *settings);   /* without values: forgotten */

/* ---- secrets: key kind, name ---- */
const struct kept_secret *store_secret(struct store_txn *txn, enum secret_kind kind, struct str name, struct arena *arena);    /* NULL: none */
void   store_put_secret(struct store_txn *txn, const struct kept_secret *secret);
void   store_drop_secret(struct store_txn *txn, enum secret_kind kind, struct str name);                          /* one of those */
/* In order of names, behind `after` (absent: from the start); without the values. */
size_t store_list_secrets(struct store_txn *txn, enum secret_kind kind, struct str after, struct kept_secret *secrets, size_t limit,
                          struct arena *arena);

/* ---- the change feed: what each revision touched ---- */
enum change_kind { CHANGE_CLUSTER = 1, CHANGE_TASKDEF, CHANGE_INSTANCE, CHANGE_TASK, CHANGE_TASK_GONE };
struct change { int64_t revision; enum change_kind kind; struct id id; int64_t cluster_number; };   /* id: instance or task */
/* Changes behind `revision`, oldest first, whole revisions only. *complete is false when the feed no longer reaches back that
 * far, or when the next revision alone has more changes than `limit`: the caller then reads everything anew. */
size_t store_changes(struct store_txn *txn, int64_t revision, struct change *changes, size_t limit, bool *complete);

/* ---- small durable words of the server: instance sequence numbers and the like ---- */
struct str store_meta(struct store_txn *txn, struct str name, struct arena *arena);         /* absent when unset */
void       store_put_meta(struct store_txn *txn, struct str name, struct str value);         /* an absent one: forgotten */

/* ---- the check: what must be true of the file, and what of it is not ---- */
enum invariant {                             /* those that the store keeps by itself come first, then those that need its callers' rules */
    INVARIANT_RECORDS, INVARIANT_INDEXES, INVARIANT_CLUSTERS, INVARIANT_DEFINITIONS, INVARIANT_COUNTERS, INVARIANT_REVISIONS, INVARIANT_HISTORY,
    INVARIANT_ACCESS, INVARIANT_SECRETS, INVARIANT_RULES, INVARIANT_REFERENCES = INVARIANT_RULES, INVARIANT_STATUSES, INVARIANT_ROOM, INVARIANT_PORTS,
    INVARIANT_GPUS, INVARIANT_SEALS, INVARIANT_COUNT
};
extern const struct invariant_words { struct str name, text; } invariant_words[INVARIANT_COUNT];

enum { BREACHES_SHOWN_MAX = 20, BREACH_ID_SIZE = 104 };
struct breach { const char *what, *table; char id[BREACH_ID_SIZE]; };    /* id: of an instance or a task, a name, or a number */
struct check_report {                        /* of each kind: how often it was looked at, how often it did not hold, and where first */
    struct looked_at { int64_t count, breaches; struct breach first[BREACHES_SHOWN_MAX]; } of[INVARIANT_COUNT];
};
int64_t check_report_breaches(const struct check_report *report);        /* of all kinds */
/* Do all values of this secret open? Asked of every secret by a caller who has the key; NULL: nobody has it, and no seal is looked at. */
struct check_seals { bool (*open)(void *context, const struct kept_secret *secret); void *context; };
/* Fills in *report. Each table is walked once, and what is kept meanwhile are sums by instance and by GPU, so that a store of a million tasks can be
 * looked at beside the server that writes it. False: it can't be read to its end (store_txn_problem); what was found until then is reported. */
MUST_USE bool store_check_file(struct store_txn *txn, struct check_seals seals, struct check_report *report);
/* For tests: the same, and the memory that is derived from the file. *err tells of the first breach. The bare one asks only for what the store keeps
 * by itself. */
MUST_USE bool store_check(struct store_txn *txn, struct err *err);
MUST_USE bool store_check_bare(struct store_txn *txn, struct err *err);

#endif
