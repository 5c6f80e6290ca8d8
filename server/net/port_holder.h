/* port_holder.h: which process listens on a port that was wanted. Knows /proc of Linux; refuses to open sockets. */
#ifndef BERTH_SERVER_NET_PORT_HOLDER_H
#define BERTH_SERVER_NET_PORT_HOLDER_H

#include <stddef.h>

enum { PORT_HOLDER_SIZE = 96 };

/* A sentence to follow "can't listen": " nginx (process 812) listens there." `host` is an address or a name. When no process is found (another user's
 * can't be read), it is " Is another server running there?" Returns `out`. */
const char *port_holder(const char *host, int port, char out[PORT_HOLDER_SIZE]);

#endif
