/* Services: the arithmetic of limits, thresholds and pauses, what counts as a failure, the words of events, and rollouts step by step. */
#include "services.h"

/* ---- arithmetic ---- */
static void test_limits(void)
{
    static const struct { int64_t desired, min, max, lower, upper; } rows[] = {
        { 4, 100, 200, 4, 8 },     { 4, 50, 100, 2, 4 },  { 4, 50, 150, 2, 6 },   { 3, 50, 100, 2, 3 },  { 1, 100, 200, 1, 2 },  { 1, 0, 100, 0, 1 },
        { 10, 75, 125, 8, 12 },    { 3, 100, 110, 3, 3 }, { 1, 50, 100, 1, 1 },   { 2, 75, 100, 2, 2 },  { 3, 100, 125, 3, 3 },  { 3, 100, 133, 3, 3 },
        { 3, 100, 134, 3, 4 },     { 2, 50, 100, 1, 2 },  { 3, 67, 134, 3, 4 },   { 3, 66, 134, 2, 4 },  { 7, 30, 130, 3, 9 },   { 5, 0, 200, 0, 10 },
        { 0, 100, 200, 0, 0 },     { 1000, 100, 101, 1000, 1010 }, { 1, 0, 199, 0, 1 }, { INT32_MAX, 100, 200, INT32_MAX, 2 * (int64_t)INT32_MAX },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char row[48];
        (void)snprintf(row, sizeof row, "desired %d, %d/%d", (int)rows[r].desired, (int)rows[r].min, (int)rows[r].max);
        CHECK_EQ(row, reconcile_lower(rows[r].desired, rows[r].min), rows[r].lower);
        CHECK_EQ(row, reconcile_upper(rows[r].desired, rows[r].max), rows[r].upper);
    }
}

