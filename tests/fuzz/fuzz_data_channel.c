/* fuzz_data_channel.c: a client of a session that sends any message, in any order, again and again. The input is a list of steps, a byte
 * each and a byte for its number. What a message says follows from its number, so that it can be sent again: for any order, the
 * command gets the bytes of all numbers in order, each once. Frames that go out are sound and never more than the window. */
#include "server/exec/data_channel.h"

#include "wire/agent_message.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024, NUMBERS = 64, GREETING = 0 };
enum step { SAY, SAY_NEXT, ACKNOWLEDGE, ACKNOWLEDGE_OLDEST, GIVE, WAIT, CONNECT, FILL, RAW, END, STEP_COUNT };

struct session {
    struct data_channel *channel;
    struct arena arena;
    int64_t now_ms, next, heard;             /* the client's: the number that is next; of those that the command has heard */
    int64_t sent, oldest;                    /* ours: numbers that went out for the first time; the oldest that was not acknowledged */
    bool full, left, closed;
    bool done[1024];                         /* acknowledged, by number of ours */
};

/* The kind of a number's message: mostly input, now and then the terminal's size or a flag that says nothing. The first is the handshake's. */
static enum agent_payload kind_of(int64_t number)
{
    if (number == GREETING) { return AGENT_PAYLOAD_HANDSHAKE_RESPONSE; }
    return number % 7 == 3 ? AGENT_PAYLOAD_SIZE : number % 7 == 5 ? AGENT_PAYLOAD_FLAG : AGENT_PAYLOAD_OUTPUT;
}

static bool on_input(void *context, struct str bytes)
{
    struct session *session = context;
    if (session->full) { return false; }
    do { session->heard++; } while (kind_of(session->heard) != AGENT_PAYLOAD_OUTPUT);
    ASSERT(bytes.len == 1 && bytes.ptr[0] == (char)session->heard);
    return true;
}

static void on_send(void *context, struct str frame)
{
    struct session *session = context;
    struct agent_message message;
    ASSERT(agent_message_read(frame, &message) == NULL);
    if (message.type == AGENT_MESSAGE_CLOSED) { session->closed = true; }
    if (message.type != AGENT_MESSAGE_OUTPUT) { return; }
    ASSERT(message.sequence >= 0 && message.sequence <= session->sent && message.payload.len <= DATA_CHANNEL_PIECE);
    ASSERT(message.sequence == session->sent || !session->done[message.sequence]);       /* an acknowledged message is not sent again */
    if (message.sequence == session->sent) { session->sent++; }
    int64_t waiting = 0;
    for (int64_t n = 0; n < session->sent; n++) { waiting += session->done[n] ? 0 : 1; }
    ASSERT(waiting <= DATA_CHANNEL_WINDOW);
}

static void on_open(void *context) { (void)context; }
static void on_leave(void *context) { ((struct session *)context)->left = true; }

static void on_resize(void *context, int64_t rows, int64_t cols)
{
    (void)context;
    ASSERT(rows == 24 && cols == 80);
}

static const struct data_channel_ops ops = { on_send, on_open, on_input, on_resize, on_leave };

/* A frame that breaks the rules ends the connection; the client comes again. */
static void take(struct session *session, struct str frame)
{
    struct err err = { 0 };
    bool good = data_channel_take(session->channel, frame, session->now_ms, &session->arena, &err);
    ASSERT(good == (err.code == ERR_NONE));
    if (!good) { data_channel_connect(session->channel, session->now_ms); }
}

static void say(struct session *session, enum agent_message_type type, int64_t number, enum agent_payload kind, struct str payload)
{
    struct buf frame = buf_in(&session->arena);
    agent_message_put(&frame, &(struct agent_message){ .type = type, .schema_version = 1, .sequence = number, .payload_type = kind, .payload = payload });
    take(session, buf_str(&frame));
}

static void say_number(struct session *session, int64_t number)
{
    const char byte = (char)number;
    enum agent_payload kind = kind_of(number);
    struct str text = STR("{\"ProcessedClientActions\":[{\"ActionStatus\":1}]}");
    if (kind == AGENT_PAYLOAD_OUTPUT) { text = (struct str){ &byte, 1 }; }
    if (kind == AGENT_PAYLOAD_SIZE) { text = STR("{\"rows\":24,\"cols\":80}"); }
    if (kind == AGENT_PAYLOAD_FLAG) { text = STR("none"); }
    say(session, AGENT_MESSAGE_INPUT, number, kind, text);
}

static void acknowledge(struct session *session, int64_t number)
{
    if (number < session->sent) { session->done[number] = true; }
    while (session->oldest < session->sent && session->done[session->oldest]) { session->oldest++; }
    say(session, AGENT_MESSAGE_ACKNOWLEDGE, 0, 0, arena_printf(&session->arena, "{\"AcknowledgedMessageSequenceNumber\":%lld}", (long long)number));
}

static void give(struct session *session, size_t size)
{
    static const char output[DATA_CHANNEL_WINDOW * DATA_CHANNEL_PIECE];
    size_t room = data_channel_room(session->channel);
    ASSERT(room <= sizeof output);
    data_channel_output(session->channel, (struct str){ output, size < room ? size : room }, session->now_ms);
}

/* `number` is the step's own byte. RAW takes the rest of the input as one frame. */
static void do_step(struct session *session, enum step step, uint8_t number, struct str rest)
{
    switch (step) {
    case SAY:         say_number(session, number % NUMBERS); break;
    case SAY_NEXT:
        say_number(session, session->next);
        session->next = (session->next + 1) % NUMBERS;
        break;
    case ACKNOWLEDGE: acknowledge(session, number); break;
    case ACKNOWLEDGE_OLDEST: acknowledge(session, session->oldest); break;
    case GIVE:        give(session, (size_t)number * 700); break;
    case WAIT:
        session->now_ms += number * 8;
        ASSERT(data_channel_step(session->channel, session->now_ms) > session->now_ms);
        break;
    case CONNECT:     data_channel_connect(session->channel, session->now_ms); break;
    case FILL:        session->full = number % 2 == 0; break;
    case RAW:         take(session, rest); break;
    case END:         data_channel_end(session->channel, str_slice(rest, 0, number), session->now_ms); break;
    case STEP_COUNT:  break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct session session;
    enum { STEPS_MAX = 800 };
    session = (struct session){ .now_ms = 1000 };
    arena_init(&session.arena, CEILING);
    session.channel = data_channel_create(&ops, &session, STR("ecs-execute-command-1"), 1700000000000, session.now_ms);
    data_channel_connect(session.channel, session.now_ms);
    for (size_t at = 0; at + 1 < size && at / 2 < STEPS_MAX && session.sent < (int64_t)COUNT_OF(session.done) - DATA_CHANNEL_WINDOW; at += 2) {
        do_step(&session, data[at] % STEP_COUNT, data[at + 1], fuzz_str(data + at + 2, size - at - 2));
    }
    ASSERT(!data_channel_has_ended(session.channel) || session.closed);
    data_channel_destroy(session.channel);
    arena_finish(&session.arena);
    return 0;
}
