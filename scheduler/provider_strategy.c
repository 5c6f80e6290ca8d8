#include "scheduler/provider_strategy.h"

#include "base/assert.h"

bool strategy_check(const struct provider_share *shares, size_t count, struct err *err)
{
    int bases = 0;
    bool weighs = false;
    if (count > STRATEGY_ITEMS_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "A capacity provider strategy can have at most %d capacity providers.", STRATEGY_ITEMS_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        if (shares[i].base < 0 || shares[i].base > STRATEGY_BASE_MAX) {
            return err_set(err, ERR_INVALID_PARAMETER, "The base of a capacity provider must be between 0 and %d.", STRATEGY_BASE_MAX);
        }
        if (shares[i].weight < 0 || shares[i].weight > STRATEGY_WEIGHT_MAX) {
            return err_set(err, ERR_INVALID_PARAMETER, "The weight of a capacity provider must be between 0 and %d.", STRATEGY_WEIGHT_MAX);
        }
        bases += shares[i].base > 0;
        weighs |= shares[i].weight > 0;
    }
    if (bases > 1) { return err_set(err, ERR_INVALID_PARAMETER, "Only one capacity provider in a strategy can have a base above 0."); }
    if (weighs) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER,
                   "There are no capacity providers with a weight value greater than zero defined in the default capacity provider strategy. At least one "
                   "capacity provider must have a weight value greater than zero specified. Update the cluster's default capacity provider strategy or "
                   "specify a valid capacity provider strategy and try again.");
}

static int64_t beyond_base(const struct provider_share *share) { return share->tasks > share->base ? share->tasks - share->base : 0; }

/* a / weight of one against b / weight of the other. A weight of 0 makes any count endless. */
static int compare(int64_t a, const struct provider_share *one, int64_t b, const struct provider_share *other)
{
    int64_t left = a * other->weight, right = b * one->weight;
    if (one->weight == 0 && other->weight == 0) { return (a > b) - (a < b); }
    return (left > right) - (left < right);
}

size_t strategy_add(struct provider_share *shares, size_t count)
{
    size_t least = count;
    for (size_t i = 0; i < count; i++) {
        if (shares[i].tasks < shares[i].base) {
            shares[i].tasks++;
            return i;
        }
        if (shares[i].weight == 0) { continue; }
        bool less = least == count || compare(beyond_base(&shares[i]) + 1, &shares[i], beyond_base(&shares[least]) + 1, &shares[least]) < 0;
        if (less) { least = i; }
    }
    ASSERT(least < count);
    shares[least].tasks++;
    return least;
}

size_t strategy_remove(struct provider_share *shares, size_t count)
{
    size_t most = count, any = count;
    for (size_t i = 0; i < count; i++) {
        int64_t beyond = beyond_base(&shares[i]);
        if (shares[i].tasks > 0) { any = i; }
        if (beyond > 0 && (most == count || compare(beyond, &shares[i], beyond_base(&shares[most]), &shares[most]) >= 0)) { most = i; }
    }
    if (most == count) { most = any; }
    if (most < count) { shares[most].tasks--; }
    return most;
}
