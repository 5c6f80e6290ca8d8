/* writer.c: no timer is needed for group commit: while one commit syncs, the next batch collects. */
#include "server/writing/writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"

enum { BATCH_JOBS_MAX = 512, PATIENCE_MAX_MS = 3 };

static const size_t world_ceiling = (size_t)1 << 40;      /* the fleet's size is its limit, not this */

struct batch { struct job *first, *last; size_t count; };    /* jobs that one commit keeps */

struct writer {
    struct writer_config config;
    pthread_t thread;

    struct lock lock;                        /* guards the block below */
    struct lock_signal more, loaded;
    struct job *first, **last;
    size_t queued, wanted;                   /* wanted: the thread is woken when as many jobs wait */
    bool stopping, tried;                    /* tried: to load the world, since it was opened */
    struct err trouble;                      /* … and why that failed */
    bool open, opening, closing;             /* opening, closing: asked for, and not done yet */
    enum { AHEAD_NOTHING, AHEAD_READ, AHEAD_FORGET } ahead;  /* asked for too */
    bool has_ahead;                          /* the world was read, or is to be, and the writer is closed */
    struct writer_counts counts;

    struct arena world_arena;                /* the writer thread's own from here */
    struct world *world;                     /* NULL: the store could not be read; tried again with the next batch */
    size_t expected;                         /* jobs of the last batch, and those that waited when it was answered */
    int64_t commit_ms;                       /* how long the last commit took */
    struct rng rng;
    struct id_gen ids;
    struct writer_figures figures;           /* written by the writer's thread, read by any */
};

/* ---- the world ---- */

static void drop_world(struct writer *writer)
{
    arena_finish(&writer->world_arena);
    writer->world = NULL;
}

static bool load_world(struct writer *writer, struct err *err)
{
    arena_finish(&writer->world_arena);
    arena_init(&writer->world_arena, world_ceiling);
    writer->world = sched_world_create(&writer->world_arena);
    struct store_txn *txn = store_read_begin(writer->config.store);
    api_load_world(writer->world, txn);
    int64_t revision = store_revision(txn);
    if (!store_read_end(txn)) {
        writer->world = NULL;
        return err_set(err, ERR_SERVER, "The store can't be read.");
    }
    lock_take(&writer->lock);
    writer->counts.revision = revision;
    lock_drop(&writer->lock);
    return true;
}

/* ---- the queue ---- */

/* The jobs that wait, `max` at most, in their order; the lock is held. *last: the last of them. */
static struct job *take_waiting(struct writer *writer, size_t max, struct job **last, size_t *count) REQUIRES(writer->lock)
{
    struct job *first = writer->first;
    *last = NULL;
    *count = 0;
    for (struct job *job = first; job != NULL && *count < max; job = job->next) {
        *last = job;
        (*count)++;
    }
    if (*last == NULL) { return NULL; }
    writer->first = (*last)->next;
    (*last)->next = NULL;
    if (writer->first == NULL) { writer->last = &writer->first; }
    ASSERT(writer->queued >= *count && (writer->queued == *count) == (writer->first == NULL));
    writer->queued -= *count;
    return first;
}

static struct job *take_batch(struct writer *writer, struct job **last, size_t *count)
{
    lock_take(&writer->lock);
    while (writer->first == NULL && !writer->stopping && !writer->opening && !writer->closing && writer->ahead == AHEAD_NOTHING) {
        lock_wait(&writer->more, &writer->lock);
    }
    struct job *batch = take_waiting(writer, BATCH_JOBS_MAX, last, count);
    lock_drop(&writer->lock);
    return batch;
}

/* Clients that were answered ask again at once. Without patience half of them are in this batch and half in the next, and each waits for two appends. So as
 * many jobs as there were are waited for, until then; half of those that are missing are worth running while the others come. NULL: no more of them. */
static struct job *gather(struct writer *writer, size_t had, int64_t until_ms, struct job **last, size_t *count)
{
    lock_take(&writer->lock);
    size_t all = writer->expected < BATCH_JOBS_MAX ? writer->expected : BATCH_JOBS_MAX, missing = all > had ? all - had : 0;
    writer->wanted = (missing + 1) / 2;
    bool in_time = true;
    while (writer->queued < writer->wanted && in_time && !writer->stopping && !writer->closing) {
        in_time = lock_wait_until(&writer->more, &writer->lock, until_ms);
    }
    writer->wanted = 1;
    struct job *more = missing > 0 ? take_waiting(writer, BATCH_JOBS_MAX - had, last, count) : NULL;
    lock_drop(&writer->lock);
    return more;
}

