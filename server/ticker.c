/* ticker.c: a turn each second. Work that fails (the queue or the disk is full) is tried again in the next turn. */
#include "server/ticker.h"

#include <stdlib.h>

#include "api/tell/role_credentials.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "server/steady.h"

enum {
    TURN_MS = 1000,
    HELD_TURNS = 60,                         /* a server that is killed loses as much of the use of GPUs */
    OLD_TASKS = 250, LOST_MACHINES = 128,    /* in a commit: other jobs wait no longer than for these */
    LOST_TASKS = 100,                        /* fewer, since tasks of one machine lie all over the store: each changes some seven pages */
    PIECES_MS = 500,                         /* of a turn, and at least one piece of each kind; the rest is for other jobs */
    SWEEP_TURNS = 60,
    SCALING_LOOKS = 6, SCALING_SERVICES = 64,        /* looks at scalable targets in a minute; how many targets in a commit */
    KEEP_CLOCK_MS = 10 * 60 * 1000,          /* less than a jump, so that a server that starts again at once does not wait */
    ARENA_CEILING = 64 * 1024 * 1024,
};

struct ticker {
    struct ticker_config config;
    pthread_t thread;
    struct lock lock;
    struct lock_signal stop;
    bool stopping;                           /* guarded by lock */
    struct steady steady;                    /* the ticker thread's own, like what follows */
    struct kept_clock kept;                  /* as the store has it; 0: not at all */
    int64_t kept_at_ms;                      /* of the clock that only grows */
    struct minutes *minutes;                 /* of services that scale */
    int64_t minute;                          /* the last that ended, since 1970 */
    uint64_t role_key;                       /* at the last look: role_key_print */
    bool leads;                              /* at the last look */
    struct arena arena;                      /* the ticker thread's own; the writer's while a job runs */
};

static const struct caller ticker_caller = { .access_key = STR_INIT(""), .user = STR_INIT("berth"), .role = ACCESS_ADMIN };

/* The arena is the writer's until it has answered. */
static bool run_call(struct ticker *ticker, struct api_call *call, const char *failed)
{
    struct job job = { .call = call, .arena = &ticker->arena, .caller = ticker_caller };
    struct err err = { 0 };
    bool good = writer_run(ticker->config.writer, &job, &err);
    if (!good) { log_line(LOG_WARN, "ticker", "%s: %s", failed, err.message); }
    return good;
}

/* ---- the clock ---- */

static const char clock_told[] = "nothing that is past its term is removed for an hour; is the time of this machine right?";

static void keep_clock(struct ticker *ticker, struct kept_clock kept)
{
    struct api_call call;
    api_prepare_keep_clock(&kept, &ticker->arena, &call);
    if (run_call(ticker, &call, "the clock can't be written down")) {
        ticker->kept = kept;
        ticker->kept_at_ms = clock_boot_ms();
    }
    arena_reset(&ticker->arena);
}

static void begin_clock(struct ticker *ticker)
{
    int64_t wall_ms = clock_now_ms();
    struct store_txn *txn = store_read_begin(ticker->config.store);
    ticker->kept.wall_ms = api_kept_clock(txn, &ticker->arena);
    if (!store_read_end(txn)) { ticker->kept.wall_ms = 0; }
    arena_reset(&ticker->arena);
    ticker->steady = steady_begin(ticker->kept.wall_ms, wall_ms, clock_boot_ms());
    ticker->kept_at_ms = ticker->steady.since_ms;
    atomic_store(ticker->config.clock_doubted, ticker->steady.waits);
    if (ticker->steady.waits) {
        int64_t away_ms = wall_ms - ticker->kept.wall_ms;
        log_line(LOG_WARN, "ticker", "the clock is %lld s away from when the server last ran: %s", (long long)(away_ms / 1000), clock_told);
    } else {
        keep_clock(ticker, (struct kept_clock){ wall_ms });
    }
}

