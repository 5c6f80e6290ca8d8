/* budget.h: how many bytes the logs of the history take, by period, and which are the first to go. Knows numbers; refuses to know
 * files. One thread at a time. */
#ifndef BERTH_SERVER_LOGS_BUDGET_H
#define BERTH_SERVER_LOGS_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG_PERIOD_LEN = 6 };                                         /* a period's name: hex digits, in order of time */

struct log_period { char name[LOG_PERIOD_LEN + 1]; int64_t bytes; };
struct log_budget { struct log_period *periods; size_t count, capacity; int64_t bytes, max; };     /* `bytes`: of all periods */

void log_budget_init(struct log_budget *budget, int64_t max);
void log_budget_finish(struct log_budget *budget);
void log_budget_set(struct log_budget *budget, const char *period, int64_t bytes);     /* counted again; 0: it is gone */
void log_budget_add(struct log_budget *budget, const char *period, int64_t bytes);
/* While there is too much: the oldest period. NULL: there is not. Borrowed until the budget changes. */
const struct log_period *log_budget_oldest_over(const struct log_budget *budget);

#endif
