/* activities.c: DescribeScalingActivities. */
#include "api/scaling/scaling.h"

static struct str message_of(const struct kept_activity *activity, struct arena *arena)
{
    const char *end = activity->status == SCALING_SUCCESSFUL ? "Change successfully fulfilled by ecs."
        : activity->status == SCALING_OVERRIDDEN ? "The count was changed again before." : "Waiting for change to be fulfilled by ecs.";
    if (activity->reason != NULL) { return STR("The desired count was not changed."); }
    return arena_printf(arena, "Successfully set desired count to %lld. %s", (long long)activity->desired, end);
}

bool op_describe_scaling_activities(struct op_ctx *ctx, const void *input, void *output, struct err *err)
{
    const struct describe_activities_request *in = input;
    struct describe_activities_response *out = output;
    struct scaling_page page;
    struct scaling_subject subject;
    if (!scaling_page_begin(ctx, "DescribeScalingActivities", in->max_results, in->next_token, &page, err)) { return false; }
    out->activities.items = ARENA_NEW(ctx->arena, struct scaling_activity_view, page.limit);
    for (int64_t after = page.after; !page.more && scaling_next(ctx, in->resource, after, &subject); after = subject.target.service) {
        for (size_t a = 0; a < subject.target.activities.count; a++) {
            const struct kept_activity *activity = &subject.target.activities.items[a];
            struct str newest_first = arena_printf(ctx->arena, "%016llx", (unsigned long long)(INT64_MAX - activity->number));
            if ((activity->reason != NULL && in->all != OPT_TRUE) || !scaling_page_takes(&page, subject.target.service, newest_first)) { continue; }
            struct scaling_activity_view *view = &out->activities.items[out->activities.count++];
            *view = (struct scaling_activity_view){
                .id = arena_printf(ctx->arena, "%08llx-0000-4000-8000-%012llx", (unsigned long long)activity->number,
                                   (unsigned long long)subject.target.service),
                .space = SCALING_OF_ECS, .resource = subject.resource, .dimension = SCALABLE_DESIRED_COUNT, .cause = activity->cause,
                .description = arena_printf(ctx->arena, "%s %lld.", activity->reason == NULL ? "Setting desired count to" : "Attempting to scale to",
                                            (long long)activity->desired),
                .start_ms = activity->start_ms, .end_ms = activity->end_ms, .code = activity->status,
                .message = message_of(activity, ctx->arena),
            };
            if (activity->reason != NULL) { view->reasons = (struct not_scaled_reason_list){ activity->reason, 1 }; }
        }
    }
    out->next_token = scaling_page_token(ctx, &page);
    return true;
}
