/* test_reserve.c: where a large task can start first, how much may be kept, who may start before, and random sites beside a search through all times. */
#include "scheduler/queue/reserve.h"

#include "base/rng.h"
#include "tests/unit/check.h"

#define NOW 1700000000000
#define NEVER INT64_MAX
enum { OCCUPANTS_MAX = 8 };

/* A site of eight GPUs on which tasks with whole ones run, in order of their ends. */
struct build { struct site site; struct occupant occupants[OCCUPANTS_MAX]; };

static void build_site(struct build *build)
{
    *build = (struct build){ .site = { .room = { .cpu = 96, .memory_mib = 96, .count = 8 } } };
    for (uint32_t d = 0; d < 8; d++) { build->site.room.free[d] = DEVICE_WHOLE; }
    build->site.occupants = build->occupants;
}

static void add_task(struct build *build, int32_t devices, int32_t share, int64_t ends_ms)
{
    struct occupant *occupant = &build->occupants[build->site.count];
    *occupant = (struct occupant){ .amount = { devices, devices, devices, share }, .ends_ms = ends_ms };
    if (!fit_has(&build->site.room, &occupant->amount)) { return; }
    occupant->slots = fit_take(&build->site.room, &occupant->amount);
    build->site.count++;
}

static struct amount whole(int32_t devices) { return (struct amount){ devices, devices, devices, DEVICE_WHOLE }; }

static void test_fit(void)
{
    struct build build;
    build_site(&build);
    struct amount half = { 1, 1, 1, 500 }, most = { 1, 1, 1, 700 }, rest = { 1, 1, 1, 300 }, wide = { 97, 0, 0, 0 }, tall = { 0, 97, 0, 0 }, all = { 96, 96, 8, DEVICE_WHOLE };
    CHECK("all of it", fit_has(&build.site.room, &all));
    CHECK("more CPU", !fit_has(&build.site.room, &wide));
    CHECK("more memory", !fit_has(&build.site.room, &tall));
    uint64_t first = fit_take(&build.site.room, &half), second = fit_take(&build.site.room, &most), third = fit_take(&build.site.room, &rest);
    CHECK("a share goes where the least is left", first == 1 && second == 2 && third == 2);
    struct amount six = whole(6), seven = whole(7);
    CHECK("whole ones are whole", fit_has(&build.site.room, &six) && !fit_has(&build.site.room, &seven));
    fit_give(&build.site.room, &half, first);
    CHECK("the whole one is back", fit_has(&build.site.room, &seven));
    fit_give(&build.site.room, &rest, third);
    CHECK("a part of one is not enough", !fit_has(&build.site.room, &all));
    fit_give(&build.site.room, &most, second);
    CHECK("all of it again", fit_has(&build.site.room, &all));
}

