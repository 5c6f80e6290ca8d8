/* gpu_value.c: column generation after Gilmore and Gomory. The basis holds one way of cutting per size; its prices are offered to a
 * knapsack, which finds the cut that is worth most; a cut worth more than a device enters the basis. Plain doubles in a fixed
 * order, no fused operations (see CMakeLists.txt), rounded to whole numbers at the end: every machine finds the same prices. */
#include "scheduler/place/gpu_value.h"

enum { ROUNDS_MAX = 2000 };
static const double GPU_VALUE_SLACK = 1e-9;

/* One way of cutting a device: how many pieces of each size. A column of -1 at one size means "one more than was asked for". */
struct cut { double pieces[GPU_VALUE_SIZES_MAX]; double devices; };

struct plan {
    size_t count;
    int32_t share[GPU_VALUE_SIZES_MAX];
    double inverse[GPU_VALUE_SIZES_MAX][GPU_VALUE_SIZES_MAX];            /* of the basis */
    double used[GPU_VALUE_SIZES_MAX];                                /* devices cut in each of its ways */
    double devices[GPU_VALUE_SIZES_MAX];                             /* what one such cut costs: a device, or nothing */
    double price[GPU_VALUE_SIZES_MAX];
};

/* ---- the best cut at the present prices ---- */
static double plan_best_cut(const struct plan *plan, struct cut *cut)
{
    double best[DEVICE_WHOLE + 1];
    uint8_t last[DEVICE_WHOLE + 1];                              /* 1 + the size that was added last; 0: nothing was */
    best[0] = 0;
    last[0] = 0;
    for (int32_t room = 1; room <= DEVICE_WHOLE; room++) {
        best[room] = best[room - 1];
        last[room] = 0;
        for (size_t s = 0; s < plan->count; s++) {
            if (plan->share[s] > room) { continue; }
            double with = best[room - plan->share[s]] + plan->price[s];
            if (with > best[room] + GPU_VALUE_SLACK) {
                best[room] = with;
                last[room] = (uint8_t)(s + 1);
            }
        }
    }
    *cut = (struct cut){ .devices = 1 };
    for (int32_t room = DEVICE_WHOLE; room > 0;) {
        if (last[room] == 0) {
            room--;
            continue;
        }
        cut->pieces[last[room] - 1] += 1;
        room -= plan->share[last[room] - 1];
    }
    return best[DEVICE_WHOLE];
}

/* The column that makes the plan cheaper. False: no column does, the prices are right. */
static bool plan_entering(const struct plan *plan, struct cut *cut)
{
    for (size_t s = 0; s < plan->count; s++) {
        if (plan->price[s] >= -GPU_VALUE_SLACK) { continue; }
        *cut = (struct cut){ .devices = 0 };
        cut->pieces[s] = -1;
        return true;
    }
    return plan_best_cut(plan, cut) > 1 + 1e-7;
}

/* ---- the basis ---- */
static void plan_price(struct plan *plan)
{
    for (size_t s = 0; s < plan->count; s++) {
        plan->price[s] = 0;
        for (size_t row = 0; row < plan->count; row++) { plan->price[s] += plan->devices[row] * plan->inverse[row][s]; }
    }
}

/* At first every size has its own devices. */
static void plan_begin(struct plan *plan, const struct gpu_value_size *sizes, size_t count)
{
    ASSERT(count <= GPU_VALUE_SIZES_MAX);
    *plan = (struct plan){ .count = count };
    for (size_t s = 0; s < count; s++) {
        int32_t pieces = DEVICE_WHOLE / sizes[s].share;
        ASSERT(pieces > 0 && sizes[s].count > 0);
        plan->share[s] = sizes[s].share;
        plan->inverse[s][s] = 1.0 / pieces;
        plan->used[s] = (double)sizes[s].count / pieces;
        plan->devices[s] = 1;
    }
    plan_price(plan);
}

