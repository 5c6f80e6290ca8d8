/* gpu.c: which devices. Containers of a task get sets of their own, each the lowest free slots. */
#include "base/num.h"
#include "scheduler/search.h"

void gpu_need(const struct demand *demand, struct need *need)
{
    int64_t sum = 0, wants_all = 0;
    for (size_t c = 0; c < demand->container_count; c++) {
        ASSERT(demand->gpus[c] >= 0 || demand->gpus[c] == DEMAND_GPUS_ALL);
        if (demand->gpus[c] == DEMAND_GPUS_ALL) {
            wants_all++;
        } else {
            sum += min_i64(demand->gpus[c], AMOUNT_MAX);
        }
    }
    need->all_gpus = wants_all > 0;
    need->gpus = (int32_t)min_i64(need->all_gpus ? 1 : sum, AMOUNT_NEVER);
    /* All of the instance for one container leaves none for another. */
    if (wants_all > 1 || (wants_all == 1 && sum > 0)) { need->gpus = AMOUNT_NEVER; }
}

static uint64_t lowest_bits(uint64_t from, int64_t count)
{
    uint64_t chosen = 0;
    for (int64_t n = 0; n < count; n++) {
        ASSERT(from != 0);
        uint64_t lowest = from & (~from + 1);
        chosen |= lowest;
        from ^= lowest;
    }
    return chosen;
}

void gpu_choose(const struct demand *demand, uint64_t all, uint64_t free_bits, uint64_t slots[DEMAND_CONTAINERS_MAX])
{
    for (size_t c = 0; c < demand->container_count; c++) {
        bool wants_all = demand->gpus[c] == DEMAND_GPUS_ALL;
        if (wants_all) { ASSERT(free_bits == all); }
        slots[c] = wants_all ? all : lowest_bits(free_bits, demand->gpus[c]);
        free_bits &= ~slots[c];
    }
}
