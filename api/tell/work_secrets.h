/* work_secrets.h: references to the values that an agent has to fetch, never a value. Private to api/. */
#ifndef BERTH_API_TELL_WORK_SECRETS_H
#define BERTH_API_TELL_WORK_SECRETS_H

#include "api/core/api.h"
#include "wire/wire.h"

/* The container's secrets, then those of its log driver. */
struct wire_secret_list work_secrets(const struct names *names, const struct container_definition *def, struct arena *arena);
/* The definition's files, then those of the override; `over` may be NULL. */
struct environment_file_list work_environment_files(const struct container_definition *def, const struct container_override *over,
                                                    struct arena *arena);

#endif
