/* call.c: how long each step of a container's life waits for the engine, and the name of its failure. The names and times are those of the ECS
 * agent, because people search the web for them. */
#include "agent/docker/docker.h"

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS };

static const struct { const char *prefix, *state; int64_t timeout_ms; } steps[DOCKER_STEP_COUNT] = {
    [DOCKER_MEET]      = { "",                              "met",       10 * SECOND_MS },
    [DOCKER_PULL]      = { "CannotPullContainerError: ",    "pulled",    120 * MINUTE_MS },
    [DOCKER_RESOLVE]   = { "CannotPullImageManifestError: ", "manifestPulled", 1 * MINUTE_MS },
    [DOCKER_CREATE]    = { "CannotCreateContainerError: ",  "created",   4 * MINUTE_MS },
    [DOCKER_START]     = { "CannotStartContainerError: ",   "started",   3 * MINUTE_MS },
    [DOCKER_STOP]      = { "CannotStopContainerError: ",    "stopped",   2 * MINUTE_MS },    /* and the container's own time-out */
    [DOCKER_INSPECT]   = { "CannotInspectContainerError: ", "inspected", 30 * SECOND_MS },
    [DOCKER_REMOVE]    = { "CannotRemoveContainerError: ",  "removed",   5 * MINUTE_MS },
    [DOCKER_REMOVE_IMAGE] = { "CannotRemoveImageError: ",    "removed",   3 * MINUTE_MS },
    [DOCKER_LIST]      = { "CannotListContainersError: ",   "listed",    10 * MINUTE_MS },
    [DOCKER_NETWORK]   = { "ContainerNetworkingError: ",    "connected", 3 * MINUTE_MS },
    [DOCKER_EXEC]      = { "CannotExecError: ",              "begun",     30 * SECOND_MS },
    [DOCKER_LOGS]      = { "CannotReadContainerLogsError: ", "read",      1 * MINUTE_MS },
};

int64_t docker_timeout_ms(enum docker_step step)
{
    ASSERT(step < DOCKER_STEP_COUNT);
    return steps[step].timeout_ms;
}

struct str docker_duration_text(int64_t ms, struct arena *arena)
{
    long long seconds = (long long)(ms / SECOND_MS), minutes = seconds / 60, hours = minutes / 60;
    if (hours > 0) { return arena_printf(arena, "%lldh%lldm%llds", hours, minutes % 60, seconds % 60); }
    if (minutes > 0) { return arena_printf(arena, "%lldm%llds", minutes, seconds % 60); }
    return arena_printf(arena, "%llds", seconds);
}

static bool set_failure(enum docker_step step, const struct docker_reply *reply, struct arena *arena, struct err *err)
{
    struct str message = docker_read_message(reply->body, arena);
    struct str hint = STR("");
    /* Docker's own message names neither the cause nor the cure. */
    if (step == DOCKER_START && strstr(arena_cstr(arena, message), "could not select device driver") != NULL) {
        hint = STR(" (this machine's Docker has no NVIDIA runtime: install the NVIDIA Container Toolkit and restart Docker)");
    }
    return err_set(err, ERR_SERVER, "%s" STR_FMT STR_FMT, steps[step].prefix, STR_ARG(message), STR_ARG(hint));
}

bool docker_step_judge(enum docker_step step, int64_t timeout_ms, const struct docker_reply *reply, struct arena *arena, struct err *err)
{
    ASSERT(step < DOCKER_STEP_COUNT);
    switch (reply->outcome) {
    case DOCKER_ANSWERED:
        if ((reply->status >= 200 && reply->status < 300) || reply->status == 304) { return true; }
        return set_failure(step, reply, arena, err);
    case DOCKER_TIMED_OUT: {
        struct str waited = docker_duration_text(timeout_ms, arena);
        return err_set(err, ERR_UNAVAILABLE, "DockerTimeoutError: Could not transition to %s; timed out after waiting " STR_FMT,
                       steps[step].state, STR_ARG(waited));
    }
    case DOCKER_CANCELLED:
        return err_set(err, ERR_UNAVAILABLE, "%sit is no longer wanted", steps[step].prefix);
    case DOCKER_SILENT:
        return err_set(err, ERR_UNAVAILABLE, "%sDocker has been silent for too long", steps[step].prefix);
    case DOCKER_UNREACHABLE:
    case DOCKER_TOO_LARGE:
        return err_set(err, ERR_UNAVAILABLE, "%sDocker does not answer: " STR_FMT, steps[step].prefix, STR_ARG(reply->problem));
    }
    ASSERT(false);
    return false;
}

bool docker_step_call(struct docker_http *http, enum docker_step step, struct docker_call call, long accepted,
                      struct docker_reply *reply, struct arena *arena, struct err *err)
{
    if (call.timeout_ms == 0) { call.timeout_ms = docker_timeout_ms(step); }
    docker_http_call(http, &call, reply, arena);
    if (reply->outcome == DOCKER_ANSWERED && accepted != 0 && reply->status == accepted) { return true; }
    return docker_step_judge(step, call.timeout_ms, reply, arena, err);
}

bool docker_step_json(struct docker_http *http, enum docker_step step, struct docker_call call, long accepted,
                      const struct json **tree, struct arena *arena, struct err *err)
{
    *tree = NULL;
    struct docker_reply reply;
    if (!docker_step_call(http, step, call, accepted, &reply, arena, err)) { return false; }
    if (accepted != 0 && reply.status == accepted) { return true; }
    struct err cause = { 0 };
    *tree = json_parse(reply.body, arena, &cause);
    return *tree != NULL || err_set(err, ERR_SERVER, "%sDocker's answer is not JSON: %s", steps[step].prefix, cause.message);
}

struct str docker_container_path(struct str id, const char *rest, struct arena *arena)
{
    struct buf path = buf_in(arena);
    buf_put(&path, STR("/containers/"));
    docker_put_escaped(&path, id);
    buf_put(&path, str_from(rest));
    return buf_str(&path);
}
