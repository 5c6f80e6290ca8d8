/* lost.c: agents that went away. A session without a visit for LOST_AFTER_MS is lost; once that is written down, it is forgotten, or kept as absent
 * until its lease is over and the machine's tasks are fenced. */
#include "server/sessions/sessions_internal.h"

#include "base/clock.h"

/* May mark the session. */
typedef bool is_due(struct session *session, int64_t monotonic_ms);

/* The instances whose session is due. The lock is given back between pieces of the table, so that the writer, which wakes agents, does not wait long. */
static size_t find_due(struct sessions *sessions, is_due *due, int64_t monotonic_ms, struct id *ids, size_t limit)
{
    size_t count = 0;
    bool more = true;
    for (size_t s = 0; more;) {
        lock_take(&sessions->lock);
        for (size_t end = s + PIECE; s < end && s < sessions->by_instance.seat_count && count < limit; s++) {
            if (s + AHEAD < sessions->by_instance.seat_count) { __builtin_prefetch(session_at(sessions, s + AHEAD)); }
            struct session *session = session_at(sessions, s);
            if (session != NULL && due(session, monotonic_ms)) { ids[count++] = session->instance; }
        }
        more = s < sessions->by_instance.seat_count && count < limit;
        lock_drop(&sessions->lock);
    }
    return count;
}

static bool is_lost(struct session *session, int64_t monotonic_ms)
{
    if (session->open || session->absent || monotonic_ms - session->heard_ms <= LOST_AFTER_MS) { return false; }
    session->lost = true;
    return true;
}

size_t sessions_lost(struct sessions *sessions, int64_t monotonic_ms, struct id *ids, size_t limit)
{
    return find_due(sessions, is_lost, monotonic_ms, ids, limit);
}

/* A session that is over is forgotten, unless tasks of its machine have yet to be fenced. */
static void leave_session(struct sessions *sessions, struct session *session)
{
    ASSERT(session->holders == 0 && !session->open);
    if (session->lease_ms == 0) {
        session_drop(sessions, session);
    } else {
        session->absent = true;
        session->name[0] = '\0';             /* an agent that comes begins a new session */
    }
}

/* When the agent has come back while its absence was being written down, its presence is written down again. */
void sessions_forget(struct sessions *sessions, struct id id)
{
    lock_take(&sessions->lock);
    struct session *session = session_find(sessions, id);
    if (session != NULL && session->lost) {
        session->lost = false;
        bool back = session->holders > 0 || clock_monotonic_ms() - session->heard_ms <= LOST_AFTER_MS;
        if (back) {
            session->presence = PRESENCE_UNTOLD;
            session_wake(sessions, session);
        } else {
            leave_session(sessions, session);
        }
    }
    lock_drop(&sessions->lock);
}

static bool is_expired(struct session *session, int64_t monotonic_ms)
{
    return session->absent && session->heard_ms + session->lease_ms + (int64_t)FENCE_MARGIN_S * 1000 <= monotonic_ms;
}

size_t sessions_expired(struct sessions *sessions, int64_t monotonic_ms, struct id *ids, size_t limit)
{
    return find_due(sessions, is_expired, monotonic_ms, ids, limit);
}

void sessions_fenced(struct sessions *sessions, struct id id)
{
    lock_take(&sessions->lock);
    struct session *session = session_find(sessions, id);
    if (session != NULL && session->absent) { session_drop(sessions, session); }
    lock_drop(&sessions->lock);
}
