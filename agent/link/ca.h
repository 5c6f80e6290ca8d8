/* ca.h: which certificates of a server are accepted, and what to do about a refused one. Knows libcurl; refuses to know the bytes behind
 * the handshake. Also for the commands of the shell (cli/remote.c). */
#ifndef BERTH_AGENT_LINK_CA_H
#define BERTH_AGENT_LINK_CA_H

#include <curl/curl.h>

/* Accepts only certificates that `ca_file` (PEM) vouches for; NULL: the file that AWS_CA_BUNDLE names, as in AWS clients, or else the system's. */
void        ca_set(CURL *easy, const char *ca_file);
/* Words to put behind `why`, OpenSSL's own complaint; "" when it is not about certificates. */
const char *ca_advice(CURLcode result, const char *why);

#endif
