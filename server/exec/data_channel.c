/* data_channel.c: two streams of numbered messages. Ours begins with the question of the handshake (0) and its end (1); the client's
 * with its answer (0). Only the oldest message that was not acknowledged is sent again, as the plugin does it: the connection itself
 * loses nothing, so that what is missing is what the client could not use yet. */
#include "server/exec/data_channel.h"

#include <stdlib.h>

#include "wire/agent_message.h"
#include "base/json.h"
#include "base/num.h"
#include "base/rng.h"

enum {
    SCHEMA_VERSION = 1, SESSION_MAX = 128, FRAME_ARENA = 1024 * 1024, TEXT_MAX = 1024, CELLS_MAX = 65535,
    FLAG_TERMINATES = 2, FLAG_SIZE = 4, ACTION_DONE = 1,
};
static const int64_t ns_of_ms = 1000 * 1000;

enum stage { STAGE_NEW, STAGE_GREETING, STAGE_OPEN };
struct kept { int64_t sequence; char *ptr; size_t len; };             /* a frame of ours */
struct early { struct agent_message message; char *bytes; };          /* bytes: its payload, owned */

struct data_channel {
    const struct data_channel_ops *ops; void *context;       /* lent */
    char session[SESSION_MAX];
    struct rng rng;                          /* for ids, which need only be unique */
    int64_t epoch_offset_ms, began_ms;
    enum stage stage;
    int64_t next_sequence;                   /* of ours */
    struct kept window[DATA_CHANNEL_WINDOW]; size_t window_count;    /* whole frames, oldest first */
    int64_t due_ms, patience_ms;             /* of the oldest */
    int64_t expected;                        /* of the client's */
    struct early early[DATA_CHANNEL_EARLY]; size_t early_count;      /* in no order; acknowledged when they are used */
    bool ending, ended;
    char text[TEXT_MAX];
    struct arena arena;                      /* of one frame that is being printed */
};

/* ---- out ---- */

static struct str print(struct data_channel *channel, struct agent_message message, int64_t now_ms)
{
    message.id = id_random(&channel->rng);
    message.schema_version = SCHEMA_VERSION;
    message.created_ms = now_ms + channel->epoch_offset_ms;
    struct buf frame = buf_in(&channel->arena);
    agent_message_put(&frame, &message);
    return buf_str(&frame);
}

static void send_once(struct data_channel *channel, struct agent_message message, int64_t now_ms)
{
    channel->ops->send(channel->context, print(channel, message, now_ms));
    arena_reset(&channel->arena);
}

static void send_numbered(struct data_channel *channel, enum agent_payload type, struct str payload, int64_t now_ms)
{
    ASSERT(channel->window_count < DATA_CHANNEL_WINDOW);        /* at most two before there is room for output */
    const struct agent_message message = {
        .type = AGENT_MESSAGE_OUTPUT, .payload_type = type, .sequence = channel->next_sequence, .payload = payload,
        .flags = channel->next_sequence == 0 ? AGENT_FLAG_SYN : 0,
    };
    struct str frame = print(channel, message, now_ms);
    char *copy = malloc(frame.len);
    ASSERT(copy != NULL);
    memcpy(copy, frame.ptr, frame.len);
    if (channel->window_count == 0) {
        channel->patience_ms = DATA_CHANNEL_RESEND_MS;
        channel->due_ms = now_ms + channel->patience_ms;
    }
    channel->window[channel->window_count++] = (struct kept){ channel->next_sequence++, copy, frame.len };
    channel->ops->send(channel->context, frame);
    arena_reset(&channel->arena);
}

static void greet(struct data_channel *channel, int64_t now_ms)
{
    static const char request[] = "{\"AgentVersion\":\"" BERTH_VERSION "\",\"RequestedClientActions\":[{\"ActionType\":\"SessionType\","
        "\"ActionParameters\":{\"SessionType\":\"InteractiveCommands\",\"Properties\":{}}}]}";
    channel->stage = STAGE_GREETING;
    channel->began_ms = now_ms;
    send_numbered(channel, AGENT_PAYLOAD_HANDSHAKE_REQUEST, str_from(request), now_ms);
}

