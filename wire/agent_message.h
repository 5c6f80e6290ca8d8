/* agent_message.h: the frames of Session Manager's data channel, as bytes: a head of 120 bytes, numbers in network order, and a
 * payload. Knows no sequence and no payload's meaning. */
#ifndef BERTH_WIRE_AGENT_MESSAGE_H
#define BERTH_WIRE_AGENT_MESSAGE_H

#include "base/buf.h"
#include "base/id.h"

enum { AGENT_MESSAGE_HEAD = 120 };

enum agent_message_type {
    AGENT_MESSAGE_OTHER,                     /* an unknown name */
    AGENT_MESSAGE_INPUT, AGENT_MESSAGE_OUTPUT, AGENT_MESSAGE_ACKNOWLEDGE, AGENT_MESSAGE_CLOSED, AGENT_MESSAGE_START, AGENT_MESSAGE_PAUSE,
    AGENT_MESSAGE_TYPE_COUNT
};
/* The kind of payload of input or output. */
enum agent_payload {
    AGENT_PAYLOAD_OUTPUT = 1, AGENT_PAYLOAD_ERROR = 2, AGENT_PAYLOAD_SIZE = 3, AGENT_PAYLOAD_HANDSHAKE_REQUEST = 5,
    AGENT_PAYLOAD_HANDSHAKE_RESPONSE = 6, AGENT_PAYLOAD_HANDSHAKE_COMPLETE = 7, AGENT_PAYLOAD_FLAG = 10,
};
enum { AGENT_FLAG_SYN = 1, AGENT_FLAG_FIN = 2 };

struct agent_message {
    enum agent_message_type type;
    uint32_t schema_version, payload_type;
    int64_t created_ms, sequence;
    uint64_t flags;
    struct id id;                            /* a UUID, in its usual order */
    struct str payload;                      /* borrowed */
};

/* `bytes` is one whole message. NULL: good; otherwise the error: its size, its head's size, or a digest that is not the payload's. */
const char *agent_message_read(struct str bytes, struct agent_message *message);
void        agent_message_put(struct buf *out, const struct agent_message *message);     /* its type is a known one */

struct str  agent_message_name(enum agent_message_type type);    /* "input_stream_data"; empty for OTHER */

#endif
