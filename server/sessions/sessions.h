/* sessions.h: one session for each instance whose agent is connected, by any transport. Knows which agents are there, which wait, and which to wake;
 * messages come from the store, through the outbox. That an agent is connected is written through the writer, like every change.
 *
 * An agent makes a *visit*: a poll that is answered once, or a websocket that stays. A visit is either announced (sessions_next_ready returns it when it
 * has news, on one thread that never blocks) or blocks its own thread (sessions_poll). */
#ifndef BERTH_SERVER_SESSIONS_SESSIONS_H
#define BERTH_SERVER_SESSIONS_SESSIONS_H

#include "wire/wire.h"
#include "server/writing/writer.h"

struct sessions_config {
    struct store *store; struct writer *writer;      /* lent */
    const struct api_config *api;                    /* borrowed */
    size_t waiting_max;                              /* polls that may block at once: each holds a thread */
    /* Adds messages to an agent that polls, beside those that follow from the store; NULL: there are none. Any thread. */
    void (*offer)(void *context, struct id instance, struct str_list *messages, struct arena *arena);
    void (*announced)(void *context); void *context; /* any thread, under a lock: there is news for announced visits */
    int64_t lease_ms;                                /* the lease that agents get; 0: none */
    /* May this server answer an agent, whose lease then begins again? NULL: it is alone. Any thread, under a lock. */
    bool (*leads)(void *context);
};
struct sessions_counts { size_t sessions, waiting; };

struct sessions;
/* Instances that the store calls connected get a minute to come back; the leases of the others are counted from now. NULL: the store can't be read. */
struct sessions *sessions_create(const struct sessions_config *config, struct err *err);
/* Another server leads: all visits end (ERR_UNAVAILABLE), and no new ones begin. Then this one does: as after sessions_create. */
void             sessions_pause(struct sessions *sessions);
MUST_USE bool    sessions_resume(struct sessions *sessions, struct err *err);
void             sessions_stop(struct sessions *sessions);           /* ends all that wait, and every visit from now on */
void             sessions_destroy(struct sessions *sessions);        /* no visit may be open; accepts NULL */

/* ---- visits ---- */

enum { VISIT_NAME_LEN = 32 };
struct visit {                               /* all but `owner` is sessions.c's own */
    void *owner;
    struct sessions *sessions;
    struct session *session;                 /* held; NULL: the visit is over */
    struct id instance;
    int64_t lease_ms;                        /* the lease that its agent gets */
    struct str logs_endpoint;                /* lent for as long as the visit is open; empty: the machine's Docker writes no logs here */
    uint64_t serial;
    char name[VISIT_NAME_LEN + 1];           /* of the session it belongs to */
    bool announced, ready;
    struct visit *next, *next_ready;
};
struct visit_wish {                          /* borrowed */
    const struct caller *caller;             /* ERR_ACCESS_DENIED when it may not act for that machine */
    struct str cluster, container_instance, session;
    struct str_list acks;
    struct opt_int lease_s;                  /* the agent's lease now; unset: it knows no leases */
    struct opt_int checks;                   /* the number of the checks that it follows; unset: it knows none */
    struct protocol_range protocol;          /* of a poll; a visit that stays speaks the ECS agent's protocol, which has no number */
    bool stays, announced;                   /* stays: begins a new session in any case; acknowledgements come one by one */
    struct str logs_endpoint;
    bool send_credentials;                   /* a new session begins without the keys of roles that earlier ones have sent */
    void *owner;
};
/* Replaces each older visit of the instance; its next step returns VISIT_REPLACED. False and *err: nothing was begun. */
MUST_USE bool    visit_begin(struct sessions *sessions, struct visit *visit, const struct visit_wish *wish, struct arena *arena,
                             struct err *err);
void             visit_end(struct visit *visit);

/* The messages that are due, one text each, in the arena. WAITS: there are none before *next_due_ms (monotonic; begin with INT64_MIN), or
 * before the visit is announced. FAILED: *err says why the visit must end. */
enum visit_state { VISIT_NEWS, VISIT_WAITS, VISIT_REPLACED, VISIT_FAILED };
enum visit_state visit_step(struct visit *visit, const struct str_list *candidates, struct arena *arena, struct str_list *messages,
                            int64_t *next_due_ms, struct err *err);
/* Blocks until there may be news, or that time has come (monotonic). False and *err: too many block already. */
MUST_USE bool    visit_sleep(struct visit *visit, int64_t until_ms, struct err *err);
void             visit_heard(struct visit *visit);
void             visit_ack(struct visit *visit, struct str message_id);
void             visit_ack_role(struct visit *visit, struct str message_id);       /* as outbox_ack_role */
struct str       visit_heartbeat(struct visit *visit, struct arena *arena);
struct visit    *sessions_next_ready(struct sessions *sessions);     /* NULL: none */

/* ---- polls: polls.c ---- */

enum { POLL_WAIT_MAX_S = 25 };
struct visit_wish poll_wish(const struct poll_request *request, const struct caller *caller);
int64_t          poll_until_ms(const struct poll_request *request);  /* monotonic */
void             visit_print_poll(struct visit *visit, const struct str_list *messages, struct arena *arena, struct buf *out);

/* One poll, for as long as it takes, on the caller's thread. The answer's JSON goes into `out`, which is only touched at the end. */
MUST_USE bool    sessions_poll(struct sessions *sessions, const struct poll_request *poll, const struct caller *caller, struct arena *arena,
                               struct buf *out, struct err *err);

/* ---- from the writer and the ticker ---- */

void             sessions_apply(struct sessions *sessions, const struct effect_list *effects);       /* any thread */

void             sessions_wake(struct sessions *sessions, struct id id);     /* there may be messages for it */
void             sessions_wake_all(struct sessions *sessions);                /* the same for all */
bool             sessions_polls(struct sessions *sessions, struct id id);    /* the agent that came last is there, and polls */

/* Instances whose agents have been silent for too long at `monotonic_ms`; each is reported again until
 * sessions_forget says that its absence is written down. */
size_t           sessions_lost(struct sessions *sessions, int64_t monotonic_ms, struct id *ids, size_t limit);
void             sessions_forget(struct sessions *sessions, struct id id);
/* Instances whose absence is written down and whose lease ended long enough ago for their tasks to have ended; each is reported
 * again until sessions_fenced says that it is written down. Counted from here on: a server that starts waits for all of it again. */
size_t           sessions_expired(struct sessions *sessions, int64_t monotonic_ms, struct id *ids, size_t limit);
void             sessions_fenced(struct sessions *sessions, struct id id);
struct sessions_counts sessions_count(struct sessions *sessions);

#endif
