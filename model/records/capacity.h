/* capacity.h: the records of capacity: capacity providers, pools, and the machines that provisioners start for them.
 * model/capacity.h says more. Written by tools/shapes from model/records/capacity.shapes. */
#ifndef BERTH_MODEL_RECORDS_CAPACITY_H
#define BERTH_MODEL_RECORDS_CAPACITY_H

#include "model/ecs/capacity.h"

struct kept_provider {
    struct str name;
    int64_t cluster;                         /* the number of the one cluster of a managed instances provider; 0: any cluster */
    struct auto_scaling_group_provider *group; /* one of the two; all defaults are filled in */
    struct managed_instances_provider *managed;
    struct str pool;
    struct tag_list tags;
    int64_t created_ms;
    enum capacity_provider_status status;    /* PROVISIONING, ACTIVE or DEPROVISIONING */
    enum capacity_provider_update_status update;
    struct str update_reason;
    int64_t settles_ms;                      /* when a creation or a change that goes on is finished; 0: nothing goes on */
    int64_t below_since_ms;                  /* since when it needs fewer machines than it has; 0: it does not */
    int64_t last_out_ms;                     /* its last order of machines */
    int64_t out_ms;                          /* the minute of its last orders began then */
    int64_t out_added;                       /* ordered in it */
    int64_t last_in_ms;                      /* its last machines that were to go */
    enum opt_bool at_max;                    /* more are wanted than there can be, and an event said so */
    int64_t needed;                          /* machines, as of its last look */
    int64_t size;                            /* machines that it had then */
    int64_t wanted;                          /* … with the free part of the target */
    int64_t looked_ms;                       /* when these figures were last others; 0: there are none */
};
struct kept_provider_list { struct kept_provider *items; size_t count; };
extern const struct schema kept_provider_record;

enum pool_kind { POOL_KIND_UNSET, POOL_GROUP, POOL_MANAGED, POOL_KIND_COUNT };
extern const struct enum_names pool_kind_names;

struct pool_tag {
    struct str key;
    struct str value;
    enum opt_bool propagate_at_launch;
};
struct pool_tag_list { struct pool_tag *items; size_t count; };
extern const struct schema pool_tag_schema;

/* A type that is not available, or whose machine did not register. */
struct pool_block {
    struct str type;
    int64_t until_ms;                        /* before that it is not ordered again */
    int64_t times;                           /* in a row */
};
struct pool_block_list { struct pool_block *items; size_t count; };
extern const struct schema pool_block_schema;

/* A machine that the provisioner lists, and the pool does not have. */
struct pool_stray {
    struct str id;                           /* as the provisioner says; absent: Berth never ordered it, and leaves it alone */
    struct str handle;
    int64_t lists;                           /* in a row that had it */
};
struct pool_stray_list { struct pool_stray *items; size_t count; };
extern const struct schema pool_stray_schema;

/* A type in the provisioner's last plan. */
struct pool_offer {
    struct str type;
    struct str price;                        /* US dollars an hour; absent: it said none */
    int64_t left;                            /* machines that can still be ordered; -1: it said no number */
};
struct pool_offer_list { struct pool_offer *items; size_t count; };
extern const struct schema pool_offer_schema;

