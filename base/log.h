/* log.h: one line each, to standard error, `time level room: text key=value …`. Thread-safe; a line is one write. */
#ifndef BERTH_BASE_LOG_H
#define BERTH_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

void log_set_level(enum log_level level);
bool log_shows(enum log_level level);                            /* for lines that are dear to make */
bool log_level_from(const char *name, enum log_level *level);    /* debug, info, warn, error, crit (as error) */

/* The last lines, for a reader elsewhere: nothing is kept until log_keep(). */
enum { LOG_KEPT_MAX = 16 * 1024 };
void     log_keep(void);
uint64_t log_kept(char *text, size_t *len);                       /* room for LOG_KEPT_MAX; whole lines. How many bytes there ever were */

void log_line(enum log_level level, const char *room, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
