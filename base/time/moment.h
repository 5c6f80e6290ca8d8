/* moment.h: times as ISO 8601 has them, in UTC: "2026-01-31T12:00:00Z". */
#ifndef BERTH_BASE_TIME_MOMENT_H
#define BERTH_BASE_TIME_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { MOMENT_TEXT_SIZE = 40 };
/* Milliseconds since 1970; with_ms: "…:00.000Z". False, and an empty text: the year is not one of four digits. */
bool moment_print(int64_t ms, bool with_ms, char out[MOMENT_TEXT_SIZE]);

#endif
