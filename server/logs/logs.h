/* logs.h: what containers wrote, as their agents sent it: one file each, DIR/<task id>/<container>.log. Knows files and
 * offsets; refuses to know who may read them and whether a task exists.
 *
 * Beside it, <container>.times holds when that was (logs/marks.h).
 *
 * A file holds at most LOGS_FILE_MAX bytes, and LOGS_TIMES_MAX of times: when it is full its older half goes, and a first line of fixed length says how
 * many bytes are not kept any more. Offsets count all bytes that were ever sent, so that a repeated chunk is recognised.
 *
 * Of a task that only the history knows, the last LOGS_END_MAX bytes of each file stay, in DIR/ended/<first 6 digits of the
 * id>/<task id>/: ids begin with the time, so one such folder holds the tasks of four and a half hours. When all of these take more than
 * LOGS_ENDED_MAX, those of the oldest folder go first. */
#ifndef BERTH_SERVER_LOGS_LOGS_H
#define BERTH_SERVER_LOGS_LOGS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "server/logs/marks.h"

enum {
    LOGS_FILE_MAX = 1024 * 1024, LOGS_TIMES_MAX = 2 * LOGS_FILE_MAX, LOGS_END_MAX = 64 * 1024, LOGS_CONTAINERS_MAX = 64, LOGS_NAME_MAX = 250,
};

static const int64_t LOGS_ENDED_MAX = (int64_t)4 << 30;              /* of all tasks that only the history knows; logs_keep_ended changes it */

struct logs;
struct log_groups;
struct logs *task_logs_create(const char *dir, struct err *err);          /* owned; the directory is made when missing */
void         logs_keep_ended(struct logs *logs, int64_t bytes);      /* in place of LOGS_ENDED_MAX; before the first sweep */
void         logs_stop(struct logs *logs);                           /* ends every wait, now and from now on */
void         task_logs_destroy(struct logs *logs);                        /* accepts NULL */
struct log_groups *logs_groups(struct logs *logs);                   /* borrowed for the life of the logs */
void         logs_search_begin(struct logs *logs);                   /* one search over many logs at a time */
void         logs_search_end(struct logs *logs);

struct log_piece {                                                   /* of what one container wrote */
    struct str text;
    int64_t offset;                                                  /* of all it ever wrote; negative: after the last byte */
    const struct log_mark *marks; size_t mark_count;                 /* offsets within `text`; none at 0: that was now */
    int64_t now_ms;
};
/* Known bytes are ignored. When bytes before the piece are not here, and `missing` is not NULL, nothing is added, and *missing is the first of them that would
 * be kept; -1 otherwise. With NULL, the bytes before the gap go. */
MUST_USE bool logs_append(struct logs *logs, struct id task, struct str container, const struct log_piece *piece, int64_t *missing, struct err *err);

/* Adds the text at *position, at most `limit` bytes, and moves *position on. For text that is no longer stored, a line says so,
 * and *position moves past it. False when the container has written nothing yet. */
bool         logs_read(struct logs *logs, struct id task, struct str container, int64_t *position, size_t limit, struct buf *out);
bool         logs_exists(struct logs *logs, struct id task, struct str container);
size_t       logs_containers(struct logs *logs, struct id task, struct str *names, size_t limit, struct arena *arena);
uint64_t     logs_turn(struct logs *logs);                           /* grows with every append */
bool         logs_wait(struct logs *logs, uint64_t turn, int64_t until_ms);     /* behind `turn`; false: time is up, or stopping */

/* Adds the last `limit` bytes, from the beginning of a line where there is one; *before is how many bytes came before them. */
bool         logs_read_end(struct logs *logs, struct id task, struct str container, size_t limit, int64_t *before, struct buf *out);

/* All of one log and when it was written, of one moment. False when there is none. */
struct log_text {
    struct str text;                                                 /* lives in the arena */
    int64_t dropped;                                                 /* the offset of its first byte */
    struct log_mark_list marks;
    int64_t changed_ms;                                              /* for bytes before the first mark */
};
bool         logs_load(struct logs *logs, struct id task, struct str container, struct arena *arena, struct log_text *log);
bool         logs_span(struct logs *logs, struct id task, struct str container, struct log_mark *first, struct log_mark *last);

/* Does with the logs of every task what `fate` says, and removes ended ones while there are too many. Of the ended ones a part is looked at
 * each time: all of them in some hours when this is called each minute. Until then, after a start, too few of their bytes are known. One
 * thread only. */
enum log_fate { LOG_STAYS, LOG_ENDS, LOG_GOES };                     /* whole; its end only; nothing of it */
void         logs_sweep(struct logs *logs, enum log_fate (*fate)(void *context, struct id task), void *context);

#endif
