/* crowd.c: a list from the oldest to the newest for each place. */
#include "server/net/crowd.h"

#include <netinet/in.h>
#include <string.h>

#include "base/assert.h"
#include "base/table.h"

enum { NETWORK_LEN = 8, MAPPED_AT = 12 };

/* The part of the address that is the machine's. */
static uint64_t network_of(const struct sockaddr_storage *address)
{
    uint64_t network = 0;
    if (address->ss_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(six)) {
            memcpy(&network, six->s6_addr + MAPPED_AT, sizeof(struct in_addr));
        } else {
            memcpy(&network, six->s6_addr, NETWORK_LEN);
        }
    } else if (address->ss_family == AF_INET) {
        memcpy(&network, &((const struct sockaddr_in *)address)->sin_addr, sizeof(struct in_addr));
    }
    return network;
}

static size_t place_of(const struct crowd *crowd, const struct sockaddr_storage *address)
{
    return (size_t)(hash_mix(network_of(address) ^ crowd->seed) % CROWD_PLACES);
}

void crowd_add(struct crowd *crowd, struct crowd_member *member, const struct sockaddr_storage *address)
{
    *member = (struct crowd_member){ .place = place_of(crowd, address) };
    struct crowd_member *newest = crowd->places[member->place].newest;
    member->older = newest;
    if (newest != NULL) { newest->newer = member; } else { crowd->places[member->place].oldest = member; }
    crowd->places[member->place].newest = member;
    crowd->places[member->place].count++;
}

void crowd_remove(struct crowd *crowd, struct crowd_member *member)
{
    if (member->older != NULL) { member->older->newer = member->newer; } else { crowd->places[member->place].oldest = member->newer; }
    if (member->newer != NULL) { member->newer->older = member->older; } else { crowd->places[member->place].newest = member->older; }
    ASSERT(crowd->places[member->place].count > 0);
    crowd->places[member->place].count--;
}

struct crowd_member *crowd_next_to_leave(const struct crowd *crowd)
{
    size_t most = 0;
    for (size_t p = 1; p < CROWD_PLACES; p++) {
        if (crowd->places[p].count > crowd->places[most].count) { most = p; }
    }
    ASSERT((crowd->places[most].count > 0) == (crowd->places[most].oldest != NULL));
    return crowd->places[most].oldest;
}
