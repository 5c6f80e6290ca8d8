/* duration.h: lengths of time as people write them. */
#ifndef BERTH_BASE_TEXT_DURATION_H
#define BERTH_BASE_TEXT_DURATION_H

#include "base/assert.h"
#include "base/str.h"

/* "30s", "5m", "1h30m", "7d", "250ms", in milliseconds. False: not a length of time, or longer than a hundred years. */
MUST_USE bool duration_parse(struct str text, int64_t *ms);

#endif
