/* command_line.h: splits a command into words: at blanks, with quotes and backslashes as in a POSIX
 * shell. Knows no variables, patterns, pipes or comments. */
#ifndef BERTH_BASE_TEXT_COMMAND_LINE_H
#define BERTH_BASE_TEXT_COMMAND_LINE_H

#include "base/arena.h"
#include "base/err.h"

struct command_line { struct str *words; size_t count; };        /* both in the arena */

/* False and ERR_INVALID_PARAMETER: a quote that is not closed, a backslash at the end, a zero byte, or no word at all. */
MUST_USE bool command_line_split(struct str text, struct command_line *out, struct arena *arena, struct err *err);

#endif
