/* openssl_names.h: OpenSSL under the names by which Debian 12's libcivetweb looks for it. Knows the dynamic linker; refuses to know TLS. */
#ifndef BERTH_SERVER_NET_OPENSSL_NAMES_H
#define BERTH_SERVER_NET_OPENSSL_NAMES_H

#include <stdbool.h>

bool  openssl_names_are_known(void);         /* false: this program was linked without exporting them */
void *names_find(const char *name);          /* the function that other libraries get by this name; NULL: none */

#endif
