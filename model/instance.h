/* instance.h: Berth's record of a container instance (a machine with an agent). Its free resources are not here: they are
 * derived from the tasks placed on it. */
#ifndef BERTH_MODEL_INSTANCE_H
#define BERTH_MODEL_INSTANCE_H

#include "model/records/instance.h"

bool instance_may_become(enum instance_status from, enum instance_status to);     /* the table of steps; a step to itself is no step */

enum { INSTANCE_GPUS_MAX = GPUS_MAX };
#define PORT_UDP 0x10000                     /* ports are numbers 1..65535, with this bit for UDP */

/* The only function that changes an instance's status, by a step that the table allows. Sets the time that belongs to the step
 * (registeredAt of a new record, when it became INACTIVE); the version is the caller's to count. */
void instance_become(struct instance *instance, enum instance_status status, int64_t now_ms);

extern const struct str instance_zone_name, instance_architecture_name;      /* attributes that every agent sends */
extern const struct str instance_provider_name;        /* the attribute that the scheduler has for instance.capacity_provider; no agent sets it */
struct str instance_attribute(const struct instance *instance, struct str name, bool *found);   /* value; may be absent though found */
/* For a person: berth.name, the EC2 id, or else the first digits of its id, which are put into `hex`. Borrowed from either. */
struct str instance_name(const struct instance *instance, char hex[ID_HEX_LEN + 1]);
/* In quarantine: no new task gets any of it. */
bool instance_gpu_is_out(const struct instance *instance, struct str uuid);
/* A text in as many attributes as it needs (gpu.h); empty if it is missing. */
struct str instance_long_attribute(const struct instance *instance, struct str name, struct arena *arena);
/* How well each pair of its GPUs is connected, count x count, by rows. NULL where the agent did not say, or not of as many devices. */
const int64_t *instance_gpu_links(const struct instance *instance, struct arena *arena);

#endif
