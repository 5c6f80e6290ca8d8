/* duration.h: lengths of time as people write them. */
#ifndef BERTH_BASE_TEXT_DURATION_H
#define BERTH_BASE_TEXT_DURATION_H

#include "base/assert.h"
#include "base/str.h"

/* "30s", "5m", "1h30m", "7d", "250ms", in milliseconds. False: not a length of time, or longer than a hundred years. */
MUST_USE bool duration_parse(struct str text, int64_t *ms);

/* The two largest parts of it, rounded down: "59s", "2h", "1h5m", "3d1h". Below 0 counts as 0. */
enum { DURATION_TEXT_SIZE = 32 };
void duration_print(int64_t ms, char text[DURATION_TEXT_SIZE]);

#endif
