/* routes.h: which path goes where. Knows all handlers and what each of them borrows. */
#ifndef BERTH_SERVER_ROUTES_H
#define BERTH_SERVER_ROUTES_H

#include "server/front/aws.h"
#include "server/paths/agent_connections.h"
#include "server/paths/agents.h"
#include "server/paths/exec.h"
#include "server/paths/figures.h"
#include "server/paths/viewers.h"
#include "server/paths/whatif.h"

/* The structs that handlers borrow, one for each group of paths. A row of routes.c names one of them by its offset, so a handler reaches no more than that. */
struct paths {
    struct front front;
    struct aws_paths aws;
    struct agent_paths agents;
    struct exec_paths exec;
    struct viewer_paths viewers;
    struct figure_paths figures;
    struct metrics_paths metrics;
    struct whatif_paths whatif;
    struct agent_port agent_port;            /* of the agents' listener, which has its own table */
};

/* Every request at the API's port; `paths` is a const struct paths. */
void routes_handle(void *paths, struct http_request *request, struct http_answer *answer);

struct server;
const struct paths *server_paths(const struct server *server);       /* server.c; for tests. Borrowed until server_stop */

#endif
