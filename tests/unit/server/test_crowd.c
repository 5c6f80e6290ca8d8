/* test_crowd.c: which stranger makes room for the next one. */
#include "server/net/crowd.h"

#include <arpa/inet.h>

#include "base/assert.h"
#include "tests/unit/check.h"

enum { MEMBERS_MAX = 64 };

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage address = { 0 };
    if (strchr(text, ':') != NULL) {
        struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
        six->sin6_family = AF_INET6;
        ASSERT(inet_pton(AF_INET6, text, &six->sin6_addr) == 1);
    } else {
        struct sockaddr_in *four = (struct sockaddr_in *)&address;
        four->sin_family = AF_INET;
        ASSERT(inet_pton(AF_INET, text, &four->sin_addr) == 1);
    }
    return address;
}

/* `come`: addresses in the order in which they come; `leaves`: those that leave, one after the other, by their place in `come`. */
static void test_who_leaves(void)
{
    static const struct { const char *name; const char *come[8]; int leaves[8]; } rows[] = {
        { "nobody is there",              { NULL },                                                          { -1 } },
        { "the only one",                 { "10.0.0.1" },                                                    { 0, -1 } },
        { "the oldest of one address",    { "10.0.0.1", "10.0.0.1", "10.0.0.1" },                            { 0, 1, 2, -1 } },
        { "of the address with the most", { "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2" },                { 1, 2 } },
        { "an address that came first",   { "10.0.0.2", "10.0.0.2", "10.0.0.1", "10.0.0.2", "10.0.0.2" },    { 0, 1, 3 } },
        { "all bits of IPv4 count",       { "10.0.0.1", "11.0.0.1", "11.0.0.1" },                            { 1 } },
        { "one network of IPv6",          { "10.0.0.1", "2001:db8::1", "2001:db8::2" },                      { 1 } },
        { "its first 64 bits",            { "2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:2:9::1" },     { 1 } },
        { "IPv4 in IPv6 is IPv4",         { "10.0.0.1", "::ffff:10.0.0.2", "10.0.0.2" },                     { 1 } },
        { "and no one network",           { "10.0.0.3", "10.0.0.3", "::ffff:10.0.0.1", "::ffff:10.0.0.2", "::ffff:10.0.0.4" }, { 0 } },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static struct crowd crowd;
        struct crowd_member members[8];
        crowd = (struct crowd){ .seed = 1 };
        for (size_t m = 0; m < 8 && rows[r].come[m] != NULL; m++) {
            struct sockaddr_storage address = address_of(rows[r].come[m]);
            crowd_add(&crowd, &members[m], &address);
        }
        for (size_t l = 0; l < 8 && (l == 0 || rows[r].leaves[l] != 0); l++) {
            struct crowd_member *next = crowd_next_to_leave(&crowd);
            CHECK_EQ(rows[r].name, next == NULL ? -1 : next - members, rows[r].leaves[l]);
            if (next == NULL) { break; }
            crowd_remove(&crowd, next);
        }
    }
}

/* However many come from one address, who came from another one stays as long as it has no more than they. */
static void test_a_flood(void)
{
    static struct crowd crowd;
    static struct crowd_member flood[MEMBERS_MAX];
    struct crowd_member one;
    struct sockaddr_storage far = address_of("10.0.0.2"), near = address_of("10.0.0.1");
    crowd = (struct crowd){ .seed = 7 };
    crowd_add(&crowd, &one, &near);
    for (size_t m = 0; m < MEMBERS_MAX; m++) {
        crowd_add(&crowd, &flood[m], &far);
        if (m < 2) { continue; }
        struct crowd_member *next = crowd_next_to_leave(&crowd);
        CHECK_EQ("the oldest of the flood", next - flood, m - 2);
        crowd_remove(&crowd, next);
    }
    for (size_t m = MEMBERS_MAX - 2; m < MEMBERS_MAX; m++) { crowd_remove(&crowd, &flood[m]); }
    CHECK("it stayed", crowd_next_to_leave(&crowd) == &one);
    crowd_remove(&crowd, &one);
    CHECK("nobody", crowd_next_to_leave(&crowd) == NULL);
}

/* From the middle of a list, and from both of its ends. */
static void test_removal(void)
{
    static const size_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    struct sockaddr_storage address = address_of("10.0.0.1");
    for (size_t o = 0; o < COUNT_OF(orders); o++) {
        static struct crowd crowd;
        struct crowd_member members[3];
        bool gone[3] = { false };
        crowd = (struct crowd){ .seed = 3 };
        for (size_t m = 0; m < 3; m++) { crowd_add(&crowd, &members[m], &address); }
        for (size_t m = 0; m < 3; m++) {
            crowd_remove(&crowd, &members[orders[o][m]]);
            gone[orders[o][m]] = true;
            const struct crowd_member *oldest = !gone[0] ? &members[0] : !gone[1] ? &members[1] : !gone[2] ? &members[2] : NULL;
            CHECK("the oldest that is left", crowd_next_to_leave(&crowd) == oldest);
        }
    }
}

int main(void)
{
    test_who_leaves();
    test_a_flood();
    test_removal();
    return check_report();
}