static void test_thresholds(void)
{
    static const int64_t desired[] = { 1, 5, 6, 7, 25, 399, 400, 401, 1000 };
    static const struct { const char *row; struct breaker breaker; int64_t want[COUNT_OF(desired)]; } rows[] = {
        { "bounded 50", { .kind = BREAKER_BOUNDED_PERCENT, .value = 50 }, { 3, 3, 3, 4, 13, 200, 200, 200, 200 } },
        { "bounded 10", { .kind = BREAKER_BOUNDED_PERCENT, .value = 10 }, { 3, 3, 3, 3, 3, 40, 40, 41, 100 } },
        { "unbounded 50", { .kind = BREAKER_UNBOUNDED_PERCENT, .value = 50 }, { 1, 3, 3, 4, 13, 200, 200, 201, 500 } },
        { "count 5", { .kind = BREAKER_COUNT, .value = 5 }, { 5, 5, 5, 5, 5, 5, 5, 5, 5 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        for (size_t d = 0; d < COUNT_OF(desired); d++) { CHECK_EQ(rows[r].row, breaker_threshold(&rows[r].breaker, desired[d]), rows[r].want[d]); }
    }
    const struct breaker unbounded = { .kind = BREAKER_UNBOUNDED_PERCENT, .value = 50 }, bounded = { .kind = BREAKER_BOUNDED_PERCENT, .value = 50 };
    CHECK_EQ("unbounded 50 of 800", breaker_threshold(&unbounded, 800), 400);
    CHECK_EQ("of no task, unbounded", breaker_threshold(&unbounded, 0), 1);
    CHECK_EQ("of no task, bounded", breaker_threshold(&bounded, 0), 3);
}

static void test_pauses(void)
{
    static const int64_t pauses[] = { 0, 0, 0, 10, 20, 40, 80, 160, 320, 640, 1280, 1620, 1620, 1620 }, crashes[] = { 0, 2, 4, 8, 16, 32, 60, 60, 60 };
    for (size_t k = 0; k < COUNT_OF(pauses); k++) {
        CHECK_EQ("pause", backoff_pause_ms((int64_t)k, false), 1000 * pauses[k]);
        CHECK_EQ("pause with the breaker", backoff_pause_ms((int64_t)k, true), 1000 * min_i64(60, pauses[k]));
    }
    for (size_t j = 0; j < COUNT_OF(crashes); j++) { CHECK_EQ("pause after a crash", backoff_crash_pause_ms((int64_t)j), 1000 * crashes[j]); }
    CHECK_EQ("after very many", backoff_pause_ms(INT64_MAX, false), 1620000);
}

static void test_ends(void)
{
    static const struct { const char *row; struct task_end end; bool in_progress; int64_t failed, unstarted, crashed, pause_ms; } rows[] = {
        { "before RUNNING",                    { END_BY_ITSELF, false, false, 0, false }, true, 1, 3, 0, 10000 },
        { "before RUNNING, completed",         { END_BY_ITSELF, false, false, 0, false }, false, 0, 3, 0, 10000 },
        { "exits at once",                     { END_BY_ITSELF, true, false, 0, false }, true, 1, 2, 1, 2000 },
        { "exits just within the limit",       { END_BY_ITSELF, true, false, CRASH_MS - 1, false }, true, 1, 2, 1, 2000 },
        { "exits at the limit",                { END_BY_ITSELF, true, false, CRASH_MS, false }, true, 1, 2, 0, 0 },
        { "exits when it was healthy",         { END_BY_ITSELF, true, true, 90000, false }, true, 0, 2, 0, 0 },
        { "fails its checks when healthy",     { END_FAILED_CHECKS, true, true, 90000, false }, true, 1, 2, 0, 0 },
        { "fails its checks within seconds",   { END_FAILED_CHECKS, true, false, 5000, false }, true, 1, 2, 0, 0 },
        { "stopped by others, starting",       { END_BY_OTHERS, false, false, 0, false }, true, 0, 2, 0, 0 },
        { "waited too long",                   { END_BY_ITSELF, false, false, 0, true }, true, 1, 3, 0, 10000 },
        { "stopped by others, it waited",      { END_BY_OTHERS, false, false, 0, true }, true, 0, 2, 0, 0 },
        { "stopped by others, RUNNING",        { END_BY_OTHERS, true, false, 5, false }, true, 0, 2, 0, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct failures failures = { .unstarted = 2 };
        failures_count_end(&failures, &rows[r].end, rows[r].in_progress, false, 1000);
        CHECK_EQ(rows[r].row, failures.failed, rows[r].failed);
        CHECK_EQ(rows[r].row, failures.unstarted, rows[r].unstarted);
        CHECK_EQ(rows[r].row, failures.crashed, rows[r].crashed);
        CHECK_EQ(rows[r].row, failures.gave_up, rows[r].end.waited && rows[r].end.cause == END_BY_ITSELF);
        CHECK_EQ(rows[r].row, failures.next_start_ms, rows[r].pause_ms == 0 ? 0 : 1000 + rows[r].pause_ms);
    }
}

static void test_words(void)
{
    static const struct str tasks[] = { STR_INIT("T1"), STR_INIT("T2") };
    static const struct { struct event_words words; const char *want; } rows[] = {
        { { .kind = EVENT_STARTED, .count = 2, .tasks = tasks, .task_count = 2 }, "(service web) has started 2 tasks: (task T1) (task T2)." },
        { { .kind = EVENT_GAVE_UP, .reason = STR_INIT("TaskFailedToStart: RESOURCE:GPU") },
          "(service web) was unable to place a task. Reason: TaskFailedToStart: RESOURCE:GPU" },
        { { .kind = EVENT_NO_MACHINES }, "(service web) was unable to reach steady state. Reason: No Container Instances were found in your capacity provider." },
        { { .kind = EVENT_LIMIT }, "(service web) was unable to place tasks in your cluster because the tasks provisioning capacity limit was exceeded." },
        { { .kind = EVENT_THROTTLED }, "(service web) operations are being throttled. Will try again later." },
        { { .kind = EVENT_STARTED, .of_task_set = true, .count = 1, .tasks = tasks, .task_count = 1 }, "(service web, taskSet ecs-svc/7) has started 1 tasks: (task T1)." },
        { { .kind = EVENT_REPLACED, .count = 1, .replaced = 1, .tasks = tasks, .task_count = 1 },
          "(service web) has started 1 tasks: (task T1). Amazon ECS replaced 1 tasks due to an unhealthy status." },
        { { .kind = EVENT_STOPPED, .count = 1, .tasks = tasks, .task_count = 1 }, "(service web) has stopped 1 running tasks: (task T1)." },
        { { .kind = EVENT_STOPPED_FOR_ROOM, .count = 1, .tasks = tasks, .task_count = 1, .reason = STR_INIT("4 GPUs") },
          "(service web) has stopped 1 running tasks: (task T1). Its 4 GPUs are kept for the replacement." },
        { { .kind = EVENT_BACK_IN_PLACE },
          "(service web) (deployment ecs-svc/7) deployment failed: tasks failed to start. The old revision is back in its place." },
        { { .kind = EVENT_STOPPED_PENDING, .count = 1 }, "(service web) stopped 1 pending tasks." },
        { { .kind = EVENT_FAILED_CHECKS, .count = 1, .tasks = tasks, .task_count = 1 }, "(service web) (task T1) failed container health checks." },
        { { .kind = EVENT_COMPLETED }, "(service web) (deployment ecs-svc/7) deployment completed." },
        { { .kind = EVENT_FAILED_TO_START }, "(service web) (deployment ecs-svc/7) deployment failed: tasks failed to start." },
        { { .kind = EVENT_FAILED, .reason = STR_INIT("R $n.") }, "(service web) (deployment ecs-svc/7) deployment failed: R $n." },
        { { .kind = EVENT_ALARM }, "(service web) (deployment ecs-svc/7) deployment failed: alarm detected." },
        { { .kind = EVENT_ROLLING_BACK }, "(service web) rolling back to deployment ecs-svc/7." },
        { { .kind = EVENT_STEADY, .of_task_set = true }, "(service web) has reached a steady state." },
        { { .kind = EVENT_NO_PLACE, .reason = STR_INIT("Reason: No Container Instances were found in your cluster.") },
          "(service web) was unable to place a task because no container instance met all of its requirements. Reason: No Container Instances were found in "
          "your cluster. For more information, see the Troubleshooting section of the Amazon ECS Developer Guide." },
        { { .kind = EVENT_UNABLE }, "(service web) is unable to consistently start tasks successfully." },
        { { .kind = EVENT_STUCK }, "(service web) was unable to stop or start tasks during a deployment because of the service deployment configuration. Update the "
                                   "minimumHealthyPercent or maximumPercent value and try again." },
        { { .kind = EVENT_PROTECTED, .count = 2 },
          "(service web) was unable to reach steady state because (taskSet ecs-svc/7) was unable to scale in due to (reason 2 tasks under protection)" },
        { { .kind = EVENT_UNBALANCED, .reason = STR_INIT("2 tasks in a, 0 in b") },
          "(service web) is not AZ balanced with 2 tasks in a, 0 in b. AZ Rebalancing in progress." },
        { { .kind = EVENT_STARTED_IN_ZONE, .count = 1, .tasks = tasks, .task_count = 1, .where = STR_INIT("b") },
          "(service web) has started 1 tasks in b to AZ Rebalance: (task T1)." },
        { { .kind = EVENT_STOPPED_IN_ZONE, .count = 1, .tasks = tasks, .task_count = 1, .where = STR_INIT("a") },
          "(service web) has stopped 1 running tasks in a due to AZ rebalancing: (task T1)." },
        { { .kind = EVENT_BALANCED, .reason = STR_INIT("1 tasks in a, 1 tasks in b") }, "(service web) is AZ balanced with 1 tasks in a, 1 tasks in b." },
        { { .kind = EVENT_ZONE_FULL, .where = STR_INIT("b") },
          "(service web) is unable to place a task in b because no container instance met all of its requirements." },
        { { .kind = EVENT_ZONE_PROTECTED, .count = 2 },
          "(service web) was unable to AZ Rebalance because ecs-svc/7 was unable to scale in due to (reason 2 tasks under protection)." },
        { { .kind = EVENT_SOME_ROOM, .count = 2, .reason = STR_INIT("The closest matching (container-instance I) has insufficient memory available.") },
          "(service web) could not launch 2 tasks for deployment ecs-svc/7. The closest matching (container-instance I) has insufficient memory available." },
        { { .kind = EVENT_DRAIN, .count = 100, .tasks = tasks, .task_count = 1, .where = STR_INIT("node-a"),
            .reason = STR_INIT("needs 2 GPUs elsewhere, largest free slot 1") },
          "(service web) keeps (task T1) on draining node-a: needs 2 GPUs elsewhere, largest free slot 1, minimumHealthyPercent 100." },
        { { .kind = EVENT_BALANCING_STOPPED }, "(service web) stopped AZ Rebalancing." },
        { { .kind = EVENT_COMPUTED, .count = 3 }, "(service web) updated computedDesiredCount for taskSet ecs-svc/7 to 3." },
        { { .kind = EVENT_SET_STEADY, .of_task_set = true }, "(service web, taskSet ecs-svc/7) updated state to STEADY_STATE." },
    };
    struct arena arena;
    bool tested[EVENT_KIND_COUNT] = { false };
    arena_init(&arena, 1 << 20);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct event_words words = rows[r].words;
        struct buf out = buf_in(&arena);
        words.service = STR("web");
        words.deployment = STR("ecs-svc/7");
        event_put(&out, &words);
        CHECK_STR("words", buf_str(&out), str_from(rows[r].want));
        tested[words.kind] = true;
    }
    for (size_t k = 0; k < EVENT_KIND_COUNT; k++) { CHECK("each kind has its row", tested[k]); }
    arena_finish(&arena);
}

/* ---- rollouts ---- */
static struct fleet_of_one fleet;

static void open_steady(const char *row, int64_t desired, int64_t min, int64_t max)
{
    fleet_open(&fleet, row, desired, min, max);
    (void)fleet_settle(&fleet);
    CHECK_EQ(row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
    CHECK_EQ(row, fleet.state.act, ACT_SUCCESSFUL);
}

/* The first step of an update of a steady service. */
static void test_first_moves(void)
{
    static const struct { const char *row; int64_t desired, min, max, starts, stops; } rows[] = {
        { "4 100/200", 4, 100, 200, 4, 0 }, { "4 50/100", 4, 50, 100, 0, 2 },  { "4 50/150", 4, 50, 150, 2, 2 },  { "3 50/100", 3, 50, 100, 0, 1 },
        { "1 100/200", 1, 100, 200, 1, 0 }, { "1 0/100", 1, 0, 100, 0, 1 },    { "10 75/125", 10, 75, 125, 2, 2 }, { "3 100/110", 3, 100, 110, 0, 0 },
        { "1 50/100", 1, 50, 100, 0, 0 },   { "3 67/134", 3, 67, 134, 1, 0 },  { "7 30/130", 7, 30, 130, 2, 4 },  { "5 0/100", 5, 0, 100, 0, 5 },
        { "5 0/200", 5, 0, 200, 5, 5 },     { "0 100/200", 0, 100, 200, 0, 0 }, { "50 100/104", 50, 100, 104, 2, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_steady(rows[r].row, rows[r].desired, rows[r].min, rows[r].max);
        fleet_update(&fleet);
        fleet_step(&fleet);
        CHECK_EQ(rows[r].row, fleet_started(&fleet), rows[r].starts);
        CHECK_EQ(rows[r].row, fleet.plan.stop_count, rows[r].stops);
        CHECK_EQ(rows[r].row, fleet.completed, rows[r].desired == 0);
        (void)fleet_settle(&fleet);
        fleet_close(&fleet);
    }
}

static void test_healthy_after(void)
{
    open_steady("40 s of RUNNING", 1, 100, 200);
    fleet_update(&fleet);
    fleet_step(&fleet);
    fleet_pass(&fleet, HEALTHY_AFTER_MS - 1);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 0);
    CHECK_EQ(fleet.row, fleet.plan.wake_ms, fleet.state.now_ms + 1);
    fleet.state.now_ms++;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 1);
    fleet_close(&fleet);
}

static void test_changes(void)
{
    open_steady("more desired in a rollout", 4, 100, 200);
    fleet_update(&fleet);
    fleet_step(&fleet);
    fleet.state.desired = 8;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 4);
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet_count(&fleet).healthy_new, 8);
    fleet_close(&fleet);

    open_steady("fewer desired in a rollout", 8, 50, 100);
    fleet_update(&fleet);
    fleet_step(&fleet);
    fleet_pass(&fleet, 1);
    fleet_step(&fleet);
    fleet_pass(&fleet, HEALTHY_AFTER_MS);
    CHECK_EQ(fleet.row, fleet_count(&fleet).healthy_new, 4);
    fleet.state.desired = 2;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 6);               /* two new ones and the four old ones: two healthy new ones stay */
    CHECK_EQ(fleet.row, fleet_count(&fleet).live_new, 2);
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet.state.deployment_count, 1);
    fleet_close(&fleet);

    open_steady("a newer update in a rollout", 2, 100, 200);
    fleet_update(&fleet);
    fleet_step(&fleet);
    fleet_update(&fleet);
    CHECK_EQ(fleet.row, fleet.state.deployment_count, 3);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 2);               /* starting ones of the second */
    CHECK_EQ(fleet.row, fleet_started(&fleet), 0);               /* they are leaving: the upper limit is full */
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet.state.deployment_count, 1);
    CHECK_EQ(fleet.row, fleet.deployments[0].digits, 3);
    fleet_close(&fleet);

    open_steady("a stopped task of a steady service", 2, 100, 200);
    fleet_end(&fleet, 0, END_BY_OTHERS);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_STEADY], 2);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_COMPLETED], 1);
    fleet.state.closing = true;
    fleet_step(&fleet);
    CHECK_EQ("closing", fleet.plan.stop_count, 2);
    fleet_close(&fleet);
}

