/* Warnings of certificates: both sides of each limit. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../check.h"
#include "base/num.h"
#include "cli/feed/certificates.h"

/* Made with openssl. It ends on 2027-01-04 at 16:03:57. */
static const char pem[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBbjCCAROgAwIBAgIUQZeAfjf/WhFF9/a39Uwx1PV1EcAwCgYIKoZIzj0EAwIw\n"
    "DDEKMAgGA1UEAwwBeDAeFw0yNjExMjUxNjAzNTdaFw0yNzAxMDQxNjAzNTdaMAwx\n"
    "CjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATT7AHXlk4Wpgmo\n"
    "wq3KFAqyI3xDhLXlnbXE7nwTS3EpVG/h0eGpb994Qz4tEFdmX3P/WXPKQ5RhEeAo\n"
    "ewtV02cHo1MwUTAdBgNVHQ4EFgQUKzLmMP7S3Czb0dXHIoFgLs/iwIYwHwYDVR0j\n"
    "BBgwFoAUKzLmMP7S3Czb0dXHIoFgLs/iwIYwDwYDVR0TAQH/BAUwAwEB/zAKBggq\n"
    "hkjOPQQDAgNJADBGAiEAtFXDK4wmmMA7SarWkO7JBXy694FeCzs0jR4PxiUN+bgC\n"
    "IQDn87wOcdH6JziyYb9w9NhazLhSxAbNsIVcLFbyqQd4dQ==\n"
    "-----END CERTIFICATE-----\n";
enum { END_S = 1799078637, DAYS_30_S = 30 * 24 * 3600 };

static const struct { const char *row, *text, *rest; int64_t now_s; } rows[] = {
    { "more than 30 days", pem, "", END_S - DAYS_30_S - 1 },
    { "30 days", pem, " expires on 2027-01-04: renew it", END_S - DAYS_30_S },
    { "a second", pem, " expires on 2027-01-04: renew it", END_S - 1 },
    { "now", pem, " has expired: clients refuse it", END_S },
    { "a year ago", pem, " has expired: clients refuse it", END_S + 365 * 24 * 3600 },
    { "no certificate", "x\n", "", END_S },
    { "half of one", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "", END_S },
};

int main(void)
{
    char path[] = "/tmp/berth-certificate-XXXXXX";
    int fd = mkstemp(path);
    CHECK("a file", fd >= 0);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        CHECK(rows[r].row, ftruncate(fd, 0) == 0 && pwrite(fd, rows[r].text, strlen(rows[r].text), 0) == (ssize_t)strlen(rows[r].text));
        struct str warning = certificates_warning(path, rows[r].now_s * 1000, &arena);
        struct str wanted = rows[r].rest[0] == '\0' ? STR("") : arena_printf(&arena, "the certificate in %s%s", path, rows[r].rest);
        CHECK_STR(rows[r].row, warning, wanted);
        arena_finish(&arena);
    }
    close(fd);
    unlink(path);
    struct arena arena;
    arena_init(&arena, 1 << 20);
    CHECK("no file", !str_is_set(certificates_warning(path, 0, &arena)));
    arena_finish(&arena);
    return check_report();
}
