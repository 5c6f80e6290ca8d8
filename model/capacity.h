/* capacity.h: capacity providers, the pools of machines behind them, and the machines. A provider decides how many machines its pool is to have, a
 * provisioner starts and ends them, and each machine registers as a container instance.
 *
 *   ORDERED    written down; the provisioner has to start it
 *   BOOTING    the provisioner has answered; the agent has not registered yet
 *   ACTIVE     its container instance is registered
 *   DRAINING   it is to leave; its tasks end first
 *   STOPPING   the provisioner has to end it; then its record goes
 *
 * An order that fails is dropped with its reason on the pool. machine_move alone changes a state. */
#ifndef BERTH_MODEL_CAPACITY_H
#define BERTH_MODEL_CAPACITY_H

#include "base/arena.h"
#include "model/records/capacity.h"

enum { PROVIDERS_MAX = 500, PROVIDERS_OF_CLUSTER_MAX = 20, POOLS_MAX = 1000, MACHINES_OF_POOL_MAX = 10000 };

/* ORDERED → BOOTING → ACTIVE → DRAINING → STOPPING; each may skip states, none goes back. False: it may not. */
bool machine_may_move(enum machine_state from, enum machine_state to);
void machine_move(struct kept_machine *machine, enum machine_state to, struct str reason, int64_t now_ms);

/* The provider of a group is ACTIVE at once; that of managed instances is PROVISIONING first, and a change is IN_PROGRESS first: provider_settle ends both, and
 * says whether it did. One that is deleted stays DEPROVISIONING until its last machine has gone. */
void provider_begin(struct kept_provider *provider, int64_t now_ms);
void provider_change(struct kept_provider *provider, int64_t now_ms);
bool provider_settle(struct kept_provider *provider, int64_t now_ms);
void provider_leave(struct kept_provider *provider);

/* Managed scaling with ECS's defaults for members that are not set; NULL: all of them. */
struct managed_scaling scaling_filled(const struct managed_scaling *given);

/* Is it on order or there, and not on its way out? */
bool machine_stays(const struct kept_machine *machine);
/* … and no other one comes for it: it counts as capacity of its pool. */
bool machine_counts(const struct kept_machine *machine);

/* A provider's number in the queue of tasks that wait (scheduler/queue); 0: no provider. */
uint64_t provider_hash(struct str name);

/* "i-" and 17 hexadecimal digits, as EC2 names an instance. */
enum { MACHINE_EC2_ID_LEN = 19 };
struct str machine_ec2_id(struct id id, char text[MACHINE_EC2_ID_LEN + 1]);
/* Is it the name of the machine with this id? */
bool       machine_has_ec2_id(struct str text, struct id id);

#endif
