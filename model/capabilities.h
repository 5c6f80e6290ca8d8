/* capabilities.h: capabilities of Linux, as linuxParameters and Docker name them. Server and agent ask the same question: is this more than
 * every container has? */
#ifndef BERTH_MODEL_CAPABILITIES_H
#define BERTH_MODEL_CAPABILITIES_H

#include "base/str.h"

bool capability_is_usual(struct str name);       /* Docker gives it to every container; "chown", "CAP_CHOWN" */

#endif
