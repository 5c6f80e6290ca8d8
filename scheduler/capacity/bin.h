/* bin.h: a machine into which a plan puts tasks. It knows the devices as the scheduler does (place/policy.h); refuses to know queues and prices. */
#ifndef BERTH_SCHEDULER_CAPACITY_BIN_H
#define BERTH_SCHEDULER_CAPACITY_BIN_H

#include "model/catalogue/catalogue.h"
#include "scheduler/place/search.h"

struct want {                                /* a demand */
    struct need need;
    const struct demand *demand;             /* lent */
    bool alone;                              /* one of it on a machine at most */
    bool picky;                              /* it has constraints that a plan does not see: of registered machines only empty ones count */
    int64_t devices, share, device_mib;      /* of all containers; the share in thousandths */
};
struct bin {
    struct machine machine;                  /* device_free is below */
    const struct instance_type *type;        /* NULL: not known */
    uint32_t at;                             /* which of the machines, or of the types for a new one */
    bool busy;
    int16_t device_free[DEVICES_MAX];
};

struct want want_of(const struct demand *demand);
void rig_of(const struct instance_type *type, struct rig *rig);
/* An empty machine of the type, with `memory_mib`; 0: as in the catalogue. */
void bin_open(struct bin *bin, const struct instance_type *type, int64_t memory_mib, const struct rig *rig, uint32_t at);
void bin_reserve(struct bin *bin, int64_t cpu, int64_t memory_mib);          /* of one that was just opened: no task gets this much */
void bin_empty(struct bin *bin);             /* as if no task were on it */
bool bin_fits(struct bin *bin, const struct want *want);
void bin_take(struct bin *bin, const struct want *want);         /* it fits */
/* The first lack, in the order of the scheduler, FITS if it has all; and how many there are. */
enum verdict bin_lacks(struct bin *bin, const struct want *want, int *count);
int64_t bin_has(const struct bin *bin, enum verdict verdict);    /* how much of that there is on it when it is empty */

#endif
