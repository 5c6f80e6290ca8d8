/* certificates.h: warns of certificates that soon expire. */
#ifndef BERTH_CLI_FEED_CERTIFICATES_H
#define BERTH_CLI_FEED_CERTIFICATES_H

#include "base/buf.h"

/* A sentence if the first certificate in the PEM file has expired or does so within 30 days; absent: it does not, or the file has none. */
struct str certificates_warning(const char *path, int64_t now_ms, struct arena *arena);

#endif
