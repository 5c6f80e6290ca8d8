/* event_text.c: the texts of service events, exactly ECS's: clients look for their words. */
#include "scheduler/reconcile/reconcile.h"

/* $S the service, with its task set where it has one; $s the service alone; $d the deployment; $n a count; $u how many were unhealthy;
 * $t the tasks, a blank before each; $w the zone or the machine; $r the reason. ECS writes "1 tasks". */
static const struct str texts[EVENT_KIND_COUNT] = {
    [EVENT_STARTED] = STR_INIT("$S has started $n tasks:$t."),
    [EVENT_REPLACED] = STR_INIT("$S has started $n tasks:$t. Amazon ECS replaced $u tasks due to an unhealthy status."),
    [EVENT_STOPPED] = STR_INIT("$S has stopped $n running tasks:$t."),
    [EVENT_STOPPED_PENDING] = STR_INIT("$S stopped $n pending tasks."),
    [EVENT_FAILED_CHECKS] = STR_INIT("$s$t failed container health checks."),
    [EVENT_COMPLETED] = STR_INIT("$s (deployment $d) deployment completed."),
    [EVENT_FAILED_TO_START] = STR_INIT("$s (deployment $d) deployment failed: tasks failed to start."),
    [EVENT_FAILED] = STR_INIT("$s (deployment $d) deployment failed: $r"),
    [EVENT_ALARM] = STR_INIT("$s (deployment $d) deployment failed: alarm detected."),
    [EVENT_ROLLING_BACK] = STR_INIT("$s rolling back to deployment $d."),
    [EVENT_STEADY] = STR_INIT("$s has reached a steady state."),
    [EVENT_NO_PLACE] = STR_INIT("$s was unable to place a task because no container instance met all of its requirements. $r For more information, see the "
                                "Troubleshooting section of the Amazon ECS Developer Guide."),
    [EVENT_UNABLE] = STR_INIT("$s is unable to consistently start tasks successfully."),
    [EVENT_STUCK] = STR_INIT("$s was unable to stop or start tasks during a deployment because of the service deployment configuration. Update the "
                             "minimumHealthyPercent or maximumPercent value and try again."),
    [EVENT_PROTECTED] = STR_INIT("$s was unable to reach steady state because (taskSet $d) was unable to scale in due to (reason $n tasks under protection)"),
    [EVENT_STOPPED_FOR_ROOM] = STR_INIT("$S has stopped $n running tasks:$t. Its $r are kept for the replacement."),
    [EVENT_BACK_IN_PLACE] = STR_INIT("$s (deployment $d) deployment failed: tasks failed to start. The old revision is back in its place."),
    [EVENT_UNBALANCED] = STR_INIT("$s is not AZ balanced with $r. AZ Rebalancing in progress."),
    [EVENT_STARTED_IN_ZONE] = STR_INIT("$s has started $n tasks in $w to AZ Rebalance:$t."),
    [EVENT_STOPPED_IN_ZONE] = STR_INIT("$s has stopped $n running tasks in $w due to AZ rebalancing:$t."),
    [EVENT_BALANCED] = STR_INIT("$s is AZ balanced with $r."),
    [EVENT_ZONE_FULL] = STR_INIT("$s is unable to place a task in $w because no container instance met all of its requirements."),
    [EVENT_ZONE_PROTECTED] = STR_INIT("$s was unable to AZ Rebalance because $d was unable to scale in due to (reason $n tasks under protection)."),
    [EVENT_BALANCING_STOPPED] = STR_INIT("$s stopped AZ Rebalancing."),
    [EVENT_SOME_ROOM] = STR_INIT("$s could not launch $n tasks for deployment $d. $r"),
    [EVENT_DRAIN] = STR_INIT("$s keeps$t on draining $w: $r, minimumHealthyPercent $n."),
    [EVENT_GAVE_UP] = STR_INIT("$s was unable to place a task. Reason: $r"),
    [EVENT_NO_MACHINES] = STR_INIT("$s was unable to reach steady state. Reason: No Container Instances were found in your capacity provider."),
    [EVENT_LIMIT] = STR_INIT("$s was unable to place tasks in your cluster because the tasks provisioning capacity limit was exceeded."),
    [EVENT_THROTTLED] = STR_INIT("$s operations are being throttled. Will try again later."),
    [EVENT_COMPUTED] = STR_INIT("$s updated computedDesiredCount for taskSet $d to $n."),
    [EVENT_SET_STEADY] = STR_INIT("$S updated state to STEADY_STATE."),
};

static void put_word(struct buf *out, char letter, const struct event_words *words)
{
    switch (letter) {
    case 'S': case 's':
        buf_printf(out, "(service " STR_FMT, STR_ARG(words->service));
        if (letter == 'S' && words->of_task_set) { buf_printf(out, ", taskSet " STR_FMT, STR_ARG(words->deployment)); }
        buf_put_char(out, ')');
        break;
    case 'd': buf_put(out, words->deployment); break;
    case 'n': buf_put_i64(out, words->count); break;
    case 'u': buf_put_i64(out, words->replaced); break;
    case 'r': buf_put(out, words->reason); break;
    case 'w': buf_put(out, words->where); break;
    default:
        ASSERT(letter == 't');
        for (size_t t = 0; t < words->task_count; t++) { buf_printf(out, " (task " STR_FMT ")", STR_ARG(words->tasks[t])); }
    }
}

void event_put(struct buf *out, const struct event_words *words)
{
    ASSERT((int)words->kind >= 0 && words->kind < EVENT_KIND_COUNT && words->task_count <= EVENT_TASKS_MAX);
    struct str head, tail = texts[words->kind], rest;
    while (str_cut(tail, '$', &head, &rest)) {
        buf_put(out, head);
        put_word(out, rest.ptr[0], words);
        tail = str_slice(rest, 1, rest.len);
    }
    buf_put(out, tail);
}
