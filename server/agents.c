/* agents.c: the two paths of Berth's own agent protocol. */
#include "server/room.h"

static bool decode(const struct http_request *request, const struct schema *schema, void *out, struct err *err)
{
    const struct json *json = json_parse(request->body, request->arena, err);
    return json != NULL && schema_decode(schema, json, out, request->arena, ERR_INVALID_PARAMETER, err);
}

static void finish(struct server *server, struct http_answer *answer, bool good, const struct err *err)
{
    metrics_count(&server->metrics, NULL, err->code);
    if (!good) {
        answer_error(answer, err);
        answer->close = err->code == ERR_UNAVAILABLE;     /* too many agents: others need the thread */
        return;
    }
    answer->status = 200;
    answer->type = STR("application/x-amz-json-1.1");
}

void agent_poll_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    (void)caller;
    struct err err = { 0 };
    struct poll_request poll;
    bool good = decode(request, &poll_request_schema, &poll, &err)
        && sessions_poll(server->sessions, &poll, request->arena, &answer->body, &err);
    finish(server, answer, good, &err);
}

/* Only tasks that exist have logs: otherwise anyone with an agent's key could fill the disk under made-up names. */
static bool find_task(struct server *server, struct http_request *request, const struct log_chunk *chunk, struct id *id, struct err *err)
{
    struct str cluster;
    const struct names *names = &server->api.names;
    bool read = names_read_cluster(names, chunk->cluster, &cluster, err) && names_read_id(names, chunk->task, STR("task"), cluster, id, err);
    if (!read) { return false; }
    if (!names_is_valid(chunk->container) || chunk->container.len > LOGS_NAME_MAX) {
        return err_set(err, ERR_INVALID_PARAMETER, "The container's name is not valid.");
    }
    struct store_txn *txn = store_read_begin(server->store);
    bool exists = store_task(txn, *id, request->arena) != NULL;
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    return exists || err_set(err, ERR_INVALID_PARAMETER, "The referenced task was not found.");
}

void agent_logs_handle(struct server *server, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    (void)caller;
    struct err err = { 0 };
    struct log_chunk chunk;
    struct id task;
    bool good = decode(request, &log_chunk_schema, &chunk, &err)
        && find_task(server, request, &chunk, &task, &err)
        && logs_append(server->logs, task, chunk.container, chunk.offset.set ? chunk.offset.value : -1, chunk.text, &err);
    if (good) { buf_put(&answer->body, STR("{}")); }
    finish(server, answer, good, &err);
}
