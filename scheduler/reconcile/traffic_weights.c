/* traffic_weights.c: how the traffic is divided between blue and green. All weights are tenths of a percent. */
#include "scheduler/reconcile/step.h"

int64_t traffic_steps(enum rollout_strategy strategy, int64_t first)
{
    if (strategy == ROLLOUT_BLUE_GREEN) { return 1; }
    ASSERT(first > 0 && first <= WEIGHT_WHOLE);
    if (strategy == ROLLOUT_LINEAR) { return (WEIGHT_WHOLE + first - 1) / first; }
    return first < WEIGHT_WHOLE ? 2 : 1;
}

int64_t traffic_weight(enum rollout_strategy strategy, int64_t first, int64_t step)
{
    return step >= traffic_steps(strategy, first) ? WEIGHT_WHOLE : step * first;
}

/* The PRIMARY has these weights, and blue has the rest; without blue the rest goes nowhere. */
void traffic_divide(struct step *step, int64_t production, int64_t test)
{
    for (uint32_t d = 0; d < step->state->deployment_count; d++) {
        struct deployment *deployment = &step->plan->deployments[d];
        bool primary = d == step->primary, rest = d == step->blue && !primary;
        deployment->production = primary ? production : rest ? WEIGHT_WHOLE - production : 0;
        deployment->test = primary ? test : rest ? WEIGHT_WHOLE - test : 0;
    }
}
