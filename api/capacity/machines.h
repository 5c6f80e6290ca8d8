/* machines.h: the machines of pools (model/capacity.h): ordering, registering, draining and ending them, so that each pool has as many as its `desired`.
 * A provisioner starts and ends them, in calls that the server makes outside of the writer. One call of a pool is on its way at a time:
 *
 *   named      a step looks at a pool that is due, and names its next call (an effect): "list" first, then "plan", "down" and "up"
 *   named again   every 10 seconds, with the same number, until its end is taken; the server makes a call once at a time
 *   taken      berth:Provisioned moves the machines as the answer says, and gives the pool's next call another number
 *
 * A machine is written down before its first "up", and its id is the same in each attempt: after a crash the call is only made again. Private to api/. */
#ifndef BERTH_API_CAPACITY_MACHINES_H
#define BERTH_API_CAPACITY_MACHINES_H

#include "api/capacity/rules.h"
#include "scheduler/capacity/requirements.h"
#include "scheduler/scaling/pool.h"

/* An agent's attribute: "m-" and the id of its machine, or the handle that the provisioner gave it. */
#define MACHINE_ID_ATTRIBUTE "berth.machine-id"
/* … and the word of its order, which no other machine knows. It counts once. */
#define MACHINE_TOKEN_ATTRIBUTE "berth.machine-token"

/* Writes a pool that a request made or changed. The next step looks at it. */
void pools_put(struct op_ctx *ctx, const struct kept_pool *pool);
/* Pools and capacity providers that are due are looked at in the next step. */
void pools_look(struct op_ctx *ctx);
/* The pool with this name is looked at in the next step; unknown: nothing. */
void pools_touch(struct op_ctx *ctx, struct str name);
/* A task waits for the provider: its pool is looked at in the next step. */
void provider_touch(struct op_ctx *ctx, struct str name);
/* The machines of these providers' groups join this cluster from now on, and those that are in it become the providers'. */
void providers_serve(struct op_ctx *ctx, const struct cluster *cluster, const struct str_list *names);

/* The machine that an instance names; NULL: it names none that is known. */
const struct kept_machine *machine_said(struct op_ctx *ctx, const struct instance *instance);
/* May the instance register as the machine that it names? With a token it must be that of the order; with the tag berth:token it must have one. The instance
 * that the machine has already need not prove it again. ERR_CLIENT. */
MUST_USE bool machine_proves(struct op_ctx *ctx, const struct instance *instance, struct err *err);
/* Its container instance registers. Binds both, if it has such an attribute. */
void machine_registered(struct op_ctx *ctx, const struct instance *instance);
/* Its container instance was deregistered. */
void machine_left(struct op_ctx *ctx, const struct instance *instance);
/* A task on the instance has ended: it may be the last of a machine that drains. */
void machine_task_ended(struct op_ctx *ctx, struct id instance);
/* The machine of an instance; NULL: it is no machine of a pool. */
const struct kept_machine *machine_of(struct op_ctx *ctx, const struct instance *instance);
/* Its health may have changed. */
void machine_health_told(struct op_ctx *ctx, const struct instance *instance);
/* Its agent says that it will be taken away, and drains it. */
void machine_noticed(struct op_ctx *ctx, const struct instance *instance);
/* A machine that stays is to leave: at once, or when its tasks have ended. Its pool does not order another one by this. */
void machine_end(struct op_ctx *ctx, const struct kept_pool *pool, const struct kept_machine *machine, struct str reason);
/* Why it is replaced, as people read it; absent: it is not. */
struct str machine_replaced_because(struct op_ctx *ctx, const struct kept_machine *machine);
/* An ACTIVE instance drains, because its daemon is replaced or has ended; its machine leaves, and the pool orders another one. */
void machine_replace(struct op_ctx *ctx, struct id instance, struct str reason);

/* Looks at machines and pools that are due, some at a time: part of berth:StepServices. A roster that says POOLS_FIRST_LOOK_MS is new, as after a start
 * of the server: all pools are looked at, and their provisioners are asked first which machines there are. */
enum { POOLS_FIRST_LOOK_MS = 1, MACHINE_DRAIN_S = 48 * 3600 };           /* MACHINE_DRAIN_S: of managed draining, as in ECS */
void machines_keep_due(struct op_ctx *ctx);

/* ---- one look at a pool, which the parts of a step share ---- */
/* The tasks of new machines, in the order in which these are ordered: each machine is kept for them (kept_machine.for_tasks). */
struct new_machine { struct str type; struct id_list tasks; };
struct new_machines { struct new_machine *items; size_t count; };

