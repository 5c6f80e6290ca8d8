/* test_client_metrics.c: the minutes of clients' metrics: which data points make one, which minutes follow each other, and the limits. */
#include "server/figures/client_metrics.h"

#include "tests/unit/check.h"

#define MINUTE_0 INT64_C(28000000)                                   /* since 1970 */
#define AT(minute, second) ((MINUTE_0 + (minute)) * SCALING_MINUTE_MS + (second) * 1000)

static struct client_metrics *metrics;

static bool put(const char *key, int64_t at_ms, double value, int64_t now_ms)
{
    struct metric_value one = { 1, value, value, value };
    return client_metrics_put(metrics, str_from(key), at_ms, &one, now_ms);
}

/* The newest value in thousandths, and how many minutes there are. */
static void check(const char *row, const char *key, enum scaling_statistic statistic, int64_t now_ms, size_t count, double newest)
{
    struct scaling_history history = client_metrics_minutes(metrics, str_from(key), statistic, now_ms);
    CHECK_EQ(row, (int64_t)history.count, (int64_t)count);
    if (count > 0) { CHECK_EQ(row, (int64_t)(history.values[0] * 1000), (int64_t)(newest * 1000)); }
}

static void test_statistics(void)
{
    static const struct { enum scaling_statistic statistic; double want; } rows[] = {
        { SCALING_STATISTIC_AVERAGE, 4 }, { SCALING_STATISTIC_MINIMUM, -1 }, { SCALING_STATISTIC_MAXIMUM, 8 }, { SCALING_STATISTIC_SUM, 12 },
        { SCALING_STATISTIC_SAMPLECOUNT, 3 },
    };
    metrics = client_metrics_create(SCALING_MINUTE_MS);
    CHECK("the first", put("k", AT(0, 0), 5, AT(0, 0)) && put("k", AT(0, 30), 8, AT(0, 30)) && put("k", AT(0, 59), -1, AT(1, 1)));
    for (size_t r = 0; r < COUNT_OF(rows); r++) { check("a statistic", "k", rows[r].statistic, AT(1, 2), 1, rows[r].want); }
    check("the minute that goes on does not count", "k", SCALING_STATISTIC_SUM, AT(0, 59), 0, 0);
    check("the last minute may be late", "k", SCALING_STATISTIC_SUM, AT(2, 59), 1, 12);
    check("but not later", "k", SCALING_STATISTIC_SUM, AT(3, 0), 0, 0);
    check("of another name", "kk", SCALING_STATISTIC_SUM, AT(1, 2), 0, 0);
    client_metrics_destroy(metrics);
}

static void test_minutes(void)
{
    metrics = client_metrics_create(SCALING_MINUTE_MS);
    for (int64_t m = 0; m < 40; m++) {
        CHECK("put", put("k", AT(m, 10), (double)m, AT(m, 11)));
        if (m != 27) { CHECK("put, but once", put("gap", AT(m, 10), (double)m, AT(m, 11))); }
    }
    check("as many as scaling asks for", "k", SCALING_STATISTIC_AVERAGE, AT(40, 0), SCALING_IN_MINUTES, 39);
    check("a minute without data ends the row", "gap", SCALING_STATISTIC_AVERAGE, AT(40, 0), 12, 39);
    CHECK("a time to come is now", put("l", AT(50, 0), 7, AT(40, 5)));
    check("a time to come is now", "l", SCALING_STATISTIC_AVERAGE, AT(41, 0), 1, 7);
    CHECK("too old", put("m", AT(22, 59), 7, AT(40, 0)));
    check("is left out", "m", SCALING_STATISTIC_AVERAGE, AT(23, 0), 0, 0);
    CHECK("just not", put("m", AT(23, 0), 7, AT(40, 0)));
    check("is kept", "m", SCALING_STATISTIC_AVERAGE, AT(24, 0), 1, 7);
    client_metrics_destroy(metrics);
}

static void test_room(void)
{
    char key[16];
    metrics = client_metrics_create(SCALING_MINUTE_MS);
    for (int k = 0; k < CLIENT_METRICS_MAX; k++) {
        (void)snprintf(key, sizeof key, "k%d", k);
        CHECK("there is room", put(key, AT(0, 0), 1, AT(0, 0)));
    }
    CHECK("one too many", !put("more", AT(0, 0), 1, AT(0, 0)));
    CHECK("one that is there", put("k0", AT(18, 0), 1, AT(18, 0)));
    CHECK("old ones have gone", put("more", AT(18, 1), 1, AT(18, 1)));
    check("the one that was there", "k0", SCALING_STATISTIC_SUM, AT(19, 0), 1, 1);
    client_metrics_destroy(metrics);
}

static void test_keys(void)
{
    struct arena arena;
    struct pair ab[] = { { STR_INIT("a"), STR_INIT("1") }, { STR_INIT("b"), STR_INIT("2") } }, ba[] = { ab[1], ab[0] }, joined[] = { { STR_INIT("a"), STR_INIT("11:b1:2") } };
    const struct pair_list one = { ab, 2 }, other = { ba, 2 }, odd = { joined, 1 }, none = { NULL, 0 };
    arena_init(&arena, 1 << 20);
    struct str key = metric_key(STR("App"), STR("Depth"), &one, &arena);
    CHECK_STR("any order", metric_key(STR("App"), STR("Depth"), &other, &arena), key);
    CHECK("other dimensions", !str_eq(metric_key(STR("App"), STR("Depth"), &odd, &arena), key));
    CHECK("no dimensions", !str_eq(metric_key(STR("App"), STR("Depth"), &none, &arena), key));
    CHECK("where the name begins", !str_eq(metric_key(STR("AppD"), STR("epth"), &one, &arena), key));
    arena_finish(&arena);
}

int main(void)
{
    test_statistics();
    test_minutes();
    test_room();
    test_keys();
    return check_report();
}
