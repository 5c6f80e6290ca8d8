/* fuzz_agent_message.c: a frame that is read is written the same again, except the bytes that are not read: how the name of its type is
 * padded, and a digest of nothing. */
#include "wire/agent_message.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = fuzz_str(data, size);
    struct agent_message message, again;
    if (agent_message_read(bytes, &message) != NULL) { return 0; }
    ASSERT(message.payload.len == size - AGENT_MESSAGE_HEAD && message.type < AGENT_MESSAGE_TYPE_COUNT);
    if (message.type == AGENT_MESSAGE_OTHER) { return 0; }
    struct arena arena;
    arena_init(&arena, 1 << 24);
    struct buf out = buf_in(&arena);
    agent_message_put(&out, &message);
    ASSERT(out.len == size && agent_message_read(buf_str(&out), &again) == NULL);
    ASSERT(again.type == message.type && str_eq(again.payload, message.payload) && id_eq(again.id, message.id));
    ASSERT(memcmp(out.ptr + 36, bytes.ptr + 36, 80 - 36) == 0 && memcmp(out.ptr + 112, bytes.ptr + 112, size - 112) == 0);
    arena_finish(&arena);
    return 0;
}
