/* scheduler.c: EventBridge Scheduler's schedules that run tasks. There is one group of them, "default". */
#include "api/schedules/schedules.h"
#include "api/aws/schedules.h"
#include "base/text/arn.h"

static const struct str group_name = STR_INIT("default"), group_end = STR_INIT("schedule-group/default");

static struct str make_arn(struct op_ctx *ctx, const char *kind, struct str name)
{
    const struct names *names = &ctx->config->names;
    return arena_printf(ctx->arena, "arn:aws:scheduler:" STR_FMT ":" STR_FMT ":%s" STR_FMT, STR_ARG(names->region), STR_ARG(names->account), kind,
                        STR_ARG(name));
}

static struct str schedule_arn(struct op_ctx *ctx, struct str name) { return make_arn(ctx, "schedule/default/", name); }

/* ---- finding ---- */

static bool check_group(struct str group, struct err *err)
{
    return !str_is_set(group) || str_eq(group, group_name)
        || err_set(err, ERR_RESOURCE_NOT_FOUND, "Schedule group " STR_FMT " does not exist. Berth has one, default.", STR_ARG(str_slice(group, 0, 64)));
}

static const struct kept_schedule *find_schedule(struct op_ctx *ctx, struct str name, struct str group, struct err *err)
{
    if (!check_group(group, err)) { return NULL; }
    const struct kept_schedule *schedule = store_schedule(ctx->txn, false, name, ctx->arena);
    if (schedule == NULL) { (void)err_set(err, ERR_RESOURCE_NOT_FOUND, "Schedule " STR_FMT " does not exist.", STR_ARG(str_slice(name, 0, 64))); }
    return schedule;
}

/* ---- CreateSchedule, UpdateSchedule, DeleteSchedule ---- */

static bool check_schedule(struct op_ctx *ctx, const struct put_schedule_request *in, const struct kept_schedule *schedule, struct err *err)
{
    bool flexible = in->window->mode == FLEXIBLE_WINDOW_MODE_FLEXIBLE;
    if (!schedules_check_name(in->name, err) || !check_group(in->group, err)) { return false; }
    if (str_is_set(in->kms_key_arn)) { return err_set(err, ERR_VALIDATION, "Berth does not serve KmsKeyArn."); }
    if (in->window->minutes.set != flexible) {
        return err_set(err, ERR_VALIDATION, "MaximumWindowInMinutes must be given with the Mode FLEXIBLE, and only then.");
    }
    if (in->start_date != 0 && in->end_date != 0 && in->end_date <= in->start_date) {
        return err_set(err, ERR_VALIDATION, "The StartDate must come before the EndDate.");
    }
    return schedule_check_times(schedule, ctx->arena, err) && schedules_check_target(ctx, schedule, in->target, err);
}

static bool read_schedule(struct op_ctx *ctx, const struct put_schedule_request *in, struct kept_schedule *schedule, struct err *err)
{
    *schedule = (struct kept_schedule){
        .rule = OPT_FALSE, .name = in->name, .state = in->state == SCHEDULE_STATE_UNSET ? SCHEDULE_STATE_ENABLED : in->state,
        .expression = in->expression, .zone = in->zone.len > 0 ? in->zone : STR("UTC"), .description = in->description, .start_ms = in->start_date,
        .end_ms = in->end_date, .window = in->window, .token = in->client_token,
        .completion = in->completion == SCHEDULE_COMPLETION_UNSET ? SCHEDULE_COMPLETION_NONE : in->completion,
        .targets = { in->target, 1 },
    };
    schedule->targets.items[0].id = STR("");
    return check_schedule(ctx, in, schedule, err);
}

static void put_schedule(struct op_ctx *ctx, struct kept_schedule *schedule, const struct kept_schedule *known, struct put_schedule_response *out)
{
    schedules_take_over(ctx, schedule, known, true);
    schedules_put(ctx, schedule);
    out->schedule_arn = schedule_arn(ctx, schedule->name);
}

static bool op_create_schedule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct put_schedule_request in = *(const struct put_schedule_request *)input;
    struct schedule_target target = *in.target;
    struct put_schedule_response *out = output;
    struct kept_schedule schedule;
    in.target = &target;
    if (!read_schedule(ctx, &in, &schedule, err)) { return false; }
    const struct kept_schedule *known = store_schedule(ctx->txn, false, in.name, ctx->arena);
    if (known == NULL) {
        put_schedule(ctx, &schedule, NULL, out);
        return true;
    }
    out->schedule_arn = schedule_arn(ctx, in.name);
    return (in.client_token.len > 0 && str_eq(known->token, in.client_token))                /* the same call again */
        || err_set(err, ERR_CONFLICT, "Schedule " STR_FMT " already exists.", STR_ARG(in.name));
}

