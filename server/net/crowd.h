/* crowd.h: connections whose peer has not shown a key, by their address. When there are too many, the oldest connection of the address that has the most
 * must leave. So an address takes places from others only while they have as many, and many agents behind one address may have all places. Knows
 * addresses; refuses to know sockets. One thread. */
#ifndef BERTH_SERVER_NET_CROWD_H
#define BERTH_SERVER_NET_CROWD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { CROWD_PLACES = 1024 };                /* addresses with the same place count as one; the seed makes places differ from server to server */

struct crowd_member { struct crowd_member *older, *newer; size_t place; };       /* a member of the connection's struct */
struct crowd {
    uint64_t seed;
    struct { size_t count; struct crowd_member *oldest, *newest; } places[CROWD_PLACES];
};

/* By the whole IPv4 address, or the first 64 bits of an IPv6 address: one machine has all addresses with these bits. */
void crowd_add(struct crowd *crowd, struct crowd_member *member, const struct sockaddr_storage *address);
void crowd_remove(struct crowd *crowd, struct crowd_member *member);
struct crowd_member *crowd_next_to_leave(const struct crowd *crowd);             /* NULL: there is no member */

#endif
