/* command_calls.c: operations that give out, renew and end sessions: api/ has decided what is to run where, and the rest is here,
 * because nothing of it is in the store. */
#include "server/front/audit.h"
#include "server/front/aws.h"
#include "server/sessions/sessions.h"

#include "api/schemas/task_access.h"
#include "server/exec/command_sessions.h"

/* "http://host:9281" → "ws://host:9281/v1/data-channel/NAME", as Session Manager's own addresses look. */
static struct str stream_url(struct str endpoint, const char *session, struct arena *arena)
{
    size_t scheme = str_starts_with(endpoint, STR("https")) ? sizeof "https" - 1 : sizeof "http" - 1;
    struct str rest = str_slice(endpoint, scheme, endpoint.len);
    while (str_ends_with(rest, STR("/"))) { rest.len--; }
    return arena_printf(arena, "ws%s" STR_FMT COMMAND_SESSION_PATH "%s?role=publish_subscribe", scheme == sizeof "https" - 1 ? "s" : "", STR_ARG(rest),
                        session);
}

static struct session make_session(const struct command_ticket *ticket, struct str endpoint, struct arena *arena)
{
    return (struct session){
        .session_id = arena_str(arena, str_from(ticket->session)), .token_value = arena_str(arena, str_from(ticket->token)),
        .stream_url = stream_url(endpoint, ticket->session, arena),
    };
}

static bool complete_execute(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, void *output, struct err *err)
{
    struct execute_command_response *response = output;
    struct command_ticket ticket;
    const struct wire_exec message = { .task_arn = response->task_arn, .container = response->container_name, .command = response->words };
    bool good = sessions_polls(aws->sessions, response->instance)
        || err_set(err, ERR_TARGET_NOT_CONNECTED, "The execute command failed: the way into a container is Berth's own agent, which is not "
                   "connected on the task's machine.");
    good = good && command_sessions_add(aws->commands, response->instance, &message, &ticket, err);
    audit_exec(request, caller, &message, err);
    if (!good) { return false; }
    response->session = ARENA_NEW(request->arena, struct session, 1);
    *response->session = make_session(&ticket, response->endpoint, request->arena);
    return true;
}

/* Without a token in the answer, the client knows that it is over. */
static bool complete_resume(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, void *output, struct err *err)
{
    struct resume_session_response *response = output;
    struct command_ticket ticket;
    (void)caller;
    (void)err;
    if (command_sessions_renew(aws->commands, response->session.session_id, &ticket)) {
        response->session = make_session(&ticket, response->endpoint, request->arena);
    }
    return true;
}

static bool complete_terminate(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, void *output, struct err *err)
{
    const struct session_reference *response = output;
    (void)request;
    (void)caller;
    (void)err;
    command_sessions_end(aws->commands, response->session_id);
    return true;
}

static const struct step {
    const struct schema *output;             /* of no other operation */
    bool (*complete)(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, void *output, struct err *err);
} steps[] = {
    { &execute_command_response_schema, complete_execute },
    { &resume_session_response_schema, complete_resume },
    { &session_reference_schema, complete_terminate },
};

bool command_calls_complete(const struct aws_paths *aws, struct http_request *request, const struct caller *caller, struct api_call *call, struct err *err)
{
    for (size_t s = 0; s < COUNT_OF(steps); s++) {
        if (call->operation->output == steps[s].output) { return steps[s].complete(aws, request, caller, call->output, err); }
    }
    return true;
}