static void test_six_hours(void)
{
    open_steady("steady for 12 hours", 2, 100, 200);
    int64_t since = fleet.state.marks[MARK_STEADY];
    static const struct { int64_t after; int64_t seen; } rows[] = { { EVENT_MARK_MS - 1, 1 }, { EVENT_MARK_MS, 2 }, { 2 * (int64_t)EVENT_MARK_MS, 3 } };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        fleet.state.now_ms = since + rows[r].after;
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet.seen[EVENT_STEADY], rows[r].seen);
    }
    fleet.state.now_ms = since;
    fleet_step(&fleet);
    CHECK_EQ("the clock was set back", fleet.seen[EVENT_STEADY], 3);
    CHECK_EQ("the clock was set back", fleet.plan.wake_ms, fleet.state.now_ms + EVENT_MARK_MS);
    fleet_close(&fleet);

    open_steady("stuck", 3, 100, 125);
    fleet_update(&fleet);
    for (int n = 0; n < 5; n++, fleet.state.now_ms += MINUTE_MS) { fleet_step(&fleet); }
    CHECK_EQ(fleet.row, fleet.seen[EVENT_STUCK], 1);
    fleet.state.max_percent = 134;
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
    CHECK_EQ(fleet.row, fleet.state.marks[MARK_STUCK], 0);
    fleet_close(&fleet);
}

