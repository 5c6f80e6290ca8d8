#include "model/secret.h"

#include "base/assert.h"

struct str secret_context(const struct kept_secret *secret, const struct secret_version *version, struct arena *arena)
{
    ASSERT(secret->kind != SECRET_KIND_UNSET);
    return arena_printf(arena, "%d " STR_FMT " %lld", (int)secret->kind, STR_ARG(secret->name), (long long)version->number);
}
