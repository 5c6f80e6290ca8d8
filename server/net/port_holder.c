/* port_holder.c: the kernel's tables of TCP sockets say which socket listens, the links in /proc/PID/fd whose it is. */
#include "server/net/port_holder.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

enum { LINE_SIZE = 512, PATH_SIZE = 512, ADDRESS_SIZE = 33, COMM_SIZE = 64, LISTENS = 0x0A };

static const char any_address[] = "00000000000000000000000000000000";

/* An address as the kernel's tables have it: each four bytes as one number of this machine, in hex. "" for a name, which may be any address. */
static void table_form(const char *host, char out[ADDRESS_SIZE])
{
    uint32_t words[4] = { 0 };
    size_t count = inet_pton(AF_INET, host, words) == 1 ? 1 : inet_pton(AF_INET6, host, words) == 1 ? 4 : 0;
    out[0] = '\0';
    for (size_t w = 0; w < count; w++) { (void)snprintf(out + 8 * w, 9, "%08" PRIX32, words[w]); }
}

static bool is_any(const char *address) { return strncmp(address, any_address, strlen(address)) == 0; }

/* The inode of the socket that listens there, or 0. */
static uint64_t find_socket(const char *table, const char *host, int port)
{
    char line[LINE_SIZE], wanted[ADDRESS_SIZE], address[ADDRESS_SIZE];
    uint64_t found = 0;
    FILE *file = fopen(table, "re");
    if (file == NULL) { return 0; }
    table_form(host, wanted);
    while (found == 0 && fgets(line, sizeof line, file) != NULL) {
        unsigned local_port, state;
        uint64_t inode;
        bool whole = sscanf(line, " %*d: %32[0-9A-F]:%X %*s %X %*s %*s %*s %*s %*s %" SCNu64, address, &local_port, &state, &inode) == 4;
        if (!whole || state != LISTENS || local_port != (unsigned)port) { continue; }
        if (is_any(wanted) || is_any(address) || strcmp(wanted, address) == 0) { found = inode; }
    }
    (void)fclose(file);
    return found;
}

static bool holds(const char *pid, const char *socket_name)
{
    char path[PATH_SIZE], target[LINE_SIZE];
    bool found = false;
    (void)snprintf(path, sizeof path, "/proc/%s/fd", pid);
    DIR *entries = opendir(path);
    if (entries == NULL) { return false; }
    for (struct dirent *entry = readdir(entries); entry != NULL && !found; entry = readdir(entries)) {
        ssize_t len = readlinkat(dirfd(entries), entry->d_name, target, sizeof target - 1);
        if (len <= 0) { continue; }
        target[len] = '\0';
        found = strcmp(target, socket_name) == 0;
    }
    (void)closedir(entries);
    return found;
}

static bool name_of(const char *pid, char comm[COMM_SIZE])
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/proc/%s/comm", pid);
    FILE *file = fopen(path, "re");
    bool good = file != NULL && fgets(comm, COMM_SIZE, file) != NULL;
    if (file != NULL) { (void)fclose(file); }
    if (!good) { return false; }
    comm[strcspn(comm, "\n")] = '\0';
    for (char *c = comm; *c != '\0'; c++) { *c = isprint((unsigned char)*c) != 0 ? *c : '?'; }     /* a process may call itself anything */
    return true;
}

const char *port_holder(const char *host, int port, char out[PORT_HOLDER_SIZE])
{
    char socket_name[LINE_SIZE], comm[COMM_SIZE];
    uint64_t inode = find_socket("/proc/net/tcp", host, port);
    if (inode == 0) { inode = find_socket("/proc/net/tcp6", host, port); }
    (void)snprintf(socket_name, sizeof socket_name, "socket:[%" PRIu64 "]", inode);
    (void)snprintf(out, PORT_HOLDER_SIZE, " Is another server running there?");
    DIR *entries = inode == 0 ? NULL : opendir("/proc");
    if (entries == NULL) { return out; }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        int64_t pid;
        if (!str_to_i64(str_from(entry->d_name), &pid) || !holds(entry->d_name, socket_name) || !name_of(entry->d_name, comm)) { continue; }
        (void)snprintf(out, PORT_HOLDER_SIZE, " %.15s (process %" PRId64 ") listens there.", comm, pid);
        break;
    }
    (void)closedir(entries);
    return out;
}
