/* describe.c: lists of groups and streams. A page's token names the last entry that was shown. */
#include <stdlib.h>

#include "server/logs/api.h"

enum { PAGE_MAX = 50 };

static bool read_place(struct logs_call *call, struct log_place *place, struct err *err)
{
    *place = (struct log_place){ 0 };
    return !str_is_set(call->input->next_token) || log_place_read(call->input->next_token, place, call->ctx->arena)
        || err_set(err, ERR_INVALID_PARAMETER, "The specified nextToken is invalid.");
}

static size_t page_size(const struct logs_call *call) { return call->input->limit.set ? (size_t)call->input->limit.value : PAGE_MAX; }

static struct str group_arn(const struct logs_call *call, struct str group)
{
    const struct names *names = &call->ctx->config->names;
    return arena_printf(call->ctx->arena, "arn:aws:logs:" STR_FMT ":" STR_FMT ":log-group:" STR_FMT, STR_ARG(names->region),
                        STR_ARG(names->account), STR_ARG(group));
}

/* ---- groups ---- */

static bool group_is_wanted(const struct logs_input *input, struct str name)
{
    return (!str_is_set(input->group_prefix) || str_starts_with(name, input->group_prefix))
        && str_contains(name, input->group_pattern);
}

static void tell_group(struct logs_call *call, const struct log_group *group, struct logs_group_view *view)
{
    struct str arn = group_arn(call, group->name);
    *view = (struct logs_group_view){                     /* storedBytes: CloudWatch shows it late, too; here it is not counted */
        .name = group->name, .created = opt_int_of(group->created_ms), .arn = arena_printf(call->ctx->arena, STR_FMT ":*", STR_ARG(arn)),
        .class = STR("STANDARD"), .group_arn = arn,
    };
}

bool logs_describe_groups(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct logs_call work, *call = &work;
    struct log_group_list list;
    struct log_place place;
    if (!logs_begin(call, ctx, input, output, false, err)) { return false; }
    struct logs_group_view_list *told = &call->output->groups;
    if (str_is_set(call->input->group_prefix) && str_is_set(call->input->group_pattern)) {
        return err_set(err, ERR_INVALID_PARAMETER, "logGroupNamePrefix and logGroupNamePattern can't be given together.");
    }
    if (!read_place(call, &place, err) || !logs_list_groups(call, &list, err)) { return false; }
    told->items = ARENA_NEW(ctx->arena, struct logs_group_view, page_size(call));
    bool more = false;
    for (size_t g = 0; g < list.count; g++) {
        struct str name = list.items[g].name;
        if (!group_is_wanted(call->input, name) || str_cmp(name, place.stream) <= 0) { continue; }
        more = told->count == page_size(call);
        if (more) { break; }
        tell_group(call, &list.items[g], &told->items[told->count++]);
        place.stream = name;
    }
    if (more) { call->output->next_token = log_place_text(&place, ctx->arena); }
    return true;
}

/* ---- streams ---- */

struct shown { const struct log_stream *stream; bool written; struct log_mark first, last; };

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct shown *)a)->stream->name, ((const struct shown *)b)->stream->name);
}

static int by_time(const void *a, const void *b)
{
    const struct shown *left = a, *right = b;
    int order = (left->last.time_ms > right->last.time_ms) - (left->last.time_ms < right->last.time_ms);
    return order != 0 ? order : by_name(a, b);
}

static void look(struct logs_call *call, struct shown *shown)
{
    shown->written = logs_span(call->logs, shown->stream->task, shown->stream->container, &shown->first, &shown->last);
}

static void tell_stream(struct logs_call *call, const struct shown *shown, struct logs_stream_view *view)
{
    struct str name = shown->stream->name;
    *view = (struct logs_stream_view){
        .name = name, .created = opt_int_of(shown->stream->created_ms),
        .arn = arena_printf(call->ctx->arena, STR_FMT ":log-stream:" STR_FMT, STR_ARG(group_arn(call, call->group)), STR_ARG(name)),
    };
    if (!shown->written) { return; }
    view->first = opt_int_of(shown->first.time_ms);
    view->last = opt_int_of(shown->last.time_ms);
    view->received = opt_int_of(shown->last.received_ms);
}

/* Those that are asked for, in order; the returned count is theirs. */
static size_t order_streams(struct logs_call *call, const struct log_stream_list *list, struct shown *shown)
{
    size_t count = 0;
    bool timed = call->input->order == LOG_ORDER_TIME;
    for (size_t s = 0; s < list->count; s++) {
        if (str_is_set(call->input->stream_prefix) && !str_starts_with(list->items[s].name, call->input->stream_prefix)) { continue; }
        shown[count].stream = &list->items[s];
        if (timed) { look(call, &shown[count]); }
        count++;
    }
    if (count > 0) { qsort(shown, count, sizeof *shown, timed ? by_time : by_name); }
    for (size_t low = 0, high = count; call->input->descending == OPT_TRUE && low + 1 < high; low++) {
        struct shown one = shown[low];
        shown[low] = shown[--high];
        shown[high] = one;
    }
    return count;
}

/* Does it come after the end of the page before? */
static bool is_behind(const struct logs_call *call, const struct shown *shown, const struct log_place *place)
{
    if (!str_is_set(call->input->next_token)) { return true; }
    const struct log_stream named = { .name = place->stream };
    const struct shown last = { .stream = &named, .last.time_ms = place->time_ms };
    int order = call->input->order == LOG_ORDER_TIME ? by_time(shown, &last) : by_name(shown, &last);
    return call->input->descending == OPT_TRUE ? order < 0 : order > 0;
}

bool logs_describe_streams(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct logs_call work, *call = &work;
    struct log_stream_list list;
    struct log_place place;
    if (!logs_begin(call, ctx, input, output, true, err)) { return false; }
    struct logs_stream_view_list *told = &call->output->streams;
    if (call->input->order == LOG_ORDER_TIME && str_is_set(call->input->stream_prefix)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Cannot order by LastEventTime with a logStreamNamePrefix.");
    }
    if (!read_place(call, &place, err) || !logs_streams(call, &list, err)) {
        return false;
    }
    struct shown *shown = ARENA_NEW(call->ctx->arena, struct shown, list.count);
    size_t count = order_streams(call, &list, shown);
    told->items = ARENA_NEW(ctx->arena, struct logs_stream_view, page_size(call));
    bool more = false;
    for (size_t s = 0; s < count; s++) {
        if (!is_behind(call, &shown[s], &place)) { continue; }
        more = told->count == page_size(call);
        if (more) { break; }
        look(call, &shown[s]);
        tell_stream(call, &shown[s], &told->items[told->count++]);
        place.stream = shown[s].stream->name;
        place.time_ms = shown[s].last.time_ms;
    }
    if (more) { call->output->next_token = log_place_text(&place, ctx->arena); }
    return true;
}
