/* actions.c: PutScheduledAction, DeleteScheduledAction and DescribeScheduledActions. */
#include "api/scaling/scaling.h"

#include "base/num.h"
#include "base/time/schedule.h"

static bool read_times(const struct kept_action *action, struct schedule_times *times, struct zone *zone, struct arena *arena, struct err *err)
{
    return schedule_parse(action->schedule, times, err) && zone_load(action->timezone, zone, arena, err);
}

int64_t scaling_action_next(const struct kept_action *action, int64_t after_ms, struct arena *arena)
{
    struct schedule_times times;
    struct zone zone;
    struct err unread = { 0 };
    int64_t next_ms, start_ms = action->start_ms != 0 ? action->start_ms : action->created_ms;
    if (!read_times(action, &times, &zone, arena, &unread)) { return 0; }
    if (!schedule_next(&times, &zone, start_ms, max_i64(after_ms, action->start_ms - 1), &next_ms)) { return 0; }
    return action->end_ms != 0 && next_ms > action->end_ms ? 0 : next_ms;
}

_Static_assert(offsetof(struct kept_action, name) == 0, "scaling_place_of");

static struct scaling_place place_of(const struct kept_action_list *actions, struct str name)
{
    return scaling_place_of(actions->items, actions->count, sizeof *actions->items, name);
}

static bool check_action(struct op_ctx *ctx, const struct kept_action *action, struct err *err)
{
    struct schedule_times times;
    struct zone zone;
    if (!str_is_set(action->schedule)) { return err_set(err, ERR_VALIDATION, "Schedule must be given."); }
    if (!read_times(action, &times, &zone, ctx->arena, err)) { return false; }
    const struct scalable_target_action *change = action->change;
    if (change == NULL || (!change->min.set && !change->max.set)) {
        return err_set(err, ERR_VALIDATION, "ScalableTargetAction must have MinCapacity or MaxCapacity.");
    }
    if (change->min.set && change->max.set && change->min.value > change->max.value) {
        return err_set(err, ERR_VALIDATION, "MinCapacity must not be greater than MaxCapacity.");
    }
    return action->end_ms == 0 || action->start_ms < action->end_ms || err_set(err, ERR_VALIDATION, "StartTime must be before EndTime.");
}

/* Members that are not given stay as they were. */
bool op_put_scheduled_action(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct put_action_request *in = input;
    struct scaling_subject subject;
    (void)output;
    if (!scaling_find(ctx, in->resource, &subject, err)) { return false; }
    struct kept_action_list *actions = &subject.target.actions;
    struct scaling_place place = place_of(actions, in->name);
    struct kept_action action = place.known ? actions->items[place.at] : (struct kept_action){ .name = in->name, .created_ms = ctx->now_ms };
    if (str_is_set(in->schedule)) { action.schedule = in->schedule; }
    if (str_is_set(in->timezone)) { action.timezone = in->timezone; }
    if (in->start_ms != 0) { action.start_ms = in->start_ms; }
    if (in->end_ms != 0) { action.end_ms = in->end_ms; }
    if (in->change != NULL) { action.change = in->change; }
    if (!check_action(ctx, &action, err)) { return false; }
    if (!place.known && actions->count == SCALING_ACTIONS_MAX) {
        return err_set(err, ERR_LIMIT_EXCEEDED, "A scalable target has %d scheduled actions at most.", (int)SCALING_ACTIONS_MAX);
    }
    action.next_ms = scaling_action_next(&action, ctx->now_ms, ctx->arena);
    actions->items = scaling_put(ctx, actions->items, &actions->count, sizeof action, place, &action);
    store_put_scaling(ctx->txn, &subject.target);
    return true;
}

bool op_delete_scheduled_action(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct delete_action_request *in = input;
    struct scaling_subject subject;
    (void)output;
    if (!scaling_find(ctx, in->resource, &subject, err)) { return false; }
    struct kept_action_list *actions = &subject.target.actions;
    struct scaling_place place = place_of(actions, in->name);
    if (!place.known) {
        return err_set(err, ERR_TARGET_NOT_FOUND, "No scheduled action found for service namespace: ecs, resource ID: " STR_FMT
                       ", scalable dimension: ecs:service:DesiredCount, scheduled action name: " STR_FMT, STR_ARG(subject.resource),
                       STR_ARG(str_slice(in->name, 0, 256)));
    }
    for (size_t a = place.at + 1; a < actions->count; a++) { actions->items[a - 1] = actions->items[a]; }
    actions->count--;
    store_put_scaling(ctx->txn, &subject.target);
    return true;
}

static struct str make_arn(struct op_ctx *ctx, const struct scaling_subject *subject, struct str name)
{
    const struct names *names = &ctx->config->names;
    return arena_printf(ctx->arena, "arn:aws:autoscaling:" STR_FMT ":" STR_FMT ":scheduledAction:00000000-0000-4000-8000-%012llx:resource/ecs/" STR_FMT
                        ":scheduledActionName/" STR_FMT, STR_ARG(names->region), STR_ARG(names->account), (unsigned long long)subject->target.service,
                        STR_ARG(subject->resource), STR_ARG(name));
}

bool op_describe_scheduled_actions(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_actions_request *in = input;
    struct describe_actions_response *out = output;
    struct scaling_page page;
    struct scaling_subject subject;
    if (!scaling_page_begin(ctx, "DescribeScheduledActions", in->max_results, in->next_token, &page, err)) { return false; }
    out->actions.items = ARENA_NEW(ctx->arena, struct scheduled_action_view, page.limit);
    for (int64_t after = page.after; !page.more && scaling_next(ctx, in->resource, after, &subject); after = subject.target.service) {
        for (size_t a = 0; a < subject.target.actions.count; a++) {
            const struct kept_action *action = &subject.target.actions.items[a];
            if (!scaling_is_named(&in->names, action->name) || !scaling_page_takes(&page, subject.target.service, action->name)) { continue; }
            out->actions.items[out->actions.count++] = (struct scheduled_action_view){
                action->name, make_arn(ctx, &subject, action->name), SCALING_OF_ECS, action->schedule, action->timezone, subject.resource,
                SCALABLE_DESIRED_COUNT, action->start_ms, action->end_ms, action->change, action->created_ms,
            };
        }
    }
    out->next_token = scaling_page_token(ctx, &page);
    return true;
}