/* Needs another arena than the channel's, in which a frame is being printed. */
static struct str closed_payload(const struct data_channel *channel, int64_t now_ms, struct arena *arena)
{
    struct buf payload = buf_in(arena);
    struct json_out out = json_out_to(&payload);
    json_open(&out, '{');
    json_name(&out, STR("SessionId"));
    json_str(&out, str_from(channel->session));
    json_name(&out, STR("MessageType"));
    json_str(&out, agent_message_name(AGENT_MESSAGE_CLOSED));
    json_name(&out, STR("SchemaVersion"));
    json_i64(&out, SCHEMA_VERSION);
    json_name(&out, STR("CreatedDate"));
    json_str(&out, arena_printf(arena, "%lld", (long long)(now_ms + channel->epoch_offset_ms)));
    json_name(&out, STR("Output"));
    json_str(&out, str_from(channel->text));
    json_close(&out, '}');
    return buf_str(&payload);
}

static void say_end(struct data_channel *channel, int64_t now_ms)
{
    if (!channel->ending || channel->ended || channel->window_count > 0) { return; }
    struct arena arena;
    arena_init(&arena, FRAME_ARENA);
    channel->ended = true;
    send_once(channel, (struct agent_message){ .type = AGENT_MESSAGE_CLOSED, .flags = AGENT_FLAG_SYN | AGENT_FLAG_FIN,
                                               .payload = closed_payload(channel, now_ms, &arena) }, now_ms);
    arena_finish(&arena);
}

static void acknowledge(struct data_channel *channel, const struct agent_message *message, int64_t now_ms, struct arena *arena)
{
    char uuid[ID_UUID_LEN + 1];
    struct buf payload = buf_in(arena);
    id_uuid(message->id, uuid);
    buf_printf(&payload, "{\"AcknowledgedMessageType\":\"" STR_FMT "\",\"AcknowledgedMessageId\":\"%s\","
               "\"AcknowledgedMessageSequenceNumber\":%lld,\"IsSequentialMessage\":true}", STR_ARG(agent_message_name(message->type)), uuid,
               (long long)message->sequence);
    send_once(channel, (struct agent_message){ .type = AGENT_MESSAGE_ACKNOWLEDGE, .flags = AGENT_FLAG_SYN | AGENT_FLAG_FIN, .payload = buf_str(&payload) },
              now_ms);
}

/* ---- in ---- */

static bool take_acknowledgement(struct data_channel *channel, const struct agent_message *message, int64_t now_ms, struct arena *arena,
                                 struct err *err)
{
    const struct json *content = json_parse(message->payload, arena, err);
    if (content == NULL) { return false; }
    int64_t sequence = json_get_i64(content, STR("AcknowledgedMessageSequenceNumber"), -1);
    size_t at = 0;
    while (at < channel->window_count && channel->window[at].sequence != sequence) { at++; }
    if (at == channel->window_count) { return true; }                        /* it was acknowledged before */
    free(channel->window[at].ptr);
    channel->window_count--;
    memmove(channel->window + at, channel->window + at + 1, (channel->window_count - at) * sizeof channel->window[0]);
    if (at == 0) {
        channel->patience_ms = DATA_CHANNEL_RESEND_MS;
        channel->due_ms = now_ms + channel->patience_ms;
    }
    say_end(channel, now_ms);
    return true;
}

/* The client says whether it can do what it was asked: to be a terminal. */
static bool take_greeting(struct data_channel *channel, struct str payload, int64_t now_ms, struct arena *arena, struct err *err)
{
    const struct json *answer = json_parse(payload, arena, err);
    if (answer == NULL) { return false; }
    const struct json *actions = json_get(answer, STR("ProcessedClientActions"));
    bool done = actions != NULL && actions->type == JSON_ARRAY && actions->count == 1
        && json_get_i64(&actions->as.items[0], STR("ActionStatus"), 0) == ACTION_DONE;
    if (!done) { return err_set(err, ERR_CLIENT, "The client knows no sessions of the type InteractiveCommands."); }
    channel->stage = STAGE_OPEN;
    struct str complete = arena_printf(arena, "{\"HandshakeTimeToComplete\":%lld,\"CustomerMessage\":\"\"}",
                                       (long long)((now_ms - channel->began_ms) * ns_of_ms));
    send_numbered(channel, AGENT_PAYLOAD_HANDSHAKE_COMPLETE, complete, now_ms);
    channel->ops->open(channel->context);
    return true;
}

