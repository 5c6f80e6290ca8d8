#include "cli/feed/certificates.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <time.h>

enum { WARN_DAYS = 30, DAY_S = 24 * 3600 };

/* False: the file has no certificate. */
static bool read_end(const char *path, int64_t *end_s)
{
    BIO *file = BIO_new_file(path, "r");
    X509 *certificate = file == NULL ? NULL : PEM_read_bio_X509(file, NULL, NULL, NULL);
    struct tm end = { 0 };
    bool good = certificate != NULL && ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1;
    if (good) { *end_s = timegm(&end); }
    X509_free(certificate);
    BIO_free(file);
    ERR_clear_error();
    return good;
}

struct str certificates_warning(const char *path, int64_t now_ms, struct arena *arena)
{
    int64_t end_s, now_s = now_ms / 1000;
    struct tm end;
    if (!read_end(path, &end_s) || end_s - now_s > (int64_t)WARN_DAYS * DAY_S) { return (struct str){ NULL, 0 }; }
    if (end_s <= now_s) { return arena_printf(arena, "the certificate in %s has expired: clients refuse it", path); }
    gmtime_r(&(time_t){ end_s }, &end);
    return arena_printf(arena, "the certificate in %s expires on %04d-%02d-%02d: renew it", path, end.tm_year + 1900, end.tm_mon + 1, end.tm_mday);
}
