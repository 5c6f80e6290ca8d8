/* exec.c: a command in a container: made, started over a connection that then carries its streams, and asked for its exit code at the end. */
#include "agent/docker/docker.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/clock.h"

enum { RESIZE_TRIES = 10, RESIZE_PAUSE_MS = 20, END_TRIES = 50, END_PAUSE_MS = 100, ARENA_MAX = 16 * 1024 * 1024 };

static void put_bool(struct json_out *out, struct str key, bool value)
{
    json_key(out, key);
    json_bool(out, value);
}

static struct str create_body(const struct exec_command *command, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    json_open(&out, '{');
    put_bool(&out, STR("AttachStdin"), true);
    put_bool(&out, STR("AttachStdout"), true);
    put_bool(&out, STR("AttachStderr"), true);
    put_bool(&out, STR("Tty"), command->tty);
    json_key(&out, STR("Cmd"));
    json_open(&out, '[');
    for (size_t w = 0; w < command->words.count; w++) { json_str(&out, command->words.items[w]); }
    json_close(&out, ']');
    json_close(&out, '}');
    return buf_str(&body);
}

static bool create(struct docker_http *http, struct str container, const struct exec_command *command, struct exec_channel *channel,
                   struct arena *arena, struct err *err)
{
    const struct json *made = NULL;
    struct docker_call call = { .method = "POST", .path = docker_container_path(container, "/exec", arena), .body = create_body(command, arena) };
    if (!docker_step_json(http, DOCKER_EXEC, call, 0, &made, arena, err)) { return false; }
    struct str id = json_get_str(made, STR("Id"));
    return (id.len > 0 && str_to_cstr(id, channel->id, sizeof channel->id))
        || err_set(err, ERR_SERVER, "CannotExecError: Docker's answer names no command");
}

bool docker_exec(struct docker_http *http, struct str container, const struct exec_command *command, struct exec_channel *channel, struct err *err)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    *channel = (struct exec_channel){ .fd = -1, .framed = !command->tty };
    bool good = create(http, container, command, channel, &arena, err)
        && docker_http_upgrade(http, arena_printf(&arena, "/exec/%s/start", channel->id),
                               command->tty ? STR("{\"Detach\":false,\"Tty\":true}") : STR("{\"Detach\":false,\"Tty\":false}"), &channel->fd, &arena, err);
    arena_finish(&arena);
    if (!good) { return false; }
    if (fcntl(channel->fd, F_SETFL, O_NONBLOCK) != 0) {
        exec_channel_close(channel);
        return err_set(err, ERR_SERVER, "CannotExecError: the connection cannot be used");
    }
    if (command->tty && command->rows.value > 0) { docker_exec_resize(http, channel, command->rows.value, command->cols.value); }
    return true;
}

/* The engine may not have begun the command yet; the command still works in a terminal of another size. */
void docker_exec_resize(struct docker_http *http, const struct exec_channel *channel, int64_t rows, int64_t cols)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    struct str path = arena_printf(&arena, "/exec/%s/resize?h=%lld&w=%lld", channel->id, (long long)rows, (long long)cols);
    for (int tries = 0; tries < RESIZE_TRIES; tries++) {
        struct docker_reply reply;
        struct err ignored = { 0 };
        if (docker_step_call(http, DOCKER_EXEC, (struct docker_call){ .method = "POST", .path = path }, 0, &reply, &arena, &ignored)) { break; }
        clock_sleep_ms(RESIZE_PAUSE_MS);
    }
    arena_finish(&arena);
}

/* Its streams end a little before the engine knows its exit code. */
struct opt_int docker_exec_end(struct docker_http *http, const struct exec_channel *channel)
{
    struct arena arena = { .ceiling = ARENA_MAX };
    struct opt_int exit_code = { 0 };
    for (int tries = 0; tries < END_TRIES && !exit_code.set; tries++) {
        const struct json *state = NULL;
        struct err ignored = { 0 };                  /* without an answer the code stays unknown, and is reported as unknown */
        arena_reset(&arena);
        struct str path = arena_printf(&arena, "/exec/%s/json", channel->id);
        if (!docker_step_json(http, DOCKER_EXEC, (struct docker_call){ .method = "GET", .path = path }, 0, &state, &arena, &ignored)) { break; }
        const struct json *running = json_get(state, STR("Running")), *code = json_get(state, STR("ExitCode"));
        bool ended = running != NULL && running->type == JSON_FALSE && code != NULL && code->type == JSON_INT;
        if (ended) { exit_code = opt_int_of(code->as.integer); } else { clock_sleep_ms(END_PAUSE_MS); }
    }
    arena_finish(&arena);
    return exit_code;
}
