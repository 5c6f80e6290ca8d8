/* s3.h: one object of a store that speaks S3, or of a folder used as one. Knows addresses, signatures (libcurl's own Signature Version 4) and
 * sizes; refuses to know what an object is for. */
#ifndef BERTH_AGENT_TASK_S3_H
#define BERTH_AGENT_TASK_S3_H

#include <stdatomic.h>

#include "agent/link/credentials.h"

struct s3_place {                            /* borrowed for as long as the agent runs */
    const char *endpoint;                    /* "http://10.0.0.9:9000" (path style: /BUCKET/KEY) or "file:///DIR" (DIR/BUCKET/KEY); NULL: none */
    const char *region;
    struct credentials credentials;          /* absent: requests are not signed */
};

/* ERR_INVALID_PARAMETER shows what an endpoint looks like. */
bool s3_check_endpoint(const char *endpoint, struct err *err);

/* Blocks; *stop ends it early. The text lives in `arena`. *transient: the same may succeed later. */
bool s3_get(const struct s3_place *place, struct str bucket, struct str key, size_t size_max, const atomic_bool *stop, struct str *text,
            bool *transient, struct arena *arena, struct err *err);

#endif
