/* secrets.h: what the operations of Secrets Manager and of Parameter Store share: finding what a caller names, who may read it, and
 * the values, which are in the open only between here and the reply. Private to api/. */
#ifndef BERTH_API_SECRETS_SECRETS_H
#define BERTH_API_SECRETS_SECRETS_H

#include "api/core/support.h"
#include "base/seal.h"

enum { SECRET_PAGE = 64 };                   /* entries that a list looks at in one go */

/* A name or an ARN, whole or without the six characters. NULL: there is none here, or its time has come. */
const struct kept_secret *secrets_find(struct op_ctx *ctx, enum secret_kind kind, struct str reference);
struct str secrets_arn(struct op_ctx *ctx, const struct kept_secret *secret);
bool secrets_is_gone(const struct op_ctx *ctx, const struct kept_secret *secret);    /* its deletion is due */

/* Who may be told the value. THE place for that rule: whoever gives callers another kind of credentials adds to it. */
bool secrets_may_read(struct op_ctx *ctx, const struct kept_secret *secret);
/* ERR_ACCESS_DENIED in AWS's words; `action` is "secretsmanager:GetSecretValue". */
bool secrets_deny(struct op_ctx *ctx, const char *action, struct str resource, struct err *err);

/* The value of one version: ERR_SERVER when it does not open with the server's key. */
bool secrets_open(struct op_ctx *ctx, const struct kept_secret *secret, const struct secret_version *version, struct str *value, struct err *err);
/* Makes `value` the current version, under this id; the oldest goes. */
void secrets_add_version(struct op_ctx *ctx, struct kept_secret *secret, struct str id, struct str value);

/* As paging.h, with the complaint of these services. */
bool secrets_position(struct op_ctx *ctx, struct str list, struct str token, struct str *position, struct err *err);
/* The tags after these were put, or those of these keys taken away. A broken rule is called `invalid`. */
bool secrets_put_tags(struct op_ctx *ctx, struct tag_list *tags, const struct tag_list *more, enum err_code invalid, struct err *err);
void secrets_drop_tags(struct op_ctx *ctx, struct tag_list *tags, const struct str_list *keys);

/* Forgets what was marked for deletion and is due, at most `limit`. */
void secrets_expire(struct op_ctx *ctx, size_t limit);

#endif