/* A number of machines that a provisioner keeps: an Auto Scaling group, or what a managed instances provider needs. */
struct kept_pool {
    struct str name;                         /* of a managed instances provider: its name */
    enum pool_kind kind;
    struct str id;                           /* 36 characters, in the ARN */
    int64_t min;
    int64_t max;
    int64_t desired;                         /* machines that are there or on order */
    struct str template;                     /* id of the launch template; absent: there is none */
    struct str template_version;
    struct str_list subnets;
    struct str_list zones;
    enum opt_bool protects_new;              /* new machines are protected from scale-in */
    struct str health_check;                 /* EC2 or ELB */
    int64_t grace_s;
    struct pool_tag_list tags;
    struct str provisioner;                  /* by name; absent: the default one */
    int64_t created_ms;
    struct str failure;                      /* why the last order failed; absent: it did not */
    int64_t failed_ms;
    enum opt_bool removed;                   /* it goes with its last machine */
    struct str_list types;                   /* of the catalogue, the cheapest first; empty: the provisioner chooses */
    int64_t cluster;                         /* the number of the cluster that its machines join; 0: their template names it */
    int64_t warm_up_s;                       /* a machine has at least as long to register */
    int64_t drain_s;                         /* how long the tasks of a machine that leaves may go on; 0: they end with it */
    int64_t due_ms;                          /* when it is looked at again; 0: an event will do that */
    int64_t list_ms;                         /* when its provisioner is asked again which machines there are */
    int64_t call;                            /* the number of its present call to the provisioner */
    int64_t failures;                        /* of calls, in a row */
    int64_t blocked_until_ms;                /* before that nothing is ordered */
    enum opt_bool refused;                   /* nothing is ordered until the pool or the server's settings change */
    struct pool_block_list blocks;
    struct pool_stray_list strays;
    enum opt_bool suspended;                 /* by a person: nothing is ordered */
    struct str suspended_by;
    int64_t approved;                        /* machines that a person has allowed, where the pool asks (berth:approve) */
    enum opt_bool held;                      /* the last look could not order all: it is decided again how many there are to be */
    struct pool_offer_list offers;           /* of its last plan */
    enum opt_bool plan_due;                  /* the provisioner is asked for a plan next */
};
struct kept_pool_list { struct kept_pool *items; size_t count; };
extern const struct schema kept_pool_record;

/* Why a machine is replaced. UNSET: it is not. */
enum machine_replace { MACHINE_REPLACE_UNSET, MACHINE_REPLACE_PATCH, MACHINE_REPLACE_IMPAIRED, MACHINE_REPLACE_NOTICE,
    MACHINE_REPLACE_COUNT };
extern const struct enum_names machine_replace_names;

/* UNSET is no state. GONE machines have no record. */
enum machine_state { MACHINE_STATE_UNSET, MACHINE_ORDERED, MACHINE_BOOTING, MACHINE_ACTIVE, MACHINE_LEAVING, MACHINE_STOPPING,
    MACHINE_STATE_COUNT };
extern const struct enum_names machine_state_names;

struct kept_machine {
    struct id id;
    struct str pool;
    struct str type;                         /* of the catalogue */
    enum machine_state state;
    int64_t since_ms;                        /* in this state */
    int64_t ordered_ms;
    struct id instance;                      /* its container instance; zero: it has not registered */
    int64_t cluster;                         /* that it registers into */
    struct str zone;
    enum opt_bool protected;                 /* from scale-in */
    int64_t next_ms;                         /* when it is looked at again; 0: an event will do that */
    int64_t attempts;                        /* of its provisioner's present call that have failed */
    struct str reference;                    /* the provisioner's own name for it */
    struct str reason;                       /* why it is in this state */
    int64_t drain_by_ms;                     /* DRAINING: when its tasks are stopped at the latest */
    struct str price;                        /* US dollars an hour, as ordered; absent: not known */
    int64_t missed;                          /* lists of its provisioner in a row that did not have it */
    int64_t empty_since_ms;                  /* without a task; 0: it has one, or has not registered */
    enum machine_replace replace;            /* another one comes for it */
    int64_t replace_ms;                      /* since when */
    int64_t replace_by_ms;                   /* its tasks are stopped then at the latest */
    int64_t impaired_ms;                     /* since when its health is impaired; 0: it is well, or nobody knows */
    struct str token;                        /* the word with which it registers, once; absent: it has registered */
    struct id_list for_tasks;                /* waiting tasks that it was ordered for */
};
struct kept_machine_list { struct kept_machine *items; size_t count; };
extern const struct schema kept_machine_record;

#endif
