/* runtime.h: HAProxy's runtime interface, at the stats socket of one process, or at the socket of a master (haproxy -W -S), whose workers before and
 * after a reload are asked one by one. Knows the socket and the texts of HAProxy 2.6; refuses to know what to do with them. Texts live in the arena. */
#ifndef BERTH_CLI_FEED_RUNTIME_H
#define BERTH_CLI_FEED_RUNTIME_H

#include "base/err.h"
#include "cli/feed/plan.h"

#define RUNTIME_MAP "berth-weights.map"                          /* the end of the path of the map of weights */

/* One command and its answer, within 5 seconds each way. */
MUST_USE bool runtime_ask(const char *socket, struct str command, struct str *answer, struct arena *arena, struct err *err);
/* A command that changes something. False: HAProxy has refused it, with its words in *err. */
MUST_USE bool runtime_tell(const char *socket, struct str worker, struct str command, struct arena *arena, struct err *err);

/* The beginning of a command, for each worker, the newest first: "@!PID ", or "" for the only one of a stats socket. */
MUST_USE bool runtime_workers(const char *socket, struct str_list *workers, struct arena *arena, struct err *err);
MUST_USE bool runtime_look(const char *socket, struct str worker, struct plan_seen *seen, struct arena *arena, struct err *err);

/* The parts, for tests: each reads an answer. */
void runtime_read_workers(struct str answer, struct str_list *workers, struct arena *arena);
void runtime_read_servers(struct str answer, struct plan_seen *seen, struct arena *arena);       /* of `show servers state` */
void runtime_read_stat(struct str answer, struct plan_seen *seen, struct arena *arena);          /* of `show stat`: backends and servers, with requests */
void runtime_read_map(struct str answer, struct plan_seen *seen, struct arena *arena);           /* of `show map FILE` */
struct str runtime_find_map(struct str answer);                                                  /* its path, of `show map`; absent: there is none */

#endif
