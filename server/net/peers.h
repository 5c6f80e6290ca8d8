/* peers.h: the peers that hold the threads of the API's port. CivetWeb gives each connection a thread for as long as it lives, so peers that do little
 * could hold all threads. When another connection needs a thread and too few are left, a peer that keeps its thread waiting is ended: of the peers that
 * have shown no good key, the one that has waited longest; if there is none, the one of the others that has waited longest, and more than a second.
 * So only the server's own work can hold a thread that another connection needs. Knows sockets and time; refuses to know HTTP. */
#ifndef BERTH_SERVER_NET_PEERS_H
#define BERTH_SERVER_NET_PEERS_H

#include <stdbool.h>
#include <stdint.h>

struct peer;
struct peers;
struct peers_counts {
    int64_t strangers, known;                /* connections that live now; known: it has shown a good key */
    int64_t ended_strangers, ended_idle;     /* ended so far, because others needed their threads */
};

struct peers *peers_create(int threads);     /* owned */
void          peers_destroy(struct peers *peers);        /* accepts NULL; no thread may use it any more */
struct peers_counts peers_count(struct peers *peers);
int           peers_known(const struct peers *peers);    /* connections that have shown a good key; takes no lock */

/* Adds a connection, and returns its number, 1 or more; 0: there is no thread for it now. Then peers_wake_file tells when to ask again. */
int  peers_take(struct peers *peers, int fd);
int  peers_wake_file(const struct peers *peers);         /* lent; an eventfd; -1: the system gave none */
void peers_wake(struct peers *peers);                    /* makes it tell */

/* By its number, or by its socket. NULL: there is no such peer. The caller is the connection's thread. */
struct peer *peers_find(struct peers *peers, int number);
struct peer *peers_find_socket(struct peers *peers, int fd);
void peers_leave(struct peers *peers, struct peer *peer);         /* before its socket is closed */
void peers_prove(struct peers *peers, struct peer *peer);         /* it has shown a good key */

/* The thread now waits for the peer (for a request, its body, or until it reads the answer), or works for it. Atomic, without the lock. */
void peer_waits(struct peer *peer);
void peer_works(struct peer *peer);
bool peer_was_ended(const struct peer *peer);
bool peer_has_left(const struct peer *peer); /* the peer has closed its end */

#endif
