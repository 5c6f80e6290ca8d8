/* store_internal.h: the types and functions that the files of this room share. Other rooms do not include it. */
#ifndef BERTH_STORE_STORE_INTERNAL_H
#define BERTH_STORE_STORE_INTERNAL_H

#include <stdatomic.h>

#include "base/array.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/table.h"
#include "store/engine.h"
#include "store/store.h"

/* ---- keys.c: the layout of every table ---- */
enum table {
    TABLE_META, TABLE_CLUSTERS, TABLE_CLUSTER_NUMBERS, TABLE_FAMILIES, TABLE_TASKDEFS, TABLE_TASKDEF_INDEX, TABLE_DAEMON_FAMILIES, TABLE_DAEMON_TASKDEFS,
    TABLE_DAEMON_TASKDEF_INDEX, TABLE_INSTANCES, TABLE_INSTANCE_INDEX, TABLE_TASKS, TABLE_TASK_INDEX, TABLE_STOPPED, TABLE_ACCESS_KEYS, TABLE_CHANGES,
    TABLE_HISTORY, TABLE_HISTORY_INDEX, TABLE_SETTINGS, TABLE_PAST_EVENTS, TABLE_SECRETS, TABLE_ALARMS, TABLE_SERVICES, TABLE_SERVICE_NAMES,
    TABLE_SERVICE_TOKENS, TABLE_GONE_SERVICES, TABLE_SERVICE_EVENTS, TABLE_SERVICE_REVISIONS, TABLE_DEPLOYMENTS, TABLE_SERVICE_DEPLOYMENTS,
    TABLE_TRAFFIC, TABLE_TARGETS, TABLE_TASK_TARGETS, TABLE_SCHEDULES, TABLE_SCHEDULE_TIMES, TABLE_SCALING,
    TABLE_PROVIDERS, TABLE_POOLS, TABLE_MACHINES, TABLE_POOL_MACHINES, TABLE_MACHINE_TIMES, TABLE_PLAIN, TABLE_DAEMON_NAMES, TABLE_OUTBOX, TABLE_COUNT
};
enum part { PART_END, PART_INDEX, PART_CLUSTER, PART_STATUS, PART_TEXT, PART_NUMBER, PART_SECOND, PART_ID };
enum { KEY_PARTS_MAX = 5, KEY_TEXT_MAX = 320, KEY_MAX = 352 };       /* bytes */
_Static_assert((int)KEY_MAX <= (int)ENGINE_KEY_MAX && (int)TABLE_COUNT <= (int)ENGINE_TABLES_MAX, "the engine takes every key and every table");
struct layout { const char *name; bool many; enum part parts[KEY_PARTS_MAX]; };      /* many: a key has many values, all of them ids */
extern const struct layout layouts[TABLE_COUNT];

struct key { size_t len; uint8_t bytes[KEY_MAX]; };
struct key_parts { int index, status; int64_t cluster; struct str text; int64_t number, second; struct id id; };

/* The key of `parts`, or only the first `count` parts of it (a prefix). False when a text is longer than any that is stored. */
MUST_USE bool key_make_prefix(struct key *key, enum table table, const struct key_parts *parts, size_t count);
MUST_USE bool key_make(struct key *key, enum table table, const struct key_parts *parts);
/* Borrows the text from `bytes`. False: key_make can not have written these bytes. */
MUST_USE bool key_read(enum table table, struct str bytes, struct key_parts *parts);
static inline struct str key_str(const struct key *key) { return (struct str){ (const char *)key->bytes, key->len }; }

/* ---- traffic.c: names in keys, with slashes between them, which no name has ---- */
struct str traffic_path(struct arena *arena, struct str balancer, struct str listener, struct str rule);          /* rule empty: of a listener */
bool plain_is_sound(const void *record);
bool scaling_is_sound(const void *record);
bool outbox_is_sound(const void *record);
bool traffic_group_is_sound(const void *record);          /* as records.c has it for other records */
bool traffic_balancer_is_sound(const void *record);
bool traffic_listener_is_sound(const void *record);
bool traffic_rule_is_sound(const void *record);
bool traffic_target_is_sound(const void *record);
bool traffic_is_indexed(const struct kept_target *target);
struct str traffic_target_path(struct arena *arena, const struct kept_target *target);

