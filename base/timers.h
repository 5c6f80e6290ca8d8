/* timers.h: a heap of timers for a loop. Each timer lives inside the object that it belongs to.
 * Has no clock: the loop passes the time. Owner: the loop's thread. */
#ifndef BERTH_BASE_TIMERS_H
#define BERTH_BASE_TIMERS_H

#include <stddef.h>
#include <stdint.h>

struct timer {
    void (*fire)(void *owner);
    void *owner;
    int64_t due_ms;                              /* monotonic */
    size_t place;                                /* in the heap, from 1; 0: not set */
};
struct timers { struct timer **heap; size_t count, capacity; };

void    timers_set(struct timers *timers, struct timer *timer, int64_t due_ms);   /* replaces an earlier time */
void    timers_cancel(struct timers *timers, struct timer *timer);                /* not set: nothing */
int64_t timers_next(const struct timers *timers);                                 /* INT64_MAX: none */
void    timers_run(struct timers *timers, int64_t now_ms);                        /* fires all that are due; they may set others */
void    timers_finish(struct timers *timers);

#endif