/* ---- one turn ---- */

/* Must it be committed? A look has written nothing. */
static bool is_kept(const struct job *job) { return job->ok && job->call->operation->access == OP_WRITE; }

static void run_job(struct writer *writer, struct store_txn *txn, struct job *job)
{
    ASSERT(writer->world != NULL && job->call->operation->access != OP_READ);
    struct op_ctx ctx = {
        .config = writer->config.api, .txn = txn, .arena = job->arena, .world = writer->world, .ids = &writer->ids,
        .rng = &writer->rng, .now_ms = clock_now_ms(), .caller = job->caller,
    };
    store_job_begin(txn);
    job->err = (struct err){ 0 };                              /* it may have run before */
    job->ok = clock_is_set(ctx.now_ms) ? api_run(job->call, &ctx, &job->err)
                                       : err_set(&job->err, ERR_SERVER, "Nothing was changed: the clock of the server's machine is not set.");
    if (!store_job_end(txn, is_kept(job))) {                   /* the store failed, so that even a refusal may rest on nothing */
        job->ok = false;
        job->err = (struct err){ 0 };
    }
    job->effects = ctx.effects;
}

/* Jobs that went well get the problem as their error; a job that was refused keeps its own error. */
static void fail_batch(struct job *batch, const char *problem)
{
    for (struct job *job = batch; job != NULL; job = job->next) {
        if (!job->ok && job->err.code != ERR_NONE) { continue; }
        job->ok = false;
        err_set(&job->err, ERR_SERVER, "Nothing was changed: %s.", problem);
    }
}

/* A refusal too may rest on what another server has changed meanwhile. */
static void refuse_batch(struct job *batch, const struct err *why)
{
    for (struct job *job = batch; job != NULL; job = job->next) {
        job->ok = false;
        job->err = *why;
    }
}

static void apply_effects(struct writer *writer, const struct job *batch)
{
    for (const struct job *job = batch; job != NULL; job = job->next) {
        const struct effect_list *effects = &job->effects;
        bool any = effects->count > 0 || effects->calls != NULL || effects->provisions != NULL || effects->lines != NULL;
        if (job->ok && any) { writer->config.effects(writer->config.context, effects); }
    }
}

static void answer_batch(struct job *batch)
{
    for (struct job *job = batch, *next; job != NULL; job = next) {
        next = job->next;                                 /* the owner may free the job as soon as it is answered */
        ASSERT(job->ok || job->err.code != ERR_NONE);     /* a refusal says why */
        if (job->done != NULL) {
            job->done(job);
        } else {
            ASSERT(sem_post(&job->answered) == 0);
        }
    }
}

/* `problem`: why the commit failed; NULL: it did not. */
static void count_batch(struct writer *writer, size_t jobs, bool wanted, const char *problem, int64_t revision)
{
    lock_take(&writer->lock);
    struct writer_counts *counts = &writer->counts;
    bool wrote = problem == NULL && revision > counts->revision;
    counts->batches++;
    counts->jobs += (int64_t)jobs;
    if (wanted && problem == NULL) {
        ASSERT(revision >= counts->revision);             /* equal: nothing had to be written */
        counts->commits++;
        counts->revision = revision;
    }
    if (wanted && problem != NULL) { counts->failed_commits++; }
    if (wanted && (problem != NULL || wrote)) {           /* a commit that wrote nothing does not show that the disk works */
        (void)snprintf(counts->trouble, sizeof counts->trouble, "%s", problem == NULL ? "" : problem);
    }
    lock_drop(&writer->lock);
}

static bool any_kept(const struct job *batch)
{
    for (const struct job *job = batch; job != NULL; job = job->next) {
        if (is_kept(job)) { return true; }
    }
    return false;
}

static void reload_world(struct writer *writer)
{
    struct err err = { 0 };
    if (!load_world(writer, &err)) { log_line(LOG_ERROR, "writer", "%s", err.message); }
}

/* The job during which the store failed to read or write; NULL: there is none. The jobs after it have not run. */
static struct job *run_jobs(struct writer *writer, struct store_txn *txn, struct job *batch)
{
    struct job *last = NULL;
    for (struct job *job = batch; job != NULL && store_txn_problem(txn) == NULL; job = job->next) {
        run_job(writer, txn, job);
        last = job;
    }
    return store_txn_problem(txn) == NULL ? NULL : last;
}

static struct job *take_out(struct job *batch, struct job *job)
{
    if (batch == job) { return job->next; }
    for (struct job *before = batch; before->next != NULL; before = before->next) {
        if (before->next != job) { continue; }
        before->next = job->next;
        break;
    }
    return batch;
}