/* A dead old task in a rollout starts again only up to the lower limit, and only when starting and warming ones do not fill it. */
static void test_dead_old_task(void)
{
    open_steady("a dead old task", 4, 50, 100);
    fleet_update(&fleet);
    fleet_step(&fleet);
    fleet_pass(&fleet, 1);
    fleet.slots = 3;
    fleet_step(&fleet);                                           /* one new one starts; a second has no room */
    CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
    for (size_t t = 0; t < fleet.state.task_count; t++) {
        if (fleet.tasks[t].deployment != fleet_primary(&fleet)) { fleet_end(&fleet, t, END_BY_ITSELF); break; }
    }
    fleet.slots = 1000;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 2);
    CHECK_EQ("the new one first", fleet.plan.starts[0].count, 1 + 1);
    fleet_close(&fleet);

    open_steady("a dead old task of a stalled service", 2, 100, 200);
    fleet.state.breaker.enabled = true;
    fleet_update(&fleet);
    fleet.deployments[1].failures.failed = 3;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_FAILED);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 0);
    fleet_end(&fleet, 0, END_BY_ITSELF);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
    CHECK_EQ(fleet.row, fleet.plan.starts[0].deployment, 0);
    fleet_close(&fleet);
}

/* ---- failures ---- */
/* Each start fails before RUNNING, with steps at the planned times. Returns the number of starts within the time. */
static int64_t fail_starts(int64_t ms)
{
    int64_t starts = 0, until = fleet.state.now_ms + ms;
    while (fleet.state.now_ms <= until) {
        fleet_step(&fleet);
        starts += fleet_started(&fleet);
        bool failed = false;
        for (size_t t = fleet.state.task_count; t-- > 0;) {
            bool starting = !fleet.tasks[t].running && !fleet.tasks[t].leaving;
            if (starting && fleet.tasks[t].deployment == fleet_primary(&fleet)) { fleet_end(&fleet, t, END_BY_ITSELF); failed = true; }
        }
        if (failed) { continue; }
        if (fleet.plan.wake_ms == 0) { break; }
        fleet.state.now_ms = fleet.plan.wake_ms;
    }
    return starts;
}

