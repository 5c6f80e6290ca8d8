/* watch.c: `berth watch TASK`: follows a task until it has stopped, and ends with its exit status. On a terminal the present state is a line that is redrawn,
 * with a bar while an image is pulled; otherwise a line is printed when something has changed. */
#include <stdio.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/rollout.h"
#include "cli/waiting.h"
#include "cli/words.h"

enum { LOOK_ARENA_MAX = 16 * 1024 * 1024, STEP_PERCENT = 10, CANNOT_FOLLOW = 2, NO_STATUS = 125 };     /* the last two are exit statuses */

struct watch { const struct remote *remote; const char *task; struct waiting_line line; char status[16]; };

/* ---- lines ---- */

/* "4 GPUs", "0.5 GPUs", "1 GPU"; nothing for none. */
static void put_gpus(struct buf *out, const struct json *task)
{
    double gpus = cli_number(task, "gpus");
    if (gpus > 0) { buf_printf(out, ", %g GPU%s", gpus, gpus == 1 ? "" : "s"); }
}

/* "[######..............]  30%  pulls a:1, 120 of 400 MiB, 3 of 9 layers" on a terminal; elsewhere "pulls a:1: 30 %", and each tenth is a line. */
static void put_pull(struct buf *out, const struct json *pull, bool on_terminal)
{
    int64_t bytes = json_get_i64(pull, STR("bytes"), 0), known = json_get_i64(pull, STR("bytesKnown"), 0);
    int64_t done = json_get_i64(pull, STR("layersDone"), 0), layers = json_get_i64(pull, STR("layers"), 0);
    int percent = known > 0 && bytes >= 0 && bytes <= known ? (int)((double)bytes * 100 / (double)known) : 0;
    if (!on_terminal) { percent = percent / STEP_PERCENT * STEP_PERCENT; }
    if (on_terminal) { rollout_put_bar(out, percent); }
    buf_printf(out, "pulls " STR_FMT, STR_ARG(str_shorten(cli_text(pull, "image"), 100)));
    if (!on_terminal) { buf_printf(out, ": %d %%", percent); }
    if (on_terminal) { buf_printf(out, ", %lld of %lld MiB", (long long)(bytes >> 20), (long long)(known >> 20)); }
    if (on_terminal && layers > 0) { buf_printf(out, ", %lld of %lld layers", (long long)done, (long long)layers); }
}

static void put_live(struct buf *out, const struct json *reply, bool on_terminal)
{
    const struct json *task = json_get(reply, STR("task")), *pull = json_get(reply, STR("pull"));
    struct str machine = json_get_str(task, STR("instanceName"));
    bool stops = str_eq(json_get_str(reply, STR("desiredStatus")), STR("STOPPED"));
    if (!str_is_set(json_get_str(task, STR("instance")))) {
        buf_put(out, STR("waits for room; `berth why` says for what"));
    } else if (pull != NULL && pull->type == JSON_OBJECT) {
        put_pull(out, pull, on_terminal);
    } else {
        buf_printf(out, "on " STR_FMT, STR_ARG(cli_or_dash(machine)));
        put_gpus(out, task);
    }
    if (stops) { buf_put(out, STR("; its stop is ordered")); }
}

/* "EssentialContainerExited: Essential container in task exited; main: exit code 3" */
static void put_end(struct buf *out, const struct json *task)
{
    const struct json *containers = cli_list(task, "containers");
    struct str code = json_get_str(task, STR("stopCode")), reason = json_get_str(task, STR("reason"));
    if (str_is_set(code)) { buf_printf(out, STR_FMT, STR_ARG(code)); }
    if (str_is_set(reason)) { buf_printf(out, "%s" STR_FMT, str_is_set(code) ? ": " : "", STR_ARG(reason)); }
    bool first = !str_is_set(code) && !str_is_set(reason);
    for (size_t c = 0; c < containers->count; c++, first = false) {
        const struct json *container = &containers->as.items[c], *exit_code = json_get(container, STR("exitCode"));
        struct str why = json_get_str(container, STR("reason"));
        bool known = exit_code != NULL && exit_code->type == JSON_INT;
        buf_printf(out, "%s" STR_FMT ": ", first ? "" : "; ", STR_ARG(cli_text(container, "name")));
        if (known) { buf_printf(out, "exit code %lld", (long long)exit_code->as.integer); } else { buf_put(out, STR("no exit code")); }
        if (str_is_set(why)) { buf_printf(out, ", " STR_FMT, STR_ARG(why)); }
    }
}

