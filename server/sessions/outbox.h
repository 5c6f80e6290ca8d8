/* outbox.h: the messages that one agent was sent in its session, and which of them it has acknowledged. Messages are derived from the store each time; the
 * outbox only remembers which ones were sent, so that each is repeated until it is acknowledged, and not after that. Knows messages; refuses to know
 * threads and sockets. */
#ifndef BERTH_SERVER_SESSIONS_OUTBOX_H
#define BERTH_SERVER_SESSIONS_OUTBOX_H

#include <stdatomic.h>

#include "api/tell/work.h"

struct message {
    struct id task; enum task_status desired;        /* zero for the manifest */
    int64_t number;                                  /* its id, and its place in the order */
    int64_t due_ms;                                  /* when to send it (again), monotonic */
    unsigned sent;                                   /* how often */
    bool acked, wanted;                              /* wanted: still among the instance's work */
};

/* The keys of one role of a task. Once acknowledged, due_ms is when the next ones come. */
struct role_message { struct message message; enum role_kind kind; int64_t renew_ms; };

struct outbox {
    struct message manifest;
    struct message *items; size_t count, capacity;   /* malloc: they outlive requests */
    struct role_message *roles; size_t role_count, role_capacity;
    bool roles_known;                                /* otherwise the store is asked which roles there are */
    uint64_t role_key;                               /* role_key_print of the server's key that they come from */
    struct message checks;                           /* of the machine's targets, all in one message */
    uint64_t checks_print;                           /* of the list that it has */
    int64_t traffic;                                 /* the revision of the traffic that the list was made of; -1: there is no list yet */
    bool takes_checks, follows_checks;               /* its agent knows such messages; follows one from before its session */
    struct message pulls;                            /* the early pulls, all in one message */
    bool pulls_known;                                /* otherwise the store is asked which ones there are */
    int64_t first_again_ms;                          /* how long the first acknowledgement may take */
    int64_t epoch;                                   /* of the machine's registration */
    int64_t next_due_ms;                             /* when something unacknowledged is due again; INT64_MAX: never */
};

/* Numbers for messages: they grow over all sessions and restarts, as the ECS agent demands of seqNum and timeline. */
struct numbers { atomic_int_fast64_t last; };
int64_t numbers_next(struct numbers *numbers, int64_t now_ms);

/* A new session: all messages must be sent. One that is not acknowledged is sent again after `first_again_ms`: 0 where each poll brings the
 * acknowledgements of the answer before it, longer where they come at any time. */
void outbox_reset(struct outbox *outbox, int64_t first_again_ms);
void outbox_take_checks(struct outbox *outbox, struct opt_int followed);     /* as its poll says: poll_request's checks; behind outbox_reset */
void outbox_forget_roles(struct outbox *outbox);     /* the agent has lost its keys: all of them are sent again */
void outbox_forget_pulls(struct outbox *outbox);     /* other early pulls are wanted */
void outbox_finish(struct outbox *outbox);
void outbox_ack(struct outbox *outbox, struct str message_id);
void outbox_ack_role(struct outbox *outbox, struct str message_id);      /* of keys alone, not of a payload that brought them */

/* Prints the messages that are due, manifest first and keys last, as one text each. `candidates` are the tasks the agent asks about. False and
 * *err when the instance is not registered any more. */
MUST_USE bool outbox_collect(struct outbox *outbox, struct op_ctx *ctx, struct id instance, const struct str_list *candidates,
                             struct numbers *numbers, int64_t monotonic_ms, struct str_list *messages, struct err *err);
struct str outbox_heartbeat(struct numbers *numbers, int64_t now_ms, struct arena *arena);

#endif
