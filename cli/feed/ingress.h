/* ingress.h: HAProxy for all listeners: its configuration, its process and its targets, kept as the server's state says. */
#ifndef BERTH_CLI_FEED_INGRESS_H
#define BERTH_CLI_FEED_INGRESS_H

#include "cli/remote.h"

struct ingress_settings {
    const struct remote *remote; const char *name;
    const char *folder, *program;                                /* folder: for its files; made if it is not there */
    const char *map_ports, *certificates, *access_log;           /* as in configuration.h */
    const char *metrics_host; int metrics_port;                  /* host NULL: no /metrics */
    bool (*ended)(void *context); void *context;                 /* is it time to end? */
};
MUST_USE bool ingress_check(const struct ingress_settings *settings, struct arena *arena, struct err *err);     /* Is HAProxy there? */
/* Runs until it is time to end. */
MUST_USE bool ingress_run(const struct ingress_settings *settings, struct arena *arena, struct err *err);
/* Prints the configuration for the present state. */
MUST_USE bool ingress_print(const struct ingress_settings *settings, struct arena *arena, struct err *err);

#endif
