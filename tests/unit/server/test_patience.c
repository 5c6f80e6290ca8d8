/* test_patience.c: what ends each state of a connection, and when. */
#include "server/net/patience.h"

#include "base/assert.h"
#include "tests/unit/check.h"

static const int64_t never = INT64_MAX;

static void test_ends(void)
{
    static const struct patience quiet = { .come_ms = 1000, .heard_ms = 7000 };
    static const struct patience half = { .come_ms = 1000, .heard_ms = 7000, .half_ms = 6000 }, early = { .come_ms = 1000, .heard_ms = 1000, .half_ms = 1000 };
    static const struct patience owes = { .come_ms = 1000, .heard_ms = 7000, .owed_ms = 5000, .owed = 1 };
    static const struct patience both = { .come_ms = 1000, .heard_ms = 7000, .half_ms = 6000, .owed_ms = 5000, .owed = 1 };
    static const struct patience late = { .come_ms = 1000, .heard_ms = 7000, .half_ms = 4000, .owed_ms = 5000, .owed = 1 };
    static const struct patience pinged = { .come_ms = 1000, .heard_ms = 7000, .asked = true };
    static const struct { const char *name; enum connection_state state; bool known; const struct patience *patience; int64_t until_ms; enum connection_reason reason; } rows[] = {
        { "a handshake",                           CONNECTION_GREETING,  false, &quiet,  6000,   CONNECTION_UNSIGNED },
        { "a stranger that says nothing",          CONNECTION_READING,   false, &quiet,  6000,   CONNECTION_UNSIGNED },
        { "a stranger's half request",             CONNECTION_READING,   false, &early,  6000,   CONNECTION_UNSIGNED },
        { "a stranger that does not read",         CONNECTION_READING,   false, &owes,   6000,   CONNECTION_UNSIGNED },
        { "a stranger's websocket",                CONNECTION_WEBSOCKET, false, &quiet,  6000,   CONNECTION_UNSIGNED },
        { "a stranger that is to go, and reads not", CONNECTION_CLOSING, false, &owes,   6000,   CONNECTION_UNSIGNED },
        { "a stranger that is to go",              CONNECTION_CLOSING,   false, &quiet,  9000,   CONNECTION_DONE },
        { "nothing asked",                         CONNECTION_READING,   true,  &quiet,  67000,  CONNECTION_IDLE },
        { "half a request",                        CONNECTION_READING,   true,  &half,   36000,  CONNECTION_HALF },
        { "an answer that is not read",            CONNECTION_READING,   true,  &owes,   35000,  CONNECTION_UNREAD },
        { "… and half a request behind it",        CONNECTION_READING,   true,  &both,   35000,  CONNECTION_UNREAD },
        { "… and before it",                       CONNECTION_READING,   true,  &late,   34000,  CONNECTION_HALF },
        { "a poll",                                CONNECTION_ASKED,     true,  &quiet,  never,  CONNECTION_PEER },
        { "a poll behind an answer not read",      CONNECTION_ASKED,     true,  &owes,   35000,  CONNECTION_UNREAD },
        { "a websocket that says nothing",         CONNECTION_WEBSOCKET, true,  &quiet,  67000,  CONNECTION_SILENT },
        { "… and was pinged",                      CONNECTION_WEBSOCKET, true,  &pinged, 127000, CONNECTION_SILENT },
        { "half a message",                        CONNECTION_WEBSOCKET, true,  &half,   36000,  CONNECTION_HALF },
        { "messages that are not read",            CONNECTION_WEBSOCKET, true,  &owes,   35000,  CONNECTION_UNREAD },
        { "the last words",                        CONNECTION_CLOSING,   true,  &owes,   35000,  CONNECTION_UNREAD },
        { "the peer's turn to hang up",            CONNECTION_CLOSING,   true,  &quiet,  9000,   CONNECTION_DONE },
        { "… after anything it has said before",   CONNECTION_CLOSING,   true,  &half,   9000,   CONNECTION_DONE },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        enum connection_reason reason;
        CHECK_EQ(rows[r].name, patience_until(rows[r].patience, rows[r].state, rows[r].known, &reason), rows[r].until_ms);
        CHECK_EQ(rows[r].name, reason, rows[r].reason);
    }
}

/* Reading a little now and then puts nothing off. */
static void test_backlog(void)
{
    static const struct { const char *name; size_t left, backlog; int64_t now_ms; size_t owed; int64_t owed_ms; } steps[] = {
        { "all left at once",                      100, 0,    1000, 0,    0 },
        { "some waits",                            0,   500,  2000, 500,  2000 },
        { "more is put behind it",                 0,   900,  3000, 500,  2000 },
        { "a part of the owed bytes leaves",       499, 401,  4000, 1,    2000 },
        { "its last byte leaves, the next begins", 1, 400, 5000, 400, 5000 },
        { "more than was owed leaves",             450, 50,   6000, 50,   6000 },
        { "and then all",                          50,  0,    7000, 0,    0 },
    };
    struct patience patience = { 0 };
    for (size_t s = 0; s < COUNT_OF(steps); s++) {
        patience_note_backlog(&patience, steps[s].left, steps[s].backlog, steps[s].now_ms);
        CHECK_EQ(steps[s].name, patience.owed, steps[s].owed);
        CHECK_EQ(steps[s].name, patience.owed_ms, steps[s].owed_ms);
    }
}

int main(void)
{
    test_ends();
    test_backlog();
    return check_report();
}
