/* preempt.c: see preempt.h. On each site the cheapest victims are taken until the task fits; then the dearest ones that it does not need are
 * taken back. */
#include "scheduler/queue/preempt.h"

static int64_t lost_of(const struct occupant *occupant) { return occupant->ran_ms * occupant->amount.devices * occupant->amount.share; }

static bool may_stop(const struct occupant *occupant, int64_t priority)
{
    return occupant->preemptible && occupant->priority <= priority - PREEMPT_PRIORITY_STEP && occupant->ran_ms >= PREEMPT_RAN_MS;
}

static bool is_victim(const struct preemption *choice, size_t occupant)
{
    for (size_t v = 0; v < choice->count; v++) {
        if (choice->victims[v] == occupant) { return true; }
    }
    return false;
}

/* Does it hold the missing resource? */
static bool helps(const struct occupant *occupant, const struct room *room, const struct amount *amount)
{
    const struct amount devices = { 0, 0, amount->devices, amount->share };
    bool lacks_devices = !fit_has(room, &devices);
    return (room->cpu < amount->cpu && occupant->amount.cpu > 0) || (room->memory_mib < amount->memory_mib && occupant->amount.memory_mib > 0)
           || (lacks_devices && occupant->slots != 0);
}

/* The cheapest one that is left; of equal ones the first. `count` of the site: there is none. */
static size_t cheapest(const struct site *site, const struct room *room, const struct amount *amount, int64_t priority, const struct preemption *choice)
{
    size_t best = site->count;
    for (size_t o = 0; o < site->count; o++) {
        bool counts = may_stop(&site->occupants[o], priority) && helps(&site->occupants[o], room, amount) && !is_victim(choice, o);
        if (counts && (best == site->count || lost_of(&site->occupants[o]) < lost_of(&site->occupants[best]))) { best = o; }
    }
    return best;
}

static struct room room_after(const struct site *site, const struct preemption *choice, size_t spared)
{
    struct room room = site->room;
    for (size_t v = 0; v < choice->count; v++) {
        const struct occupant *victim = &site->occupants[choice->victims[v]];
        if (v != spared) { fit_give(&room, &victim->amount, victim->slots); }
    }
    return room;
}

static bool choose_on(const struct site *site, const struct amount *amount, int64_t priority, struct preemption *choice)
{
    for (struct room room = site->room; !fit_has(&room, amount); room = room_after(site, choice, SIZE_MAX)) {
        size_t victim = cheapest(site, &room, amount, priority, choice);
        if (victim == site->count || choice->count == PREEMPT_MOST) { return false; }
        choice->victims[choice->count++] = victim;
    }
    for (size_t v = choice->count; v-- > 0;) {
        struct room room = room_after(site, choice, v);
        if (!fit_has(&room, amount)) { continue; }
        choice->count--;
        for (size_t later = v; later < choice->count; later++) { choice->victims[later] = choice->victims[later + 1]; }
    }
    for (size_t v = 0; v < choice->count; v++) { choice->lost += lost_of(&site->occupants[choice->victims[v]]); }
    return choice->count > 0;
}

bool preempt_choose(const struct site *sites, size_t count, const struct amount *amount, int64_t priority, struct preemption *best)
{
    bool found = false;
    for (size_t s = 0; s < count; s++) {
        struct preemption choice = { .site = s };
        if (fit_has(&sites[s].room, amount)) { return false; }
        if (choose_on(&sites[s], amount, priority, &choice) && (!found || choice.lost < best->lost)) {
            *best = choice;
            found = true;
        }
    }
    return found;
}