/* The cut takes the place of the first to be used up. False: it can't (rounding), and the plan stays as it is. */
static bool plan_exchange(struct plan *plan, const struct cut *cut)
{
    double step[GPU_VALUE_SIZES_MAX], least = 0;
    size_t leaving = plan->count;
    for (size_t row = 0; row < plan->count; row++) {
        step[row] = 0;
        for (size_t s = 0; s < plan->count; s++) { step[row] += plan->inverse[row][s] * cut->pieces[s]; }
        if (step[row] <= 1e-9) { continue; }
        double times = plan->used[row] / step[row];
        if (leaving == plan->count || times < least) {
            least = times;
            leaving = row;
        }
    }
    if (leaving == plan->count) { return false; }

    for (size_t s = 0; s < plan->count; s++) { plan->inverse[leaving][s] /= step[leaving]; }
    for (size_t row = 0; row < plan->count; row++) {
        if (row == leaving) { continue; }
        for (size_t s = 0; s < plan->count; s++) { plan->inverse[row][s] -= step[row] * plan->inverse[leaving][s]; }
        plan->used[row] -= step[row] * least;
        if (plan->used[row] < 0) { plan->used[row] = 0; }
    }
    ASSERT(least >= 0);
    plan->used[leaving] = least;
    plan->devices[leaving] = cut->devices;
    plan_price(plan);
    return true;
}

/* ---- from prices to worths ---- */
/* Prices that are still too high (the rounds ran out) are scaled down until no cut is worth more than a device. */
static void gpu_value_round(const struct plan *plan, struct gpu_value *value)
{
    struct cut cut;
    double most = plan_best_cut(plan, &cut), scale = most > 1 + 1e-7 ? 1 / most : 1;
    int32_t price[GPU_VALUE_SIZES_MAX];
    for (size_t s = 0; s < plan->count; s++) {
        double scaled = plan->price[s] * scale * GPU_VALUE_DEVICE;
        price[s] = scaled > 0 ? (int32_t)(scaled + 0.5) : 0;
    }
    *value = (struct gpu_value){ 0 };
    for (int32_t room = 1; room <= DEVICE_WHOLE; room++) {
        int32_t best = value->best[room - 1];
        for (size_t s = 0; s < plan->count; s++) {
            if (plan->share[s] > room) { continue; }
            int32_t with = value->best[room - plan->share[s]] + price[s];
            best = with > best ? with : best;
        }
        ASSERT(best >= value->best[room - 1]);                   /* more of a device is never worth less */
        value->best[room] = best;
    }
    if (value->best[DEVICE_WHOLE] < GPU_VALUE_DEVICE) { value->best[DEVICE_WHOLE] = GPU_VALUE_DEVICE; }
    memcpy(value->of, value->best, sizeof value->of);
    for (size_t s = 0; s < plan->count; s++) { value->of[plan->share[s]] = price[s]; }
}

/* The sizes that ask for most of a device, at most GPU_VALUE_SIZES_MAX; the smaller one first of those that ask for the same. */
static size_t gpu_value_choose(const struct gpu_value_size *sizes, size_t count, struct gpu_value_size chosen[GPU_VALUE_SIZES_MAX])
{
    size_t kept = 0;
    for (size_t s = 0; s < count; s++) {
        ASSERT(sizes[s].share > 0 && sizes[s].share < DEVICE_WHOLE);
        if (sizes[s].count <= 0) { continue; }
        size_t at = kept < GPU_VALUE_SIZES_MAX ? kept++ : GPU_VALUE_SIZES_MAX;
        int64_t asks = sizes[s].count * sizes[s].share;
        for (; at > 0 && chosen[at - 1].count * chosen[at - 1].share < asks; at--) {
            if (at < GPU_VALUE_SIZES_MAX) { chosen[at] = chosen[at - 1]; }
        }
        if (at < GPU_VALUE_SIZES_MAX) { chosen[at] = sizes[s]; }
    }
    return kept;
}

void gpu_value_solve(const struct gpu_value_size *sizes, size_t count, struct gpu_value *value)
{
    struct gpu_value_size chosen[GPU_VALUE_SIZES_MAX];
    size_t kept = gpu_value_choose(sizes, count, chosen);
    struct plan plan;
    struct cut cut;
    plan_begin(&plan, chosen, kept);
    for (int round = 0; round < ROUNDS_MAX && plan_entering(&plan, &cut); round++) {
        if (!plan_exchange(&plan, &cut)) { break; }
    }
    gpu_value_round(&plan, value);
}
