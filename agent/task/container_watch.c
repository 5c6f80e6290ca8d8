#include "agent/task/container_watch.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"

enum { REST_TIMES = 9, LOOK_MS = 500 };

/* One round: the containers that it looked at, and their usage. */
struct round { struct watched_container *items; struct container_usage *uses; struct opt_double *cores; size_t count; int64_t begun_ms; };

struct container_watch {
    struct runtime *runtime;
    atomic_int *threads;
    const atomic_bool *stop;
    pthread_t thread;
    struct lock lock;
    struct lock_signal changed;
    struct watched_container *wanted; size_t wanted_count;       /* guarded by lock; owned; NULL: nothing is asked */
    struct round last;                                           /* guarded by lock; only the thread replaces it */
};

struct opt_double container_cores(const struct container_usage *before, const struct container_usage *now)
{
    static const double ms_per_s = 1000;
    int64_t passed_ms = now->read_ms - before->read_ms;
    bool known = before->read_ms > 0 && now->read_ms > 0 && passed_ms > 0 && before->cpu_seconds.set && now->cpu_seconds.set
        && now->cpu_seconds.value >= before->cpu_seconds.value;
    if (!known) { return (struct opt_double){ 0 }; }
    double thousandths = (now->cpu_seconds.value - before->cpu_seconds.value) * ms_per_s * ms_per_s / (double)passed_ms;
    return (struct opt_double){ (double)(int64_t)(thousandths + 0.5) / ms_per_s, true };
}

/* ---- the thread ---- */

static void free_round(struct round *round)
{
    free(round->items);
    free(round->uses);
    free(round->cores);
}

static const struct container_usage *find_use(const struct round *round, const char *id)
{
    static const struct container_usage nothing;
    for (size_t c = 0; c < round->count; c++) {
        if (strcmp(round->items[c].id, id) == 0) { return &round->uses[c]; }
    }
    return &nothing;
}

/* Takes `items` over. */
static struct round look(const struct container_watch *watch, const struct round *before, struct watched_container *items, size_t count)
{
    struct str *ids = calloc(count + 1, sizeof *ids);
    struct round round = {
        .items = items, .uses = calloc(count + 1, sizeof *round.uses), .cores = calloc(count + 1, sizeof *round.cores), .count = count,
        .begun_ms = clock_monotonic_ms(),
    };
    ASSERT(ids != NULL && round.uses != NULL && round.cores != NULL);
    for (size_t c = 0; c < count; c++) { ids[c] = str_from(items[c].id); }
    watch->runtime->ops->usage(watch->runtime, &(struct str_list){ ids, count }, round.uses, watch->stop);
    for (size_t c = 0; c < count; c++) { round.cores[c] = container_cores(find_use(before, items[c].id), &round.uses[c]); }
    free(ids);
    return round;
}

/* Waits for a question and for the end of its rest. False: the watch is over. The caller owns *items then. */
static bool wait_for_turn(struct container_watch *watch, int64_t rested_ms, struct watched_container **items, size_t *count)
{
    lock_take(&watch->lock);
    while (!atomic_load(watch->stop) && (watch->wanted == NULL || clock_monotonic_ms() < rested_ms)) {
        (void)lock_wait_until(&watch->changed, &watch->lock, clock_monotonic_ms() + LOOK_MS);
    }
    ASSERT(watch->wanted_count <= CONTAINERS_WATCHED_MAX);
    *items = watch->wanted;
    *count = watch->wanted_count;
    watch->wanted = NULL;
    lock_drop(&watch->lock);
    if (!atomic_load(watch->stop)) { return true; }
    free(*items);
    return false;
}

static void *watch_thread(void *context) NO_THREAD_SAFETY
{
    struct container_watch *watch = context;
    struct watched_container *items;
    size_t count;
    int64_t rested_ms = 0;
    while (wait_for_turn(watch, rested_ms, &items, &count)) {
        struct round now = look(watch, &watch->last, items, count);
        int64_t ended_ms = clock_monotonic_ms();
        rested_ms = ended_ms + (ended_ms - now.begun_ms) * REST_TIMES;
        lock_take(&watch->lock);
        ASSERT(now.begun_ms >= watch->last.begun_ms);
        struct round old = watch->last;
        watch->last = now;
        lock_drop(&watch->lock);
        free_round(&old);
    }
    ASSERT(atomic_fetch_sub(watch->threads, 1) > 0);
    return NULL;
}

/* ---- the loop's side ---- */

void container_watch_ask(struct container_watch *watch, const struct watched_container *list, size_t count)
{
    if (count > CONTAINERS_WATCHED_MAX) { count = CONTAINERS_WATCHED_MAX; }
    struct watched_container *copy = calloc(count + 1, sizeof *copy);
    ASSERT(copy != NULL);
    memcpy(copy, list, count * sizeof *copy);
    lock_take(&watch->lock);
    free(watch->wanted);
    watch->wanted = copy;
    watch->wanted_count = count;
    lock_wake_all(&watch->changed);
    lock_drop(&watch->lock);
}

struct wire_container_sample_list container_watch_take(struct container_watch *watch, int64_t *age_ms, struct arena *arena)
{
    lock_take(&watch->lock);
    const struct round *last = &watch->last;
    struct wire_container_sample_list list = { ARENA_NEW(arena, struct wire_container_sample, last->count + 1), 0 };
    *age_ms = clock_monotonic_ms() - last->begun_ms;
    for (size_t c = 0; c < last->count; c++) {
        const struct container_usage *use = &last->uses[c];
        if (use->read_ms == 0) { continue; }
        list.items[list.count++] = (struct wire_container_sample){
            .task = arena_str(arena, str_from(last->items[c].task)), .container = arena_str(arena, str_from(last->items[c].name)),
            .cpu_cores = last->cores[c], .memory_bytes = use->memory_bytes, .network_received_bytes = use->network_received_bytes,
            .network_sent_bytes = use->network_sent_bytes, .block_read_bytes = use->block_read_bytes,
            .block_written_bytes = use->block_written_bytes,
        };
    }
    lock_drop(&watch->lock);
    return list;
}

void container_watch_wake(struct container_watch *watch)
{
    if (watch == NULL) { return; }
    lock_take(&watch->lock);
    lock_wake_all(&watch->changed);
    lock_drop(&watch->lock);
}

static void watch_free(struct container_watch *watch) NO_THREAD_SAFETY
{
    free(watch->wanted);
    free_round(&watch->last);
    lock_signal_finish(&watch->changed);
    lock_finish(&watch->lock);
    free(watch);
}

struct container_watch *container_watch_start(struct runtime *runtime, atomic_int *threads, const atomic_bool *stop)
{
    struct container_watch *watch = calloc(1, sizeof *watch);
    ASSERT(watch != NULL);
    watch->runtime = runtime;
    watch->threads = threads;
    watch->stop = stop;
    lock_init(&watch->lock);
    lock_signal_init(&watch->changed);
    atomic_fetch_add(threads, 1);
    if (pthread_create(&watch->thread, NULL, watch_thread, watch) == 0) { return watch; }
    atomic_fetch_sub(threads, 1);
    watch_free(watch);
    return NULL;
}

void container_watch_destroy(struct container_watch *watch)
{
    if (watch == NULL) { return; }
    ASSERT(atomic_load(watch->stop) && pthread_join(watch->thread, NULL) == 0);
    watch_free(watch);
}
