/* api.h: a part of the CloudWatch Logs API over the logs of tasks: JSON 1.1 with targets "Logs_20140328.". Knows its shapes
 * and words; refuses to keep anything itself. Private to the files logs_*.c of this room. */
#ifndef BERTH_SERVER_LOGS_API_H
#define BERTH_SERVER_LOGS_API_H

#include "server/logs/events.h"
#include "server/logs/groups.h"
#include "server/logs/pattern.h"
#include "server/front/aws.h"

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

/* logs/shapes.c */
extern const struct schema logs_groups_schema, logs_streams_schema, logs_get_schema, logs_filter_schema, logs_make_group_schema,
    logs_make_stream_schema, logs_put_schema;

struct logs_call {
    const struct aws_paths *aws;
    struct http_request *request;
    const struct caller *caller;
    const struct logs_input *input;
    struct str group;                        /* by name or ARN; absent when the operation takes none */
    struct json_out out;                     /* within the answer's object */
};
#define LOGS_OPERATION(name) bool name(struct logs_call *call, struct err *err)
LOGS_OPERATION(logs_describe_groups);        /* logs/describe.c */
LOGS_OPERATION(logs_describe_streams);
LOGS_OPERATION(logs_get_events);             /* logs/get.c */
LOGS_OPERATION(logs_filter_events);          /* logs/filter.c */
LOGS_OPERATION(logs_make_group);             /* logs/put.c */
LOGS_OPERATION(logs_make_stream);
LOGS_OPERATION(logs_put_events);

enum { LOGS_PAGE_BYTES = 1024 * 1024, LOGS_PAGE_EVENTS = 10000 };

/* What is printed of a page of events ends with the first event that does not fit. */
struct logs_page { size_t events_max, events, bytes; };
struct logs_page logs_page_of(const struct logs_input *input);
bool logs_page_takes(struct logs_page *page, const struct log_event *event);
/* The members of an event, without its braces. */
void logs_print_event(const struct log_event *event, struct json_out *out);

/* What will a task's containers write any more? Ends of lines are waited for while they may. One read transaction for all. */
bool logs_are_closed(struct logs_call *call, const struct log_stream *streams, size_t count, bool *closed, struct err *err);
bool logs_find_stream(struct logs_call *call, struct str name, struct log_stream *stream, struct err *err);

#endif
