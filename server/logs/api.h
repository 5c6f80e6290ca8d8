/* api.h: a part of the CloudWatch Logs API over the logs of tasks: shapes, and handlers that reach the files through op_ctx.outside. Keeps nothing
 * itself. Private to the files of this wing. */
#ifndef BERTH_SERVER_LOGS_API_H
#define BERTH_SERVER_LOGS_API_H

#include "server/logs/events.h"
#include "server/logs/groups.h"
#include "server/logs/logs.h"
#include "server/logs/pattern.h"
#include "server/logs/service.h"

enum log_order { LOG_ORDER_UNSET, LOG_ORDER_NAME, LOG_ORDER_TIME, LOG_ORDER_COUNT };

struct logs_input_event { struct opt_int timestamp; struct str message; };
struct logs_input_event_list { struct logs_input_event *items; size_t count; };

struct logs_input {                          /* what any of the operations takes; each has its own table of what it knows */
    struct str group, group_id, group_prefix, group_pattern, stream, stream_prefix, filter, next_token;
    struct str_list streams;
    struct opt_int start_time, end_time, limit;
    enum log_order order;
    enum opt_bool descending, start_from_head;
    struct logs_input_event_list events;
};

struct logs_group_view { struct str name, arn, group_arn, class; struct opt_int created, filters, stored; };
struct logs_group_view_list { struct logs_group_view *items; size_t count; };
struct logs_stream_view { struct str name, arn; struct opt_int created, first, last, received, stored; };
struct logs_stream_view_list { struct logs_stream_view *items; size_t count; };
struct logs_event_view { struct str stream, message, id; struct opt_int time, received; };        /* GetLogEvents tells no stream and no id */
struct logs_event_view_list { struct logs_event_view *items; size_t count; };
struct logs_rejected { struct opt_int too_new, too_old; };

struct logs_output {                         /* what any of them answers; each has its own table of what it tells */
    struct logs_group_view_list groups;
    struct logs_stream_view_list streams;
    struct logs_event_view_list events;
    struct str_list searched;                /* always empty, as CloudWatch's is */
    struct logs_rejected *rejected;
    struct str next_token, forward_token, backward_token, sequence_token;
};

/* logs/shapes.c */
extern const struct schema logs_groups_schema, logs_streams_schema, logs_get_schema, logs_filter_schema, logs_make_group_schema,
    logs_make_stream_schema, logs_put_schema;
extern const struct schema logs_groups_reply, logs_streams_reply, logs_get_reply, logs_filter_reply, logs_put_reply;

struct logs_call {
    struct op_ctx *ctx;
    struct logs *logs;                       /* of ctx->outside */
    const struct logs_input *input;
    struct logs_output *output;              /* NULL where the reply is {} */
    struct str group;                        /* by name or ARN; absent when the operation takes none */
};
/* Every handler begins with it; in_group: the operation names a group. */
bool logs_begin(struct logs_call *call, struct op_ctx *ctx, const void *input, void *output, bool in_group, struct err *err);

#define LOGS_OPERATION(name) bool name(struct op_ctx *ctx, const void *input, void *output, struct err *err)
LOGS_OPERATION(logs_describe_groups);        /* logs/describe.c */
LOGS_OPERATION(logs_describe_streams);
LOGS_OPERATION(logs_get_events);             /* logs/get.c */
LOGS_OPERATION(logs_filter_events);          /* logs/filter.c */
LOGS_OPERATION(logs_make_group);             /* logs/put.c */
LOGS_OPERATION(logs_make_stream);
LOGS_OPERATION(logs_put_events);

enum { LOGS_PAGE_BYTES = 1024 * 1024, LOGS_PAGE_EVENTS = 10000 };

/* A printed page of events ends before the first event that does not fit. */
struct logs_page { size_t events_max, events, bytes; };
struct logs_page logs_page_of(const struct logs_input *input);
bool logs_page_takes(struct logs_page *page, const struct log_event *event);
/* One event more in the answer, with its message borrowed; the row, for its other members. */
struct logs_event_view *logs_tell_event(struct logs_call *call, const struct log_event *event);

/* What will a task's containers write any more? Ends of lines are waited for while they may. One read transaction for all. */
bool logs_are_closed(struct logs_call *call, const struct log_stream *streams, size_t count, bool *closed, struct err *err);
/* log_groups_streams, and log_groups_list with the groups that clients have made on any server. */
bool logs_streams(const struct logs_call *call, struct log_stream_list *list, struct err *err);
bool logs_list_groups(const struct logs_call *call, struct log_group_list *list, struct err *err);
bool logs_find_stream(struct logs_call *call, struct str name, struct log_stream *stream, struct err *err);

#endif
