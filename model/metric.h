/* metric.h: metrics that clients put, as CloudWatch has them: a name in a name space, with dimensions. */
#ifndef BERTH_MODEL_METRIC_H
#define BERTH_MODEL_METRIC_H

#include "base/arena.h"
#include "model/schema.h"

/* Data points of one minute: their number, their sum, the least and the greatest. */
struct metric_value { double count, sum, least, most; };
/* The data points of both. */
struct metric_value metric_add(struct metric_value a, struct metric_value b);

/* Is it the name space of Berth's own metrics, which nobody puts? */
bool metric_is_own(struct str space);

/* A text that two metrics share only when they are the same: dimensions in any order. Lives in `arena`. */
struct str metric_key(struct str space, struct str name, const struct pair_list *dimensions, struct arena *arena);

#endif
