/* docker_pull.c: making an image available. The engine answers 200 at once and then sends one JSON object a line while it
 * works; whether the pull failed is said in one of these lines only.
 *
 * A registry that can't be reached is no reason not to run what is here already (ECS's "default" behaviour). */
#include "agent/docker.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"

enum { LINE_MAX_SIZE = 16 * 1024, ERROR_SIZE = 512, ATTEMPTS_MAX = 3, SILENCE_S = 5 * 60 };

struct pull_stream {
    char line[LINE_MAX_SIZE];
    size_t len;
    bool too_long;                                   /* the rest of the line is dropped; error lines are short */
    char error[ERROR_SIZE];
};

static void end_line(struct pull_stream *stream)
{
    struct str line = { stream->line, stream->len };
    bool is_error = !stream->too_long && memmem(line.ptr, line.len, "\"error\"", 7) != NULL;
    stream->len = 0;
    stream->too_long = false;
    if (!is_error) { return; }
    struct arena arena;
    arena_init(&arena, DOCKER_CALL_ARENA);
    struct err ignored = { 0 };
    struct str text = json_get_str(json_parse(line, &arena, &ignored), STR("error"));
    if (text.len > 0) { (void)snprintf(stream->error, sizeof stream->error, STR_FMT, STR_ARG(text)); }
    arena_finish(&arena);
}

static bool feed_lines(void *context, struct str bytes)
{
    struct pull_stream *stream = context;
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr[i] == '\n') {
            end_line(stream);
        } else if (stream->len == sizeof stream->line) {
            stream->too_long = true;
        } else {
            stream->line[stream->len++] = bytes.ptr[i];
        }
    }
    return true;
}

static bool pull_once(struct docker_http *http, struct str image, struct arena *arena, struct err *err)
{
    struct str name = { NULL, 0 }, tag = { NULL, 0 };
    docker_split_image(image, &name, &tag);
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/images/create?fromImage="));
    docker_put_escaped(&path, name);
    buf_put(&path, STR("&tag="));
    docker_put_escaped(&path, tag);

    struct pull_stream *stream = ARENA_NEW(arena, struct pull_stream, 1);
    struct docker_reply reply;
    struct docker_call call = {
        .method = "POST", .path = buf_str(&path), .silence_s = SILENCE_S, .sink = feed_lines, .sink_context = stream,
    };
    if (!docker_step_call(http, DOCKER_PULL, call, 0, &reply, arena, err)) { return false; }
    if (stream->len > 0) { end_line(stream); }
    return stream->error[0] == '\0' || err_set(err, ERR_SERVER, "CannotPullContainerError: %s", stream->error);
}

static bool is_here(struct docker_http *http, struct str image, struct arena *arena)
{
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/images/"));
    docker_put_escaped(&path, image);
    buf_put(&path, STR("/json"));
    struct docker_reply reply;
    struct docker_call call = { .method = "GET", .path = buf_str(&path), .timeout_ms = docker_timeout_ms(DOCKER_INSPECT) };
    docker_http_call(http, &call, &reply, arena);
    return reply.outcome == DOCKER_ANSWERED && reply.status == 200;
}

/* The registry said no, and would say it again. */
static bool is_final(const struct err *err)
{
    static const char *const words[] = {
        "not found", "manifest unknown", "denied", "unauthorized", "invalid reference", "no matching manifest", "does not exist",
    };
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        if (strstr(err->message, words[w]) != NULL) { return true; }
    }
    return false;
}

bool docker_pull(struct docker_http *http, struct str image, struct err *err)
{
    struct arena arena;
    arena_init(&arena, DOCKER_CALL_ARENA);
    bool here = is_here(http, image, &arena);
    struct err cause = { 0 };
    bool done = pull_once(http, image, &arena, &cause);
    for (int attempt = 1; !done && !here && attempt < ATTEMPTS_MAX && !is_final(&cause); attempt++) {
        clock_sleep_ms(attempt * 1100);
        cause = (struct err){ 0 };
        done = pull_once(http, image, &arena, &cause);
    }
    arena_finish(&arena);
    if (!done && here) {
        log_line(LOG_INFO, "agent", "%s; going on with the copy on this machine", cause.message);
        return true;
    }
    if (!done) { *err = cause; }
    return done;
}
