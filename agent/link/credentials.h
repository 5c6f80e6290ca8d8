/* credentials.h: the key that signs the agent's requests. Looked for where every AWS client looks: the settings, the environment, then the
 * shared credentials file. */
#ifndef BERTH_AGENT_LINK_CREDENTIALS_H
#define BERTH_AGENT_LINK_CREDENTIALS_H

#include "agent/core/config.h"
#include "base/arena.h"
#include "base/err.h"

struct credentials { struct str access_key_id, secret_access_key, session_token; };   /* the token is absent when the key needs none */

/* Texts live in `arena`. ERR_MISSING_TOKEN names the places where it has looked. */
bool credentials_find(const struct agent_config *config, struct credentials *credentials, struct arena *arena, struct err *err);

/* A profile of the shared credentials file. */
bool credentials_of_profile(const char *profile, struct credentials *credentials, struct arena *arena, struct err *err);

/* One profile out of the text of a credentials file. False: the profile is not there or lacks a key. */
bool credentials_parse(struct str text, struct str profile, struct credentials *credentials, struct arena *arena);

/* Overwrites keys and logins in this process's environment, in place: other processes may read the environment that a process was started
 * with. Code that needs them has copied them. */
void credentials_hide(void);

#endif
