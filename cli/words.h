/* words.h: shared by the commands that ask a server: the request, safe reading of JSON, and printing.
 * Texts of tasks and agents are printed without control characters. Private to cli/. */
#ifndef BERTH_CLI_WORDS_H
#define BERTH_CLI_WORDS_H

#include "base/json.h"
#include "cli/remote.h"

enum { CLI_TIME_SIZE = 32 };

/* ---- asking ---- */
/* GET, or POST of a body of JSON when there is one. */
bool cli_ask(const struct remote *remote, const char *path, struct str body, const struct json **reply, struct arena *arena, struct err *err);
/* An operation of ECS. *warning as in remote.h; NULL: not wanted. */
bool cli_call(const struct remote *remote, const char *operation, struct str body, struct str *warning, const struct json **reply,
              struct arena *arena, struct err *err);
/* The id in an id or an ARN, as 32 hex digits. */
bool cli_read_task(const char *text, const char **hex, struct arena *arena, struct err *err);

/* ---- reading ---- */
double             cli_number(const struct json *object, const char *name);           /* with or without decimals; 0: none */
const struct json *cli_list(const struct json *object, const char *name);             /* empty if it is missing */
struct str         cli_text(const struct json *object, const char *name);             /* "-" if it is missing */

/* ---- printing ---- */
void        cli_print(struct str text, size_t width, bool fill);     /* at most `width` bytes; fill: blanks up to there */
void        cli_print_tasks(const struct json *tasks);                /* a head, and a line a task: who holds GPUs since when */
void        cli_print_json(const struct json *value, struct arena *arena);
struct str  cli_or_dash(struct str text);
const char *cli_time_text(int64_t ms, bool with_ms, char out[CLI_TIME_SIZE]);         /* UTC; "-" for 0 */

#endif
