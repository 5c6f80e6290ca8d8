/* shapes.c: inputs and outputs of the operations of CloudWatch Logs. Members that Berth does not use are ignored, as all unknown ones. */
#include "server/logs/api.h"

static const struct str order_words[] = { STR_INIT("LogStreamName"), STR_INIT("LastEventTime") };
static const struct enum_names order_names = { order_words, COUNT_OF(order_words) };
_Static_assert(COUNT_OF(order_words) == LOG_ORDER_COUNT - 1, "one word per order");

#define AT(member) .offset = offsetof(struct logs_input, member)
#define GROUP      { STR_INIT("logGroupName"), 0, FIELD_STR, AT(group), .min = 1, .max = 512 }
#define GROUP_ID   { STR_INIT("logGroupIdentifier"), 0, FIELD_STR, AT(group_id), .min = 1, .max = 2048 }
#define STREAM     { STR_INIT("logStreamName"), 0, FIELD_STR, AT(stream), .required = true, .min = 1, .max = 512 }
#define NEXT_TOKEN { STR_INIT("nextToken"), 0, FIELD_STR, AT(next_token), .min = 1, .max = 8192 }
#define TIMES      { STR_INIT("startTime"), 0, FIELD_LONG, AT(start_time), .max = INT64_MAX }, \
                   { STR_INIT("endTime"), 0, FIELD_LONG, AT(end_time), .max = INT64_MAX }
#define PAGE       { STR_INIT("limit"), 0, FIELD_INT, AT(limit), .min = 1, .max = 50 }
#define EVENTS     { STR_INIT("limit"), 0, FIELD_INT, AT(limit), .min = 1, .max = LOGS_PAGE_EVENTS }

static const struct field groups_fields[] = {
    { STR_INIT("logGroupNamePrefix"),  0, FIELD_STR, AT(group_prefix), .min = 1, .max = 512 },
    { STR_INIT("logGroupNamePattern"), 0, FIELD_STR, AT(group_pattern), .max = 512 },
    NEXT_TOKEN, PAGE,
};
const struct schema logs_groups_schema = SCHEMA_OF("DescribeLogGroups", struct logs_input, groups_fields);

static const struct field streams_fields[] = {
    GROUP, GROUP_ID,
    { STR_INIT("logStreamNamePrefix"), 0, FIELD_STR,  AT(stream_prefix), .min = 1, .max = 512 },
    { STR_INIT("orderBy"),             0, FIELD_ENUM, AT(order), .names = &order_names },
    { STR_INIT("descending"),          0, FIELD_BOOL, AT(descending) },
    NEXT_TOKEN, PAGE,
};
const struct schema logs_streams_schema = SCHEMA_OF("DescribeLogStreams", struct logs_input, streams_fields);

static const struct field get_fields[] = {
    GROUP, GROUP_ID, STREAM, TIMES, NEXT_TOKEN, EVENTS,
    { STR_INIT("startFromHead"), 0, FIELD_BOOL, AT(start_from_head) },
};
const struct schema logs_get_schema = SCHEMA_OF("GetLogEvents", struct logs_input, get_fields);

static const struct field filter_fields[] = {
    GROUP, GROUP_ID, TIMES, NEXT_TOKEN, EVENTS,
    { STR_INIT("logStreamNames"),      0, FIELD_LIST, AT(streams), .element = FIELD_STR, .min = 1, .max = 100 },
    { STR_INIT("logStreamNamePrefix"), 0, FIELD_STR,  AT(stream_prefix), .min = 1, .max = 512 },
    { STR_INIT("filterPattern"),       0, FIELD_STR,  AT(filter), .max = LOG_PATTERN_MAX },
};
const struct schema logs_filter_schema = SCHEMA_OF("FilterLogEvents", struct logs_input, filter_fields);

static const struct field make_group_fields[] = {
    { STR_INIT("logGroupName"), 0, FIELD_STR, AT(group), .required = true, .min = 1, .max = 512 },
};
const struct schema logs_make_group_schema = SCHEMA_OF("CreateLogGroup", struct logs_input, make_group_fields);

static const struct field make_stream_fields[] = {
    { STR_INIT("logGroupName"), 0, FIELD_STR, AT(group), .required = true, .min = 1, .max = 512 }, STREAM,
};
const struct schema logs_make_stream_schema = SCHEMA_OF("CreateLogStream", struct logs_input, make_stream_fields);
#undef AT

#define AT(member) .offset = offsetof(struct logs_input_event, member)
static const struct field event_fields[] = {
    { STR_INIT("timestamp"), 0, FIELD_LONG, AT(timestamp), .required = true, .max = INT64_MAX },
    { STR_INIT("message"),   0, FIELD_STR,  AT(message), .required = true, .min = 1, .max = LOG_EVENT_MAX },
};
#undef AT
static const struct schema event_schema = SCHEMA_OF("InputLogEvent", struct logs_input_event, event_fields);

#define AT(member) .offset = offsetof(struct logs_input, member)
static const struct field put_fields[] = {
    { STR_INIT("logGroupName"), 0, FIELD_STR, AT(group), .required = true, .min = 1, .max = 512 }, STREAM,
    { STR_INIT("logEvents"),    0, FIELD_LIST, AT(events), .element = FIELD_STRUCT, .schema = &event_schema, .required = true, .min = 1,
      .max = LOGS_PAGE_EVENTS },
};
#undef AT
const struct schema logs_put_schema = SCHEMA_OF("PutLogEvents", struct logs_input, put_fields);

