/* schedules.c: GET /berth/v1/schedules, those of EventBridge Scheduler, and GET /berth/v1/rules, those of EventBridge, with nextToken= for the next page:
 * api/schedules/show.c has the shape. */
#include "server/paths/figures.h"

#include "server/front/answers.h"

void schedules_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct api_config config;
    struct err err = { 0 };
    bool rules = str_ends_with(request->path, STR("/rules"));
    struct op_ctx ctx = front_read(front, request, caller, &config);
    bool good = api_print_schedules(&ctx, rules, query_parameter(request, STR("nextToken")), &answer->body, &err);
    if (!store_read_end(ctx.txn)) {
        answer_unreadable(front, answer);
    } else if (!good) {
        answer_refusal(front, answer, &err);
    } else {
        answer_json(front, answer);
    }
}
