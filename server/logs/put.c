/* put.c: what Docker's awslogs driver sends. Berth keeps the output of its tasks and of nothing else, so a stream can be made
 * only under the name that a task's definition gives it; what comes then goes where Berth's own agent would put it. */
#include "server/logs/api.h"

#include <inttypes.h>

#include "api/core/binding.h"
#include "api/tell/log_names.h"
#include "api/tell/role_credentials.h"

enum { FUTURE_MS = 2 * 3600 * 1000 };
static const int64_t past_ms = 14 * 24 * 3600 * (int64_t)1000;

bool logs_make_group(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct logs_call call;
    return logs_begin(&call, ctx, input, output, true, err) && ctx->outside->group_keep(ctx, call.group, err)
        && log_groups_make(logs_groups(call.logs), call.group, ctx->now_ms, err);
}

/* "…/<container>/<task id>" */
static bool read_stream_name(struct str name, struct str *container, struct id *task)
{
    size_t slash = name.len;
    while (slash > 0 && name.ptr[slash - 1] != '/') { slash--; }
    if (slash == 0 || !id_parse(str_slice(name, slash, name.len), task)) { return false; }
    size_t end = slash - 1, begin = end;
    while (begin > 0 && name.ptr[begin - 1] != '/') { begin--; }
    *container = str_slice(name, begin, end);
    return names_is_valid(*container) && container->len <= LOGS_NAME_MAX;
}

/* The keys of an execution role write for their own task, an agent's for the tasks of the machines for which it may act. */
static bool may_write(struct logs_call *call, struct id id, struct err *err)
{
    const struct caller *caller = &call->ctx->caller;
    if (caller->role == ACCESS_TASK) {
        return id_eq(caller->session->task, id)
            || err_set(err, ERR_ACCESS_DENIED, "A task's execution role may write the logs of that task and of no other.");
    }
    if (!binding_is_set(caller)) { return true; }
    struct store_txn *txn = store_read_begin(call->ctx->outside->store);
    const struct task *task = store_task(txn, id, call->ctx->arena);
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    return binding_check_stored(call->ctx->outside->store, call->ctx->config, caller, task == NULL ? (struct id){ { 0 } } : task->instance,
                                call->ctx->arena, err);
}

/* Is it what the definition of that task calls this container's stream? */
static bool is_of_task(struct logs_call *call, struct str name, struct id id, struct str container, bool *is, struct err *err)
{
    struct arena *arena = call->ctx->arena;
    struct store_txn *txn = store_read_begin(call->ctx->outside->store);
    const struct task *task = store_task(txn, id, arena);
    const struct taskdef *taskdef = task == NULL ? NULL : store_taskdef_of(txn, task, arena);
    *is = false;
    if (taskdef != NULL && taskdef_container(&taskdef->def, container) != NULL) {
        struct log_names names = log_names_of(&taskdef->def, container, id, arena);
        *is = str_eq(names.group, call->group) && str_eq(names.stream, name);
    }
    return store_read_end(txn) || err_set(err, ERR_SERVER, "The store can't be read.");
}

bool logs_make_stream(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct logs_call work, *call = &work;
    if (!logs_begin(call, ctx, input, output, true, err)) { return false; }
    struct log_groups *groups = logs_groups(call->logs);
    struct log_stream stream = { .name = call->input->stream, .created_ms = call->ctx->now_ms }, known;
    struct err none = { 0 };
    bool is = false;
    if (!log_stream_name_is_valid(stream.name)) {
        return err_set(err, ERR_INVALID_PARAMETER, "1 validation error detected: Value at 'logStreamName' failed to satisfy constraint: Member "
                       "must satisfy regular expression pattern: [^:*]*");
    }
    if (read_stream_name(stream.name, &stream.container, &stream.task)
        && !is_of_task(call, stream.name, stream.task, stream.container, &is, err)) {
        return false;
    }
    if (!is) {
        return err_set(err, ERR_INVALID_PARAMETER, "Berth keeps the logs of its tasks: a stream has the name that the task's definition gives "
                       "it, [<awslogs-stream-prefix>/]<container>/<task id>, in the group of its awslogs-group.");
    }
    if (!may_write(call, stream.task, err)) { return false; }
    if (logs_find_stream(call, stream.name, &known, &none)) { return err_set(err, ERR_ALREADY_EXISTS, "The specified log stream already exists"); }
    return log_groups_add(groups, call->group, &stream, err);
}

/* ---- events ---- */

struct taken { size_t first, end; };                      /* of the events that are neither too old nor too new */

static bool check_events(const struct logs_input_event_list *events, int64_t now_ms, struct taken *taken, struct err *err)
{
    *taken = (struct taken){ 0, events->count };
    for (size_t e = 0; e < events->count; e++) {
        int64_t time_ms = events->items[e].timestamp.value;
        if (e > 0 && time_ms < events->items[e - 1].timestamp.value) {
            return err_set(err, ERR_INVALID_PARAMETER, "Log events in a single PutLogEvents request must be in chronological order.");
        }
        if (time_ms < now_ms - past_ms) { taken->first = e + 1; }
        if (time_ms > now_ms + FUTURE_MS && taken->end == events->count) { taken->end = e; }
    }
    return true;
}

/* Each is a line, or several that stay one event by the length of its mark. */
static struct log_piece make_piece(struct logs_call *call, const struct taken *taken)
{
    struct arena *arena = call->ctx->arena;
    size_t count = taken->end > taken->first ? taken->end - taken->first : 0;
    struct log_mark *marks = ARENA_NEW(arena, struct log_mark, count);
    struct buf text = buf_in(arena);
    for (size_t e = 0; e < count; e++) {
        const struct logs_input_event *event = &call->input->events.items[taken->first + e];
        bool lines = str_find(event->message, '\n') < event->message.len;
        marks[e] = (struct log_mark){
            .offset = (int64_t)text.len, .time_ms = event->timestamp.value, .length = lines ? (int64_t)event->message.len + 1 : 0,
        };
        buf_put(&text, event->message);
        buf_put_char(&text, '\n');
    }
    return (struct log_piece){ .text = buf_str(&text), .offset = -1, .marks = marks, .mark_count = count, .now_ms = call->ctx->now_ms };
}

static struct logs_rejected *tell_rejected(struct logs_call *call, const struct taken *taken)
{
    size_t count = call->input->events.count;
    if (taken->first == 0 && taken->end == count) { return NULL; }
    struct logs_rejected *rejected = ARENA_NEW(call->ctx->arena, struct logs_rejected, 1);
    if (taken->end < count) { rejected->too_new = opt_int_of((int64_t)taken->end); }
    if (taken->first > 0) { rejected->too_old = opt_int_of((int64_t)taken->first); }
    return rejected;
}

bool logs_put_events(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct logs_call work, *call = &work;
    struct log_stream stream;
    struct taken taken;
    if (!logs_begin(call, ctx, input, output, true, err)) { return false; }
    if (!check_events(&call->input->events, ctx->now_ms, &taken, err) || !logs_find_stream(call, call->input->stream, &stream, err)) { return false; }
    if (!may_write(call, stream.task, err)) { return false; }
    struct log_piece piece = make_piece(call, &taken);
    if (piece.text.len > 0 && !logs_append(call->logs, stream.task, stream.container, &piece, NULL, err)) { return false; }
    call->output->rejected = tell_rejected(call, &taken);
    /* Older clients send it with the next events; nobody checks it. */
    call->output->sequence_token = arena_printf(ctx->arena, "%056" PRId64, ctx->now_ms);
    return true;
}