/* The culprit fails alone. Returns the other jobs, which must run once more. */
static struct job *fail_alone(struct writer *writer, struct job *batch, struct job *culprit, const char *problem)
{
    log_line(LOG_ERROR, "writer", STR_FMT " failed, the jobs beside it are run again: %s", STR_ARG(culprit->call->operation->name), problem);
    struct job *others = take_out(batch, culprit);
    culprit->next = NULL;
    fail_batch(culprit, problem);
    answer_batch(culprit);
    reload_world(writer);
    return others;
}

static void fail_all(struct writer *writer, struct job *batch, const char *problem, int64_t revision)
{
    const struct writer_log *log = writer->config.log;
    struct err why = { 0 };
    if (log != NULL && log->explain(writer->config.context, revision, &why)) {
        log_line(LOG_WARN, "writer", "commit %lld failed: %s", (long long)revision, why.message);
        refuse_batch(batch, &why);
    } else {
        log_line(LOG_ERROR, "writer", "commit failed, nothing was changed: %s", problem);
        fail_batch(batch, problem);
    }
    reload_world(writer);
}

/* Answers that rest on no commit leave when the log says that this server leads. */
static void confirm_batch(struct writer *writer, struct job *batch)
{
    const struct writer_log *log = writer->config.log;
    struct err why = { 0 };
    if (log != NULL && !log->confirm(writer->config.context, &why)) { refuse_batch(batch, &why); }
}

/* Runs the jobs that come while the batch is open. */
static void run_more(struct writer *writer, struct store_txn *txn, struct batch *batch, struct job **culprit)
{
    int64_t patience_ms = writer->commit_ms / 2 < PATIENCE_MAX_MS ? writer->commit_ms / 2 : PATIENCE_MAX_MS, until_ms = clock_monotonic_ms() + patience_ms;
    struct job *more, *last;
    size_t count;
    while (patience_ms > 0 && *culprit == NULL && (more = gather(writer, batch->count, until_ms, &last, &count)) != NULL) {
        batch->last->next = more;
        batch->last = last;
        batch->count += count;
        *culprit = run_jobs(writer, txn, more);
    }
}

/* False: the store failed; *culprit is the job during which it did, NULL: the commit failed. *problem says why, until the next write begins. */
static bool try_batch(struct writer *writer, struct batch *batch, bool again, struct job **culprit, const char **problem, int64_t *revision)
{
    int64_t begun_us = clock_monotonic_us(), run_us;
    struct store_txn *txn = store_write_begin(writer->config.store);
    *culprit = run_jobs(writer, txn, batch->first);
    if (!again && writer->config.log != NULL) { run_more(writer, txn, batch, culprit); }
    run_us = clock_monotonic_us();
    histogram_add(&writer->figures.run_us, &histogram_us, run_us - begun_us);
    ASSERT(*culprit == NULL || store_txn_problem(txn) != NULL);
    bool poisoned = store_txn_problem(txn) != NULL, wanted = poisoned || any_kept(batch->first), durable = false;
    int64_t before = writer->counts.revision;            /* only this thread changes it */
    *revision = 0;
    if (poisoned || !wanted) {
        store_write_abort(txn);
    } else {
        durable = store_write_commit(txn, revision);
        int64_t commit_us = clock_monotonic_us() - run_us;
        writer->commit_ms = commit_us / 1000;
        histogram_add(&writer->figures.commit_us, &histogram_us, commit_us);
    }
    *problem = store_txn_problem(txn) != NULL ? store_txn_problem(txn) : "the store could not write it down";
    count_batch(writer, again ? 0 : batch->count, wanted, durable ? NULL : *problem, *revision);        /* jobs that run again are counted */
    if (durable) {
        apply_effects(writer, batch->first);
        writer->config.committed(writer->config.context, *revision);
    }
    if (!poisoned && (durable ? *revision == before : !wanted)) { confirm_batch(writer, batch->first); }
    return durable || !wanted;
}

static void run_batch(struct writer *writer, struct batch *batch)
{
    struct job *culprit;
    const char *problem;
    int64_t revision;
    bool good = try_batch(writer, batch, false, &culprit, &problem, &revision);
    bool again = !good && culprit != NULL && batch->count > 1;
    if (again) {
        batch->first = fail_alone(writer, batch->first, culprit, problem);
        again = writer->world != NULL;
    }
    if (again) { good = try_batch(writer, batch, true, &culprit, &problem, &revision); }
    if (!good) { fail_all(writer, batch->first, problem, revision); }
    answer_batch(batch->first);
}

