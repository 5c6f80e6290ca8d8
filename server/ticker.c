/* ticker.c: a turn each second. A turn that fails (the queue is full, the disk too) is simply made again. */
#include "server/ticker.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"

enum {
    TURN_MS = 1000,
    LOST_JOBS_MAX = 128,                     /* handed in together, so that they share commits */
    EXPIRE_TASKS_MAX = 250,                  /* in a commit: whoever comes meanwhile waits for no more than that */
    EXPIRE_MS = 500,                         /* of a turn: the other half is for those who do not expire */
    SWEEP_TURNS = 60,
    ARENA_CEILING = 64 * 1024 * 1024,
};

struct ticker {
    struct ticker_config config;
    pthread_t thread;
    struct lock lock;
    struct lock_signal stop;
    bool stopping;                           /* guarded by lock */
    struct arena arena;                      /* the ticker thread's own; the writer's while a job runs */
};

static const struct caller ticker_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_ADMIN };

/* One piece. True: there may be more. */
static bool expire_some(struct ticker *ticker)
{
    const struct expire_tasks input = { .limit = EXPIRE_TASKS_MAX };
    struct api_call call;
    struct err err = { 0 };
    api_prepare_expire(&input, &ticker->arena, &call);
    struct job job = { .call = &call, .arena = &ticker->arena, .caller = ticker_caller };
    bool good = writer_run(ticker->config.writer, &job, &err);
    if (!good) { log_line(LOG_WARN, "ticker", "old tasks were not removed: %s", err.message); }
    bool again = good && api_expire_again(&call);
    arena_reset(&ticker->arena);
    return again;
}

/* As fast as they came, in pieces, so that nobody waits for all of them. */
static void expire_tasks(struct ticker *ticker)
{
    int64_t until_ms = clock_monotonic_ms() + EXPIRE_MS;
    while (expire_some(ticker) && clock_monotonic_ms() < until_ms) { }
}

/* What is done for each of some instances: who they are, what the writer is handed, and what follows when it is written down. */
struct duty {
    size_t (*find)(struct sessions *sessions, int64_t monotonic_ms, struct id *ids, size_t limit);
    void (*prepare)(struct id id, struct arena *arena, struct api_call *call);
    void (*done)(struct sessions *sessions, struct id id);
    const char *told, *failed;
};

static void prepare_absence(struct id id, struct arena *arena, struct api_call *call)
{
    api_prepare_presence(&(struct agent_presence){ .instance = id }, arena, call);
}

static void prepare_fence(struct id id, struct arena *arena, struct api_call *call)
{
    api_prepare_fence(&(struct fence_instance){ id }, arena, call);
}

static const struct duty duties[] = {
    { sessions_lost, prepare_absence, sessions_forget, "agent lost", "an agent is lost, which can't be written down" },
    { sessions_expired, prepare_fence, sessions_fenced, "lease over, the machine's tasks have ended", "a lease is over, which can't be written down" },
};

/* All jobs are prepared before the first is handed in: from then on the arena is the writer's, until all are answered. */
static void do_duty(struct ticker *ticker, const struct duty *duty)
{
    struct arena *arena = &ticker->arena;
    struct id *ids = ARENA_NEW(arena, struct id, LOST_JOBS_MAX);
    size_t count = duty->find(ticker->config.sessions, clock_monotonic_ms(), ids, LOST_JOBS_MAX), submitted = 0;
    struct job *jobs = ARENA_NEW(arena, struct job, count);
    struct api_call *calls = ARENA_NEW(arena, struct api_call, count);
    for (size_t i = 0; i < count; i++) {
        duty->prepare(ids[i], arena, &calls[i]);
        jobs[i] = (struct job){ .call = &calls[i], .arena = arena, .caller = ticker_caller };
    }
    struct err err = { 0 };
    while (submitted < count && writer_submit(ticker->config.writer, &jobs[submitted], &err)) { submitted++; }
    for (size_t i = 0; i < submitted; i++) {
        struct err failed = { 0 };
        if (writer_wait(&jobs[i], &failed)) {
            char hex[ID_HEX_LEN + 1];
            id_hex(ids[i], hex);
            log_line(LOG_INFO, "sessions", "%s: instance=%s", duty->told, hex);
            duty->done(ticker->config.sessions, ids[i]);
        } else {
            log_line(LOG_WARN, "sessions", "%s: %s", duty->failed, failed.message);
        }
    }
    arena_reset(arena);
}

/* A log is not removed because the store can't be read. */
static enum log_fate fate_of_log(void *context, struct id id)
{
    struct ticker *ticker = context;
    struct store_txn *txn = store_read_begin(ticker->config.store);
    bool exists = store_task(txn, id, &ticker->arena) != NULL;
    bool past = !exists && store_history(txn, id, &ticker->arena) != NULL;
    bool sound = store_read_end(txn);
    arena_reset(&ticker->arena);
    return exists || !sound ? LOG_STAYS : past ? LOG_ENDS : LOG_GOES;
}

static void turn(struct ticker *ticker, uint64_t number)
{
    for (size_t d = 0; d < COUNT_OF(duties); d++) { do_duty(ticker, &duties[d]); }
    expire_tasks(ticker);
    tls_look(ticker->config.tls);
    if (number % SWEEP_TURNS != 0) { return; }
    store_forget_dead_readers(ticker->config.store);
    logs_sweep(ticker->config.logs, fate_of_log, ticker);
}

static bool wait_turn(struct ticker *ticker)
{
    int64_t until_ms = clock_monotonic_ms() + TURN_MS;
    bool in_time = true;
    lock_take(&ticker->lock);
    while (!ticker->stopping && in_time) { in_time = lock_wait_until(&ticker->stop, &ticker->lock, until_ms); }
    bool go_on = !ticker->stopping;
    lock_drop(&ticker->lock);
    return go_on;
}

static void *ticker_thread(void *context)
{
    struct ticker *ticker = context;
    for (uint64_t number = 0; wait_turn(ticker); number++) { turn(ticker, number); }
    return NULL;
}

static void ticker_free(struct ticker *ticker)
{
    arena_finish(&ticker->arena);
    lock_signal_finish(&ticker->stop);
    lock_finish(&ticker->lock);
    free(ticker);
}

struct ticker *ticker_start(const struct ticker_config *config, struct err *err)
{
    struct ticker *ticker = calloc(1, sizeof *ticker);
    ASSERT(ticker != NULL);
    ticker->config = *config;
    lock_init(&ticker->lock);
    lock_signal_init(&ticker->stop);
    arena_init(&ticker->arena, ARENA_CEILING);
    if (pthread_create(&ticker->thread, NULL, ticker_thread, ticker) == 0) { return ticker; }
    err_set(err, ERR_SERVER, "There is no thread for the ticker.");
    ticker_free(ticker);
    return NULL;
}

void ticker_stop(struct ticker *ticker)
{
    if (ticker == NULL) { return; }
    lock_take(&ticker->lock);
    ticker->stopping = true;
    lock_wake_all(&ticker->stop);
    lock_drop(&ticker->lock);
    ASSERT(pthread_join(ticker->thread, NULL) == 0);
    ticker_free(ticker);
}
