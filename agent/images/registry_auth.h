/* registry_auth.h: names and passwords for registries, and which of them an image needs. Text in, text out. A password is in no message and in
 * no file of ours. */
#ifndef BERTH_AGENT_IMAGES_REGISTRY_AUTH_H
#define BERTH_AGENT_IMAGES_REGISTRY_AUTH_H

#include "base/arena.h"
#include "base/err.h"

struct registry_login {
    struct str registry;                         /* "host[:port][/path]" without a scheme; Docker Hub is "docker.io" */
    struct str username, password, token;        /* token: an identity token instead of the two */
};
struct registry_login_list { struct registry_login *items; size_t count; };

/* Any of the three usual forms: {"auths":{"REGISTRY":{"auth":"…"}}} of Docker's config.json, the same without "auths" (ECS's "dockercfg"), and
 * {"REGISTRY":{"username":"…","password":"…"}} (ECS's "docker"). The texts live in `arena`. *helpers: it names programs that know passwords,
 * which are not run here. */
bool registry_logins_read(struct str json, struct registry_login_list *logins, bool *helpers, struct arena *arena, struct err *err);
/* {"username":"…","password":"…"}, as a secret holds it, for the registry of `image`. */
bool registry_login_of_secret(struct str json, struct str image, struct registry_login *login, struct arena *arena, struct err *err);

/* The login whose registry is the longest beginning of the image's name, in whole parts; NULL: none. */
const struct registry_login *registry_login_for(const struct registry_login_list *logins, struct str image);
/* The value of X-Registry-Auth for the engine. */
struct str registry_header(const struct registry_login *login, struct arena *arena);

/* "docker.io" when the name has no host: the part before the first slash is a host if it has a dot or a colon, or is "localhost". */
struct str registry_host(struct str image);
bool registry_is_ecr(struct str image);          /* "<12 digits>.dkr.ecr.<region>.amazonaws.com…" */

#endif
