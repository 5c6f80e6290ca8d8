/* events.h: a log as events. A line is an event, and so is a text that was sent as one; empty lines are not. Knows text, marks
 * and tokens; refuses to know files, groups and who asks. Positions are offsets among all bytes that a container ever wrote. */
#ifndef BERTH_SERVER_LOGS_EVENTS_H
#define BERTH_SERVER_LOGS_EVENTS_H

#include "server/logs/logs.h"

enum {
    LOG_EVENT_MAX = 256 * 1024,              /* bytes; a longer line is several events */
    LOG_EVENT_ID_LEN = 56,
    LOG_EVENT_OVERHEAD = 26,                 /* bytes that CloudWatch counts for an event beside its message */
};

struct log_event { int64_t offset, end, time_ms, received_ms; struct str message; };    /* end: where the next one begins */

/* The first event that begins at or behind *position, which moves on to its end. A last line without an end is an event only
 * when the log is `closed`: it may still grow. False, and *position stays: there is none. */
bool log_event_next(const struct log_text *log, bool closed, int64_t *position, struct log_event *event);
/* The last event that ends at or before *position, which moves back to its beginning. */
bool log_event_before(const struct log_text *log, bool closed, int64_t *position, struct log_event *event);
/* Where the first event begins that was written at `time_ms` or later, or a little before it. */
int64_t log_events_from(const struct log_text *log, int64_t time_ms);

/* 56 digits, as CloudWatch's, that sort as the events of a group: time, stream, offset. */
void log_event_id(const struct log_event *event, struct str stream, char out[LOG_EVENT_ID_LEN + 1]);

/* "f/<56 digits>" and "b/<56 digits>": reading on from a position, forward or backward. */
struct log_token { bool backward; int64_t position; };
struct str log_token_text(struct log_token token, struct arena *arena);
bool       log_token_read(struct str text, struct log_token *token);

/* The place of a search over the streams of a group: those named from `first` to `last` are searched together, and events up to
 * the one that is named here were given. The rest of the streams comes after them. */
struct log_place { struct str first, last; int64_t time_ms; struct str stream; int64_t offset; };
struct str log_place_text(const struct log_place *place, struct arena *arena);
bool       log_place_read(struct str text, struct log_place *place, struct arena *arena);

#endif
