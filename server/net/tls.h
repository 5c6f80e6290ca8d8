/* tls.h: TLS for both ports: one certificate, which may change while the server runs, and one set of rules. Knows OpenSSL's libssl;
 * refuses to know what the bytes mean. CivetWeb is lent the context; the agents' listener has connections through tls_begin. */
#ifndef BERTH_SERVER_NET_TLS_H
#define BERTH_SERVER_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/assert.h"
#include "base/err.h"

struct tls;
struct ssl_st;                               /* OpenSSL's SSL: one connection */
struct ssl_ctx_st;                           /* OpenSSL's SSL_CTX */

/* PEM files: the certificate with its chain behind it, and its key. Owned; NULL and *err. A certificate that is out of date is warned of. */
struct tls *tls_create(const char *cert_file, const char *key_file, struct err *err);
/* From now on clients may show a certificate; one that is not of the authorities in this PEM file ends the handshake. Before any connection. */
MUST_USE bool tls_ask_for_certificates(struct tls *tls, const char *ca_file, struct err *err);
void        tls_destroy(struct tls *tls);                          /* no connection may be open; accepts NULL */
/* Loads the certificate again when its files have changed, and have not changed since the last look. A file that can't be loaded is logged once, and the
 * old certificate stays. Called by one thread, now and then; accepts NULL. */
void        tls_look(struct tls *tls);
struct ssl_ctx_st *tls_context(const struct tls *tls);             /* lent */
int         tls_take_newest_socket(void);                          /* of the handshake that this thread began last; -1: none, or asked for already */

/* ---- one connection, over a socket that never blocks ---- */

struct ssl_st *tls_begin(struct tls *tls, int fd);                 /* owned; NULL: no memory */
enum tls_greeting { TLS_GREETED, TLS_WAITS, TLS_FAILED };
enum tls_greeting tls_greet(struct ssl_st *ssl);                   /* the handshake, as far as it goes now */
ssize_t     tls_receive(struct ssl_st *ssl, void *bytes, size_t size);         /* as recv: 0 is the end, -1 with errno; */
ssize_t     tls_send(struct ssl_st *ssl, const void *bytes, size_t size);      /* as send: EAGAIN is no harm */
bool        tls_wants_to_send(const struct ssl_st *ssl);           /* the last call goes on when the socket can send */
void        tls_say_goodbye(struct ssl_st *ssl);                   /* nothing more will be sent */
void        tls_end(struct ssl_st *ssl);                           /* the socket stays the caller's; accepts NULL */

#endif
