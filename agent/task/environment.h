/* environment.h: the environment of one container: the user's variables, and the agent's own, which win. The most important of these say which
 * GPUs the container may see. */
#ifndef BERTH_AGENT_TASK_ENVIRONMENT_H
#define BERTH_AGENT_TASK_ENVIRONMENT_H

#include "wire/wire.h"

/* Where containers find their own metadata, by the network that they use; NULL: they can't reach it. */
struct metadata_base {
    const char *host_network, *other_networks;   /* "http://169.254.170.2" */
    bool is_usual;                               /* that address: SDKs put it before relative addresses by themselves */
};
/* The base for a container of this network mode; a process uses the host's network. */
const char *metadata_base_for(const struct metadata_base *base, bool is_process, struct str network_mode);

struct environment_rules {
    const char *region;
    bool has_gpus;                               /* the machine has GPUs that a container could see */
    bool is_process;                             /* no NVIDIA runtime is in between: CUDA itself must get the list */
    const char *metadata_url;                    /* base of the container's own metadata; NULL: it can't reach it */
    bool metadata_is_usual;                      /* SDKs put that base before relative addresses by themselves */
    struct str metadata_id;                      /* the container's own */
    const char *mps_pipe;                        /* the folder of the MPS that holds its share of a GPU; NULL: none does */
};

/* UUIDs of the GPUs that this container has, in the order of the task's associations; or the one that it shares with others (*share is below
 * 1000 then), which its environment names. */
struct str_list environment_gpus(const struct wire_task *task, const struct wire_container *container, int64_t *share, struct arena *arena);

/* In order, each name once. Texts are borrowed from the task or live in `arena`. */
struct pair_list environment_build(const struct environment_rules *rules, const struct wire_task *task,
                                   const struct wire_container *container, const struct str_list *gpus, struct arena *arena);

#endif
