/* writer.h: the one thread that changes records. It takes all jobs that wait, runs them in one transaction, commits once, and only then answers. Owns
 * the world, the id generator and the random numbers. Knows jobs and effects; refuses to know HTTP and agents.
 *
 * A failed commit answers every job of the batch with an error, and the world is rebuilt from the store; reads go on. A job during
 * which the store fails to read or write fails alone: the rest of its batch is run once more without it. */
#ifndef BERTH_SERVER_WRITING_WRITER_H
#define BERTH_SERVER_WRITING_WRITER_H

#include <semaphore.h>

#include "api/core/api.h"
#include "server/writing/histogram.h"

/* Belongs to the thread that submits it and lives until writer_wait returns. Call and arena are the writer's in between. One
 * with `done` is not waited for: `done` is called on the writer's thread when it is answered, and owns it from then on. */
struct job {
    struct api_call *call;                   /* prepared */
    struct arena *arena;                     /* the request's; lent */
    struct caller caller;
    bool ok;                                 /* the answers: valid behind writer_wait */
    struct err err;
    struct effect_list effects;              /* the writer's own, from here on */
    void (*done)(struct job *job);           /* NULL: a thread waits in writer_wait */
    struct job *next;
    sem_t answered;
};

/* Where several servers have one log: who may answer, and why a commit failed (ha/member.h). Called on the writer's thread. */
struct writer_log {
    bool (*confirm)(void *context, struct err *err);         /* this server leads, by an answer of the log that began now */
    bool (*explain)(void *context, int64_t revision, struct err *err);       /* false: the log has nothing to do with it */
};

struct writer_config {
    struct store *store;                     /* lent */
    const struct api_config *api;            /* borrowed */
    size_t queue_max;                        /* jobs that may wait */
    /* Called on the writer's thread behind each commit: hints for agents and the page. */
    void (*committed)(void *context, int64_t revision);
    void (*effects)(void *context, const struct effect_list *effects);
    /* Called there after each batch, and when the world was built: when the next step of a service is due
     * (api_services_due_ms). NULL: it is not asked for. */
    void (*due)(void *context, int64_t due_ms);
    void *context;
    const struct writer_log *log;            /* NULL: this server is alone. Else the writer begins closed: see writer_open */
};

struct writer_counts {
    int64_t batches, commits, failed_commits, jobs, refused, revision;
    size_t queued;
    char trouble[160];                       /* why the last commit failed; empty once one has worked */
};
/* Jobs of batches; microseconds in which a batch was decided, placements and all, and in which it was committed. Tasks that wait for room. */
struct writer_figures { struct histogram jobs, run_us, commit_us; atomic_size_t waiting; };

struct writer;
struct writer *writer_start(const struct writer_config *config, struct err *err);     /* owned; its thread begins to read the world */
MUST_USE bool  writer_ready(struct writer *writer, struct err *err);                  /* waits for that; false: the store can't be read */
/* Opens the writer: it reads the world, and takes jobs when this returns true. Only where there is a log. */
MUST_USE bool  writer_open(struct writer *writer, struct err *err);
/* While it is closed: the world is read now, since this server may lead soon; writer_open uses it if no commit came in between. Both return at once. */
void           writer_read_ahead(struct writer *writer);
void           writer_forget_ahead(struct writer *writer);
/* Closes it: jobs that wait are refused (ERR_UNAVAILABLE), and when this returns, none runs and the world is gone. */
void           writer_close(struct writer *writer);
bool           writer_is_open(struct writer *writer);
void           writer_stop(struct writer *writer);                                    /* runs what waits first; accepts NULL */
/* A write or a look. False and *err at once when the queue is full (ERR_THROTTLING) or the writer is stopping (ERR_UNAVAILABLE). */
MUST_USE bool  writer_submit(struct writer *writer, struct job *job, struct err *err);
/* Until the disk has it or the job was refused: no time-out, because the writer works in the job's arena. */
MUST_USE bool  writer_wait(struct job *job, struct err *err);
MUST_USE bool  writer_run(struct writer *writer, struct job *job, struct err *err);   /* both */
struct writer_counts writer_count(struct writer *writer);
struct writer_figures *writer_figures(struct writer *writer);                          /* the writer's; to read */

#endif
