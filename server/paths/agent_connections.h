/* agent_connections.h: what comes in at the agents' listener. */
#ifndef BERTH_SERVER_PATHS_AGENT_CONNECTIONS_H
#define BERTH_SERVER_PATHS_AGENT_CONNECTIONS_H

#include "server/exec/command_sessions.h"
#include "server/net/listener.h"
#include "server/paths/agents.h"

struct agent_port {                          /* all lent; the context of the listener's calls */
    const struct front *front;
    struct sessions *sessions;
    struct command_sessions *commands;
    const struct agent_paths *agents;        /* for telemetry */
};
extern const struct listener_ops agent_connection_ops;

#endif