static void test_breaker(void)
{
    static const struct { const char *row; bool first, rollback; enum act act; enum rollout rollout; int64_t digits; } rows[] = {
        { "the breaker", false, false, ACT_STOPPED, ROLLOUT_FAILED, 2 },
        { "the breaker with rollback", false, true, ACT_ROLLBACK_SUCCESSFUL, ROLLOUT_COMPLETED, 1 },
        { "the breaker with rollback, first deployment", true, true, ACT_ROLLBACK_FAILED, ROLLOUT_FAILED, 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (rows[r].first) {
            fleet_open(&fleet, rows[r].row, 1, 100, 200);
        } else {
            open_steady(rows[r].row, 1, 100, 200);
            fleet_update(&fleet);
        }
        fleet.state.breaker.enabled = true;
        fleet.state.breaker.rollback = rows[r].rollback;
        CHECK_EQ(rows[r].row, fail_starts(10 * MINUTE_MS), 3);
        CHECK_EQ(rows[r].row, fleet.seen[EVENT_FAILED_TO_START], 1);
        CHECK_EQ(rows[r].row, fleet.seen[EVENT_ROLLING_BACK], rows[r].act == ACT_ROLLBACK_SUCCESSFUL);
        CHECK_EQ(rows[r].row, fleet.state.act, rows[r].act);
        CHECK_EQ(rows[r].row, fleet_rollout(&fleet), rows[r].rollout);
        CHECK_EQ(rows[r].row, fleet.deployments[fleet_primary(&fleet)].digits, rows[r].digits);
        fleet_close(&fleet);
    }
}

static void test_reset(void)
{
    for (int reset = 0; reset <= 1; reset++) {
        open_steady(reset ? "a healthy task resets" : "a healthy task does not reset", 7, 100, 200);
        fleet.state.breaker.enabled = true;
        fleet.state.breaker.reset_on_healthy = reset;
        fleet_update(&fleet);
        fleet_step(&fleet);
        fleet.deployments[1].failures.failed = 3;
        fleet_running(&fleet, fleet.state.task_count - 1);
        fleet.state.now_ms += HEALTHY_AFTER_MS;
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet.deployments[1].failures.failed, reset ? 0 : 3);
        fleet.deployments[1].failures.failed++;
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet_rollout(&fleet), reset ? ROLLOUT_IN_PROGRESS : ROLLOUT_FAILED);
        fleet_close(&fleet);
    }
    open_steady("the threshold follows the count", 1, 100, 200);
    fleet.state.breaker.enabled = true;
    fleet_update(&fleet);
    fleet.deployments[1].failures.failed = 3;
    fleet.state.desired = 100;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_IN_PROGRESS);
    fleet_close(&fleet);
}

