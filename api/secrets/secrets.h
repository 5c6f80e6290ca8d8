/* secrets.h: the code that Secrets Manager and Parameter Store share: finding a secret, who may read it, and its values. A value is
 * decrypted only between here and the reply. Private to api/. */
#ifndef BERTH_API_SECRETS_SECRETS_H
#define BERTH_API_SECRETS_SECRETS_H

#include "api/core/support.h"
#include "base/seal.h"

enum { SECRET_PAGE = 64 };                   /* entries that a list reads at once */

/* Finds a secret by its name or ARN, with or without the six characters. NULL: there is no such secret, or its deletion is due. */
const struct kept_secret *secrets_find(struct op_ctx *ctx, enum secret_kind kind, struct str reference);
struct str secrets_arn(struct op_ctx *ctx, const struct kept_secret *secret);
bool secrets_is_gone(const struct op_ctx *ctx, const struct kept_secret *secret);    /* whether its deletion is due */

/* Whether the caller may read the value. This is the only place of that rule: a new kind of credentials is added to it. */
bool secrets_may_read(struct op_ctx *ctx, const struct kept_secret *secret);
/* ERR_ACCESS_DENIED in AWS's words; `action` is "secretsmanager:GetSecretValue". */
bool secrets_deny(struct op_ctx *ctx, const char *action, struct str resource, struct err *err);

/* Decrypts the value of one version. ERR_SERVER: the server's key is another one. */
bool secrets_open(struct op_ctx *ctx, const struct kept_secret *secret, const struct secret_version *version, struct str *value, struct err *err);
/* Makes `value` the current version, with this id; removes the oldest version. */
void secrets_add_version(struct op_ctx *ctx, struct kept_secret *secret, struct str id, struct str value);

/* As in paging.h, with the error texts of these services. */
bool secrets_position(struct op_ctx *ctx, struct str list, struct str token, struct str *position, struct err *err);
/* The tags after `put` was added or the keys were removed. `invalid`: the error's code when a rule is broken. */
bool secrets_put_tags(struct op_ctx *ctx, struct tag_list *tags, const struct tag_list *more, enum err_code invalid, struct err *err);

/* Deletes the secrets that are marked for deletion and due, at most `limit`. */
void secrets_expire(struct op_ctx *ctx, size_t limit);

#endif