/* Members that are not given have their defaults again, as with AWS. */
static bool op_update_schedule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    struct put_schedule_request in = *(const struct put_schedule_request *)input;
    struct schedule_target target = *in.target;
    struct kept_schedule schedule;
    in.target = &target;
    const struct kept_schedule *known = find_schedule(ctx, in.name, in.group, err);
    if (known == NULL || !read_schedule(ctx, &in, &schedule, err)) { return false; }
    put_schedule(ctx, &schedule, known, output);
    return true;
}

static bool op_delete_schedule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct schedule_request *in = input;
    (void)output;
    const struct kept_schedule *known = find_schedule(ctx, in->name, in->group, err);
    if (known == NULL) { return false; }
    schedules_drop(ctx, known);
    return true;
}

/* ---- GetSchedule, ListSchedules ---- */

static bool op_get_schedule(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct schedule_request *in = input;
    struct schedule_view *out = output;
    const struct kept_schedule *known = find_schedule(ctx, in->name, in->group, err);
    if (known == NULL) { return false; }
    *out = (struct schedule_view){
        .arn = schedule_arn(ctx, known->name), .group = group_name, .name = known->name, .expression = known->expression, .zone = known->zone,
        .start_date = known->start_ms, .end_date = known->end_ms, .description = known->description, .state = known->state,
        .creation_date = known->created_ms, .last_modification_date = known->changed_ms, .window = known->window, .completion = known->completion,
    };
    if (known->targets.count > 0) {
        out->target = known->targets.items;
        out->target->id = (struct str){ NULL, 0 };
    }
    return true;
}

static bool is_in_state(const struct kept_schedule *schedule, const void *given)
{
    const enum schedule_state *state = given;
    return *state == SCHEDULE_STATE_UNSET || schedule->state == *state;
}

static bool op_list_schedules(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct list_schedules_request *in = input;
    struct list_schedules_response *out = output;
    const struct schedules_ask ask = {
        .list = "ListSchedules", .prefix = in->name_prefix, .token = in->next_token, .limit = in->max_results, .shown = is_in_state, .given = &in->state,
    };
    struct kept_schedule *schedules;
    size_t count;
    if (!check_group(in->group, err) || !schedules_page(ctx, &ask, &schedules, &count, &out->next_token, err)) { return false; }
    out->schedules = (struct schedule_summary_list){ ARENA_NEW(ctx->arena, struct schedule_summary, count + 1), count };
    for (size_t s = 0; s < count; s++) {
        struct target_summary *target = ARENA_NEW(ctx->arena, struct target_summary, 1);
        if (schedules[s].targets.count > 0) { target->arn = schedules[s].targets.items[0].arn; }
        out->schedules.items[s] = (struct schedule_summary){
            .arn = schedule_arn(ctx, schedules[s].name), .name = schedules[s].name, .group = group_name, .state = schedules[s].state,
            .creation_date = schedules[s].created_ms, .last_modification_date = schedules[s].changed_ms, .target = target,
        };
    }
    return true;
}

/* ---- the group ---- */

static struct schedule_group_view show_group(struct op_ctx *ctx)
{
    return (struct schedule_group_view){ .arn = make_arn(ctx, "schedule-group/", group_name), .name = group_name, .state = STR("ACTIVE") };
}

static bool op_get_group(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct schedule_group_request *in = input;
    struct schedule_group_view *out = output;
    if (!check_group(in->name, err)) { return false; }
    *out = show_group(ctx);
    return true;
}

static bool op_list_groups(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct schedule_group_request *in = input;
    struct schedule_groups_response *out = output;
    (void)err;
    out->groups.items = ARENA_NEW(ctx->arena, struct schedule_group_view, 1);
    if (!str_is_set(in->name_prefix) || str_starts_with(group_name, in->name_prefix)) { out->groups.items[out->groups.count++] = show_group(ctx); }
    return true;
}

