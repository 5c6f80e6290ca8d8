/* fuzz_websocket.c: a frame that is read lies within the bytes and keeps the rules; what a server writes of it has its length. */
#include "base/http/websocket.h"

#include "base/assert.h"
#include "tests/fuzz/fuzz.h"

enum { PAYLOAD_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = fuzz_str(data, size);
    for (;;) {                                                   /* frame after frame */
        struct websocket_frame frame;
        if (websocket_read(bytes, PAYLOAD_MAX, &frame) != WEBSOCKET_FRAME) { return 0; }
        ASSERT(frame.head >= 6 && frame.head <= 14 && frame.size <= PAYLOAD_MAX && frame.head + frame.size <= bytes.len);
        ASSERT(frame.opcode < WEBSOCKET_CLOSE || (frame.last && frame.size <= WEBSOCKET_CONTROL_MAX));
        ASSERT(websocket_read(str_slice(bytes, 0, frame.head + frame.size - (frame.size > 0)), PAYLOAD_MAX, &frame)
               == (frame.size > 0 ? WEBSOCKET_SHORT : WEBSOCKET_FRAME));
        char payload[PAYLOAD_MAX], head[WEBSOCKET_HEAD_MAX];
        memcpy(payload, bytes.ptr + frame.head, frame.size);
        websocket_unmask(payload, frame.size, frame.mask);
        websocket_unmask(payload, frame.size, frame.mask);       /* twice is nothing */
        ASSERT(memcmp(payload, bytes.ptr + frame.head, frame.size) == 0);
        size_t written = websocket_put_head(head, frame.opcode, frame.size);
        ASSERT(written >= 2 && written <= WEBSOCKET_HEAD_MAX && written <= frame.head - 4);
        bytes = str_slice(bytes, frame.head + frame.size, bytes.len);
    }
}
