#include "ha/fitness.h"

#include "base/clock.h"
#include "base/log.h"

void fitness_commit_begins(struct fitness *fitness, int64_t now_ms) { fitness->begun_ms = now_ms > 0 ? now_ms : 1; }

void fitness_commit_ends(struct fitness *fitness, int64_t now_ms)
{
    if (fitness->begun_ms == 0) { return; }
    bool slow = now_ms - fitness->begun_ms > FITNESS_SLOW_MS;
    if (!slow) { fitness->slow_since_ms = 0; } else if (fitness->slow_since_ms == 0) { fitness->slow_since_ms = fitness->begun_ms; }
    fitness->begun_ms = 0;
}

bool fitness_is_slow(const struct fitness *fitness, int64_t now_ms)
{
    int64_t since_ms = fitness->slow_since_ms != 0 ? fitness->slow_since_ms : fitness->begun_ms;
    return since_ms != 0 && now_ms - since_ms >= FITNESS_SLOW_FOR_MS;
}

/* A clock in whole seconds is half a second late, on average. */
void fitness_clock(struct fitness *fitness, const struct ha_health *health, int64_t wall_ms)
{
    enum { HALF_SECOND_MS = 500 };
    int64_t off[HA_MEMBERS_MAX];
    size_t count = 0;
    for (size_t e = 0; e < health->count; e++) {
        if (!health->endpoints[e].answers || health->endpoints[e].date_ms == 0) { continue; }
        int64_t this_ms = wall_ms - health->endpoints[e].date_ms - HALF_SECOND_MS;
        size_t at = count++;
        for (; at > 0 && off[at - 1] > this_ms; at--) { off[at] = off[at - 1]; }
        off[at] = this_ms;
    }
    fitness->off_ms = count == 0 ? 0 : off[(count - 1) / 2];
}

bool fitness_clock_is_off(const struct fitness *fitness, int64_t limit_ms) { return fitness->off_ms > limit_ms || fitness->off_ms < -limit_ms; }

bool fitness_look(struct fitness *fitness, struct ha_engine *engine, int64_t now_ms)
{
    enum { WAIT_MS = 500 };
    struct ha_health health = { 0 };
    if (engine->ops->health != NULL && (fitness->looked_ms == 0 || now_ms - fitness->looked_ms >= FITNESS_LOOK_MS)) {
        fitness->looked_ms = now_ms > 0 ? now_ms : 1;
        engine->ops->health(engine, &health, now_ms + WAIT_MS);
        fitness_clock(fitness, &health, clock_now_ms());
        if (fitness_clock_is_off(fitness, FITNESS_OFF_WARN_MS)) {
            log_line(LOG_WARN, "ha", "this machine's clock differs from those of etcd's machines by %lld s: set it", (long long)(fitness->off_ms / 1000));
        }
    }
    return fitness_clock_is_off(fitness, FITNESS_OFF_MOST_MS);
}
