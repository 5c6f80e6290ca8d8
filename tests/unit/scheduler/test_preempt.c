/* test_preempt.c: which tasks stop for one of a higher priority: both sides of each limit, and that the least work is lost. */
#include "scheduler/queue/preempt.h"

#include "tests/unit/check.h"

enum { MINUTE = 60 * 1000 };
struct given { int32_t devices, share; int64_t priority, minutes; bool stays; };

/* Two sites of four GPUs with up to four tasks each. */
struct row { const char *row; struct given given[2][4]; int32_t asks; int64_t priority; int64_t site; const char *victims; };

static void build_site(struct site *site, struct occupant *occupants, const struct given *given)
{
    *site = (struct site){ .room = { .cpu = 4, .memory_mib = 4, .count = 4, .free = { 1000, 1000, 1000, 1000 } }, .occupants = occupants };
    for (; site->count < 4 && given[site->count].devices > 0; site->count++) {
        const struct given *one = &given[site->count];
        struct occupant *occupant = &occupants[site->count];
        *occupant = (struct occupant){ .amount = { one->share == DEVICE_WHOLE ? one->devices : 0, 0, one->devices, one->share }, .priority = one->priority,
                                       .ran_ms = one->minutes * MINUTE, .preemptible = !one->stays };
        occupant->slots = fit_take(&site->room, &occupant->amount);
    }
}

static void test_table(void)
{
    static const struct row rows[] = {
        { "priority 50 over 0", { { { 4, 1000, 0, 10, 0 } }, { { 4, 1000, 50, 10, 0 } } }, 4, 50, 0, "0" },
        { "ten more", { { { 4, 1000, 0, 10, 0 } }, { { 4, 1000, 50, 10, 0 } } }, 4, 10, 0, "0" },
        { "nine more", { { { 4, 1000, 0, 10, 0 } }, { { 4, 1000, 50, 10, 0 } } }, 4, 9, -1, "" },
        { "not preemptible", { { { 4, 1000, 0, 10, 1 } }, { { 4, 1000, 50, 10, 0 } } }, 4, 50, -1, "" },
        { "five minutes", { { { 4, 1000, 0, 5, 0 } }, { { 4, 1000, 50, 10, 0 } } }, 4, 50, 0, "0" },
        { "four minutes", { { { 4, 1000, 0, 4, 0 } }, { { 4, 1000, 50, 10, 0 } } }, 4, 50, -1, "" },
        { "the site with less work", { { { 4, 1000, 0, 20, 0 } }, { { 4, 1000, 0, 19, 0 } } }, 4, 50, 1, "0" },
        { "equal work: the first site", { { { 4, 1000, 0, 20, 0 } }, { { 4, 1000, 0, 20, 0 } } }, 4, 50, 0, "0" },
        { "the task with less work", { { { 2, 1000, 0, 20, 0 }, { 2, 1000, 0, 10, 0 } }, { { 4, 1000, 50, 5, 0 } } }, 2, 50, 0, "1" },
        { "GPUs count", { { { 3, 1000, 0, 10, 0 }, { 1, 1000, 0, 29, 0 } }, { { 4, 1000, 50, 5, 0 } } }, 1, 50, 0, "1" },
        { "shares count", { { { 3, 1000, 0, 10, 1 }, { 1, 500, 0, 30, 0 } }, { { 1, 1000, 0, 16, 0 }, { 3, 1000, 0, 9, 1 } } }, 1, 50, 0, "1" },
        { "both of a GPU", { { { 1, 500, 0, 5, 0 }, { 1, 500, 0, 5, 0 }, { 3, 1000, 0, 9, 1 } }, { { 4, 1000, 50, 5, 0 } } }, 1, 50, 0, "01" },
        { "no victim that is not needed", { { { 1, 1000, 0, 5, 0 }, { 3, 1000, 0, 50, 0 } }, { { 4, 1000, 50, 5, 0 } } }, 3, 50, 0, "1" },
        { "two small ones are cheaper", { { { 1, 1000, 0, 5, 0 }, { 1, 1000, 0, 6, 0 }, { 2, 1000, 0, 50, 0 } }, { { 4, 1000, 50, 5, 0 } } }, 2, 50, 0, "01" },
        { "it fits without", { { { 1, 1000, 0, 5, 0 } }, { { 4, 1000, 0, 5, 0 } } }, 3, 50, -1, "" },
        { "never", { { { 4, 1000, 0, 10, 0 } }, { { 4, 1000, 0, 10, 0 } } }, 5, 50, -1, "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct occupant occupants[2][4];
        struct site sites[2];
        for (size_t s = 0; s < 2; s++) { build_site(&sites[s], occupants[s], rows[r].given[s]); }
        struct amount amount = { rows[r].asks, 0, rows[r].asks, DEVICE_WHOLE };
        struct preemption choice = { 0 };
        bool found = preempt_choose(sites, 2, &amount, rows[r].priority, &choice);
        CHECK_EQ(rows[r].row, found ? (int64_t)choice.site : -1, rows[r].site);
        bool named[4] = { false };
        for (size_t v = 0; v < choice.count; v++) { named[choice.victims[v]] = true; }
        for (size_t o = 0; o < 4; o++) { CHECK_EQ(rows[r].row, named[o], strchr(rows[r].victims, '0' + (int)o) != NULL); }
    }
}

/* Many tasks without GPUs don't hide the one that has them. */
static void test_many(void)
{
    struct occupant occupants[2 * PREEMPT_MOST];
    struct site site = { .room = { .cpu = 1, .count = 1 }, .occupants = occupants, .count = COUNT_OF(occupants) };
    for (size_t o = 0; o < COUNT_OF(occupants); o++) { occupants[o] = (struct occupant){ .ran_ms = 9 * MINUTE, .preemptible = true, .amount = { .cpu = 1 } }; }
    struct occupant *last = &occupants[COUNT_OF(occupants) - 1];
    last->amount = (struct amount){ 0, 0, 1, DEVICE_WHOLE };
    last->slots = 1;
    struct amount amount = { 1, 0, 1, DEVICE_WHOLE };
    struct preemption choice;
    CHECK("the task with the GPU alone", preempt_choose(&site, 1, &amount, 50, &choice) && choice.count == 1 && choice.victims[0] == site.count - 1);
    amount.cpu = 1 + PREEMPT_MOST;
    CHECK("too many victims", !preempt_choose(&site, 1, &amount, 50, &choice));
    amount.cpu = PREEMPT_MOST;
    CHECK("as many as may be", preempt_choose(&site, 1, &amount, 50, &choice) && choice.count == PREEMPT_MOST);
}

int main(void)
{
    test_table();
    test_many();
    return check_report();
}
