/* websocket.h: RFC 6455 as bytes: heads of frames in and out, masks, the handshake's answer. Knows no socket and no message:
 * the reader joins the fragments. OpenSSL provides SHA-1. */
#ifndef BERTH_BASE_WEBSOCKET_H
#define BERTH_BASE_WEBSOCKET_H

#include "base/str.h"

enum websocket_opcode {
    WEBSOCKET_MORE = 0x0, WEBSOCKET_TEXT = 0x1, WEBSOCKET_BINARY = 0x2, WEBSOCKET_CLOSE = 0x8, WEBSOCKET_PING = 0x9, WEBSOCKET_PONG = 0xA,
};
enum { WEBSOCKET_HEAD_MAX = 10, WEBSOCKET_ACCEPT_LEN = 28, WEBSOCKET_CONTROL_MAX = 125 };

struct websocket_frame {
    enum websocket_opcode opcode;
    bool last;                               /* of its message */
    size_t head, size;                       /* bytes before the payload, and of it */
    uint8_t mask[4];
};

/* The head of a client's frame at the start of `bytes`. BROKEN: it breaks the rules (not masked, reserved bits, a control frame
 * that is long or in parts, an unknown opcode) or its payload is longer than `payload_max`. */
enum websocket_read { WEBSOCKET_FRAME, WEBSOCKET_SHORT, WEBSOCKET_BROKEN, WEBSOCKET_TOO_LONG };
enum websocket_read websocket_read(struct str bytes, size_t payload_max, struct websocket_frame *frame);
void   websocket_unmask(char *payload, size_t size, const uint8_t mask[4]);

/* A server's head for a whole message; returns its length. */
size_t websocket_put_head(char out[WEBSOCKET_HEAD_MAX], enum websocket_opcode opcode, size_t size);

/* Sec-WebSocket-Accept for Sec-WebSocket-Key. False if that is not a key. */
bool   websocket_accept(struct str key, char out[WEBSOCKET_ACCEPT_LEN + 1]);

#endif