static void test_backoff(void)
{
    for (int breaker = 0; breaker <= 1; breaker++) {
        fleet_open(&fleet, breaker ? "two hours with the breaker" : "two hours without the breaker", 1, 100, 200);
        fleet.state.breaker = (struct breaker){ .enabled = breaker, .kind = BREAKER_COUNT, .value = 500 };
        int64_t starts = fail_starts(120 * MINUTE_MS);
        CHECK_EQ(fleet.row, starts, breaker ? 124 : 13);
        CHECK_EQ(fleet.row, fleet.seen[EVENT_UNABLE], 1);
        CHECK_EQ(fleet.row, fleet.deployments[0].failures.failed, starts);
        CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_IN_PROGRESS);
        (void)fail_starts(4 * 60 * MINUTE_MS + 30 * MINUTE_MS);
        CHECK_EQ(fleet.row, fleet.seen[EVENT_UNABLE], 2);
        fleet_close(&fleet);
    }
    fleet_open(&fleet, "one probe at a time", 5, 100, 200);
    fleet.deployments[0].failures = (struct failures){ .unstarted = 3, .next_start_ms = FLEET_START_MS + 1 };
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 0);
    CHECK_EQ(fleet.row, fleet.plan.wake_ms, FLEET_START_MS + 1);
    fleet.state.now_ms++;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
    fleet_pass(&fleet, 1);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 4);
    fleet_close(&fleet);
}

static void test_crash_loop(void)
{
    fleet_open(&fleet, "a crash loop", 1, 100, 200);
    for (int n = 1; n <= 10; n++) {
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
        fleet_pass(&fleet, 2000);
        fleet_end(&fleet, 0, END_BY_ITSELF);
        int64_t pause = fleet.deployments[0].failures.next_start_ms - fleet.state.now_ms;
        CHECK_EQ(fleet.row, pause, backoff_crash_pause_ms(n));
        fleet.state.now_ms += pause - 1;
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet_started(&fleet), 0);
        fleet.state.now_ms++;
    }
    CHECK_EQ(fleet.row, fleet.deployments[0].failures.failed, 10);
    fleet_close(&fleet);
}

/* stop-first: before the one task stops that can make room, its machine pulls. */
static void test_room_after_pull(void)
{
    static const struct { const char *row; enum task_pull pull; int64_t asked_ms; bool asks, stops; } rows[] = {
        { "a machine that pulls no image early", PULL_NONE, 0, false, true },
        { "it was not asked yet", PULL_CAN, 0, true, false },
        { "asked just now", PULL_ASKED, 0, false, false },
        { "just within the time", PULL_ASKED, PULL_WAIT_MS - 1, false, false },
        { "the time is over", PULL_ASKED, PULL_WAIT_MS, false, true },
        { "the pull has ended", PULL_ENDED, 0, false, true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_steady(rows[r].row, 1, 100, 200);
        fleet.state.stops_first = 1;
        fleet.slots = 1;
        fleet.state.now_ms += PULL_WAIT_MS;
        fleet_update(&fleet);
        fleet.pulls[fleet.tasks[0].instance].pull = rows[r].pull;
        fleet.pulls[fleet.tasks[0].instance].asked_ms = fleet.state.now_ms - rows[r].asked_ms;
        fleet_step(&fleet);
        CHECK_EQ(rows[r].row, fleet.plan.stop_count, rows[r].stops);
        CHECK_EQ(rows[r].row, fleet.plan.pull == 0, rows[r].asks);
        int64_t left_ms = PULL_WAIT_MS - rows[r].asked_ms;
        CHECK(rows[r].row, rows[r].stops || (fleet.plan.wake_ms > fleet.state.now_ms && fleet.plan.wake_ms <= fleet.state.now_ms + left_ms));
        fleet.state.now_ms += 5 * MINUTE_MS;
        if (!rows[r].stops && left_ms > 5 * MINUTE_MS) { fleet_step(&fleet); }
        CHECK_EQ(rows[r].row, fleet.deployments[fleet_primary(&fleet)].failures.failed, 0);
        fleet_close(&fleet);
    }
}

/* One of two machines pulls: its task is the one that stops, unless it cannot any more. */
static void test_choice_while_pulling(void)
{
    static const struct { const char *row; enum task_pull pull; enum task_machine machine; bool is_gone, is_protected; uint32_t asks, stops; } rows[] = {
        { "the pull goes on", PULL_ASKED, MACHINE_READY, false, false, NO_TASK, NO_TASK },
        { "it has ended", PULL_ENDED, MACHINE_READY, false, false, NO_TASK, 0 },
        { "the machine drains", PULL_ASKED, MACHINE_DRAINING, false, false, 1, NO_TASK },
        { "the task is protected now", PULL_ASKED, MACHINE_READY, false, true, 1, NO_TASK },
    };
    for (size_t r = 0; r < 2 * COUNT_OF(rows); r++) {
        const char *row = rows[r / 2].row;
        uint32_t own = (uint32_t)(r % 2), other = 1 - own;                    /* whichever of the two comes first in the order of stops */
        open_steady(row, 2, 100, 200);
        fleet.state.stops_first = 1;
        fleet.slots = 2;
        fleet_update(&fleet);
        fleet.pulls[fleet.tasks[own].instance].pull = rows[r / 2].pull;
        fleet.pulls[fleet.tasks[own].instance].asked_ms = fleet.state.now_ms;
        fleet.pulls[fleet.tasks[other].instance].pull = PULL_CAN;
        fleet.tasks[own].machine = rows[r / 2].machine;
        fleet.tasks[own].protected_until_ms = rows[r / 2].is_protected ? INT64_MAX : 0;
        fleet_step(&fleet);
        uint32_t asks = rows[r / 2].asks == NO_TASK ? NO_TASK : other;
        CHECK_EQ(row, fleet.plan.pull, asks);
        CHECK_EQ(row, fleet.plan.stop_count, rows[r / 2].stops != NO_TASK);
        CHECK(row, fleet.plan.stop_count == 0 || fleet.plan.stops[0].task == own);
        fleet_close(&fleet);
    }
}

static void test_no_room(void)
{
    for (int waits = 0; waits <= 1; waits++) {
        open_steady(waits ? "no room, waits" : "no room", 1, 100, 200);
        fleet.state.breaker = (struct breaker){ .enabled = true, .rollback = true, .kind = BREAKER_BOUNDED_PERCENT, .value = 50 };
        fleet.state.waits_for_room = waits;
        fleet.slots = 1;
        fleet_update(&fleet);
        int64_t start = fleet.state.now_ms;
        static const struct { int64_t after; int64_t failed, unable; } rows[] = { { 0, 0, 0 }, { MINUTE_MS - 1, 0, 0 }, { MINUTE_MS, 1, 1 }, { 2 * MINUTE_MS, 2, 1 } };
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            fleet.state.now_ms = start + rows[r].after;
            fleet_step(&fleet);
            CHECK_EQ(fleet.row, fleet.deployments[1].failures.failed, waits ? 0 : rows[r].failed);
            CHECK_EQ(fleet.row, fleet.seen[EVENT_NO_PLACE], waits ? 0 : rows[r].unable);
        }
        fleet.state.now_ms = start + 3 * MINUTE_MS;
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet.deployments[fleet_primary(&fleet)].digits, waits ? 2 : 1);
        fleet.slots = 10;
        (void)fleet_settle(&fleet);
        CHECK_EQ(fleet.row, fleet.state.act, waits ? ACT_SUCCESSFUL : ACT_ROLLBACK_SUCCESSFUL);
        fleet_close(&fleet);
    }
}

