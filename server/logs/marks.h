/* marks.h: when the bytes of a log were written. A file beside the log holds marks in order of their offsets; the moment of
 * a byte is that of the last mark at or before it. Knows one file; refuses to know the text of the log. The caller's lock. */
#ifndef BERTH_SERVER_LOGS_MARKS_H
#define BERTH_SERVER_LOGS_MARKS_H

#include "base/arena.h"
#include "base/err.h"

struct log_mark {
    int64_t offset;                          /* among all bytes that the container ever wrote */
    int64_t time_ms, received_ms;
    int64_t length;                          /* of one event that holds ends of lines; 0: every line is an event */
};
struct log_mark_list { struct log_mark *items; size_t count; };

/* Adds marks; those that are there for offset `end` and behind belong to bytes that were never written, and go. A time does not
 * go back: an earlier one is lifted to the last. */
MUST_USE bool log_marks_add(const char *path, int64_t end, const struct log_mark *marks, size_t count, struct err *err);

/* Removes the marks before `from`, except the mark that `from` belongs to. No file: nothing. */
MUST_USE bool log_marks_cut(const char *path, const char *fresh_path, int64_t from, struct err *err);

/* Empty when there is no file: a log that is older than the marks. */
struct log_mark_list log_marks_read(const char *path, struct arena *arena);
bool   log_marks_ends(const char *path, struct log_mark *first, struct log_mark *last);
int64_t log_marks_size(const char *path);    /* bytes */

/* The last mark at or before `offset`; NULL when there is none. */
const struct log_mark *log_marks_at(const struct log_mark_list *marks, int64_t offset);

#endif
