/* crowd.h: connections whose peer has not shown who it is, by the address that they come from. Says which one has to leave when there are too
 * many: the oldest one of the address that has the most. So an address takes places from others only while these have as many, and many
 * agents behind one address may have all of them. Knows no socket. Owner: one thread. */
#ifndef BERTH_SERVER_NET_CROWD_H
#define BERTH_SERVER_NET_CROWD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { CROWD_PLACES = 1024 };                /* addresses that fall on the same one count as one; which do is another matter in each server */

struct crowd_member { struct crowd_member *older, *newer; size_t place; };       /* lives inside what it belongs to */
struct crowd {
    uint64_t seed;
    struct { size_t count; struct crowd_member *oldest, *newest; } places[CROWD_PLACES];
};

/* An IPv4 address counts whole, an IPv6 address by its first 64 bits: one machine has all that begin with them. */
void crowd_add(struct crowd *crowd, struct crowd_member *member, const struct sockaddr_storage *address);
void crowd_remove(struct crowd *crowd, struct crowd_member *member);
struct crowd_member *crowd_next_to_leave(const struct crowd *crowd);             /* NULL: nobody is there */

#endif
