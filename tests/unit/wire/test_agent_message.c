/* test_agent_message.c: frames of the data channel: every number at its place, and both sides of each limit. */
#include "wire/agent_message.h"

#include "tests/unit/check.h"

static struct arena arena;

static const struct agent_message sample = {
    .type = AGENT_MESSAGE_INPUT, .schema_version = 1, .payload_type = AGENT_PAYLOAD_OUTPUT, .created_ms = 0x0102030405060708, .sequence = 258,
    .flags = AGENT_FLAG_SYN | AGENT_FLAG_FIN, .id = { { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } }, .payload = STR_INIT("abc"),
};

static struct str put(const struct agent_message *message)
{
    struct buf out = buf_in(&arena);
    buf_put(&out, STR("before"));
    agent_message_put(&out, message);
    return str_slice(buf_str(&out), 6, out.len);
}

/* As the plugin writes it; the digest is SHA-256's own example. */
static void test_bytes(void)
{
    static const char want[] =
        "\0\0\0\x74" "input_stream_data               " "\0\0\0\1" "\1\2\3\4\5\6\7\x08" "\0\0\0\0\0\0\1\2" "\0\0\0\0\0\0\0\3"
        "\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F" "\0\1\2\3\4\5\6\7"
        "\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad"
        "\0\0\0\1" "\0\0\0\3" "abc";
    struct str bytes = put(&sample);
    CHECK_EQ("length", bytes.len, AGENT_MESSAGE_HEAD + 3);
    CHECK("every byte", bytes.len == sizeof want - 1 && memcmp(bytes.ptr, want, bytes.len) == 0);
}

static void test_round(void)
{
    struct agent_message back;
    for (int type = 1; type < AGENT_MESSAGE_TYPE_COUNT; type++) {
        struct agent_message message = sample;
        message.type = (enum agent_message_type)type;
        message.payload = type % 2 == 0 ? STR("") : sample.payload;
        CHECK("read", agent_message_read(put(&message), &back) == NULL);
        CHECK_EQ("type", back.type, type);
        CHECK_STR("payload", back.payload, message.payload);
        CHECK("numbers", back.created_ms == message.created_ms && back.sequence == 258 && back.flags == 3 && back.schema_version == 1 && back.payload_type == 1);
        CHECK("id", id_eq(back.id, message.id));
    }
}

static void test_refused(void)
{
    struct str good = put(&sample);
    static const struct { const char *row; size_t at; char value; bool good; } changes[] = {
        { "the head's length",            3, 0x75, false }, { "the payload's length, more", 119, 4, false }, { "the payload's length, less", 119, 2, false },
        { "a length beyond all",          116, 0x7F, false }, { "the digest",               80, 0, false }, { "the payload",               120, 'b', false },
        { "a type of nobody",             4, 'x', true },   { "the version",                39, 9, true },
    };
    for (size_t c = 0; c < COUNT_OF(changes); c++) {
        struct agent_message message;
        char *bytes = arena_copy(&arena, good.ptr, good.len);
        bytes[changes[c].at] = changes[c].value;
        CHECK_EQ(changes[c].row, agent_message_read((struct str){ bytes, good.len }, &message) == NULL, changes[c].good);
    }
    struct agent_message message, empty = sample;
    empty.payload = STR("");
    struct str head = put(&empty);
    CHECK("a head alone", agent_message_read(head, &message) == NULL);
    CHECK("one byte less", agent_message_read(str_slice(head, 0, head.len - 1), &message) != NULL);
    CHECK("nothing", agent_message_read(STR(""), &message) != NULL);
    char *bytes = arena_copy(&arena, head.ptr, head.len);
    memset(bytes + 80, 0, 32);
    memset(bytes + 4 + 17, 0, 15);
    CHECK("without a payload there need be no digest, and names may end with zeros", agent_message_read((struct str){ bytes, head.len }, &message) == NULL);
    CHECK_EQ("and are still known", message.type, AGENT_MESSAGE_INPUT);
}

int main(void)
{
    arena_init(&arena, 1 << 20);
    test_bytes();
    test_round();
    test_refused();
    arena_finish(&arena);
    return check_report();
}
