/* queue.h: tasks that wait for room, and which of them is tried next. Knows ids, shapes (a hash of what a task asks for and where it may go), priorities and
 * the times that callers hand in; refuses to know the store, the clock, demands and instances. It is part of the world: built with it, changed by
 * the thread that owns it.
 *
 *   order      the priority, with one more for each QUEUE_AGE_MS of waiting (QUEUE_AGE_MOST at most). Of equal ones, those that have all the steps of age in
 *              order of arrival; then those that replace, then large ones, then shorter ones, then in order of arrival.
 *   class      entries that differ only in ids and times. One that found no room is not tried again before room in its cluster has grown, and
 *              neither is a class of its shape that needs as much or more. So the work follows the classes and what changed, not the number of entries. */
#ifndef BERTH_SCHEDULER_QUEUE_QUEUE_H
#define BERTH_SCHEDULER_QUEUE_QUEUE_H

#include "base/arena.h"
#include "base/id.h"

enum { QUEUE_AGE_MS = 6 * 3600 * 1000, QUEUE_AGE_MOST = 10, QUEUE_PRIORITY_MAX = 100, QUEUE_GANG_MAX = 10, QUEUE_OF_PROVIDERS_MAX = 500 };
enum { QUEUE_MAX = 20000 };                  /* entries, all clusters together */

struct queue;
struct queue *queue_create(struct arena *arena);              /* lives in `arena` */

struct waiting {
    struct id tasks[QUEUE_GANG_MAX]; size_t count;            /* more than one: a gang, in order of ranks */
    int64_t cluster;                                          /* its number */
    uint64_t provider;                                        /* a hash of the capacity provider's name; 0: none */
    uint64_t shape;
    uint32_t quota;                                           /* bits of the quotas that count it (quota.h) */
    int64_t gpus;                                             /* thousandths that each of its tasks takes at least */
    int64_t priority;                                         /* -QUEUE_PRIORITY_MAX to QUEUE_PRIORITY_MAX */
    bool replaces;                                            /* of a service whose tasks have run before: before others of its priority and age */
    bool large;                                               /* it is large enough that room may be kept for it, until queue_set_large says otherwise */
    bool reserve;                                             /* it is large in any pool: its request says so */
    int64_t length_ms;                                        /* how long it is expected to run; 0: nobody knows, longer than all others */
    int64_t since_ms;
    int64_t until_ms;                                         /* when it gives up; 0: never */
};
void   queue_put(struct queue *queue, const struct waiting *waiting);     /* the first of its tasks must not be there */
void   queue_drop(struct queue *queue, struct id first);                  /* unknown: nothing */
size_t queue_count(const struct queue *queue);                            /* of entries */
size_t queue_of_providers(const struct queue *queue, int64_t cluster);    /* tasks of the cluster that wait for a capacity provider */
const struct waiting *queue_find(const struct queue *queue, struct id first);      /* NULL: it does not wait. Until the next change */

/* Room of the cluster's instances has grown: all of its shapes may be tried again. */
void queue_room_grew(struct queue *queue, int64_t cluster);
/* The class of the entry is tried again at this time, although no room grows. */
void queue_again(struct queue *queue, struct id first, int64_t at_ms);
/* The next entry to try. NULL: none can have room. Until the next change. */
const struct waiting *queue_next(const struct queue *queue, int64_t now_ms);
/* It found no room: nor do those of its shape that are as long or longer, in gangs as large or larger. */
void queue_no_room(struct queue *queue, struct id first);
/* The first large entry of a cluster and provider, whether it has been tried or not: room may be kept for it (reserve.h). NULL: there is none. */
const struct waiting *queue_first_large(const struct queue *queue, int64_t cluster, uint64_t provider, int64_t now_ms);
size_t queue_large_count(const struct queue *queue);          /* of entries that were put as large ones, in all clusters */
/* The first entry of each class of the cluster that was put as a large one, in order, at most `limit`; how many there are. */
size_t queue_large(const struct queue *queue, int64_t cluster, int64_t now_ms, const struct waiting **items, size_t limit);
/* Whether those of the entry's class are large in their pool: only then is room kept for them, and only then are they before smaller ones. */
void queue_set_large(struct queue *queue, struct id first, bool large);
/* The priority with what its age adds: room that is kept for it does not hold back a greater one. */
int64_t queue_rank(const struct waiting *waiting, int64_t now_ms);
/* The first entry whose until_ms has come; NULL: there is none. */
const struct waiting *queue_expired(const struct queue *queue, int64_t now_ms);
void queue_set_until(struct queue *queue, struct id first, int64_t until_ms);          /* unknown: nothing */
/* When queue_next or queue_expired gives an entry; now_ms: at once; 0: nobody knows yet. */
int64_t queue_due_ms(const struct queue *queue, int64_t now_ms);

/* When the first tasks of the entry's class are expected to start, as somebody worked it out; NULL: nobody has. Until its class goes. */
enum { QUEUE_STARTS = 32 };
struct queue_starts { int64_t at_ms; size_t half_count, most_count; int64_t half[QUEUE_STARTS], most[QUEUE_STARTS]; };   /* half of them by then; nine of ten */
const struct queue_starts *queue_starts(const struct queue *queue, struct id first);
void queue_set_starts(struct queue *queue, struct id first, const struct queue_starts *starts);

/* Entries that are before it: all of its cluster, and of its shape. False: it does not wait. Looks at the whole queue. */
struct queue_place { size_t ahead, ahead_in_shape; };
bool queue_place(const struct queue *queue, struct id first, int64_t now_ms, struct queue_place *place);
/* Each entry of a cluster (0: of all), in the order in which they are tried. `items` has room for queue_count, `arena` is scratch. Returns how many. */
size_t queue_list(const struct queue *queue, int64_t cluster, int64_t now_ms, const struct waiting **items, struct arena *arena);
/* The same of the entries of one capacity provider in all clusters, at most `limit` of them: the work follows them and the classes. */
size_t queue_list_for(const struct queue *queue, uint64_t provider, int64_t now_ms, const struct waiting **items, size_t limit, struct arena *arena);
size_t queue_tasks_for(const struct queue *queue, uint64_t provider);     /* tasks of these entries */
/* Does an entry of the cluster wait for the capacity provider? */
bool queue_waits_for(const struct queue *queue, int64_t cluster, uint64_t provider);

#endif
