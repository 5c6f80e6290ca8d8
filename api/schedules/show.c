/* show.c: schedules with their next time and their last runs, which the replies of AWS do not have. As JSON, a page of those of EventBridge Scheduler, or
 * of the rules of EventBridge:
 *
 * {"schedules":[{"name":"nightly","state":"ENABLED","expression":"rate(1 hour)","zone":"UTC",      zone of a rule: null
 *    "next":1735689600000,                    ms; null: it has no next time
 *    "runs":[{"target":"1",                   null: the one target of a schedule
 *      "began":ms,                            null: there was no run yet
 *      "left":0,"attempts":0,                 tasks that are still to be started; attempts that have failed
 *      "tasks":["arn:…"],"outcome":"started 1 tasks",
 *      "lost":ms,"lostReason":"…"}]}],        the last run that was given up; null: none was
 *  "nextToken":"…"}                           null on the last page */
#include "api/schedules/schedules.h"
#include "wire/own_json.h"

static void put_run(struct json_out *out, const struct schedule_run *run)
{
    json_open(out, '{');
    own_json_str(out, STR("target"), run->target);
    own_json_ms(out, STR("began"), run->began_ms);
    own_json_i64(out, STR("left"), run->left);
    own_json_i64(out, STR("attempts"), run->attempts);
    own_json_strs(out, STR("tasks"), &run->tasks);
    own_json_str(out, STR("outcome"), run->outcome);
    own_json_ms(out, STR("lost"), run->lost_ms);
    own_json_str(out, STR("lostReason"), run->lost);
    json_close(out, '}');
}

bool api_print_schedules(struct op_ctx *ctx, bool rules, struct str token, struct buf *text, struct err *err)
{
    const struct schedules_ask ask = { .list = rules ? "Rules" : "Schedules", .token = token, .rules = rules };
    struct json_out out = json_out_to(text);
    struct kept_schedule *schedules;
    size_t count;
    struct str next;
    if (!schedules_page(ctx, &ask, &schedules, &count, &next, err)) { return false; }
    json_open(&out, '{');
    json_key(&out, STR("schedules"));
    json_open(&out, '[');
    for (size_t s = 0; s < count; s++) {
        const struct kept_schedule *schedule = &schedules[s];
        json_open(&out, '{');
        own_json_str(&out, STR("name"), schedule->name);
        own_json_str(&out, STR("state"), enum_word(&schedule_state_names, (int)schedule->state));
        own_json_str(&out, STR("expression"), schedule->expression);
        own_json_str(&out, STR("zone"), schedule->zone);
        own_json_ms(&out, STR("next"), schedule->next_ms);
        json_key(&out, STR("runs"));
        json_open(&out, '[');
        for (size_t r = 0; r < schedule->runs.count; r++) { put_run(&out, &schedule->runs.items[r]); }
        json_close(&out, ']');
        json_close(&out, '}');
    }
    json_close(&out, ']');
    own_json_str(&out, STR("nextToken"), next);
    json_close(&out, '}');
    return true;
}
