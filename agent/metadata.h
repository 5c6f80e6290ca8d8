/* metadata.h: asks the metadata service that a cloud gives its machines, with a token as in IMDSv2, and without one where the service knows
 * none. Calls block for a second at most. Knows paths below /latest/; refuses to know what they mean. */
#ifndef BERTH_AGENT_METADATA_H
#define BERTH_AGENT_METADATA_H

#include "base/arena.h"

struct metadata;
/* `base`: its address; NULL: the one in AWS_EC2_METADATA_SERVICE_ENDPOINT, or http://169.254.169.254. NULL is returned when
 * AWS_EC2_METADATA_DISABLED is true. libcurl has been initialised by the client. */
struct metadata *metadata_create(const char *base);
void             metadata_destroy(struct metadata *metadata);          /* accepts NULL */
enum metadata_result { METADATA_FOUND, METADATA_NONE, METADATA_FAILED };    /* NONE: the service answers that it has no such path */
enum metadata_result metadata_get(struct metadata *metadata, const char *path, struct str *text, struct arena *arena);

#endif
