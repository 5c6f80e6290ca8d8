/* instance.h: a container instance (a machine with an agent) as Berth remembers it. What is free on it is not here: that is
 * derived from the tasks placed on it. */
#ifndef BERTH_MODEL_INSTANCE_H
#define BERTH_MODEL_INSTANCE_H

#include "model/gpu.h"
#include "model/gpu_health.h"

enum instance_status {
    INSTANCE_STATUS_UNSET, INSTANCE_REGISTERING, INSTANCE_REGISTRATION_FAILED, INSTANCE_ACTIVE, INSTANCE_INACTIVE,
    INSTANCE_DEREGISTERING, INSTANCE_DRAINING, INSTANCE_STATUS_COUNT
};
extern const struct enum_names instance_status_names;    /* words as in the API: "ACTIVE", … */
bool instance_may_become(enum instance_status from, enum instance_status to);     /* the table of steps; a step to itself is no step */

enum { INSTANCE_GPUS_MAX = GPUS_MAX };
#define PORT_UDP 0x10000                     /* ports are numbers 1..65535, with this bit for UDP */

struct instance {
    struct id id;
    int64_t cluster_number;
    enum instance_status status;
    struct str status_reason, ec2_instance_id;
    int64_t cpu, memory_mib;                 /* registered: CPU units, MiB */
    struct int_list reserved_ports;          /* never given to tasks */
    struct gpu_list gpus;                    /* all of the machine's, in slot order */
    struct attribute_list attributes;        /* everything the agent sent, and what the server added */
    struct str_list custom_attributes;       /* names set by PutAttributes: they survive a new registration */
    struct version_info *version_info;
    struct tag_list tags;
    int64_t registered_ms;
    int64_t version;                         /* of what happened to the machine itself; the store counts its tasks' events */
    enum opt_bool agent_connected;
    int64_t agent_changed_ms;                /* when agent_connected last changed */
    int64_t agent_came_ms;                   /* when its agent was last seen to come; 0: not since this is kept */
    int64_t session_epoch;                   /* grows with each registration and each fence: all that was told before is told anew */
    int64_t lease_ms;                        /* how long it runs tasks without a word from here, as told; 0: for ever */
    struct str client_token;                 /* of the registration, which may be repeated */
    int64_t deregistered_ms;                 /* when it became INACTIVE */
    struct machine_health *health;           /* NULL: its agent never told */
    struct runtime_health *runtime;          /* NULL: its agent never told how its Docker is */
    struct gpu_fault_list gpu_faults;        /* which of its GPUs are out of the pool; kept while the machine is, whatever registers */
};
extern const struct schema instance_record;  /* without the id, which is the key */

/* The only function that changes an instance's status, by a step that the table allows. Sets the time that belongs to the step
 * (registeredAt of a new record, when it became INACTIVE); the version is the caller's to count. */
void instance_become(struct instance *instance, enum instance_status status, int64_t now_ms);

extern const struct str instance_zone_name, instance_architecture_name;      /* attributes that every agent sends */
struct str instance_attribute(const struct instance *instance, struct str name, bool *found);   /* value; may be absent though found */
/* For a person: berth.name, the EC2 id, or else the first digits of its id, which are put into `hex`. Borrowed from either. */
struct str instance_name(const struct instance *instance, char hex[ID_HEX_LEN + 1]);
/* In quarantine: nobody new gets any of it. */
bool instance_gpu_is_out(const struct instance *instance, struct str uuid);
/* A text in as many attributes as it needs (gpu.h); empty when there is none. */
struct str instance_long_attribute(const struct instance *instance, struct str name, struct arena *arena);

#endif