static bool take_size(struct data_channel *channel, struct str payload, struct arena *arena, struct err *err)
{
    const struct json *size = json_parse(payload, arena, err);
    if (size == NULL) { return false; }
    int64_t rows = json_get_i64(size, STR("rows"), 0), cols = json_get_i64(size, STR("cols"), 0);
    bool sound = rows > 0 && rows <= CELLS_MAX && cols > 0 && cols <= CELLS_MAX;
    if (sound) { channel->ops->resize(channel->context, rows, cols); }       /* a window without lines is one that is not shown */
    return true;
}

static void take_flag(struct data_channel *channel, struct str payload)
{
    static const uint8_t terminates[FLAG_SIZE] = { 0, 0, 0, FLAG_TERMINATES };
    if (payload.len == FLAG_SIZE && memcmp(payload.ptr, terminates, FLAG_SIZE) == 0) { channel->ops->leave(channel->context); }
}

/* The next message of the client's. *used: false when there was no room for it. */
static bool use(struct data_channel *channel, uint32_t type, struct str payload, int64_t now_ms, bool *used, struct arena *arena, struct err *err)
{
    *used = true;
    if (channel->stage == STAGE_GREETING) {
        return type == AGENT_PAYLOAD_HANDSHAKE_RESPONSE ? take_greeting(channel, payload, now_ms, arena, err)
                                                        : err_set(err, ERR_CLIENT, "The handshake was not answered.");
    }
    switch (type) {
    case AGENT_PAYLOAD_OUTPUT: *used = channel->ops->input(channel->context, payload); break;
    case AGENT_PAYLOAD_SIZE:   return take_size(channel, payload, arena, err);
    case AGENT_PAYLOAD_FLAG:   take_flag(channel, payload); break;
    default: break;                                                          /* of no use to a terminal */
    }
    return true;
}

static void forget_early(struct data_channel *channel, size_t e)
{
    free(channel->early[e].bytes);
    channel->early[e] = channel->early[--channel->early_count];
}

/* Without room for it, the client will say it again. */
static void keep_early(struct data_channel *channel, const struct agent_message *message)
{
    bool known = false;
    for (size_t e = 0; e < channel->early_count; e++) { known = known || channel->early[e].message.sequence == message->sequence; }
    if (known || channel->early_count == DATA_CHANNEL_EARLY || channel->stage != STAGE_OPEN) { return; }
    struct early early = { .message = *message, .bytes = malloc(message->payload.len + 1) };
    ASSERT(early.bytes != NULL);
    if (message->payload.len > 0) { memcpy(early.bytes, message->payload.ptr, message->payload.len); }
    early.message.payload.ptr = early.bytes;
    channel->early[channel->early_count++] = early;
}

/* The message that is next: acknowledged when it was of use. */
static bool use_next(struct data_channel *channel, const struct agent_message *message, int64_t now_ms, bool *used, struct arena *arena, struct err *err)
{
    if (!use(channel, message->payload_type, message->payload, now_ms, used, arena, err)) { return false; }
    if (!*used) { return true; }
    channel->expected++;
    acknowledge(channel, message, now_ms, arena);
    return true;
}

/* Uses messages that came early and are next now, and drops those that were used meanwhile. */
static bool use_early(struct data_channel *channel, int64_t now_ms, struct arena *arena, struct err *err)
{
    for (size_t e = 0; e < channel->early_count;) {
        bool used = false;
        int64_t sequence = channel->early[e].message.sequence;
        if (sequence == channel->expected && !use_next(channel, &channel->early[e].message, now_ms, &used, arena, err)) { return false; }
        if (sequence == channel->expected && !used) { return true; }
        if (sequence < channel->expected) { forget_early(channel, e); }
        e = used ? 0 : sequence < channel->expected ? e : e + 1;
    }
    return true;
}

static bool take_input(struct data_channel *channel, const struct agent_message *message, int64_t now_ms, struct arena *arena, struct err *err)
{
    bool used = true;
    if (message->payload.len > DATA_CHANNEL_PAYLOAD_MAX) {
        return err_set(err, ERR_CLIENT, "A message of input may have %d bytes.", DATA_CHANNEL_PAYLOAD_MAX);
    }
    if (channel->stage == STAGE_NEW || message->sequence < 0) { return err_set(err, ERR_CLIENT, "A message is out of place."); }
    if (message->sequence > channel->expected) {
        keep_early(channel, message);
        return true;
    }
    if (message->sequence < channel->expected) {
        acknowledge(channel, message, now_ms, arena);                        /* the first acknowledgement did not arrive in time */
        return true;
    }
    return use_next(channel, message, now_ms, &used, arena, err) && use_early(channel, now_ms, arena, err);
}

