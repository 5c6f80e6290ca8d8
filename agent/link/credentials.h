/* credentials.h: whose signature the agent's requests carry. Looked for where every AWS client looks: what was configured,
 * the environment, then the shared credentials file. */
#ifndef BERTH_AGENT_LINK_CREDENTIALS_H
#define BERTH_AGENT_LINK_CREDENTIALS_H

#include "agent/config.h"
#include "base/arena.h"
#include "base/err.h"

struct credentials { struct str access_key_id, secret_access_key, session_token; };   /* the token is absent when there is none */

/* Texts live in `arena`. ERR_MISSING_TOKEN says where it has looked. */
bool credentials_find(const struct agent_config *config, struct credentials *credentials, struct arena *arena, struct err *err);

/* That profile of the shared credentials file. */
bool credentials_of_profile(const char *profile, struct credentials *credentials, struct arena *arena, struct err *err);

/* One profile out of the text of a credentials file. False: the profile is not there or lacks a key. */
bool credentials_parse(struct str text, struct str profile, struct credentials *credentials, struct arena *arena);

/* Overwrites keys and logins in this process's environment, in place: other processes may read what a process was started with. Whoever
 * wants them has copied them. */
void credentials_hide(void);

#endif
