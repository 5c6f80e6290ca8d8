/* Fit to lead: how long commits may be slow, how far a clock may be off, and what the others have, with both sides of each limit. */
#include "ha/fitness.h"
#include "ha/others.h"
#include "tests/unit/check.h"

#include <stdio.h>

static void commit(struct fitness *fitness, int64_t begin_ms, int64_t took_ms)
{
    fitness_commit_begins(fitness, begin_ms);
    fitness_commit_ends(fitness, begin_ms + took_ms);
}

static void test_disk(void)
{
    struct fitness fitness = { 0 };
    CHECK("at first", !fitness_is_slow(&fitness, 1000000));
    for (int64_t t = 0; t < 60000; t += 1000) { commit(&fitness, t, 1000); }
    CHECK("a second each is well", !fitness_is_slow(&fitness, 60000));
    commit(&fitness, 60000, 1001);
    CHECK("one that is slower", !fitness_is_slow(&fitness, 69999));
    CHECK("and nothing better for ten seconds", fitness_is_slow(&fitness, 70000));
    commit(&fitness, 70000, 1000);
    CHECK("until one is quick", !fitness_is_slow(&fitness, 70000));
    fitness_commit_begins(&fitness, 80000);
    CHECK("one that goes on", !fitness_is_slow(&fitness, 89999) && fitness_is_slow(&fitness, 90000));
    fitness_commit_ends(&fitness, 90000);
    commit(&fitness, 90000, 1);
    CHECK("its end", !fitness_is_slow(&fitness, 200000));
    fitness_commit_ends(&fitness, 300000);
    CHECK("an end without a beginning says nothing", !fitness_is_slow(&fitness, 300000));
}

static void test_clock(void)
{
    static const struct { const char *name; int64_t date_ms[3]; int64_t off_ms; } cases[] = {
        { "the log has no clock", { 0, 0, 0 }, 0 },
        { "the same second", { 999500, 999500, 999500 }, 0 },
        { "ahead", { 939500, 939500, 0 }, 60000 },
        { "behind", { 0, 0, 1059500 }, -60000 },
        { "one of three is wrong", { 999500, 5000, 999500 }, 0 },
        { "in any order", { 5000, 999500, 9999500 }, 0 },
    };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        struct ha_health health = { .count = 3 };
        struct fitness fitness = { .off_ms = 7 };
        for (size_t e = 0; e < 3; e++) {
            health.endpoints[e].date_ms = cases[c].date_ms[e];
            health.endpoints[e].answers = true;
        }
        fitness_clock(&fitness, &health, 1000000);
        CHECK_EQ(cases[c].name, fitness.off_ms, cases[c].off_ms);
        for (size_t e = 0; e < 3; e++) { health.endpoints[e].answers = false; }
        fitness_clock(&fitness, &health, 1000000);
        CHECK_EQ("nobody answers", fitness.off_ms, 0);
    }
    struct fitness fitness = { .off_ms = FITNESS_OFF_MOST_MS };
    CHECK("at the limit", !fitness_clock_is_off(&fitness, FITNESS_OFF_MOST_MS));
    fitness.off_ms++;
    CHECK("beyond it", fitness_clock_is_off(&fitness, FITNESS_OFF_MOST_MS));
    fitness.off_ms = -FITNESS_OFF_MOST_MS;
    CHECK("the other way", !fitness_clock_is_off(&fitness, FITNESS_OFF_MOST_MS));
    fitness.off_ms--;
    CHECK("and beyond", fitness_clock_is_off(&fitness, FITNESS_OFF_MOST_MS));
}

/* ---- another member ---- */

static struct ha_member written[HA_MEMBERS_MAX];
static size_t written_count;
static enum ha_end answer;

static enum ha_end members(struct ha_engine *engine, struct ha_member *list, size_t *count, int64_t until_ms)
{
    (void)engine;
    (void)until_ms;
    memcpy(list, written, sizeof written);
    *count = written_count;
    return answer;
}

static void test_other(void)
{
    static const struct ha_engine_ops ops = { .members = members };
    struct ha_engine engine = { &ops };
    struct ha_member mine = { .name = "m1", .durable = 5000 };
    written[0] = mine;
    written_count = 1;
    CHECK("alone", !others_can_lead(&engine, &mine, 0));
    written[1] = (struct ha_member){ .name = "m2", .durable = 3999 };
    written_count = 2;
    CHECK("one that is far behind", !others_can_lead(&engine, &mine, 0));
    written[1].durable = 4000;
    CHECK("one that is near", others_can_lead(&engine, &mine, 0));
    int64_t below = 0;
    CHECK("what may go", others_trim_point(&engine, 50000, &below, 0));
    CHECK_EQ("below what all have", below, 4000 - OTHERS_KEPT);
    CHECK("of all that the leader has", others_trim_point(&engine, 3000, &below, 0));
    CHECK_EQ("at most", below, 3000 - OTHERS_KEPT);
    written_count = 1;
    CHECK("alone", others_trim_point(&engine, 50000, &below, 0));
    CHECK_EQ("nearly all stays", below, 50000 - OTHERS_KEPT_ALONE);
    struct others others = { 0 };
    others_look(&others, &engine, &mine, 1);
    CHECK("one that was always alone is not told", !others.had && others.told_ms == 0);
    written_count = 2;
    others_look(&others, &engine, &mine, 2);
    CHECK("one that keeps up", others.had && others.told_ms == 0);
    written_count = 1;
    others_look(&others, &engine, &mine, 10);
    CHECK_EQ("it is gone, and the log says so", others.told_ms, 10);
    others_look(&others, &engine, &mine, 60009);
    CHECK_EQ("for a minute", others.told_ms, 10);
    others_look(&others, &engine, &mine, 60010);
    CHECK_EQ("and again", others.told_ms, 60010);
    answer = HA_UNKNOWN;
    others_look(&others, &engine, &mine, 200000);
    CHECK_EQ("no answer tells nothing", others.told_ms, 60010);
    answer = HA_DONE;
    written_count = 2;
    others_look(&others, &engine, &mine, 200001);
    CHECK_EQ("it is back", others.told_ms, 0);
    answer = HA_UNKNOWN;
    CHECK("no answer", !others_can_lead(&engine, &mine, 0) && !others_trim_point(&engine, 50000, &below, 0));
}

int main(void)
{
    test_disk();
    test_clock();
    test_other();
    return check_report();
}
