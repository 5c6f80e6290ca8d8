/* ca.h: whose certificates are believed on the way to a server, and what to do about one that is not. Knows libcurl; refuses to
 * know what is said behind the handshake. Also for the commands of the shell (cli/remote.c). */
#ifndef BERTH_AGENT_LINK_CA_H
#define BERTH_AGENT_LINK_CA_H

#include <curl/curl.h>

/* Only what `ca_file` (PEM) vouches for; NULL: what AWS_CA_BUNDLE names, as AWS clients have it, or else what the system trusts. */
void        ca_set(CURL *easy, const char *ca_file);
/* Words to put behind `why`, OpenSSL's own complaint; "" when it has nothing to do with certificates. */
const char *ca_advice(CURLcode result, const char *why);

#endif
