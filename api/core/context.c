/* context.c: how a caller is called. */
#include "api/core/context.h"

#include "api/tell/role_credentials.h"

struct str caller_arn(const struct names *names, const struct caller *caller, struct arena *arena)
{
    if (caller->session != NULL) { return role_assumed_arn(caller->session, arena); }
    return arena_printf(arena, "arn:aws:iam::" STR_FMT ":user/" STR_FMT, STR_ARG(names->account), STR_ARG(caller->user));
}