/* ---- health, protection, zones, machines ---- */
static void test_unhealthy(void)
{
    open_steady("unhealthy, room for a replacement", 1, 100, 200);
    fleet.state.grace_ms = fleet.state.now_ms - fleet.tasks[0].running_since_ms + 1000;
    fleet.tasks[0].health = HEALTH_BAD;
    fleet_step(&fleet);
    CHECK_EQ("in its grace", fleet_started(&fleet) + (int64_t)fleet.plan.stop_count, 0);
    CHECK_EQ("in its grace", fleet.plan.wake_ms, fleet.state.now_ms + 1000);
    fleet.state.now_ms += 1000;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_REPLACED], 1);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 0);
    fleet_pass(&fleet, HEALTHY_AFTER_MS);
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 1);
    CHECK_EQ(fleet.row, fleet.plan.stops[0].why, STOP_UNHEALTHY);
    CHECK_EQ(fleet.row, fleet.plan.events[0].kind, EVENT_FAILED_CHECKS);
    CHECK_EQ(fleet.row, fleet.plan.events[1].kind, EVENT_STOPPED);
    fleet_close(&fleet);

    open_steady("unhealthy, one at a time", 2, 50, 100);
    fleet.tasks[0].health = fleet.tasks[1].health = HEALTH_BAD;
    for (int n = 0; n < 2; n++) {
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet.plan.stop_count, 1);
        CHECK_EQ(fleet.row, fleet_count(&fleet).live, 1);
        fleet_pass(&fleet, 1);
        fleet_step(&fleet);
        CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
        fleet_pass(&fleet, HEALTHY_AFTER_MS);
    }
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.steady, true);
    fleet_close(&fleet);
}

static void test_protection(void)
{
    open_steady("one of three is protected", 3, 100, 200);
    int64_t until = fleet.tasks[0].protected_until_ms = fleet.state.now_ms + 60 * MINUTE_MS;
    fleet_update(&fleet);
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet_count(&fleet).live, 4);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_PROTECTED], 1);
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_IN_PROGRESS);
    CHECK_EQ(fleet.row, fleet.plan.wake_ms, until);
    fleet.state.now_ms = until;
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet_rollout(&fleet), ROLLOUT_COMPLETED);
    fleet_close(&fleet);
}

