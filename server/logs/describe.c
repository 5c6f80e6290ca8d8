/* describe.c: which groups and streams there are. A page's token names the last that was told. */
#include <stdlib.h>

#include "server/logs/api.h"

enum { PAGE_MAX = 50 };

static bool read_place(struct logs_call *call, struct log_place *place, struct err *err)
{
    *place = (struct log_place){ 0 };
    return !str_is_set(call->input->next_token) || log_place_read(call->input->next_token, place, call->request->arena)
        || err_set(err, ERR_INVALID_PARAMETER, "The specified nextToken is invalid.");
}

static void put_str(struct json_out *out, struct str key, struct str value)
{
    json_key(out, key);
    json_str(out, value);
}

static void put_i64(struct json_out *out, struct str key, int64_t value)
{
    json_key(out, key);
    json_i64(out, value);
}

static void put_token(struct logs_call *call, const struct log_place *place)
{
    put_str(&call->out, STR("nextToken"), log_place_text(place, call->request->arena));
}

static size_t page_size(const struct logs_call *call) { return call->input->limit.set ? (size_t)call->input->limit.value : PAGE_MAX; }

static struct str group_arn(const struct logs_call *call, struct str group)
{
    const struct names *names = &call->aws->front->api->names;
    return arena_printf(call->request->arena, "arn:aws:logs:" STR_FMT ":" STR_FMT ":log-group:" STR_FMT, STR_ARG(names->region),
                        STR_ARG(names->account), STR_ARG(group));
}

/* ---- groups ---- */

static bool group_is_wanted(const struct logs_input *input, struct str name)
{
    return (!str_is_set(input->group_prefix) || str_starts_with(name, input->group_prefix))
        && str_contains(name, input->group_pattern);
}

static void print_group(struct logs_call *call, const struct log_group *group)
{
    struct str arn = group_arn(call, group->name);
    json_open(&call->out, '{');
    put_str(&call->out, STR("logGroupName"), group->name);
    put_i64(&call->out, STR("creationTime"), group->created_ms);
    put_i64(&call->out, STR("metricFilterCount"), 0);
    put_str(&call->out, STR("arn"), arena_printf(call->request->arena, STR_FMT ":*", STR_ARG(arn)));
    put_i64(&call->out, STR("storedBytes"), 0);           /* CloudWatch's too is told late; here it is not counted */
    put_str(&call->out, STR("logGroupClass"), STR("STANDARD"));
    put_str(&call->out, STR("logGroupArn"), arn);
    json_close(&call->out, '}');
}

bool logs_describe_groups(struct logs_call *call, struct err *err)
{
    struct log_group_list list;
    struct log_place place;
    size_t told = 0;
    if (str_is_set(call->input->group_prefix) && str_is_set(call->input->group_pattern)) {
        return err_set(err, ERR_INVALID_PARAMETER, "logGroupNamePrefix and logGroupNamePattern can't be given together.");
    }
    if (!read_place(call, &place, err) || !log_groups_list(logs_groups(call->aws->logs), &list, call->request->arena, err)) { return false; }
    json_key(&call->out, STR("logGroups"));
    json_open(&call->out, '[');
    bool more = false;
    for (size_t g = 0; g < list.count; g++) {
        struct str name = list.items[g].name;
        if (!group_is_wanted(call->input, name) || str_cmp(name, place.stream) <= 0) { continue; }
        more = told == page_size(call);
        if (more) { break; }
        print_group(call, &list.items[g]);
        place.stream = name;
        told++;
    }
    json_close(&call->out, ']');
    if (more) { put_token(call, &place); }
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
    shown->written = logs_span(call->aws->logs, shown->stream->task, shown->stream->container, &shown->first, &shown->last);
}

static void print_stream(struct logs_call *call, const struct shown *shown)
{
    struct str name = shown->stream->name;
    json_open(&call->out, '{');
    put_str(&call->out, STR("logStreamName"), name);
    put_i64(&call->out, STR("creationTime"), shown->stream->created_ms);
    if (shown->written) {
        put_i64(&call->out, STR("firstEventTimestamp"), shown->first.time_ms);
        put_i64(&call->out, STR("lastEventTimestamp"), shown->last.time_ms);
        put_i64(&call->out, STR("lastIngestionTime"), shown->last.received_ms);
    }
    put_str(&call->out, STR("arn"), arena_printf(call->request->arena, STR_FMT ":log-stream:" STR_FMT, STR_ARG(group_arn(call, call->group)),
                                                 STR_ARG(name)));
    put_i64(&call->out, STR("storedBytes"), 0);
    json_close(&call->out, '}');
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

/* Does it stand behind the place where the page before ended? */
static bool is_behind(const struct logs_call *call, const struct shown *shown, const struct log_place *place)
{
    if (!str_is_set(call->input->next_token)) { return true; }
    const struct log_stream named = { .name = place->stream };
    const struct shown last = { .stream = &named, .last.time_ms = place->time_ms };
    int order = call->input->order == LOG_ORDER_TIME ? by_time(shown, &last) : by_name(shown, &last);
    return call->input->descending == OPT_TRUE ? order < 0 : order > 0;
}

bool logs_describe_streams(struct logs_call *call, struct err *err)
{
    struct log_stream_list list;
    struct log_place place;
    size_t told = 0;
    if (call->input->order == LOG_ORDER_TIME && str_is_set(call->input->stream_prefix)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Cannot order by LastEventTime with a logStreamNamePrefix.");
    }
    if (!read_place(call, &place, err) || !log_groups_streams(logs_groups(call->aws->logs), call->group, &list, call->request->arena, err)) {
        return false;
    }
    struct shown *shown = ARENA_NEW(call->request->arena, struct shown, list.count);
    size_t count = order_streams(call, &list, shown);
    json_key(&call->out, STR("logStreams"));
    json_open(&call->out, '[');
    bool more = false;
    for (size_t s = 0; s < count; s++) {
        if (!is_behind(call, &shown[s], &place)) { continue; }
        more = told == page_size(call);
        if (more) { break; }
        look(call, &shown[s]);
        print_stream(call, &shown[s]);
        place.stream = shown[s].stream->name;
        place.time_ms = shown[s].last.time_ms;
        told++;
    }
    json_close(&call->out, ']');
    if (more) { put_token(call, &place); }
    return true;
}