static int exit_status(const struct json *task)
{
    const struct json *containers = cli_list(task, "containers");
    bool whole = containers->count > 0;
    for (size_t c = 0; c < containers->count; c++) {
        const struct json *code = json_get(&containers->as.items[c], STR("exitCode"));
        bool known = code != NULL && code->type == JSON_INT;
        if (known && code->as.integer != 0) { return code->as.integer > 0 && code->as.integer < 256 ? (int)code->as.integer : NO_STATUS; }
        whole = whole && known;
    }
    return whole ? 0 : NO_STATUS;
}

/* ---- looks ---- */

/* Changes of the status stay on the screen, with their time; what happens within one is redrawn. */
static void show(struct watch *watch, const struct json *reply, struct arena *arena)
{
    struct str status = cli_text(reply, "lastStatus");
    struct buf line = buf_in(arena);
    char time[CLI_TIME_SIZE];
    bool ended = str_eq(status, STR("STOPPED")), is_new = !str_eq(status, str_from(watch->status));
    buf_printf(&line, "%-14.*s", (int)status.len, status.ptr);
    if (ended) { put_end(&line, json_get(reply, STR("task"))); } else { put_live(&line, reply, watch->line.on_terminal); }
    if (is_new) { waiting_keep(&watch->line); }
    if (!str_to_cstr(status, watch->status, sizeof watch->status)) { watch->status[0] = '\0'; }
    const char *now = arena_printf(arena, "%s  ", cli_time_text(clock_now_ms(), false, time)).ptr;
    waiting_say(&watch->line, str_from(now), buf_str(&line));
}

/* False: the wait is over, with the exit status in *status, and *err if the task cannot be followed. */
static bool goes_on(struct watch *watch, int *status, struct err *err)
{
    struct arena arena = { .ceiling = LOOK_ARENA_MAX };
    const struct json *reply = NULL;
    bool ended = false;
    const char *path = arena_printf(&arena, "/berth/v1/why?task=%s", watch->task).ptr;
    if (cli_ask(watch->remote, path, (struct str){ NULL, 0 }, &reply, &arena, err)) {
        show(watch, reply, &arena);
        ended = str_eq(json_get_str(reply, STR("lastStatus")), STR("STOPPED"));
        *status = exit_status(json_get(reply, STR("task")));
    } else if (waiting_may_pass(err)) {
        waiting_say(&watch->line, STR(""), str_from(err->message));
        *err = (struct err){ 0 };
    }
    arena_finish(&arena);
    return err->code == ERR_NONE && !ended;
}

int cli_watch(const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    struct watch watch = { .remote = &remote };
    int status = CANNOT_FOLLOW;
    if (config->argument_count != 1) {
        (void)err_set(err, ERR_INVALID_PARAMETER, "a task is needed: `berth watch TASK`, an id or an ARN.");
        return CANNOT_FOLLOW;
    }
    if (!cli_remote(config, &remote, arena, err) || !cli_read_task(config->arguments[0], &watch.task, arena, err)) { return CANNOT_FOLLOW; }
    waiting_begin(&watch.line);
    waiting_farewell("\nThe task goes on. `berth watch %s` follows it again.\n", watch.task);
    while (goes_on(&watch, &status, err)) { clock_sleep_ms(WAITING_LOOK_MS); }
    waiting_end(&watch.line);
    return err->code == ERR_NONE ? status : CANNOT_FOLLOW;
}