struct pool_look {
    struct op_ctx *ctx;
    struct kept_pool *pool;                                      /* written at its end */
    const struct kept_provider *provider;                        /* ACTIVE; NULL: it has none */
    struct pool_rules rules;
    struct kept_machine *machines; size_t count;                 /* all of the pool */
    int64_t price_left;                                          /* of the price cap, in millionths of a dollar an hour; below 0: they cost more */
    struct str_list wanted;                                      /* the types of the machines that a decision adds, one each; then any of the pool's */
    struct new_machines orders;                               /* of the decision; those that were made are taken out */
    bool changed;                                                /* … and their records are others now */
    int64_t again_ms;                                            /* when it may be otherwise; 0: an event will tell */
};
const struct kept_provider *pool_provider(struct op_ctx *ctx, const struct kept_pool *pool);     /* ACTIVE; NULL: it has none */
void look_again(struct pool_look *look, int64_t at_ms);          /* 0: nothing */
/* The pool's provider, its rules and its machines. */
void look_open(struct pool_look *look, struct op_ctx *ctx, struct kept_pool *pool);
void replace_look(struct pool_look *look);
int64_t replace_next_ms(const struct pool_look *look);           /* when the next machine may be replaced; 0: nobody knows */
/* How many more machines of the type the price cap and the provisioner's plan allow, `most` at most. */
int64_t look_affords(const struct pool_look *look, struct str type, int64_t most);
bool    look_spend(struct pool_look *look, struct str type);     /* … one more, which then is ordered */

/* ---- between the files machines*.c ---- */
enum { PROVISION_BATCH = 10, POOL_STRAYS_MAX = 100, MACHINE_TEXT_MAX = 256, MACHINE_ID_LEN = 2 + ID_HEX_LEN };
enum { MACHINE_REGISTER_MS = 15 * 60 * 1000 };                            /* a machine has at least as long for its agent to register */
enum { MACHINES_LIST_SOON_MS = 60 * 1000, MACHINES_LIST_NEWS_MS = 10 * 1000 };       /* while something is not settled; a machine has come */
struct str machine_id_text(struct id id, struct arena *arena);           /* "m-…" */
bool       machine_id_read(struct str text, struct id *id);
int64_t    machines_counted(const struct kept_machine *machines, size_t count);          /* those that count as machines of their pool */
void       machine_put(struct op_ctx *ctx, const struct kept_machine *machine);           /* and the step comes when it is due */
/* Its instance gets no new tasks from now on, and says why. */
void       machine_drain(struct op_ctx *ctx, const struct instance *instance, struct str reason);
void       machine_gone(struct op_ctx *ctx, const struct kept_machine *machine, struct str reason);      /* its record goes, and its instance */
void       machine_take_handle(struct op_ctx *ctx, struct kept_machine *machine, struct str handle);     /* in its record, which the caller puts */
/* One that stays leaves: at once if it has no tasks, else when they have ended, by then at the latest. `machine` is written as it is then. */
void       machine_part(struct op_ctx *ctx, struct kept_machine *machine, struct str reason, int64_t by_ms);
int64_t    machine_task_count(struct op_ctx *ctx, const struct kept_machine *machine);   /* without those of daemons */
void       pools_keep(struct op_ctx *ctx, const struct kept_pool *pool);                  /* writes it, and tells when it is due */
void       pool_line(struct op_ctx *ctx, const struct kept_pool *pool, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A failure: the pool's reason, and how long nothing, or nothing of this type (POOL_FAILURE_CAPACITY), is ordered. */
void       pool_fail(struct op_ctx *ctx, struct kept_pool *pool, enum pool_failure failure, struct str type, struct str why);
/* Names the next call of the pool, if it has to be made. */
bool       machines_call(const struct pool_look *look);

/* ---- offers.c: the provisioner's plan: what it has of each type, and at which price ---- */
struct str price_said(const struct json *item, struct arena *arena);     /* the member "price" as text; absent: it is no number */
void       offers_read(struct op_ctx *ctx, struct kept_pool *pool, const struct json *reply);            /* they replace those of the plan before */
void       offers_drop(struct kept_pool *pool);
void       offers_renew(struct pool_look *look);         /* something waits for other offers: a new plan comes in a minute, if there was one */
struct str offers_price(const struct kept_pool *pool, struct str type);                  /* absent: the plan has none */
int64_t    offers_left(const struct kept_pool *pool, struct str type, int64_t most);     /* machines, `most` at most */
void       offers_take(struct op_ctx *ctx, struct kept_pool *pool, struct str type);     /* one is ordered */
/* The same types with the prices of the plan, in order of price. In `arena`. */
struct type_list offers_apply(const struct kept_pool *pool, struct type_list types, struct arena *arena);

/* ---- adopt.c: machines that the provisioner has and Berth did not order (berth:adopt) ---- */
struct adoption { struct op_ctx *ctx; struct kept_pool *pool; int64_t have; bool adopted, refused; };      /* of one list; have: machines that count */
/* One that two lists in a row had becomes the pool's, unless the pool has MaxSize machines. False: it stays a stray. */
bool       adopt_one(struct adoption *adoption, struct id id, const struct json *item);
/* After the list: container instances of the adopted ones belong to them; those of strays take no tasks. */
void       adopt_instances(const struct adoption *adoption);

#endif
