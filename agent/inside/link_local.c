/* link_local.c: one request to the kernel and its answer. */
#include "agent/inside/link_local.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"

enum { PREFIX_LEN = 32, ANSWER_MAX = 4096 };

struct request {
    struct nlmsghdr head;
    struct ifaddrmsg address;
    struct { struct rtattr head; struct in_addr value; } local;
};

/* 0, or errno. */
static int read_answer(int fd)
{
    union { struct nlmsghdr head; char bytes[ANSWER_MAX]; } answer;
    ssize_t got = recv(fd, &answer, sizeof answer, 0);
    if (got < 0) { return errno; }
    if ((size_t)got < NLMSG_LENGTH(sizeof(struct nlmsgerr)) || answer.head.nlmsg_type != NLMSG_ERROR) { return EPROTO; }
    struct nlmsgerr told;
    memcpy(&told, NLMSG_DATA(&answer.head), sizeof told);
    return -told.error;
}

static int ask_kernel(uint16_t type, uint16_t flags)
{
    struct request request = {
        .head = { .nlmsg_len = sizeof request, .nlmsg_type = type, .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags), .nlmsg_seq = 1 },
        .address = { .ifa_family = AF_INET, .ifa_prefixlen = PREFIX_LEN, .ifa_scope = RT_SCOPE_HOST, .ifa_index = if_nametoindex("lo") },
        .local = { .head = { .rta_len = sizeof request.local, .rta_type = IFA_LOCAL } },
    };
    const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    ASSERT(inet_pton(AF_INET, LINK_LOCAL_ADDRESS, &request.local.value) == 1);
    if (request.address.ifa_index == 0) { return ENODEV; }
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) { return errno; }
    bool sent = sendto(fd, &request, sizeof request, 0, (const struct sockaddr *)&kernel, sizeof kernel) == (ssize_t)sizeof request;
    int error = sent ? read_answer(fd) : errno;
    close(fd);
    return error;
}

bool link_local_add(struct err *err)
{
    int error = ask_kernel(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
    if (error == 0 || error == EEXIST) { return true; }
    return err_set(err, ERR_SERVER, "the address " LINK_LOCAL_ADDRESS " can't be given to this machine: %s%s", strerror(error),
                   error == EPERM ? " (it takes root, or the capability CAP_NET_ADMIN)" : "");
}

void link_local_remove(void) { (void)ask_kernel(RTM_DELADDR, 0); }       /* without the right it was not added either */