/* ---- schedules.c ---- */
bool schedule_is_sound(const void *record);
struct key schedule_time_key(const struct kept_schedule *schedule);       /* its entry in the index of times */

/* ---- capacity.c ---- */
bool capacity_provider_is_sound(const void *record);
bool capacity_pool_is_sound(const void *record);
bool capacity_machine_is_sound(const void *record);
struct key machine_pool_key(const struct kept_machine *machine);          /* their entries in the indexes; of times: with a next_ms */
struct key machine_time_key(const struct kept_machine *machine);

/* ---- live.c: the memory of live tasks and instances ---- */
/* Behind the ports: of each GPU 16 bits for the share, 16 for the UUID's length, and the UUID. */
struct holdings { uint32_t port_count, gpu_count, size; uint32_t ports[]; };
struct live_facts {                          /* of a live task, in memory */
    struct id id, instance;
    int64_t cpu, memory_mib, cluster, deployment;            /* deployment: digits; 0: it has no service */
    uint8_t last_status, desired_status;
    struct holdings *holdings;               /* owned; NULL: neither ports nor GPUs */
};
struct live_note {                           /* the state of one task after a put of this transaction */
    struct id id;
    bool live;                               /* false: the task is stopped or gone */
    struct live_facts facts;
    uint64_t token_before, token_after;      /* fingerprints; 0: none */
};
struct service_note { int64_t cluster; enum service_status before, after; };       /* before UNSET: it is new */
struct event_note { struct id instance; int64_t events; };           /* that a transaction adds */
struct traits { char *text; size_t zone_len, architecture_len, name_len; int64_t came_ms; bool connected; };  /* text: owned; NULL: no traits */
struct instance_note {                       /* status UNSET: dropped */
    struct id id;
    int64_t cluster, deregistered_ms;
    enum instance_status status;
    struct traits traits;
};
/* Tasks that one client token made: they lie between `first` and `last`. */
struct token { uint64_t print; struct id first, last; uint64_t count; };
struct tokens { struct token *items; size_t count, capacity; struct hash_table by_print; };
struct live_notes {
    struct live_note *tasks; size_t task_count, task_capacity;
    struct hash_table by_id;
    struct tokens tokens;                    /* of the notes' token_after */
    struct instance_note *instances; size_t instance_count, instance_capacity;
    struct event_note *events; size_t event_count, event_capacity;
    struct service_note *services; size_t service_count, service_capacity;
};

struct live;
struct live *live_create(void);
void live_destroy(struct live *live);
MUST_USE bool live_rebuild(struct live *live, struct store_txn *txn);
void live_note_task(struct store_txn *txn, const struct task *before, const struct task *after);   /* either may be NULL */
void live_note_instance(struct store_txn *txn, const struct instance *instance);
void live_note_service(struct store_txn *txn, int64_t cluster, enum service_status before, enum service_status after);
void live_note_dropped(struct store_txn *txn, struct id instance);
void live_notes_apply(struct live *live, struct live_notes *notes, int64_t revision);
void live_notes_clear(struct live_notes *notes);     /* forgets the notes, keeps the memory for them */
void live_notes_finish(struct live_notes *notes);
uint64_t live_token(int64_t cluster, struct str token);                          /* fingerprint; 0 for no token */
/* For store_check: the facts as the transaction sees them (holdings borrowed until the next write); false: not live. */
bool live_view(struct store_txn *txn, struct id id, struct live_facts *facts);
size_t live_count(struct store_txn *txn);
int64_t live_events(const struct task *task);        /* how many events of its instance this record counts for */
bool live_leaves_events(const struct task *before, const struct task *after);    /* the record after does not count for all events of the record before */
/* For store_check: a memory that is built again from the transaction has the same facts for every instance and counts for every deployment. */
bool live_agrees(struct store_txn *txn, struct id *differs);
int64_t live_revision(struct live *live);
struct holdings *holdings_of(const struct task *task);                           /* owned by the caller (free) */
bool holdings_eq(const struct holdings *a, const struct holdings *b);
struct gpu_use holdings_gpu(const struct holdings *holdings, size_t *offset);    /* the GPU there, and moves on */