bool data_channel_take(struct data_channel *channel, struct str frame, int64_t now_ms, struct arena *arena, struct err *err)
{
    struct agent_message message;
    const char *problem = agent_message_read(frame, &message);
    if (problem != NULL) { return err_set(err, ERR_CLIENT, "%s", problem); }
    switch (message.type) {
    case AGENT_MESSAGE_INPUT:       return take_input(channel, &message, now_ms, arena, err);
    case AGENT_MESSAGE_ACKNOWLEDGE: return take_acknowledgement(channel, &message, now_ms, arena, err);
    case AGENT_MESSAGE_OTHER:
    case AGENT_MESSAGE_OUTPUT:
    case AGENT_MESSAGE_CLOSED:
    case AGENT_MESSAGE_START:
    case AGENT_MESSAGE_PAUSE:
    case AGENT_MESSAGE_TYPE_COUNT:  break;
    }
    return true;                                                             /* nothing that a client says to a service */
}

/* ---- the caller's side ---- */

void data_channel_connect(struct data_channel *channel, int64_t now_ms)
{
    send_once(channel, (struct agent_message){ .type = AGENT_MESSAGE_START, .flags = AGENT_FLAG_SYN | AGENT_FLAG_FIN }, now_ms);
    if (channel->stage == STAGE_NEW) {
        greet(channel, now_ms);
        return;
    }
    for (size_t w = 0; w < channel->window_count; w++) {
        channel->ops->send(channel->context, (struct str){ channel->window[w].ptr, channel->window[w].len });
    }
    channel->patience_ms = DATA_CHANNEL_RESEND_MS;
    channel->due_ms = now_ms + channel->patience_ms;
    channel->ended = false;                                                  /* told to a connection that may have been gone already */
    say_end(channel, now_ms);
}

size_t data_channel_room(const struct data_channel *channel)
{
    if (channel->stage != STAGE_OPEN || channel->ending) { return 0; }
    return (DATA_CHANNEL_WINDOW - channel->window_count) * DATA_CHANNEL_PIECE;
}

void data_channel_output(struct data_channel *channel, struct str bytes, int64_t now_ms)
{
    ASSERT(bytes.len <= data_channel_room(channel));            /* callers take no more than that */
    while (bytes.len > 0) {
        struct str piece = str_slice(bytes, 0, DATA_CHANNEL_PIECE);
        send_numbered(channel, AGENT_PAYLOAD_OUTPUT, piece, now_ms);
        bytes = str_slice(bytes, piece.len, bytes.len);
    }
}

void data_channel_end(struct data_channel *channel, struct str text, int64_t now_ms)
{
    if (channel->ending) { return; }
    channel->ending = true;
    (void)str_to_cstr(str_slice(text, 0, sizeof channel->text - 1), channel->text, sizeof channel->text);
    say_end(channel, now_ms);
}

bool data_channel_has_ended(const struct data_channel *channel) { return channel->ended; }

int64_t data_channel_step(struct data_channel *channel, int64_t now_ms)
{
    if (channel->window_count == 0) { return INT64_MAX; }
    if (now_ms >= channel->due_ms) {
        channel->ops->send(channel->context, (struct str){ channel->window[0].ptr, channel->window[0].len });
        channel->patience_ms = min_i64(channel->patience_ms * 2, DATA_CHANNEL_RESEND_MAX_MS);
        channel->due_ms = now_ms + channel->patience_ms;
    }
    return channel->due_ms;
}

/* ---- life ---- */

struct data_channel *data_channel_create(const struct data_channel_ops *ops, void *context, struct str session, int64_t epoch_ms, int64_t now_ms)
{
    struct data_channel *channel = calloc(1, sizeof *channel);
    ASSERT(channel != NULL);
    channel->ops = ops;
    channel->context = context;
    channel->epoch_offset_ms = epoch_ms - now_ms;
    rng_seed(&channel->rng, rng_entropy());
    arena_init(&channel->arena, FRAME_ARENA);
    (void)str_to_cstr(str_slice(session, 0, sizeof channel->session - 1), channel->session, sizeof channel->session);
    return channel;
}

void data_channel_destroy(struct data_channel *channel)
{
    if (channel == NULL) { return; }
    for (size_t w = 0; w < channel->window_count; w++) { free(channel->window[w].ptr); }
    for (size_t e = 0; e < channel->early_count; e++) { free(channel->early[e].bytes); }
    arena_finish(&channel->arena);
    free(channel);
}
