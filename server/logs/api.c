/* api.c: the operations of CloudWatch Logs that Berth serves, and what they share. */
#include "server/logs/api.h"

#include <stdlib.h>

#include "api/tell/log_names.h"

/* CloudWatch's rule for the rights: reads for every viewer, writes for agents; api/core/api.c knows more of tasks and of keys that are bound. */
#define READ(wire, noun, run)  { STR_INIT(wire), &logs_##noun##_schema, &logs_##noun##_reply, OP_OUTSIDE, ACCESS_VIEWER, ERR_INVALID_PARAMETER, run }
#define WRITE(wire, noun, reply, run) \
    { STR_INIT(wire), &logs_##noun##_schema, reply, OP_OUTSIDE, ACCESS_AGENT, ERR_INVALID_PARAMETER, run }
static const struct operation operations[] = {
    WRITE("CreateLogGroup", make_group, NULL, logs_make_group),
    WRITE("CreateLogStream", make_stream, NULL, logs_make_stream),
    READ("DescribeLogGroups", groups, logs_describe_groups),
    READ("DescribeLogStreams", streams, logs_describe_streams),
    READ("FilterLogEvents", filter, logs_filter_events),
    READ("GetLogEvents", get, logs_get_events),
    WRITE("PutLogEvents", put, &logs_put_reply, logs_put_events),
};
#undef READ
#undef WRITE

const struct api_service logs_service = {
    .name = STR_INIT("logs"), .target = STR_INIT("Logs_20140328."), .message = STR_INIT("message"),
    .unserved_more = STR_INIT(" of CloudWatch Logs. What tasks print is read with FilterLogEvents and GetLogEvents, and followed with "
                              "`aws logs tail --follow`."),
    .operations = operations, .count = COUNT_OF(operations),
};

/* A name, or "arn:aws:logs:REGION:ACCOUNT:log-group:NAME", with or without ":*". */
static bool read_group(struct logs_call *call, struct err *err)
{
    const struct logs_input *input = call->input;
    if (str_is_set(input->group) == str_is_set(input->group_id)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Exactly one of logGroupName and logGroupIdentifier must be given.");
    }
    call->group = str_is_set(input->group) ? input->group : input->group_id;
    struct str start = arena_printf(call->ctx->arena, "arn:aws:logs:" STR_FMT ":" STR_FMT ":log-group:",
                                    STR_ARG(call->ctx->config->names.region), STR_ARG(call->ctx->config->names.account));
    if (!str_is_set(input->group) && str_starts_with(call->group, start)) {
        call->group = str_slice(call->group, start.len, call->group.len);
        if (str_ends_with(call->group, STR(":*"))) { call->group.len -= 2; }
    }
    return log_group_name_is_valid(call->group)
        || err_set(err, ERR_INVALID_PARAMETER, "1 validation error detected: Value at 'logGroupName' failed to satisfy constraint: Member must "
                   "satisfy regular expression pattern: [\\.\\-_/#A-Za-z0-9]+");
}

bool logs_begin(struct logs_call *call, struct op_ctx *ctx, const void *input, void *output, bool in_group, struct err *err)
{
    *call = (struct logs_call){ .ctx = ctx, .logs = ctx->outside->logs, .input = input, .output = output };
    return !in_group || read_group(call, err);
}

/* ---- what they share ---- */

struct logs_page logs_page_of(const struct logs_input *input)
{
    return (struct logs_page){ .events_max = input->limit.set ? (size_t)input->limit.value : LOGS_PAGE_EVENTS };
}

bool logs_page_takes(struct logs_page *page, const struct log_event *event)
{
    size_t size = event->message.len + LOG_EVENT_OVERHEAD;
    if (page->events == page->events_max || (page->events > 0 && page->bytes + size > LOGS_PAGE_BYTES)) { return false; }
    page->events++;
    page->bytes += size;
    return true;
}

struct logs_event_view *logs_tell_event(struct logs_call *call, const struct log_event *event)
{
    enum { STEP = 64 };
    struct logs_event_view_list *list = &call->output->events;
    if (list->count % STEP == 0) {
        size_t old_size = list->count * sizeof *list->items;
        list->items = arena_grow(call->ctx->arena, list->count == 0 ? NULL : list->items, old_size, old_size + STEP * sizeof *list->items);
    }
    struct logs_event_view *view = &list->items[list->count++];
    *view = (struct logs_event_view){
        .message = event->message.len == 0 ? STR("") : event->message, .time = opt_int_of(event->time_ms), .received = opt_int_of(event->received_ms),
    };
    return view;
}

bool logs_are_closed(struct logs_call *call, const struct log_stream *streams, size_t count, bool *closed, struct err *err)
{
    struct store_txn *txn = store_read_begin(call->ctx->outside->store);
    for (size_t s = 0; s < count; s++) {
        const struct task *task = store_task(txn, streams[s].task, call->ctx->arena);
        closed[s] = task == NULL || !task_is_live(task);
    }
    return store_read_end(txn) || err_set(err, ERR_SERVER, "The store can't be read.");
}

bool logs_streams(const struct logs_call *call, struct log_stream_list *list, struct err *err)
{
    struct err why = { 0 };
    if (log_groups_streams(logs_groups(call->logs), call->group, list, call->ctx->arena, &why)) { return true; }
    struct store_txn *txn = store_read_begin(call->ctx->outside->store);
    bool kept = api_log_group_is_kept(txn, call->group, call->ctx->arena);
    *list = (struct log_stream_list){ 0 };
    if (store_read_end(txn) && kept && why.code == ERR_RESOURCE_NOT_FOUND) { return true; }
    *err = why;
    return false;
}

static int by_name(const void *a, const void *b) { return str_cmp(((const struct log_group *)a)->name, ((const struct log_group *)b)->name); }

bool logs_list_groups(const struct logs_call *call, struct log_group_list *list, struct err *err)
{
    struct kept_plain *kept;
    struct arena *arena = call->ctx->arena;
    struct log_group_list found;
    if (!log_groups_list(logs_groups(call->logs), &found, arena, err)) { return false; }
    struct store_txn *txn = store_read_begin(call->ctx->outside->store);
    size_t count = store_list_plain(txn, PLAIN_KIND_LOG_GROUP, STR(""), &kept, arena);
    if (!store_read_end(txn)) { return err_set(err, ERR_SERVER, "The store can't be read."); }
    *list = (struct log_group_list){ ARENA_NEW(arena, struct log_group, found.count + count), found.count };
    if (found.count > 0) { memcpy(list->items, found.items, found.count * sizeof *found.items); }
    for (size_t k = 0; k < count; k++) {
        const struct log_group group = { kept[k].name, kept[k].created_ms, true };
        bool known = found.count > 0 && bsearch(&group, found.items, found.count, sizeof group, by_name) != NULL;
        if (!known) { list->items[list->count++] = group; }
    }
    if (list->count > 0) { qsort(list->items, list->count, sizeof *list->items, by_name); }
    return true;
}

bool logs_find_stream(struct logs_call *call, struct str name, struct log_stream *stream, struct err *err)
{
    struct log_stream_list list;
    if (!logs_streams(call, &list, err)) { return false; }
    for (size_t s = 0; s < list.count; s++) {
        if (!str_eq(list.items[s].name, name)) { continue; }
        *stream = list.items[s];
        return true;
    }
    return err_set(err, ERR_RESOURCE_NOT_FOUND, "The specified log stream does not exist.");
}
