#include "server/front/access.h"

#include "api/core/binding.h"

bool access_check_agent(const struct front *front, const struct http_request *request, struct caller *caller, struct err *err)
{
    if (!auth_check(front->auth, request, STR("ecs"), caller, err)) { return false; }
    if (caller->role == ACCESS_AGENT || caller->role == ACCESS_ADMIN) { return true; }
    static const struct denial denial = { .action = STR_INIT("ecs:Poll"), .resource = STR_INIT("*") };
    return caller_deny(&front->api->names, caller, &denial, request->arena, err);
}

bool access_check_admin(const struct front *front, const struct http_request *request, struct caller *caller, struct err *err)
{
    if (!auth_check(front->auth, request, STR("ecs"), caller, err)) { return false; }
    if (caller->role == ACCESS_ADMIN) { return true; }
    static const struct denial denial = { .reason = STR_INIT("this takes the key of an administrator") };
    return caller_deny(&front->api->names, caller, &denial, request->arena, err);
}

bool access_check_reader(const struct front *front, const struct http_request *request, struct caller *caller, struct err *err)
{
    if (!auth_check_reader(front->auth, request, caller, err)) { return false; }
    return !binding_is_set(caller)
        || err_set(err, ERR_ACCESS_DENIED, "The access key is bound to " STR_FMT ", and may not read this.",
                   STR_ARG(binding_text(&caller->binding, request->arena)));
}

bool access_check_binding(const struct front *front, struct http_request *request, const struct caller *caller, struct id instance, struct err *err)
{
    return binding_check_stored(front->store, front->api, caller, instance, request->arena, err);
}
