/* fit.c: see fit.h. */
#include "scheduler/queue/fit.h"

static int32_t devices_with(const struct room *room, int32_t share)
{
    int32_t devices = 0;
    for (uint32_t d = 0; d < room->count; d++) { devices += room->free[d] >= share; }
    return devices;
}

bool fit_has(const struct room *room, const struct amount *amount)
{
    return room->cpu >= amount->cpu && room->memory_mib >= amount->memory_mib && (amount->devices == 0 || devices_with(room, amount->share) >= amount->devices);
}

/* The fullest device that has the share; of equal ones the first. */
static uint32_t device_for(const struct room *room, int32_t share, uint64_t taken)
{
    uint32_t best = room->count;
    for (uint32_t d = 0; d < room->count; d++) {
        bool has = room->free[d] >= share && (taken >> d & 1) == 0;
        if (has && (best == room->count || room->free[d] < room->free[best])) { best = d; }
    }
    return best;
}

uint64_t fit_take(struct room *room, const struct amount *amount)
{
    uint64_t slots = 0;
    ASSERT(fit_has(room, amount));
    room->cpu -= amount->cpu;
    room->memory_mib -= amount->memory_mib;
    for (int32_t n = 0; n < amount->devices; n++) {
        uint32_t device = device_for(room, amount->share, slots);
        slots |= (uint64_t)1 << device;
        room->free[device] = (int16_t)(room->free[device] - amount->share);
    }
    return slots;
}

void fit_give(struct room *room, const struct amount *amount, uint64_t slots)
{
    room->cpu += amount->cpu;
    room->memory_mib += amount->memory_mib;
    for (uint32_t d = 0; d < room->count; d++) {
        if ((slots >> d & 1) != 0) { room->free[d] = (int16_t)(room->free[d] + amount->share); }
    }
}