/* Groups alone have tags with AWS, and the group "default" has none. */
static bool op_list_group_tags(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct resource_tags_request *in = input;
    struct resource_tags_response *out = output;
    (void)ctx;
    out->tags.items = LIST_NOTHING;
    return (arn_looks_like(in->same) && str_ends_with(in->same, group_end))
        || err_set(err, ERR_RESOURCE_NOT_FOUND, "The resource " STR_FMT " does not exist, or has no tags.", STR_ARG(str_slice(in->same, 0, 400)));
}

/* ---- the tables ---- */

#define WRITE OP_WRITE, ACCESS_ADMIN, ERR_VALIDATION
#define READ OP_READ, ACCESS_VIEWER, ERR_VALIDATION
static const struct operation operations[] = {
    { STR_INIT("CreateSchedule"), &put_schedule_request_schema, &put_schedule_response_schema, WRITE, op_create_schedule },
    { STR_INIT("DeleteSchedule"), &schedule_request_schema, NULL, WRITE, op_delete_schedule },
    { STR_INIT("GetSchedule"), &schedule_request_schema, &schedule_view_schema, READ, op_get_schedule },
    { STR_INIT("GetScheduleGroup"), &schedule_group_request_schema, &schedule_group_view_schema, READ, op_get_group },
    { STR_INIT("ListScheduleGroups"), &schedule_group_request_schema, &schedule_groups_response_schema, READ, op_list_groups },
    { STR_INIT("ListSchedules"), &list_schedules_request_schema, &list_schedules_response_schema, READ, op_list_schedules },
    { STR_INIT("ListTagsForResource"), &resource_tags_request_schema, &resource_tags_response_schema, READ, op_list_group_tags },
    { STR_INIT("UpdateSchedule"), &put_schedule_request_schema, &put_schedule_response_schema, WRITE, op_update_schedule },
};
#undef WRITE
#undef READ

static const struct api_path paths[] = {
    { STR_INIT("POST"), STR_INIT("/schedules/{Name}"), STR_INIT("CreateSchedule") },
    { STR_INIT("GET"), STR_INIT("/schedules/{Name}"), STR_INIT("GetSchedule") },
    { STR_INIT("PUT"), STR_INIT("/schedules/{Name}"), STR_INIT("UpdateSchedule") },
    { STR_INIT("DELETE"), STR_INIT("/schedules/{Name}"), STR_INIT("DeleteSchedule") },
    { STR_INIT("GET"), STR_INIT("/schedules"), STR_INIT("ListSchedules") },
    { STR_INIT("GET"), STR_INIT("/schedule-groups"), STR_INIT("ListScheduleGroups") },
    { STR_INIT("GET"), STR_INIT("/schedule-groups/{Name}"), STR_INIT("GetScheduleGroup") },
    { STR_INIT("POST"), STR_INIT("/schedule-groups/{Name}"), STR_INIT("CreateScheduleGroup") },
    { STR_INIT("DELETE"), STR_INIT("/schedule-groups/{Name}"), STR_INIT("DeleteScheduleGroup") },
    { STR_INIT("GET"), STR_INIT("/tags/{ResourceArn}"), STR_INIT("ListTagsForResource") },
    { STR_INIT("POST"), STR_INIT("/tags/{ResourceArn}"), STR_INIT("TagResource") },
    { STR_INIT("DELETE"), STR_INIT("/tags/{ResourceArn}"), STR_INIT("UntagResource") },
};

static const struct service_error errors[] = {
    { ERR_CONFLICT, STR_INIT("ConflictException"), 409 }, { ERR_RESOURCE_NOT_FOUND, STR_INIT("ResourceNotFoundException"), 404 },
    { ERR_SERVER, STR_INIT("InternalServerException"), 500 }, { ERR_THROTTLING, STR_INIT("ThrottlingException"), 429 },
    { ERR_ACCESS_DENIED, STR_INIT("AccessDeniedException"), 403 },
};

const struct api_service scheduler_service = {
    .name = STR_INIT("scheduler"), .protocol = API_REST, .message = STR_INIT("Message"), .named = true, .paths = paths, .path_count = COUNT_OF(paths),
    .unserved = STR_INIT("scheduler:"), .resource = STR_INIT("*"),
    .unserved_more = STR_INIT(". Of EventBridge Scheduler it serves schedules that run tasks, in the group default."),
    .operations = operations, .count = COUNT_OF(operations), .errors = errors, .error_count = COUNT_OF(errors),
};
