/* ports.c: free host ports, one or a row of them. Each is bound for a moment to see that it is free. Another program can still take one before
 * Docker does, and then the container's start fails with that error. */
#include "agent/docker/docker.h"

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/rng.h"

enum { PORT_MAX = 65535 };
const struct port_span docker_usual_ports = { 49153, PORT_MAX };

bool port_span_read(struct str text, struct port_span *span, struct err *err)
{
    struct str low = { NULL, 0 }, high = { NULL, 0 };
    bool good = str_cut(text, '-', &low, &high) && str_to_i64(str_trim(low), &span->first) && str_to_i64(str_trim(high), &span->last)
        && span->first >= 1 && span->first <= span->last && span->last <= PORT_MAX;
    return good || err_set(err, ERR_INVALID_PARAMETER, "The dynamic range of host ports is written as 40000-50000, within 1 to %d; this is not: " STR_FMT,
                           (int)PORT_MAX, STR_ARG(str_slice(text, 0, 64)));
}

static bool is_port_free(int64_t port, enum transport_protocol protocol)
{
    int kind = protocol == TRANSPORT_PROTOCOL_UDP ? SOCK_DGRAM : SOCK_STREAM;
    int socket_fd = socket(AF_INET, kind | SOCK_CLOEXEC, 0);
    if (socket_fd < 0) { return false; }
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    bool is_free = bind(socket_fd, (const struct sockaddr *)&address, sizeof address) == 0;
    close(socket_fd);
    return is_free;
}

static bool is_row_free(int64_t first, int64_t count, enum transport_protocol protocol)
{
    for (int64_t p = 0; p < count; p++) {
        if (!is_port_free(first + p, protocol)) { return false; }
    }
    return true;
}

/* Each try takes the next row for itself, so that two tasks that start at once never get the same port. The first row is random: other agents
 * of the machine choose in the same way. */
int64_t docker_find_ports(struct port_span span, int64_t count, enum transport_protocol protocol)
{
    static _Atomic int64_t cursor = -1;
    const int64_t total = span.last - span.first + 1;
    if (count < 1 || count > total) { return 0; }
    int64_t unset = -1;
    atomic_compare_exchange_strong(&cursor, &unset, (int64_t)(rng_entropy() % (uint64_t)total));
    for (int64_t tries = 0; tries < total; tries++) {
        int64_t at = atomic_fetch_add(&cursor, count) % total;
        if (at + count <= total && is_row_free(span.first + at, count, protocol)) { return span.first + at; }
    }
    return 0;
}
