/* test_requests.c: what proxies count of target groups: sums over their processes, restarts, silence, and the rate. */
#include "server/figures/requests.h"

#include "tests/unit/check.h"

static struct requests *requests;

static void put(const char *feed, const char *source, const char *group, int64_t count, int64_t at_s)
{
    struct request_count told = { str_from(group), str_from(source), opt_int_of(count) };
    requests_put(requests, str_from(feed), &(struct request_count_list){ &told, 1 }, at_s * 1000);
}

static int64_t sum_at(const char *group, int64_t at_s)
{
    struct opt_int sum = requests_of(requests, str_from(group), at_s * 1000).sum;
    return sum.set ? sum.value : -1;
}

/* In thousandths; -1: not known. */
static int64_t rate_at(const char *group, int64_t at_s)
{
    struct opt_double rate = requests_of(requests, str_from(group), at_s * 1000).per_second;
    return rate.set ? (int64_t)(1000 * rate.value + 0.5) : -1;
}

static void test_sums(void)
{
    static const struct { const char *row, *feed, *source; int64_t count, at_s, want; } rows[] = {
        { "counting begins", "a", "1", 500, 100, 0 },
        { "as many more", "a", "1", 507, 103, 7 },
        { "nothing new", "a", "1", 507, 106, 7 },
        { "a new process began at 0", "a", "2", 3, 109, 10 },
        { "the old one goes on", "a", "1", 509, 109, 12 },
        { "a counter that has fallen began at 0", "a", "1", 4, 112, 16 },
        { "another feed's counting begins", "b", "1", 900, 112, 16 },
        { "which adds too", "b", "1", 901, 115, 17 },
        { "as silent as may be", "a", "1", 6, 142, 19 },
        { "more: counting begins again", "a", "1", 100, 173, 19 },
        { "and goes on", "a", "1", 101, 174, 20 },
    };
    requests = requests_create();
    CHECK_EQ("nobody has told", sum_at("web", 100), -1);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        put(rows[r].feed, rows[r].source, "web", rows[r].count, rows[r].at_s);
        CHECK_EQ(rows[r].row, sum_at("web", rows[r].at_s), rows[r].want);
    }
    CHECK_EQ("of another group", sum_at("we", 174), -1);
    CHECK_EQ("told a moment ago", sum_at("web", 204), 20);
    CHECK_EQ("silent", sum_at("web", 205), -1);
    put("a", "1", "web", 1, 900);
    CHECK_EQ("forgotten: it begins at 0", sum_at("web", 900), 0);
    requests_destroy(requests);
}

static void test_rate(void)
{
    requests = requests_create();
    put("a", "1", "web", 0, 100);
    CHECK_EQ("no time has passed", rate_at("web", 100), -1);
    put("a", "1", "web", 50, 101);
    CHECK_EQ("a second is too short", rate_at("web", 101), -1);
    put("a", "1", "web", 100, 102);
    CHECK_EQ("two are enough", rate_at("web", 102), 50000);
    for (int64_t at_s = 103; at_s <= 140; at_s++) { put("a", "1", "web", 100, at_s); }
    CHECK_EQ("no more requests", rate_at("web", 140), 0);
    CHECK_EQ("known as long as somebody tells", rate_at("web", 170), 0);
    CHECK_EQ("not longer", rate_at("web", 171), -1);
    requests_destroy(requests);
}

/* Counters behind the limit are left out, and those that are there go on. */
static void test_room(void)
{
    char group[16];
    requests = requests_create();
    for (int g = 0; g <= REQUESTS_COUNTERS_MAX; g++) {
        (void)snprintf(group, sizeof group, "g%d", g);
        put("a", "1", group, 1, 100);
    }
    put("a", "1", "g0", 3, 101);
    CHECK_EQ("the first goes on", sum_at("g0", 101), 2);
    put("a", "1", group, 3, 101);
    CHECK_EQ("one too many has no figures", sum_at(group, 101), -1);
    requests_destroy(requests);
}

int main(void)
{
    test_sums();
    test_rate();
    test_room();
    return check_report();
}
