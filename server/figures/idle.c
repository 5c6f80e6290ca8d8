#include "server/figures/idle.h"

#include "base/assert.h"

static struct idle_step forget(struct idle *idle, struct idle_step step)
{
    step.ends = idle->is_idle;
    idle->since_ms = 0;
    idle->is_idle = false;
    return step;
}

struct idle_step idle_take(struct idle *idle, const struct idle_rule *rule, bool known, double load, int64_t at_ms)
{
    struct idle_step step = { 0 };
    int64_t span = idle->at_ms == 0 ? 0 : at_ms - idle->at_ms;
    if (idle->at_ms != 0 && span <= 0) { return step; }          /* the same sample again, or the clock was set back */
    bool gap = span > IDLE_GAP_MS;
    idle->at_ms = at_ms;
    if (gap) {
        step = forget(idle, step);
        span = 0;
    }
    if (!known) { return idle->since_ms == 0 ? step : forget(idle, step); }
    step.sampled_ms = span;
    if (load >= rule->below || rule->after_ms <= 0) { return idle->since_ms == 0 ? step : forget(idle, step); }
    if (idle->since_ms == 0) { idle->since_ms = at_ms; }
    if (idle->is_idle) {
        step.idle_ms = span;
    } else if (at_ms - idle->since_ms >= rule->after_ms) {
        step.begins = idle->is_idle = true;
        step.idle_ms = at_ms - idle->since_ms;
    }
    ASSERT(idle->since_ms <= at_ms && step.idle_ms >= 0);
    return step;
}