/* A clock that is not believed is not kept: the next start waits too. After a failed commit anything is written, to see whether that works again. */
static void look_at_clock(struct ticker *ticker)
{
    int64_t wall_ms = clock_now_ms(), grown_ms = clock_boot_ms(), jumped_ms = steady_look(&ticker->steady, wall_ms, grown_ms);
    bool waits = ticker->steady.waits, ended = atomic_exchange(ticker->config.clock_doubted, waits) && !waits;
    if (jumped_ms != 0) { log_line(LOG_WARN, "ticker", "the clock has jumped by %lld s: %s", (long long)(jumped_ms / 1000), clock_told); }
    if (ended) { log_line(LOG_INFO, "ticker", "the clock has been steady for an hour: expired records are removed again"); }
    bool is_due = !waits && (ended || grown_ms - ticker->kept_at_ms >= KEEP_CLOCK_MS);
    bool is_in_trouble = writer_count(ticker->config.writer).trouble[0] != '\0';
    if (is_due || is_in_trouble) { keep_clock(ticker, waits ? ticker->kept : (struct kept_clock){ wall_ms }); }
}

/* ---- old tasks ---- */

static bool expire_some(struct ticker *ticker)
{
    if (ticker->steady.waits) { return false; }
    struct api_call call;
    api_prepare_expire(&(struct expire_tasks){ OLD_TASKS }, &ticker->arena, &call);
    bool again = run_call(ticker, &call, "old tasks were not removed") && api_expire_again(&call);
    arena_reset(&ticker->arena);
    return again;
}

/* ---- machines that are out of reach ---- */

/* Work for some instances: how they are found, the operation for the writer, and the call for each of them after its commit. */
struct duty {
    size_t (*find)(struct sessions *sessions, int64_t monotonic_ms, struct id *ids, size_t limit);
    void (*prepare)(const struct machine_batch *batch, struct arena *arena, struct api_call *call);
    void (*done)(struct sessions *sessions, struct id id);
    const char *told, *failed;
};

static const struct duty duties[] = {
    { sessions_lost, api_prepare_absence, sessions_forget, "agent lost", "agents are lost, which can't be written down" },
    { sessions_expired, api_prepare_fence, sessions_fenced, "lease over, the machine's tasks have ended", "leases are over, which can't be written down" },
};

/* One piece, of as many of the machines as there is room for. */
static bool tell_of(struct ticker *ticker, const struct duty *duty, const struct id *ids, size_t count)
{
    struct api_call call;
    duty->prepare(&(struct machine_batch){ ids, count, LOST_TASKS }, &ticker->arena, &call);
    bool good = run_call(ticker, &call, duty->failed);
    size_t done = good ? api_machines_done(&call) : 0;
    ASSERT(count > 0 && done <= count);
    for (size_t i = 0; i < done; i++) {
        char hex[ID_HEX_LEN + 1];
        id_hex(ids[i], hex);
        log_line(LOG_INFO, "sessions", "%s: instance=%s", duty->told, hex);
        duty->done(ticker->config.sessions, ids[i]);
    }
    arena_reset(&ticker->arena);
    return good;
}

/* A machine whose record can't be written holds up no other: where many fail together, each is tried alone. */
static bool do_some(struct ticker *ticker, const struct duty *duty)
{
    struct id ids[LOST_MACHINES];
    size_t count = duty->find(ticker->config.sessions, clock_monotonic_ms(), ids, COUNT_OF(ids));
    ASSERT(count <= COUNT_OF(ids));
    if (count == 0) { return false; }
    if (tell_of(ticker, duty, ids, count)) { return true; }
    for (size_t i = 0; i < count && count > 1; i++) { (void)tell_of(ticker, duty, &ids[i], 1); }
    return false;
}

static bool lose_some(struct ticker *ticker)  { return do_some(ticker, &duties[0]); }
static bool fence_some(struct ticker *ticker) { return do_some(ticker, &duties[1]); }

/* ---- logs ---- */

/* A log stays when the store can't be read. */
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

/* ---- keys of roles ---- */

