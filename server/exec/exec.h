/* exec.h: commands that run in containers of tasks. Each has two pipes, between the client that started it and the machine's agent. Knows bytes, their
 * ends, and when each side last called; refuses to know rights, tasks and HTTP. All of it is in memory: a restart of the server ends the commands.
 *
 * Both sides make calls that may be repeated: bytes carry their offset, so that no byte is lost or taken twice. A pipe holds at most EXEC_PIPE_MAX bytes,
 * and takes no more until the other side has read some. */
#ifndef BERTH_SERVER_EXEC_EXEC_H
#define BERTH_SERVER_EXEC_EXEC_H

#include "wire/wire.h"
#include "base/id.h"

enum {
    EXEC_SESSIONS_MAX = 16, EXEC_PIPE_MAX = 256 * 1024, EXEC_PIECE_MAX = 64 * 1024,
};
struct exec_config {
    size_t sessions_max;
    int64_t take_ms;                         /* until the agent takes it */
    int64_t gone_ms;                         /* without a call of one side */
    int64_t idle_ms;                         /* without a byte */
};
extern const struct exec_config exec_usual;
enum exec_side { EXEC_STARTER, EXEC_AGENT, EXEC_SIDE_COUNT };

struct exec;
struct exec *exec_create(const struct exec_config *config);  /* owned */
/* Sets, before the first other call, a function to be called when anything has changed that a side may wait for: on any thread, with the lock held. */
void         exec_watch(struct exec *exec, void (*changed)(void *context), void *context);
void         exec_stop(struct exec *exec);           /* ends all commands, and refuses new ones */
void         exec_destroy(struct exec *exec);        /* no call may be running; accepts NULL */

/* Makes a session. exec_offer hands `message` to the agent of `instance`; its session and messageId are filled in here. *session: 32 hex digits. */
MUST_USE bool exec_start(struct exec *exec, struct id instance, const struct wire_exec *message, char session[ID_HEX_LEN + 1], struct err *err);
/* Adds the commands that the agent of this instance must begin, each once. */
void          exec_offer(struct exec *exec, struct id instance, struct str_list *messages, struct arena *arena);

/* One call of one side. Bytes for it are added to `out`. False: there is no such session, or it has ended. */
MUST_USE bool exec_call(struct exec *exec, enum exec_side side, const struct exec_ask *ask, struct str bytes, struct exec_answer *answer,
                        struct buf *out, struct err *err);

/* The machine on which the session's command runs. False: the session is not known. */
bool          exec_instance(struct exec *exec, struct str session, struct id *instance);
/* Is the session still known? This does not count as a call of a side. */
bool          exec_lives(struct exec *exec, struct str session);
/* The starter's connection broke: it has `ms` to call again. Does nothing when there is no such session. */
void          exec_lost(struct exec *exec, struct str session, int64_t ms);

#endif
