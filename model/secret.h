/* secret.h: Berth's record of a value that definitions refer to: a secret of Secrets Manager or a parameter of SSM's Parameter
 * Store. The value itself is sealed (base/seal.h): a record shows that a value exists, never the value. */
#ifndef BERTH_MODEL_SECRET_H
#define BERTH_MODEL_SECRET_H

#include "model/records/secret.h"

enum { SECRET_NAME_MAX = 300, SECRET_SUFFIX_LEN = 6, SECRET_VERSIONS_MAX = 2 };       /* the current version and the one before */

/* The context for which a version's value is sealed; it opens for no other. */
struct str secret_context(const struct kept_secret *secret, const struct secret_version *version, struct arena *arena);

#endif
