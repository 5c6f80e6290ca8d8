/* exec.h: commands that somebody runs in running containers, while they run: two pipes each, between whoever started it and the
 * machine's agent. Knows bytes, ends and who was heard of when; refuses to know who may do it, tasks, and HTTP. Nothing of it is
 * written down: a restart of the server ends them all.
 *
 * Both sides come by calls that may be repeated: bytes carry their offset, so that none is lost or taken twice. A pipe holds at
 * most EXEC_PIPE_MAX bytes, and takes no more until the other side has read some. */
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
/* Before the first call: what is called, from any thread and with the lock held, when anything has changed that a side may wait for. */
void         exec_watch(struct exec *exec, void (*changed)(void *context), void *context);
void         exec_stop(struct exec *exec);           /* ends all, now and from now on */
void         exec_destroy(struct exec *exec);        /* nobody may be in a call; accepts NULL */

/* What the agent of `instance` is told by exec_offer; its session and messageId are filled here. *session: 32 hex digits. */
MUST_USE bool exec_start(struct exec *exec, struct id instance, const struct wire_exec *message, char session[ID_HEX_LEN + 1], struct err *err);
/* Adds what the agent of this instance is to begin, each once. */
void          exec_offer(struct exec *exec, struct id instance, struct str_list *messages, struct arena *arena);

/* One call of one side. Bytes for it are added to `out`. False: there is no such session, or no more. */
MUST_USE bool exec_call(struct exec *exec, enum exec_side side, const struct exec_ask *ask, struct str bytes, struct exec_answer *answer,
                        struct buf *out, struct err *err);

/* On which machine the session's command is to run. False: the session is not known. */
bool          exec_instance(struct exec *exec, struct str session, struct id *instance);
/* Is the session known still? Whoever asks is not heard of by that. */
bool          exec_lives(struct exec *exec, struct str session);
/* The starter's connection broke: it has `ms` to call again. Not there: nothing. */
void          exec_lost(struct exec *exec, struct str session, int64_t ms);

#endif