static void tell_due(struct writer *writer)
{
    bool known = writer->world != NULL;
    atomic_store_explicit(&writer->figures.waiting, known ? api_waiting_tasks(writer->world) : 0, memory_order_relaxed);
    if (writer->config.due == NULL || (!known && writer->config.log == NULL)) { return; }
    writer->config.due(writer->config.context, known ? api_services_due_ms(writer->world, clock_now_ms()) : 0);
}

/* Is the world that of the store's last commit? */
static bool is_newest(struct writer *writer)
{
    struct store_txn *txn = store_read_begin(writer->config.store);
    bool newest = writer->world != NULL && store_revision(txn) == writer->counts.revision;       /* only this thread changes that */
    return store_read_end(txn) && newest;
}

static void load_first(struct writer *writer)
{
    struct err err = { 0 };
    if (!is_newest(writer)) { (void)load_world(writer, &err); }
    lock_take(&writer->lock);
    writer->has_ahead = false;
    writer->trouble = err;
    writer->tried = true;
    writer->open = writer->world != NULL || writer->config.log == NULL;      /* one that is alone tries again with the next batch */
    writer->opening = false;
    lock_wake_all(&writer->loaded);
    lock_drop(&writer->lock);
    tell_due(writer);                                     /* it may bring a job at once */
}

/* Waiting jobs are refused: another server takes them, when the callers ask again. */
static void close_now(struct writer *writer)
{
    lock_take(&writer->lock);
    struct job *waiting = writer->first;
    writer->first = NULL;
    writer->last = &writer->first;
    writer->queued = 0;
    lock_drop(&writer->lock);
    struct err why = { 0 };
    (void)err_set(&why, ERR_UNAVAILABLE, "This server does not lead any more. Ask again.");
    refuse_batch(waiting, &why);
    answer_batch(waiting);
    drop_world(writer);
    tell_due(writer);
    lock_take(&writer->lock);
    writer->closing = false;
    writer->counts.trouble[0] = '\0';                     /* of commits: from now on there are none */
    lock_wake_all(&writer->loaded);
    lock_drop(&writer->lock);
}

/* One that can't be read now is read again when the writer is opened, which tells why not. */
static void look_ahead(struct writer *writer, bool reads)
{
    struct err err = { 0 };
    if (reads) { (void)load_world(writer, &err); } else { drop_world(writer); }
}

/* Opens or closes, as writer_open and writer_close have asked, between batches. False: nothing was asked. */
static bool turn_key(struct writer *writer)
{
    lock_take(&writer->lock);
    bool opening = writer->opening, closing = writer->closing, reads = writer->ahead == AHEAD_READ;
    bool asked = opening || closing || writer->ahead != AHEAD_NOTHING;
    writer->ahead = AHEAD_NOTHING;
    lock_drop(&writer->lock);
    if (closing) { close_now(writer); } else if (opening) { load_first(writer); } else if (asked) { look_ahead(writer, reads); }
    return asked;
}

static void *writer_thread(void *context)
{
    struct writer *writer = context;
    if (writer->config.log == NULL) { load_first(writer); }
    for (;;) {
        struct batch batch;
        if (turn_key(writer)) { continue; }
        batch.first = take_batch(writer, &batch.last, &batch.count);
        if (batch.first == NULL && turn_key(writer)) { continue; }
        if (batch.first == NULL) { return NULL; }               /* stopping, and nothing waits any more */
        struct err err = { 0 };
        if (writer->world == NULL && !load_world(writer, &err)) {
            fail_batch(batch.first, "the store can't be read");
            answer_batch(batch.first);
            continue;
        }
        run_batch(writer, &batch);
        histogram_add(&writer->figures.jobs, &histogram_items, (int64_t)batch.count);
        lock_take(&writer->lock);
        writer->expected = batch.count + writer->queued;
        lock_drop(&writer->lock);
        tell_due(writer);
    }
}

/* ---- doors ---- */

static void free_writer(struct writer *writer)
{
    ASSERT(writer->first == NULL && writer->queued == 0);
    lock_signal_finish(&writer->more);
    lock_signal_finish(&writer->loaded);
    lock_finish(&writer->lock);
    arena_finish(&writer->world_arena);
    free(writer);
}

