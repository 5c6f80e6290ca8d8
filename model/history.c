#include "model/history.h"

#include "base/num.h"

int64_t history_gpu_thousandths(const struct history *history)
{
    int64_t sum = 0;
    for (size_t c = 0; c < history->containers.count; c++) {
        const struct history_container *container = &history->containers.items[c];
        sum += (int64_t)container->gpu_ids.count * gpu_share_of(container->gpu_share);
    }
    return sum;
}

int64_t history_held_from_ms(const struct history *history) { return history->placed_ms > 0 ? history->placed_ms : history->created_ms; }

/* No time is negative, even if the clock was set back while the task ran. */
int64_t history_gpu_ms(const struct history *history)
{
    return history_gpu_thousandths(history) * max_i64(0, history->stopped_ms - history_held_from_ms(history)) / GPU_SHARE_WHOLE;
}
