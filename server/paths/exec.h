/* exec.h: running commands in containers, over HTTP. */
#ifndef BERTH_SERVER_PATHS_EXEC_H
#define BERTH_SERVER_PATHS_EXEC_H

#include "server/exec/exec.h"
#include "server/front/front.h"
#include "server/sessions/sessions.h"

struct exec_paths {                          /* all lent */
    const struct front *front;
    struct exec *exec;
    struct sessions *sessions;
};

PATH_HANDLER(exec_begin_handle);
PATH_HANDLER(exec_io_handle);
PATH_HANDLER(agent_exec_handle);

#endif
