/* ha.h: the paths of several servers with one state. Knows what a person and a member that joins may ask. */
#ifndef BERTH_SERVER_HA_H
#define BERTH_SERVER_HA_H

#include "server/front/front.h"

PATH_HANDLER(ha_handle);                     /* all of struct front */
PATH_HANDLER(ha_hand_over_handle);
PATH_HANDLER(ha_forget_handle);
PATH_HANDLER(ha_copy_handle);
PATH_HANDLER(ha_key_handle);

#endif
