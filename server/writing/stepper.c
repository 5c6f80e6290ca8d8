/* stepper.c: see stepper.h. */
#include "server/writing/stepper.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"

enum { LOOK_MS = 1000, AGAIN_MS = 1000, REST_MAX_MS = 100, ARENA_CEILING = 64 * 1024 * 1024 };     /* LOOK_MS: at the wall clock, which can be set */

struct stepper {
    struct writer *writer;
    pthread_t thread;
    bool started;
    struct lock lock;
    struct lock_signal told;
    bool stopping;                           /* guarded by lock, as the next */
    int64_t due_ms;                          /* 0: no time is known */
    int64_t jobs;                            /* the thread's own: of the writer, after the last step */
    int64_t rests_until_ms;                  /* the thread's own, of the clock that only grows */
    bool alone;                              /* the thread's own: no other job came since the step before */
    struct arena arena;                      /* the thread's own; the writer's while a job runs */
};

static const struct caller stepper_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_ADMIN };

struct stepper *stepper_create(void)
{
    struct stepper *stepper = calloc(1, sizeof *stepper);
    ASSERT(stepper != NULL);
    lock_init(&stepper->lock);
    lock_signal_init(&stepper->told);
    arena_init(&stepper->arena, ARENA_CEILING);
    return stepper;
}

void stepper_tell(struct stepper *stepper, int64_t due_ms)
{
    lock_take(&stepper->lock);
    if (stepper->due_ms != due_ms) {
        stepper->due_ms = due_ms;
        lock_wake_one(&stepper->told);
    }
    lock_drop(&stepper->lock);
}

/* False: the thread ends. */
static bool wait_due(struct stepper *stepper)
{
    lock_take(&stepper->lock);
    while (!stepper->stopping) {
        int64_t now_ms = clock_now_ms(), wait_ms = stepper->due_ms == 0 ? LOOK_MS : stepper->due_ms - now_ms;
        int64_t rest_ms = stepper->rests_until_ms - clock_monotonic_ms();
        if (rest_ms > wait_ms) { wait_ms = rest_ms; }
        if (wait_ms <= 0) { break; }
        (void)lock_wait_until(&stepper->told, &stepper->lock, clock_monotonic_ms() + (wait_ms < LOOK_MS ? wait_ms : LOOK_MS));
    }
    bool go_on = !stepper->stopping;
    stepper->due_ms = 0;                     /* the writer tells the next time */
    lock_drop(&stepper->lock);
    return go_on;
}

/* While other jobs come, they get as much of the writer's time as the steps of a large service. */
static void rest(struct stepper *stepper, int64_t took_ms)
{
    int64_t jobs = writer_count(stepper->writer).jobs;
    bool others_came = jobs > stepper->jobs + 1;
    int64_t rest_ms = !others_came ? 0 : took_ms < REST_MAX_MS ? took_ms : REST_MAX_MS;
    stepper->jobs = jobs;
    stepper->alone = !others_came;
    stepper->rests_until_ms = clock_monotonic_ms() + rest_ms;
}

static void *stepper_thread(void *context)
{
    struct stepper *stepper = context;
    while (wait_due(stepper)) {
        struct api_call call;
        struct err err = { 0 };
        struct job job = { .call = &call, .arena = &stepper->arena, .caller = stepper_caller };
        int64_t begun_ms = clock_monotonic_ms();
        api_prepare_step_services(stepper->alone, &stepper->arena, &call);
        if (!writer_run(stepper->writer, &job, &err)) {
            log_line(LOG_WARN, "stepper", "services and schedules wait for their next step: %s", err.message);
            stepper_tell(stepper, clock_now_ms() + AGAIN_MS);
        }
        rest(stepper, clock_monotonic_ms() - begun_ms);
        arena_reset(&stepper->arena);
    }
    return NULL;
}

bool stepper_start(struct stepper *stepper, struct writer *writer, struct err *err)
{
    stepper->writer = writer;
    stepper->started = pthread_create(&stepper->thread, NULL, stepper_thread, stepper) == 0;
    return stepper->started || err_set(err, ERR_SERVER, "There is no thread for the steps of services.");
}

void stepper_stop(struct stepper *stepper)
{
    if (stepper == NULL || !stepper->started) { return; }
    lock_take(&stepper->lock);
    stepper->stopping = true;
    lock_wake_all(&stepper->told);
    lock_drop(&stepper->lock);
    ASSERT(pthread_join(stepper->thread, NULL) == 0);
    stepper->started = false;
}

void stepper_free(struct stepper *stepper)
{
    if (stepper == NULL) { return; }
    ASSERT(!stepper->started);
    arena_finish(&stepper->arena);
    lock_signal_finish(&stepper->told);
    lock_finish(&stepper->lock);
    free(stepper);
}
