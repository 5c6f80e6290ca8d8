/* command_sessions.h: the sessions of ExecuteCommand. The client gets a token, then opens a websocket at the agents' listener that speaks Session
 * Manager's data channel (data_channel.h); the command itself is a session of exec.h. Knows which token opens which session; refuses to know rights and
 * tasks. All of it is in memory: a restart of the server ends the sessions. */
#ifndef BERTH_SERVER_EXEC_COMMAND_SESSIONS_H
#define BERTH_SERVER_EXEC_COMMAND_SESSIONS_H

#include "server/exec/exec.h"
#include "server/net/listener.h"

enum { COMMAND_SESSION_MAX = 64, COMMAND_TOKEN_LEN = 64 };
#define COMMAND_SESSION_PATH "/v1/data-channel/"

struct command_sessions_config {
    struct exec *exec;                                       /* lent */
    size_t sessions_max;
    int64_t token_ms;                                        /* how long a token waits for the client */
    int64_t lost_ms;                                         /* how long a command waits for a client whose connection broke */
    void (*wake)(void *context, struct id instance);         /* there is something to offer to the machine's agent */
    void *context;
};

/* For the client. */
struct command_ticket { char session[COMMAND_SESSION_MAX]; char token[COMMAND_TOKEN_LEN + 1]; };

struct command_sessions;
struct command_sessions *command_sessions_create(const struct command_sessions_config *config);      /* owned */
void command_sessions_destroy(struct command_sessions *sessions);        /* no call may be running, no client may be left; accepts NULL */

/* ---- any thread ---- */

/* The command begins when the client connects. `message`: copied; as for exec_start, without rows and columns, which the client sends. */
MUST_USE bool command_sessions_add(struct command_sessions *sessions, struct id instance, const struct wire_exec *message,
                                   struct command_ticket *ticket, struct err *err);
/* Another token for a session whose connection broke; the one before is no longer valid. False: there is no such session any more. */
MUST_USE bool command_sessions_renew(struct command_sessions *sessions, struct str session, struct command_ticket *ticket);
void command_sessions_end(struct command_sessions *sessions, struct str session);        /* does nothing when there is no such session */

/* ---- the listener's thread ---- */

struct command_client;                                       /* one connection of a client; owned by the connection's owner */
/* The path is COMMAND_SESSION_PATH and a session's name. NULL: there is no such session, or it is no handshake; then *err says so and
 * the request is not answered. */
struct command_client *command_client_begin(struct command_sessions *sessions, struct connection *connection, const struct http_request *request,
                                            struct err *err);
void command_client_message(struct command_client *client, struct str message, struct arena *arena);
void command_client_timer(struct command_client *client);
void command_client_gone(struct command_client *client);     /* frees it */
void command_sessions_woken(struct command_sessions *sessions);

#endif
