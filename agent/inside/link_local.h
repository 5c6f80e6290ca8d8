/* link_local.h: the address at which AWS's SDKs look for the keys of a task, on this machine's loopback device: containers reach it by their
 * default gateway, which this machine is. Asks the kernel over rtnetlink; changes no rule of the firewall. */
#ifndef BERTH_AGENT_INSIDE_LINK_LOCAL_H
#define BERTH_AGENT_INSIDE_LINK_LOCAL_H

#include "base/err.h"

#define LINK_LOCAL_ADDRESS "169.254.170.2"

bool link_local_add(struct err *err);        /* there already: true */
void link_local_remove(void);                /* gone already: nothing */

#endif
