/* env_file.h: the text of an environment file, read as the ECS agent reads it: NAME=VALUE lines, `#` in the first column begins a comment,
 * nothing is trimmed and quotes are part of the value; a line without "=", without a name or without a value is ignored. Knows the syntax;
 * refuses to know where files come from and the rest of a container's environment. */
#ifndef BERTH_AGENT_TASK_ENV_FILE_H
#define BERTH_AGENT_TASK_ENV_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "model/schema.h"

enum { ENV_FILE_MAX = 1024 * 1024, ENV_LINE_MAX = 64 * 1024, ENV_NAMES_MAX = 5000 };        /* bytes, bytes, variables */

/* In the file's order, each name once: the last line of a name wins. Texts are borrowed from `text`. ERR_INVALID_PARAMETER names the line, and
 * never its text. */
bool env_file_parse(struct str text, struct pair_list *out, struct arena *arena, struct err *err);

#endif
