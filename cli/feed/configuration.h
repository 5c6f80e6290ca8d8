/* configuration.h: HAProxy's configuration for the listeners, rules and target groups of a state. Pure: it asks only for the stamps of certificates.
 * Texts from outside are quoted, so that each of them stays one word. Weights are in a map, and targets are servers: both change at run time, by plan.h. */
#ifndef BERTH_CLI_FEED_CONFIGURATION_H
#define BERTH_CLI_FEED_CONFIGURATION_H

#include "cli/feed/state.h"

struct configuration_settings {
    const char *map;                                             /* the path of the map of weights */
    const char *map_ports;                                       /* "[BALANCER:]PORT=PORT,…"; NULL: none */
    const char *certificates;                                    /* a folder of PEM files; NULL: none */
    const char *access_log;                                      /* "stdout", "off", or what HAProxy's `log` takes */
    int64_t (*stamp)(const char *path);                          /* of a certificate: changes when it changes; 0: it is not there */
};
enum { CONFIGURATION_VERSION_LEN = 16 };
struct configuration {
    struct str text;
    struct str version;                                          /* 16 hex digits, in its description: of all but the servers */
    struct str_list certificates;                                /* paths of the files that it uses; one may be there again */
    struct str_list left_out;                                    /* sentences: listeners and rules that it does not have, and why */
    uint64_t left_out_hash;                                      /* of the sentences */
};
/* Texts live in `arena`. The version changes when HAProxy must be reloaded. */
void configuration_make(const struct feed_state *state, const struct configuration_settings *settings, int64_t now_ms, struct configuration *out,
                        struct arena *arena);
struct str configuration_map(const struct feed_state *state, struct arena *arena);       /* the text of the map of weights */

#endif
