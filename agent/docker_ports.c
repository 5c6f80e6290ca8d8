/* docker_ports.c: a row of free host ports for a containerPortRange. Docker chooses a port for one mapping by itself but knows
 * no rows. Each port is bound for a moment to see that nobody has it; another program can still take one before Docker does,
 * and the container's start then says so. */
#include "agent/docker.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/rng.h"

enum { PORT_FIRST = 49153, PORT_LAST = 65535 };      /* ECS's dynamic range */

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

/* Starts at a place chosen by chance, so that two tasks that start at once seldom want the same row, and goes round once. */
int64_t docker_find_ports(int64_t count, enum transport_protocol protocol)
{
    const int64_t total = PORT_LAST - PORT_FIRST + 1;
    if (count < 1 || count > total) { return 0; }
    int64_t start = (int64_t)(rng_entropy() % (uint64_t)total), run = 0;
    for (int64_t step = 0; step < total + count; step++) {
        int64_t at = (start + step) % total;
        if (at == 0) { run = 0; }                    /* a row does not go over the end */
        run = is_port_free(PORT_FIRST + at, protocol) ? run + 1 : 0;
        if (run == count) { return PORT_FIRST + at - count + 1; }
    }
    return 0;
}
