/* pulls.h: the images that machines pull now, as their agents last reported. In memory only; forgotten when the agent reports the end, or nothing for a
 * while. Any thread. */
#ifndef BERTH_SERVER_FIGURES_PULLS_H
#define BERTH_SERVER_FIGURES_PULLS_H

#include "api/tell/pulls.h"

struct pulls;
struct pulls *pulls_create(void);
void          pulls_destroy(struct pulls *pulls);            /* accepts NULL */

/* All pulls of this machine; copied. False: there are more machines than can be kept. */
MUST_USE bool pulls_put(struct pulls *pulls, struct id instance, const struct pull_news_list *news, int64_t now_ms, struct err *err);
struct image_pull_list pulls_list(struct pulls *pulls, int64_t now_ms, struct arena *arena);      /* now_ms: monotonic */

#endif