static void test_zones(void)
{
    static const struct { const char *row; int64_t zones[2]; bool spread; int64_t desired; int64_t want[2]; } rows[] = {
        { "one of 2 and 2", { 2, 2 }, false, 3, { 2, 1 } }, { "two of 2 and 2", { 2, 2 }, false, 2, { 1, 1 } },
        { "one of 3 and 1", { 3, 1 }, false, 3, { 2, 1 } }, { "three of 5 and 1", { 5, 1 }, false, 3, { 2, 1 } },
        { "the zone counts before the instance", { 3, 2 }, true, 4, { 2, 2 } }, { "… and then both", { 4, 3 }, true, 4, { 2, 2 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        open_steady(rows[r].row, rows[r].zones[0] + rows[r].zones[1], 100, 200);
        for (size_t t = 0; t < fleet.state.task_count; t++) {
            fleet.tasks[t].zone = (int64_t)t >= rows[r].zones[0];
            fleet.tasks[t].instance = fleet.tasks[t].zone == 1 ? 5 : rows[r].spread ? (uint32_t)t : 0;       /* spread: one each in the first zone */
        }
        fleet.state.desired = rows[r].desired;
        fleet_step(&fleet);
        int64_t live[2] = { 0, 0 };
        for (size_t t = 0; t < fleet.state.task_count; t++) { live[fleet.tasks[t].zone] += fleet_live(&fleet.tasks[t]); }
        CHECK_EQ(rows[r].row, max_i64(live[0], live[1]), max_i64(rows[r].want[0], rows[r].want[1]));
        CHECK_EQ(rows[r].row, live[0] + live[1], rows[r].want[0] + rows[r].want[1]);
        fleet_close(&fleet);
    }
}

static void test_instances(void)
{
    static const uint32_t on[] = { 0, 0, 0, 1, 2 };
    open_steady("the fullest instance", 5, 100, 200);
    for (size_t t = 0; t < COUNT_OF(on); t++) { fleet.tasks[t].instance = on[t]; }
    fleet.state.desired = 3;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 2);
    for (size_t s = 0; s < fleet.plan.stop_count; s++) { CHECK_EQ(fleet.row, fleet.tasks[fleet.plan.stops[s].task].instance, 0); }
    fleet_close(&fleet);
}

static void test_machines(void)
{
    open_steady("a draining machine", 2, 100, 200);
    fleet_end(&fleet, 1, END_BY_OTHERS);
    fleet_step(&fleet);
    for (size_t t = 0; t < 2; t++) { fleet.tasks[t].machine = MACHINE_DRAINING; }
    fleet.draining[fleet.tasks[0].instance] = fleet.draining[fleet.tasks[1].instance] = true;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count, 1);
    CHECK("the starting one stops at once", !fleet.tasks[fleet.plan.stops[0].task].running);
    (void)fleet_settle(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.steady, true);
    CHECK_EQ(fleet.row, fleet_count(&fleet).draining, 0);
    fleet_close(&fleet);

    open_steady("a draining machine, no room in the limits", 3, 100, 125);
    fleet.tasks[0].machine = MACHINE_DRAINING;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.stop_count + fleet.plan.start_count, 0);
    CHECK_EQ(fleet.row, fleet.seen[EVENT_STUCK], 1);
    fleet.tasks[0].machine = MACHINE_READY;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet.plan.steady, true);
    fleet_close(&fleet);

    open_steady("a lost machine", 2, 100, 100);
    fleet.tasks[0].machine = MACHINE_LOST;
    fleet_step(&fleet);
    CHECK_EQ(fleet.row, fleet_started(&fleet), 1);
    fleet_close(&fleet);
}

static void test_strategies(void)
{
    fleet_open(&fleet, "strategies", 1, 100, 200);
    for (int s = 0; s < ROLLOUT_STRATEGY_COUNT; s++) {
        fleet.state.strategy = (enum rollout_strategy)s;
        fleet.state.traffic.begun_ms = FLEET_START_MS;
        CHECK_EQ(fleet.row, reconcile(&fleet.state, &fleet.arena, &fleet.plan), true);
        fleet.state.traffic.begun_ms = 0;
        CHECK_EQ("without its rollout", reconcile(&fleet.state, &fleet.arena, &fleet.plan), s <= ROLLOUT_EXTERNAL);
    }
    fleet_close(&fleet);
}

int main(void)
{
    test_limits();
    test_thresholds();
    test_pauses();
    test_ends();
    test_words();
    test_first_moves();
    test_healthy_after();
    test_changes();
    test_six_hours();
    test_dead_old_task();
    test_breaker();
    test_reset();
    test_backoff();
    test_crash_loop();
    test_no_room();
    test_room_after_pull();
    test_choice_while_pulling();
    test_unhealthy();
    test_protection();
    test_zones();
    test_instances();
    test_machines();
    test_strategies();
    return check_report();
}
