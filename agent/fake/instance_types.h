/* instance_types.h: simulated machines of the catalogue's types. */
#ifndef BERTH_AGENT_FAKE_INSTANCE_TYPES_H
#define BERTH_AGENT_FAKE_INSTANCE_TYPES_H

#include "agent/registration/inventory.h"
#include "model/catalogue/catalogue.h"

/* A machine of this type. The ids of its GPUs follow from its name and its fleet's seed. Texts live in `arena` or are the caller's. */
bool instance_type_inventory(const struct instance_type *type, struct str name, struct str seed, struct inventory *inventory, struct arena *arena,
                             struct err *err);

#endif
