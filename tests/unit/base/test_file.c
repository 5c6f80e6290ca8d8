/* Files are replaced as a whole, readable by the owner only, and what can't be written leaves the old one alone. */
#include "base/assert.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"

static void check_content(const char *what, const char *path, struct str wanted)
{
    char bytes[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (fd >= 0) { close(fd); }
    CHECK(what, got >= 0 && str_eq((struct str){ bytes, (size_t)(got < 0 ? 0 : got) }, wanted));
}

int main(void)
{
    char dir[] = "/tmp/berth-test-file-XXXXXX", path[64], fresh[64], missing[64];
    ASSERT(mkdtemp(dir) != NULL);
    (void)snprintf(path, sizeof path, "%s/it", dir);
    (void)snprintf(fresh, sizeof fresh, "%s/it.new", dir);
    (void)snprintf(missing, sizeof missing, "%s/no/it", dir);

    struct stat about;
    CHECK("a new file", file_replace(path, STR("one")));
    check_content("holds the text", path, STR("one"));
    CHECK("its owner's alone", stat(path, &about) == 0 && (about.st_mode & 0777) == 0600);
    CHECK("in place of it", file_replace(path, STR("")));
    check_content("nothing is something", path, STR(""));
    CHECK("nothing is left over", stat(fresh, &about) != 0 && errno == ENOENT);
    CHECK("no folder", !file_replace(missing, STR("x")) && errno == ENOENT);

    int lock = file_lock(path);
    CHECK("a lock", lock >= 0);
    CHECK("for one", file_lock(path) == -1 && errno == EWOULDBLOCK);
    check_content("a locked file stays as it was", path, STR(""));
    close(lock);
    lock = file_lock(path);
    CHECK("and then for the next", lock >= 0);
    close(lock);
    CHECK("no folder for a lock", file_lock(missing) == -1 && errno == ENOENT);

    CHECK("something again", file_replace(path, STR("two")));
    ASSERT(mkdir(fresh, 0700) == 0);                        /* in the place of the draft */
    CHECK("no draft", !file_replace(path, STR("three")) && errno == EISDIR);
    check_content("the old one stays", path, STR("two"));
    ASSERT(rmdir(fresh) == 0);

    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT(full >= 0);
    CHECK("a full disk is reported", !file_write_all(full, STR("x")) && errno == ENOSPC);
    CHECK("no bytes fit anywhere", file_write_all(full, STR("")));
    close(full);
    unlink(path);
    rmdir(dir);
    return check_report();
}