/* `berth keys rotate-roles` is another process: agents get new keys as soon as the change is seen here. */
static void look_at_role_key(struct ticker *ticker)
{
    struct store_txn *txn = store_read_begin(ticker->config.store);
    uint64_t print = role_key_print(store_meta(txn, role_key_name, &ticker->arena));
    bool changed = store_read_end(txn) && print != ticker->role_key;
    arena_reset(&ticker->arena);
    if (!changed) { return; }
    ticker->role_key = print;
    sessions_wake_all(ticker->config.sessions);
}

/* ---- targets that the server checks ---- */

static void look_at_targets(struct ticker *ticker)
{
    struct api_call call;
    bool told = !target_checks_look(ticker->config.targets, &ticker->arena, &call)
             || run_call(ticker, &call, "the health of targets can't be written down");
    if (told) { target_checks_told(ticker->config.targets); }
    arena_reset(&ticker->arena);
}

/* ---- scalable targets ---- */

/* Six looks in a minute. */
static uint64_t scaling_turns(const struct ticker *ticker)
{
    int64_t turns = ticker->config.figures.minute_ms / SCALING_LOOKS / TURN_MS;
    return turns > 1 ? (uint64_t)turns : 1;
}

static void scale(struct ticker *ticker)
{
    struct service_minutes *items;
    int64_t now_ms = clock_now_ms(), minute = now_ms / ticker->config.figures.minute_ms;
    struct arena kept;
    arena_init(&kept, ARENA_CEILING);
    size_t count = minutes_look(ticker->minutes, ticker->config.store, &ticker->config.figures, now_ms, minute != ticker->minute, &items, &kept);
    ticker->minute = minute;
    for (size_t done = 0; done < count; done += SCALING_SERVICES) {
        struct api_call call;
        size_t some = count - done < SCALING_SERVICES ? count - done : SCALING_SERVICES;
        api_prepare_scale_services(&(struct scale_services){ items + done, some }, &ticker->arena, &call);
        (void)run_call(ticker, &call, "services were not scaled");
        arena_reset(&ticker->arena);
    }
    arena_finish(&kept);
}

/* ---- turns ---- */

/* One piece. True: there may be more. */
typedef bool do_piece(struct ticker *ticker);
static do_piece *const pieces[] = { lose_some, fence_some, expire_some };

/* The work that writes to the store: the duty of the server that leads. */
static void turn_of_leader(struct ticker *ticker, uint64_t number)
{
    look_at_clock(ticker);
    int64_t until_ms = clock_monotonic_ms() + PIECES_MS;
    for (size_t p = 0; p < COUNT_OF(pieces); p++) {
        while (pieces[p](ticker) && clock_monotonic_ms() < until_ms) { }
    }
    look_at_role_key(ticker);
    look_at_targets(ticker);
    if (number % scaling_turns(ticker) == 0) { scale(ticker); }
}

static void turn(struct ticker *ticker, uint64_t number)
{
    tls_look(ticker->config.tls);
    bool leads = writer_is_open(ticker->config.writer);
    if (leads && !ticker->leads) { begin_clock(ticker); }
    if (leads) { turn_of_leader(ticker, number); }
    ticker->leads = leads;
    if (number % HELD_TURNS == HELD_TURNS - 1) { held_file_write(ticker->config.held_path, ticker->config.held, ticker->config.store, clock_now_ms()); }
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
    minutes_destroy(ticker->minutes);
    arena_finish(&ticker->arena);
    lock_signal_finish(&ticker->stop);
    lock_finish(&ticker->lock);
    free(ticker);
}

struct ticker *ticker_start(const struct ticker_config *config, struct err *err)
{
    struct ticker *ticker = calloc(1, sizeof *ticker);
    ASSERT(ticker != NULL);
    ASSERT(config->store != NULL && config->writer != NULL && config->sessions != NULL && config->logs != NULL && config->clock_doubted != NULL);
    ticker->config = *config;
    lock_init(&ticker->lock);
    lock_signal_init(&ticker->stop);
    arena_init(&ticker->arena, ARENA_CEILING);
    ticker->minutes = minutes_create();
    ticker->leads = writer_is_open(config->writer);
    if (ticker->leads) { begin_clock(ticker); }
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
