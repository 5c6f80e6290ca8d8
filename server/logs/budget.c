/* budget.c: periods in no order: a month has 160 of them. */
#include "server/logs/budget.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

void log_budget_init(struct log_budget *budget, int64_t max)
{
    ASSERT(max > 0);
    *budget = (struct log_budget){ .max = max };
}

void log_budget_finish(struct log_budget *budget)
{
    free(budget->periods);
    *budget = (struct log_budget){ 0 };
}

static struct log_period *find(const struct log_budget *budget, const char *name)
{
    for (size_t p = 0; p < budget->count; p++) {
        if (strcmp(budget->periods[p].name, name) == 0) { return &budget->periods[p]; }
    }
    return NULL;
}

void log_budget_set(struct log_budget *budget, const char *period, int64_t bytes)
{
    struct log_period *known = find(budget, period);
    ASSERT(strlen(period) == LOG_PERIOD_LEN && bytes >= 0);
    if (known != NULL) {
        budget->bytes -= known->bytes;
        *known = budget->periods[--budget->count];
    }
    if (bytes == 0) { return; }
    budget->periods = array_grow(budget->periods, &budget->capacity, budget->count + 1, sizeof *budget->periods);
    struct log_period *fresh = &budget->periods[budget->count++];
    memcpy(fresh->name, period, sizeof fresh->name);
    fresh->bytes = bytes;
    budget->bytes += bytes;
}

void log_budget_add(struct log_budget *budget, const char *period, int64_t bytes)
{
    const struct log_period *known = find(budget, period);
    log_budget_set(budget, period, (known == NULL ? 0 : known->bytes) + bytes);
}

const struct log_period *log_budget_oldest_over(const struct log_budget *budget)
{
    const struct log_period *oldest = NULL;
    if (budget->bytes <= budget->max) { return NULL; }
    for (size_t p = 0; p < budget->count; p++) {
        if (oldest == NULL || strcmp(budget->periods[p].name, oldest->name) < 0) { oldest = &budget->periods[p]; }
    }
    return oldest;
}
