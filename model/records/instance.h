/* instance.h: the record of a container instance. model/instance.h says more. Written by tools/shapes from
 * model/records/instance.shapes. */
#ifndef BERTH_MODEL_RECORDS_INSTANCE_H
#define BERTH_MODEL_RECORDS_INSTANCE_H

#include "model/records/gpu.h"
#include "model/records/gpu_health.h"

enum instance_status { INSTANCE_STATUS_UNSET, INSTANCE_REGISTERING, INSTANCE_REGISTRATION_FAILED, INSTANCE_ACTIVE,
    INSTANCE_INACTIVE, INSTANCE_DEREGISTERING, INSTANCE_DRAINING, INSTANCE_STATUS_COUNT };
extern const struct enum_names instance_status_names;

struct instance {
    struct id id;                            /* the record's key */
    int64_t cluster_number;
    enum instance_status status;
    struct str status_reason;
    struct str ec2_instance_id;
    int64_t cpu;                             /* registered: CPU units */
    int64_t memory_mib;                      /* registered: MiB */
    struct int_list reserved_ports;          /* never given to tasks */
    struct gpu_list gpus;                    /* all of the machine's, in slot order */
    struct attribute_list attributes;        /* everything the agent sent, and what the server added */
    struct str_list custom_attributes;       /* names set by PutAttributes: they survive a new registration */
    struct version_info *version_info;
    struct tag_list tags;
    int64_t registered_ms;
    int64_t version;                         /* counts events of the machine itself; the store counts those of its tasks */
    enum opt_bool agent_connected;
    int64_t agent_changed_ms;                /* when agent_connected last changed */
    int64_t session_epoch;                   /* grows with each registration and each fence: then all messages are sent again */
    struct str client_token;                 /* of the registration, which may be repeated */
    int64_t deregistered_ms;                 /* when it became INACTIVE */
    struct machine_health *health;           /* NULL: never reported */
    struct gpu_fault_list gpu_faults;        /* its GPUs out of the pool; kept as long as the machine, through new registrations */
    int64_t lease_ms;                        /* how long it runs tasks without an answer from the server; 0: forever */
    struct runtime_health *runtime;          /* NULL: never reported */
    int64_t agent_came_ms;                   /* when its agent last connected; 0: not known */
    struct id machine;                       /* kept_machine that it runs on; zero: no provisioner started it */
    struct str capacity_provider;            /* of its machine when it registered; absent: it has none */
};
struct instance_list { struct instance *items; size_t count; };
extern const struct schema instance_record;

#endif