/* ---- answers ---- */

#define AT(member) .offset = offsetof(struct logs_group_view, member)
static const struct field group_fields[] = {
    { STR_INIT("logGroupName"),      0, FIELD_STR,  AT(name) },
    { STR_INIT("creationTime"),      0, FIELD_LONG, AT(created) },
    { STR_INIT("metricFilterCount"), 0, FIELD_INT,  AT(filters), .always = true },
    { STR_INIT("arn"),               0, FIELD_STR,  AT(arn) },
    { STR_INIT("storedBytes"),       0, FIELD_LONG, AT(stored), .always = true },
    { STR_INIT("logGroupClass"),     0, FIELD_STR,  AT(class) },
    { STR_INIT("logGroupArn"),       0, FIELD_STR,  AT(group_arn) },
};
#undef AT
static const struct schema group_schema = SCHEMA_OF("LogGroup", struct logs_group_view, group_fields);

#define AT(member) .offset = offsetof(struct logs_stream_view, member)
static const struct field stream_fields[] = {
    { STR_INIT("logStreamName"),       0, FIELD_STR,  AT(name) },
    { STR_INIT("creationTime"),        0, FIELD_LONG, AT(created) },
    { STR_INIT("firstEventTimestamp"), 0, FIELD_LONG, AT(first) },
    { STR_INIT("lastEventTimestamp"),  0, FIELD_LONG, AT(last) },
    { STR_INIT("lastIngestionTime"),   0, FIELD_LONG, AT(received) },
    { STR_INIT("arn"),                 0, FIELD_STR,  AT(arn) },
    { STR_INIT("storedBytes"),         0, FIELD_LONG, AT(stored), .always = true },
};
#undef AT
static const struct schema stream_schema = SCHEMA_OF("LogStream", struct logs_stream_view, stream_fields);

#define AT(member) .offset = offsetof(struct logs_event_view, member)
static const struct field told_event_fields[] = {
    { STR_INIT("logStreamName"), 0, FIELD_STR,  AT(stream) },
    { STR_INIT("timestamp"),     0, FIELD_LONG, AT(time) },
    { STR_INIT("message"),       0, FIELD_STR,  AT(message) },
    { STR_INIT("ingestionTime"), 0, FIELD_LONG, AT(received) },
    { STR_INIT("eventId"),       0, FIELD_STR,  AT(id) },
};
#undef AT
static const struct schema told_event_schema = SCHEMA_OF("OutputLogEvent", struct logs_event_view, told_event_fields);

#define AT(member) .offset = offsetof(struct logs_rejected, member)
static const struct field rejected_fields[] = {
    { STR_INIT("tooNewLogEventStartIndex"), 0, FIELD_INT, AT(too_new) },
    { STR_INIT("tooOldLogEventEndIndex"),   0, FIELD_INT, AT(too_old) },
};
#undef AT
static const struct schema rejected_schema = SCHEMA_OF("RejectedLogEventsInfo", struct logs_rejected, rejected_fields);

#define AT(member) .offset = offsetof(struct logs_output, member)
#define TOLD_EVENTS { STR_INIT("events"), 0, FIELD_LIST, AT(events), .element = FIELD_STRUCT, .schema = &told_event_schema }
#define TOLD_TOKEN  { STR_INIT("nextToken"), 0, FIELD_STR, AT(next_token) }
static const struct field groups_reply_fields[] = {
    { STR_INIT("logGroups"), 0, FIELD_LIST, AT(groups), .element = FIELD_STRUCT, .schema = &group_schema }, TOLD_TOKEN,
};
const struct schema logs_groups_reply = SCHEMA_OF("DescribeLogGroupsResponse", struct logs_output, groups_reply_fields);

static const struct field streams_reply_fields[] = {
    { STR_INIT("logStreams"), 0, FIELD_LIST, AT(streams), .element = FIELD_STRUCT, .schema = &stream_schema }, TOLD_TOKEN,
};
const struct schema logs_streams_reply = SCHEMA_OF("DescribeLogStreamsResponse", struct logs_output, streams_reply_fields);

static const struct field get_reply_fields[] = {
    TOLD_EVENTS,
    { STR_INIT("nextForwardToken"),  0, FIELD_STR, AT(forward_token) },
    { STR_INIT("nextBackwardToken"), 0, FIELD_STR, AT(backward_token) },
};
const struct schema logs_get_reply = SCHEMA_OF("GetLogEventsResponse", struct logs_output, get_reply_fields);

static const struct field filter_reply_fields[] = {
    TOLD_EVENTS, { STR_INIT("searchedLogStreams"), 0, FIELD_LIST, AT(searched), .element = FIELD_STR }, TOLD_TOKEN,
};
const struct schema logs_filter_reply = SCHEMA_OF("FilterLogEventsResponse", struct logs_output, filter_reply_fields);

static const struct field put_reply_fields[] = {
    { STR_INIT("rejectedLogEventsInfo"), 0, FIELD_STRUCT, AT(rejected), .schema = &rejected_schema },
    { STR_INIT("nextSequenceToken"),     0, FIELD_STR,    AT(sequence_token) },
};
const struct schema logs_put_reply = SCHEMA_OF("PutLogEventsResponse", struct logs_output, put_reply_fields);
#undef AT