static void test_share(void)
{
    static const struct { const char *row; int32_t devices, share; size_t tasks; int64_t gpus; bool allowed; } rows[] = {
        { "a machine of twelve", 8, 1000, 1, 96, true },
        { "a tenth", 8, 1000, 1, 80, true },
        { "a little more than a tenth", 8, 1000, 1, 79, false },
        { "half a machine of five", 4, 1000, 1, 40, true },
        { "half a machine of four", 4, 1000, 1, 32, false },
        { "three GPUs", 3, 1000, 1, 1000, false },
        { "a gang counts as a whole", 4, 1000, 3, 119, false },
        { "a gang in a large pool", 4, 1000, 3, 120, true },
        { "a gang of four", 1, 1000, 4, 40, true },
        { "a gang of three", 1, 1000, 3, 40, false },
        { "a gang of shares", 1, 500, 8, 40, true },
        { "a smaller one", 1, 499, 8, 40, false },
        { "no GPUs", 0, 0, 1, 80, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct amount amount = { 1, 1, rows[r].devices, rows[r].share };
        CHECK_EQ(rows[r].row, reserve_is_large(&amount, rows[r].tasks, rows[r].gpus), rows[r].allowed);
    }
}

static void test_choice(void)
{
    static const struct { const char *row; int64_t ends[2][3]; int32_t devices[2][3]; int32_t asks; size_t tasks; int64_t starts; size_t site, sites; } rows[] = {
        { "the second ends first", { { 50 }, { 40 } }, { { 8 }, { 8 } }, 8, 1, 40, 1, 1 },
        { "equal ends: the first", { { 40 }, { 40 } }, { { 8 }, { 8 } }, 8, 1, 40, 0, 1 },
        { "all of its tasks have to end", { { 10, 60 }, { 50 } }, { { 7, 1 }, { 8 } }, 8, 1, 50, 1, 1 },
        { "half of it is enough", { { 10, 60 }, { 50 } }, { { 7, 1 }, { 8 } }, 4, 1, 10, 0, 1 },
        { "an end that nobody knows", { { NEVER }, { 90 } }, { { 1 }, { 8 } }, 8, 1, 90, 1, 1 },
        { "nobody knows any", { { NEVER }, { NEVER } }, { { 1 }, { 8 } }, 8, 1, -1, 0, 0 },
        { "too large for a site", { { 10 }, { 10 } }, { { 1 }, { 1 } }, 9, 1, -1, 0, 0 },
        { "room now", { { 10 }, { 0 } }, { { 1 }, { 0 } }, 8, 1, 0, 1, 1 },
        { "a gang on two sites", { { 10, 30 }, { 20, 60 } }, { { 4, 4 }, { 4, 4 } }, 4, 2, 20, 0, 2 },
        { "a gang on one site", { { 10, 20 }, { 60 } }, { { 4, 4 }, { 8 } }, 4, 2, 20, 0, 1 },
        { "a gang of three", { { 10, 20 }, { 15, 60 } }, { { 4, 4 }, { 4, 4 } }, 4, 3, 20, 0, 2 },
        { "a gang of more than all", { { 10, 20 }, { NEVER } }, { { 4, 4 }, { 8 } }, 4, 3, -1, 0, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct build builds[2];
        struct site sites[2];
        for (size_t s = 0; s < 2; s++) {
            build_site(&builds[s]);
            for (size_t t = 0; t < 3; t++) {
                int64_t end = rows[r].ends[s][t];
                if (rows[r].devices[s][t] > 0) { add_task(&builds[s], rows[r].devices[s][t], DEVICE_WHOLE, end == NEVER ? NEVER : NOW + end); }
            }
            sites[s] = builds[s].site;
        }
        struct amount amount = whole(rows[r].asks);
        struct reservation reservation;
        bool found = reserve_choose(sites, 2, &amount, rows[r].tasks, NOW, &reservation);
        CHECK_EQ(rows[r].row, found ? reservation.starts_ms - NOW : -1, rows[r].starts);
        CHECK_EQ(rows[r].row, (int64_t)reservation.count, (int64_t)rows[r].sites);
        CHECK(rows[r].row, !found || reservation.sites[0].site == rows[r].site);
    }
}

static void test_others(void)
{
    struct build build, other;
    build_site(&build);
    build_site(&other);
    add_task(&build, 6, DEVICE_WHOLE, NOW + 100);
    add_task(&other, 8, DEVICE_WHOLE, NEVER);
    const struct site sites[] = { build.site, other.site };
    struct amount five = whole(5), two = whole(2), one = whole(1);
    struct reservation reservation;
    CHECK("the first site", reserve_choose(sites, 2, &five, 1, NOW, &reservation) && reservation.count == 1 && reservation.sites[0].site == 0);
    CHECK("another site", reserve_lets(&reservation, 1, &five, NEVER));
    CHECK("ends at the start", reserve_lets(&reservation, 0, &five, NOW + 100));
    CHECK("ends later", !reserve_lets(&reservation, 0, &five, NOW + 101));
    CHECK("ends later beside it", reserve_lets(&reservation, 0, &two, NEVER));
    reserve_started(&reservation, 0, &two, NOW + 100);
    reserve_started(&reservation, 1, &two, NEVER);
    CHECK("neither of these takes the spare room", reserve_lets(&reservation, 0, &two, NEVER));
    reserve_started(&reservation, 0, &two, NEVER);
    CHECK("one is left beside both", reserve_lets(&reservation, 0, &one, NEVER) && !reserve_lets(&reservation, 0, &two, NEVER));
}

/* ---- beside a search through all times ---- */

enum { SITES = 5 };

static size_t times_at(const struct site *site, const struct amount *amount, int64_t at_ms)
{
    struct room room = site->room;
    size_t times = 0;
    for (size_t o = 0; o < site->count; o++) {
        const struct occupant *occupant = &site->occupants[o];
        if (occupant->ends_ms <= at_ms) { fit_give(&room, &occupant->amount, occupant->slots); }
    }
    for (; fit_has(&room, amount); times++) { (void)fit_take(&room, amount); }
    return times;
}

static void test_random(void)
{
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 2000; round++) {
        struct build builds[SITES];
        struct site sites[SITES];
        for (size_t s = 0; s < SITES; s++) {
            build_site(&builds[s]);
            int64_t end = 0;
            for (size_t t = 0; t < OCCUPANTS_MAX; t++) {
                bool part = rng_below(&rng, 2) == 0;
                end += (int64_t)rng_below(&rng, 9);
                int64_t ends_ms = t + 1 == OCCUPANTS_MAX && rng_below(&rng, 2) == 0 ? NEVER : NOW + end;
                add_task(&builds[s], part ? 1 : 1 + (int32_t)rng_below(&rng, 4), part ? 300 + 100 * (int32_t)rng_below(&rng, 5) : DEVICE_WHOLE, ends_ms);
            }
            sites[s] = builds[s].site;
        }
        struct amount amount = whole(2 + (int32_t)rng_below(&rng, 7));
        size_t tasks = 1 + rng_below(&rng, 4);
        struct reservation reservation;
        bool found = reserve_choose(sites, SITES, &amount, tasks, NOW, &reservation);
        int64_t earliest = -1;
        for (int64_t at = 0; at <= 100 && earliest < 0; at++) {
            size_t times = 0;
            for (size_t s = 0; s < SITES; s++) { times += times_at(&sites[s], &amount, NOW + at); }
            if (times >= tasks) { earliest = at; }
        }
        CHECK_EQ("the earliest time", found ? reservation.starts_ms - NOW : -1, earliest);
    }
}

int main(void)
{
    test_fit();
    test_share();
    test_choice();
    test_others();
    test_random();
    return check_report();
}