/* ---- transactions ---- */
struct change_note { enum change_kind kind; int64_t cluster; struct id id; };
struct store_txn {
    struct store *store;
    struct engine_txn engine;                /* its handle is NULL when it could not begin */
    bool writing;
    char problem[160];                       /* empty: sound */
    uint64_t writes, writes_at_job;          /* counters of puts and deletes */
    uint64_t touched;                        /* … and of look-ups and steps of walks */
    bool in_job;
    int64_t revision;                        /* -1: not looked up yet */
    struct id newest_task; bool newest_task_known;
    struct history_place newest_history; bool newest_history_known;
    struct arena scratch;                    /* of one put; writing transactions only */
    struct engine_cursor at_task; bool task_sought;      /* of a reading one: the cursor for tasks; whether it was used in this transaction */
    uint8_t last_sought[6];                  /* the millisecond of the task that was looked up last, as in its id */
    struct store_txn *next_spare;
    struct change_note *changes; size_t change_count, change_capacity;
    struct live_notes notes;
};
/* Ids of tasks that the writing transaction has made or moved. They wait to be put into the index, by key. */
enum { INDEX_RUNS_MAX = 16 };
struct index_run {
    struct key key; struct key_parts parts;
    struct id *ids; size_t count, capacity;
    struct id least, most;                   /* of them */
    bool newest;                             /* they are in order, and behind all ids of the key in the table */
};
struct index_queue { struct index_run runs[INDEX_RUNS_MAX]; size_t count; };
/* The writes of the open transaction, kept for the sink that store_config names. */
struct sink {
    store_sink *take; void *context;         /* take NULL: nothing is kept */
    struct store_write *writes; size_t count, capacity;
    struct arena bytes;                      /* of their keys and values */
};
struct store {
    struct engine *engine;                   /* owned */
    struct live *live;                       /* owned */
    struct store_txn write;                  /* the one writing transaction, kept with its memory */
    bool write_open;
    struct places *places;                   /* owned */
    struct index_queue index_queue;
    atomic_int over;                         /* the engine's code after which no transaction is sound; 0: none */
    struct sink sink;
    struct lock spare_lock;                  /* guards the two below */
    struct store_txn *spare;                 /* reading transactions that have ended, kept for the next ones; the last to end is first */
    size_t spare_count;
};

enum { SCRATCH_MAX = 64 * 1024 * 1024, RECORD_VERSION = 1 };

static inline bool txn_is_sound(const struct store_txn *txn) { return txn->problem[0] == '\0'; }
void txn_poison(struct store_txn *txn, const char *problem);                     /* the first one stays */
void txn_damaged(struct store_txn *txn);                                         /* poisons it: the file has bytes that no store has written */

/* The bytes are borrowed until the next write in this transaction. False: not there, or poisoned. */
MUST_USE bool txn_get(struct store_txn *txn, enum table table, const struct key *key, struct str *value);
void txn_put(struct store_txn *txn, enum table table, const struct key *key, struct str value, enum engine_place place);
void txn_delete(struct store_txn *txn, enum table table, const struct key *key);   /* the entry must be there */
/* A write of the store that this one follows, as it comes: it goes to no sink. Not for other code. */
void txn_apply(struct store_txn *txn, enum table table, const struct store_write *write);
/* Many values of one key, in order. One value of many. Both are for task_index.c, which knows the ids that wait. */
void txn_put_ids(struct store_txn *txn, enum table table, const struct key *key, const struct id *ids, size_t count, enum engine_place place);
void txn_delete_id(struct store_txn *txn, enum table table, const struct key *key, struct id id);
MUST_USE bool txn_size_of(struct store_txn *txn, enum table table, struct engine_size *size);           /* false, and all zero: poisoned */

/* A walk through a table. Each step gives the entry in `key` and `value`, borrowed as above; false at the end. */
struct walk { struct store_txn *txn; enum table table; struct engine_cursor cursor; struct str key, value; };
struct walk walk_begin(struct store_txn *txn, enum table table);
bool walk_to(struct walk *walk, struct str from);                                /* the first entry not below `from` */
bool walk_to_value(struct walk *walk, struct str key, struct str value_from);    /* within one key with many values */
bool walk_step(struct walk *walk, enum engine_move move);
void walk_end(struct walk *walk);
static inline bool walk_is_under(const struct walk *walk, const struct key *prefix) { return str_starts_with(walk->key, key_str(prefix)); }

