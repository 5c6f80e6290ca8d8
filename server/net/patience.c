/* patience.c: the limits. Each counts from a moment that the peer can't move by sending or reading a byte now and then, except the two limits of
 * silence. */
#include "server/net/patience.h"

enum {
    UNKNOWN_MS = 5 * 1000,                   /* until the peer has shown who it is, handshakes and all */
    HALF_MS = 30 * 1000,
    UNREAD_MS = 30 * 1000,
    IDLE_MS = 60 * 1000,
    SILENT_MS = 60 * 1000,                   /* then a ping, and the same again */
    CLOSING_MS = 2 * 1000,                   /* for the peer to hang up, too */
};

static void bound(int64_t *until_ms, enum connection_reason *reason, int64_t due_ms, enum connection_reason why)
{
    if (due_ms >= *until_ms) { return; }
    *until_ms = due_ms;
    *reason = why;
}

int64_t patience_until(const struct patience *p, enum connection_state state, bool known, enum connection_reason *reason)
{
    int64_t until_ms = INT64_MAX;
    bool listens = state == CONNECTION_READING || state == CONNECTION_WEBSOCKET, busy = p->half_ms != 0 || p->owed_ms != 0;
    *reason = CONNECTION_PEER;
    if (state == CONNECTION_CLOSING && p->owed_ms == 0) {
        bound(&until_ms, reason, p->heard_ms + CLOSING_MS, CONNECTION_DONE);
        return until_ms;
    }
    if (!known) { bound(&until_ms, reason, p->come_ms + UNKNOWN_MS, CONNECTION_UNSIGNED); }
    if (p->owed_ms != 0) { bound(&until_ms, reason, p->owed_ms + UNREAD_MS, CONNECTION_UNREAD); }
    if (listens && p->half_ms != 0) { bound(&until_ms, reason, p->half_ms + HALF_MS, CONNECTION_HALF); }
    if (state == CONNECTION_READING && !busy) { bound(&until_ms, reason, p->heard_ms + IDLE_MS, CONNECTION_IDLE); }
    if (state == CONNECTION_WEBSOCKET && !busy) { bound(&until_ms, reason, p->heard_ms + (p->asked ? 2 : 1) * SILENT_MS, CONNECTION_SILENT); }
    return until_ms;
}

void patience_note_backlog(struct patience *p, size_t left, size_t backlog, int64_t now_ms)
{
    p->owed -= left < p->owed ? left : p->owed;
    if (p->owed > 0) { return; }
    p->owed = backlog;
    p->owed_ms = backlog > 0 ? now_ms : 0;
}
