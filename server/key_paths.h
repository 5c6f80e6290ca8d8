/* key_paths.h: access keys over HTTP, for servers whose folder no other process may write to. */
#ifndef BERTH_SERVER_KEY_PATHS_H
#define BERTH_SERVER_KEY_PATHS_H

#include "server/front/front.h"

PATH_HANDLER(keys_handle);                   /* both of struct front */
PATH_HANDLER(keys_change_handle);

#endif
