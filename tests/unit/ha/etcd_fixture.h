/* etcd_fixture.h: a real etcd of one node or three on free ports of this machine, in memory where there is /dev/shm. */
#ifndef BERTH_TESTS_UNIT_HA_ETCD_FIXTURE_H
#define BERTH_TESTS_UNIT_HA_ETCD_FIXTURE_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

enum { ETCD_NODES_MAX = 3 };
struct etcd_fixture { int count; pid_t pids[ETCD_NODES_MAX]; int clients[ETCD_NODES_MAX], peers[ETCD_NODES_MAX]; char dir[64], url[256]; };

static inline bool etcd_is_here(void) { return system("command -v etcd >/dev/null 2>&1") == 0; }

static inline int etcd_free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || getsockname(fd, (struct sockaddr *)&address, &size) != 0) { abort(); }
    close(fd);
    return ntohs(address.sin_port);
}

static inline void etcd_start_node(struct etcd_fixture *f, int node)
{
    char name[8], dir[80], client[64], peer[64], cluster[256] = "";
    for (int n = 0; n < f->count; n++) {
        size_t len = strlen(cluster);
        (void)snprintf(cluster + len, sizeof cluster - len, "%sn%d=http://127.0.0.1:%d", n > 0 ? "," : "", n, f->peers[n]);
    }
    (void)snprintf(name, sizeof name, "n%d", node);
    (void)snprintf(dir, sizeof dir, "%s/%d", f->dir, node);
    (void)snprintf(client, sizeof client, "http://127.0.0.1:%d", f->clients[node]);
    (void)snprintf(peer, sizeof peer, "http://127.0.0.1:%d", f->peers[node]);
    f->pids[node] = fork();
    if (f->pids[node] != 0) { return; }
    int null = open("/dev/null", O_RDWR);
    (void)dup2(null, 1);
    (void)dup2(null, 2);
    (void)execlp("etcd", "etcd", "--name", name, "--data-dir", dir, "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
                 "--initial-advertise-peer-urls", peer, "--initial-cluster", cluster, "--heartbeat-interval", "50", "--election-timeout", "500",
                 "--snapshot-count", "1000", "--unsafe-no-fsync", (char *)NULL);
    _exit(127);
}

/* 1 or 3 nodes. The engine's URL is in f->url, with the cluster's name NAME. */
static inline void etcd_begin(struct etcd_fixture *f, int count)
{
    bool memory = access("/dev/shm", W_OK) == 0;
    *f = (struct etcd_fixture){ .count = count };
    (void)snprintf(f->dir, sizeof f->dir, "%s/berth-etcd-XXXXXX", memory ? "/dev/shm" : "/tmp");
    if (mkdtemp(f->dir) == NULL) { abort(); }
    for (int n = 0; n < count; n++) {
        f->clients[n] = etcd_free_port();
        f->peers[n] = etcd_free_port();
    }
    (void)snprintf(f->url, sizeof f->url, "etcd://");
    for (int n = 0; n < count; n++) {
        size_t len = strlen(f->url);
        (void)snprintf(f->url + len, sizeof f->url - len, "%s127.0.0.1:%d", n > 0 ? "," : "", f->clients[n]);
        etcd_start_node(f, n);
    }
    size_t len = strlen(f->url);
    (void)snprintf(f->url + len, sizeof f->url - len, "/NAME");
}

static inline void etcd_end(struct etcd_fixture *f)
{
    char command[96];
    for (int n = 0; n < f->count; n++) {
        if (f->pids[n] <= 0) { continue; }
        (void)kill(f->pids[n], SIGCONT);
        (void)kill(f->pids[n], SIGKILL);
        (void)waitpid(f->pids[n], NULL, 0);
    }
    (void)snprintf(command, sizeof command, "rm -rf %s", f->dir);
    if (system(command) != 0) { abort(); }
}

#endif
