/* requests.h: how many requests target groups get, as the proxies that report them count. In memory only: a server that starts knows nothing until they
 * report again. Any thread.
 *
 * A proxy reports its counters as they are. What a counter has grown since its last report is added to the group's sum; a counter that is new, or has
 * fallen, began at 0 with a new process of the proxy. The first report of a feed, and of one that was silent, is only where counting begins. */
#ifndef BERTH_SERVER_FIGURES_REQUESTS_H
#define BERTH_SERVER_FIGURES_REQUESTS_H

#include "api/core/api.h"

enum { REQUESTS_SILENT_MS = 30 * 1000, REQUESTS_COUNTERS_MAX = 50000 };
enum { REQUESTS_FEED_MAX = 64 };             /* bytes of a feed's name */

struct requests;
struct requests *requests_create(void);                              /* owned */
void             requests_destroy(struct requests *requests);        /* accepts NULL */

/* One report, whose names are within their limits. Copied. Counters behind REQUESTS_COUNTERS_MAX are left out. now_ms: monotonic, as below. */
void requests_put(struct requests *requests, struct str feed, const struct request_count_list *counts, int64_t now_ms);

/* A group's sum since its first report, which only grows, and its requests a second over the last 10 to 20 seconds. Unset: no proxy has reported it for
 * REQUESTS_SILENT_MS, or not long enough for a rate. */
struct group_requests { struct opt_int sum; struct opt_double per_second; };
struct group_requests requests_of(struct requests *requests, struct str group, int64_t now_ms);

#endif
