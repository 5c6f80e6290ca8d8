/* role_credentials.h: the temporary keys that tasks with a role are given, and how they are read again in signed requests. All of it is
 * derived from one key of the server's, so that nothing is kept of them: the session token holds the task, the kind of role, its
 * ARN and the end of its time, closed by an HMAC; access key and secret are HMACs of the same. With another key of the server's none of them
 * is known any more. Pure: refuses to know what may be done with them. */
#ifndef BERTH_API_TELL_ROLE_CREDENTIALS_H
#define BERTH_API_TELL_ROLE_CREDENTIALS_H

#include "wire/wire.h"

/* The server's key, under this name among the store's words: ROLE_KEY_LEN random bytes, and as many more once it was changed. Ids come from
 * the first, which stay: containers know their address by them. All else comes from the last. */
extern const struct str role_key_name;
enum { ROLE_KEY_LEN = 32, ROLE_ARN_MAX = 2048 };     /* bytes; the longest ARN of a role */
static inline bool role_key_is_good(struct str key) { return key.len == ROLE_KEY_LEN || key.len == 2 * ROLE_KEY_LEN; }
uint64_t role_key_print(struct str key);             /* another one after each change; 0: it is not good */

/* The task's own role, for what runs in it; and the one with which an agent fetches what the task needs. */
enum role_kind { ROLE_TASK, ROLE_EXECUTION, ROLE_KIND_COUNT };
struct str role_kind_word(enum role_kind kind);                      /* "TaskApplication", "TaskExecution" */

struct role_session { enum role_kind kind; struct id task; int64_t expires_ms; struct str role_arn; };

/* Keys last from half of `life_ms` to all of it, because they change at times of the task's own, half a life apart: at *renew_ms
 * there are new ones, and the old are good for as long again. The end of those that are given out now. */
int64_t role_expires_ms(struct id task, int64_t life_ms, int64_t now_ms, int64_t *renew_ms);

/* The same session always has the same keys. credentialsId depends on task and kind alone. */
void role_issue(struct str key, const struct role_session *session, struct wire_role_credentials *out, struct arena *arena);

/* Reads a token of role_issue, also one whose time is over. False: it was not made with this key. */
struct role_pair { struct str access_key_id, secret; };
MUST_USE bool role_read(struct str key, struct str token, struct role_session *session, struct role_pair *pair, struct arena *arena);

/* "arn:aws:iam::ACCOUNT:role/PATH/NAME" of an ARN, or of a bare name in `account`. */
struct str role_arn_of(struct str role, struct str account, struct arena *arena);
/* "arn:aws:sts::ACCOUNT:assumed-role/NAME/TASK" */
struct str role_assumed_arn(const struct role_session *session, struct arena *arena);
struct str role_account(struct str role_arn);
struct str role_name(struct str role_arn);

#endif
