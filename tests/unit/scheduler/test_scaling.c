/* test_scaling.c: the decisions of scaling: each limit from both sides, several policies, cooldowns, and that a constant load does not move the count twice. */
#include "scheduler/scaling/scaling.h"

#include <math.h>

#include "tests/unit/check.h"

#define NOW 1700000000000
#define SET(n) { n, true }
#define NONE { 0, false }

static struct scaling_history flat(double value, size_t minutes)
{
    struct scaling_history history = { .count = minutes };
    for (size_t m = 0; m < minutes; m++) { history.values[m] = value; }
    return history;
}

/* ---- target tracking ---- */

static void test_tracking(void)
{
    static const struct {
        const char *row; double target, value; size_t minutes; int64_t desired, running, out_ago_s, out_step, in_ago_s;
        bool out_only, deploys, waits, out_off, in_off; enum scaling_act act; int64_t want;
    } rows[] = {
        { "4 at 90 of 60", 60, 90, 3, 4, 4, 0, 0, 0, false, false, false, false, false, SCALING_SET, 6 },
        { "for two minutes", 60, 90, 2, 4, 4, 0, 0, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "no data", 60, 90, 0, 4, 4, 0, 0, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "at the target", 60, 60, 15, 4, 4, 0, 0, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "a little above it", 60, 61, 3, 2, 2, 0, 0, 0, false, false, false, false, false, SCALING_SET, 3 },
        { "6 at 30 of 60", 60, 30, 15, 6, 6, 0, 0, 0, false, false, false, false, false, SCALING_SET, 3 },
        { "for 14 minutes", 60, 30, 14, 6, 6, 0, 0, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "nine tenths are not low", 60, 54, 15, 10, 10, 0, 0, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "a little less is", 60, 53, 15, 10, 10, 0, 0, 0, false, false, false, false, false, SCALING_SET, 9 },
        { "low, but one task less would be too many", 60, 53, 15, 2, 2, 0, 0, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "out alone", 60, 30, 15, 6, 6, 0, 0, 0, true, false, false, false, false, SCALING_NOTHING, 0 },
        { "a deployment: not in", 60, 30, 15, 6, 6, 0, 0, 0, false, true, false, false, false, SCALING_NOTHING, 0 },
        { "a deployment: out", 60, 90, 3, 4, 4, 0, 0, 0, false, true, false, false, false, SCALING_SET, 6 },
        { "no room", 60, 90, 3, 4, 3, 0, 0, 0, false, false, true, false, false, SCALING_NO_ROOM, 6 },
        { "out is suspended", 60, 90, 3, 4, 4, 0, 0, 0, false, false, false, true, false, SCALING_NOTHING, 0 },
        { "in is suspended: out", 60, 90, 3, 4, 4, 0, 0, 0, false, false, false, false, true, SCALING_SET, 6 },
        { "in is suspended", 60, 30, 15, 6, 6, 0, 0, 0, false, false, false, false, true, SCALING_NOTHING, 0 },
        { "to the upper limit", 60, 300, 3, 4, 4, 0, 0, 0, false, false, false, false, false, SCALING_SET, 12 },
        { "at the upper limit", 60, 90, 3, 12, 12, 0, 0, 0, false, false, false, false, false, SCALING_AT_MAX, 12 },
        { "above it", 60, 90, 3, 14, 14, 0, 0, 0, false, false, false, false, false, SCALING_SET, 12 },
        { "to the lower limit", 60, 1, 15, 6, 6, 0, 0, 0, false, false, false, false, false, SCALING_SET, 2 },
        { "at the lower limit", 60, 1, 15, 2, 2, 0, 0, 0, false, false, false, false, false, SCALING_AT_MIN, 2 },
        { "tasks start: nothing more", 60, 90, 3, 6, 4, 0, 0, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "cools: the step counts", 60, 80, 3, 6, 6, 299, 2, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "cools: more than the step", 60, 90, 3, 6, 6, 299, 2, 0, false, false, false, false, false, SCALING_SET, 7 },
        { "has cooled", 60, 90, 3, 6, 6, 300, 2, 0, false, false, false, false, false, SCALING_SET, 9 },
        { "in cools: not in", 60, 30, 15, 6, 6, 0, 0, 299, false, false, false, false, false, SCALING_NOTHING, 0 },
        { "in has cooled", 60, 30, 15, 6, 6, 0, 0, 300, false, false, false, false, false, SCALING_SET, 3 },
        { "in cools: out at once", 60, 90, 3, 4, 4, 0, 0, 1, false, false, false, false, false, SCALING_SET, 6 },
        { "out cools: not in", 60, 30, 15, 6, 6, 299, 2, 0, false, false, false, false, false, SCALING_NOTHING, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct target_tracking tracking = { .target_value = SET(rows[r].target), .out_only = rows[r].out_only ? OPT_TRUE : OPT_FALSE };
        struct kept_policy policy = {
            .type = SCALING_TRACKING, .tracking = &tracking, .out_ms = rows[r].out_ago_s == 0 ? 0 : NOW - rows[r].out_ago_s * 1000,
            .out_step = rows[r].out_step, .in_ms = rows[r].in_ago_s == 0 ? 0 : NOW - rows[r].in_ago_s * 1000,
        };
        struct suspended_state suspended = { .out = rows[r].out_off ? OPT_TRUE : OPT_FALSE, .in = rows[r].in_off ? OPT_TRUE : OPT_FALSE };
        struct kept_scaling target = { .min = 2, .max = 12, .suspended = &suspended, .policies = { &policy, 1 } };
        struct scaling_sign sign = { .history = flat(rows[r].value, rows[r].minutes) };
        struct scaling_state state = { .now_ms = NOW, .minute_ms = SCALING_MINUTE_MS, .desired = rows[r].desired, .running = rows[r].running, .deploys = rows[r].deploys,
                                       .waits = rows[r].waits, .target = &target, .signs = &sign };
        struct scaling_decision decision = scaling_decide(&state);
        CHECK_EQ(rows[r].row, decision.act, rows[r].act);
        CHECK_EQ(rows[r].row, decision.desired, rows[r].want);
    }
}

/* A row of minutes that one quiet minute breaks is no row. */
static void test_rows(void)
{
    struct target_tracking tracking = { .target_value = SET(60) };
    struct kept_policy policy = { .type = SCALING_TRACKING, .tracking = &tracking };
    struct suspended_state suspended = { 0 };
    struct kept_scaling target = { .min = 1, .max = 100, .suspended = &suspended, .policies = { &policy, 1 } };
    for (size_t broken = 0; broken < SCALING_IN_MINUTES; broken++) {
        struct scaling_sign sign = { .history = flat(90, SCALING_IN_MINUTES) };
        struct scaling_state state = { .now_ms = NOW, .minute_ms = SCALING_MINUTE_MS, .desired = 4, .running = 4, .target = &target, .signs = &sign };
        sign.history.values[broken] = 60;
        CHECK_EQ("high", scaling_decide(&state).act, broken < SCALING_OUT_MINUTES ? SCALING_NOTHING : SCALING_SET);
        sign.history = flat(10, SCALING_IN_MINUTES);
        sign.history.values[broken] = 54;
        CHECK_EQ("low", scaling_decide(&state).act, SCALING_NOTHING);
    }
}

/* ---- steps ---- */

static void test_steps(void)
{
    static struct step_adjustment up[] = { { SET(0), SET(10), SET(1) }, { SET(10), NONE, SET(3) } };
    static struct step_adjustment down[] = { { SET(-10), SET(0), SET(-1) }, { NONE, SET(-10), SET(-2) } };
    static struct step_adjustment percent[] = { { SET(0), NONE, SET(25) } }, less[] = { { NONE, SET(0), SET(-25) } }, exact[] = { { SET(0), NONE, SET(5) } };
    static const struct {
        const char *row; struct step_adjustment_list steps; enum adjustment_type type; struct opt_int least; bool quiet; double breach;
        int64_t desired, out_ago_s, out_step; enum scaling_act act; int64_t want;
    } rows[] = {
        { "at the threshold", { up, 2 }, ADJUSTMENT_CHANGE, NONE, false, 0, 4, 0, 0, SCALING_SET, 5 },
        { "quiet", { up, 2 }, ADJUSTMENT_CHANGE, NONE, true, 0, 4, 0, 0, SCALING_NOTHING, 0 },
        { "below the second", { up, 2 }, ADJUSTMENT_CHANGE, NONE, false, 9.9, 4, 0, 0, SCALING_SET, 5 },
        { "at the second", { up, 2 }, ADJUSTMENT_CHANGE, NONE, false, 10, 4, 0, 0, SCALING_SET, 7 },
        { "in no interval", { up, 2 }, ADJUSTMENT_CHANGE, NONE, false, -1, 4, 0, 0, SCALING_NOTHING, 0 },
        { "down", { down, 2 }, ADJUSTMENT_CHANGE, NONE, false, -1, 4, 0, 0, SCALING_SET, 3 },
        { "down, above the second", { down, 2 }, ADJUSTMENT_CHANGE, NONE, false, -9.9, 4, 0, 0, SCALING_SET, 3 },
        { "down, at the second", { down, 2 }, ADJUSTMENT_CHANGE, NONE, false, -10, 4, 0, 0, SCALING_SET, 2 },
        { "a quarter of 8", { percent, 1 }, ADJUSTMENT_PERCENT, NONE, false, 0, 8, 0, 0, SCALING_SET, 10 },
        { "a quarter of 7", { percent, 1 }, ADJUSTMENT_PERCENT, NONE, false, 0, 7, 0, 0, SCALING_SET, 8 },
        { "a quarter of 2", { percent, 1 }, ADJUSTMENT_PERCENT, NONE, false, 0, 2, 0, 0, SCALING_SET, 3 },
        { "a quarter of 8, at least 3", { percent, 1 }, ADJUSTMENT_PERCENT, SET(3), false, 0, 8, 0, 0, SCALING_SET, 11 },
        { "a quarter of 8 less", { less, 1 }, ADJUSTMENT_PERCENT, NONE, false, -1, 8, 0, 0, SCALING_SET, 6 },
        { "exactly 5", { exact, 1 }, ADJUSTMENT_EXACT, NONE, false, 0, 9, 0, 0, SCALING_SET, 5 },
        { "exactly 5, as it is", { exact, 1 }, ADJUSTMENT_EXACT, NONE, false, 0, 5, 0, 0, SCALING_NOTHING, 0 },
        { "cools, the same step", { up, 2 }, ADJUSTMENT_CHANGE, NONE, false, 0, 5, 299, 1, SCALING_NOTHING, 0 },
        { "cools, a larger step", { up, 2 }, ADJUSTMENT_CHANGE, NONE, false, 10, 5, 299, 1, SCALING_SET, 7 },
        { "has cooled", { up, 2 }, ADJUSTMENT_CHANGE, NONE, false, 0, 5, 300, 1, SCALING_SET, 6 },
        { "once a minute", { up, 2 }, ADJUSTMENT_CHANGE, NONE, false, 10, 5, 59, 1, SCALING_NOTHING, 0 },
        { "cools: not in", { down, 2 }, ADJUSTMENT_CHANGE, NONE, false, -1, 5, 299, 1, SCALING_NOTHING, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct step_scaling scaling = { .type = rows[r].type, .steps = rows[r].steps, .least = rows[r].least };
        struct kept_policy policy = { .type = SCALING_STEP, .step = &scaling, .out_step = rows[r].out_step,
                                      .out_ms = rows[r].out_ago_s == 0 ? 0 : NOW - rows[r].out_ago_s * 1000 };
        struct suspended_state suspended = { 0 };
        struct kept_scaling target = { .min = 0, .max = 100, .suspended = &suspended, .policies = { &policy, 1 } };
        struct scaling_sign sign = { .rings = !rows[r].quiet, .breach = rows[r].breach };
        struct scaling_state state = { .now_ms = NOW, .minute_ms = SCALING_MINUTE_MS, .desired = rows[r].desired, .running = rows[r].desired, .target = &target, .signs = &sign };
        struct scaling_decision decision = scaling_decide(&state);
        CHECK_EQ(rows[r].row, decision.act, rows[r].act);
        CHECK_EQ(rows[r].row, decision.desired, rows[r].want);
    }
}

/* ---- several policies ---- */

static void test_several(void)
{
    static const struct { const char *row; double a, b; bool b_out_only; enum scaling_act act; int64_t want; } rows[] = {
        { "both out: the largest", 90, 120, false, SCALING_SET, 8 },
        { "one out, one in", 90, 10, false, SCALING_SET, 6 },
        { "one in, one at rest", 10, 60, false, SCALING_NOTHING, 0 },
        { "one in, one at rest that never scales in", 10, 60, true, SCALING_SET, 1 },
        { "both in: the largest", 30, 10, false, SCALING_SET, 2 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct target_tracking one = { .target_value = SET(60) }, two = { .target_value = SET(60), .out_only = rows[r].b_out_only ? OPT_TRUE : OPT_FALSE };
        struct kept_policy policies[] = { { .type = SCALING_TRACKING, .tracking = &one }, { .type = SCALING_TRACKING, .tracking = &two } };
        struct suspended_state suspended = { 0 };
        struct kept_scaling target = { .min = 0, .max = 100, .suspended = &suspended, .policies = { policies, 2 } };
        struct scaling_sign signs[] = { { .history = flat(rows[r].a, 15) }, { .history = flat(rows[r].b, 15) } };
        struct scaling_state state = { .now_ms = NOW, .minute_ms = SCALING_MINUTE_MS, .desired = 4, .running = 4, .target = &target, .signs = signs };
        struct scaling_decision decision = scaling_decide(&state);
        CHECK_EQ(rows[r].row, decision.act, rows[r].act);
        CHECK_EQ(rows[r].row, decision.desired, rows[r].want);
    }
}

/* ---- scheduled actions ---- */

static void test_actions(void)
{
    static const struct { const char *row; int64_t next_ms; struct opt_int min, max; bool suspended, due; int64_t want_min, want_max; } rows[] = {
        { "due", NOW, SET(3), SET(6), false, true, 3, 6 },
        { "not yet", NOW + 1, SET(3), SET(6), false, false, 2, 8 },
        { "never", 0, SET(3), SET(6), false, false, 2, 8 },
        { "suspended", NOW, SET(3), SET(6), true, false, 2, 8 },
        { "the lower limit alone", NOW, SET(8), NONE, false, true, 8, 8 },
        { "above the upper one", NOW, SET(9), NONE, false, true, 9, 9 },
        { "the upper one below the lower one", NOW, NONE, SET(1), false, true, 1, 1 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct scalable_target_action change = { rows[r].min, rows[r].max };
        struct kept_action action = { .change = &change, .next_ms = rows[r].next_ms };
        struct suspended_state suspended = { .scheduled = rows[r].suspended ? OPT_TRUE : OPT_FALSE };
        struct kept_scaling target = { .min = 2, .max = 8, .suspended = &suspended, .actions = { &action, 1 } };
        CHECK(rows[r].row, (scaling_apply_actions(&target, NOW) != NULL) == rows[r].due);
        CHECK_EQ(rows[r].row, target.min, rows[r].want_min);
        CHECK_EQ(rows[r].row, target.max, rows[r].want_max);
    }
}

/* ---- a constant load ---- */

/* Each load from each start: the count moves in one direction only, and rests in the end between 90 percent of the target and the target, or where one
 * task less would be above it. */
static void walk_load(double load, int64_t start)
{
    enum { MINUTES = 200, REST = 60 };
    struct target_tracking tracking = { .target_value = SET(60), .out_cooldown = SET(60), .in_cooldown = SET(60) };
    struct kept_policy policy = { .type = SCALING_TRACKING, .tracking = &tracking };
    struct suspended_state suspended = { 0 };
    struct kept_scaling target = { .min = 1, .max = 1000, .suspended = &suspended, .policies = { &policy, 1 } };
    struct scaling_sign sign = { 0 };
    int64_t desired = start, running = start, ups = 0, downs = 0, last = 0;
    for (int64_t minute = 1; minute <= MINUTES; minute++) {
        for (size_t m = SCALING_IN_MINUTES - 1; m > 0; m--) { sign.history.values[m] = sign.history.values[m - 1]; }
        sign.history.values[0] = load / (double)running;
        sign.history.count += sign.history.count < SCALING_IN_MINUTES;
        struct scaling_state state = { .now_ms = NOW + minute * 60000, .minute_ms = SCALING_MINUTE_MS, .desired = desired, .running = running, .target = &target, .signs = &sign };
        struct scaling_decision decision = scaling_decide(&state);
        running = desired;                   /* a change takes a minute */
        if (decision.act != SCALING_SET) { continue; }
        scaling_note(&policy, &decision, desired, state.now_ms);
        ups += decision.desired > desired;
        downs += decision.desired < desired;
        desired = decision.desired;
        last = minute;
    }
    CHECK("one direction only", ups == 0 || downs == 0);
    CHECK("it comes to rest", last < MINUTES - REST);
    CHECK("the load is carried", load / (double)desired <= 60 + 1e-6);
    CHECK("with no task too many", desired == 1 || load / (double)desired >= 54 - 1e-6 || load / (double)(desired - 1) > 60);
}

static void test_constant_load(void)
{
    for (int64_t start = 1; start <= 60; start += start < 12 ? 1 : 7) {
        for (double load = 7; load < 4000; load *= 1.17) { walk_load(load, start); }
    }
}

int main(void)
{
    test_tracking();
    test_rows();
    test_steps();
    test_several();
    test_actions();
    test_constant_load();
    return check_report();
}
