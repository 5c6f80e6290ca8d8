/* test_data_channel.c: a client that speaks as the plugin does: the handshake, numbers, repeats, disorder, full windows, broken
 * connections and every way to end. */
#include "server/exec/data_channel.h"

#include "wire/agent_message.h"
#include "base/json.h"
#include "tests/unit/check.h"

enum { FRAMES_MAX = 256 };

struct client {
    struct data_channel *channel;
    struct arena arena;
    struct agent_message frames[FRAMES_MAX]; size_t count;   /* that were sent to it, since it looked last */
    struct buf input;
    int opened, left;
    int64_t rows, cols, now_ms;
    bool full;                                               /* the command takes no input */
};

static void on_send(void *context, struct str frame)
{
    struct client *client = context;
    ASSERT(client->count < FRAMES_MAX);
    CHECK("a sound frame", agent_message_read(arena_str(&client->arena, frame), &client->frames[client->count++]) == NULL);
}

static void on_open(void *context) { ((struct client *)context)->opened++; }
static void on_leave(void *context) { ((struct client *)context)->left++; }

static bool on_input(void *context, struct str bytes)
{
    struct client *client = context;
    if (client->full) { return false; }
    buf_put(&client->input, bytes);
    return true;
}

static void on_resize(void *context, int64_t rows, int64_t cols)
{
    struct client *client = context;
    client->rows = rows;
    client->cols = cols;
}

static const struct data_channel_ops ops = { on_send, on_open, on_input, on_resize, on_leave };

static void begin(struct client *client)
{
    *client = (struct client){ .now_ms = 1000 };
    arena_init(&client->arena, 64 << 20);
    client->input = buf_in(&client->arena);
    client->channel = data_channel_create(&ops, client, STR("ecs-execute-command-1"), 1700000000000, client->now_ms);
    data_channel_connect(client->channel, client->now_ms);
}

static void finish(struct client *client)
{
    data_channel_destroy(client->channel);
    arena_finish(&client->arena);
}

static bool say(struct client *client, enum agent_message_type type, int64_t sequence, enum agent_payload payload_type, struct str payload)
{
    struct buf frame = buf_in(&client->arena);
    struct err err = { 0 };
    agent_message_put(&frame, &(struct agent_message){ .type = type, .schema_version = 1, .created_ms = 1, .sequence = sequence,
                                                       .payload_type = payload_type, .payload = payload });
    bool good = data_channel_take(client->channel, buf_str(&frame), client->now_ms, &client->arena, &err);
    CHECK_EQ("a refusal has words", err.code != ERR_NONE, !good);
    return good;
}

static bool type(struct client *client, int64_t sequence, const char *text)
{
    return say(client, AGENT_MESSAGE_INPUT, sequence, AGENT_PAYLOAD_OUTPUT, str_from(text));
}

static bool acknowledge(struct client *client, int64_t sequence)
{
    struct str payload = arena_printf(&client->arena, "{\"AcknowledgedMessageSequenceNumber\":%lld}", (long long)sequence);
    return say(client, AGENT_MESSAGE_ACKNOWLEDGE, 0, (enum agent_payload)0, payload);
}

/* The messages that were sent to it, "a3 o2": acknowledged, output, handshake, start, closed; each with its number. */
static struct str told(struct client *client)
{
    struct buf out = buf_in(&client->arena);
    struct err err = { 0 };
    for (size_t f = 0; f < client->count; f++) {
        const struct agent_message *frame = &client->frames[f];
        int64_t sequence = frame->sequence;
        char letter = '?';
        if (frame->type == AGENT_MESSAGE_ACKNOWLEDGE) {
            letter = 'a';
            sequence = json_get_i64(json_parse(frame->payload, &client->arena, &err), STR("AcknowledgedMessageSequenceNumber"), -1);
        } else if (frame->type == AGENT_MESSAGE_OUTPUT) {
            letter = frame->payload_type == AGENT_PAYLOAD_OUTPUT ? 'o' : 'h';
        } else if (frame->type == AGENT_MESSAGE_CLOSED || frame->type == AGENT_MESSAGE_START) {
            letter = frame->type == AGENT_MESSAGE_CLOSED ? 'c' : 's';
        }
        buf_printf(&out, "%s%c%lld", f == 0 ? "" : " ", letter, (long long)sequence);
    }
    client->count = 0;
    return buf_str(&out);
}

