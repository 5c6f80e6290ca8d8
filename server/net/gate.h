/* gate.h: what stands before CivetWeb. It takes connections in, many at once and on one thread, and keeps each until a request's head is whole (over TLS:
 * the client's first record). Only then, and when a thread is free, does CivetWeb get it. So a peer that says little, slowly or nothing costs a
 * socket and no thread, and is hung up after ten seconds. When there are too many of them, the oldest goes.
 *
 * CivetWeb calls accept() on the socket that it listens on. The program exports an accept() of its own, which on CivetWeb's thread is this gate. */
#ifndef BERTH_SERVER_NET_GATE_H
#define BERTH_SERVER_NET_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "server/net/peers.h"

struct gate;
struct gate_counts { int64_t waiting, hung_up; };        /* without a thread now; hung up so far, because they were slow or too many */

struct gate *gate_create(struct peers *peers, bool tls, struct err *err);       /* owned; peers is lent; NULL and *err: no file could be had */
void         gate_destroy(struct gate *gate);             /* hangs up on who still waits; accepts NULL */
void         gate_serve_here(struct gate *gate);          /* the thread that calls this is the one that accepts; NULL: no more */
bool         gate_is_known(void);                         /* false: the linker did not give CivetWeb our accept() */
struct gate_counts gate_count(const struct gate *gate);   /* any thread */

#endif
