#include "agent/link/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/log.h"
#include "base/num.h"

enum { LINE_MAX_LEN = 160, LEASE_PATH_MAX = 4096 };

static void read_boot(char boot[64])
{
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t len = file < 0 ? 0 : read(file, boot, 63);
    if (file >= 0) { close(file); }
    boot[len > 0 ? len : 0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
    if (boot[0] == '\0') { (void)snprintf(boot, 64, "unknown"); }
}

/* After a restart of the machine only the length counts, as no container is left. A file that cannot be read counts as empty. */
static void take_up(struct lease *lease)
{
    char line[LINE_MAX_LEN + 1] = { 0 }, boot[64];
    long long length_ms, sent_ms;
    if (pread(lease->file, line, LINE_MAX_LEN, 0) <= 0) { return; }
    if (sscanf(line, "%63s %lld %lld", boot, &length_ms, &sent_ms) != 3 || length_ms < 0 || length_ms > LEASE_MOST_MS || sent_ms < 0
        || sent_ms > LEASE_MOST_MS) {
        log_line(LOG_WARN, "agent", "the file of the lease cannot be read and is begun again");
        return;
    }
    lease->length_ms = length_ms;
    lease->sent_ms = strcmp(boot, lease->boot) == 0 ? sent_ms : 0;
}

bool lease_open(struct lease *lease, const char *dir, struct err *err)
{
    char path[LEASE_PATH_MAX];
    *lease = (struct lease){ .file = -1 };
    if (snprintf(path, sizeof path, "%s/lease", dir) >= (int)sizeof path) {
        return err_set(err, ERR_INVALID_PARAMETER, "The folder's name is too long: %s", dir);
    }
    lease->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lease->file < 0) { return err_set(err, ERR_SERVER, "%s: %s", path, strerror(errno)); }
    read_boot(lease->boot);
    take_up(lease);
    return true;
}

void lease_close(struct lease *lease)
{
    if (lease->file > 0) { close(lease->file); }
    lease->file = -1;
}

/* Always of one length, so that a full disk has room for it. Not synced: it has to outlive the agent, not the machine. */
static void save(struct lease *lease)
{
    char line[LINE_MAX_LEN + 1];
    (void)snprintf(line, sizeof line, "%s %lld %lld", lease->boot, (long long)lease->length_ms, (long long)lease->sent_ms);
    size_t len = strlen(line);
    ASSERT(lease->file >= 0 && len < LINE_MAX_LEN);
    memset(line + len, ' ', LINE_MAX_LEN - len);
    line[LINE_MAX_LEN - 1] = '\n';
    bool good = pwrite(lease->file, line, LINE_MAX_LEN, 0) == LINE_MAX_LEN;
    if (!good && !lease->troubled) { log_line(LOG_ERROR, "agent", "the lease cannot be written down: %s", strerror(errno)); }
    lease->troubled = !good;
}

void lease_renew(struct lease *lease, int64_t sent_ms, int64_t length_ms)
{
    ASSERT(length_ms >= 0 && length_ms <= LEASE_MOST_MS);         /* the machine has cut the server's word */
    bool was_none = lease->length_ms == 0 && length_ms == 0;
    lease->length_ms = length_ms;
    lease->sent_ms = max_i64(lease->sent_ms, sent_ms);
    ASSERT(lease->sent_ms >= sent_ms);
    if (!was_none) { save(lease); }
}

int64_t lease_left_ms(const struct lease *lease, int64_t now_ms)
{
    ASSERT(lease->length_ms >= 0 && lease->sent_ms >= 0);
    return lease->length_ms == 0 ? INT64_MAX : max_i64(0, lease->sent_ms + lease->length_ms - now_ms);
}
