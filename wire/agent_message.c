/* agent_message.c: the positions in a frame:
 *
 *   0 length of the head without the payload's length (4), 4 type (32, padded with blanks), 36 version (4), 40 created (8),
 *   48 sequence (8), 56 flags (8), 64 id (16, its second half first), 80 SHA-256 of the payload (32), 112 payload's type (4),
 *   116 payload's length (4), 120 payload */
#include "wire/agent_message.h"

#include "base/sigv4.h"

enum {
    AT_HEAD = 0, AT_TYPE = 4, AT_VERSION = 36, AT_CREATED = 40, AT_SEQUENCE = 48, AT_FLAGS = 56, AT_ID = 64, AT_DIGEST = 80,
    AT_PAYLOAD_TYPE = 112, AT_PAYLOAD_LEN = 116,
    TYPE_LEN = AT_VERSION - AT_TYPE, DIGEST_LEN = AT_PAYLOAD_TYPE - AT_DIGEST, ID_HALF = sizeof(struct id) / 2,
};

static const struct str names[AGENT_MESSAGE_TYPE_COUNT] = {
    [AGENT_MESSAGE_OTHER] = STR_INIT(""), [AGENT_MESSAGE_INPUT] = STR_INIT("input_stream_data"), [AGENT_MESSAGE_OUTPUT] = STR_INIT("output_stream_data"),
    [AGENT_MESSAGE_ACKNOWLEDGE] = STR_INIT("acknowledge"), [AGENT_MESSAGE_CLOSED] = STR_INIT("channel_closed"),
    [AGENT_MESSAGE_START] = STR_INIT("start_publication"), [AGENT_MESSAGE_PAUSE] = STR_INIT("pause_publication"),
};

_Static_assert(AT_PAYLOAD_LEN + 4 == AGENT_MESSAGE_HEAD, "the payload follows its length");

struct str agent_message_name(enum agent_message_type type)
{
    ASSERT(type < AGENT_MESSAGE_TYPE_COUNT);                     /* find_type gives no other, and callers name one */
    return names[type];
}

/* Senders pad with blanks, or with zeros. */
static enum agent_message_type find_type(struct str name)
{
    while (name.len > 0 && (name.ptr[name.len - 1] == ' ' || name.ptr[name.len - 1] == '\0')) { name.len--; }
    for (size_t t = 1; t < AGENT_MESSAGE_TYPE_COUNT; t++) {
        if (str_eq(name, names[t])) { return (enum agent_message_type)t; }
    }
    return AGENT_MESSAGE_OTHER;
}

static uint64_t get(struct str bytes, size_t at, size_t count)
{
    uint64_t number = 0;
    ASSERT(count <= sizeof number && at + count <= bytes.len);   /* agent_message_read has checked the length of the head */
    for (size_t i = 0; i < count; i++) { number = number << 8 | (uint8_t)bytes.ptr[at + i]; }
    return number;
}

static void put(char *head, size_t at, size_t count, uint64_t number)
{
    ASSERT(count <= sizeof number && at + count <= AGENT_MESSAGE_HEAD); /* positions of ours */
    for (size_t i = 0; i < count; i++) { head[at + i] = (char)(number >> (8 * (count - 1 - i)) & 0xFF); }
}

const char *agent_message_read(struct str bytes, struct agent_message *message)
{
    uint8_t digest[DIGEST_LEN];
    if (bytes.len < AGENT_MESSAGE_HEAD) { return "The message is shorter than its head."; }
    if (get(bytes, AT_HEAD, 4) != AT_PAYLOAD_LEN) { return "The message's head has another length than 116."; }
    if (get(bytes, AT_PAYLOAD_LEN, 4) != bytes.len - AGENT_MESSAGE_HEAD) { return "The payload has another length than the message says."; }
    *message = (struct agent_message){
        .type = find_type((struct str){ bytes.ptr + AT_TYPE, TYPE_LEN }),
        .schema_version = (uint32_t)get(bytes, AT_VERSION, 4), .payload_type = (uint32_t)get(bytes, AT_PAYLOAD_TYPE, 4),
        .created_ms = (int64_t)get(bytes, AT_CREATED, 8), .sequence = (int64_t)get(bytes, AT_SEQUENCE, 8), .flags = get(bytes, AT_FLAGS, 8),
        .payload = { bytes.ptr + AGENT_MESSAGE_HEAD, bytes.len - AGENT_MESSAGE_HEAD },
    };
    memcpy(message->id.bytes, bytes.ptr + AT_ID + ID_HALF, ID_HALF);
    memcpy(message->id.bytes + ID_HALF, bytes.ptr + AT_ID, ID_HALF);
    if (message->payload.len == 0) { return NULL; }              /* some peers send no digest then */
    sha256_bytes(message->payload, digest);
    return memcmp(digest, bytes.ptr + AT_DIGEST, DIGEST_LEN) == 0 ? NULL : "The payload's digest is another one.";
}

void agent_message_put(struct buf *out, const struct agent_message *message)
{
    uint8_t digest[DIGEST_LEN];
    char *head = buf_room(out, AGENT_MESSAGE_HEAD + message->payload.len);
    struct str name = names[message->type];
    ASSERT(name.len > 0 && name.len <= TYPE_LEN && message->payload.len <= UINT32_MAX); /* a row of ours, and less than an arena */
    put(head, AT_HEAD, 4, AT_PAYLOAD_LEN);
    memset(head + AT_TYPE, ' ', TYPE_LEN);
    memcpy(head + AT_TYPE, name.ptr, name.len);
    put(head, AT_VERSION, 4, message->schema_version);
    put(head, AT_CREATED, 8, (uint64_t)message->created_ms);
    put(head, AT_SEQUENCE, 8, (uint64_t)message->sequence);
    put(head, AT_FLAGS, 8, message->flags);
    memcpy(head + AT_ID, message->id.bytes + ID_HALF, ID_HALF);
    memcpy(head + AT_ID + ID_HALF, message->id.bytes, ID_HALF);
    sha256_bytes(message->payload, digest);
    memcpy(head + AT_DIGEST, digest, DIGEST_LEN);
    put(head, AT_PAYLOAD_TYPE, 4, message->payload_type);
    put(head, AT_PAYLOAD_LEN, 4, message->payload.len);
    ASSERT(get((struct str){ head, AGENT_MESSAGE_HEAD }, AT_HEAD, 4) == AT_PAYLOAD_LEN); /* as agent_message_read requires of our own frame */
    out->len += AGENT_MESSAGE_HEAD;
    buf_put(out, message->payload);
}
