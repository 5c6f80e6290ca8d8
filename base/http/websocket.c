/* websocket.c: the server's side of RFC 6455, sections 4.2.2 and 5.2. */
#include "base/http/websocket.h"

#include <openssl/evp.h>

#include "base/assert.h"

enum { BIT_LAST = 0x80, BITS_RESERVED = 0x70, BITS_OPCODE = 0x0F, BIT_MASKED = 0x80, SIZE_2 = 126, SIZE_8 = 127, MASK_LEN = 4, KEY_LEN = 24 };

static bool is_control(unsigned opcode) { return opcode >= WEBSOCKET_CLOSE; }

static bool is_known(unsigned opcode)
{
    return opcode <= WEBSOCKET_BINARY || (opcode >= WEBSOCKET_CLOSE && opcode <= WEBSOCKET_PONG);
}

static uint64_t read_number(const uint8_t *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) { number = number << 8 | bytes[i]; }
    return number;
}

enum websocket_read websocket_read(struct str bytes, size_t payload_max, struct websocket_frame *frame)
{
    const uint8_t *at = (const uint8_t *)bytes.ptr;
    if (bytes.len < 2) { return WEBSOCKET_SHORT; }
    unsigned opcode = at[0] & BITS_OPCODE, length = at[1] & (unsigned)~BIT_MASKED;
    bool last = (at[0] & BIT_LAST) != 0, masked = (at[1] & BIT_MASKED) != 0;
    if ((at[0] & BITS_RESERVED) != 0 || !masked || !is_known(opcode)) { return WEBSOCKET_BROKEN; }
    if (is_control(opcode) && (!last || length > WEBSOCKET_CONTROL_MAX)) { return WEBSOCKET_BROKEN; }

    size_t extra = length == SIZE_2 ? 2 : length == SIZE_8 ? 8 : 0, head = 2 + extra + MASK_LEN;
    if (bytes.len < head) { return WEBSOCKET_SHORT; }
    uint64_t size = extra == 0 ? length : read_number(at + 2, extra);
    if (size > payload_max) { return WEBSOCKET_TOO_LONG; }
    *frame = (struct websocket_frame){ .opcode = (enum websocket_opcode)opcode, .last = last, .head = head, .size = (size_t)size };
    memcpy(frame->mask, at + 2 + extra, MASK_LEN);
    return bytes.len - head < size ? WEBSOCKET_SHORT : WEBSOCKET_FRAME;
}

void websocket_unmask(char *payload, size_t size, const uint8_t mask[4])
{
    for (size_t i = 0; i < size; i++) { payload[i] = (char)((uint8_t)payload[i] ^ mask[i % MASK_LEN]); }
}

size_t websocket_put_head(char out[WEBSOCKET_HEAD_MAX], enum websocket_opcode opcode, size_t size)
{
    size_t extra = size < SIZE_2 ? 0 : size <= UINT16_MAX ? 2 : 8;
    out[0] = (char)(BIT_LAST | (unsigned)opcode);
    out[1] = (char)(extra == 0 ? size : extra == 2 ? SIZE_2 : SIZE_8);
    for (size_t i = 0; i < extra; i++) { out[2 + i] = (char)(size >> (8 * (extra - 1 - i)) & 0xFF); }
    return 2 + extra;
}

bool websocket_accept(struct str key, char out[WEBSOCKET_ACCEPT_LEN + 1])
{
    static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char text[KEY_LEN + sizeof magic];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (key.len != KEY_LEN) { return false; }
    memcpy(text, key.ptr, KEY_LEN);
    memcpy(text + KEY_LEN, magic, sizeof magic);
    ASSERT(EVP_Digest(text, sizeof text - 1, digest, &size, EVP_sha1(), NULL) == 1);
    ASSERT(EVP_EncodeBlock((unsigned char *)out, digest, (int)size) == WEBSOCKET_ACCEPT_LEN);
    return true;
}
