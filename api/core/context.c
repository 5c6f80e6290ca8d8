/* context.c: how a caller is called, and how it is refused. */
#include "api/core/context.h"

#include "api/tell/role_credentials.h"

struct str caller_arn(const struct names *names, const struct caller *caller, struct arena *arena)
{
    if (caller->session != NULL) { return role_assumed_arn(caller->session, arena); }
    return arena_printf(arena, "arn:aws:iam::" STR_FMT ":user/" STR_FMT, STR_ARG(names->account), STR_ARG(caller->user));
}

static struct str denial_text(const struct denial *denial, struct arena *arena)
{
    struct buf text = buf_in(arena);
    if (!str_is_set(denial->action)) {
        buf_put(&text, str_is_set(denial->resource) ? STR("act for ") : STR("perform"));
        buf_put(&text, denial->resource);
        buf_printf(&text, ": " STR_FMT, STR_ARG(denial->reason));
        return buf_str(&text);
    }
    buf_printf(&text, "perform: " STR_FMT, STR_ARG(denial->action));
    if (str_is_set(denial->resource)) { buf_printf(&text, " on resource: " STR_FMT, STR_ARG(denial->resource)); }
    if (str_is_set(denial->reason)) {
        buf_printf(&text, " because " STR_FMT, STR_ARG(denial->reason));
    } else {
        buf_printf(&text, " because no identity-based policy allows the " STR_FMT " action", STR_ARG(denial->action));
    }
    return buf_str(&text);
}

bool caller_deny(const struct names *names, const struct caller *caller, const struct denial *denial, struct arena *arena, struct err *err)
{
    struct str who = caller_arn(names, caller, arena), text = denial_text(denial, arena);
    return err_set(err, ERR_ACCESS_DENIED, "User: " STR_FMT " is not authorized to " STR_FMT, STR_ARG(who), STR_ARG(text));
}
