/* sessions_internal.h: what sessions.c (visits) and lost.c (agents that went away) share: the table of sessions. Its lock is the caller's to hold. */
#ifndef BERTH_SERVER_SESSIONS_SESSIONS_INTERNAL_H
#define BERTH_SERVER_SESSIONS_SESSIONS_INTERNAL_H

#include "base/lock.h"
#include "base/id_map.h"
#include "server/sessions/outbox.h"
#include "server/sessions/sessions.h"

enum {
    PIECE = 4096, AHEAD = 8,                 /* seats that are looked at under one lock; how many seats ahead the caches are filled */
    LOST_AFTER_MS = 35 * 1000,               /* without a visit */
};

/* Whether the store knows that the agent is connected. */
enum presence { PRESENCE_UNTOLD, PRESENCE_TELLING, PRESENCE_TOLD, PRESENCE_FAILED };

struct session {
    struct id instance;
    bool open, dirty, closed;                /* the newest visit has not ended; there may be news; the instance is gone … */
    bool left;                               /* … or another server leads */
    enum presence presence;
    enum err_code presence_err;              /* why it could not be stored */
    bool lost, absent;                       /* its absence is being written down; is, and the end of its lease is waited for */
    bool polls;                              /* the newest visit is a poll */
    bool pulls_news;                         /* other early pulls are wanted than the outbox knows */
    int64_t lease_ms;                        /* its agent's lease, in the store or on its way there */
    int64_t heard_ms;                        /* monotonic; most looks read no further than this member */
    uint64_t serial;                         /* of the newest visit; older ones have been replaced */
    unsigned holders;                        /* visits, and jobs that tell the store */
    char name[VISIT_NAME_LEN + 1];           /* the agent sends it to go on in the session; empty: no agent has come yet */
    int64_t window_ms; int takeovers;        /* how often a new session began lately */
    struct visit *visits;                    /* the announced ones */
    struct lock_signal news;                 /* for visits that block a thread */
    struct lock telling;
    struct outbox outbox;                    /* guarded by telling */
};

struct sessions {
    struct sessions_config config;
    struct numbers numbers;
    struct lock lock;
    struct id_map by_instance;
    struct visit *ready, **ready_last;       /* visits that have news */
    size_t count, waiting, blocked;          /* sessions; visits that wait; of these those that hold a thread */
    bool stopping, paused;
};

struct session *session_find(const struct sessions *sessions, struct id id);     /* NULL: there is none */
struct session *session_at(const struct sessions *sessions, size_t seat);        /* in a walk; NULL: the seat is free */
void            session_wake(struct sessions *sessions, struct session *session);       /* there may be news */
/* Takes it out of the table. Its visits get the news, and the last of them frees it. */
void            session_drop(struct sessions *sessions, struct session *session);

#endif
