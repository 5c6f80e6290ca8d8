/* How many wrong secrets are borne: per address and key, until the window is over; strangers cannot change the table. */
#include "server/front/guesses.h"

#include <stdio.h>

#include "base/assert.h"
#include "tests/unit/check.h"

#define BEGIN_MS INT64_C(1000000)

static void count(struct guesses *guesses, const char *address, const char *key, int64_t at_ms, int times)
{
    for (int t = 0; t < times; t++) { (void)guesses_count(guesses, str_from(address), str_from(key), at_ms); }
}

static void test_rows(void)
{
    static const struct { const char *name; int before; const char *address, *key; int64_t later_ms, want_ms; } rows[] = {
        { "nobody has guessed",        0,               "192.0.2.1",        "K", 0,                     0 },
        { "one less than is borne",    GUESSES_MAX - 1, "192.0.2.1",        "K", 0,                     0 },
        { "as many as are borne",      GUESSES_MAX,     "192.0.2.1",        "K", 0,                     GUESSES_WINDOW_MS },
        { "many more do not lengthen", 1000,            "192.0.2.1",        "K", 1000,                  GUESSES_WINDOW_MS - 1000 },
        { "the last moment",           GUESSES_MAX,     "192.0.2.1",        "K", GUESSES_WINDOW_MS - 1, 1 },
        { "the window is over",        GUESSES_MAX,     "192.0.2.1",        "K", GUESSES_WINDOW_MS,     0 },
        { "another address",           GUESSES_MAX,     "192.0.2.2",        "K", 0,                     0 },
        { "another key",               GUESSES_MAX,     "192.0.2.1",        "L", 0,                     0 },
        { "as version 6 writes it",    GUESSES_MAX,     "::ffff:192.0.2.1", "K", 0,                     GUESSES_WINDOW_MS },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct guesses *guesses = guesses_create();
        count(guesses, "192.0.2.1", "K", BEGIN_MS, rows[r].before);
        CHECK_EQ(rows[r].name, guesses_wait_ms(guesses, str_from(rows[r].address), str_from(rows[r].key), BEGIN_MS + rows[r].later_ms), rows[r].want_ms);
        guesses_destroy(guesses);
    }
}

static void test_networks(void)
{
    struct guesses *guesses = guesses_create();
    count(guesses, "2001:db8:1:2::1", "K", BEGIN_MS, GUESSES_MAX - 1);
    CHECK("the last that is borne says so", guesses_count(guesses, STR("2001:db8:1:2:ffff::9"), STR("K"), BEGIN_MS));
    CHECK("no other does", !guesses_count(guesses, STR("2001:db8:1:2::1"), STR("K"), BEGIN_MS));
    CHECK("all of a network of 64 bits is one", guesses_wait_ms(guesses, STR("2001:db8:1:2:3:4:5:6"), STR("K"), BEGIN_MS) > 0);
    CHECK_EQ("the next network is another", guesses_wait_ms(guesses, STR("2001:db8:1:3::1"), STR("K"), BEGIN_MS), 0);
    guesses_destroy(guesses);
}

/* A caller that has used up its guesses stays known while 100,000 other addresses make one each. */
static void test_flood(void)
{
    struct guesses *guesses = guesses_create();
    count(guesses, "192.0.2.1", "K", BEGIN_MS, GUESSES_MAX);
    for (int a = 0; a < 100000; a++) {
        char address[32];
        (void)snprintf(address, sizeof address, "10.%d.%d.%d", a >> 16, a >> 8 & 255, a & 255);
        count(guesses, address, "K", BEGIN_MS, 1);
    }
    CHECK("he waits", guesses_wait_ms(guesses, STR("192.0.2.1"), STR("K"), BEGIN_MS) > 0);
    guesses_destroy(guesses);
    guesses_destroy(NULL);
}

int main(void)
{
    test_rows();
    test_networks();
    test_flood();
    return check_report();
}
