/* register.h: the registration that the server gets of a machine's inventory. */
#ifndef BERTH_AGENT_REGISTRATION_REGISTER_H
#define BERTH_AGENT_REGISTRATION_REGISTER_H

#include "agent/registration/inventory.h"

/* The body of RegisterContainerInstance. `arn` empty: a first registration. */
struct str register_body(const struct inventory *inventory, struct str cluster, struct str arn, struct str client_token, struct arena *arena);

#endif
