/* timers.c: a binary heap whose members know their position, so that any of them can be moved or removed. */
#include "base/timers.h"

#include <stdlib.h>

#include "base/assert.h"

static void put_at(struct timers *timers, size_t place, struct timer *timer)
{
    timers->heap[place - 1] = timer;
    timer->place = place;
}

static int64_t due_at(const struct timers *timers, size_t place) { return timers->heap[place - 1]->due_ms; }

/* Moves `timer` towards the root or the leaves until its neighbours are in order. */
static void settle(struct timers *timers, struct timer *timer)
{
    size_t place = timer->place;
    while (place > 1 && due_at(timers, place / 2) > timer->due_ms) {
        put_at(timers, place, timers->heap[place / 2 - 1]);
        place /= 2;
    }
    for (size_t child = 2 * place; child <= timers->count; child = 2 * place) {
        if (child < timers->count && due_at(timers, child + 1) < due_at(timers, child)) { child++; }
        if (due_at(timers, child) >= timer->due_ms) { break; }
        put_at(timers, place, timers->heap[child - 1]);
        place = child;
    }
    put_at(timers, place, timer);
}

void timers_set(struct timers *timers, struct timer *timer, int64_t due_ms)
{
    ASSERT(timer->fire != NULL);
    timer->due_ms = due_ms;
    if (timer->place == 0) {
        if (timers->count == timers->capacity) {
            timers->capacity = timers->capacity == 0 ? 16 : timers->capacity * 2;
            struct timer **heap = realloc(timers->heap, timers->capacity * sizeof(struct timer *));
            ASSERT(heap != NULL);
            timers->heap = heap;
        }
        put_at(timers, ++timers->count, timer);
    }
    settle(timers, timer);
}

void timers_cancel(struct timers *timers, struct timer *timer)
{
    if (timer->place == 0) { return; }
    ASSERT(timer->place <= timers->count);
    ASSERT(timers->heap[timer->place - 1] == timer);
    size_t place = timer->place;
    struct timer *last = timers->heap[--timers->count];
    timer->place = 0;
    if (last == timer) { return; }
    put_at(timers, place, last);
    settle(timers, last);
}

int64_t timers_next(const struct timers *timers) { return timers->count == 0 ? INT64_MAX : timers->heap[0]->due_ms; }

void timers_run(struct timers *timers, int64_t now_ms)
{
    /* A timer that sets itself for now again fires in the next run: at most as many fire as were set. */
    for (size_t rest = timers->count; rest > 0 && timers_next(timers) <= now_ms; rest--) {
        struct timer *timer = timers->heap[0];
        timers_cancel(timers, timer);
        timer->fire(timer->owner);
    }
}

void timers_finish(struct timers *timers)
{
    for (size_t t = 0; t < timers->count; t++) { timers->heap[t]->place = 0; }
    free(timers->heap);
    *timers = (struct timers){ 0 };
}