/* ---- records.c ---- */
bool record_unpack(const struct schema *schema, struct str bytes, void *out, struct arena *arena);       /* false: they are not a record of this kind */
uint64_t read_number(struct str bytes);                                          /* as counters keep them */
/* `key`: the record's key, for the text of a failure. */
bool record_read(struct store_txn *txn, enum table table, struct str key, const struct schema *schema, struct str bytes, void *out, struct arena *arena);
static inline bool record_read_at(const struct walk *walk, const struct schema *schema, struct str bytes, void *out, struct arena *arena)
{
    return record_read(walk->txn, walk->table, walk->key, schema, bytes, out, arena);
}
bool record_get(struct store_txn *txn, enum table table, const struct key *key, const struct schema *schema, void *out,
                struct arena *arena);
/* The records under a prefix of the key, one behind the other in *items. */
size_t records_list(struct store_txn *txn, enum table table, const struct key *prefix, const struct schema *schema, void **items, struct arena *arena);
void record_put(struct store_txn *txn, enum table table, const struct key *key, const struct schema *schema, const void *value,
                enum engine_place place);
/* A kind of task definitions: its tables, its record, and the table that reads of a record only what its key and its index entry depend on. */
struct definition_head { struct str family; struct opt_int revision; int status; };
struct definitions { enum table families, records, index; const struct schema *record, *head; };
extern const struct definitions taskdefs, daemon_taskdefs;
int64_t next_revision(struct store_txn *txn, const struct definitions *kind, struct str family);
struct key task_key(struct id id);
bool task_stopped_key(struct key *key, const struct task *task);
int64_t past_events(struct store_txn *txn, struct id instance);
void instance_index_key(struct key *key, const struct instance *instance);

/* ---- task_index.c ---- */
bool task_index_key(struct key *key, const struct task *task, enum task_index index);   /* false: not in that index */
/* The entries of a task that changed; either may be NULL. */
void task_index_put(struct store_txn *txn, const struct task *before, const struct task *after);
void task_index_add(struct store_txn *txn, const struct task *task);             /* the newest of all tasks */
void task_index_settle(struct store_txn *txn);                                   /* puts the ids that wait into the table */
void task_index_forget(struct store *store);                                     /* drops them: the transaction has failed */
void task_index_finish(struct store *store);

/* ---- lists.c ---- */
/* Tasks in the order of their ids, some at a time, so that the caller can fetch memory for all of them into the processor's caches before it looks
 * at the first. Of each only the members that task_key_record reads; lists live until the next batch, texts as in a walk. */
struct task_scan { struct walk walk; struct arena arena; bool more; };
struct task_scan task_scan_begin(struct store_txn *txn);
size_t task_scan_next(struct task_scan *scan, struct task tasks[STORE_TASKS_MAX]);    /* how many; 0: that was all, or poisoned */
void task_scan_end(struct task_scan *scan);

/* ---- services.c ---- */
extern const struct str services_last_number;                                     /* the word of the greatest number that was given */
bool services_are_kept(struct store_txn *txn, int64_t cluster_number);           /* INACTIVE ones too */
enum table service_name_table(const struct service *service);
struct key service_name_key(const struct service *service);
struct key service_token_key(const struct service *service);       /* of one that has a token and is not INACTIVE: service_holds_token */
bool       service_holds_token(const struct service *service);
struct key service_gone_key(const struct service *service);

/* ---- history.c ---- */
MUST_USE bool history_index_read(struct str value, int64_t *stopped_ms);        /* false: store_put_history can not have written it */

/* ---- places.c: where in the file's map the records of tasks were read last ---- */
struct places *places_create(void);
void places_destroy(struct places *places);
void places_saw(struct places *places, struct id id, const char *record);        /* from any thread */
void places_fetch(struct places *places, const struct id *ids, size_t count);    /* fetches those addresses into the processor's caches; from any thread */

/* ---- changes.c, migrate.c ---- */
void changes_note(struct store_txn *txn, enum change_kind kind, int64_t cluster, struct id id);
void changes_note_service(struct store_txn *txn, int64_t cluster, int64_t service);
void changes_write(struct store_txn *txn, int64_t revision);
int64_t changes_last_revision(struct store_txn *txn);
MUST_USE bool changes_row_is_sound(struct str row);
MUST_USE bool migrate_open_tables(struct store *store, struct err *err);

#endif