#define ANSWER(status) STR("{\"ClientVersion\":\"1\",\"ProcessedClientActions\":[{\"ActionType\":\"SessionType\",\"ActionStatus\":" status "}]}")

static void greet(struct client *client)
{
    begin(client);
    CHECK_STR("asked at once", told(client), STR("s0 h0"));
    CHECK_EQ("no output before the handshake", data_channel_room(client->channel), 0);
    CHECK("the question arrived", acknowledge(client, 0));
    CHECK("the answer", say(client, AGENT_MESSAGE_INPUT, 0, AGENT_PAYLOAD_HANDSHAKE_RESPONSE, ANSWER("1")));
    CHECK_STR("the handshake ends", told(client), STR("h1 a0"));
    CHECK("acknowledged", acknowledge(client, 1));
    CHECK_EQ("open", client->opened, 1);
    CHECK_EQ("room", data_channel_room(client->channel), (size_t)DATA_CHANNEL_WINDOW * DATA_CHANNEL_PIECE);
}

static void test_handshake(void)
{
    struct client client;
    begin(&client);
    struct err err = { 0 };
    const struct json *request = json_parse(client.frames[1].payload, &client.arena, &err);
    const struct json *actions = json_get(request, STR("RequestedClientActions"));
    CHECK_EQ("a request", client.frames[1].payload_type, AGENT_PAYLOAD_HANDSHAKE_REQUEST);
    CHECK_EQ("of one thing", actions->count, 1);
    CHECK_STR("the session's type", json_get_str(json_get(&actions->as.items[0], STR("ActionParameters")), STR("SessionType")), STR("InteractiveCommands"));
    CHECK_EQ("the time of day", client.frames[1].created_ms, 1700000000000);
    finish(&client);

    static const struct { const char *row; enum agent_payload payload_type; struct str answer; bool good; } rows[] = {
        { "done",             AGENT_PAYLOAD_HANDSHAKE_RESPONSE, STR_INIT("{\"ProcessedClientActions\":[{\"ActionStatus\":1}]}"), true },
        { "failed",           AGENT_PAYLOAD_HANDSHAKE_RESPONSE, STR_INIT("{\"ProcessedClientActions\":[{\"ActionStatus\":2}]}"), false },
        { "nothing done",     AGENT_PAYLOAD_HANDSHAKE_RESPONSE, STR_INIT("{\"ProcessedClientActions\":[]}"), false },
        { "no list",          AGENT_PAYLOAD_HANDSHAKE_RESPONSE, STR_INIT("{}"), false },
        { "no JSON",          AGENT_PAYLOAD_HANDSHAKE_RESPONSE, STR_INIT("yes"), false },
        { "input before it",  AGENT_PAYLOAD_OUTPUT,             STR_INIT("ls"), false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        begin(&client);
        CHECK_EQ(rows[r].row, say(&client, AGENT_MESSAGE_INPUT, 0, rows[r].payload_type, rows[r].answer), rows[r].good);
        CHECK_EQ(rows[r].row, client.opened, rows[r].good ? 1 : 0);
        finish(&client);
    }
}

static void test_input(void)
{
    struct client client;
    greet(&client);
    CHECK("the first", type(&client, 1, "a"));
    CHECK_STR("acknowledged", told(&client), STR("a1"));
    CHECK("again: the acknowledgement was lost", type(&client, 1, "a"));
    CHECK_STR("acknowledged again", told(&client), STR("a1"));
    CHECK("early", type(&client, 4, "d") && type(&client, 3, "c") && type(&client, 3, "c"));
    CHECK_STR("an early message waits", told(&client), STR(""));
    CHECK("the one between", type(&client, 2, "b"));
    CHECK_STR("all in order", told(&client), STR("a2 a3 a4"));
    CHECK_STR("once", buf_str(&client.input), STR("abcd"));
    client.full = true;
    CHECK("no room", type(&client, 5, "e") && type(&client, 6, "f"));
    CHECK_STR("nothing is acknowledged", told(&client), STR(""));
    client.full = false;
    CHECK("said again", type(&client, 5, "e"));
    CHECK_STR("and what came meanwhile", told(&client), STR("a5 a6"));
    CHECK_STR("nothing twice", buf_str(&client.input), STR("abcdef"));
    finish(&client);

    greet(&client);
    for (int64_t n = DATA_CHANNEL_EARLY + 2; n >= 2; n--) { CHECK("early", type(&client, n, "x")); }
    CHECK("the first", type(&client, 1, "x"));
    CHECK_EQ("as many are kept, and no more", told(&client).len, str_from("a1").len);
    CHECK_EQ("number 2 was too much", client.input.len, 1);
    CHECK("said again", type(&client, 2, "x"));
    CHECK_EQ("all", client.input.len, DATA_CHANNEL_EARLY + 2);
    finish(&client);
}

static void test_sizes(void)
{
    static const struct { const char *row; struct str payload; bool good; int64_t rows; } rows[] = {
        { "a size", STR_INIT("{\"cols\":80,\"rows\":24}"), true, 24 }, { "the largest", STR_INIT("{\"cols\":65535,\"rows\":65535}"), true, 65535 },
        { "larger", STR_INIT("{\"cols\":80,\"rows\":65536}"), true, 0 }, { "no lines", STR_INIT("{\"cols\":80,\"rows\":0}"), true, 0 },
        { "below nothing", STR_INIT("{\"cols\":-1,\"rows\":1}"), true, 0 }, { "no JSON", STR_INIT("80x24"), false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct client client;
        greet(&client);
        CHECK_EQ(rows[r].row, say(&client, AGENT_MESSAGE_INPUT, 1, AGENT_PAYLOAD_SIZE, rows[r].payload), rows[r].good);
        CHECK_EQ(rows[r].row, client.rows, rows[r].rows);
        finish(&client);
    }
    struct client client;
    greet(&client);
    char *many = arena_alloc(&client.arena, DATA_CHANNEL_PAYLOAD_MAX + 1, 1);
    CHECK("the longest input", say(&client, AGENT_MESSAGE_INPUT, 1, AGENT_PAYLOAD_OUTPUT, (struct str){ many, DATA_CHANNEL_PAYLOAD_MAX }));
    CHECK("longer", !say(&client, AGENT_MESSAGE_INPUT, 2, AGENT_PAYLOAD_OUTPUT, (struct str){ many, DATA_CHANNEL_PAYLOAD_MAX + 1 }));
    CHECK("a number below nothing", !type(&client, -1, "x"));
    CHECK("a message that only a service sends is ignored", say(&client, AGENT_MESSAGE_PAUSE, 0, (enum agent_payload)0, STR("")));
    CHECK("of a type that is of no use", say(&client, AGENT_MESSAGE_INPUT, 2, (enum agent_payload)99, STR("x")));
    CHECK_STR("it is acknowledged", told(&client), STR("a1 a2"));
    CHECK("a flag of something else", say(&client, AGENT_MESSAGE_INPUT, 3, AGENT_PAYLOAD_FLAG, (struct str){ "\0\0\0\1", 4 }));
    CHECK_EQ("stays", client.left, 0);
    CHECK("the flag that ends it", say(&client, AGENT_MESSAGE_INPUT, 4, AGENT_PAYLOAD_FLAG, (struct str){ "\0\0\0\2", 4 }));
    CHECK_EQ("leaves", client.left, 1);
    finish(&client);
}

static void test_output(void)
{
    struct client client;
    greet(&client);
    char *many = arena_alloc(&client.arena, (size_t)DATA_CHANNEL_WINDOW * DATA_CHANNEL_PIECE, 1);
    data_channel_output(client.channel, (struct str){ many, DATA_CHANNEL_PIECE + 1 }, client.now_ms);
    CHECK_EQ("the whole piece", client.frames[0].payload.len, DATA_CHANNEL_PIECE);
    CHECK_EQ("and the rest", client.frames[1].payload.len, 1);
    CHECK_STR("numbered on", told(&client), STR("o2 o3"));
    CHECK_EQ("room for less", data_channel_room(client.channel), (size_t)(DATA_CHANNEL_WINDOW - 2) * DATA_CHANNEL_PIECE);
    data_channel_output(client.channel, (struct str){ many, data_channel_room(client.channel) }, client.now_ms);
    CHECK_EQ("the window is full", data_channel_room(client.channel), 0);
    (void)told(&client);

    int64_t due_ms = data_channel_step(client.channel, client.now_ms + DATA_CHANNEL_RESEND_MS - 1);
    CHECK_EQ("not yet", client.count, 0);
    CHECK_EQ("but then", due_ms, client.now_ms + DATA_CHANNEL_RESEND_MS);
    due_ms = data_channel_step(client.channel, due_ms);
    CHECK_STR("the oldest alone, again", told(&client), STR("o2"));
    for (int turn = 0; turn < 9; turn++) {
        int64_t next_ms = data_channel_step(client.channel, due_ms);
        CHECK("rarer and rarer, but on", next_ms - due_ms > DATA_CHANNEL_RESEND_MS && next_ms - due_ms <= DATA_CHANNEL_RESEND_MAX_MS);
        due_ms = next_ms;
    }
    (void)told(&client);
    CHECK("out of order", acknowledge(&client, 3) && acknowledge(&client, 3) && acknowledge(&client, 1000));
    (void)data_channel_step(client.channel, due_ms);
    CHECK_STR("the oldest waits still", told(&client), STR("o2"));
    CHECK("it arrived", acknowledge(&client, 2));
    CHECK_EQ("room for two", data_channel_room(client.channel), 2 * (size_t)DATA_CHANNEL_PIECE);
    CHECK("no acknowledgement", !say(&client, AGENT_MESSAGE_ACKNOWLEDGE, 0, (enum agent_payload)0, STR("x")));
    finish(&client);
}

static void test_reconnect(void)
{
    struct client client;
    greet(&client);
    data_channel_output(client.channel, STR("lost"), client.now_ms);
    (void)told(&client);
    data_channel_connect(client.channel, client.now_ms);
    CHECK_STR("a message without an acknowledgement comes again, without a handshake", told(&client), STR("s0 o2"));
    CHECK("input goes on", type(&client, 1, "a"));
    CHECK_STR("where it was", buf_str(&client.input), STR("a"));
    (void)told(&client);
    data_channel_end(client.channel, STR("It is over."), client.now_ms);
    CHECK_STR("not before all has arrived", told(&client), STR(""));
    CHECK("not told", !data_channel_has_ended(client.channel));
    CHECK_EQ("no more output", data_channel_room(client.channel), 0);
    CHECK("arrived", acknowledge(&client, 2));
    CHECK("told", data_channel_has_ended(client.channel));
    struct err err = { 0 };
    const struct json *closed = json_parse(client.frames[0].payload, &client.arena, &err);
    CHECK_STR("why", json_get_str(closed, STR("Output")), STR("It is over."));
    CHECK_STR("which", json_get_str(closed, STR("SessionId")), STR("ecs-execute-command-1"));
    CHECK_STR("type", json_get_str(closed, STR("MessageType")), STR("channel_closed"));
    CHECK_STR("once", told(&client), STR("c0"));
    data_channel_end(client.channel, STR("again"), client.now_ms);
    CHECK_EQ("the first end counts", client.count, 0);
    CHECK_EQ("nothing is due", data_channel_step(client.channel, client.now_ms + 10000), INT64_MAX);
    data_channel_connect(client.channel, client.now_ms);
    CHECK_STR("a connection that had not learned it does now", told(&client), STR("s0 c0"));
    finish(&client);

    begin(&client);
    (void)told(&client);
    data_channel_connect(client.channel, client.now_ms);
    CHECK_STR("in the middle of the handshake", told(&client), STR("s0 h0"));
    finish(&client);
}

int main(void)
{
    test_handshake();
    test_input();
    test_sizes();
    test_output();
    test_reconnect();
    return check_report();
}
