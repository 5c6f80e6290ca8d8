/* data_channel.h: the protocol of Session Manager's plugin, from the service's side: handshake, numbers of messages, acknowledgements, messages that are
 * sent again or come out of order, the end. Knows no socket, no clock and no command: frames leave by a call, and callers pass the time. Messages are kept
 * until they are acknowledged, so that a client that lost its connection gets all of them.
 *
 * One caller at a time. */
#ifndef BERTH_SERVER_EXEC_DATA_CHANNEL_H
#define BERTH_SERVER_EXEC_DATA_CHANNEL_H

#include "base/arena.h"
#include "base/err.h"

enum {
    DATA_CHANNEL_WINDOW = 32,                /* messages that wait to be acknowledged */
    DATA_CHANNEL_PIECE = 4096,               /* bytes of output in one of them */
    DATA_CHANNEL_EARLY = 16,                 /* messages that came before those that they follow */
    DATA_CHANNEL_PAYLOAD_MAX = 64 * 1024,    /* of a message that comes in */
    DATA_CHANNEL_RESEND_MS = 200, DATA_CHANNEL_RESEND_MAX_MS = 1000,
};

struct data_channel_ops {
    void (*send)(void *context, struct str frame);
    void (*open)(void *context);                             /* the handshake is done: input follows, output may be given */
    bool (*input)(void *context, struct str bytes);          /* false: there is no room; the same bytes come again later */
    void (*resize)(void *context, int64_t rows, int64_t cols);
    void (*leave)(void *context);                            /* the client ends the session */
};

struct data_channel;
/* Owned. `session` is copied; `epoch_ms` is the wall clock at now_ms, which is any clock that does not jump. */
struct data_channel *data_channel_create(const struct data_channel_ops *ops, void *context, struct str session, int64_t epoch_ms, int64_t now_ms);
void   data_channel_destroy(struct data_channel *channel);           /* accepts NULL */

/* A client has come: the handshake begins, or goes on where an earlier connection broke off. */
void   data_channel_connect(struct data_channel *channel, int64_t now_ms);
/* One frame from the client. False: it breaks the protocol, *err says how, and the connection must be closed. */
MUST_USE bool data_channel_take(struct data_channel *channel, struct str frame, int64_t now_ms, struct arena *arena, struct err *err);
size_t data_channel_room(const struct data_channel *channel);        /* bytes of output that can be given now; 0 before the handshake */
void   data_channel_output(struct data_channel *channel, struct str bytes, int64_t now_ms);      /* at most as many */
/* No more output will come. When all of it is acknowledged, the client gets the end of the session, with `text` when it is not empty. */
void   data_channel_end(struct data_channel *channel, struct str text, int64_t now_ms);
bool   data_channel_has_ended(const struct data_channel *channel);   /* the client has the end */
/* Sends again the message that is due. Returns when to call next; INT64_MAX: not before another call. */
int64_t data_channel_step(struct data_channel *channel, int64_t now_ms);

#endif
