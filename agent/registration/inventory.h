/* inventory.h: the machine itself: its processors, memory, GPUs, names and address, as found or as invented. */
#ifndef BERTH_AGENT_REGISTRATION_INVENTORY_H
#define BERTH_AGENT_REGISTRATION_INVENTORY_H

#include "agent/core/config.h"
#include "agent/gpu/gpu.h"
#include "agent/link/client.h"
#include "base/json.h"

struct inventory {
    struct str name;                             /* attribute berth.name */
    struct str machine;                          /* attribute berth.machine: see api/machines/machines.h; absent: not known */
    struct str machine_token;                    /* attribute berth.machine-token; absent: there is none */
    struct str machine_id;                       /* attribute berth.machine-id; absent: no provisioner has started it */
    int cpus;
    int64_t memory_mib;                          /* what may be given to tasks */
    struct gpu_inventory gpus;                   /* those that may be given to tasks */
    bool gpus_off;                               /* PCI shows GPUs, but they are not used: switched off, or the driver is missing */
    struct str gpu_problem;                      /* why; absent when they were switched off */
    bool holds_shares;                           /* NVIDIA's MPS is here, and holds tasks to their shares of a GPU */
    bool no_privileged;                          /* it refuses privileged containers */
    struct str address;                          /* attribute berth.address: other machines reach it there; absent: not known */
    bool simulated;                              /* the machine or its GPUs are invented */
    struct str instance_type;                    /* absent: unknown */
    struct str runtime;                          /* "docker", "process", "simulated" */
    struct str runtime_version;                  /* "DockerVersion: 20.10.24"; absent for a simulated machine */
    const struct json *custom;                   /* JSON object of further attributes; NULL: none */
};

/* Looks at this machine. Texts live in `arena` or in `config`. */
bool inventory_of_machine(const struct agent_config *config, struct inventory *inventory, struct arena *arena, struct err *err);
/* The address from which this machine reaches `server`; where the server is on this machine, the one from which it reaches everything else.
 * Absent: it has none that another machine could use. Asks the resolver. */
struct str inventory_address(const struct endpoint *server, struct arena *arena);
bool inventory_read_custom(struct inventory *inventory, const char *text, struct arena *arena, struct err *err);
/* After the inventory's GPUs have changed: sets the members that follow from them. */
void inventory_judge_gpus(const struct agent_config *config, struct inventory *inventory);

#endif
