#include "server/figures/client_metrics.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/lock.h"
#include "server/figures/shelf.h"

enum { KEPT = SCALING_IN_MINUTES + 3, SWEEP_MS = 5 * 60 * 1000 };

struct minute { int64_t number; struct metric_value value; };        /* number: since 1970, 0: none */
struct metric { struct shelf_head head; struct minute minutes[KEPT]; };     /* a minute is at its number modulo KEPT */
struct client_metrics { int64_t minute_ms; struct lock lock; struct shelf shelf; int64_t swept_ms; };       /* the last two guarded by lock */

struct client_metrics *client_metrics_create(int64_t minute_ms)
{
    struct client_metrics *metrics = array_zeroed(1, sizeof *metrics);
    lock_init(&metrics->lock);
    metrics->minute_ms = minute_ms;
    shelf_init(&metrics->shelf, sizeof(struct metric), CLIENT_METRICS_MAX);
    return metrics;
}

void client_metrics_destroy(struct client_metrics *metrics)
{
    if (metrics == NULL) { return; }
    shelf_finish(&metrics->shelf);
    lock_finish(&metrics->lock);
    free(metrics);
}

static struct metric *find_or_add(struct client_metrics *metrics, struct str key, int64_t now_ms)
{
    struct metric *metric = shelf_find(&metrics->shelf, key);
    if (metric != NULL) { return metric; }
    if (now_ms - metrics->swept_ms >= SWEEP_MS) {
        shelf_remove_old(&metrics->shelf, now_ms - (int64_t)KEPT * metrics->minute_ms);
        metrics->swept_ms = now_ms;
    }
    return shelf_add(&metrics->shelf, key);
}

bool client_metrics_put(struct client_metrics *metrics, struct str key, int64_t at_ms, const struct metric_value *value, int64_t now_ms)
{
    int64_t now = now_ms / metrics->minute_ms, number = at_ms > now_ms ? now : at_ms / metrics->minute_ms;
    if (number <= now - KEPT) { return true; }
    lock_take(&metrics->lock);
    struct metric *metric = find_or_add(metrics, key, now_ms);
    if (metric != NULL) {
        struct minute *minute = &metric->minutes[number % KEPT];
        if (minute->number != number) { *minute = (struct minute){ .number = number }; }
        minute->value = metric_add(minute->value, *value);
        metric->head.told_ms = now_ms;
    }
    lock_drop(&metrics->lock);
    return metric != NULL;
}

static double value_of(const struct metric_value *value, enum scaling_statistic statistic)
{
    switch (statistic) {
    case SCALING_STATISTIC_MINIMUM:     return value->least;
    case SCALING_STATISTIC_MAXIMUM:     return value->most;
    case SCALING_STATISTIC_SAMPLECOUNT: return value->count;
    case SCALING_STATISTIC_SUM:         return value->sum;
    case SCALING_STATISTIC_AVERAGE: case SCALING_STATISTIC_UNSET: case SCALING_STATISTIC_COUNT: break;
    }
    return value->sum / value->count;
}

struct scaling_history client_metrics_minutes(struct client_metrics *metrics, struct str key, enum scaling_statistic statistic, int64_t now_ms)
{
    struct scaling_history history = { .count = 0 };
    int64_t number = now_ms / metrics->minute_ms - 1;
    lock_take(&metrics->lock);
    const struct metric *metric = shelf_find(&metrics->shelf, key);
    if (metric != NULL && metric->minutes[number % KEPT].number != number) { number--; }
    while (metric != NULL && history.count < SCALING_IN_MINUTES && metric->minutes[number % KEPT].number == number) {
        history.values[history.count++] = value_of(&metric->minutes[number % KEPT].value, statistic);
        number--;
    }
    lock_drop(&metrics->lock);
    return history;
}
