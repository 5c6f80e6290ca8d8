/* gate.h: accepts connections for CivetWeb. One thread keeps many of them, each until its request's head is whole (over TLS: the client's first record).
 * CivetWeb gets a connection only then, and when a thread is free. So a slow or silent peer costs a socket and no thread; it is disconnected after ten
 * seconds, and when there are too many, the oldest is. Knows sockets and the ends of heads; refuses to know HTTP.
 *
 * CivetWeb calls accept() on the socket that it listens on. The program exports its own accept(), which calls the gate on CivetWeb's thread. */
#ifndef BERTH_SERVER_NET_GATE_H
#define BERTH_SERVER_NET_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "server/net/peers.h"

struct gate;
struct gate_counts { int64_t waiting, hung_up; };        /* without a thread now; hung up so far, because they were slow or too many */

struct gate *gate_create(struct peers *peers, bool tls, struct err *err);       /* owned; peers is lent; NULL and *err: no file descriptor */
void         gate_destroy(struct gate *gate);             /* closes all connections that wait; accepts NULL */
void         gate_serve_here(struct gate *gate);          /* on the thread that accepts; NULL: it stops */
bool         gate_is_known(void);                         /* false: the linker did not give CivetWeb our accept() */
struct gate_counts gate_count(const struct gate *gate);   /* any thread */

#endif
