/* openssl_names.c: lets Debian 12's libcivetweb speak TLS on any machine, with nothing to install or to set.
 *
 * It loads OpenSSL by dlopen("libssl.so") and dlopen("libcrypto.so"), names that only the developer's package has, and looks there for
 * SSL_get_peer_certificate, which OpenSSL 3 has as a macro only: the first TLS client would end the process. So the program exports
 * both functions (CMakeLists.txt), and they come before the C library's: a dlopen of OpenSSL by these names returns the program itself, with the OpenSSL
 * that it is linked with; all other calls go on to the C library. */
#include "server/net/openssl_names.h"

#include <dlfcn.h>
#include <openssl/ssl.h>
#include <string.h>

#undef SSL_get_peer_certificate
X509 *SSL_get_peer_certificate(const SSL *ssl);
X509 *SSL_get_peer_certificate(const SSL *ssl) { return SSL_get1_peer_certificate(ssl); }

void *dlopen(const char *file, int mode)
{
    bool openssl = file != NULL && (strcmp(file, "libssl.so") == 0 || strcmp(file, "libcrypto.so") == 0);
    return dlmopen(LM_ID_BASE, openssl ? NULL : file, mode);
}

void *names_find(const char *name) { return dlsym(RTLD_DEFAULT, name); }

bool openssl_names_are_known(void)
{
    void *(*ours)(const char *file, int mode) = dlopen;
    void *found = names_find("dlopen");
    return memcmp(&ours, &found, sizeof found) == 0 && names_find("SSL_get_peer_certificate") != NULL;
}