struct writer *writer_start(const struct writer_config *config, struct err *err)
{
    struct writer *writer = calloc(1, sizeof *writer);
    ASSERT(writer != NULL);
    ASSERT(config->store != NULL && config->api != NULL && config->committed != NULL && config->effects != NULL && config->queue_max > 0);
    writer->config = *config;
    writer->last = &writer->first;
    writer->wanted = 1;
    rng_seed(&writer->rng, rng_entropy());
    writer->ids = (struct id_gen){ .rng = &writer->rng };
    lock_init(&writer->lock);
    lock_signal_init(&writer->more);
    lock_signal_init(&writer->loaded);
    if (pthread_create(&writer->thread, NULL, writer_thread, writer) == 0) { return writer; }
    err_set(err, ERR_SERVER, "There is no thread for the writer.");
    free_writer(writer);
    return NULL;
}

bool writer_open(struct writer *writer, struct err *err)
{
    ASSERT(writer->config.log != NULL);
    lock_take(&writer->lock);
    writer->opening = true;
    lock_wake_all(&writer->more);
    while (writer->opening) { lock_wait(&writer->loaded, &writer->lock); }
    *err = writer->trouble;
    bool open = writer->open;
    lock_drop(&writer->lock);
    return open;
}

static void ask_ahead(struct writer *writer, bool reads)
{
    lock_take(&writer->lock);
    bool asks = !writer->open && !writer->opening && reads != writer->has_ahead;
    if (asks) {
        writer->ahead = reads ? AHEAD_READ : AHEAD_FORGET;
        writer->has_ahead = reads;
        lock_wake_all(&writer->more);
    }
    lock_drop(&writer->lock);
}

void writer_read_ahead(struct writer *writer) { ask_ahead(writer, true); }

void writer_forget_ahead(struct writer *writer) { ask_ahead(writer, false); }

void writer_close(struct writer *writer)
{
    lock_take(&writer->lock);
    writer->open = false;                                 /* from now on jobs are refused */
    writer->closing = true;
    lock_wake_all(&writer->more);
    while (writer->closing) { lock_wait(&writer->loaded, &writer->lock); }
    lock_drop(&writer->lock);
}

bool writer_is_open(struct writer *writer)
{
    lock_take(&writer->lock);
    bool open = writer->open;
    lock_drop(&writer->lock);
    return open;
}

bool writer_ready(struct writer *writer, struct err *err)
{
    lock_take(&writer->lock);
    while (!writer->tried && writer->config.log == NULL) { lock_wait(&writer->loaded, &writer->lock); }
    *err = writer->trouble;
    lock_drop(&writer->lock);
    return err->code == ERR_NONE;
}

void writer_stop(struct writer *writer)
{
    if (writer == NULL) { return; }
    lock_take(&writer->lock);
    writer->stopping = true;
    lock_wake_all(&writer->more);
    lock_drop(&writer->lock);
    ASSERT(pthread_join(writer->thread, NULL) == 0);
    free_writer(writer);
}

bool writer_submit(struct writer *writer, struct job *job, struct err *err)
{
    ASSERT(job->call->operation->access != OP_READ && job->arena != NULL);
    job->ok = false;
    job->err = (struct err){ 0 };
    job->effects = (struct effect_list){ 0 };
    job->next = NULL;

    lock_take(&writer->lock);
    bool full = writer->queued >= writer->config.queue_max, stopping = writer->stopping, closed = !writer->open && writer->config.log != NULL;
    if (full || stopping || closed) {
        writer->counts.refused++;
    } else {
        if (job->done == NULL) { ASSERT(sem_init(&job->answered, 0, 0) == 0); }
        *writer->last = job;
        writer->last = &job->next;
        writer->queued++;
        if (writer->queued == writer->wanted) { lock_wake_one(&writer->more); }
    }
    lock_drop(&writer->lock);
    if (stopping) { return err_set(err, ERR_UNAVAILABLE, "The server is stopping."); }
    if (closed) { return err_set(err, ERR_UNAVAILABLE, "This server does not lead. Ask again."); }
    return !full || err_set(err, ERR_THROTTLING, "Rate exceeded");
}

bool writer_wait(struct job *job, struct err *err)
{
    ASSERT(job->done == NULL);               /* otherwise the job may be gone */
    while (sem_wait(&job->answered) != 0) { }             /* a signal's handler ran on this thread */
    ASSERT(sem_destroy(&job->answered) == 0);
    if (!job->ok) { *err = job->err; }
    return job->ok;
}

bool writer_run(struct writer *writer, struct job *job, struct err *err)
{
    return writer_submit(writer, job, err) && writer_wait(job, err);
}

struct writer_counts writer_count(struct writer *writer)
{
    lock_take(&writer->lock);
    struct writer_counts counts = writer->counts;
    counts.queued = writer->queued;
    lock_drop(&writer->lock);
    return counts;
}

struct writer_figures *writer_figures(struct writer *writer) { return &writer->figures; }
