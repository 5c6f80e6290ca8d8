/* session.h: one machine's conversation with the server: register, ask where to poll, poll for ever; acknowledge messages, answer manifests.
 * Driven by the loop, so that one thread holds as many sessions as there are machines. Knows the order of the conversation and when to try
 * again; refuses to know the parts of a task. */
#ifndef BERTH_AGENT_LINK_SESSION_H
#define BERTH_AGENT_LINK_SESSION_H

#include "agent/link/client.h"
#include "wire/checks.h"
#include "wire/wire.h"

enum { SESSION_ARN_MAX = 256, SESSION_ID_MAX = 128 };

/* Calls of a session to its machine. Texts are borrowed until the call returns. All are made by the loop's thread. */
struct session_machine {
    /* The body of RegisterContainerInstance, in `arena`. `arn`: of an earlier registration, or empty. */
    struct str (*registration)(void *machine, struct str arn, struct arena *arena);
    void (*registered)(void *machine, struct str arn);
    /* A payload; `message` is its JSON. True: the machine has all of it, and it may be acknowledged. */
    bool (*payload)(void *machine, const struct wire_payload *payload, const struct json *message);
    /* Adds the tasks that should be running here and are not in the manifest. */
    void (*verify)(void *machine, const struct wire_manifest *manifest, struct str_list *candidates, struct arena *arena);
    void (*stop_task)(void *machine, struct str task_arn);
    /* New keys of a task's role. True: taken, it may be acknowledged. */
    bool (*keys)(void *machine, const struct wire_role_message *message);
    void (*exec)(void *machine, const struct wire_exec *message);          /* NULL: it offers no way into its containers */
    /* All checks of its targets from now on; the number of the last such message, 0: there was none. Both NULL: it checks none. */
    void (*checks)(void *machine, const struct wire_checks *message);
    int64_t (*checks_number)(void *machine);
    void (*pulls)(void *machine, const struct wire_pulls *message);        /* all early pulls from now on; NULL: it pulls no image early */
    void (*refused)(void *machine, const struct err *err);         /* the session has ended */
    /* For machines that fence themselves; both NULL: tasks run on without a server. A poll that was sent at `sent_ms` (clock_boot_ms) was
     * answered with this lease; the lease that is valid now. In seconds, 0: none. */
    void (*answered)(void *machine, int64_t sent_ms, int64_t lease_s);
    int64_t (*lease_s)(void *machine);
};

enum session_state { SESSION_IDLE, SESSION_REGISTERING, SESSION_DISCOVERING, SESSION_POLLING, SESSION_REFUSED };

/* Whether the server answers any machine of a fleet. */
struct session_reach { int64_t answered_ms; bool away; };       /* its last answer, by the loop's clock; the log says that it is away */

struct session_config {
    struct client *client;                       /* lent */
    const struct endpoint *server;               /* borrowed */
    const char *cluster;
    bool create_cluster;                         /* nobody named a cluster: make the default one when it is missing */
    bool quiet;                                  /* one of a fleet: logs little */
    struct session_reach *reach;                 /* lent; of the whole fleet. NULL: this machine alone */
    int64_t poll_wait_s;
};

struct session {
    const struct session_config *config;         /* borrowed */
    const struct session_machine *ops;
    void *machine;
    enum session_state state;
    struct call call;
    struct timer timer;
    char arn[SESSION_ARN_MAX];                   /* empty: never registered */
    char id[SESSION_ID_MAX];                     /* of the polls; empty: begin a new session */
    struct endpoint *poll_at;                    /* NULL: the server's own address, as it usually is */
    char *acks, *candidates;                     /* JSON arrays for the next poll, NULL: none */
    int64_t last_number;                         /* highest seqNum or timeline seen */
    int64_t sent_ms;                             /* when the last poll went out; clock_boot_ms */
    int64_t pause_ms;                            /* before the next try; 0: all is well */
    bool creating_cluster, register_again, troubled;
    bool puzzled;                                /* a message's type was not known, which the log says */
};

void session_init(struct session *session, const struct session_config *config, const struct session_machine *ops, void *machine,
                  struct str arn);
void session_start(struct session *session, int64_t after_ms);     /* begins to register */
void session_register_again(struct session *session);              /* the machine has changed: registers again after this poll */
void session_finish(struct session *session);                      /* the loop's thread; ends its call */

/* The next pause of a row of failures, with jitter of a fifth either way. 0 as `pause_ms` begins a row. */
int64_t backoff_next(int64_t pause_ms, int64_t first_ms, int64_t most_ms, struct rng *rng);

#endif
